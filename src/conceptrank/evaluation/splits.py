"""`split_agreement`: whether two parts of the objects agree on the scores of their concepts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.rounding import same
from conceptrank._util.text import counted
from conceptrank.context import Context
from conceptrank.datasets._samplers import count, share
from conceptrank.errors import checked_choice
from conceptrank.evaluation._scoring import Columns
from conceptrank.evaluation._work import Running
from conceptrank.evaluation.experiment import Experiment, Outcome
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Agreement, coefficients

Method: TypeAlias = Literal["random", "file"]

MEASURES = ("cr", "stability_intensional", "stability_extensional")
FIGURES = (
    "pearson",
    "spearman",
    "kendall",
    "concordance",
    "top_overlap",
    "within_sizes",
    # 1 if every compared concept has the same score in both parts. Measures that depend on the
    # intent alone have this property on any data.
    "identical",
)


def split_agreement(
    context: Context,
    *,
    measures: Iterable[MeasureLike] | None = MEASURES,
    method: Method = "random",
    splits: int = 30,
    ratio: float = 0.5,
    extremes: bool = True,
    min_support: float = 0,
    k: int = 10,
    seed: int = 0,
    **running: Unpack[Running],
) -> Experiment:
    """Split the objects in two, and compare the scores of the concepts that both parts have.

    Two concepts are the same if their intents are. A coefficient is undefined (nan) if all scores
    of one part are equal.

    Parameters
    ----------
    context
        The context.
    measures
        The measures; all that need a table only if None.
    method
        `"random"`, or `"file"` (the first objects against the others): with `extremes=False`, this
        gives the numbers of shared concepts of the paper on Conceptual Relevance.
    splits
        The number of splits. There is one split by file order.
    ratio
        The share of the objects in the first part.
    extremes
        Whether to compare the top and the bottom concept as well.
    min_support
        The minimum number of objects of a concept; a float is a share of the objects of each
        table.
    k
        The depth of `top_overlap`.
    seed
        Of the splits. The result does not depend on the number of threads.
    **running
        `threads` (0 for one per processor; the result does not depend on it), `budget`, `progress`,
        and `resume`, a directory for finished splits from which a stopped run continues.

    Notes
    -----
    The coefficients are those of `Ranking.agreement` and `within_sizes`, Pearson's correlation of
    the deviations from the mean of all concepts with as many attributes; `identical` is 1 if all
    compared concepts have the same scores in both parts. The protocol rewards
    measures that depend on the intent alone: `intent_size` agrees perfectly on any data.
    `within_sizes` removes that part.

    References
    ----------
    Buzmakov, Kuznetsov, Napoli, Is concept stability a measure for pattern selection?, Procedia
    Computer Science 31 (2014).

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.random.coin_toss(objects=200, attributes=8, density=0.4, seed=1)
    >>> result = split_agreement(context, measures=["cr", "support"], splits=5)
    >>> print(result)
    Agreement of 5 splits (random, 0.5) on 99.4 shared concepts
    pearson  spearman  kendall  concordance  top_overlap  within_sizes  measure
      0.899     0.636    0.628        0.894        0.973        -0.013  cr
      0.964     0.835    0.672        0.956        0.909         0.034  support
    """
    checked_choice("method", method, Method)
    count("splits", splits, least=1)
    if not 0 < share("ratio", ratio) < 1:
        raise ValueError(f"ratio must leave objects on both sides, got {ratio:g}")
    columns = Columns.of(measures)
    context = context.repeated()

    def work(place: int) -> Outcome:
        one, other = (
            columns.lattice(context.select(objects=part), min_support=min_support)
            for part in _parts(context, method, ratio, [seed, place])
        )
        return _compared(one, other, columns, extremes=extremes, k=k)

    given = {"method": method, "ratio": ratio, "extremes": extremes, "k": k, "seed": seed}
    key = columns.key("splits", context, min_support=min_support, **given)
    number = 1 if method == "file" else splits
    found = Experiment.run(key, work, figures=FIGURES, cases=[{}] * number, **running)
    how = {"file": "by file order", "random": "random"}[method]
    title = f"Agreement of {counted(number, 'split')} ({how}, {ratio:g}) on "
    title += f"{found.runs['shared'].to_numpy().mean():,.6g} shared concepts"
    title += "" if extremes else ", without top and bottom"
    return replace(found, title=title, split=ratio)


def halves(
    context: Context, columns: Columns, *, min_support: float = 0
) -> tuple[list[Lattice], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the lattices of the first and the second half of the objects, and the places in them.

    The places are those of the concepts that both have, without top and bottom.

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.random.coin_toss(objects=40, attributes=6, density=0.5, seed=1)
    >>> (one, other), (first, second) = halves(context, Columns.of(["support"]))
    >>> all(one[i].intent == other[j].intent for i, j in zip(first, second, strict=True))
    True
    """
    context = context.repeated()
    lattices = [
        columns.lattice(context.select(objects=part), min_support=min_support)
        for part in _parts(context, "file", 0.5, [])
    ]
    return lattices, _shared(*lattices, extremes=False)


