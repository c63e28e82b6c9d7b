"""Scores of incomplete lattices, and rankings of what a budget gave the time to score."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import conceptrank as cr
from conceptrank import _core
from conceptrank.budget import Watch
from conceptrank.errors import BudgetExceeded, ConceptRankError, MeasureError
from conceptrank.measures.registry import face_needs
from conceptrank.ranking import order
from data_files import data_path


@pytest.fixture(autouse=True)
def registry_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = cr.measures.registry
    for name in ("_MEASURES", "_NAMES"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))


MEASURES = ["cr", "stability", "stability_extensional", "log_stability", "separation", "robustness"]
MEASURES += [("cr", {"side": "extent"}), "category_utility", "stability_upper_bound"]


def random_context(n: int, q: int, share: float = 0.5, seed: int = 7) -> cr.Context:
    random = np.random.default_rng(seed)
    return cr.Context(range(n), range(q), random.random((n, q)) < share)


def one_by_one(lattice: cr.Lattice, measure: str, params: dict[str, object]) -> list[float]:
    """The scores of single concepts, which come from the table and not from the search tree."""
    return [lattice.context.concept(*c.intent).score(measure, **params) for c in lattice]


@pytest.mark.parametrize("min_support", [0, 3])
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_incomplete_lattices_are_scored_as_the_table_says(
    measure: cr.measures.registry.MeasureLike, min_support: int
) -> None:
    name, params = (measure, {}) if isinstance(measure, str) else measure
    for seed in range(6):
        context = random_context(14, 9, 0.6, seed)
        whole = len(context.lattice(min_support=min_support))
        for most in {1, 2, whole // 2, whole - 1}:
            budget = cr.Budget(concepts=most)
            lattice = context.lattice(min_support=min_support, budget=budget, threads=seed % 3)
            assert not lattice.complete
            expected = one_by_one(lattice, name, dict(params))
            assert lattice.score(name, **params) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def some_of(lattice: cr.Lattice, places: list[int], *, stop: str) -> cr.Lattice:
    """A lattice of these concepts alone, whether the search tree leads to them or not."""
    intents = [lattice.intents[1][slice(*lattice.intents[0][i : i + 2])] for i in places]
    offsets = np.cumsum([0, *map(len, intents)], dtype=np.int64)
    core = _core.Lattice.from_arrays(
        min_support=0,
        stop=stop,
        supports=lattice.supports[places].astype(np.uint32),
        deltas=lattice.deltas[places].astype(np.uint32),
        intents=(offsets, np.concatenate([*intents, np.zeros(0)]).astype(np.uint32)),
        lower=(np.zeros(len(places) + 1, dtype=np.int64), np.zeros(0, dtype=np.uint32)),
    )
    return cr.Lattice(lattice.context, core)


@pytest.mark.parametrize("measure", ["cr", "stability", "category_utility"])
def test_concepts_that_the_tree_does_not_lead_to(measure: str) -> None:
    whole = random_context(12, 8, 0.6).lattice()
    scores = whole.score(measure)
    for seed in range(5):
        random = np.random.default_rng(seed)
        places = np.flatnonzero(random.random(len(whole)) < 0.4).tolist()
        part = some_of(whole, places, stop="seconds")
        assert part.score(measure) == pytest.approx(scores[places].tolist(), abs=1e-12)


def test_a_lattice_of_another_context_is_refused() -> None:
    whole = random_context(12, 8, 0.6).lattice()
    part = some_of(whole, [i for i in range(len(whole)) if i != 5], stop="")
    with pytest.raises(ConceptRankError, match="does not belong to its context"):
        part.score("stability")


@pytest.fixture
def ends_soon(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A budget that ends when it is asked for the third time."""
    asked = [0]

    def interrupted(self: Watch) -> bool:
        asked[0] += 1
        if asked[0] >= 3:
            self.stopped = "seconds"
        return bool(self.stopped)

    monkeypatch.setattr(Watch, "interrupted", interrupted)
    return asked


