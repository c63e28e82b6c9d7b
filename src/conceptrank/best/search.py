"""`best`: the k best concepts. The search scores what it visits and prunes by bounds.

The core expands nodes of the tree of concepts, those with the best limits first. This module gives
it the limits, the keys of the nodes: the bounds of the measures that decide, then the support, in
the order in which concepts are compared. Nodes whose key is below that of the k-th best concept so
far are left out; those that tie with it are not, so that the answer does not depend on the order
of the search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists
from conceptrank._util.rounding import same
from conceptrank.best.curves import Key, curves
from conceptrank.best.result import Best
from conceptrank.budget import Budget, Watch, watched
from conceptrank.concepts import Concepts, Marks, Subtrees
from conceptrank.errors import BudgetExceeded, MeasureError, checked_choice
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.user_data import remembered
from conceptrank.query import Query
from conceptrank.query.constraints import Limit
from conceptrank.ranking import order
from conceptrank.ranking.recipe import Recipe

TieRule: TypeAlias = Literal["first", "all"]
# Concepts visited, the k-th best score so far and the best score that is still possible.
BestProgress: TypeAlias = Callable[[int, float, float], None]

# Under a time limit, a step takes about 0.2 seconds, or a tenth of the seconds left if that is
# less.
_STEP_SECONDS, _STEP_SHARE = 0.2, 0.1
_DEFAULT_BYTES = 1 << 30
# The overhead of a step in Python is about the time that the core needs for 8 nodes without faces.
_LEAST_AT_ONCE = 8
# The factor by which a search for improving concepts grows.
_GROWTH = 4
# Candidates are compared again when so many of the k have come.
_COMPARED_SHARE = 1 / 16


@dataclass
class _Candidates:
    """The best concepts so far: those that are not below the k-th one."""

    k: int
    by_support: bool
    keys: list[Key]
    found: Concepts
    columns: list[Scores] = field(init=False)
    threshold: Scores = field(init=False)
    # Of the concepts, once there are k and none came after they were compared.
    levels: order.Levels = field(init=False)
    compared: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.columns = [np.zeros(0)] * len(self.keys)
        self.threshold = np.full(len(self.keys) + self.by_support, -np.inf)

    def add(self, found: Concepts, columns: list[Scores]) -> None:
        """Add concepts with their scores, and drop those that are below the k-th best."""
        first = self.threshold[0]
        near = np.flatnonzero(columns[0] >= first - 1e-9 * abs(first if first > -np.inf else 0.0))
        if not len(near):
            return
        if len(near) < len(found):
            found, columns = found.at(near), [column[near] for column in columns]
        self.found = self.found.with_others(found)
        self.columns = [np.concatenate(pair) for pair in zip(self.columns, columns, strict=True)]
        wanted = self.k * _COMPARED_SHARE if self.compared else self.k
        if len(self.found) - self.compared >= wanted:
            self.settle()

    def settle(self) -> None:
        """Keep the concepts that are not below the k-th best, and set the threshold."""
        if len(self.found) < max(self.k, self.compared + 1) or not self.k:
            return
        levels = self._compared()
        last = np.partition(levels, self.k - 1)[self.k - 1]
        kept = np.flatnonzero(levels <= last)
        if len(kept) < len(levels):
            self.found = self.found.at(kept)
            self.columns = [column[kept] for column in self.columns]
        self.levels, self.compared = levels[kept], len(kept)
        place = int(np.flatnonzero(self.levels == last)[0])
        keys = [*self.columns, self.found.supports] if self.by_support else self.columns
        self.threshold = np.array([float(key[place]) for key in keys])

    def _compared(self) -> order.Levels:
        """Return the levels by which concepts are compared, the best first."""
        each = [
            order.levels(column, descending=True, error=key.error)
            for key, column in zip(self.keys, self.columns, strict=True)
        ]
        if self.by_support:
            each.append(order.levels(self.found.supports.astype(np.float64), descending=True))
        return order.joint(each)

    def __len__(self) -> int:
        """Return the number of concepts that are listed."""
        return min(len(self.found), self.k) if self.by_support else len(self.found)

    def listed(self) -> Concepts:
        """Return the k best concepts, or all that tie with them."""
        if len(self) == len(self.found):
            return self.found
        levels, (offsets, values) = self.levels, self.found.intents
        last = levels.max()
        before, tied = np.flatnonzero(levels < last), np.flatnonzero(levels == last).tolist()
        tied.sort(key=lambda i: values[offsets[i] : offsets[i + 1]].tolist())
        return self.found.at(np.append(before, tied[: self.k - len(before)]))


def best_improving(
    query: Query, k: int, *, ties: TieRule = "first", progress: BestProgress | None = None
) -> Best:
    """Return the k best concepts that score better than all more general ones.

    A more general concept that scores as well is ranked before, so every search for more concepts
    than before decides about all that it lists.

    Examples
    --------
    >>> import conceptrank as cr
    >>> query = Query.of(cr.datasets.load("movies"), None, target="drama")
    >>> [concept.intent for _, concept, _ in best_improving(query, 2)]
    [('action',), ('comedy',)]
    """
    watch, most, top = Watch(query.budget), k, query.context.concept()
    sign = 1.0 if query.high_first[query.by[0]] else -1.0
    least = sign * float(query.score(query.by[0], Concepts.single(top))[0])
    while True:
        found = best(replace(query, budget=watch.remaining()), most, ties=ties, progress=progress)
        kept: list[int] = []
        intents: list[frozenset[str]] = []
        scores = (sign * found.score(found.by)).tolist()
        for place, ((_, concept, _), score) in enumerate(zip(found, scores, strict=True)):
            intent = frozenset(concept.intent)
            # What is worse than a general concept that is left out is also worse than a kept one.
            if concept == top or (
                score > least and not any(general < intent for general in intents)
            ):
                kept.append(place)
                intents.append(intent)
        ended = len(found) < most or not found.complete or not scores or scores[-1] <= least
        if len(kept) >= k or ended:
            return found.only(kept[:k])
        most *= _GROWTH


def best(
    query: Query,
    k: int,
    *,
    ties: TieRule = "first",
    progress: BestProgress | None = None,
    comparison: str = "automatic",
) -> Best:
    """Return the k best concepts by a measure; see `Context.best`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> options = {"contains": "drama"}
    >>> movies = cr.datasets.load("movies")
    >>> best(Query.of(movies, "stability", min_support=1, **options), 2)
    The 2 best concepts by stability (2 visited)
    rank  stability  support  intent
       1       0.75        3  {adventure, criminal, drama}
       2     0.6562        5  {drama}
    """
    if isinstance(k, bool) or k != int(k) or k < 0:
        raise ValueError(f"k must be a whole number that is not negative, got {k!r}")
    checked_choice("ties", ties, TieRule, MeasureError)
    keys = _keys(query)
    with remembered():
        search = _Search(query, int(k), keys, by_support=ties == "first", comparison=comparison)
        certificate = search.run(progress)
        lattice = Lattice.of(search.candidates.listed(), search.min_support)
        scores = {label: query.score(label, lattice) for label in query.shown}
        levels = order.joint(
            [order.levels(key.score(lattice), descending=True, error=key.error) for key in keys]
        )
    best_first = np.argsort(levels, kind="stable")
    return Best(
        lattice,
        recipe=Recipe.of(query),
        scores=scores,
        order=best_first,
        ranks=order.ranks(levels)[best_first],
        ties=order.Ties.of(levels),
        visited=search.visited,
        **certificate,
        constraints=repr(query.constraints),
    )


class _Search:
    """One search: the core's frontier, the candidates, and the bounds that prune."""

    def __init__(
        self, query: Query, k: int, keys: list[Key], *, by_support: bool, comparison: str
    ) -> None:
        self.query, self.keys = query, keys
        self.context, self.threads = query.context, query.threads
        self.budget = query.budget or Budget()
        self.visited = 0
        # Few bounds use the lengths, and computing them takes the core some time.
        self.used_longest = True
        self.min_support = query.tightened.least_support(query.context)
        self.limits = [(_key(query, label), limit) for label, limit in query.limits]
        self.marks = Marks(self.context)
        self._known_marks = 0
        self.candidates = _Candidates(k, by_support, keys, self._concepts(_lists.joined([])))
        self._curves: list[Scores | None] | None = None
        # Scores without faces cost no more than bounds, so children are scored at once, which
        # raises the threshold early. Other scores are computed when the search visits the node.
        self.eager = not any(key.measure.face_needs(key.params) for key in keys)
        self.core = _core.BestSearch(
            self.context.core,
            query.tightened.for_core(self.context),
            width=len(self.candidates.threshold),
            most_bytes=self.budget.bytes or _DEFAULT_BYTES,
            comparison=comparison,
        )
        self._watch = Watch(query.budget)
        self._seconds_per_node = 0.0

    def _concepts(self, intents: Lists, *known: NDArray[Any]) -> Concepts:
        """Return concepts with their supports, deltas and sums of marks, as far as given."""
        nothing = np.zeros(0, dtype=np.int64)
        supports, deltas, *marked = known or (nothing, nothing)
        return Concepts(
            self.context,
            intents,
            threads=self.threads,
            supports=supports,
            deltas=deltas,
            marks=self.marks,
            marked=marked[0] if marked else None,
        )

    def run(self, progress: BestProgress | None) -> dict[str, Any]:
        """Search until nothing is left or the budget ends it; return what that proves."""
        stopped, unscored = "", -np.inf
        while self.candidates.k and len(self.core) and not stopped:
            began, before = time.monotonic(), self.visited
            try:
                stopped = self._step()
            except _UnscoredError as error:
                unscored, stopped = error.bound, error.stopped
                break
            many = max(self.visited - before, 1)
            self._seconds_per_node = (time.monotonic() - began) / many
            if progress is not None:
                progress(self.visited, *self._progress())
            if self.budget.cancelled:
                stopped = stopped or "cancelled"
            elif self.budget.concepts is not None and self.visited >= self.budget.concepts:
                stopped = stopped or "concepts"
            elif self._left() == 0:
                stopped = stopped or "seconds"
        self.candidates.settle()
        return self._certificate(stopped, unscored)

    def _step(self) -> str:
        """Expand some nodes, score the new concepts, and return what stopped the search, or ""."""
        least_support, least_delta, least_sum = self._worth()
        for numbers in self.marks.numbers[self._known_marks :]:
            self.core.add_marks(numbers.astype(np.uint32))
        self._known_marks = many = len(self.marks.numbers)
        count = self._count()
        enough = bool(np.isfinite(self.candidates.threshold[0]))
        step = self.core.expand(
            count=count,
            dives=self.core.dives(count, self.visited, enough),
            threshold=self.candidates.threshold,
            least_support=least_support,
            least_delta=least_delta,
            least_sum=least_sum,
            limit_length=self.used_longest,
            strict=self.eager,
            threads=self.threads,
            watch=self._core_watch(),
        )
        sums = step.sums.reshape(len(step.supports), 2, many)
        try:
            with watched(self._watch):
                scores = np.zeros(0)
                if not self.eager or not self.visited:
                    self._take(step.nodes)
                if self.eager:
                    scores = self._take(step.children, sums[:, 0])
                self._push(step, sums[:, 1], scores)
        except BudgetExceeded:
            # Neither these concepts nor what is below them is known.
            raise _UnscoredError(step.bound, step.stop or self._watch.stopped) from None
        self.visited += len(step.nodes.supports)
        return step.stop

    def _core_watch(self) -> _core.Watch:
        return _core.Watch(lambda: self.budget.cancelled, seconds=self._left())

    def _worth(self) -> list[int]:
        """Return the least support, Δ and sum of marks with which a concept can be among the best.

        With them, the core drops children before it computes their attributes.
        """
        threshold = float(self.candidates.threshold[0])
        if not np.isfinite(threshold):
            return [0, 0, 0]
        if self._curves is None:
            self._curves = curves(self.keys[0], self.context, self.min_support, self.marks)
        least = threshold - abs(threshold) * 1e-9
        return [0 if curve is None else int(curve.searchsorted(least)) for curve in self._curves]

    def _count(self) -> int:
        count = max(self.core.step_size(self.visited), _LEAST_AT_ONCE if self.eager else 1)
        left = self._left()
        if left is not None and self._seconds_per_node:
            seconds = min(_STEP_SECONDS, _STEP_SHARE * left)
            count = max(min(count, int(seconds / self._seconds_per_node)), 1)
        limit = self.budget.concepts
        return count if limit is None else max(min(count, limit - self.visited), 1)

    def _left(self) -> float | None:
        return self._watch.seconds_left

    def _take(
        self, concepts: _core.FoundConcepts, sums: NDArray[np.uint32] | None = None
    ) -> Scores:
        """Score concepts, keep the best that meet all constraints, and return the scores."""
        known = concepts.supports, concepts.deltas
        found = self._concepts(concepts.intents, *known, *(() if sums is None else (sums,)))
        counts = concepts.counts
        if not len(found):
            return np.zeros(0)
        if not self.eager:
            # Concepts that don't count need no scores.
            found = found.at(np.flatnonzero(counts))
            counts = counts[counts != 0]
        columns = [key.score(found) for key in self.keys]
        places = np.flatnonzero(counts)
        meant = found.at(places)
        if self.query.where is not None and len(meant):
            places = places[self.query.holds(meant)]
            meant = found.at(places)
        if len(meant):
            self.candidates.add(meant, [column[places] for column in columns])
        return columns[0]

    def _push(self, step: _core.SearchStep, sums: NDArray[np.uint32], scores: Scores) -> None:
        """Give the children their keys, and their own scores if these are known."""
        threshold = self.candidates.threshold
        nodes = Subtrees(
            self.context,
            step.children.intents,
            longest=step.lengths,
            bottom=step.bottoms != 0,
            threads=self.threads,
            supports=step.supports,
            deltas=step.deltas,
            min_support=self.min_support,
            marks=self.marks,
            marked=sums,
        )
        keys = [key.limit(nodes) for key in self.keys] if len(nodes) else [np.zeros(0)] * 9
        keys = [*keys[: len(self.keys)], step.supports.astype(np.float64)][: len(threshold)]
        matrix = np.column_stack(keys)
        for column, limit in self.limits if len(nodes) else ():
            matrix[~_reachable(column, limit, nodes), 0] = np.nan
        if len(nodes):
            self.used_longest = nodes.used_longest
        self.core.push(np.ascontiguousarray(matrix.reshape(-1)), scores, threshold)

    def _progress(self) -> tuple[float, float]:
        sign = self.keys[0].sign
        return sign * float(self.candidates.threshold[0]), sign * self.core.bound

    def _certificate(self, stopped: str, unscored: float) -> dict[str, Any]:
        if not stopped:
            return {"bound": None, "proven": len(self.candidates), "stopped": ""}
        bound = max(self.core.bound, unscored)
        scores = self.candidates.columns[0]
        sure = (scores > bound) & ~same(scores, np.full(len(scores), bound))
        sign = self.keys[0].sign
        proven = min(int(sure.sum()), self.candidates.k)
        reachable = None if bound == -np.inf else sign * bound
        return {"bound": reachable, "proven": proven, "stopped": stopped}


