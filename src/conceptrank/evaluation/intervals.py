"""Summaries of repeated runs: `run_interval` for single runs, `mean_interval` for their mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Summary(NamedTuple):
    """Mean, deviation and interval of the numbers that several runs gave.

    Attributes
    ----------
    mean, deviation
        Mean and standard deviation of the defined numbers; nan where there are too few.
    low, high
        The ends of the interval; NaN if there is no interval.
    defined
        The number of runs that gave a number.
    runs
        The number of all runs.
    """

    mean: float
    deviation: float
    low: float
    high: float
    defined: int
    runs: int

    def __str__(self) -> str:
        return self.text()

    def text(self, digits: int = 3) -> str:
        """Return the mean with its interval, and the number of runs if some gave no number.

        Examples
        --------
        >>> print(Summary(0.5, 0.1, 0.31, 0.7, 6, 30))
        0.500 [0.310, 0.700] in 6 of 30
        >>> print(run_interval([float("nan")]))
        undefined
        """
        if not self.defined:
            return "undefined"
        text = f"{self.mean:.{digits}f}"
        if not np.isnan(self.low):
            text += f" [{self.low:.{digits}f}, {self.high:.{digits}f}]"
        return text + (f" in {self.defined} of {self.runs}" if self.defined < self.runs else "")


def run_interval(values: ArrayLike, *, level: float = 0.95) -> Summary:
    """Return the interval that holds the middle 95 % of the runs.

    It shows how much single runs differ. It is not an interval for their mean.

    Examples
    --------
    >>> run_interval([0.1, 0.2, 0.3, float("nan")]).defined, round(run_interval([0.0, 1.0]).high, 3)
    (3, 0.975)
    """
    numbers = np.asarray(values, dtype=np.float64)
    defined = numbers[np.isfinite(numbers)]
    if not len(defined):
        return Summary(np.nan, np.nan, np.nan, np.nan, 0, len(numbers))
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    deviation = float(defined.std(ddof=1)) if len(defined) > 1 else np.nan
    return Summary(
        float(defined.mean()), deviation, float(low), float(high), len(defined), len(numbers)
    )


def mean_interval(values: ArrayLike, *, split: float | None = None, level: float = 0.95) -> Summary:
    """Return a confidence interval for the mean of the runs, by Student's t.

    Parameters
    ----------
    values
        One number per run.
    split
        None for independent runs. For random splits of the same objects, the share of the objects
        in one of the two parts. Splits are not independent, so the variance of the mean of R runs
        is taken as (1/R + s) times that of single runs, where s is the size of the smaller part
        over that of the larger one (Nadeau and Bengio 2003).
    level
        The confidence level.

    Examples
    --------
    >>> print(mean_interval([0.1, 0.2, 0.3]))
    0.200 [-0.048, 0.448]
    >>> print(mean_interval([0.1, 0.2, 0.3], split=0.5))
    0.200 [-0.297, 0.697]
    """
    from scipy.stats import t

    summary = run_interval(values, level=level)
    if summary.defined < 2:
        return summary._replace(low=np.nan, high=np.nan)
    overlap = 0.0 if split is None else min(split, 1 - split) / max(split, 1 - split)
    scale = summary.deviation * np.sqrt(1 / summary.defined + overlap)
    width = float(t.ppf((1 + level) / 2, summary.defined - 1) * scale)
    return summary._replace(low=summary.mean - width, high=summary.mean + width)
