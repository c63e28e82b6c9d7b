"""Icebergs, lattices cut short or loaded from a file, and contexts beyond a machine word."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path
from random import Random

import numpy as np
import pytest

import conceptrank as cr
import oracle
from cases import Case, assert_scores, check_scores, check_structure, places
from oracle import Table
from strategies import MIDDLE_SHAPES, SIDES, larger_table, middle_table, random_table, wide_table


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


@pytest.mark.parametrize("shape", MIDDLE_SHAPES, ids=str)
def test_hundreds_of_concepts(shape: tuple[int, int, float]) -> None:
    """Too many for power sets of long sides: covers and deltas, and scores of a few concepts."""
    random, half = Random(46), Fraction(1, 2)
    for hubs in (0, 1, 2):
        case = Case(middle_table(random, shape, hubs=hubs))
        table, concepts, lattice = case.table, case.concepts, case.lattice
        place = {c: i for i, c in enumerate(concepts)}
        assert [tuple(c) for c in lattice] == [case.pair(c) for c in concepts], case
        assert places(lattice.upper_covers) == [[place[c] for c in up] for up in case.upper], case
        assert places(lattice.lower_covers) == [[place[c] for c in low] for low in case.lower], case
        assert lattice.deltas.tolist() == [oracle.delta(table, c, concepts) for c in concepts], case
        for side in SIDES:
            assert_scores(case, lattice, "cr_alpha", {"side": side}, case.alphas(side))
        stable = lattice.score("stability_intensional"), lattice.score("stability_extensional")
        betas = lattice.score("cr_beta")
        assert len(concepts) > 100
        for i in random.sample(range(len(concepts)), 40):
            alone = case.context.concept(*case.labels("intent", concepts[i].intent))
            for side, scores in zip(("extent", "intent"), stable, strict=True):
                faces = sorted(case.faces[side][i])
                if len(faces) <= 9:
                    expected = float(oracle.hit_probability_of_few(faces, half))
                    assert scores[i] == pytest.approx(expected, abs=1e-12), (case, i)
                found = alone.extent_faces if side == "extent" else alone.intent_faces
                assert found == case.ordered(side, faces), (case, i)
            length = concepts[i].intent.bit_count()
            if length <= 10:
                count = len(oracle.minimal_generators(table, concepts[i], "intent"))
                beta = oracle.cr_beta(count, length, 0, "paper")
                assert betas[i] == pytest.approx(float(beta), abs=1e-12), (case, i)


def test_a_small_table_inside_a_huge_one() -> None:
    """Objects with an attribute of their own are to all others one empty row and one empty column.

    So many of them leave no room for bit matrices: the table is worked with as lists.
    """
    random, filler = Random(47), 12_000
    for _ in range(6):
        small = Case(random_table(random))
        n, q = small.table.n, small.table.q
        padded = Case(Table(n + 1, q + 1, small.table.crosses))
        rows = [[m for m in range(q) if (g, m) in small.table.crosses] for g in range(n)]
        rows[1:1] = [[q + i] for i in range(filler)]
        objects = list(padded.names["extent"][:n])
        objects[1:1] = [f"filler {i}" for i in range(filler)]
        attributes = [*padded.names["intent"][:q], *(f"filler {i}" for i in range(filler))]
        indptr = np.cumsum([0, *map(len, rows)])
        huge = cr.Context.from_csr(objects, attributes, indptr, np.concatenate(rows).astype(int))
        for i, c in enumerate(padded.concepts):
            if c.intent and c.extent:
                concept = huge.concept(*padded.labels("intent", c.intent))
                check_structure(padded, i, concept)
                for name, side in (("stability", "extent"), ("stability_extensional", "intent")):
                    expected = float(padded.stabilities[side][i])
                    assert concept.score(name) == pytest.approx(expected, abs=1e-12), padded
                delta = oracle.delta(padded.table, c, padded.concepts)
                assert concept.score("delta_measure") == delta, padded
                for side in SIDES:
                    alpha, beta = padded.alphas(side)[i], padded.betas(side)[i]
                    relevance = concept.score("cr", side=side)
                    assert relevance == pytest.approx(float(alpha + beta) / 2, abs=1e-12), padded
