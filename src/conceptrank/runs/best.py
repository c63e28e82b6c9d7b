"""The best concepts of a run: their order, and the least support that one of them can have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from conceptrank._util.lazy import pl
from conceptrank.best.curves import Key, curves
from conceptrank.concepts import Marks
from conceptrank.measures.registry import Measure, Params

if TYPE_CHECKING:
    from conceptrank.context import Context

# Scores are rounded, so a bound must be a little larger than the scores it bounds.
_SLACK = 1e-9


def least_support(measure: Measure, params: Params, context: Context, score: float) -> int:
    """Return a support below which no concept reaches a score, by the bound of the measure.

    The concept without objects is an exception. It comes with the root of the search tree.

    Parameters
    ----------
    measure, params
        The measure, of which high scores are better, and its parameters.
    context
        The context.
    score
        The score.

    Returns
    -------
    int
        The support; 0 if the measure has no bound, or none that depends on the support.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from conceptrank.measures import get
    >>> movies = cr.datasets.load("movies")
    >>> [least_support(get(name), {}, movies, 0.8) for name in ("stability", "frequency", "cosine")]
    [3, 9, 0]
    """
    if measure.direction != "higher":
        return 0
    everything = np.arange(context.shape[1], dtype=np.uint32)
    full_rows = bool(context.core.support(everything) > 0)
    key = Key(measure, params, 1.0)
    curve = curves(key, context, 0, Marks(context), bottom=full_rows)[0]
    return 0 if curve is None else int(curve.searchsorted(score - _SLACK * abs(score)))


def best(frame: pl.DataFrame, k: int, order: Mapping[str, bool]) -> pl.DataFrame:
    """Return the first k rows in the order of a ranking.

    The order is that of the scores in some columns, each with whether large ones come first, then
    that of a lattice: larger support first, then the intent. Scores that are not numbers come last.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"intent": [[2], [1], [0]], "support": [3, 3, 5], "cr": [0.5, 0.5, 0.1]}
    >>> frame = pl.DataFrame(rows)
    >>> best(frame, 2, {"cr": True})["intent"].to_list()
    [[1], [2]]
    """
    keys = [pl.col(by).cast(pl.Float64).fill_nan(None) for by in order]
    return frame.sort(
        [*keys, pl.col("support"), pl.col("intent")],
        descending=[*order.values(), True, False],
        nulls_last=True,
    ).head(k)
