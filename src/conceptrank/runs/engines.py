"""Executors that run the tasks of a run: `BackgroundThread`, `ProcessPool`, `dask_executor`.

Any other executor with the interface of `concurrent.futures` works too. If an executor has a method
`check`, the driver calls it regularly, and it raises an error when no task can finish any more.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from conceptrank.errors import ConceptRankError, install_command
from conceptrank.runs.job import RunError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["BackgroundThread", "ProcessPool", "dask_executor", "n_processors"]

# Seconds between two looks of a worker at whether its parent is still there.
_HEARTBEAT = 1.0
# Seconds for a Dask cluster: to start its first worker, between two questions to the scheduler,
# for an answer, and without any worker. A dead cluster is reported within 30 seconds.
_START = 25.0
_PING = 3.0
_ANSWER = 10.0
_WITHOUT_WORKERS = 15.0


def n_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class BackgroundThread(Executor):
    """Runs each task in a thread of this process, so that the main thread can watch the limits.

    A task that does not stop in time is left behind. Its thread is a daemon, so Python does not
    wait for it at exit.

    Examples
    --------
    >>> BackgroundThread().submit(pow, 2, 5).result()
    32
    """

    NAME = "conceptrank task"

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a task."""
        future: Future[Any] = Future()

        def work() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work, name=self.NAME, daemon=True).start()
        return future


class ProcessPool(Executor):
    """Worker processes; one that dies is replaced, and only its own tasks fail.

    The processes start at once and afresh (`spawn`), so a program that uses this class needs the
    usual `if __name__ == "__main__":`. They end when their parent ends.

    Parameters
    ----------
    workers
        The number of processes.

    Examples
    --------
    >>> with ProcessPool(1) as pool:
    ...     pool.submit(pow, 2, 5).result()
    32
    """

    def __init__(self, workers: int) -> None:
        self.replaced: int = 0
        self._lock = threading.Lock()
        self._pools: list[ProcessPoolExecutor] = [self._started() for _ in range(max(1, workers))]
        self._tasks: list[list[Future[Any]]] = [[] for _ in self._pools]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Give a task to the worker that has the fewest."""
        with self._lock:
            self._tasks = [[task for task in tasks if not task.done()] for tasks in self._tasks]
            slot = min(range(len(self._pools)), key=lambda number: len(self._tasks[number]))
            while True:
                try:
                    future = self._pools[slot].submit(fn, *args, **kwargs)
                    break
                except BrokenExecutor:
                    self._pools[slot].shutdown(wait=False)
                    self._pools[slot] = self._started()
                    self.replaced += 1
            self._tasks[slot].append(future)
        return future

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers."""
        return [pid for pool in self._pools for pid in _processes(pool)]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001
        """End the workers."""

        def end(pool: ProcessPoolExecutor) -> None:
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)

        # All at once, because a process takes a moment to end.
        threads = [threading.Thread(target=end, args=(pool,)) for pool in self._pools]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def kill(self) -> None:
        """End the workers at once, whatever they are doing."""
        for pool in self._pools:
            workers = list(_processes(pool).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.kill()
                worker.join()

    @staticmethod
    def _started() -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        pool = ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_watch_parent, initargs=(os.getpid(),)
        )
        pool.submit(_prepare)
        return pool


def _processes(pool: ProcessPoolExecutor) -> dict[int, Any]:
    """Return the processes of a pool, which the standard library keeps for itself."""
    return dict(getattr(pool, "_processes", None) or {})


def _watch_parent(parent: int) -> None:
    """Make this process end when its parent is gone; it would wait for tasks forever."""
    import signal

    # The parent handles Ctrl-C and tells its tasks to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_HEARTBEAT)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _prepare() -> None:
    """Import polars, which every task needs, while the first task still runs."""
    from importlib import import_module

    import_module("polars")


class _DaskExecutor(Executor):
    """Runs tasks on a Dask cluster, and notices when the cluster is gone."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name
        self._executor = client.get_executor(pure=False)
        self._problem = ""
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Give a task to the cluster."""
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def check(self) -> None:
        """Raise an error if the scheduler is gone, or all workers are."""
        problem = self._problem
        if not problem and self._client.status != "running":
            problem = "the connection to it is lost"
        if problem:
            raise RunError(
                f"the Dask scheduler at {self._name}: {problem}; what the run has written stays "
                "valid (hint: start the cluster again, then 'conceptrank mine … --resume')"
            )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001
        """Stop watching the cluster."""
        del wait, cancel_futures
        self._over.set()

    def _watch(self) -> None:
        seen = time.monotonic()
        while not self._problem and not self._over.wait(_PING):
            try:
                answer = self._client.sync(
                    self._client.scheduler.identity, callback_timeout=_ANSWER
                )
            except Exception:
                self._problem = "it no longer answers"
                return
            if answer["workers"]:
                seen = time.monotonic()
            elif time.monotonic() - seen > _WITHOUT_WORKERS:
                self._problem = "it has no worker left"


def _versions() -> tuple[str, ...]:
    """Return the versions on which the bytes of a part depend."""
    import numpy
    import polars

    from conceptrank import __version__

    return __version__, polars.__version__, numpy.__version__


@contextmanager
def dask_executor(scheduler: str | None, *, workers: int = 0) -> Iterator[tuple[Executor, int]]:
    """Give an executor on a Dask cluster, and its number of workers.

    Parameters
    ----------
    scheduler
        The address of the scheduler, such as tcp://head:8786; None starts a cluster on this
        machine.
    workers
        The number of workers of a cluster that is started; 0 for one per processor.

    Raises
    ------
    ConceptRankError
        If Dask is not installed, the scheduler doesn't answer, no worker comes, or a worker has
        other versions.
    """
    from importlib import import_module

    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ConceptRankError(
            f"this needs dask.distributed (hint: {install_command('dask')})"
        ) from None
    name = scheduler or "this machine"
    cluster: Any = None
    client: Any = None
    executor: _DaskExecutor | None = None
    try:
        try:
            if scheduler is None:
                cluster = distributed.LocalCluster(
                    n_workers=workers or n_processors(),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                )
            client = distributed.Client(cluster or scheduler, timeout=f"{_ANSWER:g}s")
            client.wait_for_workers(1, timeout=_START - _ANSWER)
            _refuse_other_versions(client)
            threads = max(1, sum(client.nthreads().values()))
        except ConceptRankError:
            raise
        except Exception as error:
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConceptRankError(
                f"no Dask cluster is ready at {name}: {reason[0]} (hint: check that the scheduler "
                "and at least one worker are running)"
            ) from error
        executor = _DaskExecutor(client, name)
        yield executor, threads
    finally:
        if executor is not None:
            executor.shutdown()
        # A cluster that is gone would log every connection that it no longer answers.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        for each in (client, cluster):
            if each is not None:
                with suppress(Exception):
                    each.close(timeout=2)


def _refuse_other_versions(client: Any) -> None:
    own = _versions()
    for address, theirs in client.run(_versions).items():
        if tuple(theirs) != own:
            raise ConceptRankError(
                f"the worker {address} has other versions of conceptrank, polars and "
                f"NumPy ({', '.join(theirs)}) than this process ({', '.join(own)})"
            )
