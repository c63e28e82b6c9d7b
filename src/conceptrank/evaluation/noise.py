"""`noise_recovery`: whether measures find the concepts of a table after noise was added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.context import Context
from conceptrank.datasets._samplers import count, share
from conceptrank.errors import checked_choice
from conceptrank.evaluation._scoring import Columns, oriented
from conceptrank.evaluation._work import Running
from conceptrank.evaluation.experiment import Experiment, Outcome
from conceptrank.evaluation.matched import matched_auc
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking.order import levels as levels_of

Kind: TypeAlias = Literal["flip", "remove", "add"]

MEASURES = ("cr", "stability_intensional", "stability_extensional", "expected_relevance")
FIGURES = ("auc", "average_precision", "precision", "matched_auc")


def noise_recovery(
    context: Context,
    *,
    measures: Iterable[MeasureLike] | None = MEASURES,
    kind: Kind = "flip",
    levels: Sequence[float] = (0.01, 0.05, 0.1),
    draws: int = 20,
    min_support: float = 0,
    seed: int = 0,
    **running: Unpack[Running],
) -> Experiment:
    """Add noise to a table, rank the concepts of the noisy table, and look for the original ones.

    Parameters
    ----------
    context
        The context.
    measures
        The measures; all that need a table only if None.
    kind
        The noise in the cells: `"flip"`, `"remove"` or `"add"`.
    levels
        The amount of noise, as chances or shares.
    draws
        The number of noisy tables per level.
    min_support
        The minimum number of objects of a concept; a float is a share of the objects of each
        table.
    seed
        Of the noise. The result does not depend on the number of threads.
    **running
        As for `split_agreement`.

    Notes
    -----
    A concept of the noisy table counts as original if its intent is an intent of the original
    table. The figures are `auc`, `average_precision`, `precision` at the number of original
    concepts, and `matched_auc`; `recall` is the share of the original concepts that are still
    concepts. The AUC is the chance that an original concept scores better than another one; ties
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
    Recovery of 20 concepts (flip, 10 draws per level): auc
     0.05  measure
    0.681  cr
    0.633  stability_intensional
    0.573  stability_extensional
    0.674  expected_relevance
    """
    checked_choice("kind", kind, Kind)
    count("draws", draws, least=1)
    amounts = tuple(float(share("levels", level)) for level in levels)
    context = context.repeated()
    columns = Columns.of(measures)
    original = context.lattice(min_support=min_support)
    cases = [{"level": level, "draw": draw} for level in amounts for draw in range(draws)]

    def work(number: int) -> Outcome:
        level, draw = cases[number]["level"], int(cases[number]["draw"])
        noisy = disturbed(context, kind=kind, level=level, seed=seed, stream=draw)
        lattice = columns.lattice(noisy, min_support=min_support)
        truth = _lists.found_in(lattice.intents, original.intents) >= 0
        scores = columns.scores(lattice)
        recall = float(truth.sum()) / (len(original) or np.nan)
        return {"recall": recall, "concepts": len(lattice)}, {
            name: _figures(scores[name], truth, len(original), lattice, descending=descending)
            for name, descending in columns.descending.items()
        }

    given = {"kind": kind, "levels": amounts, "min_support": min_support, "seed": seed}
    key = columns.key("noise", context, **given)
    found = Experiment.run(key, work, figures=FIGURES, cases=cases, group="level", **running)
    title = f"Recovery of {len(original):,} concepts ({kind}, {draws} draws per level)"
    return replace(found, title=title)


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
    offsets, values = context.rows()
    cells = np.repeat(np.arange(n, dtype=np.int64), np.diff(offsets)) * q + values.astype(np.int64)
    if kind == "remove":
        cells = cells[random.random(len(cells)) >= level]
    else:
        chosen = random.choice(n * q, random.binomial(n * q, level), replace=False)
        cells = np.setxor1d(cells, chosen) if kind == "flip" else np.union1d(cells, chosen)
    rows, columns = np.divmod(cells, q) if q else (cells, cells)
    return Context.from_csr(
        context.objects, context.attributes, *_lists.from_pairs(rows, columns, (n, q))
    )


def _figures(
    scores: Scores, truth: NDArray[np.bool_], depth: int, lattice: Lattice, *, descending: bool
) -> list[float]:
    if np.isnan(scores).all() and len(scores):
        return [np.nan] * len(FIGURES)
    place = levels_of(oriented(scores, descending=descending), descending=True)
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
