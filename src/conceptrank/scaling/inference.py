"""`infer`: a plan found from the columns of a table, with the reason for each choice."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from conceptrank._util.lazy import pl
from conceptrank.convert.origin import label
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.io.raw.layout import MEASURED_TITLE, names_rows
from conceptrank.io.raw.types import ambiguous_date
from conceptrank.scaling.by_element import Sets, separator_of
from conceptrank.scaling.by_interval import Quantiles
from conceptrank.scaling.by_value import Boolean, Nominal, holds_marks
from conceptrank.scaling.column import Column, Columns
from conceptrank.scaling.plan import DOUBTFUL_DATES, ROW_NUMBERS, Choice, ColumnPlan, Plan

_FEW_NUMBERS = 7
_PARTS = 4
# A column of text whose values hardly ever repeat can't describe groups of rows.
_MANY_WORDS = 20
_ROWS_TO_NAME = 10
_FIRST_ROWS = 1000
_LONGEST_NAME = 60
# Titles of columns that say how often a row counts, and the most values of the other columns.
_COUNT = re.compile(r"(?i:freq|frequency|frequencies|counts?)|n")
_MOST_LEVELS = 20
# Titles of the column that programs write for the numbers of rows.
_UNTITLED = re.compile(
    r"(?i:|c1|column_[01]|unnamed: 0|rownames|row\.?names|index|obs|rowid|row)|X"
)
_NUMBERED_TITLE = re.compile(r"c\d+")
_IDENTIFIER = re.compile(
    r"(?i)(.*[\W_])?(ids?|idno|pid|uid|uuid|nr|no|number|key|code|index|row)|\w+I[dD]"
)
# Titles of numbers that identify people or groups, even if they repeat.
_GROUP_IDENTIFIER = re.compile(
    r"(?i)(.*[\W_])?(ids?|idno|pid|uid|uuid|subj|subject|patient|participant|respondent|stratum)"
    r"|\w*[a-z]I[dD]"
)
_MARKED = "the table has only marks, as a cross-table"
_LETTER = re.compile(r"[^\W\d_]")
_BITS = ({"0", "1"}, {"0.0", "1.0"})


def infer(
    table: object,
    *,
    scales: Mapping[str, Choice] | None = None,
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str = "no_cross",
    weights: bool = True,
) -> Plan:
    """Return a plan for a table, from the types and values of its columns.

    Words get a nominal scale, and so do numbers and dates with few different values; other numbers
    and dates get four intervals with equally many rows. Truth values become one attribute, ones and
    zeros two. If the table has nothing but marks, such as 1 and 0, yes and no, or X and nothing,
    each column becomes one attribute. Dates such as 03/04/2024 stay text if both numbers can be the
    month in every row. Lists, and text such as "a;b;c" whose elements repeat, become sets: one
    attribute per element. Words that are different in every row, or an `id`, name the objects. Row
    numbers, identifiers, columns with one value, and text that hardly ever repeats are dropped. A
    column such as `Freq`, `count` or `n` is the weight of its row if the other columns are never
    all equal. The plan gives the reasons, and you can change everything.

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
    weights
        Whether to look for a column of weights.

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
    there = columns.series
    scales, dropped = dict(scales or {}), dict.fromkeys(drop)
    _refuse_contradictions(there, scales, dropped, objects)
    free = [c for c in there if c not in scales and c not in dropped and c != objects]
    counted = _numbering(columns, free)
    values = [c for c in free if c not in counted]
    counting = _counting(columns, values) if weights and columns.weights is None else None
    if objects is None and columns.names is None:
        values = [c for c in values if c != counting]
        objects = _naming(columns, values, next((c for c in there if c not in counted), ""))
    plan = Plan(objects=objects, missing=missing, weights=counting)
    reasons = dict.fromkeys(counted, ROW_NUMBERS) | dict.fromkeys(dropped, "by request")
    used = [c for c in there if c not in reasons and c not in (objects, counting)]
    marked = _holds_marks(columns, used)
    for column in there:
        if column in reasons:
            plan[column] = ColumnPlan(scale=None, because=reasons[column])
        elif column in used:
            chosen = column in scales
            plan[column] = scales[column] if chosen else _choice(columns, column, marked=marked)
    return plan


def _numbering(columns: Columns, free: Sequence[str]) -> list[str]:
    """Return the columns that number the rows; another column has to be left."""
    counted = [c for c in free if _counts_rows(columns, c)]
    return counted if len(free) >= len(counted) + 2 else counted[:1]


def _refuse_contradictions(
    there: Collection[str], scales: Collection[str], dropped: Iterable[str], objects: str | None
) -> None:
    refuse_unknown("column", (*scales, *dropped, objects), there, where="the table")
    for column in dropped:
        if column in scales or column == objects:
            raise FormatError(f"column {column!r} can't be dropped and used")


def _holds_marks(table: Columns, columns: Sequence[str]) -> bool:
    """Return whether columns are those of a cross-table: all hold marks, and some have values."""
    return all(holds_marks(table[column]) for column in columns) and any(
        table[column].kind != "empty" for column in columns
    )


def _counts_rows(table: Columns, name: str) -> bool:
    """Return whether a column numbers the rows from 1 or 0."""
    series = table.series[name]
    if not series.dtype.is_integer() or len(series) < 2 or series.null_count():
        return False
    if series[0] not in (0, 1) or not bool((series.diff(null_behavior="drop") == 1).all()):
        return False
    first = name == next(iter(table.series))
    if (first and _UNTITLED.fullmatch(name)) and len(table.series) > 1:
        return len(series) > 2 or not holds_marks(table[name])
    if len(table.series) == 2 or MEASURED_TITLE.fullmatch(name) or _IDENTIFIER.fullmatch(name):
        return False
    return len(series) >= _ROWS_TO_NAME and series[0] == 1


