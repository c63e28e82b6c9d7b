"""Coron files, `.rcf`: one binary relation or several, names with bars between them.

`[Relational Context]`, a name, then for each context `[Binary Relation]`, its name, the objects
`a | b | c`, the attributes likewise, and rows of 0 and 1; `[END Relational Context]` at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.losses import refuse_names
from conceptrank.io.multiple import choose_context
from conceptrank.io.registry import Fit, Format, register
from conceptrank.io.tables import mark_slices
from conceptrank.io.text import BLANKS, decode, first_repeat, shown, text_head
from conceptrank.io.zero_one import rows_of_digits

__all__ = ["FORMAT", "read", "sniff", "write"]

_BEGIN = "[Relational Context]"
_RELATION = "[Binary Relation]"
_END = "[END Relational Context]"


def sniff(head: bytes) -> Fit:
    r"""Return whether the first line is `[Relational Context]`, after comments.

    Examples
    --------
    >>> sniff(b"# made by Coron\n\n[Relational Context]\n").name
    'CERTAIN'
    """
    for line in text_head(head).split("\n"):
        if line.strip(BLANKS) and not line.startswith("#"):
            return Fit.CERTAIN if _is(line, _BEGIN) else Fit.NO
    return Fit.NO


def read(data: bytes, *, source: str | None = None, context: str | int | None = None) -> Context:
    r"""Read a context in the format of Coron.

    Parameters
    ----------
    data
        The content of a file.
    source
        Its name, for messages.
    context
        The name of the binary relation to read, if there are several.

    Raises
    ------
    FormatError
        If the content is damaged, or holds several relations and none is chosen.

    Examples
    --------
    >>> found = read(b"[Relational Context]\nmine\n[Binary Relation]\npets\ncat | dog\n"
    ...              b"purrs | barks\n1 0\n0 1\n[END Relational Context]\n")
    >>> found.objects, found.attributes, found.crosses
    (('cat', 'dog'), ('purrs', 'barks'), 2)
    """
    reader = _Reader(decode(data, source), source)
    part = choose_context(reader.parts(), context, source)
    attributes = part.attributes
    rows = rows_of_digits(part.rows, len(attributes), part.first_row, source)
    return Context.from_csr(part.objects, attributes, *rows)


def write(context: Context, *, source: str | None = None) -> bytes:
    r"""Return a context in the format of Coron.

    Parameters
    ----------
    context
        The context.
    source
        The name of the file that will hold it, for messages.

    Raises
    ------
    FormatError
        If a name is empty, has a bar, a line break, or blanks around it.

    Examples
    --------
    >>> print(write(Context(["cat"], ["flies", "purrs"], [[False, True]])).decode(), end="")
    [Relational Context]
    Default Name
    [Binary Relation]
    context
    cat
    flies | purrs
    0 1
    [END Relational Context]
    """
    refuse_names(
        context,
        source,
        forbidden=r"[|\n\r]|\A[ \t]|[ \t]\Z|\A\Z",
        because="is empty, has | or a line break, or blanks around it, "
        "which an RCF file can't hold",
    )
    lines = [_BEGIN, "Default Name", _RELATION, "context"]
    lines += [" | ".join(context.objects), " | ".join(context.attributes)]
    for marks in mark_slices(context):
        lines += [" ".join(["1" if mark else "0" for mark in row]) for row in marks.tolist()]
    return "".join(f"{line}\n" for line in (*lines, _END)).encode()


@dataclass
class _Part:
    """A binary relation, its rows not yet looked at."""

    label: str
    line: int
    objects: list[str]
    attributes: list[str]
    rows: list[str]
    first_row: int


class _Reader:
    """Takes the lines one after the other; the names say how many rows there are."""

    def __init__(self, text: str, source: str | None) -> None:
        self._lines = [line.rstrip(BLANKS) for line in text.removesuffix("\n").split("\n")]
        self._source = source
        self._next = 0

    def parts(self) -> list[_Part]:
        self._skip_remarks()
        if not _is(self._line(_BEGIN), _BEGIN):
            found = self._lines[self._next]
            self._refuse(
                f"found {shown(found)}, expected {_BEGIN}"
                if any(self._lines)
                else "the file is empty",
                f"an RCF file begins with {_BEGIN}",
            )
        self._next += 1
        if not _is(self._line("the name"), _RELATION):
            self._next += 1
        parts = []
        while True:
            self._skip_remarks()
            line = self._line(_END)
            if _is(line, _END):
                break
            if _is(line, _RELATION):
                parts.append(self._relation())
            elif line.startswith("["):
                self._skip_section()
            else:
                self._refuse(
                    f"found {shown(line)}, expected {_RELATION} or {_END}",
                    "are there more rows than objects?",
                )
        self._next += 1
        self._skip_remarks()
        if self._next < len(self._lines):
            self._refuse(f"found {shown(self._lines[self._next])} after the end", "remove it")
        return parts

    def _relation(self) -> _Part:
        line = self._next + 1
        self._next += 1
        label = self._line("the name of the relation").strip(BLANKS)
        self._next += 1
        objects = self._names("object")
        attributes = self._names("attribute")
        first = self._next
        rows = self._lines[first : first + len(objects)]
        for number, row in enumerate(rows):
            if row.lstrip(BLANKS).startswith("["):
                self._next = first + number
                self._refuse(
                    f"{number} rows, but there are {len(objects)} objects",
                    "one row of 0 and 1 for every object",
                )
        if len(rows) < len(objects):
            self._ended(f"{len(objects) - len(rows)} of {len(objects)} rows")
        self._next += len(objects)
        return _Part(label, line, objects, attributes, rows, first + 1)

    def _names(self, side: str) -> list[str]:
        line = self._line(f"the names of the {side}s")
        names = [name.strip(BLANKS) for name in line.split("|")]
        if not names[-1]:
            names.pop()
        if "" in names:
            self._refuse(f"an empty {side} name", "names stand between single bars: a | b | c")
        if repeat := first_repeat(names):
            self._refuse(
                f"{side} name {shown(names[repeat[0]])} occurs twice", "make the names differ"
            )
        self._next += 1
        return names

    def _skip_section(self) -> None:
        """Go on to the next section: relations between contexts are not read."""
        self._next += 1
        while not self._line(_END).startswith("["):
            self._next += 1

    def _skip_remarks(self) -> None:
        while self._next < len(self._lines) and self._lines[self._next].lstrip(BLANKS)[:1] in (
            "",
            "#",
        ):
            self._next += 1

    def _line(self, what: str) -> str:
        if self._next >= len(self._lines):
            self._ended(what)
        return self._lines[self._next]

    def _ended(self, missing: str) -> NoReturn:
        empty = not any(self._lines)
        raise FormatError(
            "the file is empty" if empty else f"the file ends before {missing}",
            source=self._source,
            line=1 if empty else len(self._lines),
            hint=f"an RCF file begins with {_BEGIN}" if empty else "the file is cut off",
        )

    def _refuse(self, reason: str, hint: str) -> NoReturn:
        raise FormatError(reason, source=self._source, line=self._next + 1, hint=hint)


def _is(line: str, name: str) -> bool:
    return line.strip(BLANKS).lower() == name.lower()


FORMAT = register(
    Format(
        name="rcf",
        suffixes=(".rcf",),
        description="Coron: names between bars, rows of 0 and 1",
        sniff=sniff,
        read=read,
        write=write,
        most_bytes=1 << 30,
        notices_cuts=True,
    )
)
