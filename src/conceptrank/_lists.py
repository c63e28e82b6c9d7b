"""Lists of numbers, one after the other: list i is `values[offsets[i]:offsets[i + 1]]`.

Rows, intents, covers and faces all have this form, and everything here works on all of them at
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Offsets: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.uint32]
Lists: TypeAlias = tuple[Offsets, Numbers]

NO_NUMBERS: Numbers = np.zeros(0, dtype=np.uint32)
NO_NUMBERS.flags.writeable = False


def offsets_of(lengths: NDArray[Any]) -> Offsets:
    """Return where lists of these lengths begin and end.

    Examples
    --------
    >>> offsets_of(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def from_pairs(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> Lists:
    """Return the columns of every row, ascending and each once, from pairs in any order.

    Examples
    --------
    >>> offsets, values = from_pairs(np.array([1, 0, 1, 1]), np.array([2, 0, 1, 2]), (2, 3))
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 3], [0, 1, 2])
    """
    n_rows, n_columns = shape
    if not n_columns:
        return offsets_of(np.zeros(n_rows, dtype=np.int64)), NO_NUMBERS
    keys = np.unique(rows.astype(np.int64) * n_columns + columns.astype(np.int64))
    rows, columns = np.divmod(keys, n_columns)
    return offsets_of(np.bincount(rows, minlength=n_rows)), columns.astype(np.uint32)


def transposed(lists: Lists, n_columns: int) -> Lists:
    """Return the rows of every column.

    Examples
    --------
    >>> offsets, values = transposed((np.array([0, 1, 3]), np.array([0, 0, 2])), 3)
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 2, 3], [0, 1, 1])
    """
    offsets, values = lists
    rows = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))
    lengths = np.bincount(values, minlength=n_columns)
    return offsets_of(lengths), rows[np.argsort(values, kind="stable")]


def take(lists: Lists, order: NDArray[np.int64]) -> Lists:
    """Return the lists with these numbers, in this order.

    Examples
    --------
    >>> offsets, values = take((np.array([0, 2, 2, 3]), np.array([5, 6, 7])), np.array([2, 1, 0]))
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 1, 3], [7, 5, 6])
    """
    offsets, values = lists
    lengths = np.diff(offsets)[order]
    taken = offsets_of(lengths)
    places = np.arange(taken[-1]) + np.repeat(offsets[:-1][order] - taken[:-1], lengths)
    return taken, values[places]


def joined(arrays: Sequence[Numbers]) -> Lists:
    """Return arrays as lists.

    Examples
    --------
    >>> offsets, values = joined([np.array([4], dtype=np.uint32), NO_NUMBERS])
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 1], [4])
    """
    lengths = np.fromiter(map(len, arrays), dtype=np.int64, count=len(arrays))
    return offsets_of(lengths), np.concatenate(arrays) if arrays else NO_NUMBERS


def by_size(lists: Lists) -> list[list[int]]:
    """Return the lists as Python lists, the short ones first, then in the order of their numbers.

    Examples
    --------
    >>> by_size((np.array([0, 2, 4, 5]), np.array([1, 2, 0, 3, 3])))
    [[3], [0, 3], [1, 2]]
    """
    offsets, values = lists[0].tolist(), lists[1].tolist()
    parts = [values[begin:end] for begin, end in pairwise(offsets)]
    return sorted(parts, key=lambda part: (len(part), part))


def labelled(
    families: Iterable[Iterable[int]], labels: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return sets of numbers as sets of names.

    Examples
    --------
    >>> labelled([[0, 2], []], "abc")
    (('a', 'c'), ())
    """
    return tuple(tuple(labels[i] for i in family) for family in families)
