"""Measures of concepts: one module a family, one registry for all."""

from conceptrank.measures import relevance, size, stability
from conceptrank.measures.registry import Measure, available, get, register
from conceptrank.measures.relevance import logistic, weighted
from conceptrank.measures.stability import stability_bounds
from conceptrank.measures.user import measure

__all__ = [
    "Measure",
    "available",
    "get",
    "logistic",
    "measure",
    "register",
    "relevance",
    "size",
    "stability",
    "stability_bounds",
    "weighted",
]
