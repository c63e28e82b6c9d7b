"""SLF files, as Galicia and Lattice Miner write them.

`[Lattice]`, the number of objects, the number of attributes, `[Objects]` and their names one a
line, `[Attributes]` and theirs, `[relation]` and a row of 0 and 1 an object.
"""

from __future__ import annotations

import re
from typing import NoReturn

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.losses import refuse_names
from conceptrank.io.registry import Fit, Format, register
from conceptrank.io.tables import mark_slices
from conceptrank.io.text import BLANKS, decode, refuse_repeats, shown, text_head
from conceptrank.io.zero_one import rows_of_digits

__all__ = ["FORMAT", "read", "sniff", "write"]

_COUNT = re.compile(r"[ \t]*[0-9]{1,18}[ \t]*")


def sniff(head: bytes) -> Fit:
    r"""Return whether the first line is `[Lattice]`.

    Examples
    --------
    >>> sniff(b"[Lattice]\n3\n").name, sniff(b"[section]\n").name
    ('CERTAIN', 'NO')
    """
    first = text_head(head[:64]).split("\n", 1)[0]
    return Fit.CERTAIN if first.strip(BLANKS).lower() == "[lattice]" else Fit.NO


def read(data: bytes, *, source: str | None = None) -> Context:
    r"""Read a context in SLF.

    Parameters
    ----------
    data
        The content of a file.
    source
        Its name, for messages.

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
    lines = _Lines(decode(data, source), source)
    lines.section("[Lattice]", "")
    n, q = lines.count("the number of objects"), lines.count("the number of attributes")
    lines.section("[Objects]", "the two counts")
    objects, object_lines = lines.names(n, "object", "[Attributes]")
    lines.section("[Attributes]", f"{n} object names")
    attributes, attribute_lines = lines.names(q, "attribute", "[relation]")
    lines.section("[relation]", f"{q} attribute names")
    refuse_repeats(objects, object_lines, "object", source)
    refuse_repeats(attributes, attribute_lines, "attribute", source)
    first, rows = lines.rows(n, q)
    return Context.from_csr(objects, attributes, *rows_of_digits(rows, q, first, source))


def write(context: Context, *, source: str | None = None) -> bytes:
    r"""Return a context in SLF.

    Parameters
    ----------
    context
        The context.
    source
        The name of the file that will hold it, for messages.

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
        source,
        forbidden=r"[\n\r]|[ \t]\Z",
        because="has a line break or ends with a blank, which an SLF file can't hold",
    )
    n, q = context.shape
    lines = ["[Lattice]", str(n), str(q), "[Objects]", *context.objects]
    lines += ["[Attributes]", *context.attributes, "[relation]"]
    for marks in mark_slices(context):
        lines += ["".join(["1 " if mark else "0 " for mark in row]) for row in marks.tolist()]
    return "".join(f"{line}\n" for line in lines).encode()


class _Lines:
    """The lines of a file, taken one after the other. The counts only say where to look."""

    def __init__(self, text: str, source: str | None) -> None:
        self._lines = [line.rstrip(BLANKS) for line in text.removesuffix("\n").split("\n")]
        self._source = source
        self._next = 0

    def section(self, name: str, after: str) -> None:
        if self._next >= len(self._lines):
            self._ended(name)
        line = self._lines[self._next]
        if line.strip(BLANKS).lower() != name.lower():
            self._refuse(
                f"found {shown(line)}, expected {name}"
                if any(self._lines)
                else "the file is empty",
                f"{name} comes after {after}; are the counts right?"
                if after
                else f"an SLF file begins with {name}",
            )
        self._next += 1

    def count(self, what: str) -> int:
        if self._next >= len(self._lines):
            self._ended(what)
        line = self._lines[self._next]
        if not _COUNT.fullmatch(line):
            self._refuse(
                f"found {shown(line)}, expected {what}",
                "after [Lattice] come the number of objects and that of attributes",
            )
        self._next += 1
        return int(line)

    def names(self, count: int, side: str, following: str) -> tuple[list[str], range]:
        start = self._next
        names = self._lines[start : start + count]
        if len(names) < count:
            # Perhaps they are all there, but the count is wrong.
            lower = [name.strip(BLANKS).lower() for name in names]
            found = lower.index(following.lower()) if following.lower() in lower else None
            if found is not None:
                self._next = start + found
                self._refuse(
                    f"{found} {side} names, but the count says {count}", "correct the count"
                )
            self._next = len(self._lines)
            self._ended(f"{count - len(names)} of {count} {side} names")
        self._next += count
        return names, range(start + 1, start + count + 1)

    def rows(self, n: int, q: int) -> tuple[int, list[str]]:
        first = self._next
        rest = self._lines[first:]
        while rest and not rest[-1]:
            rest.pop()
        rows = rest[:n] if q else []
        if q and len(rows) < n:
            self._next = len(self._lines)
            self._ended(f"{n - len(rows)} of {n} rows")
        if len(rest) > len(rows):
            self._next = first + len(rows)
            while not self._lines[self._next]:
                self._next += 1
            self._refuse(
                f"found {shown(self._lines[self._next])} after the last row", "correct the counts"
            )
        return first + 1, rows if q else [""] * n

    def _ended(self, missing: str) -> NoReturn:
        raise FormatError(
            f"the file ends before {missing}",
            source=self._source,
            line=len(self._lines),
            hint="the file is cut off, or a count is too large",
        )

    def _refuse(self, reason: str, hint: str) -> NoReturn:
        raise FormatError(reason, source=self._source, line=self._next + 1, hint=hint)


FORMAT = register(
    Format(
        name="slf",
        suffixes=(".slf",),
        description="SLF: names one per line in sections, rows of 0 and 1",
        sniff=sniff,
        read=read,
        write=write,
        most_bytes=1 << 30,
        notices_cuts=True,
    )
)
