"""Significant patterns: concepts that go with a label more often than chance explains.

Every concept is tested by Fisher's exact test whether its objects have the positive label more
often than all objects do. Both methods keep the chance of any false finding, over all concepts, at
or below alpha. Both use that a concept of x objects can't have a p-value below
f(x) = C(P, x) / C(N, x), or f(P) if x > P, with P of N objects positive: those with few objects
can never be significant, and need not be counted.

- LAMP (Terada et al. 2013) divides alpha by the number of concepts that can reach the quotient.
- Westfall and Young compare with the smallest p-value of all concepts under shuffled labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.text import counted
from conceptrank.budget import Budget, poll, watched
from conceptrank.concepts import Concepts
from conceptrank.errors import MeasureError, checked_choice
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures._fisher import upper_tail
from conceptrank.measures.supervised import marked_objects
from conceptrank.ranking import Ranking, order
from conceptrank.ranking.order import Ties
from conceptrank.ranking.recipe import Recipe

if TYPE_CHECKING:
    from conceptrank.context import Context

Method: TypeAlias = Literal["westfall_young", "lamp"]
# P-values with a smaller relative difference count as equal: rounding explains it.
_ROUNDING = 1e-11


@dataclass(frozen=True)
class Correction:
    """The threshold per concept that controls the error rate over all concepts.

    Parameters
    ----------
    method, alpha
        The method, and the chance of any false finding that it allows.
    threshold
        The p-value that a concept must reach (LAMP) or stay below (Westfall and Young).
    min_support
        The least number of objects with which that is possible.
    tested
        The number of concepts with as many.
    """

    method: Method
    alpha: float
    threshold: float
    min_support: int
    tested: int


class Significant(Ranking):
    """The significant concepts, smallest p-value first.

    `Context.significant` makes one. `correction` says what was asked of each concept, and
    `adjusted` has the p-values adjusted for all tests: those up to alpha are listed.
    """

    def __init__(
        self, lattice: Lattice, *, correction: Correction, adjusted: Scores, **ranking: Any
    ) -> None:
        super().__init__(lattice, **ranking)
        self.correction: Correction = correction
        self.adjusted: Scores = adjusted

    @property
    def title(self) -> str:
        """One line that says what this is."""
        rule = self.correction
        many = counted(len(self), "significant concept")
        return (
            f"{many} at {rule.alpha:g} by {rule.method} (p-values up to {rule.threshold:.3g}, "
            f"{rule.tested:,} concepts tested)"
        )

    @property
    def provenance(self) -> dict[str, Any]:
        """All that is needed to make the ranking again."""
        return super().provenance | {"significance": vars(self.correction)}


def significant(
    context: Context,
    labels: object,
    *,
    positive: object = None,
    alpha: float = 0.05,
    method: Method = "westfall_young",
    permutations: int = 1000,
    seed: int = 0,
    threads: int = 0,
    budget: Budget | None = None,
) -> Significant:
    """Return the concepts that have the positive label significantly often.

    See `Context.significant`.
    """
    checked_choice("method", method, Method, MeasureError)
    if not 0 < alpha < 1:
        raise MeasureError(f"alpha must be between 0 and 1, got {alpha!r}")
    if method == "westfall_young" and floor(alpha * (permutations + 1) + 1e-9) < 1:
        raise MeasureError(f"{permutations} permutations can't show a level of {alpha:g}")
    marked = marked_objects(context, labels, positive)
    with watched(budget, None):
        tests = _Tests(context, marked, threads)
        if method == "lamp":
            correction = _lamp(tests, alpha)
            least = np.zeros(0)
        else:
            rng = np.random.default_rng(seed)
            correction, least = _westfall_young(tests, alpha, permutations, rng)
    batch = tests.at_least(correction.min_support)
    p_values = tests.p_values(batch)
    if method == "lamp":
        listed = p_values <= correction.threshold
    else:
        # Strictly below, because shuffled labels also reach an equal p-value.
        listed = p_values < correction.threshold * (1 - _ROUNDING)
    places = np.flatnonzero(listed)
    lattice = Lattice.of(batch.at(places), correction.min_support)
    params: dict[str, Any] = {"labels": labels, "positive": positive}
    scores = {"fisher_pvalue": lattice.score("fisher_pvalue", **params)}
    levels = order.levels(scores["fisher_pvalue"], descending=False)
    best_first = np.argsort(levels, kind="stable")
    own = scores["fisher_pvalue"][best_first]
    if method == "lamp":
        adjusted = np.minimum(own * correction.tested, 1.0)
    else:
        below = np.searchsorted(np.sort(least), own * (1 + _ROUNDING), side="right")
        adjusted = (1.0 + below) / (permutations + 1)
    return Significant(
        lattice,
        recipe=Recipe(
            measures={"fisher_pvalue": ("fisher_pvalue", params)},
            by=("fisher_pvalue",),
            descending={"fisher_pvalue": False},
        ),
        scores=scores,
        order=best_first,
        ranks=order.ranks(levels)[best_first],
        ties=Ties.of(levels),
        correction=correction,
        adjusted=adjusted,
    )


class _Tests:
    """Concepts in the order of decreasing support, mined on demand."""

    def __init__(self, context: Context, marked: NDArray[np.bool_], threads: int) -> None:
        self.context, self.marked, self.threads = context, marked, threads
        self.n, self.positives = context.shape[0], int(marked @ context.weights)
        # The smallest p-value that a support, or a smaller one, can have.
        most = np.minimum(np.arange(self.n + 1.0), self.positives)
        self.least_p = upper_tail(most, self.n, most, np.full(self.n + 1, float(self.positives)))
        self._mined = self.n + 1
        self._batch = Concepts(context, _lists.joined([]), supports=np.zeros(0, dtype=np.int64))

    def at_least(self, support: int) -> Concepts:
        """Return the concepts with at least this many objects, the largest first."""
        if support < self._mined:
            self._batch = self.context.closed_sets(
                min_support=support, threads=self.threads, progress=poll
            )
            self._mined = support
        many = int(np.searchsorted(-self._batch.supports, -support, side="right"))
        return self._batch.at(np.arange(many))

    def steps(self, alpha: float) -> Iterator[int]:
        """Go through least supports in falling order, so that mining again costs little.

        Larger steps come first: the last one is among those that hardly reach alpha.
        """
        last = int(np.argmax(self.least_p < alpha)) if (self.least_p < alpha).any() else 1
        support = self.n
        while support >= 1:
            yield support
            support = support // 2 if support > 4 * last else support - max(1, last // 4)

    def p_values(self, batch: Concepts) -> Scores:
        """Return the p-values of concepts."""
        hits = batch.extent_sums(self.marked.astype(np.float64))
        positives = np.full(len(hits), float(self.positives))
        return upper_tail(hits, self.n, batch.supports.astype(np.float64), positives)


def _lamp(tests: _Tests, alpha: float) -> Correction:
    """Return LAMP's correction.

    With k(s) concepts of at least s objects, no concept of fewer can reach alpha / k(s) if
    f(s - 1) is not below it. The largest such s has the fewest tests.
    """
    for least in tests.steps(alpha):
        levels = np.arange(tests.n, least - 1, -1)
        many = np.searchsorted(-tests.at_least(least).supports, -levels, side="right")
        enough = np.flatnonzero(many * tests.least_p[levels - 1] >= alpha)
        if len(enough):
            first = int(enough[0])
            tested = int(many[first])
            return Correction("lamp", alpha, alpha / tested, int(levels[first]), tested)
    tested = len(tests.at_least(0))
    return Correction("lamp", alpha, alpha / max(tested, 1), 0, tested)


def _westfall_young(
    tests: _Tests, alpha: float, permutations: int, rng: np.random.Generator
) -> tuple[Correction, Scores]:
    """Return the correction by shuffled labels, and the smallest p-value of each shuffle.

    A p-value is significant if at most alpha (J + 1) - 1 of the J shuffles have one as small. Once
    fewer objects can't give one below that threshold, they can't change it.
    """
    from scipy.sparse import csr_array

    marked = np.repeat(tests.marked, tests.context.weights)
    shuffled = np.repeat(marked[:, None], permutations, axis=1)
    shuffled = rng.permuted(shuffled, axis=0).astype(np.int32)
    rank = floor(alpha * (permutations + 1) + 1e-9)
    least = np.ones(permutations)
    threshold, done = 1.0, 0
    tested, least_support = 0, tests.n + 1
    for planned in tests.steps(alpha):
        # Skip supports that are too small for a p-value below the threshold.
        useful = np.flatnonzero(tests.least_p < threshold)
        if done and (not len(useful) or useful[0] >= least_support):
            break
        step = max(planned, int(useful[0])) if done else planned
        batch = tests.at_least(step)
        new = batch.at(np.arange(done, len(batch)))
        done = len(batch)
        for part, (offsets, values) in new.extents(copies=True):
            supports = new.supports[part]
            ones = np.ones(len(values), dtype=np.int32)
            members = csr_array((ones, values, offsets), shape=(len(supports), tests.n))
            hits = members @ shuffled
            # In lattice order, equal supports are neighbours; their most hits are their best.
            begins = np.flatnonzero(np.diff(supports, prepend=-1))
            most = np.maximum.reduceat(hits, begins, axis=0).astype(np.float64).reshape(-1)
            sizes = np.repeat(supports[begins].astype(np.float64), permutations)
            positives = np.full(len(most), float(tests.positives))
            p_values = upper_tail(most, tests.n, sizes, positives).reshape(-1, permutations)
            np.minimum(least, p_values.min(axis=0), out=least)
            threshold = float(np.partition(least, rank - 1)[rank - 1])
        tested, least_support = done, step
    return Correction("westfall_young", alpha, threshold, least_support, tested), least
