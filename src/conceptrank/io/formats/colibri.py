"""Colibri files, `.con`: `object: attribute attribute ;`, with `#` before comments.

Attributes are in the order of their first appearance. A statement may span several lines.
"""

from __future__ import annotations

import re

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import NamedLists
from conceptrank.io.text import decode, shown, text_head
from conceptrank.io.writing import protected_start, refuse_names, refuse_unused

_COMMENT = re.compile(r"(^|;)[ \t]*#.*", re.MULTILINE)
_HINT = "a statement is object: attribute attribute ;"


def sniff(head: bytes) -> Fit:
    r"""Return whether there are statements with a colon and a semicolon, as in other kinds of text.

    Examples
    --------
    >>> [sniff(head).name for head in (b"# pets\ncat: purrs ;\n", b"cat:purrs;sleeps\n")]
    ['POSSIBLE', 'NO']
    """
    try:
        read(text_head(head).encode())
    except FormatError:
        return Fit.NO
    return Fit.POSSIBLE


def read(data: bytes) -> Context:
    r"""Read objects with lists of attributes.

    Raises
    ------
    FormatError
        If a colon or a semicolon is missing, or an object occurs twice.

    Examples
    --------
    >>> context = read(b"# pets\ncat: purrs sleeps ;\nstone: ;\ndog: barks\n  sleeps ;\n")
    >>> context.objects, context.attributes, context.crosses
    (('cat', 'stone', 'dog'), ('purrs', 'sleeps', 'barks'), 4)
    """
    objects, line = NamedLists(), 1
    *statements, rest = _COMMENT.sub(r"\1", decode(data)).split(";")
    for statement in statements:
        begin = line + statement[: -len(statement.lstrip()) or None].count("\n")
        line += statement.count("\n")
        name, colon, attributes = (part.strip() for part in statement.partition(":"))
        if not name or not colon or ":" in attributes:
            raise FormatError(f"{shown(statement.strip())} is no statement", line=begin, hint=_HINT)
        objects.add(attributes.split(), name, begin)
    if rest.strip():
        raise FormatError(f"{shown(rest.strip())} has no end", line=line, hint=_HINT)
    if not statements:
        raise FormatError("the file is empty", line=1, hint=_HINT)
    return objects.context()


def write(context: Context) -> bytes:
    r"""Return a context as Colibri statements.

    Raises
    ------
    FormatError
        If a name is empty, has a blank, a colon or a semicolon or begins with `#`, an attribute
        belongs to no object, or there are no objects.

    Examples
    --------
    >>> write(Context(["cat", "stone"], ["purrs"], [[True], [False]]))
    b'cat: purrs ;\nstone: ;\n'
    """
    refuse_names(context, r"\s|[:;\x1c-\x1f]|\A#|\A\Z")
    refuse_unused(context)
    if not context.objects:
        raise FormatError("a Colibri file needs at least one object", hint="save as .cxt")
    lines = [
        " ".join([f"{name}:", *(context.attributes[m] for m in row), ";"])
        for name, row in zip(context.objects, lists(context.rows()), strict=True)
    ]
    return protected_start("".join(f"{line}\n" for line in lines).encode())


FORMAT = Format(
    name="colibri",
    suffixes=(".con", ".bri"),
    description="Colibri: object: attribute attribute ;",
    sniff=sniff,
    read=read,
    write=write,
)
