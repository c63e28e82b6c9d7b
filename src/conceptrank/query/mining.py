"""Mining the concepts of a query: with their covers, or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank.budget import Budget, Watch, current_watch, watched
from conceptrank.concepts import Concepts
from conceptrank.faces import FaceNeed, FaceScores
from conceptrank.lattice import Lattice, core_of
from conceptrank.measures import registry
from conceptrank.query.query import Query


def concepts(query: Query) -> Concepts:
    """Return the concepts without covers, which are mined several times faster.

    See `Context.closed_sets`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> options = {"contains": "drama", "max_intent": 2}
    >>> query = Query.of(cr.datasets.load("movies"), **options)
    >>> [concept.intent for concept in concepts(query)]
    [('drama',), ('action', 'drama'), ('comedy', 'drama')]
    """
    watch = Watch(query.budget)
    wanted = query.tightened
    table = wanted.table(query.context)
    constraints = None if wanted.is_plain else wanted.for_core(query.context)
    mined = _mined(query, covers=False, table=table, constraints=constraints)
    return _meant(query, mined.lattice, watch)


def lattice(query: Query, *, shared: Sequence[str] = ()) -> Lattice:
    """Return the concepts and the covers among them; see `Context.lattice`.

    Concepts whose objects have `shared` attributes too rarely are left out: each of these
    attributes must have the minimum support among them.

    Examples
    --------
    >>> import conceptrank as cr
    >>> options = {"contains": "drama", "max_intent": 2}
    >>> query = Query.of(cr.datasets.load("movies"), **options)
    >>> lattice(query).lower_covers[1].tolist()
    [1, 2]
    """
    context, wanted = query.context, query.tightened
    faces = FaceScores(expected=query.face_needs)
    # One probability to keep fits into the pass; others are computed later.
    need = query.first_need("extent")
    if wanted.is_plain and query.where is None and not shared:
        columns = registry.needs_columns(query.needed)
        mined = _mined(query, table=context.core, need=need, columns=columns)
        if need is not None:
            faces.add(need, mined.extent_scores)
        sums = mined.column_sums if columns else None
        return Lattice(context, mined.lattice, threads=query.threads, faces=faces, sums=sums)
    watch = Watch(query.budget)
    table = wanted.table(context)
    # All concepts of these objects are meant, if nothing but attributes of them is given.
    below = replace(wanted, contains=()).is_plain and query.where is None and not shared
    constraints = None if below else wanted.for_core(context, shared=shared)
    mined = _mined(query, table=table, need=need, constraints=constraints)
    core = mined.lattice
    found = _meant(query, core, watch)
    if need is not None and query.where is None:
        faces.add(need, mined.extent_scores)
    # Covers take longer than the search, and few uses need them.
    return Lattice(
        context,
        _arranged(found, core, None),
        threads=query.threads,
        faces=faces,
        with_covers=partial(_arranged, found, core, table),
    )


def _mined(
    query: Query,
    *,
    table: _core.Table,
    need: FaceNeed | None = None,
    columns: bool = False,
    covers: bool = True,
    constraints: _core.Constraints | None = None,
) -> _core.Mined:
    """Return the core's lattice of a table, scores of its extents and column sums.

    With constraints, it has the concepts that meet them, and no covers.
    """
    limits = query.budget or Budget()
    watch = current_watch() if query.budget is None else None
    return _core.mine(
        table,
        min_support=query.tightened.least_support(query.context),
        threads=query.threads,
        score_extents=None if need is None else need.for_core(),
        sum_columns=columns,
        covers=covers,
        constraints=constraints,
        watch=_core.Watch(
            # Within a call that is watched, mining without limits of its own ends with that call.
            watch.check if watch else lambda: limits.cancelled,
            query.progress,
            concepts=limits.concepts,
            bytes=limits.bytes,
            seconds=limits.seconds,
        ),
    )


def _meant(query: Query, core: _core.Lattice, watch: Watch) -> Concepts:
    """Return the concepts that the core found and that meet the condition."""
    found = Concepts(
        query.context,
        _lists.of_core(core.intents),
        threads=query.threads,
        supports=core.supports,
        deltas=core.deltas if len(core.deltas) else None,
        min_support=core.min_support,
        stopped="" if core.stop == "constraints" else core.stop,
    )
    if query.where is None:
        return found
    with watched(watch.remaining()):
        return found.at(np.flatnonzero(query.holds(found)))


def _arranged(found: Concepts, core: _core.Lattice, table: _core.Table | None) -> _core.Lattice:
    """Return the core's lattice of some of its concepts, with their covers if there is a table."""
    n = len(found)
    lower_covers = None
    if table is not None and not core.stop:
        lower_covers = _lists.of_core(core.lower)
    elif table is not None and core.stop == "constraints":
        covers = _core.covers(table, found.intents, "lower", table.n_objects + 1, found.threads)
        listed = _lists.found_in(covers.intents, found.intents)
        kept = listed >= 0
        owners = np.repeat(np.arange(n), np.diff(covers.offsets))[kept]
        order = np.lexsort((listed[kept], owners))
        places = listed[kept][order].astype(np.uint32)
        lower_covers = _lists.offsets_of(np.bincount(owners, minlength=n)), places
    deltas = found.deltas if len(core.deltas) else found.supports
    return core_of(found, core.min_support, core.stop or "constraints", deltas, lower_covers)
