"""The catalogue beyond small tables: edge cases, messages, large numbers, the page for users."""

from __future__ import annotations

import inspect
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import comb, inf, log, log2
from runpy import run_path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import BudgetExceeded, MeasureError, UnknownNameError
from repository import repository
from strategies import EDGE_CASES, context_of, contranominal, random_context

NAMES = cr.measures.available()["name"].to_list()
T5 = cr.Context.from_itemsets(["abc", "ab", "abd", "bc", "cd"])


def arguments(name: str, context: cr.Context) -> dict[str, object]:
    """Something for every argument that has to be given."""
    side = context.attributes if name == "weighted_intent" else context.objects
    given = {"labels": [i % 2 for i in range(len(side))], "weights": list(range(len(side)))}
    return {
        key: given.get(key, 0.25)
        for key, default in cr.measures.get(name).params.items()
        if default is inspect.Parameter.empty
    }


class TestEdges:
    @pytest.mark.parametrize("name", NAMES)
    def test_no_context_is_too_small(self, name: str) -> None:
        """Warnings are errors in this suite."""
        for table in EDGE_CASES:
            context = context_of(table)
            sides = ("intent", "extent") if "side" in cr.measures.get(name).params else (None,)
            for side in sides:
                params = arguments(name, context) | ({"side": side} if side else {})
                scores = context.lattice().score(name, **params)
                assert not np.isnan(scores).any(), table
                bottom = context.concept(*context.attributes).score(name, **params)
                assert bottom == pytest.approx(scores[-1], rel=1e-12, abs=1e-12), table
                assert len(context.lattice(min_support=50).score(name, **params)) == 0

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            *((name, 0) for name in ("tile_area", "separation", "cue_validity", "delta_relative")),
            *((name, 0) for name in ("cohesion_avg", "cohesion_min", "predictability")),
            *((name, 0) for name in ("basic_level_similarity", "category_utility")),
            *((name, 0) for name in ("category_feature_collocation", "lift", "all_confidence")),
            *((name, 0) for name in ("bond", "collective_strength", "cosine", "own_objects")),
            *((name, 1) for name in ("concept_probability", "stability", "robustness")),
            *((name, 1) for name in ("independence_pvalue", "robustness_order")),
            ("leverage", -72 / 625),
            ("log_lift", -inf),
            ("log_stability", inf),
            ("concept_surprise", 0),
            ("shannon_surprise", 0),
        ],
    )
    def test_no_objects_in_the_extent(self, name: str, expected: float) -> None:
        bottom = T5.concept(*T5.attributes)
        assert bottom.score(name) == pytest.approx(expected, abs=1e-15)

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            *((name, 0) for name in ("tile_area", "separation", "cue_validity", "cr", "leverage")),
            *((name, 0) for name in ("basic_level_similarity", "category_utility", "log_lift")),
            *((name, 0) for name in ("independence_z", "shannon_surprise", "expected_relevance")),
            *((name, 1) for name in ("lift", "cosine", "all_confidence", "bond", "cross_support")),
            *((name, 1) for name in ("collective_strength", "independence_pvalue", "frequency")),
            ("stability_extensional", 1),
        ],
    )
    def test_no_attributes_in_the_intent(self, name: str, expected: float) -> None:
        assert T5.concept().score(name) == expected

    @pytest.mark.parametrize("name", ["all_confidence", "cosine", "cross_support", "bond"])
    def test_attributes_that_no_object_has(self, name: str) -> None:
        context = cr.Context.from_itemsets(["", ""], attributes="ab")
        assert context.concept("a").score(name) == 1
        assert "1 where no object has any attribute of B" in str(
            cr.measures.get(name).compute.__doc__
        )

    def test_an_attribute_that_all_objects_have(self) -> None:
        """P is the product of 1 - p^n then, not 1; nothing depends on the attribute."""
        context = cr.Context.from_itemsets(["xab", "xb", "xa", "x"])
        top = context.concept()
        assert top.intent == ("x",)
        assert top.score("concept_probability") == pytest.approx((1 - 1 / 16) ** 2, abs=1e-15)
        for name in ("lift", "collective_strength", "cue_validity", "bond"):
            assert top.score(name) == 1, name
        for name in ("leverage", "independence_z", "cr", "expected_relevance"):
            assert top.score(name) == 0, name
        concept = context.concept("a")
        assert concept.score("lift") == pytest.approx(1, abs=1e-15)
        assert concept.score("collective_strength") == pytest.approx(1, abs=1e-15)

    def test_one_object(self) -> None:
        concept = cr.Context("1", "abc", [[1, 1, 0]]).concept()
        assert concept.intent == ("a", "b")
        for name in ("cohesion_avg", "cohesion_min", "predictability", "frequency"):
            assert concept.score(name) == 1, name
        assert concept.score("cohesion_avg", include_self=True) == 1
        assert concept.score("basic_level_similarity") == 0

    def test_all_attributes_and_some_objects(self) -> None:
        concept = cr.Context("12", "ab", [[1, 1], [1, 0]]).concept("a", "b")
        assert concept.score("predictability") == 1
        assert concept.score("delta_relative") == 1
        assert concept.score("concept_probability") == 1

    def test_collective_strength_at_its_limits(self) -> None:
        together = cr.Context.from_itemsets(["ab", "ab", "c", ""])
        assert together.concept("a", "b").score("collective_strength") == inf
        nobody = cr.Context("12", "ab", [[1, 0], [1, 0]])
        assert nobody.concept("a", "b").score("collective_strength") == inf
        everybody = cr.Context("12", "ab", [[1, 1], [1, 1]])
        assert everybody.concept("a", "b").score("collective_strength") == 1


