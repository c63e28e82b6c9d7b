"""Planted recovery against figures counted by hand and literal lists."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import polars as pl
import pytest

import conceptrank as cr
from conceptrank.datasets.random import Pattern, Planted, planted
from conceptrank.errors import ConceptRankError, UnknownNameError
from conceptrank.evaluation import Settings, evaluate, reproduction
from conceptrank.evaluation.planted_recovery import figures_of, planted_recovery

EASY = {"objects": 200, "attributes": 12, "patterns": [(3, 0.3), (4, 0.2)]}


def table_with(*patterns):
    context = cr.Context(range(100), "abcdef", [[True] * 6] * 100)
    return Planted(context, tuple(Pattern(tuple(i), (), support) for i, support in patterns))


def test_figures_of_a_list_counted_by_hand():
    table = table_with(("abc", 50), ("de", 2), ("f", 1))
    figures = figures_of(["abc", "ab", "cdef"], table)
    assert figures["exact"] == pytest.approx(1 / 3)
    # f has less than 2 % of the objects.
    assert figures["exact_frequent"] == pytest.approx(1 / 2)
    # abc: itself; de: 2 of 4 in cdef; f: 1 of 4 in cdef.
    assert figures["jaccard_planted"] == pytest.approx((1 + 2 / 4 + 1 / 4) / 3)
    # abc: itself; ab: 2 of 3; cdef: de, 2 of 4.
    assert figures["jaccard_listed"] == pytest.approx((1 + 2 / 3 + 2 / 4) / 3)
    assert figures["precision"] == pytest.approx(1 / 3)
    close = figures_of(["abcde"], table_with(("abcd", 50)))
    assert (close["precision"], close["exact"]) == (1, 0)


def test_figures_without_a_list_or_without_patterns():
    empty = figures_of([], table_with(("abc", 50)))
    assert empty["exact"] == empty["jaccard_planted"] == 0
    assert empty["precision"] is None
    assert set(figures_of(["ab"], table_with()).values()) == {None}


def test_lists_are_the_tops_of_rankings_and_diverse_rankings():
    tables = [planted(**EASY, seed=seed) for seed in range(3)]
    found = planted_recovery(
        {"given": tables},
        measures=["support", "separation", "independence_pvalue"],
        diverse=["separation"],
        methods=[],
    )
    for number, table in enumerate(tables):
        lattice = table.context.lattice(min_support=2)
        rows = found.runs.filter(pl.col("table") == number)
        for name in ("support", "separation", "independence_pvalue"):
            listed = [row.concept.intent for row in lattice.rank(by=name).top(2)]
            (row,) = rows.filter(pl.col("list") == name).iter_rows(named=True)
            assert {key: row[key] for key in figures_of(listed, table)} == figures_of(listed, table)
        listed = [row.concept.intent for row in lattice.rank(by="separation").diverse(2)]
        (row,) = rows.filter(pl.col("kind") == "diverse").iter_rows(named=True)
        assert row["jaccard_planted"] == figures_of(listed, table)["jaccard_planted"]


def test_methods_are_names_or_functions():
    def oracle(context, most):
        assert most is None
        return [pattern.intent for pattern in table.patterns] + [["m1"]] * 200

    table = planted(**EASY)
    found = planted_recovery({"given": [table]}, measures=[], diverse=[], methods={"all": oracle})
    assert found.of("all", "given") == 1
    assert found.of("all", "given", "chosen") == 100
    assert found.of("all", "given", "chosen", length="planted") == 2
    named = planted_recovery({"given": [table]}, measures=[], diverse=[], methods=["slim"])
    assert set(named.runs["list"]) == {"slim"}
    with pytest.raises(UnknownNameError, match="slym"):
        planted_recovery({"given": [table]}, methods=["slym"])


def test_tables_without_patterns_count_false_ones():
    found = planted_recovery(
        {"none": {"objects": 60, "attributes": 6, "patterns": 0}},
        tables=4,
        methods={"empty": lambda *_: [], "one": lambda *_: [["m1"]]},
    )
    assert found.of("empty", "none", "false") == 0
    assert found.of("one", "none", "false") == 1
    assert set(found.runs["length"]) == {"own"}
    assert "no patterns were planted" in repr(found)


def test_measures_are_left_out_where_there_are_too_many_concepts():
    found = planted_recovery(
        {"large": EASY}, tables=1, measures=["cr"], methods=["grecond"], most_concepts=10
    )
    assert set(found.runs["list"]) == {"grecond"}


def test_a_run_is_taken_up_again_and_saved(tmp_path):
    options = {"tables": 2, "measures": ["cr"], "diverse": [], "methods": ["slim"], "seed": 3}
    first = planted_recovery({"easy": EASY}, resume=tmp_path, **options)
    # The times of the first run are there, so nothing ran again.
    assert planted_recovery({"easy": EASY}, resume=tmp_path, **options).runs.equals(first.runs)
    first.save(tmp_path / "runs.parquet")
    assert pl.read_parquet(tmp_path / "runs.parquet").equals(first.runs)
    again = planted_recovery({"easy": EASY}, **options).runs
    assert again.drop("seconds").equals(first.runs.drop("seconds"))


def test_nothing_to_compare_is_an_error():
    with pytest.raises(ConceptRankError, match="there is no table or no list"):
        planted_recovery({"easy": EASY}, tables=0)


def test_a_report_has_the_planted_patterns(tmp_path):
    pytest.importorskip("matplotlib")
    quick = Settings(measures=("cr", "support")).quick()
    evaluation = evaluate(cr.datasets.load("movies"), "movies", settings=quick)
    assert evaluation.planted is None
    found = planted_recovery(
        {"easy": EASY, "none": EASY | {"patterns": 0}}, tables=1, measures=["cr", "support"]
    )
    with_planted = replace(evaluation, planted=found)
    page = with_planted.write(tmp_path).read_text(encoding="utf-8")
    assert "Planted patterns" in page
    numbers = pl.read_csv(tmp_path / "numbers" / "planted_runs.csv")
    assert numbers.height == found.runs.height
    assert with_planted.sentences()[: len(evaluation.sentences())] == evaluation.sentences()
    more = " ".join(with_planted.sentences()[len(evaluation.sentences()) :])
    assert "The best method that chooses a list is" in more
    assert "Patterns in tables without any: peel in" in more


def test_an_evaluation_plants_patterns_unless_told_not_to(monkeypatch):
    monkeypatch.setattr(reproduction, "planted_recovery", partial(planted_recovery, {"easy": EASY}))
    settings = replace(Settings(measures=("cr", "support")).quick(), planted=2, seed=5)
    found = evaluate(cr.datasets.load("movies"), "movies", settings=settings).planted
    assert found is not None
    expected = planted_recovery(
        {"easy": EASY}, tables=2, measures=["cr", "support"], min_support=0.02, seed=5
    )
    assert found.runs.drop("seconds").equals(expected.runs.drop("seconds"))
