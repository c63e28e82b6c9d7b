"""`Query`: what is wanted of a context, made and checked once; labels of columns of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from conceptrank.budget import Budget, Progress
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import MeasureError
from conceptrank.faces import FaceNeed, Scores
from conceptrank.measures import registry
from conceptrank.measures.registry import Measure, MeasureLike, Params
from conceptrank.measures.supervised import warn_of_targets
from conceptrank.query.conditions import Condition, ConditionLike, chosen
from conceptrank.query.constraints import Constraints, Limit, SearchOptions
from conceptrank.query.target import Target

# Columns that every table of a ranking has; support is a measure like the others.
RESERVED = ("rank", "intent", "extent")


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is wanted of a context, checked before any work.

    Parameters
    ----------
    context
        The context.
    measures
        All measures with their parameters under the names of their columns.
    by
        The columns that decide: the first one, then those that break its ties.
    shown
        The columns that the result shows.
    conditions
        The columns of the measures in the condition.
    descending
        Whether large scores of the first column come first; by the measure's direction if None.
    where
        The condition; None for all concepts.
    constraints
        Which concepts count, the condition aside.
    target
        What the labels are, in words; empty without a target.
    threads, budget, progress
        As for `Context.lattice`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> query = Query.of(cr.datasets.load("movies"), "cr", where="support > 2")
    >>> query.by, query.conditions, query.tightened
    (('cr',), ('support',), Constraints(min_support=2, max_support=11))
    """

    context: Context
    measures: Mapping[str, tuple[str, Params]] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    descending: bool | None = None
    where: ConditionLike | None = None
    constraints: Constraints = field(default_factory=Constraints)
    target: str = ""
    threads: int = 0
    budget: Budget | None = None
    progress: Progress | None = None

    @classmethod
    def of(
        cls,
        context: Context,
        by: MeasureLike | Sequence[MeasureLike] | None = (),
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        target: str | None = None,
        params: Params | None = None,
        **options: Unpack[SearchOptions],
    ) -> Query:
        """Return the query for keywords if it is valid for the context; raise an error otherwise.

        A target gives supervised measures their labels, and the query is about the table without
        it; see `Target`. If `by` is None, the usual measure decides.

        Examples
        --------
        >>> import conceptrank as cr
        >>> Query.of(cr.datasets.load("movies"), "wracc")
        Traceback (most recent call last):
        conceptrank.errors.MeasureError: wracc needs the argument labels=…: a label for each ...
        """
        given: dict[str, Any] = {"where": None, "threads": 0, **options}
        where, threads = given.pop("where"), given.pop("threads")
        limits = {name: given.pop(name, None) for name in ("budget", "progress")}
        if threads < 0:
            raise ValueError(f"threads must not be negative, got {threads}")
        usual, about = "conceptual_relevance", ""
        if target is not None:
            if params is not None and "labels" in params:
                raise ValueError("give either a target or labels")
            found = Target.of(context, target)
            usual = "mean_shift" if found.numeric else "wracc"
            also = also if also or found.numeric else "precision"
            context, params = found.context, {**(params or {}), "labels": found.labels}
            about = found.described
        by = usual if by is None else by
        if isinstance(where, str):
            where = Condition.parse(where)
        asked: tuple[tuple[str, Params], ...] = ()
        if isinstance(where, Condition):
            where.check(context)
            asked = where.measures
        deciding = [*measure_list(by), *measure_list(then)]
        shown = [*deciding, *measure_list(also)]
        measures, columns = labelled([*shown, *asked], params)
        constraints = Constraints(**given)
        # Unknown names are errors before anything is mined.
        constraints.for_core(context)
        for name, own in measures.values():
            registry.get(name).check(context, own)
        for labels in [own["labels"] for _, own in measures.values() if "labels" in own][:1]:
            warn_of_targets(context, labels)
        return cls(
            context=context,
            measures=measures,
            by=tuple(dict.fromkeys(columns[: len(deciding)])),
            shown=tuple(dict.fromkeys(columns[: len(shown)])),
            conditions=tuple(columns[len(shown) :]),
            descending=descending,
            where=where,
            constraints=constraints,
            target=about,
            # The core bounds the number of threads; it counts them in 32 bits.
            threads=min(threads, 1 << 16),
            **limits,
        )

    @cached_property
    def min_support(self) -> int:
        """The least number of objects of a concept."""
        return self.constraints.least_support(self.context)

    @cached_property
    def _tightened(self) -> tuple[Constraints, list[Limit]]:
        if isinstance(self.where, Condition):
            return self.constraints.tightened(self.where.text, self.context)
        if self.where is not None and not callable(self.where):
            raise MeasureError("a search takes a condition or a function, not an array")
        return self.constraints, []

    @property
    def tightened(self) -> Constraints:
        """The constraints with what the condition adds to them, for a search."""
        return self._tightened[0]

    @property
    def limits(self) -> list[tuple[str, Limit]]:
        """The limits on measures in the condition, each with the column of the measure."""
        asked = self.where.measures if isinstance(self.where, Condition) else ()
        return [
            (label, limit)
            for (name, params), label in zip(asked, self.conditions, strict=True)
            for limit in self._tightened[1]
            if not params and limit.measure == name
        ]

    @cached_property
    def high_first(self) -> dict[str, bool]:
        """For each column, whether large scores are the better ones."""
        result = {label: self.measure(label)[0].direction == "higher" for label in self.measures}
        if self.descending is not None:
            result[self.by[0]] = self.descending
        return result

    def measure(self, label: str) -> tuple[Measure, Params]:
        """Return the measure of a column and its parameters."""
        name, params = self.measures[label]
        return registry.get(name), params

    def score(self, label: str, concepts: Concepts) -> Scores:
        """Return the scores of concepts by the measure of a column."""
        measure, params = self.measure(label)
        return measure.score(concepts, params)

    def finer(self, label: str) -> tuple[Measure, Params] | None:
        """Return the measure that orders concepts as a column does, with fewer ties, or None.

        It is None in a lattice above a minimum support, unless the measure is about intents:
        log-stability of large extents would take long there, because all infrequent attributes
        matter.
        """
        measure, params = self.measure(label)
        if not measure.finer or measure.bind(params) != measure.params:
            return None
        if self.min_support > 1 and measure.side != "intent":
            return None
        name, own = registry.split(measure.finer)
        return registry.get(name), own

    @cached_property
    def needed(self) -> list[MeasureLike]:
        """All measures to score, the deciding ones and their finer forms first."""
        finer = [one for label in self.by if (one := self.finer(label)) is not None]
        others = [label for label in self.measures if label not in self.by]
        wanted = [self.measures[label] for label in (*self.by, *others)]
        return [*((measure.name, params) for measure, params in finer), *wanted]

    @cached_property
    def face_needs(self) -> list[FaceNeed]:
        """The face scores that the measures need, in as few passes as possible."""
        return registry.face_needs(self.needed)

    def first_need(self, side: str) -> FaceNeed | None:
        """Return the face scores of a side that fit into the pass that mines."""
        return next((need for need in self.face_needs if need.side == side), None)

    def holds(
        self, concepts: Concepts, known: Mapping[str, Scores] | None = None
    ) -> NDArray[np.bool_]:
        """Return which concepts meet the condition.

        Parameters
        ----------
        concepts
            The concepts.
        known
            Their scores under the names of columns; they are computed if None.
        """
        if self.where is None:
            return np.ones(len(concepts), dtype=np.bool_)
        asked = self.where.measures if isinstance(self.where, Condition) else ()

        def score(name: str, params: Params) -> Scores:
            label = self.conditions[asked.index((name, params))]
            return self.score(label, concepts) if known is None else known[label]

        return chosen(concepts, self.where, score)

    @property
    def described(self) -> str | None:
        """The condition in words; None if there is none."""
        if self.where is None or isinstance(self.where, Condition):
            return None if self.where is None else self.where.text
        if callable(self.where):
            return (
                f"a function: {getattr(self.where, '__qualname__', type(self.where).__qualname__)}"
            )
        return "an array of truth values"


