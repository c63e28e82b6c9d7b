"""Labels: how well a concept predicts labels that users give to the objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.concepts import Concepts, ScoreOf, Subtrees
from conceptrank.errors import MeasureError, TargetWarning, UnknownNameError, notify
from conceptrank.faces import Scores
from conceptrank.measures import bounds
from conceptrank.measures.registry import Function, measure
from conceptrank.measures.user_data import classes, kept, numbers

if TYPE_CHECKING:
    from conceptrank.context import Context

# Up to this number of classes, counting each class is faster than listing the extents.
_FEW_CLASSES = 8


_VAN_RIJSBERGEN = "van Rijsbergen, Information retrieval (1979)"
_QUINLAN = "Quinlan, Induction of decision trees, Machine Learning 1 (1986)"
_FCAPY = "fcapy (2020)"
of_labels: Callable[..., Callable[[Function], Function]] = partial(
    measure, side="extent", depends=("support", "hits"), complexity="O(|A|)"
)
_retrieval = partial(of_labels, range="[0, 1]", reference=_VAN_RIJSBERGEN)


@of_labels(direction="lower", range="[0, log2 of the number of classes]", reference=_QUINLAN)
def target_entropy(concepts: Concepts, *, labels: object) -> Scores:
    """Return the entropy of the labels of the objects of A, in bits; 0 where A is empty.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A class for each object: a mapping from names, or a sequence in the context's order.

    Notes
    -----
    fcapy's function of this name is `target_variance`.
    """
    inside, _ = class_counts(concepts, labels)
    return _entropy(inside)


def _information_gain_bound(below: Subtrees, *, labels: object) -> Scores | None:
    inside, everywhere = class_counts(below, labels)
    return bounds.convex(inside, lambda counts: _gain(counts, everywhere))


@of_labels(range="[0, 1]", bound=_information_gain_bound, reference=_QUINLAN)
def information_gain(concepts: Concepts, *, labels: object) -> Scores:
    """Return H(all objects) - f H(A) - (1 - f) H(the other objects), in bits.

    H is the entropy of the labels: the gain is the information about the label in membership in A.

    Parameters
    ----------
    concepts, labels
        As for `target_entropy`.
    """
    return _gain(*class_counts(concepts, labels))


def _gain(inside: Scores, everywhere: Scores) -> Scores:
    """Return the information gain of counts of classes."""
    n = max(float(everywhere.sum()), 1.0)
    share = inside.sum(axis=1) / n
    gain = (
        _entropy(everywhere[None, :])
        - share * _entropy(inside)
        - (1 - share) * _entropy(everywhere - inside)
    )
    return np.asarray(np.maximum(gain, 0.0))


@of_labels(
    direction="lower",
    range="[0, ∞)",
    reference="Breiman et al., Classification and regression trees (1984)",
)
def target_variance(concepts: Concepts, *, labels: object) -> Scores:
    """Return the population variance of the numeric labels of A; 0 where A is empty.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A number for each object: a mapping from names, or a sequence in the context's order.
    """
    target = numbers(labels, concepts.context.objects, "object", "labels")
    result = np.zeros(len(concepts))
    for part, (offsets, values) in concepts.extents():
        many = np.diff(offsets)
        mean = _lists.reduced(np.add, (offsets, target[values]), empty=0) / np.maximum(many, 1)
        squares = (target[values] - np.repeat(mean, many)) ** 2
        result[part] = _lists.reduced(np.add, (offsets, squares), empty=0) / np.maximum(many, 1)
    return result


@measure(
    side="extent",
    depends=("support", "hits"),
    complexity="O(|A|), and the number of super-concepts",
    reference=_FCAPY,
)
def mean_information_gain(concepts: Concepts, *, labels: object, target: str = "entropy") -> Scores:
    """Return the mean score of all strict super-concepts minus the concept's own; 0 for the top.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        As for `target_entropy` or `target_variance`.
    target
        The score: `"entropy"` of classes or `"variance"` of numbers.
    """
    names = concepts.context.objects
    score: ScoreOf
    if target == "entropy":
        score = partial(target_entropy, labels=classes(labels, names, "labels")[1])
    elif target == "variance":
        score = partial(target_variance, labels=numbers(labels, names, "object", "labels"))
    else:
        raise UnknownNameError("target", target, ["entropy", "variance"])
    means = concepts.means_above(score)
    return np.where(np.isnan(means), 0.0, means - score(concepts))


def _by_hits(
    bound: Callable[[Subtrees, Scores, float], Scores],
    below: Subtrees,
    *,
    labels: object,
    positive: object,
) -> Scores:
    """Return a bound by the positive objects of each node."""
    hits, _, positives = hits_of(below, labels, positive)
    return bound(below, hits, positives)


@_retrieval(bound=partial(_by_hits, bounds.precision), bound_by=("support", "hits"))
def precision(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return the share of A with the positive label; 0 where A is empty.

    Parameters
    ----------
    concepts
        The concepts.
    labels
        A label for each object: a mapping from names, or a sequence in the context's order.
    positive
        The label that counts as positive. If None, labels are truth values or 0 and 1.
    """
    hits, supports, _ = hits_of(concepts, labels, positive)
    return _ratio(hits, supports)