class TestLargeNumbers:
    """Where products and differences of frequencies leave the range of digits of a double."""

    def test_concept_probability_of_a_million_objects(self) -> None:
        n = 1_000_000
        frequencies = (0.999999, 0.9995, 0.5, 0.00001, 0.3)
        bools = np.random.default_rng(3).random((n, 5)) < np.array(frequencies)
        indptr = np.append(0, np.cumsum(bools.sum(axis=1)))
        context = cr.Context.from_csr(range(n), "abcde", indptr, np.nonzero(bools)[1])
        lattice = context.lattice()
        assert len(lattice) > 10
        chances, surprises = (
            lattice.score(name) for name in ("concept_probability", "concept_surprise")
        )
        counts = bools.sum(axis=0).tolist()
        offsets, values = lattice.intents
        for i in range(len(lattice)):
            intent = values[offsets[i] : offsets[i + 1]].tolist()
            expected = closed_form(n, counts, intent)
            assert chances[i] == pytest.approx(float(expected), rel=1e-12)
            assert surprises[i] == pytest.approx(float(-expected.ln()), rel=1e-12, abs=1e-14)
        assert chances.min() < 0.7

    def test_concept_probability_is_the_same_in_parts(self) -> None:
        """One concept at a time, and all at once in groups."""
        lattice = random_context(300, 14, density=0.5, seed=81).lattice()
        assert len(lattice) > 2000
        for side in ("intent", "extent"):
            together = lattice.score("concept_probability", side=side)
            for i in range(0, len(lattice), 150):
                alone = lattice[i].score("concept_probability", side=side)
                assert alone == pytest.approx(together[i], rel=1e-12)

    def test_surprise_where_the_probability_underflows(self) -> None:
        """200 rare attributes that only ever come together."""
        n, q = 60, 200
        bools = np.zeros((n, q + 1), dtype=bool)
        bools[:2, :q] = True
        bools[5:10, q] = True
        context = cr.Context(range(n), range(q + 1), bools)
        concept = context.concept("0")
        assert len(concept.intent) == q
        p = Fraction(2, n) ** q
        tail = comb(n, 2) * p**2
        logarithm = log(tail.numerator) - log(tail.denominator)
        assert concept.score("independence_pvalue") == 0
        assert concept.score("shannon_surprise") == pytest.approx(-logarithm, rel=1e-13)
        assert concept.score("lift") == pytest.approx(float(Fraction(2, n) / p), rel=1e-12)
        closed = n * p * (1 - Fraction(5, n))
        logarithm = log(closed.numerator) - log(closed.denominator)
        assert concept.score("concept_surprise") == pytest.approx(-logarithm, rel=1e-13)
        deviation = log(2) - (log(n) + q * log(2 / n)) / 2
        assert log(concept.score("independence_z")) == pytest.approx(deviation, rel=1e-12)

    def test_lift_beyond_all_doubles(self) -> None:
        bools = np.zeros((60, 400), dtype=bool)
        bools[0] = True
        concept = cr.Context(range(60), range(400), bools).concept("0")
        assert concept.score("lift") == inf
        expected = 399 * log2(60)
        assert concept.score("log_lift") == pytest.approx(expected, rel=1e-13)
        assert concept.score("cosine") == pytest.approx(1, rel=1e-12)

    def test_nearly_certain_attributes_keep_their_digits(self) -> None:
        """Two attributes that one object of a million lacks, never the same one."""
        n = 1_000_000
        bools = np.ones((n, 2), dtype=bool)
        bools[0, 0] = bools[1, 1] = False
        indptr = np.append(0, np.cumsum(bools.sum(axis=1)))
        context = cr.Context.from_csr(range(n), "ab", indptr, np.nonzero(bools)[1])
        concept = context.concept("a", "b")
        p = Fraction(n - 1, n)
        leverage = Fraction(n - 2, n) - p**2
        assert concept.score("leverage") == pytest.approx(float(leverage), rel=1e-9)
        z = float(n * leverage) / float(n * p**2 * (1 - p**2)) ** 0.5
        assert concept.score("independence_z") == pytest.approx(z, rel=1e-9)
        expected = 1 - p**2 - (1 - p) ** 2
        strength = (1 - Fraction(2, n)) / (1 - expected) * expected / Fraction(2, n)
        found = concept.score("collective_strength")
        assert found == pytest.approx(float(strength), rel=1e-12)


