"""The best concepts by a measure, and the support below which no concept can be among them.

The objects of a concept are objects of every concept above it in the search tree, so its support
bounds those of the whole subtree. Measures whose declared bound follows from the support let the
search leave out subtrees. The best concepts by other measures are found without leaving out any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from conceptrank.measures import bounds
from conceptrank.measures.registry import Measure, Params

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.context import Context

__all__ = ["best", "least_support", "support_bound"]

# Scores are rounded; a bound has to be a little larger than what it bounds.
_SLACK = 1e-9


def support_bound(
    measure: Measure, params: Params, context: Context
) -> Callable[[int], float] | None:
    """Return a function that bounds the scores below a concept by its support; None without one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from conceptrank.measures import get
    >>> movies = cr.datasets.load("movies")
    >>> support_bound(get("stability"), {}, movies)(3)
    0.875
    >>> support_bound(get("delta_measure"), {"side": "intent"}, movies) is None
    True
    """
    limits = bounds.by_support(measure, params, context)
    if limits is None or measure.direction != "higher":
        return None
    return lambda support: float(limits[support])


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
