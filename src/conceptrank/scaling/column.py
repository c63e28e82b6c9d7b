"""A raw column: its kind, its distinct values, and the value of each row."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank import convert
from conceptrank._util.lazy import pl
from conceptrank._util.names import Names
from conceptrank.convert.origin import Condition, Value, label
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.io.raw.types import typed_frame

Codes = NDArray[np.int32]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY_ZERO = dt.date(1970, 1, 1).toordinal()
# Separators for the elements of lists; the first one that no element contains is used.
_SIGNS = (";", "|", ",")
PARTS = ("year", "quarter", "month", "weekday", "day", "hour")


class Column:
    """A column of raw values.

    Parameters
    ----------
    series
        The values. Undefined numbers (NaN) count as missing.
    part
        One of `PARTS`: take this part of dates instead of the dates themselves.
    date_format
        How text is read as dates, such as `"%d.%m.%Y"`; None if it is text.
    different
        The different values of a column of text, if they are known.

    Attributes
    ----------
    name
        The name of the column in its table.
    part
        The part of dates that was taken; None if it is the whole date.
    kind
        `"boolean"`, `"number"`, `"date"` (also times), `"text"`, or `"empty"` if all is missing.
    separator
        What separates the elements of lists, which become text; None if there are no lists.

    Examples
    --------
    >>> import polars as pl
    >>> column = Column(pl.Series("age", [41, None, 30, 41]))
    >>> column.kind, column.values, column.codes(column.values).tolist()
    ('number', (30, 41), [1, -1, 0, 1])
    """

    def __init__(
        self,
        series: pl.Series,
        *,
        part: str | None = None,
        date_format: str | None = None,
        different: pl.Series | None = None,
        weights: NDArray[np.int64] | None = None,
    ) -> None:
        self.name: str = series.name
        self.weights = weights
        self.part = part
        if date_format is not None:
            series = _dates(series, date_format)
        self.raw: pl.Series = series
        if part is not None:
            series = _part(series, part)
        self.separator: str | None
        self.separator, series = _joined(series)
        self.kind: str
        self.kind, self._series, self._order = _prepared(series)
        if different is not None:
            self._different = different

    def __len__(self) -> int:
        return len(self._series)

    def condition(self, kind: str, value: Value | None = None, **ends: Any) -> Condition:
        """Return what an attribute says about this column."""
        return Condition(column=self.name, part=self.part, kind=kind, value=value, **ends)

    def type(self, *, compared: bool) -> str:
        """Return its type as in `Origin`; `compared` if a scale gives its values an order."""
        if self.kind in ("number", "date") or self.part is not None:
            return "numeric"
        return "ordered" if compared or self._order is not None else "nominal"

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return self._series.is_null().to_numpy()

    @property
    def n_missing(self) -> int:
        """How many rows have no value."""
        return self._series.null_count()

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The different values that occur, in their order; text without one by the alphabet."""
        if self._order is not None:
            found = set(self._different.to_list())
            return tuple(value for value in self._order if value in found)
        return tuple(self._different.sort().to_list())

    @cached_property
    def n_values(self) -> int:
        """How many different values occur."""
        return len(self._different)

    @cached_property
    def _different(self) -> pl.Series:
        return self._series.drop_nulls().unique()

    def counted(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the different values on the axis of `numbers`, and how many rows have each.

        A row counts as often as its weight.
        """
        numbers = self.numbers[~self.missing]
        if self.weights is None:
            return np.unique(numbers, return_counts=True)
        values, places = np.unique(numbers, return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places.reshape(-1), self.weights[~self.missing])
        return values, counts

    def from_axis(self, number: Any) -> Any:
        """Return the value at a place on the axis of `numbers`."""
        if self._order is not None:
            return self._order[int(number)]
        if self.kind == "date":
            physical = self._series.dtype
            return pl.Series([int(number)]).cast(pl.Int64).cast(physical)[0]
        return number.item()

    @property
    def is_ordered(self) -> bool:
        """Whether the values have an order of their own: numbers, dates, enumerations."""
        return self.kind in ("number", "date") or self._order is not None

    @property
    def is_integer(self) -> bool:
        """Whether it holds whole numbers by its type."""
        return self._series.dtype.is_integer()

    def complaint(self, reason: str, *, hint: str | None = None) -> FormatError:
        """Return an error that names the column."""
        return FormatError(f"column {self.name!r}: {reason}", hint=hint)

    def codes(self, values: Sequence[Value]) -> Codes:
        """Return the place of every row's value among some values; -1 if it is missing.

        Raises
        ------
        FormatError
            If a row has another value.
        """
        if self.kind == "text":
            series = self._series.cast(pl.Enum([str(value) for value in values]), strict=False)
            if not series.null_count():
                return series.to_physical().to_numpy().astype(np.int32)
            found = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        elif self.kind == "empty" or not values:
            found = np.full(len(self), -1, dtype=np.int32)
        else:
            known = self.places(values)
            order = np.argsort(known, kind="stable")
            numbers = self.numbers
            near = np.minimum(np.searchsorted(known[order], numbers), len(known) - 1)
            found = np.where(known[order][near] == numbers, order[near], -1).astype(np.int32)
            found[self.missing] = -1
        unlisted = (found < 0) & ~self.missing
        if unlisted.any():
            row = int(unlisted.argmax())
            raise self.complaint(
                f"row {row + 1} holds {label(self._series[row])!r}, which is not among the "
                "values of its scale",
                hint="add it to them, or leave them out to take all that occur; "
                "unseen='missing' treats it as missing",
            )
        return found

    @cached_property
    def numbers(self) -> NDArray[Any]:
        """The values as numbers, in the same order; zero where they are missing."""
        series = self._series.fill_null(strategy="zero") if self.kind == "number" else self._series
        if self._order is not None:
            ranks: NDArray[Any] = np.maximum(self._enumerated(series), 0)
            return ranks
        if self.kind == "date":
            series = series.to_physical().fill_null(0)
        elif self.kind == "boolean":
            series = series.fill_null(value=False).cast(pl.UInt8)
        return series.to_numpy()

    def _enumerated(self, series: pl.Series) -> NDArray[Any]:
        ranks = series.cast(pl.Enum([str(value) for value in self._order or ()]))
        return ranks.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()

    def places(self, values: Sequence[Value]) -> NDArray[Any]:
        """Return values on the axis of `numbers`."""
        if self._order is not None:
            order = {value: place for place, value in enumerate(self._order)}
            return np.array([order[value] for value in values], dtype=np.int64)
        if self.kind == "date":
            return pl.Series(values, dtype=self._series.dtype).to_physical().to_numpy()
        return np.array(values)

    def ordered_by(self, levels: Iterable[Value]) -> Column:
        """Return the same column with an order of its values, if it is text."""
        if self.kind != "text":
            return self
        order = [str(value) for value in levels]
        if len(set(order)) != len(order):
            raise self.complaint("a level is given twice")
        self.codes(order)
        return self._changed(_order=order)

    def limited_to(self, values: Sequence[Value] | None) -> Column:
        """Return the column with all other values missing; the column itself if None."""
        if values is None or self.kind == "empty":
            return self
        if any(isinstance(value, str) for value in values):
            known = self._series.cast(pl.String).is_in([str(value) for value in values])
        else:
            among = pl.Series(values, dtype=self._series.dtype, strict=False)
            known = self._series.is_in(among.implode())
        return self._changed(_series=self._series.set(~known.fill_null(value=True), None))

    def _changed(self, **changes: Any) -> Column:
        """Return a copy with other values or another order."""
        kept = ("name", "part", "kind", "raw", "separator", "weights", "_series", "_order")
        other = object.__new__(Column)
        other.__dict__.update({name: getattr(self, name) for name in kept} | changes)
        return other

    def coerced(self, values: Iterable[Value], what: str) -> tuple[Any, ...]:
        """Return values of a scale as values of this column's kind.

        Raises
        ------
        FormatError
            If one is not of that kind; `what` is the word for the values in the message.
        """
        return tuple(self._coerced(value, what) for value in values)

    def _coerced(self, value: Value, what: str) -> Any:
        found: Any = None
        if self.kind == "empty":
            # The kind of an empty column is unknown.
            found = value
        elif self.kind == "text":
            found = value if isinstance(value, str) else label(value)
        elif self.kind == "number":
            found = _number_like(value)
        elif self.kind == "boolean":
            words = {"true": True, "false": False}
            found = value if isinstance(value, bool) else words.get(str(value).lower())
        elif self.kind == "date":
            found = _moment_like(value, self._series.dtype)
        if found is None or (isinstance(found, float) and math.isnan(found)):
            raise self.complaint(
                f"{what} {label(value)!r} is no {self.kind}",
                hint="dates are written as 2024-05-31" if self.kind == "date" else None,
            )
        return found


class Columns:
    """The columns of a table; each one is analysed only once.

    Parameters
    ----------
    frame
        The table.
    names
        The names of its rows, if it has any.
    different
        The different values of columns of text, where they are known.
    text
        The table before its columns of text got the types of their values, for date formats.
    weights
        How often each row counts; once if None.

    Examples
    --------
    >>> columns = Columns.of({"age": [41, 30]})
    >>> columns["age"] is columns["age"], columns.take("age") is columns["age"]
    (True, False)
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        *,
        names: Sequence[str] | None = None,
        different: Mapping[str, pl.Series] | None = None,
        text: pl.DataFrame | None = None,
        weights: NDArray[np.int64] | None = None,
    ) -> None:
        self.frame = frame
        self.weights = weights
        # By name, because a frame searches all its columns for a name.
        self.series: dict[str, pl.Series] = {column.name: column for column in frame.get_columns()}
        self._text = self.series
        if text is not None:
            self._text = {column.name: column for column in text.get_columns()}
        self.names = names
        self._different = dict(different or {})
        self._made: dict[str, Column] = {}

    @classmethod
    def of(cls, table: object) -> Columns:
        """Return the columns of a frame of any kind, or of columns themselves."""
        if isinstance(table, Columns):
            return table
        text, names = convert.polars_frame(table)
        frame, different = typed_frame(text)
        return cls(frame, names=names, different=different, text=text)

    def weighted_by(self, column: str) -> Columns:
        """Return the other columns, and take one as the weights of the rows; 0 leaves a row out.

        Examples
        --------
        >>> columns = Columns.of({"age": [41, 30], "count": [5, 1]}).weighted_by("count")
        >>> list(columns.series), columns.weights
        (['age'], array([5, 1]))
        """
        refuse_unknown("column", [column], self.series, where="the table")
        counts = list(map(_number, self.series[column].to_list()))
        kept = np.array([count != 0 for count in counts], dtype=np.bool_)
        rows = Names("row", (np.flatnonzero(kept) + 1).tolist())
        try:
            weights = convert.weights([count for count in counts if count != 0], rows)
        except FormatError as error:
            reason = error.reason.replace("the weight of object", "the weight of row")
            raise FormatError(f"column {column!r}: {reason}", hint=error.hint) from None
        names = self.names
        if names is not None:
            names = [name for name, stays in zip(names, kept, strict=True) if stays]
        frame, text = (
            pl.DataFrame([series.filter(kept) for name, series in of.items() if name != column])
            for of in (self.series, self._text)
        )
        different = self._different if kept.all() else {}
        numbers = None if weights is None else weights.astype(np.int64)
        return Columns(frame, names=names, different=different, text=text, weights=numbers)

    def __getitem__(self, name: str) -> Column:
        if name not in self._made:
            different = self._different.get(name)
            self._made[name] = Column(self.series[name], different=different, weights=self.weights)
        return self._made[name]

    def take(self, name: str, *, part: str | None = None, date_format: str | None = None) -> Column:
        """Return a column, and forget it."""
        if part is None and date_format is None:
            column = self[name]
            del self._made[name]
            return column
        self._made.pop(name, None)
        table = self.series if date_format is None else self._text
        return Column(table[name], part=part, date_format=date_format, weights=self.weights)


