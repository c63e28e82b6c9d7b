"""Coron files, `.rcf`: one binary relation or several, names with bars between them.

`[Relational Context]`, a name, then for each context `[Binary Relation]`, its name, the objects
`a | b | c`, the attributes likewise, and rows of 0 and 1; `[END Relational Context]` at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from conceptrank._util.names import first_repeat
from conceptrank.context import Context
from conceptrank.io.losses import refuse_names
from conceptrank.io.multiple import choose_context
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import mark_slices
from conceptrank.io.text import BLANKS, notice, shown, text_head
from conceptrank.io.zero_one import Lines, is_section, rows_of_digits

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
            return Fit.CERTAIN if is_section(line, _BEGIN) else Fit.NO
    return Fit.NO


def read(data: bytes, *, source: str | None = None, context: str | int | None = None) -> Context:
    r"""Read a context in the format of Coron.

    Parameters
    ----------
    data
        The content of a file.
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
    part = choose_context(_parts(Lines(data, _BEGIN), source), context)
    attributes = part.attributes
    rows = rows_of_digits(part.rows, len(attributes), part.first_row)
    return Context.from_csr(part.objects, attributes, *rows)


def write(context: Context) -> bytes:
    r"""Return a context in the format of Coron.

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
    """A binary relation whose rows are not parsed yet."""

    label: str
    line: int
    objects: list[str]
    attributes: list[str]
    rows: list[str]
    first_row: int


def _parts(lines: Lines, source: str | None) -> list[_Part]:
    _skip_remarks(lines)
    lines.section(_BEGIN, f"an RCF file begins with {_BEGIN}")
    if not is_section(lines.peek("the name"), _RELATION):
        lines.next += 1
    parts = []
    while True:
        _skip_remarks(lines)
        line = lines.take(_END)
        if is_section(line, _END):
            break
        if is_section(line, _RELATION):
            parts.append(_relation(lines))
        elif line.startswith("["):
            notice(f"{line} is left out: relations between contexts are not read", source)
            while not lines.peek(_END).startswith("["):
                lines.next += 1
        else:
            lines.next -= 1
            lines.refuse(
                f"found {shown(line)}, expected {_RELATION} or {_END}",
                "are there more rows than objects?",
            )
    _skip_remarks(lines)
    if lines.next < len(lines.all):
        lines.refuse(f"found {shown(lines.all[lines.next])} after the end", "remove it")
    return parts


def _relation(lines: Lines) -> _Part:
    """Return a relation; it has one row per object name."""
    line = lines.next
    label = lines.take("the name of the relation").strip(BLANKS)
    objects, attributes = _names(lines, "object"), _names(lines, "attribute")
    first = lines.next
    rows = lines.all[first : first + len(objects)]
    for number, row in enumerate(rows):
        if row.lstrip(BLANKS).startswith("["):
            lines.next += number
            lines.refuse(
                f"{number} rows, but there are {len(objects)} objects",
                "one row of 0 and 1 for every object",
            )
    if len(rows) < len(objects):
        lines.ended(f"{len(objects) - len(rows)} of {len(objects)} rows")
    lines.next += len(objects)
    return _Part(label, line, objects, attributes, rows, first + 1)


def _names(lines: Lines, side: str) -> list[str]:
    names = [name.strip(BLANKS) for name in lines.peek(f"the names of the {side}s").split("|")]
    if not names[-1]:
        names.pop()
    if "" in names:
        lines.refuse(f"an empty {side} name", "names stand between single bars: a | b | c")
    if repeat := first_repeat(names):
        lines.refuse(f"{side} name {shown(names[repeat[0]])} occurs twice", "make the names differ")
    lines.next += 1
    return names


def _skip_remarks(lines: Lines) -> None:
    while lines.next < len(lines.all) and lines.all[lines.next].lstrip(BLANKS)[:1] in ("", "#"):
        lines.next += 1


FORMAT = Format(
    name="rcf",
    suffixes=(".rcf",),
    description="Coron: names between bars, rows of 0 and 1",
    sniff=sniff,
    read=read,
    write=write,
    most_bytes=1 << 30,
    notices_cuts=True,
)
