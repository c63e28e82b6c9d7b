"""Closed sets: the intents of the lattice, with their supports."""

import numpy as np
import pytest

import conceptrank as cr
import oracle
from cases import Case


def test_they_are_the_intents_of_the_oracle(cases: list[Case]) -> None:
    for case in cases[:600]:
        context = case.context
        least = len(context.objects) // 3
        expected = {
            (frozenset(context.attributes[m] for m in oracle.members(concept.intent)), support)
            for concept in case.concepts
            if (support := concept.extent.bit_count()) >= least
        }
        found = [(frozenset(c.intent), c.support) for c in context.closed_sets(min_support=least)]
        assert len(found) == len(expected)
        assert set(found) == expected


def test_they_are_in_the_order_of_the_lattice() -> None:
    context = cr.datasets.load("movies")
    lattice, sets = context.lattice(), context.closed_sets()
    assert [concept.intent for concept in sets] == [concept.intent for concept in lattice]
    assert np.array_equal(sets.supports, lattice.supports)
    assert sets.to_polars()["intent"].to_list() == [list(c.intent) for c in lattice]


def test_a_budget_ends_them() -> None:
    n = 60
    table = ~np.eye(n, dtype=bool)
    context = cr.Context([f"g{i}" for i in range(n)], [f"m{i}" for i in range(n)], table)
    sets = context.closed_sets(budget=cr.Budget(concepts=1000))
    assert len(sets) == 1000
    assert not sets.complete
    assert sets.stopped == "concepts"


def test_threads_must_make_sense() -> None:
    with pytest.raises(ValueError, match="threads must not be negative"):
        cr.datasets.load("movies").closed_sets(threads=-1)


def test_an_empty_context_has_one() -> None:
    context = cr.Context([], ["a", "b"], np.zeros((0, 2), dtype=bool))
    assert [(c.intent, c.support) for c in context.closed_sets()] == [(("a", "b"), 0)]
    assert context.closed_sets().to_polars().height == 1
