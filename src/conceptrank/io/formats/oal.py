"""OAL files of Concept Explorer NG: `object:attribute;attribute`, one object per line.

Attributes are in the order of their first appearance.
"""

from __future__ import annotations

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import NamedLists
from conceptrank.io.text import BLANKS, decode, shown, text_head
from conceptrank.io.writing import protected_start, refuse_names, refuse_unused

_HINT = "one object per line, object:attribute;attribute"


def sniff(head: bytes) -> Fit:
    r"""Return whether every line has a colon and none ends with a semicolon.

    Examples
    --------
    >>> [sniff(head).name for head in (b"cat:purrs;sleeps\n", b"cat: purrs ;\n", b"cat,dog\n")]
    ['POSSIBLE', 'NO', 'NO']
    """
    lines = [line.strip(BLANKS) for line in text_head(head).split("\n")]
    fits = all(":" in line and not line.endswith(";") for line in lines if line)
    return Fit.POSSIBLE if fits and any(lines) else Fit.NO


def read(data: bytes) -> Context:
    r"""Read objects with lists of attributes.

    Raises
    ------
    FormatError
        For a line without colon, an empty attribute name, or a repeated object.

    Notes
    -----
    The first colon ends the object's name; blanks around names are no part of them, and empty
    lines mean nothing.

    Examples
    --------
    >>> context = read(b"cat:purrs;sleeps\nstone:\ndog:barks;sleeps\n")
    >>> context.objects, context.attributes, context.crosses
    (('cat', 'stone', 'dog'), ('purrs', 'sleeps', 'barks'), 4)
    """
    objects = NamedLists()
    numbered = enumerate(decode(data).split("\n"), start=1)
    rows = [(line, row.strip(BLANKS)) for line, row in numbered if row.strip(BLANKS)]
    for line, row in rows:
        name, colon, rest = row.partition(":")
        attributes = [each.strip(BLANKS) for each in rest.split(";")] if rest else []
        if not colon or "" in attributes:
            reason = "an attribute without name" if colon else f"no colon in {shown(row)}"
            raise FormatError(reason, line=line, hint=_HINT)
        objects.add(attributes, name.strip(BLANKS), line)
    if not rows:
        raise FormatError("the file is empty", line=1, hint=_HINT)
    return objects.context()


def write(context: Context) -> bytes:
    r"""Return a context as objects with lists of attributes.

    Raises
    ------
    FormatError
        If a name has a line break or blanks around it, an object's a colon, an attribute's a
        semicolon, an attribute's is empty, an attribute belongs to no object, or there are
        no objects.

    Examples
    --------
    >>> write(Context(["cat", "stone"], ["purrs"], [[True], [False]]))
    b'cat:purrs\nstone:\n'
    """
    around = r"\n|\A[ \t]|[ \t]\Z"
    refuse_names(context, rf"{around}|:", sides=("object",))
    refuse_names(context, rf"{around}|;|\A\Z", sides=("attribute",))
    refuse_unused(context)
    if not context.objects:
        raise FormatError("an OAL file needs at least one object", hint="save as .cxt")
    lines = [
        f"{name}:{';'.join([context.attributes[m] for m in row])}"
        for name, row in zip(context.objects, lists(context.rows()), strict=True)
    ]
    return protected_start("".join(f"{line}\n" for line in lines).encode())


FORMAT = Format(
    name="oal",
    suffixes=(".oal",),
    description="OAL: object:attribute;attribute",
    sniff=sniff,
    read=read,
    write=write,
)
