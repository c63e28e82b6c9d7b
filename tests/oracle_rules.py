"""The definitions of rules and bases, word for word, for tables small enough to try every subset.

As in `oracle`, a set is an int of bits, and nothing is shared with the product.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb, inf, log2, nan, sqrt

import oracle
from oracle import Table, subsets

# A premise, a conclusion, the number of objects with both, and with the premise.
Rule = tuple[int, int, int, int]


def support(table: Table, attributes: int) -> int:
    return table.extension(attributes).bit_count()


def rule(table: Table, premise: int, whole: int) -> Rule:
    return premise, whole & ~premise, support(table, whole), support(table, premise)


def pseudo_intents(table: Table) -> list[int]:
    """P is one if it is not closed and holds the closures of all smaller ones inside it."""
    found: list[int] = []
    for p in sorted(subsets(table.attributes), key=int.bit_count):
        inside = [q for q in found if q & ~p == 0 and q != p]
        if table.closure(p) != p and all(table.closure(q) & ~p == 0 for q in inside):
            found.append(p)
    return found


def duquenne_guigues(table: Table) -> set[Rule]:
    return {rule(table, p, table.closure(p)) for p in pseudo_intents(table)}


def generators(table: Table) -> list[tuple[int, oracle.Concept]]:
    return [(h, c) for c in table.concepts() for h in oracle.minimal_generators(table, c, "intent")]


def generic(table: Table) -> set[Rule]:
    return {rule(table, h, c.intent) for h, c in generators(table) if h != c.intent}


def informative(table: Table) -> set[Rule]:
    concepts = table.concepts()
    return {
        rule(table, h, d.intent)
        for h, c in generators(table)
        for d in concepts
        if oracle.below(d, c)
    }


def reduced_informative(table: Table) -> set[Rule]:
    concepts = table.concepts()
    return {
        rule(table, h, d.intent)
        for h, c in generators(table)
        for d in oracle.lower_covers(c, concepts)
    }


def luxenburger(table: Table) -> set[Rule]:
    concepts = table.concepts()
    return {
        rule(table, c.intent, d.intent) for c in concepts for d in oracle.lower_covers(c, concepts)
    }


def minimal_non_redundant(table: Table) -> set[Rule]:
    return generic(table) | informative(table)


def proper_premises(table: Table) -> set[Rule]:
    """Sets whose closure has what neither they nor the closures of proper subsets have."""
    found = set()
    for p in subsets(table.attributes):
        known = p
        for q in subsets(p):
            if q != p:
                known |= table.closure(q)
        conclusion = table.closure(p) & ~known
        if conclusion:
            found.add((p, conclusion, support(table, p), support(table, p)))
    return found


BASES = {
    "duquenne_guigues": duquenne_guigues,
    "generic": generic,
    "proper_premises": proper_premises,
    "luxenburger": luxenburger,
    "informative": informative,
    "reduced_informative": reduced_informative,
    "minimal_non_redundant": minimal_non_redundant,
}


def closure(implications: Iterable[tuple[int, int]], attributes: int) -> int:
    """What follows from a set, by applying every implication until nothing changes."""
    known = list(implications)
    while True:
        grown = attributes
        for premise, conclusion in known:
            if premise & ~grown == 0:
                grown |= conclusion
        if grown == attributes:
            return grown
        attributes = grown


def valid_rules(table: Table, min_support: int, min_confidence: Fraction) -> set[Rule]:
    """All rules with premise and conclusion not empty."""
    found = set()
    for whole in subsets(table.attributes):
        count = support(table, whole)
        if count < max(min_support, 1):
            continue
        for premise in subsets(whole):
            having = support(table, premise)
            if premise and premise != whole and Fraction(count, having) >= min_confidence:
                found.add((premise, whole & ~premise, count, having))
    return found


def measures(n: int, x: int, y: int, xy: int) -> dict[str, float]:
    """Of n objects x have the premise, y the conclusion, xy both; nan for nothing over nothing."""

    def over(a: Fraction | int, b: Fraction | int, nothing: float = nan) -> float:
        return float(Fraction(a) / Fraction(b)) if b else nothing

    s_x, s_y, s = (Fraction(k, n) for k in (x, y, xy))
    confidence = Fraction(xy, x) if x else Fraction(1)
    leverage = s - s_x * s_y
    change = confidence - s_y
    tail = sum(comb(x, k) * comb(n - x, y - k) for k in range(xy, min(x, y) + 1))
    certainty = over(change, 1 - s_y, 0.0)
    # The four kinds of objects: how many there are, and the shares of their two margins.
    kinds = (
        (xy, s_x * s_y),
        (x - xy, s_x * (1 - s_y)),
        (y - xy, (1 - s_x) * s_y),
        (n - x - y + xy, (1 - s_x) * (1 - s_y)),
    )
    return {
        "support": float(s),
        "count": xy,
        "confidence": float(confidence),
        "premise_support": float(s_x),
        "conclusion_support": float(s_y),
        "lift": over(s, s_x * s_y),
        "leverage": float(leverage),
        "conviction": inf if confidence == 1 else float((1 - s_y) / (1 - confidence)),
        "cosine": over(s, 1) / sqrt(s_x * s_y) if s_x * s_y else nan,
        "jaccard": over(s, s_x + s_y - s),
        "kulczynski": (over(xy, x) + over(xy, y)) / 2,
        "imbalance_ratio": over(abs(s_x - s_y), s_x + s_y - s),
        "mutual_information": sum(
            k / n * log2(Fraction(k, n) / independent) for k, independent in kinds if k
        ),
        "certainty": certainty,
        "certainty_factor": certainty if change >= 0 else over(change, s_y, 0.0),
        "zhang": over(leverage, max(s * (1 - s_x), s_x * (s_y - s)), 0.0),
        "fisher": float(Fraction(tail, comb(n, y))),
        "hyper_confidence": float(1 - Fraction(tail, comb(n, y))),
        **more_measures(n, xy, x - xy, y - xy, n - x - y + xy),
    }


def more_measures(n: int, a: int, b: int, c: int, d: int) -> dict[str, float]:
    """Measures by the cells of the table: both, premise alone, conclusion alone, neither."""

    def over(a: float | Fraction, b: float | Fraction) -> float:
        return float(a) / float(b) if b else (inf if a > 0 else nan)

    x, y = a + b, a + c
    phi = over(a * d - b * c, sqrt(x * y * (n - x) * (n - y)))
    chance = Fraction(x * y + (n - x) * (n - y), n * n)

    def impurity(yes: int, no: int) -> Fraction:
        many = yes + no
        return 1 - Fraction(yes**2 + no**2, many**2) if many else Fraction(0)

    def information(cell: int, margin: int) -> float:
        return cell / n * log2(Fraction(cell * n, x * margin)) if cell else 0.0

    def drawn(k: int) -> Fraction:
        return Fraction(comb(y, k) * comb(n - y, x - k), comb(n, x))

    most, total = 0, drawn(0)
    while total < Fraction(99, 100):
        most += 1
        total += drawn(most)
    return {
        "phi": phi,
        "chi_squared": n * phi**2,
        "odds_ratio": over(a * d, b * c),
        "yule_q": over(a * d - b * c, a * d + b * c),
        "yule_y": over(sqrt(a * d) - sqrt(b * c), sqrt(a * d) + sqrt(b * c)),
        "kappa": over(Fraction(a + d, n) - chance, 1 - chance),
        "added_value": float((Fraction(a, x) if x else 1) - Fraction(y, n)),
        "laplace": (a + 1) / (x + 2),
        "gini": float(
            impurity(y, n - y)
            - Fraction(x, n) * impurity(a, b)
            - Fraction(n - x, n) * impurity(c, d)
        ),
        "j_measure": information(a, y) + information(b, n - y),
        "hyper_lift": over(a, most),
    }
