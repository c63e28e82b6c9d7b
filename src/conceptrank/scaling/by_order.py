"""Scales that compare with levels: ordinal, inverse ordinal, interordinal, biordinal.

Their attributes imply each other (at most 30 implies at most 40), by design.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.convert.origin import Value, label
from conceptrank.errors import FormatError
from conceptrank.scaling.column import Codes, Column
from conceptrank.scaling.scale import Scale, View, refuse_many, register


@dataclass(frozen=True, kw_only=True)
class _Ordered(Scale):
    """The common part of scales with levels."""

    levels: tuple[Value, ...] | None = None
    quantiles: int | None = None

    def __post_init__(self) -> None:
        if self.quantiles is None:
            return
        if self.levels is not None:
            raise FormatError(f"scale {self.name} takes levels or quantiles, not both")
        if self.quantiles < 2:
            raise FormatError(f"scale {self.name} needs at least 2 quantiles")

    @property
    def listed(self) -> tuple[Value, ...] | None:
        """The levels, if they are words."""
        words = self.levels and all(isinstance(level, str) for level in self.levels)
        return self.levels if words else None

    def fitted(self, column: Column) -> Self:
        """Return the scale with levels of a column."""
        return replace(self, levels=self._levels(column), quantiles=None)

    def _levels(self, column: Column) -> tuple[Value, ...]:
        if self.levels is not None:
            levels: tuple[Any, ...] = column.coerced(self.levels, "level")
            if column.kind == "empty" or not levels:
                return levels
            column = column.ordered_by(levels)
            if (np.diff(column.places(levels)) <= 0).any():
                raise column.complaint("the levels of its scale must ascend")
            return levels
        if column.kind == "empty":
            return ()
        if not column.is_ordered:
            raise column.complaint(
                f"{_what(column)} no order of their own",
                hint=f"give them from low to high: {self.name}:low,middle,high",
            )
        if self.quantiles is not None:
            return _quantile_levels(column, self.quantiles)
        refuse_many(column, column.values, self.name)
        return column.values

    def _positions(self, column: Column) -> tuple[Codes, Codes]:
        """Return how many levels are below every row's value, and how many are not above it."""
        levels = self.levels or ()
        column = column.ordered_by(levels)
        if column.kind == "empty" or not levels:
            nothing = np.where(column.missing, -1, 0).astype(np.int32)
            return nothing, nothing
        places, numbers = column.places(levels), column.numbers
        below, up_to = (
            np.where(column.missing, -1, np.searchsorted(places, numbers, side=side))
            for side in ("left", "right")
        )
        return below.astype(np.int32), up_to.astype(np.int32)

    def _compared(self, column: Column, low: int, first: int) -> View:
        """Return the view with `≤` for the first `low` levels, and `≥` from level `first` on.

        A value is between two levels or equal to one: twice the number of levels and one places.
        """
        levels = self.levels or ()
        conditions = [
            column.condition("interval", high=level, high_inside=True) for level in levels[:low]
        ]
        conditions += [column.condition("interval", low=level) for level in levels[first:]]
        below, up_to = self._positions(column)
        codes = np.where(below < 0, np.int32(-1), below + up_to)
        relation = []
        for place in range(2 * len(levels) + 1):
            not_exceeded = np.arange(min(place // 2, low), low, dtype=np.uint32)
            reached = np.arange(max((place + 1) // 2 - first, 0), dtype=np.uint32)
            relation.append(np.concatenate([not_exceeded, reached + np.uint32(low)]))
        return View(tuple(conditions), codes.astype(np.int32), _lists.joined(relation))


@register
@dataclass(frozen=True, kw_only=True)
class Ordinal(_Ordered):
    """One attribute for each level, which all values up to it have: `age ≤ 30`.

    Parameters
    ----------
    levels
        The levels, ascending. If None, all values that occur; text has to be an enumeration then.
        For text, all values from low to high.
    quantiles
        Take quantiles as levels instead: 4 means three levels that a quarter, half and three
        quarters of the rows don't exceed.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([17, 30, 41], Ordinal(levels=(18, 30)), name="age"))
    age  age ≤ 18  age ≤ 30
    17   X         X
    30   .         X
    41   .         .
    """

    name = "ordinal"

    def view(self, column: Column) -> View:
        """Return which levels every row doesn't exceed."""
        count = len(self.levels or ())
        return self._compared(column, low=count, first=count)


@register
@dataclass(frozen=True, kw_only=True)
class InverseOrdinal(_Ordered):
    """One attribute for each level, which all values from it on have: `age ≥ 30`.

    Parameters
    ----------
    levels, quantiles
        As for `Ordinal`.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([17, 30], InverseOrdinal(levels=(18, 30)), name="age"))
    age  age ≥ 18  age ≥ 30
    17   .         .
    30   X         X
    """

    name = "inverse_ordinal"

    def view(self, column: Column) -> View:
        """Return which levels every row reaches."""
        return self._compared(column, low=0, first=0)


@register
@dataclass(frozen=True, kw_only=True)
class Interordinal(_Ordered):
    """Both attributes for each level, so that intents are intervals: `age ≤ 30`, `age ≥ 30`.

    Parameters
    ----------
    levels, quantiles
        As for `Ordinal`.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([1, 2], Interordinal()))
    x  x ≤ 1  x ≤ 2  x ≥ 1  x ≥ 2
    1  X      X      X      .
    2  .      X      X      X
    """

    name = "interordinal"

    def view(self, column: Column) -> View:
        """Return which levels every row doesn't exceed, and which it reaches."""
        return self._compared(column, low=len(self.levels or ()), first=0)


@register
@dataclass(frozen=True, kw_only=True)
class Biordinal(_Ordered):
    """Low values compared downwards, high ones upwards: `noise ≤ 30`, `noise ≥ 80`.

    Very silent is silent, very loud is loud, and nothing is both.

    Parameters
    ----------
    levels, quantiles
        As for `Ordinal`.
    center
        The lowest of the high levels; if None, half of the levels are high.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([10, 60, 90], Biordinal(levels=(20, 40, 80)), name="noise"))
    noise  noise ≤ 20  noise ≤ 40  noise ≥ 80
    10     X           X           .
    60     .           .           .
    90     .           .           X
    """

    name = "biordinal"
    center: Value | None = None

    def fitted(self, column: Column) -> Self:
        """Return the scale with levels of a column and the center between them."""
        levels = self._levels(column)
        if self.center is None:
            center = levels[(len(levels) + 1) // 2] if len(levels) > 1 else None
        else:
            center = column.coerced([self.center], "center")[0]
            if column.kind == "text" and center not in levels:
                raise column.complaint(f"the center {label(center)!r} is not among the levels")
        return replace(self, levels=levels, quantiles=None, center=center)

    def view(self, column: Column) -> View:
        """Return which low levels every row doesn't exceed, and which high ones it reaches."""
        low = len(self.levels or ())
        if self.center is not None and column.kind != "empty":
            ordered = column.ordered_by(self.levels or ())
            places = ordered.places((*(self.levels or ()), self.center))
            low = int(np.searchsorted(places[:-1], places[-1]))
        return self._compared(column, low=low, first=low)


def _quantile_levels(column: Column, count: int) -> tuple[Value, ...]:
    """Return the least values that these shares of the rows don't exceed."""
    values, counts = column.counted()
    ends = np.cumsum(counts)
    places = [-(-i * int(ends[-1]) // count) - 1 for i in range(1, count)]
    chosen = np.unique(np.searchsorted(ends, places, side="right"))
    return tuple(column.from_axis(number) for number in values[chosen])


def _what(column: Column) -> str:
    return "truth values have" if column.kind == "boolean" else "words have"
