"""What a run must hold: the concepts and scores of the lattice, each once; what a worker may."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

import conceptrank as cr
from conceptrank.runs import Run


def rows_of(run: Run) -> pl.DataFrame:
    """All rows of a run in the order of a lattice, attribute numbers in the intents."""
    files = list(run.parts)
    assert sorted(files) == sorted(run.folder.glob("part-*.parquet"))
    frames = [pl.read_parquet(path) for path in files]
    return pl.concat(frames).sort("support", "intent", descending=[True, False])


def assert_holds(run: Run, lattice: cr.Lattice, measures: Sequence[str]) -> None:
    """The folder holds exactly the concepts and scores of the lattice, to the last bit."""
    assert run.complete
    assert not list(run.folder.glob(".part-*"))
    rows = rows_of(run)
    offsets, values = lattice.intents
    expected = np.split(values, offsets[1:-1]) if len(lattice) else []
    assert len(rows) == len(lattice)
    assert rows["support"].to_numpy().tolist() == lattice.supports.tolist()
    found = rows["intent"].explode(empty_as_null=False).to_numpy()
    assert rows["intent"].list.len().to_list() == [len(intent) for intent in expected]
    assert np.array_equal(found, values)
    for name in measures:
        assert np.array_equal(rows[name].to_numpy(), lattice.score(name), equal_nan=True), (
            f"{name} differs"
        )


def peak_bytes() -> int:
    """The most memory that this process has held.

    What the system says of children afterwards begins with the memory of their parent.
    """
    status = Path("/proc/self/status").read_text()
    (peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return 1024 * int(peak)
