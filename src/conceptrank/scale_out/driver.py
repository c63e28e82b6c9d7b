"""The driver: keeps tasks in flight until nothing is left, whatever happens to workers.

It knows only the interface of `concurrent.futures`. What it has to remember is in the folder: the
parts and what they left over. So it can be killed at any moment and another one goes on.
"""

from __future__ import annotations

import errno
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path

from conceptrank.errors import FormatError
from conceptrank.scale_out import parts, tree
from conceptrank.scale_out.job import Job
from conceptrank.scale_out.parts import Summary
from conceptrank.scale_out.task import least_of, run_branch
from conceptrank.scale_out.tree import FIRST_TASK, Task

__all__ = ["Driver", "Failure", "Found", "Progress", "survey", "totals"]

# A task may fail so often. From the second time on it gets half the budget each time: what
# failed may need less memory then.
MOST_ATTEMPTS = 6
# The caller is told about progress at least so often.
_SLICE = 0.25
# These concern the folder and not a task: no other task would fare better.
FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS}


@dataclass(frozen=True)
class Failure:
    """A task that was given up."""

    task: str
    attempts: int
    reason: str


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    concepts: int
    tasks_done: int
    tasks_waiting: int
    seconds: float
    concepts_a_second: float


@dataclass
class Found:
    """What a folder holds of a run."""

    summaries: list[Summary] = field(default_factory=list)
    open: list[tuple[Task, int | None]] = field(default_factory=list)
    damaged: list[FormatError] = field(default_factory=list)
    foreign: list[Path] = field(default_factory=list)


def survey(job: Job, *, verify: bool) -> Found:
    """Walk the parts of a run from the first task on.

    Parameters
    ----------
    job
        The run.
    verify
        Whether to read all rows and compare them with their digests.

    Returns
    -------
    Found
        The parts, the tasks that have none with the budget that a damaged one had, the damaged
        ones, and those that nothing leads to.
    """
    folder = job.folder_path
    files = parts.find(folder)
    found = Found()
    tasks = deque([FIRST_TASK])
    while tasks:
        task = tasks.popleft()
        summary, budget = None, None
        # Budgets are halved after failures: the smallest is the last.
        for budget_of_file, path in sorted(files.pop(task.name, {}).items()):
            if summary is not None:
                found.foreign.append(path)
                continue
            try:
                if verify:
                    summary, _ = parts.read(path, run=job.key, measures=job.labels)
                else:
                    summary = parts.summary_of(path, run=job.key)
            except FormatError as error:
                found.damaged.append(error)
                budget = budget_of_file
        if summary is None:
            found.open.append((task, budget))
        else:
            found.summaries.append(summary)
            tasks.extend(tree.following(task, summary.left))
    found.foreign += [path for by_budget in files.values() for path in by_budget.values()]
    return found


@dataclass
class _Waiting:
    task: Task
    budget: int
    attempts: int = 0


class Driver:
    """Runs the tasks of a job that have no part yet.

    Parameters
    ----------
    job
        The job.
    executor
        What runs the tasks.
    first
        What runs the first task, for which all others wait.
    window
        How many tasks to have in flight.
    budget
        The most nodes of a task.
    progress
        Called now and then.
    stop
        Asked now and then whether to stop; tasks in flight are then waited for.
    """

    def __init__(
        self,
        job: Job,
        executor: Executor,
        *,
        first: Executor,
        window: int,
        budget: int,
        progress: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.summaries: list[Summary] = []
        self.failures: list[Failure] = []
        self.retries = 0
        self._job = job
        self._executor = executor
        self._first = first
        self._window = max(1, window)
        self._budget = budget
        self._progress = progress
        self._stop = stop
        self._waiting: deque[_Waiting] = deque()
        self._flying: dict[Future[Summary], _Waiting] = {}
        self._least: float | None = None
        self._begin = time.monotonic()
        self._visited = 0
        self._known = 0

    @property
    def complete(self) -> bool:
        """Whether no task was given up and none is waiting."""
        return not self.failures and not self._waiting

    def run(self, found: Found) -> None:
        """Work until no task is left, or until asked to stop.

        Parameters
        ----------
        found
            What is there already.

        Raises
        ------
        OSError
            If the folder can't be written to.
        """
        for summary in found.summaries:
            self._take(summary, follow=False)
        self._known = self._visited
        for task, budget in found.open:
            self._queue(task, budget)
        stopping = False
        try:
            while True:
                stopping = stopping or self._stop()
                if not stopping:
                    self._launch()
                if not self._flying:
                    break
                done = wait(self._flying, timeout=_SLICE, return_when=FIRST_COMPLETED).done
                for future in done:
                    self._land(future)
                self._report()
        except BaseException:
            for future in self._flying:
                future.cancel()
            raise

    def _queue(self, task: Task, budget: int | None = None) -> None:
        # The newest first: the number of waiting tasks stays small.
        self._waiting.append(_Waiting(task, budget or tree.budget_of(task, self._budget)))

    def _launch(self) -> None:
        while self._waiting and len(self._flying) < self._window:
            waiting = self._waiting.pop()
            executor = self._first if waiting.task == FIRST_TASK else self._executor
            future = executor.submit(
                run_branch, self._job, waiting.task, waiting.budget, self._least
            )
            self._flying[future] = waiting

    def _land(self, future: Future[Summary]) -> None:
        waiting = self._flying.pop(future)
        try:
            summary = future.result()
        except Exception as error:
            if isinstance(error, OSError) and error.errno in FATAL:
                raise
            self._retry(waiting, error)
        else:
            self._take(summary)

    def _take(self, summary: Summary, *, follow: bool = True) -> None:
        self.summaries.append(summary)
        self._visited += summary.visited
        least = least_of(self._job, summary)
        if least is not None:
            self._least = least if self._least is None else max(self._least, least)
        if follow:
            # Reversed, as the last that waits is the first to run.
            for task in reversed(tree.following(summary.task, summary.left)):
                self._queue(task)

    def _retry(self, waiting: _Waiting, error: Exception) -> None:
        waiting.attempts += 1
        reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        if waiting.attempts >= MOST_ATTEMPTS:
            self.failures.append(Failure(waiting.task.name, waiting.attempts, reason))
            return
        self.retries += 1
        if waiting.attempts > 1:
            waiting.budget = max(tree.LEAST_BUDGET, waiting.budget // 2)
        self._waiting.appendleft(waiting)

    def _report(self) -> None:
        if self._progress is None:
            return
        seconds = time.monotonic() - self._begin
        self._progress(
            Progress(
                self._visited,
                len(self.summaries),
                len(self._waiting) + len(self._flying),
                seconds,
                (self._visited - self._known) / seconds if seconds > 0 else 0.0,
            )
        )


def totals(summaries: Iterable[Summary]) -> dict[str, int]:
    """Return sums over parts, for a manifest."""
    every = list(summaries)
    names = ("concepts", "visited", "inexact", "left_out", "bytes")
    sums = {name: sum(getattr(each, name) for each in every) for name in names}
    return {"parts": len(every), **sums}
