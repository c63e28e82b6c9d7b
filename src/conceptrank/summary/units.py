"""`Units`: the parts of intents that a reader's model treats as one event each.

An attribute is a unit of its own, unless it was scaled from a column together with others. The
attributes of such a column depend on each other by construction: a nominal value excludes the
others, a threshold implies the weaker ones. So all that an intent says about one column is a single
unit, with the frequency that it has in the table, and the scale's own implications are no news.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from conceptrank._util.lists import Lists
    from conceptrank.context import Context

# Bytes of a model per cell: the incidence, its copy in the model, and its bits.
_CELL_BYTES = 3
# And per cross, while the model lists its row and its unit.
_CROSS_BYTES = 24


class Units:
    """The units of many intents.

    Parameters
    ----------
    context
        The context.
    intents
        The attribute numbers of all intents, as offsets and values.
    attributes
        Attributes that are units even if no intent has them, unless they are part of a column.

    Attributes
    ----------
    offsets, values
        The unit numbers of all intents; ascending within an intent.
    free
        Which units are attributes of their own.
    group
        The scaled column of each unit, as a number; -1 for a unit that is free.
    """

    def __init__(self, context: Context, intents: Lists, *, attributes: Iterable[int] = ()) -> None:
        offsets, numbers = intents[0], intents[1].astype(np.int64)
        n_intents = len(offsets) - 1
        owner = np.repeat(np.arange(n_intents), np.diff(offsets))
        group_of = np.full(context.shape[1], -1, dtype=np.int64)
        for number, members in enumerate(context.groups):
            if len(members) > 1:
                group_of[list(members)] = number
        groups = group_of[numbers]
        alone = groups < 0
        more = np.fromiter(attributes, dtype=np.int64)
        own = numbers[alone]
        seen = np.bincount(own, minlength=len(group_of)) > 0
        seen[more[group_of[more] < 0]] = True
        used = np.flatnonzero(seen)
        sets: list[tuple[int, ...]] = [(int(m),) for m in used]
        belongs = [-1] * len(sets)
        owners, units = [owner[alone]], [(np.cumsum(seen) - 1)[own]]
        for number in np.unique(groups[~alone]).tolist():
            inside = np.flatnonzero(groups == number)
            rows, restrictions, found = _distinct(owner[inside], numbers[inside])
            owners.append(rows)
            units.append(restrictions + len(sets))
            sets += found
            belongs += [number] * len(found)
        flat_owner, flat_unit = np.concatenate(owners), np.concatenate(units)
        if len(owners) > 1:
            flat_unit = flat_unit[np.lexsort((flat_unit, flat_owner))]
        self.values: NDArray[np.uint32] = flat_unit.astype(np.uint32)
        counts = np.bincount(flat_owner, minlength=n_intents)
        self.offsets: NDArray[np.int64] = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.free: NDArray[np.bool_] = np.array([each < 0 for each in belongs], dtype=np.bool_)
        self.group: NDArray[np.int64] = np.array(belongs, dtype=np.int64)
        self._context = context
        self._sets = sets
        self._group_of = group_of
        self._unit_of = {each: number for number, each in enumerate(sets)}
        # The unit of each attribute without others of its column; -1 if there is none.
        self._alone = np.full(len(group_of), -1, dtype=np.int64)
        for number, each in enumerate(sets):
            if len(each) == 1:
                self._alone[each[0]] = number

    def __len__(self) -> int:
        return len(self.free)

    @property
    def bytes(self) -> int:
        """The memory that a reader's model needs, about."""
        cells = self._context.shape[1] + _CELL_BYTES * len(self)
        return self._context.n_distinct_rows * cells + _CROSS_BYTES * len(self._distinct_rows[1])

    @cached_property
    def _distinct_rows(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        (offsets, values), weights = self._context.core.distinct_rows()
        return offsets, values, weights

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The number of objects of each distinct row."""
        return self._distinct_rows[2].astype(np.int64)

    @cached_property
    def incidence(self) -> NDArray[np.bool_]:
        """Which objects have which unit: a row per distinct row of the context."""
        offsets, values, weights = self._distinct_rows
        table = np.zeros((len(weights), self._context.shape[1]), dtype=np.bool_)
        table[np.repeat(np.arange(len(weights)), np.diff(offsets)), values] = True
        out = np.empty((len(weights), len(self)), dtype=np.bool_, order="F")
        for number, attributes in enumerate(self._sets):
            out[:, number] = table[:, list(attributes)].all(axis=1)
        return out

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """The number of objects that have each unit."""
        return np.asarray(self.weights @ self.incidence)

    def of(self, intent: int) -> NDArray[np.uint32]:
        """Return the units of an intent, by its place."""
        return self.values[self.offsets[intent] : self.offsets[intent + 1]]

    def find(self, intent: Sequence[int]) -> NDArray[np.uint32] | None:
        """Return the units of any intent; None if it has a part that no intent here has."""
        numbers = np.asarray(intent, dtype=np.int64)
        units = self._alone[numbers]
        groups = self._group_of[numbers]
        scaled = np.sort(groups[groups >= 0])
        if (scaled[1:] == scaled[:-1]).any():
            parts: dict[int, tuple[int, ...]] = {}
            for attribute, group in zip(numbers.tolist(), groups.tolist(), strict=True):
                key = group if group >= 0 else -1 - attribute
                parts[key] = (*parts.get(key, ()), attribute)
            units = np.array([self._unit_of.get(each, -1) for each in parts.values()])
        return None if (units < 0).any() else np.sort(units).astype(np.uint32)

    def given(self, units: Iterable[int]) -> NDArray[np.float64]:
        """Return the probabilities of other units of the same scaled columns, given some units.

        They are 0 where some units say nothing, or make another one less likely. An excluded value
        keeps its frequency, so that a pattern of the other values is news.
        """
        chances = np.zeros(len(self))
        for unit in units:
            if self.group[unit] >= 0:
                rows = np.flatnonzero(self.incidence[:, unit])
                same = np.flatnonzero(self.group == self.group[unit])
                weights = self.weights[rows]
                objects, having = weights.sum(), weights @ self.incidence[rows[:, None], same]
                likelier = having * self.weights.sum() >= self._counts[same] * objects
                chances[same] = np.where(likelier, having / objects, 0)
        return chances


def _distinct(
    owner: NDArray[np.int64], attributes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[tuple[int, ...]]]:
    """Return the intents that have attributes here, which set each has, and the different sets."""
    rows, starts, counts = np.unique(owner, return_index=True, return_counts=True)
    # A set is numbered by the number of its first part and its next attribute, step by step.
    sets: list[tuple[int, ...]] = [()]
    number = np.zeros(len(rows), dtype=np.int64)
    width = int(attributes.max()) + 1
    for nth in range(int(counts.max())):
        longer = np.flatnonzero(counts > nth)
        step = number[longer] * width + attributes[starts[longer] + nth]
        keys, place = np.unique(step, return_inverse=True)
        number[longer] = len(sets) + place.reshape(-1)
        sets += [(*sets[key // width], key % width) for key in keys.tolist()]
    used, number = np.unique(number, return_inverse=True)
    return rows, number.reshape(-1), [sets[each] for each in used.tolist()]
