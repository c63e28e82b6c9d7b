"""Concept probability: how likely an intent is closed if attributes were independent.

P = Σ over k of C(n, k) p_B^k (1 - p_B)^(n-k) · Π over m outside B of (1 - p_m^k), where k objects
have all of B. The terms are log-concave in k, so the relevant terms form one interval of k, and all
sums are over positive numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists
from conceptrank.budget import poll
from conceptrank.concepts import Concepts
from conceptrank.faces import Scores, checked_side
from conceptrank.measures._binomial import log_probability, log_upper_tail
from conceptrank.measures.registry import measure

# Terms smaller than the largest by this logarithm are negligible, even many of them.
_NEGLIGIBLE = 46.0
# Up to this number of rows, no term is left out.
_FEW_ROWS = 64
# The size of one table of terms.
_TERMS_AT_ONCE = 1 << 20
# The largest number of intervals of k to search for.
_MOST_WINDOWS = 8192


_KLIMUSHKIN = (
    "Klimushkin, Obiedkov, Roth, Approaches to the selection of relevant concepts, ICFCA (2010); "
    "after Emilion, Lévy, Size of random Galois lattices, DAM 157 (2009)"
)


_closed = partial(
    measure,
    side="intent",
    depends=lambda side: ("hits",) if side == "extent" else (),
    complexity="O(√n |B|)",
    reference=_KLIMUSHKIN,
)


@_closed(direction="lower", range="[0, 1]")
def concept_probability(concepts: Concepts, *, side: str = "intent") -> Scores:
    """Return the chance that B is closed if objects had attributes independently.

    It is the sum over k of C(n, k) π^k (1 - π)^(n-k) times the product over m outside B of 1 - p^k.
    1 where B has all attributes.

    Parameters
    ----------
    concepts
        The concepts.
    side
        `"intent"`; `"extent"` for the dual: the chance that the extent is closed if attributes had
        objects independently.

    Notes
    -----
    Some programs leave out k = n, or take 1 where π = 1.
    """
    return np.asarray(np.exp(_log_probability(concepts, side)))


@_closed(range="[0, ∞]")
def concept_surprise(concepts: Concepts, *, side: str = "intent") -> Scores:
    """Return minus the natural logarithm of `concept_probability`.

    It is finite also where the probability is too small for a number.

    Parameters
    ----------
    concepts, side
        As for `concept_probability`.
    """
    return np.asarray(0.0 - _log_probability(concepts, side))


def _log_probability(concepts: Concepts, side: str) -> Scores:
    n, q = concepts.context.shape
    if checked_side(side) == "intent":
        model = _Model(n, concepts.context.core.attribute_supports())
        return model.log_probabilities(concepts.intents)
    model = _Model(q, np.repeat(np.diff(concepts.context.rows()[0]), concepts.context.weights))
    result = np.zeros(len(concepts))
    for part, lists in concepts.extents(copies=True):
        result[part] = model.log_probabilities(lists)
    return result


@dataclass(frozen=True)
class _Model:
    """Independent columns: each has `counts` of the `trials` rows."""

    trials: int
    counts: NDArray[np.int64]

    @cached_property
    def log_p(self) -> Scores:
        """The logarithm of every column's frequency, precise also near 1."""
        n = max(self.trials, 1)
        with np.errstate(divide="ignore"):
            logs = np.log(self.counts / n)
        often = 2 * self.counts > n
        logs[often] = np.log1p(-(n - self.counts[often]) / n)
        return logs

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        """Columns with some but not all rows."""
        return (self.counts > 0) & (self.counts < self.trials)

    @cached_property
    def settled(self) -> int:
        """The number of rows from which on, up to rounding, random rows share no column."""
        if not self.open.any():
            return 1
        slowest = -float(self.log_p[self.open].max())
        return int(min(np.ceil((_NEGLIGIBLE + np.log(len(self.counts))) / slowest), 2**62))

    def log_closed(self, first: int, last: int) -> Scores:
        """Return log(1 - p^k), one row per k = first … last and one column per open column.

        Columns of no row or of all rows get 0: the former change nothing, and the latter are in
        every closed set.
        """
        k = np.arange(first, last + 1, dtype=np.float64)[:, None]
        logs = np.zeros((len(k), len(self.counts)))
        logs[:, self.open] = np.log(-np.expm1(k * self.log_p[self.open]))
        return logs

    @cached_property
    def log_none_common(self) -> Scores:
        """The logarithm of the chance that k rows share no open column, for k < settled."""
        most = min(self.settled - 1, self.trials)
        sums = np.zeros(most + 1)
        step = max(1, _TERMS_AT_ONCE // max(len(self.counts), 1))
        for first in range(1, most + 1, step):
            last = min(first + step - 1, most)
            sums[first : last + 1] = self.log_closed(first, last).sum(axis=1)
        return sums

    def log_probabilities(self, sets: Lists) -> Scores:
        """Return the logarithms of the chances that these sets of columns are closed."""
        offsets, values = sets
        lengths = np.diff(offsets)
        log_p = _lists.reduced(np.add, (offsets, self.log_p[values]), empty=0)
        result = np.zeros(len(lengths))  # all columns: always closed
        part = lengths < len(self.counts)
        result[part & np.isinf(log_p)] = -np.inf
        # Where all rows have the columns of a set, k is the number of rows.
        result[part & (log_p == 0)] = self.log_closed(self.trials, self.trials).sum()
        rest = np.flatnonzero(part & (log_p < 0) & np.isfinite(log_p))
        rest = rest[np.argsort(log_p[rest], kind="stable")]
        done = 0
        for some, first, last in self._groups(rest, log_p[rest], lengths[rest]):
            result[some] = self._summed(_lists.take(sets, some), log_p[some], first, last)
            done += len(some)
            poll(done, done / len(rest))
        return result

    def _groups(
        self, sets: NDArray[np.int64], log_p: Scores, lengths: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], int, int]]:
        """Yield groups of sets, rare ones first, and the first and the last k of each group.

        Both ends grow with the chance of a set, so the ends of some sets bound those of all.
        """
        starts = np.arange(0, len(sets), len(sets) // _MOST_WINDOWS + 1)
        if not len(starts):
            return
        ends = np.append(starts[1:], len(sets))
        first, last = self._windows(log_p[np.append(starts, len(sets) - 1)])
        cells = np.add.reduceat(lengths + 1, starts)
        begin = 0
        while begin < len(starts):
            end = begin + 1
            while (
                end < len(starts)
                and (last[end + 1] - first[begin]) * cells[begin : end + 1].sum() < _TERMS_AT_ONCE
            ):
                end += 1
            yield sets[starts[begin] : ends[end - 1]], int(first[begin]), int(last[end])
            begin = end

    def _windows(self, log_p: Scores) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each chance the first and the last k with a relevant term.

        With b(k) the logarithm of the binomial chance and s_B(k) that of the product over the
        columns outside B, b is concave, s_B concave and increasing and nowhere steeper than s, the
        same over all columns. So below the mode of b the terms b + s_B fall at least as fast as b,
        and above the mode of b + s at least as fast as b + s.
        """
        n, p = self.trials, np.exp(log_p)
        one, all_rows = np.ones(len(p), dtype=np.int64), np.full(len(p), n)
        if n <= _FEW_ROWS:
            return one, all_rows
        top = min(self.settled - 1, n)

        def binomial(k: NDArray[np.int64]) -> Scores:
            return log_probability(k.astype(np.float64), n, p, log_p)

        def both(k: NDArray[np.int64]) -> Scores:
            return binomial(k) + self.log_none_common[np.minimum(k, top)]

        mode = np.clip(np.floor((n + 1) * p).astype(np.int64), 1, n)
        level = binomial(mode) - _NEGLIGIBLE
        first = _least(one, mode, lambda k: binomial(k) >= level)
        mode = _least(mode, all_rows, lambda k: (k >= n) | (both(np.minimum(k + 1, n)) <= both(k)))
        level = both(mode) - _NEGLIGIBLE
        last = _least(mode, all_rows, lambda k: (k >= n) | (both(np.minimum(k + 1, n)) < level))
        return first, last

    def _summed(self, sets: Lists, log_p: Scores, first: int, last: int) -> Scores:
        """Return the logarithm of the sum of the terms from first to last."""
        n, p = self.trials, np.exp(log_p)
        offsets, values = sets
        most = min(last, self.settled - 1)
        logs: list[Scores] = []
        step = max(1, _TERMS_AT_ONCE // (len(self.counts) + len(values) + len(log_p)))
        for begin in range(first, most + 1, step):
            end = min(begin + step, most + 1)
            k = np.arange(begin, end, dtype=np.float64)
            closed = self.log_closed(begin, end - 1)
            inside = _lists.reduced(np.add, (offsets, closed.T[values]), empty=0)
            terms = log_probability(k, n, p[:, None], log_p[:, None])
            terms += self.log_none_common[begin:end] - inside
            largest = terms.max(axis=1)
            logs.append(largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1)))
        if most < last:
            # From this k on, random rows share no further column.
            from_here = np.full(len(p), float(most + 1))
            logs.append(log_upper_tail(from_here, n, p, log_p))
        return np.asarray(np.minimum(np.logaddexp.reduce(np.array(logs), axis=0), 0.0))


def _least(
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    holds: Callable[[NDArray[np.int64]], NDArray[np.bool_]],
) -> NDArray[np.int64]:
    """Return the least numbers from low to high for which a condition holds; it holds at high."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        middle = (low + high) // 2
        true = holds(middle)
        high = np.where(true, middle, high)
        low = np.where(true, low, np.minimum(middle + 1, high))
    return low
