"""`numbers` and `classes`: weights and labels that users give, one per object or attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from math import isnan
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.text import counted
from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.faces import Scores

Found = TypeVar("Found")


_REMEMBERED: ContextVar[dict[tuple[Any, ...], Any] | None] = ContextVar("given", default=None)


@contextmanager
def remembered() -> Iterator[None]:
    """Read the same labels or weights only once inside, however many measures use them.

    Examples
    --------
    >>> labels = ["no", "yes"]
    >>> with remembered():
    ...     classes(labels, "12", "labels") is classes(labels, "12", "labels")
    True
    """
    token = _REMEMBERED.set({} if (known := _REMEMBERED.get()) is None else known)
    try:
        yield
    finally:
        _REMEMBERED.reset(token)


def kept(owners: tuple[object, ...], read: Callable[[], Found], *words: str) -> Found:
    """Return the result of a function of objects and words; `remembered` calls it once for each.

    Examples
    --------
    >>> labels = ["no", "yes"]
    >>> with remembered():
    ...     kept((labels,), lambda: labels[:]) is kept((labels,), lambda: labels[:])
    True
    """
    known = _REMEMBERED.get()
    if known is None:
        return read()
    # Keep the owners alive, so that no other object gets the same id.
    key = (*map(id, owners), *words)
    if key not in known:
        known[key] = owners, read()
    found: Found = known[key][1]
    return found


def _once(read: Callable[..., Found]) -> Callable[..., Found]:
    """Make a function of values remember what it read, within `remembered`."""

    @wraps(read)
    def reading(values: object, *others: Any) -> Found:
        words = [other for other in others if isinstance(other, str)]
        return kept((values,), lambda: read(values, *others), read.__name__, *words)

    return reading


@_once
def numbers(values: object, names: Sequence[str], kind: str, argument: str) -> Scores:
    """Return a number for each name.

    Parameters
    ----------
    values
        A mapping from names to numbers, or numbers in the order of the names.
    names, kind
        The names, and whether they are of an `"object"` or an `"attribute"`.
    argument
        The name of the values in messages.

    Examples
    --------
    >>> numbers({"b": 2, "a": 1}, "ab", "attribute", "weights")
    array([1., 2.])
    >>> numbers([1], "ab", "attribute", "weights")
    Traceback (most recent call last):
    conceptrank.errors.MeasureError: weights has 1 value for 2 attributes
    """
    listed = _listed(values, names, kind, argument)
    try:
        found = np.array(listed, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.full(len(listed), np.nan)
    if found.shape != (len(names),) or not np.isfinite(found).all():
        place = next((i for i, value in enumerate(listed) if not _is_number(value)), 0)
        raise MeasureError(
            f"{argument} must be finite numbers, got {listed[place]!r} for {names[place]!r}"
        )
    return found


@_once
def classes(
    values: object, names: Sequence[str], argument: str
) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the distinct labels of objects, and for each object the place of its label.

    Examples
    --------
    >>> classes(["no", "yes", "no"], "123", "labels")
    (['no', 'yes'], array([0, 1, 0]))
    >>> classes(["no", None, "no"], "123", "labels")
    Traceback (most recent call last):
    conceptrank.errors.MeasureError: labels has no label for '2'
    """
    if (
        isinstance(values, np.ndarray)
        and values.shape == (len(names),)
        and values.dtype.kind in "bi"
    ):
        different, first, place = np.unique(values, return_index=True, return_inverse=True)
        appeared = np.argsort(first)
        return different[appeared].tolist(), np.argsort(appeared)[place]
    listed = _listed(values, names, "object", argument)
    places: dict[Any, int] = {}
    found = np.zeros(len(names), dtype=np.int64)
    for i, label in enumerate(listed):
        if label is None or (isinstance(label, float) and isnan(label)):
            raise MeasureError(f"{argument} has no label for {names[i]!r}")
        try:
            found[i] = places.setdefault(label, len(places))
        except TypeError:
            raise MeasureError(
                f"{argument} must be single values such as words or numbers, got {label!r} "
                f"for {names[i]!r}"
            ) from None
    return list(places), found


def _listed(values: object, names: Sequence[str], kind: str, argument: str) -> list[Any]:
    """Return the values as a list in the order of the names."""
    if isinstance(values, Mapping):
        by_name = {str(name): value for name, value in values.items()}
        known = set(names)
        for name in by_name:
            if name not in known:
                raise UnknownNameError(kind, name, names, where=argument)
        missing = [name for name in names if name not in by_name]
        if missing:
            more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
            raise MeasureError(f"{argument} has no value for the {kind} {missing[0]!r}{more}")
        return [by_name[name] for name in names]
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise MeasureError(
            f"{argument} must be a mapping from {kind}s or a sequence in their order, "
            f"got {values!r}"
        )
    # NumPy scalars become Python's, so that equal labels compare equal.
    tolist = getattr(values, "tolist", None) or getattr(values, "to_list", None)
    listed: list[Any] = list(tolist() if tolist is not None else values)
    if len(listed) != len(names):
        many = counted(len(listed), "value")
        raise MeasureError(f"{argument} has {many} for {len(names):,} {kind}s")
    return listed


def _is_number(value: object) -> bool:
    try:
        return bool(np.isfinite(np.float64(value)))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
