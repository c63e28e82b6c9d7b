"""Numbered pieces of work on threads, with their results in order, until a budget ends them."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from conceptrank.budget import Budget

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")
Work = Callable[[int, Callable[[], bool]], Result]

# How often the calling thread looks at the clock and the budget while it waits.
_SLICE = 0.05


class Run:
    """Work that is spread over threads and watched by the calling one.

    Pieces of work are told their number and a function that says whether to give up. The order of
    their results doesn't depend on the threads. When the budget ends the run, or an error or Ctrl-C
    does, pieces that have begun are told to give up and not waited for.

    Parameters
    ----------
    threads
        How many threads; 0 is one for each processor.
    budget
        The seconds that all of it may take, and a way to cancel.
    progress
        Called with the number of results, and the share of the whole run that is done.

    Examples
    --------
    >>> run = Run(threads=2, budget=Budget())
    >>> list(run.map(lambda number, stop: number**2, 5)), run.stopped
    ([0, 1, 4, 9, 16], '')
    """

    def __init__(
        self,
        *,
        threads: int,
        budget: Budget,
        progress: Callable[[int, float], None] | None = None,
    ) -> None:
        self.stopped = ""
        self._threads = threads or os.cpu_count() or 1
        self._budget = budget
        self._progress = progress
        self._start = time.monotonic()

    def call(self, work: Callable[[Callable[[], bool]], object]) -> bool:
        """Do one piece of work, and return whether the budget let it finish.

        Examples
        --------
        >>> Run(threads=1, budget=Budget(seconds=0)).call(lambda stop: None)
        False
        """
        report, self._progress = self._progress, None
        finished = len(list(self.map(lambda _, stop: work(stop), 1))) == 1
        self._progress = report
        return finished

    def map(
        self, work: Work[Result], n: int, *, begin: float = 0.0, end: float = 1.0
    ) -> Iterator[Result]:
        """Yield the results of n pieces of work; fewer when the budget ends it.

        Parameters
        ----------
        work
            What to do.
        n
            How often.
        begin, end
            Which part of the whole run this is: for the progress, and for the limit in seconds.
        """
        from concurrent.futures import ThreadPoolExecutor
        from threading import Event

        halt = Event()
        pool = ThreadPoolExecutor(self._threads)
        pending: deque[Future[Result]] = deque()
        submitted = 0
        try:
            for done in range(n):
                # Two for each thread: none is idle, and few results wait for their turn.
                while submitted < min(n, done + 2 * self._threads):
                    pending.append(pool.submit(work, submitted, halt.is_set))
                    submitted += 1
                if not self._wait(pending[0], end):
                    return
                yield pending.popleft().result()
                if self._progress is not None:
                    self._progress(done + 1, begin + (end - begin) * (done + 1) / n)
        finally:
            halt.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _wait(self, future: Future[Result], end: float) -> bool:
        """Wait for a result; False when the budget ends before it is there."""
        from concurrent.futures import wait

        while True:
            if self._ended(end):
                return False
            if wait([future], timeout=_SLICE).done:
                return True

    def _ended(self, end: float) -> bool:
        seconds = self._budget.seconds
        if self._budget.cancelled:
            self.stopped = self.stopped or "cancelled"
        elif seconds is not None and time.monotonic() - self._start >= seconds * end:
            self.stopped = self.stopped or "seconds"
        else:
            return False
        return True
