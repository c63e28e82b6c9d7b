"""Conceptual Relevance: how much of an intent is needed to separate the extent from other objects.

α is the share of attributes of the intent that are relevant: without one of them the extent grows.
β compares the number of minimal generators with the number of subsets of the intent. An activation
makes one number of both. `side="extent"` is the dual, which exchanges objects and attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank.concepts import Concepts, Subtrees
from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.faces import FaceNeed, Scores, checked_share, checked_side
from conceptrank.measures import bounds
from conceptrank.measures.registry import Dependences, measure

Activation: TypeAlias = Callable[[Scores, Scores], Scores]


_PAPER = "Ibrahim, Missaoui, Vaillancourt, arXiv 2110.11262 (2021)"


@measure(
    side="intent",
    range="[0, 1]",
    depends=lambda side: dependences(side, "singletons"),
    frequent=True,
    bound=bounds.alpha,
    complexity="O(k)",
    reference=_PAPER,
)
def cr_alpha(concepts: Concepts, *, side: str = "intent") -> Scores:
    r"""Return α, the share of attributes of the intent that are relevant; 0 for an empty intent.

    An attribute m of B is relevant if (B \ m)′ ≠ A, that is, if {m} is an intent face.

    Parameters
    ----------
    concepts
        The concepts.
    side
        `"intent"`; `"extent"` for the dual, the share of relevant objects.
    """
    (singletons,) = concepts.face_scores(checked_side(side), "singletons")
    return _alpha(singletons, _lengths(concepts, side))


def _beta_interval(concepts: Concepts, *, side: str, beta: str) -> tuple[Scores, Scores]:
    """Return the ends of the intervals of β where generators were counted in part."""
    low = cr_beta(concepts, side=side, beta=beta)
    (exact,) = concepts.face_scores(checked_side(side), f"{_counted(beta)}_exact")
    if beta != "paper":
        return low, np.where(exact, low, 1.0)
    # Generators contain all relevant elements, and none contains another: Sperner's theorem.
    (relevant,) = concepts.face_scores(checked_side(side), "singletons")
    lengths = _lengths(concepts, side)
    fraction, exponent = _widest(lengths - relevant.astype(np.int64))
    most = _scaled(fraction, exponent - lengths)
    # h / (2^n - 2) exceeds h / 2^n by a factor of at most 2 from n = 2 on.
    return low, np.where(exact, low, np.minimum(2 * most, 1.0))


def _relevance_interval(
    concepts: Concepts, *, side: str, activation: str | Activation, beta: str
) -> tuple[Scores, Scores]:
    """Return the ends for the named activations, which are monotone in β; infinite for others."""
    low, high = _beta_interval(concepts, side=side, beta=beta)
    alphas = cr_alpha(concepts, side=side)
    combine = activation if callable(activation) else parse_activation(activation)
    ends = [np.asarray(combine(alphas, betas)) for betas in (low, high)]
    if callable(activation):
        unknown = low < high
        return np.where(unknown, -np.inf, ends[0]), np.where(unknown, np.inf, ends[0])
    return np.minimum(*ends), np.maximum(*ends)


def _beta_bound(below: Subtrees, *, side: str, beta: str) -> Scores | None:
    return bounds.relevance(below, _second, side, beta)


def _second(_: Scores, beta: Scores) -> Scores:
    return beta


def _relevance_bound(
    below: Subtrees, *, side: str, activation: str | Activation, beta: str
) -> Scores | None:
    if callable(activation):
        return None
    combine = parse_activation(activation)
    ends = combine(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    # Of the named activations only a logistic function can fall.
    return bounds.relevance(below, combine, side, beta) if ends[0] <= ends[1] else None


@measure(
    side="intent",
    range="[0, 1]",
    depends=lambda side, beta: dependences(side, "singletons", _counted(beta)),
    frequent=True,
    interval_ends=_beta_interval,
    bound=_beta_bound,
    complexity="#P-hard; the number of generators at worst",
    reference=_PAPER,
)
def cr_beta(concepts: Concepts, *, side: str = "intent", beta: str = "paper") -> Scores:
    """Return β = h / (2^n - 2) with the number h of minimal generators of the intent.

    n is the number of attributes of the intent. 0 where h or n is at most 1.

    Parameters
    ----------
    concepts
        The concepts.
    side
        `"intent"`; `"extent"` for the dual.
    beta
        The scale of h, with r of the n attributes relevant. `"paper"`: h / (2^n - 2). `"sperner"`:
        h / C(n, n/2), which reaches 1. `"sperner_free"`: the same with n - r for n. `"log"`:
        log(1 + h) / log(1 + C(n, n/2)).

    Notes
    -----
    β vanishes exponentially with n: for long intents relevance is α/2. Counting generators stops at
    a budget; `Lattice.exact` says where.
    """
    singletons, counted = concepts.face_scores(checked_side(side), "singletons", _counted(beta))
    return _beta(counted, _lengths(concepts, side), singletons, beta)


@measure(
    aliases=("cr",),
    side="intent",
    range="[0, 1/2] with the arithmetic mean, [0, 1] in general",
    depends=lambda side, activation, beta: dependences(side, "singletons", _counted(beta)),
    frequent=True,
    interval_ends=_relevance_interval,
    bound=_relevance_bound,
    complexity="as cr_beta",
    reference=_PAPER,
)
def conceptual_relevance(
    concepts: Concepts,
    *,
    side: str = "intent",
    activation: str | Activation = "arithmetic",
    beta: str = "paper",
) -> Scores:
    """Return Conceptual Relevance, F(α, β) with an activation F: by default the mean.

    Parameters
    ----------
    concepts
        The concepts.
    side
        As for `cr_alpha` and `cr_beta`.
    activation
        `"arithmetic"`, `"max"`, `"min"`, `"quadratic"`, `"noisy_or"`, `"product"`, `"geometric"`,
        `"harmonic"`, `weighted(w)` or `"weighted:w"`, `logistic(k, x)` or `"logistic:k,x"`, or a
        function of two arrays.
    beta
        As for `cr_beta`.

    Notes
    -----
    With the mean it is never above 1/2. Product, geometric, harmonic and min are 0 for most
    concepts: wherever there is one generator only, or nothing is relevant. Do not mix scales of β
    in one ranking.
    """
    singletons, counted = concepts.face_scores(checked_side(side), "singletons", _counted(beta))
    lengths = _lengths(concepts, side)
    combine = activation if callable(activation) else parse_activation(activation)
    alphas, betas = _alpha(singletons, lengths), _beta(counted, lengths, singletons, beta)
    scores = np.asarray(combine(alphas, betas))
    if scores.shape != alphas.shape:
        raise MeasureError(
            f"the activation gave {scores.shape or 'a single value'} for {len(alphas):,} concepts: "
            "it takes two arrays and returns one of their length"
        )
    return scores


def weighted(weight: float) -> Activation:
    """Return the activation w α + (1 - w) β.

    Examples
    --------
    >>> import conceptrank as cr
    >>> concept = cr.datasets.load("movies").concept("comedy")
    >>> concept.score("cr", activation=cr.measures.weighted(0.75))
    0.75
    """
    if not 0 <= weight <= 1:
        raise MeasureError(f"the weight of an activation is between 0 and 1, got {weight!r}")
    return lambda alpha, beta: weight * alpha + (1 - weight) * beta


def logistic(steepness: float, middle: float) -> Activation:
    """Return the activation 1 / (1 + exp(-k (mean - x))) of the mean of α and β.

    Examples
    --------
    >>> import conceptrank as cr
    >>> concept = cr.datasets.load("movies").concept("comedy")
    >>> concept.score("cr", activation=cr.measures.logistic(10, 0.5))
    0.5
    """

    def combine(alpha: Scores, beta: Scores) -> Scores:
        slope = steepness * ((alpha + beta) / 2 - middle)
        small = np.exp(-np.abs(slope))
        return np.asarray(np.where(slope >= 0, 1, small) / (1 + small))

    return combine


def _harmonic(alpha: Scores, beta: Scores) -> Scores:
    total = alpha + beta
    return np.divide(2 * alpha * beta, total, out=np.zeros_like(total), where=total > 0)


_ACTIVATIONS: dict[str, Activation] = {
    "arithmetic": lambda alpha, beta: (alpha + beta) / 2,
    "max": np.maximum,
    "min": np.minimum,
    "quadratic": lambda alpha, beta: np.sqrt((alpha**2 + beta**2) / 2),
    "noisy_or": lambda alpha, beta: alpha + beta - alpha * beta,
    "product": lambda alpha, beta: alpha * beta,
    "geometric": lambda alpha, beta: np.sqrt(alpha * beta),
    "harmonic": _harmonic,
}
_FAMILIES: dict[str, tuple[Callable[..., Activation], str]] = {
    "weighted": (weighted, "weighted:0.7"),
    "logistic": (logistic, "logistic:10,0.5"),
}


@cache
def parse_activation(text: str) -> Activation:
    """Return the activation that a text names: a name, or one with numbers after a colon.

    Equal texts give the same object.

    Examples
    --------
    >>> one, half = np.array([1.0]), np.array([0.5])
    >>> parse_activation("weighted:0.7")(one, half)
    array([0.85])
    >>> parse_activation("weighted")
    Traceback (most recent call last):
    conceptrank.errors.MeasureError: the activation 'weighted' takes numbers, as in 'weighted:0.7'
    """
    name, colon, arguments = text.partition(":") if isinstance(text, str) else (text, "", "")
    if name in _ACTIVATIONS and not colon:
        return _ACTIVATIONS[name]
    if name not in _FAMILIES:
        raise UnknownNameError("activation", text, [*_ACTIVATIONS, *_FAMILIES])
    family, example = _FAMILIES[name]
    try:
        return family(*map(float, arguments.split(",")))
    except (TypeError, ValueError) as error:
        if isinstance(error, MeasureError):
            raise
        raise MeasureError(f"the activation {text!r} takes numbers, as in {example!r}") from None


def _lengths(concepts: Concepts, side: str) -> NDArray[np.int64]:
    return concepts.intent_sizes if side == "intent" else concepts.supports


def _alpha(singletons: NDArray[np.uint32], lengths: NDArray[np.int64]) -> Scores:
    return singletons / np.maximum(lengths, 1)


def dependences(side: str, *columns: str, keep: float = 0.5) -> Dependences:
    """Return columns of face scores, and the support if they are divided by it.

    Examples
    --------
    >>> dependences("intent", "singletons")
    (FaceNeed(side='intent', columns=('singletons',), keep=0.5, sampling=None),)
    """
    need = FaceNeed(checked_side(side), columns, checked_share(keep, "keep"))
    return (need,) if side == "intent" else ("support", need)


def _counted(beta: str) -> str:
    """Return the column for β. The paper's scale needs no count where the share is negligible."""
    if beta not in _SCALES:
        raise UnknownNameError("beta", beta, _SCALES)
    return "share" if beta == "paper" else "generators"


