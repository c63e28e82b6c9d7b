"""Estimates of stability: random subsets, and an interval for each estimate.

Exact stability is cheap for most concepts and out of reach for a few, which are estimated.
`Lattice.exact` is false for an estimate, and `Lattice.interval` gives the interval that contains
the true value with probability 1 - delta.
"""

from __future__ import annotations

import numpy as np

from conceptrank.concepts import Concepts
from conceptrank.errors import UnknownNameError
from conceptrank.faces import Sampling, Scores, Side

# An interval fails with this chance unless the user says otherwise.
DELTA = 0.05
METHODS = ("exact", "auto", "karp_luby", "monte_carlo", "stratified", "low_discrepancy")


def sampling_of(
    method: str, eps: float = 0.05, delta: float = 0.05, seed: int = 0, bits: int = 4
) -> Sampling | None:
    """Return the sampling options of a method; None for the exact method.

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
