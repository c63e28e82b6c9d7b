"""Stability: how likely a concept survives the loss of objects or attributes.

All of it rests on the chance that a random subset misses a face. The core computes this chance
exactly up to rounding, and estimates it where that exceeds a budget.
"""

from __future__ import annotations

import numpy as np

from conceptrank.errors import MeasureError
from conceptrank.faces import Concepts, FaceNeed, Scores, Side, checked_share, checked_side
from conceptrank.measures import bounds
from conceptrank.measures.estimates import miss_interval, sampling_of, survival, survival_interval
from conceptrank.measures.registry import measure
from conceptrank.measures.tolerance import delta_measure, faces_of_delta

_LOWER: dict[str, tuple[str, ...]] = {"fkg": ("independent",), "union": ("sum",)}
_UPPER: dict[str, tuple[str, ...]] = {
    "tightest": ("sum", "pairs"),
    "bonferroni": ("sum", "pairs"),
    "delta": (),
}


_KUZNETSOV = "Kuznetsov, On stability of a formal concept, AMAI 49 (2007)"
_BUZMAKOV = "Buzmakov, Kuznetsov, Napoli, Scalable estimates of concept stability, ICFCA (2014)"


@measure(
    aliases=("stability",),
    summary="share of subsets of the extent with the same intent",
    side="extent",
    range="(0, 1]",
    requires=lambda **how: (FaceNeed("extent", ("miss",), 0.5, sampling_of(**how)),),
    finer="log_stability",
    interval=lambda concepts, **how: survival_interval(concepts, "extent", sampling_of(**how)),
    label="stability (int.)",
    bound=bounds.stability,
    complexity="#P-hard; exponential in overlapping faces at worst",
    reference=_KUZNETSOV,
)
def stability_intensional(
    concepts: Concepts,
    *,
    method: str = "exact",
    eps: float = 0.05,
    delta: float = 0.05,
    seed: int = 0,
) -> Scores:
    """Return σ = |{E ⊆ A : E′ = B}| / 2^|A|, the share of subsets of A with the intent B.

    It is the chance that B is still an intent when every object is lost with probability 1/2. It is
    1 exactly if B has all attributes.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"exact"`; `"auto"`, which is exact where that is cheap and an estimate by Karp and Luby
        elsewhere; or an estimate for all: `"karp_luby"`, `"monte_carlo"`, `"stratified"`,
        `"low_discrepancy"`. Where `"exact"` exceeds its budget for a concept, its score is an
        estimate, too, and `Lattice.exact` is false.
    eps, delta, seed
        Of an estimate: its error is at most `eps` with probability 1 - `delta`, relative to 1 - σ
        for Karp and Luby. `Lattice.interval` gives the interval.

    Notes
    -----
    Intensional stability is about subsets of the extent, extensional stability about subsets of the
    intent. The sum of σ 2^|A| over all concepts is 2^n.
    """
    return survival(concepts, "extent", sampling_of(method, eps, delta, seed))


@measure(
    summary="share of subsets of the intent with the same extent",
    side="intent",
    range="(0, 1]",
    requires=lambda **how: (FaceNeed("intent", ("miss",), 0.5, sampling_of(**how)),),
    finer="log_stability_extensional",
    interval=lambda concepts, **how: survival_interval(concepts, "intent", sampling_of(**how)),
    label="stability (ext.)",
    complexity="#P-hard; exponential in overlapping faces at worst",
    reference=_KUZNETSOV,
)
def stability_extensional(
    concepts: Concepts,
    *,
    method: str = "exact",
    eps: float = 0.05,
    delta: float = 0.05,
    seed: int = 0,
) -> Scores:
    """Return |{S ⊆ B : S′ = A}| / 2^|B|, the share of subsets of the intent with extent A.

    It is 1 exactly if A has all objects.

    Parameters
    ----------
    concepts
        The concepts.
    method, eps, delta, seed
        As for `stability_intensional`.

    Notes
    -----
    With r relevant attributes it is at most 2^-r, so concepts of high relevance score low.
    """
    return survival(concepts, "intent", sampling_of(method, eps, delta, seed))