def _counting(table: Columns, columns: Sequence[str]) -> str | None:
    """Return the column that says how often each row counts.

    It has such a title and holds whole numbers, and no two rows agree in all other columns, which
    have few different values each.
    """
    titled = [column for column in columns if _COUNT.fullmatch(column)]
    others = [column for column in columns if column not in titled]
    if len(titled) != 1 or not others:
        return None
    counts = table[titled[0]]
    if counts.kind != "number" or not counts.is_integer or counts.n_missing:
        return None
    if min(counts.values) < 0 or max(counts.values) < 2:  # type: ignore[operator]
        return None
    rows = len(counts)
    for column in others:
        different = table[column].n_values
        if len(others) == 1:
            continue
        if table[column].kind not in ("text", "boolean") and different > _MOST_LEVELS:
            return None
        if different == rows > 2 or 2 * different > rows > 2 * _MANY_WORDS:
            return None
    return titled[0] if not table.frame.select(others).is_duplicated().any() else None


def _naming(table: Columns, free: Sequence[str], first: str) -> str | None:
    """Return the column that names rows; of a small table, only the first one."""
    titled = not all(map(_NUMBERED_TITLE.fullmatch, table.series))
    begins = titled and first == next(iter(table.series))
    untitled = first if begins and _UNTITLED.fullmatch(first) else None
    if first in free and not holds_marks(table[first]):
        others = [column for column in free if column != first]
        series = table.series[first]
        if untitled is None and _holds_marks(table, others):
            if series.null_count() or series.dtype.is_float():
                return None
            return first if names_rows(first, series.cast(pl.String).to_list()) else None
    for column in free:
        series = table.series[column]
        if len(series) < _ROWS_TO_NAME and column != first:
            continue
        named = _identifies(series, untitled=column == untitled)
        if named and not holds_marks(table[column]):
            return column
    return None


def _identifies(series: pl.Series, *, untitled: bool) -> bool:
    """Return whether a column has a name of its own for every row."""
    if len(series) < 2 or series.null_count():
        return False
    if series.dtype.is_numeric():
        titled = _IDENTIFIER.fullmatch(series.name) and series.dtype.is_integer()
        return bool(titled or untitled) and series.n_unique() == len(series)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum) or MEASURED_TITLE.fullmatch(
        series.name
    ):
        return False
    words = series.head(_FIRST_ROWS).cast(pl.String)
    if ambiguous_date(words) is not None or not _are_names(words.to_list()):
        return False
    # The first rows are enough for most columns.
    return all(part.n_unique() == len(part) for part in (words, series))


def _are_names(words: Sequence[str]) -> bool:
    """Return whether words are short and have letters, unlike prices and times.

    Examples
    --------
    >>> _are_names(["Ann", "X01"]), _are_names(["12%", "$3"]), _are_names(["09:30", "10:15"])
    (True, False, False)
    """
    lettered = sum(_LETTER.search(word) is not None for word in words)
    return 10 * lettered >= 9 * len(words) and sum(map(len, words)) <= _LONGEST_NAME * len(words)


def _choice(columns: Columns, name: str, *, marked: bool) -> ColumnPlan:
    """Return the plan for a column; `marked` if it is a column of a cross-table."""
    column = columns[name]
    if marked:
        because = "truth values" if column.kind == "boolean" else _MARKED
        return ColumnPlan(scale=Boolean(), because=because)
    reason = _useless(columns, column)
    if reason is not None:
        return ColumnPlan(scale=None, because=reason)
    if column.kind == "boolean":
        return ColumnPlan(scale=Boolean(), because="truth values")
    different = column.n_values
    if different == 2 and {str(value) for value in column.values} in _BITS:
        return ColumnPlan(scale=Nominal(), because="only 0 and 1")
    if column.kind == "text":
        return _choice_of_text(columns, column)
    noun = "number" if column.kind == "number" else "date"
    if different <= _FEW_NUMBERS:
        return ColumnPlan(scale=Nominal(), because=_counted(different, noun))
    return ColumnPlan(scale=Quantiles(count=_PARTS), because=_counted(different, noun))


def _useless(columns: Columns, column: Column) -> str | None:
    """Return why a column says nothing about groups of rows; None if it may."""
    if column.kind == "empty":
        return "no values"
    series = columns.series[column.name]
    if column.n_values == 1 and len(column) > 1 and not column.n_missing:
        return f"always {label(column.values[0])}"
    if not series.dtype.is_integer():
        return None
    if _GROUP_IDENTIFIER.fullmatch(column.name) and column.n_values > 2:
        return "an identifier"
    if _IDENTIFIER.fullmatch(column.name) and column.n_values == len(column) > 1:
        return "all different"
    return None


def _choice_of_text(columns: Columns, column: Column) -> ColumnPlan:
    separator = separator_of(column)
    if separator is not None:
        fitted = Sets(separator=separator).fitted(column)
        because = f"{len(fitted.values or ()):,} elements, separated by {separator!r}"
        if column.separator is not None:
            because = f"lists of {len(fitted.values or ()):,} elements"
        return ColumnPlan(scale=Sets(separator=separator), because=because)
    different, known = column.n_values, len(column) - column.n_missing
    date = ambiguous_date(columns.series[column.name].cast(pl.String))
    doubt = "" if date is None else f"; {DOUBTFUL_DATES}, as {date}"
    if different > _MANY_WORDS and 2 * different > known:
        because = f"{different:,} different words in {known:,} rows{doubt}"
        return ColumnPlan(scale=None, because="all different" if different == known else because)
    return ColumnPlan(scale=Nominal(), because=_counted(different, "word") + doubt)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} different {noun}s" if count > 1 else f"only one {noun}"
