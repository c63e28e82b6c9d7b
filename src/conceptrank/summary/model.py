"""`ReaderModel`: the probability of every cell for a reader who knows margins and patterns.

The model is what Mampaey, Vreeken and Tatti (2012) call the background of a summary: it gives the
expected support of any set of attributes, and it is fitted again when a pattern is taught.
`Background` is the form in which the core reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Margins: TypeAlias = Literal["both", "columns"]
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
# The signature and the doubt of each group of rows, the group of each row, and the probability of
# each class in each group.
Classes: TypeAlias = tuple[Numbers, Numbers, Numbers, Floats]

# Log-odds that the richness of an object can add to all its cells.
_RICHNESS = np.arange(-4.0, 4.25, 0.5)
_FIRST_STEPS = 200
_NEXT_STEPS = 30
_CONVERGED = 1e-7
_LOWEST_SHARE = 1e-6
_LARGEST_LOGIT = 25.0
_LOWEST_CHANCE = 1e-9
# The largest share of the objects that may carry a pattern; each next one is half as large.
_LARGEST_CARRIERS = 0.7
# Objects that don't carry a pattern keep at least this part of the crosses of its columns.
_LEAST_LEFT = 0.05
_UNITS_AT_ONCE = 30
# The share of the crosses of a taught pattern that are missing: where the estimate starts, and its
# limits.
_FIRST_MISSING = 0.05
_LEAST_MISSING, _MOST_MISSING = 1e-6, 0.25
# The largest share of the objects that is taken for carriers.
_LARGEST_SHARE = 0.9
_CARRIER_STEPS = 100
_CARRIERS_CONVERGED = 1e-5
# Objects outside a tile carry its pattern with a probability of at most 1/2, rounded to such steps.
_CARRYING_STEP = 0.05


@dataclass(frozen=True)
class Tile:
    """A taught pattern: the objects that carry it, and how often they have each unit.

    Attributes
    ----------
    members
        Which objects carry the pattern: all that have it, and those that lack a few of its
        attributes but are better explained with the pattern than without.
    densities
        The share of the members that have each unit; 0 for units that the pattern says nothing of.
    ratios
        The probability of each unit before the pattern was taught over its density; 0 for units
        outside the pattern.
    carrying
        The probability of each other object to carry the pattern, rounded; 0 for members.
    share
        The estimated share of the objects that carry the pattern.
    """

    members: Bools
    densities: Floats
    ratios: Floats
    carrying: Floats
    share: float


@dataclass(frozen=True)
class Background:
    """What the core needs to compare the model with a pattern that some objects carry.

    Rows in the same tiles have the same signature. Those that also have the same doubts and as many
    crosses in open cells form a group.

    Attributes
    ----------
    group
        The group of each row.
    signature
        The signature of each group.
    doubt
        The place in `carrying` of each group.
    posterior
        The probability of each class given the open cells of a row, by group.
    densities
        The probabilities of the units in closed cells, by signature; 0 in open cells.
    carrying
        The probabilities to carry the pattern of each tile without being in it, by kind of doubt.
    tiles
        The probability of each unit in open cells divided by its density, by tile; 0 for units
        outside the pattern.
    richness
        The log-odds that each class adds to its open cells, the poorest class first.
    log_chance
        The logarithm of the probability p of each unit in open cells, by class.
    carriers
        The shares of objects that may carry a pattern.
    log_ratio
        The logarithm of p'/p, by share and unit. If a share of the objects carries a pattern with
        the unit, the others have it with probability p', so that the expected number of crosses in
        the column stays the same.
    totals
        The expected logarithm of the likelihood ratio of p' and p over the open cells of each
        column, by share.
    """

    group: NDArray[np.uint32]
    signature: NDArray[np.uint32]
    doubt: NDArray[np.uint32]
    posterior: Floats
    densities: Floats
    carrying: Floats
    tiles: Floats
    richness: Floats
    log_chance: Floats
    carriers: Floats
    log_ratio: Floats
    totals: Floats


class ReaderModel:
    """The probability of every cell for a reader who knows the margins and the taught patterns.

    Each object belongs to a class of richness. The classes have fixed log-odds, their shares are
    estimated, and the class of an object is unknown. In class c, a free unit m has the probability
    1 / (1 + exp(-(a_c + b_m))); the b_m make the expected number of crosses in each column equal to
    the observed one. That is the Rasch model with a nonparametric distribution of the objects,
    fitted by expectation and maximization to the cells that no tile covers. A unit that is not
    free, such as a value of a nominal column, has its frequency in these cells in every class.

    Parameters
    ----------
    incidence
        One row per object, or per distinct row of the table; one column per unit.
    weights
        The number of objects of each row; 1 if None.
    free
        Which units depend on the richness of the object.
    margins
        `"both"`: rows and columns. `"columns"`: all objects are equally rich.
    """

    def __init__(
        self,
        incidence: Bools,
        *,
        free: Bools,
        weights: NDArray[np.int64] | None = None,
        margins: Margins = "both",
    ) -> None:
        self._incidence = np.ascontiguousarray(incidence)
        self._bits = np.packbits(self._incidence, axis=1)
        # The row and the unit of each cross that no tile covers.
        self._rows, self._units = (each.astype(np.int32) for each in np.nonzero(self._incidence))
        self._weights = np.ones(len(incidence), dtype=np.int64) if weights is None else weights
        self._n = int(self._weights.sum())
        self._free = free
        # The largest density that a tile gives each unit, by signature.
        self._densities = np.zeros((1, incidence.shape[1]))
        self._signature = np.zeros(len(incidence), dtype=np.int64)
        # The probabilities to carry tiles without being in them, and which of them a row has.
        self._carrying = np.zeros((1, 0))
        self._doubt = np.zeros(len(incidence), dtype=np.int64)
        self._tile_ratios = np.zeros((0, incidence.shape[1]))
        self._richness = _RICHNESS if margins == "both" and free.any() else np.zeros(1)
        self._shares = np.full(len(self._richness), 1 / len(self._richness))
        self._frequencies = self._weights @ incidence / max(self._n, 1)
        self._levels = _logit(self._frequencies)
        self._tiles: list[Tile] = []
        self._from_the_rest: tuple[tuple[int, bytes], Classes] | None = None
        self._cells: Floats = np.zeros(incidence.shape[1])
        self._columns: Floats = self._cells
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
        return np.where(self._free, self._in_classes, self._frequencies)

    @property
    def _in_classes(self) -> Floats:
        return _logistic(self._richness[:, None] + self._levels)

    @property
    def _open(self) -> Bools:
        """Which cells no tile covers, by signature."""
        return np.asarray(self._densities == 0)

    def expected(self, units: Sequence[int], *, carriers: float = 0.0) -> float:
        """Return the expected number of objects that have all of some units.

        It is the sum over the objects of the probability that they have these units, given the
        other cells of their rows.

        Parameters
        ----------
        units
            The units.
        carriers
            A share of the objects that has the units for another reason and is not counted. The
            other objects have each unit less often, so that columns keep their numbers of crosses.
        """
        numbers = np.asarray(units, dtype=np.int64)
        signature, _, place, chance = self._classes_from_the_rest(numbers)
        left = self._left(self._cells, self._columns, np.array([carriers]))[0, numbers]
        having = (chance * self._together(numbers, left)[signature]).sum(axis=1)[place]
        belief = np.ones(len(self._carrying))
        for tile, ratio in enumerate(self._tile_ratios[:, numbers]):
            if np.count_nonzero(ratio) >= 2:
                belief *= 1 - self._carrying[:, tile] * (1 - ratio[ratio > 0].prod())
        return float(self._weights @ np.minimum(having / belief[self._doubt], 1.0))

    def background(self) -> Background:
        """Return the model as the core reads it."""
        live = self.shares > 0
        chances = np.clip(self.probabilities[live], _LOWEST_CHANCE, 1 - _LOWEST_CHANCE)
        opened = self._open
        signature, doubt, place, posterior = self._classes_given(
            opened & self._free, doubts=self._doubt
        )
        posterior = posterior[:, live] / posterior[:, live].sum(axis=1, keepdims=True)
        # The expected number of open cells and of crosses in them, by class and unit.
        cells, crosses = np.zeros((2, *chances.shape))
        for nth in range(len(chances)):
            objects = posterior[place, nth] * self._weights
            by_signature = np.bincount(self._signature, objects, len(opened))
            cells[nth] = by_signature @ opened.astype(np.float64)
            crosses[nth] = np.bincount(self._units, objects[self._rows], len(chances[nth]))
        halvings = np.arange(max(int(log(max(self._n, 2)) / log(2)), 1), dtype=np.float64)
        carriers = _LARGEST_CARRIERS * 0.5**halvings
        ratio = self._left(cells.sum(axis=0), (cells * chances).sum(axis=0), carriers)
        totals = crosses.sum(axis=0) * np.log(ratio)
        for nth, each in enumerate(ratio):
            lacking = np.log1p(-each * chances) - np.log1p(-chances)
            totals[nth] += ((cells - crosses) * lacking).sum(axis=0)
        least = self.shares[live] @ chances
        return Background(
            place.astype(np.uint32),
            signature.astype(np.uint32),
            doubt.astype(np.uint32),
            posterior,
            np.where(opened, 0.0, np.maximum(self._densities, least)),
            self._carrying,
            self._tile_ratios,
            self._richness[live],
            np.log(chances),
            carriers,
            np.log(ratio),
            totals,
        )

    def tile(
        self, units: Sequence[int] | NDArray[np.uint32], *, also: Floats | None = None
    ) -> Tile:
        """Return a pattern as the model would learn it.

        Parameters
        ----------
        units
            The units of the pattern.
        also
            Probabilities of other units, given the pattern; 0 where it says nothing about them.
        """
        numbers = np.asarray(units, dtype=np.int64)
        members, carrying = self._carriers(numbers)
        densities = np.zeros(self._incidence.shape[1]) if also is None else also.copy()
        weights = self._weights[members]
        found = weights @ self._incidence[members][:, numbers] / weights.sum()
        densities[numbers] = np.maximum(densities[numbers], found)
        steps = np.where(members, 0, np.rint(carrying / _CARRYING_STEP))
        ratios = np.zeros(len(densities))
        chances = self.shares @ self.probabilities[:, numbers]
        ratios[numbers] = np.clip(chances / densities[numbers], _LOWEST_CHANCE, 1)
        share = min(float(self._weights @ carrying) / self._n, _LARGEST_SHARE)
        return Tile(members, densities, ratios, steps * _CARRYING_STEP, share)

    def teach(self, tile: Tile) -> None:
        """Add a pattern to what the reader knows, and fit the margins again."""
        self._tiles.append(tile)
        self._tile_ratios = np.vstack([self._tile_ratios, tile.ratios])
        # Objects in the same tiles have the same covered cells.
        keys, self._signature = np.unique(2 * self._signature + tile.members, return_inverse=True)
        inside = (keys % 2).astype(np.bool_)
        self._densities = np.maximum(self._densities[keys // 2], inside[:, None] * tile.densities)
        covered = tile.members[self._rows] & (tile.densities > 0)[self._units]
        self._rows, self._units = self._rows[~covered], self._units[~covered]
        steps = np.rint(tile.carrying / _CARRYING_STEP).astype(np.int64)
        width = int(0.5 / _CARRYING_STEP) + 1
        keys, self._doubt = np.unique(width * self._doubt + steps, return_inverse=True)
        self._carrying = np.column_stack(
            [self._carrying[keys // width], keys % width * _CARRYING_STEP]
        )
        self._fit(_NEXT_STEPS)

    def _fit(self, steps: int) -> None:
        """Fit the model to the open cells: classes and levels, and the frequencies of the rest."""
        opened = self._open
        sizes = np.bincount(self._signature, self._weights, len(opened))
        self._cells = sizes.astype(np.float64) @ opened.astype(np.float64)
        by_cross = self._weights[self._rows].astype(np.float64)
        self._columns = np.bincount(self._units, by_cross, len(self._cells)).astype(np.float64)
        cells, columns = self._cells, self._columns
        self._frequencies = np.where(cells > 0, columns / np.maximum(cells, 1), self._frequencies)
        opened = opened & self._free
        if not len(self._incidence) or not opened.any():
            return
        cells, columns = np.where(self._free, (cells, columns), 0)
        signature, rows, sizes, _ = self._row_classes(self._crosses_in(opened))
        starts = np.flatnonzero(np.diff(signature, prepend=-1))
        # The units that the fit can't move keep a level at the end of the scale.
        fixed = (columns == 0) | (columns == cells)
        levels = np.where(
            fixed,
            np.where(columns == 0, -_LARGEST_LOGIT, _LARGEST_LOGIT),
            np.clip(self._levels, -_LARGEST_LOGIT / 2, _LARGEST_LOGIT / 2),
        )
        levels[cells == 0] = self._levels[cells == 0]
        fixed |= cells == 0
        shares, closed = self._shares, self._closed(opened)
        for _ in range(steps):
            inside = _logistic(self._richness[:, None] + levels)
            none = self._sums_over_open(closed, np.log1p(-np.minimum(inside, 1 - 1e-12)))
            chance = rows[:, None] * self._richness + none[signature] + np.log(shares)
            chance = np.exp(chance - chance.max(axis=1, keepdims=True))
            chance *= (sizes / chance.sum(axis=1))[:, None]
            before, shares = shares, np.maximum(chance.sum(axis=0) / self._n, 1e-12)
            by_signature = np.add.reduceat(chance, starts)
            weights = np.maximum(by_signature.sum(axis=0)[:, None] - (closed.T @ by_signature).T, 0)
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
        """Group the rows that are in the same tiles and have as many crosses in open cells.

        Returns the signature, the number of crosses and the objects of each group, by signature,
        and the group of each row.
        """
        width = self._incidence.shape[1] + 1
        keys, place = np.unique(self._signature * width + crosses, return_inverse=True)
        sizes = np.bincount(place, self._weights, len(keys)).astype(np.int64)
        return keys // width, keys % width, sizes, place

    def _crosses_in(self, cells: Bools) -> NDArray[np.int64]:
        """Return the number of crosses of each row in some cells, given by signature."""
        inside = self._bits & np.packbits(cells, axis=1)[self._signature]
        return np.asarray(np.bitwise_count(inside).sum(axis=1, dtype=np.int64))

    def _classes_given(self, cells: Bools, *, doubts: NDArray[np.int64] | None = None) -> Classes:
        """Group rows of the same signature, doubt and number of crosses in some cells.

        Returns the signature and the doubt of each group, the group of each row, and the
        probability of each class in each group. Doubts are those of the rows; all 0 if None.
        """
        none = self._sums_over_open(
            self._closed(cells), np.log1p(-np.minimum(self._in_classes, 1 - 1e-12))
        )
        if len(self._richness) > 1:
            signature, rows, _, place = self._row_classes(self._crosses_in(cells))
        else:
            signature, place = np.arange(len(self._densities)), self._signature
            rows = np.zeros(len(signature), dtype=np.int64)
        doubt = np.zeros(len(rows), dtype=np.int64)
        if doubts is not None:
            keys, place = np.unique(place * len(self._carrying) + doubts, return_inverse=True)
            group, doubt = np.divmod(keys, len(self._carrying))
            signature, rows = signature[group], rows[group]
        shares = np.maximum(self.shares, 1e-300)
        chance = rows[:, None] * self._richness + none[signature] + np.log(shares)
        chance = np.exp(chance - chance.max(axis=1, keepdims=True))
        return signature, doubt, place, chance / chance.sum(axis=1, keepdims=True)

    def _closed(self, cells: Bools) -> csr_array[Any, Any]:
        """Return the free cells that are not among some, by signature."""
        closed: csr_array[Any, Any] = csr_array(self._free & ~cells, dtype=np.float64)
        return closed

    def _sums_over_open(self, closed: csr_array[Any, Any], values: Floats) -> Floats:
        """Return the sums of values by class and unit over the open free cells of each signature.

        Few cells are closed, so these are taken off the sums over all units.
        """
        values = values * self._free
        return np.asarray(values.sum(axis=1) - closed @ values.T)

    def _classes_from_the_rest(self, units: NDArray[np.int64]) -> Classes:
        # A choice asks several times in a row.
        key = len(self._tiles), units.tobytes()
        if self._from_the_rest is None or self._from_the_rest[0] != key:
            cells = self._open & self._free
            cells[:, units] = False
            self._from_the_rest = key, self._classes_given(cells)
        return self._from_the_rest[1]

    def _together(self, units: NDArray[np.int64], left: Floats) -> Floats:
        """Return the probability to have all of some units, by signature and class.

        In open cells, each unit keeps what is left of its probability.
        """
        found = np.ones((len(self._densities), len(self._richness)))
        for unit, chances in zip(units, (self.probabilities[:, units] * left).T, strict=True):
            closed = self._densities[:, [unit]]
            found *= np.where(closed > 0, closed, chances)
        return found

    @staticmethod
    def _left(cells: Floats, crosses: Floats, carriers: Floats) -> Floats:
        """Return p'/p by share of carriers and unit: how much rarer the unit is in other objects.

        Parameters
        ----------
        cells, crosses
            The number of open cells of each unit, and that of the crosses in them.
        carriers
            Shares of the objects that have all units.
        """
        shares = carriers[:, None]
        left = 1 - shares * cells / np.maximum(crosses, 1e-300)
        return np.asarray(np.minimum(np.clip(left, _LEAST_LEFT, 1) / (1 - shares), 1.0))

    def _carriers(self, units: NDArray[np.int64]) -> tuple[Bools, Floats]:
        """Return which rows carry a pattern, and with what probability.

        A share of the objects carries the pattern. A carrier gets each unit from the pattern,
        unless the cross is missing; then it has the unit as other objects do. These have it with
        the probability of their class, lowered so that columns keep their numbers of crosses. The
        class is as likely as the rest of the row makes it. The share of carriers and that of
        missing crosses are estimated by expectation and maximization. A row that lacks more than
        half of the units is no carrier; all rows that have the pattern are.
        """
        every = self._incidence[:, units]
        rows = np.flatnonzero(every.sum(axis=1) >= len(units) - len(units) // 2)
        signature, _, place, classes = self._classes_from_the_rest(units)
        # Rows of the same group with the same units count together.
        kind, same = _kinds(place[rows], every[rows])
        has, group = every[rows[kind]], place[rows[kind]]
        live = self.shares > 0
        chances = self.probabilities[live][:, units]
        classes = classes[group][:, live]
        closed = self._densities[:, units][signature[group]]
        covered = np.maximum(closed, classes @ chances)
        weights = np.bincount(same, self._weights[rows], len(kind))
        complete: Bools = np.asarray(has.all(axis=1))
        having = has[:, None]
        least = float(weights @ complete) / self._n
        share, missing = min(least, _LARGEST_SHARE), _FIRST_MISSING
        chance: Floats = complete.astype(np.float64)
        for _ in range(_CARRIER_STEPS):
            left = self._left(self._cells, self._columns, np.array([share]))[0, units]
            without = np.where(closed[:, None] > 0, covered[:, None], chances * left)
            without = np.clip(without, 1e-6, 1 - 1e-6)
            with_pattern = 1 - missing + missing * without
            # By kind and class.
            plain = classes * np.where(having, without, 1 - without).prod(axis=2)
            carried = classes * np.where(having, with_pattern, missing * (1 - without)).prod(axis=2)
            likelihood: Floats = np.maximum(carried.sum(axis=1), 1e-300)
            odds = np.log(likelihood / np.maximum(plain.sum(axis=1), 1e-300))
            chance = _logistic(np.asarray(odds + log(share / (1 - share))))
            objects = chance * weights
            total = float(objects.sum())
            # A cross that the pattern left out may be there by chance.
            left_out = np.where(having, missing * without / with_pattern, 1.0).sum(axis=2)
            left_out = (carried * left_out).sum(axis=1) / likelihood
            next_missing = float(objects @ left_out) / (total * len(units)) if total else 0.0
            next_missing = min(max(next_missing, _LEAST_MISSING), _MOST_MISSING)
            next_share = min(max(total / self._n, least / 2), _LARGEST_SHARE)
            change = abs(next_missing - missing) + abs(next_share - share)
            missing, share = next_missing, next_share
            if change < _CARRIERS_CONVERGED:
                break
        carries, members = np.zeros(len(every)), np.zeros(len(every), dtype=np.bool_)
        carries[rows], members[rows] = chance[same], (chance[same] > 0.5) | complete[same]
        return members, carries


def _kinds(group: NDArray[np.int64], has: Bools) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a row of each kind, and the kind of each row: rows of one group with equal units."""
    first, kind = np.arange(len(group)), group
    for start in range(0, has.shape[1], _UNITS_AT_ONCE):
        part = has[:, start : start + _UNITS_AT_ONCE]
        bits = part @ (1 << np.arange(part.shape[1]))
        _, first, kind = np.unique(
            (kind << _UNITS_AT_ONCE) + bits, return_index=True, return_inverse=True
        )
    return first, kind


def _logistic(value: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(value, -50, 50)))


def _logit(share: Floats) -> Floats:
    inside = np.clip(share, 1e-9, 1 - 1e-9)
    return np.clip(np.log(inside / (1 - inside)), -_LARGEST_LOGIT, _LARGEST_LOGIT)
