"""Stability: how likely a concept survives the loss of objects or attributes.

All of it rests on the chance that a random subset misses a face. The core computes this chance
exactly up to rounding, and estimates it where that exceeds a budget.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from conceptrank.concepts import Concepts
from conceptrank.errors import UnknownNameError
from conceptrank.faces import Direction, FaceNeed, Scores, checked_share, checked_side
from conceptrank.measures import bounds
from conceptrank.measures.estimates import miss_interval, sampling_of, survival, survival_interval
from conceptrank.measures.registry import Dependences, measure
from conceptrank.measures.tolerance import delta_measure, dependences_of_delta

# The columns of face scores for each method of a bound.
_LOWER: dict[str, tuple[str, ...]] = {
    "fkg": ("independent",),
    "union": ("sum",),
    "covers": (),
    "attributes": (),
}
_UPPER: dict[str, tuple[str, ...]] = {
    "tightest": ("sum", "pairs"),
    "bonferroni": ("sum", "pairs"),
    "delta": (),
}

_KUZNETSOV = "Kuznetsov, On stability of a formal concept, AMAI 49 (2007)"
_BUZMAKOV = "Buzmakov, Kuznetsov, Napoli, Scalable estimates of concept stability, ICFCA (2014)"


_stability = partial(
    measure,
    range="(0, 1]",
    complexity="#P-hard; exponential in overlapping faces at worst",
    reference=_KUZNETSOV,
)


@_stability(
    side="extent",
    aliases=("stability",),
    depends=lambda **how: (FaceNeed("extent", ("miss",), 0.5, sampling_of(**how)),),
    finer="log_stability",
    interval_ends=lambda concepts, **how: survival_interval(concepts, "extent", sampling_of(**how)),
    bound=bounds.stability,
    bound_by=("delta",),
)
def stability_intensional(
    concepts: Concepts,
    *,
    method: str = "exact",
    eps: float = 0.05,
    delta: float = 0.05,
    seed: int = 0,
    bits: int = 4,
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
        elsewhere; or an estimate for all. `"karp_luby"` draws subsets that miss a face; its error
        is relative to 1 - σ, however small that is. `"monte_carlo"` draws independent subsets,
        `"stratified"` all patterns of the most influential elements and the rest at random,
        `"low_discrepancy"` evenly spread subsets. Where `"exact"` exceeds its budget for a concept,
        its score is an estimate, too, and `Lattice.exact` is false.
    eps, delta, seed
        Of an estimate: its error is at most `eps` with probability 1 - `delta`, relative to 1 - σ
        for Karp and Luby. `Lattice.interval` gives the interval.
    bits
        The number of elements whose patterns the stratified method enumerates.

    Notes
    -----
    Intensional stability is about subsets of the extent, extensional stability about subsets of the
    intent. The sum of σ 2^|A| over all concepts is 2^n. Estimates: Karp and Luby (1983); Babin and
    Kuznetsov, ICFCA (2012); Cochran, Sampling techniques (1977); shifted Kronecker points after
    Ibrahim and Missaoui (2018).
    """
    return survival(concepts, "extent", sampling_of(method, eps, delta, seed, bits))


@_stability(
    side="intent",
    depends=lambda **how: (FaceNeed("intent", ("miss",), 0.5, sampling_of(**how)),),
    frequent=True,
    finer=("log_stability", {"side": "intent"}),
    interval_ends=lambda concepts, **how: survival_interval(concepts, "intent", sampling_of(**how)),
)
def stability_extensional(
    concepts: Concepts,
    *,
    method: str = "exact",
    eps: float = 0.05,
    delta: float = 0.05,
    seed: int = 0,
    bits: int = 4,
) -> Scores:
    """Return |{S ⊆ B : S′ = A}| / 2^|B|, the share of subsets of the intent with extent A.

    It is 1 exactly if A has all objects.

    Parameters
    ----------
    concepts
        The concepts.
    method, eps, delta, seed, bits
        As for `stability_intensional`.

    Notes
    -----
    With r relevant attributes it is at most 2^-r, so concepts of high relevance score low.
    """
    return survival(concepts, "intent", sampling_of(method, eps, delta, seed, bits))


def _log_interval(concepts: Concepts, *, side: str) -> tuple[Scores, Scores]:
    """Return the ends of the intervals of -log2 of the chance to miss a face."""
    log2_miss, exact = concepts.face_scores(checked_side(side), "log2_miss", "log2_exact")
    low, high = miss_interval(concepts, checked_side(side), None)
    with np.errstate(divide="ignore"):  # a miss that may be impossible has no upper bound
        ends = [np.where(exact, 0.0 - log2_miss, 0.0 - np.log2(end)) for end in (high, low)]
    return ends[0], ends[1]


@measure(
    side="extent",
    range="(0, ∞]",
    depends=lambda side: (FaceNeed(checked_side(side), ("log2_miss",)),),
    frequent=True,
    interval_ends=_log_interval,
    bound=lambda below, side: bounds.log_survival(below, 0.5) if side == "extent" else None,
    bound_by=("delta",),
    complexity="as stability_intensional",
    reference=_BUZMAKOV,
)
def log_stability(concepts: Concepts, *, side: str = "extent") -> Scores:
    """Return -log2(1 - σ) of a stability σ; ∞ where σ is 1.

    It is exact also where σ rounds to 1.

    Parameters
    ----------
    concepts
        The concepts.
    side
        `"extent"` for intensional, `"intent"` for extensional stability.
    """
    (log2_miss,) = concepts.face_scores(checked_side(side), "log2_miss")
    return 0.0 - log2_miss


