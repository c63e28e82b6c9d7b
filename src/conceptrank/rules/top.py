"""The best k of many: a heap that holds at most k items."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from conceptrank.faces import Scores

# Scores that differ by less than this share came to the same number by different roundings.
_STEPS = 2.0**40


def keys(scores: Scores, *, descending: bool) -> Scores:
    """Return numbers that are larger for better scores, and equal for those equal but for rounding.

    Examples
    --------
    >>> keys(np.array([0.1 + 0.2, 0.3, np.nan, np.inf]), descending=True).tolist()
    [0.3000000000001819, 0.3000000000001819, -inf, inf]
    """
    mantissas, exponents = np.frexp(scores)
    steady = np.ldexp(np.round(mantissas * _STEPS) / _STEPS, exponents)
    return np.where(np.isnan(scores), -np.inf, steady if descending else -steady)


class BoundedHeap:
    """The best scores of a stream, the earlier one of equal ones.

    Parameters
    ----------
    size
        How many to hold.
    descending
        Whether large scores are better. What is no number is worst.

    Examples
    --------
    >>> heap = BoundedHeap(2, descending=True)
    >>> heap.offer(np.array([0.5, np.nan, 0.7])).tolist()
    [0, 2]
    >>> heap.offer(np.array([0.5, 0.6])).tolist(), heap.best()
    ([1], [2, 4])
    """

    def __init__(self, size: int, *, descending: bool) -> None:
        self.size = size
        self._descending = descending
        self._seen = 0
        self._heap: list[tuple[float, int]] = []

    @property
    def seen(self) -> int:
        """The number of scores that were offered."""
        return self._seen

    def offer(self, scores: Scores) -> NDArray[np.int64]:
        """Add the next scores, and return the places of those that are among the best."""
        worths = keys(scores, descending=self._descending)
        first = self._seen
        self._seen += len(scores)
        candidates = np.arange(len(worths))
        if len(self._heap) >= self.size:
            if not self.size:
                return candidates[:0]
            candidates = np.flatnonzero(worths > self._heap[0][0])
        order = np.argsort(-worths[candidates], kind="stable")[: self.size]
        for place in candidates[order].tolist():
            entry = (float(worths[place]), -(first + place))
            if len(self._heap) < self.size:
                heapq.heappush(self._heap, entry)
            elif entry > self._heap[0]:
                heapq.heapreplace(self._heap, entry)
            else:
                break
        held = sorted(-number - first for _, number in self._heap if -number >= first)
        return np.array(held, dtype=np.int64)

    def best(self) -> list[int]:
        """Return the numbers of those that are held, the best first; the first one seen is 0."""
        return [-number for _, number in sorted(self._heap, reverse=True)]
