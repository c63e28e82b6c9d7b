"""`Stream`: a table that is read in batches: files, folders, globs, Arrow streams, frames."""

from __future__ import annotations

import glob
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
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
from conceptrank.io.raw.layout import has_header, refuse_many_columns, sample, table_separator
from conceptrank.io.raw.tables import open_table
from conceptrank.io.registry import Fit, find_format
from conceptrank.io.sources import Content, MissingFileError, suffix_of
from conceptrank.io.urls import is_url

# Rows of a batch: about 40 MB of lists with ten words each. These are the row groups that polars
# writes. Batches of single words have more rows.
_BATCH_ROWS = 1 << 18
_FLAT_ROWS = 4
_BINARY_SUFFIXES = (".parquet", ".pq", ".feather", ".arrow", ".ipc")
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
_GLOB = frozenset("*?[")
# Separates the fields of a text that has one column: no text holds this character.
_NO_SEPARATOR = "\x1f"
Result = TypeVar("Result")
Value = TypeVar("Value")


class Batch(NamedTuple):
    """Consecutive rows of a table, and the number of rows before them."""

    frame: pl.DataFrame
    source: str | None
    row: int


@dataclass(frozen=True)
class _File:
    """A file of a table: its kind, and the values that its folders name."""

    path: str
    kind: str
    partitions: dict[str, str]

    @classmethod
    def at(cls, path: str, parts: Sequence[str], *, baskets: bool, text: bool = False) -> _File:
        kind = _kind_of(path, baskets=baskets) or ("text" if text else "")
        return cls(path, kind, dict(part.split("=", 1) for part in parts[:-1] if "=" in part))


