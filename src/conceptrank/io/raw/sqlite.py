"""Tables of SQLite files, as frames."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from conceptrank._util.lazy import pl
from conceptrank.budget import poll
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.compression import MOST_RATIO
from conceptrank.io.raw.binary import HARMLESS_TABLE
from conceptrank.io.registry import Fit, Format

_LONGEST_VALUE = 1 << 24
_ROWS_AT_ONCE = 10_000


def read(
    path: str | os.PathLike[str], *, table: str | None = None, max_bytes: int | None = None
) -> pl.DataFrame:
    """Return a table of an SQLite file.

    Parameters
    ----------
    path
        The file, which is opened for reading only.
    table
        The table or view; the only table if None. A view is read only if it is named.
    max_bytes
        The most bytes that the result may take; if None, 256 MiB, or 200 times the size of the file
        if that is more.

    Raises
    ------
    FormatError
        If the file is damaged, the table is too large, or has columns of mixed types.
    UnknownNameError
        If there is no such table.
    """
    file = Path(path).absolute()
    limit = max_bytes or max(HARMLESS_TABLE, MOST_RATIO * file.stat().st_size)
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("pragma trusted_schema = off")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            name = _chosen(connection, os.fsdecode(path), table).replace('"', '""')
            return _frame(connection.execute(f'select * from "{name}"'), limit)
    # Messages about a damaged schema quote it: they may have several lines or not be text at all.
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise FormatError(f"is damaged or not an SQLite file: {reason}") from error


def _chosen(connection: sqlite3.Connection, path: str, table: str | None) -> str:
    found = connection.execute(
        "select name, type from sqlite_master where type in ('table', 'view') "
        "and name not like 'sqlite_%' order by name"
    ).fetchall()
    tables = [name for name, kind in found if kind == "table"]
    if table is None and len(tables) != 1:
        names = tables or [name for name, _ in found]
        held = f"{len(tables)} tables" if tables else "no table" + (", only views" if found else "")
        listed = ": " + ", ".join(map(repr, names[:10])) if names else ""
        raise FormatError(f"has {held}{listed}", hint="name one: table='…'")
    if table is not None and table not in [name for name, _ in found]:
        raise UnknownNameError("table", table, [name for name, _ in found], where=path)
    return table or str(tables[0])


def _frame(cursor: sqlite3.Cursor, limit: int) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = []
    size = 0
    while batch := cursor.fetchmany(_ROWS_AT_ONCE):
        poll()
        rows += batch
        for row in batch:
            size += sum(8 + (len(value) if isinstance(value, str | bytes) else 0) for value in row)
        if size > limit:
            raise FormatError(
                f"the table takes more than {limit:,} bytes",
                hint="raise max_bytes if the file can be trusted",
            )
    names = [column[0] for column in cursor.description]
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    try:
        named = zip(names, columns, strict=True)
        return pl.DataFrame([pl.Series(name, list(values)) for name, values in named])
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise FormatError(f"the table can't be a frame: {reason}") from error


SQLITE = Format(
    name="sqlite",
    suffixes=(".sqlite", ".sqlite3", ".db"),
    description="a table of an SQLite file",
    sniff=lambda head: Fit.CERTAIN if head.startswith(b"SQLite format 3\0") else Fit.NO,
    read=read,
    values=True,
    from_path=True,
)
