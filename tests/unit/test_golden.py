"""Every cell of the golden tables, against the oracle and against the library."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import conceptrank as cr
import golden_tables
import oracle
from golden_tables import SIDES, Golden, GoldenConcept, Labels
from oracle import members

GOLDEN = {name: golden_tables.load(name) for name in golden_tables.NAMES}
ROWS = [
    pytest.param(golden, row, id=f"{name}-{''.join(row.intent) or 'top'}")
    for name, golden in GOLDEN.items()
    for row in golden.concepts
]
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
    assert Fraction(row.catalogue["frequency"]) == oracle.frequency(table, c)


def scores_of(row: GoldenConcept, objects: int) -> list[tuple[str, dict[str, str], float]]:
    """Every score that the row states: its name, its parameters and its value."""
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
    for name, params, value in scores_of(row, golden.table.n):
        assert concept.score(name, **params) == pytest.approx(value, abs=1e-12), name


@every_table
def test_scores_of_the_lattice(golden: Golden) -> None:
    lattice = context_of(golden).lattice()
    rows = {row.intent: row for row in golden.concepts}
    assert len(lattice) == len(rows)
    in_order = [rows[intent] for _, intent in lattice]
    assert [extent for extent, _ in lattice] == [row.extent for row in in_order]
    expected = [scores_of(row, golden.table.n) for row in in_order]
    for cells in zip(*expected, strict=True):
        name, params, _ = cells[0]
        scores = lattice.score(name, **params)
        np.testing.assert_allclose(scores, [value for _, _, value in cells], rtol=0, atol=1e-12)
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
