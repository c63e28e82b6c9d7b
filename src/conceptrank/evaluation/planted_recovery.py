"""Planted recovery: which lists of concepts contain the patterns that were planted in a table."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from conceptrank import summary
from conceptrank._util import text_table
from conceptrank._util.lists import each, take
from conceptrank.budget import Budget, Progress
from conceptrank.context import Context
from conceptrank.convert import results
from conceptrank.datasets._samplers import count, share
from conceptrank.datasets.random import Planted, planted
from conceptrank.errors import ConceptRankError, UnknownNameError
from conceptrank.evaluation._scoring import Columns, oriented
from conceptrank.evaluation._work import Piece, Pieces
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import diversity
from conceptrank.ranking.order import levels

Intent: TypeAlias = frozenset[str]
# Takes a context and the largest number of patterns, and returns intents, best first.
Method: TypeAlias = Callable[[Context, int | None], Iterable[Iterable[str]]]

_SHAPE = {"objects": 1000, "attributes": 30, "patterns": 6, "sizes": (2, 7)}
# Rich objects have many concepts, so attributes are less frequent there.
_UNEQUAL = {**_SHAPE, "background": "both", "frequencies": (0.03, 0.2)}
SETTINGS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "plain": {**_SHAPE},
        "missing and added": {**_SHAPE, "missing": 0.2, "added": 0.01},
        "unequal objects": {**_UNEQUAL, "missing": 0.1},
        "correlated pairs": {**_SHAPE, "background": "blocks", "missing": 0.1},
        "nested": {**_SHAPE, "overlap": "nested", "missing": 0.1},
        "no patterns": {**_SHAPE, "patterns": 0},
        "no patterns, unequal objects": {**_UNEQUAL, "patterns": 0},
    }
)
DIVERSE = ("stable_leverage", "separation", "delta_measure", "conceptual_relevance")
FIGURES = (
    "exact",
    "exact_frequent",
    "jaccard_planted",
    "jaccard_listed",
    "precision",
    "chosen",
    "seconds",
)
# A pattern whose observed support is below this share of the objects is hard to see at all.
FREQUENT = 0.02
# A concept of a list is a right one if it shares this much with a planted pattern.
SIMILAR = 0.8
_SHOWN = 15


@dataclass(frozen=True, eq=False, repr=False)
class PlantedRecovery:
    """How well lists of concepts recover planted patterns.

    Attributes
    ----------
    runs
        A row per setting, table, list and length. A list has as many concepts as were planted
        (length `"planted"`) or as its method chooses by its own rule (`"own"`). Figures:
        `exact`, the share of the planted intents that are literally in the list;
        `exact_frequent`, the same over those with an observed support of at least 2 % of the
        objects; `jaccard_planted` and `jaccard_listed`, the mean best match (Jaccard index) of the
        planted intents in the list and of the listed intents among the planted ones; `precision`,
        the share of the listed intents with a match of at least 0.8; `chosen`, the length of the
        list; `seconds`. What is undefined is null.
    """

    runs: pl.DataFrame

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of the settings."""
        return tuple(self.runs["setting"].unique(maintain_order=True))

    @property
    def title(self) -> str:
        """One line that says what this is."""
        tables = self.runs.select("setting", "table").n_unique()
        return f"Recovery of planted patterns, {tables} tables in {len(self.settings)} settings"

    def to_polars(self) -> pl.DataFrame:
        """Return the means over the tables of each setting, a row per list and length.

        The column `false` is the share of the tables without patterns that got any.
        """
        false = pl.when(pl.col("patterns") == 0).then((pl.col("chosen") > 0).cast(pl.Float64))
        return self.runs.group_by("setting", "list", "kind", "length", maintain_order=True).agg(
            pl.len().alias("tables"),
            *(pl.col(name).mean() for name in FIGURES),
            false.mean().alias("false"),
        )

    def of(self, name: str, setting: str, figure: str = "exact", *, length: str = "own") -> float:
        """Return the mean of a figure; the one of length `"planted"` if a list has no own length.

        Raises
        ------
        UnknownNameError
            If there is no such list, setting or figure.
        """
        means = self.to_polars()
        for kind, one, known in (
            ("list", name, means["list"].unique(maintain_order=True)),
            ("setting", setting, self.settings),
            ("figure", figure, (*FIGURES, "false")),
        ):
            if one not in known:
                raise UnknownNameError(kind, one, known, where="this recovery")
        rows = means.filter(pl.col("list") == name, pl.col("setting") == setting)
        found = rows.filter(pl.col("length") == length)
        values = (found if len(found) else rows)[figure].to_list()
        return float("nan") if not values or values[0] is None else float(values[0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a row per list and table to a CSV or Parquet file, by its suffix."""
        results.save(self.runs, path)

    def standings(self) -> pl.DataFrame:
        """Return the lists of as many concepts as were planted, best first by exact hits.

        The columns are `list`, `kind` and `exact`, the mean over the settings.
        """
        return (
            self.to_polars()
            .filter(pl.col("exact").is_not_null(), pl.col("length") == "planted")
            .group_by("list", "kind", maintain_order=True)
            .agg(pl.col("exact").mean())
            .sort("exact", descending=True, maintain_order=True)
        )

    def sentences(self) -> list[str]:
        """Return what was found: the best list of each kind, and false patterns."""
        names = {
            "selection": "method that chooses a list",
            "diverse": "diverse list",
            "top": "measure",
        }
        best = self.standings().unique("kind", keep="first", maintain_order=True)
        found = [
            f"The best {names[kind]} is {name}: its list has {exact:.0%} of the planted patterns."
            for name, kind, exact in best.iter_rows()
        ]
        false = (
            self.to_polars()
            .group_by("list", maintain_order=True)
            .agg(pl.col("false").mean())
            .drop_nulls()
        )
        parts = ", ".join(f"{name} in {share:.0%}" for name, share in false.iter_rows())
        return [*found, f"Patterns in tables without any: {parts}."] if parts else found

    def __repr__(self) -> str:
        means = self.to_polars().filter(pl.col("exact").is_not_null())
        if not len(means):
            return f"{self.title}: no patterns were planted"
        order = self.standings()
        settings = means["setting"].unique(maintain_order=True).to_list()
        rows = [
            [*(f"{self.of(name, each, length='planted'):.2f}" for each in settings), name]
            for name in order["list"].head(_SHOWN)
        ]
        title = f"{self.title}: exact hits in lists of as many concepts as were planted"
        return text_table.titled(title, [*settings, "list"], rows, total=len(order), noun="lists")


def planted_recovery(
    settings: Mapping[str, Mapping[str, Any] | Sequence[Planted]] = SETTINGS,
    *,
    tables: int = 5,
    measures: Iterable[MeasureLike] | None = None,
    diverse: Iterable[MeasureLike] = DIVERSE,
    methods: Iterable[str] | Mapping[str, Method] | None = None,
    longest: int = 100,
    min_support: float = 0.01,
    most_concepts: int = 500_000,
    seconds: float = 60.0,
    seed: int = 0,
    threads: int = 1,
    budget: Budget | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> PlantedRecovery:
    """Plant patterns in random tables, and look for them in every list of concepts.

    Compared are the best concepts by each measure, diverse ones by some measures, and the methods
    that choose a list.

    Parameters
    ----------
    settings
        For each name the keywords of `conceptrank.datasets.random.planted`, or tables that were
        made by it.
    tables
        The number of tables per setting, for settings given as keywords.
    measures
        Measures; all that need nothing but a table if None.
    diverse
        Measures for diverse lists.
    methods
        Names of methods that choose a list, all if None; or functions by name that take a context
        and the largest number of patterns (None for no limit) and return intents, best first.
    longest
        The most concepts of a list whose method has no end of its own.
    min_support
        The least number of objects of a concept; a float is a share of all objects.
    most_concepts
        The lists by measures are left out where there are more concepts.
    seconds
        The time for each method on each table; its list is what it has found by then.
    seed
        Of the tables.
    threads, budget, progress, resume
        As for `split_agreement`. Several threads disturb the times.

    Examples
    --------
    >>> shape = {"objects": 300, "attributes": 15, "patterns": [(4, 0.2)], "missing": 0.1}
    >>> found = planted_recovery({"easy": shape}, tables=2, measures=["cr", "separation"])
    >>> found.of("slim", "easy"), found.of("cr", "easy")
    (1.0, 0.0)
    """
    columns = Columns.of(measures)
    diverse_columns = Columns.of(list(diverse))
    chosen = _methods(methods, min_support, longest, seconds)
    work: list[tuple[str, int, Mapping[str, Any] | Planted]] = []
    for name, given in settings.items():
        given_tables: Sequence[Mapping[str, Any] | Planted] = (
            [given] * count("tables", tables) if isinstance(given, Mapping) else given
        )
        work += [(name, number, one) for number, one in enumerate(given_tables)]

    def piece(number: int) -> Piece:
        setting, table, given = work[number]
        drawn = planted(**given, seed=seed, stream=table) if isinstance(given, Mapping) else given
        rows = [
            {"setting": setting, "table": table} | row
            for row in [
                *_by_measures(drawn, columns, diverse_columns, min_support, most_concepts),
                *_by_methods(drawn, chosen, longest),
            ]
        ]
        return {"rows": rows}

    key = {
        "what": "planted",
        "settings": {
            name: repr(sorted(given.items()))
            if isinstance(given, Mapping)
            else [table.context.digest for table in given]
            for name, given in settings.items()
        },
        "tables": tables,
        "measures": columns.key,
        "diverse": diverse_columns.key,
        "methods": sorted(chosen),
        "longest": longest,
        "min_support": min_support,
        "most_concepts": most_concepts,
        "seconds": seconds,
        "seed": seed,
    }
    pieces = Pieces(threads=threads, budget=budget, progress=progress, resume=resume)
    found = [row for one in pieces.map(key, piece, len(work)) for row in one["rows"]]
    if not found:
        raise ConceptRankError("there is no table or no list to compare (hint: tables=5)")
    return PlantedRecovery(_frame(found))


def figures_of(
    listed: Sequence[Collection[str]], planted_in: Planted, *, frequent: float = FREQUENT
) -> dict[str, float | None]:
    """Return how well a list of intents recovers the patterns of a table.

    Examples
    --------
    >>> table = planted(100, 10, patterns=[(3, 0.5)], seed=1)
    >>> (pattern,) = table.patterns
    >>> figures_of([pattern.intent, pattern.intent[:2]], table)["jaccard_listed"]
    0.8333333333333333
    """
    share("frequent", frequent)
    lists = [frozenset(intent) for intent in listed]
    truth = [frozenset(pattern.intent) for pattern in planted_in.patterns]
    least = frequent * planted_in.context.shape[0]
    hits = [intent in lists for intent in truth]
    seen = [
        hit
        for hit, pattern in zip(hits, planted_in.patterns, strict=True)
        if pattern.support >= least
    ]
    of_planted = [max((_jaccard(one, other) for other in lists), default=0.0) for one in truth]
    of_listed = [max((_jaccard(one, other) for other in truth), default=0.0) for one in lists]
    return {
        "exact": _mean(hits),
        "exact_frequent": _mean(seen),
        "jaccard_planted": _mean(of_planted),
        "jaccard_listed": _mean(of_listed) if truth else None,
        "precision": _mean([match >= SIMILAR for match in of_listed]) if truth else None,
    }


def _by_measures(
    table: Planted, columns: Columns, diverse: Columns, min_support: float, most_concepts: int
) -> list[dict[str, Any]]:
    """Return the rows of the lists that are the best or diverse concepts by a measure."""
    k = len(table.patterns)
    if not k or not (columns.names or diverse.names):
        return []
    both = Columns({**columns.measures, **diverse.measures})
    limit = Budget(concepts=most_concepts)
    if not table.context.closed_sets(min_support=min_support, threads=1, budget=limit).complete:
        return []
    begin = time.perf_counter()
    lattice = both.lattice(table.context, min_support=min_support)
    mined = time.perf_counter() - begin
    rows = []
    for label, descending in both.descending.items():
        begin = time.perf_counter()
        scores = Columns({label: both.measures[label]}).scores(lattice)[label]
        if np.isnan(scores).all():
            continue
        places = levels(oriented(scores, descending=descending), descending=True)
        order = np.argsort(places, kind="stable")
        scored = mined + time.perf_counter() - begin
        if label in columns.names:
            listed = _named(lattice, order[:k])
            named = {"list": label, "kind": "top", "length": "planted"}
            rows.append(named | _figures(table, listed, scored))
        if label in diverse.names:
            begin = time.perf_counter()
            values = diversity.worths(scores[order], descending=descending)
            picked, _ = diversity.pick(lattice, order, values, k, "extent")
            listed = _named(lattice, order[picked])
            taken = scored + time.perf_counter() - begin
            named = {"list": f"diverse({label})", "kind": "diverse", "length": "planted"}
            rows.append(named | _figures(table, listed, taken))
    return rows


def _by_methods(
    table: Planted, methods: Mapping[str, Method], longest: int
) -> list[dict[str, Any]]:
    k = len(table.patterns)
    rows = []
    for name, method in methods.items():
        begin = time.perf_counter()
        listed = [frozenset(intent) for intent in method(table.context, None)][:longest]
        taken = time.perf_counter() - begin
        named = {"list": name, "kind": "selection"}
        rows.append(named | {"length": "own"} | _figures(table, listed, taken))
        if k:
            rows.append(named | {"length": "planted"} | _figures(table, listed[:k], taken))
    return rows


def _figures(table: Planted, listed: Sequence[Intent], seconds: float) -> dict[str, Any]:
    return {
        "patterns": len(table.patterns),
        **figures_of(listed, table),
        "chosen": len(listed),
        "seconds": seconds,
    }


def _methods(
    given: Iterable[str] | Mapping[str, Method] | None,
    min_support: float,
    longest: int,
    seconds: float,
) -> dict[str, Method]:
    if isinstance(given, Mapping):
        return dict(given)
    # Diverse lists have their measures, and no rule of their own that ends them.
    names = [name for name in summary.METHODS if name != "diverse"] if given is None else given
    return {name: _method(name, min_support, longest, seconds) for name in names}


def _method(name: str, min_support: float, longest: int, seconds: float) -> Method:
    if name not in summary.METHODS:
        raise UnknownNameError("method", name, summary.METHODS)

    def choose(context: Context, most: int | None) -> Iterable[Iterable[str]]:
        selection = summary.METHODS[name](
            context,
            max_patterns=longest if most is None else most,
            min_support=min_support,
            budget=Budget(seconds=seconds),
        )
        return [[context.attributes[m] for m in choice.intent] for choice in selection]

    return choose


def _named(lattice: Lattice, places: np.ndarray[Any, np.dtype[np.int64]]) -> list[Intent]:
    names = lattice.context.attributes
    intents = each(take(lattice.intents, places))
    return [frozenset(names[m] for m in intent.tolist()) for intent in intents]


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    counts = {"table", "patterns", "chosen"}
    texts = {"setting", "list", "kind", "length"}
    schema = {
        name: pl.String if name in texts else pl.Int64 if name in counts else pl.Float64
        for name in rows[0]
    }
    return pl.DataFrame(rows, schema=schema)


def _jaccard(first: Intent, second: Intent) -> float:
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
