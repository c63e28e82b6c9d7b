"""Weights: aggregates of weights that users give to attributes or objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank._util.lists import Offsets
from conceptrank.concepts import Concepts
from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.faces import Scores
from conceptrank.measures.registry import measure
from conceptrank.measures.user_data import numbers

# The weights of every concept, one list after the other.
Weights: TypeAlias = tuple[Offsets, Scores]


_BELOHLAVEK = "Belohlavek, Macko, Selecting important concepts using weights, ICFCA (2011)"


@measure(side="intent", complexity="O(|B|)", reference=_BELOHLAVEK)
def weighted_intent(
    concepts: Concepts, *, weights: object, agg: str = "sum", power: float = 2.0
) -> Scores:
    """Return an aggregate of your weights of the attributes of B.

    Parameters
    ----------
    concepts
        The concepts.
    weights
        A weight for each attribute: a mapping from names, or numbers in the context's order.
    agg
        `"sum"`, `"mean"`, `"max"`, `"min"`, `"product"` or `"owa"`. An empty intent gets 0, and
        1 for the product. `"owa"` is the ordered weighted average: the i-th largest of n weights
        counts (i/n)^power - ((i-1)/n)^power.
    power
        Of `"owa"`: 1 gives the mean; towards 0 it becomes the maximum, towards infinity the
        minimum.
    """
    combine = _aggregation(agg, power)
    given = numbers(weights, concepts.context.attributes, "attribute", "weights")
    offsets, values = concepts.intents
    return combine((offsets, given[values]))


@measure(side="extent", depends=("hits",), complexity="O(|A|)", reference="dual of " + _BELOHLAVEK)
def weighted_extent(
    concepts: Concepts, *, weights: object, agg: str = "sum", power: float = 2.0
) -> Scores:
    """Return an aggregate of your weights of the objects of A.

    Parameters
    ----------
    concepts
        The concepts.
    weights
        A weight for each object: a mapping from names, or numbers in the context's order.
    agg, power
        As for `weighted_intent`.
    """
    combine = _aggregation(agg, power)
    given = numbers(weights, concepts.context.objects, "object", "weights")
    result = np.zeros(len(concepts))
    for part, (offsets, values) in concepts.extents():
        result[part] = combine((offsets, given[values]))
    return result


def _mean(lists: Weights) -> Scores:
    sums = _lists.reduced(np.add, lists, empty=0)
    return np.asarray(sums / np.maximum(np.diff(lists[0]), 1))


def _ordered(lists: Weights, power: float) -> Scores:
    offsets, values = lists
    many = np.diff(offsets)
    owners = np.repeat(np.arange(len(many)), many)
    order = np.lexsort((-values, owners))
    place = np.arange(len(values)) - np.repeat(offsets[:-1], many)
    size = np.repeat(many, many)
    shares = ((place + 1) / size) ** power - (place / size) ** power
    return _lists.reduced(np.add, (offsets, shares * values[order]), empty=0)


_AGGREGATIONS: dict[str, Callable[[Weights], Scores]] = {
    "sum": lambda lists: _lists.reduced(np.add, lists, empty=0),
    "mean": _mean,
    "max": lambda lists: _lists.reduced(np.maximum, lists, empty=0),
    "min": lambda lists: _lists.reduced(np.minimum, lists, empty=0),
    "product": lambda lists: _lists.reduced(np.multiply, lists, empty=1),
}


def _aggregation(agg: str, power: float) -> Callable[[Weights], Scores]:
    if agg == "owa":
        if not power > 0:
            raise MeasureError(f"power must be positive, got {power!r}")
        return lambda lists: _ordered(lists, power)
    if agg not in _AGGREGATIONS:
        raise UnknownNameError("agg", agg, [*_AGGREGATIONS, "owa"])
    return _AGGREGATIONS[agg]
