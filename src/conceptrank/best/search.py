"""The search for the best concepts: scores of what it comes to, limits on what it may leave out.

The core expands nodes of the tree of concepts, those with the best limits first. This module gives
it the limits, the keys of the nodes: the bounds of the measures that decide, then the support, in
the order in which concepts are compared. Nodes whose key is below that of the k-th best concept so
far are left out; those that tie with it are not, so that the answer does not depend on the order
of the search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank.best.constraints import Constraints, Limit
from conceptrank.best.nodes import Found, Nodes
from conceptrank.best.result import Best, Certificate
from conceptrank.budget import Budget, support_threshold, watched
from conceptrank.errors import BudgetExceeded, MeasureError
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import Measure, MeasureLike, Params
from conceptrank.measures.user_data import remembered
from conceptrank.ranking import order
from conceptrank.ranking.building import described
from conceptrank.ranking.conditions import Condition, ConditionLike, chosen
from conceptrank.ranking.recipe import Recipe, labelled, measure_list

if TYPE_CHECKING:
    from conceptrank.context import Context

TieRule: TypeAlias = Literal["first", "all"]
# Concepts visited, the k-th best score so far and the best score that is still possible.
BestProgress: TypeAlias = Callable[[int, float, float], None]

# The share of all visited nodes that is expanded at once, and limits on it. Nodes that are expanded
# together can't learn from each other, and each step has a cost of its own.
_SHARE, _MOST_AT_ONCE, _AT_ONCE_IN_DEPTH = 8, 512, 64
_DEFAULT_BYTES = 1 << 30
# A search that is not done after so many nodes goes half of the time where scores are high.
_PATIENCE = 1000
# With more objects, the least support for a score is not looked for: that takes a list of all.
_MOST_SUPPORTS = 10_000_000


@dataclass
class _Column:
    """A measure that decides, with its parameters and direction."""

    measure: Measure
    params: Params
    sign: float

    def score(self, concepts: Found) -> Scores:
        """Return scores of which the largest is the best; what is no number is the worst."""
        scores = self.sign * self.measure.score(concepts, self.params)
        return np.where(np.isnan(scores), -np.inf, scores)

    def limit(self, nodes: Nodes) -> Scores:
        """Return the largest such score at or below each node."""
        usual = 1.0 if self.measure.direction == "higher" else -1.0
        if self.sign != usual:
            return np.full(len(nodes), np.inf)
        return np.asarray(self.sign * self.measure.limit(nodes, self.params))


@dataclass
class _Candidates:
    """The best concepts so far: those that are not below the k-th one."""

    k: int
    by_support: bool
    found: Found
    columns: list[Scores]
    threshold: Scores = field(init=False)

    def __post_init__(self) -> None:
        self.threshold = np.full(len(self.columns) + self.by_support, -np.inf)

    def add(self, found: Found, columns: list[Scores]) -> None:
        """Add concepts with their scores, and drop those that are below the k-th best."""
        first = self.threshold[0]
        near = np.flatnonzero(columns[0] >= first - 1e-9 * abs(first if first > -np.inf else 0.0))
        if not len(near):
            return
        found, columns = found.at(near), [column[near] for column in columns]
        old = self.found
        self.found = Found(
            old.context,
            _lists.chained(old.intents, found.intents),
            np.concatenate((old.supports, found.supports)),
            threads=old.threads,
        )
        self.columns = [np.concatenate(pair) for pair in zip(self.columns, columns, strict=True)]
        if len(self.found) < self.k or not self.k:
            return
        levels = self.levels()
        last = np.partition(levels, self.k - 1)[self.k - 1]
        kept = np.flatnonzero(levels <= last)
        self.found = self.found.at(kept)
        self.columns = [column[kept] for column in self.columns]
        place = int(np.flatnonzero(levels[kept] == last)[0])
        keys = [*self.columns, self.found.supports] if self.by_support else self.columns
        self.threshold = np.array([float(key[place]) for key in keys])

    def levels(self) -> order.Levels:
        """Return the levels by which concepts are compared, the best first."""
        each = [order.levels(column, descending=True) for column in self.columns]
        if self.by_support:
            each.append(order.levels(self.found.supports.astype(np.float64), descending=True))
        return order.joint(each)


def best(
    context: Context,
    k: int,
    by: MeasureLike = "conceptual_relevance",
    *,
    also: MeasureLike | Sequence[MeasureLike] = (),
    then: MeasureLike | Sequence[MeasureLike] = (),
    descending: bool | None = None,
    ties: TieRule = "first",
    constraints: Constraints | None = None,
    where: ConditionLike | None = None,
    threads: int = 0,
    budget: Budget | None = None,
    progress: BestProgress | None = None,
    params: Params | None = None,
    at_least: float | None = None,
    comparison: str = "automatic",
) -> Best:
    """Return the k best concepts by a measure; see `Context.best`.

    Concepts with a worse score than `at_least` may be missing.

    Examples
    --------
    >>> import conceptrank as cr
    >>> movies = cr.datasets.load("movies")
    >>> best(movies, 2, "stability", constraints=Constraints(contains="drama", min_support=1))
    The 2 best concepts by stability (2 visited)
    rank  stability  support  intent
       1       0.75        3  {adventure, criminal, drama}
       2     0.6562        5  {drama}
    """
    if isinstance(k, bool) or k != int(k) or k < 0:
        raise ValueError(f"k must be a whole number that is not negative, got {k!r}")
    if ties not in get_args(TieRule):
        raise MeasureError(f"ties must be 'first' or 'all', got {ties!r}")
    if threads < 0:
        raise ValueError(f"threads must not be negative, got {threads}")
    if isinstance(where, str):
        where = Condition.parse(where)
    if where is not None and not isinstance(where, Condition) and not callable(where):
        raise MeasureError("a search takes a condition or a function of a concept, not an array")
    wanted = constraints or Constraints()
    limits: list[Limit] = []
    if isinstance(where, Condition):
        where.check(context)
        wanted, limits = wanted.tightened(where.text, context)

    deciding, extra = [by, *measure_list(then)], measure_list(also)
    asked = where.measures if isinstance(where, Condition) else ()
    measures, labels = labelled([*deciding, *extra, *asked], params)
    shown = dict.fromkeys(labels[: len(deciding) + len(extra)])
    own = labels[len(deciding) + len(extra) :]
    columns = {label: _column(*measures[label]) for label in measures}
    if descending is not None:
        columns[labels[0]].sign = 1.0 if descending else -1.0
    decisive = tuple(dict.fromkeys(labels[: len(deciding)]))

    search = _Search(
        context=context,
        k=int(k),
        keys=[columns[label] for label in decisive],
        by_support=ties == "first",
        constraints=wanted,
        threads=threads,
        budget=budget or Budget(),
        comparison=comparison,
    )
    if at_least is not None:
        search.candidates.threshold[0] = search.keys[0].sign * at_least
    for (name, given), label in zip(asked, own, strict=True):
        column = _column(*measures[label])
        search.limits += [(column, each) for each in limits if not given and each.measure == name]
    if where is not None:
        condition = where

        def meant(found: Found) -> NDArray[np.bool_]:
            def score(*measure: object) -> Scores:
                name, full = measures[own[asked.index(measure)]]
                return registry.get(name).score(found, full)

            return chosen(found, condition, score)

        search.where = meant
    with remembered():
        certificate = search.run(progress)

    lattice = search.lattice()
    scores = {label: lattice.score(measures[label][0], **measures[label][1]) for label in shown}
    levels = order.joint(
        [order.levels(scores[label], descending=columns[label].sign > 0) for label in decisive]
    )
    best_first = np.argsort(levels, kind="stable")
    return Best(
        lattice,
        recipe=Recipe(
            measures={label: measures[label] for label in shown},
            by=decisive,
            descending={label: columns[label].sign > 0 for label in shown},
            where=None if where is None else described(where),
        ),
        scores=scores,
        order=best_first,
        ranks=order.ranks(levels)[best_first],
        ties=order.Ties.of(levels),
        certificate=certificate,
        constraints=repr(constraints or Constraints()),
    )


class _Search:
    """One search: the core's frontier, the candidates, and the bounds that prune."""

    def __init__(
        self,
        *,
        context: Context,
        k: int,
        keys: list[_Column],
        by_support: bool,
        constraints: Constraints,
        threads: int,
        budget: Budget,
        comparison: str,
    ) -> None:
        self.context, self.keys, self.threads, self.budget = context, keys, threads, budget
        self.limits: list[tuple[_Column, Limit]] = []
        self.where: Callable[[Found], NDArray[np.bool_]] | None = None
        self.visited = 0
        # What scores and bounds have asked for: the core finds out nothing else.
        self.used: set[str] = set()
        self.min_support = support_threshold(constraints.min_support, context.shape[0])
        nothing = np.zeros(0, dtype=np.int64)
        empty = Found(context, _lists.joined([]), nothing, nothing, threads)
        self.candidates = _Candidates(k, by_support, empty, [np.zeros(0)] * len(keys))
        self._worth = _Worth(keys[0], context)
        # Scores without faces cost no more than bounds: children get theirs at once, which raises
        # the threshold early. Others are scored when the search comes to them.
        self.eager = not any(key.measure.face_needs(key.params) for key in keys)
        self.core = _core.BestSearch(
            context.core,
            constraints.for_core(context),
            width=len(self.candidates.threshold),
            most_bytes=budget.bytes or _DEFAULT_BYTES,
            comparison=comparison,
        )
        self._start = time.monotonic()

    def run(self, progress: BestProgress | None) -> Certificate:
        """Search until nothing is left or the budget ends it."""
        stopped, unscored = "", -np.inf
        while self.candidates.k and len(self.core) and not stopped:
            least_support, least_delta = self._worth.of(float(self.candidates.threshold[0]))
            count = self._count()
            step = self.core.expand(
                count=count,
                dives=count // 2 if self.visited >= _PATIENCE else 0,
                threshold=self.candidates.threshold,
                least_support=least_support,
                least_delta=least_delta,
                limit_delta=not self.visited or "limit_delta" in self.used,
                limit_length=not self.visited or "limit_length" in self.used,
                own_delta=self.eager and (not self.visited or "own_delta" in self.used),
                threads=self.threads,
                seconds=self._left(),
                interrupt=lambda: self.budget.cancelled,
            )
            intents, supports, deltas, counts = step[:4]
            lists, most, nearest, longest, bottom, *own = step[4:12]
            bound, stopped = step[12:]
            try:
                with watched(Budget(seconds=self._left()), None):
                    scores = np.zeros(0)
                    if not self.eager or not self.visited:
                        self._take(intents, supports, deltas, counts)
                    if self.eager:
                        scores = self._take(lists, *own)
                    self._push(lists, most, nearest, longest, bottom, scores=scores)
            except BudgetExceeded:
                # Neither these concepts nor what is below them is known.
                unscored, stopped = bound, stopped or "seconds"
                break
            self.visited += len(supports)
            if progress is not None:
                progress(self.visited, *self._progress())
            if self.budget.cancelled:
                stopped = stopped or "cancelled"
            elif self.budget.concepts is not None and self.visited >= self.budget.concepts:
                stopped = stopped or "concepts"
            elif self._left() == 0:
                stopped = stopped or "seconds"
        return self._certificate(stopped, unscored)

    def _count(self) -> int:
        if self.core.depth_first:
            count = _AT_ONCE_IN_DEPTH
        else:
            count = min(max(self.visited // _SHARE, 1), _MOST_AT_ONCE)
        limit = self.budget.concepts
        return count if limit is None else max(min(count, limit - self.visited), 1)

    def _left(self) -> float | None:
        limit = self.budget.seconds
        return None if limit is None else max(limit - (time.monotonic() - self._start), 0.0)

    def _take(
        self,
        intents: _lists.Lists,
        supports: NDArray[np.int64],
        deltas: NDArray[np.int64],
        counts: NDArray[Any],
    ) -> Scores:
        """Score concepts, keep the best that meet all constraints, and return the scores."""
        known = not self.eager or not self.visited or "own_delta" in self.used
        found = Found(self.context, intents, supports, deltas if known else None, self.threads)
        found.used = self.used
        if not len(found):
            return np.zeros(0)
        if not self.eager:
            # Concepts that don't count need no scores.
            found = found.at(np.flatnonzero(counts))
            counts = counts[counts != 0]
        columns = [key.score(found) for key in self.keys]
        places = np.flatnonzero(counts)
        meant = found.at(places)
        if self.where is not None and len(meant):
            places = places[self.where(meant)]
            meant = found.at(places)
        if len(meant):
            self.candidates.add(meant, [column[places] for column in columns])
        return columns[0]

    def _push(
        self,
        intents: _lists.Lists,
        supports: NDArray[np.int64],
        deltas: NDArray[np.int64],
        longest: NDArray[np.int64],
        bottom: NDArray[np.int64],
        *,
        scores: Scores,
    ) -> None:
        """Give the children their keys, and their own scores if these are known."""
        threshold = self.candidates.threshold
        nodes = Nodes(
            self.context,
            intents,
            supports,
            deltas,
            self.threads,
            longest=longest,
            bottom=bottom != 0,
            min_support=self.min_support,
        )
        nodes.used = self.used
        keys = [key.limit(nodes) for key in self.keys] if len(nodes) else [np.zeros(0)] * 9
        keys = [*keys[: len(self.keys)], supports.astype(np.float64)][: len(threshold)]
        matrix = np.column_stack(keys)
        for column, limit in self.limits if len(nodes) else ():
            matrix[~_reachable(column, limit, nodes), 0] = np.nan
        self.core.push(np.ascontiguousarray(matrix.reshape(-1)), scores, threshold)

    def _progress(self) -> tuple[float, float]:
        sign = self.keys[0].sign
        return sign * float(self.candidates.threshold[0]), sign * self.core.bound

    def _certificate(self, stopped: str, unscored: float) -> Certificate:
        if not stopped:
            return Certificate(None, len(self.lattice()), "", self.visited)
        bound = max(self.core.bound, unscored)
        scores = self.candidates.columns[0]
        sure = (scores > bound) & ~order.same(scores, np.full(len(scores), bound))
        sign = self.keys[0].sign
        proven = min(int(sure.sum()), self.candidates.k)
        return Certificate(
            None if bound == -np.inf else sign * bound, proven, stopped, self.visited
        )

    def lattice(self) -> Lattice:
        """Return the k best candidates, or all that tie with them, as a lattice without covers."""
        found = self.candidates.found
        if self.candidates.by_support and len(found) > self.candidates.k:
            intents = np.split(found.intents[1], found.intents[0][1:-1])
            levels = self.candidates.levels().tolist()
            places = sorted(range(len(found)), key=lambda i: (levels[i], intents[i].tolist()))
            found = found.at(np.array(places[: self.candidates.k], dtype=np.int64))
        return found.lattice(self.min_support)


class _Worth:
    """The least support and Δ with which a score can be reached, if the bound tells.

    With these, the core leaves out children before it looks at their attributes.
    """

    def __init__(self, column: _Column, context: Context) -> None:
        n = context.shape[0]
        self._by_support: Scores | None = None
        self._by_delta: Scores | None = None
        if n <= _MOST_SUPPORTS:
            numbers = np.arange(n + 1)
            everything = np.full(n + 1, n)
            self._by_support = self._curve(column, context, numbers, numbers)
            self._by_delta = self._curve(column, context, everything, numbers)

    def of(self, threshold: float) -> tuple[int, int]:
        """Return the least support and the least Δ for a threshold."""
        least = threshold - abs(threshold) * 1e-9
        return self._least(self._by_support, least), self._least(self._by_delta, least)

    @staticmethod
    def _least(curve: Scores | None, threshold: float) -> int:
        if curve is None or not np.isfinite(threshold):
            return 0
        return int(np.searchsorted(curve, threshold))

    @staticmethod
    def _curve(
        column: _Column, context: Context, supports: NDArray[np.int64], deltas: NDArray[np.int64]
    ) -> Scores | None:
        """Return the bound for each number, if nothing else matters and it never falls."""
        try:
            curve = column.limit(_Probe(context, supports, deltas))  # type: ignore[arg-type]
        except _UnknownError:
            return None
        return curve if len(curve) and (curve[1:] >= curve[:-1]).all() else None


class _UnknownError(Exception):
    """A bound asks for more than supports and deltas."""


class _Probe:
    """Nodes of which nothing but limits on support and Δ is known."""

    def __init__(
        self, context: Context, supports: NDArray[np.int64], deltas: NDArray[np.int64]
    ) -> None:
        self.context, self.supports, self.deltas = context, supports, deltas
        self.bottom = np.zeros(len(supports), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.supports)

    def __getattr__(self, name: str) -> object:
        raise _UnknownError(name)


def _column(name: str, params: Params) -> _Column:
    measure = registry.get(name)
    return _Column(measure, params, 1.0 if measure.direction == "higher" else -1.0)


def _reachable(column: _Column, limit: Limit, nodes: Nodes) -> NDArray[np.bool_]:
    """Return below which nodes a limit of a condition can be met."""
    above = limit.operator in (">", ">=")
    if above != (column.sign > 0):
        return np.ones(len(nodes), dtype=np.bool_)
    most, least = column.limit(nodes), column.sign * limit.value
    reached: NDArray[np.bool_] = (most >= least) | (np.abs(most - least) <= 1e-12 * abs(least))
    return reached