@pytest.mark.parametrize(
    ("by", "complete"),
    [("stability", True), ("category_utility", True), ("stability", False), ("cr", False)],
)
def test_a_ranking_holds_what_was_scored(by: str, complete: bool, ends_soon: list[int]) -> None:
    context = random_context(60, 14)
    concepts = None if complete else 700
    lattice = context.lattice(budget=cr.Budget(concepts=concepts), threads=1)
    expected = context.lattice(budget=cr.Budget(concepts=concepts)).score(by)
    ends_soon[0] = 0
    budget = cr.Budget(seconds=1e6)
    ranking = lattice.rank(by, also=["support", "cohesion_avg"], budget=budget)
    assert 0 < len(ranking) < len(lattice)
    assert (ranking.stopped, ranking.complete) == ("seconds", False)
    assert ranking.score(by).tolist() == expected[ranking.order].tolist()
    assert ranking.score("support").tolist() == lattice.supports[ranking.order].tolist()
    assert np.isnan(ranking.score("cohesion_avg")).all()
    assert "scoring stopped by seconds" in ranking.title
    assert ranking.provenance["ranking"]["stopped"] == "seconds"
    # The next call starts afresh and has them all.
    ends_soon[0] = -(10**6)
    whole = lattice.rank(by, budget=budget)
    assert len(whole) == len(lattice)
    assert whole.score(by).tolist() == expected[whole.order].tolist()


def test_a_score_is_whole_or_an_error(ends_soon: list[int]) -> None:
    lattice = random_context(60, 14).lattice(threads=1)
    ends_soon[0] = 0
    with pytest.raises(BudgetExceeded):
        lattice.score("stability", budget=cr.Budget(seconds=1e6))


@pytest.mark.parametrize("name", ["precision", "support", "weighted_extent", "cr"])
def test_an_ended_budget_is_noticed_before_the_start(name: str) -> None:
    lattice = random_context(40, 12).lattice()
    params = {"precision": {"labels": [True] * 40}, "weighted_extent": {"weights": [1] * 40}}
    cancelled = cr.Budget()
    cancelled.cancel()
    for budget in (cancelled, cr.Budget(seconds=0)):
        with pytest.raises(BudgetExceeded):
            lattice.rank(name, budget=budget, **params.get(name, {}))
        with pytest.raises(BudgetExceeded):
            lattice.score(name, budget=budget, **params.get(name, {}))
        with pytest.raises(BudgetExceeded):
            lattice.context.rank(name, budget=budget, **params.get(name, {}))