@measure(
    summary="-log2(1 - intensional stability)",
    side="extent",
    range="(0, ∞]",
    requires=lambda: (FaceNeed("extent", ("log2_miss",)),),
    interval=lambda concepts: _log_interval(concepts, "extent"),
    bound=bounds.log_stability,
    complexity="as stability_intensional",
    reference=_BUZMAKOV,
)
def log_stability(concepts: Concepts) -> Scores:
    """Return -log2(1 - σ) of intensional stability σ; ∞ where σ is 1.

    It is exact also where σ rounds to 1.
    """
    (log2_miss,) = concepts.face_scores("extent", "log2_miss")
    return 0.0 - log2_miss


@measure(
    summary="-log2(1 - extensional stability)",
    side="intent",
    range="(0, ∞]",
    requires=lambda: (FaceNeed("intent", ("log2_miss",)),),
    interval=lambda concepts: _log_interval(concepts, "intent"),
    complexity="as stability_extensional",
    reference=_BUZMAKOV,
)
def log_stability_extensional(concepts: Concepts) -> Scores:
    """Return -log2(1 - σ) of extensional stability σ; ∞ where σ is 1."""
    (log2_miss,) = concepts.face_scores("intent", "log2_miss")
    return 0.0 - log2_miss


@measure(
    summary="lower bound of stability",
    side="extent",
    range="[0, 1]; union also below 0",
    requires=lambda method, side, alpha: (_bound_need(_LOWER, method, side, alpha),),
    bound=bounds.stability_bound,
    complexity="O(k)",
    reference="union: " + _BUZMAKOV + "; fkg: Harris, Proc. Camb. Phil. Soc. 56 (1960)",
)
def stability_lower_bound(
    concepts: Concepts, *, method: str = "fkg", side: str = "extent", alpha: float = 0.5
) -> Scores:
    """Return a lower bound of stability, or of robustness.

    Parameters
    ----------
    concepts
        The concepts.
    method
        With the faces f: `"fkg"` for the product of 1 - 2^-|f|, because meeting faces are
        increasing events; `"union"` for 1 minus the sum of 2^-|f|, which is never better and can
        be negative.
    side
        `"extent"` bounds intensional stability, `"intent"` extensional stability.
    alpha
        The chance to keep an element: 1/2 for stability, any for robustness. 2^-|f| becomes
        (1 - alpha)^|f|.
    """
    (miss,) = _bound_columns(concepts, _LOWER, method, side, alpha)
    return np.asarray(1.0 - miss)


def _faces_of_upper_bound(method: str, side: str, alpha: float) -> tuple[FaceNeed, ...]:
    need = _bound_need(_UPPER, method, side, alpha)
    own = (need,) if need.columns else ()
    return own if method == "bonferroni" else (*own, *faces_of_delta(side=side))


@measure(
    summary="upper bound of stability",
    side="extent",
    range="(0, 1]; bonferroni also above 1",
    requires=_faces_of_upper_bound,
    bound=bounds.stability_bound,
    complexity="O(k²), O(k) delta",
    reference="delta: " + _BUZMAKOV,
)
def stability_upper_bound(
    concepts: Concepts, *, method: str = "tightest", side: str = "extent", alpha: float = 0.5
) -> Scores:
    """Return an upper bound of stability, or of robustness.

    Parameters
    ----------
    concepts
        The concepts.
    method
        With the faces f and g: `"bonferroni"` for 1 minus the sum of 2^-|f| plus the sum over pairs
        of 2^-|f ∪ g|, which is exact for two faces and exceeds 1 for very many; `"delta"` for
        1 - 2^-Δ; `"tightest"` for the smaller of the two.
    side, alpha
        As for `stability_lower_bound`.
    """
    columns = _bound_columns(concepts, _UPPER, method, side, alpha)
    bounds: list[Scores] = []
    if columns:
        one, both = columns
        bounds.append(1.0 - one + both)
    if method != "bonferroni":
        deltas = delta_measure(concepts, side=side, bottom="inf")
        # Where nothing is below, nothing can be missed.
        missed = np.power(1.0 - alpha, deltas, out=np.zeros(len(deltas)), where=np.isfinite(deltas))
        bounds.append(1.0 - missed)
    return np.asarray(np.minimum.reduce(bounds))