def _beta(
    generators: Scores, lengths: NDArray[np.int64], relevant: NDArray[np.uint32], beta: str
) -> Scores:
    """Return β; 0 where there is one generator only."""
    if beta == "paper":  # the core's share of all subsets
        return generators
    result = np.zeros(len(generators))
    several = (generators > 1) & (lengths > 1)
    count, length, needed = generators[several], lengths[several], relevant[several]
    result[several] = _SCALES[beta](count, length, needed.astype(np.int64))
    return result


def _sperner(count: Scores, length: NDArray[np.int64], _: NDArray[np.int64]) -> Scores:
    fraction, exponent = _widest(length)
    return _scaled(count / fraction, -exponent)


def _sperner_free(count: Scores, length: NDArray[np.int64], needed: NDArray[np.int64]) -> Scores:
    return _sperner(count, length - needed, needed)


def _log(count: Scores, length: NDArray[np.int64], _: NDArray[np.int64]) -> Scores:
    fraction, exponent = _widest(length)
    # log2(1 + x) of x = fraction 2^exponent.
    plus_one = np.log2(fraction + _scaled(np.ones_like(fraction), -exponent)) + exponent
    return np.log2(1 + count) / plus_one


_SCALES: dict[str, Callable[[Scores, NDArray[np.int64], NDArray[np.int64]], Scores]] = {
    "paper": lambda share, *_: share,
    "sperner": _sperner,
    "sperner_free": _sperner_free,
    "log": _log,
}


