"""Engines: what runs the tasks. Anything with the interface of `concurrent.futures` will do."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from conceptrank.errors import ConceptRankError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["InProcess", "ProcessPool", "dask_executor", "n_processors"]

# A worker looks so often whether its parent is still there.
_HEARTBEAT = 1.0


def n_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class InProcess(Executor):
    """Runs every task at once, in this process.

    Examples
    --------
    >>> InProcess().submit(pow, 2, 5).result()
    32
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function and return its result as a future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class ProcessPool(Executor):
    """Worker processes of which any may die: it is replaced, and only its own tasks fail.

    They are started at once and afresh (`spawn`), so a program that uses this needs the usual
    `if __name__ == "__main__":`. They end when their parent does, however it ends.

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
        self.replaced = 0
        self._lock = threading.Lock()
        self._pools: list[ProcessPoolExecutor] = [self._started() for _ in range(max(1, workers))]
        self._given: list[list[Future[Any]]] = [[] for _ in self._pools]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Give a task to the worker that has the fewest."""
        with self._lock:
            self._given = [[task for task in given if not task.done()] for given in self._given]
            slot = min(range(len(self._pools)), key=lambda number: len(self._given[number]))
            while True:
                try:
                    future = self._pools[slot].submit(fn, *args, **kwargs)
                    break
                except BrokenExecutor:
                    self._pools[slot].shutdown(wait=False)
                    self._pools[slot] = self._started()
                    self.replaced += 1
            self._given[slot].append(future)
        return future

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers that are there."""
        return [pid for pool in self._pools for pid in (getattr(pool, "_processes", None) or ())]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001
        """End the workers."""

        def end(pool: ProcessPoolExecutor) -> None:
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)

        # All at once: a process takes a moment to end.
        threads = [threading.Thread(target=end, args=(pool,)) for pool in self._pools]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @staticmethod
    def _started() -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        pool = ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_watch_parent, initargs=(os.getpid(),)
        )
        pool.submit(_get_ready)
        return pool


def _watch_parent(parent: int) -> None:
    """Make this process end when its parent is gone; it would wait for tasks forever."""
    import signal

    # Ctrl-C is for the parent, which lets running tasks finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_HEARTBEAT)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _get_ready() -> None:
    """Load what every task needs, while others prepare the first one."""
    from importlib import import_module

    import_module("polars")


def _versions() -> tuple[str, ...]:
    """Return what must be the same on all machines for the parts to be the same."""
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
        The address of the scheduler, as tcp://head:8786; None starts a cluster on this machine.
    workers
        The number of workers of a cluster that is started; 0 is one for each processor.

    Raises
    ------
    ConceptRankError
        If Dask is not installed, the scheduler doesn't answer, or a worker has other versions.
    """
    from importlib import import_module

    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ConceptRankError(
            "this needs dask.distributed: pip install 'conceptrank[dask]'"
        ) from None
    cluster: Any = None
    if scheduler is None:
        cluster = distributed.LocalCluster(
            n_workers=workers or n_processors(),
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
        )
    try:
        try:
            client = distributed.Client(
                cluster if cluster is not None else scheduler, timeout="10s"
            )
        except OSError as error:
            raise ConceptRankError(f"no Dask scheduler answers at {scheduler}: {error}") from None
        try:
            client.wait_for_workers(1, timeout=60)
            own = _versions()
            for address, theirs in client.run(_versions).items():
                if tuple(theirs) != own:
                    raise ConceptRankError(
                        f"the worker {address} has other versions of conceptrank, polars and "
                        f"NumPy ({', '.join(theirs)}) than this process ({', '.join(own)})"
                    )
            threads = sum(client.nthreads().values())
            yield client.get_executor(pure=False), max(1, threads)
        finally:
            with suppress(Exception):
                client.close()
    finally:
        if cluster is not None:
            cluster.close()
