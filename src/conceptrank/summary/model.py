"""`ReaderModel`: the probability of every cell for a reader who knows margins and patterns.

The model is what Mampaey, Vreeken and Tatti (2012) call the background of a summary: it gives the
expected support of any set of attributes, and it is fitted again when a pattern is taught.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Margins: TypeAlias = Literal["both", "columns"]
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

# Log-odds that the richness of an object can add to all its cells.
_RICHNESS = np.arange(-4.0, 4.25, 0.5)
_FIRST_STEPS = 200
_NEXT_STEPS = 30
_CONVERGED = 1e-7
_LOWEST_SHARE = 1e-6
_LARGEST_LOGIT = 25.0
# A taught pattern may be missing some of its crosses. This is the lowest share that it may keep.
_LOWEST_DENSITY = 0.6
_CARRIER_STEPS = 100


@dataclass(frozen=True)
class Tile:
    """A taught pattern: the objects that carry it, and how often they have each unit.

    Attributes
    ----------
    members
        Which objects carry the pattern: all that have it, and those that lack a few of its
        attributes but are better explained with the pattern than without.
    densities
        The share of the members that have each unit; 0 for units outside the pattern.
    """

    members: Bools
    densities: Floats


class ReaderModel:
    """The probability of every cell for a reader who knows the margins and the taught patterns.

    Each object belongs to a class of richness. The classes have fixed log-odds, their shares are
    estimated, and the class of an object is unknown. In class c, a free unit m has the probability
    1 / (1 + exp(-(a_c + b_m))); the b_m make the expected number of crosses in each column equal to
    the observed one. That is the Rasch model with a nonparametric distribution of the objects,
    fitted by expectation and maximization to the cells that no tile covers. A unit that is not
    free, such as a value of a nominal column, has its frequency in every class.

    Parameters
    ----------
    incidence
        One row per object, one column per unit.
    free
        Which units depend on the richness of the object.
    margins
        `"both"`: rows and columns. `"columns"`: all objects are equally rich.
    """

    def __init__(self, incidence: Bools, *, free: Bools, margins: Margins = "both") -> None:
        self._incidence = np.ascontiguousarray(incidence)
        self._free = free
        self._covered = np.zeros((1, incidence.shape[1]), dtype=np.bool_)
        self._signature = np.zeros(len(incidence), dtype=np.int64)
        self._richness = _RICHNESS if margins == "both" and free.any() else np.zeros(1)
        self._shares = np.full(len(self._richness), 1 / len(self._richness))
        share = incidence.mean(axis=0) if len(incidence) else np.zeros(incidence.shape[1])
        self._frequencies = share
        self._levels = _logit(share)
        self._tiles: list[Tile] = []
        self._fit(_FIRST_STEPS)

    @property
    def shares(self) -> Floats:
        """The share of the objects in each class; 0 for classes that hardly any object is in."""
        shares = np.where(self._shares < _LOWEST_SHARE, 0.0, self._shares)
        return np.asarray(shares / shares.sum())

    @property
    def tiles(self) -> Sequence[Tile]:
        """The tiles taught so far."""
        return self._tiles

    @property
    def probabilities(self) -> Floats:
        """The probability of each unit in each class, outside the tiles: a row per class."""
        free = _logistic(self._richness[:, None] + self._levels)
        return np.where(self._free, free, self._frequencies)

    def expected(self, units: Sequence[int]) -> float:
        """Return the expected number of objects that have all of some units, object by object.

        The core computes the same for many sets at once.
        """
        numbers = list(units)
        background = self.probabilities[:, numbers]
        taught = np.zeros((len(self._incidence), len(numbers)))
        for tile in self._tiles:
            taught = np.maximum(taught, tile.members[:, None] * tile.densities[numbers])
        cells = np.maximum(taught[:, None, :], background)
        return float((cells.prod(axis=2) * self.shares).sum())

    def teach(
        self, units: Sequence[int] | NDArray[np.uint32], *, also: Floats | None = None
    ) -> Tile:
        """Add a pattern to what the reader knows, and fit the margins again.

        Parameters
        ----------
        units
            The units of the pattern.
        also
            Probabilities of other units, given the pattern; 0 where it says nothing about them.
        """
        numbers = np.asarray(units, dtype=np.int64)
        members = self._carriers(numbers)
        densities = np.zeros(self._incidence.shape[1]) if also is None else also.copy()
        found = self._incidence[members][:, numbers].mean(axis=0)
        densities[numbers] = np.maximum(densities[numbers], found)
        tile = Tile(members, densities)
        self._tiles.append(tile)
        # Objects in the same tiles have the same covered cells.
        keys, self._signature = np.unique(2 * self._signature + members, return_inverse=True)
        inside = (keys % 2).astype(np.bool_)
        self._covered = self._covered[keys // 2] | (inside[:, None] & (densities > 0))
        self._fit(_NEXT_STEPS)
        return tile

    def _fit(self, steps: int) -> None:
        """Fit the shares of the classes and the levels of the free units to the open cells."""
        opened = ~self._covered & self._free
        if not len(self._incidence) or not opened.any():
            return
        crosses = self._incidence & opened[self._signature]
        columns = crosses.sum(axis=0)
        signature, rows, sizes, _ = self._row_classes(crosses.sum(axis=1))
        starts = np.flatnonzero(np.diff(signature, prepend=-1))
        # The units that the fit can't move keep a level at the end of the scale.
        cells = (opened * np.bincount(self._signature)[:, None]).sum(axis=0)
        fixed = (columns == 0) | (columns == cells)
        levels = np.where(
            fixed,
            np.where(columns == 0, -_LARGEST_LOGIT, _LARGEST_LOGIT),
            np.clip(self._levels, -_LARGEST_LOGIT / 2, _LARGEST_LOGIT / 2),
        )
        levels[cells == 0] = self._levels[cells == 0]
        fixed |= cells == 0
        shares, open_cells = self._shares, opened.astype(np.float64)
        for _ in range(steps):
            inside = _logistic(self._richness[:, None] + levels)
            none = open_cells @ np.log1p(-np.minimum(inside, 1 - 1e-12)).T
            chance = rows[:, None] * self._richness + none[signature] + np.log(shares)
            chance = np.exp(chance - chance.max(axis=1, keepdims=True))
            chance *= (sizes / chance.sum(axis=1))[:, None]
            before, shares = shares, np.maximum(chance.sum(axis=0) / len(self._incidence), 1e-12)
            by_signature = np.add.reduceat(chance, starts)
            weights = by_signature.T @ open_cells
            move = np.zeros_like(levels)
            for _ in range(3):
                inside = _logistic(self._richness[:, None] + levels)
                slope = np.maximum((weights * inside * (1 - inside)).sum(axis=0), 1e-9)
                step = np.clip((columns - (weights * inside).sum(axis=0)) / slope, -1, 1)
                step[fixed] = 0
                levels = np.clip(levels + step, -_LARGEST_LOGIT, _LARGEST_LOGIT)
                move += step
            if max(np.abs(move).max(initial=0), np.abs(shares - before).max()) < _CONVERGED:
                break
        self._shares = shares / shares.sum()
        self._levels = levels

    def _row_classes(
        self, crosses: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Group the objects that are in the same tiles and have as many crosses in open cells.

        Returns the signature, the number of crosses and the size of each group, by signature, and
        the group of each object.
        """
        width = self._incidence.shape[1] + 1
        keys, place, sizes = np.unique(
            self._signature * width + crosses, return_inverse=True, return_counts=True
        )
        return keys // width, keys % width, sizes, place

    def _carriers(self, units: NDArray[np.int64]) -> Bools:
        """Return the objects that a pattern explains better than the model without it does.

        An object carries the pattern with a probability, and a carrier has each unit with another
        one; both are estimated by expectation and maximization. Without the pattern, the units have
        the probabilities that follow from the rest of the object's row.
        """
        has = self._incidence[:, units]
        count = has.sum(axis=1)
        complete = count == len(units)
        without = np.clip(self._from_the_rest(units), 1e-6, 1 - 1e-6)
        base = np.where(has, np.log(without), np.log1p(-without)).sum(axis=1)
        share, density = float(complete.mean()), 0.95
        carries = complete.astype(np.float64)
        for _ in range(_CARRIER_STEPS):
            odds = count * log(density) + (len(units) - count) * log(1 - density) - base
            carries = _logistic(odds + log(share / (1 - share)) if share < 1 else odds + 50)
            total = float(carries.sum())
            next_density = float((carries * count).sum()) / (total * len(units)) if total else 1.0
            next_density = min(max(next_density, _LOWEST_DENSITY), 1 - 1e-6)
            next_share = min(max(total / len(has), float(complete.mean()) / 2), 0.9)
            change = abs(next_density - density) + abs(next_share - share)
            density, share = next_density, next_share
            if change < 1e-6:
                break
        return np.asarray((carries > 0.5) | complete)

    def _from_the_rest(self, units: NDArray[np.int64]) -> Floats:
        """Return the probability of each unit in each object, given the other cells of its row."""
        probabilities = self.probabilities
        opened = ~self._covered & self._free
        opened[:, units] = False
        none = opened.astype(float) @ np.log1p(-np.minimum(probabilities, 1 - 1e-12)).T
        crosses = (self._incidence & opened[self._signature]).sum(axis=1)
        signature, rows, _, place = self._row_classes(crosses)
        chance = rows[:, None] * self._richness + none[signature] + np.log(self._shares)
        chance = np.exp(chance - chance.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        without = (chance @ probabilities[:, units])[place]
        for tile in self._tiles:
            without = np.maximum(without, tile.members[:, None] * tile.densities[units])
        return np.asarray(without)


def _logistic(value: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(value, -50, 50)))


def _logit(share: Floats) -> Floats:
    inside = np.clip(share, 1e-9, 1 - 1e-9)
    return np.clip(np.log(inside / (1 - inside)), -_LARGEST_LOGIT, _LARGEST_LOGIT)
