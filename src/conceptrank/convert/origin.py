"""`Origin`: the table of values that a context was made of; `Condition`: what an attribute says."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

Value: TypeAlias = bool | int | float | str | dt.date | dt.time

_MOST_COLUMNS = 6
_SIGNS = {"equal": " = ", "unequal": " ≠ ", "element": ": "}


def label(value: Value) -> str:
    """Return a value as text: short, and different for different values.

    Examples
    --------
    >>> import datetime as dt
    >>> [label(value) for value in (30, 30.0, 0.1, -0.0, 1e-9, True, "", "red")]
    ['30', '30', '0.1', '0', '1e-09', 'true', '""', 'red']
    >>> [label(value) for value in (dt.date(2024, 5, 1), dt.datetime(2024, 5, 1, 8, 30))]
    ['2024-05-01', '2024-05-01 08:30']
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if isinstance(value, dt.datetime):
        if value.time() == dt.time() and value.tzinfo is None:
            return value.date().isoformat()
        return value.isoformat(" ", "auto" if value.second or value.microsecond else "minutes")
    if isinstance(value, dt.time):
        return value.isoformat("auto" if value.second or value.microsecond else "minutes")
    return str(value) or '""'


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What an attribute says about a column. Its text is the name of the attribute.

    Parameters
    ----------
    column
        The column.
    kind
        `"equal"` or `"unequal"` to a value; in an `"interval"`; a cell that lists an `"element"`; a
        `"true"` cell; one that is `"missing"`, `"not missing"` or `"known"`.
    value
        The value, or the element.
    low, high
        The ends of an interval, which is open on a side without one.
    low_inside, high_inside
        Whether the ends belong to the interval.
    part
        The part of a date that is meant instead of the whole date, such as `"year"`.

    Examples
    --------
    >>> print(Condition(column="age", kind="interval", low=30, high=41))
    30 ≤ age < 41
    >>> print(Condition(column="born", kind="equal", value=1990, part="year"))
    year of born = 1990
    """

    column: str
    kind: str
    value: Value | None = None
    low: Value | None = None
    high: Value | None = None
    low_inside: bool = True
    high_inside: bool = False
    part: str | None = None

    def __str__(self) -> str:
        title = self.column if self.part is None else f"{self.part} of {self.column}"
        if self.kind in _SIGNS and self.value is not None:
            return f"{title}{_SIGNS[self.kind]}{label(self.value)}"
        if self.kind != "interval":
            return title if self.kind == "true" else f"{title} is {self.kind}"
        below = "" if self.high is None else f" {'≤' if self.high_inside else '<'} "
        above = "" if self.high is None else label(self.high)
        if self.low is None:
            return f"{title}{below}{above}"
        if self.high is None:
            return f"{title} {'≥' if self.low_inside else '>'} {label(self.low)}"
        return f"{label(self.low)} {'≤' if self.low_inside else '<'} {title}{below}{above}"


@dataclass(frozen=True)
class Note:
    """A choice that was made about columns of a table; its text is one short line.

    Parameters
    ----------
    kind
        What was done, such as `"weights"`, `"left out"` or `"quartiles"`.
    columns
        The columns, perhaps with a reason in parentheses.

    Examples
    --------
    >>> print(Note("left out", ("name (all different)", "study (always 1)")))
    left out: name (all different), study (always 1)
    """

    kind: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        rest = len(self.columns) - _MOST_COLUMNS
        more = f", … and {rest:,} more" if rest > 0 else ""
        return f"{self.kind}: {', '.join(self.columns[:_MOST_COLUMNS])}{more}"


@dataclass(frozen=True, eq=False)
class Origin:
    """The table of values that a context was made of.

    Parameters
    ----------
    frame
        The columns that became attributes, with one row per listed object. None if objects were
        merged, so that no row has the values of all of them.
    conditions
        What each attribute says, in the order of the attributes.
    types
        `"nominal"`, `"ordered"` or `"numeric"` for each column. Dates are numeric.
    notes
        What was assumed about the columns: row numbers, names, weights, scales.

    Examples
    --------
    >>> import conceptrank as cr
    >>> people = {"sex": ["f", "m", "m"], "age": [30, 41, 17]}
    >>> origin = cr.load(people, scale="age=ordinal:35").origin
    >>> origin.types, [condition.kind for condition in origin.conditions]
    ({'sex': 'nominal', 'age': 'numeric'}, ['equal', 'equal', 'interval'])
    >>> origin.frame["age"].to_list()
    [30, 41, 17]
    """

    frame: pl.DataFrame | None
    conditions: tuple[Condition, ...]
    types: Mapping[str, str]
    notes: tuple[Note, ...] = ()

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The attributes of each column, as numbers; they depend on each other.

        The elements of lists don't depend on each other, so each one is a group.
        """
        groups: dict[object, list[int]] = {}
        for place, condition in enumerate(self.conditions):
            free = condition.kind == "element"
            groups.setdefault(place if free else condition.column, []).append(place)
        return tuple(map(tuple, groups.values()))

    def select(
        self,
        rows: NDArray[np.int64] | Sequence[int] | None = None,
        attributes: NDArray[np.int64] | Sequence[int] | None = None,
    ) -> Origin:
        """Return the part for some listed objects and attributes, by their numbers; all if None.

        Examples
        --------
        >>> import conceptrank as cr
        >>> people = {"sex": ["f", "m", "m"], "age": [30, 41, 17]}
        >>> context = cr.load(people, scale="age=ordinal:35")
        >>> part = context.select(objects=["2"], attributes=["age ≤ 35"]).origin
        >>> part.frame.to_dicts(), part.types
        ([{'age': 41}], {'age': 'numeric'})
        """
        conditions, types, frame = self.conditions, self.types, self.frame
        if attributes is not None:
            conditions = tuple(conditions[place] for place in attributes)
            left = {condition.column for condition in conditions}
            types = {name: kind for name, kind in types.items() if name in left}
            frame = None if frame is None else frame.select(list(types))
        if rows is not None and frame is not None:
            frame = frame[rows]
        return replace(self, frame=frame, conditions=conditions, types=types)
