"""The library against the literal definitions, on thousands of small contexts in every run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import ceil, inf
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

import conceptrank as cr
import oracle
from oracle import Table, members
from strategies import KEEPS, context_of, larger_table, random_contexts, wide_table

COUNT = 2400
SIDES = ("intent", "extent")
Labels = tuple[str, ...]
Params = dict[str, object]
Combination = Callable[[oracle.Number, oracle.Number], oracle.Number]


class Case:
    """One table as the library sees it and as the definitions see it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.context = context_of(table)
        self.names = {"intent": self.context.attributes, "extent": self.context.objects}

    def __repr__(self) -> str:
        return repr(self.table)

    @cached_property
    def lattice(self) -> cr.Lattice:
        return self.context.lattice()

    @cached_property
    def concepts(self) -> list[oracle.Concept]:
        return self.table.concepts()

    @cached_property
    def upper(self) -> list[list[oracle.Concept]]:
        return [oracle.upper_covers(c, self.concepts) for c in self.concepts]

    @cached_property
    def lower(self) -> list[list[oracle.Concept]]:
        return [oracle.lower_covers(c, self.concepts) for c in self.concepts]

    @cached_property
    def faces(self) -> dict[str, list[set[int]]]:
        return {
            "intent": [oracle.intent_faces(c, self.concepts) for c in self.concepts],
            "extent": [oracle.extent_faces(c, self.concepts) for c in self.concepts],
        }

    @cached_property
    def generators(self) -> dict[str, list[set[int]]]:
        return {
            side: [oracle.minimal_generators(self.table, c, side) for c in self.concepts]
            for side in SIDES
        }

    @cached_property
    def stabilities(self) -> dict[str, list[Fraction]]:
        """Of all concepts, by the side whose subsets are looked at."""
        return {
            side: [oracle.stability(self.table, c, side) for c in self.concepts] for side in SIDES
        }

    def alphas(self, side: str) -> list[Fraction]:
        return [oracle.cr_alpha(self.table, c, side) for c in self.concepts]

    def betas(self, side: str, variant: str = "paper") -> list[oracle.Number]:
        return [
            oracle.cr_beta(
                len(generators),
                oracle.side_of(self.table, c, side)[0].bit_count(),
                oracle.relevant(self.table, c, side).bit_count(),
                variant,
            )
            for c, generators in zip(self.concepts, self.generators[side], strict=True)
        ]

    def labels(self, side: str, elements: int) -> Labels:
        return tuple(self.names[side][i] for i in members(elements))

    def ordered(self, side: str, family: Iterable[int]) -> tuple[Labels, ...]:
        """A family as the library lists faces and generators: by size, then in table order."""
        in_order = sorted(family, key=lambda s: (s.bit_count(), members(s)))
        return tuple(self.labels(side, s) for s in in_order)

    def pair(self, c: oracle.Concept) -> tuple[Labels, Labels]:
        return self.labels("extent", c.extent), self.labels("intent", c.intent)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [Case(table) for table in random_contexts(COUNT, seed=41)]


def assert_scores(
    case: Case, lattice: cr.Lattice, name: str, params: Params, expected: Iterable[oracle.Number]
) -> None:
    found = lattice.score(name, **params)
    assert found.dtype == np.float64
    assert_close(case, f"{name} {params}", found, expected)
    assert lattice.exact(name, **params).all(), (name, params, case)


def assert_close(
    case: Case, what: str, found: NDArray[np.float64], expected: Iterable[oracle.Number]
) -> None:
    """Equal to 1e-12, relative or absolute; infinities must agree, and nothing may be NaN."""
    values = [float(x) for x in expected]
    assert len(found) == len(values), (what, case)
    assert all(map(isclose, found.tolist(), values)), (what, case, found.tolist(), values)


isclose = partial(math.isclose, rel_tol=1e-12, abs_tol=1e-12)


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


def places(lists: tuple[NDArray[np.int64], NDArray[np.uint32]]) -> list[list[int]]:
    """Compressed lists, written out."""
    offsets, values = lists
    return [values[begin:end].tolist() for begin, end in pairwise(offsets)]


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


