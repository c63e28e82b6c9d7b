"""Order and ties: from scores to levels, and from levels to ranks.

The level of a score is the number of better scores, each counted once. Everything that looks at
the order of scores and not at their values (ranks, ties, rank correlations) starts from levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.rounding import ROUNDING, same
from conceptrank._util.text import counted
from conceptrank.errors import MeasureError, checked_choice
from conceptrank.faces import Scores

TieMode: TypeAlias = Literal["dense", "min", "max", "average"]
Levels: TypeAlias = NDArray[np.int64]
Ranks: TypeAlias = NDArray[np.int64] | NDArray[np.float64]

# An exact score has an error of at most this much.
SCORE_ERROR = 1e-12


def checked_ties(ties: str) -> TieMode:
    """Return how to rank ties if it is a way to do so."""
    mode: TieMode = checked_choice("ties", ties, TieMode, MeasureError)
    return mode


def levels(scores: Scores, *, descending: bool, error: float = 0.0) -> Levels:
    """Return the level of every score, 0 for the best; NaN has the last level.

    Parameters
    ----------
    scores
        The scores.
    descending
        Whether large ones are the better ones.
    error
        Scores that differ by no more are equal, as are those that differ by rounding.

    Examples
    --------
    >>> levels(np.array([0.3, np.nan, 0.5, 0.1 + 0.2, np.inf]), descending=True).tolist()
    [2, 3, 1, 2, 0]
    """
    keys = -scores if descending else scores
    places = np.argsort(keys, kind="stable")
    result = np.zeros(len(keys), dtype=np.int64)
    result[places[1:]] = np.cumsum(_begins(keys[places], error))
    return result


def _begins(ascending: Scores, error: float) -> NDArray[np.bool_]:
    """Return for all but the first of sorted numbers whether it begins a new level."""
    before, after = ascending[:-1], ascending[1:]
    differs: NDArray[np.bool_] = (before != after) & ~(np.isnan(before) & np.isnan(after))
    close = np.flatnonzero(differs & same(before, after, error))
    if not len(close):
        return differs
    # Many small steps would add up to a large one, so each is measured from where its level began.
    differs[close] = False
    firsts = np.maximum.accumulate(np.where(differs, np.arange(1, len(ascending)), 0))
    # Nearly always, all numbers of a close group are close to its first one.
    starts = firsts[close]
    ends = close[np.append(starts[1:] != starts[:-1], True)]
    wide = ~same(ascending[firsts[ends]], ascending[ends + 1], error)
    close = close[np.isin(starts, firsts[ends[wide]])]
    begun = 0
    values = zip(close.tolist(), firsts[close].tolist(), ascending[close + 1].tolist(), strict=True)
    for place, start, value in values:
        first = float(ascending[max(begun, start)])
        if abs(value - first) > max(ROUNDING * max(abs(value), abs(first)), error):
            differs[place] = True
            begun = place + 1
    return differs


def dense(levels: Levels) -> Levels:
    """Return levels without gaps, in the same order.

    Examples
    --------
    >>> dense(np.array([4, 0, 7, 4])).tolist()
    [1, 0, 2, 1]
    """
    used = np.bincount(levels) > 0
    return (np.cumsum(used) - 1)[levels]


def joint(levels: Sequence[Levels]) -> Levels:
    """Return the levels of several orders at once: each breaks the ties of those before it.

    Examples
    --------
    >>> joint([np.array([0, 0, 1]), np.array([1, 0, 0])]).tolist()
    [1, 0, 2]
    """
    first, *others = levels
    for second in others:
        # Levels are smaller than the number of scores, so that two of them fit into one number.
        places = np.argsort(first * (second.max(initial=0) + 1) + second, kind="stable")
        begins = (np.diff(first[places]) != 0) | (np.diff(second[places]) != 0)
        first = np.zeros(len(places), dtype=np.int64)
        first[places[1:]] = np.cumsum(begins)
    return first


def ranks(levels: Levels, ties: TieMode = "dense") -> Ranks:
    """Return a rank for every level, 1 for the best.

    Parameters
    ----------
    levels
        Levels without gaps, in any order.
    ties
        What equal levels share: the number of levels up to theirs (`"dense"`), or the first, the
        last or the mean of the places that they take together.

    Examples
    --------
    >>> [ranks(np.array([0, 1, 1, 2]), ties).tolist() for ties in ("dense", "min", "max")]
    [[1, 2, 2, 3], [1, 2, 2, 4], [1, 3, 3, 4]]
    >>> ranks(np.array([0, 1, 1, 2]), "average").tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    if ties == "dense":
        return levels + 1
    sizes = np.bincount(levels)
    last = np.cumsum(sizes)
    first = last - sizes + 1
    by_level: dict[str, Ranks] = {"min": first, "max": last, "average": (first + last) / 2}
    return by_level[ties][levels]


@dataclass(frozen=True, eq=False)
class Ties:
    """How well scores distinguish concepts.

    Parameters
    ----------
    sizes
        How many concepts share each of the different scores, the best score first.
    unbroken
        The ties that there were before other measures broke some; None if none was to do so.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ties = cr.datasets.load("movies").lattice().rank(by="cr").ties
    >>> print(ties)
    8 different scores, 12 of 20 concepts share the first rank, 2 ties of 2 to 12 concepts
    >>> ties.sizes.tolist()
    [12, 2, 1, 1, 1, 1, 1, 1]
    """

    sizes: NDArray[np.int64]
    unbroken: Ties | None = None

    @classmethod
    def of(cls, levels: Levels, *, unbroken: Ties | None = None) -> Ties:
        """Return the ties of levels."""
        return cls(np.bincount(levels).astype(np.int64), unbroken)

    @property
    def concepts(self) -> int:
        """The number of concepts."""
        return int(self.sizes.sum())

    @property
    def distinct(self) -> int:
        """The number of different scores."""
        return len(self.sizes)

    @property
    def first(self) -> int:
        """The number of concepts that share the best score."""
        return int(self.sizes[0]) if len(self.sizes) else 0

    @property
    def largest(self) -> int:
        """The largest number of concepts that share a score."""
        return int(self.sizes.max(initial=0))

    @property
    def groups(self) -> int:
        """The number of scores that more than one concept has."""
        return int((self.sizes > 1).sum())

    @property
    def tied(self) -> int:
        """The number of concepts that share their score with another one."""
        return int(self.sizes[self.sizes > 1].sum())

    def __str__(self) -> str:
        parts = [counted(self.distinct, "different score")]
        if self.first > 1:
            parts.append(f"{self.first:,} of {self.concepts:,} concepts share the first rank")
        if self.groups:
            smallest = int(self.sizes[self.sizes > 1].min())
            span = f"{smallest:,} to " if smallest < self.largest else ""
            number = counted(self.groups, "tie")
            parts.append(f"{number} of {span}{self.largest:,} concepts")
        return ", ".join(parts)
