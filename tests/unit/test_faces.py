"""Needs of measures, and the columns that answer them."""

from __future__ import annotations

import numpy as np
import pytest

import conceptrank as cr
from conceptrank import _core, faces
from conceptrank.concepts import Concepts
from conceptrank.faces import FaceNeed, FaceScores, merged


def test_needs_of_one_side_are_one_pass() -> None:
    needs = [
        FaceNeed("extent", ("miss",)),
        FaceNeed("intent", ("generators",)),
        FaceNeed("extent", ("singletons", "generators")),
        FaceNeed("extent", ("sum",), keep=0.5),
    ]
    assert [(need.side, set(need.columns)) for need in merged(needs)] == [
        ("extent", {"miss", "sum", "singletons", "generators"}),
        ("intent", {"generators"}),
    ]


def test_each_probability_to_keep_is_a_pass_of_its_own() -> None:
    needs = [FaceNeed("extent", ("miss",), keep) for keep in (0.5, 0.9, 0.5)]
    assert [need.keep for need in merged([*needs, FaceNeed("extent", ("generators",))])] == [
        0.5,
        0.9,
    ]


class Counter:
    """Computes face scores and counts how often."""

    def __init__(self) -> None:
        self.calls: list[FaceNeed] = []

    def __call__(self, need: FaceNeed) -> tuple[np.ndarray, None]:
        self.calls.append(need)
        batch = cr.datasets.load("movies").lattice()
        matrix = _core.score_concepts(batch.context.core, batch.intents, need.side, need.for_core())
        return matrix, None


def test_columns_are_computed_once() -> None:
    scores, compute = FaceScores(), Counter()
    (miss,) = scores.columns(FaceNeed("extent", ("miss",)), compute)
    (again,) = scores.columns(FaceNeed("extent", ("miss",)), compute)
    scores.columns(FaceNeed("extent", ("exact", "singletons")), compute)
    assert again is miss
    assert len(compute.calls) == 1
    scores.columns(FaceNeed("extent", ("miss",), 0.9), compute)
    scores.columns(FaceNeed("intent", ("miss",)), compute)
    scores.columns(FaceNeed("extent", ("error",)), compute)
    assert len(compute.calls) == 4


def test_columns_without_a_probability_serve_all_of_them() -> None:
    scores, compute = FaceScores(), Counter()
    scores.columns(FaceNeed("extent", ("generators",), 0.9), compute)
    scores.columns(FaceNeed("extent", ("generators",), 0.5), compute)
    assert len(compute.calls) == 1


def test_a_number_of_generators_beyond_all_doubles_is_a_bound() -> None:
    need = FaceNeed("intent", ("generators", "generators_exact"))
    matrix = np.zeros((2, len(need.kept)))
    matrix[:, need.kept.index("generators")] = [3, np.inf]
    matrix[:, need.kept.index("generators_exact")] = 1
    generators, exact = FaceScores().columns(need, lambda _: (matrix, None))
    assert generators.tolist() == [3, np.finfo(np.float64).max]
    assert exact.tolist() == [True, False]


def test_robustness_is_a_column_at_another_probability() -> None:
    """The running example of measures.md: 1 - 2 (1 - p)^2 + (1 - p)^3."""
    t5 = cr.Context.from_itemsets(["abc", "ab", "abd", "bc", "cd"])
    lattice = t5.lattice()
    place = lattice["a"].index
    for keep in (0.1, 0.5, 0.9):
        (miss,) = lattice.face_scores("extent", "miss", keep=keep)
        assert 1 - miss[place] == pytest.approx(1 - 2 * (1 - keep) ** 2 + (1 - keep) ** 3)


def test_a_batch_of_some_concepts_is_part_of_the_lattice() -> None:
    lattice = cr.datasets.load("movies").lattice()
    offsets, values = lattice.intents
    chosen = slice(offsets[5], offsets[9])
    batch = Concepts(lattice.context, (offsets[5:10] - offsets[5], values[chosen]))
    assert [concept.intent for concept in batch] == [concept.intent for concept in lattice[5:9]]
    assert batch.supports.tolist() == lattice.supports[5:9].tolist()
    assert batch.deltas.tolist() == lattice.deltas[5:9].tolist()
    for side in ("intent", "extent"):
        columns = ("singletons", "generators", "miss")
        for own, whole in zip(
            batch.face_scores(side, *columns), lattice.face_scores(side, *columns), strict=True
        ):
            assert own.tolist() == whole[5:9].tolist()


def test_lower_covers_of_equal_and_implied_attributes() -> None:
    """b equals a, c implies both, d is full and e is empty."""
    rows = ["abcd", "abd", "d"]
    context = cr.Context.from_itemsets(rows, attributes="abcde")
    top = np.array([3], dtype=np.uint32)
    assert [cover.tolist() for cover in faces.lower_cover_intents(context, top)] == [[0, 1, 3]]
    bottom = np.arange(5, dtype=np.uint32)
    assert faces.lower_cover_intents(context, bottom) == []
