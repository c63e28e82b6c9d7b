"""Galicia files, `.bin.xml`: XML with the names, then the pairs of numbers that have a cross.

Version 2 has `Galicia_Document/BinaryContext/{Object, Attribute, BinRel@idxO@idxA}`, numbered
from 0 in the order of the file; version 3 has `BIN/{OBJS/OBJ@id, ATTS/ATT@id, RELS/REL}`. Both
are read, version 2 is written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from conceptrank._util.lists import from_pairs
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import notice, refuse_repeats, shown
from conceptrank.io.writing import refuse_names
from conceptrank.io.xml import UNWRITABLE, Element, escaped, parsed, root_fits


class _Side(NamedTuple):
    """Objects or attributes: where they are, and the keys of their count and of their crosses."""

    side: str
    path: tuple[str, ...]
    count_key: str
    cross_key: str


_CROSSES = {"Galicia_Document": ("BinRel",), "BIN": ("RELS", "REL")}
_SIDES = {
    "Galicia_Document": (
        _Side("object", ("Object",), "numberObj", "idxO"),
        _Side("attribute", ("Attribute",), "numberAtt", "idxA"),
    ),
    "BIN": (
        _Side("object", ("OBJS", "OBJ"), "nbObj", "idObj"),
        _Side("attribute", ("ATTS", "ATT"), "nbAtt", "idAtt"),
    ),
}
_NUMBER = re.compile("[0-9]{1,18}")


def sniff(head: bytes) -> Fit:
    """Return whether the root element is `Galicia_Document`, or `BIN`.

    Examples
    --------
    >>> sniff(b"<Galicia_Document>").name, sniff(b"<html>").name
    ('CERTAIN', 'NO')
    """
    return root_fits(head, "Galicia_Document", "BIN")


def read(data: bytes, *, source: str | None = None) -> Context:
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
    root = parsed(data, "Galicia_Document", "BIN")
    contexts = list(root.every("BinaryContext")) if root.name == "Galicia_Document" else [root]
    if len(contexts) != 1:
        second = contexts[1] if contexts else root
        reason = "a second context" if contexts else "holds no context"
        second.refuse(reason, "only files with one context are read")
    for name in contexts[0].every("Name"):
        if name.text.strip() not in ("", "context"):
            notice(f"the name of the context, {shown(name.text.strip())}, is left out", source)
    sides, crosses = _SIDES[root.name], list(contexts[0].every(*_CROSSES[root.name]))
    ends, names = [], []
    for side in sides:
        labels, numbers = _names(contexts[0], side, numbered=root.name == "BIN")
        names.append(labels)
        ends.append([_place(cross, side, numbers) for cross in crosses])
    rows, columns = (np.array(places, dtype=np.int64) for places in ends)
    shape = len(names[0]), len(names[1])
    return Context.from_csr(names[0], names[1], *from_pairs(rows, columns, shape))


def _names(context: Element, side: _Side, *, numbered: bool) -> tuple[list[str], dict[int, int]]:
    """Return the names of one side, and the place of each number that crosses may have."""
    elements = list(context.every(*side.path))
    if side.count_key in context.attributes:
        count = _number(context, side.count_key)
        if count != len(elements):
            hint = "correct the count, or find what is missing"
            found = f"{len(elements)} {side.side}s"
            context.refuse(f"{found}, but the count says {count}", hint)
    numbers: dict[int, int] = {}
    for place, element in enumerate(elements):
        number = _number(element, "id") if numbered else place
        if number in numbers:
            element.refuse(f"a second {side.side} with id {number}")
        numbers[number] = place
    names = [element.text for element in elements]
    refuse_repeats(names, [element.line for element in elements], side.side)
    return names, numbers


def _place(cross: Element, side: _Side, numbers: dict[int, int]) -> int:
    number = _number(cross, side.cross_key)
    if number not in numbers:
        reason = f"a cross of {side.side} {number}, which does not exist"
        cross.refuse(reason, "numbers begin with 0")
    return numbers[number]


def _number(element: Element, key: str) -> int:
    value = element.required(key)
    if not _NUMBER.fullmatch(value.strip()):
        element.refuse(f"{key}={shown(value)}, expected a number")
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
    lines=False,
    notices_cuts=True,
)
