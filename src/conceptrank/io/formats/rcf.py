"""Coron files, `.rcf`: one binary relation or several, names with bars between them.

`[Relational Context]`, a name, then for each context `[Binary Relation]`, its name, the objects
`a | b | c`, the attributes likewise, and rows of 0 and 1; `[END Relational Context]` at the end.
"""

from __future__ import annotations

from conceptrank._util.names import first_repeat
from conceptrank.context import Context
from conceptrank.io.registry import Fit, Format
from conceptrank.io.sections import Lines, is_section, rows_of_marks
from conceptrank.io.tables import choose_context
from conceptrank.io.text import BLANKS, notice, shown, text_head
from conceptrank.io.writing import mark_slices, refuse_names

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
    lines = Lines(data, _BEGIN)
    _skip_remarks(lines)
    lines.expect(_BEGIN, f"an RCF file begins with {_BEGIN}")
    parts = []
    line = lines.take("the name")
    if not is_section(line, _RELATION):
        line = _after_remarks(lines)
    while not is_section(line, _END):
        if is_section(line, _RELATION):
            number = lines.next
            label = lines.take("the name of the relation").strip(BLANKS)
            parts.append((label, number, _relation(lines)))
        elif line.startswith("["):
            notice(f"{line} is left out: relations between contexts are not read", source)
            while lines.next < len(lines.all) and not lines.left()[0].startswith("["):
                lines.next += 1
        else:
            hint = "are there more rows than objects?"
            lines.refuse(f"found {shown(line)}, expected {_RELATION} or {_END}", hint)
        line = _after_remarks(lines)
    _skip_remarks(lines)
    if lines.left():
        lines.refuse(f"found {shown(lines.take('the end'))} after the end", "remove it")
    return choose_context(parts, context)


def _relation(lines: Lines) -> Context:
    objects, attributes = _names(lines, "object"), _names(lines, "attribute")
    first = lines.next + 1
    rows = lines.several(len(objects), f"{len(objects)} rows")
    return Context.from_csr(objects, attributes, *rows_of_marks(rows, len(attributes), first, "01"))


def _names(lines: Lines, side: str) -> list[str]:
    line = lines.take(f"the names of the {side}s")
    names = [name.strip(BLANKS) for name in line.split("|")]
    if not names[-1]:
        names.pop()
    if "" in names:
        lines.refuse(f"an empty {side} name", "names stand between single bars: a | b | c")
    if repeat := first_repeat(names):
        lines.refuse(f"{side} name {shown(names[repeat[0]])} occurs twice", "make the names differ")
    return names


def _after_remarks(lines: Lines) -> str:
    _skip_remarks(lines)
    return lines.take(_END)


def _skip_remarks(lines: Lines) -> None:
    """Skip empty lines and comments."""
    while lines.next < len(lines.all) and lines.all[lines.next].lstrip(BLANKS)[:1] in ("", "#"):
        lines.next += 1


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
    refuse_names(context, r"[|\n]|\A[ \t]|[ \t]\Z|\A\Z")
    lines = [_BEGIN, "Default Name", _RELATION, "context"]
    lines += [" | ".join(context.objects), " | ".join(context.attributes)]
    for marks in mark_slices(context):
        lines += [" ".join(["1" if mark else "0" for mark in row]) for row in marks.tolist()]
    return "".join(f"{line}\n" for line in (*lines, _END)).encode()


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
