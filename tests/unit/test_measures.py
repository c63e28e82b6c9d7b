from __future__ import annotations

import inspect
from dataclasses import replace
from fractions import Fraction
from math import comb, exp, inf, log2, sqrt

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.measures import registry
from conceptrank.measures.relevance import parse_activation

COLUMNS = [
    "name",
    "aliases",
    "side",
    "direction",
    "range",
    "needs",
    "bounded",
    "complexity",
    "params",
    "summary",
    "reference",
]


# What a measure takes from concepts, and the word by which it declares that.
USES = {
    "supports": "support",
    "deltas": "delta",
    "column_sums": "columns",
    "cover_scores": "covers",
    "whole": "lattice",
}
NEEDS = {"context", "intent faces", "extent faces", "faces", "covers", "lattice"} | {
    "labels",
    "weights",
}


def arguments(measure: cr.measures.Measure, context: cr.Context) -> dict[str, object]:
    """Something for every argument that has to be given."""
    side = context.attributes if measure.name == "weighted_intent" else context.objects
    given = {"labels": [i % 2 for i in range(len(side))], "weights": list(range(len(side)))}
    return {
        name: given.get(name, 0.25)
        for name, default in measure.params.items()
        if default is inspect.Parameter.empty
    }


@pytest.fixture(autouse=True)
def _registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    for table in ("_MEASURES", "_NAMES"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))


@pytest.fixture
def movies() -> cr.Lattice:
    return cr.datasets.load("movies").lattice()


def two_blocks(half: int, relevant: int = 0) -> cr.Concept:
    """The bottom of a context: two faces of `half` attributes, and `relevant` single ones."""
    q = 2 * half + relevant
    table = np.ones((2 + relevant, q), dtype=bool)
    table[0, :half] = False
    table[1, half : 2 * half] = False
    for i in range(relevant):
        table[2 + i, 2 * half + i] = False
    return cr.Context(range(2 + relevant), range(q), table).concept(*map(str, range(q)))


