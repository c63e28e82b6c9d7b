"""Cross-tables between bars: Markdown, and the tables that the package `concepts` prints."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from conceptrank._util.lists import from_marks
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.marks import MARKS
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import decode, refuse_repeats, shown, text_head
from conceptrank.io.writing import refuse_names

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?(\s*:?-+:?\s*\|)+")
_HINT = "a table between bars has X or nothing in every cell; raw values need a CSV file"


def sniff(head: bytes) -> Fit:
    r"""Return whether lines are cells between bars, and begin or end with one.

    Examples
    --------
    >>> heads = b"| |a|b|\n|-|-|-|\n|cat|X| |\n", b"   |a|\ncat|X|\n", b"a|b\nc|d\n"
    >>> [sniff(head).name for head in heads]
    ['CERTAIN', 'LIKELY', 'NO']
    """
    lines = [line.rstrip() for line in text_head(head).split("\n") if line.strip()]
    if len(lines) < 2 or not all(line.endswith("|") for line in lines[:-1]):
        return Fit.NO
    return Fit.CERTAIN if _RULE.fullmatch(lines[1]) and lines[0].startswith("|") else Fit.LIKELY


def read(data: bytes) -> Context:
    r"""Read a cross-table between bars.

    Raises
    ------
    FormatError
        For a row of another length, a cell that is no mark, or a repeated name.

    Examples
    --------
    >>> context = read(b"       |purrs|flies|\ncat    |  X  |     |\ncanary |     |  X  |\n")
    >>> context.objects, context.attributes, context.crosses
    (('cat', 'canary'), ('purrs', 'flies'), 2)
    """
    numbered = enumerate(decode(data).split("\n"), start=1)
    lines = [(number, line.rstrip()) for number, line in numbered if line.strip()]
    if not lines:
        raise FormatError("the file is empty", line=1, hint=_HINT)
    barred = all(line.startswith("|") for _, line in lines)
    if len(lines) > 1 and _RULE.fullmatch(lines[1][1]):
        del lines[1]
    (top, header), *body = [(number, _cells(line[barred:])) for number, line in lines]
    marks = []
    for number, cells in body:
        if len(cells) != max(len(header), 1):
            reason = f"row has {len(cells)} cells, expected {len(header)}"
            raise FormatError(reason, line=number, hint=_HINT)
        wrong = next((cell for cell in cells[1:] if cell.lower() not in MARKS), None)
        if wrong is not None:
            raise FormatError(f"{shown(wrong)} is not a mark", line=number, hint=_HINT)
        marks.append([bool(MARKS[cell.lower()]) for cell in cells[1:]])
    objects, attributes = [cells[0] for _, cells in body], header[1:]
    refuse_repeats(attributes, [top] * len(attributes), "attribute")
    refuse_repeats(objects, [number for number, _ in body], "object")
    matrix = np.array(marks, dtype=np.bool_).reshape(len(objects), len(attributes))
    return Context.from_csr(objects, attributes, *from_marks(matrix))


def write(context: Context) -> bytes:
    r"""Return a context as a Markdown table.

    Raises
    ------
    FormatError
        If a name has a line break or blanks around it.

    Examples
    --------
    >>> print(write(Context(["cat"], ["purrs", "flies"], [[True, False]])).decode(), end="")
    |     | purrs | flies |
    |-----|-------|-------|
    | cat | X     |       |
    """
    refuse_names(context, r"\n|\A\s|\s\Z|\\\Z")
    rows = _grid(context.objects, context.attributes, context)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    lines = []
    for place, row in enumerate(rows):
        fill = "-" if place == 1 else " "
        cells = [
            f"{fill}{cell.ljust(width)}{fill}" for cell, width in zip(row, widths, strict=True)
        ]
        lines.append(f"|{'|'.join(cells)}|\n")
    return "".join(lines).encode()


def printed(context: Context, *, rows: int = 60, columns: int = 30) -> str:
    """Return the beginning of a context as the package `concepts` prints cross-tables.

    Examples
    --------
    >>> print(printed(Context(["cat", "canary"], ["purrs", "flies"], [[1, 0], [0, 1]])))
          |purrs|flies|
    cat   |  X  |     |
    canary|     |  X  |
    """
    part = context.select(objects=context.objects[:rows], attributes=context.attributes[:columns])
    grid = _grid(part.objects, part.attributes, part)
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = []
    for place, (name, *cells) in enumerate(grid):
        sized = zip(cells, widths[1:], strict=True)
        padded = [cell.center(width) if place else cell.ljust(width) for cell, width in sized]
        lines.append("|".join([name.ljust(widths[0]), *padded, ""]))
    rest = (
        (len(context.objects) - rows, "objects"),
        (len(context.attributes) - columns, "attributes"),
    )
    more = [f"{count:,} more {what}" for count, what in rest if count > 0]
    return "\n".join([*lines, *([f"… and {' and '.join(more)}"] if more else [])])


def _grid(objects: Sequence[str], attributes: Sequence[str], context: Context) -> list[list[str]]:
    names = [[name.replace("|", r"\|") for name in side] for side in (objects, attributes)]
    marks = context.to_numpy().tolist()
    rows = zip(names[0], marks, strict=True)
    return [
        ["", *names[1]],
        *([name, *("X" if mark else "" for mark in row)] for name, row in rows),
    ]


def _cells(line: str) -> list[str]:
    cells = [cell.strip().replace(r"\|", "|") for cell in _BAR.split(line)]
    return cells[:-1] if not cells[-1] else cells


FORMAT = Format(
    name="markdown",
    suffixes=(".md",),
    description="cross-table between bars, as in Markdown",
    sniff=sniff,
    read=read,
    write=write,
)
