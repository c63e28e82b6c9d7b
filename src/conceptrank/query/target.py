"""`Target`: what a search is about, named by a column, a value of it, or an attribute."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import text as _text
from conceptrank._util.text import counted
from conceptrank.context import Context
from conceptrank.convert.origin import label
from conceptrank.errors import MeasureError, UnknownNameError

if TYPE_CHECKING:
    import polars as pl

# Of two values, one of these is the positive one.
_POSITIVE = {"yes", "y", "true", "t", "1", "positive", "died"}
_NEGATIVE = {"no", "n", "false", "f", "0", "negative"}
# A column of at most this many different numbers is no numeric target without a value.
_TWO = 2
_MOST_SHOWN = 4


@dataclass(frozen=True, eq=False)
class Target:
    """A label or a number for each object, and the table that is searched for what goes with it.

    Parameters
    ----------
    name
        The target in words: an attribute such as `"churn = yes"`, or a column of numbers.
    context
        The objects that have a label or a number, without the attributes of the target's column.
    labels
        Whether each of these objects has the label, or its number.
    missing
        The number of objects that were left out because their value is missing.
    """

    name: str
    context: Context
    labels: NDArray[Any]
    missing: int = 0

    @property
    def numeric(self) -> bool:
        """Whether it is a number, not a label."""
        return self.labels.dtype != np.bool_

    @property
    def described(self) -> str:
        """The target, and the share or the mean over all objects."""
        weights = self.context.weights
        mean = float(self.labels @ weights) / max(int(weights.sum()), 1)
        many = counted(int(weights.sum()), "object")
        whole = f"mean {_text.number(mean)}" if self.numeric else f"{mean:.1%}"
        left_out = f", {self.missing:,} without a value left out" if self.missing else ""
        return f"{self.name} ({whole} of {many}{left_out})"

    @classmethod
    def of(cls, context: Context, text: str) -> Target:
        """Return the target that a user names: `C`, `C=V` or an attribute.

        Of two values the positive one is taken: the one whose name says so, otherwise the rarer.

        Raises
        ------
        UnknownNameError
            If there is no such column, value or attribute.
        MeasureError
            If a column has more values, and the text names none of them.

        Examples
        --------
        >>> import conceptrank as cr
        >>> people = {"job": ["cook", "clerk", "cook"], "left": ["yes", None, "no"]}
        >>> found = Target.of(cr.load(people, scale="auto"), "left")
        >>> found.name, found.labels, found.missing, found.context.attributes
        ('left = yes', array([ True, False]), 1, ('job = clerk', 'job = cook'))
        """
        frame = None if context.origin is None else context.origin.frame
        columns = [] if frame is None else frame.columns
        column, value = _split(text, columns)
        if frame is not None and column is not None:
            return _of_column(context, frame[column], value)
        try:
            (place,) = context.attribute_names.numbers(text).tolist()
        except UnknownNameError:
            return _of_cross(context, text, columns)
        (attribute,) = context.attribute_names.of([place])
        labels = np.zeros(len(context.objects), dtype=np.bool_)
        labels[context.core.extension(np.array([place], dtype=np.uint32))] = True
        known = np.ones(len(labels), dtype=np.bool_)
        if frame is not None and context.origin is not None:
            known = frame[context.origin.conditions[place].column].is_not_null().to_numpy()
        return _of_labels(context, attribute, labels, known, context.same_column(attribute))

    def beside(self) -> Context:
        """Return the table with the target as its last attribute."""
        own = Context(self.context.objects, [self.name], self.labels[:, None])
        weights = self.context.weights if self.context.weighted else None
        return self.context.apposition(own.with_weights(weights))


def _split(text: str, columns: list[str]) -> tuple[str | None, str | None]:
    """Return the column that a text names and the value, if there is one."""
    if text in columns:
        return text, None
    for place, sign in enumerate(text):
        if sign == "=" and (column := text[:place].strip(" '\"")) in columns:
            return column, text[place + 1 :].strip(" '\"")
    return None, None


def _of_column(context: Context, series: pl.Series, value: str | None) -> Target:
    values = series.to_list()
    shown = [None if each is None else label(each) for each in values]
    known = np.array([each is not None for each in shown], dtype=np.bool_)
    origin = context.origin
    assert origin is not None
    own = [
        context.attributes[place]
        for place, condition in enumerate(origin.conditions)
        if condition.column == series.name
    ]
    counts: Counter[str] = Counter()
    for each, weight in zip(shown, context.weights.tolist(), strict=True):
        if each is not None:
            counts[each] += weight
    if value is None and len(counts) > _TWO:
        if not series.dtype.is_numeric():
            some = [f"{series.name}={each}" for each, _ in counts.most_common(_MOST_SHOWN)]
            raise MeasureError(
                f"the column {series.name!r} has {len(counts):,} values (hint: name one of them, "
                f"such as {' or '.join(map(repr, some))})"
            )
        numbers = np.array([0.0 if each is None else float(each) for each in values])
        return _of_labels(context, series.name, numbers, known, own)
    chosen = _positive(counts) if value is None else _value(series.name, value, counts)
    labels = np.array([each == chosen for each in shown], dtype=np.bool_)
    return _of_labels(context, f"{series.name} = {chosen}", labels, known, own)


def _positive(counts: Counter[str]) -> str:
    meant = [each for each in counts if each.lower() in _POSITIVE]
    if len(meant) == 1:
        return meant[0]
    return min(sorted(counts), key=lambda each: counts[each], default="")


def _value(column: str, value: str, counts: Counter[str]) -> str:
    """Return the value of a column that a text means: the same text, word or number."""
    if value in counts:
        return value
    alike = {each for each in counts if each.lower() == value.lower()}
    with suppress(ValueError):
        alike |= {each for each in counts if float(each) == float(value)}
    for words in (_POSITIVE, _NEGATIVE):
        alike |= {each for each in counts if {each.lower(), value.lower()} <= words}
    if len(alike) != 1:
        raise UnknownNameError("value", value, counts, where=f"the column {column!r}")
    return alike.pop()


def _of_cross(context: Context, text: str, columns: list[str]) -> Target:
    """Return the target of `C=yes` or `C=no` for an attribute C of a table of crosses."""
    name, _, value = (part.strip(" '\"") for part in text.rpartition("="))
    word = value.lower()
    if name not in context.attributes or word not in _POSITIVE | _NEGATIVE:
        raise UnknownNameError("target", text, [*columns, *context.attributes])
    found = Target.of(context, name)
    if word in _POSITIVE:
        return found
    return Target(f"{name} = {value}", found.context, ~found.labels, found.missing)


def _of_labels(
    context: Context,
    name: str,
    labels: NDArray[Any],
    known: NDArray[np.bool_],
    own: list[str] | tuple[str, ...],
) -> Target:
    """Return the target of labels; objects without one leave the table."""
    if not known.any():
        raise MeasureError(f"{name} has no value in any of {counted(len(known), 'row')}")
    part = context.drop(attributes=own)
    missing = int(context.weights[~known].sum())
    if missing:
        part = part.select(objects=part.object_names.of(np.flatnonzero(known).tolist()))
    return Target(name, part, labels[known], missing)
