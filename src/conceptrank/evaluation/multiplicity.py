"""Corrections for many tests at once: there are as many tests as concepts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values: TypeAlias = NDArray[np.float64]

# Equal statistics can differ by rounding: a share of their size.
SLACK = 1e-9


def benjamini_hochberg(pvalues: ArrayLike) -> Values:
    """Return p-values adjusted to the share of false discoveries.

    Rejecting all that are at most q keeps the expected share of false ones among them at most q,
    when the tests are independent or positively dependent.

    References
    ----------
    Benjamini, Hochberg, Controlling the false discovery rate, JRSS B 57 (1995).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    """
    return _step_up(pvalues, 1.0)


def benjamini_yekutieli(pvalues: ArrayLike) -> Values:
    """Return p-values adjusted to the share of false discoveries, however the tests depend.

    References
    ----------
    Benjamini, Yekutieli, The control of the false discovery rate in multiple testing under
    dependency, Annals of Statistics 29 (2001).

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
    [0.0833, 0.1111, 0.1111, 1.0]
    """
    m = np.asarray(pvalues).size
    return _step_up(pvalues, float((1 / np.arange(1, m + 1)).sum()))


def _step_up(pvalues: ArrayLike, factor: float) -> Values:
    p = np.asarray(pvalues, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p-values are a list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * (factor * len(p)) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


def westfall_young(observed: Values, nulls: Iterable[Values]) -> tuple[Values, Values]:
    """Return p-values adjusted to the chance of any false discovery, and the nulls' maxima.

    The largest statistics of random data say what chance can do somewhere among all tests; what
    chance does in one test and what in another may depend on each other in any way. The tests are
    gone through from the largest statistic down, each being compared with the maxima over itself
    and the smaller ones.

    Parameters
    ----------
    observed
        The statistics; large ones are extreme. They should be of one scale, as a test whose
        statistic varies more under chance than the others' decides the maximum alone.
    nulls
        The statistics of random data, one array a time.

    References
    ----------
    Westfall, Young, Resampling-based multiple testing (1993), algorithm 4.1 with the maximum in
    place of the minimal p-value.

    Examples
    --------
    >>> adjusted, maxima = westfall_young(np.array([3.0, 1.0]), [np.array([2.0, 0.5])] * 9)
    >>> adjusted, maxima[0]
    (array([0.1, 0.1]), np.float64(2.0))
    """
    order = np.argsort(-observed, kind="stable")
    thresholds = at_least(observed)[order]
    counts = np.zeros(len(observed), dtype=np.int64)
    maxima = []
    for null in nulls:
        # The maximum over a test and all after it.
        running = np.maximum.accumulate(null[order][::-1])[::-1]
        counts += running >= thresholds
        maxima.append(running[0] if len(running) else -np.inf)
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate((1 + counts) / (1 + len(maxima)))
    return adjusted, np.array(maxima)


def at_least(observed: Values) -> Values:
    """Return the numbers from which on others count as at least the observed ones."""
    return observed - SLACK * np.where(np.isfinite(observed), np.abs(observed), 0.0)
