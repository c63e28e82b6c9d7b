"""The stability family: how likely a concept survives the loss of objects or attributes.

All of it rests on the chance that a random subset misses a face, which the core computes exact to
rounding unless a budget ends it; `Lattice.exact` says where that happened.
"""

from __future__ import annotations

import numpy as np

from conceptrank.errors import MeasureError
from conceptrank.faces import Concepts, FaceNeed, Scores, Side, checked_share, checked_side
from conceptrank.measures.estimates import miss_interval, sampling_of, survival, survival_interval
from conceptrank.measures.registry import Measure, register
from conceptrank.measures.tolerance import delta_measure, faces_of_delta

__all__ = [
    "log_stability",
    "log_stability_extensional",
    "log_stability_lower_bound",
    "log_stability_upper_bound",
    "stability_bounds",
    "stability_extensional",
    "stability_intensional",
    "stability_lower_bound",
    "stability_upper_bound",
]

_LOWER: dict[str, tuple[str, ...]] = {"fkg": ("independent",), "union": ("sum",)}
_UPPER: dict[str, tuple[str, ...]] = {
    "tightest": ("sum", "pairs"),
    "bonferroni": ("sum", "pairs"),
    "delta": (),
}


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
        `"exact"`; `"auto"`, which is exact where that is cheap and an estimate by Karp and Luby
        elsewhere; or an estimate for all: `"karp_luby"`, `"monte_carlo"`, `"stratified"`,
        `"low_discrepancy"`. Where `"exact"` exceeds its budget for a concept, it is an estimate,
        too, and `Lattice.exact` is false.
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


def log_stability_extensional(concepts: Concepts) -> Scores:
    """Return -log2(1 - σ) of extensional stability σ: infinite where σ is 1."""
    (log2_miss,) = concepts.face_scores("intent", "log2_miss")
    return 0.0 - log2_miss


def stability_lower_bound(
    concepts: Concepts, *, method: str = "fkg", side: str = "extent", alpha: float = 0.5
) -> Scores:
    """Return a lower bound of stability, or of robustness.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"fkg"`: the product of 1 - 2^-|f| over the extent faces f (meeting faces are increasing
        events, so they help each other); `"union"`: 1 minus the sum of 2^-|f|, which is never
        better and can be negative.
    side
        `"extent"` bounds intensional stability, whose random subsets are of the extent;
        `"intent"` extensional stability.
    alpha
        The chance that an element is kept: 1/2 for stability, any for robustness. 2^-|f| is
        (1 - alpha)^|f| then.
    """
    (miss,) = _bound_columns(concepts, _LOWER, method, side, alpha)
    return np.asarray(1.0 - miss)


def stability_upper_bound(
    concepts: Concepts, *, method: str = "tightest", side: str = "extent", alpha: float = 0.5
) -> Scores:
    """Return an upper bound of stability, or of robustness.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"bonferroni"`: 1 minus the sum of 2^-|f| over the extent faces f, plus the sum of
        2^-|f ∪ g| over pairs of them, exact for two faces and beyond 1 for very many;
        `"delta"`: 1 - 2^-Δ; `"tightest"`: the smaller of the two.
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


def log_stability_lower_bound(concepts: Concepts, *, method: str = "covers") -> Scores:
    """Return a lower bound of log-stability.

    Parameters
    ----------
    concepts
        The concepts.
    method
        `"covers"`: Δ - log2 of the number of lower covers; `"attributes"`: Δ - log2 of the number
        of all attributes, which is looser and needs no covers.
    """
    if method == "covers":
        offsets, _ = concepts.cover_scores("lower", lambda covers: np.zeros(len(covers)))
        many = np.maximum(np.diff(offsets), 1)
    elif method == "attributes":
        many = np.full(len(concepts), max(len(concepts.context.attributes), 1))
    else:
        raise MeasureError(f"method must be 'covers' or 'attributes', got {method!r}")
    return np.asarray(delta_measure(concepts, bottom="inf") - np.log2(many))


def log_stability_upper_bound(concepts: Concepts) -> Scores:
    """Return the upper bound of log-stability, which is Δ; infinite where nothing is below."""
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


def _faces_of_upper_bound(method: str, side: str, alpha: float) -> tuple[FaceNeed, ...]:
    need = _bound_need(_UPPER, method, side, alpha)
    own = (need,) if need.columns else ()
    return own if method == "bonferroni" else (*own, *faces_of_delta(side=side))


def _log_interval(concepts: Concepts, side: Side) -> tuple[Scores, Scores]:
    """Return the ends of the intervals of -log2 of the chance to miss a face."""
    log2_miss, exact = concepts.face_scores(side, "log2_miss", "log2_exact")
    low, high = miss_interval(concepts, side, None)
    with np.errstate(divide="ignore"):  # a miss that may be impossible has no upper bound
        ends = [np.where(exact, 0.0 - log2_miss, 0.0 - np.log2(end)) for end in (high, low)]
    return ends[0], ends[1]


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
        finer="log_stability",
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
        finer="log_stability_extensional",
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
        bounds=lambda concepts: _log_interval(concepts, "extent"),
        complexity="as stability_intensional",
        reference=_BUZMAKOV,
    )
)
register(
    Measure(
        name="log_stability_extensional",
        summary="-log2(1 - extensional stability)",
        compute=log_stability_extensional,
        side="intent",
        range="(0, ∞]",
        needs="intent faces",
        faces=lambda: (FaceNeed("intent", ("log2_miss",)),),
        bounds=lambda concepts: _log_interval(concepts, "intent"),
        complexity="as stability_extensional",
        reference=_BUZMAKOV,
    )
)
register(
    Measure(
        name="stability_lower_bound",
        summary="lower bound of stability",
        compute=stability_lower_bound,
        side="extent",
        range="[0, 1]; union also below 0",
        needs="faces",
        faces=lambda method, side, alpha: (_bound_need(_LOWER, method, side, alpha),),
        complexity="O(k)",
        reference="union: " + _BUZMAKOV + "; fkg: Harris, Proc. Camb. Phil. Soc. 56 (1960)",
    )
)
register(
    Measure(
        name="stability_upper_bound",
        summary="upper bound of stability",
        compute=stability_upper_bound,
        side="extent",
        range="(0, 1]; bonferroni also above 1",
        needs="faces",
        faces=_faces_of_upper_bound,
        complexity="O(k²), O(k) delta",
        reference="delta: " + _BUZMAKOV,
    )
)
register(
    Measure(
        name="log_stability_lower_bound",
        summary="lower bound of log-stability: Δ - log2 of the number of lower covers",
        compute=log_stability_lower_bound,
        side="extent",
        range="(-∞, ∞]",
        needs="covers",
        complexity="O(k), O(1) attributes",
        reference=_BUZMAKOV,
    )
)
register(
    Measure(
        name="log_stability_upper_bound",
        summary="upper bound of log-stability: Δ",
        compute=log_stability_upper_bound,
        side="extent",
        range="[1, ∞]",
        complexity="O(n q)",
        reference=_BUZMAKOV,
    )
)
