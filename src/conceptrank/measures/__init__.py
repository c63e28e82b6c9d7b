"""Measures of concepts: one module per family, one registry for all."""

from conceptrank.measures import (
    basic_level,
    contrast,
    estimates,
    expected,
    itemset,
    probability,
    relevance,
    robustness,
    separation,
    size,
    stability,
    supervised,
    tolerance,
    weights,
)
from conceptrank.measures.combinations import product, weighted_sum
from conceptrank.measures.registry import Measure, available, get, measure, register
from conceptrank.measures.relevance import logistic, weighted
from conceptrank.measures.robustness import robustness_polynomial
from conceptrank.measures.stability import stability_bounds

__all__ = [
    "Measure",
    "available",
    "basic_level",
    "contrast",
    "estimates",
    "expected",
    "get",
    "itemset",
    "logistic",
    "measure",
    "probability",
    "product",
    "register",
    "relevance",
    "robustness",
    "robustness_polynomial",
    "separation",
    "size",
    "stability",
    "stability_bounds",
    "supervised",
    "tolerance",
    "weighted",
    "weighted_sum",
    "weights",
]
