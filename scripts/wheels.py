"""Build the source distribution and the Linux wheels, check them, and test the installed wheels.

zig is the compiler: the wheels run with an old glibc, and wheels for ARM need no ARM machine.
Everything is built from the unpacked source distribution. Wheels for this machine are installed
into empty environments on a PATH without a compiler.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "wheels"
DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
GLIBC = "2.17"
MACHINES = ("x86_64", "aarch64")
# The wheel of 3.12 serves every later version.
BUILT_WITH = ("3.11", "3.12")
MOST_BYTES = 3_000_000
MOST_SECONDS = 30
# These tests compare the package with files of the repository.
NEED_SOURCE = (
    *("unit/test_architecture.py", "unit/test_explorer_bundle.py", "unit/test_io_docs.py"),
    *("unit/test_layout.py", "unit/test_measures_catalogue.py", "browser", "fuzz", "soak"),
)


def run(*command: object, **options: object) -> None:
    """Run a command, and end the program with its output if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed: {' '.join(words)}")


def say(text: str, since: float) -> None:
    """Print what was done and how long it took."""
    print(f"{text:<64} {time.monotonic() - since:5.1f} s", flush=True)


def build_sdist() -> Path:
    """Build the source distribution, and return the folder that it unpacks to."""
    since = time.monotonic()
    run(BIN / "uv", "build", "--sdist", "--out-dir", DIST, ROOT)
    archive = next(DIST.glob("*.tar.gz"))
    with tarfile.open(archive) as file:
        file.extractall(WORK, filter="data")
    say(archive.name, since)
    return WORK / archive.name.removesuffix(".tar.gz")


def compiler(machine: str) -> Path:
    """Write a program that compiles for a machine, and return its path."""
    path = WORK / f"zig-{machine}"
    target = f"{machine}-linux-gnu.{GLIBC}"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang c++ -target {target} "$@"\n')
    path.chmod(0o755)
    return path


def build_wheel(source: Path, machine: str, python: str) -> None:
    """Build one wheel, and let auditwheel check it and add the name of the platform."""
    since = time.monotonic()
    built = WORK / "built" / f"{machine}-{python}"
    # The core is the same for every version of Python: its object files are compiled once.
    folder = WORK / machine
    (folder / "CMakeCache.txt").unlink(missing_ok=True)
    env = {**os.environ, "CXX": str(compiler(machine))}
    env.pop("CMAKE_CXX_COMPILER_LAUNCHER", None)
    if machine != platform.machine():
        env["_PYTHON_HOST_PLATFORM"] = f"linux-{machine}"
        suffix = f".cpython-{python.replace('.', '')}-{machine}-linux-gnu.so"
        env["SETUPTOOLS_EXT_SUFFIX"] = suffix
        env["CMAKE_ARGS"] = f"-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR={machine}"
    settings = (
        *(f"--config-setting=build-dir={folder}",),
        *("--config-setting=cmake.define.CONCEPTRANK_WERROR=ON",),
    )
    uv = BIN / "uv"
    run(uv, "build", "--wheel", "--python", python, "--out-dir", built, *settings, source, env=env)
    wheel = next(built.glob("*.whl"))
    path = f"{BIN}{os.pathsep}{env['PATH']}"
    platform_tag = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
    run(
        *(BIN / "auditwheel", "repair", "--plat", platform_tag, "--wheel-dir", DIST, wheel),
        env={**env, "PATH": path},
    )
    tag = "-".join(wheel.name.split("-")[2:4])
    final = next(DIST.glob(f"*-{tag}-*{machine}*.whl"))
    size = final.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{final.name} has {size:,} bytes, more than {MOST_BYTES:,}")
    say(f"{final.name}, {size / 1e6:.2f} MB", since)


def wheel_for(python: Path) -> Path:
    """Return the wheel of this machine that a Python takes."""
    code = "import sys; print(*sys.version_info[:2])"
    version = subprocess.check_output([python, "-c", code], text=True).split()
    tag = "cp311-cp311" if version == ["3", "11"] else "cp312-abi3"
    return next(DIST.glob(f"*-{tag}-*{platform.machine()}*.whl"))


