"""One task of a run: mine a piece of the search tree, score its concepts, write them as a part.

A task is a pure function of its arguments: the same task writes the same bytes to the same file
wherever it runs. If the run is stopped, a task writes the concepts found so far. That part has the
name and the bytes of a task with this smaller budget.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank import _core
from conceptrank._util.lazy import pl
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.measures import registry
from conceptrank.query import Query
from conceptrank.runs import packed, parts, tree
from conceptrank.runs.job import Job
from conceptrank.runs.parts import PartInfo
from conceptrank.runs.tree import Prefix, Task

if TYPE_CHECKING:
    from pathlib import Path


def run_branch(job: Job, task: Task, budget: int) -> PartInfo:
    """Mine a piece of the search tree, write its concepts as a part, and return a summary.

    Parameters
    ----------
    job
        The settings that all tasks share.
    task
        The prefixes.
    budget
        The most nodes to visit.
    """
    context, miner = source_of(job.context, job.digest, job.min_support)
    query = Query.of(
        context,
        also=[(name, params) for _, name, params in job.measures],
        min_support=job.min_support,
        threads=1,
        budget=job.stop,
        **job.constraints,
    )
    concepts, left, visited = _mined(query, miner, task, budget)
    if left and visited < budget:
        # The task was stopped: it is one of this smaller budget.
        if visited < tree.LEAST_BUDGET:
            raise BudgetExceeded("the task was stopped before it found anything")
        budget = visited
    # A stop does not end the scoring: what was mined would be lost.
    frame = frame_of(job, concepts, query)
    return parts.write(
        job.folder_path, frame, task=task, budget=budget, left=left, run=job.key, visited=visited
    )


@lru_cache(maxsize=2)
def source_of(path: Path, digest: str, min_support: int) -> tuple[Context, _core.BranchMiner]:
    """Return a context from its file, ready to be mined; each process maps and checks it once."""
    context = packed.read(path, digest=digest).context
    return context, _core.BranchMiner(context.core, min_support)


def _mined(
    query: Query, miner: _core.BranchMiner, task: Task, nodes: int
) -> tuple[Concepts, list[Prefix], int]:
    """Return the concepts in some visited nodes, the prefixes left, and the number of nodes."""
    # One need per side fits into the pass; others are computed from the table afterwards.
    intent, extent = query.first_need("intent"), query.first_need("extent")
    stop, sums = query.budget, registry.needs_columns(query.needed)
    found = miner.mine(
        task.prefixes,
        nodes=nodes,
        score_intents=None if intent is None else intent.for_core(),
        score_extents=None if extent is None else extent.for_core(),
        sum_columns=sums,
        constraints=query.tightened.for_core(query.context),
        watch=_core.Watch(lambda: stop is not None and stop.cancelled),
    )
    concepts = Concepts(
        query.context,
        found.intents,
        threads=1,
        supports=found.supports,
        deltas=found.deltas,
        sums=found.column_sums if sums else None,
    )
    for need, matrix in ((intent, found.intent_scores), (extent, found.extent_scores)):
        if need is not None:
            concepts.faces.add(need, matrix)
    return concepts, [Prefix.of(each) for each in found.left], found.visited


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
