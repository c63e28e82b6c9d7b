"""Objects with lists of attribute names, shared by OAL and Colibri."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from conceptrank._util.lists import offsets_of
from conceptrank.context import Context
from conceptrank.io.tables import Growing, Numbering, sorted_rows
from conceptrank.io.text import refuse_repeats

__all__ = ["NamedLists"]

_ITEMS_AT_ONCE = 1 << 16


class NamedLists:
    """The objects of a file and their attributes, which are numbered as they appear.

    Parameters
    ----------
    source
        The name of the file, for messages.

    Examples
    --------
    >>> lists = NamedLists(None)
    >>> lists.add("cat", ["purrs", "sleeps", "purrs"], 1)
    >>> lists.add("stone", [], 2)
    >>> context = lists.context()
    >>> context.shape, context.crosses
    ((2, 2), 2)
    """

    def __init__(self, source: str | None) -> None:
        self._source = source
        self._objects: list[str] = []
        self._lines: list[int] = []
        self._attributes = Numbering()
        self._lengths: list[int] = []
        self._indices = Growing()
        self._pending: list[int] = []

    def add(self, name: str, attributes: Iterable[str], line: int) -> None:
        """Add an object, which stands on this line."""
        before = len(self._pending)
        self._pending += [self._attributes[attribute] for attribute in attributes]
        self._objects.append(name)
        self._lines.append(line)
        self._lengths.append(len(self._pending) - before)
        if len(self._pending) >= _ITEMS_AT_ONCE:
            self._flush()

    def context(self) -> Context:
        """Return the context; refuse an object that occurs twice."""
        refuse_repeats(self._objects, self._lines, "object", self._source)
        self._flush()
        indptr = offsets_of(np.array(self._lengths, dtype=np.int64))
        rows = sorted_rows(indptr, self._indices.array())
        return Context.from_csr(self._objects, self._attributes.names(), *rows)

    def _flush(self) -> None:
        self._indices.extend(np.array(self._pending, dtype=np.int64))
        self._pending.clear()
