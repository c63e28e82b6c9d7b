"""Where the real data files are, for the tests that read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def data_path(name: str) -> Path:
    """The path of a data file; the test is skipped on a machine that doesn't have it.

    The files are looked for in the directory that $CONCEPTRANK_DATA names, and else in
    `shared/data` next to the repository.
    """
    directory = Path(os.environ.get("CONCEPTRANK_DATA") or ROOT.parent / "shared" / "data")
    path = directory / name
    if not path.exists():
        pytest.skip(f"no {name} in {directory} (set CONCEPTRANK_DATA to the data directory)")
    return path
