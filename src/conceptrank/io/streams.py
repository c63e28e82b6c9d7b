"""`Stream`: a table that is read in batches: files, folders, globs, Arrow streams, frames."""

from __future__ import annotations

import glob
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from conceptrank._util.lazy import pl
from conceptrank._util.sealed import reading
from conceptrank.budget import poll
from conceptrank.convert import lists, polars_frame
from conceptrank.errors import FormatError, naming, refuse_unknown
from conceptrank.io.raw.layout import find_separator, has_header, refuse_many_columns, sample
from conceptrank.io.raw.tables import open_table
from conceptrank.io.registry import Fit, find_format
from conceptrank.io.sources import Content, MissingFileError, suffix_of
from conceptrank.io.urls import is_url

# Rows of a batch: about 40 MB of lists with ten words each. These are the row groups that polars
# writes; a batch that cuts a row group takes a fifth longer to read. Batches of single words have
# more rows.
_BATCH_ROWS = 1 << 18
_FLAT_ROWS = 4
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
_GLOB = frozenset("*?[")
# Separates the fields of a text that has one column: no text holds this character.
_NO_SEPARATOR = "\x1f"

Result = TypeVar("Result")
Value = TypeVar("Value")


class Batch(NamedTuple):
    """Some rows of a table, the file that they are from, and the number of rows before them."""

    frame: pl.DataFrame
    source: str | None
    row: int


@dataclass(frozen=True)
class _File:
    """A file of a stream: its path, its kind, and the values that its folders name."""

    path: str
    kind: str
    partitions: dict[str, str]