def closed_form(n: int, counts: list[int], intent: list[int]) -> Decimal:
    """Σ over sets S outside the intent of (-1)^|S| (1 - p_B (1 - p_S))^n, in 80 digits."""
    with localcontext() as digits:
        digits.prec = 80
        p = [Decimal(count) / n for count in counts]
        own = Decimal(1)
        for m in intent:
            own *= p[m]
        outside = [m for m in range(len(p)) if m not in intent]
        total = Decimal(0)
        for size in range(len(outside) + 1):
            for some in combinations(outside, size):
                both = Decimal(1)
                for m in some:
                    both *= p[m]
                total += (-1) ** size * (1 - own * (1 - both)) ** n
        return +total


class TestGiven:
    """Labels and weights: what is taken, and what is said when it can't be."""

    def test_every_way_to_give_labels(self) -> None:
        concept = T5.concept("a", "b")
        by_name = {"5": "no", "4": "no", "3": "no", "2": "yes", "1": "yes"}
        named = cr.Context("12345", T5.attributes, T5.to_numpy()).concept("a", "b")
        expected = pytest.approx(0.9182958340544896, abs=1e-15)
        assert named.score("target_entropy", labels=by_name) == expected
        for labels in (
            ["yes", "yes", "no", "no", "no"],
            (1, 1, 0, 0, 0),
            np.array([1.5, 1.5, 2, 2, 2]),
            pl.Series([True, True, False, False, False]),
            (label for label in "yynnn"),
        ):
            assert concept.score("target_entropy", labels=labels) == expected
        pandas = pytest.importorskip("pandas")
        assert concept.score("target_entropy", labels=pandas.Series([1, 1, 0, 0, 0])) == expected

    def test_numbers_by_integer_names(self) -> None:
        context = cr.Context(range(3), "ab", [[1, 0], [1, 1], [0, 1]])
        found = context.concept("a").score("weighted_extent", weights={0: 1, 1: 2, 2: 4})
        assert found == 3

    def test_the_positive_label(self) -> None:
        concept = T5.concept("a", "b")
        labels = ["yes", "yes", "no", "no", "maybe"]
        assert concept.score("precision", labels=labels, positive="yes") == 2 / 3
        assert concept.score("recall", labels=labels, positive="yes") == 1
        assert concept.score("f1", labels=labels, positive="yes") == 0.8
        assert concept.score("wracc", labels=labels, positive="yes") == pytest.approx(0.16)
        assert concept.score("precision", labels=[1, 0, 0, 0, 0]) == 1 / 3
        assert concept.score("recall", labels=[0] * 5) == 0
        assert concept.score("f1", labels=[False] * 5) == 0

    @pytest.mark.parametrize("name", [n for n in NAMES if arguments(n, T5)])
    def test_what_is_missing_is_named(self, name: str) -> None:
        (argument,) = arguments(name, T5)
        with pytest.raises(MeasureError) as caught:
            T5.lattice().score(name)
        message = str(caught.value)
        assert message.startswith(f"{name} needs the argument {argument}=…: a ")

    @pytest.mark.parametrize(
        ("name", "params", "message"),
        [
            ("target_entropy", {"labels": [1, 2]}, "labels has 2 values for 5 objects"),
            ("target_entropy", {"labels": 7}, "labels must be a mapping from objects or a seq"),
            ("target_entropy", {"labels": "yynnn"}, "labels must be a mapping from objects"),
            ("target_entropy", {"labels": [1, None, 1, 1, 1]}, "labels has no label for '2'"),
            ("target_entropy", {"labels": [1, float("nan"), 1, 1, 1]}, "no label for '2'"),
            ("target_entropy", {"labels": [1, [2], 1, 1, 1]}, "must be single values such as"),
            ("target_entropy", {"labels": {"1": 1}}, "no value for the object '2' and 3 more"),
            ("target_entropy", {"labels": {"one": 1}}, "unknown object 'one' in labels"),
            ("target_variance", {"labels": list("abcde")}, "must be finite numbers, got 'a' for '"),
            ("target_variance", {"labels": [0, 1, inf, 1, 1]}, "finite numbers, got inf for '3'"),
            ("weighted_intent", {"weights": [1, 2]}, "weights has 2 values for 4 attributes"),
            ("weighted_intent", {"weights": {"a": 1, "b": 2, "c": 3, "e": 4}}, "unknown attribute"),
            ("weighted_intent", {"weights": {"a": 1}}, "no value for the attribute 'b' and 2 more"),
            ("weighted_intent", {"weights": [1, 2, 3, [4]]}, "finite numbers, got"),
            ("weighted_intent", {"weights": [1] * 4, "agg": "meen"}, "did you mean 'mean'"),
            ("weighted_intent", {"weights": [1] * 4, "agg": "owa", "power": 0}, "must be positive"),
            ("precision", {"labels": list("yynnn")}, "Give positive=… as one of 'y', 'n'"),
            (
                "precision",
                {"labels": list("yynnn"), "positive": "x"},
                "unknown label 'x' in labels",
            ),
            ("mean_information_gain", {"labels": [1] * 5, "target": "entropie"}, "did you mean"),
            ("is_delta_tolerance_closed", {"delta": "x"}, "delta must be between 0 and 1, got 'x'"),
            ("robustness", {"alpha": -0.1}, "alpha must be between 0 and 1, got -0.1"),
            ("expected_relevance", {"keep": 1.1}, "keep must be between 0 and 1"),
            ("expected_relevance", {"side": "both"}, "side must be 'intent' or 'extent'"),
            ("stability_upper_bound", {"method": "fkg"}, "unknown method 'fkg'"),
            ("stability_lower_bound", {"alpha": 3}, "alpha must be between 0 and 1"),
            ("stability_lower_bound", {"method": "cover"}, "did you mean 'covers'"),
            ("cohesion_avg", {"similarity": "jacard"}, "did you mean 'jaccard'"),
            ("basic_level_similarity", {"cohesion": "mean"}, "unknown cohesion 'mean'"),
            ("basic_level_similarity", {"norm": "prod"}, "did you mean 'product'"),
            ("basic_level_similarity", {"aggregation": "best"}, "unknown aggregation 'best'"),
            ("basic_level_similarity", {"theta": 2}, "theta must be between 0 and 1, got 2"),
            ("predictability", {"entropy": "ln"}, "unknown entropy 'ln'"),
        ],
    )
    def test_what_is_wrong_is_said(
        self, name: str, params: dict[str, object], message: str
    ) -> None:
        named = cr.Context("12345", T5.attributes, T5.to_numpy())
        with pytest.raises((MeasureError, UnknownNameError)) as caught:
            named.lattice().score(name, **params)
        assert message in str(caught.value)


