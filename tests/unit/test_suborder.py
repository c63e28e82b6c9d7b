"""Parts of lattices against the literal definitions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.errors import BudgetExceeded
from conceptrank.plot.suborder import MOST, SubOrder


def random_context(rng: np.random.Generator) -> cr.Context:
    n, q = rng.integers(0, 7, size=2)
    matrix = rng.random((n, q)) < rng.uniform(0.2, 0.9)
    return cr.Context.from_numpy(matrix, attributes=[f"m{i}" for i in range(q)])


def literal_covers(intents: list[frozenset[str]]) -> set[tuple[int, int]]:
    """Pairs of a lower and an upper one with nothing between."""
    numbers = range(len(intents))
    return {
        (low, high)
        for low, high in product(numbers, numbers)
        if intents[high] < intents[low]
        and not any(intents[high] < intents[k] < intents[low] for k in numbers)
    }


@pytest.mark.parametrize("seed", range(60))
def test_any_part_has_the_order_of_its_intents(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lattice = random_context(rng).lattice()
    places = np.flatnonzero(rng.random(len(lattice)) < rng.choice([0.3, 0.7, 1.0]))
    part = SubOrder.of(lattice, places, "some")
    intents = [frozenset(lattice[int(i)].intent) for i in places]
    assert [frozenset(each) for each in part.intents] == intents
    assert set(map(tuple, part.covers.tolist())) == literal_covers(intents)
    extents = [frozenset(lattice[int(i)].extent) for i in places]
    for i in range(len(part)):
        above = [intents[k] for k in range(len(part)) if intents[k] < intents[i]]
        below = [extents[k] for k in range(len(part)) if extents[k] < extents[i]]
        assert set(part.own_attributes[i]) == intents[i] - frozenset().union(*above)
        own = lattice.context.object_names.of(part.own_objects[i])
        assert set(own) == extents[i] - frozenset().union(*below)


@pytest.mark.parametrize("seed", range(40))
def test_ideals_filters_and_neighbourhoods(seed: int) -> None:
    rng = np.random.default_rng(seed)
    context = random_context(rng)
    lattice = context.lattice()
    concept = lattice[int(rng.integers(len(lattice)))]
    below = SubOrder.ideal(lattice, concept)
    above = SubOrder.filter(lattice, concept)
    near = SubOrder.neighbourhood(context.concept(*concept.intent))
    assert set(below.intents) == {each.intent for each in lattice if each <= concept}
    assert set(above.intents) == {each.intent for each in lattice if each >= concept}
    covers = {*concept.upper_covers, *concept.lower_covers, concept}
    assert set(near.intents) == {each.intent for each in covers}
    for part in (below, above, near):
        assert part.focus is not None
        assert part.intents[part.focus] == concept.intent
    far = SubOrder.neighbourhood(concept, radius=20)
    assert far.intents == tuple(each.intent for each in lattice)


def test_icebergs_and_tops() -> None:
    lattice = cr.datasets.load("movies").lattice()
    for most in range(1, 25):
        part = SubOrder.largest_iceberg(lattice, most)
        assert len(part) <= most
        least = part.supports.min()
        assert len(part) == int((lattice.supports >= least).sum())
        if len(part) < len(lattice):
            following = lattice.supports[len(part)]
            assert int((lattice.supports >= following).sum()) > most
    ranking = lattice.rank("stability", where="support > 1")
    part = SubOrder.top(ranking, 4)
    assert set(part.places.tolist()) == set(ranking.order[:4].tolist())
    assert part.title == "the first 4 by stability where support > 1"
    assert part.score("cr").tolist() == lattice.score("cr")[part.places].tolist()
    assert len(SubOrder.neighbourhood(lattice["drama"], min_support=3)) < len(
        SubOrder.neighbourhood(lattice["drama"])
    )


def test_nothing_one_and_too_many() -> None:
    empty = SubOrder.iceberg(cr.datasets.load("movies").lattice(), 12)
    assert (len(empty), empty.covers.tolist()) == (0, [])
    assert (empty.intents, empty.own_objects) == ((), [])
    one = SubOrder.whole(cr.Context((), (), ()).lattice())
    assert (len(one), one.own_attributes) == (1, ((),))
    contranominal = cr.Context.from_numpy(~np.eye(12, dtype=bool))
    with pytest.raises(BudgetExceeded, match=f"at most {MOST:,}"):
        SubOrder.whole(contranominal.lattice())
    with pytest.raises(BudgetExceeded, match="smaller radius"):
        SubOrder.neighbourhood(contranominal.concept("1"), radius=5, most=50)
