"""Objects with lists of attribute names, shared by OAL, Colibri and ConExp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import offsets_of
from conceptrank.context import Context
from conceptrank.io.tables import Growing, Numbering, sorted_rows
from conceptrank.io.text import refuse_repeats


class NamedLists:
    """The objects of a file and their attributes, which are numbered as they appear.

    Examples
    --------
    >>> lists = NamedLists()
    >>> lists.add("cat", ["purrs", "sleeps", "purrs"], 1)
    >>> lists.add("stone", [], 2)
    >>> context = lists.context()
    >>> context.shape, context.crosses
    ((2, 2), 2)
    """

    def __init__(self) -> None:
        self._objects: list[str] = []
        self._lines = Growing()
        self._attributes = Numbering()
        self._lengths = Growing()
        self._indices = Growing()

    def add(self, name: str, attributes: Sequence[str], line: int) -> None:
        """Add an object; `line` is its line in the file."""
        for attribute in attributes:
            self._indices.append(self._attributes[attribute])
        self._objects.append(name)
        self._lines.append(line)
        self._lengths.append(len(attributes))

    def context(
        self, attributes: Sequence[str] | None = None, numbers: Mapping[str, int] | None = None
    ) -> Context:
        """Return the context; refuse an object that occurs twice.

        Parameters
        ----------
        attributes
            The names of the attributes; those that were added if None.
        numbers
            The number of each attribute that was added among `attributes`.
        """
        refuse_repeats(self._objects, self._lines.array(), "object")
        indices: NDArray[np.integer] = self._indices.array()
        if attributes is None or numbers is None:
            attributes = self._attributes.names()
        else:
            places = np.array([numbers[name] for name in self._attributes], dtype=np.int64)
            indices = places[indices]
        rows = sorted_rows(offsets_of(self._lengths.array()), indices)
        return Context.from_csr(self._objects, attributes, *rows)
