"""Laws of the theory that hold in every context, whatever the numbers are."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from conceptrank import _core
from oracle import Table
from strategies import (
    RELEVANCE,
    SIDES,
    chain,
    context_of,
    contranominal,
    everything,
    from_rows,
    nominal,
    random_context,
    tables,
)

Labels = tuple[str, ...]


def some_of(names: Labels) -> st.SearchStrategy[set[str]]:
    return st.sets(st.sampled_from(names)) if names else st.just(set())


@given(tables(), st.data())
def test_derivation_is_a_galois_connection(table: Table, data: st.DataObject) -> None:
    context = context_of(table)
    objects = data.draw(some_of(context.objects))
    attributes = data.draw(some_of(context.attributes))
    intension, extension = context.intension(objects), context.extension(attributes)
    assert (objects <= set(extension)) == (attributes <= set(intension))
    assert objects <= set(context.extension(intension))
    assert attributes <= set(context.intension(extension))
    assert context.intension(context.extension(intension)) == intension
    assert context.extension(context.intension(extension)) == extension


@given(tables(), st.data())
def test_closure_is_a_closure(table: Table, data: st.DataObject) -> None:
    context = context_of(table)
    some = data.draw(some_of(context.attributes))
    more = some | data.draw(some_of(context.attributes))
    closed = context.closure(some)
    assert some <= set(closed)
    assert set(closed) <= set(context.closure(more))
    assert context.closure(closed) == closed
    assert context.concept(*some).intent == closed
    assert context.lattice()[tuple(some)].intent == closed


@given(tables())
def test_every_subset_generates_one_concept(table: Table) -> None:
    lattice = context_of(table).lattice()
    objects = lattice.score("stability_intensional") @ 2.0**lattice.supports
    attributes = lattice.score("stability_extensional") @ 2.0**lattice.intent_sizes
    assert objects == pytest.approx(2**table.n, rel=1e-12)
    assert attributes == pytest.approx(2**table.q, rel=1e-12)


@given(tables())
def test_bounds_enclose_stability(table: Table) -> None:
    lattice = context_of(table).lattice()
    stability = lattice.score("stability")
    assert (lattice.score("stability_lower_bound") <= stability + 1e-15).all()
    assert (lattice.score("stability_upper_bound") >= stability - 1e-15).all()
    below_all = lattice.intent_sizes < table.q
    delta, logarithm = lattice.score("delta_measure"), lattice.score("log_stability")
    covers = np.array([len(concept.lower_covers) for concept in lattice])
    assert (logarithm[below_all] <= delta[below_all] + 1e-12).all()
    least = delta[below_all] - np.log2(covers[below_all])
    assert (logarithm[below_all] >= least - 1e-12).all()
    assert np.isinf(logarithm[~below_all]).all()


@given(tables())
def test_relevance_is_at_most_a_half(table: Table) -> None:
    lattice = context_of(table).lattice()
    for side in SIDES:
        scores = lattice.score("cr", side=side)
        alpha, beta = (lattice.score(name, side=side) for name in ("cr_alpha", "cr_beta"))
        assert (scores <= 0.5).all()
        assert (scores >= 0).all()
        assert (scores[alpha == 1] == 0.5).all()
        assert (beta[alpha == 1] == 0).all()


@given(tables())
def test_relevant_attributes_cap_extensional_stability(table: Table) -> None:
    lattice = context_of(table).lattice()
    relevant = np.array([len(concept.relevant_attributes) for concept in lattice])
    stability = lattice.score("stability_extensional")
    assert (stability <= 2.0**-relevant).all()
    whole = relevant == lattice.intent_sizes
    assert (stability[whole] == 2.0 ** -relevant[whole]).all()


@given(tables())
def test_generators_and_faces_are_dual(table: Table) -> None:
    for concept in context_of(table).lattice():
        generators = [set(generator) for generator in concept.minimal_generators]
        assert all(g & set(face) for g in generators for face in concept.intent_faces)
        assert set(concept.relevant_attributes) == set.intersection(*generators)
        alone = all(len(face) == 1 for face in concept.intent_faces)
        assert (len(generators) == 1) == alone


@given(tables())
def test_the_extent_side_is_the_intent_side_of_the_dual(table: Table) -> None:
    context, transposed = context_of(table), context_of(table.dual())
    assert context.transpose() == transposed
    lattice, dual = context.lattice(), transposed.lattice()
    place = {concept.intent: i for i, concept in enumerate(dual)}
    order = [place[concept.extent] for concept in lattice]
    assert len(dual) == len(lattice)
    for name in RELEVANCE:
        for side, other in (SIDES, SIDES[::-1]):
            expected = dual.score(name, side=other)[order]
            np.testing.assert_allclose(lattice.score(name, side=side), expected, atol=1e-15)
    np.testing.assert_allclose(
        lattice.score("stability_intensional"),
        dual.score("stability_extensional")[order],
        rtol=1e-14,
    )
    for concept, i in zip(lattice, order, strict=True):
        assert concept.extent_faces == dual[i].intent_faces
        assert concept.intent_faces == dual[i].extent_faces


@given(tables(max_objects=6), st.data())
def test_a_new_object_adds_at_most_one_face(table: Table, data: st.DataObject) -> None:
    row = data.draw(st.sets(st.integers(0, table.q - 1)) if table.q else st.just(set()))
    rows = [{m for m in range(table.q) if (g, m) in table.crosses} for g in range(table.n)]
    before, after = context_of(table), context_of(from_rows(table.q, [*rows, row]))
    names = {before.attributes[m] for m in row}
    for _, intent in before.lattice():
        faces = {frozenset(face) for face in before.concept(*intent).intent_faces}
        if not set(intent) <= names:
            faces.add(frozenset(intent) - names)
        concept = after.concept(*intent)
        assert concept.intent == intent
        assert {frozenset(face) for face in concept.intent_faces} == {
            face for face in faces if not any(other < face for other in faces)
        }


@given(tables())
def test_threads_do_not_change_a_byte(table: Table) -> None:
    assert everything(context_of(table), threads=1) == everything(context_of(table), threads=2)


def test_threads_do_not_change_a_byte_of_a_larger_lattice() -> None:
    context = random_context(80, 24, density=0.4, seed=51)
    assert len(context.lattice()) > 1000
    assert everything(context, threads=1) == everything(context, threads=2)


KERNEL_SCRIPT = """
import hashlib
import sys

