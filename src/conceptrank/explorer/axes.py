"""Scores along the axes of a plot, as the page places them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrank.explorer.query import Scale

COLUMNS = 120
ROWS = 80
STEPS = 200


@dataclass(frozen=True)
class Axis:
    """The smallest and largest finite score, and the scores at equal shares of the concepts."""

    low: float
    high: float
    quantiles: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: NDArray[np.int64]) -> Axis:
        """Return the axis of the different scores, ascending, with their frequencies.

        Examples
        --------
        >>> axis = Axis.of(np.array([0.0, 1.0, np.nan]), np.array([3, 1, 2]))
        >>> axis.low, axis.high, axis.quantiles[[0, 100, 200]].tolist()
        (0.0, 1.0, [0.0, 0.0, 1.0])
        """
        finite = np.isfinite(values)
        values, counts = values[finite], counts[finite]
        if not len(values):
            return cls(0.0, 0.0, np.zeros(2))
        ends = np.cumsum(counts)
        # Half is rounded up, as in the page.
        places = np.floor(np.arange(STEPS + 1) / STEPS * (ends[-1] - 1) + 0.5)
        quantiles = values[np.searchsorted(ends, places, side="right")]
        return cls(float(values[0]), float(values[-1]), quantiles)

    def positions(self, scores: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
        """Return the positions of finite scores on the axis, from 0 to 1.

        Examples
        --------
        >>> axis = Axis.of(np.array([0.0, 1.0, 4.0]), np.array([1, 1, 1]))
        >>> axis.positions(np.array([0.0, 1.0, 4.0]), "values").tolist()
        [0.0, 0.25, 1.0]
        """
        if scale == "values":
            if not self.high > self.low:
                return np.full(len(scores), 0.5)
            return (scores - self.low) / (self.high - self.low)
        last = len(self.quantiles) - 1
        first = np.searchsorted(self.quantiles, scores)
        after = np.searchsorted(self.quantiles, scores, side="right")
        # A tie is in the middle of its quantiles; other scores are between two quantiles.
        before = np.clip(first - 1, 0, last)
        behind = np.clip(first, 0, last)
        step = self.quantiles[behind] - self.quantiles[before]
        share = (scores - self.quantiles[before]) / np.where(step > 0, step, 1.0)
        between = np.where(first == 0, 0.0, np.where(first > last, last, before + share))
        return np.where(after > first, (first + after - 1) / 2, between) / last


def counted(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of points in each cell, row by row from the smallest scores.

    Examples
    --------
    >>> int(counted(np.array([0.0, 1.0]), np.array([0.0, 1.0]))[-1])
    1
    """
    column = np.minimum(np.floor(x * COLUMNS).astype(np.int64), COLUMNS - 1)
    row = np.minimum(np.floor(y * ROWS).astype(np.int64), ROWS - 1)
    return np.bincount(row * COLUMNS + column, minlength=ROWS * COLUMNS)