def stability_bounds(
    concepts: Concepts, *, side: str = "extent", alpha: float = 0.5
) -> tuple[Scores, Scores]:
    """Return the best bounds of stability that sizes of faces and of pairs of them give.

    Parameters
    ----------
    concepts
        A lattice.
    side, alpha
        As for `stability_lower_bound`.

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
    lower = stability_lower_bound(concepts, side=side, alpha=alpha)
    return lower, stability_upper_bound(concepts, side=side, alpha=alpha)


@measure(
    summary="lower bound of log-stability: Δ - log2 of the number of lower covers",
    side="extent",
    range="(-∞, ∞]",
    requires=("covers",),
    bound=bounds.log_stability,
    complexity="O(k), O(1) attributes",
    reference=_BUZMAKOV,
)
def log_stability_lower_bound(concepts: Concepts, *, method: str = "covers") -> Scores:
    """Return a lower bound of log-stability; ∞ where B has all attributes.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"covers"` for Δ - log2 of the number of lower covers; `"attributes"` for Δ - log2 of the
        number of all attributes, which is looser and needs no covers.

    Notes
    -----
    fcapy's lower bound is the one with attributes.
    """
    if method == "covers":
        offsets, _ = concepts.cover_scores("lower", lambda covers: np.zeros(len(covers)))
        many = np.maximum(np.diff(offsets), 1)
    elif method == "attributes":
        many = np.full(len(concepts), max(len(concepts.context.attributes), 1))
    else:
        raise MeasureError(f"method must be 'covers' or 'attributes', got {method!r}")
    return np.asarray(delta_measure(concepts, bottom="inf") - np.log2(many))


@measure(
    summary="upper bound of log-stability: Δ",
    side="extent",
    range="[1, ∞]",
    bound=bounds.log_stability,
    complexity="O(n q)",
    reference=_BUZMAKOV,
)
def log_stability_upper_bound(concepts: Concepts) -> Scores:
    """Return Δ, an upper bound of log-stability.

    It is ∞ where B has all attributes.
    """
    return delta_measure(concepts, bottom="inf")


def _columns(methods: dict[str, tuple[str, ...]], method: object) -> tuple[str, ...]:
    if method not in methods:
        *others, last = map(repr, methods)
        raise MeasureError(f"method must be {', '.join(others)} or {last}, got {method!r}")
    return methods[str(method)]


def _bound_columns(
    concepts: Concepts, methods: dict[str, tuple[str, ...]], method: str, side: str, alpha: float
) -> tuple[Scores, ...]:
    need = _bound_need(methods, method, side, alpha)
    return concepts.face_scores(need.side, *need.columns, keep=need.keep) if need.columns else ()


def _bound_need(
    methods: dict[str, tuple[str, ...]], method: str, side: str, alpha: float
) -> FaceNeed:
    return FaceNeed(checked_side(side), _columns(methods, method), checked_share(alpha, "alpha"))


def _log_interval(concepts: Concepts, side: Side) -> tuple[Scores, Scores]:
    """Return the ends of the intervals of -log2 of the chance to miss a face."""
    log2_miss, exact = concepts.face_scores(side, "log2_miss", "log2_exact")
    low, high = miss_interval(concepts, side, None)
    with np.errstate(divide="ignore"):  # a miss that may be impossible has no upper bound
        ends = [np.where(exact, 0.0 - log2_miss, 0.0 - np.log2(end)) for end in (high, low)]
    return ends[0], ends[1]
