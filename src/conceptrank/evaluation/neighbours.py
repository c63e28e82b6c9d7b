"""`neighbour_discrimination`: whether a concept and its covers get different scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrank.evaluation._scoring import Columns
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking.coefficients import mean_ranks
from conceptrank.ranking.order import levels


class Discrimination(NamedTuple):
    """How different the scores of a concept and its covers are; nan where there are none.

    Attributes
    ----------
    separated
        The share of neighbouring pairs with different scores.
    rank_gap
        The mean difference of their ranks (ties share the mean rank), as a share of all ranks.
    gap
        The mean difference of their scores, as a share of the range of all scores; nan if a
        score is infinite.
    """

    separated: float
    rank_gap: float
    gap: float


def neighbour_discrimination(
    lattice: Lattice, *, measures: Iterable[MeasureLike] | None = None
) -> dict[str, Discrimination]:
    """Return how different the scores of concepts and their covers are, by measure.

    Parameters
    ----------
    lattice
        The concepts.
    measures
        Measures; all that need nothing but a table if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> found = neighbour_discrimination(lattice, measures=["cr", "stability"])
    >>> [round(found[name].separated, 3) for name in ("cr", "stability")]
    [0.629, 0.829]
    """
    columns = Columns.of(measures)
    return discriminations(lattice, columns.scores(lattice))


def discriminations(lattice: Lattice, scores: Mapping[str, Scores]) -> dict[str, Discrimination]:
    """Return how different the scores of concepts and their covers are, by column."""
    offsets, lower = lattice.lower_covers
    upper = np.repeat(np.arange(len(lattice)), np.diff(offsets))
    return {name: _discrimination(column, upper, lower) for name, column in scores.items()}


def _discrimination(
    scores: Scores, upper: NDArray[np.integer[Any]], lower: NDArray[np.integer[Any]]
) -> Discrimination:
    known = ~(np.isnan(scores[upper]) | np.isnan(scores[lower]))
    upper, lower = upper[known], lower[known]
    if not len(upper):
        return Discrimination(np.nan, np.nan, np.nan)
    place = levels(scores, descending=True)
    separated = float((place[upper] != place[lower]).mean())
    ranks = mean_ranks(place)
    rank_gap = float(np.abs(ranks[upper] - ranks[lower]).mean()) / max(len(scores) - 1, 1)
    if not np.isfinite(scores).all() or np.ptp(scores) == 0:
        return Discrimination(separated, rank_gap, np.nan)
    gap = float(np.abs(scores[upper] - scores[lower]).mean()) / float(np.ptp(scores))
    return Discrimination(separated, rank_gap, gap)