class Stream:
    """A table that is read in batches, so that it may be larger than memory.

    Parameters
    ----------
    source
        A path, a folder, a glob or several paths of Parquet, Feather or delimited text files; a
        frame of polars (also lazy) or pandas; a table, dataset, stream or reader of Arrow.
    columns
        Columns that will be read. A text whose first line is one of them has a header and one
        column; a file of baskets is one only if no columns are named.
    max_bytes
        The most bytes of a text, unpacked.

    Attributes
    ----------
    name
        The name for messages; None if the source has none.
    schema
        The columns and their types.
    partitions
        Columns whose values are in the names of folders, such as `day=2024-01-01`.
    repeatable
        Whether the table can be read more than once.

    Examples
    --------
    >>> stream = Stream({"item": ["tea", "milk"], "price": [2, 3]})
    >>> stream.schema["item"], [batch.height for batch in stream.map(lambda b: b.frame, ["item"])]
    (String, [2])
    """

    def __init__(
        self, source: Any, *, columns: Iterable[str] = (), max_bytes: int | None = None
    ) -> None:
        self.name: str | None = None
        self.partitions: tuple[str, ...] = ()
        self.repeatable: bool = True
        self.schema: dict[str, pl.DataType] = {}
        self._max_bytes = max_bytes
        self._files: list[_File] = []
        self._layout: dict[str, Any] = {}
        self._lazy: Any = None
        self._reader: Iterator[pl.DataFrame] | None = None
        if isinstance(source, str | os.PathLike) or _is_paths(source):
            self._open_files(source, frozenset(columns))
        elif type(source).__module__.startswith("pyarrow") and hasattr(source, "scanner"):
            self._lazy = pl.scan_pyarrow_dataset(source)
        elif is_one_pass(source) and find_spec("pyarrow") is not None:
            import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

            reader = pa.RecordBatchReader.from_stream(source)
            self.repeatable = False
            self._reader = (pl.DataFrame(batch) for batch in reader if batch.num_rows)
            self._lazy = pl.DataFrame(reader.schema.empty_table()).lazy()
        else:
            table = source if isinstance(source, pl.LazyFrame) else polars_frame(source)[0]
            self._lazy = table.lazy()
        if self._lazy is not None:
            self.schema = dict(self._lazy.collect_schema())

    def head(self, rows: int = 1000) -> pl.DataFrame:
        """Return the first rows, which are read again later."""
        first = [self._empty()]
        if self.repeatable:
            for file, lazy in self._lazies():
                with self._guarded(file):
                    first.append(lazy.head(rows).select(list(self.schema)).collect())
                if sum(map(len, first)) >= rows:
                    break
        else:
            pieces = self._pieces()
            while sum(map(len, first)) < rows and (piece := next(pieces, None)) is not None:
                first.append(piece)
            self._reader = chain(first, pieces)
        return pl.concat(first).head(rows)

    def collect(self) -> pl.DataFrame:
        """Return all rows."""
        batches = self.map(lambda batch: batch.frame, list(self.schema), threads=1)
        return pl.concat([self._empty(), *batches])

    def map(
        self, work: Callable[[Batch], Result], columns: Sequence[str], *, threads: int = 0
    ) -> Iterator[Result]:
        """Yield the result of a function for each batch, in the order of the table.

        Parameters
        ----------
        work
            Takes a batch with some of the columns; it is called on several threads.
        columns
            These columns.
        threads
            How many threads; one per processor if 0.
        """
        refuse_unknown("column", columns, self.schema, where=self.name)
        return in_threads(work, self._batches(list(columns)), threads=threads)

    def _batches(self, columns: list[str]) -> Iterator[Batch]:
        nested = any(self.schema[column].is_nested() for column in columns)
        rows = _BATCH_ROWS * (1 if nested else _FLAT_ROWS)
        if not self.repeatable:
            yield from _numbered((piece.select(columns) for piece in self._pieces()), self.name)
            return
        for file, lazy in self._lazies():
            chosen = lazy.select(columns)
            with self._guarded(file):
                if hasattr(chosen, "collect_batches"):
                    pieces = chosen.collect_batches(chunk_size=rows)
                else:
                    pieces = chosen.collect().iter_slices(rows)
                yield from _numbered(pieces, self.name if file is None else file.path)

    def _pieces(self) -> Iterator[pl.DataFrame]:
        if self._reader is None:
            reason = "a stream can be read once, and it was read already"
            raise FormatError(reason, source=self.name)
        pieces, self._reader = self._reader, None
        return pieces

    def _open_files(self, source: Any, columns: frozenset[str]) -> None:
        self._files = _files_of(source, baskets=not columns)
        first = self._files[0]
        self.name = os.fsdecode(source) if isinstance(source, str | os.PathLike) else first.path
        self.partitions = tuple(first.partitions)
        for file in self._files:
            if file.kind != first.kind:
                raise FormatError(
                    f"is a {file.kind} file, but {first.path} is a {first.kind} file",
                    source=file.path,
                    hint="files that are read together have one format",
                )
            if tuple(file.partitions) != self.partitions:
                raise FormatError(
                    f"its folders name {list(file.partitions)}, those of {first.path} "
                    f"{list(self.partitions)}",
                    source=file.path,
                    hint="all files of a partitioned table are in folders of the same keys",
                )
        if first.kind == "text":
            self._layout = _text_layout(first.path, columns)
        with self._guarded(first):
            self.schema = dict(self._scan(first).collect_schema())

    def _lazies(self) -> Iterator[tuple[_File | None, Any]]:
        """Yield the files one by one, or the whole table."""
        if self._lazy is not None:
            yield None, self._lazy
        for file in self._files:
            with self._guarded(file):
                lazy = self._scan(file)
                schema = dict(lazy.collect_schema())
            if schema != self.schema:
                raise FormatError(
                    f"{_difference(schema, self.schema)} in {self._files[0].path}",
                    source=file.path,
                    hint="files that are read together have the same columns: convert this one, "
                    "or read the files one by one",
                )
            yield file, lazy

    def _scan(self, file: _File) -> Any:
        if file.kind == "Parquet":
            lazy = pl.scan_parquet(file.path, hive_partitioning=False, glob=False)
        elif file.kind == "Feather":
            lazy = pl.scan_ipc(file.path)
        else:
            with Content(file.path, max_bytes=self._max_bytes) as content:
                if file.kind == "basket":
                    lazy = _baskets_in(content).lazy()
                else:
                    # polars reads and unpacks a text without a limit on its size.
                    limited = content.compressed or self._max_bytes is not None
                    text = b"".join(content.pieces()) if limited else file.path
                    how: dict[str, Any] = {"infer_schema": False, "raise_if_empty": False}
                    lazy = pl.scan_csv(text, glob=False, **how, **self._layout)
        there = lazy.collect_schema()
        new = [name for name in file.partitions if name not in there]
        return lazy.with_columns(pl.lit(file.partitions[name]).alias(name) for name in new)

    @contextmanager
    def _guarded(self, file: _File | None) -> Iterator[None]:
        """Turn errors of polars into a `FormatError` that names the file, and a line of text."""
        if file is None:
            yield
            return
        try:
            with reading(file.path, hint="write or fetch the file again"):
                yield
        except FormatError:
            if file.kind == "text":
                open_table(file.path, max_bytes=self._max_bytes)
            raise

    def _empty(self) -> pl.DataFrame:
        return pl.DataFrame(schema=self.schema)