class TestWholeLattice:
    """Measures that are a place among all concepts."""

    def test_order_by_robustness(self) -> None:
        """Where alpha is near 1, the numbers are in this order."""
        context = random_context(12, 7, density=0.5, seed=82)
        lattice = context.lattice()
        places = lattice.score("robustness_order")
        scores = lattice.score("robustness", alpha=0.999)
        order = np.argsort(places, kind="stable")
        assert (np.diff(scores[order]) <= 1e-15).all()
        for alpha in (0.3, 0.9):
            for concept in lattice:
                terms = cr.measures.robustness_polynomial(concept).items()
                value = sum(many * (1 - alpha) ** power for power, many in terms)
                found = concept.score("robustness", alpha=alpha)
                assert found == pytest.approx(value, abs=1e-12)

    def test_too_many_concepts_are_refused(self) -> None:
        context = context_of(contranominal(10))
        for source in (context.lattice(), context.lattice(min_support=8), context.concept()):
            with pytest.raises(BudgetExceeded, match=r"all concepts .* more than 500"):
                source.score("robustness_order", limit=500)
        assert len(context.lattice(min_support=9).score("robustness_order", limit=1024)) == 11

    def test_too_large_polynomials_are_refused(self) -> None:
        top = context_of(contranominal(12)).concept()
        with pytest.raises(BudgetExceeded, match="more than 1,000 terms"):
            cr.measures.robustness_polynomial(top, limit=1000)
        powers = cr.measures.robustness_polynomial(top)
        assert powers == {k: (-1) ** k * comb(12, k) for k in range(13)}


