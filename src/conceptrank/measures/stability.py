"""The stability family: how likely a concept survives the loss of objects or attributes.

All of it rests on the chance that a random subset misses a face, which the core computes exact to
rounding unless a budget ends it; `Lattice.exact` says where that happened.
"""

from __future__ import annotations

import numpy as np

from conceptrank.errors import MeasureError
from conceptrank.faces import Concepts, FaceNeed, Scores
from conceptrank.measures.estimates import sampling_of, survival, survival_interval
from conceptrank.measures.registry import Measure, register

__all__ = [
    "delta_measure",
    "log_stability",
    "stability_bounds",
    "stability_extensional",
    "stability_intensional",
    "stability_lower_bound",
    "stability_upper_bound",
]

_LOWER: dict[str, tuple[str, ...]] = {"fkg": ("independent",), "union": ("sum",)}
_UPPER: dict[str, tuple[str, ...]] = {"bonferroni": ("sum", "pairs"), "delta": ("smallest",)}


def stability_intensional(
    concepts: Concepts,
    *,
    method: str = "exact",
    eps: float = 0.05,
    delta: float = 0.05,
    seed: int = 0,
) -> Scores:
    """Return the share of subsets of the extent that have the intent in common.

    That is the chance that the intent stays one when every object is lost with probability 1/2.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"exact"`; `"auto"`, which goes exact where that is cheap and estimates by Karp and Luby
        where not (`Lattice.exact` says which); or an estimate for all: `"karp_luby"`,
        `"monte_carlo"`, `"stratified"`, `"low_discrepancy"`.
    eps, delta, seed
        Of an estimate: its error is at most `eps` with probability 1 - `delta`, relative to 1 - σ
        for Karp and Luby; `Lattice.interval` gives the interval.
    """
    return survival(concepts, "extent", sampling_of(method, eps, delta, seed))


def stability_extensional(
    concepts: Concepts,
    *,
    method: str = "exact",
    eps: float = 0.05,
    delta: float = 0.05,
    seed: int = 0,
) -> Scores:
    """Return the share of subsets of the intent that generate the extent.

    Parameters
    ----------
    concepts, method, eps, delta, seed
        As for `stability_intensional`.
    """
    return survival(concepts, "intent", sampling_of(method, eps, delta, seed))


def log_stability(concepts: Concepts) -> Scores:
    """Return -log2(1 - σ) of intensional stability σ: infinite where σ is 1."""
    (log2_miss,) = concepts.face_scores("extent", "log2_miss")
    return 0.0 - log2_miss


def stability_lower_bound(concepts: Concepts, *, method: str = "fkg") -> Scores:
    """Return a lower bound of intensional stability.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"fkg"`: the product of 1 - 2^-|f| over the extent faces f (meeting faces are increasing
        events, so they help each other); `"union"`: 1 minus the sum of 2^-|f|, which is never
        better and can be negative.
    """
    (miss,) = concepts.face_scores("extent", *_columns(_LOWER, method))
    return 1.0 - miss


def stability_upper_bound(concepts: Concepts, *, method: str = "bonferroni") -> Scores:
    """Return an upper bound of intensional stability.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"bonferroni"`: 1 minus the sum of 2^-|f| over the extent faces f, plus the sum of
        2^-|f ∪ g| over pairs of them, exact for two faces and beyond 1 for very many;
        `"delta"`: 1 - 2^-Δ.
    """
    columns = concepts.face_scores("extent", *_columns(_UPPER, method))
    if method == "bonferroni":
        one, both = columns
        return np.asarray(1.0 - one + both)
    (smallest,) = columns
    bound: Scores = np.where(smallest > 0, 1.0 - np.exp2(-smallest.astype(np.float64)), 1.0)
    return bound


def stability_bounds(concepts: Concepts) -> tuple[Scores, Scores]:
    """Return the best bounds of intensional stability that sizes of faces and pairs give.

    Parameters
    ----------
    concepts
        A lattice.

    Returns
    -------
    tuple
        The lower and the upper bounds.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice(min_support=8)
    >>> lower, upper = stability_bounds(lattice)
    >>> lower.round(3), lattice.score("stability").round(3), upper.round(3)
    (array([0.743, 0.484, 0.484]), array([0.797, 0.484, 0.484]), array([0.81 , 0.484, 0.484]))
    """
    lower = stability_lower_bound(concepts)
    upper = stability_upper_bound(concepts)
    return lower, np.minimum(upper, stability_upper_bound(concepts, method="delta"))


