"""JSON as FCA Platform and fcapy write it: a list of names, and a list of rows.

`[{"ObjNames": […], "Params": {"AttrNames": […]}}, {"Count": 1, "Data": [{"Count": 2, "Inds":
[0, 2]}]}]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrank.context import Context
from conceptrank.io.json_document import Document, dumps
from conceptrank.io.limits import refuse_names
from conceptrank.io.registry import Fit, Format, register
from conceptrank.io.tables import offsets, row_lists, sorted_rows

__all__ = ["FORMAT", "read", "write"]


def read(data: bytes, *, source: str | None = None) -> Context:
    r"""Read a context from JSON in the dialect of FCAPS.

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
    """Return the context of a document in the dialect of FCAPS."""
    document.layout = (
        '[{"ObjNames": [names], "Params": {"AttrNames": [names]}}, '
        '{"Count": number, "Data": [{"Count": number, "Inds": [numbers]}, …]}]'
    )
    attributes = document.names(0, "Params", "AttrNames")
    objects = document.names(0, "ObjNames")
    data = document.list_at(1, "Data")
    if len(data) != len(objects):
        document.refuse(f"has {len(data)} rows, but there are {len(objects)} objects", 1, "Data")
    _check_count(document, document.at(1), len(data), 1)
    rows: list[list[int]] = []
    for place in range(len(data)):
        path = (1, "Data", place)
        numbers = document.numbers(document.at(*path, "Inds"), len(attributes), *path, "Inds")
        _check_count(document, data[place], len(numbers), *path)
        rows.append(numbers)
    indptr = offsets(np.array([len(row) for row in rows], dtype=np.int64))
    indices = np.array([number for row in rows for number in row], dtype=np.int64)
    return Context.from_csr(objects, attributes, *sorted_rows(indptr, indices))


def _check_count(document: Document, part: dict[str, Any], found: int, *path: str | int) -> None:
    count = part.get("Count", found)
    if count != found or isinstance(count, bool):
        document.refuse(f"says {count!r:.40}, but there are {found}", *path, "Count")


def write(context: Context, *, source: str | None = None) -> bytes:
    """Return a context as JSON in the dialect of FCAPS.

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
    >>> write(Context(["cat"], ["purrs"], [[True]])).decode().splitlines()[2]
    '{"Count": 1, "Inds": [0]}'
    """
    refuse_names(context, source, unwritable="[\ud800-\udfff]")
    names = {"ObjNames": context.objects, "Params": {"AttrNames": context.attributes}}
    rows = [dumps({"Count": len(row), "Inds": row}) for row in row_lists(context)]
    return (
        b"["
        + dumps(names)
        + b',\n{"Count": '
        + str(len(rows)).encode()
        + b', "Data": [\n'
        + b",\n".join(rows)
        + b"\n]}]\n"
    )


FORMAT = register(
    Format(
        name="json_fcaps",
        suffixes=(),
        description="JSON in the dialect of FCAPS and fcapy: names and rows of numbers",
        sniff=lambda head: Fit.NO,
        read=read,
        write=write,
        lines=False,
        notices_cuts=True,
    )
)
