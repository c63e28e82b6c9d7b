"""Frames of pandas and polars, and tables with Arrow's interface, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.lazy import pl
from conceptrank._util.lists import Lists
from conceptrank._util.names import first_repeat
from conceptrank.convert.matrices import columns, to_numpy
from conceptrank.convert.shared import Parts, crosses_of, imported, numbered, stable_order, texts
from conceptrank.errors import FormatError, refuse_unknown

if TYPE_CHECKING:
    import pandas as pd


_COLLECTIONS = (tuple, set, frozenset, np.ndarray)


def from_pandas(frame: pd.DataFrame) -> Parts:
    """Return the index as objects, the columns as attributes."""
    columns = (frame.iloc[:, j].to_numpy() for j in range(frame.shape[1]))
    return _from_columns(texts(frame.index), texts(frame.columns), columns)


def from_polars(frame: pl.DataFrame, *, objects: str | None = None) -> Parts:
    """Return one column as objects, the others as attributes."""
    refuse_unknown("column", [objects], frame.columns)
    names: Sequence[str] = numbered(frame.height)
    if objects is not None:
        names = texts(frame.get_column(objects))
        frame = frame.drop(objects)
    columns = (frame.to_series(j).to_numpy() for j in range(frame.width))
    return _from_columns(names, frame.columns, columns)


def without_weights(frame: Any, column: str) -> tuple[Any, list[Any]]:
    """Return a frame of pandas or polars without its column of weights, and the weights.

    Examples
    --------
    >>> frame, weights = without_weights(polars_frame({"a": [1], "count": [7]})[0], "count")
    >>> frame.columns, weights
    (['a'], [7])
    """
    names = list(map(str, frame.columns))
    refuse_unknown("column", [column], names)
    if _is_pandas(frame):
        place = names.index(column)
        others = [j for j in range(len(names)) if j != place]
        return frame.iloc[:, others], frame.iloc[:, place].tolist()
    return frame.drop(column), frame.get_column(column).to_list()


def with_weights(frame: pl.DataFrame, column: str, weights: Any, place: int) -> pl.DataFrame:
    """Return a frame with a column of weights at a place.

    Examples
    --------
    >>> with_weights(polars_frame({"a": [True]})[0], "count", np.array([7]), 0).columns
    ['count', 'a']
    """
    return frame.insert_column(place, pl.Series(column, weights))


def _from_columns(
    objects: Sequence[str], attributes: Sequence[str], columns: Iterable[NDArray[Any]]
) -> Parts:
    found = []
    for name, column in zip(attributes, columns, strict=True):
        marks = crosses_of(
            column,
            lambda i, name=name: f"column {name!r}, row {objects[i]!r}",  # type: ignore[misc]
        )
        found.append(np.flatnonzero(marks).astype(np.uint32))
    return objects, attributes, *_lists.transposed(_lists.joined(found), len(objects))


def to_pandas(objects: Sequence[str], attributes: Sequence[str], rows: Lists) -> pd.DataFrame:
    """Return a frame of truth values; its index holds the objects."""
    pandas = imported("pandas")
    frame: pd.DataFrame = pandas.DataFrame(
        to_numpy(rows, len(attributes)),
        index=pandas.Index(list(objects), dtype=object),
        columns=pandas.Index(list(attributes), dtype=object),
    )
    return frame


def to_polars(
    objects: Sequence[str], attributes: Sequence[str], rows: Lists, *, name: str | None
) -> pl.DataFrame:
    """Return a frame of truth values, the objects in its first column unless `name` is None."""
    if name in attributes:
        raise FormatError(
            f"there is an attribute {name!r} already",
            hint="give the column of the objects another name: to_polars(objects=...)",
        )
    first = [] if name is None else [pl.Series(name, objects, dtype=pl.String)]
    marks = zip(attributes, columns(rows, len(attributes)), strict=True)
    return pl.DataFrame(first + [pl.Series(label, column) for label, column in marks])


def polars_frame(table: object) -> tuple[pl.DataFrame, list[str] | None]:
    """Return any table as a polars frame, and the names of its rows if it has some.

    Parameters
    ----------
    table
        A frame of polars (eager or lazy) or pandas, an object with the method
        `__arrow_c_stream__` of Arrow's PyCapsule protocol, or a mapping from names to columns.

    Raises
    ------
    FormatError
        If it is nothing of that kind.

    Examples
    --------
    >>> frame, names = polars_frame({"sex": ["male", "female"], "age": [30, None]})
    >>> frame.shape, names
    ((2, 2), None)
    """
    if isinstance(table, pl.DataFrame):
        return table, None
    if isinstance(table, pl.LazyFrame):
        return table.collect(), None
    if _is_pandas(table):
        return _from_pandas(table)
    if hasattr(table, "__arrow_c_stream__"):
        try:
            return pl.DataFrame(table), None
        except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
            raise FormatError(f"{type(table).__name__!r} is no Arrow table: {error}") from error
    if isinstance(table, Mapping):
        for name, values in table.items():
            if not isinstance(name, str):
                raise FormatError(f"column {name!r} is not named by a string")
            if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
                raise FormatError(f"column {name!r} is {values!r}, expected a list of values")
        columns = [_series(str(name), values) for name, values in table.items()]
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise FormatError(
                "the columns have different lengths: "
                + ", ".join(f"{column.name!r} {len(column)}" for column in columns[:5])
            )
        return pl.DataFrame(columns), None
    raise FormatError(
        f"a {type(table).__name__!r} is not a table",
        hint="give a frame of pandas or polars, an Arrow table or a mapping of columns; files are "
        "given by their path, lists by Context.from_itemsets or Context.from_pairs",
    )


def _is_pandas(table: object) -> bool:
    return type(table).__module__.partition(".")[0] == "pandas" and hasattr(table, "iloc")


def _from_pandas(frame: Any) -> tuple[pl.DataFrame, list[str] | None]:
    """Return a pandas frame column by column, because polars needs pyarrow for all at once."""
    if not hasattr(frame, "columns"):
        raise FormatError("this is one column, expected a frame", hint="column.to_frame()")
    names = [str(name) for name in frame.columns]
    if repeat := first_repeat(names):
        raise FormatError(f"two columns are named {names[repeat[0]]!r}")
    columns = [_from_pandas_column(name, frame.iloc[:, i]) for i, name in enumerate(names)]
    numbered = type(frame.index).__name__ == "RangeIndex"
    return pl.DataFrame(columns), None if numbered else [str(label) for label in frame.index]


def _from_pandas_column(name: str, column: Any) -> pl.Series:
    kind = getattr(column.dtype, "kind", "O")
    if hasattr(column, "cat"):
        values = [None if missing else str(value) for value, missing in _with_missing(column)]
        if not column.cat.ordered:
            return pl.Series(name, values, dtype=pl.String)
        return pl.Series(name, values, dtype=pl.Enum([str(c) for c in column.cat.categories]))
    if isinstance(column.dtype, np.dtype) and kind in "biuf":
        return pl.Series(name, column.to_numpy(), nan_to_null=True)
    if isinstance(column.dtype, np.dtype) and kind == "M":
        # pandas counts in any unit; polars has no seconds.
        return pl.Series(name, column.to_numpy().astype("datetime64[us]"))
    return _series(name, [None if missing else value for value, missing in _with_missing(column)])


def _with_missing(column: Any) -> list[tuple[Any, bool]]:
    return list(zip(column.tolist(), column.isna().tolist(), strict=True))


def _series(name: str, values: Any) -> pl.Series:
    if isinstance(values, pl.Series):
        return values.alias(name)
    if isinstance(values, np.ndarray):
        values = values if values.dtype.kind in "biufM" else values.tolist()
    else:
        values = list(values)
    if any(isinstance(value, _COLLECTIONS) for value in values):
        values = [_listed(value) for value in values]
    try:
        return pl.Series(name, values, nan_to_null=isinstance(values, np.ndarray))
    except UnicodeError:
        raise FormatError(f"column {name!r}: a name or value holds half a character") from None
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        kinds = sorted({type(value).__name__ for value in values if value is not None})
        if set(kinds) <= {"int", "float"}:
            return pl.Series(name, list(map(_float_or_none, values)), dtype=pl.Float64)
        if set(kinds) <= {"str", "int", "float", "bool"} and "str" in kinds:
            # Such as numbers and N/A, which are read as text, as in a file.
            text = [_text_or_none(value) for value in values]
            return pl.Series(name, text, dtype=pl.String)
        if kinds == ["list"]:
            mixed = [v if v is None else [_text_or_none(each) for each in v] for v in values]
            return pl.Series(name, mixed, dtype=pl.List(pl.String))
        raise FormatError(
            f"column {name!r} mixes values of different kinds: {', '.join(kinds)}",
            hint="make them all numbers, all text, all dates or all truth values",
        ) from error


def _listed(value: Any) -> Any:
    """Return a collection of any type as a list, and other values as they are."""
    if isinstance(value, set | frozenset):
        return stable_order(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _float_or_none(value: Any) -> float | None:
    return None if value is None else float(value)


def _text_or_none(value: Any) -> str | None:
    return None if value is None or value != value else str(value)  # noqa: PLR0124
