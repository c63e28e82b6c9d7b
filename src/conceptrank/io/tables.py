"""Contexts from rows: `NamedLists`, `from_lists`, `sorted_rows`; `choose_context` among several."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import Lists, from_pairs, offsets_of
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.text import refuse_repeats

_MOST_LISTED = 20
Part = TypeVar("Part")


def sorted_rows(indptr: NDArray[np.int64], indices: NDArray[np.integer]) -> Lists:
    """Return the rows with ascending indices and no index twice.

    Examples
    --------
    >>> indptr, indices = sorted_rows(np.array([0, 3, 4]), np.array([5, 2, 5, 0]))
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 3], [2, 5, 0])
    """
    starts = np.zeros(len(indices) + 1, dtype=np.bool_)
    starts[indptr] = True
    ascending = starts[:-1].copy()
    ascending[1:] |= indices[1:] > indices[:-1]
    if ascending.all():
        return indptr, indices.astype(np.uint32, copy=False)
    n = len(indptr) - 1
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(indptr))
    return from_pairs(rows, indices, (n, int(indices.max()) + 1))


def from_lists(
    objects: Iterable[object], attributes: Sequence[str], rows: Iterable[Sequence[int]]
) -> Context:
    """Return the context whose objects have the attributes of these numbers."""
    lists = NamedLists()
    for row in rows:
        lists.add_numbers(row)
    return lists.context(objects, attributes)


class NamedLists:
    """The objects of a file and their attributes, which are numbered as they appear.

    Examples
    --------
    >>> lists = NamedLists()
    >>> lists.add(["purrs", "sleeps", "purrs"], "cat", 1)
    >>> lists.add([], "stone", 2)
    >>> context = lists.context()
    >>> context.shape, context.crosses
    ((2, 2), 2)
    """

    def __init__(self) -> None:
        self._objects: list[str] = []
        self._attributes: dict[str, int] = {}
        # Four bytes each, and they grow in place.
        self._lines, self._lengths, self._indices = array("I"), array("I"), array("I")

    def add(self, attributes: Sequence[str], name: str | None = None, line: int = 0) -> None:
        """Add an object, which is numbered if it has no name; `line` is its line in the file."""
        known = self._attributes
        self.add_numbers([known.setdefault(each, len(known)) for each in attributes])
        if name is not None:
            self._objects.append(name)
            self._lines.append(line)

    def add_numbers(self, attributes: Sequence[int]) -> None:
        """Add an object that has the attributes of these numbers."""
        self._indices.extend(attributes)
        self._lengths.append(len(attributes))

    def context(
        self, objects: Iterable[object] | None = None, attributes: Sequence[str] | None = None
    ) -> Context:
        """Return the context, with other names if some are given; refuse a repeated object."""
        refuse_repeats(self._objects, self._lines, "object")
        if objects is None:
            objects = self._objects or range(1, len(self._lengths) + 1)
        offsets = offsets_of(np.frombuffer(self._lengths, dtype=np.uint32))
        rows = sorted_rows(offsets, np.frombuffer(self._indices, dtype=np.uint32))
        return Context.from_csr(objects, attributes or list(self._attributes), *rows)


def choose_context(parts: Sequence[tuple[str, int, Part]], wanted: str | int | None) -> Part:
    """Return the one part that there is, or the one that is wanted.

    Parameters
    ----------
    parts
        What the file holds: the label and the line of each part, and the part.
    wanted
        The label of the one to take, or None if there is only one.

    Raises
    ------
    FormatError
        If the choice is not unique; the message lists the contexts.

    Examples
    --------
    >>> choose_context([("0", 1, "first"), ("1", 9, "second")], 1)
    'second'
    """
    if not parts:
        raise FormatError("holds no context", hint="is it the right file?")
    fitting = [part for part in parts if wanted is None or part[0] == str(wanted)]
    if len(fitting) == 1:
        return fitting[0][2]
    if fitting and wanted is not None:
        reason = f"a second context is called {str(wanted)!r}"
        raise FormatError(reason, line=fitting[1][1], hint="give them different names")
    labels = " or ".join(repr(label) for label, _, _ in parts[:_MOST_LISTED])
    holds = f"{len(parts)} contexts" if wanted is None else f"no context {str(wanted)!r}"
    raise FormatError(f"holds {holds}", hint=f"choose context={labels}")
