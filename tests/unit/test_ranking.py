from __future__ import annotations

import hashlib
import io
import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import (
    FormatError,
    MeasureError,
    TargetWarning,
    UnknownNameError,
)
from conceptrank.measures import registry
from conceptrank.query import ConditionError
from strategies import random_context


@pytest.fixture(autouse=True)
def _registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    for table in ("_MEASURES", "_NAMES"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))


@pytest.fixture
def movies() -> cr.Lattice:
    return cr.datasets.load("movies").lattice()


def test_order_and_ranks(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="cr")
    scores = movies.score("cr")
    assert ranking.order.tolist() == sorted(range(20), key=lambda i: (-scores[i], i))
    values = ranking.score("cr")
    for i in range(1, 20):
        assert ranking.ranks[i] - ranking.ranks[i - 1] == (values[i] < values[i - 1])
    assert ranking.ranks[0] == 1


def test_ties_are_stated(movies: cr.Lattice) -> None:
    ties = movies.rank(by="cr").ties
    assert (ties.concepts, ties.first, ties.largest) == (20, 12, 12)
    assert ties.distinct == len(set(movies.score("cr").tolist()))
    assert "12 of 20 concepts share the first rank" in repr(movies.rank(by="cr").top(3))
    alone = movies.rank(by="log_stability").ties
    assert (alone.first, "share" in str(alone)) == (1, False)


def test_ties_by_rounding_are_ties(movies: cr.Lattice) -> None:
    """Sums in another order differ in their last digits only."""
    noisy = np.linspace(0, 1, 20) * 0 + np.tile([0.1 + 0.2, 0.3, 0.3 - 1e-16, 0.25], 5)
    cr.measure("noisy", vectorised=True)(lambda lattice: noisy)
    ranking = movies.rank(by="noisy")
    assert ranking.ties.sizes.tolist() == [15, 5]
    assert ranking.order.tolist() == [i for i in range(20) if i % 4 < 3] + [3, 7, 11, 15, 19]
    # Steps that are each too small to see do not add up to one big tie.
    stairs = 1 + np.arange(20) * 6e-14
    cr.measure("stairs", vectorised=True)(lambda lattice: stairs)
    assert movies.rank(by="stairs").ties.sizes.tolist() == [2] * 10
    tiny = 5e-324 * np.arange(20)
    cr.measure("tiny", vectorised=True)(lambda lattice: tiny)
    assert movies.rank(by="tiny").ties.distinct == 20


def test_scores_that_are_no_numbers(movies: cr.Lattice) -> None:
    odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0] * 4)
    cr.measure("odd", vectorised=True)(lambda lattice: odd)
    ranking = movies.rank(by="odd")
    assert ranking.ties.sizes.tolist() == [4, 8, 4, 4]
    assert np.isnan(ranking.score("odd")[-4:]).all()
    assert np.isnan(movies.rank(by="odd", descending=False).score("odd")[-4:]).all()
    assert "∞" in repr(ranking)
    assert len(ranking.diverse(20)) == 4
    cr.measure("nothing", vectorised=True)(lambda lattice: np.full(20, np.nan))
    nothing = movies.rank(by="nothing", also=["cr"])
    assert (nothing.ties.distinct, nothing.ties.first) == (1, 20)
    assert len(nothing.diverse(3)) == 0


def test_ways_to_rank_ties(movies: cr.Lattice) -> None:
    first = {ties: movies.rank(by="cr", ties=ties).ranks[0] for ties in ("dense", "min", "max")}
    assert first == {"dense": 1, "min": 1, "max": 12}
    averaged = movies.rank(by="cr", ties="average")
    assert averaged[0].rank == 6.5
    assert averaged[14].rank == 15
    assert averaged.to_polars().schema["rank"] == pl.Float64
    assert [line.split()[0] for line in repr(averaged).splitlines()[2:4]] == ["6.5", "6.5"]
    with pytest.raises(MeasureError, match="ties must be 'dense', 'min', 'max' or 'average'"):
        movies.rank(by="cr", ties="mean")  # type: ignore[arg-type]


