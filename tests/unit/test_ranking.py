from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import FormatError, MeasureError, UnknownNameError
from conceptrank.measures import registry


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


def test_direction(movies: cr.Lattice) -> None:
    assert movies.rank(by="support").order[0] == 0
    assert movies.rank(by="support", descending=False).order[0] == 19
    cr.measure("surprise", direction="lower")(lambda concept: concept.support)
    assert movies.rank(by="surprise").order[0] == 19
    assert movies.rank(by="surprise", descending=True).order[0] == 0


def test_rows(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="stability", also=["cr", "support"])
    rank, (extent, intent), scores = ranking[1]
    assert (rank, len(extent), intent) == (2, 7, ("adventure", "criminal"))
    assert scores == {"stability": 115 / 128, "cr": 0.5, "support": 7.0}
    assert ranking[-1].rank == ranking.ranks[-1]
    assert [row.concept.index for row in ranking] == ranking.order.tolist()
    assert ranking.measures == ("stability", "cr", "support")
    with pytest.raises(IndexError):
        ranking[20]


def test_the_first_rows(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="stability")
    assert len(ranking.top(3)) == 3
    assert ranking.top(3).order.tolist() == ranking.order[:3].tolist()
    assert len(ranking.top(100)) == 20
    assert len(ranking.top(0)) == 0
    with pytest.raises(ValueError, match="negative"):
        ranking.top(-1)


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


def test_a_measure_is_shown_once(movies: cr.Lattice) -> None:
    assert movies.rank(by="cr", also=["cr", "support", "cr"]).measures == ("cr", "support")
    assert movies.rank(by="cr", also="support").measures == ("cr", "support")


def test_unknown_measures(movies: cr.Lattice) -> None:
    with pytest.raises(UnknownNameError, match="unknown measure"):
        movies.rank(by="crr")
    with pytest.raises(UnknownNameError, match="unknown measure"):
        movies.rank(by="cr", also=["supportt"])
    with pytest.raises(MeasureError, match="'stability' is none of the columns cr"):
        movies.rank(by="cr").score("stability")


def test_frames(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="stability", also=["support"])
    frame = ranking.to_polars()
    assert frame.columns == ["rank", "stability", "support", "intent"]
    assert frame.schema["support"] == pl.Int64
    assert frame.height == 20
    assert frame["intent"].to_list() == [list(row.concept.intent) for row in ranking]
    assert ranking.to_polars(2).height == 2
    with_extents = ranking.to_polars(3, extents=True)
    assert with_extents["extent"].to_list() == [list(r.concept.extent) for r in ranking.top(3)]


def test_pandas_frames(movies: cr.Lattice) -> None:
    ranking = movies.rank(by="cr")
    frame = ranking.to_pandas(5, extents=True)
    assert list(frame.columns) == ["rank", "cr", "support", "intent", "extent"]
    assert frame["support"].tolist() == ranking.to_polars(5)["support"].to_list()
    assert frame["intent"][0] == ["adventure"]


class TestFiles:
    def test_json_lines(self, movies: cr.Lattice, tmp_path: Path) -> None:
        path = tmp_path / "scores.jsonl"
        ranking = movies.rank(by="log_stability")
        ranking.save(path, extents=True)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(rows) == 20
        assert rows[0]["log_stability"] is None
        assert rows[0]["extent"] == []
        assert rows[1]["intent"] == ["adventure", "criminal"]
        assert rows[1]["support"] == 7

    def test_json(self, movies: cr.Lattice, tmp_path: Path) -> None:
        movies.rank(by="cr").save(tmp_path / "a.json", k=3)
        rows = json.loads((tmp_path / "a.json").read_text())
        assert [row["intent"] for row in rows] == [
            ["adventure"],
            ["criminal"],
            ["adventure", "criminal"],
        ]

    def test_csv(self, movies: cr.Lattice, tmp_path: Path) -> None:
        movies.rank(by="stability").save(tmp_path / "a.csv", k=3)
        lines = (tmp_path / "a.csv").read_text().splitlines()
        assert lines[0] == "rank,stability,support,intent"
        assert lines[2] == "2,0.8984375,7,adventure; criminal"

    def test_parquet(self, movies: cr.Lattice, tmp_path: Path) -> None:
        ranking = movies.rank(by="stability")
        ranking.save(str(tmp_path / "a.parquet"))
        assert pl.read_parquet(tmp_path / "a.parquet").equals(ranking.to_polars())

    @pytest.mark.parametrize("name", ["csv", "json", "jsonl", "ndjson", "parquet"])
    def test_open_files(self, movies: cr.Lattice, tmp_path: Path, name: str) -> None:
        ranking, buffer = movies.rank(by="cr"), io.BytesIO()
        ranking.save(buffer, format=name)
        ranking.save(tmp_path / f"a.{name}")
        ranking.save(tmp_path / "b.txt", format=name)
        written = (tmp_path / f"a.{name}").read_bytes()
        assert written == (tmp_path / "b.txt").read_bytes()
        assert buffer.getvalue() == written

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


def test_how_rankings_look(movies: cr.Lattice) -> None:
    text = repr(movies.rank(by="stability", also=["support", "cr"]))
    lines = text.splitlines()
    assert lines[0].startswith("Ranking of 20 concepts by stability (8 different scores")
    assert lines[1].split() == ["rank", "stability", "cr", "support", "intent"]
    assert len(lines) == 13
    assert lines[-1] == "… 10 more"
    html = movies.rank(by="cr")._repr_html_()
    assert "share the first rank" in html
    assert html.count("<tr>") == 21


def test_larger_rankings_are_the_same_row_by_row() -> None:
    random = np.random.default_rng(3)
    context = cr.Context(range(40), [f"m{i}" for i in range(14)], random.random((40, 14)) < 0.5)
    ranking = context.lattice().rank(by="cr", also=["stability_extensional"])
    frame = ranking.to_polars(extents=True)
    for row, (rank, concept, scores) in zip(frame.iter_rows(named=True), ranking, strict=True):
        assert (row["rank"], row["support"]) == (rank, concept.support)
        assert (row["intent"], row["extent"]) == (list(concept.intent), list(concept.extent))
        assert row["stability_extensional"] == scores["stability_extensional"]