def _dependences_of_lower(method: str, side: str, alpha: float, *, log: bool) -> Dependences:
    del log
    need = _bound_need(_LOWER, method, side, alpha)
    covers: Dependences = ("covers",) if method == "covers" else ()
    return (need,) if need.columns else (*covers, *dependences_of_delta(side=side, bottom="inf"))


@measure(
    side="extent",
    range="[0, 1]; union, covers and attributes also below 0; up to ∞ with log",
    depends=_dependences_of_lower,
    bound=bounds.stability_bound,
    bound_by=("delta",),
    complexity="O(k)",
    reference=f"union, covers: {_BUZMAKOV}; fkg: Harris, Proc. Camb. Phil. Soc. 56 (1960)",
)
def stability_lower_bound(
    concepts: Concepts,
    *,
    method: str = "fkg",
    side: str = "extent",
    alpha: float = 0.5,
    log: bool = False,
) -> Scores:
    """Return a lower bound of stability, or of robustness.

    Parameters
    ----------
    concepts
        The concepts.
    method
        With the faces f: `"fkg"` for the product of 1 - 2^-|f|, because meeting faces are
        increasing events; `"union"` for 1 minus the sum of 2^-|f|; `"covers"` for 1 - k 2^-Δ with
        the number k of lower covers; `"attributes"` for the same with the number of all
        attributes, which needs no covers. Each is never better than the one before.
    side
        `"extent"` bounds intensional stability, `"intent"` extensional stability.
    alpha
        The chance to keep an element: 1/2 for stability, any for robustness. 2^-|f| becomes
        (1 - alpha)^|f|.
    log
        Whether to return -log2(1 - bound), a lower bound of log-stability: Δ - log2 k for covers.

    Notes
    -----
    fcapy's lower bound of log-stability is the one with attributes.
    """
    need = _bound_need(_LOWER, method, side, alpha)
    if need.columns:
        (miss,) = concepts.face_scores(need.side, *need.columns, keep=need.keep)
        return _of_miss(miss, log=log)
    if method == "covers":
        direction: Direction = "lower" if need.side == "extent" else "upper"
        offsets, _ = concepts.cover_scores(direction, lambda covers: np.zeros(len(covers)))
        many = np.maximum(np.diff(offsets), 1).astype(np.float64)
    else:
        n, q = concepts.context.shape
        many = np.full(len(concepts), max(q if need.side == "extent" else n, 1.0))
    return _of_delta(concepts, need, many, log=log)


def _dependences_of_upper(method: str, side: str, alpha: float, *, log: bool) -> Dependences:
    del log
    need = _bound_need(_UPPER, method, side, alpha)
    own = (need,) if need.columns else ()
    return own if method == "bonferroni" else (*own, *dependences_of_delta(side=side, bottom="inf"))


@measure(
    side="extent",
    range="(0, 1]; bonferroni also above 1; up to ∞ with log",
    depends=_dependences_of_upper,
    bound=bounds.stability_bound,
    bound_by=("delta",),
    complexity="O(k²), O(k) delta",
    reference="delta: " + _BUZMAKOV,
)
def stability_upper_bound(
    concepts: Concepts,
    *,
    method: str = "tightest",
    side: str = "extent",
    alpha: float = 0.5,
    log: bool = False,
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
    log
        Whether to return -log2(1 - bound), an upper bound of log-stability: Δ for delta.
    """
    need = _bound_need(_UPPER, method, side, alpha)
    found: list[Scores] = []
    if need.columns:
        one, both = concepts.face_scores(need.side, *need.columns, keep=need.keep)
        found.append(_of_miss(one - both, log=log))
    if method != "bonferroni":
        found.append(_of_delta(concepts, need, np.ones(len(concepts)), log=log))
    return np.asarray(np.minimum.reduce(found))


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


def _of_delta(concepts: Concepts, need: FaceNeed, many: Scores, *, log: bool) -> Scores:
    """Return the bound by so many faces of Δ elements; that of no face where Δ is infinite."""
    deltas = delta_measure(concepts, side=need.side, bottom="inf")
    some = np.isfinite(deltas)
    if not log:
        missed = np.power(1.0 - need.keep, deltas, out=np.zeros(len(deltas)), where=some)
        return np.asarray(1.0 - many * missed)
    with np.errstate(divide="ignore"):
        each = -np.log2(1.0 - need.keep)
    return np.where(some, np.where(some, deltas, 0.0) * each - np.log2(many), np.inf)


def _of_miss(miss: Scores, *, log: bool) -> Scores:
    """Return the bound that a bound of the chance to miss a face gives."""
    if not log:
        return np.asarray(1.0 - miss)
    with np.errstate(divide="ignore"):
        return np.asarray(0.0 - np.log2(np.maximum(miss, 0.0)))


def _bound_need(
    methods: dict[str, tuple[str, ...]], method: str, side: str, alpha: float
) -> FaceNeed:
    """Return the columns of face scores of a method; they may be none."""
    if method not in methods:
        raise UnknownNameError("method", method, methods)
    return FaceNeed(checked_side(side), methods[method], checked_share(alpha, "alpha"))
