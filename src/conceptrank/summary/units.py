"""`Units`: the attributes of a context as a reader's model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core

if TYPE_CHECKING:
    from conceptrank._util.lists import Lists
    from conceptrank.context import Context
    from conceptrank.scaling.structure import Structure

Numbers = NDArray[np.int64]

# More ranges of one ordered column are not told apart: only its attributes are units.
_MOST_RANGES = 100
NO_PARENT = np.iinfo(np.uint32).max


class Units:
    """The units of a context.

    An attribute is a unit. If attributes of one column may occur together, as thresholds do, each
    set of them that some row has, or that two rows share, is a unit: a range of the column. A
    pattern has at most one unit of a column.

    Parameters
    ----------
    context
        The context.
    min_support
        Attributes of fewer objects are left out, and so are those of all objects.
    structure
        What the reader knows about the columns: a column depends on the one that it is told to
        follow from, or to rise with.

    Attributes
    ----------
    attributes
        The attributes of each unit, ascending.
    column
        The column of each unit.
    free
        Of each column, whether it is an attribute of its own.
    """

    def __init__(
        self, context: Context, min_support: int = 0, structure: Structure | None = None
    ) -> None:
        self.context = context
        (offsets, values), weights = context.core.distinct_rows()
        self.weights: NDArray[np.uint32] = np.asarray(weights, dtype=np.uint32)
        n, q = len(self.weights), context.shape[1]
        row = np.repeat(np.arange(n), np.diff(offsets))
        supports = np.bincount(values, self.weights[row], minlength=q)
        group = np.full(q, -1, dtype=np.int64)
        for number, members in enumerate(context.groups):
            if len(members) > 1:
                group[list(members)] = number
        kept = (supports >= min_support) & (supports < context.shape[0])
        self.attributes: list[tuple[int, ...]] = []
        self.column: list[int] = []
        self.free: list[bool] = []
        pieces: list[tuple[Numbers, Numbers]] = []

        def add(units: Sequence[tuple[int, ...]], rows: Sequence[Numbers], *, free: bool) -> None:
            for members, having in zip(units, rows, strict=True):
                pieces.append((having, np.full(len(having), len(self.attributes))))
                self.attributes.append(members)
                self.column.append(len(self.free))
            self.free.append(free)

        order = np.argsort(values, kind="stable")
        ends = np.searchsorted(values[order], np.arange(q + 1))
        rows_of = [row[order[ends[m] : ends[m + 1]]] for m in range(q)]
        for m in np.flatnonzero(kept & (group < 0)).tolist():
            add([(m,)], [rows_of[m]], free=True)
        self._column_of_group: dict[int, int] = {}
        for number in np.unique(group[group >= 0]).tolist():
            units, rows = _ranges(np.flatnonzero(group == number).tolist(), rows_of, n)
            chosen = [
                place
                for place, having in enumerate(rows)
                if min_support <= self.weights[having].sum() < context.shape[0]
            ]
            if not chosen:
                continue
            self._column_of_group[number] = len(self.free)
            add([units[p] for p in chosen], [rows[p] for p in chosen], free=False)
        at, unit = (
            (np.concatenate(parts) for parts in zip(*pieces, strict=True))
            if pieces
            else (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        )
        by_row = np.lexsort((unit, at))
        ends = np.searchsorted(at[by_row], np.arange(n + 1)).astype(np.int64)
        self.rows: Lists = ends, unit[by_row].astype(np.uint32)
        self._parents = {} if structure is None else self._parents_in(structure)

    def __len__(self) -> int:
        return len(self.attributes)

    @cached_property
    def unit_of(self) -> dict[tuple[int, ...], int]:
        """The number of each unit by its attributes."""
        return {members: number for number, members in enumerate(self.attributes)}

    def of(self, intent: Sequence[int]) -> NDArray[np.uint32] | None:
        """Return the units of an intent; None if some part of it is no unit."""
        columns = {
            m: c
            for attributes, c in zip(self.attributes, self.column, strict=True)
            for m in attributes
        }
        parts: dict[int, list[int]] = {}
        for m in intent:
            if m not in columns:
                return None
            parts.setdefault(columns[m], []).append(m)
        found = [self.unit_of.get(tuple(sorted(part)), -1) for part in parts.values()]
        return None if -1 in found else np.sort(np.array(found, dtype=np.uint32))

    def intent(self, units: Sequence[int]) -> tuple[int, ...]:
        """Return the attributes of some units, ascending."""
        return tuple(sorted(m for unit in units for m in self.attributes[unit]))

    def reader(self, *, richness: bool) -> _core.Reader:
        """Return the model of a reader who knows the margins and the structure of the columns."""
        parent = np.full(len(self.free), NO_PARENT, dtype=np.uint32)
        states: list[Numbers] = []
        numbers: dict[int, int] = {}
        for column, other in self._parents.items():
            if other not in numbers:
                numbers[other] = len(states)
                states.append(self._states(other))
            parent[column] = numbers[other]
        offsets = np.arange(len(states) + 1, dtype=np.int64) * len(self.weights)
        values = np.concatenate(states) if states else np.zeros(0)
        return _core.Reader(
            self.rows,
            self.weights,
            np.array(self.column, dtype=np.uint32),
            np.array(self.free, dtype=np.uint8),
            parent,
            (offsets, values.astype(np.uint32)),
            np.array(list(numbers), dtype=np.uint32),
            richness=richness,
        )

    def _states(self, column: int) -> Numbers:
        """Return a number for what each row has in a column."""
        offsets, values = self.rows
        inside = np.array(self.column)[values] == column
        at = np.repeat(np.arange(len(self.weights)), np.diff(offsets))[inside]
        code = np.zeros(len(self.weights))
        # Each set of units has its own sum.
        np.add.at(code, at, np.random.default_rng(0).random(len(self))[values[inside]])
        return np.unique(code, return_inverse=True)[1].reshape(-1)

    def _parents_in(self, structure: Structure) -> dict[int, int]:
        """Return the column that each column depends on; no circles."""
        origin = self.context.origin
        if origin is None:
            return {}
        number: dict[str, int] = {}
        for group, column in self._column_of_group.items():
            condition = origin.conditions[self.context.groups[group][0]]
            number.setdefault(condition.column, column)
        parents: dict[int, int] = {}

        def root(column: int) -> int:
            while column in parents:
                column = parents[column]
            return column

        told = [one.columns for one in structure.relations if one.kind != "missing"]
        told += [trend.columns for trend in structure.trends]
        for names in told:
            known = [number[name] for name in names if name in number]
            for column in known[1:]:
                if column not in parents and root(known[0]) != column:
                    parents[column] = known[0]
        return parents


def _ranges(
    members: list[int], rows_of: Sequence[Numbers], n: int
) -> tuple[list[tuple[int, ...]], list[Numbers]]:
    """Return the sets of attributes of one column that rows have in common, and their rows."""
    counts = np.zeros(n, dtype=np.int64)
    for m in members:
        counts[rows_of[m]] += 1
    single: tuple[list[tuple[int, ...]], list[Numbers]] = (
        [(m,) for m in members],
        [rows_of[m] for m in members],
    )
    if counts.max(initial=0) <= 1:
        return single
    having = np.zeros((n, len(members)), dtype=np.bool_)
    for place, m in enumerate(members):
        having[rows_of[m], place] = True
    profiles = {tuple(np.flatnonzero(each).tolist()) for each in np.unique(having, axis=0)}
    found = set(profiles)
    for profile in profiles:
        found |= {tuple(sorted(set(profile) & set(other))) for other in found}
        if len(found) > _MOST_RANGES:
            return single
    sets = sorted(each for each in found if each)
    return (
        [tuple(members[place] for place in each) for each in sets],
        [np.flatnonzero(having[:, list(each)].all(axis=1)) for each in sets],
    )