def environment(python: str) -> Path | None:
    """Return a new, empty environment with a Python, or None if that Python can't be had."""
    folder = WORK / "environments" / Path(python).name
    made = subprocess.run(
        [BIN / "uv", "venv", "--quiet", "--clear", "--python", python, folder],
        check=False,
        stderr=subprocess.PIPE,
        text=True,
    )
    if made.returncode:
        print(f"Python {python}: NOT TESTED, it is not here and can't be downloaded", flush=True)
        return None
    return folder / "bin"


def try_wheel(python: str, arguments: list[str]) -> bool:
    """Install a wheel without a compiler, get a first answer, and run the tests; return if done."""
    bin_folder = environment(python)
    if bin_folder is None:
        return False
    wheel = wheel_for(bin_folder / "python")
    env = {key: os.environ[key] for key in ("HOME", "CONCEPTRANK_DATA") if key in os.environ}
    env |= {"PATH": str(bin_folder), "VIRTUAL_ENV": str(bin_folder.parent), "LANG": "C.UTF-8"}
    for name in ("c++", "cc", "gcc", "g++", "clang", "cl"):
        if shutil.which(name, path=env["PATH"]):
            sys.exit(f"{bin_folder} has the compiler {name}")
    install = (BIN / "uv", "pip", "install", "--quiet", "--only-binary", ":all:")
    table = WORK / "animals.csv"
    table.write_text("animal,flies,swims\nduck,X,X\nbat,X,\ncarp,,X\n")
    since = time.monotonic()
    run(*install, wheel, env=env)
    run(bin_folder / "conceptrank", "rank", table, env=env, cwd=WORK)
    seconds = time.monotonic() - since
    say(f"Python {python}: install and first answer", since)
    if seconds > MOST_SECONDS:
        print(f"  slower than {MOST_SECONDS} s")
    timing = "import time; t = time.perf_counter(); import conceptrank; conceptrank.Context; "
    timing += "print(time.perf_counter() - t)"
    each = [
        float(subprocess.check_output([bin_folder / "python", "-c", timing], env=env, cwd=WORK))
        for _ in range(5)
    ]
    print(f"  import with the core: {min(each):.2f} s")
    copy = WORK / "tests"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    since = time.monotonic()
    run(*install, f"{wheel}[test]", env=env)
    say(f"Python {python}: install what tests need", since)
    since = time.monotonic()
    ignored = [f"--ignore=tests/{path}" for path in NEED_SOURCE]
    tests = (bin_folder / "python", "-m", "pytest", "--quiet", *ignored, *arguments)
    if subprocess.run(tests, check=False, env=env, cwd=copy).returncode:
        sys.exit(f"Python {python}: tests failed")
    say(f"Python {python}: tests from the installed wheel", since)
    return True


def main() -> None:
    """Build, check, install and test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", nargs="+", default=["3.11", "3.12", "3.13", "3.14"])
    parser.add_argument("--machine", nargs="+", default=MACHINES, choices=MACHINES)
    parser.add_argument("--no-build", action="store_true", help="Test what is in dist.")
    parser.add_argument("--no-test", action="store_true", help="Build only.")
    parser.add_argument("pytest", nargs="*", help="Arguments for pytest, after --.")
    options = parser.parse_args()
    if not options.no_build:
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.rmtree(WORK / "built", ignore_errors=True)
        WORK.mkdir(parents=True, exist_ok=True)
        source = build_sdist()
        for machine in options.machine:
            for python in BUILT_WITH:
                build_wheel(source, machine, python)
        run(BIN / "twine", "check", "--strict", *DIST.glob("conceptrank-*"))
        print("twine and auditwheel: passed")
    if not options.no_test:
        tested = [python for python in options.python if try_wheel(python, options.pytest)]
        print(f"tested: {', '.join(tested) or 'nothing'}")


if __name__ == "__main__":
    main()
