"""Scales by value: nominal, contranominal, dichotomic, boolean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.convert.origin import Value, label
from conceptrank.io.marks import MARKS, are_marks
from conceptrank.scaling.column import Column
from conceptrank.scaling.scale import Scale, View, one_each, refuse_many, register


@dataclass(frozen=True, kw_only=True)
class _Listing(Scale):
    """The common part of scales that list values."""

    values: tuple[Value, ...] | None = None

    @property
    def listed(self) -> tuple[Value, ...] | None:
        """The values."""
        return self.values

    def fitted(self, column: Column) -> Self:
        """Return the scale with the values of a column."""
        found = column.coerced(column.values if self.values is None else self.values, "value")
        if len(set(found)) != len(found):
            raise column.complaint("a value of its scale is given twice")
        return replace(self, values=found)


@register
@dataclass(frozen=True, kw_only=True)
class Nominal(_Listing):
    """One attribute for each value: `sex = female`.

    Parameters
    ----------
    values
        The values, in the order of the attributes; all that occur if None. Another value is an
        error.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview(["red", "blue", None], Nominal(), name="colour"))
    colour   colour = blue  colour = red
    red      .              X
    blue     X              .
    missing  .              .
    """

    name = "nominal"

    def view(self, column: Column) -> View:
        """Return the value of every row."""
        values = self.values or ()
        conditions = tuple(column.condition("equal", value) for value in values)
        return View(conditions, column.codes(values), one_each(len(values)))


@register
@dataclass(frozen=True, kw_only=True)
class Contranominal(_Listing):
    """One attribute for each value, which all others have: `colour ≠ red`.

    Parameters
    ----------
    values
        As for `Nominal`.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview([1, 2, 3], Contranominal()))
    x  x ≠ 1  x ≠ 2  x ≠ 3
    1  .      X      X
    2  X      .      X
    3  X      X      .
    """

    name = "contranominal"

    def fitted(self, column: Column) -> Self:
        """Return the scale with the values of a column."""
        refuse_many(column, column.values if self.values is None else self.values, self.name)
        return super().fitted(column)

    def view(self, column: Column) -> View:
        """Return for every row which values it does not have."""
        values = self.values or ()
        conditions = tuple(column.condition("unequal", value) for value in values)
        return View(conditions, column.codes(values), _others(len(values)))

    def missing_view(self, column: Column) -> View:
        """Return the same with an attribute "is not missing", which all other values have."""
        count = len(self.values or ()) + 1
        plain = self.view(column)
        return View(
            (*plain.conditions, column.condition("not missing")),
            np.where(plain.codes < 0, np.int32(count - 1), plain.codes),
            _others(count),
        )


@register
@dataclass(frozen=True, kw_only=True)
class Dichotomic(Scale):
    """Two attributes, one of which every row has.

    Parameters
    ----------
    value
        For `colour = red` and `colour ≠ red`. If None, the column must have two values at most,
        and the attributes are those of the nominal scale.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview(["red", "blue", "green"], Dichotomic(value="red"), name="colour"))
    colour  colour = red  colour ≠ red
    red     X             .
    blue    .             X
    green   .             X
    """

    name = "dichotomic"
    value: Value | None = None

    def fitted(self, column: Column) -> Scale:
        """Return the scale with a value of a column, or with both as a nominal scale."""
        if self.value is not None:
            return Dichotomic(value=column.coerced([self.value], "value")[0])
        if len(column.values) > 2:
            raise column.complaint(
                f"has {len(column.values):,} different values, a dichotomic scale two",
                hint="name one of them: dichotomic:VALUE",
            )
        return Nominal(values=column.values)

    def view(self, column: Column) -> View:
        """Return whether every row has the value."""
        assert self.value is not None
        others = tuple(value for value in column.values if value != self.value)
        codes = np.minimum(column.codes((self.value, *others)), 1)
        sides = tuple(column.condition(kind, self.value) for kind in ("equal", "unequal"))
        return View(sides, codes, one_each(2))


@register
@dataclass(frozen=True, kw_only=True)
class Boolean(Scale):
    """One attribute with the name of the column: rows have it or not.

    Parameters
    ----------
    true
        The value that makes a cross; the attribute is then `colour = red`. If None, the column
        has truth values, ones and zeros, or words such as yes and no.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview(["yes", "no"], Boolean(), name="smokes"))
    smokes  smokes
    yes     X
    no      .
    """

    name = "boolean"
    true: Value | None = None

    def fitted(self, column: Column) -> Boolean:
        """Return the scale itself, if it fits the column."""
        if self.true is not None:
            return Boolean(true=column.coerced([self.true], "value")[0])
        for value in column.values:
            if _truth(value) is None:
                raise column.complaint(
                    f"{label(value)!r} is neither true nor false",
                    hint="name the value that makes a cross: boolean:VALUE",
                )
        return self

    def view(self, column: Column) -> View:
        """Return which rows are true."""
        values = column.values
        if self.true is None:
            true = np.array([_truth(value) or False for value in values], dtype=np.bool_)
            says = column.condition("true")
        else:
            true = np.array([value == self.true for value in values], dtype=np.bool_)
            says = column.condition("equal", self.true)
        offsets = _lists.offsets_of(true)
        return View((says,), column.codes(values), (offsets, np.zeros(offsets[-1], np.uint32)))


def holds_marks(column: Column) -> bool:
    """Return whether a column has only truth values, ones and zeros, words such as yes, or nothing.

    Examples
    --------
    >>> import polars as pl
    >>> [holds_marks(Column(pl.Series(values))) for values in (["X", None], [0, 1], [1, 2])]
    [True, True, False]
    """
    return column.kind in ("boolean", "empty") or (
        column.n_values <= len(MARKS) and are_marks({label(each).lower() for each in column.values})
    )


def _truth(value: Value) -> bool | None:
    mark = MARKS.get(label(value).lower())
    return None if mark is None else bool(mark)


def _others(count: int) -> _lists.Lists:
    """Return the relation in which every level has all attributes but that of its own number."""
    levels = np.repeat(np.arange(count), max(count - 1, 0))
    rest = np.tile(np.arange(count - 1), count) if count > 1 else np.zeros(0, dtype=np.int64)
    return (
        np.arange(count + 1, dtype=np.int64) * max(count - 1, 0),
        (rest + (rest >= levels)).astype(np.uint32),
    )
