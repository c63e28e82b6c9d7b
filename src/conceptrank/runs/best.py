"""The best concepts by a measure: which ones they are, and where nothing better can be below.

The objects of a concept are objects of every concept above it in the search tree, so its support
bounds those of the whole subtree. A measure that can't be large where the support is small lets
the search leave out subtrees:

| measure | is at most, with s objects |
|---|---|
| support | s |
| frequency | s / number of objects |
| delta_measure (side extent) | s |
| stability_intensional, its bounds | 1 - 2^-s, if no object has all attributes |
| log_stability, its bounds | s, if no object has all attributes |

Other measures have no such bound. Their best concepts are found as well, without leaving out
anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from conceptrank.measures.registry import Measure, Params

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.context import Context

__all__ = ["best", "least_support", "prunes", "support_bound"]

# Scores are rounded; a bound has to be a little larger than what it bounds.
_SLACK = 1e-9


def _of_support(_: int) -> Callable[[int], float]:
    return float


def _of_frequency(n_objects: int) -> Callable[[int], float]:
    return lambda support: support / max(n_objects, 1)


def _of_stability(_: int) -> Callable[[int], float]:
    return lambda support: 1.0 - 2.0**-support


_BOUNDS: dict[str, Callable[[int], Callable[[int], float]]] = {
    "support": _of_support,
    "frequency": _of_frequency,
    "delta_measure": _of_support,
    "stability_intensional": _of_stability,
    "stability_lower_bound": _of_stability,
    "log_stability": _of_support,
    "log_stability_lower_bound": _of_support,
    "log_stability_upper_bound": _of_support,
}
# 1 or infinite for the concept of all attributes, whatever its support.
_ODD_AT_THE_BOTTOM = set(_BOUNDS) - {"support", "frequency", "delta_measure"}


def prunes(measure: Measure, params: Params) -> bool:
    """Return whether a bound on the measure lets the search leave out subtrees.

    Examples
    --------
    >>> from conceptrank.measures import get
    >>> prunes(get("stability"), {}), prunes(get("cr"), {})
    (True, False)
    >>> prunes(get("delta_measure"), {"side": "intent"})
    False
    """
    if measure.name not in _BOUNDS or measure.direction != "higher":
        return False
    given = measure.bind(params)
    held = {"side": "extent", "alpha": 0.5, "bottom": "extent"}
    return all(given.get(key, value) == value for key, value in held.items())


def support_bound(
    measure: Measure, params: Params, context: Context
) -> Callable[[int], float] | None:
    """Return a function that bounds the scores below a concept by its support; None without one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from conceptrank.measures import get
    >>> bound = support_bound(get("stability"), {}, cr.datasets.load("movies"))
    >>> bound(3)
    0.875
    """
    if not prunes(measure, params):
        return None
    if measure.name in _ODD_AT_THE_BOTTOM:
        if "method" in params and measure.name == "stability_intensional":
            # An estimate can be larger than what it estimates.
            return None
        everything = np.arange(len(context.attributes), dtype=np.uint32)
        if context._table.support(everything):
            return None
    return _BOUNDS[measure.name](len(context._objects))


def least_support(bound: Callable[[int], float], score: float, n_objects: int) -> int:
    """Return the least support with which a concept can reach a score.

    Examples
    --------
    >>> least_support(lambda support: 1 - 2.0**-support, 0.9, 100)
    4
    """
    low, high = 0, n_objects
    while low < high:
        middle = (low + high) // 2
        reached = bound(middle)
        if reached + _SLACK * abs(reached) >= score:
            high = middle
        else:
            low = middle + 1
    return low


def best(frame: pl.DataFrame, k: int, by: str, *, descending: bool = True) -> pl.DataFrame:
    """Return the first k rows in the order of a ranking.

    That is the score, then the order of a lattice: larger support first, then the intent. Scores
    that are no numbers come last.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"intent": [[2], [1], [0]], "support": [3, 3, 5], "cr": [0.5, 0.5, 0.1]}
    >>> frame = pl.DataFrame(rows)
    >>> best(frame, 2, "cr")["intent"].to_list()
    [[1], [2]]
    """
    import polars as pl

    key = pl.col(by).cast(pl.Float64).fill_nan(None)
    return frame.sort(
        [key, pl.col("support"), pl.col("intent")],
        descending=[descending, True, False],
        nulls_last=True,
    ).head(k)