def _parts(
    context: Context, method: Method, ratio: float, seed: list[int]
) -> tuple[list[str], list[str]]:
    """Return the names of the objects in both parts, in the context's order."""
    names = context.objects
    order = np.arange(len(names))
    if method == "random":
        order = np.random.default_rng(seed).permutation(len(names))
    cut = round(ratio * len(names))
    first, second = np.sort(order[:cut]), np.sort(order[cut:])
    return [names[i] for i in first], [names[i] for i in second]


def _compared(one: Lattice, other: Lattice, columns: Columns, *, extremes: bool, k: int) -> Outcome:
    places = _shared(one, other, extremes=extremes)
    sizes = one.intent_sizes[places[0]]
    scores = [columns.scores(lattice) for lattice in (one, other)]
    figures = {}
    for name, descending in columns.descending.items():
        x, y = (column[name][place] for column, place in zip(scores, places, strict=True))
        identical = bool((same(x, y) | (np.isnan(x) & np.isnan(y))).all())
        down = {"x": descending, "y": descending}
        found = (
            Agreement({"x": x, "y": y}, descending=down, k=k).between("x", "y") if len(x) else {}
        )
        own = [found.get(figure, np.nan) for figure in FIGURES[:-2]]
        figures[name] = [*own, within(x, y, sizes), float(identical)]
    shape = {"concepts_first": len(one), "concepts_second": len(other)}
    return {"shared": len(sizes), **shape}, figures


def _shared(
    first: Lattice, second: Lattice, *, extremes: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of the shared concepts in each lattice."""
    found = _lists.found_in(first.intents, second.intents)
    mine = np.flatnonzero(found >= 0)
    theirs = found[mine]
    if not extremes:
        # Concepts are sorted by support, so the top is the first.
        whole = len(first.context.attributes)
        inner = (mine > 0) & (theirs > 0) & (first.intent_sizes[mine] < whole)
        mine, theirs = mine[inner], theirs[inner]
    return mine, theirs


def within(x: Scores, y: Scores, groups: NDArray[np.int64]) -> float:
    """Return Pearson's correlation of the deviations from the means of groups.

    Examples
    --------
    >>> groups = np.array([1, 1, 2, 2])
    >>> round(within(np.array([0.0, 1.0, 8.0, 9.0]), np.array([1.0, 0.0, 8.0, 8.5]), groups), 4)
    -0.3162
    """
    known = np.isfinite(x) & np.isfinite(y)
    if not known.all() or not len(x):
        return np.nan
    _, places = np.unique(groups, return_inverse=True)
    sizes = np.bincount(places)
    rest = [column - (np.bincount(places, column) / sizes)[places] for column in (x, y)]
    # Differences by rounding alone are not variation.
    if any(
        np.abs(part).max() <= 1e-12 * max(np.abs(column).max(), 1e-300)
        for part, column in zip(rest, (x, y), strict=True)
    ):
        return np.nan
    return coefficients.pearson(*rest)
