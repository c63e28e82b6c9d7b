"""Galicia files, `.bin.xml`: XML with the names, then the pairs of numbers that have a cross.

Version 2 has `Galicia_Document/BinaryContext/{Object, Attribute, BinRel@idxO@idxA}`, numbered
from 0 in the order of the file; version 3 has `BIN/{OBJS/OBJ@id, ATTS/ATT@id, RELS/REL}`. Both
are read, version 2 is written.
"""

from __future__ import annotations

import re

import numpy as np

from conceptrank._util.lists import from_pairs
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.io.losses import refuse_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import Growing
from conceptrank.io.text import Data, notice, refuse_repeats, shown
from conceptrank.io.xml_events import UNWRITABLE, Events, escaped, root_fits

# The paths of objects, attributes and crosses; the keys of their numbers, and of the counts.
_VERSION_2 = {
    ("Galicia_Document", "BinaryContext", "Object"): "object",
    ("Galicia_Document", "BinaryContext", "Attribute"): "attribute",
    ("Galicia_Document", "BinaryContext", "BinRel"): "cross",
    ("Galicia_Document", "BinaryContext"): "context",
}
_VERSION_3 = {
    ("BIN", "OBJS", "OBJ"): "object",
    ("BIN", "ATTS", "ATT"): "attribute",
    ("BIN", "RELS", "REL"): "cross",
    ("BIN",): "context",
}
_ROLES = _VERSION_2 | _VERSION_3
_NUMBER = re.compile("[0-9]{1,18}")


def sniff(head: bytes) -> Fit:
    """Return whether the root element is `Galicia_Document`, or `BIN`.

    Examples
    --------
    >>> sniff(b"<Galicia_Document>").name, sniff(b"<html>").name
    ('CERTAIN', 'NO')
    """
    return root_fits(head, "Galicia_Document", "BIN")


def read(data: Data, *, source: str | None = None) -> Context:
    r"""Read a context from a Galicia file.

    Raises
    ------
    FormatError
        If the file is damaged, or the counts don't fit.

    Examples
    --------
    >>> read(write(Context(["cat"], ["purrs", "barks"], [[True, False]]))).attributes
    ('purrs', 'barks')
    """
    document = _Document()
    document.run(data)
    if document.name not in ("", "context"):
        notice(f"the name of the context, {shown(document.name)}, is left out", source)
    return document.context()


class _Document(Events):
    kind = "Galicia"
    roots = ("Galicia_Document", "BIN")
    texts = frozenset({"Object", "Attribute", "OBJ", "ATT", "Name"})

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, list[str]] = {"object": [], "attribute": []}
        self._lines: dict[str, list[int]] = {"object": [], "attribute": []}
        self._numbers: dict[str, dict[int, int]] = {"object": {}, "attribute": {}}
        self._counts: dict[str, int] = {}
        self._context_line = 0
        self.name = ""
        self._identifier: int | None = None
        self._begin = 0
        self._crosses = {"object": Growing(), "attribute": Growing()}
        self._cross_lines = Growing()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        role = _ROLES.get(tuple(self.path))
        second = self.path[0] == "Galicia_Document"
        if role == "context":
            if self._context_line:
                self.refuse("a second context", hint="only files with one context are read")
            self._context_line = self.line
            keys = ("numberObj", "numberAtt") if second else ("nbObj", "nbAtt")
            for side, key in zip(("object", "attribute"), keys, strict=True):
                if key in attributes:
                    self._counts[side] = self._number(attributes, key)
        elif role == "cross":
            keys = ("idxO", "idxA") if second else ("idObj", "idAtt")
            for numbers, key in zip(self._crosses.values(), keys, strict=True):
                numbers.append(self._number(attributes, key))
            self._cross_lines.append(self.line)
        elif role is not None:
            self._begin = self.line
            self._identifier = None if second else self._number(attributes, "id")
            if self._identifier in self._numbers[role]:
                self.refuse(f"a second {role} with id {self._identifier}")

    def end(self, name: str, text: str) -> None:
        role = _ROLES.get(tuple(self.path))
        if name == "Name":
            self.name = text.strip()
        elif role in ("object", "attribute"):
            number = len(self._names[role])
            identifier = number if self._identifier is None else self._identifier
            self._numbers[role][identifier] = number
            self._names[role].append(text)
            self._lines[role].append(self._begin)

    def context(self) -> Context:
        if not self._context_line:
            self.refuse("holds no context", line=1)
        for side, names in self._names.items():
            refuse_repeats(names, self._lines[side], side)
            count = self._counts.get(side, len(names))
            if count != len(names):
                self.refuse(
                    f"{len(names)} {side}s, but the count says {count}",
                    line=self._context_line,
                    hint="correct the count, or find what is missing",
                )
        lines = self._cross_lines.array()
        ends = []
        for side, crosses in self._crosses.items():
            numbers = self._numbers[side]
            different, places = np.unique(crosses.array(), return_inverse=True)
            for place, identifier in enumerate(different.tolist()):
                if identifier not in numbers:
                    self.refuse(
                        f"a cross of {side} {identifier}, which does not exist",
                        line=int(lines[np.argmax(places == place)]),
                        hint="numbers begin with 0",
                    )
            known = np.array([numbers[i] for i in different.tolist()], dtype=np.int64)
            ends.append(known[places] if len(known) else np.zeros(0, dtype=np.int64))
        objects, attributes = self._names["object"], self._names["attribute"]
        rows = from_pairs(ends[0], ends[1], (len(objects), len(attributes)))
        return Context.from_csr(objects, attributes, *rows)

    def _number(self, attributes: dict[str, str], key: str) -> int:
        value = self.required(attributes, key)
        if not _NUMBER.fullmatch(value.strip()) or int(value) >= 1 << 32:
            self.refuse(f"{key}={shown(value)}, expected a number")
        return int(value)


def write(context: Context) -> bytes:
    """Return a context as a Galicia file.

    Raises
    ------
    FormatError
        If a name has a control character, which XML can't hold.

    Examples
    --------
    >>> print(write(Context(["cat"], ["purrs"], [[True]])).decode(), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <Galicia_Document>
      <BinaryContext numberObj="1" numberAtt="1">
        <Name>context</Name>
        <Object>cat</Object>
        <Attribute>purrs</Attribute>
        <BinRel idxO="0" idxA="0"/>
      </BinaryContext>
    </Galicia_Document>
    """
    refuse_names(context, unwritable=UNWRITABLE)
    n, q = context.shape
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<Galicia_Document>",
        f'  <BinaryContext numberObj="{n}" numberAtt="{q}">',
        "    <Name>context</Name>",
    ]
    lines += [f"    <Object>{escaped(name)}</Object>" for name in context.objects]
    lines += [f"    <Attribute>{escaped(name)}</Attribute>" for name in context.attributes]
    for g, row in enumerate(lists(context.rows())):
        lines += [f'    <BinRel idxO="{g}" idxA="{m}"/>' for m in row]
    lines += ["  </BinaryContext>", "</Galicia_Document>", ""]
    return "\n".join(lines).encode()


FORMAT = Format(
    name="galicia",
    suffixes=(".xml",),
    description="Galicia: XML with names and pairs of numbers",
    sniff=sniff,
    read=read,
    write=write,
    streams=True,
    notices_cuts=True,
)
