"""Every cell of the golden tables, against the oracle and against the library."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import conceptrank as cr
import golden_tables
import oracle
import oracle_measures as literal
from golden_tables import SIDES, Golden, GoldenConcept, Labels
from oracle import members

GOLDEN = {name: golden_tables.load(name) for name in golden_tables.NAMES}
ROWS = [
    pytest.param(golden, row, id=f"{name}-{''.join(row.intent) or 'top'}")
    for name, golden in GOLDEN.items()
    for row in golden.concepts
]
# The columns of the second table that are a measure with parameters.
WITH_PARAMETERS = {
    "cohesion_avg_jaccard": ("cohesion_avg", {"similarity": "jaccard"}),
    "cohesion_avg_smc": ("cohesion_avg", {"similarity": "smc"}),
    "basic_level_similarity_jaccard": ("basic_level_similarity", {"similarity": "jaccard"}),
    "basic_level_similarity_smc": ("basic_level_similarity", {"similarity": "smc"}),
}
every_table = pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
every_row = pytest.mark.parametrize(("golden", "row"), ROWS)


def context_of(golden: Golden) -> cr.Context:
    crosses = np.zeros((golden.table.n, golden.table.q), dtype=bool)
    for g, m in golden.table.crosses:
        crosses[g, m] = True
    return cr.Context(golden.objects, golden.attributes, crosses)


def sets(found: tuple[Labels, ...]) -> frozenset[Labels]:
    """The family as a set, once it is certain that nothing is listed twice."""
    assert len(set(found)) == len(found)
    return frozenset(found)


def named(labels: Labels, family: set[int]) -> frozenset[Labels]:
    return frozenset(tuple(labels[i] for i in members(s)) for s in family)


@every_table
def test_oracle_finds_the_golden_concepts(golden: Golden) -> None:
    assert set(map(golden.bits, golden.concepts)) == set(golden.table.concepts())
    assert len(golden.concepts) == {"t5": 10, "movies": 20}[golden.name]


@every_row
def test_oracle_agrees_with_the_golden_row(golden: Golden, row: GoldenConcept) -> None:
    table, c = golden.table, golden.bits(row)
    concepts = table.concepts()
    labels = {"intent": golden.attributes, "extent": golden.objects}
    faces = {"intent": oracle.intent_faces, "extent": oracle.extent_faces}
    for side in SIDES:
        assert named(labels[side], faces[side](c, concepts)) == row.faces[side]
        generators = oracle.minimal_generators(table, c, side)
        listed = row.generators[side]
        if isinstance(listed, int):
            assert len(generators) == listed
        else:
            assert named(labels[side], generators) == listed
        alpha = oracle.cr_alpha(table, c, side)
        ground, _ = oracle.side_of(table, c, side)
        beta = oracle.cr_beta(len(generators), ground.bit_count(), 0, "paper")
        assert row.relevance[side] == {
            "cr_alpha": alpha,
            "cr_beta": beta,
            "conceptual_relevance": oracle.ACTIVATIONS["arithmetic"](alpha, beta),
        }
    assert row.scores == {
        "stability_intensional": oracle.stability(table, c, "extent"),
        "stability_extensional": oracle.stability(table, c, "intent"),
        "delta_measure": oracle.delta(table, c, concepts),
    }
    for name, cell in row.catalogue.items():
        expected, digits = golden_tables.stated(cell)
        assert float(catalogued(name, table, c)) == pytest.approx(expected, abs=digits), name


def catalogued(name: str, table: oracle.Table, c: oracle.Concept) -> oracle.Number:
    """A cell of the second table, by the formula."""
    measure, params = WITH_PARAMETERS.get(name, (name, {}))
    if name == "frequency":
        return oracle.frequency(table, c)
    if name == "predictability":
        return literal.predictability(table, c, "one_sided")
    if not params:
        return getattr(literal, name)(table, c)
    if measure == "cohesion_avg":
        return literal.cohesion(table, c, params["similarity"], "avg")
    concepts = table.concepts()
    covers = oracle.upper_covers(c, concepts), oracle.lower_covers(c, concepts)
    own, upper, lower = (
        [literal.cohesion(table, d, params["similarity"], "avg") for d in some]
        for some in ([c], *covers)
    )
    return literal.basic_level(own[0], upper, lower)


Cell = tuple[str, dict[str, str], float, float]


def scores_of(row: GoldenConcept, objects: int) -> list[Cell]:
    """Every score that the row states: name, parameters, value, and how far it may be off."""
    catalogue = [
        (*WITH_PARAMETERS.get(name, (name, {})), *golden_tables.stated(cell))
        for name, cell in row.catalogue.items()
    ]
    return [(*cell, 1e-12) for cell in first_table(row, objects)] + catalogue


def first_table(row: GoldenConcept, objects: int) -> list[tuple[str, dict[str, str], float]]:
    support = len(row.extent)
    return [
        ("support", {}, support),
        ("frequency", {}, support / objects),
        ("intent_size", {}, len(row.intent)),
        *((name, {}, float(value)) for name, value in row.scores.items()),
        ("stability", {}, float(row.scores["stability_intensional"])),
        *(
            (name, {"side": side}, float(value))
            for side in SIDES
            for name, value in row.relevance[side].items()
        ),
        *((name, {}, float(value)) for name, value in row.relevance["intent"].items()),
        ("cr", {}, float(row.relevance["intent"]["conceptual_relevance"])),
        ("cr", {"side": "extent"}, float(row.relevance["extent"]["conceptual_relevance"])),
    ]


@every_row
def test_concept_without_a_lattice(golden: Golden, row: GoldenConcept) -> None:
    concept = context_of(golden).concept(*row.intent)
    check_concept(concept, golden, row)


@every_row
def test_concept_of_the_lattice(golden: Golden, row: GoldenConcept) -> None:
    lattice = context_of(golden).lattice()
    concept = lattice[row.intent]
    assert concept.index is not None
    assert tuple(lattice[concept.index]) == (row.extent, row.intent)
    check_concept(concept, golden, row)


def check_concept(concept: cr.Concept, golden: Golden, row: GoldenConcept) -> None:
    assert (concept.extent, concept.intent) == (row.extent, row.intent)
    assert concept.support == len(row.extent)
    found = {"intent": concept.intent_faces, "extent": concept.extent_faces}
    generators = {"intent": concept.minimal_generators, "extent": concept.object_generators}
    for side in SIDES:
        assert sets(found[side]) == row.faces[side]
        listed = row.generators[side]
        if isinstance(listed, int):
            assert len(sets(generators[side])) == listed
        else:
            assert sets(generators[side]) == listed
    assert {cover.intent for cover in concept.upper_covers} == {
        tuple(m for m in row.intent if m not in face) for face in row.faces["intent"]
    }
    assert {cover.extent for cover in concept.lower_covers} == {
        tuple(g for g in row.extent if g not in face) for face in row.faces["extent"]
    }
    assert set(concept.relevant_attributes) == {
        face[0] for face in row.faces["intent"] if len(face) == 1
    }
    for name, params, value, digits in scores_of(row, golden.table.n):
        assert concept.score(name, **params) == pytest.approx(value, abs=digits), name


@every_table
def test_scores_of_the_lattice(golden: Golden) -> None:
    lattice = context_of(golden).lattice()
    rows = {row.intent: row for row in golden.concepts}
    assert len(lattice) == len(rows)
    in_order = [rows[intent] for _, intent in lattice]
    assert [extent for extent, _ in lattice] == [row.extent for row in in_order]
    expected = [scores_of(row, golden.table.n) for row in in_order]
    for cells in zip(*expected, strict=True):
        name, params, _, digits = cells[0]
        scores = lattice.score(name, **params)
        values = [value for _, _, value, _ in cells]
        np.testing.assert_allclose(scores, values, rtol=0, atol=digits, err_msg=name)
        assert lattice.exact(name, **params).all()


def test_embedded_movies_are_the_golden_ones() -> None:
    golden = GOLDEN["movies"]
    movies = cr.datasets.load("movies")
    assert movies == context_of(golden)
    assert movies.objects == golden.objects
    assert movies.attributes == golden.attributes


def test_the_worked_example_of_the_paper() -> None:
    concept = cr.datasets.load("movies").concept("drama", "criminal")
    assert tuple(concept) == (("2", "5", "6"), ("adventure", "criminal", "drama"))
    assert concept.relevant_attributes == ("drama",)
    assert sets(concept.minimal_generators) == {("adventure", "drama"), ("criminal", "drama")}
    assert concept.score("cr_alpha") == pytest.approx(1 / 3, abs=1e-12)
    assert concept.score("cr") == pytest.approx(1 / 3, abs=1e-12)
    assert concept.score("stability") == pytest.approx(6 / 8, abs=1e-12)
    assert concept.score("stability_extensional") == pytest.approx(3 / 8, abs=1e-12)


T5, MOVIES = (context_of(GOLDEN[name]) for name in ("t5", "movies"))
C0, C1 = ("a", "b"), ("adventure", "criminal", "drama")

# Every number that is worked out in the text for ({1, 2, 3}, {a, b}) of T5.
WORKED = [
    ("stability_intensional", {}, Fraction(5, 8)),
    ("stability_extensional", {}, Fraction(1, 2)),
    ("stability_lower_bound", {"method": "union"}, Fraction(1, 2)),
    ("stability_lower_bound", {"method": "fkg"}, Fraction(9, 16)),
    ("stability_upper_bound", {"method": "delta"}, Fraction(3, 4)),
    ("stability_upper_bound", {"method": "bonferroni"}, Fraction(5, 8)),
    ("stability_upper_bound", {}, Fraction(5, 8)),
    ("delta_measure", {}, 2),
    ("delta_relative", {}, Fraction(2, 3)),
    ("delta_tolerance", {}, Fraction(2, 3)),
    ("is_delta_tolerance_closed", {"delta": 0.6}, 1),
    ("is_delta_tolerance_closed", {"delta": 2 / 3}, 0),
    ("log_stability", {}, "1.415037"),
    ("stability_lower_bound", {"method": "covers", "log": True}, 1),
    ("stability_upper_bound", {"method": "delta", "log": True}, 2),
    ("robustness", {"alpha": 0.9}, "0.981"),
    ("robustness", {"alpha": 0.5}, Fraction(5, 8)),
    ("support", {}, 3),
    ("frequency", {}, Fraction(3, 5)),
    ("intent_size", {}, 2),
    ("tile_area", {}, 6),
    ("tile_density_share", {}, Fraction(6, 20)),
    ("incidence_coverage", {}, Fraction(6, 12)),
    ("own_objects", {}, 1),
    ("own_attributes", {}, 1),
    ("separation", {}, Fraction(2, 3)),
    ("concept_probability", {}, "0.5760341640"),
    ("cohesion_avg", {}, Fraction(11, 18)),
    ("cohesion_avg", {"similarity": "smc"}, Fraction(2, 3)),
    ("basic_level_similarity", {}, Fraction(77, 1296)),
    ("basic_level_similarity", {"similarity": "smc"}, Fraction(1, 18)),
    ("predictability", {}, "0.633796"),
    ("predictability", {"entropy": "binary"}, "0.081704"),
    ("cue_validity", {}, Fraction(7, 4)),
    ("category_feature_collocation", {}, Fraction(73, 36)),
    ("category_utility", {}, Fraction(158, 375)),
    ("lift", {}, Fraction(5, 4)),
    ("leverage", {}, Fraction(3, 25)),
    ("log_lift", {}, "0.321928"),
    ("cosine", {}, "0.866025"),
    ("all_confidence", {}, Fraction(3, 4)),
    ("bond", {}, Fraction(3, 4)),
    ("cross_support", {}, Fraction(3, 4)),
    ("collective_strength", {}, Fraction(22, 7)),
    ("independence_z", {}, "0.537086"),
    ("independence_pvalue", {}, "0.4625399808"),
    ("shannon_surprise", {}, "0.771022"),
    ("target_entropy", {"labels": [1, 1, 0, 0, 0]}, "0.918296"),
    ("weighted_intent", {"weights": [1, 2, 3, 4]}, 3),
    ("weighted_intent", {"weights": [1, 2, 3, 4], "agg": "mean"}, Fraction(3, 2)),
    ("weighted_intent", {"weights": dict(zip("abcd", [1, 2, 3, 4], strict=True)), "agg": "max"}, 2),
    ("weighted_intent", {"weights": [1, 2, 3, 4], "agg": "min"}, 1),
    ("cr_alpha", {}, Fraction(1, 2)),
    ("conceptual_relevance", {}, Fraction(1, 4)),
    ("conceptual_relevance", {"side": "extent"}, Fraction(1, 6)),
    ("expected_relevance", {}, Fraction(5, 32)),
    ("expected_relevance", {"keep": 0.9}, Fraction(8829, 20000)),
]


@pytest.mark.parametrize(("name", "params", "value"), WORKED)
def test_worked_numbers(name: str, params: dict[str, object], value: Fraction | int | str) -> None:
    expected, digits = golden_tables.stated(str(value))
    lattice = T5.lattice()
    concept = T5.concept(*C0)
    assert concept.score(name, **params) == pytest.approx(expected, abs=digits)
    place = lattice[C0].index
    assert lattice.score(name, **params)[place] == pytest.approx(expected, abs=digits)


def test_worked_expected_relevance() -> None:
    """Section by section of T5, from the top to the bottom."""
    half = ["0", "3/16", "5/32", "9/32", "5/16", "7/32", "5/24", "1/8", "5/16", "1/4"]
    found = T5.lattice().score("expected_relevance", keep=0.5)
    np.testing.assert_allclose(found, [float(Fraction(x)) for x in half], atol=1e-15)
    most = T5.concept("b").score("expected_relevance", keep=0.9)
    assert most == pytest.approx(8019 / 10000, abs=1e-15)
    assert MOVIES.concept(*C1).score("expected_relevance") == pytest.approx(15 / 64, abs=1e-15)


def test_worked_stability_of_movies() -> None:
    concept = MOVIES.concept(*C1)
    assert concept.score("stability_intensional") == 6 / 8
    assert concept.score("stability_extensional") == 3 / 8
    assert 1 - MOVIES.lattice().top.score("stability") == pytest.approx(0.202637, abs=5e-7)


def test_worked_polynomial() -> None:
    assert cr.measures.robustness_polynomial(T5.concept(*C0)) == {0: 1, 2: -2, 3: 1}


def test_regression_values_of_robustness() -> None:
    """A context of three objects for which other programs state these numbers, too."""
    bools = [[0, 0, 1], [1, 0, 1], [1, 1, 0]]
    context = cr.Context("012", "012", bools)
    concept = context.concept("2")
    assert concept.extent == ("0", "1")
    assert concept.score("robustness", alpha=1 / 3) == pytest.approx(1 / 3, abs=1e-15)
    lattice = context.lattice()
    assert lattice.score("robustness", alpha=0.5).mean() == pytest.approx(1 / 2, abs=1e-15)
    assert lattice.score("robustness", alpha=1 / 3).mean() == pytest.approx(10 / 27, abs=1e-15)


def test_ties_of_movies() -> None:
    scores = MOVIES.lattice().score("cr")
    assert (scores == scores.max()).sum() == 12
    assert scores.max() == 1 / 2


def test_the_parts_of_a_worked_basic_level() -> None:
    """The cohesion of c0, how far it is above, and how near it is to those below."""
    own = T5.concept(*C0).score("cohesion_avg")
    (upper,) = (cover.score("cohesion_avg") for cover in T5.concept(*C0).upper_covers)
    lower = [cover.score("cohesion_avg") for cover in T5.concept(*C0).lower_covers]
    assert 1 - upper / own == pytest.approx(7 / 44, abs=1e-15)
    assert sum(own / low for low in lower) / len(lower) == pytest.approx(11 / 18, abs=1e-15)
