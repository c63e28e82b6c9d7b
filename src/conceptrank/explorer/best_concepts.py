"""The best concepts of a table that is too large to mine, and more of them on demand."""

from __future__ import annotations

from collections.abc import Sequence

from conceptrank.budget import Budget
from conceptrank.context import Context
from conceptrank.explorer.lattice_source import LatticeSource
from conceptrank.measures.registry import MeasureLike, split

# The number of concepts at first; each extension doubles it.
FIRST = 1_000


def best_source(
    context: Context,
    measures: Sequence[MeasureLike],
    *,
    title: str,
    then: Sequence[MeasureLike] | None = None,
    k: int = FIRST,
    seconds: float = 10,
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
    name, params = split(measures[0])
    best = context.best(
        k,
        by=(name, params),
        min_support=min_support,
        threads=threads,
        budget=Budget(seconds=seconds),
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

    every = best.complete and len(best) < k
    return LatticeSource(
        best.lattice,
        measures,
        title=title,
        then=then,
        note=f"The table has more concepts than were mined. {best.title}.",
        more=None if every else more,
    )