def test_tie_breaks(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="cr", then="stability", also=["support"])
    assert ranking.measures == ("cr", "stability", "support")
    cr_scores, stabilities = ranking.score("cr"), ranking.score("stability")
    for i in range(1, 20):
        assert (cr_scores[i - 1], stabilities[i - 1]) >= (cr_scores[i], stabilities[i])
    assert ranking.ties.unbroken is not None
    assert (ranking.ties.first, ranking.ties.unbroken.first) == (1, 12)
    assert ranking.ties_of("cr").first == 12
    assert "by cr alone 8 different scores, 12 of 20" in ranking.top(2).title
    assert movies.rank(by="cr", then=("cr", {"side": "extent"})).measures == (
        "cr",
        "cr(side=extent)",
    )
    assert movies.rank(by="cr", then=["support", "cr"]).recipe.by == ("cr", "support")


def test_conditions_choose_concepts(movies: cr.Lattice) -> None:
    few = movies.rank(by="cr", where="support >= 5")
    assert (len(few), few.ties.concepts, few.measures) == (5, 5, ("cr",))
    assert few.title.startswith("Ranking of 5 concepts by cr where support >= 5 (")
    by_function = movies.rank(by="cr", where=lambda concept: concept.support >= 5)
    by_array = movies.rank(by="cr", where=movies.supports >= 5)
    for other in (by_function, by_array):
        assert other.order.tolist() == few.order.tolist()
    nothing = movies.rank(by="cr", where="support > 11", also=["support"])
    assert (len(nothing), nothing.ties.distinct, nothing.ties.largest) == (0, 0, 0)
    assert nothing.to_polars(extents=True).height == 0
    assert nothing.diverse(3).selection is not None
    assert all(np.isnan(v) for v in nothing.agreement().between("cr", "support").values())


def test_conditions_share_parameters(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="support", where="cr > 0.4", side="extent")
    expected = np.flatnonzero(movies.score("cr", side="extent") > 0.4)
    assert sorted(ranking.order.tolist()) == expected.tolist()
    own = movies.rank(by="support", where="cr(side='intent') > 0.4", side="extent")
    assert sorted(own.order.tolist()) == np.flatnonzero(movies.score("cr") > 0.4).tolist()


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (np.ones(3, dtype=bool), r"shape \(3,\) is no condition"),
        (np.ones(20), "array of float64"),
        (lambda concept: concept.support, "gave 11 for"),
    ],
)
def test_what_is_no_condition(movies: cr.Lattice, where: object, reason: str) -> None:
    with pytest.raises(ConditionError, match=reason):
        movies.rank(by="cr", where=where)  # type: ignore[arg-type]


def test_direction(movies: cr.Lattice) -> None:
    assert movies.rank(by="support").order[0] == 0
    assert movies.rank(by="support", descending=False).order[0] == 19
    cr.measure("surprise", direction="lower")(lambda concept: concept.support)
    assert movies.rank(by="surprise").order[0] == 19
    assert movies.rank(by="surprise", descending=True).order[0] == 0


def test_shared_and_own_parameters(movies: cr.Lattice) -> None:
    ranking = movies.rank(
        by="cr", also=["cr_alpha", "stability", ("cr", {"side": "intent"})], side="extent"
    )
    assert ranking.measures == ("cr", "cr_alpha", "stability", "cr(side=intent)")
    for label, params in (("cr", {"side": "extent"}), ("cr(side=intent)", {})):
        expected = movies.score("cr", **params)[ranking.order]
        assert ranking.score(label).tolist() == expected.tolist()
    alone = movies.rank(("cr", {"activation": "max"}))
    assert alone.by == "cr(activation=max)"
    with pytest.raises(MeasureError, match="no parameter 'sides' in cr and support"):
        movies.rank(by="cr", also=["support"], sides="extent")


def test_columns_that_look_alike(movies: cr.Lattice) -> None:
    """Functions have no names that tell them apart, and columns must not swallow each other."""
    larger, smaller = (lambda a, b: np.maximum(b, a)), (lambda a, b: np.minimum(b, a))
    ranking = movies.rank(
        ("cr", {"activation": larger}),
        also=[("cr", {"activation": smaller}), ("cr", {"activation": larger})],
    )
    assert ranking.measures == ("cr(activation=<lambda>)", "cr(activation=<lambda>) #2")
    for name, activation in zip(ranking.measures, ("max", "min"), strict=True):
        expected = movies.score("cr", activation=activation)[ranking.order]
        assert ranking.score(name).tolist() == expected.tolist()
    for name in ("rank", "intent"):
        cr.measure(name)(lambda concept: 0)
        with pytest.raises(MeasureError, match=f"has a column '{name}' already"):
            movies.rank(by=name)


