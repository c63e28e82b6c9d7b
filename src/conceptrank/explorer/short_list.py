"""The short list as the page shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conceptrank.budget import Budget, current_watch
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.explorer.spread import plain
from conceptrank.lattice import Lattice
from conceptrank.summary.summary import Summary

# A longer list is hard to read.
MOST_PATTERNS = 12
# The model has a number per cell, so larger tables take minutes. A server computes the list in the
# background, so it may take longer.
MOST_CELLS = 20_000_000
MOST_CELLS_SERVED = 200_000_000
SECONDS_SERVED = 60
# In larger tables, and in those that were not mined to their end, the list is chosen from fewer
# candidates. That of connect (67,557 × 129) then takes 16 processor seconds instead of minutes.
FEW_CELLS = 2_000_000
FEW_CANDIDATES = 20_000
OBJECTS_SHOWN = 8


def of_lattice(
    lattice: Lattice, *, patient: bool = False, summary: Summary | None = None
) -> dict[str, Any]:
    """Return the short list of a lattice's table, or the one that is given.

    A server is `patient`: it takes larger tables, and shows what it found in a minute.

    Examples
    --------
    >>> import conceptrank as cr
    >>> of_lattice(cr.datasets.load("movies").lattice())["title"]
    'No pattern (11 objects, 7 attributes)'
    """
    context = lattice.context.repeated()
    if summary is None:
        most = MOST_CELLS_SERVED if patient else MOST_CELLS
        if (refused := too_large(context, most)) is not None:
            return refused
        seconds = SECONDS_SERVED if patient else None
        summary = summarized(context, large=not lattice.complete, seconds=seconds)

    def places(concepts: Sequence[Concept]) -> list[int]:
        found = [lattice.find(each.intent_numbers, each.support) for each in concepts]
        return [-1 if place is None else place for place in found]

    return described(summary, places, names=True)


def summarized(context: Context, *, large: bool = False, seconds: float | None = None) -> Summary:
    """Return the summary of a table; `large` is whether it has too many concepts to mine.

    Examples
    --------
    >>> import conceptrank as cr
    >>> len(summarized(cr.datasets.load("movies")))
    0
    """
    watch = current_watch()
    budget = (Budget() if watch is None else watch.budget).with_seconds(seconds)
    n, q = context.shape
    if large or n * q > FEW_CELLS:
        budget.concepts = FEW_CANDIDATES
    return context.summarize(MOST_PATTERNS, budget=budget)


def too_large(context: Context, most: int = MOST_CELLS) -> dict[str, Any] | None:
    """Return what the page says in place of a short list if there are too many cells for one."""
    n, q = context.shape
    if n * q <= most:
        return None
    note = (
        f"The table has {n * q:,} cells, too many to find its short list while the page is made. "
        "The command conceptrank summarize takes its time for it."
    )
    return {"title": "No short list", "notes": [note], "unit": "", "patterns": []}


def described(
    summary: Summary, places: Callable[[Sequence[Concept]], list[int]], *, names: bool
) -> dict[str, Any]:
    """Return a summary as the page reads it; `places` returns -1 for a concept that is not listed.

    `names` is whether objects have names.
    """
    numbers = summary.context.attribute_names.numbers
    found = places([pattern.concept for pattern in summary])
    return {
        "title": summary.title,
        "notes": list(summary.notes),
        "unit": summary.unit,
        "patterns": [
            {
                "id": place,
                "intent": pattern.concept.intent_numbers.tolist(),
                "support": pattern.support,
                "extent": list(pattern.concept.extent[:OBJECTS_SHOWN]) if names else [],
                "expected": plain(pattern.expected),
                "gain": plain(pattern.gain),
                "explained": pattern.explained,
                "generator": numbers(pattern.generator).tolist(),
                "why": pattern.why,
            }
            for place, pattern in zip(found, summary, strict=True)
        ],
    }
