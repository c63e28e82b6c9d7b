"""Executors that run the tasks of a run: `BackgroundThread`, `ProcessPool`, `dask_executor`.

Any other executor with the interface of `concurrent.futures` works too. If an executor has a method
`check`, the driver calls it regularly, and it raises an error when no task can finish any more.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from conceptrank.budget import TASK_THREAD
from conceptrank.errors import ConceptRankError, install_command
from conceptrank.runs.job import RunError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# Seconds between two checks of a worker whether its parent still runs.
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

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a task."""
        future: Future[Any] = Future()
        # A future that runs can't be cancelled, so the task can always set its result.
        future.set_running_or_notify_cancel()

        def work() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work, name=TASK_THREAD, daemon=True).start()
        return future


class ProcessPool(Executor):
    """Worker processes; one that dies is replaced, and only its own task fails.

    The processes start at once and afresh (`spawn`), so a program that uses this class needs the
    usual `if __name__ == "__main__":`. They end when their parent ends. Unlike in the executor of
    the standard library, each process sends its answers through its own pipe. If a process is
    killed in the middle of an answer, its pipe closes, and the pool does not wait for the rest.

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
        self._over = False
        # A None in the queue ends one of the threads.
        self._tasks: SimpleQueue[tuple[Future[Any], bytes] | None] = SimpleQueue()
        self._workers = [_Worker() for _ in range(max(1, workers))]
        self._threads = [
            threading.Thread(target=self._serve, args=(slot,), daemon=True)
            for slot in range(len(self._workers))
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Give a task to the next worker that is free."""
        future: Future[Any] = Future()
        task = pickle.dumps((fn, args, kwargs))
        with self._lock:
            if self._over:
                raise RuntimeError("no task can be submitted after shutdown")
            self._tasks.put((future, task))
        return future

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers."""
        return [worker.pid for worker in self._workers]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001
        """End the workers when their tasks are done; `cancel_futures` drops tasks that wait."""
        with self._lock:
            self._over = True
            if cancel_futures:
                self._drop_waiting()
            for _ in self._threads:
                self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def kill(self) -> None:
        """End the workers at once, whatever they are doing."""
        self.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for worker in self._workers:
                worker.kill()
        for thread in self._threads:
            thread.join()

    def drop_waiting(self) -> None:
        """Cancel the tasks that no worker has begun."""
        with self._lock:
            self._drop_waiting()

    def _drop_waiting(self) -> None:
        with suppress(Empty):
            while True:
                if task := self._tasks.get_nowait():
                    task[0].cancel()
                    # This wakes up those that wait for the task.
                    task[0].set_running_or_notify_cancel()

    def _serve(self, slot: int) -> None:
        """Give tasks to the worker of a slot until there are no more."""
        while True:
            # A task waits in the queue, and can be cancelled, until a process is there for it.
            self._workers[slot].wait_for_start()
            if (task := self._tasks.get()) is None:
                break
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                try:
                    answer = self._workers[slot].answer(call)
                except (EOFError, OSError):
                    self._replace(slot)
                    raise BrokenExecutor("the worker process died") from None
                done, result = pickle.loads(answer)
            except BaseException as error:
                done, result = False, error
            if done:
                future.set_result(result)
            else:
                future.set_exception(result)
        self._workers[slot].close()

    def _replace(self, slot: int) -> None:
        with self._lock:
            if not self._over:
                self._workers[slot].kill()
                self._workers[slot] = _Worker()
                self.replaced += 1


class _Worker:
    """A process that runs one task after another."""

    def __init__(self) -> None:
        from multiprocessing import get_context

        spawn = get_context("spawn")
        self._pipe, end = spawn.Pipe()
        self._process = spawn.Process(target=_work, args=(end, os.getpid()), daemon=True)
        self._started = False
        # A process inherits what its parent blocks, so Ctrl-C can't reach it while it starts.
        mask = getattr(signal, "pthread_sigmask", None)
        if mask:
            # The first process of a program would start this helper, which unblocks SIGINT.
            resource_tracker: Any = import_module("multiprocessing.resource_tracker")
            resource_tracker.ensure_running()
        before = mask(signal.SIG_BLOCK, [signal.SIGINT]) if mask else None
        try:
            self._process.start()
        finally:
            if mask:
                mask(signal.SIG_SETMASK, before)
        # The process has the only other copy, so reading ends when it dies.
        end.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid or 0

    def wait_for_start(self) -> None:
        """Wait until the process is ready for its first task, or has died."""
        if not self._started:
            self._started = True
            with suppress(EOFError, OSError):
                self._pipe.recv_bytes()

    def answer(self, call: bytes) -> bytes:
        """Return what the process answers to a task; if it dies, raise EOFError or OSError."""
        self._pipe.send_bytes(call)
        return self._pipe.recv_bytes()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join()

    def close(self) -> None:
        """Close the pipe, so that the process, which waits for its next task, ends."""
        self._pipe.close()
        self._process.join()


def _work(pipe: Connection, parent: int) -> None:
    """Run the tasks that come from a pipe until it is closed."""
    # The parent handles Ctrl-C and stops its tasks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_HEARTBEAT)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    # Every task needs polars, so import it while the process waits for the first task.
    import_module("polars")
    with suppress(EOFError, OSError):
        pipe.send_bytes(b"ready")
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))


def _answer(call: bytes) -> bytes:
    """Run a task, and return whether it ended well and its result or error."""
    try:
        fn, args, kwargs = pickle.loads(call)
        return pickle.dumps((True, fn(*args, **kwargs)))
    except BaseException as error:
        try:
            return pickle.dumps((False, error))
        except Exception:
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


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
    place = scheduler or "this machine"
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
            threads = sum(client.nthreads().values())
            if not threads:
                raise RuntimeError("no worker is left")
        except ConceptRankError:
            raise
        except Exception as error:
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConceptRankError(
                f"no Dask cluster is ready at {place}: {reason[0]} (hint: check that the scheduler "
                "and at least one worker are running)"
            ) from error
        executor = _DaskExecutor(client, place)
        yield executor, threads
    finally:
        if executor is not None:
            executor.shutdown()
        # Otherwise a lost cluster logs every connection without an answer. Dask gives these loggers
        # levels of their own.
        for name in tuple(logging.root.manager.loggerDict):
            if name.partition(".")[0] == "distributed":
                logging.getLogger(name).setLevel(logging.CRITICAL)
        for opened in (client, cluster):
            if opened is not None:
                with suppress(Exception):
                    opened.close(timeout=2)


def _refuse_other_versions(client: Any) -> None:
    own = _versions()
    for address, theirs in client.run(_versions).items():
        if tuple(theirs) != own:
            raise ConceptRankError(
                f"the worker {address} has other versions of conceptrank, polars and "
                f"NumPy ({', '.join(theirs)}) than this process ({', '.join(own)})"
            )
