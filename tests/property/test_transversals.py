"""The core's transversals of arbitrary families, against all subsets tried one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import oracle
from conceptrank import _core
from oracle import members, set_of
from strategies import KEEPS, Family, random_families

COUNT = 3000
PLENTY = 1 << 40


def packed(faces: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """A family as compressed rows: where each face begins, and all their elements."""
    listed = [members(face) for face in faces]
    starts = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    return starts, np.array([i for face in listed for i in face], dtype=np.uint32)


def unpacked(starts: NDArray[np.int64], elements: NDArray[np.uint32]) -> list[tuple[int, ...]]:
    return [tuple(int(i) for i in elements[begin:end]) for begin, end in pairwise(starts)]


def chance_to_miss(*arguments: Any, **options: Any) -> tuple[float, float, bool]:
    """The chance to miss a face, a bound on its error, and whether it counts as exact."""
    miss, error = _core.miss_probability(*arguments, **options)
    return miss, error, error <= 1e-12


def listing(n: int, faces: Sequence[int], limit: int = PLENTY) -> tuple[list[int], bool]:
    """The minimal transversals the core finds, each proven to be listed once and in order."""
    (starts, elements), complete = _core.minimal_transversals(packed(faces), n, limit)
    found = unpacked(starts, elements)
    assert all(list(t) == sorted(set(t)) for t in found)
    assert len(set(found)) == len(found)
    return [set_of(t) for t in found], complete


def test_minimal_transversals_and_their_number() -> None:
    for n, faces, _ in random_families(COUNT, seed=31):
        expected = oracle.minimal_transversals(faces, (1 << n) - 1)
        found, complete = listing(n, faces)
        assert (set(found), complete) == (expected, True), (n, faces)
        count, exact = _core.count_minimal_transversals(packed(faces), n, PLENTY)
        assert (count, exact) == (len(expected), True), (n, faces)


def test_miss_probability() -> None:
    for i, family in enumerate(random_families(COUNT, seed=32)):
        keep = float(KEEPS[i % len(KEEPS)])
        check_miss(family, keep)
        check_miss(family, 0.5)


def check_miss(family: Family, keep: float) -> None:
    n, faces, weights = family
    ground, expanded = family.expanded()
    expected = 1 - oracle.hit_probability(expanded, ground, Fraction(keep))
    multiplicities = np.array(weights, dtype=np.uint32)
    answers = [chance_to_miss(packed(faces), n, keep, multiplicities)]
    if set(weights) <= {1}:
        answers.append(chance_to_miss(packed(faces), n, keep, None))
    for miss, error, exact in answers:
        assert exact
        assert 0 <= miss <= 1
        assert miss == pytest.approx(float(expected), rel=1e-12, abs=0), (family, keep)
        assert distance(miss, expected) <= error, (family, keep)


def distance(found: float, expected: Fraction) -> float:
    """How far a float is from the truth, the difference itself being exact."""
    return float(abs(Fraction(found) - expected))


def test_a_miss_out_of_budget_is_enclosed() -> None:
    """Where the search had to stop, the error still reaches the truth."""
    random, stopped = Random(37), 0
    for _ in range(40):
        n = random.randint(10, 13)
        faces = [set_of(random.sample(range(n), random.choice((2, 3)))) for _ in range(24)]
        # Thirteen objects an element: too many for a downset, whose size no budget bounds.
        weights = np.full(n, 13, dtype=np.uint32)
        for keep in (0.02, 0.05):
            together = 1 - (1 - Fraction(keep)) ** 13
            expected = 1 - oracle.hit_probability(faces, (1 << n) - 1, together)
            for budget in (1, 8, 10**6):
                miss, error, exact = chance_to_miss(
                    packed(faces), n, keep, weights, state_budget=budget
                )
                stopped += not exact
                assert distance(miss, expected) <= error, (n, faces, keep, budget)
            assert exact
    assert stopped > 40


def test_order_of_the_faces_does_not_matter() -> None:
    random = Random(33)
    for n, faces, _ in random_families(200, seed=33):
        shuffled = faces.copy()
        random.shuffle(shuffled)
        assert set(listing(n, shuffled)[0]) == set(listing(n, faces)[0])
        first, second = (
            chance_to_miss(packed(order), n, 0.3, None)[0] for order in (faces, shuffled)
        )
        assert first == pytest.approx(second, rel=1e-13, abs=0)


def test_a_limit_cuts_the_listing_and_says_so() -> None:
    cut = 0
    for n, faces, _ in random_families(300, seed=34):
        expected = oracle.minimal_transversals(faces, (1 << n) - 1)
        for limit in (1, 3):
            found, complete = listing(n, faces, limit)
            assert set(found) <= expected
            assert len(found) == min(limit, len(expected))
            assert complete or len(expected) >= limit
            if len(expected) > limit:
                assert not complete
                cut += 1
    assert cut > 100


def test_a_count_out_of_budget_is_never_called_exact() -> None:
    random = Random(35)
    faces = [set_of(random.sample(range(60), 6)) for _ in range(60)]
    _, exact = _core.count_minimal_transversals(packed(faces), 60, 100)
    assert not exact
    for n, family, _ in random_families(300, seed=35):
        expected = len(oracle.minimal_transversals(family, (1 << n) - 1))
        for budget in (1, 4, 16):
            count, exact = _core.count_minimal_transversals(packed(family), n, budget)
            assert not exact or count == expected, (n, family, budget)


@pytest.mark.parametrize("pairs", [1, 10, 52, 60, 200, 1000])
def test_disjoint_pairs_double_the_count(pairs: int) -> None:
    faces = [0b11 << 2 * i for i in range(pairs)]
    count, exact = _core.count_minimal_transversals(packed(faces), 2 * pairs, PLENTY)
    assert exact
    assert count == 2.0**pairs


def test_disjoint_faces_multiply() -> None:
    sizes = (1, 3, 70, 129, 5)
    faces, used = [], 0
    for size in sizes:
        faces.append(set_of(range(used, used + size)))
        used += size
    count, exact = _core.count_minimal_transversals(packed(faces), used, PLENTY)
    assert (count, exact) == (prod(sizes), True)
    listed, complete = listing(used, faces, 10**6)
    assert complete
    assert len(listed) == prod(sizes)
    assert all((t & f).bit_count() == 1 for t in listed[::977] for f in faces)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_few_large_faces(keep: float) -> None:
    """Faces beyond a machine word, down to misses far smaller than a rounding of one."""
    random = Random(36)
    for _ in range(60):
        n = random.choice((64, 65, 130, 300))
        sizes = [random.choice((1, 2, 5, 14, 30, 55, 64)) for _ in range(random.randint(1, 7))]
        faces = [set_of(random.sample(range(n), size)) for size in sizes]
        expected = 1 - oracle.hit_probability_of_few(faces, Fraction(keep))
        miss, error, exact = chance_to_miss(packed(faces), n, keep, None)
        assert exact
        assert distance(miss, expected) <= error, (n, faces)
        assert distance(miss, expected) <= 1e-12 * expected, (n, faces)


@pytest.mark.parametrize("triangles", [1, 5, 22, 200])
def test_disjoint_triangles_triple_the_count(triangles: int) -> None:
    faces = [edge << 3 * i for i in range(triangles) for edge in (0b011, 0b101, 0b110)]
    count, exact = _core.count_minimal_transversals(packed(faces), 3 * triangles, PLENTY)
    assert exact
    assert count == pytest.approx(3.0**triangles, rel=1e-13)
    found, complete = listing(3 * triangles, faces, 1000)
    assert len(found) == min(3**triangles, 1000)
    assert complete == (triangles < 22)
    assert all(t.bit_count() == 2 * triangles for t in found)
    assert all(t & face for t in found[::100] for face in faces)


@pytest.mark.parametrize("n", [12, 40, 100])
def test_complete_graphs(n: int) -> None:
    """More faces than fit a word: a vertex cover lacks one vertex at most."""
    faces = [1 << i | 1 << j for i in range(n) for j in range(i)]
    assert _core.count_minimal_transversals(packed(faces), n, PLENTY) == (n, True)
    everything = (1 << n) - 1
    found, complete = listing(n, faces)
    assert complete
    assert set(found) == {everything & ~(1 << i) for i in range(n)}
    hit = Fraction(n + 1, 2**n)
    miss, error, exact = chance_to_miss(packed(faces), n, 0.5, None)
    assert distance(miss, 1 - hit) <= error
    assert exact
    assert error <= 1e-12


def path(n: int) -> list[int]:
    """The edges of a path over n vertices: a hit is a vertex cover."""
    return [0b11 << i for i in range(n - 1)]


@pytest.mark.parametrize("n", [2, 9, 10, 11, 40])
def test_minimal_vertex_covers_of_a_path(n: int) -> None:
    """Their number is a Padovan number: a(n) = a(n - 2) + a(n - 3)."""
    numbers = [1, 1, 2]
    while len(numbers) <= n:
        numbers.append(numbers[-2] + numbers[-3])
    assert _core.count_minimal_transversals(packed(path(n)), n, PLENTY) == (numbers[n], True)


@pytest.mark.parametrize("n", [2, 9, 10, 11, 40, 65, 500])
def test_vertex_covers_of_a_path(n: int) -> None:
    """Their number is a Fibonacci number: the complements have no two neighbours."""
    before, last = 1, 2
    for _ in range(n - 1):
        before, last = last, before + last
    expected = 1 - Fraction(last, 2**n)
    miss, error, exact = chance_to_miss(packed(path(n)), n, 0.5, None)
    assert exact
    assert distance(miss, expected) <= error <= 1e-10


@pytest.mark.parametrize("weight", [1, 2, 63, 64, 900])
def test_a_heavy_element_is_missed_seldom(weight: int) -> None:
    weights = np.array([weight, 1], dtype=np.uint32)
    for keep in (0.5, 0.1):
        expected = (1 - Fraction(keep)) ** weight
        miss, error, exact = chance_to_miss(packed([0b01]), 2, keep, weights)
        assert exact
        assert miss == pytest.approx(float(expected), rel=1e-12, abs=0)
        assert distance(miss, expected) <= error
