"""Rows of a context: `Growing`, `Numbering`, `NamedLists`, `sorted_rows`, `mark_slices`."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import Lists, from_pairs, offsets_of
from conceptrank.context import Context
from conceptrank.convert import to_numpy
from conceptrank.io.text import refuse_repeats

_CELLS_AT_ONCE = 1 << 24


class Growing:
    """Numbers below 2³² that are collected in pieces, four bytes each.

    Examples
    --------
    >>> numbers = Growing()
    >>> numbers.extend(np.array([1, 2]))
    >>> numbers.extend([])
    >>> numbers.append(7)
    >>> numbers.array().tolist()
    [1, 2, 7]
    """

    def __init__(self) -> None:
        # It grows in place; joining arrays of NumPy would need twice the memory.
        self._numbers = array("I")
        self.append: Callable[[int], None] = self._numbers.append

    def extend(self, numbers: Sequence[int] | NDArray[np.integer]) -> None:
        """Add numbers at the end."""
        if isinstance(numbers, np.ndarray):
            self._numbers.frombytes(np.ascontiguousarray(numbers, dtype=np.uint32).tobytes())
        else:
            self._numbers.extend(numbers)

    def array(self) -> NDArray[np.uint32]:
        """Return all of them; nothing can be added afterwards."""
        return np.frombuffer(self._numbers, dtype=np.uint32)


class Numbering(dict[str, int]):
    """Numbers for names, in the order in which they are first used.

    Examples
    --------
    >>> numbers = Numbering()
    >>> [numbers[name] for name in ("tea", "milk", "tea")], list(numbers)
    ([0, 1, 0], ['tea', 'milk'])
    """

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    def names(self) -> list[str]:
        """Return the names in their order, and forget the numbers to free memory."""
        names = list(self)
        self.clear()
        return names


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


def mark_slices(context: Context) -> Iterator[NDArray[np.bool_]]:
    """Yield the table of a context, one row per object, in slices that fit the memory.

    Examples
    --------
    >>> [marks.tolist() for marks in mark_slices(Context(["g"], ["a", "b"], [[False, True]]))]
    [[[False, True]]]
    """
    n, q = context.shape
    indptr, indices = context.rows()
    step = max(1, _CELLS_AT_ONCE // max(q, 1))
    for start in range(0, n, step):
        ends = indptr[start : start + step + 1]
        yield to_numpy((ends - ends[0], indices[ends[0] : ends[-1]]), q)
