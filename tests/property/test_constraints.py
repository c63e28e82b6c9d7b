"""Constraints on lattices, closed sets, summaries and rules: equal to filtering everything."""

from random import Random

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.query import Constraints
from conceptrank.rules import bases
from constraint_cases import keywords, meets, some_constraints, some_context
from strategies import random_context

CONDITIONS = [
    None,
    None,
    "stability > 0.4",
    "support >= 2 and cr > 0.1",
    "'m1' in intent or cr > 0",
]


def filtered(context: cr.Context, constraints: Constraints, where: str | None) -> list:
    """The concepts of the whole lattice that meet the constraints, by their definition."""
    lattice = context.lattice()
    meant = np.array([meets(constraints, context, c) for c in lattice], dtype=bool)
    if where is not None:
        held = {c.intent for _, c, _ in lattice.rank("support", where=where)}
        meant &= np.array([c.intent in held for c in lattice], dtype=bool)
    return [c for c, listed in zip(lattice, meant, strict=True) if listed]


@pytest.mark.parametrize("seed", range(4))
def test_lattices_and_closed_sets(seed: int) -> None:
    random = Random(1000 + seed)
    for _ in range(75):
        context = some_context(random)
        constraints = some_constraints(random, context)
        where = random.choice(CONDITIONS)
        if where is not None and "m1" in where and "m1" not in context.attributes:
            where = None
        given = keywords(constraints) | ({"where": where} if where is not None else {})
        expected = filtered(context, constraints, where)
        sets = context.closed_sets(**given, threads=random.choice((1, 2)))
        assert [(c.intent, c.support) for c in sets] == [(c.intent, c.support) for c in expected]
        assert sets.complete
        found = context.lattice(**given, threads=random.choice((1, 2)), measures=["stability"])
        assert [c.intent for c in found] == [c.intent for c in expected]
        assert found.supports.tolist() == [c.support for c in expected]
        assert found.stopped == ""
        places = {c.intent: place for place, c in enumerate(expected)}
        offsets, lower = found.lower_covers
        for place, concept in enumerate(expected):
            below = {places[c.intent] for c in concept.lower_covers if c.intent in places}
            assert set(lower[offsets[place] : offsets[place + 1]].tolist()) == below
        whole = context.lattice()
        for name in ("delta_measure", "stability", "cr", "bond"):
            own = whole.score(name)[[whole.find(c.intent_numbers, c.support) for c in expected]]
            assert np.allclose(found.score(name), own, rtol=1e-12, atol=0)


def test_contains_mines_the_objects_that_have_it() -> None:
    context = random_context(2000, 30, density=0.3, seed=1)
    rare = min(context.attributes, key=lambda m: len(context.extension([m])))
    part = context.select(objects=context.extension([rare]))
    visited: list[int] = []
    found = context.closed_sets(contains=rare, progress=lambda done, _: visited.append(done))
    assert found.to_polars().equals(part.closed_sets().to_polars())
    # The search came to nothing else.
    assert max(visited, default=0) <= len(found)
    assert context.lattice(contains=rare).lower_covers[1].tolist() == (
        part.lattice().lower_covers[1].tolist()
    )


def test_a_constrained_lattice_can_be_saved(tmp_path) -> None:
    lattice = cr.datasets.load("movies").lattice(contains="drama", max_intent=3)
    lattice.save(tmp_path / "part.parquet")
    again = cr.Lattice.load(tmp_path / "part.parquet")
    assert again.constrained
    assert not again.complete
    assert repr(again) == repr(lattice)
    assert again.score("cr").tobytes() == lattice.score("cr").tobytes()
    with pytest.raises(KeyError, match="does not meet the constraints"):
        again["criminal"]


@pytest.mark.parametrize("method", ["surprise", "diverse"])
def test_summaries(method: str) -> None:
    table = cr.datasets.random.planted(300, 15, patterns=[(4, 0.2), (3, 0.3)], seed=2)
    context = table.context
    pattern = table.patterns[0].intent
    summary = context.summarize(4, method=method, min_support=5, contains=pattern[0], max_intent=6)
    assert len(summary)
    for each in summary:
        assert pattern[0] in each.intent
        assert len(each.intent) <= 6
    with pytest.raises(ValueError, match="takes no constraints"):
        context.summarize(method="slim", contains=pattern[0])


BASES = ["mnr", "generic", "informative", "luxenburger", "duquenne_guigues", "proper_premises"]


@pytest.mark.parametrize("basis", BASES)
def test_rules(basis: str) -> None:
    random = Random(basis)
    for _ in range(40):
        context = some_context(random, most=7)
        if not context.attributes:
            continue
        constraints = some_constraints(random, context)
        given = keywords(constraints)
        sides = {
            side: random.sample(context.attributes, random.randint(0, 1))
            for side in ("premise", "conclusion")
        }
        least = random.choice((0, 1, 2))
        given |= {"min_support": least} if "min_support" not in given else {}
        whole = context.lattice().rules(basis, min_support=given["min_support"])
        if not bases.get(basis).exact and not given["min_support"]:
            whole = context.lattice().rules(basis, min_support=1)
        limits = Constraints(**given)
        expected = [
            rule
            for rule in whole
            if set(sides["premise"]) <= set(rule.premise)
            and set(sides["conclusion"]) <= set(rule.conclusion)
            and meets(limits, context, context.concept(*rule.premise, *rule.conclusion))
        ]
        found = context.rules(basis, **sides, **given)
        assert sorted(found) == sorted(expected)
        best = context.rules(basis, **sides, **given, by="lift", top=3)
        assert best.among == len(expected)
        assert len(best) == min(3, len(expected))


def test_what_leads_to_a_conclusion_is_a_search() -> None:
    context = random_context(400, 30, density=0.3, seed=4)
    target = min(context.attributes, key=lambda m: len(context.extension([m])))
    found = context.rules("informative", conclusion=target, min_support=20)
    everything = context.lattice(min_support=20)
    assert len(found.lattice) < len(everything) / 2
    expected = [rule for rule in everything.rules("informative") if target in rule.conclusion]
    assert sorted(found) == sorted(expected)