def _numbered(pieces: Iterable[pl.DataFrame], source: str | None) -> Iterator[Batch]:
    before = 0
    for piece in pieces:
        if piece.height:
            yield Batch(piece, source, before)
            before += piece.height


def in_threads(
    work: Callable[[Value], Result], values: Iterable[Value], *, threads: int = 0
) -> Iterator[Result]:
    """Yield the result of a function for each value, in order; it runs on several threads."""
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
    >>> is_many_files(["a.csv", "b.csv"]), is_many_files("data/*.parquet"), is_many_files("a.csv")
    (True, True, False)
    """
    if _is_paths(source):
        return True
    if not isinstance(source, str | os.PathLike) or is_url(os.fsdecode(source)):
        return False
    name = os.fsdecode(source)
    return os.path.isdir(name) or (bool(_GLOB & set(name)) and not os.path.lexists(name))


def is_one_pass(source: object) -> bool:
    """Return whether a source is a stream of Arrow, and not a table in memory."""
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
    """Return the files that a path, a folder, a glob or a list names."""
    if not isinstance(source, str | os.PathLike):
        return [file for path in source for file in _files_of(path, baskets=baskets)]
    name = os.fsdecode(source)
    if not os.path.isdir(name):
        paths = [name]
        if is_many_files(name):
            paths = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
        if not paths:
            raise MissingFileError(name, hint="no file fits this pattern")
        return [_File.at(path, Path(path).parts, baskets=baskets, text=True) for path in paths]
    inside = {path: path.relative_to(name).parts for path in sorted(Path(name).rglob("*"))}
    files = [
        _File.at(str(path), parts, baskets=baskets)
        for path, parts in inside.items()
        if path.is_file() and not any(part.startswith((".", "_")) for part in parts)
    ]
    if not any(file.kind for file in files):
        raise FormatError(
            "is a directory without Parquet, Feather or CSV files",
            source=name,
            hint="name a file or another directory; files whose names begin with a dot or an "
            "underscore don't count",
        )
    return [file for file in files if file.kind]


def _kind_of(path: str, *, baskets: bool) -> str:
    """Return the kind of a file; empty if it is no table."""
    with Content(path) as content:
        head = content.head()
    signatures = {b"PAR1": "Parquet", b"ARROW1": "Feather"}
    found = next((kind for sign, kind in signatures.items() if head.startswith(sign)), "")
    suffix = suffix_of(path)
    if not found and suffix in _BINARY_SUFFIXES:
        raise FormatError(
            "is empty or damaged: it has no signature of its format",
            source=path,
            hint="write or fetch the file again",
        )
    if found or suffix not in _TEXT_SUFFIXES:
        return found
    if not head.strip():
        raise FormatError("the file is empty", source=path)
    return "basket" if baskets and find_format("baskets").sniff(head) is Fit.LIKELY else "text"


def _text_layout(path: str, columns: frozenset[str]) -> dict[str, Any]:
    """Return the separator of a text, and whether it begins with a header."""
    with Content(path) as content:
        text = content.head().decode("utf-8-sig", "replace")
    if text.partition("\n")[0].strip().strip('"') in columns:
        return {"separator": _NO_SEPARATOR, "has_header": True}
    with naming(path):
        separator = table_separator(text)
        refuse_many_columns(text, separator)
        rows = sample(text, separator) or [[""]]
        header = not columns.isdisjoint(rows[0]) or has_header(rows)
        return {"separator": separator, "has_header": header}


def _baskets_in(content: Content) -> pl.DataFrame:
    context = find_format("baskets").content_of(content)
    rows = [[context.attributes[m] for m in row] for row in lists(context.rows())]
    return pl.DataFrame({"items": pl.Series(rows, dtype=pl.List(pl.String))})


def _difference(schema: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return how the columns of a file differ from those of the first file."""
    for name, kind in expected.items():
        if name not in schema:
            return f"has no column {name!r}, which is"
        if schema[name] != kind:
            return f"column {name!r} holds {schema[name]}, but {kind}"
    extra = next((name for name in schema if name not in expected), None)
    if extra is not None:
        return f"has a column {extra!r} that is not"
    return "has its columns in another order than those"
