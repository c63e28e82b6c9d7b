"""The best concepts equal the sorted full lattice: all bounds, constraints, ties and threads."""

from random import Random

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.best import Best
from conceptrank.errors import MeasureError
from constraint_cases import best_of, meets, some_constraints, some_context

# One entry per bounded measure that needs no labels, with parameters that change its bound.
MEASURES = [
    *((name, {}) for name in ("support", "frequency", "intent_size", "own_objects")),
    *((name, {}) for name in ("own_attributes", "tile_area", "tile_density_share")),
    *((name, {}) for name in ("incidence_coverage", "separation", "delta_measure")),
    *((name, {}) for name in ("stability", "log_stability", "stability_lower_bound")),
    *((name, {}) for name in ("stability_upper_bound", "bond", "all_confidence")),
    ("stability_lower_bound", {"method": "covers", "log": True}),
    ("stability_upper_bound", {"method": "delta", "log": True}),
    *((name, {}) for name in ("cross_support", "leverage", "cr_alpha", "relevance_factor")),
    *((name, {}) for name in ("lift", "log_lift", "shannon_surprise")),
    ("delta_measure", {"bottom": "inf"}),
    ("delta_measure", {"side": "intent"}),
    ("stability_upper_bound", {"method": "delta"}),
    *(("robustness", {"alpha": alpha}) for alpha in (0.1, 0.9)),
    *(("expected_relevance", {"keep": keep}) for keep in (0.3, 0.5)),
    *(("cr_beta", {"beta": beta}) for beta in ("paper", "sperner", "sperner_free", "log")),
    *(("cr", {"activation": name}) for name in ("arithmetic", "max", "min", "quadratic")),
    *(("cr", {"activation": name}) for name in ("noisy_or", "product", "geometric", "harmonic")),
    *(("cr", {"activation": name}) for name in ("weighted:0.2", "logistic:10,0.4")),
    *((name, {}) for name in ("stable_leverage", "cohesive_margin", "minimal_generators")),
    ("cr", {"side": "extent"}),
    ("cr", {"beta": "sperner", "activation": "weighted:0.3"}),
]
LABELLED = ["wracc", "precision", "recall", "f1", "information_gain", "chi_squared"]
LABELLED += ["fisher_pvalue", "fisher_surprise"]
NUMERIC = [("variance_reduction", {}), *(("mean_shift", {"exponent": a}) for a in (0, 0.5, 1))]


def check(found: Best, full: cr.ranking.Ranking, k: int, *, all_ties: bool = False) -> None:
    """The rows are the first ones of the full ranking, to the last bit."""
    rows = len(full) if len(full) < k else k
    if all_ties and 0 < rows < len(full):
        rows = int((full.ranks <= full.ranks[rows - 1]).sum())
    expected = full.top(rows)
    assert [c.intent for _, c, _ in found] == [c.intent for _, c, _ in expected]
    assert found.ranks.tolist() == expected.ranks.tolist()
    for measure in expected.measures:
        assert found.score(measure).tobytes() == expected.score(measure).tobytes()
    assert found.complete
    assert found.proven == len(found)
    assert found.bound is None


@pytest.mark.parametrize("seed", range(6))
def test_best_equals_the_sorted_lattice(seed: int) -> None:
    random = Random(seed)
    for _ in range(20):
        context = some_context(random)
        lattice = context.lattice()
        constraints = some_constraints(random, context)
        meant = np.array([meets(constraints, context, c) for c in lattice], dtype=bool)
        for name, params in random.sample(MEASURES, 4):
            k, ties = random.choice((0, 1, 3, 10, 100)), random.choice(("first", "all"))
            then = random.choice(([], ["support"], ["cr"], ["bond", "delta_measure"]))
            found = best_of(
                context,
                k,
                (name, params),
                then=then,
                ties=ties,
                constraints=constraints,
                comparison=random.choice(("automatic", "bits", "counts")),
                threads=random.choice((1, 2)),
            )
            full = lattice.rank((name, params), then=then, where=meant)
            check(found, full, k, all_ties=ties == "all" and k > 0)


@pytest.mark.parametrize("seed", range(3))
def test_labels(seed: int) -> None:
    random = Random(100 + seed)
    for _ in range(15):
        context = some_context(random)
        lattice = context.lattice()
        constraints = some_constraints(random, context)
        meant = np.array([meets(constraints, context, c) for c in lattice], dtype=bool)
        labels = [random.randint(0, 1) for _ in context.objects]
        for name in LABELLED:
            k = random.choice((1, 3, 10))
            found = best_of(context, k, name, constraints=constraints, params={"labels": labels})
            check(found, lattice.rank(name, where=meant, labels=labels), k)


@pytest.mark.parametrize("seed", range(3))
def test_numeric_targets(seed: int) -> None:
    random = Random(200 + seed)
    for _ in range(15):
        context = some_context(random)
        lattice = context.lattice()
        constraints = some_constraints(random, context)
        meant = np.array([meets(constraints, context, c) for c in lattice], dtype=bool)
        labels = [random.randint(-3, 3) for _ in context.objects]
        for measure in NUMERIC:
            k = random.choice((1, 3, 10))
            found = best_of(context, k, measure, constraints=constraints, params={"labels": labels})
            check(found, lattice.rank(measure, where=meant, labels=labels), k)


def test_several_classes() -> None:
    random = Random(300)
    for _ in range(15):
        context = some_context(random)
        labels = [random.choice("abc") for _ in context.objects]
        for name in ("information_gain", "chi_squared"):
            found = best_of(context, 3, name, params={"labels": labels})
            check(found, context.lattice().rank(name, labels=labels), 3)


def test_combinations() -> None:
    names = [
        cr.measures.product("product of two", "stability", "cr"),
        cr.measures.product("product of three", "delta_measure", "bond", ("cr", {"beta": "log"})),
        cr.measures.weighted_sum("a sum", (0.3, "stability"), (2, "bond")),
    ]
    assert all(cr.measures.get(name).bound is not None for name in names)
    # Low leverage times low leverage is high, and a cohesion has no bound.
    for parts in (("leverage", "leverage"), ("stability", "cosine")):
        assert cr.measures.get(cr.measures.product("unbounded", *parts)).bound is None
    random = Random(77)
    for _ in range(15):
        context = some_context(random)
        lattice = context.lattice()
        constraints = some_constraints(random, context)
        meant = np.array([meets(constraints, context, c) for c in lattice], dtype=bool)
        for name in names:
            k = random.choice((1, 3, 10))
            found = best_of(context, k, name, then="support", constraints=constraints)
            check(found, lattice.rank(name, then="support", where=meant), k)


def test_combinations_with_labels() -> None:
    random = Random(78)
    for _ in range(20):
        context = some_context(random)
        labels = [random.random() < 0.4 for _ in context.objects]
        if not any(labels):
            continue
        own = {"labels": labels}
        by = cr.measures.weighted_sum(
            "a difference", (1, ("recall", own)), (-2, ("fisher_pvalue", own))
        )
        assert cr.measures.get(by).bound is not None
        check(best_of(context, 4, by), context.lattice().rank(by), 4)


def test_combinations_that_make_no_sense() -> None:
    with pytest.raises(MeasureError, match="low scores"):
        cr.measures.product("wrong", "independence_pvalue")
    with pytest.raises(MeasureError, match="at least one"):
        cr.measures.weighted_sum("nothing")
    with pytest.raises(MeasureError, match="a weight is a number"):
        cr.measures.weighted_sum("too much", (float("inf"), "support"))
