"""Contrast: how much the objects of a concept differ from the others in labels or in a number."""

from __future__ import annotations

import numpy as np

from conceptrank.errors import MeasureError
from conceptrank.faces import Concepts, Scores, Subtrees, extent_sums
from conceptrank.measures import bounds
from conceptrank.measures._fisher import log_upper_tail, upper_tail
from conceptrank.measures._given import numbers
from conceptrank.measures.registry import measure
from conceptrank.measures.supervised import class_counts, hits_of

__all__ = ["chi_squared", "fisher_pvalue", "fisher_surprise", "mean_shift", "variance_reduction"]


_TERADA = "Terada et al., Statistical significance of combinatorial regulations, PNAS 110 (2013)"
_LEMMERICH = "Lemmerich, Atzmueller, Puppe, Fast exhaustive subgroup discovery, DMKD 30 (2016)"


def _chi_squared_bound(below: Subtrees, *, labels: object) -> Scores | None:
    inside, everywhere = class_counts(below, labels)
    return bounds.convex(inside, lambda counts: _chi_squared(counts, everywhere))


@measure(
    summary="Pearson's χ² of the labels inside against those outside",
    side="extent",
    range="[0, ∞)",
    bound=_chi_squared_bound,
    complexity="O(|A|)",
    reference="Morishita, Sese, Traversing itemset lattices with statistical metric pruning, "
    "PODS (2000)",
)
def chi_squared(concepts: Concepts, *, labels: object) -> Scores:
    """Return Pearson's χ² of the labels of the objects inside against those outside.

    0 where nothing is inside or nothing is outside.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A class for each object: a mapping from names, or a sequence in the context's order.
    """
    return _chi_squared(*class_counts(concepts, labels))


def _chi_squared(inside: Scores, everywhere: Scores) -> Scores:
    n = everywhere.sum()
    many = inside.sum(axis=1, keepdims=True)
    expected = many * (everywhere / max(n, 1.0))
    squares = np.zeros_like(inside)
    np.divide((inside - expected) ** 2, everywhere, out=squares, where=everywhere > 0)
    variance = many[:, 0] / max(n, 1.0) * (1 - many[:, 0] / max(n, 1.0))
    scores = np.zeros(len(inside))
    np.divide(squares.sum(axis=1), variance, out=scores, where=variance > 0)
    return scores


def _fisher_bound(below: Subtrees, *, labels: object, positive: object) -> Scores:
    hits, supports, positives = _best_table(below, labels, positive)
    least = upper_tail(hits, below.context.shape[0], supports, positives)
    return np.asarray(least * (1 - 1e-12))


