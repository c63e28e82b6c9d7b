"""Estimates of stability from random subsets, each with its interval.

Exact stability is cheap for most concepts and out of reach for a few, which are estimated.
`Lattice.exact` is false for an estimate, and `Lattice.interval` gives the interval that contains
the true value with probability 1 - delta.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from conceptrank.errors import UnknownNameError
from conceptrank.faces import Concepts, FaceNeed, Sampling, Scores, Side, checked_side
from conceptrank.measures.registry import Measure, register

__all__ = ["METHODS", "miss_interval", "sampling_of", "survival", "survival_interval"]

# An interval fails with this chance unless the user says otherwise.
DELTA = 0.05
METHODS = ("exact", "auto", "karp_luby", "monte_carlo", "stratified", "low_discrepancy")


def sampling_of(
    method: str, eps: float = 0.05, delta: float = 0.05, seed: int = 0, bits: int = 4
) -> Sampling | None:
    """Return the sampling that a method stands for; None for the exact one.

    Examples
    --------
    >>> sampling_of("exact"), sampling_of("karp_luby").eps
    (None, 0.05)
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    return None if method == "exact" else Sampling(method, eps, delta, seed, bits)


def survival(
    concepts: Concepts, side: Side, sampling: Sampling | None, keep: float = 0.5
) -> Scores:
    """Return the chance that a random subset meets every face of a side."""
    (miss,) = concepts.face_scores(side, "miss", keep=keep, sampling=sampling)
    return np.asarray(1.0 - miss)


def survival_interval(
    concepts: Concepts, side: Side, sampling: Sampling | None, keep: float = 0.5
) -> tuple[Scores, Scores]:
    """Return the ends of the intervals of `survival`."""
    low, high = miss_interval(concepts, side, sampling, keep)
    return 1.0 - high, 1.0 - low


def miss_interval(
    concepts: Concepts, side: Side, sampling: Sampling | None, keep: float = 0.5
) -> tuple[Scores, Scores]:
    """Return the ends of the intervals of the chance that a random subset misses a face.

    Monte Carlo has the interval of Clopper and Pearson, which is valid for any number of samples.
    The interval of Karp and Luby is relative to the chance of a miss. The other methods take
    Student's t over independent replicates. Without samples, the interval is the error bound of
    the computation; exact values have no width.
    """
    miss, error, exact, half_width, samples = concepts.face_scores(
        side, "miss", "error", "exact", "half_width", "samples", keep=keep, sampling=sampling
    )
    width = np.where(exact, 0.0, error)
    low, high = miss - width, miss + width
    relative = (samples > 0) & (half_width < 0)
    low[relative] = miss[relative] / (1 - half_width[relative])
    high[relative] = miss[relative] / (1 + half_width[relative])
    if sampling is None or sampling.method == "monte_carlo":
        delta = DELTA if sampling is None else sampling.delta
        plain = (samples > 0) & (half_width >= 0)
        low[plain], high[plain] = _clopper_pearson(miss[plain], samples[plain], delta)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _clopper_pearson(share: Scores, samples: Scores, delta: float) -> tuple[Scores, Scores]:
    """Return the interval of a binomial probability that is never too narrow."""
    from scipy.special import betaincinv

    hits = np.rint(share * samples)
    low, high = np.zeros_like(share), np.ones_like(share)
    some, not_all = hits > 0, hits < samples
    low[some] = betaincinv(hits[some], samples[some] - hits[some] + 1, delta / 2)
    high[not_all] = betaincinv(hits[not_all] + 1, samples[not_all] - hits[not_all], 1 - delta / 2)
    return low, high


def _estimator(method: str) -> tuple[Callable[..., Scores], Callable[..., tuple[Scores, Scores]]]:
    """Return the measure that estimates stability by a method, and its intervals."""

    def estimate(
        concepts: Concepts,
        *,
        side: str = "extent",
        eps: float = 0.05,
        delta: float = 0.05,
        seed: int = 0,
        bits: int = 4,
    ) -> Scores:
        return survival(concepts, checked_side(side), sampling_of(method, eps, delta, seed, bits))

    def interval(
        concepts: Concepts, *, side: str, eps: float, delta: float, seed: int, bits: int
    ) -> tuple[Scores, Scores]:
        sampling = sampling_of(method, eps, delta, seed, bits)
        return survival_interval(concepts, checked_side(side), sampling)

    return estimate, interval


_SUMMARIES = {
    "karp_luby": "stability estimated by drawing missed faces: a small relative error of 1 - σ",
    "monte_carlo": "stability estimated from independent random subsets",
    "stratified": "stability estimated with all patterns of the most influential elements",
    "low_discrepancy": "stability estimated from evenly spread subsets (shifted Kronecker points)",
}
_REFERENCES = {
    "karp_luby": "Karp, Luby, Monte-Carlo algorithms for enumeration and reliability (1983)",
    "monte_carlo": "Babin, Kuznetsov, Approximating concept stability, ICFCA (2012)",
    "stratified": "Cochran, Sampling techniques (1977)",
    "low_discrepancy": "after Ibrahim, Missaoui, An efficient approximation of stability (2018)",
}

for _method, _summary in _SUMMARIES.items():
    _compute, _interval = _estimator(_method)
    register(
        Measure(
            name=f"stability_{_method}",
            summary=_summary,
            compute=_compute,
            side="extent",
            range="[0, 1]",
            needs="faces",
            faces=lambda side, method=_method, **how: (
                FaceNeed(checked_side(side), ("miss",), 0.5, sampling_of(method, **how)),
            ),
            estimate=True,
            bounds=_interval,
            complexity="O(1/eps²) draws; times k for karp_luby",
            reference=_REFERENCES[_method],
        )
    )