class Stream:
    """A table that is read in batches, so that it may be larger than memory.

    Parameters
    ----------
    source
        The path of a Parquet, Feather or CSV file, also one with a basket per line; a folder or a
        glob of such files, also with Hive partitions (`year=2024/part-0.parquet`), which are
        columns; a list of paths; a frame of
        polars (eager or lazy) or pandas; a table, dataset or reader of pyarrow; an object with the
        method `__arrow_c_stream__`; or a mapping of columns.
    columns
        Columns that the table is known to have. A text is then read as a table with a header, never
        as one basket per line.
    max_bytes
        The most bytes that a text file may hold, unpacked; as for `Content`.

    Attributes
    ----------
    schema
        The types of the columns, by name.
    partitions
        The names of the columns that come from the names of folders.
    repeatable
        Whether it can be read more than once.
    name
        Its name for messages; None if it has none.

    Examples
    --------
    >>> import polars as pl
    >>> stream = Stream(pl.DataFrame({"order": [1, 2], "items": [["tea"], ["milk", "tea"]]}))
    >>> list(stream.schema), stream.repeatable
    (['order', 'items'], True)
    >>> list(stream.map(lambda batch: batch.frame.height, ["items"]))
    [2]
    """

    def __init__(
        self, source: Any, *, columns: Iterable[str] = (), max_bytes: int | None = None
    ) -> None:
        self.name: str | None = None
        self._max_bytes = max_bytes
        self.repeatable: bool = True
        self.partitions: tuple[str, ...] = ()
        self._files: list[_File] = []
        self._text: dict[str, Any] = {}
        self._pieces: Callable[[list[str], int], Iterator[pl.DataFrame]] | None = None
        self._reader: Any = None
        self.schema: dict[str, pl.DataType] = {}
        if isinstance(source, str | os.PathLike) or _is_paths(source):
            self._open_files(source, frozenset(columns))
        else:
            self._open_object(source)

    def head(self, rows: int = 1000) -> pl.DataFrame:
        """Return the first rows. A stream that can be read once keeps them."""
        if self._reader is not None:
            first: list[pl.DataFrame] = []
            while sum(map(len, first)) < rows and (piece := next(self._reader, None)) is not None:
                first.append(piece)
            self._reader = chain(first, self._reader)
        else:
            first = []
            for batch in self._batches(list(self.schema), rows=rows):
                first.append(batch.frame)
                if sum(map(len, first)) >= rows:
                    break
        return pl.concat(first).head(rows) if first else self._empty()

    def collect(self) -> pl.DataFrame:
        """Return the whole table."""
        frames = []
        for batch in self._batches(list(self.schema)):
            poll()
            frames.append(batch.frame)
        return pl.concat(frames) if frames else self._empty()

    def map(
        self, work: Callable[[Batch], Result], columns: Sequence[str], *, threads: int = 0
    ) -> Iterator[Result]:
        """Yield the result of a function for each batch, in the order of the table.

        Parameters
        ----------
        work
            The function; it runs on several threads.
        columns
            The columns to read.
        threads
            The number of threads; 0 for one per processor.
        """
        refuse_unknown("column", columns, self.schema, where=self.name)
        tasks = self._tasks(list(columns))
        return in_threads(lambda read: work(read()), tasks, threads=threads)

    def _tasks(self, columns: list[str]) -> Iterator[Callable[[], Batch]]:
        """Yield functions that return the batches; those of binary files read when called."""
        if not self._files or self._files[0].kind in ("text", "basket"):
            for batch in self._batches(columns):
                yield lambda batch=batch: batch  # type: ignore[misc]
            return
        nested = any(self.schema[column].is_nested() for column in columns)
        step = _BATCH_ROWS * (1 if nested else _FLAT_ROWS)
        for file in self._files:
            for begin in range(0, self._checked(file), step):
                yield lambda file=file, begin=begin: self._slice(  # type: ignore[misc]
                    file, columns, begin, step
                )

    def _batches(self, columns: list[str], *, rows: int | None = None) -> Iterator[Batch]:
        rows = _BATCH_ROWS if rows is None else rows
        if self._files:
            for file in self._files:
                if file.kind == "text":
                    yield from self._text_batches(file, columns, rows)
                    continue
                if file.kind == "basket":
                    yield self._baskets_in(file, columns)
                    continue
                for begin in range(0, self._checked(file), rows):
                    yield self._slice(file, columns, begin, rows)
            return
        pieces = self._once if self._pieces is None else self._pieces
        before = 0
        for piece in pieces(columns, rows):
            yield Batch(piece, self.name, before)
            before += piece.height

    def _open_files(self, source: Any, columns: frozenset[str]) -> None:
        self._files = _files_of(source, baskets=not columns)
        first = self._files[0]
        named = [os.fsdecode(source)] if isinstance(source, str | os.PathLike) else [first.path]
        self.name = named[0]
        self.partitions = tuple(first.partitions)
        kinds = {file.kind: file for file in reversed(self._files)}
        if len(kinds) > 1:
            other = next(file for kind, file in kinds.items() if kind != first.kind)
            raise FormatError(
                f"is a {other.kind} file, but {first.path} is a {first.kind} file",
                source=other.path,
                hint="files that are read together have one format",
            )
        if first.kind == "text":
            self._text = _text_layout(first.path, columns)
        self.schema = self._schema_of(first)
        for file in self._files[1:]:
            if tuple(file.partitions) != self.partitions:
                raise FormatError(
                    f"its folders name {list(file.partitions)}, those of {first.path} "
                    f"{list(self.partitions)}",
                    source=file.path,
                    hint="all files of a partitioned table are in folders of the same keys",
                )

    def _open_object(self, source: Any) -> None:
        library = type(source).__module__.partition(".")[0]
        if isinstance(source, pl.LazyFrame):
            self._pieces = lambda columns, rows: _lazy_batches(source.select(columns), rows)
            self.schema = dict(source.collect_schema())
        elif library == "pyarrow" and hasattr(source, "to_batches") and hasattr(source, "scanner"):
            self._pieces = lambda columns, rows: _frames(
                source.to_batches(columns=columns, batch_size=rows)
            )
            self.schema = dict(_polars_schema(source.schema))
        elif is_one_pass(source) and find_spec("pyarrow") is not None:
            import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

            reader = pa.RecordBatchReader.from_stream(source)
            self.repeatable = False
            self.schema = dict(_polars_schema(reader.schema))
            self._reader = _frames(reader)
        else:
            frame, _ = polars_frame(source)
            self._pieces = lambda columns, rows: frame.select(columns).iter_slices(rows)
            self.schema = dict(frame.schema)

    def _once(self, columns: list[str], rows: int) -> Iterator[pl.DataFrame]:
        """Yield the batches of a reader, which can't be read again; `rows` is up to it."""
        if self._reader is None:
            raise FormatError(
                "a stream can be read once, and it was read already", source=self.name
            )
        reader, self._reader = self._reader, None
        return (piece.select(columns) for piece in reader)

    def _scan(self, file: _File) -> pl.LazyFrame:
        if file.kind == "Parquet":
            return pl.scan_parquet(file.path, hive_partitioning=False, glob=False)
        if file.kind == "Feather":
            return pl.scan_ipc(file.path)
        with Content(file.path, max_bytes=self._max_bytes) as content:
            # polars reads and unpacks a text without a limit on its size.
            limited = content.compressed or self._max_bytes is not None
            source = b"".join(content.pieces()) if limited else file.path
        return pl.scan_csv(
            source, infer_schema=False, glob=False, raise_if_empty=False, **self._text
        )

    def _schema_of(self, file: _File) -> dict[str, pl.DataType]:
        text = pl.String()
        if file.kind == "basket":
            return {"items": pl.List(text)} | dict.fromkeys(self.partitions, text)
        with reading(file.path, hint="write or fetch the file again"):
            found = dict(self._scan(file).collect_schema())
        return found | {name: text for name in self.partitions if name not in found}

    def _checked(self, file: _File) -> int:
        """Return the number of rows of a file, whose columns must be those of the first file."""
        schema = self._schema_of(file)
        if schema != self.schema:
            raise FormatError(
                f"{_difference(schema, self.schema)} in {self._files[0].path}",
                source=file.path,
                hint="files that are read together have the same columns: convert this one, or "
                "read the files one by one",
            )
        with reading(file.path, hint="write or fetch the file again"):
            return int(self._scan(file).select(pl.len()).collect().item())

    def _slice(self, file: _File, columns: list[str], begin: int, rows: int) -> Batch:
        own = [column for column in columns if column not in file.partitions]
        with reading(file.path, hint="write or fetch the file again"):
            frame = self._scan(file).select(own).slice(begin, rows).collect()
        return Batch(_partitioned(frame, file, columns), file.path, begin)

    def _text_batches(self, file: _File, columns: list[str], rows: int) -> Iterator[Batch]:
        own = [column for column in columns if column not in file.partitions]
        schema = self._schema_of(file)
        if list(schema) != list(self.schema):
            self._checked(file)
        before = 0
        try:
            for frame in _lazy_batches(self._scan(file).select(own), rows):
                yield Batch(_partitioned(frame, file, columns), file.path, before)
                before += frame.height
        except FormatError:
            raise
        except Exception as error:
            # The reader of raw tables names the line.
            open_table(file.path)
            reason = str(error).strip().splitlines()[0]
            raise FormatError(f"can't be read: {reason}", source=file.path) from error

    def _baskets_in(self, file: _File, columns: list[str]) -> Batch:
        """Return the lines of a text of baskets as one column of lists."""
        with Content(file.path, max_bytes=self._max_bytes) as content:
            context = find_format("baskets").content_of(content)
        rows = [[context.attributes[m] for m in row] for row in lists(context.rows())]
        frame = pl.DataFrame({"items": pl.Series(rows, dtype=pl.List(pl.String))})
        return Batch(_partitioned(frame, file, columns).select(columns), file.path, 0)

    def _empty(self) -> pl.DataFrame:
        return pl.DataFrame(schema=self.schema)


