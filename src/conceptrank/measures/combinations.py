"""Products and weighted sums of measures, with the bounds that follow from theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from conceptrank.concepts import Concepts, Subtrees
from conceptrank.errors import MeasureError
from conceptrank.faces import Scores
from conceptrank.measures.registry import Measure, MeasureLike, Params, get, register, split


def product(name: str, *measures: MeasureLike) -> str:
    """Declare the product of measures as a measure, and return its name.

    It has a bound if its factors have one and are never negative.

    Parameters
    ----------
    name
        The name of the product.
    *measures
        The factors: names, or pairs of a name and its parameters. High scores of each are better.

    Raises
    ------
    MeasureError
        If there are no factors, or low scores of one are better.

    Examples
    --------
    >>> import conceptrank as cr
    >>> by = cr.measures.product("stable_and_relevant", "stability", "cr")
    >>> cr.datasets.load("movies").best(1, by).score(by).round(3)
    array([0.449])
    """
    parts = _parts(measures)
    for measure, _ in parts:
        if measure.direction != "higher":
            raise MeasureError(f"low scores of {measure.name} are better: a product mixes that up")

    def compute(concepts: Concepts) -> Scores:
        return np.asarray(np.prod([each.score(concepts, own) for each, own in parts], axis=0))

    def bound(below: Subtrees) -> Scores:
        limits = [np.maximum(each.limit(below, own), 0.0) for each, own in parts]
        with np.errstate(invalid="ignore"):
            most = np.prod(limits, axis=0)
        # What is not known times nothing.
        return np.where(np.isnan(most), np.inf, most)

    # A negative factor would turn the largest of another one into the smallest product.
    positive = all(measure.range.startswith(("[0", "(0", "0")) for measure, _ in parts)
    summary = " × ".join(measure.name for measure, _ in parts)
    return _declare(name, summary, parts, compute, bound if positive else None)


def weighted_sum(name: str, *terms: tuple[float, MeasureLike]) -> str:
    """Declare a weighted sum of measures as a measure, and return its name.

    It has a bound if its terms have one: those with positive weights by measures of which high
    scores are better, those with negative weights by measures of which low scores are better.

    Parameters
    ----------
    name
        The name of the sum.
    *terms
        Pairs of a weight and a measure.

    Raises
    ------
    MeasureError
        If there are no terms, or a weight is no number.

    Examples
    --------
    >>> import conceptrank as cr
    >>> by = cr.measures.weighted_sum("balanced", (0.5, "stability"), (0.5, "cr"))
    >>> cr.datasets.load("movies").best(1, by).score(by).round(3)
    array([0.699])
    """
    parts = _parts([measure for _, measure in terms])
    weights = [float(weight) for weight, _ in terms]
    if not np.isfinite(weights).all():
        raise MeasureError(f"a weight is a number, got {weights}")
    terms_of = [(weight, *part) for weight, part in zip(weights, parts, strict=True)]

    def compute(concepts: Concepts) -> Scores:
        scores = (weight * each.score(concepts, own) for weight, each, own in terms_of)
        return sum(scores, start=np.zeros(len(concepts)))

    def bound(below: Subtrees) -> Scores:
        some = [term for term in terms_of if term[0]]
        limits = (weight * each.limit(below, own) for weight, each, own in some)
        return sum(limits, start=np.zeros(len(below)))

    bounded = all(
        weight == 0 or (weight > 0) == (each.direction == "higher") for weight, each, _ in terms_of
    )
    summary = " + ".join(f"{weight:g} {each.name}" for weight, each, _ in terms_of)
    return _declare(name, summary, parts, compute, bound if bounded else None)


def _parts(measures: Iterable[MeasureLike]) -> list[tuple[Measure, Params]]:
    parts = [(get(name), params) for name, params in map(split, measures)]
    if not parts:
        raise MeasureError("a combination needs at least one measure")
    for measure, params in parts:
        measure.bind(params)
    return parts


def _declare(
    name: str,
    summary: str,
    parts: list[tuple[Measure, Params]],
    compute: Callable[[Concepts], Scores],
    bound: Callable[[Subtrees], Scores] | None,
) -> str:
    known = all(measure.bound is not None for measure, _ in parts)
    needs = [need for measure, params in parts for need in measure.dependences(params)]
    bound_by = tuple(dict.fromkeys(number for each, _ in parts for number in each.bound_by))
    return register(
        Measure(
            name=name,
            summary=summary,
            compute=compute,
            depends=tuple(dict.fromkeys(needs)),
            bound=bound if known else None,
            bound_by=bound_by if all(each.bound_by for each, _ in parts) else (),
            builtin=False,
        )
    ).name
