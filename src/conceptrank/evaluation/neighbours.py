"""`neighbour_discrimination`: whether a concept and its covers get different scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from conceptrank.evaluation._scoring import Columns
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking.order import levels


def neighbour_discrimination(
    lattice: Lattice, *, measures: Iterable[MeasureLike] | None = None
) -> dict[str, float]:
    """Return the share of neighbouring concepts that have different scores, by measure.

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
    >>> [round(found[name], 3) for name in ("cr", "stability")]
    [0.629, 0.829]
    """
    columns = Columns.of(measures)
    return separated(lattice, columns.scores(lattice))


def separated(lattice: Lattice, scores: Mapping[str, Scores]) -> dict[str, float]:
    """Return the share of neighbouring concepts that have different scores, by column."""
    offsets, lower = lattice.lower_covers
    upper = np.repeat(np.arange(len(lattice)), np.diff(offsets))
    found = {}
    for name, column in scores.items():
        known = ~(np.isnan(column[upper]) | np.isnan(column[lower]))
        place = levels(column, descending=True)
        apart = place[upper[known]] != place[lower[known]]
        found[name] = float(apart.mean()) if len(apart) else np.nan
    return found
