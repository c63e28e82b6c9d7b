"""JSON as the package `concepts` writes it, and the reading of any of the three dialects.

`{"objects": […], "properties": […], "context": [[0, 2], …]}`: the numbers of the properties
that each object has.
"""

from __future__ import annotations

import re

import numpy as np

from conceptrank.context import Context
from conceptrank.io import json_conexp, json_fcaps
from conceptrank.io.json_document import Document, dumps
from conceptrank.io.limits import refuse_names
from conceptrank.io.registry import Fit, Format, register
from conceptrank.io.tables import offsets, row_lists, sorted_rows
from conceptrank.io.text import text_head

__all__ = ["FORMAT", "read", "sniff", "write"]

_KEYS = re.compile(r'"(?:objects|attributes|ObjNames)"\s*+:')


def sniff(head: bytes) -> Fit:
    r"""Say whether a JSON object or list begins, with a key of one of the dialects.

    Examples
    --------
    >>> [sniff(head).name for head in (b'{"objects": ["a"', b'{"a": 1}', b'[{"ObjNames": []', b"a")]
    ['CERTAIN', 'POSSIBLE', 'CERTAIN', 'NO']
    """
    text = text_head(head).lstrip()
    if not text.startswith(("{", "[")):
        return Fit.NO
    if re.match(r'[{\[][ \t\r\n]*+[\[{"\]}]', text) is None:
        return Fit.NO
    return Fit.CERTAIN if _KEYS.search(text) else Fit.POSSIBLE


def read(data: bytes, *, source: str | None = None) -> Context:
    r"""Read a context from JSON of any of the three dialects; the keys tell which.

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
    >>> context = read(b'{"objects": ["cat"], "properties": ["purrs", "barks"], "context": [[0]]}')
    >>> context.attributes, context.crosses
    (('purrs', 'barks'), 1)
    >>> read(b'{"objects": ["cat"], "attributes": ["purrs"], "incidence": []}').shape
    (1, 1)
    """
    document = Document(data, source)
    if isinstance(document.value, list):
        return json_fcaps.context_of(document)
    if isinstance(document.value, dict) and not {"properties", "context"} & set(document.value):
        return json_conexp.context_of(document)
    return context_of(document)


def context_of(document: Document) -> Context:
    """Return the context of a document in the dialect of `concepts`."""
    document.layout = '{"objects": [names], "properties": [names], "context": [[numbers], …]}'
    objects, attributes = document.names("objects"), document.names("properties")
    rows = document.list_at("context")
    if len(rows) != len(objects):
        document.refuse(f"has {len(rows)} rows, but there are {len(objects)} objects", "context")
    lists = [
        document.numbers(row, len(attributes), "context", place) for place, row in enumerate(rows)
    ]
    indptr = offsets(np.array([len(row) for row in lists], dtype=np.int64))
    indices = np.array([number for row in lists for number in row], dtype=np.int64)
    return Context.from_csr(objects, attributes, *sorted_rows(indptr, indices))


def write(context: Context, *, source: str | None = None) -> bytes:
    """Return a context as JSON in the dialect of `concepts`.

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
    >>> print(write(Context(["cat"], ["purrs"], [[True]])).decode(), end="")
    {
    "objects": ["cat"],
    "properties": ["purrs"],
    "context": [
    [0]
    ]
    }
    """
    refuse_names(context, source, unwritable="[\ud800-\udfff]")
    rows = b",\n".join([dumps(row) for row in row_lists(context)])
    return (
        b'{\n"objects": '
        + dumps(context.objects)
        + b',\n"properties": '
        + dumps(context.attributes)
        + b',\n"context": [\n'
        + rows
        + b"\n]\n}\n"
    )


FORMAT = register(
    Format(
        name="json",
        suffixes=(".json",),
        description="JSON: any of three dialects is read, that of the package concepts written",
        sniff=sniff,
        read=read,
        write=write,
        lines=False,
        notices_cuts=True,
    )
)
