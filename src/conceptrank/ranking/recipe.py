"""How a ranking was made: its measures with all their parameters, and its provenance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import Params
from conceptrank.query import Query
from conceptrank.ranking.order import TieMode

# The longest list of a parameter that is written out.
_LONGEST = 20


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The definition of a ranking: measures, order, ties and condition.

    Parameters
    ----------
    measures
        The measures and their parameters under the names of their columns, the deciding one first.
    by
        The columns that decide: the first one, then those that break its ties.
    descending
        For each column, whether large scores are the better ones.
    ties
        What tied concepts share.
    where
        The condition that chose the concepts, in words; None if there was none.
    target
        What the labels are, in words; empty without a target.
    """

    measures: Mapping[str, tuple[str, Params]]
    by: tuple[str, ...]
    descending: Mapping[str, bool]
    ties: TieMode = "dense"
    where: str | None = None
    target: str = ""

    @classmethod
    def of(cls, query: Query, ties: TieMode = "dense") -> Recipe:
        """Return the recipe of a query."""
        return cls(
            measures={label: query.measures[label] for label in query.shown},
            by=query.by,
            descending={label: query.high_first[label] for label in query.shown},
            ties=ties,
            where=query.described,
            target=query.target,
        )

    @property
    def about(self) -> str:
        """The end of a title: the target and the condition."""
        target = f" for {self.target}" if self.target else ""
        return target + ("" if self.where is None else f" where {self.where}")

    def provenance(self, lattice: Lattice) -> dict[str, Any]:
        """Return everything needed to repeat the ranking, as JSON values.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="delta_measure", where="cr > 0")
        >>> ranking.provenance["ranking"]["where"]
        'cr > 0'
        """
        from conceptrank import __version__

        n, q = lattice.context.shape
        bound = {
            label: (registry.get(name), registry.get(name).bind(params))
            for label, (name, params) in self.measures.items()
        }
        seeds = {label: params["seed"] for label, (_, params) in bound.items() if "seed" in params}
        return {
            "conceptrank": __version__,
            "context": {"digest": lattice.context.digest, "objects": n, "attributes": q},
            "lattice": {
                "concepts": len(lattice),
                "min_support": lattice.min_support,
                "complete": lattice.complete,
                "stopped": lattice.stopped,
            },
            "ranking": {
                "by": self.by[0],
                "then": list(self.by[1:]),
                "descending": self.descending[self.by[0]],
                "ties": self.ties,
                "where": self.where,
                "target": self.target,
            },
            "measures": {
                label: {"measure": measure.name, "parameters": _plain(params)}
                for label, (measure, params) in bound.items()
            },
            "seed": _plain(seeds) or None,
        }


def _plain(value: object) -> Any:
    """Return a parameter as a JSON value; a digest of its content if it is large."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else str(value)
        case np.generic():
            return _plain(value.item())
        case Mapping() if len(value) <= _LONGEST:
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple() if len(value) <= _LONGEST:
            return [_plain(each) for each in value]
        case np.ndarray() if value.size <= _LONGEST:
            return _plain(value.tolist())
        case Mapping() | list() | tuple() | np.ndarray():
            content = value.tolist() if isinstance(value, np.ndarray) else value
            digest = hashlib.sha256(repr(content).encode()).hexdigest()
            return f"{len(value):,} values, SHA-256 {digest}"
    if callable(value):
        kind = type(value) if not hasattr(value, "__qualname__") else value
        return f"{kind.__module__}.{kind.__qualname__}"
    # The address in memory is useless, and differs from run to run.
    return repr(value).partition(" at 0x")[0]
