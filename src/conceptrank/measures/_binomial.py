"""The binomial distribution to full precision, for many parameters at once.

Differences of logarithms of large factorials lose all digits. Loader's method avoids these
differences (Fast and accurate computation of binomial probabilities, 2000).
"""

from __future__ import annotations

from math import lgamma, log, pi

import numpy as np

from conceptrank.faces import Scores

# The error of Stirling's formula for log n!, by n. The entry for 0 is unused.
_SMALL_ERRORS = np.array(
    [0.0] + [lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi) for n in range(1, 16)]
)
# A tail that may have underflowed is computed as a logarithm.
_SMALL_TAIL = 1e-290


def log_probability(k: Scores, n: int | Scores, p: Scores, log_p: Scores) -> Scores:
    """Return the logarithm of the chance of k hits in n trials, for 0 < p < 1.

    Parameters
    ----------
    k
        The numbers of hits, integers from 0 to n.
    n
        The number of trials: one for all, or one for each k.
    p, log_p
        The chance of a hit, and its logarithm, which is needed where p underflows.

    Examples
    --------
    >>> half = np.array([0.5])
    >>> np.exp(log_probability(np.array([2.0]), 4, half, np.log(half)))
    array([0.375])
    """
    k, p, log_p = np.broadcast_arrays(k, p, log_p)
    miss = -np.expm1(log_p)
    log_miss = np.where(p < 0.5, np.log1p(-p), np.log(np.where(p < 0.5, 0.5, miss)))
    inner = (k > 0) & (k < n)
    hits = np.where(inner, k, 1.0)
    misses = np.where(inner, n - hits, 1.0)
    trials = np.maximum(n, 1.0)
    log_trials = np.log(trials)
    result: Scores = (
        _stirling_error(trials)
        - _stirling_error(hits)
        - _stirling_error(misses)
        - _deviance(hits, trials * p, log_trials + log_p)
        - _deviance(misses, trials * miss, log_trials + log_miss)
        + 0.5 * (log_trials - log(2 * pi) - np.log(hits) - np.log(misses))
    )
    return np.where(inner, result, np.where(k == 0, n * log_miss, n * log_p))


def upper_tail(k: Scores, n: int, p: Scores) -> Scores:
    """Return the chance of at least k hits in n trials.

    Examples
    --------
    >>> upper_tail(np.array([0.0, 1.0, 2.0]), 2, np.array([0.5, 0.5, 1.0]))
    array([1.  , 0.75, 1.  ])
    """
    from scipy.special import betainc

    usual = (k > 0) & (p > 0) & (p < 1)
    safe = np.where(usual, k, 1.0)
    tail = betainc(safe, np.maximum(n - safe, 0.0) + 1, np.where(usual, p, 0.5))
    return np.where(usual, tail, np.where((k <= 0) | (p >= 1), 1.0, 0.0))


def log_upper_tail(k: Scores, n: int, p: Scores, log_p: Scores) -> Scores:
    """Return the logarithm of the chance of at least k hits, also where that underflows.

    Examples
    --------
    >>> tiny = np.array([1e-200])
    >>> log_upper_tail(np.array([2.0]), 2, tiny, np.log(tiny)) / np.log(10)
    array([-400.])
    """
    tail = upper_tail(k, n, p)
    far = (tail < _SMALL_TAIL) & (k > 0) & np.isfinite(log_p)
    result = np.full(len(k), -np.inf)
    np.log(tail, out=result, where=tail > 0)
    if far.any():
        k, p, log_p = k[far], p[far], log_p[far]
        result[far] = log_probability(k, n, p, log_p) + np.log(_relative_tail(k, n, p))
    return result


def _relative_tail(k: Scores, n: int, p: Scores) -> Scores:
    """Return the chance of at least k hits over that of k hits, for k far above the mean."""
    total, term, more = np.ones_like(k), np.ones_like(k), 0
    odds = p / (1 - p)
    while (term > 1e-17 * total).any():
        term = term * np.maximum(n - k - more, 0.0) / (k + more + 1) * odds
        total = total + term
        more += 1
    return total


def _stirling_error(n: Scores) -> Scores:
    """Return log n! - log(√(2πn) (n/e)^n) for whole numbers n > 0."""
    large = np.maximum(n, 16.0)
    inverse = 1 / (large * large)
    series = 1 / 1680 - inverse * (1 / 1188)
    series = 1 / 1260 - inverse * series
    series = 1 / 360 - inverse * series
    series = (1 / 12 - inverse * series) / large
    return np.where(n < 16, _SMALL_ERRORS[np.minimum(n, 15).astype(np.int64)], series)


def _deviance(x: Scores, mean: Scores, log_mean: Scores) -> Scores:
    """Return x log(x / mean) + mean - x without cancellation near x = mean."""
    difference = x - mean
    v = difference / (x + mean)
    w = v * v
    near = np.abs(v) < 0.1
    # atanh(v) - v = v³ (1/3 + v²/5 + v⁴/7 + …)
    w = np.where(near, w, 0.0)
    series = np.zeros_like(w)
    for odd in range(19, 1, -2):
        series = series * w + 1 / odd
    close = difference * v + 2 * x * v * w * series
    return np.where(near, close, x * (np.log(x) - log_mean) - difference)
