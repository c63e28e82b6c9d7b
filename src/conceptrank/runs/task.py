"""One task of a run: mine a piece of the search tree, score its concepts, write them as a part.

A task is a pure function of its arguments: the same task writes the same bytes to the same file
wherever it runs. If the run is stopped, a task writes the concepts found so far. That part has the
name and the bytes of a task with this smaller budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank import _core, faces
from conceptrank._util.lists import Lists, Numbers
from conceptrank.best.nodes import Found
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import FaceNeed, Scores
from conceptrank.measures import registry
from conceptrank.runs import best, packed, parts, tree
from conceptrank.runs.job import Job, StopFile
from conceptrank.runs.parts import PartInfo
from conceptrank.runs.tree import Prefix, Task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

__all__ = ["Mined", "Pass", "Prepared", "frame_of", "run_branch", "source_of"]

# A search for the best concepts looks at the bound after this many nodes.
_SLICE = 4_096


@dataclass(frozen=True)
class Prepared:
    """A context that is ready to be mined."""

    context: Context
    miner: _core.BranchMiner


class Mined(Found):
    """Mined concepts, with the values that the same pass computed."""

    def __init__(
        self, context: Context, intents: Lists, supports: Numbers, deltas: Numbers
    ) -> None:
        super().__init__(
            context, intents, supports.astype(np.int64), deltas.astype(np.int64), threads=1
        )
        self.sums: Scores | None = None

    def column_sums(self, *columns: str) -> tuple[Scores, ...]:
        """Return columns of the core's sums over the attributes."""
        if self.sums is None:
            return super().column_sums(*columns)
        return faces.picked(self.sums, _core.column_sum_fields(), columns)


@dataclass(frozen=True)
class Pass:
    """The values that one pass over a piece of the tree computes."""

    intent: FaceNeed | None
    extent: FaceNeed | None
    sums: bool

    @classmethod
    def of(cls, job: Job) -> Pass:
        """Return the pass for the measures of a job."""
        measures: list[registry.MeasureLike] = [(name, own) for _, name, own in job.measures]
        needs = registry.face_needs(measures)
        # One need per side fits into the pass; others are computed from the table afterwards.
        first = {side: next((n for n in needs if n.side == side), None) for side in _SIDES}
        return cls(first["intent"], first["extent"], registry.needs_columns(measures))

    def run(
        self,
        source: Prepared,
        prefixes: Sequence[Prefix],
        *,
        stop: StopFile,
        nodes: int,
        worth: int = 0,
    ) -> tuple[Mined, list[Prefix], int]:
        """Mine at most `nodes` concepts.

        Returns
        -------
        tuple
            The concepts, the prefixes that are left, and how many subtrees were left out.
        """
        intent, extent = self.intent, self.extent
        found = source.miner.mine(
            *tree.to_core(prefixes),
            nodes=nodes,
            worth=worth,
            score_intents=None if intent is None else intent.for_core(),
            multiplicities=intent is not None and "relevance" in intent.columns,
            score_extents=None if extent is None else extent.for_core(),
            sum_columns=self.sums,
            interrupt=lambda: stop.cancelled,
        )
        offsets, values, supports, deltas, of_intents, of_extents, sums, left, left_out = found
        mined = Mined(source.context, (offsets, values), supports, deltas)
        mined.sums = sums
        for need, matrix in ((intent, of_intents), (extent, of_extents)):
            if need is not None and matrix is not None:
                mined.face_columns.add(need, matrix)
        return mined, tree.from_core(left), left_out


_SIDES = ("intent", "extent")


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
    mined, left, _ = Pass.of(job).run(source, task.prefixes, stop=job.stop, nodes=budget)
    # A stop does not end the scoring: what was mined would be lost.
    return parts.write(
        job.folder_path,
        frame_of(job, mined),
        task=task,
        budget=_used(budget, len(mined), left),
        left=left,
        run=job.key,
        visited=len(mined),
    )


def _used(budget: int, visited: int, left: Sequence[Prefix]) -> int:
    """Return the budget of a task that may have been stopped: it leaves prefixes over too early."""
    if not left or visited >= budget:
        return budget
    if visited < tree.LEAST_BUDGET:
        raise BudgetExceeded("the task was stopped before it found anything")
    return visited


def frame_of(job: Job, mined: Mined) -> pl.DataFrame:
    """Return the rows of a part."""
    import polars as pl

    from conceptrank.convert import results

    exact = np.ones(len(mined), dtype=np.bool_)
    scores: dict[str, Any] = {}
    for label, name, params in job.measures:
        measure = registry.get(name)
        scores[label] = measure.score(mined, params)
        exact &= measure.exact(mined, params)
    columns = {
        "intent": results.list_column(mined.intents),
        "support": pl.Series(mined.supports, dtype=pl.UInt32),
        "exact": exact,
    }
    return pl.DataFrame(columns | scores, schema=parts.schema_of(job.labels))


def _best_of(job: Job, task: Task, budget: int, least: float | None, source: Prepared) -> PartInfo:
    """Keep the best concepts of a piece of the tree; skip subtrees that can't contain any."""
    import polars as pl

    assert job.top is not None
    assert job.by is not None
    measure, params = job.measure(job.by)
    descending = measure.direction == "higher"
    kept = pl.DataFrame(schema=parts.schema_of(job.labels))
    left: list[Prefix] = list(task.prefixes)
    one_pass, stop = Pass.of(job), job.stop
    visited = left_out = 0
    while left and visited + tree.LEAST_BUDGET <= budget and not stop.cancelled:
        reached = _reached(kept, job)
        if reached is not None and descending:
            least = reached if least is None else max(least, reached)
        worth = 0
        # The root comes with the concept without objects, which has high scores by some measures.
        if least is not None and Prefix() not in left:
            worth = best.least_support(measure, params, source.context, least)
        mined, left, more = one_pass.run(
            source,
            left,
            stop=stop,
            nodes=min(_SLICE, budget - visited),
            worth=worth,
        )
        visited += len(mined)
        left_out += more
        both = pl.concat([kept, frame_of(job, mined)])
        kept = best.best(both, job.top, job.by, descending=descending)
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


def _reached(kept: pl.DataFrame, job: Job) -> float | None:
    """Return the score that `job.top` concepts reach; None if there are fewer."""
    if job.by is None or len(kept) != job.top:
        return None
    last = float(kept[job.by][-1])
    return None if np.isnan(last) else last
