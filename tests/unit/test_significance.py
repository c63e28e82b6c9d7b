"""Significance: p-values and corrections against their definitions, and their validity."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import conceptrank as cr
from conceptrank._util import lists as _lists
from conceptrank.concepts import Concepts
from conceptrank.errors import ConceptRankError, MeasureError, UnknownNameError
from conceptrank.evaluation import (
    benjamini_hochberg,
    benjamini_yekutieli,
    multiplicity,
    nulls,
    significance,
)
from conceptrank.evaluation._comparison import Comparison
from conceptrank.evaluation._work import Run
from conceptrank.measures import registry
from data_files import data_path
from strategies import random_context

T5 = cr.Context(
    "12345", "abcd", [[m in row for m in "abcd"] for row in ("abc", "ab", "abd", "bc", "cd")]
)
MOVIES = cr.datasets.load("movies")
NULLS = nulls.available()["name"].to_list()
# For intents that count as chosen beforehand.
fixed = partial(significance, fixed=True)


@pytest.fixture(autouse=True)
def _registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep measures that a test adds to itself."""
    for table in ("_MEASURES", "_NAMES"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))


def null_contexts(context: cr.Context, null: str, samples: int, seed: int) -> list[cr.Context]:
    """The random contexts that a test draws."""
    source = nulls.NullSource(context, null, seed)
    source.prepare()
    return [
        cr.Context.from_csr(context.objects, context.attributes, *source.draw(i))
        for i in range(samples)
    ]


def literal_scores(
    concepts: list[cr.Concept], others: list[cr.Context], measure: str, worst: float
) -> NDArray[np.float64]:
    """Scores of the intents in other contexts, one at a time."""
    scores = np.full((len(others), len(concepts)), worst)
    for i, context in enumerate(others):
        for j, concept in enumerate(concepts):
            if measure == "support":
                scores[i, j] = len(context.extension(concept.intent))
            elif context.closure(concept.intent) == concept.intent:
                scores[i, j] = context.concept(*concept.intent).score(measure)
    return scores


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("measure", ["support", "stability", "cr", "delta_measure"])
def test_p_values_by_definition(null: str, measure: str) -> None:
    samples = 30
    lattice = MOVIES.lattice()
    result = fixed(lattice, measure=measure, null=null, samples=samples, seed=2)
    scores = literal_scores(list(lattice), null_contexts(MOVIES, null, samples, 2), measure, 0.0)
    observed = lattice.score(measure)
    assert np.array_equal(result.observed, observed)
    counts = (scores >= observed - 1e-9).sum(axis=0)
    assert np.array_equal(result.pvalues, (1 + counts) / (1 + samples))
    assert np.allclose(result.expected, scores.mean(axis=0), rtol=0, atol=1e-12)
    less = fixed(lattice, measure=measure, null=null, samples=samples, seed=2, alternative="less")
    counts = (scores <= observed + 1e-9).sum(axis=0)
    assert np.array_equal(less.pvalues, (1 + counts) / (1 + samples))


def test_low_scores_of_a_measure_that_wants_them() -> None:
    @cr.measure("impurity", direction="lower")
    def impurity(concept: cr.Concept) -> float:
        return 1 / (1 + concept.support)

    lattice = MOVIES.lattice()
    result = fixed(lattice, measure="impurity", samples=40, seed=3)
    assert result.alternative == "less"
    others = null_contexts(MOVIES, "curveball", 40, 3)
    scores = literal_scores(list(lattice), others, "impurity", np.inf)
    counts = (scores <= result.observed).sum(axis=0)
    assert np.array_equal(result.pvalues, (1 + counts) / 41)
    finite = np.where(np.isfinite(scores), scores, np.nan)
    closed = np.isfinite(scores).any(axis=0)
    assert np.allclose(result.expected[closed], np.nanmean(finite[:, closed], axis=0))
    assert np.isinf(result.expected[~closed]).all()


def test_a_score_that_is_undefined_is_not_significant() -> None:
    @cr.measure("odd", vectorised=True)
    def odd(concepts: Concepts) -> NDArray[np.float64]:
        return np.where(concepts.supports % 2, concepts.supports, np.nan)

    for correction in ("bh", "westfall_young"):
        result = fixed(MOVIES, measure="odd", samples=20, correction=correction)
        undefined = np.isnan(result.observed)
        assert undefined.any()
        assert (result.pvalues[undefined] == 1).all()
        assert (result.adjusted[undefined] == 1).all()
        assert np.isfinite(result.adjusted).all()


