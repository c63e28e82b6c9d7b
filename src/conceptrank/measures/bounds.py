r"""Bounds: the best score that a concept at or below a node of the search tree can have.

A node (A, B) limits every concept (D, E) below it: D ⊆ A and B ⊆ E, and no E has an attribute
that the node excludes. `Subtrees` has the largest support and Δ (an excluded attribute m loses at
most |A \ m'| objects of D) and the largest number of attributes. Attributes of B that are
irrelevant for B are irrelevant for E: if (B \ b)' = A, then (E \ b)' = A ∩ (E \ B)' = E'.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.concepts import Subtrees
from conceptrank.faces import Scores

# Logarithms are rounded, so bounds by logarithms get a little larger.
_SLACK = 1 + 1e-13
# Longer intents get a simpler bound, which needs no large table.
_LONGEST = 500
# The number of vertices doubles with every class.
_MOST_CLASSES = 8


def support(below: Subtrees) -> Scores:
    """Bound the support and measures that never exceed it."""
    return below.supports.astype(np.float64)


def frequency(below: Subtrees) -> Scores:
    """Bound the share of all objects and measures that never exceed it."""
    return below.supports / max(below.context.shape[0], 1)


def length(below: Subtrees) -> Scores:
    """Bound the number of attributes and measures that never exceed it."""
    return below.longest.astype(np.float64)


def area(below: Subtrees) -> Scores:
    """Bound the number of crosses: the support times the longest row."""
    return (below.supports * below.longest).astype(np.float64)


def area_share(below: Subtrees) -> Scores:
    """Bound the share of the cells."""
    n, q = below.context.shape
    return np.asarray(area(below) / max(n * q, 1))


def area_of_crosses(below: Subtrees) -> Scores:
    """Bound the share of the crosses."""
    return np.asarray(area(below) / max(below.context.crosses, 1))


def separation(below: Subtrees) -> Scores:
    """Bound separation.

    With s objects and e attributes, the columns of E have at least Σ over B of |m'| and s for each
    of the others. s e over that grows with s and with e.
    """
    offsets, values = below.intents
    sizes = below.context.core.attribute_supports().astype(np.float64)
    columns = _lists.reduced(np.add, (offsets, sizes[values]), empty=0)
    most, longest = below.supports.astype(np.float64), below.longest.astype(np.float64)
    around = columns + (longest - np.diff(offsets)) * most
    bound = np.zeros(len(most))
    np.divide(most * longest, around, out=bound, where=around > 0)
    return np.minimum(bound * _SLACK, 1.0)


def _rarity(below: Subtrees) -> Scores:
    """Return the largest -Σ ln p over the attributes of an intent: the rarest fill it up."""
    offsets, values = below.intents
    sizes = below.context.core.attribute_supports().astype(np.float64)
    n = max(below.context.shape[0], 1)
    # An attribute without objects is only in the concept of all attributes, which has none then.
    costs = -np.log(np.where(sizes > 0, sizes, n) / n)
    rarest = np.concatenate(([0.0], np.cumsum(np.sort(costs)[::-1])))
    return (
        _lists.reduced(np.add, (offsets, costs[values]), empty=0)
        + rarest[below.longest - np.diff(offsets)]
    )


def surprise(below: Subtrees) -> Scores:
    """Bound the surprise: s given objects have all attributes with chance π^s, at least."""
    return np.asarray(below.supports * _rarity(below) * _SLACK)


def log_lift(below: Subtrees) -> Scores:
    """Bound the logarithm of the lift: the largest support over the least chance."""
    n = max(below.context.shape[0], 1)
    share = np.log2(np.maximum(below.supports, 1) / n)
    bound = share + _rarity(below) / log(2)
    return np.asarray(np.maximum(bound, 0.0) * _SLACK)


def lift(below: Subtrees) -> Scores:
    """Bound the lift."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp2(log_lift(below)) * (1 + 1e-9))


def delta(below: Subtrees, *, side: str = "extent", bottom: str = "extent") -> Scores | None:
    """Bound Δ of the extent; that of the intent by the number of attributes."""
    if side != "extent":
        return length(below)
    deltas = below.deltas.astype(np.float64)
    return np.where(below.bottom, np.inf, deltas) if bottom == "inf" else deltas


