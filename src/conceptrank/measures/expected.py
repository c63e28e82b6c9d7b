"""Expected relevance: Conceptual Relevance when objects get lost.

One object can make an attribute relevant. Let every object be kept with some probability only. The
objects inside the extent decide whether the intent survives, the objects outside it decide which
attributes are relevant. The expectation of α is a product of two factors that faces give.
"""

from __future__ import annotations

import numpy as np

from conceptrank.concepts import Concepts
from conceptrank.faces import FaceNeed, Scores, Side, checked_share, checked_side
from conceptrank.measures import bounds
from conceptrank.measures.estimates import survival, survival_interval
from conceptrank.measures.registry import measure
from conceptrank.measures.relevance import dependences


@measure(
    side="intent",
    range="[0, 1]",
    depends=lambda keep, side: dependences(side, "relevance", keep=keep),
    frequent=True,
    bound=bounds.alpha,
    complexity="O(n q)",
    reference="conceptrank",
)
def relevance_factor(concepts: Concepts, *, keep: float = 0.5, side: str = "intent") -> Scores:
    """Return the expected share of relevant attributes if the intent survives.

    That is 1/|B| times the sum over m in B of 1 - (1 - keep)^n_m, where n_m is the number of
    objects outside A that have all of B but m. 0 where B is empty.

    Parameters
    ----------
    concepts
        The concepts.
    keep
        The chance to keep an object.
    side
        `"intent"`; `"extent"` for the dual, the share of relevant objects when attributes are kept.

    Notes
    -----
    Objects with equal rows count each.
    """
    own = checked_side(side)
    lengths = concepts.intent_sizes if own == "intent" else concepts.supports
    (relevance,) = concepts.face_scores(own, "relevance", keep=checked_share(keep, "keep"))
    return np.asarray(relevance / np.maximum(lengths, 1))


def _expected_interval(concepts: Concepts, *, keep: float, side: str) -> tuple[Scores, Scores]:
    factor = relevance_factor(concepts, keep=keep, side=side)
    low, high = survival_interval(concepts, _other(side), None, keep)
    return low * factor, high * factor


@measure(
    side="intent",
    range="[0, 1]",
    depends=lambda keep, side: (
        *dependences(side, "relevance", keep=keep),
        FaceNeed(_other(side), ("miss",), keep),
    ),
    interval_ends=_expected_interval,
    bound=bounds.expected_relevance,
    complexity="as robustness",
    reference="conceptrank",
)
def expected_relevance(concepts: Concepts, *, keep: float = 0.5, side: str = "intent") -> Scores:
    """Return the expectation of α, counted as 0 where the intent is lost.

    It is `robustness` with alpha = keep times `relevance_factor`. Objects inside A decide the first
    factor, objects outside A the second. For keep → 1 it becomes α. 0 where B is empty.

    Parameters
    ----------
    concepts
        The concepts.
    keep, side
        As for `relevance_factor`.
    """
    survives = survival(concepts, _other(side), None, checked_share(keep, "keep"))
    return survives * relevance_factor(concepts, keep=keep, side=side)


def _other(side: str) -> Side:
    return "extent" if checked_side(side) == "intent" else "intent"
