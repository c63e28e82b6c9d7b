"""`Rules`: rules between the concepts of a lattice, with their measures, as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util import text_table
from conceptrank._util.lists import Lists, Numbers
from conceptrank._util.text import counted
from conceptrank.budget import core_watch
from conceptrank.concepts import Concepts
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import measure_list
from conceptrank.rules import derived, measures
from conceptrank.rules.applied import Applied
from conceptrank.rules.bases import Basis
from conceptrank.rules.derived import Derived, Rule
from conceptrank.rules.implications import Implications
from conceptrank.rules.measures import Counts, Wanted
from conceptrank.rules.parts import Part

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_SHOWN_ROWS = 10
_USUAL = ("support", "confidence", "lift")
# The columns of mlxtend's rules and what they are called here, in its order.
_MLXTEND = {
    "antecedent support": "premise_support",
    "consequent support": "conclusion_support",
    "support": "support",
    "confidence": "confidence",
    "lift": "lift",
    "leverage": "leverage",
    "conviction": "conviction",
    "zhangs_metric": "zhang",
    "jaccard": "jaccard",
    "certainty": "certainty",
    "kulczynski": "kulczynski",
}


@dataclass(frozen=True)
class Origin:
    """How rules were made: the basis, and what each of them has."""

    basis: Basis
    min_support: int = 0
    min_confidence: float = 0.0
    max_premise: int | None = None


class Rules:
    """Rules of a lattice, in the order of their premises' concepts or of a measure.

    `Lattice.rules` makes them. Iterating gives a premise, a conclusion, the share of objects that
    have both, and the confidence at a time; `rules[:10]` are rules again.

    Parameters
    ----------
    lattice
        The lattice.
    part
        The rules as arrays.
    origin
        How they were made.
    stopped
        What ended that early, if anything did.
    by
        The measure that they are sorted by.
    among
        The number of rules that these are the best of.
    of_concepts
        Scores of all concepts by measures, which rules of one lattice can share.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> for premise, conclusion, support, confidence in lattice.rules("luxenburger")[3:5]:
    ...     print(premise, conclusion, round(support, 4), round(confidence, 4))
    () ('fantasy',) 0.3636 0.3636
    () ('action',) 0.2727 0.2727
    """

    def __init__(
        self,
        lattice: Lattice,
        part: Part,
        origin: Origin,
        stopped: str = "",
        *,
        by: MeasureLike | None = None,
        among: int | None = None,
        of_concepts: dict[str, Scores] | None = None,
    ) -> None:
        self.lattice: Lattice = lattice
        self._part = part
        self.origin: Origin = origin
        self.min_support: int = origin.min_support
        self.stopped: str = stopped
        self._by = by
        self.among: int = part.n_rules if among is None else among
        self._scores: dict[str, Scores] = {}
        self._of_concepts = of_concepts

    @property
    def basis(self) -> str:
        """The name of the basis."""
        return self.origin.basis.name

    @property
    def complete(self) -> bool:
        """Whether no limit ended the search for rules."""
        return not self.stopped

    @property
    def sources(self) -> Numbers:
        """The places in the lattice of the concepts that the premises generate."""
        return self._part.sources[self._part.numbers]

    @property
    def targets(self) -> Numbers:
        """The places in the lattice of the concepts of premise and conclusion together."""
        return self._part.targets

    @property
    def premises(self) -> Lists:
        """The attribute numbers of all premises, as offsets and values."""
        return _lists.take(self._part.premises, self._part.numbers.astype(np.int64))

    @cached_property
    def conclusions(self) -> Lists:
        """The attribute numbers of all conclusions, as offsets and values."""
        return self._part.conclusion_lists(self.lattice)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of objects with premise and conclusion, for each rule."""
        return self.lattice.supports[self.targets]

    @cached_property
    def premise_counts(self) -> NDArray[np.int64]:
        """The number of objects with the premise, for each rule."""
        return self.lattice.supports[self.sources]

    @cached_property
    def conclusion_counts(self) -> NDArray[np.int64]:
        """The number of objects with the conclusion, for each rule."""
        context = self.lattice.context
        if context.weighted:
            different, places = _lists.distinct(self.conclusions)
            threads = self.lattice.threads
            return Concepts(context, different, threads=threads).supports[places]
        walk = _core.IntentWalk(self.conclusions, len(context.attributes))
        found = walk.count(context.rows(), watch=core_watch(reports=False))
        return found.supports.astype(np.int64)

    @property
    def unsupported(self) -> int:
        """The number of rules that hold because no object has their premise."""
        return int((self.premise_counts == 0).sum())

    def score(self, measure: MeasureLike, **params: object) -> Scores:
        """Return the scores of all rules by a measure.

        Parameters
        ----------
        measure
            A measure of rules (`conceptrank.rules.measures.available()`), or one of concepts:
            under its own name or as `conclusion.NAME` that of the concept that the rule leads to,
            as `premise.NAME` that of the concept that it comes from.
        **params
            Parameters of a measure of concepts.

        Examples
        --------
        >>> import conceptrank as cr
        >>> rules = cr.datasets.load("movies").lattice().rules("generic", min_support=2)
        >>> rules.score("lift").round(3)
        array([1.375, 1.375, 1.375, 1.375, 3.667])
        >>> rules.score("cr").round(3), rules.score("premise.stability", method="auto").round(3)
        (array([0.333, 0.333, 0.333, 0.333, 0.167]), array([0.75, 0.75, 0.5 , 0.5 , 0.25]))
        """
        wanted = measures.wanted(measure, params)
        if wanted.label not in self._scores or wanted.rule is None:
            self._scores[wanted.label] = self._computed(wanted)
        return self._scores[wanted.label]

    def _computed(self, wanted: Wanted) -> Scores:
        if wanted.rule is None:
            name, params = wanted.concept
            known = {} if self._of_concepts is None else self._of_concepts
            if wanted.label not in known:
                known[wanted.label] = self.lattice.score(name, **params)
            return known[wanted.label][self.sources if wanted.side == "premise" else self.targets]
        needed = wanted.rule.conclusions
        scores = wanted.rule.compute(
            Counts(
                self.lattice.context.shape[0],
                self.premise_counts.astype(np.float64),
                (self.conclusion_counts if needed else self.counts).astype(np.float64),
                self.counts.astype(np.float64),
            )
        )
        return np.asarray(scores, dtype=np.float64)

    def sorted(self, by: MeasureLike, *, descending: bool | None = None) -> Rules:
        """Return the rules in the order of a measure; equal ones stay in their order.

        Parameters
        ----------
        by
            As for `score`.
        descending
            Whether large scores come first; if None, as the measure declares.

        Examples
        --------
        >>> import conceptrank as cr
        >>> rules = cr.datasets.load("movies").lattice().rules("luxenburger", min_support=3)
        >>> str(rules.sorted("confidence")[0]), str(rules.sorted("fisher")[0])
        ('{adventure} → {criminal}', '{adventure} → {criminal}')
        """
        wanted = measures.wanted(by)
        down = wanted.descending if descending is None else descending
        order = np.argsort(-measures.worths(self.score(by), descending=down), kind="stable")
        return self._taken(order, by=by)

    def top(self, k: int, *, by: MeasureLike | None = None) -> Rules:
        """Return the first k rules, or the k best by a measure.

        Examples
        --------
        >>> import conceptrank as cr
        >>> len(cr.datasets.load("movies").lattice().rules().top(3, by="leverage"))
        3
        """
        if k < 0:
            raise ValueError(f"k must not be negative, got {k}")
        chosen = self if by is None else self.sorted(by)
        return chosen._taken(np.arange(min(k, len(self))), by=chosen._by, among=self.among)

    def _taken(
        self, order: NDArray[np.int64], *, by: MeasureLike | None, among: int | None = None
    ) -> Rules:
        part = self._part.take(order)
        taken = Rules(
            self.lattice, part, self.origin, self.stopped, by=by, among=among or self.among
        )
        # Scores may depend on all rules, so known ones are not computed again.
        taken._scores = {name: scores[order] for name, scores in self._scores.items()}
        return taken

    @property
    def implications(self) -> Implications:
        """The rules that always hold, as `Implications`, which derive what follows from them.

        Examples
        --------
        >>> import conceptrank as cr
        >>> rules = cr.datasets.load("movies").lattice().rules("duquenne_guigues")
        >>> rules.implications.closure(["drama", "adventure"])
        ('adventure', 'criminal', 'drama')
        """
        always = np.flatnonzero(self.premise_counts == self.counts)
        lists = (_lists.take(each, always) for each in (self.premises, self.conclusions))
        return Implications.from_numbers(self.lattice.context.attributes, *lists)

    def derived(self, *, limit: int = 1_000_000) -> Derived:
        """Return all rules that follow from these, with premise and conclusion not empty.

        From X → Y follows every rule that has more in its premise and no more in all: it holds
        for as many objects and as surely at least. The rules that follow from the
        `minimal_non_redundant` basis are all that hold with its support and confidence, each with
        the support and the confidence that it has in the table.

        Parameters
        ----------
        limit
            The largest number of rules.

        Raises
        ------
        BudgetExceeded
            If there are more.

        Examples
        --------
        >>> import conceptrank as cr
        >>> rules = cr.datasets.load("movies").lattice().rules(min_support=3, min_confidence=0.6)
        >>> len(rules), len(rules.derived()), str(rules.derived()[0])
        (10, 9, '{adventure, drama} → {criminal}')
        """
        return derived.derived(
            self.lattice.context.attributes,
            self.premises,
            self.conclusions,
            self.score("support"),
            self.score("confidence"),
            limit=limit,
        )

    def apply(self, rows: object, *, absent: str = "error", threads: int = 0) -> Applied:
        """Apply the rules to rows: which rows have a premise, and which lack the conclusion.

        Parameters
        ----------
        rows, absent, threads
            As for `Context.match`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> rules = cr.datasets.load("movies").lattice().rules("generic", min_support=3)
        >>> rules.apply({"new": ["adventure", "drama"], "old": ["drama"]})
        2 rules applied to 2 rows: 1 violated
        {adventure, drama} → {criminal}: 1 of 1 rows
        """
        return Applied(
            self.lattice.context.attribute_names,
            self.premises,
            self.conclusions,
            rows,
            expected=self.score("confidence"),
            absent=absent,
            threads=threads,
        )

    def to_polars(self, measures: MeasureLike | Sequence[MeasureLike] = _USUAL) -> pl.DataFrame:
        """Return the rules as a polars frame: premise, conclusion, count, and measures.

        Examples
        --------
        >>> import conceptrank as cr
        >>> rules = cr.datasets.load("movies").lattice().rules("generic", min_support=3)
        >>> rules.to_polars(["confidence", "cr"]).row(0)
        (['adventure', 'drama'], ['criminal'], 3, 1.0, 0.3333333333333333)
        """
        import polars as pl

        from conceptrank.convert import results

        attributes = self.lattice.context.attributes
        columns: dict[str, Any] = {
            "premise": results.list_column(self.premises, attributes),
            "conclusion": results.list_column(self.conclusions, attributes),
            "count": self.counts,
        }
        for measure in measure_list(measures):
            name = _label(measure)
            if name != "count":
                columns[name] = self.score(measure)
        return pl.DataFrame(columns)

    def to_pandas(self, also: MeasureLike | Sequence[MeasureLike] = ()) -> pd.DataFrame:
        """Return the rules as a pandas frame with the columns of mlxtend's rules.

        Parameters
        ----------
        also
            Further measures, each a column more.

        Examples
        --------
        >>> import conceptrank as cr
        >>> rules = cr.datasets.load("movies").lattice().rules("generic", min_support=3)
        >>> frame = rules.to_pandas(also=["cr"])
        >>> sorted(frame["antecedents"][0]), frame["consequents"][0], float(frame["lift"][0])
        (['adventure', 'drama'], frozenset({'criminal'}), 1.375)
        """
        from conceptrank.convert.shared import imported

        pandas = imported("pandas")
        columns: dict[str, Any] = {
            "antecedents": [frozenset(rule.premise) for rule in self],
            "consequents": [frozenset(rule.conclusion) for rule in self],
        }
        for column, measure in _MLXTEND.items():
            columns[column] = self.score(measure)
            if column == "lift":
                # The share of objects without missing values; there are none.
                columns["representativity"] = np.ones(len(self))
        columns |= {_label(measure): self.score(measure) for measure in measure_list(also)}
        result: pd.DataFrame = pandas.DataFrame(columns)
        return result

    def save(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        format: str | None = None,  # noqa: A002
        measures: MeasureLike | Sequence[MeasureLike] = _USUAL,
        provenance: bool = True,
    ) -> None:
        """Write the rules to a file, and where they come from; see `Ranking.save`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> rules = cr.datasets.load("movies").lattice().rules("generic", min_support=3)
        >>> with TemporaryDirectory() as directory:
        ...     rules.save(directory + "/rules.csv", measures="confidence")
        ...     print(Path(directory, "rules.csv").read_text().splitlines()[1])
        adventure; drama,criminal,3,1.0
        """
        from conceptrank.convert import results

        results.save(
            self.to_polars(measures),
            file,
            format=format,
            provenance=self.provenance if provenance else None,
        )

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything needed to repeat the rules; saved files contain it.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice().rules().provenance["rules"]["basis"]
        'minimal_non_redundant'
        """
        from conceptrank import __version__

        context, lattice, origin = self.lattice.context, self.lattice, self.origin
        return {
            "conceptrank": __version__,
            "context": {"digest": context.digest, "shape": list(context.shape)},
            "lattice": {"min_support": lattice.min_support, "concepts": len(lattice)},
            "rules": {
                "basis": self.basis,
                "min_support": origin.min_support,
                "min_confidence": origin.min_confidence,
                "max_premise": origin.max_premise,
                "by": None if self._by is None else _label(self._by),
                "among": self.among,
                "stopped": self.stopped,
            },
            "rows": len(self),
        }

    @property
    def title(self) -> str:
        """One line that says what these are."""
        n = len(self)
        basis = f"{counted(n, 'rule')} of the {self.basis} basis"
        by = "" if self._by is None else f" by {_label(self._by)}"
        part = f", stopped by {self.stopped}" if self.stopped else ""
        return basis + by + part

    def __len__(self) -> int:
        return self._part.n_rules

    def __iter__(self) -> Iterator[Rule]:
        return map(self._at, range(len(self)))

    @overload
    def __getitem__(self, key: int) -> Rule: ...
    @overload
    def __getitem__(self, key: slice) -> Rules: ...
    def __getitem__(self, key: int | slice) -> Rule | Rules:
        if isinstance(key, slice):
            return self._taken(np.arange(len(self))[key], by=self._by)
        return self._at(range(len(self))[key])

    def _at(self, rule: int) -> Rule:
        names = self.lattice.context.attribute_names
        number = int(self._part.numbers[rule])
        premise = names.of(_lists.at(self._part.premises, number).tolist())
        conclusion = names.of(_lists.at(self.conclusions, rule).tolist())
        support, confidence = (float(self.score(each)[rule]) for each in ("support", "confidence"))
        return Rule(premise, conclusion, support, confidence)

    def _columns(self) -> dict[str, Scores]:
        """Return the measures to show: the usual ones, and the one that sorts."""
        columns = {name: self.score(name) for name in _USUAL[1:]}
        if self._by is not None and _label(self._by) not in ("count", "support"):
            columns[_label(self._by)] = self.score(self._by)
        return columns

    def _table(self, k: int) -> tuple[list[str], list[list[str]]]:
        """Return a header and the first rows as text."""
        shown = self[:k]
        columns = shown._columns()
        rows = [
            [
                *(_text.number(each[i]) for each in columns.values()),
                f"{shown.counts[i]:,}",
                str(rule),
            ]
            for i, rule in enumerate(shown)
        ]
        return [*columns, "count", "rule"], rows

    def __repr__(self) -> str:
        return text_table.titled(self.title, *self._table(_SHOWN_ROWS), total=len(self))

    def _repr_html_(self) -> str:
        from conceptrank._util import html as _html

        return _html.table(*self._table(_html.MOST_ROWS), caption=self.title)


def _label(measure: MeasureLike) -> str:
    return measures.wanted(measure).label
