"""`Key`, a measure that decides, and its bound by a single number of a concept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conceptrank._util.lists import NO_NUMBERS
from conceptrank.concepts import Concepts, Marks, Subtrees
from conceptrank.context import Context
from conceptrank.faces import FaceScores, Scores
from conceptrank.measures.registry import Measure, Params

# With more objects, there are no curves: they list all supports.
_MOST_SUPPORTS = 10_000_000


@dataclass
class Key:
    """A measure that decides, with its parameters and direction."""

    measure: Measure
    params: Params
    sign: float
    # Scores that differ by at most this much count as equal.
    error: float = 0.0

    def score(self, concepts: Concepts) -> Scores:
        """Return scores of which the largest is the best; NaN is the worst."""
        scores = self.sign * self.measure.score(concepts, self.params)
        return np.where(np.isnan(scores), -np.inf, scores)

    def limit(self, nodes: Subtrees) -> Scores:
        """Return the largest such score at or below each node."""
        usual = 1.0 if self.measure.direction == "higher" else -1.0
        if self.sign != usual:
            return np.full(len(nodes), np.inf)
        return np.asarray(self.sign * self.measure.limit(nodes, self.params))


def curves(
    key: Key, context: Context, min_support: int, marks: Marks, *, bottom: bool = False
) -> list[Scores | None]:
    """Return the bound of a measure by the support, by Δ and by the sum of the first marks.

    A curve is None where the bound depends on more than the numbers that its measure declares, or
    falls somewhere.

    Parameters
    ----------
    key
        The measure.
    context, min_support
        The context, and the least support of a concept that counts.
    marks
        The numbers per object that the measure sums up.
    bottom
        Whether the concept of all attributes counts.

    Examples
    --------
    >>> import conceptrank as cr
    >>> key = Key(cr.measures.get("frequency"), {}, 1.0)
    >>> movies = cr.datasets.load("movies")
    >>> curves(key, movies, 0, Marks(movies))[0].round(1)
    array([0. , 0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9, 1. ])
    """
    n, hits = context.shape[0], "hits" in key.measure.bound_by
    if not key.measure.bound_by or n > _MOST_SUPPORTS or (hits and not marks.numbers):
        return [None] * 3
    numbers, most = np.arange(n + 1), np.full(n + 1, n)
    total = int((marks.numbers[0] * context.weights).sum()) if hits else n
    found: list[Scores | None] = []
    cases = [(numbers, numbers, most), (most, numbers, most), (most, most, numbers)]
    for supports, deltas, sums in cases if hits else cases[:2]:
        marked = np.minimum(sums, total)[:, None]
        known = {"supports": supports, "deltas": deltas, "marks": marks, "marked": marked}
        nodes = _loosest(context, bottom=bottom, min_support=min_support, **known)
        found.append(_rising(key.limit(nodes)))
    return found if hits else [*found, None]


def _loosest(context: Context, *, bottom: bool, **known: Any) -> Subtrees:
    """Return nodes of which these numbers are known and nothing else."""
    n, q = len(known["supports"]), len(context.attributes)
    return Subtrees(
        context,
        (np.zeros(n + 1, dtype=np.int64), NO_NUMBERS),
        longest=np.full(n, q),
        bottom=np.full(n, bottom),
        # No attribute is relevant where there is none.
        faces=FaceScores({("intent", "singletons"): np.zeros(n, dtype=np.uint32)}),
        **known,
    )


def _rising(curve: Scores) -> Scores | None:
    return curve if len(curve) and (curve[1:] >= curve[:-1]).all() else None
