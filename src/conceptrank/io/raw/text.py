"""Comma-separated and other delimited text of raw values, as a frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from conceptrank._util.lazy import pl
from conceptrank._util.names import first_repeat
from conceptrank.errors import FormatError
from conceptrank.io.delimited import frame_of, head_of, record_at, whole_rows
from conceptrank.io.raw.layout import (
    has_header,
    holds_values,
    may_hold_values,
    refuse_many_columns,
    sample,
    squeezed,
    table_separator,
)
from conceptrank.io.raw.types import MISSING, RawTable, typed
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import clean_bytes, notice, shown, text_head, transcoded, wide_encoding

_SEPARATOR_LINE = re.compile(r"sep=([^\n])\n")


def sniff(head: bytes) -> Fit:
    r"""Return whether a text is a table of values; see `layout.holds_values`.

    Other text may be one, see `layout.may_hold_values`; then the suffix decides.
    A first line `sep=;`, as Excel writes and reads it, proves it.

    Examples
    --------
    >>> sniff(b"name,sex,age\nAnn,f,30\nBob,m,41\n").name, sniff(b"name,age\nAnn,30\n").name
    ('LIKELY', 'POSSIBLE')
    """
    text = text_head(head)
    if _SEPARATOR_LINE.match(text):
        return Fit.CERTAIN
    if holds_values(text):
        return Fit.LIKELY
    return Fit.POSSIBLE if "\0" not in text and may_hold_values(text) else Fit.NO


def read(
    data: bytes,
    *,
    source: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    skip: int = 0,
    missing_words: Sequence[str] | None = None,
    decimal_comma: bool | None = None,
) -> RawTable:
    r"""Read a table of raw values.

    Parameters
    ----------
    data
        The content of a file.
    separator
        One character; inferred if None, or named by a first line such as `sep=;`.
    encoding
        Such as `"latin-1"`. If None, that of the byte order mark, or UTF-8 without one.
    header
        Whether the first row names the columns; inferred if None.
    names
        The names of the columns, instead of those in the header, or of `c1`, `c2` and so on if
        there is none.
    skip
        How many lines to leave out at the beginning.
    missing_words
        Words for missing values, in addition to an empty field; a question mark if None.
    decimal_comma
        Whether 1,5 is a number; inferred if None, see `raw_types.typed`.

    Returns
    -------
    RawTable
        The frame, and the options that would read it in the same way with nothing to find out.

    Examples
    --------
    >>> text = "37,5\tyes\n35,9\tno\n40,0\tno\n".encode("utf-16")
    >>> table = read(text)
    >>> table.frame.rows()
    [(37.5, 'yes'), (35.9, 'no'), (40.0, 'no')]
    >>> table.options
    {'separator': '\t', 'encoding': 'utf-16', 'header': False, 'decimal_comma': True}
    """
    encoding = (encoding or wide_encoding(data[:4]) or "utf-8").lower()
    data, line = _rows(data, encoding, skip), 1 + skip
    text = head_of(data)
    if separator_line := _SEPARATOR_LINE.match(text):
        separator = separator or separator_line[1]
        text, data, line = text[separator_line.end() :], data[data.index(b"\n") + 1 :], line + 1
    separator = _checked(separator or table_separator(text))
    refuse_many_columns(text, separator, line=line)
    if separator == " ":
        text, data = squeezed(text), squeezed(data.decode()).encode()
    rows = sample(text, separator) or [[""]]
    if header is None:
        header = has_header(rows)
        if not header:
            where = f"line {line}, {shown(separator.join(rows[0]))}"
            notice(f"{where}, was read as a row; if it names the columns: header=True", source)
    if separator == " " and header and len(rows) > 1 and len(rows[1]) == len(rows[0]) + 1:
        # R leaves out the title of the names of rows.
        text, data = f'"" {text}', b'"" ' + data
    record, position, following = record_at(text, 0, separator, line=line)
    labels = _labels([field.strip() for field in record.fields], names, header=header)
    if header:
        data, line = data[len(text[:position].encode()) :], following
    options: dict[str, Any] = {"separator": separator, "encoding": encoding, "header": header}
    options |= {"skip": skip or None, "names": names, "missing_words": missing_words}
    options["decimal_comma"] = decimal_comma
    columns = frame_of(data, separator, len(labels), line=line).get_columns()[::-1]
    return _typed_table(columns, labels, options)


def _typed_table(columns: list[pl.Series], labels: list[str], options: dict[str, Any]) -> RawTable:
    """Return columns of text, the last one first, with their names and types."""
    words = MISSING if options["missing_words"] is None else options["missing_words"]
    comma = options["decimal_comma"]
    # One by one, so that the text of a column is freed when its numbers exist.
    found = {label: typed(columns.pop(), missing=words, decimal_comma=comma) for label in labels}
    if any(column.decimal_comma for column in found.values()):
        options["decimal_comma"] = True
    return RawTable(
        pl.DataFrame([column.column.alias(label) for label, column in found.items()]),
        "csv",
        {name: _plain(value) for name, value in options.items() if value is not None},
        different={
            label: one.different for label, one in found.items() if one.different is not None
        },
    )


def _plain(value: object) -> object:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _rows(data: bytes, encoding: str, skip: int) -> bytes:
    """Return the rows after some lines as UTF-8, without blank lines at the end."""
    if encoding != "utf-8":
        data = b"".join(transcoded([data], encoding))
    if skip:
        lines = clean_bytes(data).split(b"\n", skip)
        data = lines[-1] if len(lines) > skip else b""
    return whole_rows(data)


def _checked(separator: str) -> str:
    if len(separator) != 1 or not separator.isascii() or separator in '"\n\r':
        raise FormatError(
            f"{separator!r} can't separate fields",
            hint="a separator is one character, such as , or ; or a tab",
        )
    return separator


def _labels(first: list[str], names: Sequence[str] | None, *, header: bool) -> list[str]:
    if names is not None:
        labels = [str(name) for name in names]
        if len(labels) != len(first):
            raise FormatError(f"{len(labels)} names are given for {len(first)} columns", line=1)
    elif not header:
        return [f"c{number}" for number in range(1, len(first) + 1)]
    else:
        labels = [label or f"c{number}" for number, label in enumerate(first, start=1)]
    if repeat := first_repeat(labels):
        raise FormatError(
            f"two columns are named {shown(labels[repeat[0]])}",
            line=1,
            hint="is the first line a header? if not: header=False",
        )
    return labels


FORMAT = Format(
    name="csv",
    suffixes=(".csv", ".tsv", ".data", ".txt"),
    description="comma-separated and other delimited text",
    sniff=sniff,
    read=read,
    values=True,
    most_bytes=1 << 40,
)
