"""Every basis and every measure of rules against the definitions, on many small contexts."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest

import conceptrank as cr
import oracle_rules
from cases import isclose
from conceptrank.measures import _fisher as fisher
from conceptrank.rules import Implications
from oracle import members, set_of, subsets
from strategies import T5, context_of, random_contexts

TABLES = list(random_contexts(500, seed=97))
FEW = TABLES[::5]


def bits(lists: tuple[np.ndarray, np.ndarray]) -> list[int]:
    offsets, values = lists
    return [set_of(values[begin:end].tolist()) for begin, end in pairwise(offsets.tolist())]


def found(rules: cr.rules.Rules) -> list[oracle_rules.Rule]:
    sides = bits(rules.premises), bits(rules.conclusions)
    return list(zip(*sides, rules.counts.tolist(), rules.premise_counts.tolist(), strict=True))


@pytest.mark.parametrize("basis", oracle_rules.BASES)
def test_bases(basis):
    for table in FEW if basis != "duquenne_guigues" else TABLES:
        rules = context_of(table).lattice().rules(basis, min_support=0)
        expected = oracle_rules.BASES[basis](table)
        assert sorted(found(rules)) == sorted(expected), (basis, table)
        assert rules.complete


def test_duquenne_guigues_is_complete_holds_and_is_smallest():
    for table in TABLES:
        context = context_of(table)
        basis = context.lattice().rules("duquenne_guigues").implications
        pairs = list(zip(bits(basis._premises), bits(basis._conclusions), strict=True))
        for attributes in subsets(table.attributes):
            assert oracle_rules.closure(pairs, attributes) == table.closure(attributes), table
        assert len(basis) == len(oracle_rules.pseudo_intents(table))
        assert basis.holds_in(context)
        assert not basis.redundant()


def test_the_generic_basis_and_proper_premises_are_complete():
    for table in TABLES:
        lattice = context_of(table).lattice()
        for name in ("generic", "proper_premises"):
            rules = found(lattice.rules(name))
            for attributes in subsets(table.attributes):
                once = attributes
                for premise, conclusion, *_ in rules:
                    if premise & ~attributes == 0:
                        once |= conclusion
                # Both are direct: one step is enough.
                assert once == table.closure(attributes), (name, table)


def test_luxenburger_confidences_multiply_along_chains():
    for table in TABLES:
        rules = context_of(table).lattice().rules("luxenburger")
        steps: dict[int, list[tuple[int, Fraction]]] = {}
        for premise, conclusion, both, having in found(rules):
            steps.setdefault(premise, []).append((premise | conclusion, Fraction(both, having)))

        def chains(start: int, confidence: Fraction) -> Iterator[tuple[int, Fraction]]:
            for end, step in steps.get(start, ()):  # noqa: B023
                yield end, confidence * step
                yield from chains(end, confidence * step)

        for start in steps:
            for end, confidence in chains(start, Fraction(1)):
                both, having = (oracle_rules.support(table, each) for each in (end, start))
                assert confidence == Fraction(both, having), table


@pytest.mark.parametrize("basis", oracle_rules.BASES)
def test_thresholds(basis):
    random = Random(5)
    for table in FEW:
        lattice = context_of(table).lattice(min_support=random.randint(0, 2))
        support = max(lattice.min_support, random.randint(0, 3))
        confidence = random.choice((0.0, 0.25, 0.5, 2 / 3, 0.75, 1.0))
        longest = random.choice((None, 0, 1, 2, 3))
        rules = lattice.rules(
            basis, min_support=support, min_confidence=confidence, max_premise=longest
        )
        expected = {
            rule
            for rule in oracle_rules.BASES[basis](table)
            if rule[2] >= support
            and (not rule[3] or rule[2] / rule[3] >= confidence)
            and (longest is None or rule[0].bit_count() <= longest)
        }
        assert sorted(found(rules)) == sorted(expected), (basis, support, confidence, longest)


def test_measures():
    for table in FEW:
        rules = context_of(table).lattice().rules(min_support=0)
        for i, (_, conclusion, both, having) in enumerate(found(rules)):
            count = oracle_rules.support(table, conclusion)
            expected = oracle_rules.measures(table.n, having, count, both) if table.n else {}
            for name, value in expected.items():
                score = float(rules.score(name)[i])
                same = isclose(score, value) or (math.isnan(score) and math.isnan(value))
                assert same, (name, score, value, table)


def test_fisher_of_large_tables():
    random = Random(3)
    for _ in range(150):
        n = random.choice((30, 200, 700))
        x, y = random.randint(0, n), random.randint(0, n)
        low, high = max(0, x + y - n), min(x, y)
        xy = random.choice((low, high, random.randint(low, high), min(high, x * y // n + 3)))
        both, first, second = (np.array([float(k)]) for k in (xy, x, y))
        p = float(fisher.upper_tail(both, n, first, second)[0])
        tail = sum(math.comb(x, k) * math.comb(n - x, y - k) for k in range(xy, high + 1))
        expected = float(Fraction(tail, math.comb(n, y)))
        assert math.isclose(p, expected, rel_tol=1e-11, abs_tol=1e-300), (n, x, y, xy)
        assert abs(p - expected) < 1e-13


def test_adjusted_pvalues():
    rules = context_of(T5).lattice().rules()
    p = np.sort(rules.score("fisher"))
    adjusted = [min(p[k] * len(p) / (k + 1) for k in range(i, len(p))) for i in range(len(p))]
    assert np.allclose(np.sort(rules.score("fisher_adjusted")), np.minimum(adjusted, 1))


@pytest.mark.parametrize("by", ["lift", "confidence", "fisher", "cr", "premise.stability"])
def test_the_best_of_a_stream_are_the_best_of_all(by, monkeypatch):
    from conceptrank.rules import generation

    monkeypatch.setattr(generation, "_LARGE_AT_ONCE", 3)
    monkeypatch.setattr(generation, "_RULES_AT_ONCE", 5)
    for table in FEW[::2]:
        lattice = context_of(table).lattice()
        everything = lattice.rules(by=by)
        for k in (0, 1, 4, 10_000):
            some = lattice.rules(by=by, top=k)
            assert found(some) == found(everything)[:k], (by, k, table)
            assert some.among == len(everything)
            assert found(everything.top(k)) == found(some)


def test_all_valid_rules_follow_from_the_basis():
    random = Random(8)
    for table in FEW[::2]:
        context = context_of(table)
        support, confidence = random.randint(1, 3), random.choice((0.0, 0.3, 0.5, 0.8))
        rules = context.lattice().rules(min_support=support, min_confidence=confidence)
        expected = oracle_rules.valid_rules(table, support, Fraction(str(confidence)))
        numbers = {name: i for i, name in enumerate(context.attributes)}
        derived = {
            (
                set_of(numbers[name] for name in premise),
                set_of(numbers[name] for name in conclusion),
                round(share * table.n),
                confidence,
            )
            for premise, conclusion, share, confidence in rules.derived()
        }
        assert derived == {(x, y, both, both / having) for x, y, both, having in expected}


def random_implications(random: Random, q: int) -> list[tuple[int, int]]:
    sides = [random.randrange(1 << q) & random.randrange(1 << q) for _ in range(12)]
    return list(zip(sides[:6], sides[6:], strict=True))[: random.randint(0, 6)]


def test_closures_entailment_redundancy_equivalence():
    random = Random(11)
    for _ in range(300):
        q = random.randint(1, 7)
        names = "abcdefg"[:q]
        systems = []
        for _ in range(2):
            pairs = random_implications(random, q)
            labels = [[[names[i] for i in members(side)] for side in pair] for pair in pairs]
            systems.append((pairs, Implications(names, labels)))
        (pairs, implications), (others, more) = systems
        for attributes in subsets((1 << q) - 1):
            closed = oracle_rules.closure(pairs, attributes)
            given = [names[i] for i in members(attributes)]
            assert implications.closure(given) == tuple(names[i] for i in members(closed))
        follows = [oracle_rules.closure(pairs, p) & c == c for p, c in others]
        assert implications.follows(more) == follows
        assert [implications.entails(*each) for each in more] == follows
        back = [oracle_rules.closure(others, p) & c == c for p, c in pairs]
        assert implications.equivalent(more) == (all(follows) and all(back))
        smaller = implications.irredundant()
        assert smaller.equivalent(implications)
        assert len(smaller) + len(implications.redundant()) == len(implications)
        for i in range(len(smaller)):
            rest = Implications(names, [each for j, each in enumerate(smaller) if j != i])
            assert not rest.entails(*smaller[i])


def expert_on(context: cr.Context):
    def expert(question):
        claim = Implications(context.attributes, [question])
        for _, (name, *_rest) in claim.counter_examples(context):
            return name, context.intension([name])
        return True

    return expert


def test_exploration_ends_with_the_basis():
    for number, table in enumerate(FEW):
        context = context_of(table)
        start = context.select(objects=context.objects[: number % 3])
        exploration = cr.rules.AttributeExploration(start)
        if number % 4 == 0:
            # Resumed after every answer.
            while exploration.run(expert_on(context), questions=1):
                known = exploration.context, exploration.implications
                exploration = cr.rules.AttributeExploration(*known)
        else:
            exploration.run(expert_on(context))
        assert exploration.done
        expected = context.lattice().rules("duquenne_guigues").implications
        assert set(exploration.implications) == set(expected), table
        assert set(exploration.context.objects) <= set(context.objects)
