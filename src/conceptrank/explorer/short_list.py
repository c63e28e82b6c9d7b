"""The short list as the page shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, isnan
from typing import Any

from conceptrank.budget import Budget, current_watch
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.summary.summary import Summary

# A longer list is hard to read.
MOST_PATTERNS = 12
# The model has a number per cell, so larger tables take minutes, unless a limit on seconds ends it.
MOST_CELLS = 20_000_000
MOST_CELLS_WITH_LIMIT = 200_000_000
# In larger tables, and in those that were not mined to their end, the list is chosen from fewer
# candidates. That of connect (67,557 × 129) then takes 16 processor seconds instead of minutes.
FEW_CELLS = 2_000_000
FEW_CANDIDATES = 20_000
OBJECTS_SHOWN = 8


def summarized(
    context: Context, *, large: bool = False, seconds: float | None = None
) -> Summary | None:
    """Return the summary of a table; None if it has too many cells.

    `large` is whether the table has too many concepts to mine.

    Examples
    --------
    >>> import conceptrank as cr
    >>> len(summarized(cr.datasets.load("movies")))
    0
    """
    n, q = context.shape
    if n * q > (MOST_CELLS if seconds is None else MOST_CELLS_WITH_LIMIT):
        return None
    watch = current_watch()
    budget = (Budget() if watch is None else watch.budget).with_seconds(seconds)
    if large or n * q > FEW_CELLS:
        budget.concepts = FEW_CANDIDATES
    return context.summarize(MOST_PATTERNS, budget=budget)


def described(
    summary: Summary | None, places: Callable[[Sequence[Concept]], list[int]]
) -> dict[str, Any]:
    """Return a summary as the page reads it; None is a table with too many cells for one.

    `places` returns -1 for a concept that is not on the page.
    """
    if summary is None:
        note = (
            "The table has too many cells to find its short list while the page is made. The "
            "command conceptrank summarize takes its time for it."
        )
        return {"title": "No short list", "notes": [note], "unit": "", "patterns": []}
    numbers = summary.context.attribute_names.numbers
    found = places([pattern.concept for pattern in summary])
    return {
        "title": summary.title,
        "notes": list(summary.notes),
        "unit": summary.unit,
        "patterns": [
            {
                "id": place,
                "intent": numbers(pattern.intent).tolist(),
                "support": pattern.support,
                "extent": list(pattern.concept.extent[:OBJECTS_SHOWN]),
                "expected": plain(pattern.expected),
                "gain": plain(pattern.gain),
                "explained": pattern.explained,
                "generator": numbers(pattern.generator).tolist(),
                "why": pattern.why,
            }
            for place, pattern in zip(found, summary, strict=True)
        ],
    }


def plain(score: float) -> float | str | None:
    """Return what JSON can hold: a text for infinity, null for no number.

    Examples
    --------
    >>> plain(0.5), plain(float("-inf")), plain(float("nan"))
    (0.5, '-Infinity', None)
    """
    if isfinite(score):
        return score
    return None if isnan(score) else ("Infinity" if score > 0 else "-Infinity")
