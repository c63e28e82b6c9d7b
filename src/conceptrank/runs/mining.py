"""`mine`: a context or a file in, a folder of scored concepts out."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from conceptrank._util.files import write_whole
from conceptrank._util.lazy import pl
from conceptrank.budget import Budget, Watch, support_threshold
from conceptrank.context import Context
from conceptrank.errors import FormatError, MeasureError, install_command
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import Condition, ConstraintOptions, Query
from conceptrank.runs import engines, packed, parts
from conceptrank.runs.driver import FATAL, Driver, RunProgress, survey, totals
from conceptrank.runs.job import (
    ATTRIBUTES,
    MANIFEST,
    Job,
    RunError,
    chosen,
    load_manifest,
    save_manifest,
)
from conceptrank.runs.packed import Packed
from conceptrank.runs.run import Run

# The most concepts of a task.
TASK_CONCEPTS = 200_000
# Tasks in flight per worker, so that no worker waits for the driver.
_TASKS_PER_WORKER = 2


def mine(
    source: object,
    out: str | os.PathLike[str],
    *,
    measures: Sequence[MeasureLike] = ("cr",),
    min_support: float = 0,
    workers: int = 0,
    executor: Executor | None = None,
    task_concepts: int = TASK_CONCEPTS,
    resume: bool = False,
    budget: Budget | None = None,
    progress: Callable[[RunProgress], None] | None = None,
    max_bytes: int | None = None,
    **constraints: Unpack[ConstraintOptions],
) -> Run:
    """Mine concepts into a folder of Parquet files; a killed or stopped run can be resumed.

    Parameters
    ----------
    source
        A context, a packed context, or a file; FIMI, CSV and Parquet files may be larger than
        memory (see `pack_file`). Also a folder or a glob of files, a frame or an Arrow stream of
        transactions (see `pack_transactions`): if all measures allow it, items below `min_support`
        are left out while reading. None takes the context in the folder of a run.
    out
        The folder. It is created if it does not exist.
    measures
        The measures to score by: names, or pairs of a name and its parameters.
    min_support
        The least number of objects of a concept; a float is a share of all objects.
    workers
        The number of worker processes; 0 for one per processor, 1 to work in this process. If they
        end, they are replaced. A task that fails is run again, once.
    executor
        Anything with the interface of `concurrent.futures.Executor`, in place of worker
        processes, with as many workers as `workers` says. They must see the folder under the same
        path.
    task_concepts
        The most concepts of a task. The first tasks are smaller.
    resume
        Whether to resume the run in the folder. If there is none, a new run starts.
    budget
        Its `seconds` limit the run, and its `cancel` stops it. Tasks in flight then write what
        they have found, and the run is incomplete.
    progress
        Called regularly with the progress of the run.
    max_bytes
        The most bytes that a text file may hold, unpacked; see `pack_file` and
        `pack_transactions`.
    **constraints
        Which concepts to mine, as for `Context.lattice`. A condition can't have objects or
        functions; `objects` needs a context as the source.

    Returns
    -------
    Run
        The content of the folder; its `complete` is whether it has all concepts.

    Raises
    ------
    RunError
        If the folder holds a run already, or another run than the one to resume, or can't be
        written to; or if a task fails twice.
    KeyboardInterrupt
        At Ctrl-C, after the tasks in flight have written what they found.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     run = mine(cr.datasets.load("movies"), directory, workers=1, measures=["cr"])
    ...     len(run), run.complete, run.count(where="'drama' in intent")
    (20, True, 6)
    """
    if task_concepts < 2:
        raise ValueError(f"task_concepts must be at least 2, got {task_concepts}")
    watch = Watch(budget, task="mining")
    folder = Path(out)
    settings = chosen(measures)
    with _locked(folder):
        known = check_folder(folder, resume=resume)
        # Constraints may name infrequent attributes, or other measures.
        least_item = 0 if constraints or needs_every_item(measures) else min_support
        content = _content(folder, source, known, least_item, max_bytes)
        job = Job(
            folder=str(folder.resolve()),
            digest=content.digest,
            measures=settings,
            min_support=support_threshold(min_support, content.n_objects),
            constraints=_plain(constraints, source, content),
            key="" if known is None else known.key,
        )
        if known is not None:
            _refuse_other(folder, known, job)
        driver = partial(Driver, job, budget=task_concepts, watch=watch, progress=progress)
        with _explained(folder):
            _run(job, content, driver, executor, workers)
    return Run(folder)


def _run(
    job: Job,
    content: Packed,
    prepared: Callable[..., Driver],
    executor: Executor | None,
    workers: int,
) -> None:
    """Run the tasks that are left, and write what they did to the manifest."""
    import numpy
    import polars

    from conceptrank import __version__

    folder, begin = job.folder_path, time.monotonic()
    _write_context(job, content)
    parts.sweep(folder)
    job.stop.reset()
    found = survey(job, verify=True)
    for path in (*(Path(str(error.source)) for error in found.damaged), *found.foreign):
        path.unlink(missing_ok=True)
    about = {
        "key": job.key,
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
    try:
        with _executor(executor, workers if found.open else 1) as (runs, replace, window):
            so_far = {"state": "running", "totals": totals(found.summaries)}
            save_manifest(folder, about | so_far)
            driver = prepared(executor=runs, replace=replace, window=window)
            driver.run(found)
    finally:
        # Tasks of another executor may still have to see that the run is over.
        if executor is None:
            job.stop.reset()
        parts.sweep(folder)
    # Parts of workers that were believed dead: their tasks were run again.
    files = {summary.file for summary in driver.summaries}
    for path in (path for by_budget in parts.find(folder).values() for path in by_budget.values()):
        if path.name not in files:
            path.unlink(missing_ok=True)
    done = {
        "state": "incomplete" if driver.tasks_left else "complete",
        "totals": totals(driver.summaries),
        "tasks_left": driver.tasks_left,
        "largest_task": max((each.visited for each in driver.summaries), default=0),
        "seconds": round(time.monotonic() - begin, 3),
    }
    save_manifest(folder, about | done)
    if driver.interrupted:
        raise KeyboardInterrupt


def check_folder(folder: Path, *, resume: bool) -> Job | None:
    """Refuse a folder in which a run can't start or be resumed, before any input is read.

    Returns
    -------
    Job | None
        The job of the run that is in the folder.

    Raises
    ------
    RunError
        If there is a run and `resume` is False.
    FormatError
        If its manifest is damaged, or of another version.
    """
    if (folder / MANIFEST).exists():
        if not resume:
            raise RunError(
                f"{folder}: there is a run here already (hint: --resume continues it, or choose "
                "another folder)"
            )
        return load_manifest(folder)[1]
    if folder.is_dir() and parts.find(folder):
        raise RunError(
            f"{folder}: there are parts of a run here, but no {MANIFEST} (hint: choose another "
            "folder)"
        )
    return None


def needs_every_item(measures: Sequence[MeasureLike]) -> list[str]:
    """Return the measures whose scores of frequent concepts depend on infrequent attributes.

    Examples
    --------
    >>> needs_every_item(["cr", "support", "stability"])
    ['stability']
    """
    return [
        label
        for label, name, params in chosen(list(measures))
        if registry.get(name).needs_every_attribute(params)
    ]


def _content(
    folder: Path,
    source: object,
    known: Job | None,
    least_item: float,
    max_bytes: int | None,
) -> Packed:
    """Return the context to mine; items of a stream below a support are left out."""
    if isinstance(source, Packed):
        return source
    if isinstance(source, Context):
        return packed.pack(source)
    if source is None:
        if known is None:
            raise RunError(f"{folder}: there is no run here to resume")
        return packed.read(folder / known.context.name, digest=known.digest)
    from conceptrank.io.streams import is_many_files
    from conceptrank.runs.streaming import pack_file, pack_transactions

    if isinstance(source, str | os.PathLike) and not is_many_files(source):
        return pack_file(source, max_bytes=max_bytes)
    return pack_transactions(source, min_support=least_item, max_bytes=max_bytes)


def _refuse_other(folder: Path, known: Job, wanted: Job) -> None:
    """Refuse to resume a run that has another context or other settings."""
    if known.digest != wanted.digest:
        raise RunError(f"{folder}: the run here is of another context")
    before, now = known.parameters, wanted.parameters
    other = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    if other:
        key = other[0]
        raise RunError(
            f"{folder}: the run here has another {key}: {_short(before.get(key))}, not "
            f"{_short(now.get(key))} (hint: repeat the options of the first call)"
        )


def _plain(constraints: ConstraintOptions, source: object, content: Packed) -> dict[str, Any]:
    """Return constraints as JSON values; refuse those that tasks can't check."""
    given: dict[str, Any] = dict(constraints)
    common: tuple[str, ...] = ()
    if objects := given.pop("objects", None):
        # A packed context has no names of objects.
        if not isinstance(source, Context):
            raise MeasureError("objects=… needs a context; a run of a file doesn't name objects")
        common = source.intension(objects)
    query = Query.of(content.context, **given)
    found = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in query.constraints.given.items()
    }
    if objects:
        others = [name for name in content.attributes if name not in set(common)]
        found["excludes"] = [*found.get("excludes", ()), *others]
    where = query.where
    if where is not None:
        if not isinstance(where, Condition) or any(side == "extent" for side, _ in where.elements):
            raise MeasureError("the tasks of a run take a condition without objects or functions")
        found["where"] = where.text
    return found


