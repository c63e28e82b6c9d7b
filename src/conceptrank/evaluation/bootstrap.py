"""`bootstrap`: how much a ranking changes when the objects are drawn with replacement."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.budget import Budget, Progress
from conceptrank.context import Context
from conceptrank.datasets import random
from conceptrank.datasets._samplers import count
from conceptrank.evaluation._scoring import Columns, means_table, oriented
from conceptrank.evaluation._work import Piece, Pieces
from conceptrank.evaluation.intervals import Summary, run_interval
from conceptrank.evaluation.neighbours import Discrimination, discriminations
from conceptrank.faces import Scores
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import coefficients
from conceptrank.ranking.order import dense, levels

MEASURES = ("cr", "stability_intensional", "stability_extensional", "expected_relevance")
FIGURES = ("spearman", "kendall", "top_overlap", *Discrimination._fields)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BootstrapResult:
    """How rankings change when the objects are drawn with replacement.

    Attributes
    ----------
    measures
        The measures.
    observed
        The discrimination between neighbours in the table, by measure.
    values
        An array by draw, measure and figure. `spearman` and `kendall` compare the ranking of the
        table with that of the draw, on the concepts of both. `top_overlap` compares the first k;
        concepts that the draw lacks come last. The others are the figures of `Discrimination`
        in the draw.
    kept
        The share of the concepts that are concepts of the draw, by draw.
    k, seed
        How it was done.
    """

    measures: tuple[str, ...]
    observed: dict[str, Discrimination]
    values: NDArray[np.float64]
    kept: NDArray[np.float64]
    k: int
    seed: int

    @property
    def draws(self) -> int:
        """The number of draws."""
        return len(self.values)

    @property
    def title(self) -> str:
        """The experiment in one line."""
        return (
            f"Rankings of {self.draws} bootstrap draws, {self.kept.mean():.0%} of the concepts kept"
        )

    def of(self, measure: str, figure: str = "spearman") -> Scores:
        """Return a figure of a measure for every draw; nan where it is undefined."""
        return self.values[:, self.measures.index(measure), FIGURES.index(figure)]

    def summary(self, measure: str, figure: str = "spearman") -> Summary:
        """Return mean, deviation and the interval of the middle 95 % of the draws."""
        return run_interval(self.of(measure, figure))

    def to_polars(self) -> pl.DataFrame:
        """Return a row for each measure and figure; undefined values are null."""
        rows: list[dict[str, Any]] = [
            {
                "measure": measure,
                "figure": figure,
                "observed": self.observed[measure]._asdict().get(figure, np.nan),
            }
            | self.summary(measure, figure)._asdict()
            for measure in self.measures
            for figure in FIGURES
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def __repr__(self) -> str:
        figures = FIGURES[:3]
        means = {
            measure: [self.summary(measure, figure).mean for figure in figures]
            for measure in self.measures
        }
        return means_table(self.title, figures, means)


def bootstrap(
    context: Context,
    *,
    measures: Iterable[MeasureLike] | None = MEASURES,
    draws: int = 50,
    k: int = 10,
    min_support: float = 0,
    seed: int = 0,
    threads: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> BootstrapResult:
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
    threads, budget, progress, resume
        As for `split_agreement`.

    References
    ----------
    Efron, Bootstrap methods: another look at the jackknife, Annals of Statistics 7 (1979).

    Examples
    --------
    >>> import conceptrank as cr
    >>> bootstrap(cr.datasets.load("movies"), measures=["cr", "stability"], draws=10, seed=1)
    Rankings of 10 bootstrap draws, 57% of the concepts kept
    spearman  kendall  top_overlap  measure
       0.814    0.752        0.557  cr
       0.617    0.543        0.799  stability
    """
    if count("draws", draws) < 1:
        raise ValueError("draws must be at least 1")
    context = context.repeated()
    columns = Columns.of(measures)
    original = columns.lattice(context, min_support=min_support, threads=threads)
    wanted = columns.scores(original)

    def piece(number: int) -> Piece:
        drawn = random.resample_rows(context, seed=seed, stream=number)
        lattice = columns.lattice(drawn, min_support=min_support)
        scores = columns.scores(lattice)
        places = _lists.found_in(original.intents, lattice.intents)
        apart = discriminations(lattice, scores)
        values = [
            [
                *_agreement(wanted[name], scores[name], places, k, descending=descending),
                *apart[name],
            ]
            for name, descending in columns.descending.items()
        ]
        return {"values": values, "kept": int((places >= 0).sum())}

    key = {
        "what": "bootstrap",
        "context": context.digest,
        "measures": columns.key,
        "min_support": min_support,
        "k": k,
        "seed": seed,
    }
    pieces = Pieces(threads=threads, budget=budget, progress=progress, resume=resume)
    found = pieces.map(key, piece, draws)
    return BootstrapResult(
        measures=columns.names,
        observed=discriminations(original, wanted),
        values=np.array([each["values"] for each in found], dtype=np.float64),
        kept=np.array([each["kept"] for each in found]) / (len(original) or np.nan),
        k=k,
        seed=seed,
    )


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
