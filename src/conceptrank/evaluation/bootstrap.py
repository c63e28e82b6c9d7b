"""`bootstrap`: how much a ranking changes when the objects are drawn with replacement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.context import Context
from conceptrank.datasets import random
from conceptrank.datasets._samplers import count
from conceptrank.evaluation._scoring import Columns, oriented
from conceptrank.evaluation._work import Running
from conceptrank.evaluation.experiment import Experiment, Outcome
from conceptrank.evaluation.neighbours import separated
from conceptrank.faces import Scores
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import coefficients
from conceptrank.ranking.order import dense, levels

MEASURES = ("cr", "stability_intensional", "stability_extensional", "expected_relevance")
FIGURES = ("spearman", "kendall", "top_overlap", "separated")


def bootstrap(
    context: Context,
    *,
    measures: Iterable[MeasureLike] | None = MEASURES,
    draws: int = 50,
    k: int = 10,
    min_support: float = 0,
    seed: int = 0,
    **running: Unpack[Running],
) -> Experiment:
    """Draw the objects with replacement, rank again, and compare with the ranking of the table.

    Parameters
    ----------
    context
        The context.
    measures
        The measures; all that need a table only if None.
    draws
        The number of draws.
    k
        The number of concepts that `top_overlap` compares.
    min_support
        The minimum number of objects of a concept; a float is a share of the objects of each
        table.
    seed
        Of the draws. The result does not depend on the number of threads.
    **running
        As for `split_agreement`.

    Notes
    -----
    `spearman` and `kendall` compare the ranking of the table with that of the draw, on the concepts
    of both. `top_overlap` compares the first k; concepts that the draw lacks come last. `separated`
    is the result of `neighbour_discrimination` in the draw.

    References
    ----------
    Efron, Bootstrap methods: another look at the jackknife, Annals of Statistics 7 (1979).

    Examples
    --------
    >>> import conceptrank as cr
    >>> bootstrap(cr.datasets.load("movies"), measures=["cr", "stability"], draws=10, seed=1)
    Rankings of 10 bootstrap draws, 57% of the concepts kept
    spearman  kendall  top_overlap  separated  measure
       0.814    0.752        0.557      0.889  cr
       0.617    0.543        0.799      0.924  stability
    """
    count("draws", draws, least=1)
    context = context.repeated()
    columns = Columns.of(measures)
    original = columns.lattice(context, min_support=min_support)
    wanted = columns.scores(original)

    def work(number: int) -> Outcome:
        drawn = random.resample_rows(context, seed=seed, stream=number)
        lattice = columns.lattice(drawn, min_support=min_support)
        scores = columns.scores(lattice)
        places = _lists.found_in(original.intents, lattice.intents)
        apart = separated(lattice, scores)
        kept = float((places >= 0).sum()) / (len(original) or np.nan)
        return {"kept": kept}, {
            name: [*_agreement(wanted[name], scores[name], places, k, descending=down), apart[name]]
            for name, down in columns.descending.items()
        }

    key = columns.key("bootstrap", context, min_support=min_support, k=k, seed=seed)
    found = Experiment.run(key, work, figures=FIGURES, cases=[{}] * draws, **running)
    kept = float(found.runs["kept"].mean() or 0)  # type: ignore[arg-type]
    title = f"Rankings of {draws} bootstrap draws, {kept:.0%} of the concepts kept"
    return replace(found, title=title)


def _agreement(
    wanted: Scores, found: Scores, places: NDArray[np.int64], k: int, *, descending: bool
) -> tuple[float, float, float]:
    there = places >= 0
    x, y = wanted[there], found[places[there]]
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if not len(x):
        return np.nan, np.nan, np.nan
    in_x, in_y = levels(x, descending=descending), levels(y, descending=descending)
    after = np.full(len(wanted), -np.inf)
    after[there] = oriented(found[places[there]], descending=descending)
    first = dense(levels(oriented(wanted, descending=descending), descending=True))
    second = dense(levels(after, descending=True))
    depth = min(k, len(wanted))
    overlap = float(coefficients.agreement_by_depth(first, second, depth)[-1])
    return coefficients.spearman(in_x, in_y), coefficients.kendall(in_x, in_y), overlap