def test_infinite_scores_compare() -> None:
    result = fixed(MOVIES, measure="log_stability", samples=50, correction="westfall_young")
    assert np.isinf(result.observed).any()
    assert np.isfinite(result.pvalues).all()
    assert (result.adjusted >= result.pvalues).all()


@pytest.mark.parametrize("null", ["swap", "curveball"])
def test_the_pair_of_t5_against_its_margins(null: str) -> None:
    n = 10_000
    result = fixed(T5.concept("a", "b"), null=null, samples=n, seed=11, correction=None)
    share = (result.pvalues[0] * (n + 1) - 1) / n
    assert abs(share - 8 / 39) < 3 * (8 / 39 * 31 / 39 / n) ** 0.5


def test_the_pair_of_t5_as_in_fishers_test() -> None:
    n = 10_000
    result = fixed(T5.concept("a", "b"), null="shuffle_columns", samples=n, correction=None)
    assert abs(result.pvalues[0] - 2 / 5) < 3 * (0.24 / n) ** 0.5
    assert result.distance is None


def test_p_values_are_uniform_under_the_null() -> None:
    # With real weights on the objects there are no ties: p-values are uniform on their grid.
    start = random_context(40, 5, density=0.5, seed=7)
    weight = dict(zip(start.objects, np.random.default_rng(1).random(40), strict=True))

    @cr.measure("weight")
    def weight_of(concept: cr.Concept) -> float:
        return sum(weight[name] for name in concept.extent)

    intent = np.array([0, 2]), np.array([0, 1], dtype=np.uint32)
    runs, samples = 300, 39
    pvalues, supports = [], []
    for i in range(runs):
        drawn = cr.datasets.random.curveball(start, trades=400, seed=8, stream=i)
        batch = Concepts(drawn, intent)
        # Not enough trades to forget the start: exact all the same, thanks to the hub.
        options = {"null": ("curveball", {"trades": 40}), "samples": samples, "seed": i}
        pvalues += fixed(batch, measure="weight", threads=1, **options).pvalues.tolist()
        supports += fixed(batch, threads=1, **options).pvalues.tolist()
    places = np.round(np.array(pvalues) * (samples + 1)).astype(int)
    assert stats.chisquare(np.bincount((places - 1) // 4, minlength=10)).pvalue > 1e-3
    grid = np.arange(1, samples + 2) / (samples + 1)
    largest_gap = max(abs((np.array(pvalues) <= p + 1e-9).mean() - p) for p in grid)
    assert largest_gap < 1.63 / runs**0.5  # Kolmogorov's limit at 1 %
    # With ties they are larger, never smaller.
    error = (0.25 / runs) ** 0.5
    assert all((np.array(supports) <= p + 1e-9).mean() <= p + 3 * error for p in grid)


def test_the_family_wise_error_is_kept_under_the_null() -> None:
    # The sets to test are fixed, not found in the same table.
    start = random_context(25, 6, density=0.5, seed=9)
    sets = [np.array(c, dtype=np.uint32) for k in (1, 2, 3, 4) for c in combinations(range(6), k)]
    false = 0
    for i in range(200):
        drawn = cr.datasets.random.curveball(start, seed=10, stream=i)
        result = fixed(
            Concepts(drawn, _lists.joined(sets)),
            samples=39,
            seed=i,
            correction="westfall_young",
            alpha=0.1,
        )
        false += bool(result.significant.any())
    assert 0 < false <= 20 + 3 * 18**0.5


def false_discoveries(test: Callable[[cr.Context, int], cr.evaluation.SignificanceResult]) -> int:
    """On how many of 80 tables without structure beyond their margins a test finds something."""
    start = random_context(60, 8, density=0.2, seed=31)
    drawn = (cr.datasets.random.curveball(start, seed=32, stream=i) for i in range(80))
    return sum(bool(test(table, i).significant.any()) for i, table in enumerate(drawn))


# Of 80 tables, a test that keeps its level of 5 % finds something on more than 10 of them with a
# chance of 0.2 %.
@pytest.mark.parametrize("min_support", [1, 4])
def test_the_error_is_kept_for_concepts_mined_from_the_same_table(min_support: int) -> None:
    def mined(table: cr.Context, seed: int, **options: object) -> cr.evaluation.SignificanceResult:
        lattice = table.lattice(min_support=min_support)
        return significance(lattice, samples=19, seed=seed, threads=1, **options)

    assert false_discoveries(mined) <= 10
    # The same concepts as if they had been chosen beforehand.
    assert false_discoveries(partial(mined, fixed=True)) > 10


def test_the_error_is_kept_for_the_best_of_a_ranking() -> None:
    def best(table: cr.Context, seed: int, **options: object) -> cr.evaluation.SignificanceResult:
        ranking = table.lattice().rank(by="lift").top(10)
        return significance(ranking, measure="lift", samples=19, seed=seed, threads=1, **options)

    assert false_discoveries(best) <= 10


@pytest.mark.parametrize("measure", ["support", "frequency", "lift", "independence_pvalue"])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_mined_concepts_are_compared_with_all_of_each_random_table(
    measure: str, alternative: str
) -> None:
    lattice = MOVIES.lattice(min_support=2)
    result = significance(lattice, measure=measure, alternative=alternative, samples=30, seed=3)
    sign = 1 if alternative == "greater" else -1
    compared = measure
    if measure in ("support", "frequency"):
        compared = "shannon_surprise" if sign > 0 else "independence_z"
    maxima = [
        max(sign * c.score(compared) for c in table.lattice() if c.support >= 2)
        for table in null_contexts(MOVIES, "curveball", 30, 3)
    ]
    assert np.allclose(result.maxima, maxima)
    for place, concept in enumerate(lattice):
        reached = sum(most >= sign * concept.score(compared) - 1e-9 for most in maxima)
        assert result.adjusted[place] == pytest.approx((1 + reached) / 31)
    # A selection is compared with the same maxima.
    part = lattice.rank(by="lift").top(3)
    few = significance(part, measure=measure, alternative=alternative, samples=30, seed=3)
    assert np.array_equal(few.adjusted, result.adjusted[part.order])


@pytest.mark.parametrize("correction", ["bh", "by", None])
def test_other_corrections_are_refused_for_mined_concepts(correction: str | None) -> None:
    with pytest.raises(ConceptRankError, match=r"hint: keep 'westfall_young', .*holdout.*fixed"):
        significance(MOVIES, correction=correction, samples=5)
    significance(MOVIES, correction=correction, samples=5, holdout=MOVIES)


def test_mined_concepts_find_planted_structure() -> None:
    rows = [[m in (0, 1, 2) or (g * 7 + m * 3) % 5 == 0 for m in range(8)] for g in range(20)]
    rows += [[(g * 3 + m * 5) % 4 == 0 for m in range(3, 11)] for g in range(40)]
    context = cr.Context(list(map(str, range(60))), "abcdefgh", rows)
    result = significance(context, samples=39)
    best = result.concepts[int(np.argmin(result.adjusted))]
    assert result.significant.any()
    assert {"a", "b", "c"} <= set(best.intent)


def literal_step_up(p: NDArray[np.float64], factor: float) -> list[float]:
    """For each p the least level at which the step-up procedure rejects it."""
    m = len(p)
    ordered = sorted(p)
    levels = [ordered[k] * m * factor / (k + 1) for k in range(m)]
    return [
        min(1.0, *(level for level, bound in zip(levels, ordered, strict=True) if bound >= x))
        for x in p
    ]


def test_step_up_corrections_by_definition() -> None:
    random = np.random.default_rng(12)
    for m in [1, 2, 5, 40]:
        for _ in range(20):
            p = np.round(random.random(m) ** 2, 2)
            harmonic = sum(1 / k for k in range(1, m + 1))
            assert np.allclose(benjamini_hochberg(p), literal_step_up(p, 1.0))
            assert np.allclose(benjamini_yekutieli(p), literal_step_up(p, harmonic))
            assert np.allclose(benjamini_hochberg(p), stats.false_discovery_control(p))
            assert np.allclose(
                benjamini_yekutieli(p), stats.false_discovery_control(p, method="by")
            )
    assert len(benjamini_hochberg([])) == 0
    for wrong in ([1.5], [[0.1]], [np.nan]):
        with pytest.raises(ValueError, match="between 0 and 1"):
            benjamini_hochberg(wrong)


def literal_westfall_young(
    observed: NDArray[np.float64], nulls: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Step down: each test against the maxima over the tests that are not larger."""
    adjusted = np.zeros(len(observed))
    order = sorted(range(len(observed)), key=lambda i: -observed[i])
    before = 0.0
    for place, i in enumerate(order):
        rest = order[place:]
        reached = sum(max(null[j] for j in rest) >= observed[i] for null in nulls)
        before = max(before, (1 + reached) / (1 + len(nulls)))
        adjusted[i] = before
    return adjusted


def test_westfall_young_by_definition() -> None:
    random = np.random.default_rng(13)
    for m in [1, 2, 7, 30]:
        for _ in range(10):
            observed = random.permutation(np.round(random.normal(1, 1, m), 3) + np.arange(m) * 1e-5)
            null = np.round(random.normal(size=(49, m)), 3)
            adjusted, maxima = multiplicity.westfall_young(observed, iter(null))
            assert np.allclose(adjusted, literal_westfall_young(observed, null))
            assert np.array_equal(maxima, null.max(axis=1))
    adjusted, maxima = multiplicity.westfall_young(np.array([1.0]), [])
    assert (adjusted.tolist(), len(maxima)) == ([1.0], 0)


@pytest.mark.parametrize("measure", ["support", "stability"])
def test_westfall_young_of_a_lattice(measure: str) -> None:
    samples = 60
    lattice = MOVIES.lattice()
    result = fixed(lattice, measure=measure, samples=samples, seed=4, correction="westfall_young")
    others = null_contexts(MOVIES, "curveball", samples, 4)
    scores = literal_scores(list(lattice), others, measure, 0.0)
    everything = np.vstack([scores, result.observed])
    spread = everything.std(axis=0)
    spread[spread < 1e-9] = np.inf
    standard = (everything - everything.mean(axis=0)) / spread
    expected = literal_westfall_young(standard[-1], standard[:-1])
    # Equal statistics of different concepts may come in any order.
    assert np.allclose(result.adjusted, expected, atol=1e-9)
    assert result.maxima is not None
    assert np.allclose(result.maxima, standard[:-1].max(axis=1))
    assert (result.adjusted >= result.pvalues).all()


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("measure", ["support", "cr"])
def test_the_number_of_threads_changes_nothing(null: str, measure: str) -> None:
    lattice = random_context(40, 10, density=0.3, seed=14).lattice()
    first, *others = (
        fixed(
            lattice,
            measure=measure,
            null=null,
            samples=20,
            seed=5,
            threads=threads,
            correction="westfall_young",
        )
        for threads in (1, 2, 5, 0)
    )
    for other in others:
        for name in ("pvalues", "adjusted", "expected", "maxima"):
            assert np.array_equal(getattr(first, name), getattr(other, name)), name


def test_what_can_be_tested() -> None:
    lattice = MOVIES.lattice()
    by_context, by_lattice = (fixed(x, samples=20, seed=6) for x in (MOVIES, lattice))
    assert np.array_equal(by_context.pvalues, by_lattice.pvalues)
    ranking = lattice.rank(by="stability").top(4)
    by_ranking = fixed(ranking, samples=20, seed=6)
    by_concepts = fixed([lattice[int(i)] for i in ranking.order], samples=20, seed=6)
    assert np.array_equal(by_ranking.pvalues, by_lattice.pvalues[ranking.order])
    assert np.array_equal(by_concepts.pvalues, by_ranking.pvalues)
    one = fixed(lattice[3], samples=20, seed=6)
    assert one.pvalues.tolist() == [by_lattice.pvalues[3]]
    part = fixed(MOVIES.lattice(min_support=4), samples=20, seed=6)
    assert np.array_equal(part.pvalues, by_lattice.pvalues[: len(part)])
    with pytest.raises(ConceptRankError, match="concepts of one context are wanted, got 2"):
        fixed([lattice[0], T5.concept("a")], samples=2)
    with pytest.raises(ConceptRankError, match="got 0 contexts"):
        fixed([], samples=2)


@pytest.mark.parametrize("measure", ["support", "stability"])
def test_a_half_that_was_not_mined(measure: str) -> None:
    context = random_context(40, 6, density=0.5, seed=16)
    indptr, indices = context.rows()
    halves = [
        cr.Context.from_csr(
            context.objects[begin : begin + 20],
            context.attributes,
            indptr[begin : begin + 21] - indptr[begin],
            indices[indptr[begin] : indptr[begin + 20]],
        )
        for begin in (0, 20)
    ]
    lattice = halves[0].lattice()
    result = fixed(lattice, measure=measure, samples=15, seed=9, holdout=halves[1])
    observed = literal_scores(list(lattice), [halves[1]], measure, 0.0)[0]
    assert np.allclose(result.observed, observed)
    others = null_contexts(halves[1], "curveball", 15, 9)
    scores = literal_scores(list(lattice), others, measure, 0.0)
    assert np.array_equal(result.pvalues, (1 + (scores >= observed - 1e-9).sum(axis=0)) / 16)
    with pytest.raises(ConceptRankError, match="holdout must have the same attributes"):
        fixed(lattice, holdout=MOVIES)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"measure": "suport"}, UnknownNameError, "did you mean 'support'"),
        ({"measure": ("cr", {"sides": 1})}, MeasureError, "no parameter 'sides'"),
        ({"null": "swapp"}, UnknownNameError, "did you mean 'swap'"),
        ({"correction": "bonferroni"}, ValueError, "correction must be .bh., .by."),
        ({"alternative": "two-sided"}, ValueError, "alternative must be"),
        ({"samples": 0}, ValueError, "samples must be"),
        ({"samples": 2.5}, ValueError, "samples must be a whole number"),
        ({"threads": -1}, ValueError, "threads must be a whole number"),
        ({"alpha": 2}, ValueError, "alpha must be between 0 and 1"),
        ({"seed": -3}, ValueError, "seed must be a whole number"),
    ],
)
def test_wrong_arguments(options: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fixed(MOVIES, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (4, 1)])
@pytest.mark.parametrize("measure", ["support", "stability", "cr"])
@pytest.mark.parametrize("fill", [False, True])
def test_tiny_contexts(shape: tuple[int, int], measure: str, fill: bool) -> None:
    objects, attributes = (list(map(str, range(k))) for k in shape)
    context = cr.Context(objects, attributes, np.full(shape, fill))
    for null in NULLS:
        for correction in ("by", "westfall_young", None):
            result = fixed(context, measure=measure, null=null, samples=3, correction=correction)
            assert np.isfinite(result.pvalues).all()
            assert np.isfinite(result.adjusted).all()
            assert repr(result).startswith("Significance of")


def test_no_time_at_all() -> None:
    for correction in ("bh", "westfall_young"):
        result = fixed(MOVIES, budget=cr.Budget(seconds=0), correction=correction)
        assert (result.samples, result.stopped, result.complete) == (0, "seconds", False)
        assert (result.pvalues == 1).all()
        assert (result.adjusted == 1).all()


def test_a_budget_ends_the_samples_but_not_their_validity() -> None:
    budget = cr.Budget()

    def stop(done: int, share: float) -> None:
        if done == 7:
            budget.cancel()

    result = fixed(MOVIES, samples=500, seed=8, budget=budget, progress=stop)
    assert (result.samples, result.stopped) == (7, "cancelled")
    assert np.array_equal(result.pvalues, fixed(MOVIES, samples=7, seed=8).pvalues)


def endless(context: cr.Context, seed: int) -> cr.Context:
    return cr.datasets.random.swap(context, steps=10**7, seed=seed)


@pytest.mark.parametrize("null", [("swap", {"steps": 10**12}), endless])
def test_limits_hold_within_a_sample(null: nulls.NullLike) -> None:
    begin = time.process_time()
    result = fixed(MOVIES, null=null, samples=10**6, budget=cr.Budget(seconds=0.3))
    assert result.stopped == "seconds"
    assert time.process_time() - begin < 30  # a limit that is not heard lasts for hours
    budget = cr.Budget()
    timer = threading.Timer(0.2, budget.cancel)
    timer.start()
    begin = time.process_time()
    result = fixed(MOVIES, null=null, samples=10**6, budget=budget)
    assert result.stopped == "cancelled"
    assert time.process_time() - begin < 30  # a limit that is not heard lasts for hours
    timer.join()


def test_errors_of_callables_come_out() -> None:
    def fail(done: int, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fixed(MOVIES, progress=fail)

    @cr.measure("fragile")
    def fragile(concept: cr.Concept) -> float:
        if concept.context is not MOVIES:
            raise ZeroDivisionError
        return 1.0

    with pytest.raises(ZeroDivisionError):
        fixed(MOVIES, measure="fragile", samples=3)


def test_what_a_piece_mines_ends_with_the_run() -> None:
    """Its 2^60 concepts would fill the memory, and the program could not end."""
    budget, ended = cr.Budget(), threading.Event()
    context = cr.Context(range(60), range(60), ~np.eye(60, dtype=bool))

    def work(_: int, __: object) -> None:
        budget.cancel()
        try:
            context.lattice()
        finally:
            ended.set()

    assert list(Run(threads=1, budget=budget).map(work, 1)) == []
    assert ended.wait(600)


def test_the_supports_of_all_mushroom_concepts_in_nulls() -> None:
    context = cr.load(data_path("bench/mushroom.dat.gz"))
    lattice = context.lattice()
    assert len(lattice) == 238_710
    comparison = Comparison(lattice, registry.get("support"), {})
    assert np.array_equal(comparison.scores(context.rows()), lattice.supports)
    for null in ("swap", "curveball"):
        source = nulls.NullSource(context, null, 0)
        source.prepare()
        drawn = comparison.scores(source.draw(0))
        assert drawn[0] == len(context.objects)  # the top concept holds in every table
        assert not np.array_equal(drawn, lattice.supports)
