"""Contrast: how much the objects of a concept differ from the others in a label or a number."""

from __future__ import annotations

import numpy as np

from conceptrank.concepts import Concepts, Subtrees
from conceptrank.errors import MeasureError
from conceptrank.faces import Scores
from conceptrank.measures import bounds
from conceptrank.measures._fisher import log_upper_tail, upper_tail
from conceptrank.measures.supervised import class_counts, hits_of, of_labels
from conceptrank.measures.user_data import numbers

_TERADA = "Terada et al., Statistical significance of combinatorial regulations, PNAS 110 (2013)"
_LEMMERICH = "Lemmerich, Atzmueller, Puppe, Fast exhaustive subgroup discovery, DMKD 30 (2016)"


def _chi_squared_bound(below: Subtrees, *, labels: object) -> Scores | None:
    inside, everywhere = class_counts(below, labels)
    return bounds.convex(inside, lambda counts: _chi_squared(counts, everywhere))


@of_labels(
    range="[0, ∞)",
    bound=_chi_squared_bound,
    reference="Morishita, Sese, Traversing itemset lattices with statistical metric pruning, "
    "PODS (2000)",
)
def chi_squared(concepts: Concepts, *, labels: object) -> Scores:
    """Return Pearson's χ² of the labels of the objects inside A against those outside.

    0 where A has no object or all objects.

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


@of_labels(
    direction="lower",
    range="[0, 1]",
    bound=_fisher_bound,
    bound_by=("support", "hits"),
    reference=_TERADA,
)
def fisher_pvalue(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return the chance of at least as many positive objects in A if labels were permuted.

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


@of_labels(range="[0, ∞)", bound=_surprise_bound, bound_by=("support", "hits"), reference=_TERADA)
def fisher_surprise(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return minus the natural logarithm of `fisher_pvalue`, finite also where that underflows.

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
    n = below.context.shape[0]
    return bounds.of_top_values(
        below, target, lambda many, means: _shift(many, means, n, mean, exponent), both=False
    )


@of_labels(bound=_mean_shift_bound, reference=_LEMMERICH)
def mean_shift(concepts: Concepts, *, labels: object, exponent: float = 0.5) -> Scores:
    """Return (|A| / n)^a (m - m₀) with the mean m of a number in A and the mean m₀ of all.

    0 where A is empty.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A number for each object: a mapping from names, or a sequence in the context's order.
    exponent
        The exponent a, from 0 to 1, weighs the size of A: 0 gives the mean alone, 1/2 the
        statistic of a test, 1 the sum.
    """
    target, mean, exponent = _numeric(concepts, labels, exponent)
    supports = concepts.supports.astype(np.float64)
    n = concepts.context.shape[0]
    return _shift(supports, _means(concepts, target), n, mean, exponent)


def _shift(many: Scores, means: Scores, n: int, mean: float, exponent: float) -> Scores:
    weights = np.power(many / max(n, 1), exponent)
    return np.where(many > 0, weights * (means - mean), 0.0)


def _variance_bound(below: Subtrees, *, labels: object) -> Scores:
    target, mean, _ = _numeric(below, labels, 1.0)
    squares = _squares(below, target, mean)
    return bounds.of_top_values(
        below, target, lambda many, means: _explained(many, means, *squares, mean), both=True
    )


@of_labels(
    range="[0, 1]",
    bound=_variance_bound,
    reference="Breiman et al., Classification and regression trees (1984)",
)
def variance_reduction(concepts: Concepts, *, labels: object) -> Scores:
    """Return the share of a number's variance that membership in A explains.

    0 where A has no object or all objects.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A number for each object: a mapping from names, or a sequence in the context's order.
    """
    target, mean, _ = _numeric(concepts, labels, 1.0)
    supports = concepts.supports.astype(np.float64)
    squares = _squares(concepts, target, mean)
    return _explained(supports, _means(concepts, target), *squares, mean)


def _squares(concepts: Concepts, target: Scores, mean: float) -> tuple[int, float]:
    """Return the number of all objects and the sum of their squared distances from the mean."""
    return concepts.context.shape[0], float((target - mean) ** 2 @ concepts.context.weights)


def _explained(many: Scores, means: Scores, n: int, total: float, mean: float) -> Scores:
    outside = n - many
    shares = np.zeros(len(many))
    usual = (many > 0) & (outside > 0) & (total > 0)
    np.divide(many * (means - mean) ** 2 * n, outside * total, out=shares, where=usual)
    return shares


def _numeric(concepts: Concepts, labels: object, exponent: float) -> tuple[Scores, float, float]:
    if not 0 <= exponent <= 1:
        raise MeasureError(f"exponent must be between 0 and 1, got {exponent!r}")
    target = numbers(labels, concepts.context.objects, "object", "labels")
    mean = float(target @ concepts.context.weights) / max(concepts.context.shape[0], 1)
    return target, mean, float(exponent)


def _means(concepts: Concepts, target: Scores) -> Scores:
    return np.asarray(concepts.extent_sums(target) / np.maximum(concepts.supports, 1))
