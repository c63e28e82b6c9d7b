"""Greedy tiling: the concepts whose rectangles cover most crosses that are not covered yet."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from conceptrank.budget import Budget
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.lattice import Lattice
from conceptrank.query import ConstraintOptions
from conceptrank.summary.selection import Choice, Clock, Crosses, Selection


def select(
    context: Context,
    *,
    max_patterns: int | None = None,
    min_support: float = 0,
    threads: int = 0,
    lattice: Lattice | None = None,
    constraints: ConstraintOptions | None = None,
    budget: Budget | None = None,
) -> Selection:
    """Return concepts that cover many crosses, each counted by what it adds to those before.

    The search ends when no concept with the minimum support covers a cross that is not covered
    yet. Of concepts that add the same number, the one with the largest support comes first, then
    the first by its attributes. A concept can only add less when others are chosen, so a number
    counted earlier is a bound, and few concepts have to be counted again.

    Parameters
    ----------
    context
        The context.
    max_patterns
        The largest number of concepts; no limit if None.
    min_support
        The least number of objects of a concept; a float is a share of all objects.
    threads
        The number of threads that mine the concepts; 0 is one per processor.
    lattice
        The concepts to choose from, if they are mined already.
    constraints
        Which concepts to choose from, as for `Context.lattice`; all if None.
    budget
        Limits. A limit that ends the mining leaves the concepts found so far to choose from.

    References
    ----------
    Geerts, Goethals, Mielikäinen, Tiling databases, Discovery Science (2004): the greedy k-tiling.
    Minoux, Accelerated greedy algorithms for maximizing submodular set functions (1978).

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> for choice in select(context, max_patterns=3):
    ...     print([context.attributes[m] for m in choice.intent], choice.gain, choice.explained)
    ['adventure', 'criminal'] 14.0 0.4375
    ['drama'] 5.0 0.59375
    ['adventure', 'fantasy', 'thriller'] 5.0 0.75
    """
    clock = Clock(budget)
    sets: Concepts = lattice or context.closed_sets(
        min_support=min_support, threads=threads, budget=budget, **(constraints or {})
    )
    stopped = sets.stopped
    offsets, values = sets.intents
    areas = sets.supports.astype(np.int64) * np.diff(offsets)
    order = np.argsort(-areas, kind="stable")
    crosses = Crosses(context)
    # Concepts that were counted again, with the number of choices before that; the others follow
    # in `order`, where their whole area is a bound.
    counted: list[tuple[int, int, int]] = []
    place = 0
    choices: list[Choice] = []
    while len(choices) != max_patterns:
        if clock.stopped:
            stopped = clock.stopped
            break
        new = (-int(areas[order[place]]), int(order[place])) if place < len(order) else (0, 0)
        if counted and counted[0][:2] < new:
            area, number, before = heappop(counted)
        else:
            area, number, before = *new, 0
            place += 1
        if not area:
            break
        intent = tuple(values[offsets[number] : offsets[number + 1]].tolist())
        if before == len(choices):
            choices.append(Choice(intent, float(-area), crosses.explain(intent)))
        elif gain := crosses.unexplained(intent):
            heappush(counted, (-gain, number, len(choices)))
    return Selection(tuple(choices), "crosses", stopped)
