"""A plan found from the columns of a table, with the reason for each choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from conceptrank._util.lazy import pl
from conceptrank.convert.origin import label
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.io.raw.layout import names_rows
from conceptrank.io.raw.types import ambiguous_date
from conceptrank.scaling.by_element import Sets, separator_of
from conceptrank.scaling.by_interval import Quantiles
from conceptrank.scaling.by_value import Boolean, Nominal, holds_marks
from conceptrank.scaling.column import Columns
from conceptrank.scaling.plan import Choice, ColumnPlan, Plan

# Why a column of dates stays text.
DOUBTFUL_DATES = "the day and the month can't be told apart"

_FEW_NUMBERS = 7
_PARTS = 4
# A column of text whose values hardly ever repeat can't describe groups of rows.
_MANY_WORDS = 20
_ROWS_TO_NAME = 10
_FIRST_ROWS = 1000
_IDENTIFIER = re.compile(r"(?i)(.*[\W_])?id|\w+Id")
_TRUTH = ({"true", "false"}, {"0", "1"}, {"0.0", "1.0"})


def infer(
    table: object,
    *,
    scales: Mapping[str, Choice] | None = None,
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str = "no_cross",
) -> Plan:
    """Return a plan for a table, from the types and values of its columns.

    Truth values, and ones and zeros, become one attribute; if the table has nothing but marks, so
    do words such as yes and no, or X and nothing. Other words get a nominal scale, and so do
    numbers and dates with few different values; other numbers and dates get four intervals with
    equally many rows. Dates such as 03/04/2024 stay text if both numbers can be the month in every
    row. Lists, and text such as "a;b;c" whose elements repeat, become sets: one attribute per
    element. Text that is different in every row, a column that numbers the rows, or an `id` names
    the objects; text that hardly ever repeats is dropped. The plan gives the reasons, and you can
    change everything.

    Parameters
    ----------
    table
        A frame of pandas or polars, any Arrow table, or a mapping of columns.
    scales
        The scales of some columns: as for `Plan`.
    drop
        Columns to leave out.
    objects
        The column that names the objects; inferred if None.
    missing
        As for `Plan`.

    Raises
    ------
    UnknownNameError
        If there is no column of a name.

    Examples
    --------
    >>> table = {
    ...     "name": ["Ann", "Bob", "Cid"],
    ...     "smokes": [True, False, False],
    ...     "sex": ["f", "m", "m"],
    ...     "age": [30, 41, 17],
    ... }
    >>> print(infer(table, scales={"age": "ordinal:18,40"}))
    column  scale          missing   because
    name    objects        error
    smokes  boolean        no cross  truth values
    sex     nominal        no cross  2 different words
    age     ordinal:18,40  no cross
    """
    columns = Columns.of(table)
    there, names = columns.series, columns.names
    scales, dropped = dict(scales or {}), dict.fromkeys(drop)
    refuse_unknown("column", (*scales, *dropped, objects), there, where="the table")
    for column in dropped:
        if column in scales or column == objects:
            raise FormatError(f"column {column!r} can't be dropped and used")
    free = [c for c in there if c not in scales and c not in dropped and c != objects]
    if objects is None and names is None:
        objects = _naming(columns, free)
    plan = Plan(objects=objects, missing=missing)
    marked = _holds_marks(columns, [c for c in there if c not in dropped and c != objects])
    for column in there:
        if column == objects:
            continue
        if column in dropped:
            plan[column] = ColumnPlan(scale=None, because="by request")
        else:
            known = column in scales
            plan[column] = scales[column] if known else _choice(columns, column, marked=marked)
    return plan


def _holds_marks(table: Columns, columns: Sequence[str]) -> bool:
    """Return whether columns are those of a cross-table: all hold marks, and some have values."""
    return all(holds_marks(table[column]) for column in columns) and any(
        table[column].kind != "empty" for column in columns
    )


def _naming(table: Columns, free: Sequence[str]) -> str | None:
    """Return the first column that names rows; of a small table, only the very first column."""
    first, *others = table.series or [""]
    if first in free and not holds_marks(table[first]) and _holds_marks(table, others):
        series = table.series[first]
        if series.null_count() or series.dtype.is_float():
            return None
        return first if names_rows(first, series.cast(pl.String).to_list()) else None
    for column in free:
        series = table.series[column]
        unique = _all_different(series) and not holds_marks(table[column])
        if unique and (len(series) >= _ROWS_TO_NAME or column == first):
            return column
    return None


def _all_different(series: pl.Series) -> bool:
    """Return whether a column has a word of its own in every row, or numbers the rows."""
    if len(series) < 2 or series.null_count():
        return False
    if series.dtype.is_integer():
        if _IDENTIFIER.fullmatch(series.name) and series.n_unique() == len(series):
            return True
        return len(series) >= _ROWS_TO_NAME and bool((series.diff(null_behavior="drop") == 1).all())
    words = series.dtype in (pl.String, pl.Categorical, pl.Enum)
    if words and ambiguous_date(series.head(_FIRST_ROWS).cast(pl.String)) is not None:
        return False
    # The first rows are enough for most columns.
    return words and all(
        part.n_unique() == len(part) for part in (series.head(_FIRST_ROWS), series)
    )


def _choice(columns: Columns, name: str, *, marked: bool) -> ColumnPlan:
    """Return the plan for a column; `marked` if it is a column of a cross-table."""
    column = columns[name]
    if column.is_integer and _all_different(columns.series[name]):
        return ColumnPlan(scale=None, because="numbers or identifies the rows")
    different = column.n_values
    if marked and column.kind != "boolean":
        return ColumnPlan(scale=Boolean(), because="the table has only marks, as a cross-table")
    if column.kind == "empty":
        return ColumnPlan(scale=None, because="no values")
    if column.kind == "boolean":
        return ColumnPlan(scale=Boolean(), because="truth values")
    if different == 2 and {str(value).lower() for value in column.values} in _TRUTH:
        return ColumnPlan(
            scale=Boolean(), because=f"only {' and '.join(map(label, column.values))}"
        )
    if column.kind == "text":
        separator = separator_of(column)
        if separator is not None:
            fitted = Sets(separator=separator).fitted(column)
            because = f"{len(fitted.values or ()):,} elements, separated by {separator!r}"
            if column.separator is not None:
                because = f"lists of {len(fitted.values or ()):,} elements"
            return ColumnPlan(scale=Sets(separator=separator), because=because)
        known = len(column) - int(column.missing.sum())
        date = ambiguous_date(columns.series[name].cast(pl.String))
        doubt = "" if date is None else f"; {DOUBTFUL_DATES}, as {date}"
        if different > _MANY_WORDS and 2 * different > known:
            because = f"{different:,} different words in {known:,} rows{doubt}"
            return ColumnPlan(scale=None, because=because)
        return ColumnPlan(scale=Nominal(), because=_counted(different, "word") + doubt)
    noun = "number" if column.kind == "number" else "date"
    if different <= _FEW_NUMBERS:
        return ColumnPlan(scale=Nominal(), because=_counted(different, noun))
    return ColumnPlan(scale=Quantiles(count=_PARTS), because=_counted(different, noun))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} different {noun}s" if count > 1 else f"only one {noun}"
