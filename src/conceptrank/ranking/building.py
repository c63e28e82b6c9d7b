"""Making a ranking: checks, scores, the chosen concepts, their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from conceptrank.batch import Batch
from conceptrank.budget import Budget, Progress, Watch, support_threshold, watched
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded, MeasureError, checked_choice
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params
from conceptrank.measures.supervised import warn_of_targets
from conceptrank.ranking import order
from conceptrank.ranking.conditions import Condition, ConditionLike, chosen
from conceptrank.ranking.ranking import Ranking
from conceptrank.ranking.recipe import Recipe, labelled, measure_list

# An exact score has an error of at most this much.
SCORE_ERROR = 1e-12
# The share of the time that mining may take when there is more to score afterwards, and the share
# when there is not.
_MINING_SHARE = 0.5
_WHOLE_SHARE = 0.9
# The share of the time that scoring gets at least. Concepts without scores could not be shown.
_SCORING_SHARE = 0.1


@dataclass(frozen=True)
class Request:
    """What a ranking is to be, checked before any work.

    Parameters
    ----------
    measures
        All measures with their parameters under the names of their columns.
    ranked_by
        The columns that decide: the first one, then those that break its ties.
    columns
        The columns that the ranking shows.
    condition_columns
        The columns of the measures in the condition.
    where
        The condition; None for all concepts.
    ties
        How to rank ties.
    descending
        Whether large scores of the first column come first; by the measure's direction if None.
    """

    measures: Mapping[str, tuple[str, Params]]
    ranked_by: tuple[str, ...]
    columns: tuple[str, ...]
    condition_columns: tuple[str, ...]
    where: ConditionLike | None
    ties: order.TieMode
    descending: bool | None

    @classmethod
    def checked(
        cls,
        context: Context,
        by: MeasureLike,
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        ties: str = "dense",
        where: ConditionLike | None = None,
        params: Params | None = None,
    ) -> Request:
        """Return the request if it is valid for the context; raise an error otherwise.

        Examples
        --------
        >>> import conceptrank as cr
        >>> Request.checked(cr.datasets.load("movies"), "wracc")
        Traceback (most recent call last):
        conceptrank.errors.MeasureError: wracc needs the argument labels=…: a label for each ...
        """
        tie_mode = checked_choice("ties", ties, order.TieMode, MeasureError)
        if isinstance(where, str):
            where = Condition.parse(where)
        conditions: tuple[tuple[str, Params], ...] = ()
        if isinstance(where, Condition):
            where.check(context)
            conditions = where.measures
        tie_breakers = measure_list(then)
        shown = [by, *tie_breakers, *measure_list(also)]
        measures, labels = labelled([*shown, *conditions], params)
        for name, own in measures.values():
            _check(name, own, context)
        for labels_given in [own["labels"] for _, own in measures.values() if "labels" in own][:1]:
            warn_of_targets(context, labels_given)
        return cls(
            measures=measures,
            ranked_by=tuple(dict.fromkeys(labels[: 1 + len(tie_breakers)])),
            columns=tuple(dict.fromkeys(labels[: len(shown)])),
            condition_columns=tuple(labels[len(shown) :]),
            where=where,
            ties=tie_mode,
            descending=descending,
        )

    @cached_property
    def high_first(self) -> dict[str, bool]:
        """For each column, whether large scores are the better ones."""
        result = {
            label: registry.get(name).direction == "higher"
            for label, (name, _) in self.measures.items()
        }
        if self.descending is not None:
            result[self.ranked_by[0]] = self.descending
        return result

    def lookup(self, scores: Mapping[str, Scores]) -> Callable[[str, Params], Scores]:
        """Return a function that gives the scores by a measure of the condition."""
        asked = self.where.measures if isinstance(self.where, Condition) else ()
        return lambda *measure: scores[self.condition_columns[asked.index(measure)]]

    def finer(self, label: str, min_support: int) -> MeasureLike | None:
        """Return the measure that orders concepts as this column does, with fewer ties."""
        return finer_measure(*self.measures[label], min_support)

    def needed(self, min_support: int) -> list[MeasureLike]:
        """Return all measures to score, the deciding ones first."""
        finer = [self.finer(label, min_support) for label in self.ranked_by]
        others = [label for label in self.measures if label not in self.ranked_by]
        wanted = [self.measures[label] for label in (*self.ranked_by, *others)]
        return [*(name for name in finer if name), *wanted]


def finer_measure(name: str, params: Params, min_support: int) -> MeasureLike | None:
    """Return the measure that orders concepts as another one does, with fewer ties, or None.

    It is None in a lattice above a minimum support, unless the measure is about intents:
    log-stability of large extents would take long there, because all infrequent attributes matter.

    Examples
    --------
    >>> finer_measure("stability", {}, 0)
    'log_stability'
    """
    measure = registry.get(name)
    if not measure.finer or measure.bind(params) != measure.params:
        return None
    return measure.finer if min_support <= 1 or measure.side == "intent" else None


def rank(
    lattice: Lattice,
    by: MeasureLike,
    *,
    also: MeasureLike | Sequence[MeasureLike] = (),
    then: MeasureLike | Sequence[MeasureLike] = (),
    descending: bool | None = None,
    ties: str = "dense",
    where: ConditionLike | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
    params: Params | None = None,
) -> Ranking:
    """Return the concepts in the order of a measure; see `Lattice.rank`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> rank(cr.datasets.load("movies").lattice(), "support", where="cr > 0.3").order[:3]
    array([1, 2, 3])
    """
    request = Request.checked(
        lattice.context,
        by,
        also=also,
        then=then,
        descending=descending,
        ties=ties,
        where=where,
        params=params,
    )
    watch = Watch(budget, progress, partial=True)
    watch.check()
    return ranked(lattice, request, watch)


def mine_and_rank(
    context: Context,
    request: Request,
    *,
    min_support: float = 0,
    threads: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Return the concepts of a context in the order of a measure; see `Context.rank`."""
    watch = Watch(budget, progress, partial=True, task="ranking")
    watch.check()
    least = support_threshold(min_support, context.shape[0])
    measures = request.needed(least)
    # Extents are scored while mining; what else there is to score comes afterwards.
    later = any(need.side == "intent" for need in registry.face_needs(measures))
    with watch.section(0.0, 0.5):
        lattice = context.lattice(
            min_support=min_support,
            threads=threads,
            budget=watch.remaining(_MINING_SHARE if later else _WHOLE_SHARE),
            progress=watch.report,
            measures=measures,
        )
    if lattice.stopped == "cancelled":
        # What was found is scored in whatever time that takes.
        watch = Watch(None, progress, partial=True)
    elif lattice.stopped == "seconds":
        left = max(watch.seconds_left or 0.0, _SCORING_SHARE * (watch.budget.seconds or 0.0))
        watch = Watch(watch.budget.with_seconds(left), progress, partial=True)
    with watch.section(0.5, 1.0):
        return ranked(lattice, request, watch)


