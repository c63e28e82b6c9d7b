from __future__ import annotations

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.errors import BudgetExceeded


@pytest.fixture
def movies() -> cr.Context:
    return cr.datasets.load("movies")


def disjoint_pairs(k: int) -> cr.Context:
    """k objects, each without two attributes of its own: the bottom has 2^k generators."""
    table = np.ones((k, 2 * k), dtype=bool)
    for g in range(k):
        table[g, 2 * g : 2 * g + 2] = False
    return cr.Context(range(k), [f"m{i}" for i in range(2 * k)], table)


def test_a_concept_unpacks_into_labels(movies: cr.Context) -> None:
    concept = movies.concept("drama", "criminal")
    extent, intent = concept
    assert extent == concept.extent == concept.objects == concept.extension == ("2", "5", "6")
    assert intent == concept.intent == concept.attributes == concept.intention
    assert intent == ("adventure", "criminal", "drama")
    assert (concept.support, concept.context, concept.index) == (3, movies, None)


def test_no_attributes_generate_the_top(movies: cr.Context) -> None:
    top = movies.concept()
    assert tuple(top) == (movies.objects, ())
    assert top.upper_covers == ()
    assert top.intent_faces == ()
    assert top.minimal_generators == ((),)


def test_all_attributes_generate_the_bottom(movies: cr.Context) -> None:
    bottom = movies.concept(*movies.attributes)
    assert tuple(bottom) == ((), movies.attributes)
    assert bottom.lower_covers == bottom.extent_faces == ()
    assert bottom.object_generators == ((),)
    assert len(bottom.minimal_generators) == 7


def test_covers_are_in_the_order_of_lattices(movies: cr.Context) -> None:
    lattice = movies.lattice()
    for concept in lattice:
        for covers in (concept.upper_covers, concept.lower_covers):
            places = [cover.index for cover in covers]
            assert places == sorted(places)
            assert all(lattice[i] == cover for i, cover in zip(places, covers, strict=True))
    assert movies.concept().lower_neighbors == movies.concept().lower_covers
    assert movies.concept("drama").upper_neighbors == (movies.concept(),)


def test_covers_agree_with_the_lattice(movies: cr.Context) -> None:
    lattice = movies.lattice()
    for covers, side in (
        (lattice.lower_covers, "lower_covers"),
        (lattice.upper_covers, "upper_covers"),
    ):
        offsets, values = covers
        for concept in lattice:
            listed = values[offsets[concept.index] : offsets[concept.index + 1]].tolist()
            assert [cover.index for cover in getattr(concept, side)] == listed


def test_an_iceberg_does_not_hide_what_is_below(movies: cr.Context) -> None:
    iceberg = movies.lattice(min_support=5)
    drama = iceberg["drama"]
    assert drama.lower_covers == movies.concept("drama").lower_covers
    assert len(drama.lower_covers) == 3
    assert [cover.index for cover in drama.lower_covers] == [None] * 3
    assert [cover.index for cover in drama.upper_covers] == [0]


def test_equality_and_hash(movies: cr.Context) -> None:
    concept = movies.concept("criminal", "drama")
    assert concept == movies.lattice()["drama", "adventure"]
    assert len({concept, movies.concept("adventure", "drama"), movies.concept("drama")}) == 2
    other = cr.Context(movies.objects, movies.attributes, np.ones((11, 7), dtype=bool))
    assert other.concept() != movies.concept(*movies.attributes)
    assert concept != ("criminal", "drama")


def test_order(movies: cr.Context) -> None:
    lower, upper = movies.concept("criminal", "drama"), movies.concept("drama")
    assert lower <= upper
    assert lower < upper
    assert upper >= lower
    assert upper > lower
    assert not upper <= lower
    assert lower <= movies.concept("criminal", "drama")
    assert not lower < movies.concept("criminal", "drama")
    comedy = movies.concept("comedy")
    assert not comedy <= upper
    assert not upper <= comedy
    with pytest.raises(ValueError, match="different contexts"):
        assert lower <= cr.Context("1", "a", [[True]]).concept()
    with pytest.raises(TypeError):
        assert lower <= 3  # type: ignore[operator]


def test_generators_stop_at_a_limit() -> None:
    context = disjoint_pairs(14)
    bottom = context.concept(*context.attributes)
    with pytest.raises(BudgetExceeded, match="more than 10,000 minimal generators"):
        _ = bottom.minimal_generators
    assert len(bottom.generators(limit=2**14)) == 2**14
    with pytest.raises(BudgetExceeded):
        bottom.generators(limit=2**14 - 1)
    assert bottom.score("cr_beta") == 2**14 / (2**28 - 2)


def test_generators_of_objects_with_equal_rows() -> None:
    context = cr.Context("abcd", "xy", [[True, False], [True, False], [True, True], [True, True]])
    top = context.concept()
    assert top.intent == ("x",)
    assert top.generators(side="extent") == (("a",), ("b",))
    assert top.extent_faces == (("a", "b"),)
    assert top.score("cr", side="extent") == 2 / 14 / 2


def test_scores_do_not_depend_on_where_the_concept_comes_from(movies: cr.Context) -> None:
    names = cr.measures.available()["name"].to_list()
    builtin = [name for name in names if cr.measures.get(name).builtin]
    lattice = movies.lattice()
    given = {
        "labels": ["yes" if int(name) % 3 else "no" for name in movies.objects],
        "positive": "yes",
        "delta": 0.3,
        "alpha": 0.3,
    }
    for name in builtin:
        params = {key: given[key] for key in cr.measures.get(name).params if key in given}
        if name in ("target_variance", "mean_shift", "variance_reduction"):
            params["labels"] = range(len(movies.objects))
        if name.startswith("weighted"):
            many = movies.objects if name == "weighted_extent" else movies.attributes
            params["weights"] = range(len(many))
        scores = lattice.score(name, **params)
        for concept in lattice:
            alone = movies.concept(*concept.intent).score(name, **params)
            assert alone == concept.score(name, **params)
            assert alone == pytest.approx(scores[concept.index], rel=1e-14, abs=1e-15), name