def _number(value: object) -> object:
    """Return the number that a text is; the value itself otherwise."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _joined(series: pl.Series) -> tuple[str | None, pl.Series]:
    """Return lists as delimited text, and the separator, which no element holds."""
    if not isinstance(series.dtype, pl.List | pl.Array):
        return None, series
    if isinstance(series.dtype.inner, pl.List | pl.Array | pl.Struct):
        return None, series
    lists = series.cast(pl.List(pl.String))
    elements = lists.drop_nulls().explode().drop_nulls()
    free = (sign for sign in _SIGNS if not elements.str.contains(sign, literal=True).any())
    separator = next(free, "\x1f")
    return separator, lists.list.drop_nulls().list.join(separator)


def _prepared(series: pl.Series) -> tuple[str, pl.Series, list[Any] | None]:
    """Return the kind of a column, its values in a common type, and their order if any."""
    dtype = series.dtype
    if series.null_count() == len(series):
        return "empty", series.cast(pl.Null, strict=False), None
    if dtype == pl.Boolean:
        return "boolean", series, None
    if dtype == pl.Float32:
        # By way of text, 0.1 stays 0.1 and doesn't become 0.10000000149011612.
        series, dtype = series.cast(pl.String).cast(pl.Float64), pl.Float64()
    if dtype.is_decimal() or (
        dtype.is_integer()
        and series.cast(pl.Int64, strict=False).null_count() > series.null_count()
    ):
        series, dtype = series.cast(pl.Float64), pl.Float64()
    if dtype == pl.Float64:
        series = series.fill_nan(None)
        if series.null_count() == len(series):
            return "empty", series, None
        # pandas turns integers with missing values into floats; undo that, so that every source
        # gives the same result.
        whole = series.cast(pl.Int64, strict=False)
        exact = (whole.cast(pl.Float64) == series).all() and bool((series.abs() < 2**53).all())
        return "number", whole if exact else series, None
    if dtype.is_integer():
        return "number", series.cast(pl.Int64), None
    if dtype in (pl.Date, pl.Datetime, pl.Time):
        _refuse_strange_dates(series)
        if isinstance(dtype, pl.Datetime) and dtype.time_zone is None:
            days = series.cast(pl.Date)
            if (days.cast(dtype) == series).all():
                series = days
        return "date", series, None
    if isinstance(dtype, pl.Enum):
        return "text", series.cast(pl.String), dtype.categories.to_list()
    if dtype in (pl.String, pl.Categorical):
        return "text", series.cast(pl.String), None
    raise FormatError(
        f"column {series.name!r}: values of type {dtype} can't be scaled",
        hint="turn them into numbers, text, dates or truth values, or drop the column",
    )


def _refuse_strange_dates(series: pl.Series) -> None:
    """Refuse dates outside Python's calendar, which damaged files may contain."""
    if series.dtype == pl.Time:
        return
    days = series.cast(pl.Date).to_physical()
    first, last = (day.toordinal() - _DAY_ZERO for day in (dt.date.min, dt.date.max))
    wrong = ((days < first) | (days > last)).fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise FormatError(
            f"column {series.name!r}: row {row + 1} holds a date beyond the years 1 to 9999"
        )


