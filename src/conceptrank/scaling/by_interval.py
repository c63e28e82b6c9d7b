"""Scales by intervals: with given edges, of equal width, with equally many rows."""

from __future__ import annotations

import datetime as dt
import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank.convert.origin import Condition, Value, label
from conceptrank.errors import FormatError
from conceptrank.scaling.column import Column
from conceptrank.scaling.rounding import round_date, round_number
from conceptrank.scaling.scale import Scale, View, one_each, register

# A cut may be rounded by at most this share of the width of its interval.
_SLACK = 0.05
# More intervals are of no use, and computing them would take hours.
MOST_INTERVALS = 10_000


@register
@dataclass(frozen=True, kw_only=True)
class Intervals(Scale):
    """One attribute for each interval between given edges: `37.5 ≤ temp < 40`.

    Parameters
    ----------
    edges
        Where an interval ends and the next one begins, ascending.
    closed
        `"left"` if an edge belongs to the interval above it, `"right"` if to the one below.
    bounded
        If true, the first and last edges are limits (that belong to their intervals), and a value
        outside them is an error. Else the outer intervals are open: `age < 18`, `age ≥ 65`.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([36.4, 37.5, 41], Intervals(edges=(37.5, 40)), name="temp"))
    temp  temp < 37.5  37.5 ≤ temp < 40  temp ≥ 40
    36.4  X            .                 .
    37.5  .            X                 .
    41    .            .                 X
    """

    name = "intervals"
    edges: tuple[Value, ...]
    closed: str = "left"
    bounded: bool = False

    def __post_init__(self) -> None:
        if self.closed not in ("left", "right"):
            raise FormatError(f"closed is {self.closed!r}, expected 'left' or 'right'")
        if self.bounded and len(self.edges) < 2:
            raise FormatError("bounded intervals need at least two edges")

    def fitted(self, column: Column) -> Intervals:
        """Return the scale itself, if it fits the column."""
        if column.kind not in ("number", "date", "empty"):
            raise column.complaint(
                f"holds {column.kind}, which has no intervals", hint="use an ordinal scale"
            )
        edges = column.coerced(self.edges, "edge")
        if any(a >= b for a, b in pairwise(edges)):
            raise column.complaint("the edges of its scale must ascend")
        return replace(self, edges=edges)

    def view(self, column: Column) -> View:
        """Return the interval of every row."""
        edges = self.edges
        cuts = edges[1:-1] if self.bounded else edges
        codes = np.where(column.missing, np.int32(-1), np.int32(0))
        if column.kind != "empty" and edges:
            places, numbers = column.places(edges), column.numbers
            if self.bounded:
                outside = ((numbers < places[0]) | (numbers > places[-1])) & ~column.missing
                if outside.any():
                    row = int(outside.argmax())
                    raise column.complaint(
                        f"the value of row {row + 1} is outside {label(edges[0])} to "
                        f"{label(edges[-1])}",
                        hint="move the outer edges, or leave them out for open intervals",
                    )
                places = places[1:-1]
            side = "right" if self.closed == "left" else "left"
            found = np.searchsorted(places, numbers, side=side)  # type: ignore[call-overload]
            codes = np.where(column.missing, -1, found)
        conditions = self._conditions(column, cuts)
        return View(conditions, codes.astype(np.int32), one_each(len(conditions)))

    def _conditions(self, column: Column, cuts: tuple[Value, ...]) -> tuple[Condition, ...]:
        if not cuts and not self.bounded:
            return (column.condition("known"),)
        outer = (self.edges[0], self.edges[-1]) if self.bounded else (None, None)
        ends = pairwise((outer[0], *cuts, outer[1]))
        left = self.closed == "left"
        return tuple(
            column.condition(
                "interval",
                low=low,
                high=high,
                low_inside=left or low is outer[0],
                high_inside=not left or high is outer[1],
            )
            for low, high in ends
        )


