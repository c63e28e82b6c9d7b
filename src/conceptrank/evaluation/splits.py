"""`split_agreement`: whether two parts of the objects agree on the scores of their concepts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.text import counted
from conceptrank.budget import Budget, Progress
from conceptrank.context import Context
from conceptrank.datasets._samplers import count, share
from conceptrank.errors import ConceptRankError, UnknownNameError
from conceptrank.evaluation._scoring import Columns, means_table
from conceptrank.evaluation._work import Piece, Pieces
from conceptrank.evaluation.intervals import Summary, mean_interval, run_interval
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Agreement, coefficients
from conceptrank.ranking.order import same

Method: TypeAlias = Literal["random", "stratified", "file"]

MEASURES = ("cr", "stability_intensional", "stability_extensional")
COEFFICIENTS = ("pearson", "spearman", "kendall", "concordance", "top_overlap", "within_sizes")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SplitAgreement:
    """The agreement of two parts of the objects, by measure, coefficient and split.

    Attributes
    ----------
    measures, coefficients
        The measures, and the coefficients of agreement.
    values
        The coefficients: an array by split, measure and coefficient; nan where one is undefined.
    shared
        The number of compared concepts, by split.
    concepts
        The number of concepts of each part, by split.
    identical
        For each measure, whether every compared concept has the same score in both parts in all
        splits. Measures that depend on the intent alone have this property on any data.
    points
        The scores of the compared concepts in both parts of the first split, by measure.
    method, ratio, extremes, seed, k
        The arguments of `split_agreement`.
    """

    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    values: NDArray[np.float64]
    shared: NDArray[np.int64]
    concepts: NDArray[np.int64]
    identical: Mapping[str, bool]
    points: Mapping[str, tuple[Scores, Scores]]
    method: Method
    ratio: float
    extremes: bool
    seed: int
    k: int

    @property
    def splits(self) -> int:
        """The number of splits."""
        return len(self.values)

    @property
    def title(self) -> str:
        """The experiment in one line."""
        how = {"file": "by file order", "random": "random", "stratified": "stratified"}
        ends = "" if self.extremes else ", without top and bottom"
        number = counted(self.splits, "split")
        return (
            f"Agreement of {number} ({how[self.method]}, {self.ratio:g}) on "
            f"{np.mean(self.shared):,.6g} shared concepts{ends}"
        )

    def of(self, measure: str, coefficient: str = "pearson") -> Scores:
        """Return a coefficient of a measure for every split; nan where it is undefined.

        Examples
        --------
        >>> import conceptrank as cr
        >>> result = split_agreement(cr.datasets.load("movies"), splits=3)
        >>> result.of("stability_extensional").round(2), result.of("cr", "tau").round(2)
        (array([0.69, 0.96, 0.99]), array([1.  , 0.33, 1.  ]))
        """
        name = coefficient if coefficient in self.coefficients else None
        if name is None:
            name = coefficients.canonical(coefficient)
        if measure not in self.measures:
            raise UnknownNameError("measure", measure, self.measures, where="this agreement")
        return self.values[:, self.measures.index(measure), self.coefficients.index(name)]

    def summary(self, measure: str, coefficient: str = "pearson") -> Summary:
        """Return mean, deviation and the interval of the middle 95 % of the splits."""
        return run_interval(self.of(measure, coefficient))

    def difference(self, first: str, second: str, coefficient: str = "pearson") -> Summary:
        """Return by how much a measure agrees better than another one on the same splits.

        The interval is a confidence interval of the mean over the splits where both are defined,
        widened because splits share their objects; see `intervals.mean_interval`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> result = split_agreement(cr.datasets.load("movies"), splits=20, seed=1)
        >>> result.difference("cr", "cr").mean
        0.0
        """
        paired = self.of(first, coefficient) - self.of(second, coefficient)
        return mean_interval(paired, split=self.ratio)

    def to_polars(self) -> pl.DataFrame:
        """Return a row for each measure and coefficient; undefined values are null.

        Examples
        --------
        >>> import conceptrank as cr
        >>> split_agreement(cr.datasets.load("movies"), preset="paper").to_polars().columns[:6]
        ['measure', 'coefficient', 'mean', 'deviation', 'low', 'high']
        """
        rows: list[dict[str, Any]] = []
        for measure in self.measures:
            for coefficient in self.coefficients:
                found = self.summary(measure, coefficient)
                rows.append(
                    {"measure": measure, "coefficient": coefficient}
                    | found._asdict()
                    | {"splits": self.splits, "identical": self.identical[measure]}
                )
        return pl.DataFrame(rows).fill_nan(None)

    def runs(self) -> pl.DataFrame:
        """Return a row per split and measure with all coefficients; undefined values are null."""
        rows = [
            {
                "split": split,
                "measure": measure,
                "shared": int(self.shared[split]),
                "concepts_first": int(self.concepts[split][0]),
                "concepts_second": int(self.concepts[split][1]),
            }
            | dict(zip(self.coefficients, self.values[split, place].tolist(), strict=True))
            for split in range(self.splits)
            for place, measure in enumerate(self.measures)
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def __repr__(self) -> str:
        means = {
            measure + (" (equal in both parts)" if self.identical[measure] else ""): [
                self.summary(measure, name).mean for name in self.coefficients
            ]
            for measure in self.measures
        }
        return means_table(self.title, self.coefficients, means)


def split_agreement(
    context: Context,
    *,
    measures: Iterable[MeasureLike] | None = MEASURES,
    preset: Literal["paper"] | None = None,
    method: Method = "random",
    splits: int = 30,
    ratio: float = 0.5,
    strata: Sequence[object] | Mapping[str, object] | None = None,
    extremes: bool = True,
    min_support: float = 0,
    k: int = 10,
    seed: int = 0,
    threads: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> SplitAgreement:
    """Split the objects in two, and compare the scores of the concepts that both parts have.

    Two concepts are the same if their intents are. A coefficient is undefined (nan) if all scores
    of one part are equal.

    Parameters
    ----------
    context
        The context.
    measures
        The measures; all that need a table only if None.
    preset
        `"paper"`: the first and the second half of the file, without top and bottom. This gives
        the numbers of shared concepts of the paper on Conceptual Relevance.
    method
        `"random"`, `"stratified"` (every stratum is split by the ratio), or `"file"` (the first
        objects against the others).
    splits
        The number of splits. There is one split by file order.
    ratio
        The share of the objects in the first part.
    strata
        A label for each object, in the context's order or by name. If None, objects with equally
        many attributes form a stratum.
    extremes
        Whether to compare the top and the bottom concept as well.
    min_support
        The minimum number of objects of a concept; a float is a share of the objects of each
        table.
    k
        The depth of `top_overlap`.
    seed
        Of the splits. The result does not depend on the number of threads.
    threads, budget, progress
        As for `significance`.
    resume
        A directory for finished splits, from which a stopped run continues.

    Notes
    -----
    The coefficients are those of `Ranking.agreement` and `within_sizes`, Pearson's correlation of
    the deviations from the mean of all concepts with as many attributes. The protocol rewards
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
    if preset == "paper":
        method, splits, ratio, extremes = "file", 1, 0.5, False
    elif preset is not None:
        raise UnknownNameError("preset", preset, ["paper"])
    if method not in get_args(Method):
        raise UnknownNameError("method", method, get_args(Method))
    if count("splits", splits) < 1:
        raise ValueError("splits must be at least 1")
    if not 0 < share("ratio", ratio) < 1:
        raise ValueError(f"ratio must leave objects on both sides, got {ratio:g}")
    columns = Columns.of(measures)
    labels = np.repeat(_labels(context, strata), context.weights)
    context = context.repeated()
    parts = _Parts(context, method, ratio, seed, labels)
    number = 1 if method == "file" else splits

    def piece(place: int) -> Piece:
        one, other = (
            columns.lattice(context.select(objects=part), min_support=min_support)
            for part in parts.of(place)
        )
        return _compared(one, other, columns, extremes=extremes, k=k, first=not place)

    key = {
        "what": "splits",
        "context": context.digest,
        "measures": columns.key,
        "method": method,
        "ratio": ratio,
        "strata": parts.key,
        "extremes": extremes,
        "min_support": min_support,
        "k": k,
        "seed": seed,
    }
    pieces = Pieces(threads=threads, budget=budget, progress=progress, resume=resume)
    found = pieces.map(key, piece, number)
    return SplitAgreement(
        measures=columns.names,
        coefficients=COEFFICIENTS,
        values=np.array([each["values"] for each in found], dtype=np.float64),
        shared=np.array([each["shared"] for each in found]),
        concepts=np.array([each["concepts"] for each in found]),
        identical={
            name: all(each["same"][place] for each in found)
            for place, name in enumerate(columns.names)
        },
        points={
            name: (np.array(x, dtype=np.float64), np.array(y, dtype=np.float64))
            for name, (x, y) in found[0]["points"].items()
        },
        method=method,
        ratio=ratio,
        extremes=extremes,
        seed=seed,
        k=k,
    )


