"""`Columns`: several measures on the concepts of one context at once."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params
from conceptrank.query import labelled


def catalogue() -> list[str]:
    """Return all measures that need a table only.

    Examples
    --------
    >>> {"conceptual_relevance", "expected_relevance", "support"} <= set(catalogue())
    True
    >>> "information_gain" in catalogue()
    False
    """
    known = [registry.get(name) for name in registry.available()["name"]]
    free = [one for one in known if inspect.Parameter.empty not in one.params.values()]
    return [measure.name for measure in free if measure.builtin]


@dataclass(frozen=True)
class Columns:
    """Measures with their parameters, under the names of their columns.

    Examples
    --------
    >>> import conceptrank as cr
    >>> columns = Columns.of(["cr", ("cr", {"side": "extent"}), "independence_pvalue"])
    >>> columns.names, columns.descending["independence_pvalue"]
    (('cr', 'cr(side=extent)', 'independence_pvalue'), False)
    >>> columns.scores(cr.datasets.load("movies").lattice(min_support=8))["cr"]
    array([0. , 0.5, 0.5])
    """

    measures: Mapping[str, tuple[str, Params]]

    @classmethod
    def of(cls, measures: Iterable[MeasureLike] | None) -> Columns:
        """Return the columns of some measures; of the whole catalogue if None."""
        return cls(labelled(catalogue() if measures is None else measures)[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.measures)

    @property
    def descending(self) -> dict[str, bool]:
        """For each column, whether larger scores are better."""
        return {
            label: registry.get(name).direction == "higher"
            for label, (name, _) in self.measures.items()
        }

    def key(self, what: str, context: Context, **settings: object) -> dict[str, Any]:
        """Return values of JSON that identify an experiment with these columns."""
        return {"what": what, "context": context.digest, "measures": self.identity, **settings}

    @property
    def identity(self) -> list[object]:
        """Values of JSON that identify these columns."""
        return [
            [label, registry.get(name).name, {key: repr(value) for key, value in params.items()}]
            for label, (name, params) in self.measures.items()
        ]

    def lattice(self, context: Context, *, min_support: float = 0, threads: int = 1) -> Lattice:
        """Return the lattice of a context, with what the measures require."""
        wanted = list(self.measures.values())
        lattice = context.lattice(min_support=min_support, threads=threads, measures=wanted)
        lattice.prepare(registry.face_needs(wanted))
        return lattice

    def scores(self, lattice: Lattice) -> dict[str, Scores]:
        """Return all columns; nan for measures that are too slow for a lattice of this size."""
        found: dict[str, Scores] = {}
        for label, (name, params) in self.measures.items():
            found[label] = np.full(len(lattice), np.nan)
            try:
                found[label] = registry.get(name).score(lattice, params)
            except BudgetExceeded:
                continue
        return found


def oriented(scores: Scores, *, descending: bool) -> Scores:
    """Return scores so that larger ones are better; -∞ for those that are NaN.

    Examples
    --------
    >>> oriented(np.array([1.0, np.nan]), descending=False)
    array([ -1., -inf])
    """
    return np.where(np.isnan(scores), -np.inf, scores if descending else -scores)
