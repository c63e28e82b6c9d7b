"""The best concepts of a table that is too large to mine, and more of them on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.best.nodes import Found
from conceptrank.budget import Budget, current_watch, support_threshold
from conceptrank.context import Context
from conceptrank.explorer import short_list
from conceptrank.explorer.lattice_source import LatticeSource
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike, split
from conceptrank.summary.summary import Summary

# The number of concepts at first; each extension doubles it.
FIRST = 1_000
# The seconds that the search may take at first; each time as many again.
SECONDS = 10.0
# The seconds that the search for the short list may take, but at most twice those of the first one.
SUMMARY_SECONDS = 20.0


@dataclass(frozen=True)
class BestConcepts:
    """The best concepts, those of the short list, and a note on missing ones."""

    lattice: Lattice
    summary: Summary | None
    note: str
    more: bool


def best_concepts(
    context: Context,
    by: MeasureLike,
    *,
    k: int = FIRST,
    seconds: float = SECONDS,
    min_support: float = 0,
    threads: int = 0,
    summary: Summary | None = None,
) -> BestConcepts:
    """Return the k best concepts by a measure, or the best so far after some seconds.

    The concepts of the short list are with them. It is found if None, unless the table is too large
    for one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> found = best_concepts(cr.datasets.load("movies"), "cr", k=3)
    >>> len(found.lattice), found.more
    (3, True)
    """
    name, params = split(by)
    watch = current_watch()
    limits = Budget() if watch is None else watch.budget
    best = context.best(
        k,
        by=(name, params),
        min_support=min_support,
        threads=threads,
        budget=limits.with_seconds(seconds),
    )
    more = not (best.complete and len(best) < k)
    note = f"{'The table has more concepts than were mined. ' if more else ''}{best.title}."
    if summary is None and short_list.too_large(context, short_list.MOST_CELLS_SERVED) is None:
        most = min(2 * seconds, SUMMARY_SECONDS)
        summary = short_list.summarized(context, large=True, seconds=most)
    lattice = best.lattice
    least = support_threshold(min_support, context.shape[0])
    others = [
        pattern.concept
        for pattern in summary or ()
        if pattern.support >= least
        and lattice.find(pattern.concept.intent_numbers, pattern.support) is None
    ]
    if others:
        note += " The concepts of the short list are with them."
        listed = _lists.joined([each.intent_numbers for each in others])
        intents = _lists.stacked([lattice.intents, listed])
        supports = np.append(lattice.supports, [each.support for each in others])
        lattice = Found(context, intents, supports, threads=threads).lattice(lattice.min_support)
    return BestConcepts(lattice, summary, note, more)


def best_source(
    context: Context,
    measures: Sequence[MeasureLike],
    *,
    title: str,
    then: Sequence[MeasureLike] | None = None,
    k: int = FIRST,
    seconds: float = SECONDS,
    min_support: float = 0,
    threads: int = 0,
    summary: Summary | None = None,
) -> LatticeSource:
    """Return a source with the k best concepts by the first measure; it can be extended.

    Parameters
    ----------
    context
        The table.
    measures, title, then
        As for `LatticeSource`.
    k
        How many concepts to find.
    seconds
        The longest time that the search may take; then the best so far are shown, and the page
        says how good another concept could be.
    min_support, threads
        As for `Context.best`.
    summary
        The short list; it is found if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> source = best_source(cr.datasets.load("movies"), ["cr"], title="movies", k=3)
    >>> len(source), source.meta()["more"], len(source.extended())
    (3, True, 6)
    """
    found = best_concepts(
        context,
        measures[0],
        k=k,
        seconds=seconds,
        min_support=min_support,
        threads=threads,
        summary=summary,
    )

    def more() -> LatticeSource:
        return best_source(
            context,
            measures,
            title=title,
            then=then,
            k=2 * k,
            seconds=2 * seconds,
            min_support=min_support,
            threads=threads,
            summary=found.summary,
        )

    return LatticeSource(
        found.lattice,
        measures,
        title=title,
        then=then,
        note=found.note,
        summary=found.summary,
        more=more if found.more else None,
    )
