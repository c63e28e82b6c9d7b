"""The driver, which keeps tasks in flight until none is left, whatever happens to workers.

It uses only the interface of `concurrent.futures`. Its whole state is in the folder: the parts and
the prefixes that they left over. So it can be killed at any moment, and another one resumes.
"""

from __future__ import annotations

import errno
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path

from conceptrank.errors import BudgetExceeded, FormatError
from conceptrank.runs import parts, tree
from conceptrank.runs.job import Job
from conceptrank.runs.parts import PartInfo
from conceptrank.runs.task import run_branch
from conceptrank.runs.tree import FIRST_TASK, Task

# A task is given up after this many failures. From the second failure on, each attempt gets half
# the budget of the one before, because the task may have needed too much memory.
MOST_ATTEMPTS = 6
# Seconds between two checks of the limits, and between two reports of progress.
_SLICE = 0.05
# Seconds that tasks in flight have to write what they found: at Ctrl-C, and at another stop.
_GRACE_OF_CANCEL = 0.1
_GRACE = 1.0
# These errors concern the folder, so every other task would fail as well.
FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS}


@dataclass(frozen=True)
class Failure:
    """A task that was given up after too many failures."""

    task: str
    attempts: int
    reason: str


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run."""

    concepts: int
    tasks_done: int
    tasks_waiting: int
    seconds: float
    concepts_per_second: float

    @property
    def concepts_a_second(self) -> float:
        """The old name of `concepts_per_second`."""
        return self.concepts_per_second


@dataclass
class FolderState:
    """The content of a run's folder."""

    summaries: list[PartInfo] = field(default_factory=list)
    open: list[tuple[Task, int | None]] = field(default_factory=list)
    damaged: list[FormatError] = field(default_factory=list)
    foreign: list[Path] = field(default_factory=list)


def survey(job: Job, *, verify: bool) -> FolderState:
    """Walk the parts of a run from the first task on.

    Parameters
    ----------
    job
        The run.
    verify
        Whether to check every byte of every part.

    Returns
    -------
    FolderState
        The intact parts; the open tasks, each with the budget of its damaged part if it has one;
        the errors of damaged parts; and the files that no task leads to.
    """
    folder = job.folder_path
    files = parts.find(folder)
    found = FolderState()
    tasks = deque([FIRST_TASK])
    while tasks:
        task = tasks.popleft()
        summary, budget = None, None
        # Failures halve the budget and stops cut it, so the smallest budget is the latest.
        for budget_of_file, path in sorted(files.pop(task.name, {}).items()):
            if summary is not None:
                found.foreign.append(path)
                continue
            try:
                if verify:
                    summary = parts.check(path, run=job.key)
                else:
                    summary = parts.peek(path, run=job.key)
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


