"""Making a ranking: scores, the chosen concepts, their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from conceptrank.budget import Watch, watched
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.query import Query, mining
from conceptrank.ranking import order
from conceptrank.ranking.order import SCORE_ERROR
from conceptrank.ranking.ranking import Ranking
from conceptrank.ranking.recipe import Recipe

# The share of the time that mining may take when there is more to score afterwards, and the share
# when there is not.
_MINING_SHARE = 0.5
_WHOLE_SHARE = 0.9
# The share of the time that scoring gets at least. Concepts without scores could not be shown.
_SCORING_SHARE = 0.1


def rank(lattice: Lattice, query: Query, ties: order.TieMode = "dense") -> Ranking:
    """Return the concepts in the order of a measure; see `Lattice.rank`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> movies = cr.datasets.load("movies")
    >>> rank(movies.lattice(), Query.of(movies, "support", where="cr > 0.3")).order[:3]
    array([1, 2, 3])
    """
    watch = Watch(query.budget, query.progress, partial=True)
    watch.check()
    return _ranked(lattice, query, ties, watch)


def mine_and_rank(query: Query, ties: order.TieMode = "dense") -> Ranking:
    """Return the concepts of a context in the order of a measure; see `Context.rank`."""
    watch = Watch(query.budget, query.progress, partial=True, task="ranking")
    watch.check()
    # Extents are scored while mining; what else there is to score comes afterwards.
    share = _WHOLE_SHARE if query.first_need("intent") is None else _MINING_SHARE
    with watch.section(0.0, 0.5):
        budget = watch.remaining(share)
        lattice = mining.lattice(replace(query, where=None, budget=budget, progress=watch.report))
    if lattice.stopped == "cancelled":
        # What was found is scored in whatever time that takes.
        watch = Watch(None, query.progress, partial=True)
    elif lattice.stopped == "seconds":
        left = max(watch.seconds_left or 0.0, _SCORING_SHARE * (watch.budget.seconds or 0.0))
        watch = Watch(watch.budget.with_seconds(left), query.progress, partial=True)
    with watch.section(0.5, 1.0):
        return _ranked(lattice, query, ties, watch)


def _ranked(lattice: Lattice, query: Query, ties: order.TieMode, watch: Watch) -> Ranking:
    """Return the ranking of the concepts that can be scored in the time of the watch.

    Raises
    ------
    BudgetExceeded
        If not a single concept was scored.
    """
    scores, known = _scores(lattice, query, watch)
    chosen = known[query.by[0]]
    if watch.stopped and not chosen.any():
        raise BudgetExceeded(watch.reason)
    if query.where is not None:
        chosen = chosen & query.holds(lattice, scores)
    places = np.flatnonzero(chosen)
    each = [
        _levels(lattice, query, label, places=places, scores=scores[label], watch=watch)
        for label in query.by
    ]
    levels = order.joint(each)
    best_first = np.argsort(levels, kind="stable")
    stopped = watch.stopped
    if stopped and lattice.stopped in ("cancelled", "seconds"):
        stopped = lattice.stopped
    ranking = Ranking(
        lattice,
        recipe=Recipe.of(query, ties),
        scores={label: scores[label] for label in query.shown},
        order=places[best_first],
        ranks=order.ranks(levels, ties)[best_first],
        ties=order.Ties.of(levels, unbroken=order.Ties.of(each[0]) if len(each) > 1 else None),
        stopped=stopped,
    )
    if watch.stopped:
        # Later these would need the scores that are missing.
        with watched(watch):
            _ = ranking.doubts
    return ranking


def _scores(
    lattice: Lattice, query: Query, watch: Watch
) -> tuple[dict[str, Scores], dict[str, NDArray[np.bool_]]]:
    """Return the scores under the names of their columns, NaN where unknown, and what is known."""
    scores: dict[str, Scores] = {}
    known: dict[str, NDArray[np.bool_]] = {}
    others = [label for label in query.measures if label not in query.by]
    with watched(watch):
        for label in watch.parts([None, *query.by, *others]):
            watch.begin()
            column, mask = np.full(len(lattice), np.nan), np.zeros(len(lattice), dtype=np.bool_)
            try:
                if label is None:
                    lattice.prepare(query.face_needs)
                    continue
                column = query.score(label, lattice)
                mask = np.ones_like(mask) if watch.scored is None else watch.scored
            except BudgetExceeded:
                if not watch.stopped:
                    raise
            if label is not None:
                scores[label] = column if mask.all() else np.where(mask, column, np.nan)
                known[label] = mask
    return scores, known


def _levels(
    lattice: Lattice,
    query: Query,
    label: str,
    *,
    places: NDArray[np.int64],
    scores: Scores,
    watch: Watch,
) -> order.Levels:
    """Return the levels of a column, by the finer form of its measure if there is one."""
    measure, _ = query.measure(label)
    high_first = query.high_first[label]
    if (finer := query.finer(label)) is not None:
        # The other form orders by the same quantity, and may have the other direction.
        other, params = finer
        try:
            with watched(watch):
                values = other.score(lattice, params)[places]
            same = other.direction == measure.direction
            return order.levels(values, descending=high_first == same)
        except BudgetExceeded:
            if not watch.stopped:
                raise
    # Without the finer form, scores that differ by less than their error count as equal.
    error = SCORE_ERROR if measure.finer else 0.0
    return order.levels(scores[places], descending=high_first, error=error)
