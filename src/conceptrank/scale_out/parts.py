"""Parts: the Parquet files of a run, one a task, each with all that is needed to go on from it.

The rows are the concepts in the order of the search: the attribute numbers of the intent, the
support, whether all scores are exact, and a column for each measure. The metadata say which task
it was, what it left over, and a digest of the rows, so that a file that was cut short or changed
is noticed before it is used. Nothing in a part depends on time, machine or worker.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import socket
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank.errors import FormatError
from conceptrank.scale_out.job import CONTEXT, MANIFEST
from conceptrank.scale_out.tree import Prefix, Task

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Summary", "find", "name_of", "read", "summary_of", "sweep", "write"]

FORMAT = "conceptrank part"
VERSION = 1
# How a reader or a resume finds them; what is being written begins with a dot.
_NAME = re.compile(r"part-([0-9a-f]{16})-(\d+)\.parquet")
_TEMPORARY = (".part-", f".{CONTEXT}.", f".{MANIFEST}.")
OWN_COLUMNS = ("intent", "support", "exact")


@dataclass(frozen=True)
class Summary:
    """What is known of a part without its rows.

    Parameters
    ----------
    file
        The name of its file.
    task, budget
        The task, and how many nodes it was allowed to visit.
    left
        What it left over.
    concepts
        The number of its rows.
    visited
        The number of concepts that it found, whether they are among the rows or not.
    inexact
        How many rows have a score that is not exact.
    left_out
        How many subtrees were not searched because nothing in them could be among the best.
    bytes
        The size of the file.
    """

    file: str
    task: Task
    budget: int
    left: tuple[Prefix, ...]
    concepts: int
    visited: int
    inexact: int
    left_out: int
    bytes: int


def name_of(task: Task, budget: int) -> str:
    """Return the name of the file of a task.

    Examples
    --------
    >>> from conceptrank.scale_out.tree import FIRST_TASK
    >>> name_of(FIRST_TASK, 1000)
    'part-b99329ddb0663de7-1000.parquet'
    """
    return f"part-{task.name}-{budget}.parquet"


def find(folder: Path) -> dict[str, dict[int, Path]]:
    """Return the files that look like parts, by task and budget."""
    found: dict[str, dict[int, Path]] = {}
    for path in sorted(folder.iterdir()):
        if match := _NAME.fullmatch(path.name):
            found.setdefault(match[1], {})[int(match[2])] = path
    return found


def sweep(folder: Path) -> int:
    """Remove what killed processes left behind, and return how many files that were."""
    orphans = [path for path in folder.iterdir() if path.name.startswith(_TEMPORARY)]
    for path in orphans:
        path.unlink(missing_ok=True)
    return len(orphans)


def schema_of(measures: Sequence[str]) -> dict[str, pl.DataType]:
    """Return the columns of a part."""
    import polars as pl

    own = {"intent": pl.List(pl.UInt32), "support": pl.UInt32(), "exact": pl.Boolean()}
    return own | {label: pl.Float64() for label in measures}


def write(
    folder: Path,
    frame: pl.DataFrame,
    *,
    task: Task,
    budget: int,
    left: Sequence[Prefix],
    run: str,
    visited: int,
    left_out: int = 0,
) -> Summary:
    """Write a part under a temporary name, give it its own, and return what there is to know.

    Parameters
    ----------
    folder
        The folder of the run.
    frame
        The rows.
    task, budget, left
        The task, how many nodes it was allowed to visit, and what it left over.
    run
        The key of the run: of its context, measures and limits.
    visited, left_out
        As in the summary.
    """
    inexact = len(frame) - int(frame["exact"].sum())
    about = {
        "format": FORMAT,
        "version": VERSION,
        "run": run,
        "task": task.name,
        "generation": task.generation,
        "prefixes": [prefix.plain() for prefix in task.prefixes],
        "budget": budget,
        "left": [prefix.plain() for prefix in left],
        "concepts": len(frame),
        "visited": visited,
        "inexact": inexact,
        "left_out": left_out,
        "digest": _digest(frame),
    }
    content = io.BytesIO()
    frame.write_parquet(
        content,
        compression="zstd",
        compression_level=3,
        metadata={"conceptrank": json.dumps(about)},
    )
    name = name_of(task, budget)
    temporary = folder / f".{name}.{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    try:
        # Nobody waits for the disk: a part that a power cut spoils is noticed by its digest.
        with temporary.open("wb") as file:
            file.write(content.getbuffer())
        _between_write_and_rename()
        temporary.replace(folder / name)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    size = content.getbuffer().nbytes
    return _summary(about, name, task, size)


def _between_write_and_rename() -> None:
    """Do nothing: a place for tests to fail at."""


def read(path: Path, *, run: str, measures: Sequence[str]) -> tuple[Summary, pl.DataFrame]:
    """Return a part after checking all of it.

    Raises
    ------
    FormatError
        If the file is no part of this run, or not as it was written.
    """
    import polars as pl

    summary, digest = _summary_and_digest(path, run=run)
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, FileNotFoundError) as error:
        raise _damaged(path, str(error).splitlines()[0]) from None
    if dict(frame.schema) != schema_of(measures):
        raise _damaged(path, "it has other columns than the run")
    if len(frame) != summary.concepts or _digest(frame) != digest:
        raise _damaged(path, "its content is not what was written")
    return summary, frame


def summary_of(path: Path, *, run: str) -> Summary:
    """Return what the metadata of a part say. The rows are not looked at."""
    return _summary_and_digest(path, run=run)[0]


def _summary_and_digest(path: Path, *, run: str) -> tuple[Summary, str]:
    import polars as pl

    try:
        metadata = pl.read_parquet_metadata(path)
        size = path.stat().st_size
    except (pl.exceptions.PolarsError, FileNotFoundError) as error:
        raise _damaged(path, str(error).splitlines()[0]) from None
    try:
        about = json.loads(metadata["conceptrank"])
        if about["format"] != FORMAT or about["version"] != VERSION:
            raise ValueError("another format")
        prefixes = tuple(map(Prefix.of, about["prefixes"]))
        task = Task(prefixes, int(about["generation"]))
        summary = _summary(about, path.name, task, size)
        digest = str(about["digest"])
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"its metadata are none of a part ({error})") from None
    if about["run"] != run:
        raise _damaged(path, "it belongs to another run")
    if name_of(task, summary.budget) != path.name:
        raise _damaged(path, "its name is that of another task")
    return summary, digest


def _summary(about: dict[str, Any], name: str, task: Task, size: int) -> Summary:
    numbers = ("budget", "concepts", "visited", "inexact", "left_out")
    known = {key: int(about[key]) for key in numbers}
    left = tuple(map(Prefix.of, about["left"]))
    return Summary(file=name, task=task, left=left, bytes=size, **known)


def _damaged(path: Path, reason: str) -> FormatError:
    return FormatError(
        f"is damaged: {reason}", source=str(path), hint="'conceptrank mine --resume' makes it again"
    )


def _digest(frame: pl.DataFrame) -> str:
    """Return a SHA-256 of the rows, whatever the file looks like."""
    from conceptrank._frames import lists_of

    digest = hashlib.sha256()
    for column in frame:
        digest.update(f"{column.name} {column.dtype} {column.null_count()}\n".encode())
        if column.dtype.is_nested():
            arrays = [numbers.astype("<i8") for numbers in lists_of(column)]
        else:
            arrays = [column.to_numpy()]
        for numbers in arrays:
            digest.update(np.ascontiguousarray(numbers).data)
    return digest.hexdigest()
