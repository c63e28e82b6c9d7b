"""How far two measures agree: coefficients of two columns of scores.

Each returns nan where it is undefined, and never a warning. The ones that look at order only
take levels (see `conceptrank.ranking.order`), so that they all have the same idea of a tie.
"""

from __future__ import annotations

from math import nan

import numpy as np

from conceptrank.faces import Scores
from conceptrank.ranking.order import Levels, ranks


def pearson(x: Scores, y: Scores) -> float:
    """Return Pearson's correlation; undefined if a column is constant or not finite.

    Examples
    --------
    >>> round(pearson(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 9.0])), 4)
    0.9986
    """
    if _undefined(x) or _undefined(y):
        return nan
    x, y = _centred(x), _centred(y)
    return _within(float(x @ y) / float(np.sqrt(x @ x) * np.sqrt(y @ y)))


def spearman(x: Levels, y: Levels) -> float:
    """Return Spearman's correlation: Pearson's of the ranks, ties sharing the mean of theirs.

    Examples
    --------
    >>> round(spearman(np.array([0, 1, 1, 2]), np.array([0, 2, 1, 3])), 4)
    0.9487
    """
    return pearson(ranks(x, "average").astype(np.float64), ranks(y, "average").astype(np.float64))


def kendall(x: Levels, y: Levels) -> float:
    """Return Kendall's τ-b, which is corrected for ties, in O(n log n).

    Examples
    --------
    >>> round(kendall(np.array([0, 1, 1, 2]), np.array([0, 2, 1, 3])), 4)
    0.9129
    """
    if x.max(initial=0) == 0 or y.max(initial=0) == 0:
        return nan
    from scipy.stats import kendalltau

    if len(x) == 2:  # SciPy divides by n - 2 for a p-value that nobody asked for
        return 1.0 if x[0] == y[0] else -1.0
    return _within(float(kendalltau(x, y, variant="b", method="asymptotic").statistic))


def concordance(x: Scores, y: Scores) -> float:
    """Return Lin's concordance: how close the points (x, y) are to the line y = x.

    Moments are divided by n, as in Lin (1989). Undefined if a column is constant or not finite.

    Examples
    --------
    >>> round(concordance(np.array([1.0, 2.0, 4.0]), np.array([2.0, 3.0, 5.0])), 4)
    0.7568
    """
    if _undefined(x) or _undefined(y):
        return nan
    # A common scale changes nothing, and squares neither overflow nor vanish.
    scale = max(np.abs(x).max(), np.abs(y).max())
    x, y = x / scale, y / scale
    shift = float(x.mean() - y.mean())
    x, y = x - x.mean(), y - y.mean()
    spread = float(x @ x + y @ y) + len(x) * shift**2
    return _within(2 * float(x @ y) / spread)


def agreement_by_depth(x: Levels, y: Levels) -> Scores:
    """Return how much of their first 1, 2, 3, … places two orders have in common.

    A concept that is tied across place d is among the first d with the chance that it has when
    ties are broken at random. With these chances as weights, the agreement at depth d is the
    cosine of the two vectors: the shared part of the first d without ties, and 1 for equal
    orders whatever the ties. It is the agreement in RBO^b of Corsi and Urbano (SIGIR 2024).

    Examples
    --------
    >>> agreement_by_depth(np.array([0, 1, 2]), np.array([1, 0, 2])).tolist()
    [0.0, 1.0, 1.0]
    >>> agreement_by_depth(np.array([0, 0, 1]), np.array([0, 0, 1])).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    n = len(x)
    (first_x, last_x, share_x, norm_x), (first_y, last_y, share_y, norm_y) = _tied(x), _tied(y)
    # Concepts by whether they are among the first d for sure (1) or by chance (c), in x and in y.
    surely = np.cumsum(np.bincount(np.maximum(last_x, last_y), minlength=n + 1))[1:]
    in_c1 = _running(np.maximum(first_x, last_y), last_x, n)
    in_1c = _running(np.maximum(first_y, last_x), last_y, n)
    in_cc = _running(np.maximum(first_x, first_y), np.minimum(last_x, last_y), n)
    common = surely + share_x * in_c1 + share_y * in_1c + share_x * share_y * in_cc
    return np.minimum(common / np.sqrt(norm_x * norm_y), 1.0)


def _tied(levels: Levels) -> tuple[Levels, Levels, Scores, Scores]:
    """Return the first and the last place of each concept's tie, and two columns by depth.

    These are the chance of a concept whose tie lies across a depth, and the sum of the squares of
    all chances.
    """
    sizes = np.bincount(levels)
    last = np.cumsum(sizes)
    before = last - sizes
    at = np.repeat(np.arange(len(sizes)), sizes)
    share = (np.arange(1, len(levels) + 1) - before[at]) / sizes[at]
    return before[levels] + 1, last[levels], share, before[at] + share**2 * sizes[at]


def _running(begin: Levels, end: Levels, n: int) -> Levels:
    """Return how many of the intervals begin <= d < end hold each depth d from 1 to n."""
    real = begin < end
    changes = np.bincount(begin[real], minlength=n + 2) - np.bincount(end[real], minlength=n + 2)
    return np.cumsum(changes)[1 : n + 1]


def rank_biased_overlap(agreement: Scores, p: float) -> float:
    """Return the rank-biased overlap of two orders from their agreement by depth.

    The agreement at depth d has the weight (1 - p) p^(d-1), and that at the last depth goes on
    for ever: RBO_ext of Webber, Moffat and Zobel (2010).

    Examples
    --------
    >>> round(rank_biased_overlap(np.array([0.0, 1.0, 1.0]), 0.9), 4)
    0.9
    """
    weights = (1 - p) * p ** np.arange(len(agreement), dtype=np.float64)
    return _within(float(weights @ agreement) + float(p ** len(agreement) * agreement[-1]))


def _undefined(column: Scores) -> bool:
    return not len(column) or not np.isfinite(column).all() or column.min() == column.max()


def _centred(column: Scores) -> Scores:
    scaled = column / np.abs(column).max()
    centred = scaled - scaled.mean()
    result: Scores = centred / np.abs(centred).max()
    return result


def _within(value: float) -> float:
    """Return a coefficient without the rounding beyond 1."""
    return min(max(value, -1.0), 1.0)
