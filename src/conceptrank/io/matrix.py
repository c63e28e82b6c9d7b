"""Plain matrices of 0 and 1 without any names, as data sets for itemset mining come.

One row an object, with blanks, tabs, commas or semicolons between the numbers. Objects and
attributes are named by their numbers, from 1.
"""

from __future__ import annotations

import re

import numpy as np

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit, Format, register
from conceptrank.io.tables import Growing, offsets
from conceptrank.io.text import Block, Data, blocks, line_at, shown

__all__ = ["FORMAT", "read", "sniff"]

_ROW = re.compile(rb"[01](?:[ \t]*[,; \t][ \t]*[01])*")
_BETWEEN = b" \t,;"


def sniff(head: bytes) -> Fit:
    r"""Say whether every line holds as many zeros and ones, at least three.

    Examples
    --------
    >>> [sniff(head).name for head in (b"0 1 1\n1 0 0\n", b"0,1,1\n1,0,0\n", b"0 1\n", b"1 2 3\n")]
    ['LIKELY', 'LIKELY', 'NO', 'NO']
    """
    text = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").strip(b" \t\n")
    widths = set()
    for line in text.split(b"\n"):
        if not _ROW.fullmatch(line.strip(b" \t")):
            return Fit.NO
        widths.add(len(line.translate(None, _BETWEEN)))
    return Fit.LIKELY if len(widths) == 1 and widths.pop() >= 3 else Fit.NO


def read(data: Data, *, source: str | None = None, skip: int = 0) -> Context:
    r"""Read a matrix of 0 and 1.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
    source
        Its name, for messages.
    skip
        How many columns on the left to leave out, such as a class.

    Raises
    ------
    FormatError
        For anything else than 0 and 1, and for a ragged row.

    Examples
    --------
    >>> context = read(b"0 1 1\n1 0 0\n")
    >>> context.objects, context.attributes, context.crosses
    (('1', '2'), ('1', '2', '3'), 3)
    >>> read(b"0 1 1\n1 0 0\n", skip=1).shape
    (2, 2)
    """
    if skip < 0:
        raise FormatError(f"skip={skip} is less than 0", source=source)
    lengths, indices = Growing(), Growing()
    width: int | None = None
    blank = 0
    n = 0
    for block in blocks(data, source):
        rows = block.data.removesuffix(b"\n").split(b"\n")
        for number, row in enumerate(rows):
            stripped = row.strip(b" \t")
            if not stripped:
                blank = blank or block.line + number
                continue
            if blank or not _ROW.fullmatch(stripped):
                _refuse(Block(blank or block.line + number, stripped), bool(blank), source)
            cells = stripped.translate(None, _BETWEEN)
            width = len(cells) if width is None else width
            if len(cells) != width:
                raise FormatError(
                    f"row has {len(cells)} numbers, expected {width}",
                    source=source,
                    line=block.line + number,
                    hint="one number for every attribute",
                )
            crosses = np.flatnonzero(np.frombuffer(cells, dtype=np.uint8)[skip:] == ord("1"))
            indices.extend(crosses)
            lengths.extend(np.array([len(crosses)]))
            n += 1
    if width is None or skip > width:
        raise FormatError(
            "the file is empty" if width is None else f"skip={skip}, but there are {width} columns",
            source=source,
            line=1,
        )
    return Context.from_csr(
        [str(g + 1) for g in range(n)],
        [str(m + 1) for m in range(width - skip)],
        offsets(lengths.array()),
        indices.array(),
    )


def _refuse(row: Block, blank: bool, source: str | None) -> None:  # noqa: FBT001
    word = re.sub(rb"^(?:[01][ \t,;]+)*", b"", row.data)
    found = word.split()[0].decode(errors="replace") if word.split() else ""
    raise FormatError(
        "an empty line inside the matrix"
        if blank
        else f"found {shown(found)} where only 0 and 1 belong",
        source=source,
        line=row.line + line_at(row.data, 0) - 1,
        hint="one row an object, 0 and 1 with blanks or commas between them",
    )


FORMAT = register(
    Format(
        name="matrix",
        suffixes=(),
        description="matrix of 0 and 1 without names",
        sniff=sniff,
        read=read,
        options=("skip",),
        streams=True,
    )
)