def labelled(
    measures: Iterable[MeasureLike], shared: Params | None = None
) -> tuple[dict[str, tuple[str, Params]], list[str]]:
    """Return measures with their parameters under the names of their columns, and the names.

    Parameters
    ----------
    measures
        The measures; a measure that is listed twice has one column.
    shared
        Parameters for all measures that have them.

    Raises
    ------
    MeasureError
        If none of them knows a shared parameter, or a table couldn't have such a column.

    Examples
    --------
    >>> columns, names = labelled(["cr", ("cr", {"side": "extent"}), "cr"], {"beta": "log"})
    >>> columns["cr(side=extent)"], names
    (('cr', {'beta': 'log', 'side': 'extent'}), ['cr', 'cr(side=extent)', 'cr'])
    >>> labelled([("wracc", {"labels": [0, 1]}), ("wracc", {"labels": [1, 0], "positive": 0})])[1]
    ['wracc', 'wracc(positive=0)']
    """
    columns: dict[str, tuple[str, Params]] = {}
    names: list[str] = []
    shared = shared or {}
    unused = set(shared)
    for name, own in map(registry.split, measures):
        known = registry.get(name).params
        unused -= known.keys()
        given = {key: value for key, value in shared.items() if key in known} | dict(own)
        short = ((key, _short(value)) for key, value in own.items())
        text = ", ".join(f"{key}={value}" for key, value in short if value is not None)
        label = f"{name}({text})" if text else name
        if label in RESERVED:
            raise MeasureError(f"a ranking has a column {label!r} already: rename the measure")
        names.append(_free(label, given, columns))
        columns.setdefault(names[-1], (name, given))
    if unused:
        raise MeasureError(f"no parameter {min(unused)!r} in {' and '.join(columns)}")
    return columns, names


def measure_list(measures: MeasureLike | Sequence[MeasureLike]) -> list[MeasureLike]:
    """Return one measure or several as a list.

    Examples
    --------
    >>> measure_list("cr"), measure_list(("cr", {"side": "extent"}))
    (['cr'], [('cr', {'side': 'extent'})])
    """
    match measures:
        case str():
            return [measures]
        case (str() as name, Mapping() as params):
            return [(name, params)]
    return list(measures)


def _short(value: object) -> str | None:
    """Return a parameter as a short text; None for data such as labels, which have none."""
    if isinstance(value, str | int | float | None):
        return str(value)
    return getattr(value, "__name__", None)


def _free(label: str, params: Params, columns: Mapping[str, tuple[str, Params]]) -> str:
    """Return a name for a column that no other parameters have."""

    def equal(a: object, b: object) -> bool:
        return a is b or (isinstance(a, str | int | float) and type(a) is type(b) and a == b)

    free, number = label, 2
    while free in columns and not all(
        equal(value, columns[free][1].get(key)) for key, value in params.items()
    ):
        free, number = f"{label} #{number}", number + 1
    return free
