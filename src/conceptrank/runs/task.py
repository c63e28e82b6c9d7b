"""One task of a run: mine a piece of the search tree, score its concepts, write them as a part.

A task is a pure function of its arguments: the same task writes the same bytes to the same file
wherever it runs. If the run is stopped, a task writes the concepts found so far. That part has the
name and the bytes of a task with this smaller budget.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank import _core
from conceptrank._util.lazy import pl
from conceptrank.best import Best
from conceptrank.best import best as best_of
from conceptrank.budget import Budget
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.measures import registry
from conceptrank.query import Query
from conceptrank.runs import best, packed, parts, tree
from conceptrank.runs.job import Job
from conceptrank.runs.parts import PartInfo
from conceptrank.runs.tree import Prefix, Task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


# A search for the best concepts of a subtree may visit this many nodes. If it is not done, as many
# of the subtree are mined.
_SLICE = 4_096


@dataclass(frozen=True, eq=False)
class Prepared:
    """A context that is ready to be mined."""

    context: Context
    miner: _core.BranchMiner

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The frequent attributes in the order of the search."""
        return self.context.attribute_names.of(self.miner.order().tolist())

    def below(self, prefix: Prefix) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the attributes that all concepts of a subtree have, and those that none has.

        No concept below a node has an attribute that comes before the one that generated the node,
        unless the node has it. A prefix of children has one.
        """
        names = self.context.attribute_names
        intent = names.of(prefix.intent)
        last = prefix.last if prefix.children is None else prefix.children[0]
        if last < 0:
            return (), ()
        (own,) = names.of([last])
        before = self.order[: self.order.index(own)]
        return (*intent, own), tuple(name for name in before if name not in intent)


def mined(
    query: Query, source: Prepared, prefixes: Sequence[Prefix], *, nodes: int, worth: int = 0
) -> tuple[Concepts, list[Prefix], int, int]:
    """Visit at most `nodes` nodes, and mine the concepts that meet the constraints.

    Returns
    -------
    tuple
        The concepts, the prefixes that are left, and how many nodes were visited and how many
        subtrees left out.
    """
    # One need per side fits into the pass; others are computed from the table afterwards.
    intent, extent = query.first_need("intent"), query.first_need("extent")
    stop, sums = query.budget, registry.needs_columns(query.needed)
    found = source.miner.mine(
        tree.to_core(prefixes),
        nodes=nodes,
        worth=worth,
        score_intents=None if intent is None else intent.for_core(),
        score_extents=None if extent is None else extent.for_core(),
        sum_columns=sums,
        constraints=query.tightened.for_core(source.context),
        watch=_core.Watch(lambda: stop is not None and stop.cancelled),
    )
    concepts = Concepts(
        source.context,
        found.intents,
        threads=1,
        supports=found.supports,
        deltas=found.deltas,
        sums=found.column_sums if sums else None,
    )
    for need, matrix in ((intent, found.intent_scores), (extent, found.extent_scores)):
        if need is not None:
            concepts.faces.add(need, matrix)
    return concepts, tree.from_core(found.left), found.visited, found.left_out


@lru_cache(maxsize=2)
def source_of(path: Path, digest: str, min_support: int) -> Prepared:
    """Return a context from its file; each process maps and checks it once."""
    context = packed.read(path, digest=digest).context
    return Prepared(context, _core.BranchMiner(context.core, min_support))


def run_branch(job: Job, task: Task, budget: int, least: float | None = None) -> PartInfo:
    """Mine a piece of the search tree, write its concepts as a part, and return a summary.

    Parameters
    ----------
    job
        The settings that all tasks share.
    task
        The prefixes.
    budget
        The most nodes to visit.
    least
        A score that `job.top` concepts of other parts reach, if only the best are kept.
    """
    source = source_of(job.context, job.digest, job.min_support)
    if job.top is not None:
        return _best_of(job, task, budget, least, source)
    query = query_of(job, source.context)
    concepts, left, visited, _ = mined(query, source, task.prefixes, nodes=budget)
    # A stop does not end the scoring: what was mined would be lost.
    return parts.write(
        job.folder_path,
        frame_of(job, concepts, query),
        task=task,
        budget=_used(budget, visited, left),
        left=left,
        run=job.key,
        visited=visited,
    )


def query_of(job: Job, context: Context) -> Query:
    """Return which concepts a job mines."""
    by: list[registry.MeasureLike] = []
    if job.by is not None:
        measure, params = job.measure(job.by)
        by = [(measure.name, params)]
    return Query.of(
        context,
        by,
        also=[(name, params) for _, name, params in job.measures],
        min_support=job.min_support,
        threads=1,
        budget=job.stop,
        **job.constraints,
    )


def _used(budget: int, visited: int, left: Sequence[Prefix]) -> int:
    """Return the budget of a task that may have been stopped: it leaves prefixes over too early."""
    if not left or visited >= budget:
        return budget
    if visited < tree.LEAST_BUDGET:
        raise BudgetExceeded("the task was stopped before it found anything")
    return visited


def frame_of(job: Job, concepts: Concepts, query: Query) -> pl.DataFrame:
    """Return the rows of a part: the concepts that meet the condition."""
    from conceptrank.convert import results

    exact = np.ones(len(concepts), dtype=np.bool_)
    scores: dict[str, Any] = {}
    for label, name, params in job.measures:
        measure = registry.get(name)
        scores[label] = measure.score(concepts, params)
        exact &= measure.exact(concepts, params)
    columns = {
        "intent": results.list_column(concepts.intents),
        "support": pl.Series(concepts.supports, dtype=pl.UInt32),
        "exact": exact,
    }
    frame = pl.DataFrame(columns | scores, schema=parts.schema_of(job.labels))
    return frame if query.where is None else frame.filter(pl.Series(query.holds(concepts)))


def _best_of(job: Job, task: Task, budget: int, least: float | None, source: Prepared) -> PartInfo:
    """Keep the best concepts of a piece of the tree; skip subtrees that can't contain any."""
    top, by = job.top, job.by
    assert top is not None
    assert by is not None
    measure, params = job.measure(by)
    descending = measure.direction == "higher"
    kept = pl.DataFrame(schema=parts.schema_of(job.labels))
    query = query_of(job, source.context)
    stop = query.budget or Budget()
    bounded = measure.bound is not None
    left = _divided(task.prefixes) if bounded else list(task.prefixes)
    visited = left_out = 0

    def merge(concepts: Concepts) -> None:
        nonlocal kept, least
        both = pl.concat([kept, frame_of(job, concepts, query)])
        kept = best.best(both, top, {by: descending})
        reached = _reached(kept, job)
        if reached is not None and descending:
            least = reached if least is None else max(least, reached)

    while left and visited + tree.LEAST_BUDGET <= budget and not stop.cancelled:
        # What is left of the budget mines some concepts in any case: each task makes progress.
        room = min(_SLICE, budget - visited - tree.LEAST_BUDGET)
        if bounded and room > 0:
            reachable = least if descending else None
            found = _searched(query, source, left[0], k=top, at_least=reachable, most=room)
            visited += found.visited
            if found.complete:
                merge(found.lattice)
                left = left[1:]
                continue
        # Without a bound, or if it is too weak, some concepts are mined, and what is below
        # them is searched again.
        some, rest = (left[:1], left[1:]) if bounded else (left, [])
        worth = 0
        # The root comes with the concept without objects, which has high scores by some measures.
        if least is not None and Prefix() not in some:
            worth = best.least_support(measure, params, source.context, least)
        nodes = min(_SLICE, budget - visited)
        concepts, more, seen, skipped = mined(query, source, some, nodes=nodes, worth=worth)
        visited += seen
        left_out += skipped
        left = [*(_divided(more) if bounded else more), *rest]
        merge(concepts)
    return parts.write(
        job.folder_path,
        kept,
        task=task,
        budget=_used(budget, visited, left) if stop.cancelled else budget,
        left=left,
        run=job.key,
        visited=visited,
        left_out=left_out,
        reached=_reached(kept, job) if descending else None,
    )


def _divided(prefixes: Sequence[Prefix]) -> list[Prefix]:
    return [subtree for prefix in prefixes for subtree in prefix.single()]


def _searched(
    query: Query, source: Prepared, prefix: Prefix, *, k: int, at_least: float | None, most: int
) -> Best:
    """Search a subtree for the best concepts; the result is incomplete if that takes too long."""
    inside, outside = source.below(prefix)
    wanted = query.constraints
    limits = query.budget or Budget()
    limits.concepts = most
    constraints = replace(
        wanted,
        contains=(*wanted.contains, *inside),
        excludes=(*wanted.excludes, *outside),
        # The concept without objects belongs to the root.
        min_support=max(int(wanted.min_support), 1) if inside else wanted.min_support,
    )
    below = replace(query, shown=query.by, constraints=constraints, budget=limits)
    return best_of(below, k, at_least=at_least)


def _reached(kept: pl.DataFrame, job: Job) -> float | None:
    """Return the score that `job.top` concepts reach; None if there are fewer."""
    if job.by is None or len(kept) != job.top:
        return None
    last = float(kept[job.by][-1])
    return None if np.isnan(last) else last
