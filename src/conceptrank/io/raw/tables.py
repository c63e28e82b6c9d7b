"""Tables of raw values out of files: which kind of file it is, and a frame of what it holds.

A context format holds crosses. What is read here holds numbers, words and dates, which `scaling`
turns into attributes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.raw import arff
from conceptrank.io.raw import binary as raw_binary
from conceptrank.io.raw import sql as raw_sql
from conceptrank.io.raw import text as raw_text
from conceptrank.io.raw.types import typed_frame
from conceptrank.io.sources import Content, Source, suffix_of
from conceptrank.io.text import wide_encoding

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RAW_FORMATS", "RawTable", "kind_of", "open_table", "read_table", "table_in"]

_MOST_BYTES = 1 << 33
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True)
class RawTable:
    """A table of raw values.

    Parameters
    ----------
    frame
        The values.
    format
        The kind of file that it was.
    options
        The options that read it in the same way again, with nothing to find out.
    source
        The name of the file; None if it has none.
    different
        The different values of some of the columns of text, which were found on the way.
    """

    frame: pl.DataFrame
    format: str
    options: dict[str, Any] = field(default_factory=dict)
    source: str | None = None
    different: dict[str, pl.Series] = field(default_factory=dict)


@dataclass(frozen=True)
class _Kind:
    """A kind of file: its suffixes, its options, and how it is recognised and read."""

    name: str
    suffixes: tuple[str, ...]
    fits: Callable[[bytes], bool]
    options: tuple[str, ...] = ()


_KINDS = (
    _Kind("parquet", (".parquet", ".pq"), lambda head: head.startswith(b"PAR1")),
    _Kind(
        "feather",
        (".feather", ".arrow", ".ipc", ".arrows"),
        lambda head: head.startswith((b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")),
    ),
    _Kind(
        "excel",
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        lambda head: head.startswith((_ZIP, _OLE)),
        ("sheet",),
    ),
    _Kind(
        "sqlite",
        (".sqlite", ".sqlite3", ".db"),
        lambda head: head.startswith(b"SQLite format 3\0"),
        ("query", "table"),
    ),
    _Kind("arff", (".arff",), arff.sniff),
    _Kind(
        "csv",
        (".csv", ".tsv", ".data", ".txt"),
        lambda head: True,
        (
            *("separator", "encoding", "header", "names", "skip"),
            *("missing_words", "decimal_comma"),
        ),
    ),
)


RAW_FORMATS = tuple(kind.name for kind in _KINDS)


def kind_of(head: bytes, name: str | None = None) -> str | None:
    """Return the kind of raw table that a file is for sure; None for text that may be anything.

    Parameters
    ----------
    head
        The first bytes, unpacked.
    name
        The name of the file; a ZIP archive counts as an Excel file only if its suffix says so.

    Examples
    --------
    >>> kind_of(b"PAR1..."), kind_of(b"@relation zoo"), kind_of(b"a,b,c")
    ('parquet', 'arff', None)
    """
    for kind in _KINDS[:-1]:
        if kind.fits(head) and (kind.name != "excel" or suffix_of(name) in kind.suffixes):
            return kind.name
    return None


def may_be_text(name: str | None) -> bool:
    """Say whether a file of this name may be a table as text: by its suffix, or without one."""
    return suffix_of(name) in ("", *_KINDS[-1].suffixes)


def is_raw_name(name: str) -> bool:
    """Say whether a name or suffix is one of a format for raw tables.

    Examples
    --------
    >>> is_raw_name("parquet"), is_raw_name("pq"), is_raw_name("cxt")
    (True, True, False)
    """
    suffix = "." + name.lower().removeprefix(".")
    return any(name.lower() == kind.name or suffix in kind.suffixes for kind in _KINDS)


def open_table(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
    **options: Any,
) -> RawTable:
    """Read a table of raw values, and keep how it was read; parameters as for `read_table`.

    Examples
    --------
    >>> table = open_table(b"sex;age;;male;30;;female;41;;".replace(b";;", bytes([10])))
    >>> table.format, table.options["separator"], table.options["header"]
    ('csv', ';', True)
    """
    with Content(source, max_bytes=max_bytes) as content:
        return table_in(content, format=format, **options)


def table_in(
    content: Content,
    *,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> RawTable:
    """Read the table of raw values in an opened source; parameters as for `read_table`."""
    kind = _find(format) if format is not None else _detected(content)
    for option in options:
        if option not in kind.options:
            raise UnknownNameError(
                "option", option, kind.options, where=f"raw tables of format {kind.name}"
            )
    if kind.name == "csv":
        if content.encoding is not None:
            options["encoding"] = "utf-8"
        text = raw_text.read(content.pieces(), source=content.name, **options)
        if content.encoding is not None:
            text.options["encoding"] = content.encoding
        return RawTable(text.frame, "csv", text.options, content.name, text.different)
    frame, different = typed_frame(_read(kind, content, options))
    return RawTable(frame, kind.name, options, content.name, different)


def read_table(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
    **options: Any,
) -> pl.DataFrame:
    """Read a table of raw values from a file.

    Parameters
    ----------
    source
        A path, a URL, a file open for reading, or the bytes themselves. What is compressed
        (gzip, bzip2, xz, Zstandard) is read as it is.
    format
        One of csv, arff, parquet, feather, excel, sqlite, or a suffix; detected if None.
    max_bytes
        The most bytes that the source may hold, unpacked.
    **options
        For csv: `separator`, `encoding`, `header`, `names`, `skip`, `missing_words`,
        `decimal_comma`, see `raw_text.read`. For excel: `sheet`. For sqlite: `query` or
        `table`.

    Raises
    ------
    FormatError
        If the file is missing, unreadable or damaged; the message names the file and the line.

    Examples
    --------
    >>> read_table(b"sex,age;male,30;female,41;".replace(b";", bytes([10]))).rows()
    [('male', 30), ('female', 41)]
    """
    return open_table(source, format=format, max_bytes=max_bytes, **options).frame


def _find(name: str) -> _Kind:
    suffix = "." + name.lower().removeprefix(".")
    for kind in _KINDS:
        if name.lower() == kind.name or suffix in kind.suffixes:
            return kind
    known = [*(kind.name for kind in _KINDS), *(s[1:] for kind in _KINDS for s in kind.suffixes)]
    raise UnknownNameError("format", name, known, where="raw tables")


def _detected(content: Content) -> _Kind:
    head, suffix = content.head(), suffix_of(content.name)
    if not head:
        raise FormatError("the file is empty", source=content.name)
    for kind in _KINDS:
        if kind.fits(head) and (kind.name != "csv" or b"\0" not in head or wide_encoding(head)):
            return kind
    claimed = next((kind.name for kind in _KINDS if suffix in kind.suffixes), None)
    raise FormatError(
        "is binary data of no known kind" + (f", not {claimed}" if claimed else ""),
        source=content.name,
        hint="tables are read from csv, arff, parquet, feather, excel and sqlite files",
    )


def _read(kind: _Kind, content: Content, options: dict[str, Any]) -> pl.DataFrame:
    name = content.name
    if kind.name == "arff":
        return arff.read(content.pieces(), source=name)
    if kind.name == "sqlite":
        if content.path is None:
            raise FormatError("an SQLite database is read from a path only", source=name)
        query, table = options.get("query"), options.get("table")
        most = content.max_bytes
        return raw_sql.read_sqlite(os.fspath(content.path), query, table=table, max_bytes=most)
    data, most = content.whole(_MOST_BYTES), content.max_bytes
    if kind.name == "parquet":
        return raw_binary.read_parquet(data, source=name, max_bytes=most)
    if kind.name == "feather":
        return raw_binary.read_feather(data, source=name, max_bytes=most)
    return raw_binary.read_excel(data, source=name, max_bytes=most, sheet=options.get("sheet"))
