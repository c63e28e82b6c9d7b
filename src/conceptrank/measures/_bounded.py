"""Which measure has which bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from conceptrank.faces import Scores, Subtrees
from conceptrank.measures import bounds, registry, relevance, supervised
from conceptrank.measures.registry import Bound


def _all_smaller_below(name: str) -> Bound:
    """Return the bound of a measure that never grows when the intent does: its own score."""

    def bound(below: Subtrees, **params: Any) -> Scores:
        return registry.get(name).score(below, params)

    return bound


def _leverage(below: Subtrees) -> Scores:
    return bounds.frequency(below)


def _activation(below: Subtrees, *, side: str, activation: Any, beta: str) -> Scores | None:
    if callable(activation):
        return None
    combine = relevance.activation_of(activation)
    ends = combine(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    # Only a logistic function can fall.
    return bounds.relevance(below, combine, side, beta) if ends[0] <= ends[1] else None


def _beta(below: Subtrees, *, side: str, beta: str) -> Scores | None:
    return bounds.relevance(below, _second, side, beta)


def _second(_: Scores, beta: Scores) -> Scores:
    return beta


def _wracc(below: Subtrees, *, labels: object, positive: object) -> Scores:
    hits, _, positives = supervised.hits_of(below, labels, positive)
    return bounds.wracc(below, hits, positives / max(below.context.shape[0], 1))


def _precision(below: Subtrees, *, labels: object, positive: object) -> Scores:
    return bounds.precision(below, supervised.hits_of(below, labels, positive)[0])


def _recall(below: Subtrees, *, labels: object, positive: object) -> Scores:
    hits, _, positives = supervised.hits_of(below, labels, positive)
    return bounds.recall(below, hits, positives)


def _f1(below: Subtrees, *, labels: object, positive: object) -> Scores:
    hits, _, positives = supervised.hits_of(below, labels, positive)
    return bounds.f1(below, hits, positives)


def _information_gain(below: Subtrees, *, labels: object) -> Scores | None:
    inside, everywhere = supervised.class_counts(below, labels)
    return bounds.convex(inside, lambda counts: supervised._gain(counts, everywhere))


BOUNDS: dict[str, Bound] = {
    "support": bounds.support,
    "frequency": bounds.frequency,
    "intent_size": bounds.length,
    "own_objects": bounds.support,
    "own_attributes": bounds.length,
    "tile_area": bounds.area,
    "tile_density_share": bounds.area_share,
    "incidence_coverage": bounds.area_of_crosses,
    "separation": bounds.separation,
    "delta_measure": bounds.delta,
    "stability_intensional": bounds.stability,
    "log_stability": bounds.log_stability,
    "stability_lower_bound": bounds.stability_bound,
    "stability_upper_bound": bounds.stability_bound,
    "log_stability_lower_bound": bounds.log_stability,
    "log_stability_upper_bound": bounds.log_stability,
    "robustness": bounds.robustness,
    "relevance_factor": bounds.alpha,
    "expected_relevance": bounds.expected_relevance,
    "cr_alpha": bounds.alpha,
    "cr_beta": _beta,
    "conceptual_relevance": _activation,
    "bond": _all_smaller_below("bond"),
    "all_confidence": _all_smaller_below("all_confidence"),
    "cross_support": _all_smaller_below("cross_support"),
    "leverage": _leverage,
    "wracc": _wracc,
    "precision": _precision,
    "recall": _recall,
    "f1": _f1,
    "information_gain": _information_gain,
}
for _name, _bound in BOUNDS.items():
    registry._MEASURES[_name] = replace(registry.get(_name), bound=_bound)
