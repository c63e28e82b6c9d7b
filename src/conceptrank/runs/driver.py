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

# Seconds between two checks of the limits, and between two reports of progress.
_SLICE = 0.05
# These errors concern the folder, so every other task would fail as well.
FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS}


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
        # A stop cuts the budget, so the smallest budget is the latest.
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
    failed: bool = False


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
    interrupted: bool = field(default=False, init=False)
    _waiting: deque[_Attempt] = field(default_factory=deque, init=False)
    _flying: dict[Future[PartInfo], tuple[_Attempt, Executor]] = field(
        default_factory=dict, init=False
    )
    _begin: float = field(default_factory=time.monotonic, init=False)
    _visited: int = field(default=0, init=False)
    _known: int = field(default=0, init=False)

    @property
    def tasks_left(self) -> int:
        """The number of tasks that wait."""
        return len(self._waiting)

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
            If a task fails twice, or the executor breaks and can't be replaced.
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
            try:
                future = self.executor.submit(run_branch, self.job, attempt.task, attempt.budget)
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
        except Exception as error:
            if isinstance(error, OSError) and error.errno in FATAL:
                raise
            self._waiting.append(attempt)
            if not self.watch.stopped:
                self._try_again(attempt, executor, error)
        else:
            self._take(summary)
            # Reversed, because the last task that waits is the first to run.
            for task in reversed(tree.following(summary.task, summary.left)):
                self._queue(task)

    def _take(self, summary: PartInfo) -> None:
        self.summaries.append(summary)
        self._visited += summary.visited

    def _try_again(self, attempt: _Attempt, executor: Executor, error: Exception) -> None:
        """Replace a broken executor. Each task may fail once: it may be what breaks executors."""
        broken = isinstance(error, BrokenExecutor | CancelledError)
        if attempt.failed or (broken and self.replace is None):
            reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
            what = "the workers of the run ended" if broken else "a task failed twice"
            raise RunError(
                f"{what} ({reason}); what the run has written stays valid (hint: remove the cause, "
                "then 'conceptrank mine … --resume')"
            ) from error
        attempt.failed = True
        if broken and self.replace is not None and executor is self.executor:
            self.executor = self.replace()

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
    names = ("concepts", "visited", "inexact", "bytes")
    sums = {name: sum(getattr(each, name) for each in every) for name in names}
    return {"parts": len(every), **sums}
