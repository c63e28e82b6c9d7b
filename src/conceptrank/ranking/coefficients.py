"""How far two measures agree: coefficients of two columns of scores.

Each returns nan where it is undefined, and never a warning. The ones that look at order only
take levels (see `conceptrank.ranking.order`), so that they all have the same idea of a tie.
"""

from __future__ import annotations

from math import nan

import numpy as np

from conceptrank.errors import UnknownNameError
from conceptrank.faces import Scores
from conceptrank.ranking.order import Levels, ranks

COEFFICIENTS = (
    "pearson",
    "spearman",
    "kendall",
    "concordance",
    "top_overlap",
    "rank_biased_overlap",
)
ALIASES = {
    "kendall_tau": "kendall",
    "tau": "kendall",
    "tau_b": "kendall",
    "lin": "concordance",
    "top_k": "top_overlap",
    "rbo": "rank_biased_overlap",
}


def canonical(coefficient: str) -> str:
    """Return the name of a coefficient that is given by it or by an alias.

    Examples
    --------
    >>> canonical("rbo")
    'rank_biased_overlap'
    """
    name = ALIASES.get(coefficient, coefficient)
    if name not in COEFFICIENTS:
        raise UnknownNameError("coefficient", coefficient, [*COEFFICIENTS, *ALIASES])
    return name


def pearson(x: Scores, y: Scores) -> float:
    """Return Pearson's correlation; undefined if a column is constant or not finite.

    Examples
    --------
    >>> round(pearson(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 9.0])), 4)
    0.9986
    """
    return cosine(centred(x), centred(y))


def spearman(x: Levels, y: Levels) -> float:
    """Return Spearman's correlation: Pearson's of the ranks, ties sharing the mean of theirs.

    Examples
    --------
    >>> round(spearman(np.array([0, 1, 1, 2]), np.array([0, 2, 1, 3])), 4)
    0.9487
    """
    return cosine(centred(mean_ranks(x)), centred(mean_ranks(y)))


def mean_ranks(levels: Levels) -> Scores:
    """Return ranks of which ties share the mean."""
    return ranks(levels, "average").astype(np.float64)


def centred(column: Scores) -> Scores | None:
    """Return a column as a vector of length 1 around 0; None if it is constant or not finite.

    The cosine of two of them is their correlation, so that each column is worked on once for all
    its pairs.

    Examples
    --------
    >>> centred(np.array([1.0, 1.0])), centred(np.array([1.0, 3.0])).round(4).tolist()
    (None, [-0.7071, 0.7071])
    """
    if _undefined(column):
        return None
    # Divided by the largest before each step, squares neither overflow nor vanish.
    column = column / np.abs(column).max()
    column = column - column.mean()
    column = column / np.abs(column).max()
    result: Scores = column / np.sqrt(_dot(column, column))
    return result


def cosine(x: Scores | None, y: Scores | None) -> float:
    """Return the cosine of two vectors of length 1."""
    return nan if x is None or y is None else _within(_dot(x, y))


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

    if len(x) == 2:  # SciPy divides by n - 2 for its p-value
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
    spread = _dot(x, x) + _dot(y, y) + len(x) * shift**2
    return _within(2 * _dot(x, y) / spread)


def agreement_by_depth(x: Levels, y: Levels, depth: int | None = None) -> Scores:
    """Return how much of their first 1, 2, 3, … places two orders have in common.

    A concept that is tied across place d is among the first d with the chance that it has when
    ties are broken at random. With these chances as weights, the agreement at depth d is the
    cosine of the two vectors: the shared part of the first d without ties, and 1 for equal
    orders whatever the ties. It is the agreement in RBO^b of Corsi and Urbano (SIGIR 2024).

    Parameters
    ----------
    x, y
        Levels without gaps.
    depth
        The last depth; all of them if None.

    Examples
    --------
    >>> agreement_by_depth(np.array([0, 1, 2]), np.array([1, 0, 2])).tolist()
    [0.0, 1.0, 1.0]
    >>> agreement_by_depth(np.array([0, 0, 1]), np.array([0, 0, 1])).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    depth = len(x) if depth is None else min(depth, len(x))
    of_x, of_y = _Places(x), _Places(y)
    # The others have no part in both orders up to there.
    some = np.flatnonzero((of_x.before[x] < depth) & (of_y.before[y] < depth))
    first_x, last_x = of_x.before[x[some]] + 1, of_x.last[x[some]]
    first_y, last_y = of_y.before[y[some]] + 1, of_y.last[y[some]]
    # Concepts by whether they are among the first d for sure (1) or by chance (c), in x and in y.
    end = np.full(len(some), depth + 1)
    in_11 = _running(np.maximum(last_x, last_y), end, depth)
    in_c1 = _running(np.maximum(first_x, last_y), last_x, depth)
    in_1c = _running(np.maximum(first_y, last_x), last_y, depth)
    in_cc = _running(np.maximum(first_x, first_y), np.minimum(last_x, last_y), depth)
    (share_x, norm_x), (share_y, norm_y) = of_x.chances(depth), of_y.chances(depth)
    common = in_11 + share_x * in_c1 + share_y * in_1c + share_x * share_y * in_cc
    return np.minimum(common / np.sqrt(norm_x * norm_y), 1.0)


class _Places:
    """The places that the concepts of each level take."""

    def __init__(self, levels: Levels) -> None:
        self.sizes = np.bincount(levels)
        self.last = np.cumsum(self.sizes)
        self.before = self.last - self.sizes

    def chances(self, depth: int) -> tuple[Scores, Scores]:
        """Return the chance of those tied across each depth, and the sum of all squared chances."""
        depths = np.arange(1, depth + 1)
        at = np.searchsorted(self.last, depths)
        share = (depths - self.before[at]) / self.sizes[at]
        return share, self.before[at] + share**2 * self.sizes[at]


def _running(begin: Levels, end: Levels, depth: int) -> Levels:
    """Return how many of the intervals begin <= d < end hold each depth d."""
    real = (begin < end) & (begin <= depth)
    begin, end = begin[real], np.minimum(end[real], depth + 1)
    changes = np.bincount(begin, minlength=depth + 2) - np.bincount(end, minlength=depth + 2)
    return np.cumsum(changes)[1 : depth + 1]


def sufficient_depth(p: float) -> int:
    """Return a depth beyond which nothing changes the digits of a rank-biased overlap.

    Examples
    --------
    >>> sufficient_depth(0.9)
    372
    """
    return int(np.ceil(np.log(1e-17) / np.log(p)))


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


def _dot(x: Scores, y: Scores) -> float:
    # BLAS would add up in an order that depends on the machine and its number of threads.
    return float((x * y).sum())


def _undefined(column: Scores) -> bool:
    return not len(column) or not np.isfinite(column).all() or column.min() == column.max()


def _within(value: float) -> float:
    """Return a coefficient without the rounding beyond 1."""
    return min(max(value, -1.0), 1.0)
