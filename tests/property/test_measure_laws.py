"""Laws that hold between measures, and between a context and its dual, whatever the numbers are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import conceptrank as cr
from oracle import Table
from strategies import SIDES, context_of, random_context, tables

Scores = NDArray[np.float64]

TINY = 1e-12
# Measures whose other side is what the dual context has.
TWO_SIDED = {
    "cr_alpha": {},
    "cr_beta": {},
    "conceptual_relevance": {},
    "minimal_generators": {},
    "expected_relevance": {"keep": 0.3},
    "relevance_factor": {"keep": 0.3},
    "delta_measure": {},
    "delta_relative": {},
    "stability_lower_bound": {"alpha": 0.4},
    "stability_upper_bound": {"alpha": 0.4},
    "log_stability": {},
    "robustness": {"alpha": 0.7},
    "concept_probability": {},
    "concept_surprise": {},
    "robustness_order": {},
}
PARTNERS = {
    "support": ("intent_size", {}),
    "own_objects": ("own_attributes", {}),
    "stability_intensional": ("stability_extensional", {}),
    "tile_area": ("tile_area", {}),
    "tile_density_share": ("tile_density_share", {}),
    "incidence_coverage": ("incidence_coverage", {}),
    "separation": ("separation", {}),
}


def with_its_dual(table: Table) -> tuple[cr.Lattice, cr.Lattice, list[int]]:
    """Both lattices, and where in the dual one the concepts of the first are."""
    lattice, dual = context_of(table).lattice(), context_of(table.dual()).lattice()
    place = {concept.intent: i for i, concept in enumerate(dual)}
    return lattice, dual, [place[concept.extent] for concept in lattice]


@given(tables())
def test_duality(table: Table) -> None:
    lattice, dual, order = with_its_dual(table)
    for name, params in TWO_SIDED.items():
        for side, other in (SIDES, SIDES[::-1]):
            found = lattice.score(name, side=side, **params)
            expected = dual.score(name, side=other, **params)[order]
            np.testing.assert_allclose(found, expected, rtol=TINY, atol=TINY, err_msg=name)
    for name, (partner, params) in PARTNERS.items():
        for one, two in ((name, partner), (partner, name)):
            found, expected = lattice.score(one, **params), dual.score(two, **params)[order]
            np.testing.assert_allclose(found, expected, rtol=TINY, atol=TINY, err_msg=one)


@given(tables(max_objects=6, max_attributes=6))
def test_duality_of_weights(table: Table) -> None:
    lattice, dual, order = with_its_dual(table)
    for agg in ("sum", "mean", "max", "min", "product", "owa"):
        weights = np.linspace(-1, 2, table.n)
        found = lattice.score("weighted_extent", weights=weights, agg=agg)
        expected = dual.score("weighted_intent", weights=weights, agg=agg)[order]
        np.testing.assert_allclose(found, expected, rtol=TINY, atol=TINY)


@given(tables())
def test_every_subset_generates_one_concept(table: Table) -> None:
    """At any probability to keep an element, what the concepts get adds up to certainty."""
    lattice = context_of(table).lattice()
    for keep in (0.2, 0.5, 0.9):
        n, q = table.n, table.q
        inside = lattice.score("robustness", alpha=keep) * (1 - keep) ** (n - lattice.supports)
        assert inside.sum() == pytest.approx(1, abs=TINY)
        inside = lattice.score("robustness", alpha=keep, side="intent")
        inside *= (1 - keep) ** (q - lattice.intent_sizes)
        assert inside.sum() == pytest.approx(1, abs=TINY)
    subsets = lattice.score("stability_intensional") @ 2.0**lattice.supports
    assert subsets == pytest.approx(2.0**table.n, rel=TINY)


@given(tables())
def test_bounds_are_ordered(table: Table) -> None:
    lattice = context_of(table).lattice()

    def ordered(*scores: Scores) -> None:
        for less, more in pairwise(scores):
            assert (less <= more + TINY).all()

    for alpha in (0.1, 0.5, 0.8):
        for side in ("extent", "intent"):

            def bound(which: str, method: str, alpha: float = alpha, side: str = side) -> Scores:
                return lattice.score(f"{which}_bound", method=method, side=side, alpha=alpha)

            union, fkg = (bound("stability_lower", method) for method in ("union", "fkg"))
            tightest, delta, pairs = (
                bound("stability_upper", method) for method in ("tightest", "delta", "bonferroni")
            )
            exact = lattice.score("robustness", alpha=alpha, side=side)
            ordered(union, fkg, exact, tightest, delta, np.ones(len(lattice)))
            ordered(tightest, pairs)
            ordered(np.zeros(len(lattice)), fkg)
    finite = lattice.intent_sizes < table.q
    loose = lattice.score("stability_lower_bound", method="attributes", log=True)
    bounds = (
        loose,
        lattice.score("stability_lower_bound", method="covers", log=True),
        lattice.score("log_stability"),
        lattice.score("stability_upper_bound", method="delta", log=True),
    )
    ordered(*(scores[finite] for scores in bounds))
    assert all(np.isinf(scores[~finite]).all() for scores in bounds)
    np.testing.assert_array_equal(bounds[-1][finite], lattice.score("delta_measure")[finite])


@given(tables())
def test_robustness_grows_with_what_is_kept(table: Table) -> None:
    lattice = context_of(table).lattice()
    for side in ("extent", "intent"):
        alphas = (0, 0.2, 0.5, 0.75, 1)
        scores = [lattice.score("robustness", alpha=alpha, side=side) for alpha in alphas]
        for less, more in pairwise(scores):
            assert (less <= more + TINY).all()
        assert (scores[-1] == 1).all()
    stability = lattice.score("stability_intensional")
    np.testing.assert_allclose(lattice.score("robustness", alpha=0.5), stability, atol=TINY)


@given(tables())
def test_relevance(table: Table) -> None:
    """CR is at most 1/2; its expectation is at most α, and becomes α when all is kept."""
    lattice = context_of(table).lattice()
    for side in SIDES:
        alpha = lattice.score("cr_alpha", side=side)
        assert (lattice.score("cr", side=side) <= 0.5).all()
        factors = [lattice.score("relevance_factor", keep=k, side=side) for k in (0.2, 0.6, 1)]
        for less, more in pairwise(factors):
            assert (less <= more + TINY).all()
        np.testing.assert_allclose(factors[-1], alpha, atol=TINY)
        expected = lattice.score("expected_relevance", keep=0.6, side=side)
        assert (expected <= factors[1] + TINY).all()
        everything = lattice.score("expected_relevance", keep=1, side=side)
        np.testing.assert_allclose(everything, alpha, atol=TINY)


@given(tables())
def test_itemset_measures_are_ordered(table: Table) -> None:
    lattice = context_of(table).lattice()
    bond, confidence, cosine, cross, lift, leverage, z = (
        lattice.score(name)
        for name in (
            *("bond", "all_confidence", "cosine", "cross_support"),
            *("lift", "leverage", "independence_z"),
        )
    )
    assert (bond <= confidence + TINY).all()
    assert (confidence <= cosine + TINY).all()
    assert (confidence <= cross + TINY).all()
    for scores in (bond, confidence, cosine, cross):
        assert (scores >= 0).all()
        assert (scores <= 1).all()
    # More frequent than by chance in every sense, or in none.
    above = lift > 1 + TINY
    assert (leverage[above] > -TINY).all()
    assert (z[above] > -TINY).all()
    tail, surprise = lattice.score("independence_pvalue"), lattice.score("shannon_surprise")
    np.testing.assert_allclose(np.exp(-surprise), tail, rtol=TINY)
    some = lift > 0
    np.testing.assert_allclose(lattice.score("log_lift")[some], np.log2(lift[some]), atol=TINY)


@given(tables())
def test_cohesion_and_the_basic_level(table: Table) -> None:
    lattice = context_of(table).lattice()
    for kind in ("jaccard", "smc"):
        average = lattice.score("cohesion_avg", similarity=kind)
        assert (lattice.score("cohesion_min", similarity=kind) <= average + TINY).all()
        selves = lattice.score("cohesion_avg", similarity=kind, include_self=True)
        assert (average <= selves + TINY).all()
        scores = {
            norm: lattice.score("basic_level_similarity", similarity=kind, norm=norm)
            for norm in ("lukasiewicz", "product", "min")
        }
        for less, more in pairwise(scores.values()):
            assert (less <= more + TINY).all()
        assert (scores["min"] <= average + TINY).all()
        ends = [0, len(lattice) - 1]
        assert (scores["min"][ends] == 0).all()
        loose, middle, close = (
            lattice.score("basic_level_similarity", similarity=kind, theta=theta)
            for theta in (0, 0.5, 1)
        )
        assert ((middle == loose) | (middle == 0)).all()
        assert ((close == middle) | (close == 0)).all()
        strict = lattice.score("basic_level_similarity", similarity=kind, strict=True)
        assert (strict >= 0).all()


@given(tables(), st.data())
def test_labels(table: Table, data: st.DataObject) -> None:
    lattice = context_of(table).lattice()
    labels = data.draw(st.lists(st.sampled_from("xyz"), min_size=table.n, max_size=table.n))
    gain = lattice.score("information_gain", labels=labels)
    assert (gain >= 0).all()
    assert (gain <= lattice.score("target_entropy", labels=labels)[0] + TINY).all()
    assert gain[0] == pytest.approx(0, abs=TINY)
    marks = [label == "x" for label in labels]
    scores = {
        name: lattice.score(name, labels=marks) for name in ("precision", "recall", "f1", "wracc")
    }
    low, high = (f(scores["precision"], scores["recall"]) for f in (np.minimum, np.maximum))
    assert (low - TINY <= scores["f1"]).all()
    assert (scores["f1"] <= high + TINY).all()
    assert (np.abs(scores["wracc"]) <= 0.25 + TINY).all()
    variance = lattice.score("target_variance", labels=marks)
    precision = scores["precision"]
    np.testing.assert_allclose(variance, precision * (1 - precision), atol=TINY)


@given(tables())
def test_margins(table: Table) -> None:
    """Own objects and own attributes are all there are; separation and coverage are shares."""
    lattice = context_of(table).lattice()
    assert lattice.score("own_objects").sum() == table.n
    assert lattice.score("own_attributes").sum() == table.q
    area = lattice.score("tile_area")
    assert (lattice.score("separation") <= 1).all()
    assert (lattice.score("separation")[area > 0] > 0).all()
    if table.crosses:
        share = lattice.score("incidence_coverage") * len(table.crosses)
        np.testing.assert_allclose(share, area, atol=TINY)
    predicted = lattice.score("predictability")
    assert (predicted >= 0).all()
    assert (predicted <= 1).all()


@given(tables())
def test_tolerance(table: Table) -> None:
    lattice = context_of(table).lattice()
    relative = lattice.score("delta_relative")
    assert (relative <= 1).all()
    assert (relative[lattice.supports > 0] > 0).all()
    for tolerance in (0, 0.25, 0.5, 1):
        closed = lattice.score("is_delta_tolerance_closed", delta=tolerance)
        bottom = lattice.intent_sizes == table.q
        assert (closed == ((relative > tolerance) | bottom)).all()
    everything = lattice.score("is_delta_tolerance_closed", delta=0)
    assert everything.all()


@given(tables(max_objects=6, max_attributes=6), st.data())
def test_the_order_of_rows_does_not_matter(table: Table, data: st.DataObject) -> None:
    names = data.draw(st.permutations(range(table.n)))
    context = context_of(table)
    shuffled = context.select(objects=[context.objects[i] for i in names])
    lattice, other = context.lattice(), shuffled.lattice()
    assert [c.intent for c in lattice] == [c.intent for c in other]
    for name in cr.measures.available()["name"]:
        measure = cr.measures.get(name)
        if measure.needs not in ("labels", "weights", "lattice"):
            if name.startswith("is_"):
                continue
            one, two = lattice.score(name), other.score(name)
            np.testing.assert_allclose(one, two, rtol=1e-11, atol=TINY, err_msg=name)


def test_threads_do_not_change_a_byte() -> None:
    context = random_context(80, 24, density=0.4, seed=91)
    one, two = (context.lattice(threads=threads) for threads in (1, 2))
    for name in (
        *("separation", "predictability", "category_utility", "cohesion_avg", "cohesion_min"),
        *("basic_level_similarity", "robustness", "expected_relevance", "concept_probability"),
    ):
        assert one.score(name).tobytes() == two.score(name).tobytes(), name