def delta_measure(concepts: Concepts, *, bottom: str = "extent") -> Scores:
    """Return Δ, the number of objects that the nearest sub-concept lacks.

    Parameters
    ----------
    concepts
        The concepts.
    bottom
        What a concept with all attributes gets, as there is nothing below it: `"extent"` for its
        number of objects, `"inf"` for infinity.
    """
    if bottom not in ("extent", "inf"):
        raise MeasureError(f"bottom must be 'extent' or 'inf', got {bottom!r}")
    deltas = concepts.deltas.astype(np.float64)
    if bottom == "inf":
        deltas[concepts.intent_sizes == len(concepts.context.attributes)] = np.inf
    return deltas


def _columns(methods: dict[str, tuple[str, ...]], method: object) -> tuple[str, ...]:
    if method not in methods:
        known = " or ".join(map(repr, methods))
        raise MeasureError(f"method must be {known}, got {method!r}")
    return methods[str(method)]


_KUZNETSOV = "Kuznetsov, On stability of a formal concept, AMAI 49 (2007)"
_BUZMAKOV = "Buzmakov, Kuznetsov, Napoli, Scalable estimates of concept stability, ICFCA (2014)"

register(
    Measure(
        name="stability_intensional",
        aliases=("stability",),
        summary="share of subsets of the extent with the same intent",
        compute=stability_intensional,
        side="extent",
        range="(0, 1]",
        needs="extent faces",
        faces=lambda **how: (FaceNeed("extent", ("miss",), 0.5, sampling_of(**how)),),
        bounds=lambda concepts, **how: survival_interval(concepts, "extent", sampling_of(**how)),
        complexity="#P-hard; exponential in overlapping faces at worst",
        reference=_KUZNETSOV,
    )
)
register(
    Measure(
        name="stability_extensional",
        summary="share of subsets of the intent with the same extent",
        compute=stability_extensional,
        side="intent",
        range="(0, 1]",
        needs="intent faces",
        faces=lambda **how: (FaceNeed("intent", ("miss",), 0.5, sampling_of(**how)),),
        bounds=lambda concepts, **how: survival_interval(concepts, "intent", sampling_of(**how)),
        complexity="#P-hard; exponential in overlapping faces at worst",
        reference=_KUZNETSOV,
    )
)
register(
    Measure(
        name="log_stability",
        summary="-log2(1 - intensional stability)",
        compute=log_stability,
        side="extent",
        range="(0, ∞]",
        needs="extent faces",
        faces=lambda: (FaceNeed("extent", ("log2_miss",)),),
        complexity="as stability_intensional",
        reference=_BUZMAKOV,
    )
)
register(
    Measure(
        name="stability_lower_bound",
        summary="lower bound of intensional stability",
        compute=stability_lower_bound,
        side="extent",
        range="[0, 1]; union also below 0",
        needs="extent faces",
        faces=lambda method: (FaceNeed("extent", _columns(_LOWER, method)),),
        complexity="O(k)",
        reference=_BUZMAKOV,
    )
)
register(
    Measure(
        name="stability_upper_bound",
        summary="upper bound of intensional stability",
        compute=stability_upper_bound,
        side="extent",
        range="(0, 1]; bonferroni also above 1",
        needs="extent faces",
        faces=lambda method: (FaceNeed("extent", _columns(_UPPER, method)),),
        complexity="O(k²) bonferroni, O(k) delta",
        reference=_BUZMAKOV,
    )
)
register(
    Measure(
        name="delta_measure",
        aliases=("delta_stability",),
        summary="Δ: objects that the nearest sub-concept lacks",
        compute=delta_measure,
        side="extent",
        range="0 … n",
        complexity="O(n q)",
        reference=_BUZMAKOV,
    )
)
