"""Rules of real data: no redundancy, nothing lost, known numbers."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest

import conceptrank as cr
from data_files import data_path

Counts = dict[frozenset[str], int]


def frequent_itemsets(baskets: Iterable[frozenset[str]], least: int) -> Counts:
    """All sets that are in so many baskets, level by level."""
    baskets = list(baskets)
    having: dict[frozenset[str], set[int]] = {}
    for number, basket in enumerate(baskets):
        for item in basket:
            having.setdefault(frozenset([item]), set()).add(number)
    level = {items: numbers for items, numbers in having.items() if len(numbers) >= least}
    found: Counts = {}
    while level:
        found |= {items: len(numbers) for items, numbers in level.items()}
        grown: dict[frozenset[str], set[int]] = {}
        for a, b in combinations(level, 2):
            union = a | b
            if len(union) == len(a) + 1 and union not in grown:
                numbers = level[a] & level[b]
                if len(numbers) >= least:
                    grown[union] = numbers
        level = grown
    return found


def test_all_rules_of_groceries_can_be_rebuilt():
    context = cr.load(data_path("bench/groceries.csv"), format="baskets")
    n = len(context.objects)
    least, confidence = -(-n // 100), 0.2
    rules = context.lattice(min_support=least).rules("mnr", min_confidence=confidence)
    counts = frequent_itemsets((frozenset(context.intension([g])) for g in context.objects), least)
    expected = {
        (premise, items - premise): (count / n, count / counts[premise])
        for items, count in counts.items()
        for size in range(1, len(items))
        for premise in map(frozenset, combinations(sorted(items), size))
        if count / counts[premise] >= confidence
    }
    derived = {
        (frozenset(rule.premise), frozenset(rule.conclusion)): (rule.support, rule.confidence)
        for rule in rules.derived()
    }
    assert len(expected) == 234
    assert derived == expected


def test_no_rule_of_mushroom_follows_from_another():
    lattice = cr.load(data_path("bench/mushroom.dat.gz")).lattice(min_support=0.4)
    rules = lattice.rules("mnr")
    assert len(rules) == 1169
    groups: dict[tuple[float, float], list[tuple[frozenset[str], frozenset[str]]]] = {}
    for premise, conclusion, support, confidence in rules:
        whole = frozenset(premise + conclusion)
        groups.setdefault((support, confidence), []).append((frozenset(premise), whole))
    pairs = 0
    for group in groups.values():
        for one, other in combinations(group, 2):
            pairs += 1
            assert not (one[0] <= other[0] and other[1] <= one[1])
            assert not (other[0] <= one[0] and one[1] <= other[1])
    assert pairs > 100
    assert len(rules.derived()) == 7020


@pytest.mark.parametrize(
    ("name", "count"),
    [("bench/classic/zoo.ctx", 401), ("bench/classic/bob-ross.cxt", 1340)],
)
def test_known_sizes_of_the_duquenne_guigues_basis(name, count):
    context = cr.load(data_path(name))
    basis = cr.rules.Implications.of(context)
    assert len(basis) == count
    assert basis.holds_in(context)
    assert not basis.redundant()
    assert basis.equivalent(context.lattice().rules("proper_premises").implications)


def test_all_concepts_of_mushroom():
    context = cr.load(data_path("bench/mushroom.dat.gz"))
    lattice = context.lattice()
    generic = lattice.rules("generic")
    assert len(generic) == int(
        lattice.face_scores("intent", "generators")[0].sum()
        - (lattice.face_scores("intent", "singletons")[0] == lattice.intent_sizes).sum()
    )
    covers = lattice.rules("luxenburger", min_support=0)
    assert len(covers) == 1_370_991
    assert np.array_equal(covers.counts, lattice.supports[lattice.lower_covers[1]])
    assert len(lattice.rules("duquenne_guigues")) == 2323
