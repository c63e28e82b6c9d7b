"""Planted recovery: which lists of concepts contain the patterns that were planted in a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from types import MappingProxyType
from typing import Any, TypeAlias, Unpack

import numpy as np
import polars as pl

from conceptrank import summary
from conceptrank.budget import Budget
from conceptrank.context import Context
from conceptrank.datasets._samplers import count
from conceptrank.datasets.random import Planted, planted
from conceptrank.errors import BudgetExceeded, ConceptRankError, UnknownNameError
from conceptrank.evaluation._scoring import Columns
from conceptrank.evaluation._work import Running
from conceptrank.evaluation.experiment import Experiment, Outcome
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Ranking

Intent: TypeAlias = frozenset[str]
# Takes a context, and returns intents, best first.
Method: TypeAlias = Callable[[Context], Iterable[Iterable[str]]]
# Intents, best first, and the seconds that they took.
List: TypeAlias = tuple[list[Intent], float]

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
    "exact_as_many",
    "exact",
    "exact_frequent",
    "jaccard_planted",
    "jaccard_listed",
    "precision",
    "false",
    "chosen",
    "seconds",
)
# A pattern whose observed support is below this share of the objects is hard to see at all.
FREQUENT = 0.02
# A concept of a list is a right one if it shares this much with a planted pattern.
SIMILAR = 0.8


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
    **running: Unpack[Running],
) -> Experiment:
    """Plant patterns in random tables, and look for them in every list of concepts.

    Compared are the best concepts by each measure and diverse ones by some measures, as many as
    were planted, and the methods that choose a list and its length.

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
        and return intents, best first.
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
    **running
        As for `split_agreement`. Several threads disturb the times.

    Notes
    -----
    The figures: `exact`, the share of the planted intents that are literally in the list, and
    `exact_as_many`, in its beginning with as many concepts as were planted; `exact_frequent`, the
    same over those with an observed support of at least 2 % of the objects; `jaccard_planted` and
    `jaccard_listed`, the mean best match (Jaccard index) of the planted intents in the list and of
    the listed intents among the planted ones; `precision`, the share of the listed intents with a
    match of at least 0.8; `false`, on a table without patterns, 1 if the list has any; `chosen`,
    the length of the list; `seconds`.

    Examples
    --------
    >>> shape = {"objects": 300, "attributes": 15, "patterns": [(4, 0.2)], "missing": 0.1}
    >>> found = planted_recovery({"easy": shape}, tables=2, measures=["cr", "separation"])
    >>> found.summary("slim").mean, found.summary("cr").mean
    (1.0, 0.0)
    """
    columns, diverse_columns = Columns.of(measures), Columns.of(list(diverse))
    chosen = _methods(methods, min_support, longest, seconds)
    given: list[Mapping[str, Any] | Planted] = []
    cases: list[dict[str, Any]] = []
    for name, setting in settings.items():
        drawn = [setting] * count("tables", tables) if isinstance(setting, Mapping) else setting
        given += drawn
        cases += [{"setting": name, "table": number} for number in range(len(drawn))]
    if not cases:
        raise ConceptRankError("there is no table to look at (hint: tables=5)")

    def work(number: int) -> Outcome:
        one, table = given[number], cases[number]["table"]
        drawn = planted(**one, seed=seed, stream=table) if isinstance(one, Mapping) else one
        lists = _by_measures(drawn, columns, diverse_columns, min_support, most_concepts)
        for name, method in chosen.items():
            begin = time.perf_counter()
            intents = [frozenset(intent) for intent in method(drawn.context)][:longest]
            lists[name] = intents, time.perf_counter() - begin
        figures: dict[str, list[float]] = {}
        for name, (listed, taken) in lists.items():
            found = figures_of(listed, drawn)
            found["exact_as_many"] = figures_of(listed[: len(drawn.patterns)], drawn)["exact"]
            found["false"] = None if drawn.patterns else float(len(listed) > 0)
            found |= {"chosen": len(listed), "seconds": taken}
            values = (found[each] for each in FIGURES)
            figures[name] = [np.nan if value is None else value for value in values]
        return {"patterns": len(drawn.patterns)}, figures

    tables_key = [
        repr(sorted(one.items())) if isinstance(one, Mapping) else one.context.digest
        for one in given
    ]
    compared = [columns.identity, diverse_columns.identity, sorted(chosen)]
    key: dict[str, Any] = {
        "what": "planted",
        "tables": tables_key,
        "cases": cases,
        "measures": compared,
    }
    key |= {"longest": longest, "min_support": min_support, "most_concepts": most_concepts}
    found = Experiment.run(key, work, figures=FIGURES, cases=cases, group="setting", **running)
    title = f"Recovery of planted patterns, {len(cases)} tables in {len(settings)} settings"
    return replace(found, title=title)


def findings(experiment: Experiment) -> list[str]:
    """Return what was found: the best list, and patterns in tables without any."""
    means = experiment.runs.group_by("measure", maintain_order=True).agg(
        pl.col("exact_as_many", "false").mean()
    )
    found = []
    best = means.drop_nulls("exact_as_many").sort(
        "exact_as_many", descending=True, maintain_order=True
    )
    if len(best):
        name, share, _ = best.row(0)
        found.append(
            f"Of lists with as many concepts as were planted, that of {name} is the best: it has "
            f"{share:.0%} of the planted patterns."
        )
    false = means.drop_nulls("false").select("measure", "false").iter_rows()
    if parts := ", ".join(f"{name} in {share:.0%}" for name, share in false):
        found.append(f"Patterns in tables without any: {parts}.")
    return found


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
    lists = [frozenset(intent) for intent in listed]
    truth = [frozenset(pattern.intent) for pattern in planted_in.patterns]
    least = frequent * planted_in.context.shape[0]
    hits = [intent in lists for intent in truth]
    seen = [each.support >= least for each in planted_in.patterns]
    of_planted = [max((_jaccard(one, other) for other in lists), default=0.0) for one in truth]
    of_listed = [max((_jaccard(one, other) for other in truth), default=0.0) for one in lists]
    return {
        "exact": _mean(hits),
        "exact_frequent": _mean(list(compress(hits, seen))),
        "jaccard_planted": _mean(of_planted),
        "jaccard_listed": _mean(of_listed) if truth else None,
        "precision": _mean([match >= SIMILAR for match in of_listed]) if truth else None,
    }


def _by_measures(
    table: Planted, columns: Columns, diverse: Columns, min_support: float, most_concepts: int
) -> dict[str, List]:
    """Return the lists that are the best or diverse concepts by a measure."""
    k = len(table.patterns)
    both = Columns({**columns.measures, **diverse.measures})
    if not k or not both.names:
        return {}
    limit = Budget(concepts=most_concepts)
    if not table.context.closed_sets(min_support=min_support, threads=1, budget=limit).complete:
        return {}
    begin = time.perf_counter()
    lattice = both.lattice(table.context, min_support=min_support)
    mined = time.perf_counter() - begin
    lists: dict[str, List] = {}
    for label, measure in both.measures.items():
        begin = time.perf_counter()
        try:
            ranking = lattice.rank(measure)
        except BudgetExceeded:
            continue
        if np.isnan(ranking.score(ranking.by)).all():
            continue
        scored = mined + time.perf_counter() - begin
        if label in columns.names:
            lists[label] = _intents(ranking.top(k)), scored
        if label in diverse.names:
            begin = time.perf_counter()
            picked = _intents(ranking.diverse(k))
            lists[f"diverse({label})"] = picked, scored + time.perf_counter() - begin
    return lists


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

    def choose(context: Context) -> Iterable[Iterable[str]]:
        selection = summary.METHODS[name](
            context, max_patterns=longest, min_support=min_support, budget=Budget(seconds=seconds)
        )
        return [[context.attributes[m] for m in choice.intent] for choice in selection]

    return choose


def _intents(ranking: Ranking) -> list[Intent]:
    return [frozenset(row.concept.intent) for row in ranking]


def _jaccard(first: Intent, second: Intent) -> float:
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
