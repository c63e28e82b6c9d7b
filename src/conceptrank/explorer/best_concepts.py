"""The best concepts of a table that is too large to mine, and more of them on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conceptrank.budget import Budget, current_watch
from conceptrank.context import Context
from conceptrank.explorer.lattice_source import LatticeSource
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike, split

# So many concepts at first; each time as many again.
FIRST = 1_000
# The seconds that the search may take at first; each time as many again.
SECONDS = 10.0


@dataclass(frozen=True)
class BestConcepts:
    """The best concepts that a search found, what to say about the others, if there are any."""

    lattice: Lattice
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
) -> BestConcepts:
    """Return the k best concepts by a measure, or the best so far after some seconds.

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
    return BestConcepts(best.lattice, note, more)


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

    Examples
    --------
    >>> import conceptrank as cr
    >>> source = best_source(cr.datasets.load("movies"), ["cr"], title="movies", k=3)
    >>> len(source), source.meta()["more"], len(source.extended())
    (3, True, 6)
    """
    found = best_concepts(
        context, measures[0], k=k, seconds=seconds, min_support=min_support, threads=threads
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
        )

    return LatticeSource(
        found.lattice,
        measures,
        title=title,
        then=then,
        note=found.note,
        more=more if found.more else None,
    )
