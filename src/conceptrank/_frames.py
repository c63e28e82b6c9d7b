"""Lists of numbers and names as columns of polars frames, all rows at once."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from conceptrank._lists import Lists, Numbers, offsets_of


def list_column(lists: Lists, labels: Sequence[str] | None = None) -> pl.Series:
    """Return lists as a column, of numbers or of the names that the numbers stand for.

    Examples
    --------
    >>> lists = np.array([0, 2, 2, 3]), np.array([0, 2, 1], dtype=np.uint32)
    >>> list_column(lists).to_list(), list_column(lists, ["a", "b", "c"]).to_list()
    ([[0, 2], [], [1]], [['a', 'c'], [], ['b']])
    """
    offsets, values = lists
    lengths = np.diff(offsets)
    elements = pl.Series(values, dtype=pl.UInt32)
    if labels is not None:
        elements = pl.Series(labels, dtype=pl.String).gather(elements)
    rows = pl.Series(np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)).set_sorted()
    filled = (
        pl.DataFrame({"row": rows, "elements": elements})
        .group_by("row", maintain_order=True)
        .agg("elements")
        .get_column("elements")
    )
    if len(filled) == len(lengths):
        return filled
    # Empty lists form no group: they are taken from one more list at the end.
    places = np.where(lengths > 0, np.cumsum(lengths > 0) - 1, len(filled))
    empty = pl.Series([[]], dtype=pl.List(elements.dtype))
    return filled.append(empty).gather(places)


def lists_of(column: pl.Series) -> Lists:
    """Return a column of lists of numbers as lists.

    Examples
    --------
    >>> offsets, values = lists_of(pl.Series([[3], [], [1, 2]], dtype=pl.List(pl.UInt32)))
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 1, 3], [3, 1, 2])
    """
    lengths = column.list.len()
    values: Numbers = column.filter(lengths > 0).explode().to_numpy()
    return offsets_of(lengths.to_numpy()), np.ascontiguousarray(values, dtype=np.uint32)


def write(path: str | os.PathLike[str], write_to: Callable[[io.BytesIO], object]) -> None:
    """Write a file as a whole or not at all."""
    buffer = io.BytesIO()
    write_to(buffer)
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        partial.write_bytes(buffer.getbuffer())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
