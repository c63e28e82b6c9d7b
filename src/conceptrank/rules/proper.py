"""Proper premises: the canonical direct basis out of minimal generators.

A set P is a proper premise if its closure has attributes that neither P has nor the closure of a
proper subset: the conclusion of P. Such a set is a minimal generator, and so are all its subsets;
so the closures of those with one attribute less are intents of the lattice, looked up among the
generators.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conceptrank import _lists
from conceptrank._lists import Lists, Numbers
from conceptrank.lattice import Lattice
from conceptrank.rules.parts import Part

_CELLS_AT_ONCE = 1 << 24


def proper_premises(
    lattice: Lattice, sets: Lists, sources: Numbers
) -> Iterator[tuple[Part, float]]:
    """Return the rules of proper premises, and how far that has come.

    Parameters
    ----------
    lattice
        The lattice.
    sets, sources
        All minimal generators up to some size of its concepts with some support, and the places
        of the concepts that they generate.
    """
    q = len(lattice.context.attributes)
    sizes = np.diff(sets[0])
    step = max(1, _CELLS_AT_ONCE // max(q, 1))
    places = np.arange(len(sizes))
    for begin in range(0, len(sizes), step):
        some = places[begin : begin + step]
        conclusion = np.zeros((len(some), q), dtype=np.bool_)
        _mark(conclusion, np.arange(len(some)), _intents(lattice, sources[some]), value=True)
        _mark(conclusion, np.arange(len(some)), _lists.take(sets, some), value=False)
        rows, smaller = _without_one(_lists.take(sets, some))
        found = sources[_lists.found_in(smaller, sets)]
        _mark(conclusion, rows, _intents(lattice, found), value=False)
        proper = np.flatnonzero(conclusion.any(axis=1))
        kept, attributes = np.nonzero(conclusion[proper])
        conclusions = (
            _lists.offsets_of(np.bincount(kept, minlength=len(proper))),
            attributes.astype(np.uint32),
        )
        numbers = np.arange(len(proper), dtype=np.uint32)
        concepts = sources[some[proper]]
        premises = _lists.take(sets, some[proper])
        yield (
            Part(premises, concepts, numbers, concepts, conclusions),
            min(begin + step, len(sizes)) / len(sizes),
        )


def _intents(lattice: Lattice, places: Numbers) -> Lists:
    return _lists.take(lattice.intents, places.astype(np.int64))


def _mark(cells: np.ndarray, rows: np.ndarray, columns: Lists, *, value: bool) -> None:
    """Set the cells of some columns in each of the rows."""
    offsets, values = columns
    cells[np.repeat(rows, np.diff(offsets)), values] = value


def _without_one(sets: Lists) -> tuple[np.ndarray, Lists]:
    """Return each set without each of its members, and the numbers of the sets.

    Examples
    --------
    >>> rows, (offsets, values) = _without_one((np.array([0, 2, 2]), np.array([4, 7])))
    >>> rows.tolist(), offsets.tolist(), values.tolist()
    ([0, 0], [0, 1, 2], [7, 4])
    """
    offsets, _ = sets
    sizes = np.diff(offsets)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    dropped = np.arange(len(rows)) - offsets[rows]
    lengths, values = _lists.take(sets, rows)
    places = np.arange(len(values)) - np.repeat(lengths[:-1], np.diff(lengths))
    kept = places != np.repeat(dropped, np.diff(lengths))
    return rows, (_lists.offsets_of(np.maximum(sizes[rows] - 1, 0)), values[kept])
