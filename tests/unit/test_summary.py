"""`Summary`: what it tells, bad input, limits and files."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import UnknownNameError
from conceptrank.summary import peel


@pytest.fixture(scope="module")
def planted() -> cr.datasets.random.Planted:
    return cr.datasets.random.planted(
        600, 25, patterns=3, sizes=(3, 5), supports=(0.1, 0.2), seed=5
    )


def test_patterns_tell_what_they_are(planted: cr.datasets.random.Planted) -> None:
    summary, frame = planted.context.summarize(), planted.context.to_polars()
    assert {pattern.intent for pattern in summary} == {each.intent for each in planted.patterns}
    for place, pattern in enumerate(summary, 1):
        has = frame.select(pl.all_horizontal(pattern.intent)).to_series()
        extent = [name for name, each in zip(planted.context.objects, has, strict=True) if each]
        assert pattern.place == place
        assert [*pattern.extent] == extent
        assert pattern.support == len(pattern.extent)
        assert pattern.support > pattern.expected
        assert planted.context.concept(*pattern.generator).intent == pattern.intent
        assert f"found {pattern.support}" in pattern.why
        assert 0 <= pattern.p_value < 0.05
    shares = [pattern.explained for pattern in summary]
    assert shares == sorted(shares)
    assert summary.explained == shares[-1]
    cells = {(g, m) for pattern in summary for g in pattern.extent for m in pattern.intent}
    assert summary.explained == pytest.approx(len(cells) / planted.context.crosses)


def test_a_number_ends_the_list(planted: cr.datasets.random.Planted) -> None:
    whole = planted.context.summarize()
    assert [p.intent for p in planted.context.summarize(2)] == [p.intent for p in whole[:2]]
    assert len(planted.context.summarize(0)) == 0
    with pytest.raises(ValueError, match="max_patterns must not be negative"):
        planted.context.summarize(-1)


def test_a_lattice_gives_the_list_of_its_concepts(planted: cr.datasets.random.Planted) -> None:
    lattice = planted.context.lattice(min_support=6)
    from_lattice, from_context = lattice.summarize(), planted.context.summarize(min_support=6)
    assert from_lattice.to_polars().equals(from_context.to_polars())


@pytest.mark.parametrize("method", ["peel", "slim", "grecond", "tiling", "diverse"])
def test_every_method_answers_alike(planted: cr.datasets.random.Planted, method: str) -> None:
    summary = planted.context.summarize(3, method=method, min_support=30)
    assert summary.method == method
    assert 0 < len(summary) <= 3
    frame = summary.to_polars(extents=True)
    assert frame.columns[:7] == [
        "place", "intent", "support", "expected", "gain", "p_value", "explained",
    ]  # fmt: skip
    assert frame["support"].to_list() == [len(each) for each in frame["extent"].to_list()]
    assert frame["expected"].is_finite().all()
    assert summary.to_pandas()["intent"].tolist() == frame["intent"].to_list()


def test_unknown_names_are_refused(planted: cr.datasets.random.Planted) -> None:
    with pytest.raises(UnknownNameError, match="peel"):
        planted.context.summarize(method="peal")
    with pytest.raises(UnknownNameError, match="columns"):
        planted.context.summarize(margins="rows")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        planted.context.summarize(alpha=1.5)


BAD = {
    "no rows": (cr.Context([], "abc", np.zeros((0, 3), dtype=bool)), "the table is empty"),
    "no columns": (cr.Context("12", [], np.zeros((2, 0), dtype=bool)), "the table is empty"),
    "no crosses": (cr.Context("123", "ab", np.zeros((3, 2), dtype=bool)), "no object has"),
    "one row": (cr.Context("1", "abc", [[1, 1, 0]]), "one object"),
    "one column": (cr.Context("123", "a", [[1], [0], [1]]), "chance"),
    "all crosses": (cr.Context(range(30), "abc", np.ones((30, 3), dtype=bool)), "chance"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_empty_list_says_why(name: str) -> None:
    context, reason = BAD[name]
    summary = context.summarize()
    assert len(summary) == 0
    assert summary.complete
    assert reason in summary.notes[-1]
    assert reason in str(summary)
    assert summary.to_polars().height == 0


def test_equal_rows_make_patterns() -> None:
    rows = np.array([[1, 1, 0, 0]] * 30 + [[0, 0, 1, 1]] * 30, dtype=bool)
    summary = cr.Context(range(60), "abcd", rows).summarize()
    assert [pattern.intent for pattern in summary] == [("a", "b"), ("c", "d")]
    assert summary.explained == 1


def test_the_closest_concept_of_a_small_table_is_named() -> None:
    (note,) = cr.datasets.load("movies").summarize().notes
    assert "the closest, adventure, fantasy, thriller, has 2 objects" in note


def test_limits_keep_what_was_found(planted: cr.datasets.random.Planted) -> None:
    stopped = planted.context.summarize(budget=cr.Budget(seconds=0))
    assert stopped.stopped == "seconds"
    assert not stopped.complete
    assert "ended early" in stopped.notes[0]
    cancelled = cr.Budget()
    cancelled.cancel()
    assert planted.context.summarize(budget=cancelled).stopped == "cancelled"
    few = planted.context.summarize(min_support=2, budget=cr.Budget(concepts=50))
    assert few.stopped == "concepts"


def test_a_raised_minimum_support_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    from conceptrank.summary import peel

    monkeypatch.setattr(peel, "MOST_CANDIDATES", 300)
    table = cr.datasets.random.planted(400, 25, patterns=[(4, 0.2)], seed=1)
    summary = table.context.summarize()
    assert summary.min_support > 4
    assert f"fewer than {summary.min_support} objects; only" in summary.notes[0]
    assert summary[0].intent == table.patterns[0].intent


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "json"])
def test_files(planted: cr.datasets.random.Planted, tmp_path: Path, suffix: str) -> None:
    summary = planted.context.summarize()
    path = tmp_path / f"summary.{suffix}"
    summary.save(path)
    readers = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}
    readers["json"] = pl.read_json
    frame = readers[suffix](path)
    assert frame["support"].to_list() == [pattern.support for pattern in summary]


def test_sources(planted: cr.datasets.random.Planted, tmp_path: Path) -> None:
    path = tmp_path / "table.cxt"
    cr.io.save(planted.context, path)
    wanted = planted.context.summarize().to_polars()
    assert cr.summarize(path).to_polars().equals(wanted)
    frame = planted.context.to_pandas()
    assert cr.summarize(frame).to_polars().equals(wanted)


def test_views(planted: cr.datasets.random.Planted) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    summary = planted.context.summarize()
    html = summary._repr_html_()
    assert all(name in html for name in summary[0].intent)
    ax = cr.plot.summary(summary, most=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        ", ".join(pattern.intent) for pattern in summary[:2]
    ]
    assert cr.plot.summary(cr.datasets.load("movies").summarize()).get_xticks().size == 0
    pyplot.close("all")


def test_after_a_cancellation_no_list_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = cr.Budget()
    built: list[object] = []

    def rare(*_: object) -> dict[tuple[int, ...], int]:
        budget.cancel()
        return {}

    monkeypatch.setattr(peel, "_rare", rare)
    monkeypatch.setattr(peel, "Units", lambda *parts, **_: built.append(parts))
    table = cr.datasets.random.planted(400, 20, patterns=[(4, 0.2)], seed=1)
    summary = table.context.summarize(budget=budget)
    assert (len(summary), summary.complete, built) == (0, False, [])


def test_a_budget_of_bytes_holds_for_the_model() -> None:
    context = cr.datasets.random.planted(3000, 30, patterns=[(4, 0.2)], seed=1).context
    small = context.summarize(min_support=300, budget=cr.Budget(bytes=300_000))
    assert (len(small), small.stopped) == (0, "bytes")
    large = context.summarize(min_support=300, budget=cr.Budget(bytes=10_000_000))
    assert (len(large), large.stopped) == (1, "")


def test_a_budget_of_bytes_raises_the_minimum_support() -> None:
    """The list is exact among the concepts that fit, instead of stopping with some of them."""
    table = cr.datasets.random.planted(
        2000, 60, patterns=[(6, 0.2), (5, 0.1)], background="both", seed=3
    )
    summary = table.context.summarize(budget=cr.Budget(bytes=4_000_000))
    assert summary.complete
    assert summary.min_support > table.context.summarize().min_support
    assert {pattern.intent for pattern in summary} == {each.intent for each in table.patterns}
