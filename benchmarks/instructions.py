"""Count the instructions of five fixed jobs of the core, to find regressions without a clock.

`callgrind` counts. The reference counts are in instructions.json. They depend on the compiler and
on the kernel, so both are stored with them. Counts of another compiler are shown but not compared.

    python benchmarks/instructions.py BUILD_DIRECTORY [--update]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KEPT = Path(__file__).with_name("instructions.json")
KERNEL = "avx2"  # valgrind does not support AVX-512
# A larger excess over the reference counts is a regression.
TOLERANCE = 0.03


def compiler_of(build: Path) -> str:
    files = list(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"))
    found = dict(re.findall(r'set\((CMAKE_CXX_COMPILER_\w+) "([^"]*)"\)', files[0].read_text()))
    return f"{found['CMAKE_CXX_COMPILER_ID']} {found['CMAKE_CXX_COMPILER_VERSION']}"


def count(driver: Path, job: str) -> tuple[int, int]:
    """Return the number of instructions of a job, and the number of its results."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        command += ["--toggle-collect=run_job", str(driver), job]
        environment = os.environ | {"CONCEPTRANK_KERNEL": KERNEL}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        totals = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)
        assert totals
        return int(totals[1]), int(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the folder in which CMake built `instructions`")
    parser.add_argument("--update", action="store_true", help="store these counts as the reference")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed\nhint: install it, e.g. `apt install valgrind`")
    driver = options.build / "instructions"
    jobs = subprocess.check_output([driver], text=True).splitlines()
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {"jobs": {}}
    compiler = compiler_of(options.build)
    comparable = options.update or compiler == kept.get("compiler")
    found: dict[str, dict[str, int]] = {}
    worse = []
    print(f"{compiler}, kernel {KERNEL}")
    for job in jobs:
        instructions, results = count(driver, job)
        found[job] = {"instructions": instructions, "found": results}
        before = kept["jobs"].get(job)
        ratio = instructions / before["instructions"] if before else float("nan")
        print(f"{job:34}{instructions:15,}{ratio:8.3f} of the reference", flush=True)
        if before and before["found"] != results:
            worse.append(f"{job}: finds {results:,}, not {before['found']:,}")
        elif before and comparable and ratio > 1 + TOLERANCE:
            worse.append(f"{job}: {ratio:.3f} of the reference count")
    if options.update:
        kept = {"compiler": compiler, "kernel": KERNEL, "jobs": found}
        KEPT.write_text(json.dumps(kept, indent=2) + "\n")
        return 0
    if not comparable:
        print(f"not compared: the reference was compiled by {kept.get('compiler', 'no compiler')}")
    print("\n".join(worse), file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
