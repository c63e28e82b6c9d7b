"""Executors that run the tasks of a run: `process_pool` and `dask_executor`.

Any other executor with the interface of `concurrent.futures` works too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from conceptrank.errors import ConceptRankError, install_command

# Seconds to wait for a Dask scheduler, and for its first worker.
_ANSWER = 10
_START = 15


def n_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Start worker processes, which end when this process ends.

    They start afresh (`spawn`), so a program that calls this needs the usual
    `if __name__ == "__main__":`.

    Examples
    --------
    >>> with process_pool(1) as pool:
    ...     pool.submit(pow, 2, 5).result()
    32
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    with _without_interrupts():
        # The first task starts all processes.
        pool.submit(int)
    return pool


def _begin() -> None:
    """Prepare a worker process."""
    # The parent handles Ctrl-C and stops its tasks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    # Every task needs polars, so import it before the first one comes.
    import_module("polars")


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C in this thread; the processes that start inside never see it."""
    mask: Callable[..., Any] | None = getattr(signal, "pthread_sigmask", None)
    if mask is None:
        yield
        return
    # The first process of a program would start this helper, which unblocks SIGINT.
    resource_tracker: Any = import_module("multiprocessing.resource_tracker")
    resource_tracker.ensure_running()
    before = mask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        mask(signal.SIG_SETMASK, before)


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
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ConceptRankError(
            f"this needs dask.distributed (hint: {install_command('dask')})"
        ) from None
    with ExitStack() as opened:
        try:
            cluster = scheduler
            if scheduler is None:
                cluster = opened.enter_context(
                    distributed.LocalCluster(
                        n_workers=workers or n_processors(),
                        threads_per_worker=1,
                        dashboard_address=None,
                    )
                )
            client = opened.enter_context(distributed.Client(cluster, timeout=_ANSWER))
            client.wait_for_workers(1, timeout=_START)
            versions = client.run(_versions)
        except Exception as error:
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConceptRankError(
                f"no Dask cluster is ready at {scheduler or 'this machine'}: {reason[0]} "
                "(hint: check that the scheduler and at least one worker are running)"
            ) from error
        for address, theirs in versions.items():
            if tuple(theirs) != _versions():
                raise ConceptRankError(
                    f"the worker {address} has other versions of conceptrank, polars and "
                    f"NumPy ({', '.join(theirs)}) than this process ({', '.join(_versions())})"
                )
        yield client.get_executor(pure=False), sum(client.nthreads().values())


def _versions() -> tuple[str, ...]:
    """Return the versions on which the bytes of a part depend."""
    import numpy
    import polars

    from conceptrank import __version__

    return __version__, polars.__version__, numpy.__version__
