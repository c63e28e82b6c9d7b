"""Plain matrices of 0 and 1 without names, a common form of data sets for itemset mining.

One row per object, with blanks, tabs, commas or semicolons between the numbers. Objects and
attributes are named by their numbers, from 1.
"""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np

from conceptrank._util.lists import offsets_of
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import Growing
from conceptrank.io.text import Block, Data, blocks, shown

_ROW = re.compile(rb"[01](?:(?:[ \t]*+[,;][ \t]*+|[ \t]++)[01])*+")
_BETWEEN = b" \t,;"
_HINT = "one row per object, 0 and 1 with blanks or commas between them"


def sniff(head: bytes) -> Fit:
    r"""Return whether all lines have the same number of zeros and ones, at least three.

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


def read(data: Data, *, skip: int = 0) -> Context:
    r"""Read a matrix of 0 and 1.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
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
        raise FormatError(f"skip={skip} is less than 0", hint=_HINT)
    lengths, indices = Growing(), Growing()
    width: int | None = None
    n = 0
    blank: Block | None = None
    for block in blocks(data):
        cells = []
        for line, row in enumerate(block.data.removesuffix(b"\n").split(b"\n"), start=block.line):
            stripped = row.strip(b" \t")
            if not stripped:
                blank = blank or Block(line, b"")
                continue
            if blank or not _ROW.fullmatch(stripped):
                _refuse(blank or Block(line, stripped))
            cells.append(stripped.translate(None, _BETWEEN))
            width = len(cells[0]) if width is None else width
            if len(cells[-1]) != width:
                raise FormatError(
                    f"row has {len(cells[-1])} numbers, expected {width}",
                    line=line,
                    hint="one number for every attribute",
                )
        if cells and width is not None:
            together = np.frombuffer(b"".join(cells), dtype=np.uint8).reshape(len(cells), width)
            rows, columns = np.nonzero(together[:, skip:] == ord("1"))
            lengths.extend(np.bincount(rows, minlength=len(cells)))
            indices.extend(columns)
            n += len(cells)
    if width is None or skip > width:
        raise FormatError(
            "the file is empty" if width is None else f"skip={skip}, but there are {width} columns",
            line=1,
            hint=_HINT,
        )
    return Context.from_csr(
        range(1, n + 1),
        range(1, width - skip + 1),
        offsets_of(lengths.array()),
        indices.array(),
    )


def _refuse(row: Block) -> NoReturn:
    words = (match[0] for match in re.finditer(rb"[^ \t,;]++", row.data))
    wrong = next((word for word in words if word not in (b"0", b"1")), b"")
    raise FormatError(
        f"found {shown(wrong[:100].decode(errors='replace'))} where only 0 and 1 belong"
        if wrong
        else f"found {'two separators in a row' if row.data else 'an empty line'} in the matrix",
        line=row.line,
        hint=_HINT,
    )


FORMAT = Format(
    name="matrix",
    suffixes=(),
    description="matrix of 0 and 1 without names",
    sniff=sniff,
    read=read,
    streams=True,
)