def in_threads(
    work: Callable[[Value], Result], values: Iterable[Value], *, threads: int = 0
) -> Iterator[Result]:
    """Yield the result of a function for each value, in order; it runs on several threads.

    Parameters
    ----------
    work
        The function.
    values
        The values; few are taken ahead of the results.
    threads
        The number of threads; 0 for one per processor.

    Examples
    --------
    >>> list(in_threads(abs, [2, -3]))
    [2, 3]
    """
    many = threads or os.cpu_count() or 1
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(many) as pool:
        try:
            for value in values:
                poll()
                waiting.append(pool.submit(work, value))
                if len(waiting) > 2 * many:
                    yield waiting.popleft().result()
            while waiting:
                poll()
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def is_many_files(source: object) -> bool:
    """Return whether a source is a folder, a glob or a list of paths.

    Examples
    --------
    >>> is_many_files("sales/*.parquet"), is_many_files("sales.parquet"), is_many_files(["a", "b"])
    (True, False, True)
    """
    if _is_paths(source):
        return True
    if not isinstance(source, str | os.PathLike) or is_url(os.fsdecode(source)):
        return False
    name = os.fsdecode(source)
    return os.path.isdir(name) or (bool(_GLOB & set(name)) and not os.path.lexists(name))


def is_one_pass(source: object) -> bool:
    """Return whether a source is an Arrow stream that can perhaps be read only once."""
    library = type(source).__module__.partition(".")[0]
    if library in ("polars", "pandas") or not hasattr(source, "__arrow_c_stream__"):
        return False
    return not (library == "pyarrow" and hasattr(source, "num_rows"))


def _is_paths(source: object) -> bool:
    return (
        isinstance(source, list | tuple)
        and len(source) > 0
        and all(isinstance(path, str | os.PathLike) for path in source)
    )


