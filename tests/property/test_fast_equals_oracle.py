"""The library against the literal definitions, on thousands of small contexts in every run."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from numpy.typing import NDArray

import conceptrank as cr
import oracle
from cases import Case, Params, assert_close, assert_scores, check_scores, check_structure, places
from oracle import members
from strategies import KEEPS, SIDES

Scores = NDArray[np.float64]
Activation = Callable[[Scores, Scores], Scores]
Combination = Callable[[oracle.Number, oracle.Number], oracle.Number]


def test_concepts_and_their_order(cases: list[Case]) -> None:
    for case in cases:
        lattice = case.lattice
        expected = [case.pair(c) for c in case.concepts]
        assert [tuple(concept) for concept in lattice] == expected, case
        assert len(lattice) == len(expected)
        assert lattice.complete, case
        assert lattice.supports.tolist() == [len(extent) for extent, _ in expected], case
        assert lattice.intent_sizes.tolist() == [len(intent) for _, intent in expected], case
        assert tuple(lattice.top) == expected[0]
        assert tuple(lattice.bottom) == expected[-1]


def test_derivation(cases: list[Case]) -> None:
    for case in cases[::7]:
        table, context = case.table, case.context
        for objects in oracle.subsets(table.objects):
            expected = case.labels("intent", table.intension(objects))
            assert context.intension(case.labels("extent", objects)) == expected, case
        for attributes in oracle.subsets(table.attributes):
            given = case.labels("intent", attributes)
            extension = case.labels("extent", table.extension(attributes))
            assert context.extension(given) == extension, case
            assert context.closure(given) == case.labels("intent", table.closure(attributes)), case


def test_cover_arrays_of_the_lattice(cases: list[Case]) -> None:
    for case in cases:
        place = {c: i for i, c in enumerate(case.concepts)}
        upper = [[place[c] for c in covers] for covers in case.upper]
        lower = [[place[c] for c in covers] for covers in case.lower]
        assert places(case.lattice.upper_covers) == upper, case
        assert places(case.lattice.lower_covers) == lower, case
        deltas = [oracle.delta(case.table, c, case.concepts) for c in case.concepts]
        assert case.lattice.deltas.tolist() == deltas, case
        assert places(case.lattice.intents) == [list(members(c.intent)) for c in case.concepts]


def test_covers_of_a_concept(cases: list[Case]) -> None:
    for case in cases:
        for concept, upper, lower in zip(case.lattice, case.upper, case.lower, strict=True):
            assert [tuple(c) for c in concept.upper_covers] == [case.pair(c) for c in upper], case
            assert [tuple(c) for c in concept.lower_covers] == [case.pair(c) for c in lower], case


def test_faces_generators_and_relevant_attributes(cases: list[Case]) -> None:
    for case in cases:
        for i, concept in enumerate(case.lattice):
            assert concept.index == i
            check_structure(case, i, concept)


def test_one_concept_without_a_lattice(cases: list[Case]) -> None:
    for case in cases[::3]:
        for i, c in enumerate(case.concepts):
            generator = min(case.generators["intent"][i])
            concept = case.context.concept(*case.labels("intent", generator))
            check_structure(case, i, concept)
            assert {tuple(u) for u in concept.upper_covers} == set(map(case.pair, case.upper[i]))
            assert {tuple(low) for low in concept.lower_covers} == set(
                map(case.pair, case.lower[i])
            )
            alone: dict[str, oracle.Number] = {
                "support": c.extent.bit_count(),
                "frequency": oracle.frequency(case.table, c),
                "intent_size": c.intent.bit_count(),
                "stability": case.stabilities["extent"][i],
                "stability_extensional": case.stabilities["intent"][i],
                "log_stability": oracle.log_stability(case.stabilities["extent"][i]),
                "delta_measure": oracle.delta(case.table, c, case.concepts),
            }
            for name, value in alone.items():
                found = concept.score(name)
                assert found == pytest.approx(float(value), rel=1e-12, abs=1e-12), (name, case)


def test_relevance_of_one_concept_without_a_lattice(cases: list[Case]) -> None:
    for case in cases[::5]:
        for side in SIDES:
            alphas, betas = case.alphas(side), case.betas(side)
            for c, alpha, beta in zip(case.concepts, alphas, betas, strict=True):
                concept = case.context.concept(*case.labels("intent", c.intent))
                for name, value in (
                    ("cr_alpha", alpha),
                    ("cr_beta", beta),
                    ("conceptual_relevance", (alpha + beta) / 2),
                ):
                    found = concept.score(name, side=side)
                    assert found == pytest.approx(float(value), abs=1e-12), (name, side, case)


def test_scores(cases: list[Case]) -> None:
    for case in cases:
        check_scores(case, case.lattice)


def test_stability_bounds(cases: list[Case]) -> None:
    for case in cases[::2]:
        bounds = [oracle.stability_bounds(faces) for faces in case.faces["extent"]]
        methods = {
            ("stability_lower_bound", "fkg"): [b.product for b in bounds],
            ("stability_lower_bound", "union"): [b.union for b in bounds],
            ("stability_upper_bound", "bonferroni"): [b.pairs for b in bounds],
            ("stability_upper_bound", "delta"): [b.largest for b in bounds],
        }
        for (name, method), expected in methods.items():
            assert_scores(case, case.lattice, name, {"method": method}, expected)
        lower, upper = cr.measures.stability_bounds(case.lattice)
        assert_close(case, "lower bounds", lower, [b.product for b in bounds])
        assert_close(case, "upper bounds", upper, [min(b.largest, b.pairs) for b in bounds])
        for b, exact in zip(bounds, case.stabilities["extent"], strict=True):
            assert b.union <= b.product <= exact <= min(b.largest, b.pairs)


def test_robustness(cases: list[Case]) -> None:
    """The chance to miss a face at any probability to keep, as measures get it."""
    for i, case in enumerate(cases[::6]):
        keep = float(KEEPS[i % len(KEEPS)])
        expected = [1 - oracle.robustness(case.table, c, Fraction(keep)) for c in case.concepts]
        (miss,) = case.lattice.face_scores("extent", "miss", keep=keep)
        assert_close(case, f"miss at {keep}", miss, expected)


def test_delta_without_a_convention_for_the_bottom(cases: list[Case]) -> None:
    for case in cases[::6]:
        expected = [
            inf if c.intent == case.table.attributes else oracle.delta(case.table, c, case.concepts)
            for c in case.concepts
        ]
        assert_scores(case, case.lattice, "delta_measure", {"bottom": "inf"}, expected)


def test_every_activation_and_beta(cases: list[Case]) -> None:
    weight, steepness, middle = Fraction(3, 4), 6.0, 0.3
    activations: dict[str | Activation, Combination] = {
        cr.measures.weighted(0.75): lambda a, b: oracle.weighted(a, b, weight),
        "weighted:0.75": lambda a, b: oracle.weighted(a, b, weight),
        cr.measures.logistic(steepness, middle): lambda a, b: oracle.logistic(
            a, b, steepness, middle
        ),
        "logistic:6,0.3": lambda a, b: oracle.logistic(a, b, steepness, middle),
        user_activation: lambda a, b: a**2 - b / 3,
    }
    for case in cases[::12]:
        for side in SIDES:
            alphas = case.alphas(side)
            for variant in oracle.BETAS:
                betas = case.betas(side, variant)
                params: Params = {"side": side, "beta": variant}
                assert_scores(case, case.lattice, "cr_beta", params, betas)
                for activation, combine in (oracle.ACTIVATIONS | activations).items():
                    params = {"side": side, "beta": variant, "activation": activation}
                    expected = list(map(combine, alphas, betas))
                    assert_scores(case, case.lattice, "conceptual_relevance", params, expected)


def user_activation(alpha: Scores, beta: Scores) -> Scores:
    return alpha**2 - beta / 3
