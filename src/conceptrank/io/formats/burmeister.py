"""The Burmeister format, `.cxt` and `.ctx`.

A `B`, a line for the context's name, the number of objects, the number of attributes, an empty
line, the names one per line, then one row per object of `X` and `.`. Writers differ: some leave out
line 2, some line 5, some put text there. Names may be empty, so nothing here looks for blank
lines: the counts determine the line of every part, and a file is read only if one layout fits.
The anonymous variant has `A`, the two counts, and the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit, Format
from conceptrank.io.sections import Lines, rows_of_marks
from conceptrank.io.text import BLANKS, notice, refuse_repeats, shown, text_head
from conceptrank.io.writing import mark_slices, refuse_names

_COUNT = re.compile(r"[ \t]*[0-9]{1,18}[ \t]*")
# The most attributes without rows, so that a header alone can't fill the memory.
_MOST_UNSEEN = 1_000_000
_ROW = re.compile(r"[Xx.]*")


@dataclass(frozen=True)
class _Layout:
    """The line numbers of the parts of a file, according to its header, counted from 0."""

    n: int
    q: int
    counts: int
    """The line with the number of objects; that of attributes follows."""
    body: int
    """The line of the first name, or of the first row if there are no names."""
    named: bool

    @property
    def attributes(self) -> int:
        return self.body + (self.n if self.named else 0)

    @property
    def rows(self) -> int:
        return self.attributes + (self.q if self.named else 0)

    @property
    def end(self) -> int:
        return self.rows + self.n


def sniff(head: bytes) -> Fit:
    r"""Return whether the first line is `B` or `A` alone, and a count follows.

    Examples
    --------
    >>> sniff(b"B\r\n\r\n2\r\n").name, sniff(b"B\nan item\nC\n").name, sniff(b"B,a,b\n").name
    ('CERTAIN', 'POSSIBLE', 'NO')
    """
    lines = text_head(head[:4096]).split("\n", 3)
    if lines[0].rstrip(BLANKS) not in ("B", "A"):
        return Fit.NO
    return Fit.CERTAIN if any(map(_COUNT.fullmatch, lines[1:3])) else Fit.POSSIBLE


def read(data: bytes, *, source: str | None = None) -> Context:
    r"""Read a context in Burmeister format. The name of the context is left out with a warning.

    Raises
    ------
    FormatError
        If the content is damaged.

    Notes
    -----
    Blanks at the end of a line are no part of a name.

    Examples
    --------
    >>> context = read(b"B\npets\n2\n1\n\ncat\ncanary\nflies\n.\nX\n")
    >>> context.objects, context.attributes, context.crosses
    (('cat', 'canary'), ('flies',), 1)
    >>> read(b"A\n2\n3\nX..\nXX.\n").attributes
    ('1', '2', '3')
    """
    begins = "a line B (or A if it has no names)"
    lines = Lines(data, begins).all
    if lines[0] not in ("B", "A"):
        hint = f"a Burmeister file begins with {begins}"
        raise FormatError(f"found {shown(lines[0])}, expected B", line=1, hint=hint)
    layouts = _possible_layouts(lines)
    fitting = [layout for layout in layouts if _fits(lines, layout)]
    if len({(layout.n, layout.q, layout.body) for layout in fitting}) > 1:
        raise FormatError(
            "the lines fit two readings of the header", line=2, hint="leave line 2 and line 5 empty"
        )
    if not fitting:
        _explain(lines, layouts)
    if fitting[0].counts == 2 and lines[1]:
        notice(f"the name of the context, {shown(lines[1])}, is left out", source)
    return _context(lines, fitting[0])


def write(context: Context) -> bytes:
    r"""Return a context in Burmeister format.

    Raises
    ------
    FormatError
        If a name has a line break or ends with a blank: the format can't hold it.

    Examples
    --------
    >>> write(Context(["cat"], ["flies", "purrs"], [[False, True]]))
    b'B\n\n1\n2\n\ncat\nflies\npurrs\n.X\n'
    """
    refuse_names(context, r"\n|[ \t]\Z")
    n, q = context.shape
    head = "\n".join(["B", "", str(n), str(q), "", *context.objects, *context.attributes, ""])
    parts = [head.encode()]
    for marks in mark_slices(context):
        rows = np.full((len(marks), q + 1), ord("\n"), dtype=np.uint8)
        rows[:, :q] = np.where(marks, np.uint8(ord("X")), np.uint8(ord(".")))
        parts.append(rows.tobytes())
    return b"".join(parts)


def _possible_layouts(lines: list[str]) -> list[_Layout]:
    """Return the ways to place names and rows that the header allows, the usual one first."""
    named = lines[0] == "B"
    layouts = []
    for counts in (2, 1):
        if len(lines) < counts + 2 or not all(
            _COUNT.fullmatch(line) for line in lines[counts : counts + 2]
        ):
            continue
        n, q = int(lines[counts]), int(lines[counts + 1])
        after = counts + 2
        fifth = lines[after] if after < len(lines) else ""
        # An empty line 5 is never the first name. Otherwise a lost name would shift all others.
        bodies = [after + 1] if fifth == "" else [after, after + 1]
        if (fifth and not named) or (_is_degenerate(n, q) and (fifth or not named)):
            bodies = [after]
        layouts += [_Layout(n, q, counts, body, named) for body in bodies]
    return layouts


def _is_degenerate(n: int, q: int) -> bool:
    """Return whether the file may end with empty lines that mean something."""
    return n == 0 or q == 0


def _fits(lines: list[str], layout: _Layout) -> bool:
    """Return whether the names and rows end where the file ends, and all rows consist of marks."""
    if _is_degenerate(layout.n, layout.q):
        # Empty lines at the end may be names or rows: only the exact number of lines is safe.
        nothing = layout.n == layout.q == 0 and len(lines) == layout.counts + 2
        return nothing or (len(lines) == layout.end and not any(lines[layout.rows :]))
    return _last_line(lines) == layout.end and all(
        _is_row(row, layout.q) for row in lines[layout.rows : layout.end]
    )


def _is_row(line: str, q: int) -> bool:
    return len(line) == q and _ROW.fullmatch(line) is not None


def _last_line(lines: list[str]) -> int:
    """Return the number of the last line that is not empty."""
    count = len(lines)
    while count and not lines[count - 1]:
        count -= 1
    return count


def _context(lines: list[str], layout: _Layout) -> Context:
    n, q = layout.n, layout.q
    if layout.named:
        objects = lines[layout.body : layout.attributes]
        attributes = lines[layout.attributes : layout.rows]
        refuse_repeats(objects, range(layout.body + 1, layout.body + n + 1), "object")
        refuse_repeats(attributes, range(layout.attributes + 1, layout.rows + 1), "attribute")
    else:
        if n == 0 and q > _MOST_UNSEEN:
            reason = f"{q} attributes and no row that shows them"
            raise FormatError(reason, line=layout.counts + 2, hint="correct the count")
        objects = [str(g + 1) for g in range(n)]
        attributes = [str(m + 1) for m in range(q)]
    rows = [row.upper() for row in lines[layout.rows : layout.end]]
    return Context.from_csr(objects, attributes, *rows_of_marks(rows, q, layout.rows + 1, ".X"))


def _explain(lines: list[str], layouts: list[_Layout]) -> NoReturn:
    """Raise the error for a file that no layout fits."""
    if not layouts:
        first = 1 if len(lines) > 1 and _COUNT.fullmatch(lines[1]) else 2
        place = first + bool(first < len(lines) and _COUNT.fullmatch(lines[first]))
        raise FormatError(
            f"found {shown(lines[place]) if place < len(lines) else 'the end'}, expected the "
            f"number of {'objects' if place == first else 'attributes'}",
            line=min(place + 1, len(lines)),
            hint="after B come a line for the name, the number of objects, that of attributes",
        )
    last = _last_line(lines)
    # Of the possible layouts, take the one in which most rows consist of marks.
    layout = max(
        layouts,
        key=lambda y: sum(_is_row(row, y.q) for row in lines[y.rows : min(y.end, last)]),
    )
    last = last if layout.q else len(lines)
    for place, row in enumerate(lines[layout.rows : min(layout.end, last)], start=layout.rows):
        if not _is_row(row, layout.q):
            hint = "a row has X or . for every attribute; is a count wrong, or a name missing?"
            reason = f"{shown(row)} is no row of {layout.q} marks"
            raise FormatError(reason, line=place + 1, hint=hint)
    if last < layout.end:
        raise FormatError(
            f"the file has {last} lines, but its counts make {layout.end}",
            line=last,
            hint="the file is cut off, or a count is too large",
        )
    for place, line in enumerate(lines[layout.end :], start=layout.end):
        if line:
            reason = f"found {shown(line)} after the last row"
            raise FormatError(reason, line=place + 1, hint="correct the counts on top")
    raise FormatError(
        "empty lines at the end that may or may not be names or rows",
        line=len(lines),
        hint="put one empty line after the counts, and none after the last name or row",
    )


FORMAT = Format(
    name="burmeister",
    suffixes=(".cxt", ".ctx"),
    description="Burmeister: names one per line, rows of X and .",
    sniff=sniff,
    read=read,
    write=write,
    most_bytes=1 << 30,
    notices_cuts=True,
)
