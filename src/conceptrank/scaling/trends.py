"""Trends: groups of columns that rise or fall together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from conceptrank.budget import poll
from conceptrank.scaling.ranked import Floats, Ranked
from conceptrank.scaling.relations import listed

# Pairs of rows times pairs of columns that are compared, and the most rows.
_COMPARED, _SAMPLE, _SEED = 1e10, 700, 22
# Kendall's τ of two columns of a trend, in the mean of all pairs.
_LEAST = 0.5
_LEAST_VALUES = 3
# The probability of a trend among columns that have none.
_ALPHA = 1e-3


@dataclass(frozen=True)
class Trend:
    """Columns that rise or fall together.

    Parameters
    ----------
    columns
        The columns.
    signs
        1 for those that rise, -1 for those that fall meanwhile; most rise.
    tau
        The mean of |τ| over all pairs, by Kendall's τ-b.
    """

    columns: tuple[str, ...]
    signs: tuple[int, ...]
    tau: float

    @property
    def sentence(self) -> str:
        """The trend in words.

        Examples
        --------
        >>> Trend(("mpg", "wt", "hp"), (-1, 1, 1), 0.71).sentence
        'mpg falls as wt and hp rise (τ = −0.71)'
        """
        signed = list(zip(self.columns, self.signs, strict=True))
        up = [name for name, sign in signed if sign > 0]
        down = [name for name, sign in signed if sign < 0]
        if not down:
            return f"{listed(up)} rise together (τ = {self.tau:.2f})"
        falls, rise = "falls" if len(down) == 1 else "fall", "rises" if len(up) == 1 else "rise"
        return f"{listed(down)} {falls} as {listed(up)} {rise} (τ = −{self.tau:.2f})"


def trends(columns: Sequence[Ranked]) -> list[Trend]:
    """Return the groups of ordered columns that rise or fall together, the largest first."""
    columns = [one for one in columns if one.ordered and len(one.values) >= _LEAST_VALUES]
    if len(columns) < 2:
        return []
    tau, z = kendall(columns)
    pairs = len(columns) * (len(columns) - 1) / 2
    certain = log_ndtr(-np.abs(z)) <= log(_ALPHA / pairs / 2)
    found = []
    for places in _groups(np.where(certain, np.abs(tau), 0.0)):
        signs = np.where(tau[places[0], places] < 0, -1, 1)
        signs *= -1 if (signs < 0).sum() * 2 > len(signs) else 1
        aligned = tau[np.ix_(places, places)] * np.outer(signs, signs)
        mean = float(aligned[np.triu_indices(len(places), 1)].mean())
        if mean >= _LEAST:
            names = tuple(columns[place].name for place in places)
            found.append(Trend(names, tuple(signs.tolist()), mean))
    return sorted(found, key=lambda trend: (-len(trend.columns), -trend.tau))


def kendall(columns: Sequence[Ranked]) -> tuple[Floats, Floats]:
    """Return Kendall's τ-b of all pairs of columns, of a sample of rows, and its z-scores.

    Pairs of rows count in which both columns have values.
    """
    size = min(_SAMPLE, int((2 * _COMPARED) ** 0.5 / len(columns)))
    rows = np.random.default_rng(_SEED).permutation(len(columns[0].codes))[:size]
    codes = np.array([column.codes[rows] for column in columns], dtype=np.float32)
    codes[codes < 0] = np.nan
    pairs = np.triu_indices(len(rows), 1)
    # A row beside itself fills the last word of bits.
    first, second = (np.pad(places, (0, -len(places) % 64)) for places in pairs)
    up = np.array([_bits(own[first] < own[second]) for own in codes])
    down = np.array([_bits(own[first] > own[second]) for own in codes])
    known = np.array([_bits(~np.isnan(own[first] - own[second])) for own in codes])
    score, moves = np.zeros((2, len(codes), len(codes)))
    for a, (rises, falls) in enumerate(zip(up, down, strict=True)):
        poll()
        score[a] = _count(up & rises) + _count(down & falls)
        score[a] -= _count(up & falls) + _count(down & rises)
        moves[a] = _count((rises | falls) & known)
    scale = np.sqrt(moves * moves.T)
    tau = np.divide(score, scale, out=np.zeros_like(score), where=scale > 0)
    both = (~np.isnan(codes)).astype(np.float64)
    m = (both @ both.T).clip(2)
    return tau, tau / np.sqrt(2 * (2 * m + 5) / (9 * m * (m - 1)))


def _bits(marks: NDArray[np.bool_]) -> NDArray[np.uint64]:
    return np.packbits(marks).view(np.uint64)


def _count(words: NDArray[np.uint64]) -> Floats:
    return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.float64))


def _groups(strength: Floats) -> list[list[int]]:
    """Return the groups of average linkage, of two columns and more."""
    np.fill_diagonal(strength, -1)
    groups = [[place] for place in range(len(strength))]
    while True:
        poll()
        a, b = divmod(int(strength.argmax()), len(strength))
        if strength[a, b] < _LEAST:
            return [sorted(group) for group in groups if len(group) > 1]
        mean = np.average(strength[[a, b]], axis=0, weights=[len(groups[a]), len(groups[b])])
        strength[a] = strength[:, a] = mean
        strength[a, a] = strength[b] = strength[:, b] = -1
        groups[a], groups[b] = groups[a] + groups[b], []