def test_arrow(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="stability", also=["cr"])
    assert pl.DataFrame(ranking).equals(ranking.to_polars())
    pytest.importorskip("pyarrow")
    table = ranking.to_arrow(5, extents=True)
    assert table.column_names == ["rank", "stability", "cr", "support", "intent", "extent"]
    assert table["intent"].to_pylist() == [list(row.concept.intent) for row in ranking.top(5)]
    assert json.loads(table.schema.metadata[b"provenance"]) == ranking.provenance
    assert "view" not in str(table.schema.field("intent").type)


def _odd(
    lattice: cr.Lattice, *, few: object, many: object, function: object, seed: int = 0
) -> object:
    return lattice.supports


class TestDiverse:
    def test_rows_keep_their_ranks(self, movies: cr.Lattice) -> None:
        ranking = movies.rank(by="support")
        some = ranking.diverse(4)
        assert some.order[0] == ranking.order[0]
        for place, index in enumerate(some.order.tolist()):
            assert some.ranks[place] == ranking.ranks[ranking.order.tolist().index(index)]
        assert some.ties.concepts == 20
        assert some.title.startswith("Ranking of 4 concepts by support (covering 11 of 11 objects")
        assert some.top(2).selection is not None
        assert len(some.top(2).selection.covered) == 2

    def test_concepts_that_cover_nothing(self, movies: cr.Lattice) -> None:
        assert movies.rank(by="stability")[0].concept.extent == ()
        assert all(row.concept.extent for row in movies.rank(by="stability").diverse(20))
        assert all(
            row.concept.intent for row in movies.rank(by="support").diverse(20, overlap="cells")
        )

    def test_lower_and_negative_scores(self, movies: cr.Lattice) -> None:
        cr.measure("minus", vectorised=True)(lambda lattice: -lattice.supports)
        cr.measure("low", vectorised=True, direction="lower")(lambda lattice: lattice.supports)
        minus, low = (movies.rank(by=name).diverse(5) for name in ("minus", "low"))
        assert minus.order.tolist() == low.order.tolist()
        assert minus[0].concept.support == 1

    def test_equal_scores(self, movies: cr.Lattice) -> None:
        for value, rows in ((0.0, 0), (2.0, 19), (-2.0, 19)):
            cr.measure("equal", vectorised=True)(lambda lattice, value=value: np.full(20, value))
            assert len(movies.rank(by="equal").diverse(20)) == rows

    def test_wrong_arguments(self, movies: cr.Lattice) -> None:
        ranking = movies.rank(by="cr")
        with pytest.raises(ValueError, match="negative"):
            ranking.diverse(-1)
        with pytest.raises(MeasureError, match="overlap must be 'extent' or 'cells', got 'tiles'"):
            ranking.diverse(3, overlap="tiles")  # type: ignore[arg-type]
        assert len(ranking.diverse(0)) == 0

    def test_many_concepts(self) -> None:
        """Lazy looks in several batches are no different from looking at everything."""
        context = random_context(60, 16, density=0.5, seed=5)
        ranking = context.lattice().rank(by="log_stability", where="0 < support")
        assert len(ranking) > 2000
        scores = ranking.score("log_stability") / ranking.score("log_stability").max()
        crosses = context.to_numpy()
        intents = [row.concept.intent for row in ranking]
        extents = np.array(
            [crosses[:, [int(m[1:]) for m in intent]].all(axis=1) for intent in intents]
        ).astype(float)
        some = ranking.diverse(12)
        worst = np.zeros(len(ranking))
        for index in some.order.tolist():
            gains = scores * (1 - worst) * (extents.sum(axis=1) > 0)
            row = ranking.order.tolist().index(index)
            assert gains[row] == pytest.approx(gains.max(), abs=1e-12)
            common = extents @ extents[row]
            union = extents.sum(axis=1) + extents[row].sum() - common
            worst = np.maximum(
                worst, np.divide(common, union, out=np.zeros_like(union), where=union > 0)
            )


