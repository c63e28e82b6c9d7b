"""Corrections for many tests: Benjamini–Hochberg, Benjamini–Yekutieli and Westfall–Young."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values: TypeAlias = NDArray[np.float64]

# Equal statistics can differ by rounding: a share of their size.
SLACK = 1e-9


def benjamini_hochberg(pvalues: ArrayLike) -> Values:
    """Return p-values adjusted for the share of false discoveries.

    Rejecting all that are at most q keeps the expected share of false ones among them at most q,
    if the tests are independent or positively dependent.

    References
    ----------
    Benjamini, Hochberg, Controlling the false discovery rate, JRSS B 57 (1995).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
    [0.04, 0.0533, 0.0533, 0.5]
    """
    return _adjusted(pvalues, "bh")


def benjamini_yekutieli(pvalues: ArrayLike) -> Values:
    """Return p-values adjusted for the share of false discoveries, for any dependence of the tests.

    References
    ----------
    Benjamini, Yekutieli, The control of the false discovery rate in multiple testing under
    dependency, Annals of Statistics 29 (2001).

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
    [0.0833, 0.1111, 0.1111, 1.0]
    """
    return _adjusted(pvalues, "by")


def _adjusted(pvalues: ArrayLike, method: Literal["bh", "by"]) -> Values:
    from scipy.stats import false_discovery_control

    p = np.asarray(pvalues, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p-values are a list of numbers between 0 and 1")
    return np.asarray(false_discovery_control(p, method=method)) if len(p) else p


def westfall_young(observed: Values, nulls: Iterable[Values]) -> tuple[Values, Values]:
    """Return p-values adjusted for the chance of any false discovery, and the nulls' maxima.

    The step-down method: each statistic is compared with the maxima, in random data, over itself
    and all smaller ones. The tests may depend on each other in any way.

    Parameters
    ----------
    observed
        The statistics; large ones are extreme. They should have one scale: a test whose statistic
        varies more than the others would decide the maximum alone.
    nulls
        The statistics of random data, one array per data set.

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
    """Return the observed numbers less a tolerance for rounding."""
    return observed - SLACK * np.where(np.isfinite(observed), np.abs(observed), 0.0)
