"""Columns of text as columns of numbers, dates or truth values, if all their values are such.

A column keeps its text if a single value doesn't fit, and so do codes such as 007, which would
lose their zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MISSING", "Typed", "typed"]

MISSING = ("", "?")
# These are missing values where all others are numbers; elsewhere they may be names.
_NOT_A_NUMBER = frozenset({"na", "n/a", "nan", "null", "none", "-"})
_TRUTH = ("true", "false")

_INTEGER = r"^[+-]?\d+$"
_CODE = r"^[+-]?0\d"
_DECIMAL_COMMA = r"^[+-]?\d*(,\d+)?$"
_THOUSANDS = r"^[+-]?\d{1,3}(,\d{3})?$"
_DATE = r"^\d{4}-\d\d-\d\d$"
_DATETIME = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?$"


class Typed(NamedTuple):
    """A column, and whether its numbers were written with a decimal comma."""

    column: pl.Series
    decimal_comma: bool = False


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
        What stands for a missing value, besides nothing.
    decimal_comma
        Whether 1,5 is a number. If None, it is unless 1,500 could mean thousands: that is, unless
        all commas of the column stand before just three digits.

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
    column = column.str.strip_chars(" \t")
    column = column.set(column.is_in(["", *missing]), None)
    known = column.drop_nulls()
    if known.is_empty():
        return Typed(column)
    number = _number(column)
    if number is not None:
        return Typed(number)
    if decimal_comma is not False and known.str.contains(_DECIMAL_COMMA).all():
        if decimal_comma or not known.str.contains(_THOUSANDS).all():
            number = _number(column.str.replace(",", ".", literal=True))
            return Typed(column) if number is None else Typed(number, decimal_comma=True)
        return Typed(column)
    if known[0].lower() in _TRUTH and known.str.to_lowercase().is_in(_TRUTH).all():
        return Typed(column.str.to_lowercase() == "true")
    if known.str.contains(_DATE).all():
        date = column.str.to_date("%Y-%m-%d", strict=False)
        return Typed(date if date.null_count() == column.null_count() else column)
    if known.str.contains(_DATETIME).all():
        return Typed(_datetime(column))
    return Typed(column)


def _number(column: pl.Series) -> pl.Series | None:
    """Return the numbers that a column holds, if it holds nothing else."""
    import polars as pl

    number = column.cast(pl.Float64, strict=False)
    if number.null_count() == len(column):
        return None
    if number.null_count() > column.null_count():
        odd = column.filter(number.is_null()).drop_nulls().unique()
        if not odd.str.to_lowercase().is_in(list(_NOT_A_NUMBER)).all():
            return None
        column = column.set(number.is_null(), None)
    if column.str.contains(_CODE).any():
        return None
    if column.drop_nulls().str.contains(_INTEGER).all():
        integer = column.cast(pl.Int64, strict=False)
        # What doesn't fit into 64 bits is a code as well.
        return integer if integer.null_count() == column.null_count() else None
    return number.fill_nan(None)


def _datetime(column: pl.Series) -> pl.Series:
    import polars as pl

    plain = column.str.replace("T", " ", literal=True).str.strip_chars_end("Z")
    moment = plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False, time_unit="us")
    for pattern in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"):
        more = plain.str.to_datetime(pattern, strict=False, time_unit="us")
        moment = pl.select(pl.coalesce(moment, more)).to_series()
    moment = moment.alias(column.name)
    return moment if moment.null_count() == column.null_count() else column
