"""Importing the package is silent and leaves the large libraries alone."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import conceptrank
from conceptrank import Context, Lattice, Ranking, datasets, io, measures
import conceptrank.cli
heavy = {"polars", "pandas", "scipy", "networkx", "matplotlib", "importlib.metadata"}
heavy |= {"conceptrank.rules", "conceptrank.summary", "conceptrank.scaling"}
print(*heavy & sys.modules.keys(), end="")
"""


def test_import_is_silent_and_light() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


# The standard library chooses other modules on Windows, so it is imported before.
WINDOWS = """
import asyncio, getpass, importlib, multiprocessing.shared_memory, pkgutil, sys, tempfile
import matplotlib.pyplot, polars, uvicorn
for name in ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
import conceptrank
for module in pkgutil.walk_packages(conceptrank.__path__, "conceptrank."):
    if module.name != "conceptrank.__main__":
        importlib.import_module(module.name)
print(conceptrank.rank(b"food,sweet\\ncherry,X\\n").top(1).to_polars().height)
"""


def test_every_module_can_be_imported_without_posix() -> None:
    run = subprocess.run(
        [sys.executable, "-c", WINDOWS], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "1\n", "")


def test_version() -> None:
    import conceptrank

    assert conceptrank.__version__.count(".") >= 2
    assert all(hasattr(conceptrank, name) for name in conceptrank.__all__)