def ranked(lattice: Lattice, request: Request, watch: Watch) -> Ranking:
    """Return the ranking of the concepts that can be scored in the time of the watch.

    Raises
    ------
    BudgetExceeded
        If not a single concept was scored.
    """
    scores, known = _scores(lattice, request, watch)
    first = request.ranked_by[0]
    if watch.stopped and not known[first].any():
        raise BudgetExceeded(watch.reason)
    chosen_ones = known[first]
    if request.where is not None:
        chosen_ones = chosen_ones & chosen(lattice, request.where, request.lookup(scores))
    places = np.flatnonzero(chosen_ones)
    levels, unbroken, best_first = _ordered(lattice, request, places, scores, watch)
    columns = request.columns
    stopped = watch.stopped
    if stopped and lattice.stopped in ("cancelled", "seconds"):
        stopped = lattice.stopped
    ranking = Ranking(
        lattice,
        recipe=Recipe(
            measures={label: request.measures[label] for label in columns},
            by=request.ranked_by,
            descending={label: request.high_first[label] for label in columns},
            ties=request.ties,
            where=None if request.where is None else described(request.where),
        ),
        scores={label: scores[label] for label in columns},
        order=places[best_first],
        ranks=order.ranks(levels, request.ties)[best_first],
        ties=order.Ties.of(levels, unbroken=unbroken),
        stopped=stopped,
    )
    if watch.stopped:
        # Later these would need the scores that are missing.
        with watched(watch):
            _ = ranking.doubts
    return ranking


