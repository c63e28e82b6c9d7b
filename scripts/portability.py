"""Compile the core and the bindings with GCC, Clang and zig for other systems; warnings are errors.

GCC and Clang compile the C++ tests as well. Nothing is linked or run. zig has the system headers of
its targets. The headers of Python are those of the Python that runs this; for Windows, a
configuration of its own says what differs there.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nanobind

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "portability"
TARGETS = ("x86_64-linux-gnu.2.17", "aarch64-linux-gnu.2.17", "aarch64-macos", "x86_64-windows-gnu")
FLAGS = (
    "-std=c++20",
    "-fno-sanitize=undefined",
    "-Werror",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
)
CORE_FLAGS = ("-Wconversion", "-ffp-contract=off")
# What pyconfig.h of Python for Windows says, as far as the headers of Python ask for it.
WINDOWS = """
#pragma once
#include <basetsd.h>
#define MS_WIN64
#define MS_WIN32
#define MS_WINDOWS
#define NT_THREADS
#define HAVE_DECLSPEC_DLL
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 16
#define HAVE_PY_SSIZE_T 1
#define PY_SSIZE_T_MAX INT64_MAX
#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
typedef SSIZE_T Py_ssize_t;
"""


def clang() -> str:
    """Return the name of the newest Clang that is here; the core needs 16 or newer."""
    names = [f"clang++-{version}" for version in range(40, 15, -1)]
    return next(filter(shutil.which, names), "clang++")


def compilers(only: list[str]) -> dict[str, list[str]]:
    """Return the command of every compiler that is here, by the name to show."""
    found = {name: [name] for name in ("g++", clang()) if shutil.which(name)}
    for target in TARGETS:
        found[f"zig {target}"] = [sys.executable, "-m", "ziglang", "c++", "-target", target]
    return {name: found[name] for name in found if not only or any(word in name for word in only)}


def units(*, tests: bool) -> dict[str, list[Path]]:
    """Return the files of each folder, which are compiled together as in the build."""
    folders = sorted({path.parent for path in (ROOT / "cpp").glob("*/*.cpp")})
    names = [each for each in folders if each.name not in ("tests", "benchmarks")]
    found = {folder.name: sorted(folder.glob("*.cpp")) for folder in names}
    if tests:
        found |= {f"tests-{path.stem}": [path] for path in (ROOT / "cpp" / "tests").glob("*.cpp")}
    return found


def compile_unit(name: str, command: list[str], folder: str, files: list[Path]) -> bool:
    """Compile the files of a folder, print what is wrong, and return whether nothing is."""
    unit = WORK / name.replace(" ", "-") / f"{folder}.cpp"
    unit.parent.mkdir(exist_ok=True)
    unit.write_text("".join(f'#include "{path}"\n' for path in files))
    flags = [*FLAGS, "-I", str(ROOT), "-c", str(unit), "-o", str(unit.with_suffix(".o"))]
    if name.startswith("clang"):
        # `std::stable_sort` of libstdc++ 12 uses a function that is deprecated.
        flags.append("-Wno-deprecated-declarations")
    if "aarch64" not in name:
        flags.append("-mpopcnt")
    if folder == "bindings":
        python = str(WORK / "windows") if "windows" in name else sysconfig.get_path("include")
        # The stable ABI begins with Python 3.12.
        flags += ["-DPy_LIMITED_API=0x030C0000"] * (sys.version_info >= (3, 12))
        flags += ["-include", "cstdio", "-fvisibility=hidden"]
        flags += ["-isystem", nanobind.include_dir(), "-isystem", python]
    elif not folder.startswith("tests"):
        flags += CORE_FLAGS
    done = subprocess.run([*command, *flags], capture_output=True, text=True, check=False)
    print(done.stderr, end="", flush=True)
    return done.returncode == 0


def main() -> None:
    """Compile everything with every compiler."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="Parts of the names of compilers, e.g. windows.")
    shutil.copytree(sysconfig.get_path("include"), WORK / "windows", dirs_exist_ok=True)
    (WORK / "windows" / "pyconfig.h").write_text(WINDOWS)
    failed = []
    for name, command in compilers(parser.parse_args().only).items():
        since = time.monotonic()
        work = units(tests="zig" not in name)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiled = partial(compile_unit, name, command)
            parts = list(pool.map(compiled, work.keys(), work.values()))
        outcome = "ok" if all(parts) else "FAILED"
        print(f"{name:<32} {outcome:<8} {time.monotonic() - since:5.0f} s", flush=True)
        failed += [name] * (not all(parts))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
