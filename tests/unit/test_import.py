"""Importing the package is silent and leaves the large libraries alone."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import conceptrank
from conceptrank import Context, Lattice, Ranking, datasets, io, load, measures
import conceptrank.cli
heavy = {"polars", "pandas", "scipy", "networkx", "matplotlib", "importlib.metadata"}
print(*heavy & sys.modules.keys(), end="")
"""


def test_import_is_silent_and_light() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_version() -> None:
    import conceptrank

    assert conceptrank.__version__.count(".") >= 2
    assert all(hasattr(conceptrank, name) for name in conceptrank.__all__)
