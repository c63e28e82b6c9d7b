"""Rows of a context from marks, pairs and lists of numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from conceptrank.context import Context
from conceptrank.convert import lists

__all__ = [
    "Growing",
    "Numbering",
    "Rows",
    "mark_slices",
    "row_lists",
    "rows_from_marks",
    "rows_from_pairs",
    "sorted_rows",
]

Rows = tuple[NDArray[np.int64], NDArray[np.uint32]]

_CELLS_AT_ONCE = 1 << 24


class Growing:
    """Numbers below 2³² that are collected in pieces, four bytes each.

    Examples
    --------
    >>> numbers = Growing()
    >>> numbers.extend(np.array([1, 2]))
    >>> numbers.extend(np.array([], dtype=np.int64))
    >>> numbers.extend(np.array([7], dtype=np.uint32))
    >>> numbers.array().tolist()
    [1, 2, 7]
    """

    def __init__(self) -> None:
        # A bytearray can grow in place, where joining arrays would hold everything twice.
        self._bytes = bytearray()

    def extend(self, numbers: NDArray[np.integer]) -> None:
        """Add numbers at the end."""
        self._bytes += np.ascontiguousarray(numbers, dtype=np.uint32).tobytes()

    def __len__(self) -> int:
        return len(self._bytes) // 4

    def array(self) -> NDArray[np.uint32]:
        """Return all of them; nothing can be added afterwards."""
        return np.frombuffer(self._bytes, dtype=np.uint32)


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
        """Return the names in their order; the numbers are gone afterwards, for their memory."""
        names = list(self)
        self.clear()
        return names


def sorted_rows(indptr: NDArray[np.int64], indices: NDArray[np.integer]) -> Rows:
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
    q = int(indices.max()) + 1
    keys = np.repeat(np.arange(n, dtype=np.int64) * q, np.diff(indptr)) + indices
    return _rows_of_keys(keys, n, q)


def rows_from_pairs(
    objects: NDArray[np.integer], attributes: NDArray[np.integer], n: int, q: int
) -> Rows:
    """Return the rows that pairs of an object number and an attribute number make.

    Parameters
    ----------
    objects, attributes
        The pairs, in any order and any number of times.
    n, q
        How many objects and attributes there are.

    Examples
    --------
    >>> indptr, indices = rows_from_pairs(np.array([1, 0, 1]), np.array([2, 0, 0]), 2, 3)
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 3], [0, 0, 2])
    """
    return _rows_of_keys(objects.astype(np.int64) * max(q, 1) + attributes, n, max(q, 1))


def _rows_of_keys(keys: NDArray[np.int64], n: int, q: int) -> Rows:
    """Return the rows of crosses that are numbered through, row by row, q numbers each."""
    keys.sort()
    first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    keys = keys[first]
    indptr = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * q).astype(np.int64)
    return indptr, (keys % q).astype(np.uint32)


def rows_from_marks(marks: NDArray[np.bool_]) -> Rows:
    """Return a table of marks as compressed rows, (indptr, indices).

    Examples
    --------
    >>> indptr, indices = rows_from_marks(np.array([[True, False], [True, True]]))
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 3], [0, 0, 1])
    """
    n, q = marks.shape
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(marks, axis=1), out=indptr[1:])
    indices = np.empty(int(indptr[-1]), dtype=np.uint32)
    # In slices: the positions that NumPy returns take eight bytes per cross.
    step = max(1, _CELLS_AT_ONCE // max(q, 1))
    for start in range(0, n, step):
        stop = min(start + step, n)
        indices[indptr[start] : indptr[stop]] = np.nonzero(marks[start:stop])[1]
    return indptr, indices


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
        marks = np.zeros((len(ends) - 1, q), dtype=np.bool_)
        rows = np.repeat(np.arange(len(marks)), np.diff(ends))
        marks[rows, indices[ends[0] : ends[-1]]] = True
        yield marks


def row_lists(context: Context) -> Iterator[list[int]]:
    """Yield the numbers of the attributes that each object has.

    Examples
    --------
    >>> list(row_lists(Context("gh", "ab", [[False, True], [True, True]])))
    [[1], [0, 1]]
    """
    return lists(context.rows())
