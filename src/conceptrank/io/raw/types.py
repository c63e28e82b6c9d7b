"""Columns of text as columns of numbers, dates or truth values, if all their values are such.

All sources use this module: text files, and the text columns of binary files, databases and
frames. A column keeps its text if a single value doesn't fit, and so do codes such as 007, which
would lose their zeros, and dates such as 03/04/2024 if no other row shows which part is the day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conceptrank._util.lazy import pl

# These are missing values in every column.
MISSING = ("", "?", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL")
# These are missing values only if all other values are numbers or dates; they may be names.
_NONE = r"(?i:na|n/a|nan|null|none)|-"
_SAMPLE = 100
_FEW = 1000
_WORD = re.compile(r"[^\W\d_]\w*[^,.\d]*")
_OTHERWISE = ("true", "false", "na", "n/a", "nan", "null", "none", "inf", "infinity", "n", "t", "f")

_NUMBER_OR_NONE = rf"^([+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?(?i:inf|infinity)|{_NONE})$"
_CODE = r"^0\d"
_DECIMAL_COMMA = r"^[+-]?\d*(,\d+)?$"
_THOUSANDS = r"^[+-]?\d{1,3}(,\d{3})?$"
_TRUTH = r"^(?i:true|false)$"
_NONE_ALONE = rf"^({_NONE})$"
_DATE = r"^\d{4}-\d\d-\d\d$"
_TIME = r"\d{1,2}:\d\d(:\d\d(\.\d+)?)?"
_DATETIME = rf"^\d{{4}}-\d\d-\d\d[T ]{_TIME}Z?$"
# Day, month and year, or month, day and year, with the same sign between them.
_WRITTEN_DATE = r"^\d{1,2}([./-])\d{1,2}[./-]\d{4}"
_WRITTEN = rf"{_WRITTEN_DATE}( {_TIME})?$"


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
    format: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    source: str | None = None
    different: dict[str, pl.Series] = field(default_factory=dict)


class Typed(NamedTuple):
    """A column and what is known about it.

    Parameters
    ----------
    column
        The values.
    decimal_comma
        Whether its numbers were written with a decimal comma.
    different
        The different values of text, if these are known.
    """

    column: pl.Series
    decimal_comma: bool = False
    different: pl.Series | None = None


def typed(
    column: pl.Series,
    *,
    missing: Sequence[str] = MISSING,
    decimal_comma: bool | None = None,
) -> Typed:
    """Return a column of text with the type that all its values have.

    Parameters
    ----------
    column
        The text; blanks around a value don't count.
    missing
        Words for missing values, in addition to empty text.
    decimal_comma
        Whether 1,5 is a number. If None, it is unless 1,500 could mean thousands: that is, unless
        all commas of the column are followed by exactly three digits.

    Examples
    --------
    >>> import polars as pl
    >>> for values in (["12", "?"], ["35,5", "36"], ["007", "012"], ["true", "False"]):
    ...     print(typed(pl.Series(values)).column.to_list())
    [12, None]
    [35.5, 36.0]
    ['007', '012']
    [True, False]
    """
    different = _different(column)
    if different is None:
        return _typed(column, missing, decimal_comma)
    # It is enough to check the few distinct values.
    if _plain_words(different, missing):
        return Typed(column, different=different)
    found = _typed(different, missing, decimal_comma)
    if found.column.equals(different, check_dtypes=True, null_equal=True):
        return Typed(column, different=different)
    values = column.replace_strict(
        different, found.column, default=None, return_dtype=found.column.dtype
    )
    return Typed(values, found.decimal_comma)


def _different(column: pl.Series) -> pl.Series | None:
    """Return the distinct values of a column; None if hardly any value repeats."""
    start = column.head(_FEW)
    if 2 * start.n_unique() > len(start):
        return None
    different = column.drop_nulls().unique()
    return different if 2 * len(different) <= len(column) else None


def _plain_words(different: pl.Series, missing: Sequence[str]) -> bool:
    """Return whether the values are certainly words, so that no conversion is needed."""
    words = different.head(_FEW).to_list()
    return (
        len(words) == len(different)
        # One value that is certainly a word is enough.
        and any(_WORD.fullmatch(word) and word.lower() not in _OTHERWISE for word in words)
        and not any(word in missing or word != word.strip(" \t") for word in words)
    )


def _typed(column: pl.Series, missing: Sequence[str], decimal_comma: bool | None) -> Typed:  # noqa: FBT001
    column = column.str.strip_chars(" \t")
    unknown = column.is_in(["", *missing])
    if unknown.any():
        column = column.set(unknown, None)
    known = column.drop_nulls()
    if known.is_empty():
        return Typed(column)
    number = _number(column, known)
    if number is not None:
        return Typed(number)
    if decimal_comma is not False and _all(known, _DECIMAL_COMMA):
        if decimal_comma or not _all(known, _THOUSANDS):
            column = column.str.replace(",", ".", literal=True)
            number = _number(column, column.drop_nulls())
            return Typed(column) if number is None else Typed(number, decimal_comma=True)
        return Typed(column)
    if _all(known, _TRUTH):
        return Typed(column.str.to_lowercase() == "true")
    dates = column.set(column.str.contains(_NONE_ALONE).fill_null(value=False), None)
    known = dates.drop_nulls()
    if known.is_empty():
        return Typed(column)
    if _all(known, _DATE):
        date = dates.str.to_date("%Y-%m-%d", strict=False)
        return Typed(date if date.null_count() == dates.null_count() else column)
    if _all(known, _WRITTEN) and (iso := _iso(dates, known)) is not None:
        found = _typed(iso, missing, decimal_comma)
        return found if found.column.dtype != column.dtype else Typed(column)
    moments = _datetime(dates) if _all(known, _DATETIME) else dates
    return Typed(column if moments.dtype == column.dtype else moments)


def typed_frame(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Return a frame whose columns of text have the types of their values.

    Returns
    -------
    tuple
        The frame, and the different values of some of its columns of text.

    Examples
    --------
    >>> import polars as pl
    >>> typed_frame(pl.DataFrame({"born": ["13/03/2024", "N/A"], "age": ["7", " "]}))[0].rows()
    [(datetime.date(2024, 3, 13), 7), (None, None)]
    """
    columns, different = [], {}
    for column in frame.get_columns():
        found = typed(column) if column.dtype == pl.String else Typed(column)
        columns.append(found.column)
        if found.different is not None:
            different[column.name] = found.different
    return pl.DataFrame(columns), different


