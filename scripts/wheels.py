"""Build the source distribution and the Linux wheels, check them, and test the installed wheels.

zig is the compiler: the wheels run with an old glibc, and wheels for ARM need no ARM machine.
Everything is built from the unpacked source distribution. Wheels for this machine are installed
into empty environments on a PATH without a compiler, and the tests run there from a copy: those
that read other files of the repository are skipped. The newest Python runs every test. The others
run those of tests/unit and tests/cli, or every test with --all.
"""

import argparse
import os
import platform
import re
import resource
import shlex
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
MOST_IMPORT_SECONDS = 0.3
COMPILERS = re.compile(r"(.*-)?(cc|c\+\+|cpp|gcc|g\+\+|clang|clang\+\+|c[89]9|zig|tcc)(-[\d.]+)?")
QUICK_TESTS = ("tests/unit", "tests/cli")
TABLE = "animal,flies,swims\nduck,X,X\nbat,X,\ncarp,,X\n"


def run(*command: object, **options: object) -> None:
    """Run a command, and end the program with its output if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed: {' '.join(words)}")


def now() -> tuple[float, float]:
    """Return the time, and the processor time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic(), used.ru_utime + used.ru_stime


def say(text: str, since: tuple[float, float]) -> None:
    """Print what was done, how long it took, and how much processor time of it."""
    seconds, cpu = (end - start for start, end in zip(since, now(), strict=True))
    print(f"{text:<72} {seconds:6.1f} s  cpu {cpu:6.1f} s", flush=True)


def find_python(python: str) -> str:
    """Return the path of a version of Python that is here, else the version for uv to download."""
    command = (BIN / "uv", "python", "find", "--no-project", "--no-python-downloads", python)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout.strip()
    folder = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    return str(next(folder.glob(f"{python}.*/bin/python"), python))


def build_sdist() -> Path:
    """Build the source distribution, and return the folder that it unpacks to."""
    since = now()
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
    since = now()
    built = WORK / "built" / f"{machine}-{python}"
    # The core is the same for every version of Python: its object files are compiled once.
    folder = WORK / machine
    for name in ("CMakeCache.txt", ".skbuild-info.json"):
        (folder / name).unlink(missing_ok=True)
    env = {**os.environ, "CXX": str(compiler(machine))}
    env.pop("CMAKE_CXX_COMPILER_LAUNCHER", None)
    if machine != platform.machine():
        env["_PYTHON_HOST_PLATFORM"] = f"linux-{machine}"
        suffix = f".cpython-{python.replace('.', '')}-{machine}-linux-gnu.so"
        env["SETUPTOOLS_EXT_SUFFIX"] = suffix
        env["CMAKE_ARGS"] = f"-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR={machine}"
    options = (
        *(f"--config-setting=build-dir={folder}",),
        *("--config-setting=cmake.define.CONCEPTRANK_WERROR=ON",),
    )
    uv = BIN / "uv"
    run(
        uv,
        "build",
        "--wheel",
        "--python",
        find_python(python),
        "--out-dir",
        built,
        *options,
        source,
        env=env,
    )
    wheel = next(built.glob("*.whl"))
    path = f"{BIN}{os.pathsep}{env['PATH']}"
    # auditwheel finds the oldest platform itself; it takes no name of another machine's.
    run(
        *(BIN / "auditwheel", "repair", "--plat", "auto", "--wheel-dir", DIST, wheel),
        env={**env, "PATH": path},
    )
    tag = "-".join(wheel.name.split("-")[2:4])
    final = next(DIST.glob(f"*-{tag}-*{machine}*.whl"))
    if f"manylinux_{GLIBC.replace('.', '_')}_{machine}" not in final.name:
        sys.exit(f"{final.name} needs a newer glibc than {GLIBC}")
    size = final.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{final.name} has {size:,} bytes, more than {MOST_BYTES:,}")
    say(f"{final.name}, {size / 1e6:.2f} MB", since)


def version_of(python: Path) -> tuple[int, int]:
    """Return the version of a Python."""
    code = "import sys; print(*sys.version_info[:2])"
    major, minor = subprocess.check_output([python, "-c", code], text=True).split()
    return int(major), int(minor)


def wheel_for(version: tuple[int, int], machine: str) -> Path:
    """Return the wheel of a machine that a Python takes."""
    tag = "cp311-cp311" if version == (3, 11) else "cp312-abi3"
    return next(DIST.glob(f"*-{tag}-*{machine}*.whl"))


def environment(python: str) -> Path | None:
    """Return a new, empty environment with a Python, or None if that Python can't be had."""
    folder = WORK / "environments" / Path(python).name
    command = (BIN / "uv", "venv", "--quiet", "--clear", "--python", find_python(python), folder)
    if subprocess.run(command, check=False, capture_output=True).returncode:
        print(f"Python {python}: NOT TESTED, it is not here and can't be downloaded", flush=True)
        return None
    return folder / "bin"


def programs() -> Path:
    """Return a folder with links to the programs of this machine except the compilers."""
    folder = WORK / "programs"
    folder.mkdir(exist_ok=True)
    for name in ("/usr/bin", "/bin"):
        for path in Path(name).iterdir():
            link = folder / path.name
            # A compiler may be a link to a wrapper, such as ccache, or have a link of another name.
            names = (path.name, path.resolve().name)
            if not link.is_symlink() and not any(map(COMPILERS.fullmatch, names)):
                link.symlink_to(path)
    return folder


