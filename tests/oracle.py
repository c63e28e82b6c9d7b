"""The definitions of the theory, word for word, for tables small enough to try every subset.

Nothing here is clever and nothing here is shared with the product: closures come from the crosses
one by one, concepts from all subsets, covers from "nothing lies strictly between", generators and
stabilities from power sets, and every rational number is a `Fraction`.

A set is an int whose bit i says whether element i belongs to it; `a & b` is the intersection,
`a & ~b` the difference, which is 0 where a is a subset of b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations
from math import comb, exp, inf, log2, prod, sqrt
from operator import or_
from typing import NamedTuple


@cache
def members(a: int) -> tuple[int, ...]:
    """The elements of a set, ascending."""
    return tuple(i for i in range(a.bit_length()) if a >> i & 1)


def set_of(elements: Iterable[int]) -> int:
    return sum(1 << i for i in set(elements))


def subsets(a: int) -> Iterator[int]:
    """All subsets of a, a itself first and the empty set last."""
    subset = a
    while subset:
        yield subset
        subset = (subset - 1) & a
    yield 0


def smallest(ground: int, wanted: Callable[[int], bool]) -> set[int]:
    """The wanted subsets of the ground set of which no proper subset is wanted."""
    found = {s for s in subsets(ground) if wanted(s)}
    return {s for s in found if not any(t in found for t in subsets(s) if t != s)}


def probability(ground: int, wanted: Callable[[int], bool], keep: Fraction) -> Fraction:
    """The probability that a subset is wanted, each element being kept with probability keep."""
    n = ground.bit_count()
    of_size = [0] * (n + 1)
    for s in subsets(ground):
        of_size[s.bit_count()] += wanted(s)
    return sum((k * keep**i * (1 - keep) ** (n - i) for i, k in enumerate(of_size)), Fraction(0))


class Concept(NamedTuple):
    extent: int
    intent: int


class Table:
    """A formal context: objects 0..n-1, attributes 0..q-1 and the crosses between them."""

    def __init__(self, n: int, q: int, crosses: Iterable[tuple[int, int]]) -> None:
        self.n, self.q = n, q
        self.crosses = frozenset(crosses)
        self.objects, self.attributes = (1 << n) - 1, (1 << q) - 1
        self._intensions: dict[int, int] = {}
        self._extensions: dict[int, int] = {}

    def __repr__(self) -> str:
        rows = ["".join(".X"[(g, m) in self.crosses] for m in range(self.q)) for g in range(self.n)]
        return f"Table({self.n} x {self.q}: {' '.join(rows)})"

    def dual(self) -> Table:
        """The table with objects and attributes exchanged."""
        return Table(self.q, self.n, ((m, g) for g, m in self.crosses))

    def intension(self, objects: int) -> int:
        """The attributes that all these objects have."""
        if objects not in self._intensions:
            self._intensions[objects] = set_of(
                m for m in range(self.q) if all((g, m) in self.crosses for g in members(objects))
            )
        return self._intensions[objects]

    def extension(self, attributes: int) -> int:
        """The objects that have all these attributes."""
        if attributes not in self._extensions:
            self._extensions[attributes] = set_of(
                g for g in range(self.n) if all((g, m) in self.crosses for m in members(attributes))
            )
        return self._extensions[attributes]

    def closure(self, attributes: int) -> int:
        return self.intension(self.extension(attributes))

    def concepts(self) -> list[Concept]:
        """All concepts, by support descending and then by the list of their attributes."""
        # The intents are the closures of all sets of attributes, and the intersections of rows.
        intents = {self.attributes}
        if self.q <= 10:
            intents = {self.closure(s) for s in subsets(self.attributes)}
        else:
            for g in range(self.n):
                intents |= {b & self.intension(1 << g) for b in intents}
        found = {Concept(self.extension(b), b) for b in intents}
        return sorted(found, key=lambda c: (-c.extent.bit_count(), members(c.intent)))


def below(c: Concept, d: Concept) -> bool:
    return c != d and c.extent & ~d.extent == 0


def upper_covers(c: Concept, concepts: Sequence[Concept]) -> list[Concept]:
    above = [d for d in concepts if below(c, d)]
    return [d for d in above if not any(below(e, d) for e in above)]


def lower_covers(c: Concept, concepts: Sequence[Concept]) -> list[Concept]:
    under = [d for d in concepts if below(d, c)]
    return [d for d in under if not any(below(d, e) for e in under)]


def intent_faces(c: Concept, concepts: Sequence[Concept]) -> set[int]:
    return {c.intent & ~u.intent for u in upper_covers(c, concepts)}


def extent_faces(c: Concept, concepts: Sequence[Concept]) -> set[int]:
    return {c.extent & ~low.extent for low in lower_covers(c, concepts)}


def side_of(table: Table, c: Concept, side: str) -> tuple[int, Callable[[int], bool]]:
    """One side of a concept, and the question whether a subset of it generates the concept."""
    if side == "intent":
        return c.intent, lambda s: table.extension(s) == c.extent
    return c.extent, lambda e: table.intension(e) == c.intent


def minimal_generators(table: Table, c: Concept, side: str) -> set[int]:
    return smallest(*side_of(table, c, side))


def relevant(table: Table, c: Concept, side: str) -> int:
    """The elements of this side whose removal changes the derivation."""
    ground, generates = side_of(table, c, side)
    return set_of(x for x in members(ground) if not generates(ground & ~(1 << x)))


def stability(table: Table, c: Concept, subsets_of: str) -> Fraction:
    """The share of generating subsets; intensional stability looks at subsets of the extent."""
    ground, generates = side_of(table, c, subsets_of)
    return Fraction(sum(map(generates, subsets(ground))), 2 ** ground.bit_count())


def robustness(table: Table, c: Concept, keep: Fraction) -> Fraction:
    """The probability that the intent stays one when every object is kept with probability keep."""
    return probability(*side_of(table, c, "extent"), keep)


def delta(table: Table, c: Concept, concepts: Sequence[Concept]) -> int:
    """How many objects the nearest sub-concept lacks; the whole extent if the intent is full."""
    if c.intent == table.attributes:
        return c.extent.bit_count()
    return min((c.extent & ~low.extent).bit_count() for low in lower_covers(c, concepts))


def frequency(table: Table, c: Concept) -> Fraction:
    return Fraction(c.extent.bit_count(), table.n) if table.n else Fraction(0)


class Bounds(NamedTuple):
    """Two lower and two upper bounds of intensional stability, read off the extent faces."""

    union: Fraction
    product: Fraction
    largest: Fraction
    pairs: Fraction


def stability_bounds(faces: Iterable[int]) -> Bounds:
    family, zero = sorted(faces), Fraction(0)
    misses = [Fraction(1, 2 ** f.bit_count()) for f in family]
    union = 1 - sum(misses, zero)
    both = sum((Fraction(1, 2 ** (f | g).bit_count()) for f, g in combinations(family, 2)), zero)
    product = prod((1 - miss for miss in misses), start=Fraction(1))
    return Bounds(union, product, 1 - max(misses, default=zero), union + both)


def log_stability(stability: Fraction) -> float:
    return inf if stability == 1 else -log2(1 - stability)


def cr_alpha(table: Table, c: Concept, side: str) -> Fraction:
    ground, _ = side_of(table, c, side)
    return Fraction(relevant(table, c, side).bit_count(), ground.bit_count() or 1)


def cr_beta(count: int, length: int, relevant_count: int, variant: str) -> Fraction | float:
    """The share of minimal generators: count of them, in a side of this length."""
    if count <= 1 or length <= 1:
        return Fraction(0)
    free = length - relevant_count
    widest = comb(length, length // 2)
    if variant == "log":
        return log2(1 + count) / log2(1 + widest)
    most = {"paper": 2**length - 2, "sperner": widest, "sperner_free": comb(free, free // 2)}
    return Fraction(count, most[variant])


Number = Fraction | float
BETAS = ("paper", "sperner", "sperner_free", "log")
ACTIVATIONS: dict[str, Callable[[Number, Number], Number]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "max": max,
    "min": min,
    "quadratic": lambda a, b: sqrt((a**2 + b**2) / 2),
    "noisy_or": lambda a, b: a + b - a * b,
    "product": lambda a, b: a * b,
    "geometric": lambda a, b: sqrt(a * b),
    "harmonic": lambda a, b: 2 * a * b / (a + b) if a + b else Fraction(0),
}


def weighted(a: Number, b: Number, weight: Fraction) -> Number:
    return weight * a + (1 - weight) * b


def logistic(a: Number, b: Number, steepness: float, middle: float) -> float:
    return 1 / (1 + exp(-steepness * (float(a + b) / 2 - middle)))


def minimal_transversals(family: Sequence[int], ground: int) -> set[int]:
    """The subsets of the ground set that meet every face, while no proper subset of them does."""
    return smallest(ground, lambda t: all(t & f for f in family))


def hit_probability(family: Sequence[int], ground: int, keep: Fraction) -> Fraction:
    """The probability that a random subset of the ground set meets every face."""
    return probability(ground, lambda t: all(t & f for f in family), keep)


def hit_probability_of_few(family: Sequence[int], keep: Fraction) -> Fraction:
    """The same by inclusion and exclusion: for a few faces over any number of elements."""
    total = Fraction(0)
    for k in range(len(family) + 1):
        for chosen in combinations(family, k):
            total += (-1) ** k * (1 - keep) ** reduce(or_, chosen, 0).bit_count()
    return total