def ambiguous_date(column: pl.Series) -> str | None:
    """Return the first date of a column whose days and months can't be told apart, else None.

    Examples
    --------
    >>> import polars as pl
    >>> ambiguous_date(pl.Series(["03/04/2024", None, "11/12/2024"]))
    '03/04/2024'
    >>> ambiguous_date(pl.Series(["03/04/2024", "13/12/2024"]))
    """
    known = column.set(column.str.contains(_NONE_ALONE).fill_null(value=False), None).drop_nulls()
    if known.is_empty() or not _all(known, _WRITTEN) or len(_date_orders(known)) != 2:
        return None
    return str(known[0])


def _date_orders(known: pl.Series) -> set[str]:
    """Return which parts of dates such as 03/04/2024 can be the day: "first", "second" or both."""
    parts = known.str.extract_groups(r"^(\d+)([./-])(\d+)").struct.unnest()
    signs = parts.to_series(1).unique().to_list()
    if len(signs) > 1:
        return set()
    # The other part is the month.
    months = {"second": parts.to_series(0), "first": parts.to_series(2)}
    orders = {day for day, month in months.items() if (month.cast(pl.Int64) <= 12).all()}
    return orders & {"first"} if signs == ["."] else orders


def _iso(column: pl.Series, known: pl.Series) -> pl.Series | None:
    """Return dates such as 31/12/2024 in the order of year, month and day.

    Returns None if no row shows which part is the day. In dates with full stops, it is the first.
    """
    orders = _date_orders(known)
    if len(orders) != 1:
        return None
    day, month = ("1", "2") if orders == {"first"} else ("2", "1")
    padded = column.str.replace_all(r"\b(\d)([./:-])", "0${1}${2}")
    padded = padded.str.replace(r"^(\d\d[./-])(\d)([./-])", "${1}0${2}${3}")
    return padded.str.replace(r"^(\d\d)[./-](\d\d)[./-](\d{4})", f"${{3}}-${{{month}}}-${{{day}}}")


def _all(known: pl.Series, pattern: str) -> bool:
    """Return whether all values match; a few of the first values are tried before all."""
    return all(bool(part.str.contains(pattern).all()) for part in (known.head(_SAMPLE), known))


def _number(column: pl.Series, known: pl.Series) -> pl.Series | None:
    """Return the numbers that a column holds, if it holds nothing else."""
    if not _all(known.head(_SAMPLE), _NUMBER_OR_NONE):
        return None
    codes = known.filter(known.str.starts_with("0"))
    if not codes.is_empty() and codes.str.contains(_CODE).any():
        return None
    for kind in (pl.Int64, pl.Float64):
        number = column.cast(kind, strict=False)
        if number.null_count() == column.null_count():
            return number.fill_nan(None) if kind == pl.Float64 else number
    if number.null_count() == len(column) or not _all(known, _NUMBER_OR_NONE):
        return None
    # Besides numbers there are only words such as NA.
    column = column.set(number.is_null(), None)
    return _number(column, column.drop_nulls())


def _datetime(column: pl.Series) -> pl.Series:
    plain = column.str.replace("T", " ", literal=True).str.strip_chars_end("Z")
    plain = plain.str.replace(r" (\d):", " 0${1}:")
    moment = plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False, time_unit="us")
    for pattern in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"):
        more = plain.str.to_datetime(pattern, strict=False, time_unit="us")
        moment = pl.select(pl.coalesce(moment, more)).to_series()
    moment = moment.alias(column.name)
    return moment if moment.null_count() == column.null_count() else column