def _files_of(source: Any, *, baskets: bool) -> list[_File]:
    if not isinstance(source, str | os.PathLike):
        return [file for path in source for file in _files_of(path, baskets=baskets)]
    name = os.fsdecode(source)
    if os.path.isdir(name):
        inside = [path for path in sorted(Path(name).rglob("*")) if path.is_file()]
        parts = {str(path): path.relative_to(name).parts for path in inside}
        found = {
            path: kind
            for path in parts
            if not _is_hidden(parts[path]) and (kind := _kind_of(path, baskets=baskets)) is not None
        }
        if not found:
            raise FormatError(
                "is a directory without Parquet, Feather or CSV files",
                source=name,
                hint="name a file or another directory; files whose names begin with a dot or an "
                "underscore don't count",
            )
        return [_File(path, kind, _partitions(parts[path])) for path, kind in found.items()]
    paths = [name]
    if _GLOB & set(name) and not os.path.lexists(name):
        paths = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
        if not paths:
            raise MissingFileError(name, hint="no file fits this pattern")
    return [
        _File(path, _kind_of(path, baskets=baskets) or "text", _partitions(Path(path).parts))
        for path in paths
    ]


def _is_hidden(parts: Sequence[str]) -> bool:
    return any(part.startswith((".", "_")) for part in parts)


def _partitions(parts: Sequence[str]) -> dict[str, str]:
    """Return the columns that the names of folders hold, as in `year=2024`."""
    return dict(part.split("=", 1) for part in parts[:-1] if "=" in part)


def _kind_of(path: str, *, baskets: bool) -> str | None:
    """Return which kind of table a file holds; None if neither name nor content show one."""
    with Content(path) as content:
        head = content.head()
    if head.startswith(b"PAR1"):
        return "Parquet"
    if head.startswith(b"ARROW1"):
        return "Feather"
    suffix = suffix_of(path)
    if suffix in (*find_format("parquet", values=True).suffixes, ".feather", ".arrow", ".ipc"):
        raise FormatError(
            "is empty or damaged: it has no signature of its format",
            source=path,
            hint="write or fetch the file again",
        )
    if suffix not in _TEXT_SUFFIXES:
        return None
    if not head.strip():
        raise FormatError("the file is empty", source=path)
    if baskets and find_format("baskets").sniff(head) is Fit.LIKELY:
        return "basket"
    return "text"


def _text_layout(path: str, columns: frozenset[str]) -> dict[str, Any]:
    """Return the separator of a text, and whether it begins with a header.

    If the first line is one of `columns`, the text has this column only.
    """
    with Content(path) as content:
        text = content.head().decode("utf-8-sig", "replace")
    if text.partition("\n")[0].strip().strip('"') in columns:
        return {"separator": _NO_SEPARATOR, "has_header": True}
    with naming(path):
        separator = find_separator(text)
        refuse_many_columns(text, separator)
        rows = sample(text, separator) or [[""]]
        header = not columns.isdisjoint(rows[0]) or has_header(rows)
        return {"separator": separator, "has_header": header}


def _lazy_batches(lazy: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Yield the batches of a lazy frame; versions of polars that can't do so collect all of it."""
    if hasattr(lazy, "collect_batches"):
        yield from (frame for frame in lazy.collect_batches(chunk_size=rows) if frame.height)
        return
    frame = lazy.collect()
    for begin in range(0, frame.height, rows):
        yield frame.slice(begin, rows)


def _frames(batches: Iterable[Any]) -> Iterator[pl.DataFrame]:
    """Yield batches of Arrow as frames; empty ones are left out."""
    return (pl.DataFrame(batch) for batch in batches if batch.num_rows)


def _polars_schema(schema: Any) -> Any:
    """Return the schema of an Arrow table in the types of polars."""
    return pl.DataFrame(schema.empty_table()).schema


def _partitioned(frame: pl.DataFrame, file: _File, columns: list[str]) -> pl.DataFrame:
    missing = [name for name in file.partitions if name in columns and name not in frame.columns]
    if not missing:
        return frame
    return frame.with_columns(pl.lit(file.partitions[name]).alias(name) for name in missing)


def _difference(schema: dict[str, Any], expected: dict[str, Any]) -> str:
    for name, kind in expected.items():
        if name not in schema:
            return f"has no column {name!r}, which is"
        if schema[name] != kind:
            return f"column {name!r} holds {schema[name]}, but {kind}"
    extra = next((name for name in schema if name not in expected), None)
    if extra is not None:
        return f"has a column {extra!r} that is not"
    return "has its columns in another order than those"