@dataclass(frozen=True)
class _Parts:
    """The two parts of the objects in each split."""

    context: Context
    method: Method
    ratio: float
    seed: int
    labels: NDArray[np.int64]

    @property
    def key(self) -> object:
        return self.labels.tolist() if self.method == "stratified" else None

    def of(self, number: int) -> tuple[list[str], list[str]]:
        """Return the names of the objects in both parts, in the context's order."""
        n = len(self.context.objects)
        cut = round(self.ratio * n)
        order = np.arange(n)
        if self.method != "file":
            random = np.random.default_rng([self.seed, number])
            order = random.permutation(n)
        if self.method == "stratified":
            # The relative place of each object in its stratum.
            places = np.empty(n)
            for label in np.unique(self.labels):
                members = order[self.labels[order] == label]
                places[members] = (np.arange(len(members)) + random.random()) / len(members)
            order = order[np.argsort(places[order], kind="stable")]
        names = self.context.objects
        first, second = np.sort(order[:cut]), np.sort(order[cut:])
        return [names[i] for i in first], [names[i] for i in second]


def _labels(
    context: Context, strata: Sequence[object] | Mapping[str, object] | None
) -> NDArray[np.int64]:
    """Return the number of the stratum of every object."""
    if strata is None:
        return np.diff(context.rows()[0])
    if isinstance(strata, Mapping):
        strata = [strata[name] for name in context.objects]
    if len(strata) != len(context.objects):
        raise ConceptRankError(
            f"strata has {len(strata):,} labels, expected one for each of "
            f"{len(context.objects):,} objects"
        )
    known = {label: place for place, label in enumerate(dict.fromkeys(strata))}
    return np.array([known[label] for label in strata], dtype=np.int64)


