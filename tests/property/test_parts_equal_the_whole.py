"""Icebergs, lattices cut short or loaded from a file, and contexts beyond a machine word."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path
from random import Random

import pytest

import conceptrank as cr
import oracle
from cases import Case, assert_scores, check_scores, check_structure, places
from strategies import SIDES, larger_table, wide_table


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
