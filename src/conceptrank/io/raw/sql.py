"""The result of an SQL query, as a frame."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptrank._util.lazy import pl
from conceptrank.budget import poll
from conceptrank.errors import FormatError, UnknownNameError, install_command
from conceptrank.io.compression import MOST_RATIO
from conceptrank.io.raw.binary import HARMLESS_TABLE
from conceptrank.io.registry import Fit, Format

if TYPE_CHECKING:
    import sqlite3


_SQLITE = "sqlite://"
_LONGEST_VALUE = 1 << 24
_ROWS_AT_ONCE = 10_000


def read_sql(query: str, connection: object) -> pl.DataFrame:
    """Return the result of a query.

    Parameters
    ----------
    query
        The query, in the database's SQL.
    connection
        A connection of any library that follows Python's database interface (DBAPI 2), an
        engine of SQLAlchemy, the path of an SQLite file, or a URI such as `sqlite:///shop.db`
        or `postgresql://user@host/shop`. A URI other than SQLite's needs the package
        connectorx.

    Raises
    ------
    FormatError
        If the database can't be opened or refuses the query.

    Examples
    --------
    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("create table people (name text, age integer)")
    >>> _ = connection.execute("insert into people values ('Ann', 30), ('Bob', null)")
    >>> read_sql("select * from people order by name", connection).rows()
    [('Ann', 30), ('Bob', None)]
    """
    if isinstance(connection, str | os.PathLike):
        text = os.fspath(connection)
        if "://" not in text or text.startswith(_SQLITE):
            return read_sqlite(text.removeprefix(_SQLITE + "/").removeprefix(_SQLITE), query)
        return _from_uri(query, text)
    return _guarded(query, connection, None)


def read_sqlite(
    path: str | os.PathLike[str],
    query: str | None = None,
    *,
    source: str | None = None,
    table: str | None = None,
    max_bytes: int | None = None,
) -> pl.DataFrame:
    """Return the result of a query in an SQLite file, or one of its tables.

    Parameters
    ----------
    path
        The file; it is only read.
    query
        The query; all of the table if None.
    source
        The name of the file for messages; its path if None.
    table
        The table or view to read if there is no query. Without a name, it is the only table; a view
        is never read unasked, because it may be endless.
    max_bytes
        The most bytes that the result may take. If None, 256 MiB, or 200 times the size of the file
        if that is more.
    """
    import sqlite3

    file = Path(path).absolute()
    name = os.fsdecode(path) if source is None else source
    if not file.exists():
        raise FormatError(f"no such file: {name}")
    limit = max(HARMLESS_TABLE, MOST_RATIO * file.stat().st_size)
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("pragma trusted_schema = off")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            if query is None:
                query = _whole_table(connection, name, table)
            return _bounded(connection, query, name, limit if max_bytes is None else max_bytes)
    # Messages about a damaged schema quote it: they may have several lines or not be text at all.
    except (sqlite3.Error, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise FormatError(f"is damaged or not an SQLite file: {reason}", source=name) from error


def _whole_table(connection: sqlite3.Connection, path: str, table: str | None) -> str:
    found = connection.execute(
        "select name, type from sqlite_master where type in ('table', 'view') "
        "and name not like 'sqlite_%' order by name"
    ).fetchall()
    tables = [name for name, kind in found if kind == "table"]
    if table is None and len(tables) != 1:
        views = [name for name, kind in found if kind == "view"]
        listed = ", ".join(map(repr, (tables or views)[:10]))
        held = f"{len(tables)} tables" if tables else "no table" + (", only views" if views else "")
        raise FormatError(
            f"has {held}{': ' * bool(listed)}{listed}",
            source=path,
            hint="name one, or give a query",
        )
    if table is not None and table not in [name for name, _ in found]:
        raise UnknownNameError("table", table, [name for name, _ in found], where=path)
    name = (table or tables[0]).replace('"', '""')
    return f'select * from "{name}"'


def _bounded(connection: sqlite3.Connection, query: str, path: str, limit: int) -> pl.DataFrame:
    """Return the result of a query as long as it takes no more memory than a limit."""
    import sqlite3

    rows: list[tuple[Any, ...]] = []
    size = 0
    try:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or ()]
        while batch := cursor.fetchmany(_ROWS_AT_ONCE):
            for row in batch:
                size += sum(
                    8 + (len(value) if isinstance(value, str | bytes) else 0) for value in row
                )
            if size > limit:
                raise FormatError(
                    f"the result takes more than {limit:,} bytes",
                    source=path,
                    hint="ask for less, or raise max_bytes if the file can be trusted",
                )
            poll()
            rows += batch
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise FormatError(f"the query failed: {_reason(error)}", source=path) from error
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    try:
        return pl.DataFrame(
            [pl.Series(name, list(values)) for name, values in zip(names, columns, strict=True)]
        )
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        raise FormatError(f"the query failed: {_reason(error)}", source=path) from error


def _guarded(query: str, connection: Any, source: str | None) -> pl.DataFrame:
    try:
        return pl.read_database(query, connection, infer_schema_length=None)
    except MemoryError:
        raise
    # Every database library has errors of its own.
    except Exception as error:
        raise FormatError(f"the query failed: {_reason(error)}", source=source) from error


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _from_uri(query: str, uri: str) -> pl.DataFrame:
    # The URI may hold a password: messages name the kind of database only.
    kind = uri.partition("://")[0]
    try:
        return pl.read_database_uri(query, uri)
    except ImportError:
        raise FormatError(
            f"a URI of {kind} needs the package connectorx",
            hint=f"{install_command('sql')}, or give an open connection",
        ) from None
    except Exception as error:
        raise FormatError(f"the query failed in {kind}: {type(error).__name__}") from error


SQLITE = Format(
    name="sqlite",
    suffixes=(".sqlite", ".sqlite3", ".db"),
    description="a table, or the result of a query, of an SQLite file",
    sniff=lambda head: Fit.CERTAIN if head.startswith(b"SQLite format 3\0") else Fit.NO,
    read=read_sqlite,
    values=True,
    from_path=True,
)
