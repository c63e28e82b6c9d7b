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

from conceptrank._util.lists import from_marks
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.losses import refuse_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import mark_slices
from conceptrank.io.text import (
    BLANKS,
    decode,
    notice,
    refuse_repeats,
    shown,
    text_head,
)

_COUNT = re.compile(r"[ \t]*[0-9]{1,18}[ \t]*")
# The most attributes without rows, so that a header alone can't fill the memory.
_MOST_UNSEEN = 1_000_000
_NOT_A_MARK = re.compile(r"[^Xx.]")
# What a byte of a row means: 0 no cross, 1 a cross, 2 not a mark.
_MEANING = np.full(256, 2, dtype=np.uint8)
_MEANING[ord(".")] = 0
_MEANING[[ord("X"), ord("x")]] = 1


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
    text = decode(data)
    lines = [line.rstrip(BLANKS) for line in text.removesuffix("\n").split("\n")]
    if lines[0] not in ("B", "A"):
        raise FormatError(
            "the file is empty" if not text.strip() else f"found {shown(lines[0])}, expected B",
            line=1,
            hint="a Burmeister file begins with a line B (or A if it has no names)",
        )
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
    refuse_names(
        context,
        forbidden=r"[\n\r]|[ \t]\Z",
        because="has a line break or ends with a blank, which a Burmeister file can't hold",
    )
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
    return len(line) == q and _NOT_A_MARK.search(line) is None


def _last_line(lines: list[str]) -> int:
    """Return how many lines there are without empty ones at the end."""
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
    text = "".join(lines[layout.rows : layout.end]).encode("ascii")
    meaning = _MEANING[np.frombuffer(text, dtype=np.uint8)].reshape(n, q)
    return Context.from_csr(objects, attributes, *from_marks(meaning == 1))


def _explain(lines: list[str], layouts: list[_Layout]) -> NoReturn:
    """Raise the error that explains best why no layout fits."""
    if not layouts:
        _explain_header(lines)
    last = _last_line(lines)
    # Of the possible layouts, take the one in which most rows consist of marks.
    layout = max(
        layouts,
        key=lambda y: sum(_is_row(row, y.q) for row in lines[y.rows : min(y.end, last)]),
    )
    _explain_counts(lines, layout, last)
    _explain_rows(lines, layout, last)


def _explain_header(lines: list[str]) -> NoReturn:
    wanted = ("the number of objects", "the number of attributes")
    counts = 1 if len(lines) > 1 and _COUNT.fullmatch(lines[1]) else 2
    for position, what in enumerate(wanted, start=counts):
        if position >= len(lines):
            raise FormatError(
                f"the file ends before {what}", line=len(lines), hint="the file is cut off"
            )
        if not _COUNT.fullmatch(lines[position]):
            raise FormatError(
                f"found {shown(lines[position])}, expected {what}",
                line=position + 1,
                hint="after B come a line for the name, the number of objects, that of attributes",
            )
    raise AssertionError("a header with both counts has a layout")


def _explain_counts(lines: list[str], layout: _Layout, last: int) -> None:
    """Raise an error if the rows are complete, but the counts or the names are wrong."""
    width = len(lines[last - 1])
    first = last
    while first > layout.body and _is_row(lines[first - 1], width):
        first -= 1
    height = last - first
    if height == 0 or not layout.named:
        return
    names = first - layout.body
    if (height, width) == (layout.n, layout.q):
        raise FormatError(
            f"{names} names above the rows, expected {layout.n} + {layout.q}",
            line=first + 1,
            hint="one name per line, empty line 5, and none between objects and attributes",
        )
    if names == height + width:
        raise FormatError(
            f"the counts say {layout.n} objects and {layout.q} attributes, "
            f"the rows {height} and {width}",
            line=layout.counts + (1 if layout.n != height else 2),
            hint="correct the count",
        )


def _explain_rows(lines: list[str], layout: _Layout, last: int) -> NoReturn:
    if len(lines) < layout.rows:
        done, side = max(len(lines) - layout.body, 0), "object"
        total = layout.n
        if done >= total:
            done, side, total = done - total, "attribute", layout.q
        raise FormatError(
            f"the file ends after {done} of {total} {side} names",
            line=len(lines),
            hint="the file is cut off, or a count is too large",
        )
    for position in range(layout.rows, layout.end):
        if position >= (last if layout.q else len(lines)):
            raise FormatError(
                f"the file ends after {position - layout.rows} of {layout.n} rows",
                line=last,
                hint="the file is cut off, or a count is too large",
            )
        row = lines[position]
        if found := _NOT_A_MARK.search(row):
            raise FormatError(
                f"{found[0]!r} is not a mark",
                line=position + 1,
                hint="a row consists of X or x for a cross and . for none",
            )
        if len(row) != layout.q:
            raise FormatError(
                f"row has {len(row)} marks, expected {layout.q}",
                line=position + 1,
                hint="one mark for every attribute",
            )
    for position in range(layout.end, last):
        if lines[position]:
            raise FormatError(
                f"found {shown(lines[position])} after the last row",
                line=position + 1,
                hint="correct the counts on top",
            )
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