class TestOptions:
    def test_bounds_of_the_other_side_and_of_robustness(self) -> None:
        lattice = random_context(40, 9, density=0.5, seed=83).lattice()
        for side in ("extent", "intent"):
            for alpha in (0.2, 0.5, 0.8):
                exact = lattice.score("robustness", alpha=alpha, side=side)
                lower, upper = cr.measures.stability_bounds(lattice, side=side, alpha=alpha)
                assert (lower <= exact + 1e-12).all()
                assert (exact <= upper + 1e-12).all()
                assert upper.max() <= 1

    def test_the_dual_of_delta(self) -> None:
        lattice, dual = T5.lattice(), T5.transpose().lattice()
        place = {concept.intent: i for i, concept in enumerate(dual)}
        order = [place[concept.extent] for concept in lattice]
        for bottom in ("extent", "inf"):
            expected = dual.score("delta_measure", bottom=bottom)[order]
            found = lattice.score("delta_measure", side="intent", bottom=bottom)
            assert found.tolist() == expected.tolist()

    def test_ordered_weighted_average(self) -> None:
        concept = T5.concept(*T5.attributes)
        weights = [4, 1, 3, 2]

        def score(power: float) -> float:
            return concept.score("weighted_intent", weights=weights, agg="owa", power=power)

        assert score(1) == pytest.approx(2.5, abs=1e-15)
        assert score(1e-9) == pytest.approx(4, abs=1e-6)
        assert score(1e9) == pytest.approx(1, abs=1e-6)
        assert score(2) == pytest.approx((4 * 1 + 3 * 3 + 2 * 5 + 1 * 7) / 16, abs=1e-15)

    def test_covers_below_the_limit_count(self) -> None:
        context = random_context(60, 12, density=0.4, seed=84)
        full, iceberg = context.lattice(), context.lattice(min_support=6)
        part = context.lattice(budget=cr.Budget(concepts=len(iceberg)))
        for name in ("basic_level_similarity", "basic_level_predictability"):
            expected = full.score(name)
            assert (expected > 0).sum() > 10
            found = iceberg.score(name)
            np.testing.assert_allclose(found, expected[: len(iceberg)], rtol=1e-12)
            of_part = [expected[full[concept.intent].index] for concept in part]
            np.testing.assert_allclose(part.score(name), of_part, rtol=1e-12)

    def test_super_concepts_of_an_iceberg(self) -> None:
        context = random_context(60, 12, density=0.4, seed=85)
        labels = [i % 4 == 0 for i in range(60)]
        full, iceberg = context.lattice(), context.lattice(min_support=6)
        expected = full.score("mean_information_gain", labels=labels)
        found = iceberg.score("mean_information_gain", labels=labels)
        np.testing.assert_allclose(found, expected[: len(iceberg)], rtol=1e-11, atol=1e-13)
        alone = iceberg[-1].score("mean_information_gain", labels=labels)
        assert alone == pytest.approx(found[-1], rel=1e-11)


class TestThePage:
    @pytest.fixture
    def text(self) -> str:
        return (repository() / "docs" / "measures.md").read_text(encoding="utf-8")

    def test_it_is_up_to_date(self, text: str) -> None:
        page = run_path(str(repository() / "scripts" / "measures_page.py"))["page"]
        assert page(text) == text, "run `make measures-page`"

    def test_it_lists_exactly_the_registry(self, text: str) -> None:
        headings = re.findall(r"^### `(\w+)`", text, re.MULTILINE)
        assert sorted(headings) == sorted(NAMES)

    def test_every_parameter_is_described(self, text: str) -> None:
        sections = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
        for section in sections:
            name = section[1 : section.index("`", 1)]
            for parameter in cr.measures.get(name).params:
                assert re.search(rf"^- (`.*, )?`{parameter}`", section, re.MULTILINE), name
