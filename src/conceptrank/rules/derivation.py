"""What follows from rules alone, without the table that they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from conceptrank.errors import BudgetExceeded

if TYPE_CHECKING:
    from conceptrank.rules.rules import Rule


def derived(rules: Sequence[Rule], attributes: Sequence[str], *, limit: int) -> list[Rule]:
    """Return all rules that follow from some, the surest and most frequent first.

    A rule h → D stands for every X → Y with h inside X, and X and Y inside h and D: it has at
    least the support and the confidence of h → D. The most that is known of either holds.
    """
    from conceptrank.rules.rules import Rule

    numbers = {name: place for place, name in enumerate(attributes)}
    known: dict[tuple[int, int], tuple[float, float]] = {}
    for premise, conclusion, support, confidence in rules:
        least = sum(1 << numbers[name] for name in premise)
        free = sum(1 << numbers[name] for name in conclusion)
        for added in _subsets(free):
            inside = least | added
            for follows in _subsets(free & ~added):
                if not inside or not follows:
                    continue
                best = known.get((inside, follows), (0.0, 0.0))
                known[inside, follows] = max(best[0], support), max(best[1], confidence)
        if len(known) > limit:
            raise BudgetExceeded(
                f"more than {limit:,} rules follow; derived(limit={limit * 10}) would list more"
            )

    def names(bits: int) -> tuple[str, ...]:
        return tuple(attributes[i] for i in range(bits.bit_length()) if bits >> i & 1)

    found = [Rule(names(x), names(y), *facts) for (x, y), facts in known.items()]
    return sorted(found, key=lambda rule: (-rule.confidence, -rule.support, rule.premise, rule[1]))


def _subsets(bits: int) -> Iterator[int]:
    subset = bits
    while subset:
        yield subset
        subset = (subset - 1) & bits
    yield 0
