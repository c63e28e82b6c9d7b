"""Δ and tolerance: how far the nearest sub-concept is."""

from __future__ import annotations

import numpy as np

from conceptrank.concepts import Concepts, Subtrees
from conceptrank.errors import MeasureError
from conceptrank.faces import FaceNeed, Scores, checked_share, checked_side
from conceptrank.measures import bounds
from conceptrank.measures.itemset import bond, leverage
from conceptrank.measures.registry import Dependences, measure

_BUZMAKOV = "Buzmakov, Kuznetsov, Napoli, Scalable estimates of concept stability, ICFCA (2014)"
_CHENG = "Cheng, Ke, Ng, δ-tolerance closed frequent itemsets, ICDM (2006)"


def dependences_of_delta(*, side: str, bottom: str = "extent") -> Dependences:
    """Return what Δ depends on. Mining finds that of the extent."""
    if checked_side(side) == "extent":
        return ("delta",) if bottom == "extent" else ("delta", "intent")
    return ("support", FaceNeed("intent", ("smallest",)))


@measure(
    aliases=("delta_stability",),
    side="extent",
    range="0 … n",
    depends=dependences_of_delta,
    bound=bounds.delta,
    bound_by=("delta",),
    complexity="O(n q)",
    reference=_BUZMAKOV,
)
def delta_measure(concepts: Concepts, *, side: str = "extent", bottom: str = "extent") -> Scores:
    r"""Return Δ, the number of objects that the nearest sub-concept lacks.

    Δ = min over m outside B of |A \ m′|, which is the least |A| - |A_l| over the lower covers.

    Parameters
    ----------
    concepts
        The concepts.
    side
        `"extent"`; `"intent"` for the dual, the number of attributes that the nearest
        super-concept lacks.
    bottom
        What a concept with all attributes (for the dual, all objects) gets, because nothing is
        below it: `"extent"` for the size of the side, `"inf"` for infinity.

    Notes
    -----
    With the default, σ ≤ 1 - 2^-Δ fails at the concept with all attributes.
    """
    if bottom not in ("extent", "inf"):
        raise MeasureError(f"bottom must be 'extent' or 'inf', got {bottom!r}")
    n, q = concepts.context.shape
    if checked_side(side) == "extent":
        deltas = concepts.deltas.astype(np.float64)
        if bottom == "inf":
            deltas[concepts.intent_sizes == q] = np.inf
        return deltas
    (smallest,) = concepts.face_scores("intent", "smallest")
    last = concepts.supports == n
    return np.where(last, np.inf if bottom == "inf" else concepts.intent_sizes, smallest)


@measure(
    aliases=("delta_tolerance",),
    side="extent",
    range="[0, 1]",
    depends=lambda side: ("support", *dependences_of_delta(side=side)),
    complexity="O(n q)",
    reference=_CHENG,
)
def delta_relative(concepts: Concepts, *, side: str = "extent") -> Scores:
    """Return Δ / |A|, the share of objects that the nearest sub-concept lacks.

    0 where A is empty. For every smaller tolerance the concept is δ-tolerance closed.

    Parameters
    ----------
    concepts
        The concepts.
    side
        `"extent"`; `"intent"` for the dual.
    """
    lengths = concepts.supports if checked_side(side) == "extent" else concepts.intent_sizes
    return np.asarray(delta_measure(concepts, side=side) / np.maximum(lengths, 1))


def _cohesive_margin_bound(below: Subtrees) -> Scores:
    return np.asarray(bond(below) * below.deltas)


@measure(
    range="0 … n",
    depends=("support", "delta", "columns"),
    bound=_cohesive_margin_bound,
    complexity="O(n q)",
    reference="conceptrank",
)
def cohesive_margin(concepts: Concepts) -> Scores:
    """Return bond · Δ: the `bond` of the intent times the distance to the nearest sub-concept.

    It is high where the attributes of the intent occur together and nearly nowhere apart, and where
    no further attribute fits.
    """
    return np.asarray(bond(concepts) * delta_measure(concepts))


@measure(
    side="extent", range="0, 1", depends=("support", "delta"), complexity="O(n q)", reference=_CHENG
)
def is_delta_tolerance_closed(concepts: Concepts, *, delta: float) -> Scores:
    """Return 1 if Δ / |A| > delta: no further attribute keeps a share 1 - delta of the objects.

    The concept with all attributes gets 1: it has no proper superset.

    Parameters
    ----------
    concepts
        The concepts.
    delta
        The tolerance, between 0 and 1.

    Notes
    -----
    Margin-closedness (Moerchen, Thies and Ultsch, KAIS 29, 2011) is the same condition. At the
    boundary the literature has > or ≥. Here it is >.
    """
    all_attributes = concepts.intent_sizes == concepts.context.shape[1]
    exceeds = delta_relative(concepts) > checked_share(delta, "delta")
    return np.asarray(exceeds | all_attributes, dtype=np.float64)


def _stable_leverage_bound(below: Subtrees) -> Scores:
    # Leverage is at most |A|/n.
    return np.asarray(below.deltas / max(below.context.shape[0], 1))


@measure(
    range="(-1, 1)",
    depends=("support", "delta"),
    bound=_stable_leverage_bound,
    bound_by=("delta",),
    complexity="O(n q)",
    reference="conceptrank",
)
def stable_leverage(concepts: Concepts) -> Scores:
    """Return leverage · Δ/|A|: more frequent than by chance, and no fragment of a longer intent.

    0 where A is empty.

    Parameters
    ----------
    concepts
        The concepts.
    """
    return np.asarray(leverage(concepts) * delta_relative(concepts))