def settings(bin_folder: Path) -> dict[str, str]:
    """Return the settings of programs that run in an environment without a compiler."""
    kept = ("HOME", "CONCEPTRANK_DATA", "UV_", "SSL_", "HTTP_", "HTTPS_", "NO_PROXY")
    env = {key: value for key, value in os.environ.items() if key.startswith(kept)}
    env.setdefault("CONCEPTRANK_DATA", str(ROOT.parent / "shared" / "data"))
    path = f"{bin_folder}{os.pathsep}{programs()}"
    for name in ("c++", "cc", "gcc", "g++", "clang", "clang++"):
        if found := shutil.which(name, path=path):
            sys.exit(f"there is a compiler on the PATH: {found}")
    return env | {"PATH": path, "VIRTUAL_ENV": str(bin_folder.parent), "LANG": "C.UTF-8"}


def try_wheel(bin_folder: Path, arguments: list[str]) -> None:
    """Install a wheel without a compiler, get a first answer, and run the tests."""
    version = version_of(bin_folder / "python")
    name = ".".join(map(str, version))
    wheel = wheel_for(version, platform.machine())
    env = settings(bin_folder)
    install = (BIN / "uv", "pip", "install", "--quiet", "--only-binary", ":all:")
    table = WORK / "animals.csv"
    table.write_text(TABLE)
    since = now()
    run(*install, wheel, env=env)
    run(bin_folder / "conceptrank", "rank", table, env=env, cwd=WORK)
    say(f"Python {name}: install and first answer", since)
    if now()[0] - since[0] > MOST_SECONDS:
        print(f"  SLOWER than {MOST_SECONDS} s: is the machine busy, or the network slow?")
    code = "import time; start = time.perf_counter(), time.process_time(); import conceptrank; "
    code += "conceptrank.Context; "
    code += "print(time.perf_counter() - start[0], time.process_time() - start[1])"
    command = [bin_folder / "python", "-c", code]
    answers = [subprocess.check_output(command, env=env, cwd=WORK) for _ in range(5)]
    seconds, cpu = (min(map(float, each)) for each in zip(*map(bytes.split, answers), strict=True))
    print(f"  import with the core: {seconds:.2f} s, cpu {cpu:.2f} s", flush=True)
    if cpu > MOST_IMPORT_SECONDS:
        sys.exit(f"an import takes more than {MOST_IMPORT_SECONDS} s")
    copy = WORK / f"tests-{name}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    since = now()
    run(*install, f"{wheel}[test]", env=env)
    say(f"Python {name}: install what tests need", since)
    since = now()
    tests = (bin_folder / "python", "-m", "pytest", "--quiet", *arguments)
    if subprocess.run(tests, check=False, env=env, cwd=copy).returncode:
        sys.exit(f"Python {name}: tests failed")
    say(f"Python {name}: tests from the installed wheel", since)


def try_emulated(command: list[str]) -> None:
    """Install the ARM wheel for an emulated Python, and compare its answer with this machine's."""
    since = now()
    code = "import sys, platform; print(*sys.version_info[:2], platform.machine())"
    *version, machine = subprocess.check_output([*command, "-c", code], text=True).split()
    wheel = wheel_for((int(version[0]), int(version[1])), machine)
    packages = WORK / "emulated"
    shutil.rmtree(packages, ignore_errors=True)
    run(
        *(BIN / "uv", "pip", "install", "--quiet", "--only-binary", ":all:", "--target", packages),
        *("--python-platform", f"{machine}-manylinux_2_28"),
        *("--python-version", ".".join(version), wheel),
    )
    rank = ("rank", "movies", "--also", "stability,delta_measure,lift", "--format", "csv")
    env = {**os.environ, "PYTHONPATH": str(packages)}
    found = subprocess.check_output([*command, "-m", "conceptrank", *rank], env=env, cwd=WORK)
    here = wheel_for(version_of(Path(sys.executable)), platform.machine())
    tool = (BIN / "uv", "tool", "run", "--quiet", "--python", sys.executable, "--from", here)
    if found != subprocess.check_output([*tool, "conceptrank", *rank], cwd=WORK):
        sys.exit(f"{machine} gives another ranking than {platform.machine()}")
    say(f"{wheel.name} under an emulator: the same ranking", since)


def main() -> None:
    """Build, check, install and test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", nargs="+", default=["3.11", "3.12", "3.13", "3.14"])
    parser.add_argument("--machine", nargs="+", default=MACHINES, choices=MACHINES)
    parser.add_argument("--no-build", action="store_true", help="Test what is in dist.")
    parser.add_argument("--no-test", action="store_true", help="Build only.")
    parser.add_argument("--all", action="store_true", help="Run every test on every Python.")
    parser.add_argument("--emulated", help="A command that runs a Python of another machine.")
    parser.add_argument("pytest", nargs="*", help="Arguments for pytest, after --.")
    options = parser.parse_args()
    if not options.no_build:
        # Files of a source distribution all have one date, so that changes would not be noticed.
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        source = build_sdist()
        for machine in options.machine:
            for python in BUILT_WITH:
                build_wheel(source, machine, python)
        run(BIN / "twine", "check", "--strict", *DIST.glob("conceptrank-*"))
        print("twine and auditwheel: passed")
    if options.emulated:
        try_emulated(shlex.split(options.emulated))
    if not options.no_test:
        made = {python: environment(python) for python in options.python}
        found = {python: folder for python, folder in made.items() if folder is not None}
        newest = max(found, key=lambda python: version_of(found[python] / "python"), default=None)
        for python, folder in found.items():
            chosen = () if options.all or python == newest else QUICK_TESTS
            try_wheel(folder, [*options.pytest, *chosen])
        print(f"tested: {', '.join(found) or 'nothing'}")


if __name__ == "__main__":
    main()
