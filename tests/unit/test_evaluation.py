"""Splits, noise, bootstrap and neighbours: compared with literal counterparts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

import conceptrank as cr
from conceptrank.errors import BudgetExceeded, UnknownNameError
from conceptrank.evaluation import (
    bootstrap,
    disturbed,
    neighbour_discrimination,
    noise_recovery,
    split_agreement,
)
from conceptrank.evaluation._scoring import Columns, catalogue
from conceptrank.evaluation.intervals import mean_interval, run_interval
from conceptrank.evaluation.noise import recovered
from conceptrank.evaluation.splits import halves, within
from data_files import data_path
from strategies import random_context

MOVIES = cr.datasets.load("movies")


def scores_by_intent(context: cr.Context, measure: str) -> dict[frozenset[str], float]:
    return {
        frozenset(concept.intent): context.concept(*concept.intent).score(measure)
        for concept in context.lattice()
    }


@pytest.mark.parametrize(("name", "shared"), [("Diagnosis", 81), ("Cointoss-1", 645)])
def test_halves_of_the_file_have_the_papers_number_of_shared_concepts(name, shared):
    context = cr.load(data_path(f"paper/{name}.ctx"))
    assert split_agreement(context, method="file", extremes=False).cases["shared"].to_list() == [
        shared
    ]


def test_dolphins_has_sixteen_shared_concepts_and_an_undefined_correlation():
    context = cr.load(data_path("paper/Dolphins.ctx"))
    result = split_agreement(context, method="file", extremes=False)
    assert result.cases["shared"].to_list() == [16]
    # All sixteen have the same Conceptual Relevance: there is nothing to correlate.
    (half, _), (places, _) = halves(context, Columns.of(["cr"]))
    assert len(set(half.score("cr")[places])) == 1
    assert np.isnan(result.of("cr")).all()
    assert "undefined" in repr(result)
    row = result.to_polars().filter(measure="cr", figure="pearson").row(0, named=True)
    assert (row["mean"], row["defined"]) == (None, 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("extremes", [True, False])
def test_a_split_by_file_order_is_the_literal_protocol(seed, extremes):
    context = random_context(24, 6, density=0.5, seed=seed)
    measures = ["cr", "stability_intensional", "support"]
    result = split_agreement(context, measures=measures, method="file", extremes=extremes)
    halves = [context.select(objects=part) for part in (context.objects[:12], context.objects[12:])]
    for measure in measures:
        first, second = (scores_by_intent(half, measure) for half in halves)
        both = set(first) & set(second)
        if not extremes:
            ends = {
                frozenset(end.intent)
                for half in halves
                for end in (half.lattice().top, half.lattice().bottom)
            }
            both -= ends
        x, y = ([scores[intent] for intent in both] for scores in (first, second))
        assert result.cases["shared"].to_list() == [len(both)]
        for name, literal in (
            ("pearson", stats.pearsonr),
            ("spearman", stats.spearmanr),
            ("kendall", stats.kendalltau),
        ):
            if np.ptp(x) == 0 or np.ptp(y) == 0:
                assert np.isnan(result.of(measure, name)[0])
            else:
                assert result.of(measure, name)[0] == pytest.approx(
                    literal(x, y).statistic, abs=1e-12
                )


def test_a_minimum_support_leaves_rare_concepts_out():
    context = random_context(60, 8, density=0.4, seed=6)
    inner, frequent, every = (
        split_agreement(context, measures=["support"], method="file", **options).cases["shared"][0]
        for options in ({"min_support": 0.2, "extremes": False}, {"min_support": 0.2}, {})
    )
    assert every > frequent > 0
    # What is left are the frequent ones of both halves, and top is not taken for bottom.
    (one, other), (first, second) = halves(context, Columns.of(["support"]))
    x, y = one.supports[first], other.supports[second]
    assert inner == ((x >= 6) & (y >= 6)).sum()
    assert frequent - inner == 1
    noisy = noise_recovery(context, levels=[0.02], draws=1, min_support=0.2)
    assert noisy.title.startswith(f"Recovery of {len(context.lattice(min_support=0.2))} concepts")
    assert len(bootstrap(context, measures=["support"], draws=1, min_support=0.2).cases) == 1


def test_what_looks_at_the_intent_alone_agrees_for_no_merit():
    context = random_context(60, 7, density=0.4, seed=3)
    result = split_agreement(context, measures=["intent_size", "support"], splits=4)
    assert result.of("intent_size", "identical").all()
    assert not result.of("support", "identical").any()
    assert result.of("intent_size") == pytest.approx(1, abs=1e-12)
    assert np.isnan(result.of("intent_size", "within_sizes")).all()


def test_within_groups_is_the_correlation_of_residuals():
    random = np.random.default_rng(1)
    groups = random.integers(0, 4, 50)
    x, y = random.random(50) + groups, random.random(50) - groups
    dummies = np.eye(4)[groups]
    rest = [column - dummies @ np.linalg.lstsq(dummies, column)[0] for column in (x, y)]
    assert within(x, y, groups) == pytest.approx(stats.pearsonr(*rest).statistic, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "files"}, ValueError),
        ({"ratio": 0}, ValueError),
        ({"ratio": 1.0}, ValueError),
        ({"splits": 0}, ValueError),
        ({"measures": ["relevance"]}, UnknownNameError),
    ],
)
def test_wrong_use(options, error):
    with pytest.raises(error):
        split_agreement(MOVIES, **options)


EXPERIMENTS: dict[str, Callable[..., object]] = {
    "splits": lambda **more: split_agreement(MOVIES, splits=5, **more),
    "noise": lambda **more: noise_recovery(MOVIES, levels=[0.05], draws=5, **more),
    "bootstrap": lambda **more: bootstrap(MOVIES, draws=5, **more),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_same_for_any_number_of_threads_and_another_for_another_seed(name):
    run = EXPERIMENTS[name]
    first, other, seeded = run(threads=1), run(threads=3), run(seed=9)
    assert first.runs.equals(other.runs)
    assert not first.runs.equals(seeded.runs)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_stopped_run_goes_on_where_it_was(name, tmp_path):
    run = EXPERIMENTS[name]
    seen = []
    whole = run(progress=lambda done, share: seen.append((done, share)))
    assert seen[-1] == (5, 1.0)

    budget = cr.Budget()

    def stop_after_two(done: int, share: float) -> None:
        if done == 2:
            budget.cancel()

    with pytest.raises(BudgetExceeded, match=r"of 5 pieces.*continues from there"):
        run(threads=1, budget=budget, progress=stop_after_two, resume=tmp_path)
    (path,) = tmp_path.glob("*.jsonl")
    lines = path.read_text().splitlines()
    assert len(lines) == 3
    # A kill in the middle of a line costs that piece and nothing else.
    path.write_text("\n".join([*lines[:2], lines[2][: len(lines[2]) // 2]]))
    seen.clear()
    resumed = run(resume=tmp_path, progress=lambda done, share: seen.append((done, share)))
    assert [done for done, _ in seen] == [2, 3, 4, 5]
    assert resumed.runs.equals(whole.runs)
    # Nothing is left to do, and other work doesn't take these pieces for its own.
    seen.clear()
    assert run(resume=tmp_path).runs.equals(whole.runs)
    run(resume=tmp_path, seed=4)
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


def test_changed_digits_are_not_taken_over(tmp_path):
    whole = split_agreement(MOVIES, splits=3, resume=tmp_path)
    (path,) = tmp_path.glob("*.jsonl")
    text = path.read_text()
    first = text.index("\n") + 1
    digits = [i for i in range(first, len(text)) if text[i].isdigit()]
    for i in digits[:: len(digits) // 12]:
        path.write_text(text[:i] + str(9 - int(text[i])) + text[i + 1 :])
        again = split_agreement(MOVIES, splits=3, resume=tmp_path)
        assert again.runs.equals(whole.runs)


def test_kept_pieces_of_other_work_are_not_used(tmp_path):
    split_agreement(MOVIES, splits=2, resume=tmp_path)
    (path,) = tmp_path.glob("*.jsonl")
    head, *lines = path.read_text().splitlines()
    key = json.loads(head) | {"context": "another"}
    path.write_text("\n".join([json.dumps(key), *lines]))
    done = []
    split_agreement(MOVIES, splits=2, resume=tmp_path, progress=lambda n, _: done.append(n))
    assert done == [1, 2]


def pairwise_auc(scores: list[int], truth: list[bool]) -> float:
    pairs = [
        (a > b) + (a == b) / 2
        for a, b in product(
            [s for s, t in zip(scores, truth, strict=True) if t],
            [s for s, t in zip(scores, truth, strict=True) if not t],
        )
    ]
    return sum(pairs) / len(pairs)


@pytest.mark.parametrize("seed", range(200))
def test_recovery_figures_equal_their_definitions(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 12))
    place = random.integers(0, 5, n)
    truth = random.random(n) < 0.5
    depth = int(random.integers(1, n + 1))
    auc, average, precision = recovered(place, truth, depth)
    if truth.all() or not truth.any():
        assert np.isnan([auc, average, precision]).all()
        return
    assert auc == pytest.approx(pairwise_auc((-place).tolist(), truth.tolist()))
    # One step a level: precision among all at least as good, weighed by the originals gained.
    steps = [
        (truth & (place == level)).sum() / truth.sum() * truth[place <= level].mean()
        for level in np.unique(place)
    ]
    assert average == pytest.approx(sum(steps))
    # The mean over many ways to break the ties.
    broken = [truth[np.lexsort((random.random(n), place))][:depth].mean() for _ in range(400)]
    assert abs(precision - np.mean(broken)) < 5 * np.std(broken) / 20 + 1e-9


def test_noise_does_what_its_kind_says():
    context = random_context(40, 12, density=0.4, seed=1)
    table = {(g, m) for g, m in context.to_pairs()}
    for kind, fewer, more in (
        ("remove", True, False),
        ("add", False, True),
        ("flip", True, True),
    ):
        noisy = disturbed(context, kind=kind, level=0.2, seed=3)
        crosses = set(noisy.to_pairs())
        assert noisy.shape == context.shape
        assert bool(table - crosses) == fewer
        assert bool(crosses - table) == more
        assert disturbed(context, kind=kind, level=0) == context
    flips = [
        len(table ^ set(disturbed(context, level=0.1, stream=i).to_pairs())) for i in range(200)
    ]
    law = stats.binom(480, 0.1)
    assert abs(np.mean(flips) - law.mean()) < 4 * law.std() / 200**0.5
    assert abs(np.var(flips) / law.var() - 1) < 0.45


def test_noise_recovery_is_the_literal_protocol():
    context = random_context(20, 6, density=0.5, seed=8)
    result = noise_recovery(
        context, measures=["cr", "independence_pvalue"], levels=[0.03, 0.1], draws=2, seed=5
    )
    original = {concept.intent for concept in context.lattice()}
    for (i, level), draw in product(enumerate((0.03, 0.1)), range(2)):
        case = result.cases.row(2 * i + draw, named=True)
        noisy = disturbed(context, level=level, seed=5, stream=draw)
        lattice = noisy.lattice()
        truth = [concept.intent in original for concept in lattice]
        assert case["recall"] == pytest.approx(sum(truth) / len(original))
        assert (case["concepts"], case["level"], case["draw"]) == (len(lattice), level, draw)
        for measure, sign in (("cr", 1), ("independence_pvalue", -1)):
            scores = np.round(sign * lattice.score(measure), 12)
            expected = pairwise_auc(scores.tolist(), truth)
            assert result.of(measure, "auc", level)[draw] == pytest.approx(expected)


def test_without_noise_there_is_nothing_to_tell_apart():
    result = noise_recovery(MOVIES, levels=[0.0], draws=2)
    assert all(np.isnan(result.of("cr", figure)).all() for figure in result.figures)
    assert (result.cases["recall"] == 1).all()
    assert "undefined" in repr(result)


def test_bootstrap_is_the_literal_comparison():
    context = random_context(30, 6, density=0.5, seed=4)
    result = bootstrap(context, measures=["support"], draws=2, seed=3, k=5)
    for draw in range(2):
        drawn = cr.datasets.random.resample_rows(context, seed=3, stream=draw)
        first, second = (scores_by_intent(each, "support") for each in (context, drawn))
        both = sorted(set(first) & set(second), key=sorted)
        x, y = ([scores[intent] for intent in both] for scores in (first, second))
        assert result.of("support")[draw] == pytest.approx(stats.spearmanr(x, y).statistic)
        tau = stats.kendalltau(x, y).statistic
        assert result.of("support", "kendall")[draw] == pytest.approx(tau)
        assert result.cases["kept"][draw] == pytest.approx(len(both) / len(first))


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_are_told_apart_as_counted_pair_by_pair(seed):
    lattice = random_context(14, 6, density=0.5, seed=seed).lattice()
    found = neighbour_discrimination(lattice, measures=["stability", "cr"])
    for measure in ("stability", "cr"):
        scores = {concept.intent: round(concept.score(measure), 12) for concept in lattice}
        pairs = [
            (concept.intent, lower.intent) for concept in lattice for lower in concept.lower_covers
        ]
        apart = [scores[a] != scores[b] for a, b in pairs]
        assert found[measure] == pytest.approx(np.mean(apart))


def test_the_catalogue_has_all_that_needs_nothing_else():
    names = set(catalogue())
    known = cr.measures.available()
    assert {"expected_relevance", "conceptual_relevance", "delta_measure"} <= names
    for row in known.iter_rows(named=True):
        if row["name"] in names:
            cr.datasets.load("movies").lattice().score(row["name"])
    lattice = Columns.of(None).lattice(MOVIES)
    scores = Columns.of(None).scores(lattice)
    assert set(scores) == names
    assert not any(np.isnan(column).all() for column in scores.values())


def test_intervals():
    values = np.random.default_rng(3).normal(size=30)
    summary = run_interval(values)
    assert summary.low == pytest.approx(np.quantile(values, 0.025))
    assert summary.deviation == pytest.approx(np.std(values, ddof=1))
    assert run_interval([np.nan]).defined == 0
    assert np.isnan(mean_interval([0.3], split=0.5).low)
    independent = stats.t.interval(0.95, 29, loc=values.mean(), scale=stats.sem(values))
    assert mean_interval(values)[2:4] == pytest.approx(independent)
    width = stats.t(29).ppf(0.975) * np.std(values, ddof=1) * (1 / 30 + 1) ** 0.5
    assert mean_interval(values, split=0.5).high - values.mean() == pytest.approx(width)
    # The smaller a part, the less the splits have in common.
    assert mean_interval(values, split=0.9).high < mean_interval(values, split=0.5).high


def test_both_sides_of_a_ratio_are_the_same_experiment():
    values = np.random.default_rng(3).normal(size=30)
    assert mean_interval(values, split=0.2) == pytest.approx(mean_interval(values, split=0.8))
    result = split_agreement(MOVIES, splits=5)
    one, other = (
        replace(result, split=ratio).difference("stability_extensional", "cr")
        for ratio in (0.2, 0.8)
    )
    assert one == pytest.approx(other)


def test_a_summary_says_how_many_runs_it_rests_on():
    assert str(run_interval([0.5] * 30)) == "0.500 [0.500, 0.500]"
    assert str(run_interval([0.5] * 6 + [np.nan] * 24)) == "0.500 [0.500, 0.500] in 6 of 30"


@pytest.mark.parametrize("shape", [(0, 0), (1, 0), (0, 3), (3, 0)])
def test_tiny_contexts_give_undefined_figures_and_no_error(shape):
    objects, attributes = (list(map(str, range(k))) for k in shape)
    context = cr.Context(objects, attributes, np.zeros(shape, dtype=bool))
    splits = split_agreement(context, splits=2)
    assert all(np.isnan(splits.of("cr", figure)).all() for figure in splits.figures[:-1])
    assert len(noise_recovery(context, levels=[0.5], draws=1).cases) == 1
    assert len(bootstrap(context, draws=1).cases) == 1
