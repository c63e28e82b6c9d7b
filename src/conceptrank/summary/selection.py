"""`Choice` and `Selection`, the result of every method that picks concepts; `Crosses`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from operator import and_

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.budget import Budget
from conceptrank.context import Context
from conceptrank.scaling.structure import Structure


@dataclass(frozen=True)
class Choice:
    """One chosen concept.

    Attributes
    ----------
    intent
        The numbers of its attributes, ascending.
    gain
        What it adds to the concepts before it, in the method's own unit.
    explained
        The share of the table's crosses that it and the concepts before it cover together.
    expected
        The support expected by a reader who knows the margins and the concepts before; None if the
        method has no such model.
    deviation
        The standard deviation of the support, if the table follows the model.
    p_value
        The probability that any set of attributes has a support so far above its expected one, if
        the table follows the model; None if the method has no such model.
    carriers
        The number of objects that the model counts as carriers of the pattern: those that have all
        of its attributes, and those that lack a few; None if the method has no such model.
    """

    intent: tuple[int, ...]
    gain: float
    explained: float
    expected: float | None = None
    deviation: float | None = None
    p_value: float | None = None
    carriers: int | None = None


@dataclass(frozen=True)
class Fact:
    """Attributes that nearly all objects with some attributes have.

    Attributes
    ----------
    premise
        The numbers of the attributes of one column.
    conclusion
        Those of the attributes that follow.
    support
        The number of objects that have all.
    objects
        The number of objects that have the premise.
    """

    premise: tuple[int, ...]
    conclusion: tuple[int, ...]
    support: int
    objects: int

    def follows_from(self, other: Fact) -> bool:
        """Return whether another fact says the same, or more."""
        return self.premise == other.premise and set(self.conclusion) <= set(other.conclusion)


@dataclass(frozen=True)
class Selection:
    """Chosen concepts, in the order in which the method lists them.

    Attributes
    ----------
    choices
        The concepts.
    unit
        The unit of their gains.
    stopped
        The limit that ended the search early (`seconds`, `concepts`, `bytes` or `cancelled`);
        empty if the method ended by its own rule or at the number of patterns.
    min_support
        The least number of objects of the concepts that were searched; 0 if all were.
    structure
        What the columns of the table say about each other.
    facts
        Values that imply others; they are no patterns.
    """

    choices: tuple[Choice, ...]
    unit: str
    stopped: str = ""
    min_support: int = 0
    structure: Structure = field(default_factory=Structure)
    facts: tuple[Fact, ...] = ()

    def __len__(self) -> int:
        return len(self.choices)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices)


class Crosses:
    """The crosses of a context, and which of them chosen concepts explain.

    A set of objects is an integer whose bit g stands for object g, which makes intersections and
    counts of thousands of objects one operation.

    Examples
    --------
    >>> import conceptrank as cr
    >>> crosses = Crosses(cr.datasets.load("movies"))
    >>> crosses.unexplained([1, 3]), crosses.explain([1, 3]), crosses.unexplained([1])
    (14, 0.4375, 1)
    """

    def __init__(self, context: Context) -> None:
        self.objects: int = (1 << context.shape[0]) - 1
        self.total: int = context.crosses
        self.columns: list[int] = _columns(context)
        self._open = list(self.columns)
        self._explained = 0

    def extent(self, intent: Iterable[int]) -> int:
        """Return the objects that have all attributes of an intent."""
        return reduce(and_, (self.columns[m] for m in intent), self.objects)

    def closure(self, extent: int) -> tuple[int, ...]:
        """Return the attributes that all objects of a set have."""
        return tuple(m for m, column in enumerate(self.columns) if extent & column == extent)

    def unexplained(self, intent: Iterable[int]) -> int:
        """Return how many crosses of a concept are not explained yet."""
        intent = tuple(intent)
        extent = self.extent(intent)
        return sum((extent & self._open[m]).bit_count() for m in intent)

    def explain(self, intent: Iterable[int]) -> float:
        """Count a concept as chosen, and return the share of the crosses explained so far."""
        intent = tuple(intent)
        self._explained += self.unexplained(intent)
        rest = ~self.extent(intent)
        for m in intent:
            self._open[m] &= rest
        return self._explained / self.total if self.total else 1.0


class Clock:
    """Whether a budget ends a search: its seconds are over, or it was cancelled."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget or Budget()
        self._start = time.monotonic()

    @property
    def stopped(self) -> str:
        """The limit that was reached; empty if none was."""
        if self._budget.cancelled:
            return "cancelled"
        limit = self._budget.seconds
        return "seconds" if limit is not None and self.seconds > limit else ""

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.monotonic() - self._start


def _columns(context: Context) -> list[int]:
    n, q = context.shape
    context = context.repeated()
    offsets, objects = _lists.transposed(context.rows(), q)
    columns = []
    # One attribute at a time: all of them as truth values may not fit into memory.
    having = np.zeros(n, dtype=np.bool_)
    for begin, end in pairwise(offsets.tolist()):
        having[objects[begin:end]] = True
        columns.append(int.from_bytes(np.packbits(having, bitorder="little").tobytes(), "little"))
        having[objects[begin:end]] = False
    return columns