@dataclass(frozen=True, kw_only=True)
class _Counted(Scale):
    """The common part of scales with a number of intervals."""

    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or not 2 <= self.count <= MOST_INTERVALS:
            raise FormatError(
                f"scale {self.name} needs a count of at least 2 and at most {MOST_INTERVALS:,}, "
                f"not {self.count!r}"
            )

    def fitted(self, column: Column) -> Intervals:
        """Return the intervals of a column."""
        if column.kind not in ("number", "date", "empty"):
            raise column.complaint(
                f"holds {column.kind}, which has no intervals", hint="use a nominal scale"
            )
        return Intervals(edges=self._cuts(column) if column.n_values > 1 else ())

    def view(self, column: Column) -> View:
        """Return the interval of every row."""
        return self.fitted(column).view(column)

    @abstractmethod
    def _cuts(self, column: Column) -> tuple[Value, ...]:
        """Return the cuts between the intervals."""


@register
@dataclass(frozen=True, kw_only=True)
class Quantiles(_Counted):
    """Intervals with equally many rows, as far as equal values allow it.

    The cut after i of `count` parts is before the value for which the number of smaller ones is
    nearest to i parts of the rows; equal cuts are merged. Within its gap between two values, a
    cut is as round as possible.

    Parameters
    ----------
    count
        How many intervals.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([18, 21, 37, 64], Quantiles(count=2), name="age"))
    age  age < 30  age ≥ 30
    18   X         .
    21   X         .
    37   .         X
    64   .         X
    """

    name = "quantiles"

    def _cuts(self, column: Column) -> tuple[Value, ...]:
        values, counts = column.counted()
        smaller = np.cumsum(counts)[:-1]
        places = set()
        for part in range(1, self.count):
            wanted = part * int(counts.sum())
            places.add(int(np.argmin(np.abs(smaller * self.count - wanted))))
        return tuple(
            _between(column.from_axis(values[place]), column.from_axis(values[place + 1]))
            for place in sorted(places)
        )


@register
@dataclass(frozen=True, kw_only=True)
class EqualWidth(_Counted):
    """Intervals of equal width, from the least value to the greatest.

    A cut may move by a twentieth of the width to be as round as possible, but not past a value.

    Parameters
    ----------
    count
        How many intervals.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([0, 40, 100], EqualWidth(count=2), name="share"))
    share  share < 50  share ≥ 50
    0      X           .
    40     X           .
    100    .           X
    """

    name = "equal_width"

    def _cuts(self, column: Column) -> tuple[Value, ...]:
        values, _ = column.counted()
        low, high = column.from_axis(values[0]), column.from_axis(values[-1])
        if isinstance(low, dt.time):
            raise column.complaint("times of the day have no width", hint="use quantiles")
        if column.kind == "number" and not (math.isfinite(low) and math.isfinite(high)):
            raise column.complaint("infinite values have no width", hint="use quantiles")
        width = (high - low) / self.count
        if column.kind == "number" and not math.isfinite(width):
            raise column.complaint("the range of its values is too wide", hint="use quantiles")
        cuts = [
            _nearby(self._exact(column, low, high, part), width, column, values)
            for part in range(1, self.count)
        ]
        return tuple(dict.fromkeys(cut for cut in cuts if cut > low))

    def _exact(self, column: Column, low: Any, high: Any, part: int) -> Any:
        """Return a cut before it is rounded: of whole numbers and days, the next one."""
        if column.is_integer:
            return low - (part * (low - high)) // self.count
        if isinstance(low, dt.date) and not isinstance(low, dt.datetime):
            return low + dt.timedelta(days=-(part * (low - high).days // self.count))
        return low + part * (high - low) / self.count


def _between(low: Any, high: Any) -> Any:
    """Return the roundest value above one value and not above the next."""
    if isinstance(high, dt.date):
        return round_date(low, high)
    return high if isinstance(high, dt.time) else round_number(low, high)


def _nearby(exact: Any, width: Any, column: Column, values: NDArray[Any]) -> Any:
    """Return the roundest cut near an exact one that divides the values in the same way."""
    place = max(int(np.searchsorted(values, column.places([exact])[0])), 1)
    below, above = (column.from_axis(values[i]) for i in (place - 1, place))
    if isinstance(exact, int) and abs(exact) > 2**53:
        return exact
    slack = width * _SLACK
    low, high = max(below, exact - slack), min(above, exact + slack)
    return round_date(low, high) if isinstance(exact, dt.date) else round_number(low, high, exact)
