"""JSON as conexp-clj writes it: names, and pairs of names.

`{"objects": […], "attributes": […], "incidence": [[object, attribute], …]}`. Its older form,
`{"attributes": […], "adjacency-list": [{"object": …, "attributes": […]}, …]}`, is read as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrank.context import Context
from conceptrank.io.json_document import Document, dumps
from conceptrank.io.limits import refuse_names
from conceptrank.io.registry import Fit, Format, register
from conceptrank.io.tables import row_lists, rows_from_pairs

__all__ = ["FORMAT", "read", "write"]


def read(data: bytes, *, source: str | None = None) -> Context:
    r"""Read a context from JSON in the dialect of conexp-clj.

    Parameters
    ----------
    data
        The content of a file.
    source
        Its name, for messages.

    Raises
    ------
    FormatError
        If it is not JSON, or the parts don't fit.

    Examples
    --------
    >>> read(write(Context(["cat"], ["purrs"], [[True]]))).crosses
    1
    """
    return context_of(Document(data, source))


def context_of(document: Document) -> Context:
    """Return the context of a document in the dialect of conexp-clj."""
    document.layout = '{"objects": [names], "attributes": [names], "incidence": [[name, name], …]}'
    attributes = document.names("attributes")
    if isinstance(document.value, dict) and "adjacency-list" in document.value:
        objects, crosses = _adjacency(document, attributes)
    else:
        objects = document.names("objects")
        crosses = _incidence(document, objects, attributes)
    pairs = np.array(crosses, dtype=np.int64).reshape(-1, 2)
    rows = rows_from_pairs(pairs[:, 0], pairs[:, 1], len(objects), len(attributes))
    return Context.from_csr(objects, attributes, *rows)


def _incidence(
    document: Document, objects: list[str], attributes: list[str]
) -> list[tuple[int, int]]:
    sides = [{name: number for number, name in enumerate(names)} for names in (objects, attributes)]
    crosses = []
    for place, pair in enumerate(document.list_at("incidence")):
        if not isinstance(pair, list) or len(pair) != 2:
            document.refuse("expected a pair, [object, attribute]", "incidence", place)
        g, m = (
            _number(document, name, numbers, side, "incidence", place)
            for name, numbers, side in zip(pair, sides, ("object", "attribute"), strict=True)
        )
        crosses.append((g, m))
    return crosses


def _adjacency(
    document: Document, attributes: list[str]
) -> tuple[list[str], list[tuple[int, int]]]:
    numbers = {name: number for number, name in enumerate(attributes)}
    objects: dict[str, int] = {}
    crosses = []
    for place in range(len(document.list_at("adjacency-list"))):
        path = ("adjacency-list", place)
        name = _name(document.at(*path, "object"))
        if not isinstance(name, str) or name in objects:
            document.refuse("no name, or one that is there twice", *path, "object")
        objects[name] = place
        crosses += [
            (place, _number(document, attribute, numbers, "attribute", *path, "attributes"))
            for attribute in document.list_at(*path, "attributes")
        ]
    return list(objects), crosses


def _number(
    document: Document, name: Any, numbers: dict[str, int], side: str, *path: str | int
) -> int:
    found = numbers.get(_name(name)) if isinstance(name, str | int) else None
    if found is None:
        document.refuse(f"{side} {name!r:.60} is not there", *path)
    return found


def _name(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def write(context: Context, *, source: str | None = None) -> bytes:
    """Return a context as JSON in the dialect of conexp-clj.

    Parameters
    ----------
    context
        The context.
    source
        The name of the file that will hold it, for messages.

    Raises
    ------
    FormatError
        If a name has half a surrogate pair.

    Examples
    --------
    >>> write(Context(["cat"], ["purrs"], [[True]])).decode().splitlines()[3:5]
    ['"incidence": [', '["cat", "purrs"]']
    """
    refuse_names(context, source, unwritable="[\ud800-\udfff]")
    objects = [dumps(name) for name in context.objects]
    attributes = [dumps(name) for name in context.attributes]
    pairs = [
        b"[" + objects[g] + b", " + attributes[m] + b"]"
        for g, row in enumerate(row_lists(context))
        for m in row
    ]
    return (
        b'{\n"objects": '
        + dumps(context.objects)
        + b',\n"attributes": '
        + dumps(context.attributes)
        + b',\n"incidence": [\n'
        + b",\n".join(pairs)
        + b"\n]\n}\n"
    )


FORMAT = register(
    Format(
        name="json_conexp",
        suffixes=(),
        description="JSON in the dialect of conexp-clj: names and pairs of names",
        sniff=lambda head: Fit.NO,
        read=read,
        write=write,
        lines=False,
        notices_cuts=True,
    )
)