class TestOnePass:
    def test_equals_mining_and_ranking(self) -> None:
        context = random_context(30, 10)
        for by, also in (("cr", ["stability"]), ("stability", ["cr", "separation"])):
            once = context.rank(by, also=also, min_support=2, where="support < 20")
            twice = context.lattice(min_support=2).rank(by, also=also, where="support < 20")
            assert once.order.tolist() == twice.order.tolist()
            assert once.ranks.tolist() == twice.ranks.tolist()
            for name in (by, *also):
                assert once.score(name).tolist() == twice.score(name).tolist()

    def test_extents_are_scored_while_mining(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            pytest.fail("the tree is walked twice")

        monkeypatch.setattr(cr.Lattice, "_score_again", refuse)
        context = random_context(20, 8)
        assert len(context.rank("stability", also=["separation", "cr"])) == len(context.lattice())

    def test_what_makes_no_sense_is_refused_before_mining(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        context = random_context(20, 8)

        def refuse(*_: object, **__: object) -> None:
            pytest.fail("mining has begun")

        monkeypatch.setattr(_core, "mine", refuse)
        for error, options in (
            (MeasureError, {"by": "wracc"}),
            (MeasureError, {"by": "wracc", "labels": ["a"] * 3}),
            (MeasureError, {"by": "cr", "side": "top"}),
            (cr.errors.UnknownNameError, {"by": "cr", "also": "suport"}),
            (cr.errors.UnknownNameError, {"by": "cr", "where": "'99' in intent"}),
            (ValueError, {"by": "cr", "where": "support >"}),
            (ValueError, {"by": "cr", "ties": "mean"}),
            (ValueError, {"by": "cr", "min_support": 1.5}),
        ):
            with pytest.raises(error):
                context.rank(**options)

    def test_limits_hold_for_the_whole(self) -> None:
        context = random_context(60, 14)
        for by in ("cr", "stability"):
            ranking = context.rank(by, budget=cr.Budget(concepts=100))
            assert (len(ranking), ranking.stopped) == (100, "concepts")
            lattice = context.lattice(budget=cr.Budget(concepts=100))
            assert ranking.score(by).tolist() == lattice.score(by)[ranking.order].tolist()

    def test_cancelled_while_mining_gives_what_there_is(self) -> None:
        n = 40
        context = cr.Context(range(n), range(n), ~np.eye(n, dtype=np.bool_))
        budget = cr.Budget(bytes=10**9)
        ranking = context.rank("cr", budget=budget, progress=lambda *_: budget.cancel())
        assert ranking.stopped == "cancelled"
        assert 0 < len(ranking) == len(ranking.lattice)
        assert np.isfinite(ranking.score("cr")).all()


class TestStops:
    def test_a_cancelled_search_keeps_what_it_has_found(self) -> None:
        n = 40
        context = cr.Context(range(n), range(n), ~np.eye(n, dtype=np.bool_))
        budget, found = cr.Budget(bytes=10**9), [0]

        def progress(done: int, _: float) -> None:
            found[0] = done
            if done > 20_000:
                budget.cancel()

        lattice = context.lattice(budget=budget, progress=progress)
        assert lattice.stopped == "cancelled"
        assert len(lattice) >= found[0] > 20_000
        assert (np.diff(lattice.supports) <= 0).all()
        assert all(c.support == n - len(c.intent) for c in (lattice[0], lattice[-1]))
        # What there is can be scored.
        assert len(lattice.rank("stability")) == len(lattice)

    def test_scores_that_nobody_could_check_are_not_called_exact(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ranking = cr.datasets.load("movies").rank("cr")

        def ended(*_: object, **__: object) -> None:
            raise BudgetExceeded("checking took too long")

        monkeypatch.setattr(cr.Lattice, "exact", ended)
        assert not ranking.doubts["cr"].exact.any()


@pytest.mark.parametrize("error", [0.0, 1e-12, 0.05])
def test_levels_begin_where_a_score_is_far_from_the_first(error: float) -> None:
    random = np.random.default_rng(5)
    for round_, n in enumerate(random.integers(1, 60, 300).tolist()):
        scores = random.random(n) * (1, 1e-11, 1e-12)[round_ % 3]
        if round_ % 5 == 0:
            scores = random.choice([0.3, 0.1 + 0.2, 0.3 + 1e-13, 0.3 + 5e-14], n)
        expected, level, first = {}, -1, np.nan
        for value in sorted(scores.tolist()):
            if not abs(value - first) <= max(error, 1e-13 * max(abs(value), abs(first))):
                level, first = level + 1, value
            expected[value] = level
        found = order.levels(scores, descending=False, error=error)
        assert found.tolist() == [expected[score] for score in scores.tolist()]


class TestSameBytes:
    """Extents of hundreds of objects, so that large faces are too small to be seen."""

    CONTEXTS = (random_context(300, 10, 0.8), random_context(150, 12, 0.7), random_context(30, 9))
    OTHERS = ("log_stability", ("cr", {"side": "extent"}), "stability_upper_bound", "cr_beta")

    @pytest.mark.parametrize("other", OTHERS, ids=str)
    def test_of_a_score_whatever_else_is_scored(
        self, other: cr.measures.registry.MeasureLike
    ) -> None:
        for context in self.CONTEXTS:
            for side in ("stability", "stability_extensional"):
                alone = context.lattice().score(side)
                assert (alone > 0.999).any()
                for budget in (None, cr.Budget(concepts=100)):
                    one_pass = context.lattice(measures=[side, other], budget=budget)
                    apart = context.lattice(budget=budget)
                    apart.prepare(face_needs([other, side]))
                    lone = alone if budget is None else context.lattice(budget=budget).score(side)
                    assert one_pass.score(side).tobytes() == lone.tobytes()
                    assert apart.score(side).tobytes() == lone.tobytes()

    @pytest.mark.parametrize(
        ("name", "rows", "min_support"),
        [("mushroom.dat.gz", 400, 20), ("chess.dat.gz", 150, 90), ("kosarak25k.txt.gz", 3000, 12)],
    )
    def test_of_all_scores_in_real_tables(self, name: str, rows: int, min_support: int) -> None:
        context = cr.load(data_path(f"bench/{name}"))
        context = context.drop(objects=context.objects[rows:])
        measures = ["stability", "log_stability", "stability_extensional", *self.OTHERS, "cr"]
        beside = context.rank("stability", also=measures[1:], min_support=min_support)
        assert beside.lattice.supports.max() > 40
        for measure in measures:
            own, params = (measure, {}) if isinstance(measure, str) else measure
            alone = context.lattice(min_support=min_support).score(own, **params)
            assert beside.lattice.score(own, **params).tobytes() == alone.tobytes()
        ranking = context.rank("stability", min_support=min_support)
        assert ranking.order.tolist() == beside.order.tolist()
        assert ranking.ranks.tolist() == beside.ranks.tolist()

    def test_ranks_do_not_depend_on_other_columns(self) -> None:
        for context in self.CONTEXTS:
            alone = context.lattice().rank("stability")
            beside = context.rank("stability", also=["log_stability", "cr_beta"])
            assert beside.order.tolist() == alone.order.tolist()
            assert beside.ranks.tolist() == alone.ranks.tolist()

    def test_no_concept_stands_below_one_of_smaller_stability(self) -> None:
        for context in self.CONTEXTS:
            for by, finer in (
                ("stability", "log_stability"),
                ("stability_extensional", ("log_stability", {"side": "intent"})),
            ):
                ranking = context.lattice().rank(by, also=[finer])
                values = ranking.score(ranking.measures[-1])
                assert (values[1:] <= values[:-1] * (1 + 1e-12)).all()
                # Far more are told apart than by the stabilities themselves.
                assert len(np.unique(ranking.ranks)) >= len(np.unique(ranking.score(by)))


class TestPickling:
    def test_round_trips(self) -> None:
        context = cr.datasets.load("movies")
        lattice = context.lattice(min_support=2)
        for stopped in (lattice, context.lattice(budget=cr.Budget(concepts=5))):
            again = pickle.loads(pickle.dumps(stopped))
            assert repr(again) == repr(stopped)
            assert [tuple(c) for c in again] == [tuple(c) for c in stopped]
            for one, two in zip(again.lower_covers, stopped.lower_covers, strict=True):
                assert one.tolist() == two.tolist()
            assert again.score("cr").tolist() == stopped.score("cr").tolist()
        concept = pickle.loads(pickle.dumps(lattice[3]))
        assert (concept, concept.index, concept.support) == (lattice[3], 3, lattice[3].support)
        ranking = lattice.rank("stability", also=[("cr", {"side": "extent"})], where="support > 2")
        assert repr(pickle.loads(pickle.dumps(ranking))) == repr(ranking)
        assert pickle.loads(pickle.dumps(ranking.diverse(2))).selection is not None
        rules = lattice.rules(by="lift")
        assert repr(pickle.loads(pickle.dumps(rules))) == repr(rules)
        assert [*pickle.loads(pickle.dumps(rules.implications))] == [*rules.implications]
        assert pickle.loads(pickle.dumps(context)) == context
        agreement = ranking.agreement()
        assert repr(pickle.loads(pickle.dumps(agreement))) == repr(agreement)

    def test_a_pickled_concept_does_not_carry_its_lattice(self) -> None:
        lattice = random_context(20, 12).lattice()
        alone = lattice.context.concept("3", "5")
        assert len(pickle.dumps(lattice[5])) < len(pickle.dumps(alone)) + 200


def test_a_budget_ends_diverse_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = random_context(60, 14).lattice().rank("stability")
    whole = ranking.diverse(20)
    looks = iter(range(10**6))
    monkeypatch.setattr(Watch, "interrupted", lambda _: next(looks) >= 5)
    some = ranking.diverse(20, budget=cr.Budget(seconds=1e6))
    assert 0 < len(some) < len(whole) == 20
    assert [row.concept for row in some] == [row.concept for row in whole[: len(some)]]


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_json_tells_infinity_from_nan(suffix: str, tmp_path: Path) -> None:
    lattice = cr.datasets.load("movies").lattice()
    values = np.array([np.nan, np.inf, -np.inf, *np.arange(17) / 3])
    odd = cr.measures.registry.Measure(
        name="odd_numbers", summary="", compute=lambda concepts: values, builtin=False
    )
    cr.measures.registry.register(odd)
    lattice.rank("odd_numbers").save(tmp_path / f"rows.{suffix}", provenance=False)
    text = (tmp_path / f"rows.{suffix}").read_text()
    rows = json.loads(text) if suffix == "json" else list(map(json.loads, text.splitlines()))
    scores = [row["odd_numbers"] for row in rows]
    assert scores == ["inf", *(k / 3 for k in range(16, -1, -1)), "-inf", None]