class TestRegistry:
    def test_the_table_tells_all(self) -> None:
        table = cr.measures.available()
        assert table.columns == COLUMNS
        assert {"cr_alpha", "delta_measure", "frequency"} <= set(table["name"])
        row = table.row(by_predicate=pl.col("name") == "conceptual_relevance", named=True)
        assert (row["aliases"], row["side"], row["needs"]) == ("cr", "intent", "faces")
        assert row["params"] == "side='intent', activation='arithmetic', beta='paper'"
        assert table["summary"].str.len_chars().min() > 5

    def test_unknown_measures(self, movies: cr.Lattice) -> None:
        with pytest.raises(UnknownNameError) as caught:
            movies.score("stability_bound")
        message = str(caught.value)
        assert message.startswith("unknown measure 'stability_bound'; did you mean ")
        assert message.count("'") == 8

    def test_parameters_are_checked(self, movies: cr.Lattice) -> None:
        with pytest.raises(MeasureError, match="stability_intensional has no parameter 'side'; it"):
            movies.score("stability", side="extent")
        with pytest.raises(MeasureError, match="it takes side, activation, beta"):
            movies.score("cr", sides="extent")
        with pytest.raises(MeasureError, match="side must be"):
            movies.score("cr_alpha", side="both")
        with pytest.raises(UnknownNameError, match="unknown beta 'papers'; did you mean 'paper'"):
            movies.score("cr", beta="papers")
        with pytest.raises(UnknownNameError, match="unknown method 'delta'"):
            movies.score("stability_lower_bound", method="delta")
        with pytest.raises(MeasureError, match="bottom must be"):
            movies.score("delta_measure", bottom="top")

    def test_a_required_parameter_is_named(self, movies: cr.Lattice) -> None:
        @cr.measure("share_of_labels", vectorised=True)
        def share(concepts: cr.Lattice, *, labels: object) -> np.ndarray:
            return np.zeros(len(concepts))

        with pytest.raises(MeasureError, match="share_of_labels needs the argument labels="):
            movies.score("share_of_labels")
        assert movies.score("share_of_labels", labels=[1]).sum() == 0

    def test_built_ins_ask_for_what_they_declare(self, movies: cr.Lattice) -> None:
        class Spy:
            def __init__(self) -> None:
                self.asked: set[tuple[str, str, float]] = set()
                self.used: set[str] = set()

            def __getattr__(self, name: str) -> object:
                self.used |= {USES[name]} if name in USES else set()
                return getattr(movies, name)

            def __len__(self) -> int:
                return len(movies)

            def face_scores(
                self, side: str, *columns: str, keep: float = 0.5, **how: object
            ) -> object:
                self.asked |= {(side, column, keep) for column in columns}
                return movies.face_scores(side, *columns, keep=keep, **how)  # type: ignore[arg-type]

        for measure in filter(lambda measure: measure.builtin, registry._MEASURES.values()):
            for side in ("intent", "extent") if "side" in measure.params else (None,):
                params = arguments(measure, movies.context) | ({"side": side} if side else {})
                spy = Spy()
                measure.compute(spy, **measure.bind(params))
                declared = measure.dependences(params)
                faces = measure.face_needs(params)
                wanted = {
                    (need.side, column, need.keep) for need in faces for column in need.columns
                }
                assert spy.asked == wanted, measure.name
                for word in ("delta", "columns", "covers", "lattice"):
                    assert (word in spy.used) == (word in declared), (measure.name, word)
                # The objects of an extent are as many as its support.
                known = {"support", "hits"}.intersection(declared)
                assert known or "support" not in spy.used, measure.name

    def test_every_built_in_says_what_it_is(self) -> None:
        table = cr.measures.available()
        for row in table.to_dicts():
            name = row["name"]
            for column in ("range", "needs", "complexity", "summary", "reference"):
                assert row[column], (name, column)
            assert row["side"] in ("intent", "extent", "both"), name
            assert row["direction"] in ("higher", "lower"), name
            assert row["needs"] in NEEDS, name
            assert len(row["summary"]) < 90, name
        names = [*table["name"], *", ".join(filter(None, table["aliases"])).split(", ")]
        assert len(set(names)) == len(names)
        lower = set(table.filter(direction="lower")["name"])
        assert lower >= {"concept_probability", "independence_pvalue", "target_entropy"}


