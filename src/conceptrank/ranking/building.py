"""Making a ranking: scores, the concepts that are meant, their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conceptrank._watch import parts
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params
from conceptrank.ranking import order
from conceptrank.ranking.conditions import Condition, ConditionLike, chosen
from conceptrank.ranking.ranking import Ranking
from conceptrank.ranking.recipe import Recipe, labelled, several


def rank(
    lattice: Lattice,
    by: MeasureLike,
    *,
    also: MeasureLike | Sequence[MeasureLike] = (),
    then: MeasureLike | Sequence[MeasureLike] = (),
    descending: bool | None = None,
    ties: str = "dense",
    where: ConditionLike | None = None,
    params: Params | None = None,
) -> Ranking:
    """Return the concepts in the order of a measure; see `Lattice.rank`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> rank(cr.datasets.load("movies").lattice(), "support", where="cr > 0.3").order[:3]
    array([1, 2, 3])
    """
    tie_mode = order.checked_ties(ties)
    if isinstance(where, str):
        where = Condition.parse(where)
    asked = where.measures if isinstance(where, Condition) else ()
    if isinstance(where, Condition):
        where.check(lattice.context)
    breaking = several(then)
    shown = [by, *breaking, *several(also)]
    measures, labels = labelled([*shown, *asked], params)
    deciding = tuple(dict.fromkeys(labels[: 1 + len(breaking)]))
    columns = dict.fromkeys(labels[: len(shown)])

    scores: dict[str, Scores] = {}
    for label in parts([None, *measures]):
        if label is None:
            lattice.prepare(list(measures.values()))
        else:
            name, own = measures[label]
            scores[label] = lattice.score(name, **own)
    places = np.arange(len(lattice))
    if where is not None:
        known = labels[len(shown) :]
        truths = chosen(lattice, where, lambda *measure: scores[known[asked.index(measure)]])
        places = np.flatnonzero(truths)
    down = {
        label: registry.get(name).direction == "higher" for label, (name, _) in measures.items()
    }
    if descending is not None:
        down[deciding[0]] = descending

    each = [order.levels(scores[label][places], descending=down[label]) for label in deciding]
    levels = order.joint(each)
    unbroken = order.Ties.of(each[0]) if len(each) > 1 else None
    best_first = np.argsort(levels, kind="stable")
    return Ranking(
        lattice,
        recipe=Recipe(
            measures={label: measures[label] for label in columns},
            by=deciding,
            descending={label: down[label] for label in columns},
            ties=tie_mode,
            where=None if where is None else described(where),
        ),
        scores={label: scores[label] for label in columns},
        order=places[best_first],
        ranks=order.ranks(levels, tie_mode)[best_first],
        ties=order.Ties.of(levels, unbroken=unbroken),
    )


def described(where: ConditionLike) -> str:
    """Return a condition in words.

    Examples
    --------
    >>> described(np.array([True]))
    'an array of truth values'
    """
    if isinstance(where, Condition):
        return where.text
    if callable(where):
        return f"a function: {getattr(where, '__qualname__', type(where).__qualname__)}"
    return "an array of truth values"
