"""GreConD: concepts whose rectangles cover the crosses of a table."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank.budget import Budget, support_threshold
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError
from conceptrank.summary.selection import Choice, Clock, Selection

Counts: TypeAlias = NDArray[np.float32]

# Larger numbers of objects can't be counted one by one in 32 bits.
_MOST_OBJECTS = 2**24
# Two arrays of this many cells take 2 GB.
_MOST_CELLS = 2**28


def select(
    context: Context,
    *,
    max_patterns: int | None = None,
    min_support: float = 0,
    cover: float = 1.0,
    budget: Budget | None = None,
) -> Selection:
    """Return concepts as the factors of the table, a Boolean matrix factorisation from below.

    Each factor grows from no attributes: the attribute is added whose concept covers most crosses
    that no factor covers yet, the first of several such attributes, as long as the number rises.
    The search ends when the factors cover the wanted share of the crosses.

    Parameters
    ----------
    context
        The context.
    max_patterns
        The largest number of concepts; no limit if None.
    min_support
        The least number of objects of a concept; a float is a share of all objects.
    cover
        The share of the crosses to cover. With 1 and no other limit, the product of the factors is
        the table itself.
    budget
        Its seconds and `cancel` end the search with the concepts found so far.

    References
    ----------
    Belohlavek, Vychodil, Discovery of optimal factors in binary data via a novel method of matrix
    decomposition, Journal of Computer and System Sciences 76 (2010): Algorithm 2.

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
    if not 0 <= cover <= 1:
        raise ValueError(f"cover must be between 0 and 1, got {cover!r}")
    clock = Clock(budget)
    least = max(support_threshold(min_support, context.shape[0]), 1)
    cells, frequent = _frequent_cells(context, least)
    uncovered = cells.copy()
    together = cells.T @ cells
    # How many uncovered crosses each attribute has in the objects of each other one.
    news = together.copy()
    explained = 0
    choices: list[Choice] = []
    stopped = ""
    while explained < cover * context.crosses and len(choices) != max_patterns:
        stopped = clock.stopped
        if stopped:
            break
        extent, intent, new = _factor(cells, uncovered, together, news, least)
        if not new:
            break
        block = np.ix_(extent, intent)
        news[:, intent] -= cells[extent].T @ uncovered[block]
        uncovered[block] = 0
        explained += new
        names = tuple(frequent[intent].tolist())
        choices.append(Choice(names, float(new), explained / context.crosses))
    return Selection(tuple(choices), "crosses", stopped)


def _frequent_cells(context: Context, least: int) -> tuple[Counts, NDArray[np.int64]]:
    """Return the cells of the attributes with the minimum support, and the attributes' numbers.

    No concept with the minimum support has another attribute.
    """
    offsets, values = context.repeated().rows()
    frequent = np.flatnonzero(np.bincount(values, minlength=context.shape[1]) >= least)
    shape = context.shape[0], len(frequent)
    if shape[0] >= _MOST_OBJECTS or max(shape[0], shape[1]) * shape[1] > _MOST_CELLS:
        raise ConceptRankError(
            f"{shape[0]:,} objects and {shape[1]:,} frequent attributes are too many for GreConD "
            "(hint: a larger minimum support)"
        )
    places = np.full(context.shape[1], -1)
    places[frequent] = np.arange(len(frequent))
    rows, columns = np.repeat(np.arange(shape[0]), np.diff(offsets)), places[values]
    cells = np.zeros(shape, dtype=np.float32)
    cells[rows[columns >= 0], columns[columns >= 0]] = 1
    return cells, frequent


def _factor(
    cells: Counts, uncovered: Counts, together: Counts, news: Counts, least: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return the objects and attributes of the next factor, and how many crosses it adds."""
    extent = np.arange(len(cells))
    intent = np.zeros(0, dtype=np.int64)
    most = 0
    while True:
        # The concept of the intent and attribute j has the attributes k that are in all objects
        # that have j: those with together[j, k] = together[j, j].
        supports = np.diag(together)
        closures = together == supports[:, None]
        areas = np.where(supports >= least, np.einsum("jk,jk->j", closures, news), 0)
        best = int(np.argmax(areas)) if len(areas) else 0
        if not len(areas) or areas[best] <= most:
            return extent, intent, most
        most = round(float(areas[best]))
        extent = extent[cells[extent, best] == 1]
        intent = np.flatnonzero(closures[best])
        part = cells[extent]
        together, news = part.T @ part, part.T @ uncovered[extent]
