"""`best`: the k best concepts. The search scores what it visits and prunes by bounds.

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
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank.best.constraints import Constraints, Limit
from conceptrank.best.nodes import Found, Marks, Nodes
from conceptrank.best.result import Best, Certificate
from conceptrank.budget import Budget, Watch, support_threshold, watched
from conceptrank.errors import BudgetExceeded, MeasureError, checked_choice
from conceptrank.faces import Concepts, Scores
from conceptrank.measures import registry
from conceptrank.measures.registry import Measure, MeasureLike, Params
from conceptrank.measures.user_data import remembered
from conceptrank.ranking import order
from conceptrank.ranking.building import SCORE_ERROR, described, finer_measure
from conceptrank.ranking.conditions import Condition, ConditionLike, chosen
from conceptrank.ranking.recipe import Recipe, labelled, measure_list

if TYPE_CHECKING:
    from conceptrank.context import Context

TieRule: TypeAlias = Literal["first", "all"]
# Concepts visited, the k-th best score so far and the best score that is still possible.
BestProgress: TypeAlias = Callable[[int, float, float], None]

# Under a time limit, a step takes about 0.2 seconds, or a tenth of the seconds left if that is
# less.
_STEP_SECONDS, _STEP_SHARE = 0.2, 0.1
_DEFAULT_BYTES = 1 << 30
# The overhead of a step in Python is about the time that the core needs for 8 nodes without faces.
_LEAST_AT_ONCE = 8
# The core searches by tables for this many nodes before it reports progress.
_NODES_AT_ONCE = 4096
# With more objects, the least support for a score is not computed: it needs a list of all supports.
_MOST_SUPPORTS = 10_000_000


@dataclass
class _Column:
    """A measure that decides, with its parameters and direction."""

    measure: Measure
    params: Params
    sign: float
    # Scores that differ by at most this much count as equal.
    error: float = 0.0

    def score(self, concepts: Concepts) -> Scores:
        """Return scores of which the largest is the best; NaN is the worst."""
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
    keys: list[_Column]
    found: Found
    columns: list[Scores] = field(init=False)
    threshold: Scores = field(init=False)
    # Of the concepts, once there are k.
    levels: order.Levels = field(init=False)

    def __post_init__(self) -> None:
        self.columns = [np.zeros(0)] * len(self.keys)
        self.threshold = np.full(len(self.keys) + self.by_support, -np.inf)

    def add(self, found: Found, columns: list[Scores]) -> None:
        """Add concepts with their scores, and drop those that are below the k-th best."""
        first = self.threshold[0]
        near = np.flatnonzero(columns[0] >= first - 1e-9 * abs(first if first > -np.inf else 0.0))
        if not len(near):
            return
        if len(near) < len(found):
            found, columns = found.at(near), [column[near] for column in columns]
        self.found = self.found.with_others(found)
        self.columns = [np.concatenate(pair) for pair in zip(self.columns, columns, strict=True)]
        if len(self.found) < self.k or not self.k:
            return
        levels = self._compared()
        last = np.partition(levels, self.k - 1)[self.k - 1]
        kept = np.flatnonzero(levels <= last)
        if len(kept) < len(levels):
            self.found = self.found.at(kept)
            self.columns = [column[kept] for column in self.columns]
        self.levels = levels[kept]
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

    def listed(self) -> Found:
        """Return the k best concepts, or all that tie with them."""
        if len(self) == len(self.found):
            return self.found
        levels, (offsets, values) = self.levels, self.found.intents
        last = levels.max()
        before, tied = np.flatnonzero(levels < last), np.flatnonzero(levels == last).tolist()
        tied.sort(key=lambda i: values[offsets[i] : offsets[i + 1]].tolist())
        return self.found.at(np.append(before, tied[: self.k - len(before)]))


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
    checked_choice("ties", ties, TieRule, MeasureError)
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

    least = support_threshold(wanted.min_support, context.shape[0])
    keys = _keys([columns[label] for label in decisive], least)
    with remembered():
        search = _Search(
            context=context,
            k=int(k),
            keys=keys,
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
            mine = [each for each in limits if not given and each.measure == name]
            search.limits += [(column, each) for each in mine]
        if where is not None:
            condition = where

            def meant(found: Found) -> NDArray[np.bool_]:
                def score(*measure: object) -> Scores:
                    name, full = measures[own[asked.index(measure)]]
                    return registry.get(name).score(found, full)

                return chosen(found, condition, score)

            search.where = meant
        certificate = search.run(progress)

        lattice = search.candidates.listed().lattice(least)
        scores = {label: lattice.score(measures[label][0], **measures[label][1]) for label in shown}
        levels = order.joint(
            [order.levels(key.score(lattice), descending=True, error=key.error) for key in keys]
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
        # Few bounds use the lengths, and computing them takes the core some time.
        self.used_longest = True
        self.min_support = support_threshold(constraints.min_support, context.shape[0])
        nothing = np.zeros(0, dtype=np.int64)
        empty = Found(context, _lists.joined([]), nothing, nothing, threads)
        self.candidates = _Candidates(k, by_support, keys, empty)
        self.marks = Marks(context)
        self._known_marks = 0
        self._worth = _Worth(keys[0], context, self.min_support, self.marks)
        # Scores without faces cost no more than bounds, so children are scored at once, which
        # raises the threshold early. Other scores are computed when the search visits the node.
        self.eager = not any(key.measure.face_needs(key.params) for key in keys)
        self.tables: _Tables | None = None
        self.core = _core.BestSearch(
            context.core,
            constraints.for_core(context),
            width=len(self.candidates.threshold),
            most_bytes=budget.bytes or _DEFAULT_BYTES,
            comparison=comparison,
        )
        self._watch = Watch(budget)
        self._seconds_per_node = 0.0

    def run(self, progress: BestProgress | None) -> Certificate:
        """Search until nothing is left or the budget ends it."""
        stopped, unscored = "", -np.inf
        if self.eager and len(self.keys) == 1 and self.where is None:
            self._find_tables()
        while self.candidates.k and len(self.core) and not stopped:
            began, before = time.monotonic(), self.visited
            if self.tables is not None:
                stopped = self._run(self.tables)
            else:
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
        return self._certificate(stopped, unscored)

    def _step(self) -> str:
        """Expand some nodes, score the new concepts, and return what stopped the search, or ""."""
        least_support, least_delta, least_sum = self._worth.of(float(self.candidates.threshold[0]))
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
            seconds=self._left(),
            interrupt=lambda: self.budget.cancelled,
        )
        intents, supports, deltas, counts = step[:4]
        lists, most, nearest, longest, bottom, own_supports, own_deltas, own_counts = step[4:12]
        sums, bound, stopped = step[12].reshape(len(most), 2, many), *step[13:]
        try:
            with watched(self._watch):
                scores = np.zeros(0)
                if not self.eager or not self.visited:
                    self._take(intents, supports, deltas, counts)
                if self.eager:
                    scores = self._take(lists, own_supports, own_deltas, own_counts, sums[:, 0])
                limits = most, nearest, longest, bottom
                self._push(lists, *limits, sums=sums[:, 1], scores=scores)
        except BudgetExceeded:
            # Neither these concepts nor what is below them is known.
            raise _UnscoredError(bound, stopped or self._watch.stopped) from None
        self.visited += len(supports)
        return stopped

    def _find_tables(self) -> None:
        """Compute the tables, unless the threshold is given from outside."""
        if np.isinf(self.candidates.threshold[0]):
            self.tables = _Tables.of(self.keys[0], self.context, self.min_support)
            self.used_longest = self.tables is None

    def _run(self, tables: _Tables) -> str:
        """Let the core search by tables, and return what stopped the search, or ""."""
        best, limit = self.candidates, self.budget.concepts
        most = _NODES_AT_ONCE if limit is None else min(_NODES_AT_ONCE, limit - self.visited)
        visited, intents, supports, deltas, stopped = self.core.run(
            by_delta=tables.by_delta,
            score=tables.score,
            limit=tables.limit,
            limit_with_bottom=tables.limit_with_bottom,
            best_scores=best.columns[0],
            best_supports=best.found.supports,
            k=best.k,
            by_support=best.by_support,
            visited=self.visited,
            most=max(most, 0),
            threads=self.threads,
            seconds=self._left(),
            interrupt=lambda: self.budget.cancelled,
        )
        self.visited += visited
        found = Found(self.context, intents, supports, deltas, self.threads)
        if len(found):
            best.add(found, [tables.score[deltas if tables.by_delta else supports]])
        return stopped

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
        self,
        intents: _lists.Lists,
        supports: NDArray[np.int64],
        deltas: NDArray[np.int64],
        counts: NDArray[Any],
        sums: NDArray[np.uint32] | None = None,
    ) -> Scores:
        """Score concepts, keep the best that meet all constraints, and return the scores."""
        found = Found(
            self.context, intents, supports, deltas, self.threads, marks=self.marks, sums=sums
        )
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
        sums: NDArray[np.uint32],
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
            marks=self.marks,
            sums=sums,
        )
        keys = [key.limit(nodes) for key in self.keys] if len(nodes) else [np.zeros(0)] * 9
        keys = [*keys[: len(self.keys)], supports.astype(np.float64)][: len(threshold)]
        matrix = np.column_stack(keys)
        for column, limit in self.limits if len(nodes) else ():
            matrix[~_reachable(column, limit, nodes), 0] = np.nan
        if len(nodes):
            self.used_longest = nodes.used_longest
        self.core.push(np.ascontiguousarray(matrix.reshape(-1)), scores, threshold)

    def _progress(self) -> tuple[float, float]:
        sign = self.keys[0].sign
        return sign * float(self.candidates.threshold[0]), sign * self.core.bound

    def _certificate(self, stopped: str, unscored: float) -> Certificate:
        if not stopped:
            return Certificate(None, len(self.candidates), "", self.visited)
        bound = max(self.core.bound, unscored)
        scores = self.candidates.columns[0]
        sure = (scores > bound) & ~order.same(scores, np.full(len(scores), bound))
        sign = self.keys[0].sign
        proven = min(int(sure.sum()), self.candidates.k)
        return Certificate(
            None if bound == -np.inf else sign * bound, proven, stopped, self.visited
        )


class _UnscoredError(Exception):
    """The budget ended before the concepts of a step were scored."""

    def __init__(self, bound: float, stopped: str) -> None:
        super().__init__(bound, stopped)
        self.bound, self.stopped = bound, stopped


class _Worth:
    """The least support, Δ and sum of marks with which a concept can reach a score.

    They come from the bound of the measure. With them, the core drops children before it computes
    their attributes.
    """

    def __init__(self, column: _Column, context: Context, min_support: int, marks: Marks) -> None:
        self._column, self._context, self._marks = column, context, marks
        self._min_support = min_support
        self._curves: list[Scores | None] | None = None

    def of(self, threshold: float) -> list[int]:
        """Return the least support, the least Δ and the least sum for a threshold."""
        if not np.isfinite(threshold):
            return [0, 0, 0]
        if self._curves is None:
            self._curves = self._find_curves()
        least = threshold - abs(threshold) * 1e-9
        return [0 if curve is None else int(curve.searchsorted(least)) for curve in self._curves]

    def _find_curves(self) -> list[Scores | None]:
        n = self._context.shape[0]
        if n > _MOST_SUPPORTS:
            return [None] * 3
        probe = partial(_Probe, self._context, self._min_support)
        numbers, everything = np.arange(n + 1), np.full(n + 1, n)
        by_support = probe(supports=numbers, deltas=numbers)
        by_delta = probe(supports=everything, deltas=numbers)
        by_sum = probe(supports=everything, deltas=everything, sums=numbers, marks=self._marks)
        return [_curve(self._column, each) for each in (by_support, by_delta, by_sum)]


@dataclass(frozen=True)
class _Tables:
    """Scores and limits of a measure that depends on Δ alone or on the support alone, by number."""

    by_delta: bool
    score: Scores
    limit: Scores
    limit_with_bottom: Scores

    @staticmethod
    def of(column: _Column, context: Context, min_support: int) -> _Tables | None:
        """Return the tables of a measure; None if it depends on more than Δ or the support."""
        n = context.shape[0]
        if n > _MOST_SUPPORTS:
            return None
        numbers = np.arange(n + 1)
        by_delta = _Probe(context, min_support, deltas=numbers)
        by_support = _Probe(context, min_support, supports=numbers)
        for probe in (by_delta, by_support):
            limit = _curve(column, probe)
            probe.bottom = ~probe.bottom
            with_bottom = _curve(column, probe)
            if limit is None or with_bottom is None:
                continue
            try:
                score = column.score(probe)  # type: ignore[arg-type]
            except _UnknownError:
                continue
            steps = np.abs(np.diff(score))
            # The core can't handle scores that differ only by rounding; `order` can.
            apart = (steps == 0) | (steps > 1e-9 * np.abs(score).max())
            rising = (np.diff(score) >= 0).all() or (np.diff(score) <= 0).all()
            if np.isfinite(score).all() and apart.all() and rising:
                return _Tables(probe is by_delta, score, limit, with_bottom)
        return None


def _curve(column: _Column, probe: _Probe) -> Scores | None:
    """Return the bound for each number; None if it depends on more, or falls somewhere."""
    try:
        curve = column.limit(probe)  # type: ignore[arg-type]
    except _UnknownError:
        return None
    return curve if len(curve) and (curve[1:] >= curve[:-1]).all() else None


class _UnknownError(Exception):
    """A bound or a score needs something that a probe does not have."""


class _Probe:
    """Nodes or concepts with some known numbers and nothing else."""

    def __init__(
        self,
        context: Context,
        min_support: int,
        *,
        supports: NDArray[np.int64] | None = None,
        deltas: NDArray[np.int64] | None = None,
        sums: NDArray[np.int64] | None = None,
        marks: Marks | None = None,
    ) -> None:
        self.context, self.min_support = context, min_support
        self._known = {"supports": supports, "deltas": deltas}
        self._sums, self._marks = sums, marks
        self.bottom = np.zeros(context.shape[0] + 1, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.bottom)

    def sums_of(self, numbers: Scores) -> Scores:
        """Return the sums of the first marks."""
        if self._sums is None or self._marks is None or self._marks.place(numbers) != 0:
            raise _UnknownError
        most = (numbers * self.context.weights).sum()
        sums: Scores = np.minimum(self._sums, most).astype(np.float64)
        return sums

    def __getattr__(self, name: str) -> NDArray[np.int64]:
        known = self._known.get(name)
        if known is None:
            raise _UnknownError(name)
        return known


def _column(name: str, params: Params) -> _Column:
    measure = registry.get(name)
    return _Column(measure, params, 1.0 if measure.direction == "higher" else -1.0)


def _keys(columns: list[_Column], min_support: int) -> list[_Column]:
    """Return the columns that decide, each followed by its finer form if it has one.

    The finer form orders concepts whose scores differ only by rounding.
    """
    keys: list[_Column] = []
    for column in columns:
        keys.append(column)
        finer = finer_measure(column.measure.name, column.params, min_support)
        if finer is not None:
            name, params = registry.split(finer)
            same = registry.get(name).direction == column.measure.direction
            keys.append(_Column(registry.get(name), params, column.sign if same else -column.sign))
        elif column.measure.finer:
            column.error = SCORE_ERROR
    return keys


def _reachable(column: _Column, limit: Limit, nodes: Nodes) -> NDArray[np.bool_]:
    """Return for each node whether a concept below it can meet a limit of a condition."""
    above = limit.operator in (">", ">=")
    if above != (column.sign > 0):
        return np.ones(len(nodes), dtype=np.bool_)
    most, least = column.limit(nodes), column.sign * limit.value
    reached: NDArray[np.bool_] = (most >= least) | (np.abs(most - least) <= 1e-12 * abs(least))
    return reached
