"""`noise_recovery`: whether measures find the concepts of a table after noise was added."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.budget import Budget, Progress
from conceptrank.context import Context
from conceptrank.datasets._samplers import count, share
from conceptrank.errors import UnknownNameError
from conceptrank.evaluation._scoring import Columns, means_table, oriented
from conceptrank.evaluation._work import Piece, Pieces
from conceptrank.evaluation.intervals import Summary, run_interval
from conceptrank.evaluation.matched import matched_auc
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking.order import levels

Kind: TypeAlias = Literal["flip", "remove", "add", "drop_objects", "add_objects"]

MEASURES = ("cr", "stability_intensional", "stability_extensional", "expected_relevance")
FIGURES = ("auc", "average_precision", "precision", "matched_auc")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NoiseRecovery:
    """How well measures separate the concepts of a table from those that noise created.

    Attributes
    ----------
    measures, levels
        The measures and the levels of noise.
    values
        An array by level, draw, measure and figure (`auc`, `average_precision`, `precision` at
        the number of concepts of the table, `matched_auc` among concepts of the same support);
        nan where one is undefined.
    recall
        The share of the table's concepts that are still concepts after the noise, by level and
        draw. No measure can find the others.
    concepts
        The number of concepts after the noise, by level and draw.
    original
        The number of concepts before the noise.
    kind, seed
        The kind of noise and its seed.
    """

    measures: tuple[str, ...]
    levels: tuple[float, ...]
    values: NDArray[np.float64]
    recall: NDArray[np.float64]
    concepts: NDArray[np.int64]
    original: int
    kind: str
    seed: int

    @property
    def draws(self) -> int:
        """The number of noisy tables per level."""
        return len(self.recall[0])

    @property
    def title(self) -> str:
        """The experiment in one line."""
        return (
            f"Recovery of {self.original:,} concepts ({self.kind}, {self.draws} draws per level): "
            "mean AUC"
        )

    def of(self, measure: str, level: float, figure: str = "auc") -> Scores:
        """Return a figure of a measure for every draw; nan where it is undefined."""
        for name, known, kind in (
            (measure, self.measures, "measure"),
            (figure, FIGURES, "figure"),
            (level, self.levels, "level"),
        ):
            if name not in known:
                raise UnknownNameError(kind, name, map(str, known), where="this recovery")
        place = self.levels.index(level), slice(None), self.measures.index(measure)
        return self.values[(*place, FIGURES.index(figure))]

    def summary(self, measure: str, level: float, figure: str = "auc") -> Summary:
        """Return mean, deviation and the interval of the middle 95 % of the draws."""
        return run_interval(self.of(measure, level, figure))

    def to_polars(self) -> pl.DataFrame:
        """Return a row for each measure, level and figure; undefined values are null."""
        rows: list[dict[str, Any]] = [
            {"measure": measure, "level": level, "figure": figure}
            | self.summary(measure, level, figure)._asdict()
            for measure in self.measures
            for level in self.levels
            for figure in FIGURES
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def runs(self) -> pl.DataFrame:
        """Return a row for each level, draw and measure; undefined values are null."""
        rows = [
            {
                "level": level,
                "draw": draw,
                "measure": measure,
                "concepts": int(self.concepts[i, draw]),
                "recall": float(self.recall[i, draw]),
            }
            | dict(zip(FIGURES, self.values[i, draw, j].tolist(), strict=True))
            for i, level in enumerate(self.levels)
            for draw in range(self.draws)
            for j, measure in enumerate(self.measures)
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def __repr__(self) -> str:
        means = {
            measure: [self.summary(measure, level).mean for level in self.levels]
            for measure in self.measures
        }
        return means_table(self.title, [f"{level:g}" for level in self.levels], means)


def noise_recovery(
    context: Context,
    *,
    measures: Iterable[MeasureLike] | None = MEASURES,
    kind: Kind = "flip",
    levels: Sequence[float] = (0.01, 0.05, 0.1),
    draws: int = 20,
    min_support: float = 0,
    seed: int = 0,
    threads: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> NoiseRecovery:
    """Add noise to a table, rank the concepts of the noisy table, and look for the original ones.

    Parameters
    ----------
    context
        The context.
    measures
        The measures; all that need a table only if None.
    kind
        The noise: `"flip"`, `"remove"`, `"add"`, `"drop_objects"` or `"add_objects"`.
    levels
        The amount of noise, as chances or shares.
    draws
        The number of noisy tables per level.
    min_support
        The minimum number of objects of a concept; a float is a share of the objects of each
        table.
    seed
        Of the noise. The result does not depend on the number of threads.
    threads, budget, progress, resume
        As for `split_agreement`.

    Notes
    -----
    A concept of the noisy table counts as original if its intent is an intent of the original
    table. The AUC is the chance that an original concept scores better than another one; ties
    count half. Concepts without a score come last. Original concepts have large supports, so
    support alone does well; the matched AUC compares concepts of the same support only.

    References
    ----------
    Klimushkin, Obiedkov, Roth, Approaches to the selection of relevant concepts in the case of
    noisy data, ICFCA (2010).

    Examples
    --------
    >>> import conceptrank as cr
    >>> noise_recovery(cr.datasets.load("movies"), levels=[0.05], draws=10, seed=1)
    Recovery of 20 concepts (flip, 10 draws per level): mean AUC
     0.05  measure
    0.681  cr
    0.633  stability_intensional
    0.573  stability_extensional
    0.674  expected_relevance
    """
    if kind not in get_args(Kind):
        raise UnknownNameError("kind of noise", kind, get_args(Kind))
    if count("draws", draws) < 1:
        raise ValueError("draws must be at least 1")
    amounts = tuple(float(share("levels", level)) for level in levels)
    context = context.repeated()
    columns = Columns.of(measures)
    original = context.lattice(min_support=min_support, threads=threads)

    def piece(number: int) -> Piece:
        level = amounts[number // draws]
        noisy = disturbed(context, kind=kind, level=level, seed=seed, stream=number % draws)
        lattice = columns.lattice(noisy, min_support=min_support)
        truth = _lists.found_in(lattice.intents, original.intents) >= 0
        scores = columns.scores(lattice)
        found = [
            _figures(scores[name], truth, len(original), lattice, descending=descending)
            for name, descending in columns.descending.items()
        ]
        return {"values": found, "recall": int(truth.sum()), "concepts": len(lattice)}

    key = {
        "what": "noise",
        "context": context.digest,
        "measures": columns.key,
        "kind": kind,
        "levels": amounts,
        "draws": draws,
        "min_support": min_support,
        "seed": seed,
    }
    pieces = Pieces(threads=threads, budget=budget, progress=progress, resume=resume)
    found = pieces.map(key, piece, len(amounts) * draws)
    shape = (len(amounts), draws)
    values = np.array([each["values"] for each in found], dtype=np.float64)
    return NoiseRecovery(
        measures=columns.names,
        levels=amounts,
        values=values.reshape(*shape, len(columns.names), len(FIGURES)),
        recall=np.array([each["recall"] for each in found]).reshape(shape)
        / (len(original) or np.nan),
        concepts=np.array([each["concepts"] for each in found], dtype=np.int64).reshape(shape),
        original=len(original),
        kind=kind,
        seed=seed,
    )


def disturbed(
    context: Context, *, kind: Kind = "flip", level: float, seed: int = 0, stream: int = 0
) -> Context:
    """Return a context with noise in it.

    Examples
    --------
    >>> import conceptrank as cr
    >>> movies = cr.datasets.load("movies")
    >>> disturbed(movies, kind="remove", level=1).crosses
    0
    >>> disturbed(movies, kind="flip", level=1) == movies.complement()
    True
    """
    context = context.repeated()
    n, q = context.shape
    random = np.random.default_rng([seed, stream, *kind.encode()])
    if kind == "drop_objects":
        kept = random.random(n) >= level
        names = [name for name, stays in zip(context.objects, kept, strict=True) if stays]
        return context.select(objects=names)
    offsets, values = context.rows()
    cells = np.repeat(np.arange(n, dtype=np.int64), np.diff(offsets)) * q + values.astype(np.int64)
    if kind == "add_objects":
        more = round(level * n)
        names = _new_names(context.objects, more)
        tossed = np.flatnonzero(random.random(more * q) < context.density) + n * q
        cells, n = np.concatenate([cells, tossed]), n + more
        return Context.from_csr(names, context.attributes, *_rows(cells, n, q))
    if kind == "remove":
        cells = cells[random.random(len(cells)) >= level]
    else:
        chosen = random.choice(n * q, random.binomial(n * q, level), replace=False)
        cells = np.setxor1d(cells, chosen) if kind == "flip" else np.union1d(cells, chosen)
    return Context.from_csr(context.objects, context.attributes, *_rows(cells, n, q))


def _rows(cells: NDArray[np.int64], n: int, q: int) -> _lists.Lists:
    rows, columns = np.divmod(cells, q) if q else (cells, cells)
    return _lists.from_pairs(rows, columns, (n, q))


def _new_names(known: Sequence[str], more: int) -> list[str]:
    taken = set(known)
    fresh = (f"noise {number}" for number in range(1, more + len(known) + 1))
    names = [name for name in fresh if name not in taken]
    return [*known, *names[:more]]


def _figures(
    scores: Scores, truth: NDArray[np.bool_], depth: int, lattice: Lattice, *, descending: bool
) -> list[float]:
    if np.isnan(scores).all() and len(scores):
        return [np.nan] * len(FIGURES)
    place = levels(oriented(scores, descending=descending), descending=True)
    return [*recovered(place, truth, depth), matched_auc(place, truth, lattice.supports)]


def recovered(
    place: NDArray[np.int64], truth: NDArray[np.bool_], depth: int
) -> tuple[float, float, float]:
    """Return AUC, average precision, and precision at a depth, of levels (0 is best).

    Ties count half in the AUC and are one step in the average precision. In the precision they
    count with the chance of being among the first. All are nan without concepts of both kinds.

    Examples
    --------
    >>> found = recovered(np.array([0, 1, 2, 2]), np.array([True, False, True, False]), 2)
    >>> [round(each, 4) for each in found]
    [0.625, 0.75, 0.5]
    """
    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return np.nan, np.nan, np.nan
    sizes = np.bincount(place)
    hits = np.bincount(place, truth)
    misses = sizes - hits
    misses_after = negative - np.cumsum(misses)
    auc = float((hits * (misses_after + misses / 2)).sum()) / (positive * negative)
    seen, right = np.cumsum(sizes), np.cumsum(hits)
    average = float((hits * right / np.maximum(seen, 1)).sum()) / positive
    first = min(depth, len(truth))
    before = seen - sizes
    part = np.clip((first - before) / np.maximum(sizes, 1), 0, 1)
    precision = float((hits * part).sum()) / first if first else np.nan
    return auc, average, precision
