"""SLF files, as Galicia and Lattice Miner write them.

The lines are `[Lattice]`, the number of objects, the number of attributes, `[Objects]` and their
names, `[Attributes]` and their names, `[relation]` and one row of 0 and 1 per object.
"""

from __future__ import annotations

import re

from conceptrank.context import Context
from conceptrank.io.losses import refuse_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import mark_slices
from conceptrank.io.text import refuse_repeats, shown, text_head
from conceptrank.io.zero_one import Lines, is_section, rows_of_digits

_COUNT = re.compile(r"[ \t]*[0-9]{1,18}[ \t]*")


def sniff(head: bytes) -> Fit:
    r"""Return whether the first line is `[Lattice]`.

    Examples
    --------
    >>> sniff(b"[Lattice]\n3\n").name, sniff(b"[section]\n").name
    ('CERTAIN', 'NO')
    """
    first = text_head(head[:64]).split("\n", 1)[0]
    return Fit.CERTAIN if is_section(first, "[Lattice]") else Fit.NO


def read(data: bytes) -> Context:
    r"""Read a context in SLF.

    Raises
    ------
    FormatError
        If the content is damaged.

    Notes
    -----
    Blanks at the end of a line are no part of a name.

    Examples
    --------
    >>> context = read(b"[Lattice]\n1\n2\n[Objects]\ncat\n[Attributes]\nflies\npurrs\n"
    ...                b"[relation]\n0 1\n")
    >>> context.objects, context.attributes, context.crosses
    (('cat',), ('flies', 'purrs'), 1)
    """
    lines = Lines(data, "[Lattice]")
    lines.section("[Lattice]", "an SLF file begins with [Lattice]")
    n, q = _count(lines, "the number of objects"), _count(lines, "the number of attributes")
    lines.section("[Objects]", "[Objects] comes after the two counts; are the counts right?")
    objects = _names(lines, n, "object", "[Attributes]")
    attributes = _names(lines, q, "attribute", "[relation]")
    first = lines.next + 1
    return Context.from_csr(objects, attributes, *rows_of_digits(_rows(lines, n, q), q, first))


def write(context: Context) -> bytes:
    r"""Return a context in SLF.

    Raises
    ------
    FormatError
        If a name has a line break or ends with a blank.

    Examples
    --------
    >>> write(Context(["cat"], ["flies", "purrs"], [[False, True]]))
    b'[Lattice]\n1\n2\n[Objects]\ncat\n[Attributes]\nflies\npurrs\n[relation]\n0 1 \n'
    """
    refuse_names(
        context,
        forbidden=r"[\n\r]|[ \t]\Z",
        because="has a line break or ends with a blank, which an SLF file can't hold",
    )
    n, q = context.shape
    lines = ["[Lattice]", str(n), str(q), "[Objects]", *context.objects]
    lines += ["[Attributes]", *context.attributes, "[relation]"]
    for marks in mark_slices(context):
        lines += ["".join(["1 " if mark else "0 " for mark in row]) for row in marks.tolist()]
    return "".join(f"{line}\n" for line in lines).encode()


def _count(lines: Lines, what: str) -> int:
    line = lines.peek(what)
    if not _COUNT.fullmatch(line):
        lines.refuse(
            f"found {shown(line)}, expected {what}",
            "after [Lattice] come the number of objects and that of attributes",
        )
    return int(lines.take(what))


def _names(lines: Lines, count: int, side: str, following: str) -> list[str]:
    start = lines.next
    names = lines.all[start : start + count]
    if len(names) < count:
        # If the next section is found, the count is wrong.
        for found, name in enumerate(names):
            if is_section(name, following):
                lines.next += found
                lines.refuse(
                    f"{found} {side} names, but the count says {count}", "correct the count"
                )
        lines.ended(f"{count - len(names)} of {count} {side} names")
    refuse_repeats(names, range(start + 1, start + count + 1), side)
    lines.next += count
    lines.section(following, f"{following} comes after {count} {side} names; are the counts right?")
    return names


def _rows(lines: Lines, n: int, q: int) -> list[str]:
    """Return the rows; there are none if there are no attributes."""
    last = max((place for place, line in enumerate(lines.all, start=1) if line), default=0)
    rows = lines.all[lines.next : last][: n if q else 0]
    if q and len(rows) < n:
        lines.ended(f"{n - len(rows)} of {n} rows")
    lines.next += len(rows)
    if lines.next < last:
        while not lines.all[lines.next]:
            lines.next += 1
        found = shown(lines.all[lines.next])
        lines.refuse(f"found {found} after the last row", "correct the counts")
    return rows if q else [""] * n


FORMAT = Format(
    name="slf",
    suffixes=(".slf",),
    description="SLF: names one per line in sections, rows of 0 and 1",
    sniff=sniff,
    read=read,
    write=write,
    most_bytes=1 << 30,
    notices_cuts=True,
)
