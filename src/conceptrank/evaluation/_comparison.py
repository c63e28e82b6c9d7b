"""Scores of intents in random contexts: `Comparison`, `AllConcepts`, `Tally` and `Moments`."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists
from conceptrank.budget import Budget
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.datasets._samplers import Interrupt
from conceptrank.evaluation.multiplicity import SLACK, at_least
from conceptrank.faces import Scores
from conceptrank.measures import registry
from conceptrank.measures.registry import Measure, Params

Alternative: TypeAlias = Literal["greater", "less"]

# The maximum of the support over all concepts is that of the top concept. How surprising a support
# is, if attributes were independent, can be compared between concepts.
_SURPRISE = {"greater": "shannon_surprise", "less": "independence_z"}
# The number of concepts to score between two checks whether to stop.
_CHUNK = 512


class Comparison:
    """Some concepts, scored by a measure in their own context and in others.

    Parameters
    ----------
    concepts
        The concepts.
    measure, params
        The measure, and its parameters.
    alternative
        Whether `"greater"` or `"less"` scores are extreme; by the measure's direction if None.
    context
        The context to score them in; their own if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from conceptrank.measures import registry
    >>> context = cr.datasets.load("movies")
    >>> comparison = Comparison(context.lattice(min_support=5), registry.get("stability"), {})
    >>> other = cr.datasets.random.swap(context, seed=1)
    >>> comparison.observed.round(2), comparison.scores(other.rows()).round(2)
    (array([0.8 , 0.48, 0.48, 0.9 , 0.66]), array([0.76, 0.82, 0.82, 0.69, 0.25]))
    """

    def __init__(
        self,
        concepts: Concepts,
        measure: Measure,
        params: Params,
        alternative: Alternative | None = None,
        *,
        context: Context | None = None,
    ) -> None:
        if alternative not in (None, "greater", "less"):
            raise ValueError(f"alternative must be 'greater' or 'less', got {alternative!r}")
        higher = measure.direction == "higher"
        self.alternative: Alternative = alternative or ("greater" if higher else "less")
        # The score of an intent that is not closed: the worst, for measures that begin at 0.
        self.worst = 0.0 if higher else np.inf
        self.context = (concepts.context if context is None else context).repeated()
        self.measure = measure
        self.params = params
        # A function of the support alone makes sense for any set of attributes, closed or not.
        self.any_set = measure.side == "extent" and measure.dependences(params) == ("support",)
        offsets, values = concepts.intents
        self._intents: Lists = (
            np.ascontiguousarray(offsets, dtype=np.int64),
            np.ascontiguousarray(values, dtype=np.uint32),
        )
        self._walk = _core.IntentWalk(self._intents, len(self.context.attributes))
        if context is None:
            self.observed = measure.score(concepts, params)
        else:
            self.observed = self.scores(self.context.rows())

    def scores(self, rows: Lists, interrupt: Interrupt = None) -> Scores:
        """Return the scores of the intents in the context of these rows."""
        watch = _core.Watch(interrupt)
        walked = self._walk.count(rows, closed=not self.any_set, watch=watch)
        supports = walked.supports
        scores = np.full(len(supports), self.worst)
        context = self.context_of(rows)
        places = np.arange(len(scores)) if self.any_set else np.flatnonzero(walked.closed)
        for begin in range(0, len(places), _CHUNK):
            if interrupt and interrupt():
                break
            chunk = places[begin : begin + _CHUNK]
            intents = _lists.take(self._intents, chunk)
            counts = supports[chunk].astype(np.int64)
            batch = Concepts(context, intents, threads=1, supports=counts)
            found = self.measure.score(batch, self.params)
            scores[chunk] = np.where(np.isnan(found), self.worst, found)
        return scores

    def oriented(self, scores: Scores) -> Scores:
        """Return the scores so that large ones are extreme."""
        return scores if self.alternative == "greater" else -scores

    def context_of(self, rows: Lists) -> Context:
        """Return the context of these rows, with the attributes of the compared one."""
        n = len(rows[0]) - 1
        objects = self.context.objects if n == len(self.context.objects) else range(n)
        return Context.from_csr(objects, self.context.attributes, *rows)


class AllConcepts:
    """The largest score among all concepts of a random context, mined like the tested ones.

    Parameters
    ----------
    comparison
        The measure, its direction and the tested context.
    concepts
        The tested concepts.
    min_support
        The minimum support to mine random contexts with.
    """

    def __init__(self, comparison: Comparison, concepts: Concepts, min_support: int) -> None:
        self._comparison = comparison
        self._min_support = min_support
        self._measure, self._params = comparison.measure, comparison.params
        if comparison.any_set:
            self._measure, self._params = registry.get(_SURPRISE[comparison.alternative]), {}
        self._observed = comparison.oriented(self._measure.score(concepts, self._params))

    def maximum(self, rows: Lists, stop: Callable[[], bool]) -> float:
        """Return the largest score of a concept in the context of these rows."""
        lattice = self._comparison.context_of(rows).lattice(
            min_support=self._min_support,
            threads=1,
            budget=_Until(stop),
            measures=[(self._measure.name, self._params)],
        )
        scores = self._comparison.oriented(self._measure.score(lattice, self._params))
        return float(np.fmax.reduce(scores, initial=-np.inf))

    def adjusted(self, maxima: Scores) -> Scores:
        """Return (1 + r) / (1 + R) with the number r of maxima that reach a concept's score."""
        reached = np.searchsorted(np.sort(maxima), at_least(self._observed))
        adjusted = (1.0 + len(maxima) - reached) / (1 + len(maxima))
        adjusted[np.isnan(self._observed)] = 1.0
        return adjusted