@_retrieval(bound="own", bound_by=("support", "hits"))
def recall(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return the share of the objects with the positive label that are in A; 0 if there are none.

    Parameters
    ----------
    concepts, labels, positive
        As for `precision`.
    """
    hits, _, positives = hits_of(concepts, labels, positive)
    return _ratio(hits, np.full(len(hits), positives))


@_retrieval(bound=partial(_by_hits, bounds.f1), bound_by=("support", "hits"))
def f1(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return the harmonic mean of `precision` and `recall`.

    Parameters
    ----------
    concepts, labels, positive
        As for `precision`.
    """
    hits, supports, positives = hits_of(concepts, labels, positive)
    return _ratio(2 * hits, supports + positives)


@of_labels(
    range="[-1/4, 1/4]",
    bound=partial(_by_hits, bounds.wracc),
    bound_by=("support", "hits"),
    reference="Lavrač, Flach, Zupan, Rule evaluation measures, ILP (1999)",
)
def wracc(concepts: Concepts, *, labels: object, positive: object = None) -> Scores:
    """Return f (precision - share of the positive label), the weighted relative accuracy.

    Parameters
    ----------
    concepts, labels, positive
        As for `precision`.
    """
    hits, supports, positives = hits_of(concepts, labels, positive)
    n = max(concepts.context.shape[0], 1)
    return np.asarray((hits - supports * (positives / n)) / n)


def class_counts(concepts: Concepts, labels: object) -> tuple[Scores, Scores]:
    """Return the number of objects of every class in each concept, and in the table."""
    different, place = classes(labels, concepts.context.objects, "labels")
    many = max(len(different), 1)
    weights = concepts.context.weights.astype(np.float64)
    everywhere: Scores = np.bincount(place, weights, minlength=many).astype(np.float64)
    if many <= _FEW_CLASSES:
        each = [concepts.extent_sums((place == k).astype(np.float64)) for k in range(many)]
        return np.column_stack(each), everywhere
    counts = np.zeros((len(concepts), many))
    for part, (offsets, values) in concepts.extents():
        owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        cells = np.bincount(owners * many + place[values], minlength=(len(offsets) - 1) * many)
        counts[part] = cells.reshape(-1, many)
    return counts, everywhere


def _entropy(counts: Scores) -> Scores:
    """Return the entropy of each row of counts, in bits."""
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares = counts / totals
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(0.0 - (shares * logs).sum(axis=1))


def hits_of(concepts: Concepts, labels: object, positive: object) -> tuple[Scores, Scores, float]:
    """Return per concept the positive objects and all objects, and the number of positives."""
    context = concepts.context

    def read() -> tuple[Scores, float]:
        marked = marked_objects(context, labels, positive)
        # A dot product of long arrays would start threads, which cost more than this sum.
        return marked.astype(np.float64), float(context.weights[marked].sum())

    marked, positives = kept((hits_of, context, labels, positive), read)
    hits = concepts.extent_sums(marked)
    return hits, concepts.supports.astype(np.float64), positives


def warn_of_targets(context: Context, labels: object) -> None:
    """Warn if attributes separate one label from all others: their column may be the labels' own.

    Examples
    --------
    >>> import warnings, conceptrank as cr
    >>> movies = cr.datasets.load("movies")
    >>> drama = set(movies.extension("drama"))
    >>> with warnings.catch_warnings(record=True, action="always") as noticed:
    ...     warn_of_targets(movies, [each in drama for each in movies.objects])
    >>> print(noticed[0].message)
    the labels are in the table: drama (hint: context.drop(attributes=['drama']) leaves them out)
    """
    different, place = classes(labels, context.objects, "labels")
    if len(different) < 2:
        return
    sizes, weighted = np.bincount(place), np.bincount(place, context.weights)
    supports = context.core.attribute_supports()
    found = []
    for attribute in np.flatnonzero(np.isin(supports, [*weighted, *(weighted.sum() - weighted)])):
        objects = context.core.extension(np.array([attribute], dtype=np.uint32))
        inside = np.bincount(place[objects], minlength=len(sizes))
        if ((inside == 0) | (inside == sizes)).all() and 1 in (
            np.count_nonzero(inside),
            np.count_nonzero(inside == 0),
        ):
            found.append(context.attributes[attribute])
    if found:
        drop = ", ".join(map(repr, found))
        notify(
            f"the labels are in the table: {', '.join(found)} (hint: "
            f"context.drop(attributes=[{drop}]) leaves them out)",
            TargetWarning,
        )


def marked_objects(context: Context, labels: object, positive: object) -> NDArray[np.bool_]:
    """Return which objects have the positive label."""
    different, place = classes(labels, context.objects, "labels")
    wanted = np.array([_is_positive(label, positive, different) for label in different], dtype=bool)
    if positive is not None and not wanted.any():
        raise UnknownNameError("label", positive, map(str, different), where="labels")
    return wanted[place] if len(place) else np.zeros(0, dtype=np.bool_)


def _is_positive(label: Any, positive: object, different: list[Any]) -> bool:
    if positive is not None:
        return bool(label == positive)
    if label in (0, 1):
        return bool(label)
    shown = ", ".join(map(repr, different[:5])) + (", …" if len(different) > 5 else "")
    raise MeasureError(f"which label counts? Give positive=… as one of {shown}")


def _ratio(parts: Scores, wholes: Scores) -> Scores:
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)
