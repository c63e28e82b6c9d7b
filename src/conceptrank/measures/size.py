"""Measures of size: how large the two sides of a concept are."""

from __future__ import annotations

import numpy as np

from conceptrank.faces import Concepts, Scores
from conceptrank.measures.registry import Measure, register

__all__ = ["frequency", "intent_size", "support", "tile_area"]


def support(concepts: Concepts) -> Scores:
    """Return the number of objects, |A|."""
    return concepts.supports.astype(np.float64)


def frequency(concepts: Concepts) -> Scores:
    """Return the share of all objects, |A| / n; 0 in a context without objects."""
    n, _ = concepts.context.shape
    return concepts.supports / max(n, 1)


def intent_size(concepts: Concepts) -> Scores:
    """Return the number of attributes, |B|."""
    return concepts.intent_sizes.astype(np.float64)


def tile_area(concepts: Concepts) -> Scores:
    """Return the number of crosses that the concept covers, |A| |B|."""
    return (concepts.supports * concepts.intent_sizes).astype(np.float64)


register(
    Measure(
        name="support",
        summary="number of objects",
        compute=support,
        side="extent",
        range="0 … n",
        complexity="O(1)",
    )
)
register(
    Measure(
        name="frequency",
        summary="share of all objects",
        compute=frequency,
        side="extent",
        range="[0, 1]",
        complexity="O(1)",
    )
)
register(
    Measure(
        name="intent_size",
        summary="number of attributes",
        compute=intent_size,
        side="intent",
        range="0 … q",
        complexity="O(1)",
    )
)
register(
    Measure(
        name="tile_area",
        summary="number of crosses that the concept covers",
        compute=tile_area,
        range="0 … n q",
        complexity="O(1)",
    )
)
