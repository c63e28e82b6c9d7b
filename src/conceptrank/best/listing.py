"""All concepts that meet constraints, as a lattice or as closed sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank.best.constraints import ConstraintOptions, Constraints
from conceptrank.best.nodes import Found
from conceptrank.budget import Budget, Progress, Watch, watched
from conceptrank.closed_sets import ClosedSets
from conceptrank.errors import MeasureError
from conceptrank.faces import Concepts, FaceScores, Scores
from conceptrank.lattice import Lattice, mine_core
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params
from conceptrank.ranking.conditions import Condition, ConditionLike, chosen

if TYPE_CHECKING:
    from conceptrank.context import Context


@dataclass(frozen=True)
class Query:
    """Which concepts of a context are wanted, checked before any work.

    Parameters
    ----------
    context
        The context.
    constraints
        What the search can use.
    where
        What has to be checked for each concept.
    """

    context: Context
    constraints: Constraints
    where: ConditionLike | None = None

    @classmethod
    def of(cls, context: Context, min_support: float, options: ConstraintOptions) -> Query:
        """Return the query for keywords.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> Query.of(movies, 2, {"contains": "drama", "where": "intent_size < 3"}).constraints
        Constraints(contains=('drama',), min_support=2, max_intent=3)
        """
        given = dict(options)
        where = given.pop("where", None)
        constraints = Constraints(min_support=min_support, **given)  # type: ignore[arg-type]
        if isinstance(where, str):
            where = Condition.parse(where)
        if isinstance(where, Condition):
            where.check(context)
            for name, own in where.measures:
                registry.get(name).bind(own)
            constraints, _ = constraints.tightened(where.text, context)
        elif where is not None and not callable(where):
            raise MeasureError("a search takes a condition or a function, not an array")
        # Unknown names are errors before anything is mined.
        constraints.for_core(context)
        return cls(context, constraints, where)

    def holds(self, concepts: Concepts) -> NDArray[np.bool_]:
        """Return which concepts meet the condition."""
        if self.where is None:
            return np.ones(len(concepts), dtype=np.bool_)

        def score(name: str, params: Params) -> Scores:
            return registry.get(name).score(concepts, params)

        return chosen(concepts, self.where, score)

    def met(self, concepts: Concepts) -> NDArray[np.bool_]:
        """Return which concepts meet the constraints and the condition."""
        return self.constraints.met(concepts) & self.holds(concepts)


def closed_sets(
    query: Query,
    *,
    threads: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> ClosedSets:
    """Return the closed sets that meet constraints; see `Context.closed_sets`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> query = Query.of(cr.datasets.load("movies"), 0, {"contains": "drama", "max_intent": 2})
    >>> [intent for intent, support in closed_sets(query)]
    [('drama',), ('action', 'drama'), ('comedy', 'drama')]
    """
    watch = Watch(budget)
    core, _, _ = mine_core(
        query.context,
        min_support=query.constraints.min_support,
        threads=threads,
        budget=budget,
        progress=progress,
        covers=False,
        table=query.constraints.table(query.context),
        constraints=query.constraints.for_core(query.context),
    )
    if query.where is not None:
        with watched(watch.remaining()):
            found = _found(query.context, core, threads)
            core = _arranged(found.at(np.flatnonzero(query.holds(found))), core, None)
    return ClosedSets(query.context, core)


def lattice(
    query: Query,
    *,
    threads: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
    measures: Sequence[MeasureLike] = (),
    shared: Sequence[str] = (),
) -> Lattice:
    """Return the concepts that meet constraints, and the covers among them.

    See `Context.lattice`. Concepts whose objects have `shared` attributes too rarely are left out:
    each of these attributes must have the minimum support among them.

    Examples
    --------
    >>> import conceptrank as cr
    >>> query = Query.of(cr.datasets.load("movies"), 0, {"contains": "drama", "max_intent": 2})
    >>> lattice(query).lower_covers[1].tolist()
    [1, 2]
    """
    context, wanted = query.context, query.constraints
    faces = FaceScores(expected=registry.face_needs(measures))
    needs = [need for need in faces.expected if need.side == "extent"][:1]
    watch = Watch(budget)
    table = wanted.table(context)
    # All concepts of these objects are meant, if nothing but attributes of them is given.
    all_below = query == Query(
        context, Constraints(contains=wanted.contains, min_support=wanted.min_support)
    )
    whole = all_below and not shared
    core, scores, _ = mine_core(
        context,
        min_support=wanted.min_support,
        threads=threads,
        budget=budget,
        progress=progress,
        score_extents=needs[0].for_core() if needs else None,
        table=table,
        constraints=None if whole else wanted.for_core(context, shared=shared),
    )
    found = _found(context, core, threads)
    if query.where is not None:
        with watched(watch.remaining()):
            found, scores = found.at(np.flatnonzero(query.holds(found))), None
    if scores is not None:
        faces.add(needs[0], scores)
    # Covers take longer than the search, and few uses need them.
    return Lattice(
        context,
        _arranged(found, core, None),
        threads=threads,
        faces=faces,
        with_covers=partial(_arranged, found, core, table),
    )


def _found(context: Context, core: _core.Lattice, threads: int) -> Found:
    intents = core.intent_offsets.view(np.int64), core.intents
    deltas = core.deltas.astype(np.int64) if len(core.deltas) else None
    return Found(context, intents, core.supports.astype(np.int64), deltas, threads)


def _arranged(found: Found, core: _core.Lattice, table: _core.Table | None) -> _core.Lattice:
    """Return the core's lattice of some of its concepts, with their covers if there is a table."""
    n = len(found)
    lower_covers = None
    if table is not None and not core.stop:
        lower_covers = core.lower_offsets.view(np.int64), core.lower
    elif table is not None and core.stop == "constraints":
        ends, cover_ends, values = _core.covers(
            table, *found.intents, "lower", table.n_objects + 1, found.threads
        )
        listed = _lists.found_in((cover_ends, values), found.intents)
        kept = listed >= 0
        owners = np.repeat(np.arange(n), np.diff(ends))[kept]
        order = np.lexsort((listed[kept], owners))
        places = listed[kept][order].astype(np.uint32)
        lower_covers = _lists.offsets_of(np.bincount(owners, minlength=n)), places
    deltas = found.deltas if len(core.deltas) else found.supports
    return found.core(core.min_support, core.stop or "constraints", deltas, lower_covers)
