"""SLIM: the concepts that together describe a table in the fewest bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import groupby, islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank.budget import Budget, support_threshold
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError
from conceptrank.summary.selection import Choice, Clock, Crosses, Selection

Intent: TypeAlias = tuple[int, ...]
Bits: TypeAlias = NDArray[np.float64]

# Differences in description length below this are rounding.
_ROUNDING = 1e-6
# The array of all pairs of this many patterns takes 400 MB.
_MOST_PATTERNS = 10_000


def select(
    context: Context,
    *,
    max_patterns: int | None = None,
    min_support: float = 0,
    budget: Budget | None = None,
) -> Selection:
    """Return the concepts of a code table that describes the context in few bits.

    A code table has patterns and all single attributes. It describes each object by patterns that
    do not overlap, larger ones first, then more frequent ones; a pattern that is used often has a
    short code. The length of the whole is that of all codes in use and of the table itself.

    The search starts with the single attributes. It joins the two patterns that promise to save
    most, takes the concept that they generate if the length falls, drops patterns that no longer
    pay, and ends when no pair of patterns helps. A concept that was tried is not tried again.
    Joining pairs instead of filtering a list of frequent patterns is what SLIM does; it tries the
    union of both, while this takes the closure of the union, which has the same objects.

    The concepts of the final table are in the order of what each saves in addition to those before
    it. Savings mostly fall as more is chosen, so a concept is counted again only when its last
    count is the largest.

    Parameters
    ----------
    context
        The context.
    max_patterns
        The largest number of concepts to return; all of the code table if None.
    min_support
        The least number of objects of a concept; a float is a share of all objects.
    budget
        Its seconds and `cancel` end the search with the code table of that moment.

    References
    ----------
    Smets, Vreeken, Slim: directly mining descriptive patterns, SDM (2012). Vreeken, van Leeuwen,
    Siebes, Krimp: mining itemsets that compress, Data Mining and Knowledge Discovery 23 (2011).

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> for choice in select(context):
    ...     print([context.attributes[m] for m in choice.intent], round(choice.gain, 2))
    ['adventure', 'criminal'] 6.21
    ['adventure', 'fantasy', 'thriller'] 12.56
    """
    clock = Clock(budget)
    search = _Search(Crosses(context), support_threshold(min_support, context.shape[0]), clock)
    stopped = clock.stopped
    while not stopped and search.step():
        stopped = clock.stopped
    stopped = stopped or clock.stopped
    choices = tuple(
        Choice(intent, gain, search.crosses.explain(intent))
        for intent, gain in islice(search.by_gain(), max_patterns)
    )
    return Selection(choices, "bits", stopped)


@dataclass(frozen=True)
class Cover:
    """How a code table describes a context.

    Attributes
    ----------
    users
        For each pattern in use the objects that it describes, as bits.
    usages
        Their numbers.
    length
        The length of the description and of the code table, in bits.
    """

    users: dict[Intent, int]
    usages: dict[Intent, int]
    length: float


@dataclass
class CodeTable:
    """Patterns that describe a context, and the length of the description.

    Examples
    --------
    >>> import conceptrank as cr
    >>> table = CodeTable(Crosses(cr.datasets.load("movies")))
    >>> round(table.cover([]).length, 2), round(table.cover([(1, 3)]).length, 2)
    (125.82, 119.61)
    """

    crosses: Crosses
    # The length of each attribute in the code of single attributes.
    singles: list[float] = field(init=False)
    _supports: dict[Intent, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        total = max(self.crosses.total, 1)
        counts = [column.bit_count() for column in self.crosses.columns]
        self.singles = [float(np.log2(total / count)) if count else 0.0 for count in counts]

    def support(self, intent: Intent) -> int:
        """Return the number of objects that have an intent, which is counted once."""
        if intent not in self._supports:
            self._supports[intent] = self.crosses.extent(intent).bit_count()
        return self._supports[intent]

    def order(self, patterns: list[Intent]) -> list[Intent]:
        """Return patterns in the order in which they describe an object."""
        return sorted(patterns, key=lambda each: (-len(each), -self.support(each), each))

    def cover(self, ordered: list[Intent]) -> Cover:
        """Return how patterns in this order, and then the single attributes, describe the table."""
        left = list(self.crosses.columns)
        users: dict[Intent, int] = {}
        for intent in ordered:
            having = self.crosses.objects
            for m in intent:
                having &= left[m]
                if not having:
                    break
            else:
                users[intent] = having
                for m in intent:
                    left[m] ^= having
        users |= {(m,): column for m, column in enumerate(left) if column}
        usages = {intent: each.bit_count() for intent, each in users.items()}
        return Cover(users, usages, self.length(usages))

    def length(self, usages: dict[Intent, int]) -> float:
        """Return the length of a description in which patterns have these usages."""
        counts = np.array(list(usages.values()), dtype=np.float64)
        codes = np.log2(counts.sum()) - np.log2(counts) if len(counts) else counts
        table = sum(self.singles[m] for intent in usages for m in intent)
        return float(counts @ codes + codes.sum()) + table


class _Search:
    def __init__(self, crosses: Crosses, least: int, clock: Clock) -> None:
        self.crosses = crosses
        self.clock = clock
        self.least = max(least, 1)
        self.table = CodeTable(crosses)
        self.patterns: list[Intent] = []
        self.cover = self.table.cover([])
        # The concepts that were taken or refused, and the pairs that generate them.
        self.tried: set[Intent] = set()
        self.joined: set[tuple[Intent, Intent]] = set()
        # How many objects two patterns describe together, by their slots. Patterns below the
        # minimum support have none, as they join no others.
        self.together = np.zeros((0, 0), dtype=np.int32)
        self.slots: dict[Intent, int] = {}
        self.free: list[int] = []
        self._compare(list(self.cover.users))

    def step(self) -> bool:
        """Accept the most promising concept that shortens the description; False if none does."""
        for first, second in self._promising():
            if (first, second) in self.joined:
                continue
            self.joined.add((first, second))
            extent = self.crosses.extent(first) & self.crosses.extent(second)
            intent = self.crosses.closure(extent)
            if extent.bit_count() < self.least or intent in self.tried:
                continue
            self.tried.add(intent)
            ordered = self.table.order([*self.patterns, intent])
            cover = self.table.cover(ordered)
            if cover.length < self.cover.length - _ROUNDING:
                self._accept(ordered, cover)
                return True
            if self.clock.stopped:
                return False
        return False

    def by_gain(self) -> Iterator[tuple[Intent, float]]:
        """Go through the patterns of the table, each with the bits that it saves."""
        chosen: list[Intent] = []
        length = self.table.cover([]).length

        def entry(intent: Intent) -> tuple[float, Intent, float, int]:
            gain = length - self.table.cover(self.table.order([*chosen, intent])).length
            return -round(gain, 6), intent, gain, len(chosen)

        heap = [entry(intent) for intent in self.patterns]
        heapify(heap)
        while heap:
            _, intent, gain, counted = heappop(heap)
            if counted < len(chosen):
                heappush(heap, entry(intent))
                continue
            chosen.append(intent)
            length -= gain
            yield intent, gain

    def _accept(self, patterns: list[Intent], cover: Cover) -> None:
        before = self.cover
        patterns, cover = self._pruned(patterns, cover, before)
        changed = [each for each in cover.users if before.users.get(each) != cover.users[each]]
        self.patterns, self.cover = patterns, cover
        self._compare(changed)

    def _pruned(
        self, patterns: list[Intent], cover: Cover, before: Cover
    ) -> tuple[list[Intent], Cover]:
        """Return the table without patterns that are used less than before and no longer pay."""
        suspects = _less_used(patterns, before, cover)
        while suspects:
            intent = min(suspects, key=lambda each: (cover.usages.get(each, 0), each))
            suspects.remove(intent)
            rest = [each for each in patterns if each != intent]
            shorter = self.table.cover(rest)
            if shorter.length < cover.length - _ROUNDING or intent not in cover.users:
                suspects |= _less_used(rest, cover, shorter)
                patterns, cover = rest, shorter
        return patterns, cover

    def _compare(self, changed: list[Intent]) -> None:
        """Count how many objects each changed pattern describes together with each other one."""
        users = self.cover.users
        for each in [each for each in self.slots if each not in users]:
            slot = self.slots.pop(each)
            self.free.append(slot)
            self.together[slot, :] = self.together[:, slot] = 0
        changed = [each for each in changed if self.table.support(each) >= self.least]
        for each in changed:
            if each not in self.slots:
                self.slots[each] = self._new_slot()
        others = [(slot, users[each]) for each, slot in self.slots.items()]
        for each in changed:
            if self.clock.stopped:
                return
            slot, own = self.slots[each], users[each]
            for other, objects in others:
                count = (own & objects).bit_count()
                self.together[slot, other] = self.together[other, slot] = count
            self.together[slot, slot] = 0

    def _new_slot(self) -> int:
        if not self.free:
            size = len(self.together)
            if size == _MOST_PATTERNS:
                raise ConceptRankError(
                    f"more than {_MOST_PATTERNS:,} attributes and patterns are too many to compare "
                    "(hint: a larger minimum support)"
                )
            self.together = np.pad(self.together, (0, min(max(size, 64), _MOST_PATTERNS - size)))
            self.free = list(range(len(self.together) - 1, size - 1, -1))
        return self.free.pop()

    def _promising(self) -> Iterator[tuple[Intent, Intent]]:
        """Go through the pairs of patterns that promise to shorten the description, best first."""
        names = {slot: each for each, slot in self.slots.items()}
        first, second = np.nonzero(np.triu(self.together))
        if not len(first):
            return
        slots = np.full(len(self.together), -1)
        for number, each in enumerate(self.cover.usages):
            if each in self.slots:
                slots[self.slots[each]] = number
        usages = np.array(list(self.cover.usages.values()), dtype=np.float64)
        table_lengths = np.array(
            [sum(self.table.singles[m] for m in each) for each in self.cover.usages]
        )
        both = self.together[first, second].astype(np.float64)
        gains = estimated_gains(usages, table_lengths, slots[first], slots[second], both)
        some = gains > _ROUNDING
        first, second, gains = first[some], second[some], np.round(gains[some], 6)
        order = np.argsort(-gains, kind="stable")
        for _, equal in groupby(order.tolist(), key=gains.__getitem__):
            pairs = [(names[int(first[place])], names[int(second[place])]) for place in equal]
            yield from sorted((min(pair), max(pair)) for pair in pairs)


def estimated_gains(
    usages: Bits,
    table_lengths: Bits,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    both: Bits,
) -> Bits:
    """Return by how much the description gets shorter if pairs of patterns are joined.

    A pair is joined wherever both describe an object now; the use of all other patterns is taken
    to stay the same. Smets and Vreeken derive the same estimate.

    Parameters
    ----------
    usages
        How many objects each pattern describes.
    table_lengths
        The length of each pattern in the code of single attributes.
    first, second
        The numbers of the patterns of each pair.
    both
        How many objects each pair describes together.

    Examples
    --------
    Two attributes that always come together, in 8 objects: they took 16 bits for the objects and
    2 + 2 for the table; joined they take 0 and 2.

    >>> join = np.array([0]), np.array([1]), np.array([8.0])
    >>> estimated_gains(np.array([8.0, 8.0]), np.array([1.0, 1.0]), *join)
    array([18.])
    """
    total, n = usages.sum(), len(usages)
    # The whole length is U log U - Σ u log u for the objects, n log U - Σ log u for the codes in
    # the table, and the lengths of its patterns, for usages u with the sum U of n patterns in use.
    x, y = usages[first], usages[second]
    rest_x, rest_y, rest = x - both, y - both, total - both
    gone_x, gone_y = rest_x == 0, rest_y == 0
    after_n = n + 1 - gone_x - gone_y
    objects = (_xlogx(total) - _xlogx(x) - _xlogx(y)) - (
        _xlogx(rest) - _xlogx(rest_x) - _xlogx(rest_y) - _xlogx(both)
    )
    codes = (n * np.log2(total) - np.log2(x) - np.log2(y)) - (
        after_n * np.log2(rest) - _log(rest_x) - _log(rest_y) - np.log2(both)
    )
    lengths_x, lengths_y = table_lengths[first], table_lengths[second]
    patterns = np.where(gone_x, lengths_x, 0) + np.where(gone_y, lengths_y, 0)
    return np.asarray(objects + codes + patterns - (lengths_x + lengths_y))


def _less_used(patterns: list[Intent], before: Cover, after: Cover) -> set[Intent]:
    return {each for each in patterns if after.usages.get(each, 0) < before.usages.get(each, 0)}


def _log(values: Bits) -> Bits:
    return np.log2(np.maximum(values, 1))


def _xlogx(values: Bits) -> Bits:
    return np.asarray(values * _log(values))