def _compared(
    one: Lattice, other: Lattice, columns: Columns, *, extremes: bool, k: int, first: bool
) -> Piece:
    lattices = (one, other)
    places = _shared(one, other, extremes=extremes)
    sizes = one.intent_sizes[places[0]]
    scores = [columns.scores(lattice) for lattice in lattices]
    values, equal, points = [], [], {}
    for name, descending in columns.descending.items():
        x, y = (column[name][place] for column, place in zip(scores, places, strict=True))
        values.append(_coefficients(x, y, sizes, descending=descending, k=k))
        equal.append(bool((same(x, y) | (np.isnan(x) & np.isnan(y))).all()))
        if first:
            points[name] = (x.tolist(), y.tolist())
    return {
        "values": values,
        "same": equal,
        "shared": len(sizes),
        "concepts": [len(lattice) for lattice in lattices],
        "points": points,
    }


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


def _coefficients(
    x: Scores, y: Scores, sizes: NDArray[np.int64], *, descending: bool, k: int
) -> list[float]:
    agreement = Agreement({"x": x, "y": y}, descending={"x": descending, "y": descending}, k=k)
    found = agreement.between("x", "y") if len(x) else {}
    found["within_sizes"] = within(x, y, sizes)
    return [found.get(name, np.nan) for name in COEFFICIENTS]


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
