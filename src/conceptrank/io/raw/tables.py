"""`read_table` and `open_table`: the raw values in a file of any kind, as a frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conceptrank._util.lazy import pl
from conceptrank.io.detection import detect_table
from conceptrank.io.raw.types import RawTable, typed_frame
from conceptrank.io.registry import find_format
from conceptrank.io.sources import Content, Source


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
    chosen = detect_table(content) if format is None else find_format(format, values=True)
    if content.encoding is not None and "encoding" in chosen.option_types():
        options["encoding"] = "utf-8"  # The content is recoded already.
    found = chosen.content_of(content, **options)
    if isinstance(found, pl.DataFrame):
        frame, different = typed_frame(found)
        return RawTable(frame, chosen.name, options, content.name, different)
    content.notice_cut()
    if content.encoding is not None:
        found.options["encoding"] = content.encoding
    table: RawTable = replace(found, source=content.name)
    return table


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
