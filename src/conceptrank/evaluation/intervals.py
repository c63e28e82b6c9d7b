"""What repeated runs say: means, spreads, and intervals that don't pretend independence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Summary(NamedTuple):
    """Numbers of several runs, in short; nan where there is nothing to say.

    Attributes
    ----------
    mean, deviation
        Mean and standard deviation of the defined ones.
    low, high
        The interval.
    defined
        How many runs gave a number.
    """

    mean: float
    deviation: float
    low: float
    high: float
    defined: int


_NOTHING = Summary(np.nan, np.nan, np.nan, np.nan, 0)


def spread(values: ArrayLike, *, level: float = 0.95) -> Summary:
    """Return the interval that holds the middle 95 % of the runs.

    It says how much one run differs from another, which splits that share data allow to say.

    Examples
    --------
    >>> spread([0.1, 0.2, 0.3, float("nan")]).defined, round(spread([0.0, 1.0]).high, 3)
    (3, 0.975)
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known)]
    if not len(known):
        return _NOTHING
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    deviation = float(known.std(ddof=1)) if len(known) > 1 else np.nan
    return Summary(float(known.mean()), deviation, float(low), float(high), len(known))


def corrected(values: ArrayLike, *, share: float, level: float = 0.95) -> Summary:
    """Return an interval for the mean over random splits, whose halves overlap between splits.

    The variance of the mean is taken as (1/R + n₂/n₁) times that of the R values (Nadeau and
    Bengio 2003), since splits of the same objects are no independent repetitions.

    Parameters
    ----------
    values
        One number a split.
    share
        The share of the objects in the first part.
    level
        How sure to be.

    Examples
    --------
    >>> summary = corrected([0.1, 0.2, 0.3], share=0.5)
    >>> round(summary.mean, 3), round(summary.low, 3), round(summary.high, 3)
    (0.2, -0.297, 0.697)
    """
    from scipy.stats import t

    summary = spread(values, level=level)
    if summary.defined < 2:
        return summary._replace(low=np.nan, high=np.nan)
    ratio = (1 - share) / share
    scale = summary.deviation * np.sqrt(1 / summary.defined + ratio)
    width = float(t.ppf((1 + level) / 2, summary.defined - 1) * scale)
    return summary._replace(low=summary.mean - width, high=summary.mean + width)