class _Until(Budget):
    """A budget that is cancelled when a function returns True."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        super().__init__()
        self._stop = stop

    @property
    def cancelled(self) -> bool:
        return self._stop()


class Moments:
    """Running means and deviations of the finite numbers at each place (Welford's algorithm).

    Examples
    --------
    >>> moments = Moments(2)
    >>> moments.add(np.array([1.0, np.inf]))
    >>> moments.add(np.array([3.0, 5.0]))
    >>> moments.mean, moments.deviation
    (array([2., 5.]), array([1., 0.]))
    """

    def __init__(self, n: int) -> None:
        self.counts = np.zeros(n, dtype=np.int64)
        self.mean = np.zeros(n)
        self._squares = np.zeros(n)

    def add(self, values: Scores) -> None:
        """Add one number at each place."""
        finite = np.isfinite(values)
        self.counts += finite
        values = np.where(finite, values, self.mean)
        change = values - self.mean
        self.mean += change / np.maximum(self.counts, 1)
        self._squares += change * (values - self.mean)

    @property
    def deviation(self) -> Scores:
        """The standard deviations."""
        return np.sqrt(self._squares / np.maximum(self.counts, 1))


class Tally:
    """Counts, means and deviations of the scores in random contexts.

    Parameters
    ----------
    comparison
        The comparison that gives the scores.
    keep
        Whether to keep all scores, for a second pass over them.
    """

    def __init__(self, comparison: Comparison, *, keep: bool = False) -> None:
        n = len(comparison.observed)
        self.samples = 0
        self.kept: list[Scores] = []
        self._keep = keep
        self._comparison = comparison
        self._threshold = at_least(comparison.oriented(comparison.observed))
        self._extreme = np.zeros(n, dtype=np.int64)
        self._moments = Moments(n)

    def add(self, scores: Scores) -> None:
        """Add the scores in one random context."""
        self.samples += 1
        self._extreme += self._comparison.oriented(scores) >= self._threshold
        self._moments.add(scores)
        if self._keep:
            self.kept.append(scores)

    def pvalues(self) -> Scores:
        """Return (1 + r) / (1 + R); 1 where there is no score to test."""
        pvalues = (1 + self._extreme) / (1 + self.samples)
        pvalues[np.isnan(self._comparison.observed)] = 1.0
        return pvalues

    def moments(self) -> tuple[Scores, Scores]:
        """Return the mean and the standard deviation of the finite scores in random contexts."""
        none = self._moments.counts == 0
        mean: Scores = np.where(none, self._comparison.worst, self._moments.mean)
        return mean, self._moments.deviation

    def standardiser(self) -> Callable[[Scores], Scores]:
        """Return a function that standardises scores by their mean and deviation under the null.

        The means and deviations include the observed context, because a valid test treats it like
        the random ones. Large results are extreme.
        """
        moments = copy.deepcopy(self._moments)
        moments.add(self._comparison.observed)
        spread = moments.deviation
        # Differences by rounding alone are not variation.
        spread[spread <= SLACK * np.abs(moments.mean)] = np.inf

        def standardise(scores: Scores) -> Scores:
            finite = np.isfinite(scores)
            standard = (np.where(finite, scores, moments.mean) - moments.mean) / spread
            standard = self._comparison.oriented(np.where(finite, standard, scores))
            standard[np.isnan(scores)] = -np.inf
            return standard

        return standardise