def _widest(length: NDArray[np.int64]) -> tuple[Scores, NDArray[np.int64]]:
    """Return C(n, n/2) as a fraction and an exponent of 2, for lengths up to millions."""
    sizes, place = np.unique(length, return_inverse=True)
    fractions, exponents = np.ones(len(sizes)), np.zeros(len(sizes), dtype=np.int64)
    small = sizes < 1000
    counts = np.array([float(comb(n, n // 2)) for n in sizes[small].tolist()])
    fractions[small], exponents[small] = np.frexp(counts)
    # C(2m, m) = 4^m / sqrt(π m) · exp(-1/(8m) + 1/(192 m³) - …), and C(2m - 1, m) is half of it.
    large = sizes[~small]
    half = ((large + 1) // 2).astype(np.float64)
    series = -1 / (8 * half) + 1 / (192 * half**3)
    fractions[~small], exponents[~small] = np.exp(series) / np.sqrt(np.pi * half), large
    return fractions[place], exponents[place]


def _scaled(values: Scores, exponent: NDArray[np.int64]) -> Scores:
    """Return values · 2^exponent. Beyond ±5000 the result is 0 or infinite in any case."""
    return np.ldexp(values, np.clip(exponent, -5000, 5000).astype(np.int32))


def _generators_bound(below: Subtrees, *, side: str) -> Scores | None:
    return bounds.generators(below) if side == "intent" else None


@measure(
    side="intent",
    range="1 … C(|B|, |B|/2)",
    depends=lambda side: dependences(side, "generators"),
    bound=_generators_bound,
    complexity="#P-hard; the number of generators at worst",
    reference=_PAPER,
)
def minimal_generators(concepts: Concepts, *, side: str = "intent") -> Scores:
    """Return the number of minimal generators: how many short descriptions there are.

    Parameters
    ----------
    concepts
        The concepts.
    side
        `"intent"`; `"extent"` for the dual.

    Notes
    -----
    Counting generators stops at a budget; `Lattice.exact` says where.
    """
    (counts,) = concepts.face_scores(checked_side(side), "generators")
    return np.asarray(counts, dtype=np.float64)