sys.path.insert(0, sys.argv[1])
from conceptrank import _core
from strategies import context_of, everything, random_context, random_contexts

contexts = [context_of(table) for table in random_contexts(120, seed=52)]
contexts += [random_context(70, 20, density=0.4, seed=53)]
contexts += [random_context(9, 300, density=0.6, seed=54)]
digest = hashlib.sha256(b"".join(part for c in contexts for part in everything(c, threads=2)))
print(_core.active_kernel(), digest.hexdigest())
"""


def test_kernels_do_not_change_a_byte() -> None:
    digests = {}
    for kernel in _core.available_kernels():
        answer = subprocess.run(
            [sys.executable, "-c", KERNEL_SCRIPT, str(Path(strategies.__file__).parent)],
            env={**os.environ, "CONCEPTRANK_KERNEL": kernel},
            capture_output=True,
            text=True,
            check=True,
        )
        active, digests[kernel] = answer.stdout.split()
        assert active == kernel
    assert "baseline" in digests
    assert len(set(digests.values())) == 1, digests


@pytest.mark.parametrize("n", [8, 10, 12])
def test_contranominal_scales(n: int) -> None:
    """Every set is closed, every attribute relevant: all scores have a closed form."""
    lattice = context_of(contranominal(n)).lattice()
    sizes = lattice.intent_sizes
    assert len(lattice) == 2**n
    assert (lattice.supports == n - sizes).all()
    assert (lattice.score("stability_extensional") == 2.0**-sizes).all()
    assert (lattice.score("stability_intensional") == 2.0**-lattice.supports).all()
    assert (lattice.score("cr") == np.where(sizes > 0, 0.5, 0)).all()
    assert (lattice.score("cr", side="extent") == np.where(sizes < n, 0.5, 0)).all()
    assert (lattice.score("delta_measure") == np.where(sizes < n, 1, 0)).all()


@pytest.mark.parametrize("n", [3, 10, 63, 64, 65, 130, 1000])
def test_nominal_scales(n: int) -> None:
    """All pairs generate the top and the bottom: n faces, each lacking one element."""
    lattice = context_of(nominal(n)).lattice()
    assert len(lattice) == n + 2
    stability = float(1 - Fraction(n + 1, 2**n))
    assert lattice.score("stability_intensional")[0] == pytest.approx(stability, rel=1e-15)
    assert lattice.score("stability_extensional")[-1] == pytest.approx(stability, rel=1e-15)
    assert lattice.score("log_stability")[0] == pytest.approx(n - log2(n + 1), rel=1e-13)
    assert lattice.top.score("log_stability") == pytest.approx(n - log2(n + 1), rel=1e-13)
    assert lattice.score("delta_measure").tolist() == [n - 1, *[1] * n, 0]
    assert (lattice.score("cr_alpha")[1:-1] == 1).all()
    assert lattice.exact("stability").all()


@pytest.mark.parametrize("n", [3, 10, 63, 64, 65, 130])
def test_generators_of_nominal_scales(n: int) -> None:
    lattice = context_of(nominal(n)).lattice()
    beta = float(Fraction(n * (n - 1) // 2, 2**n - 2))
    for concept, side in ((lattice.top, "extent"), (lattice.bottom, "intent")):
        place = concept.index
        assert concept.score("cr_beta", side=side) == pytest.approx(beta, rel=1e-12, abs=0)
        assert lattice.score("cr_beta", side=side)[place] == pytest.approx(beta, rel=1e-12, abs=0)
        assert lattice.score("cr_alpha", side=side)[place] == 0
        assert lattice.exact("cr_beta", side=side).all()
    assert len(lattice.top.object_generators) == n * (n - 1) // 2
    assert len(lattice.bottom.minimal_generators) == n * (n - 1) // 2


@pytest.mark.parametrize("n", [2, 64, 65, 300])
def test_chains(n: int) -> None:
    """Every concept differs from the next by one object and one attribute."""
    lattice = context_of(chain(n)).lattice()
    assert lattice.supports.tolist() == list(range(n, -1, -1))
    for name in ("stability_intensional", "stability_extensional"):
        ends = lattice.score(name)[[-1, 0] if name == "stability_intensional" else [0, -1]]
        assert ends.tolist() == [1.0, 0.5]
        assert (np.sort(lattice.score(name))[:-1] == 0.5).all()
    sizes = lattice.intent_sizes
    np.testing.assert_allclose(lattice.score("cr_alpha"), (sizes > 0) / np.maximum(sizes, 1))
    assert not lattice.score("cr_beta").any()
    assert (lattice.score("delta_measure")[:-1] == 1).all()
