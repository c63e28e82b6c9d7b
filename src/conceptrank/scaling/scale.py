"""`Scale`: a small context whose objects are values, or kinds of values, of a column.

Scaling a column looks up the value of every row in it. So a scale gives three things: the
attributes, the level of every row, and the attributes of each level.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from conceptrank._util.lists import Lists
from conceptrank.convert.origin import Condition, Value, label
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.scaling.column import Codes, Column

# Scales whose levels have many attributes each are squares: more levels than this are a mistake.
MOST_LEVELS = 2_000


@dataclass(frozen=True)
class View:
    """A column as a scale sees it.

    Parameters
    ----------
    conditions
        What the attributes say.
    codes
        The level of every row; -1 if its value is missing.
    relation
        The attribute numbers of every level.
    """

    conditions: tuple[Condition, ...]
    codes: Codes
    relation: Lists

    def with_missing(self, missing: Condition) -> View:
        """Return the view with missing values as one more level, which has an attribute."""
        offsets, values = self.relation
        return View(
            (*self.conditions, missing),
            np.where(self.codes < 0, np.int32(len(offsets) - 1), self.codes),
            (
                np.append(offsets, offsets[-1] + 1),
                np.append(values, np.uint32(len(self.conditions))),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Scale(ABC):
    """A way to turn the values of a column into attributes. It never changes."""

    name: ClassVar[str]
    # Whether the attributes depend on each other by construction.
    exclusive: ClassVar[bool] = True

    @abstractmethod
    def fitted(self, column: Column) -> Scale:
        """Return the scale with everything explicit that it takes from this column."""

    @abstractmethod
    def view(self, column: Column) -> View:
        """Return a column as this scale sees it; the scale must be fitted."""

    def missing_view(self, column: Column) -> View:
        """Return the same with missing values as a value of their own."""
        return self.view(column).with_missing(column.condition("missing"))

    @property
    def listed(self) -> tuple[Value, ...] | None:
        """The only values that a column may have; None if it may have others."""
        return None

    def settings(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, as plain values.

        Examples
        --------
        >>> from conceptrank.scaling import Quantiles
        >>> Quantiles(count=4).settings()
        {'count': 4}
        """
        found = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                found[field.name] = list(value) if isinstance(value, tuple) else value
        return found

    def __str__(self) -> str:
        parts = [self.name]
        for key, value in self.settings().items():
            text = ",".join(label(v) for v in value) if isinstance(value, list) else label(value)
            positional = key in ("values", "levels", "edges", "count", "value", "true")
            parts.append(text if positional else f"{key}={text}")
        return ":".join(parts)


SCALES: dict[str, type[Scale]] = {}


def register(scale: type[Scale]) -> type[Scale]:
    """Add a kind of scale for plans and options."""
    SCALES[scale.name] = scale
    return scale


_EXPECTED: dict[str, tuple[Any, str]] = {
    "values": ((list, tuple), "a list"),
    "levels": ((list, tuple), "a list"),
    "edges": ((list, tuple), "a list"),
    "count": (int, "a number of intervals"),
    "quantiles": (int, "a number of parts"),
    "closed": (str, "left or right"),
    "bounded": (bool, "true or false"),
}


def from_settings(name: str, settings: Mapping[str, Any], *, where: str | None = None) -> Scale:
    """Return the scale of a name with parameters.

    Raises
    ------
    UnknownNameError
        If there is no such scale or parameter.
    FormatError
        If a parameter has a value that it can't have.

    Examples
    --------
    >>> from_settings("quantiles", {"count": 4})
    Quantiles(count=4)
    >>> from_settings("quantile", {})
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown scale 'quantile'; did you mean 'quantiles'?
    """
    refuse_unknown("scale", [name], SCALES, where=where)
    kind = SCALES[name]
    known = [field.name for field in fields(kind)]
    place = f"scale {name}" if where is None else f"scale {name} of {where}"
    refuse_unknown("parameter", settings, known, where=place)
    for key, value in settings.items():
        expected, words = _EXPECTED.get(key, (Value.__args__, "a number, a word or a date"))
        if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
            reason = f"{key} is {value!r}, expected {words}"
            raise FormatError(f"{where}: {reason}" if where else reason)
    try:
        return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in settings.items()})
    except (TypeError, FormatError) as error:
        reason = error.reason if isinstance(error, FormatError) else _needed(kind, settings)
        raise FormatError(f"{where}: {reason}" if where else reason) from None


def _needed(kind: type[Scale], settings: Mapping[str, Any]) -> str:
    missing = [field.name for field in fields(kind) if field.name not in settings]
    return f"scale {kind.name} needs {' and '.join(missing)}"


def one_each(count: int) -> Lists:
    """Return the relation in which every level has the attribute of its own number."""
    return np.arange(count + 1, dtype=np.int64), np.arange(count, dtype=np.uint32)


def refuse_many(column: Column, values: Sequence[Value], scale: str) -> None:
    """Refuse so many different values that the scale would have millions of crosses."""
    if len(values) > MOST_LEVELS:
        raise column.complaint(
            f"{len(values):,} different values are too many for scale {scale}",
            hint="give a few levels, or use quantiles",
        )
