"""Trends: groups of columns that rise or fall together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import log_ndtr

from conceptrank.budget import poll
from conceptrank.scaling.ranked import Floats, Ranked
from conceptrank.scaling.relations import listed

# Pairs of rows times columns that are compared, and the most rows.
_CELLS, _SAMPLE, _SEED = 2e7, 700, 22
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
    n, count = len(columns[0].codes), len(columns)
    size = min(_SAMPLE, int(np.sqrt(2 * _CELLS / count)))
    rows = np.random.default_rng(_SEED).permutation(n)[:size]
    codes = np.array([column.codes[rows] for column in columns], dtype=np.float32)
    codes[codes < 0] = np.nan
    first, second = np.triu_indices(len(rows), 1)
    poll()
    signs = np.sign(codes[:, first] - codes[:, second])
    both = (~np.isnan(signs)).astype(np.float32)
    signs = np.nan_to_num(signs, copy=False)
    known, moves = both @ both.T, np.abs(signs) @ both.T
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = np.nan_to_num((signs @ signs.T) / np.sqrt(moves * moves.T)).astype(np.float64)
    m = (1 + np.sqrt(1 + 8 * known.clip(1))) / 2
    return tau, tau / np.sqrt(2 * (2 * m + 5) / (9 * m * (m - 1)))


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
