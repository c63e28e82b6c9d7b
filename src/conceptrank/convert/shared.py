"""Helpers of the converters: names, numbers, crosses, weights, optional libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import Lists, Numbers, Offsets
from conceptrank._util.names import Names
from conceptrank.errors import ConceptRankError, FormatError, refuse_unknown

# What `Context.from_csr` takes: the names of both sides, and the rows.
Parts: TypeAlias = tuple[Sequence[str], Sequence[str], Offsets, Numbers]
# How users give the weights of objects: by name, or in the order of the objects.
Weights: TypeAlias = Mapping[Any, Any] | Iterable[Any]

# The core counts objects in 32 bits.
_MOST_OBJECTS = (1 << 32) - 1


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
            hint="conceptrank.load scales columns of other values",
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


def weights(values: Weights | None, names: Names) -> Numbers | None:
    """Return the weights of objects in their order; None if all are 1.

    Parameters
    ----------
    values
        A mapping from names, or numbers in the order of the names; all are 1 if None.
    names
        The objects.

    Raises
    ------
    FormatError
        If a weight is missing or is not a whole number from 1 on.

    Examples
    --------
    >>> weights({"b": 2, "a": 1}, Names("object", "ab"))
    array([1, 2], dtype=uint32)
    >>> weights([1.0, 1.0], Names("object", "ab"))
    >>> weights([1, 0], Names("object", "ab"))
    Traceback (most recent call last):
    conceptrank.errors.FormatError: the weight of object 'b' is 0, expected a whole number from \
1 on (hint: leave out rows that occur 0 times, and make fractions whole numbers)
    """
    if values is None:
        return None
    listed = _listed_weights(values, names)
    array = np.asarray(listed)
    if array.dtype.kind not in "iuf":
        array = np.array(listed, dtype=object)
    if array.shape != (len(names),):
        raise FormatError(f"{len(array):,} weights are given for {len(names):,} objects")
    if array.dtype.kind not in "iuf":
        wrong = np.array([not _is_weight(value) for value in array.tolist()], dtype=np.bool_)
        array = array if wrong.any() else array.astype(np.float64)
    else:
        with np.errstate(invalid="ignore"):
            wrong = ~((array >= 1) & (array <= _MOST_OBJECTS) & (array == np.floor(array)))
    if wrong.any():
        place = int(wrong.argmax())
        raise FormatError(
            f"the weight of object {names.of([place])[0]!r} is {array.tolist()[place]!r}, "
            "expected a whole number from 1 on",
            hint="leave out rows that occur 0 times, and make fractions whole numbers",
        )
    total = int(array.sum(dtype=np.float64))
    if total > _MOST_OBJECTS:
        raise FormatError(f"the weights add up to {total:,}, and at most {_MOST_OBJECTS:,} fit")
    return None if (array == 1).all() else np.ascontiguousarray(array, dtype=np.uint32)


def _listed_weights(values: Weights, names: Names) -> Any:
    if isinstance(values, Mapping):
        by_name = {str(name): value for name, value in values.items()}
        refuse_unknown("object", by_name, dict.fromkeys(names.labels), where="weights")
        for name in names.labels:
            if name not in by_name:
                raise FormatError(f"weights has no value for the object {name!r}")
        return [by_name[name] for name in names.labels]
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise FormatError(
            f"weights must be a mapping from objects or a sequence in their order, got {values!r}"
        )
    to_numpy = getattr(values, "to_numpy", None)
    if to_numpy is not None:
        return to_numpy()
    return values if isinstance(values, np.ndarray) else list(values)


def _is_weight(value: object) -> bool:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return number and 1 <= value <= _MOST_OBJECTS and value == int(value)  # type: ignore


def imported(module: str) -> Any:
    """Return a module; name the package to install if it is missing."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ConceptRankError(f"this needs {package}: pip install {package}") from None
