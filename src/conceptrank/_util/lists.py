"""Lists of numbers, one after the other: list i is `values[offsets[i]:offsets[i + 1]]`.

Rows, intents, covers and faces all have this form, and everything here works on all of them at
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core

Offsets: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.uint32]
Lists: TypeAlias = tuple[Offsets, Numbers]

NO_NUMBERS: Numbers = np.zeros(0, dtype=np.uint32)
NO_NUMBERS.flags.writeable = False


def of_core(lists: Lists) -> Lists:
    """Return lists of the core, whose offsets then have NumPy's own type of integers.

    Examples
    --------
    >>> of_core((np.array([0, 1]), np.array([3], dtype=np.uint32)))[0]
    array([0, 1])
    """
    return lists[0].view(np.int64), lists[1]


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
    n_rows, n_columns = shape[0], max(shape[1], 1)
    # In place, because there may be many pairs.
    keys = rows.astype(np.int64)
    keys *= n_columns
    keys += columns.astype(np.int64, copy=False)
    keys.sort()
    first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    keys = keys[first]
    offsets = np.searchsorted(keys, np.arange(n_rows + 1, dtype=np.int64) * n_columns)
    return offsets.astype(np.int64), (keys % n_columns).astype(np.uint32)


def from_marks(marks: NDArray[np.bool_]) -> Lists:
    """Return the columns of the marks in every row.

    Examples
    --------
    >>> offsets, values = from_marks(np.array([[True, False], [True, True]]))
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 3], [0, 0, 1])
    """
    # Several times faster than np.nonzero, which also lists the rows.
    columns = np.broadcast_to(np.arange(marks.shape[1], dtype=np.uint32), marks.shape)
    return offsets_of(np.count_nonzero(marks, axis=1)), columns[marks]


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


def renumbered(lists: Lists, places: Numbers) -> Lists:
    """Return lists in other numbers, ascending, each once.

    Parameters
    ----------
    lists
        The lists.
    places
        The new number of each number. Numbers beyond its end, and those whose new number is
        2^32 - 1, are left out.

    Examples
    --------
    >>> lists = np.array([0, 2, 5]), np.array([0, 1, 2, 0, 0], dtype=np.uint32)
    >>> offsets, values = renumbered(lists, np.array([7, 3, 2**32 - 1], dtype=np.uint32))
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 3], [3, 7, 7])
    """
    return _core.renumbered(lists, places)


def occurrences(lists: Lists, weights: NDArray[np.uint32], least: int = 0) -> NDArray[np.int64]:
    """Return how often each number occurs in lists that count several times.

    Parameters
    ----------
    lists
        The lists. The number 2^32 - 1 is left out.
    weights
        How often each list counts.
    least
        The result has at least so many entries.

    Examples
    --------
    >>> lists = np.array([0, 2, 3]), np.array([0, 2, 2], dtype=np.uint32)
    >>> occurrences(lists, np.array([1, 5], dtype=np.uint32)).tolist()
    [1, 0, 6]
    """
    found = _core.occurrences(lists, weights)
    return np.pad(found, (0, max(0, least - len(found))))


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


def stacked(parts: Sequence[Lists]) -> Lists:
    """Return the lists of all parts, one after the other.

    Examples
    --------
    >>> one = np.array([0, 1]), np.array([7], dtype=np.uint32)
    >>> offsets, values = stacked([one, (np.array([0, 2]), np.arange(2, dtype=np.uint32))])
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 3], [7, 0, 1])
    """
    lengths = [np.diff(offsets) for offsets, _ in parts]
    values = [numbers for _, numbers in parts]
    return (
        offsets_of(np.concatenate(lengths) if parts else np.zeros(0)),
        np.concatenate(values) if parts else NO_NUMBERS,
    )


def at(lists: Lists, place: int) -> Numbers:
    """Return one of the lists.

    Examples
    --------
    >>> at((np.array([0, 2, 3]), np.array([4, 7, 1], dtype=np.uint32)), 0).tolist()
    [4, 7]
    """
    offsets, values = lists
    return values[offsets[place] : offsets[place + 1]]


def each(lists: Lists) -> Iterator[Numbers]:
    """Iterate over the lists.

    Examples
    --------
    >>> [one.tolist() for one in each((np.array([0, 2, 3]), np.array([4, 7, 1], dtype=np.uint32)))]
    [[4, 7], [1]]
    """
    offsets, values = lists
    return (values[begin:end] for begin, end in pairwise(offsets.tolist()))


def section(lists: Lists, begin: int, end: int) -> Lists:
    """Return the lists from one place up to another, without a copy of the values.

    Examples
    --------
    >>> lists = np.array([0, 2, 3, 5]), np.array([4, 7, 1, 2, 6], dtype=np.uint32)
    >>> offsets, values = section(lists, 1, 3)
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 3], [1, 2, 6])
    """
    offsets, values = lists
    ends = offsets[begin : end + 1]
    return ends - ends[0], values[ends[0] : ends[-1]]


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


def reduced(
    operation: np.ufunc, lists: tuple[Offsets, NDArray[Any]], *, empty: float
) -> NDArray[Any]:
    """Return each list reduced by an operation such as `np.add`; `empty` for empty lists.

    Examples
    --------
    >>> reduced(np.add, (np.array([0, 2, 2, 3]), np.array([1.5, 2.0, 4.0])), empty=0)
    array([3.5, 0. , 4. ])
    """
    offsets, values = lists
    result = np.full((len(offsets) - 1, *values.shape[1:]), empty, dtype=values.dtype)
    # A list ends where the next list that is not empty begins.
    some = np.diff(offsets) > 0
    if some.any():
        result[some] = operation.reduceat(values, offsets[:-1][some], axis=0)
    return result


def distinct(lists: Lists) -> tuple[Lists, NDArray[np.int64]]:
    """Return the different lists, and for each of these lists its place among them.

    Examples
    --------
    >>> lists = np.array([0, 2, 3, 5, 5]), np.array([1, 2, 7, 1, 2], dtype=np.uint32)
    >>> (offsets, values), places = distinct(lists)
    >>> offsets.tolist(), values.tolist(), places.tolist()
    ([0, 0, 1, 3], [7, 1, 2], [2, 1, 2, 0])
    """
    offsets, values = lists
    lengths = np.diff(offsets)
    places = np.zeros(len(lengths), dtype=np.int64)
    firsts: list[NDArray[np.int64]] = []
    known = 0
    for length in np.unique(lengths).tolist():
        of_length = np.flatnonzero(lengths == length)
        if length == 0:
            first, place = np.zeros(1, dtype=np.int64), np.zeros(len(of_length), dtype=np.int64)
        else:
            rows = values[offsets[of_length][:, None] + np.arange(length)]
            keys = rows.view(np.dtype((np.void, rows.itemsize * length))).reshape(-1)
            _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        places[of_length] = known + place
        firsts.append(of_length[first])
        known += len(first)
    order = np.concatenate(firsts) if firsts else np.zeros(0, dtype=np.int64)
    return take(lists, order), places


def found_in(lists: Lists, others: Lists) -> NDArray[np.int64]:
    """Return the place of each list among others, which are distinct, or -1.

    Examples
    --------
    >>> others = np.array([0, 1, 1]), np.array([7], dtype=np.uint32)
    >>> found_in((np.array([0, 0, 1, 2]), np.array([8, 7], dtype=np.uint32)), others).tolist()
    [1, -1, 0]
    """
    # Only others with the length of some list can be found.
    n = len(lists[0]) - 1
    wanted = np.isin(np.diff(others[0]), np.diff(lists[0]))
    candidates = np.flatnonzero(wanted)
    offsets, values = take(others, candidates)
    both = np.append(lists[0], lists[0][-1] + offsets[1:]), np.append(lists[1], values)
    different, places = distinct(both)
    where = np.full(len(different[0]) - 1, -1, dtype=np.int64)
    where[places[n:]] = candidates
    return where[places[:n]]


def merged(
    first: tuple[Offsets, NDArray[Any]], second: tuple[Offsets, NDArray[Any]]
) -> tuple[Offsets, NDArray[Any]]:
    """Return lists in which those of the second follow those of the first.

    Examples
    --------
    >>> offsets, values = merged((np.array([0, 2, 3]), np.arange(3)), (np.array([0, 1, 1]), [9]))
    >>> offsets.tolist(), values.tolist()
    ([0, 3, 4], [0, 1, 9, 2])
    """
    lengths = [np.diff(offsets) for offsets, _ in (first, second)]
    owners = np.concatenate([np.repeat(np.arange(len(each)), each) for each in lengths])
    values = np.concatenate((first[1], second[1]))[np.argsort(owners, kind="stable")]
    return offsets_of(lengths[0] + lengths[1]), values


def sums_above(sets: Lists, lower: Lists, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over all proper subsets of each set, in a family closed under intersection.

    For one element j after the other, the sum at a set X is added to the smallest set of the family
    that contains X and j, unless this set has elements before j that X lacks. So the value of a
    subset reaches every set above it in exactly one way, as in prefix sums of several dimensions.

    Parameters
    ----------
    sets
        The family; a set comes after its subsets.
    lower
        The places of the smallest proper supersets of each set.
    values
        The values to add up: one row per set.

    Examples
    --------
    >>> sets = np.array([0, 0, 1, 2, 5]), np.array([0, 1, 0, 1, 2], dtype=np.uint32)
    >>> lower = np.array([0, 2, 3, 4, 4]), np.array([1, 2, 3, 3], dtype=np.uint32)
    >>> sums_above(sets, lower, np.array([[8.0], [4.0], [2.0], [1.0]])).ravel()
    array([ 0.,  8.,  8., 14.])
    """
    n = len(values)
    holders, places = transposed(sets, int(sets[1].max(initial=0)) + 1)
    levels = _levels(lower)
    sums, before = np.zeros_like(values), np.zeros(n + 1, dtype=np.int64)
    for begin, end in pairwise(holders.tolist()):
        inside = places[begin:end]
        if not len(inside):
            continue
        # The smallest set that holds each set and this element: itself, or the first in order
        # among those of its lower covers. n means none.
        least = np.full(n + 1, n, dtype=np.int64)
        least[inside] = inside
        for nodes, starts, covers in levels:
            least[nodes] = np.minimum(least[nodes], np.minimum.reduceat(least[covers], starts))
        least = least[:n]
        moves = np.flatnonzero(
            (least != np.arange(n)) & (least < n) & (before[:n] == before[least])
        )
        moving = (sums + values)[moves]
        for column in range(values.shape[1]):
            sums[:, column] += np.bincount(least[moves], moving[:, column], minlength=n)
        before[inside] += 1
    return sums


def _levels(lower: Lists) -> list[tuple[NDArray[np.int64], NDArray[np.int64], Numbers]]:
    """Return the nodes with covers, so that covers come first: nodes, and lists of their covers."""
    offsets, values = lower
    heights = np.zeros(len(offsets) - 1, dtype=np.int64)
    while True:
        raised = reduced(np.maximum, (offsets, heights[values] + 1), empty=0)
        if np.array_equal(raised, heights):
            break
        heights = raised
    levels = []
    for height in range(1, int(heights.max(initial=0)) + 1):
        nodes = np.flatnonzero(heights == height)
        starts, covers = take(lower, nodes)
        levels.append((nodes, starts[:-1], covers))
    return levels
