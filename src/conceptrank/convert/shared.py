"""Helpers of the converters: names, numbers, crosses, optional libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import Lists, Numbers, Offsets
from conceptrank.errors import ConceptRankError, FormatError

__all__ = [
    "Parts",
    "crosses_of",
    "imported",
    "lists",
    "numbered",
    "places_of",
    "stable_order",
    "texts",
]

# What `Context.from_csr` takes: the names of both sides, and the rows.
Parts: TypeAlias = tuple[Sequence[str], Sequence[str], Offsets, Numbers]


def numbered(n: int) -> list[str]:
    """Return the names of n things that have none: "1", "2" and so on."""
    return list(map(str, range(1, n + 1)))


def texts(names: Iterable[object]) -> list[str]:
    """Return names as strings."""
    return list(map(str, names))


def crosses_of(values: NDArray[Any], place: Callable[[int], str]) -> NDArray[np.bool_]:
    """Return which values are crosses; anything but true and false, 1 and 0 is an error."""
    if values.dtype.kind == "b":
        return values
    if values.dtype.kind in "iuf":
        wrong = np.flatnonzero((values != 0) & (values != 1))
    else:
        wrong = np.flatnonzero([not _is_mark(value) for value in values.tolist()])
    if len(wrong):
        value = values[wrong[0]]
        raise FormatError(
            f"{place(int(wrong[0]))} holds {str(value)!r}: a cross is True or False",
            hint="columns of other values have to be scaled first: see conceptrank.scaling",
        )
    return values.astype(np.bool_)


def _is_mark(value: object) -> bool:
    return isinstance(value, int | float | np.bool_ | np.number) and value in (0, 1)


def places_of(names: list[Any], known: list[Any], kind: str) -> NDArray[np.int64]:
    """Return the places of names in a list; refuse one that is not there."""
    places = {name: place for place, name in enumerate(known)}
    try:
        return np.fromiter((places[name] for name in names), dtype=np.int64, count=len(names))
    except KeyError as error:
        raise FormatError(f"{kind} {error.args[0]!r} is not in the list of {kind}s") from None


def stable_order(values: Iterable[Any]) -> list[Any]:
    """Return values in an order that doesn't depend on their hashes."""
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def lists(rows: Lists) -> Iterator[list[int]]:
    """Yield the attribute numbers of each object.

    Examples
    --------
    >>> list(lists((np.array([0, 1, 1, 3]), np.array([1, 0, 2]))))
    [[1], [], [0, 2]]
    """
    offsets, values = rows
    for start, stop in pairwise(offsets.tolist()):
        yield values[start:stop].tolist()


def imported(module: str) -> Any:
    """Return a module; name the package to install if it is missing."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ConceptRankError(f"this needs {package}: pip install {package}") from None
