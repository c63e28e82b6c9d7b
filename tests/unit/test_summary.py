"""`Summary`: what it tells, bad input, limits and files."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import UnknownNameError


@pytest.fixture(scope="module")
def planted() -> cr.datasets.random.Planted:
    return cr.datasets.random.planted(
        600, 25, patterns=3, sizes=(3, 5), supports=(0.1, 0.2), seed=5
    )


def test_patterns_tell_what_they_are(planted: cr.datasets.random.Planted) -> None:
    summary, frame = planted.context.summarize(), planted.context.to_polars()
    assert {pattern.intent for pattern in summary} == {each.intent for each in planted.patterns}
    places = planted.context.attributes.index
    for place, pattern in enumerate(summary, 1):
        has = frame.select(pl.all_horizontal(pattern.intent)).to_series()
        extent = [name for name, each in zip(planted.context.objects, has, strict=True) if each]
        assert pattern.place == place
        assert [*pattern.extent] == extent
        assert pattern.support == len(pattern.extent)
        assert pattern.support > pattern.expected
        assert planted.context.concept(*pattern.generator).intent == pattern.concept.intent
        assert pattern.concept.intent == tuple(sorted((*pattern.intent, *pattern.also), key=places))
        assert f"{pattern.support} objects" in pattern.why
        assert pattern.effect == pytest.approx(pattern.support / pattern.expected)
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


@pytest.mark.parametrize("method", ["surprise", "slim", "grecond", "diverse"])
def test_every_method_answers_alike(planted: cr.datasets.random.Planted, method: str) -> None:
    summary = planted.context.summarize(3, method=method, min_support=30)
    assert summary.method == method
    assert 0 < len(summary) <= 3
    frame = summary.to_polars(extents=True)
    assert frame.columns[:7] == [
        "place", "intent", "support", "expected", "deviation", "gain", "p_value",
    ]  # fmt: skip
    assert frame["support"].to_list() == [len(each) for each in frame["extent"].to_list()]
    assert frame["expected"].is_finite().all()
    assert summary.to_pandas()["intent"].tolist() == frame["intent"].to_list()


def test_unknown_names_are_refused(planted: cr.datasets.random.Planted) -> None:
    with pytest.raises(UnknownNameError, match="surprise"):
        planted.context.summarize(method="surprize")
    with pytest.raises(UnknownNameError, match="columns"):
        planted.context.summarize(margins="rows")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        planted.context.summarize(alpha=1.5)


BAD = {
    "no rows": (cr.Context([], "abc", np.zeros((0, 3), dtype=bool)), "the table is empty"),
    "no columns": (cr.Context("12", [], np.zeros((2, 0), dtype=bool)), "the table is empty"),
    "no crosses": (cr.Context("123", "ab", np.zeros((3, 2), dtype=bool)), "no object has"),
    "one row": (cr.Context("1", "abc", [[1, 1, 0]]), "one object"),
    "one column": (cr.Context("123", "a", [[1], [0], [1]]), "too few"),
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


def test_a_list_prints_ten_entries_and_says_how_many_more() -> None:
    table = cr.datasets.random.planted(
        3000, 80, patterns=[(4, 0.05)] * 14, overlap="disjoint", seed=2
    )
    summary = table.context.summarize()
    assert len(summary) > 10
    assert f"{len(summary) - 10} more" in str(summary)
    assert f"-k {len(summary)}" in str(summary)
    assert "more" not in summary.text(None)
    assert "gain" in summary.text(1, verbose=True)


def test_a_sentence_says_what_its_numbers_say() -> None:
    frame = pl.DataFrame(
        {
            "sex": ["woman"] * 100 + ["man"] * 200,
            "survived": ["yes"] * 75 + ["no"] * 25 + ["yes"] * 40 + ["no"] * 160,
            "deck": ["a", "b", "c"] * 100,
        }
    )
    (pattern,) = cr.summarize(frame)
    assert set(pattern.intent) == {"sex = woman", "survived = yes"}
    assert pattern.rule == ("survived = yes", 100, 115)
    assert "75 of the 100 rows with sex = woman have survived = yes" in pattern.sentence
    assert pattern.expected == pytest.approx(100 * 115 / 300)


def test_columns_that_repeat_each_other_are_told_before_the_list() -> None:
    random = np.random.default_rng(1)
    size = random.normal(0, 1, 300)
    frame = pl.DataFrame(
        {
            "cm": size.round(2),
            "mm": (10 * size).round(1),
            "kind": np.where(random.random(300) < 0.8, np.where(size > 0.7, "big", "small"), "odd"),
        }
    )
    summary = cr.summarize(frame)
    assert any("mm = 10 × cm" in line for line in summary.facts)
    for pattern in summary:
        columns = {"cm" in name or "mm" in name for name in pattern.intent}
        assert columns == {True, False}


def test_values_missing_together_are_no_pattern() -> None:
    random = np.random.default_rng(2)
    numbers = random.normal(0, 1, (500, 4))
    numbers[random.random(500) < 0.3, :3] = np.nan
    frame = pl.DataFrame(dict(zip("abcd", numbers.T, strict=True)), nan_to_null=True)
    summary = cr.summarize(frame)
    assert len(summary) == 0
    assert sum("missing" in line for line in summary.facts) == 1


def test_limits_keep_what_was_found(planted: cr.datasets.random.Planted) -> None:
    stopped = planted.context.summarize(budget=cr.Budget(seconds=0))
    assert stopped.stopped == "seconds"
    assert not stopped.complete
    assert "ended early" in stopped.notes[0]
    cancelled = cr.Budget()
    cancelled.cancel()
    assert planted.context.summarize(budget=cancelled).stopped == "cancelled"


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
    assert cr.summarize(frame).to_polars().drop("why").equals(wanted.drop("why"))


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


def test_a_budget_of_bytes_holds_for_the_model() -> None:
    context = cr.datasets.random.planted(3000, 30, patterns=[(4, 0.2)], seed=1).context
    small = context.summarize(min_support=300, budget=cr.Budget(bytes=300_000))
    assert (len(small), small.stopped) == (0, "bytes")
    large = context.summarize(min_support=300, budget=cr.Budget(bytes=10_000_000))
    assert (len(large), large.stopped) == (1, "")


def test_patterns_of_few_objects_are_listed() -> None:
    random = np.random.default_rng(5)
    rows = random.random((4000, 60)) < 0.1
    modules = [range(7), range(20, 28), range(40, 46)]
    for module in modules:
        rows[np.ix_(random.choice(4000, 25, replace=False), module)] = True
    context = cr.Context(range(4000), [f"x{m}" for m in range(60)], rows)
    found = {pattern.intent for pattern in context.summarize()}
    assert found == {tuple(f"x{m}" for m in module) for module in modules}
    assert len(context.summarize(min_support=0.01)) == 0
