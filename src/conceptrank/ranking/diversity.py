"""Rows of a ranking that overlap little: high scores, each covering something else.

Greedy, after the maximal marginal relevance of Carbonell and Goldstein (1998): the next row is the
one with the largest

    score × (1 - its largest overlap with a row picked before).

Overlap is the Jaccard index of what two concepts cover, their objects or their crosses. Counting
what is newly covered, as the greedy algorithm of maximum coverage does, fails in a lattice:
the top concept has all objects, so that nothing would be new below it.

An overlap can only grow when rows are picked, so that an old value of a row is a bound of its new
one, and most rows are never looked at again (lazy greedy, Minoux 1978).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists, Numbers
from conceptrank._util.rounding import ROUNDING
from conceptrank.budget import Watch
from conceptrank.errors import MeasureError, checked_choice
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice

Overlap: TypeAlias = Literal["extent", "cells"]

_FIRST_LOOK = 32
_LARGEST_LOOK = 4096


@dataclass(frozen=True, eq=False)
class Selection:
    """How far the rows of a diverse ranking cover the context, and overlap.

    Parameters
    ----------
    overlap
        What counts as covered: the objects (`"extent"`) or the crosses (`"cells"`).
    covered
        How many of them the rows up to each one cover together.
    total
        How many there are in the context.
    overlaps
        For each row its largest overlap with a row before it.
    stopped
        What ended the search early: `"seconds"` or `"cancelled"`; empty if nothing did.

    Examples
    --------
    >>> import conceptrank as cr
    >>> print(cr.datasets.load("movies").lattice().rank(by="cr").diverse(3).selection)
    covering 10 of 11 objects, overlaps up to 0.11
    """

    overlap: Overlap
    covered: NDArray[np.int64]
    total: int
    overlaps: Scores
    stopped: str = ""

    def top(self, k: int) -> Selection:
        """Return the same for the first k rows."""
        return replace(self, covered=self.covered[:k], overlaps=self.overlaps[:k])

    def __str__(self) -> str:
        covered = int(self.covered[-1]) if len(self.covered) else 0
        what = "objects" if self.overlap == "extent" else "crosses"
        largest = f"{self.overlaps.max(initial=0):.2g}"
        return f"covering {covered:,} of {self.total:,} {what}, overlaps up to {largest}"


def worths(scores: Scores, *, descending: bool) -> Scores:
    """Return scores as numbers from 0 to 1 that can be multiplied.

    Scores of which large ones are better and none is negative are divided by the largest; others
    are counted from the worst to the best. NaN is worth nothing.

    Examples
    --------
    >>> worths(np.array([0.1, 0.5, np.nan]), descending=True).tolist()
    [0.2, 1.0, 0.0]
    >>> worths(np.array([-1.0, 1.0, -np.inf]), descending=False).tolist()
    [1.0, 0.0, 1.0]
    """
    worth = np.where(scores == (np.inf if descending else -np.inf), 1.0, 0.0)
    finite = np.isfinite(scores)
    known = scores[finite] if descending else -scores[finite]
    if not len(known):
        return worth
    worst, best = min(float(known.min()), 0.0 if descending else np.inf), float(known.max())
    if best > worst:
        # Halved, as the difference of two doubles can be beyond all doubles.
        worth[finite] = (known / 2 - worst / 2) / (best / 2 - worst / 2)
    elif best or not descending:
        worth[finite] = 1.0
    return worth


@dataclass
class _Picked:
    """What the rows picked so far cover."""

    objects: list[NDArray[np.bool_ | np.int64]] = field(default_factory=list)
    attributes: list[NDArray[np.bool_]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    covered: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.sizes)


def pick(
    lattice: Lattice,
    places: NDArray[np.int64],
    values: Scores,
    k: int,
    overlap: str = "extent",
    *,
    watch: Watch | None = None,
) -> tuple[NDArray[np.int64], Selection]:
    """Return which rows to pick, in the order of picking.

    Parameters
    ----------
    lattice
        The lattice.
    places
        The places of the rows' concepts in it.
    values
        What the rows are worth, from 0 to 1.
    k
        How many to pick at most. Rows that are worth nothing or cover nothing are never picked.
    overlap
        What counts as covered.
    watch
        Ends the search early; then fewer rows are picked, at least the first.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> rows, selection = pick(lattice, np.arange(20), lattice.score("cr"), k=3)
    >>> [lattice[i].intent for i in rows.tolist()]
    [('adventure',), ('comedy', 'drama'), ('action', 'drama')]
    """
    checked_choice("overlap", overlap, Overlap, MeasureError)
    watch = watch or Watch()
    search = _Search(lattice, places, values, cells=overlap == "cells", watch=watch)
    rows: list[int] = []
    while len(rows) < k and (row := search.best()) is not None:
        rows.append(row)
        search.take(row)
    total = lattice.context.crosses if overlap == "cells" else lattice.context.shape[0]
    return np.array(rows, dtype=np.int64), Selection(
        "cells" if overlap == "cells" else "extent",
        np.array(search.picked.covered, dtype=np.int64),
        total,
        search.overlaps[rows],
        watch.stopped,
    )


@dataclass(eq=False)
class _Search:
    """The rows, with a bound of the gain of each."""

    lattice: Lattice
    places: NDArray[np.int64]
    values: Scores
    cells: bool
    watch: Watch

    def __post_init__(self) -> None:
        self.intents = _lists.take(self.lattice.intents, self.places)
        self.sizes = self.lattice.supports[self.places]
        if self.cells:
            self.sizes = self.sizes * np.diff(self.intents[0])
        self.picked = _Picked()
        self.overlaps = np.zeros(len(self.places))
        # How many of the rows picked each row was compared with.
        self.compared = np.zeros(len(self.places), dtype=np.int64)
        self.gains = np.where(self.sizes > 0, self.values, 0.0)
        self.columns: dict[int, NDArray[np.bool_]] = {}

    def best(self) -> int | None:
        """Return the first row with the largest gain, or None."""
        largest, many = 0.0, _FIRST_LOOK
        # The first row is compared with nothing.
        while not len(self.picked) or not self.watch.interrupted():
            threshold = max(largest * (1 - ROUNDING), np.nextafter(0, 1))
            promising = self.gains >= threshold
            stale = np.flatnonzero(promising & (self.compared < len(self.picked)))
            if not len(stale):
                rows = np.flatnonzero(promising & (self.compared == len(self.picked)))
                if not len(rows):
                    return None
                top = float(self.gains[rows].max())
                return int(rows[self.gains[rows] >= top * (1 - ROUNDING)][0])
            if len(stale) > many:
                stale = stale[np.argpartition(-self.gains[stale], many - 1)[:many]]
            self._compare(stale)
            largest = max(largest, float(self.gains[stale].max()))
            many = min(2 * many, _LARGEST_LOOK)
        return None

    def take(self, row: int) -> None:
        """Pick a row."""
        extent, intent = self._extents(np.array([row]))[1], _lists.at(self.intents, row)
        context = self.lattice.context
        members = _mask(extent, len(context.object_names))
        # Objects count with their weights.
        self.picked.objects.append(members * context.weights if context.weighted else members)
        self.picked.attributes.append(_mask(intent, len(context.attributes)))
        self.picked.sizes.append(int(self.sizes[row]))
        covered = self.picked.covered[-1] if self.picked.covered else 0
        self.picked.covered.append(covered + self._newly_covered(extent, intent))
        self.gains[row] = 0.0

    def _compare(self, rows: NDArray[np.int64]) -> None:
        """Bring the gains of some rows up to date."""
        # Rows that were compared with a pick come before those that were not: a slice is left.
        rows = rows[np.argsort(-self.compared[rows], kind="stable")]
        compared = -self.compared[rows]
        offsets, objects = self._extents(rows)
        starts, attributes = _lists.take(self.intents, rows)
        sizes, overlaps = self.sizes[rows], self.overlaps[rows]
        for place in range(-int(compared[-1]), len(self.picked)):
            first = int(np.searchsorted(compared, -place))
            common = _sums(offsets[first:], objects, self.picked.objects[place])
            if self.cells:
                common *= _sums(starts[first:], attributes, self.picked.attributes[place])
            union = sizes[first:] + self.picked.sizes[place] - common
            overlaps[first:] = np.maximum(overlaps[first:], common / union)
        self.overlaps[rows] = overlaps
        self.gains[rows] = self.values[rows] * (1 - overlaps)
        self.compared[rows] = len(self.picked)

    def _newly_covered(self, extent: Numbers, intent: Numbers) -> int:
        context = self.lattice.context
        new = 0
        for number in intent.tolist() if self.cells else [0]:
            nothing = np.zeros(len(context.object_names), dtype=np.bool_)
            column = self.columns.setdefault(number, nothing)
            new += int(context.weights[extent[~column[extent]]].sum())
            column[extent] = True
        return new

    def _extents(self, rows: NDArray[np.int64]) -> Lists:
        extension = self.lattice.context.core.extension
        return _lists.joined([extension(_lists.at(self.intents, row)) for row in rows.tolist()])


def _mask(numbers: Numbers, size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=np.bool_)
    mask[numbers] = True
    return mask


def _sums(
    offsets: NDArray[np.int64], numbers: Numbers, mask: NDArray[np.bool_ | np.int64]
) -> NDArray[np.int64]:
    """Return how many numbers of each list are in a mask, or their weights there."""
    begin, end = int(offsets[0]), int(offsets[-1])
    total = np.zeros(end - begin + 1, dtype=np.int64)
    np.cumsum(mask[numbers[begin:end]], out=total[1:])
    places = offsets - begin
    return total[places[1:]] - total[places[:-1]]
