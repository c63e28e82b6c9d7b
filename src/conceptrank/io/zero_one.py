"""Rows of 0 and 1, shared by SLF and RCF."""

from __future__ import annotations

import re

import numpy as np

from conceptrank.errors import FormatError
from conceptrank.io.tables import Rows, rows_from_marks
from conceptrank.io.text import shown

__all__ = ["rows_of_digits"]

_OTHER = re.compile(r"[^01 \t]\S*|[01]+[^01\s]\S*")


def rows_of_digits(lines: list[str], q: int, first: int, source: str | None) -> Rows:
    """Return rows of 0 and 1, with or without blanks between them.

    Parameters
    ----------
    lines
        One row per object.
    q
        How many attributes there are.
    first
        The number of the first line in the file.
    source
        The name of the file, for messages.

    Raises
    ------
    FormatError
        For anything else than 0 and 1, and for a row of another length.

    Examples
    --------
    >>> indptr, indices = rows_of_digits(["0 1 1", "100"], 3, 1, None)
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 3], [1, 2, 0])
    """
    rows = [line.replace(" ", "").replace("\t", "") for line in lines]
    for number, row in enumerate(rows, start=first):
        if len(row) != q or row.strip("01"):
            _refuse(lines[number - first], row, q, number, source)
    cells = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8)
    return rows_from_marks((cells == ord("1")).reshape(len(rows), q))


def _refuse(line: str, row: str, q: int, number: int, source: str | None) -> None:
    foreign = _OTHER.search(line)
    raise FormatError(
        f"{shown(foreign[0])} is not a mark"
        if foreign
        else f"row has {len(row)} marks, expected {q}",
        source=source,
        line=number,
        hint="a row consists of 1 for a cross and 0 for none, one for every attribute",
    )