class TestFiles:
    def test_json_lines(self, movies: cr.Lattice, tmp_path: Path) -> None:
        path = tmp_path / "scores.jsonl"
        ranking = movies.rank(by="log_stability")
        ranking.save(path, extents=True)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(rows) == 20
        assert rows[0]["log_stability"] == "inf"
        assert rows[0]["extent"] == []
        assert rows[1]["intent"] == ["adventure", "criminal"]
        assert rows[1]["support"] == 7

    def test_csv(self, movies: cr.Lattice, tmp_path: Path) -> None:
        movies.rank(by="stability").save(tmp_path / "a.csv", k=3)
        lines = (tmp_path / "a.csv").read_text().splitlines()
        assert lines[0] == "rank,stability,support,intent"
        assert lines[2] == "2,0.8984375,7,adventure; criminal"

    @pytest.mark.parametrize("name", ["csv", "json", "jsonl", "ndjson", "parquet"])
    def test_open_files(self, movies: cr.Lattice, tmp_path: Path, name: str) -> None:
        ranking, buffer = movies.rank(by="cr"), io.BytesIO()
        ranking.save(buffer, format=name)
        ranking.save(tmp_path / f"a.{name}")
        ranking.save(tmp_path / "b.txt", format=name)
        written = (tmp_path / f"a.{name}").read_bytes()
        assert written == (tmp_path / "b.txt").read_bytes()
        assert buffer.getvalue() == written

    @pytest.mark.parametrize("name", ["csv", "json", "jsonl"])
    def test_provenance_beside_text(self, movies: cr.Lattice, tmp_path: Path, name: str) -> None:
        path = tmp_path / f"scores.{name}"
        ranking = movies.rank(by="cr", then="support", where="support > 1", side="extent")
        ranking.save(path, k=3)
        about = json.loads((tmp_path / f"scores.{name}.meta.json").read_text())
        assert about["file"] == path.name
        assert about["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert about["conceptrank"] == cr.__version__
        assert about["context"]["digest"] == movies.context.digest
        assert about["lattice"]["complete"] is True
        assert about["ranking"]["where"] == "support > 1"
        assert (about["ranking"]["by"], about["ranking"]["then"]) == ("cr", ["support"])
        assert about["measures"]["cr"]["measure"] == "conceptual_relevance"
        assert about["measures"]["cr"]["parameters"]["side"] == "extent"
        ranking.save(tmp_path / f"alone.{name}", provenance=False)
        assert not (tmp_path / f"alone.{name}.meta.json").exists()

    def test_provenance_in_parquet(self, movies: cr.Lattice, tmp_path: Path) -> None:
        ranking = movies.rank(by="stability").diverse(3)
        ranking.save(tmp_path / "a.parquet")
        about = json.loads(pl.read_parquet_metadata(tmp_path / "a.parquet")["provenance"])
        assert about == ranking.provenance
        assert (about["rows"], about["ranking"]["diverse"]) == (3, "extent")
        assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]

    def test_what_provenance_says_of_odd_parameters(self, movies: cr.Lattice) -> None:
        cr.measure("odd", vectorised=True)(_odd)
        values = {"few": np.array([1.0, np.inf]), "many": list(range(100)), "function": np.hypot}
        ranking = movies.rank(("odd", {**values, "seed": 7}))
        known = ranking.provenance
        parameters = known["measures"][ranking.by]["parameters"]
        assert parameters["few"] == [1.0, "inf"]
        assert parameters["many"].startswith("100 values, SHA-256 ")
        assert parameters["function"] == "numpy.hypot"
        assert known["seed"] == {ranking.by: 7}
        assert json.loads(json.dumps(known, allow_nan=False)) == known
        assert known == movies.rank(("odd", {**values, "seed": 7})).provenance

    def test_a_part_of_a_lattice_says_so(self) -> None:
        context = cr.datasets.load("movies")
        stopped = context.lattice(min_support=1, budget=cr.Budget(concepts=5)).rank(by="support")
        about = stopped.provenance["lattice"]
        assert (about["complete"], about["stopped"], about["min_support"]) == (False, "concepts", 1)

    def test_formats_that_are_not_told(self, movies: cr.Lattice, tmp_path: Path) -> None:
        ranking = movies.rank(by="cr")
        with pytest.raises(
            FormatError, match=r"a.xlsx: the suffix '.xlsx' doesn't tell the format"
        ):
            ranking.save(tmp_path / "a.xlsx")
        with pytest.raises(FormatError, match="has no suffix"):
            ranking.save(tmp_path / "a")
        with pytest.raises(
            UnknownNameError, match="unknown format 'jsonlines'; did you mean 'json"
        ):
            ranking.save(tmp_path / "a", format="jsonlines")
        assert list(tmp_path.iterdir()) == []

    def test_empty_rankings(self, tmp_path: Path) -> None:
        ranking = cr.datasets.load("movies").lattice(min_support=12).rank()
        ranking.save(tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_text().splitlines() == [
            "rank,conceptual_relevance,support,intent"
        ]
        assert ranking.to_polars(extents=True).height == 0
        assert "Ranking of 0 concepts" in repr(ranking)


def test_estimates_carry_their_intervals_into_tables_and_files(tmp_path: Path) -> None:
    lattice = cr.datasets.load("movies").lattice()
    monte_carlo = ("stability", {"method": "monte_carlo", "seed": 3})
    ranking = lattice.rank(monte_carlo, also=["cr"])
    name = ranking.by
    frame = ranking.to_polars()
    assert frame.columns == [
        *("rank", name, f"{name}_exact", f"{name}_low", f"{name}_high"),
        *("cr", "support", "intent"),
    ]
    low, high = lattice.interval("stability", method="monte_carlo", seed=3)
    assert frame[f"{name}_low"].to_list() == low[ranking.order].tolist()
    assert frame[f"{name}_high"].to_list() == high[ranking.order].tolist()
    # The bottom has no faces, and nothing to estimate.
    assert frame.filter(pl.col(f"{name}_exact"))["support"].to_list() == [0]
    ranking.save(tmp_path / "scores.csv")
    assert pl.read_csv(tmp_path / "scores.csv").columns == frame.columns
    ranking.save(tmp_path / "scores.parquet")
    assert pl.read_parquet(tmp_path / "scores.parquet").equals(frame)
    assert lattice.rank("stability").to_polars().columns == [
        "rank",
        "stability",
        "support",
        "intent",
    ]


def test_columns_of_measures_with_data_have_plain_names() -> None:
    lattice = cr.datasets.load("movies").lattice()
    labels = [i % 2 for i in range(11)]
    words = ["yes" if label else "no" for label in labels]
    ranking = lattice.rank(
        by=("wracc", {"labels": labels}),
        also=[
            ("wracc", {"labels": words, "positive": "yes"}),
            ("wracc", {"labels": [1 - label for label in labels]}),
            ("weighted_intent", {"weights": dict.fromkeys(lattice.context.attributes, 1)}),
        ],
    )
    assert ranking.measures == ("wracc", "wracc(positive=yes)", "wracc #2", "weighted_intent")
    first, second, other = (ranking.score(name) for name in ranking.measures[:3])
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    "rank",
    [
        lambda table, labels: cr.rank(table, "information_gain", labels=labels),
        lambda table, labels: table.rank(("information_gain", {"labels": labels})),
        lambda table, labels: table.lattice().rank("information_gain", labels=labels),
        lambda table, labels: table.best(1, "information_gain", labels=labels),
    ],
)
def test_labels_that_are_in_the_table_are_noticed(rank):
    columns = ["b", "not b", "red"]
    table = cr.Context("1234", columns, [(0, 1, 1), (1, 0, 1), (0, 1, 0), (0, 1, 0)])
    for labels in (["a", "b", "a", "c"], [0, 1, 0, 0]):
        with pytest.warns(TargetWarning, match=r"in the table: b, not b \(hint"):
            rank(table, labels)
    with warnings.catch_warnings(action="error"):
        rank(table, ["x", "x", "x", "x"])
        rank(table, [0, 1, 1, 0])
        # Red holds for two labels and not for the two others, so it tells none of them.
        rank(table.select(attributes=["red"]), [0, 1, 2, 3])
