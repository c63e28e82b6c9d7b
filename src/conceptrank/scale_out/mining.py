"""`mine`: a context or a file in, a folder of scored concepts out."""

from __future__ import annotations

import fcntl
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from conceptrank.budget import support_threshold
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.measures.registry import MeasureLike
from conceptrank.scale_out import engines, packed, parts
from conceptrank.scale_out.driver import FATAL, Driver, Found, Progress, survey, totals
from conceptrank.scale_out.job import (
    MANIFEST,
    Job,
    RunError,
    chosen,
    load_manifest,
    refuse_name,
    save_manifest,
)
from conceptrank.scale_out.packed import Packed
from conceptrank.scale_out.run import Run

__all__ = ["BUDGET", "mine"]

# The most nodes of a task.
BUDGET = 200_000
# So many tasks for each worker are in flight: none waits for the driver.
_TASKS_A_WORKER = 2


def mine(
    source: Context | Packed | str | os.PathLike[str] | None,
    out: str | os.PathLike[str],
    *,
    measures: Sequence[MeasureLike] = ("cr",),
    min_support: float = 0,
    top: int | None = None,
    by: str | None = None,
    workers: int = 0,
    executor: Executor | None = None,
    window: int | None = None,
    budget: int = BUDGET,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Run:
    """Mine concepts into a folder of Parquet files, survive kills, and go on where it stopped.

    Parameters
    ----------
    source
        A context, a packed one, or a file; larger than memory if it is FIMI, CSV or Parquet (see
        `pack_file`). None takes the one that is in the folder of a run.
    out
        The folder. It is made if it is not there.
    measures
        The measures to score by: names, or pairs of a name and its parameters.
    min_support
        The least number of objects of a concept; a float is a share of all objects.
    top, by
        Keep the best so many by this measure only; subtrees in which a bound on the measure
        leaves nothing to find are not searched. `conceptrank.scale_out.best` says for which
        measures there is one.
    workers
        The number of worker processes; 0 is one for each processor, 1 works in this process.
    executor
        Anything with the interface of `concurrent.futures.Executor`, instead of processes of our
        own. Its workers must see the folder under the same path.
    window
        The number of tasks in flight; twice the number of workers if None.
    budget
        The most concepts of a task. The first tasks are smaller.
    resume
        Whether to go on with a run that is in the folder. If there is none, it begins.
    progress, stop
        Called now and then: told how far it is, asked whether to stop.

    Returns
    -------
    Run
        What the folder holds; its `complete` says whether that is everything.

    Raises
    ------
    RunError
        If there is a run in the folder already, or another one than this, or the folder can't
        be written to.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     run = mine(cr.datasets.load("movies"), directory, workers=1, measures=["cr"])
    ...     len(run), run.complete, run.count(contains="drama")
    (20, True, 6)
    """
    if budget < 2:
        raise ValueError(f"budget must be at least 2, got {budget}")
    if top is not None and (top < 1 or by is None):
        raise ValueError("top must be at least 1, and needs by=, the measure that decides")
    folder = Path(out)
    refuse_name(folder)
    with _alone(folder):
        content, known = _content(folder, source, resume=resume)
        wanted = list(measures)
        if by is not None and by != "support" and by not in wanted:
            wanted.append(by)
        job = Job(
            folder=str(folder.resolve()),
            digest=content.digest,
            measures=chosen(wanted),
            min_support=support_threshold(min_support, content.n_objects),
            top=top,
            by=by,
        )
        if known is not None:
            _refuse_other(folder, known, job)
        with _telling_what_to_do(folder):
            begin = time.monotonic()
            if not _is_there(job):
                packed.write(content, job.context)
            found = _prepared(job)
            needed = workers if found.open else 1
            with _executor(executor, needed) as (runs, first, tasks_in_flight):
                about = _about(job, content)
                so_far = {"state": "running", "totals": totals(found.summaries)}
                save_manifest(folder, {**about, **so_far})
                driver = Driver(
                    job,
                    runs,
                    first=first,
                    window=window or tasks_in_flight,
                    budget=budget,
                    progress=progress,
                    stop=stop,
                )
                driver.run(found)
            _tidy(job, {summary.file for summary in driver.summaries})
            save_manifest(
                folder,
                {
                    **about,
                    "state": "complete" if driver.complete else "incomplete",
                    "totals": totals(driver.summaries),
                    "failures": [asdict(failure) for failure in driver.failures],
                    "retries": driver.retries,
                    "workers_replaced": getattr(runs, "replaced", 0),
                    "largest_task": max((each.visited for each in driver.summaries), default=0),
                    "seconds": round(time.monotonic() - begin, 3),
                },
            )
    return Run(folder)


def refuse_occupied(folder: Path, *, resume: bool) -> None:
    """Raise `RunError` if a folder holds a run that is not to be continued."""
    there = (folder / MANIFEST).exists()
    if there and not resume:
        raise RunError(
            f"{folder}: there is a run here already (hint: --resume goes on with it, or choose "
            "another folder)"
        )
    if not there and folder.is_dir() and parts.find(folder):
        raise RunError(f"{folder}: there are parts of a run here, but no {MANIFEST}")


def _content(
    folder: Path, source: Context | Packed | str | os.PathLike[str] | None, *, resume: bool
) -> tuple[Packed, Job | None]:
    """Return the context to mine, and the job that is in the folder already."""
    refuse_occupied(folder, resume=resume)
    there = (folder / MANIFEST).exists()
    known = Job.of(folder, load_manifest(folder)) if there else None
    if source is not None:
        return _packed(source), known
    if known is None:
        raise RunError(f"{folder}: there is no run here to go on with")
    return packed.read(known.context, digest=known.digest), known


def _packed(source: Context | Packed | str | os.PathLike[str]) -> Packed:
    if isinstance(source, Packed):
        return source
    if isinstance(source, Context):
        return packed.pack(source)
    from conceptrank.scale_out.streaming import pack_file

    return pack_file(source)


def _refuse_other(folder: Path, known: Job, wanted: Job) -> None:
    """Refuse to go on with a run that is another one."""
    if known.digest != wanted.digest:
        raise RunError(f"{folder}: the run here is of another context")
    before, now = known.parameters, wanted.parameters
    other = [key for key in before if before[key] != now[key]]
    if other:
        key = other[0]
        raise RunError(
            f"{folder}: the run here has another {key}: {_short(before[key])}, not "
            f"{_short(now[key])} (hint: repeat the options of the first call)"
        )
    manifest = load_manifest(folder)
    from conceptrank import __version__

    if manifest["versions"]["conceptrank"] != __version__:
        raise RunError(
            f"{folder}: the run here is by conceptrank {manifest['versions']['conceptrank']}, "
            f"this is {__version__} (hint: go on with that version, or choose another folder)"
        )


def _short(value: object) -> str:
    return ", ".join(value) if isinstance(value, Mapping) else repr(value)


def _is_there(job: Job) -> bool:
    """Return whether the context is in the folder, and not damaged."""
    try:
        packed.read(job.context, digest=job.digest)
    except (FileNotFoundError, FormatError):
        return False
    return True


def _prepared(job: Job) -> Found:
    """Return what is there of a run, after removing what is of no use."""
    parts.sweep(job.folder_path)
    found = survey(job, verify=True)
    for error in found.damaged:
        Path(str(error.source)).unlink(missing_ok=True)
    for path in found.foreign:
        path.unlink(missing_ok=True)
    return found


def _tidy(job: Job, files: set[str]) -> None:
    """Remove what workers left behind that were thought dead, or died."""
    parts.sweep(job.folder_path)
    for by_budget in parts.find(job.folder_path).values():
        for path in by_budget.values():
            if path.name not in files:
                path.unlink(missing_ok=True)


def _about(job: Job, content: Packed) -> dict[str, Any]:
    import numpy
    import polars

    from conceptrank import __version__

    return {
        "context": {
            "digest": job.digest,
            "objects": content.n_objects,
            "attributes": len(content.attributes),
            "distinct_rows": len(content.weights),
        },
        "parameters": job.parameters,
        "versions": {
            "conceptrank": __version__,
            "polars": polars.__version__,
            "numpy": numpy.__version__,
            "python": platform.python_version(),
        },
    }


@contextmanager
def _executor(executor: Executor | None, workers: int) -> Iterator[tuple[Executor, Executor, int]]:
    """Give what runs the tasks, what runs the first one, and how many to have in flight."""
    many = workers or engines.n_processors()
    if executor is not None:
        yield executor, executor, _TASKS_A_WORKER * many
    elif many == 1:
        here = engines.InProcess()
        yield here, here, 1
    else:
        with engines.ProcessPool(many) as pool:
            # The first task is done here, while the workers start.
            yield pool, engines.InProcess(), _TASKS_A_WORKER * many
            # Nothing is in flight any more: nobody has to wait until the workers are gone.
            pool.shutdown(wait=False)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one driver at a time work in a folder; the system lets go when it ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise RunError(
            f"{folder}: {error.strerror} (hint: choose a folder that you may write to)"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunError(f"{folder}: another process is mining here ({error.strerror})") from None
        yield


@contextmanager
def _telling_what_to_do(folder: Path) -> Iterator[None]:
    """Turn a full disk and the like into an error of our own."""
    try:
        yield
    except OSError as error:
        if error.errno not in FATAL:
            raise
        raise RunError(
            f"{folder}: {error.strerror}; what is there stays valid "
            "(hint: mend that, then 'conceptrank mine … --resume')"
        ) from error