@measure(
    summary="chance of as many positive objects if labels were dealt at random",
    side="extent",
    direction="lower",
    range="[0, 1]",
    bound=_fisher_bound,
    complexity="O(|A|)",
    reference=_TERADA,
)
def fisher_pvalue(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return the chance of at least as many positive objects if labels were dealt at random.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A label for each object: a mapping from names, or a sequence in the context's order.
    positive
        The label that counts. If None, labels are truth values or 0 and 1, and 1 counts.
    """
    hits, supports, positives = hits_of(concepts, labels, positive)
    n = concepts.context.shape[0]
    return upper_tail(hits, n, supports, np.full(len(hits), positives))


def _surprise_bound(below: Subtrees, *, labels: object, positive: object) -> Scores:
    hits, supports, positives = _best_table(below, labels, positive)
    least = log_upper_tail(hits, below.context.shape[0], supports, positives)
    return np.asarray(0.0 - least * (1 + 1e-12))


@measure(
    summary="minus the logarithm of fisher_pvalue",
    side="extent",
    range="[0, ∞)",
    bound=_surprise_bound,
    complexity="O(|A|)",
    reference=_TERADA,
)
def fisher_surprise(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return minus the logarithm of `fisher_pvalue`, also where that is too small.

    Parameters
    ----------
    concepts, labels, positive
        As for `fisher_pvalue`.
    """
    hits, supports, positives = hits_of(concepts, labels, positive)
    n = concepts.context.shape[0]
    return 0.0 - log_upper_tail(hits, n, supports, np.full(len(hits), positives))


def _best_table(below: Subtrees, labels: object, positive: object) -> tuple[Scores, Scores, Scores]:
    """Return hits, support and positives of the best table below each node: the hits alone.

    The p-value falls with the hits and grows with the support.
    """
    hits, _, positives = hits_of(below, labels, positive)
    hits = np.minimum(hits, below.supports)
    return hits, np.maximum(hits, below.min_support), np.full(len(hits), positives)


def _mean_shift_bound(below: Subtrees, *, labels: object, exponent: float) -> Scores:
    target, mean, exponent = _numeric(below, labels, exponent)
    n = len(target)
    return bounds.of_top_values(
        below, target, lambda many, means: _shift(many, means, n, mean, exponent), both=False
    )


@measure(
    summary="mean of a number inside above that of all, times (|A|/n)^exponent",
    side="extent",
    bound=_mean_shift_bound,
    complexity="O(|A|)",
    reference=_LEMMERICH,
)
def mean_shift(concepts: Concepts, *, labels: object, exponent: float = 0.5) -> Scores:
    """Return (|A| / n)^a (m - m₀) with the mean m of a number inside and m₀ of all objects.

    0 where nothing is inside.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A number for each object: a mapping from names, or a sequence in the context's order.
    exponent
        The exponent a, from 0 to 1: how much the size counts. 0 is the mean alone, 1/2 the
        statistic of a test, 1 the sum.
    """
    target, mean, exponent = _numeric(concepts, labels, exponent)
    supports = concepts.supports.astype(np.float64)
    return _shift(supports, _means(concepts, target), len(target), mean, exponent)


def _shift(many: Scores, means: Scores, n: int, mean: float, exponent: float) -> Scores:
    weights = np.power(many / max(n, 1), exponent)
    return np.where(many > 0, weights * (means - mean), 0.0)


def _variance_bound(below: Subtrees, *, labels: object) -> Scores:
    target, mean, _ = _numeric(below, labels, 1.0)
    return bounds.of_top_values(
        below, target, lambda many, means: _explained(many, means, target, mean), both=True
    )


@measure(
    summary="share of a number's variance that membership explains",
    side="extent",
    range="[0, 1]",
    bound=_variance_bound,
    complexity="O(|A|)",
    reference="Breiman et al., Classification and regression trees (1984)",
)
def variance_reduction(concepts: Concepts, *, labels: object) -> Scores:
    """Return the share of a number's variance that being inside or outside explains.

    0 where nothing is inside or nothing is outside.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A number for each object: a mapping from names, or a sequence in the context's order.
    """
    target, mean, _ = _numeric(concepts, labels, 1.0)
    supports = concepts.supports.astype(np.float64)
    return _explained(supports, _means(concepts, target), target, mean)


def _explained(many: Scores, means: Scores, target: Scores, mean: float) -> Scores:
    n = len(target)
    total = float(((target - mean) ** 2).sum())
    outside = n - many
    shares = np.zeros(len(many))
    usual = (many > 0) & (outside > 0) & (total > 0)
    np.divide(many * (means - mean) ** 2 * n, outside * total, out=shares, where=usual)
    return shares


def _numeric(concepts: Concepts, labels: object, exponent: float) -> tuple[Scores, float, float]:
    if not 0 <= exponent <= 1:
        raise MeasureError(f"exponent must be between 0 and 1, got {exponent!r}")
    target = numbers(labels, concepts.context.objects, "object", "labels")
    return target, float(target.mean()) if len(target) else 0.0, float(exponent)


def _means(concepts: Concepts, target: Scores) -> Scores:
    return np.asarray(extent_sums(concepts, target) / np.maximum(concepts.supports, 1))
