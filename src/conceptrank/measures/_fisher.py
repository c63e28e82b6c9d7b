"""Fisher's exact test for many tables of two by two at once, to the last digits."""

from __future__ import annotations

import numpy as np

from conceptrank.faces import Scores
from conceptrank.measures._binomial import log_probability

# Terms this small, as a share of the sum, don't change it.
_NEGLIGIBLE = 1e-18


def upper_tail(both: Scores, n: int, first: Scores, second: Scores) -> Scores:
    """Return the chance of at least so many objects in both of two sets of given sizes.

    Parameters
    ----------
    both
        The numbers of objects in both sets.
    n
        The number of all objects.
    first, second
        The sizes of the sets, each of which may be any of its size.

    Examples
    --------
    >>> upper_tail(np.array([3.0, 0.0]), 5, np.array([3.0, 1.0]), np.array([4.0, 1.0])).round(12)
    array([0.4, 1. ])
    """
    tables = np.column_stack((both, first, second))
    distinct, places = np.unique(tables, axis=0, return_inverse=True)
    result = np.ones(len(distinct))
    both, first, second = distinct.T
    # Fewer than the least possible number is no condition at all.
    least = np.maximum(first + second - n, 0.0)
    some = both > least
    if some.any():
        both, first, second = both[some], first[some], second[some]
        above = both * n > first * second
        start = np.where(above, both, both - 1)
        tail = np.exp(_log_probability(start, n, first, second))
        tail *= _relative_tail(start, n, first, second, upward=above)
        result[some] = np.where(above, tail, 1 - tail)
    return np.clip(result, 0.0, 1.0)[places.reshape(-1)]


def log_upper_tail(both: Scores, n: int, first: Scores, second: Scores) -> Scores:
    """Return the logarithm of `upper_tail`, also where that is too small for a number.

    Examples
    --------
    >>> log_upper_tail(np.array([4e3]), 8000, np.array([4e3]), np.array([4e3])).round(3)
    array([-5540.444])
    """
    tails = upper_tail(both, n, first, second)
    logs = np.log(tails, out=np.full(len(tails), -np.inf), where=tails > 0)
    small = np.flatnonzero(tails < 1e-200)
    if len(small):
        both, first, second = both[small], first[small], second[small]
        upward = np.ones(len(small), dtype=np.bool_)
        relative = _relative_tail(both, n, first, second, upward=upward)
        logs[small] = _log_probability(both, n, first, second) + np.log(relative)
    return logs


def _log_probability(k: Scores, n: int, first: Scores, second: Scores) -> Scores:
    """Return the logarithm of the chance of k objects in both sets, neither empty nor everything.

    As three binomial probabilities with the same share (Loader 2000).
    """
    share = second / n
    log_share = np.log(share)
    result: Scores = (
        log_probability(k, first, share, log_share)
        + log_probability(second - k, n - first, share, log_share)
        - log_probability(second, n, share, log_share)
    )
    return result


def _relative_tail(
    start: Scores, n: int, first: Scores, second: Scores, *, upward: np.ndarray
) -> Scores:
    """Return the chance of k and all beyond it, over that of k."""
    total = np.ones(len(start))
    places = np.arange(len(start))
    k, term = start.copy(), np.ones(len(start))
    while len(places):
        rest = n - first - second
        up = (first - k) * (second - k), (k + 1) * (rest + k + 1)
        down = k * (rest + k), (first - k + 1) * (second - k + 1)
        term = term * np.where(upward, up[0], down[0]) / np.where(upward, up[1], down[1])
        total[places] += term
        k = np.where(upward, k + 1, k - 1)
        going = term > _NEGLIGIBLE * total[places]
        places, k, term = places[going], k[going], term[going]
        first, second, upward = first[going], second[going], upward[going]
    return total
