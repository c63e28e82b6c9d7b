"""How a ranking was made: its measures with all their parameters, and its provenance."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from conceptrank.errors import MeasureError
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params
from conceptrank.ranking.order import TieMode

# Columns that every table of a ranking has; support is a measure like the others.
RESERVED = ("rank", "intent", "extent")
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
    """

    measures: Mapping[str, tuple[str, Params]]
    by: tuple[str, ...]
    descending: Mapping[str, bool]
    ties: TieMode = "dense"
    where: str | None = None

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
            },
            "measures": {
                label: {"measure": measure.name, "parameters": _plain(params)}
                for label, (measure, params) in bound.items()
            },
            "seed": _plain(seeds) or None,
        }


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
