"""Parts: the Parquet files of a run, one per task, each with all that is needed to resume from it.

The rows are concepts in the order of the search: the attribute numbers of the intent, the support,
whether all scores are exact, and one column per measure. The metadata name the task and what it
left over. A seal covers every byte of the file, so a changed or truncated part is noticed before
it is used. Nothing in a part depends on time, machine or worker.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conceptrank._util.files import write_whole
from conceptrank._util.lazy import pl
from conceptrank._util.sealed import UNSEALED, is_intact, reading, refuse_other, seal
from conceptrank.errors import FormatError
from conceptrank.runs.job import ATTRIBUTES, CONTEXT, MANIFEST
from conceptrank.runs.tree import Prefix, Task

FORMAT = "conceptrank part"
VERSION = 1
# The names of parts. Temporary files begin with a dot.
_NAME = re.compile(r"part-([0-9a-f]{16})-(\d+)\.parquet")
_TEMPORARY = (".part-", *(f".{name}." for name in (CONTEXT, MANIFEST, ATTRIBUTES)))
_HINT = "'conceptrank mine --resume' makes it again"


@dataclass(frozen=True)
class PartInfo:
    """The metadata of a part.

    Parameters
    ----------
    file
        The name of its file.
    task, budget
        The task, and how many nodes it was allowed to visit.
    left
        The prefixes that it left over.
    concepts
        The number of its rows.
    visited
        The number of concepts that it found, whether they are among the rows or not.
    inexact
        How many rows have a score that is not exact.
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
    bytes: int


def name_of(task: Task, budget: int) -> str:
    """Return the name of the file of a task.

    Examples
    --------
    >>> from conceptrank.runs.tree import FIRST_TASK
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
    """Remove the temporary files of killed processes, and return how many there were."""
    orphans = [path for path in folder.iterdir() if path.name.startswith(_TEMPORARY)]
    for path in orphans:
        path.unlink(missing_ok=True)
    return len(orphans)


def schema_of(measures: Sequence[str]) -> dict[str, pl.DataType]:
    """Return the columns of a part."""
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
) -> PartInfo:
    """Write a part and return its summary. After this, the part survives a power cut.

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
    visited
        How many concepts it found.
    """
    inexact = len(frame) - int(frame["exact"].sum())
    about = {
        "format": FORMAT,
        "version": VERSION,
        "run": run,
        "task": task.name,
        "generation": task.generation,
        "prefixes": task.prefixes,
        "budget": budget,
        "left": left,
        "concepts": len(frame),
        "visited": visited,
        "inexact": inexact,
    }
    content = io.BytesIO()
    frame.write_parquet(
        content,
        compression="zstd",
        compression_level=3,
        metadata={"conceptrank": json.dumps(about), "seal": UNSEALED},
    )
    sealed = seal(content.getbuffer())
    name = name_of(task, budget)
    write_whole(folder / name, lambda file: file.write(sealed))
    return _summary(about, name, task, len(sealed))


def read_info(path: Path, *, run: str, verify: bool) -> PartInfo:
    """Return the metadata of a part.

    Parameters
    ----------
    path
        The file.
    run
        The key of the run.
    verify
        Whether to check every byte of the file, not only the metadata.

    Raises
    ------
    FormatError
        If the file is no part of this run, or not as it was written.
    """
    try:
        content = path.read_bytes() if verify else None
        with path.open("rb") as file, reading(str(path), hint=_HINT):
            if content is not None and not is_intact(content):
                raise _damaged(path, "its content is not what was written")
            stored = file if content is None else io.BytesIO(content)
            about: dict[str, Any] = json.loads(pl.read_parquet_metadata(stored)["conceptrank"])
            refuse_other(about, FORMAT, VERSION, source=str(path))
            task = Task(tuple(map(Prefix.of, about["prefixes"])), int(about["generation"]))
            summary = _summary(about, path.name, task, path.stat().st_size)
    except FileNotFoundError:
        raise _damaged(path, "it is gone") from None
    if about.get("run") != run:
        raise _damaged(path, "it belongs to another run")
    if name_of(task, summary.budget) != path.name:
        raise _damaged(path, "its name is that of another task")
    return summary


def rows_of(path: Path, *, measures: Sequence[str]) -> pl.DataFrame:
    """Return the rows of a part."""
    content = path.read_bytes()
    with reading(str(path), hint=_HINT):
        frame = pl.read_parquet(content)
    if dict(frame.schema) != schema_of(measures):
        raise _damaged(path, "it has other columns than the run")
    return frame


def _summary(about: dict[str, Any], name: str, task: Task, size: int) -> PartInfo:
    numbers = ("budget", "concepts", "visited", "inexact")
    known = {key: int(about[key]) for key in numbers}
    left = tuple(map(Prefix.of, about["left"]))
    return PartInfo(file=name, task=task, left=left, bytes=size, **known)


def _damaged(path: Path, reason: str) -> FormatError:
    return FormatError(f"is damaged: {reason}", source=str(path), hint=_HINT)
