"""The measures of the catalogue, word for word: one formula after the other, in fractions.

Nothing is shared with the product. `c` is a concept of the table, `concepts` are all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, inf, log, log2, prod, sqrt

from oracle import (
    Concept,
    Number,
    Table,
    below,
    members,
    probability,
    set_of,
    side_of,
    subsets,
)

# What is equal as a fraction may differ so much as a sum of logarithms.
ROUNDING = 1e-12


def size(a: int) -> int:
    return a.bit_count()


@cache
def column(table: Table, m: int) -> int:
    return set_of(g for g in range(table.n) if (g, m) in table.crosses)


@cache
def row(table: Table, g: int) -> int:
    return set_of(m for m in range(table.q) if (g, m) in table.crosses)


# Size and coverage


def tile_density_share(table: Table, c: Concept) -> Fraction:
    cells = table.n * table.q
    return Fraction(size(c.extent) * size(c.intent), cells) if cells else Fraction(0)


def incidence_coverage(table: Table, c: Concept) -> Fraction:
    crosses = len(table.crosses)
    return Fraction(size(c.extent) * size(c.intent), crosses) if crosses else Fraction(0)


def own_objects(table: Table, c: Concept) -> int:
    return sum(row(table, g) == c.intent for g in range(table.n))


def own_attributes(table: Table, c: Concept) -> int:
    return sum(column(table, m) == c.extent for m in range(table.q))


def separation(table: Table, c: Concept) -> Fraction:
    inside = size(c.extent) * size(c.intent)
    around = sum(1 for g, m in table.crosses if c.extent >> g & 1 or c.intent >> m & 1)
    return Fraction(inside, around) if inside else Fraction(0)


# Robustness


def robustness(table: Table, c: Concept, side: str, alpha: Fraction) -> Fraction:
    return probability(*side_of(table, c, side), alpha)


def robustness_polynomial(table: Table, c: Concept) -> dict[int, int]:
    """Over all sets D of attributes with B in D: (-1)^|D \\ B| (1 - alpha)^(|A| - |D'|)."""
    powers: Counter[int] = Counter()
    for more in subsets(table.attributes & ~c.intent):
        lost = size(c.extent) - size(table.extension(c.intent | more))
        powers[lost] += (-1) ** size(more)
    return {power: powers[power] for power in sorted(powers) if powers[power]}


def robustness_order(table: Table, concepts: Sequence[Concept]) -> list[int]:
    """Coefficients from the power 0 on, compared as lists, the larger first."""
    vectors = []
    for c in concepts:
        polynomial = robustness_polynomial(table, c)
        vectors.append([polynomial.get(power, 0) for power in range(table.n + 1)])
    different = sorted({tuple(v) for v in vectors}, reverse=True)
    return [different.index(tuple(v)) + 1 for v in vectors]


# Expected relevance


def kept_relevance(table: Table, c: Concept, keep: Fraction) -> tuple[Fraction, Fraction]:
    """The expectation of alpha where B is an intent of the kept objects, and if B is kept for sure.

    Every set of kept objects is looked at.
    """
    expected = certain = Fraction(0)
    for kept in subsets(table.objects):
        weight = keep ** size(kept) * (1 - keep) ** (table.n - size(kept))
        inside = kept & c.extent
        loose = 0
        for m in members(c.intent):
            larger = table.extension(c.intent & ~(1 << m))
            loose += kept & larger != inside
        alpha = Fraction(loose, size(c.intent) or 1)
        certain += weight * alpha
        if table.intension(inside) == c.intent:
            expected += weight * alpha
    return expected, certain


# Concept probability


def concept_probability(table: Table, c: Concept) -> Fraction:
    p = [Fraction(size(column(table, m)), table.n or 1) for m in range(table.q)]
    p_b = prod((p[m] for m in members(c.intent)), start=Fraction(1))
    outside = members(table.attributes & ~c.intent)
    total = Fraction(0)
    for k in range(table.n + 1):
        chance = comb(table.n, k) * p_b**k * (1 - p_b) ** (table.n - k)
        total += chance * prod((1 - p[m] ** k for m in outside), start=Fraction(1))
    return total


# Basic level


@cache
def similarity(table: Table, g: int, h: int, kind: str) -> Fraction:
    a, b = row(table, g), row(table, h)
    if kind == "jaccard":
        return Fraction(size(a & b), size(a | b)) if a | b else Fraction(0)
    return Fraction(table.q - size(a ^ b), table.q) if table.q else Fraction(1)


def cohesion(table: Table, c: Concept, kind: str, how: str, include_self: bool = False) -> Fraction:
    objects = members(c.extent)
    if not objects:
        return Fraction(0)
    pairs = [similarity(table, g, h, kind) for g, h in combinations(objects, 2)]
    if include_self and how == "avg":
        pairs += [Fraction(1)] * len(objects)
    if not pairs:
        return Fraction(1)
    return min(pairs) if how == "min" else sum(pairs, Fraction(0)) / len(pairs)


def predictability(table: Table, c: Concept, entropy: str) -> float:
    if not c.extent:
        return 0.0
    outside = members(table.attributes & ~c.intent)
    total = 0.0
    for m in outside:
        t = size(c.extent & column(table, m)) / size(c.extent)
        if entropy == "one_sided":
            total -= t * log(t) if t else 0
        else:
            total -= sum(x * log2(x) for x in (t, 1 - t) if x)
    return 1 - total / len(outside) if outside else 1.0


T_NORMS: dict[str, Callable[[Number, Number], Number]] = {
    "product": lambda a, b: a * b,
    "min": min,
    "lukasiewicz": lambda a, b: max(a + b - 1, 0),
}


def basic_level(
    own: Number,
    upper: Sequence[Number],
    lower: Sequence[Number],
    *,
    aggregation: str = "mean",
    norm: str = "product",
    theta: Number = 1,
    strict: bool = False,
) -> Number:
    """From the value of a concept and the values of its covers."""
    if own == 0:
        return 0

    def at_most(a: Number, b: Number) -> bool:
        slack = 0 if isinstance(a, Fraction) and isinstance(b, Fraction) else ROUNDING
        return a < b - slack if strict else a <= b + slack

    less = [u for u in upper if at_most(u, own)]
    more = [low for low in lower if at_most(own, low)]
    above: Number = 0
    beneath: Number = 0
    if less and Fraction(len(less), len(upper)) >= theta:
        ratios = [u / own for u in less]
        above = 1 - (max(ratios) if aggregation == "worst" else sum(ratios) / len(ratios))
    if more and Fraction(len(more), len(lower)) >= theta:
        ratios = [own / low for low in more]
        beneath = min(ratios) if aggregation == "worst" else sum(ratios) / len(ratios)
    join = T_NORMS[norm]
    return join(join(own, above), beneath)


def cue_validity(table: Table, c: Concept) -> Fraction:
    if not c.extent:
        return Fraction(0)
    inside = (Fraction(size(c.extent), size(column(table, m))) for m in members(c.intent))
    return sum(inside, Fraction(0))


def category_feature_collocation(table: Table, c: Concept) -> Fraction:
    if not c.extent:
        return Fraction(0)
    total = Fraction(0)
    for m in range(table.q):
        if column(table, m):
            both = size(c.extent & column(table, m))
            total += Fraction(both, size(column(table, m))) * Fraction(both, size(c.extent))
    return total


def category_utility(table: Table, c: Concept) -> Fraction:
    if not c.extent:
        return Fraction(0)
    total = Fraction(0)
    for m in range(table.q):
        inside = Fraction(size(c.extent & column(table, m)), size(c.extent))
        total += inside**2 - Fraction(size(column(table, m)), table.n) ** 2
    return Fraction(size(c.extent), table.n) * total


# Itemsets


def chances(table: Table, c: Concept) -> list[Fraction]:
    return [Fraction(size(column(table, m)), table.n or 1) for m in members(c.intent)]


def pi(table: Table, c: Concept) -> Fraction:
    return prod(chances(table, c), start=Fraction(1))


def f(table: Table, c: Concept) -> Fraction:
    return Fraction(size(c.extent), table.n or 1)


def lift(table: Table, c: Concept) -> Fraction:
    if not c.intent:
        return Fraction(1)
    return f(table, c) / pi(table, c) if pi(table, c) else Fraction(0)


def log_lift(table: Table, c: Concept) -> float:
    return log2(lift(table, c)) if lift(table, c) else -inf


def leverage(table: Table, c: Concept) -> Fraction:
    return f(table, c) - pi(table, c) if c.intent else Fraction(0)


def stable_leverage(table: Table, c: Concept) -> Fraction:
    if not c.extent:
        return Fraction(0)
    losses = [size(c.extent & ~column(table, m)) for m in range(table.q) if not c.intent >> m & 1]
    return leverage(table, c) * Fraction(min(losses, default=size(c.extent)), size(c.extent))


def columns(table: Table, c: Concept) -> list[int]:
    return [size(column(table, m)) for m in members(c.intent)]


def cosine(table: Table, c: Concept) -> float:
    if not any(columns(table, c)):
        return 1.0
    if not pi(table, c):
        return 0.0
    return float(f(table, c)) / float(pi(table, c)) ** (1 / size(c.intent))


def all_confidence(table: Table, c: Concept) -> Fraction:
    supports = columns(table, c)
    return Fraction(size(c.extent), max(supports)) if any(supports) else Fraction(1)


def cross_support(table: Table, c: Concept) -> Fraction:
    supports = columns(table, c)
    return Fraction(min(supports), max(supports)) if any(supports) else Fraction(1)


def bond(table: Table, c: Concept) -> Fraction:
    either = sum(1 for g in range(table.n) if row(table, g) & c.intent)
    return Fraction(size(c.extent), either) if either else Fraction(1)


def cohesive_margin(table: Table, c: Concept) -> Fraction:
    lost = [size(c.extent & ~column(table, m)) for m in range(table.q) if not c.intent >> m & 1]
    return bond(table, c) * min(lost, default=size(c.extent))


def is_tolerance_closed(table: Table, c: Concept, tolerance: Fraction) -> int:
    """Whether every attribute outside the intent loses more than this share of the objects."""
    outside = [m for m in range(table.q) if not c.intent >> m & 1]
    lost = [size(c.extent & ~column(table, m)) for m in outside]
    return int(all(loss > tolerance * size(c.extent) for loss in lost))


def collective_strength(table: Table, c: Concept) -> Number:
    if size(c.intent) <= 1:
        return 1
    some = sum(1 for g in range(table.n) if row(table, g) & c.intent not in (0, c.intent))
    v = Fraction(some, table.n or 1)
    expected = 1 - pi(table, c) - prod((1 - p for p in chances(table, c)), start=Fraction(1))
    if expected == 0:
        return 1
    if v == 0 or expected == 1:
        return inf
    return (1 - v) / (1 - expected) * expected / v


def independence_z(table: Table, c: Concept) -> float:
    p = pi(table, c)
    if p in (0, 1):
        return 0.0
    return float(size(c.extent) - table.n * p) / sqrt(table.n * p * (1 - p))


def independence_pvalue(table: Table, c: Concept) -> Fraction:
    n, p = table.n, pi(table, c)
    return sum(
        (comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(size(c.extent), n + 1)), Fraction(0)
    )


# Labels and weights


def entropy(labels: Sequence[object], objects: int) -> float:
    counts = Counter(labels[g] for g in members(objects))
    return -sum(k / size(objects) * log2(k / size(objects)) for k in counts.values())


def information_gain(table: Table, c: Concept, labels: Sequence[object]) -> float:
    share = size(c.extent) / (table.n or 1)
    outside = table.objects & ~c.extent
    inner = share * entropy(labels, c.extent) + (1 - share) * entropy(labels, outside)
    return entropy(labels, table.objects) - inner


def variance(target: Sequence[int], objects: int) -> Fraction:
    values = [Fraction(target[g]) for g in members(objects)]
    if not values:
        return Fraction(0)
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / len(values)


def mean_gain(
    c: Concept, concepts: Sequence[Concept], value: Callable[[Concept], Number]
) -> Number:
    above = [value(d) for d in concepts if below(c, d)]
    return sum(above) / len(above) - value(c) if above else 0


def confusion(table: Table, c: Concept, positives: int) -> dict[str, Fraction]:
    hits, inside, positive = size(c.extent & positives), size(c.extent), size(positives)

    def share(a: int, b: int) -> Fraction:
        return Fraction(a, b) if b else Fraction(0)

    precision, recall = share(hits, inside), share(hits, positive)
    both = precision + recall
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / both if both else Fraction(0),
        "wracc": share(inside, table.n) * (precision - share(positive, table.n)),
    }


def aggregated(values: Sequence[Fraction], how: str) -> Fraction:
    if how == "product":
        return prod(values, start=Fraction(1))
    if not values:
        return Fraction(0)
    if how == "owa":  # with power 2
        n = len(values)
        ordered = sorted(values, reverse=True)
        return sum(v * Fraction((i + 1) ** 2 - i**2, n * n) for i, v in enumerate(ordered))
    mean = sum(values, Fraction(0)) / len(values)
    return {"sum": sum(values, Fraction(0)), "mean": mean, "max": max(values), "min": min(values)}[
        how
    ]