def _short(value: object) -> str:
    return ", ".join(value) if isinstance(value, Mapping) else repr(value)


def _write_context(job: Job, content: Packed) -> None:
    """Write the packed context, unless it is there, and the attribute names for other programs."""
    try:
        packed.read(job.context, digest=job.digest)
    except (FileNotFoundError, FormatError):
        content.save(job.context)
    names = {
        "number": pl.Series(range(len(content.attributes)), dtype=pl.UInt32),
        "attribute": pl.Series(content.attributes, dtype=pl.String),
    }
    write_whole(job.folder_path / ATTRIBUTES, pl.DataFrame(names).write_parquet)


@contextmanager
def _executor(
    executor: Executor | None, workers: int
) -> Iterator[tuple[Executor, Callable[[], Executor] | None, int]]:
    """Give the executor of the tasks, how to replace it, and the number of tasks in flight."""
    many = workers or engines.n_processors()
    with ExitStack() as running:
        if executor is not None:
            yield executor, None, _TASKS_PER_WORKER * many
        elif many == 1:
            yield running.enter_context(ThreadPoolExecutor(1)), None, 1
        else:

            def start() -> Executor:
                return running.enter_context(engines.process_pool(many))

            yield start(), start, _TASKS_PER_WORKER * many


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one driver at a time work in a folder; the system unlocks it when the process ends."""
    try:
        from filelock import FileLock, Timeout
    except ImportError:
        raise RunError(f"mining into a folder needs filelock: {install_command('mine')}") from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", timeout=0)
        lock.acquire()
    except Timeout:
        raise RunError(f"{folder}: another process is mining here") from None
    except OSError as error:
        hint = "choose a folder that you may write to"
        raise RunError(f"{folder}: {error.strerror} (hint: {hint})") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Raise a full disk and similar errors as an error with a hint."""
    try:
        yield
    except OSError as error:
        if error.errno not in FATAL:
            raise
        raise RunError(
            f"{folder}: {error.strerror}; what the run has written stays valid "
            "(hint: make room or repair the folder, then 'conceptrank mine … --resume')"
        ) from error
