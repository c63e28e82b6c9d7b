"""Monocle-style order: large concepts first that overlap little with others.

The weight that Torim and Lindroos published could not be read. This is a reconstruction from what
is known of it, not their index: it grows with the area that a concept covers, shrinks with the
overlap with others, and never falls when another concept is removed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists
from conceptrank.concepts import Concepts
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import Scores
from conceptrank.measures.registry import measure

# The largest number of cells to hold at once.
_MOST_CELLS = 50_000_000
# Weights that are equal as fractions can differ by rounding.
_ROUNDING = 1e-9


_TORIM = "reconstruction after Torim, Lindroos, Sorting concepts by priority, CLA (2008)"


class Sequence(NamedTuple):
    """The concepts in the order of their removal."""

    concepts: NDArray[np.int64]
    """Their places in the full lattice."""
    weights: Scores
    """The weight of each at that moment; a local maximum marks a kernel."""


@measure(range="[0, n q]", depends=("lattice",), complexity="O(total area)", reference=_TORIM)
def monocle_weight(concepts: Concepts, *, limit: int = 100_000) -> Scores:
    """Return the sum over A × B of 1 / the number of concepts on the cell (a reconstruction).

    The weights of all concepts add up to the number of crosses.

    Parameters
    ----------
    concepts
        The concepts.
    limit
        The largest number of concepts of the context.

    Notes
    -----
    A reconstruction: the published weight could not be read. This is not the index of Torim and
    Lindroos.
    """
    everything, places = concepts.whole(limit)
    _, _, weights = _shared_cells(everything)
    return weights[places]


@measure(
    direction="lower",
    range="1 … number of concepts",
    depends=("lattice",),
    complexity="O(number of concepts · area); a loop over concepts",
    reference=_TORIM,
)
def monocle_order(concepts: Concepts, *, limit: int = 5_000) -> Scores:
    """Return the rank of each concept by repeated removal (a reconstruction); 1 is removed last.

    The concept of the smallest weight is removed again and again, and the weights of those that
    overlap with it grow. Of equal ones the last in the lattice's order is removed first.
    `cr.measures.monocle_sequence(lattice)` gives the sequence and the weights, whose local maxima
    mark kernels.

    Parameters
    ----------
    concepts, limit
        As for `monocle_weight`.

    Notes
    -----
    A reconstruction, as `monocle_weight` is.
    """
    everything, places = concepts.whole(limit)
    order = np.empty(len(everything))
    order[monocle_sequence(everything, limit=limit).concepts] = np.arange(len(everything), 0, -1)
    return order[places]


def monocle_sequence(concepts: Concepts, *, limit: int = 5_000) -> Sequence:
    """Return the order in which concepts are removed, and their weights at that time.

    Parameters
    ----------
    concepts
        A lattice.
    limit
        The largest number of concepts of its context.

    Raises
    ------
    BudgetExceeded
        If there are more.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> order, weights = cr.measures.monocle_sequence(lattice)
    >>> [lattice[i].intent for i in order[-2:]]
    [('adventure', 'criminal', 'drama'), ('adventure', 'criminal')]
    >>> weights[-2:].tolist()
    [6.0, 14.0]
    """
    everything, _ = concepts.whole(limit)
    (offsets, cells), covered, weights = _shared_cells(everything)
    many = len(everything)
    sharing, sharers = _lists.transposed((offsets, cells), len(covered))
    left = np.ones(many, dtype=np.bool_)
    order, removed = np.empty(many, dtype=np.int64), np.empty(many)
    # Every step depends on the one before, so this cannot be vectorised.
    for step in range(many):
        least = weights[left].min()
        lowest = np.flatnonzero(left & (weights <= least + _ROUNDING))[-1]
        order[step], removed[step] = lowest, weights[lowest]
        left[lowest] = False
        own = cells[offsets[lowest] : offsets[lowest + 1]].astype(np.int64)
        # One concept fewer shares these cells: 1/(c - 1) - 1/c more for each of the others.
        gains = 1.0 / (covered[own] * np.maximum(covered[own] - 1, 1))
        covered[own] -= 1
        lists, others = _lists.take((sharing, sharers), own)
        weights += np.bincount(others, np.repeat(gains, np.diff(lists)), minlength=many)
    return Sequence(order, removed)


def _shared_cells(concepts: Concepts) -> tuple[Lists, Scores, Scores]:
    """Return the cells of every concept, the concepts on every cell, and the concepts' weights."""
    offsets, cells = _cells(concepts)
    covered = np.bincount(cells, minlength=concepts.context.crosses).astype(np.float64)
    weights = _lists.reduced(np.add, (offsets, 1.0 / covered[cells]), empty=0)
    return (offsets, cells), covered, weights


def _cells(concepts: Concepts) -> Lists:
    """Return the numbers of the crosses that every concept covers."""
    area = int((concepts.supports * concepts.intent_sizes).sum())
    if area > _MOST_CELLS:
        raise BudgetExceeded(
            f"the concepts cover {area:,} cells together, more than the {_MOST_CELLS:,} that "
            "a Monocle-style order can hold"
        )
    starts, attributes = concepts.context.repeated().rows()
    offsets, intents = concepts.intents
    q = concepts.context.shape[1]
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    numbers = rows * q + attributes
    found = []
    for part, (begins, objects) in concepts.extents(copies=True):
        lengths = np.diff(offsets)[part]
        heights = np.diff(begins)
        # Every object of an extent with every attribute of the intent.
        own = np.repeat(np.arange(part.start, part.stop), heights)
        _, columns = _lists.take((offsets, intents), own)
        cells = np.repeat(objects.astype(np.int64), np.repeat(lengths, heights)) * q + columns
        found.append(np.searchsorted(numbers, cells).astype(np.uint32))
    sizes = concepts.supports * concepts.intent_sizes
    return _lists.offsets_of(sizes), np.concatenate(found) if found else _lists.NO_NUMBERS
