"""SLF files, as Galicia and Lattice Miner write them.

The lines are `[Lattice]`, the number of objects, the number of attributes, `[Objects]` and their
names, `[Attributes]` and their names, `[relation]` and one row of 0 and 1 per object.
"""

from __future__ import annotations

import re

from conceptrank.context import Context
from conceptrank.io.registry import Fit, Format
from conceptrank.io.sections import Lines, is_section, rows_of_marks
from conceptrank.io.text import refuse_repeats, shown, text_head
from conceptrank.io.writing import mark_slices, refuse_names

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
    lines.expect("[Lattice]", "an SLF file begins with [Lattice]")
    n, q = (_count(lines, f"the number of {what}") for what in ("objects", "attributes"))
    names = []
    for section, count in (("[Objects]", n), ("[Attributes]", q)):
        lines.expect(section, f"{section} comes here; are the counts right?")
        first = lines.next + 1
        names.append(lines.several(count, f"{count} names of {section}"))
        side = section[1:-2].lower()
        refuse_repeats(names[-1], range(first, first + count), side)
    lines.expect("[relation]", "[relation] comes after the attributes; are the counts right?")
    first = lines.next + 1
    rows = lines.several(n, f"{n} rows") if q else [""] * n
    while lines.next < len(lines.all):
        if line := lines.take("the end"):
            lines.refuse(f"found {shown(line)} after the last row", "correct the counts")
    return Context.from_csr(names[0], names[1], *rows_of_marks(rows, q, first, "01"))


def _count(lines: Lines, what: str) -> int:
    line = lines.take(what)
    if not _COUNT.fullmatch(line):
        hint = "after [Lattice] come the number of objects and that of attributes"
        lines.refuse(f"found {shown(line)}, expected {what}", hint)
    return int(line)


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
    refuse_names(context, r"\n|[ \t]\Z")
    n, q = context.shape
    lines = ["[Lattice]", str(n), str(q), "[Objects]", *context.objects]
    lines += ["[Attributes]", *context.attributes, "[relation]"]
    for marks in mark_slices(context):
        lines += ["".join(["1 " if mark else "0 " for mark in row]) for row in marks.tolist()]
    return "".join(f"{line}\n" for line in lines).encode()


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
