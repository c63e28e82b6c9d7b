"""The scores that a figure shows: columns of a ranking, or of other measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrank.faces import Scores
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import labelled, measure_list
from conceptrank.ranking import Ranking


@dataclass(frozen=True)
class Column:
    """Scores of the concepts of a ranking by a measure, in the order of the ranking.

    Parameters
    ----------
    name
        What it is called.
    scores
        The scores.
    descending
        Whether large scores are the better ones.
    """

    name: str
    scores: Scores
    descending: bool = True

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which scores can be drawn: the finite ones."""
        return np.isfinite(self.scores)

    def missing(self) -> str:
        """Return what a chart of the finite scores leaves out, in words; empty if nothing.

        Examples
        --------
        >>> Column("lift", np.array([1.0, np.nan, np.inf, np.nan])).missing()
        '2 without a score, 1 infinite'
        """
        parts = {
            "without a score": int(np.isnan(self.scores).sum()),
            "infinite": int(np.isinf(self.scores).sum()),
        }
        return ", ".join(f"{number:,} {what}" for what, number in parts.items() if number)


def columns(
    ranking: Ranking, measures: MeasureLike | Sequence[MeasureLike] | None = None
) -> list[Column]:
    """Return the columns of a ranking, or those of some measures on its concepts.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ranking = cr.datasets.load("movies").lattice().rank("cr")
    >>> [column.name for column in columns(ranking, ["support", ("cr", {"side": "extent"})])]
    ['support', 'cr(side=extent)']
    """
    down = ranking.recipe.descending
    if measures is None:
        return [Column(name, ranking.score(name), down[name]) for name in ranking.measures]
    found = []
    for label, (name, params) in labelled(measure_list(measures))[0].items():
        if label in ranking.measures:
            found.append(Column(label, ranking.score(label), down[label]))
        else:
            scores = ranking.lattice.score(name, **params)[ranking.order]
            found.append(Column(label, scores, registry.get(name).direction == "higher"))
    return found