class _UnscoredError(Exception):
    """The budget ended before the concepts of a step were scored."""

    def __init__(self, bound: float, stopped: str) -> None:
        super().__init__(bound, stopped)
        self.bound, self.stopped = bound, stopped


def _key(query: Query, label: str) -> Key:
    measure, params = query.measure(label)
    return Key(measure, params, 1.0 if query.high_first[label] else -1.0)


def _keys(query: Query) -> list[Key]:
    """Return the columns that decide, each followed by its finer form if it has one.

    The finer form orders concepts whose scores differ only by rounding.
    """
    keys: list[Key] = []
    for label in query.by:
        key = _key(query, label)
        keys.append(key)
        if (finer := query.finer(label)) is not None:
            measure, params = finer
            same = measure.direction == key.measure.direction
            keys.append(Key(measure, params, key.sign if same else -key.sign))
        elif key.measure.finer:
            key.error = order.SCORE_ERROR
    return keys


def _reachable(column: Key, limit: Limit, nodes: Subtrees) -> NDArray[np.bool_]:
    """Return for each node whether a concept below it can meet a limit of a condition."""
    above = limit.operator in (">", ">=")
    if above != (column.sign > 0):
        return np.ones(len(nodes), dtype=np.bool_)
    most, least = column.limit(nodes), column.sign * limit.value
    reached: NDArray[np.bool_] = (most >= least) | (np.abs(most - least) <= 1e-12 * abs(least))
    return reached
