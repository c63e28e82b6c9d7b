"""The driver, which keeps tasks in flight until none is left, whatever happens to workers.

It uses only the interface of `concurrent.futures`. Its whole state is in the folder: the parts and
the prefixes that they left over. So it can be killed at any moment, and another one resumes.
"""

from __future__ import annotations

import errno
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass, field
from pathlib import Path

from conceptrank.budget import Watch
from conceptrank.errors import BudgetExceeded, FormatError
from conceptrank.runs import parts, tree
from conceptrank.runs.job import Job, RunError
from conceptrank.runs.parts import PartInfo
from conceptrank.runs.task import run_branch
from conceptrank.runs.tree import FIRST_TASK, Task

# A task is given up after this many errors. Each attempt gets half the budget of the one before,
# because the task may have needed too much memory.
MOST_ATTEMPTS = 6
# Seconds between two checks of the limits, and between two reports of progress.
_SLICE = 0.05
# These errors concern the folder, so every other task would fail as well.
FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS}


@dataclass(frozen=True)
class Failure:
    """A task that was given up after too many errors."""

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
                summary = parts.read_info(path, run=job.key, verify=verify)
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
class _Attempt:
    """A task that waits or is in flight."""

    task: Task
    budget: int
    attempts: int = 0
    # Whether it was in flight when an executor broke.
    broken: bool = False


@dataclass
class Driver:
    """Runs the tasks of a job that have no part yet.

    Parameters
    ----------
    job
        The job.
    executor
        The executor of the tasks.
    replace
        Returns an executor that replaces a broken one; None if there is no other one.
    window
        The number of tasks in flight.
    budget
        The most nodes of a task.
    watch
        When it ends, no new task starts, and those in flight write what they have found so far.
    progress
        Called regularly.
    """

    job: Job
    executor: Executor
    replace: Callable[[], Executor] | None
    window: int
    budget: int
    watch: Watch
    progress: Callable[[RunProgress], None] | None = None

    summaries: list[PartInfo] = field(default_factory=list, init=False)
    failures: list[Failure] = field(default_factory=list, init=False)
    interrupted: bool = field(default=False, init=False)
    _waiting: deque[_Attempt] = field(default_factory=deque, init=False)
    _flying: dict[Future[PartInfo], tuple[_Attempt, Executor]] = field(
        default_factory=dict, init=False
    )
    _least: float | None = field(default=None, init=False)
    _begin: float = field(default_factory=time.monotonic, init=False)
    _visited: int = field(default=0, init=False)
    _known: int = field(default=0, init=False)

    @property
    def tasks_left(self) -> int:
        """The number of tasks that wait or were given up."""
        return len(self.failures) + len(self._waiting)

    def run(self, found: FolderState) -> None:
        """Run tasks until none is left, the watch ends, or Ctrl-C is pressed.

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
            self._take(summary)
        self._known = self._visited
        for task, budget in found.open:
            self._queue(task, budget)
        try:
            while self._step():
                pass
        except BaseException:
            self.job.stop.cancel()
            raise

    def _step(self) -> bool:
        """Start tasks, wait for some a moment, and return whether any was in flight."""
        try:
            if self.watch.interrupted():
                self.job.stop.cancel()
            else:
                self._launch()
            done = wait(self._flying, timeout=_SLICE, return_when=FIRST_COMPLETED).done
            flying = bool(self._flying)
            for future in done:
                self._land(future)
            self._report()
            return flying
        except KeyboardInterrupt:
            if self.watch.budget.cancelled:
                raise
            self.interrupted = True
            self.watch.budget.cancel()
            return True

    def _queue(self, task: Task, budget: int | None = None) -> None:
        # The newest task runs first, so that the number of waiting tasks stays small.
        self._waiting.append(_Attempt(task, budget or tree.budget_of(task, self.budget)))

    def _launch(self) -> None:
        while self._waiting and len(self._flying) < self.window:
            attempt = self._waiting.pop()
            task = self.job, attempt.task, attempt.budget, self._least
            try:
                future = self.executor.submit(run_branch, *task)
            except Exception as error:
                future = Future()
                future.set_exception(BrokenExecutor(str(error)))
            self._flying[future] = attempt, self.executor

    def _land(self, future: Future[PartInfo]) -> None:
        attempt, executor = self._flying.pop(future)
        try:
            summary = future.result()
        except BudgetExceeded:
            # The task was stopped before it began or found anything.
            self._waiting.append(attempt)
        except KeyboardInterrupt:
            # polars raises it in any thread, whatever handler the program has.
            self._waiting.append(attempt)
            raise
        except (BrokenExecutor, CancelledError) as error:
            self._waiting.append(attempt)
            if not self.watch.stopped:
                self._resubmit(attempt, executor, error)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in FATAL:
                raise
            self._retry(attempt, error)
        else:
            self._take(summary)
            # Reversed, because the last task that waits is the first to run.
            for task in reversed(tree.following(summary.task, summary.left)):
                self._queue(task)

    def _take(self, summary: PartInfo) -> None:
        self.summaries.append(summary)
        self._visited += summary.visited
        if summary.reached is not None:
            least = summary.reached if self._least is None else self._least
            self._least = max(summary.reached, least)

    def _resubmit(self, attempt: _Attempt, executor: Executor, error: BaseException) -> None:
        """Replace a broken executor, once per task: the task may be what breaks it."""
        if self.replace is None or attempt.broken:
            raise RunError(
                f"the workers of the run ended ({_reason(error)}); what the run has written stays "
                "valid (hint: start them again, then 'conceptrank mine … --resume')"
            ) from error
        attempt.broken = True
        if executor is self.executor:
            self.executor = self.replace()

    def _retry(self, attempt: _Attempt, error: Exception) -> None:
        attempt.attempts += 1
        if attempt.attempts >= MOST_ATTEMPTS:
            self.failures.append(Failure(attempt.task.name, attempt.attempts, _reason(error)))
            return
        attempt.budget = max(tree.LEAST_BUDGET, attempt.budget // 2)
        self._waiting.appendleft(attempt)

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


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().splitlines()[0]


def totals(summaries: Iterable[PartInfo]) -> dict[str, int]:
    """Return sums over parts, for a manifest."""
    every = list(summaries)
    names = ("concepts", "visited", "inexact", "left_out", "bytes")
    sums = {name: sum(getattr(each, name) for each in every) for name in names}
    return {"parts": len(every), **sums}
