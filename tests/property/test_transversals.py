"""The core's transversals of arbitrary families, against all subsets tried one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

import oracle
from conceptrank import _core
from oracle import members, set_of
from strategies import random_families

COUNT = 3000
PLENTY = 1 << 40


def packed(faces: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """A family as compressed rows: where each face begins, and all their elements."""
    listed = [members(face) for face in faces]
    starts = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    return starts, np.array([i for face in listed for i in face], dtype=np.uint32)


def unpacked(starts: NDArray[np.int64], elements: NDArray[np.uint32]) -> list[tuple[int, ...]]:
    return [tuple(int(i) for i in elements[begin:end]) for begin, end in pairwise(starts)]


def listing(n: int, faces: Sequence[int], limit: int = PLENTY) -> tuple[list[int], bool]:
    """The minimal transversals the core finds, each proven to be listed once and in order."""
    (starts, elements), complete = _core.minimal_transversals(packed(faces), n, limit)
    found = unpacked(starts, elements)
    assert all(list(t) == sorted(set(t)) for t in found)
    assert len(set(found)) == len(found)
    return [set_of(t) for t in found], complete


def test_minimal_transversals() -> None:
    for n, faces, _ in random_families(COUNT, seed=31):
        expected = oracle.minimal_transversals(faces, (1 << n) - 1)
        found, complete = listing(n, faces)
        assert (set(found), complete) == (expected, True), (n, faces)


def test_order_of_the_faces_does_not_matter() -> None:
    random = Random(33)
    for n, faces, _ in random_families(200, seed=33):
        shuffled = faces.copy()
        random.shuffle(shuffled)
        assert set(listing(n, shuffled)[0]) == set(listing(n, faces)[0])


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


def test_disjoint_faces_multiply() -> None:
    sizes = (1, 3, 70, 129, 5)
    faces, used = [], 0
    for size in sizes:
        faces.append(set_of(range(used, used + size)))
        used += size
    listed, complete = listing(used, faces, 10**6)
    assert complete
    assert len(listed) == prod(sizes)
    assert all((t & f).bit_count() == 1 for t in listed[::977] for f in faces)


@pytest.mark.parametrize("triangles", [1, 5, 22, 200])
def test_disjoint_triangles(triangles: int) -> None:
    faces = [edge << 3 * i for i in range(triangles) for edge in (0b011, 0b101, 0b110)]
    found, complete = listing(3 * triangles, faces, 1000)
    assert len(found) == min(3**triangles, 1000)
    assert complete == (triangles < 22)
    assert all(t.bit_count() == 2 * triangles for t in found)
    assert all(t & face for t in found[::100] for face in faces)


@pytest.mark.parametrize("n", [12, 40, 100])
def test_complete_graphs(n: int) -> None:
    """More faces than fit a word: a vertex cover lacks one vertex at most."""
    faces = [1 << i | 1 << j for i in range(n) for j in range(i)]
    everything = (1 << n) - 1
    found, complete = listing(n, faces)
    assert complete
    assert set(found) == {everything & ~(1 << i) for i in range(n)}
