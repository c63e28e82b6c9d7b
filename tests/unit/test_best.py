"""`Context.best`: certificates, limits, ties, conditions; `Context.significant`."""

from fractions import Fraction
from math import comb
from random import Random

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.best import search
from conceptrank.errors import BudgetExceeded, MeasureError, UnknownNameError
from conceptrank.query import Constraints
from strategies import random_context

CONTEXT = random_context(60, 14, density=0.5, seed=3)


class TestCertificate:
    """A search that is stopped says what is certain."""

    @pytest.mark.parametrize("by", ["delta_measure", "stability", "cr", "tile_area", "bond"])
    def test_never_violated(self, by: str) -> None:
        random = Random(by)
        full = CONTEXT.lattice().rank(by)
        scores = {concept.intent: row[by] for _, concept, row in full}
        for _ in range(20):
            k, limit = random.choice((1, 10, 40)), random.randint(0, len(full) // 4)
            found = CONTEXT.best(k, by, budget=cr.Budget(concepts=limit))
            assert found.visited <= max(limit, 1)
            listed = {concept.intent: row[by] for _, concept, row in found}
            assert listed.items() <= scores.items()
            if found.complete:
                continue
            assert found.stopped == "concepts"
            worst = min(listed.values()) if len(listed) == k else -np.inf
            unseen = [score for intent, score in scores.items() if intent not in listed]
            # What is not listed is worse than all listed ones, or within the bound.
            assert max(unseen) <= max(found.bound, worst)
            certain = list(listed)[: found.proven]
            assert set(certain) <= {concept.intent for _, concept, _ in full.top(k)}

    def test_seconds(self) -> None:
        large = random_context(2000, 60, density=0.4, seed=1)
        found = large.best(10, "tile_area", max_seconds=0.2)
        assert (found.complete, found.stopped) == (False, "seconds")
        assert found.bound >= found.score("tile_area").max(initial=0)
        assert found.provenance["best"]["complete"] is False
        assert "stopped by seconds" in found.title

    def test_cancelled(self) -> None:
        budget = cr.Budget()
        large = random_context(2000, 60, density=0.4, seed=1)
        seen = []

        def watch(visited: int, score: float, bound: float) -> None:
            seen.append((visited, score, bound))
            if visited > 20:
                budget.cancel()

        found = large.best(5, "tile_area", budget=budget, progress=watch)
        assert found.stopped == "cancelled"
        assert len(found) == 5
        # The k-th best score rises and what is possible falls.
        _, scores, bounds = zip(*seen, strict=True)
        assert list(scores) == sorted(scores)
        assert list(bounds) == sorted(bounds, reverse=True)
        assert found.bound == bounds[-1]

    def test_nothing_visited(self) -> None:
        budget = cr.Budget()
        budget.cancel()
        found = CONTEXT.best(5, "support", budget=budget)
        assert found.stopped == "cancelled"
        assert found.proven <= len(found)


class TestSearch:
    """The same answer however it is found."""

    @pytest.mark.parametrize("by", ["delta_measure", "cr", "tile_area"])
    def test_threads_and_steps(self, by: str) -> None:
        limited = [
            CONTEXT.best(20, by, threads=threads, budget=cr.Budget(concepts=150))
            for threads in (1, 2, 3)
        ]
        assert len({found.to_polars().write_json() for found in limited}) == 1
        assert len({(found.bound, found.proven, found.visited) for found in limited}) == 1

    @pytest.mark.parametrize("by", ["delta_measure", "cr", "tile_area"])
    def test_depth_first_under_a_memory_limit(self, by: str) -> None:
        expected = CONTEXT.best(20, by)
        found = CONTEXT.best(20, by, budget=cr.Budget(bytes=1))
        assert found.complete
        assert found.to_polars().equals(expected.to_polars())

    def test_a_memory_limit_holds_while_good_concepts_are_followed(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """After a thousand nodes, half of them are picked by their own scores."""
        table = cr.datasets.random.planted(1000, 60, patterns=8, background="both", seed=1)
        limit, used = 2_000_000, []
        step = search._Search._step

        def watched(self: search._Search) -> str:
            used.append(self.core.bytes)
            return step(self)

        monkeypatch.setattr(search._Search, "_step", watched)
        table.context.best(
            1000, "shannon_surprise", where="delta_measure >= 3", max_support=9,
            budget=cr.Budget(bytes=limit, concepts=4000),
        )  # fmt: skip
        assert limit < max(used) < 1.5 * limit

    def test_prunes(self) -> None:
        everything = len(CONTEXT.lattice())
        assert CONTEXT.best(10, "delta_measure").visited < everything / 20
        assert CONTEXT.best(10, "support").visited < everything / 20

    def test_contains_costs_what_its_objects_cost(self) -> None:
        rarest = min(CONTEXT.attributes, key=lambda m: len(CONTEXT.extension([m])))
        part = CONTEXT.select(objects=CONTEXT.extension([rarest]))
        found = CONTEXT.best(10**6, "support", contains=[rarest])
        assert found.visited <= len(found) == len(part.lattice())

    def test_all_ties(self) -> None:
        movies = cr.datasets.load("movies")
        full = movies.lattice().rank("cr")
        assert len(movies.best(1, "cr", ties="all")) == full.ties.first
        assert len(movies.best(1, "cr")) == 1

    def test_stability_goes_on_by_its_logarithm(self) -> None:
        # All of these concepts have more than 60 objects that the next one lacks.
        rows = np.repeat(np.eye(6, dtype=bool), range(70, 130, 10), axis=0)
        context = cr.Context(range(len(rows)), "abcdef", rows)
        full = context.lattice().rank("stability")
        found = context.best(4, "stability")
        assert (found.score("stability")[1:] == 1).all()
        assert [c.intent for _, c, _ in found] == [c.intent for _, c, _ in full.top(4)]
        assert found.ranks.tolist() == full.top(4).ranks.tolist()

    def test_then_breaks_ties(self) -> None:
        movies = cr.datasets.load("movies")
        full = movies.lattice().rank("cr", then=["stability"], also=["separation"])
        found = movies.best(7, "cr", then="stability", also="separation")
        assert found.to_polars().equals(full.to_polars(7))

    def test_lower_scores_first(self) -> None:
        movies = cr.datasets.load("movies")
        for by in ("independence_pvalue", "support"):
            full = movies.lattice().rank(by, descending=False)
            found = movies.best(7, by, descending=False)
            assert found.to_polars().equals(full.to_polars(7))

    def test_a_target_leaves_the_table(self) -> None:
        movies = cr.datasets.load("movies")
        found = movies.best(5, "precision", target="criminal", min_support=2)
        assert "criminal" not in found.lattice.context.attributes
        # All objects with drama and adventure are criminal: a pure concept is not lost.
        assert found.score("precision")[0] == 1
        others = movies.select(attributes=[m for m in movies.attributes if m != "criminal"])
        labels = [name in movies.extension("criminal") for name in movies.objects]
        full = others.lattice(min_support=2).rank("precision", labels=labels)
        assert found.to_polars().equals(full.to_polars(5))
        with pytest.raises(ValueError, match="either a target or labels"):
            movies.best(1, "wracc", target="drama", labels=labels)

    def test_a_target_leaves_with_its_column(self) -> None:
        content = b"plan,churn\nbasic,yes\nbasic,no\npro,maybe\npro,yes\n"
        context = cr.load(content, scale="auto", header=True)
        found = context.best(3, "information_gain", target="churn = yes")
        assert found.lattice.context.attributes == ("plan = basic", "plan = pro")

    def test_a_user_bound(self) -> None:
        calls = []

        def bound(below, *, power):
            calls.append(len(below))
            return below.supports.astype(float) ** power

        @cr.measure("strong", vectorised=True, bound=bound)
        def strong(lattice, *, power=2):
            return lattice.deltas.astype(float) ** power

        full = CONTEXT.lattice().rank("strong")
        found = CONTEXT.best(5, "strong")
        assert found.to_polars().equals(full.to_polars(5))
        assert found.visited < len(full) / 5
        assert calls


class TestConditions:
    """Conditions are part of the search."""

    @pytest.mark.parametrize(
        "text",
        [
            "support >= 20",
            "5 <= support < 9 and intent_size > 2",
            "'x3' in intent and 'x5' not in intent",
            "'x7' in extent and cr > 0.2",
            "(stability > 0.9) & (12 >= support)",
            "support < 5 or intent_size == 2",
            "not support > 5",
            "delta_measure >= 4 and bond > 0.2 and support / 2 > delta_measure",
            "cr(side='extent') > 0.1 and support >= 3",
            "0.2 <= independence_pvalue",
            "support >= -3 and intent_size <= -1",
        ],
    )
    def test_equal_to_filtering(self, text: str) -> None:
        lattice = CONTEXT.lattice()
        for by in ("delta_measure", "cr"):
            full = lattice.rank(by, where=text)
            assert CONTEXT.best(15, by, where=text).to_polars().equals(full.to_polars(15))

    def test_are_pushed_down(self) -> None:
        all_of_them = CONTEXT.best(10**6, "support").visited
        for text in ("support >= 20", "'x3' in intent and support > 8", "stability > 0.99"):
            assert CONTEXT.best(10**6, "support", where=text).visited < all_of_them / 3

    def test_a_function(self) -> None:
        def even(concept: cr.Concept) -> bool:
            return len(concept.intent) % 2 == 0

        full = CONTEXT.lattice().rank("delta_measure", where=even)
        found = CONTEXT.best(10, "delta_measure", where=even)
        assert found.to_polars().equals(full.to_polars(10))

    @pytest.mark.parametrize(
        ("given", "error", "message"),
        [
            ({"k": -1}, ValueError, "k must be"),
            ({"ties": "some"}, MeasureError, "ties must be"),
            ({"contains": "x99"}, UnknownNameError, "unknown attribute 'x99'"),
            ({"objects": "y"}, UnknownNameError, "unknown object 'y'"),
            ({"min_intent": -2}, ValueError, "min_intent"),
            ({"where": np.array([True])}, MeasureError, "not an array"),
            ({"by": "wracc"}, MeasureError, "labels"),
            ({"max_seconds": 1, "budget": cr.Budget()}, ValueError, "either"),
        ],
    )
    def test_errors(self, given: dict, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            CONTEXT.best(**({"k": 1} | given))

    def test_constraints_say_what_was_given(self) -> None:
        assert repr(Constraints(any_of="ab", max_support=0.5)) == (
            "Constraints(any_of=('ab',), max_support=0.5)"
        )

    @pytest.mark.parametrize(("n", "q"), [(0, 0), (0, 3), (3, 0), (1, 1)])
    def test_small_contexts(self, n: int, q: int) -> None:
        context = cr.Context(range(n), range(q), np.ones((n, q), dtype=bool))
        for by in ("support", "cr", "stability"):
            found = context.best(5, by)
            assert found.to_polars().equals(context.lattice().rank(by).to_polars())


def literal_lamp(context: cr.Context, marked: list[bool], alpha: Fraction) -> tuple[Fraction, int]:
    """LAMP's threshold and number of tests, by its definition."""
    n, positives = len(marked), sum(marked)
    supports = [c.support for c in context.lattice()]

    def least(x: int) -> Fraction:
        x = min(x, positives)
        return Fraction(comb(positives, x), comb(n, x))

    for level in range(n, 0, -1):
        many = sum(support >= level for support in supports)
        if many * least(level - 1) >= alpha:
            return alpha / many, many
    raise AssertionError


class TestSignificant:
    """Error rates over all concepts."""

    def test_lamp_is_the_literal_one(self) -> None:
        random = Random(5)
        for seed in range(30):
            context = random_context(25, 8, density=random.choice((0.3, 0.6)), seed=seed)
            marked = [random.random() < 0.4 for _ in context.objects]
            if not any(marked):
                continue
            found = context.significant(marked, method="lamp", alpha=0.1)
            threshold, tested = literal_lamp(context, marked, Fraction(1, 10))
            assert found.correction.threshold == pytest.approx(float(threshold), rel=1e-12)
            assert found.correction.tested == tested
            p_values = context.lattice().score("fisher_pvalue", labels=marked)
            assert len(found) == int((p_values <= float(threshold)).sum())

    def test_westfall_young_is_the_literal_one(self) -> None:
        random = Random(6)
        for seed in range(10):
            many = random.choice((25, 150))
            context = random_context(many, 8, density=random.choice((0.2, 0.5)), seed=seed)
            marked = np.array([random.random() < 0.4 for _ in context.objects])
            found = context.significant(marked, alpha=0.2, permutations=59, seed=seed)
            lattice = context.lattice()
            shuffled = np.repeat(marked[:, None], 59, axis=1)
            shuffled = np.random.default_rng(seed).permuted(shuffled, axis=0)
            least = [lattice.score("fisher_pvalue", labels=shuffled[:, j]).min() for j in range(59)]
            p_values = lattice.score("fisher_pvalue", labels=marked)
            adjusted = [(1 + sum(each <= p for each in least)) / 60 for p in p_values]
            expected = sorted(p for p in adjusted if p <= 0.2)
            assert sorted(found.adjusted.tolist()) == pytest.approx(expected)

    @pytest.mark.parametrize("method", ["lamp", "westfall_young"])
    def test_random_labels_are_rarely_significant(self, method: str) -> None:
        rng = np.random.default_rng(7)
        wrong, tables = 0, 100
        for seed in range(tables):
            context = random_context(30, 6, density=0.4, seed=seed)
            labels = rng.permutation(30) < 12
            found = context.significant(
                labels, method=method, permutations=99, seed=seed, threads=1
            )
            wrong += len(found) > 0
        # 5 % of 100 are 5; with that rate, 13 are exceeded once in two thousand times.
        assert wrong <= 13

    def test_a_planted_label_is_found(self) -> None:
        context = random_context(80, 10, density=0.5, seed=2)
        inside = set(context.extension(["x1", "x2"]))
        labels = {name: name in inside for name in context.objects}
        for method in ("lamp", "westfall_young"):
            found = context.significant(labels, method=method)
            assert ("x1", "x2") in [concept.intent for _, concept, _ in found]
            assert (found.adjusted <= 0.05).all()
            assert found.provenance["significance"]["method"] == method

    @pytest.mark.parametrize("method", ["lamp", "westfall_young"])
    @pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1], []])
    def test_labels_without_contrast(self, method: str, labels: list[int]) -> None:
        context = cr.Context(range(len(labels)), "ab", np.ones((len(labels), 2), dtype=bool))
        assert len(context.significant(labels, method=method)) == 0

    def test_errors(self) -> None:
        labels = [True] * 60
        with pytest.raises(MeasureError, match="method must be"):
            CONTEXT.significant(labels, method="bonferroni")
        with pytest.raises(MeasureError, match="alpha"):
            CONTEXT.significant(labels, alpha=5)
        with pytest.raises(MeasureError, match="10 permutations"):
            CONTEXT.significant(labels, permutations=10)
        budget = cr.Budget()
        budget.cancel()
        with pytest.raises(BudgetExceeded):
            CONTEXT.significant([g < 20 for g in range(60)], budget=budget)