@dataclass
class Driver:
    """Runs the tasks of a job that have no part yet.

    Parameters
    ----------
    job
        The job.
    executor
        The executor of the tasks.
    first
        The executor of the first task, for which all others wait.
    window
        The number of tasks in flight.
    budget
        The most nodes of a task.
    progress
        Called regularly.
    stop
        Called regularly; when it returns True, no new task starts, and those in flight write what
        they have found so far.
    cancelled
        Called after a stop; when it returns True, tasks in flight get little time for that.
    """

    job: Job
    executor: Executor
    first: Executor
    window: int
    budget: int
    progress: Callable[[RunProgress], None] | None = None
    stop: Callable[[], bool] = lambda: False
    cancelled: Callable[[], bool] = lambda: False

    summaries: list[PartInfo] = field(default_factory=list, init=False)
    failures: list[Failure] = field(default_factory=list, init=False)
    retries: int = field(default=0, init=False)
    interrupted: bool = field(default=False, init=False)
    _waiting: deque[_Waiting] = field(default_factory=deque, init=False)
    _flying: dict[Future[PartInfo], _Waiting] = field(default_factory=dict, init=False)
    _least: float | None = field(default=None, init=False)
    _begin: float = field(default_factory=time.monotonic, init=False)
    _visited: int = field(default=0, init=False)
    _known: int = field(default=0, init=False)

    @property
    def tasks_left(self) -> int:
        """The number of tasks that wait or were given up."""
        return len(self.failures) + len(self._waiting)

    @property
    def complete(self) -> bool:
        """Whether no task is left."""
        return not self.tasks_left

    def run(self, found: FolderState) -> None:
        """Run tasks until none is left, `stop` returns True, or Ctrl-C is pressed.

        Parameters
        ----------
        found
            The content of the folder.

        Raises
        ------
        OSError
            If the folder can't be written to.
        RunError
            If the executor can't finish any task.
        """
        for summary in found.summaries:
            self._take(summary, follow=False)
        self._known = self._visited
        for task, budget in found.open:
            self._queue(task, budget)
        stopped: float | None = None
        try:
            while True:
                try:
                    if stopped is None and (self.interrupted or self.stop()):
                        stopped = time.monotonic()
                        self.job.stop.cancel()
                        if drop_waiting := getattr(self.executor, "drop_waiting", None):
                            drop_waiting()
                    if stopped is None:
                        self._launch()
                    if not self._flying:
                        break
                    if stopped is not None and time.monotonic() - stopped > self._grace():
                        self._waiting.extend(self._flying.values())
                        break
                    pause = _SLICE if stopped is None else _SLICE / 5
                    done = wait(self._flying, timeout=pause, return_when=FIRST_COMPLETED).done
                    for future in done:
                        self._land(future)
                    self._check()
                    self._report()
                except KeyboardInterrupt:
                    if self.interrupted:
                        raise
                    self.interrupted = True
        except BaseException:
            self.job.stop.cancel()
            for future in self._flying:
                future.cancel()
            raise

    def _grace(self) -> float:
        return _GRACE_OF_CANCEL if self.interrupted or self.cancelled() else _GRACE

    def _check(self) -> None:
        """Raise the error of an executor that can't finish any task."""
        if check := getattr(self.executor, "check", None):
            check()

    def _queue(self, task: Task, budget: int | None = None) -> None:
        # The newest task runs first, so that the number of waiting tasks stays small.
        self._waiting.append(_Waiting(task, budget or tree.budget_of(task, self.budget)))

    def _launch(self) -> None:
        while self._waiting and len(self._flying) < max(1, self.window):
            waiting = self._waiting.pop()
            executor = self.first if waiting.task == FIRST_TASK else self.executor
            future = executor.submit(
                run_branch, self.job, waiting.task, waiting.budget, self._least
            )
            self._flying[future] = waiting

    def _land(self, future: Future[PartInfo]) -> None:
        waiting = self._flying.pop(future)
        try:
            summary = future.result()
        except (BudgetExceeded, CancelledError, KeyboardInterrupt) as error:
            # The task was stopped before it began or found anything. polars raises
            # KeyboardInterrupt in any thread, whatever handler the program has.
            self._waiting.append(waiting)
            self.interrupted |= isinstance(error, KeyboardInterrupt)
        except Exception as error:
            self._check()
            if isinstance(error, OSError) and error.errno in FATAL:
                raise
            self._retry(waiting, error)
        else:
            self._take(summary)

    def _take(self, summary: PartInfo, *, follow: bool = True) -> None:
        self.summaries.append(summary)
        self._visited += summary.visited
        if summary.reached is not None:
            least = summary.reached if self._least is None else self._least
            self._least = max(summary.reached, least)
        if follow:
            # Reversed, because the last task that waits is the first to run.
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
        if self.progress is None:
            return
        seconds = time.monotonic() - self._begin
        self.progress(
            RunProgress(
                self._visited,
                len(self.summaries),
                len(self._waiting) + len(self._flying),
                seconds,
                (self._visited - self._known) / seconds if seconds > 0 else 0.0,
            )
        )


def totals(summaries: Iterable[PartInfo]) -> dict[str, int]:
    """Return sums over parts, for a manifest."""
    every = list(summaries)
    names = ("concepts", "visited", "inexact", "left_out", "bytes")
    sums = {name: sum(getattr(each, name) for each in every) for name in names}
    return {"parts": len(every), **sums}