class TestRelevance:
    @pytest.mark.parametrize(
        ("activation", "expected"),
        [
            ("arithmetic", 3 / 8),
            ("max", 1 / 2),
            ("min", 1 / 4),
            ("quadratic", sqrt((1 / 16 + 1 / 4) / 2)),
            ("noisy_or", 5 / 8),
            ("product", 1 / 8),
            ("geometric", sqrt(1 / 8)),
            ("harmonic", 1 / 3),
            ("weighted:0.75", 5 / 16),
            ("weighted:1", 1 / 4),
            ("logistic:10,0.5", 1 / (1 + exp(1.25))),
            (cr.measures.weighted(0.5), 3 / 8),
            (cr.measures.logistic(0, 1), 1 / 2),
            (lambda a, b: a - b, -1 / 4),
        ],
    )
    def test_activations(self, activation: object, expected: float) -> None:
        """α is 1/4, and β is 1/2 on the scale of Sperner."""
        params = {"activation": activation, "beta": "sperner"}
        scores = cr.measures.get("cr").score(Quarter(), params)  # type: ignore[arg-type]
        assert scores[0] == pytest.approx(expected, abs=1e-15)

    def test_activations_of_nothing(self) -> None:
        top = cr.datasets.load("movies").concept()
        for name in ("harmonic", "geometric", "quadratic", "logistic:1000,-1000", "logistic:-9,0"):
            score = top.score("cr", activation=name)
            assert 0 <= score <= 1
        assert top.score("cr", activation="harmonic") == 0

    @pytest.mark.parametrize(
        ("activation", "message"),
        [
            ("arithmetik", "unknown activation 'arithmetik'; did you mean 'arithmetic'"),
            ("max:1", "unknown activation 'max:1'"),
            ("weighted", "takes numbers, as in 'weighted:0.7'"),
            ("weighted:x", "takes numbers, as in 'weighted:0.7'"),
            ("weighted:0.1,0.2", "takes numbers, as in 'weighted:0.7'"),
            ("weighted:2", "between 0 and 1, got 2.0"),
            ("logistic:1", "takes numbers, as in 'logistic:10,0.5'"),
            (7, "unknown activation '7'"),
            (lambda a, b: 0.5, "the activation gave a single value for 20 concepts"),
            (lambda a, b: a[:3], r"the activation gave \(3,\) for 20 concepts"),
        ],
    )
    def test_activations_that_are_none(
        self, movies: cr.Lattice, activation: object, message: str
    ) -> None:
        with pytest.raises((MeasureError, UnknownNameError), match=message):
            movies.score("cr", activation=activation)

    @pytest.mark.parametrize("half", [2, 30, 499, 500, 511, 512, 515, 516])
    @pytest.mark.parametrize("relevant", [0, 1])
    def test_beta_of_long_intents(self, half: int, relevant: int) -> None:
        concept = two_blocks(half, relevant)
        n, count = len(concept.intent), half**2
        widest = comb(n, n // 2)
        expected = {
            "paper": Fraction(count, 2**n - 2),
            "sperner": Fraction(count, widest),
            "sperner_free": Fraction(count, comb(2 * half, half)),
            "log": log2(1 + count) / log2(1 + widest),
        }
        for beta, value in expected.items():
            found = concept.score("cr_beta", beta=beta)
            assert found == pytest.approx(float(value), rel=1e-12, abs=0), beta

    def test_beta_of_very_long_intents(self) -> None:
        concept = two_blocks(20_000)
        assert concept.score("cr_beta") == 0
        assert concept.score("cr_beta", beta="sperner") == 0
        widest = 40_000 - log2(np.pi * 20_000) / 2
        log = concept.score("cr_beta", beta="log")
        assert log == pytest.approx(log2(1 + 4e8) / widest, rel=1e-8)
        assert concept.score("cr") == 0

    def test_beta_is_nothing_with_one_generator(self, movies: cr.Lattice) -> None:
        single = np.array([len(concept.minimal_generators) == 1 for concept in movies])
        for beta in ("paper", "sperner", "sperner_free", "log"):
            assert (movies.score("cr_beta", beta=beta)[single] == 0).all()
            assert (movies.score("cr_beta", beta=beta)[~single] > 0).all()
            assert movies.score("cr_beta", beta=beta).max() <= 1

    def test_counts_that_a_budget_ends_are_lower_bounds(self) -> None:
        """A random hypergraph with far more generators than the budget of one concept allows."""
        random = np.random.default_rng(1)
        context = cr.Context(range(150), range(80), random.random((150, 80)) > 0.06)
        bottom = context.concept(*context.attributes)
        assert not bottom.exact("cr_beta")
        assert not bottom.exact("cr")
        assert not bottom.exact("cr", beta="log")
        assert bottom.exact("cr_alpha")
        assert bottom.score("cr_beta") > 0


def perrin(n: int) -> int:
    """The number of minimal sets that meet every edge of a cycle of n elements, for n > 2."""
    numbers = [3, 0, 2]
    while len(numbers) <= n:
        numbers.append(numbers[-2] + numbers[-3])
    return numbers[n]


def cycle(n: int) -> cr.Concept:
    """The bottom of a context whose object i lacks the attributes i and i + 1 (mod n)."""
    crosses = np.ones((n, n), dtype=bool)
    for i in range(n):
        crosses[i, [i, (i + 1) % n]] = False
    context = cr.Context(range(n), range(n), crosses)
    return context.concept(*context.attributes)


class TestIntervals:
    def test_the_count_of_a_cycle(self) -> None:
        for n in (5, 8, 13):
            assert len(cycle(n).minimal_generators) == perrin(n)
            assert cycle(n).exact("cr_beta")
            share = perrin(n) / (2**n - 2)
            assert cycle(n).interval("cr_beta") == pytest.approx((share, share))

    @pytest.mark.parametrize("beta", ["paper", "sperner", "sperner_free", "log"])
    @pytest.mark.parametrize("activation", ["arithmetic", "max", "harmonic", "logistic:-3,0.2"])
    def test_intervals_contain_what_a_budget_cut_off(self, beta: str, activation: str) -> None:
        n = 70
        concept = cycle(n)
        widest = comb(n, n // 2)
        truth = {
            "paper": perrin(n) / (2**n - 2),
            "sperner": perrin(n) / widest,
            "sperner_free": perrin(n) / widest,
            "log": log2(1 + perrin(n)) / log2(1 + widest),
        }[beta]
        assert not concept.exact("cr_beta", beta=beta)
        low, high = concept.interval("cr_beta", beta=beta)
        assert low < truth < high
        combine = parse_activation(activation)
        (whole,) = combine(np.zeros(1), np.array([truth]))
        low, high = concept.interval("cr", beta=beta, activation=activation)
        assert low <= whole <= high
        assert low < high or activation == "harmonic"

    def test_an_activation_of_ones_own_may_do_anything(self) -> None:
        ends = cycle(70).interval("cr", activation=lambda alpha, beta: beta * (1 - beta))
        assert ends == (-np.inf, np.inf)

    @pytest.mark.parametrize(("n", "q", "density"), [(60, 80, 0.85), (80, 120, 0.93)])
    def test_stability_beyond_the_budget_is_an_estimate(
        self, n: int, q: int, density: float
    ) -> None:
        random = np.random.default_rng(1)
        crosses = random.random((n, q)) < density
        top = cr.Context(range(n), range(q), crosses).concept()
        assert top.support == n
        # The subsets of the objects that no attribute has in common, counted among random ones.
        kept = random.random((100_000, n)) < 0.5
        truth = ((kept.astype(np.float32) @ ~crosses) > 0).all(axis=1).mean()
        error = 4 * (truth * (1 - truth) / 100_000) ** 0.5
        assert not top.exact("stability")
        assert abs(top.score("stability") - truth) < 0.02 + error
        for name, value in {
            "stability": lambda s: s,
            "log_stability": lambda s: -np.log2(1 - s),
            "expected_relevance": lambda s: s * top.score("relevance_factor"),
        }.items():
            low, high = top.interval(name)
            assert low <= top.score(name) <= high, name
            assert low <= value(truth + error), name
            assert value(truth - error) <= high, name
            assert high - low < 0.2, name

    def test_without_anything_known_an_interval_is_infinite(self) -> None:
        unknown = replace(cr.measures.get("cr_beta"), interval_ends=None)
        batch = cycle(70)._alone
        low, high = unknown.interval(batch, {})
        assert (low[0], high[0]) == (-np.inf, np.inf)


class Quarter:
    """One concept of four attributes: one relevant, three generators of six at most."""

    intent_sizes = np.array([4])

    def __len__(self) -> int:
        return 1

    def face_scores(self, side: str, *columns: str, keep: float = 0.5) -> tuple[np.ndarray, ...]:
        values = {
            "singletons": np.array([1], dtype=np.uint32),
            "generators": np.array([3.0]),
            "share": np.array([3 / 14]),
        }
        return tuple(values[column] for column in columns)


class TestStability:
    def test_all_attributes(self, movies: cr.Lattice) -> None:
        bottom = movies.bottom
        assert bottom.score("stability") == 1
        assert bottom.score("log_stability") == inf
        assert bottom.score("delta_measure") == 0
        assert bottom.score("delta_measure", bottom="inf") == inf
        for method in ("delta", "bonferroni"):
            assert bottom.score("stability_upper_bound", method=method) == 1
        assert movies.score("delta_measure", bottom="inf")[:-1].max() == 4

    def test_log_stability_beyond_the_digits_of_stability(self) -> None:
        """One object of 3000 has something of its own: 1 - σ is 2^-2999."""
        n = 3000
        table = np.zeros((n, 1), dtype=bool)
        table[0] = True
        top = cr.Context(range(n), "a", table).concept()
        assert top.score("stability") == 1
        assert top.score("log_stability") == n - 1

    def test_no_objects(self) -> None:
        concept = cr.Context([], "ab", []).concept()
        for name in ("frequency", "support", "delta_measure", "cr", "tile_area"):
            assert concept.score(name) == 0, name
        assert concept.score("stability") == concept.score("stability_extensional") == 1


class TestUserMeasures:
    def test_a_function_of_a_concept(self, movies: cr.Lattice) -> None:
        @cr.measure("generator_count", summary="how many", direction="lower", aliases=("gens",))
        def count(concept: cr.Concept, *, offset: int = 0) -> int:
            return len(concept.minimal_generators) + offset

        scores = movies.score("generator_count")
        assert scores.dtype == np.float64
        assert scores[-1] == 7
        assert movies.bottom.score("gens", offset=3) == 10
        assert movies.rank(by="gens")[0].scores == {"gens": 1.0}
        assert movies.exact("gens").all()
        row = cr.measures.available().filter(name="generator_count").row(0, named=True)
        assert (row["summary"], row["direction"], row["params"]) == (
            "how many",
            "lower",
            "offset=0",
        )

    def test_a_vectorised_function(self, movies: cr.Lattice) -> None:
        @cr.measure("area", vectorised=True)
        def area(lattice: cr.Lattice, *, power: float = 1) -> np.ndarray:
            """Objects times attributes."""
            return (lattice.supports * lattice.intent_sizes) ** power

        assert movies.score("area").tolist() == movies.score("tile_area").tolist()
        assert movies.context.concept("drama").score("area", power=2) == 25
        assert cr.measures.get("area").summary == "Objects times attributes"
        ranking = movies.rank(by="area", also=["cr"], power=2)
        assert ranking.score("area")[0] == 14**2

    def test_the_last_definition_counts(self, movies: cr.Lattice) -> None:
        for value in (1, 2):
            cr.measure("constant", aliases=(f"constant{value}",))(
                lambda concept, value=value: value
            )
        assert movies.score("constant").max() == 2
        assert movies.score("constant2").max() == 2
        with pytest.raises(UnknownNameError):
            movies.score("constant1")

    @pytest.mark.parametrize(("name", "aliases"), [("cr", ()), ("mine", ("stability",))])
    def test_built_in_names_are_taken(self, name: str, aliases: tuple[str, ...]) -> None:
        with pytest.raises(MeasureError, match="there is a built-in measure"):
            cr.measure(name, aliases=aliases)(lambda concept: 0)
        assert cr.measures.get("cr").builtin

    @pytest.mark.parametrize("value", [None, "high", [1], 1j, np.zeros(1)])
    def test_a_concept_gets_one_number(self, movies: cr.Lattice, value: object) -> None:
        cr.measure("wrong")(lambda concept: value)
        with pytest.raises(MeasureError) as caught:
            movies.score("wrong")
        message = str(caught.value)
        assert message.startswith("wrong gave ")
        assert "<Concept 11 objects" in message
        assert f"a number is wanted, not {type(value).__name__}" in message

    @pytest.mark.parametrize("value", [None, 1.0, [1, 2], ["a"] * 20, np.zeros((20, 1))])
    def test_a_lattice_gets_one_number_each(self, movies: cr.Lattice, value: object) -> None:
        cr.measure("wrong_too", vectorised=True)(lambda lattice: value)
        with pytest.raises(
            MeasureError, match=r"wrong_too gave .* for 20 concepts: one number for"
        ):
            movies.score("wrong_too")

    def test_an_error_says_where(self, movies: cr.Lattice) -> None:
        cr.measure("ratio")(lambda concept: 1 / len(concept.intent))
        with pytest.raises(ZeroDivisionError) as caught:
            movies.score("ratio")
        (note,) = caught.value.__notes__
        assert note.startswith("in the measure 'ratio', for <Concept 11 objects")

    def test_truth_values_and_undefined_ones(self, movies: cr.Lattice) -> None:
        cr.measure("large")(lambda concept: concept.support > 5)
        assert movies.score("large").sum() == 4
        cr.measure("half_defined")(lambda concept: 1.0 if concept.support else float("nan"))
        ranking = movies.rank(by="half_defined")
        assert np.isnan(ranking.score("half_defined")[-1])
        assert movies.rank(by="half_defined", descending=False).order[-1] == 19
