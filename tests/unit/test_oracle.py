"""The oracle must be right before anything is compared with it."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

import oracle
from oracle import Concept, set_of
from strategies import (
    T5,
    drawn,
    random_contexts,
    random_families,
)

HALF = Fraction(1, 2)
C0 = Concept(set_of([0, 1, 2]), set_of([0, 1]))


def test_one_concept_by_hand() -> None:
    concepts = T5.concepts()
    assert oracle.upper_covers(C0, concepts) == [Concept(0b1111, 0b0010)]
    assert set(oracle.lower_covers(C0, concepts)) == {
        Concept(0b001, 0b0111),
        Concept(0b100, 0b1011),
    }
    assert oracle.intent_faces(C0, concepts) == {0b01}
    assert oracle.extent_faces(C0, concepts) == {0b011, 0b110}
    assert oracle.minimal_generators(T5, C0, "intent") == {0b01}
    assert oracle.minimal_generators(T5, C0, "extent") == {0b010, 0b101}
    assert oracle.stability(T5, C0, "extent") == Fraction(5, 8)
    assert oracle.stability(T5, C0, "intent") == HALF
    assert oracle.robustness(T5, C0, Fraction(9, 10)) == Fraction(981, 1000)
    assert oracle.delta(T5, C0, concepts) == 2
    bounds = oracle.stability_bounds(oracle.extent_faces(C0, concepts))
    assert bounds == (HALF, Fraction(9, 16), Fraction(3, 4), Fraction(5, 8))
    assert oracle.log_stability(Fraction(5, 8)) == pytest.approx(1.4150374992788437, abs=1e-15)


def test_robustness_of_a_published_example() -> None:
    table = drawn("..X X.X XX.")
    concept = Concept(0b011, 0b100)
    third = Fraction(1, 3)
    assert oracle.robustness(table, concept, third) == third
    for keep, mean in ((HALF, HALF), (third, Fraction(10, 27))):
        values = [oracle.robustness(table, c, keep) for c in table.concepts()]
        assert sum(values) / len(values) == mean


@pytest.mark.parametrize(
    ("variant", "value"),
    [
        ("paper", Fraction(3, 30)),
        ("sperner", Fraction(3, 10)),
        ("sperner_free", Fraction(3, 6)),
        ("log", 2 / 3.4594316186372973),
    ],
)
def test_beta_of_three_generators_in_five_attributes(variant: str, value: Fraction) -> None:
    assert oracle.cr_beta(3, 5, 1, variant) == pytest.approx(value, rel=1e-15)
    assert oracle.cr_beta(1, 5, 1, variant) == 0


def test_both_ways_to_the_concepts_agree() -> None:
    """With columns that add nothing, the same table is too wide for all sets of attributes."""
    for table in random_contexts(100, seed=3):
        wide = oracle.Table(table.n, table.q + 11, table.crosses)
        kept = [c for c in table.concepts() if c.extent]
        assert [c for c in wide.concepts() if c.extent] == kept
        assert (0, wide.attributes) in wide.concepts() or not table.n


def test_theorems_hold_in_the_oracle() -> None:
    """Facts that the definitions don't use, so that a slip in either shows."""
    for table in random_contexts(150, seed=1):
        concepts = table.concepts()
        dual = {Concept(b, a) for a, b in table.dual().concepts()}
        assert set(concepts) == dual
        for side, n in (("extent", table.n), ("intent", table.q)):
            counts = [
                oracle.stability(table, c, side)
                * 2 ** oracle.side_of(table, c, side)[0].bit_count()
                for c in concepts
            ]
            assert sum(counts) == 2**n
        for c in concepts:
            faces = oracle.intent_faces(c, concepts)
            candidates = {c.intent & ~table.intension(1 << g) for g in range(table.n)} - {0}
            assert faces == {
                f for f in candidates if not any(e != f and e & ~f == 0 for e in candidates)
            }
            generators = oracle.minimal_generators(table, c, "intent")
            assert generators == oracle.minimal_transversals(sorted(faces), c.intent)
            assert oracle.stability(table, c, "intent") == oracle.hit_probability(
                sorted(faces), c.intent, HALF
            )
            assert oracle.robustness(table, c, HALF) == oracle.stability(table, c, "extent")
            if len(generators) > 1:
                beta = oracle.cr_beta(len(generators), c.intent.bit_count(), 0, "sperner")
                assert 0 < beta <= 1


def test_both_ways_to_a_hit_probability_agree() -> None:
    for family in random_families(300, seed=2):
        ground, faces = family.expanded()
        if len(faces) > 8:
            continue
        for keep in (Fraction(1, 10), HALF, Fraction(4, 5)):
            few = oracle.hit_probability_of_few(faces, keep)
            assert few == oracle.hit_probability(faces, ground, keep)


def test_transversals_of_known_families() -> None:
    pairs = [0b11 << 2 * i for i in range(4)]
    assert len(oracle.minimal_transversals(pairs, 0xFF)) == 16
    assert oracle.minimal_transversals([], 0b111) == {0}
    assert oracle.minimal_transversals([0b101, 0], 0b111) == set()
    assert oracle.hit_probability([0], 0b111, HALF) == 0
    triples = [set_of(t) for t in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))]
    assert len(oracle.minimal_transversals(triples, 0b1111)) == comb(4, 2)
