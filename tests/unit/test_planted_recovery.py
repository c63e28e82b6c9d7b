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
from conceptrank.evaluation.planted_recovery import figures_of, findings, planted_recovery

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


def figures(found, name, case=0):
    """The figures of a list in a case, as far as `figures_of` has them."""
    (row,) = found.runs.filter(measure=name, case=case).iter_rows(named=True)
    return {key: row[key] for key in figures_of([], table_with(("abc", 50)))}


def test_lists_are_the_tops_of_rankings_and_diverse_rankings():
    tables = [planted(**EASY, seed=seed) for seed in range(3)]
    measures = ["support", "separation", "independence_pvalue"]
    found = planted_recovery(
        {"given": tables}, measures=measures, diverse=["separation"], methods=[]
    )
    for case, table in enumerate(tables):
        lattice = table.context.lattice(min_support=2)
        rankings = {name: lattice.rank(by=name).top(2) for name in measures}
        rankings["diverse(separation)"] = lattice.rank(by="separation").diverse(2)
        for name, ranking in rankings.items():
            listed = [row.concept.intent for row in ranking]
            assert figures(found, name, case) == figures_of(listed, table)


def test_methods_are_names_or_functions():
    def oracle(context):
        return [pattern.intent for pattern in table.patterns] + [["m1"]] * 200

    table = planted(**EASY)
    found = planted_recovery({"given": [table]}, measures=[], diverse=[], methods={"all": oracle})
    assert [found.of("all", each)[0] for each in ("exact", "exact_as_many", "chosen")] == [
        1,
        1,
        100,
    ]
    named = planted_recovery({"given": [table]}, measures=[], diverse=[], methods=["slim"])
    assert named.measures == ("slim",)
    with pytest.raises(UnknownNameError, match="slym"):
        planted_recovery({"given": [table]}, methods=["slym"])


def test_tables_without_patterns_count_false_ones():
    methods = {"empty": lambda _: [], "one": lambda _: [["m1"]]}
    settings = {"none": {"objects": 60, "attributes": 6, "patterns": 0}}
    found = planted_recovery(settings, tables=4, methods=methods)
    assert found.summary("empty", "false").mean == 0
    assert found.summary("one", "false").mean == 1
    assert findings(found) == ["Patterns in tables without any: empty in 0%, one in 100%."]


def test_measures_are_left_out_where_there_are_too_many_concepts():
    options = {"measures": ["cr"], "methods": ["grecond"], "most_concepts": 10}
    assert planted_recovery({"large": EASY}, tables=1, **options).measures == ("grecond",)


def test_a_run_is_taken_up_again(tmp_path):
    options = {"tables": 2, "measures": ["cr"], "diverse": [], "methods": ["slim"], "seed": 3}
    first = planted_recovery({"easy": EASY}, resume=tmp_path, **options)
    # The times of the first run are there, so nothing ran again.
    assert planted_recovery({"easy": EASY}, resume=tmp_path, **options).runs.equals(first.runs)
    again = planted_recovery({"easy": EASY}, **options).runs
    assert again.drop("seconds").equals(first.runs.drop("seconds"))


def test_nothing_to_compare_is_an_error():
    with pytest.raises(ConceptRankError, match="no table"):
        planted_recovery({"easy": EASY}, tables=0)


def test_a_report_has_the_planted_patterns(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    both = {"easy": EASY, "none": EASY | {"patterns": 0}}
    monkeypatch.setattr(reproduction, "planted_recovery", partial(planted_recovery, both))
    settings = replace(Settings(measures=("cr", "support")).quick(), planted=1)
    evaluation = evaluate(cr.datasets.load("movies"), "movies", settings=settings)
    assert "Planted patterns" in evaluation.write(tmp_path).read_text(encoding="utf-8")
    numbers = pl.read_csv(tmp_path / "numbers" / "planted_runs.csv")
    assert numbers.height == evaluation.planted.runs.height
    assert "patterns in tables without any" in evaluation.sentences()[-1].lower()
