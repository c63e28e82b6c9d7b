"""Colibri files, `.con`: `object: attribute attribute ;`, with `#` before comments.

Attributes are in the order of their first appearance. A statement may span several lines.
"""

from __future__ import annotations

from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.losses import dropped_order, protected_start, refuse_names, refuse_unused
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import NamedLists
from conceptrank.io.text import Data, numbered_lines, shown, text_head

_HINT = "a statement is object: attribute attribute ;"


def sniff(head: bytes) -> Fit:
    r"""Return whether there are statements with a colon and a semicolon, as in other kinds of text.

    Examples
    --------
    >>> [sniff(head).name for head in (b"# pets\ncat: purrs ;\n", b"cat:purrs;sleeps\n")]
    ['POSSIBLE', 'NO']
    """
    statements = _Statements()
    try:
        for line, row in enumerate(text_head(head).split("\n"), start=1):
            statements.take(row, line)
        statements.end()
    except FormatError:
        return Fit.NO
    return Fit.POSSIBLE


def read(data: Data) -> Context:
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
    statements = _Statements()
    for line, row in numbered_lines(data):
        statements.take(row, line)
    statements.end()
    return statements.lists.context()


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
    refuse_names(
        context,
        forbidden=r"\s|[:;\x1c-\x1f]|\A#|\A\Z",
        because="is empty, has a blank, a colon or a semicolon, or begins with #, "
        "which a Colibri file can't hold",
    )
    refuse_unused(context, "a Colibri file")
    if not context.objects:
        raise FormatError("a Colibri file needs at least one object", hint="save as .cxt")
    lines = [
        " ".join([f"{name}:", *(context.attributes[m] for m in row), ";"])
        for name, row in zip(context.objects, lists(context.rows()), strict=True)
    ]
    return protected_start("".join(f"{line}\n" for line in lines).encode())


class _Statements:
    """Collects statements from lines."""

    def __init__(self) -> None:
        self.lists = NamedLists()
        self._name: str | None = None
        self._attributes: list[str] = []
        self._begin = 0
        self._found = False

    def take(self, row: str, line: int) -> None:
        rest = row.strip()
        while rest and not rest.startswith("#"):
            if self._name is None:
                name, colon, rest = rest.partition(":")
                self._name, self._begin = name.strip(), line
                if not colon or not self._name or ";" in name:
                    self._refuse(
                        "an object without name"
                        if colon and not self._name
                        else f"no colon after an object in {shown(row.strip())}",
                        line,
                    )
                self._found = True
            words, semicolon, rest = rest.partition(";")
            if ":" in words:
                self._refuse(f"a second colon in {shown(row.strip())}; is a ; missing?", line)
            self._attributes += words.split()
            if semicolon:
                self.lists.add(self._name, self._attributes, self._begin)
                self._name, self._attributes = None, []
            rest = rest.strip()

    def end(self) -> None:
        if self._name is not None:
            self._refuse(f"the statement of {shown(self._name)} has no end", self._begin)
        if not self._found:
            self._refuse("the file is empty", 1)

    def _refuse(self, reason: str, line: int) -> None:
        raise FormatError(reason, line=line, hint=_HINT)


FORMAT = Format(
    name="colibri",
    suffixes=(".con", ".bri"),
    description="Colibri: object: attribute attribute ;",
    sniff=sniff,
    read=read,
    write=write,
    drops=dropped_order,
    streams=True,
)