def check_structure(case: Case, i: int, concept: cr.Concept) -> None:
    """Everything a concept tells about itself, apart from its scores."""
    c = case.concepts[i]
    assert tuple(concept) == case.pair(c), case
    assert concept.support == c.extent.bit_count()
    assert concept.intent_faces == case.ordered("intent", case.faces["intent"][i]), case
    assert concept.extent_faces == case.ordered("extent", case.faces["extent"][i]), case
    generators = concept.minimal_generators
    assert generators == case.ordered("intent", case.generators["intent"][i]), case
    generators = concept.object_generators
    assert generators == case.ordered("extent", case.generators["extent"][i]), case
    relevant = oracle.relevant(case.table, c, "intent")
    assert concept.relevant_attributes == case.labels("intent", relevant), case


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
            alone = {
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


def check_scores(case: Case, lattice: cr.Lattice, kept: list[int] | None = None) -> None:
    """All scores of a lattice that holds these of the table's concepts, or all of them."""

    def check(name: str, values: Iterable[oracle.Number], **params: object) -> None:
        values = list(values)
        if kept is not None:
            values = [values[i] for i in kept]
        assert_scores(case, lattice, name, params, values)

    table, concepts = case.table, case.concepts
    check("support", (c.extent.bit_count() for c in concepts))
    check("frequency", (oracle.frequency(table, c) for c in concepts))
    check("intent_size", (c.intent.bit_count() for c in concepts))
    check("stability_intensional", case.stabilities["extent"])
    check("stability_extensional", case.stabilities["intent"])
    check("log_stability", map(oracle.log_stability, case.stabilities["extent"]))
    check("delta_measure", (oracle.delta(table, c, concepts) for c in concepts))
    for side in SIDES:
        alphas, betas = case.alphas(side), case.betas(side)
        check("cr_alpha", alphas, side=side)
        check("cr_beta", betas, side=side)
        both = zip(alphas, betas, strict=True)
        check("conceptual_relevance", ((a + b) / 2 for a, b in both), side=side)


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
    activations: dict[object, Combination] = {
        **oracle.ACTIVATIONS,
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
                for activation, combine in activations.items():
                    params = {"side": side, "beta": variant, "activation": activation}
                    expected = list(map(combine, alphas, betas))
                    assert_scores(case, case.lattice, "conceptual_relevance", params, expected)


def user_activation(alpha: NDArray[np.float64], beta: NDArray[np.float64]) -> NDArray[np.float64]:
    return alpha**2 - beta / 3


def test_icebergs_score_like_the_full_lattice(cases: list[Case]) -> None:
    """Lower covers below the limit still shape the extent faces of the concepts above it."""
    random = Random(42)
    for case in cases[::2]:
        limit = random.randint(1, case.table.n + 1)
        iceberg = case.context.lattice(min_support=limit)
        kept = [i for i, c in enumerate(case.concepts) if c.extent.bit_count() >= limit]
        assert [tuple(c) for c in iceberg] == [case.pair(case.concepts[i]) for i in kept], case
        check_scores(case, iceberg, kept)
        place = {case.concepts[i]: j for j, i in enumerate(kept)}
        upper = [[place[c] for c in case.upper[i]] for i in kept]
        lower = [[place[c] for c in case.lower[i] if c in place] for i in kept]
        assert places(iceberg.upper_covers) == upper, case
        assert places(iceberg.lower_covers) == lower, case
        for i, concept in zip(kept, iceberg, strict=True):
            check_structure(case, i, concept)
            assert [tuple(c) for c in concept.upper_covers] == list(map(case.pair, case.upper[i]))


def test_min_support_as_a_share(cases: list[Case]) -> None:
    for case in cases[::20]:
        for share in (0.25, 0.5, 1.0):
            limit = ceil(share * case.table.n)
            found = [tuple(c) for c in case.context.lattice(min_support=share)]
            expected = [case.pair(c) for c in case.concepts if c.extent.bit_count() >= limit]
            assert found == expected, (share, case)


def test_a_lattice_cut_short_scores_like_the_full_one(cases: list[Case]) -> None:
    random, cut = Random(44), 0
    for case in cases[::4]:
        limit = random.randint(1, len(case.concepts))
        part = case.context.lattice(budget=cr.Budget(concepts=limit))
        assert len(part) == limit, case
        if limit < len(case.concepts):
            cut += 1
            assert (part.complete, part.stopped) == (False, "concepts"), case
        place = {case.pair(c): i for i, c in enumerate(case.concepts)}
        kept = [place[concept.extent, concept.intent] for concept in part]
        assert kept == sorted(set(kept)), case
        check_scores(case, part, kept)
    assert cut > 100


def test_save_and_load(cases: list[Case], tmp_path: Path) -> None:
    for i, case in enumerate(cases[::40]):
        path = tmp_path / f"{i}.parquet"
        case.lattice.save(path)
        loaded = cr.Lattice.load(path)
        assert [tuple(c) for c in loaded] == [case.pair(c) for c in case.concepts], case
        assert loaded.context == case.context
        assert loaded.complete
        check_scores(case, loaded)
        for j, concept in enumerate(loaded):
            check_structure(case, j, concept)
            assert [tuple(c) for c in concept.upper_covers] == list(map(case.pair, case.upper[j]))
            assert [tuple(c) for c in concept.lower_covers] == list(map(case.pair, case.lower[j]))


def test_measures_of_the_mining_pass(cases: list[Case]) -> None:
    names = ("stability", "stability_extensional", "delta_measure", "cr")
    for case in cases[::10]:
        check_scores(case, case.context.lattice(measures=names))


def test_larger_contexts() -> None:
    random = Random(45)
    cases = [Case(larger_table(random)) for _ in range(12)]
    for case in cases:
        assert [tuple(c) for c in case.lattice] == [case.pair(c) for c in case.concepts], case
        check_scores(case, case.lattice)
        for i, concept in enumerate(case.lattice):
            check_structure(case, i, concept)
    for side in SIDES:
        assert max(len(faces) for case in cases for faces in case.faces[side]) > 8


@pytest.mark.parametrize("transposed", [False, True], ids=["wide", "tall"])
def test_more_elements_than_a_machine_word(transposed: bool) -> None:
    """The long side is scored by inclusion and exclusion, as its power set is out of reach."""
    random = Random(43)
    long, short = ("extent", "intent") if transposed else ("intent", "extent")
    stabilities = {"extent": "stability_intensional", "intent": "stability_extensional"}
    for _ in range(60):
        table = wide_table(random)
        case = Case(table.dual() if transposed else table)
        lattice, half = case.lattice, Fraction(1, 2)
        assert [tuple(c) for c in lattice] == [case.pair(c) for c in case.concepts], case
        for i, concept in enumerate(lattice):
            for side, faces in (("intent", concept.intent_faces), ("extent", concept.extent_faces)):
                assert faces == case.ordered(side, case.faces[side][i]), case
            assert [tuple(c) for c in concept.upper_covers] == list(map(case.pair, case.upper[i]))
            assert [tuple(c) for c in concept.lower_covers] == list(map(case.pair, case.lower[i]))
        expected = [
            oracle.hit_probability_of_few(sorted(faces), half) for faces in case.faces[long]
        ]
        assert_scores(case, lattice, stabilities[long], {}, expected)
        expected = [oracle.stability(case.table, c, short) for c in case.concepts]
        assert_scores(case, lattice, stabilities[short], {}, expected)
        deltas = [oracle.delta(case.table, c, case.concepts) for c in case.concepts]
        assert_scores(case, lattice, "delta_measure", {}, deltas)
        for side in SIDES:
            assert_scores(case, lattice, "cr_alpha", {"side": side}, case.alphas(side))
        counts = [len(oracle.minimal_generators(case.table, c, short)) for c in case.concepts]
        lengths = [oracle.side_of(case.table, c, short)[0].bit_count() for c in case.concepts]
        betas = [oracle.cr_beta(k, n, 0, "paper") for k, n in zip(counts, lengths, strict=True)]
        assert_scores(case, lattice, "cr_beta", {"side": short}, betas)