def _scores(
    lattice: Lattice, request: Request, watch: Watch
) -> tuple[dict[str, Scores], dict[str, NDArray[np.bool_]]]:
    """Return the scores under the names of their columns, NaN where unknown, and what is known."""
    scores: dict[str, Scores] = {}
    known: dict[str, NDArray[np.bool_]] = {}
    others = [label for label in request.measures if label not in request.ranked_by]
    with watched(watch):
        for label in watch.parts([None, *request.ranked_by, *others]):
            watch.begin()
            column, mask = np.full(len(lattice), np.nan), np.zeros(len(lattice), dtype=np.bool_)
            try:
                if label is None:
                    lattice.prepare(request.needed(lattice.min_support))
                    continue
                name, own = request.measures[label]
                column = lattice.score(name, **own)
                mask = np.ones_like(mask) if watch.scored is None else watch.scored
            except BudgetExceeded:
                if not watch.stopped:
                    raise
            if label is not None:
                scores[label] = column if mask.all() else np.where(mask, column, np.nan)
                known[label] = mask
    return scores, known


def _ordered(
    lattice: Lattice,
    request: Request,
    places: NDArray[np.int64],
    scores: Mapping[str, Scores],
    watch: Watch,
) -> tuple[order.Levels, order.Ties | None, NDArray[np.int64]]:
    """Return the levels of concepts, the ties by the first measure alone, and the best first."""
    each = [
        _levels(lattice, request, label, places=places, scores=scores[label], watch=watch)
        for label in request.ranked_by
    ]
    levels = order.joint(each)
    unbroken = order.Ties.of(each[0]) if len(each) > 1 else None
    return levels, unbroken, np.argsort(levels, kind="stable")


def _levels(
    lattice: Lattice,
    request: Request,
    label: str,
    *,
    places: NDArray[np.int64],
    scores: Scores,
    watch: Watch,
) -> order.Levels:
    """Return the levels of a column, by the finer form of its measure if there is one."""
    name, _ = request.measures[label]
    high_first = request.high_first[label]
    finer = request.finer(label, lattice.min_support)
    if finer is not None:
        # The other form orders by the same quantity, and may have the other direction.
        other, params = registry.split(finer)
        same = registry.get(other).direction == registry.get(name).direction
        try:
            with watched(watch):
                values = lattice.score(other, **params)[places]
            return order.levels(values, descending=high_first == same)
        except BudgetExceeded:
            if not watch.stopped:
                raise
    # Without the finer form, scores that differ by less than their error count as equal.
    error = SCORE_ERROR if registry.get(name).finer else 0.0
    return order.levels(scores[places], descending=high_first, error=error)


def _check(name: str, params: Params, context: Context) -> None:
    """Raise an error if a measure can't be computed with these parameters."""
    measure = registry.get(name)
    bound = measure.bind(params)
    if not {"labels", "weights"}.isdisjoint(bound):
        # No concepts: the labels and weights are read, and nothing is computed.
        nothing = Batch(context, (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint32)))
        measure.score(nothing, params)


def described(where: ConditionLike) -> str:
    """Return a condition in words.

    Examples
    --------
    >>> described(np.array([True]))
    'an array of truth values'
    """
    if isinstance(where, Condition):
        return where.text
    if callable(where):
        return f"a function: {getattr(where, '__qualname__', type(where).__qualname__)}"
    return "an array of truth values"