def survival(below: Subtrees, keep: float) -> Scores:
    """Bound the chance to meet every extent face: the smallest one has Δ objects."""
    missed = np.power(1.0 - keep, below.deltas.astype(np.float64))
    return np.where(below.bottom, 1.0, 1.0 - missed)


def log_survival(below: Subtrees, keep: float) -> Scores:
    """Bound -log2 of the chance to miss an extent face; the last concept has no limit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = below.deltas * -np.log2(1.0 - keep)
    return np.where(below.bottom, np.inf, logs)


def stability(below: Subtrees, *, method: str = "exact", **_: object) -> Scores | None:
    """Bound exact stability; an estimate can be larger than what it estimates."""
    return survival(below, 0.5) if method == "exact" else None


def stability_bound(
    below: Subtrees, *, method: str, side: str, alpha: float, log: bool
) -> Scores | None:
    """Bound the bounds of stability that never exceed 1 - 2^-Δ."""
    if side != "extent" or method == "bonferroni":
        return None
    return log_survival(below, alpha) if log else survival(below, alpha)


def alpha(below: Subtrees, *, side: str = "intent", **_: object) -> Scores | None:
    """Bound α: attributes that are irrelevant at the node stay so in the longest intent."""
    if side != "intent":
        return None
    return np.asarray(1.0 - _irrelevant(below) / np.maximum(below.longest, 1))


def expected_relevance(below: Subtrees, *, keep: float, side: str) -> Scores | None:
    """Bound expected relevance by robustness times the bound of α."""
    share = alpha(below, side=side)
    return None if share is None else survival(below, keep) * share


def relevance(
    below: Subtrees, combine: Callable[[Scores, Scores], Scores], side: str, beta: str
) -> Scores | None:
    """Bound F(α, β) with an F that grows with both.

    An intent of n attributes, r of them irrelevant, has α = (n - r)/n and at most C(r, ⌊r/2⌋)
    minimal generators: all of them have the relevant attributes, and none has another one.
    """
    if side != "intent":
        return None
    lengths = np.diff(below.intents[0])
    keys = np.column_stack((lengths, np.maximum(below.longest, lengths), _irrelevant(below)))
    distinct, places = np.unique(keys, axis=0, return_inverse=True)
    best = np.empty(len(distinct))
    most = int(distinct[:, 1].max(initial=0))
    table = _best_relevance(combine, beta, most) if most <= _LONGEST else None
    for place, (shortest, longest, least) in enumerate(distinct.tolist()):
        if table is not None:
            best[place] = table[shortest : longest + 1, least].max()
        else:
            best[place] = combine(np.array([1 - least / longest]), np.ones(1))[0]
    return best[places.reshape(-1)]


@lru_cache(maxsize=8)
def _best_relevance(
    combine: Callable[[Scores, Scores], Scores], beta: str, longest: int
) -> NDArray[np.float64]:
    """Return F for each number of attributes, and each least number of irrelevant ones."""
    n, r = np.mgrid[0.0 : longest + 1, 0.0 : longest + 1]
    alphas = np.maximum(n - r, 0) / np.maximum(n, 1)
    betas = _most_beta(n.reshape(-1), r.reshape(-1), beta).reshape(n.shape)
    with np.errstate(all="ignore"):
        scores = np.where(r <= n, combine(alphas, betas), -np.inf)
    return np.maximum.accumulate(scores[:, ::-1], axis=1)[:, ::-1]


def _most_beta(n: Scores, r: Scores, beta: str) -> Scores:
    """Return the largest β of n attributes, r of them irrelevant."""
    several = (r >= 2) & (n >= 2)
    n, r = np.where(several, n, 2), np.where(several, r, 2)
    if beta == "paper":
        # 2^n - 2, for n ≥ 2.
        whole = n * log(2) + np.log1p(-np.exp((1 - n) * log(2)))
        most = np.exp(_log_widest(r) - whole)
    elif beta == "sperner":
        most = np.exp(_log_widest(r) - _log_widest(n))
    elif beta == "log":
        most = np.logaddexp(0, _log_widest(r)) / np.logaddexp(0, _log_widest(n))
    else:
        most = np.ones_like(n)
    return np.where(several, np.minimum(most * (1 + 1e-12), 1.0), 0.0)


def generators(below: Subtrees) -> Scores:
    """Bound the number of minimal generators by the widest antichain of the longest intent."""
    with np.errstate(over="ignore"):
        return np.exp(_log_widest(below.longest.astype(np.float64))) * (1 + 1e-9)


def _log_widest(n: Scores) -> Scores:
    """Return the logarithm of C(n, ⌊n/2⌋)."""
    sizes, places = np.unique(n, return_inverse=True)
    logs = [lgamma(k + 1) - lgamma(k // 2 + 1) - lgamma(k - k // 2 + 1) for k in sizes.tolist()]
    return np.array(logs)[places.reshape(-1)]


def _irrelevant(below: Subtrees) -> NDArray[np.int64]:
    (singletons,) = below.face_scores("intent", "singletons")
    return np.diff(below.intents[0]) - singletons.astype(np.int64)


def wracc(below: Subtrees, hits: Scores, positives: float) -> Scores:
    """Bound weighted relative accuracy: the positive objects alone."""
    n = max(below.context.shape[0], 1)
    return np.asarray(np.minimum(hits, below.supports) * (1 - positives / n) / n * _SLACK)


def precision(below: Subtrees, hits: Scores, _: float) -> Scores:
    """Bound the share of positives: 1 if there are enough of them for the minimum support."""
    return np.minimum(hits / max(below.min_support, 1), np.minimum(hits, 1.0))


def f1(below: Subtrees, hits: Scores, positives: float) -> Scores:
    """Bound the harmonic mean of precision and recall: the positive objects alone."""
    most = np.minimum(hits, below.supports)
    covered = np.maximum(most, below.min_support)
    return np.asarray(2 * most / np.maximum(covered + positives, 1.0))


def convex(counts: Scores, score: Callable[[Scores], Scores]) -> Scores | None:
    """Bound a convex function of the numbers of objects of each class.

    Its maximum is at a vertex: all or no objects of each class.

    Parameters
    ----------
    counts
        The number of objects of each class, for each node.
    score
        The function of these numbers.
    """
    if counts.shape[1] > _MOST_CLASSES:
        return None
    bound = np.full(len(counts), -np.inf)
    for vertex in product((0.0, 1.0), repeat=counts.shape[1]):
        np.maximum(bound, score(counts * np.array(vertex)), out=bound)
    return bound * _SLACK


def of_top_values(
    below: Subtrees, target: Scores, score: Callable[[Scores, Scores], Scores], *, both: bool
) -> Scores:
    """Bound a function of the number of objects and the mean of a numeric target.

    For each number of objects, the largest mean (or the smallest, too) is that of the objects with
    the largest targets.

    Parameters
    ----------
    below
        The nodes.
    target
        A number for each object.
    score
        The function of numbers of objects and of means, growing with the mean.
    both
        Whether small means count as well as large ones.
    """
    bound = np.full(len(below), -np.inf)
    ends = (target, -target) if both else (target,)
    for part, (offsets, members) in below.extents():
        many = np.diff(offsets)
        owners = np.repeat(np.arange(len(many)), many)
        for values in ends:
            order = np.lexsort((-values[members], owners))
            totals = np.cumsum(values[members][order])
            before = np.concatenate(([0.0], totals))[offsets[:-1]]
            place: Scores = np.arange(1.0, len(members) + 1) - np.repeat(offsets[:-1], many)
            means: Scores = (totals - np.repeat(before, many)) / place
            scores = score(place, means if values is target else -means)
            scores[place < below.min_support] = -np.inf
            best = _lists.reduced(np.maximum, (offsets, scores), empty=-np.inf)
            bound[part] = np.maximum(bound[part], best)
    # The concept of all attributes may have no objects at all.
    if below.min_support == 0:
        bound = np.maximum(bound, np.where(below.bottom, score(np.zeros(1), np.zeros(1)), -np.inf))
    return bound + np.abs(np.where(np.isfinite(bound), bound, 0.0)) * 1e-9