def _dates(series: pl.Series, date_format: str) -> pl.Series:
    if series.dtype in (pl.Date, pl.Datetime):
        return series
    if series.dtype != pl.String:
        raise FormatError(
            f"column {series.name!r}: holds no text to read dates from, but {series.dtype}"
        )
    try:
        timed = any(part in date_format for part in ("%H", "%I", "%T", "%R"))
        found = (
            series.str.to_datetime(date_format, strict=False, time_unit="us")
            if timed
            else series.str.to_date(date_format, strict=False)
        )
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(
            f"column {series.name!r}: date format {date_format!r}: {reason}"
        ) from error
    wrong = found.is_null() & series.is_not_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise FormatError(
            f"column {series.name!r}: row {row + 1} holds {series[row]!r}, "
            f"which is no date of the form {date_format}"
        )
    return found


def _part(series: pl.Series, part: str) -> pl.Series:
    if part not in PARTS:
        raise FormatError(
            f"column {series.name!r}: a date has no {part}", hint=f"take one of {', '.join(PARTS)}"
        )
    allowed = {"hour": (pl.Datetime, pl.Time)}.get(part, (pl.Datetime, pl.Date))
    if series.dtype not in allowed:
        raise FormatError(
            f"column {series.name!r}: values of type {series.dtype} have no {part}",
            hint="text becomes dates by a date format, such as %d.%m.%Y",
        )
    numbers: pl.Series = getattr(series.dt, part)()
    names = {"month": _MONTHS, "weekday": _WEEKDAYS}.get(part)
    if names is None:
        return numbers
    words = pl.Series(names).gather(numbers.cast(pl.Int64).fill_null(1) - 1)
    words = words.set(numbers.is_null(), None)
    return words.cast(pl.Enum(names)).alias(series.name)


def _number_like(value: Value) -> float | None:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _moment_like(value: Value, dtype: Any) -> Any:
    """Return a value as a date, a moment or a time, as the column has them, or None."""
    wanted: Any = {pl.Date: dt.date, pl.Datetime: dt.datetime, pl.Time: dt.time}[dtype.base_type()]
    if isinstance(value, str):
        try:
            value = wanted.fromisoformat(value)
        except ValueError:
            return None
    if wanted is dt.datetime:
        if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
            value = dt.datetime(value.year, value.month, value.day)
        if not isinstance(value, dt.datetime):
            return None
        zone = dtype.time_zone
        if zone is None:
            return value.replace(tzinfo=None) if value.tzinfo is None else None
        from zoneinfo import ZoneInfo

        return value if value.tzinfo is not None else value.replace(tzinfo=ZoneInfo(zone))
    if wanted is dt.date and isinstance(value, dt.datetime):
        return value.date() if value.time() == dt.time() else None
    return value if isinstance(value, wanted) else None
