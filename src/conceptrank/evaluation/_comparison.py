"""Scores of intents in random contexts: `Comparison`, `AllConcepts` and `Tally`."""

from __future__ import annotations

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
from conceptrank.errors import checked_choice
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
        if alternative is not None:
            checked_choice("alternative", alternative, Alternative)
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


class Tally:
    """Counts and means of the scores in random contexts.

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
        self._finite = np.zeros(n, dtype=np.int64)
        self._sums = np.zeros(n)

    def add(self, scores: Scores) -> None:
        """Add the scores in one random context."""
        self.samples += 1
        self._extreme += self._comparison.oriented(scores) >= self._threshold
        finite = np.isfinite(scores)
        self._finite += finite
        self._sums += np.where(finite, scores, 0.0)
        if self._keep:
            self.kept.append(scores)

    def pvalues(self) -> Scores:
        """Return (1 + r) / (1 + R); 1 where there is no score to test."""
        pvalues = (1 + self._extreme) / (1 + self.samples)
        pvalues[np.isnan(self._comparison.observed)] = 1.0
        return pvalues

    def expected(self) -> Scores:
        """Return the mean of the finite scores in random contexts."""
        means = self._sums / np.maximum(self._finite, 1)
        return np.where(self._finite, means, self._comparison.worst)

    def standardiser(self) -> Callable[[Scores], Scores]:
        """Return a function that standardises scores by their mean and deviation under the null.

        The means and deviations include the observed context, because a valid test treats it like
        the random ones. Large results are extreme.
        """
        everything = np.ma.masked_invalid(np.vstack([*self.kept, self._comparison.observed]))
        mean, spread = everything.mean(axis=0).filled(0.0), everything.std(axis=0).filled(0.0)
        # Differences by rounding alone are not variation.
        spread[spread <= SLACK * np.abs(mean)] = np.inf

        def standardise(scores: Scores) -> Scores:
            finite = np.isfinite(scores)
            standard = np.where(finite, (np.where(finite, scores, mean) - mean) / spread, scores)
            standard = self._comparison.oriented(standard)
            standard[np.isnan(scores)] = -np.inf
            return standard

        return standardise
