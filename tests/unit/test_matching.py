"""Patterns and rules applied to rows, compared with literal subset tests."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import conceptrank as cr
from conceptrank.matching import Matcher
from conceptrank.rules import Implications, load


def random_case(rng):
    n, q = int(rng.integers(0, 300)), int(rng.integers(0, 12))
    table = rng.random((n, q)) < rng.choice([0.01, 0.1, 0.5, 0.9])
    names = [f"a{j}" for j in range(q)]
    share = rng.choice([0.05, 0.3])
    sets = [
        [name for name in names if rng.random() < share] for _ in range(int(rng.integers(0, 30)))
    ]
    rows = [{names[j] for j in np.flatnonzero(row)} for row in table]
    return table, names, sets, rows


@pytest.mark.parametrize("seed", range(60))
def test_matching_equals_a_literal_subset_test(seed):
    table, names, sets, rows = random_case(np.random.default_rng(seed))
    want = np.array([[set(each) <= row for each in sets] for row in rows], dtype=bool)
    want = want.reshape(len(rows), len(sets))
    matcher = Matcher(names, sets)
    for threads in (1, 3):
        assert (matcher.match(table, threads=threads).toarray() == want).all()
    assert (matcher.match(sp.csr_array(table)).toarray() == want).all()
    assert (matcher.match(rows).toarray() == want).all()
    assert (pickle.loads(pickle.dumps(matcher)).match(table).toarray() == want).all()


@pytest.mark.parametrize("seed", range(60))
def test_violations_equal_a_literal_subset_test(seed):
    rng = np.random.default_rng(1000 + seed)
    table, names, sets, rows = random_case(rng)
    ends = [[name for name in names if rng.random() < 0.2] for _ in sets]
    applied = Implications(names, zip(sets, ends, strict=True)).apply(table)
    fires = [[set(each) <= row for each in sets] for row in rows]
    breaks = [
        [set(one) <= row and not set(two) <= row for one, two in zip(sets, ends, strict=True)]
        for row in rows
    ]
    shape = len(rows), len(sets)
    assert applied.shape == shape
    assert (applied.fires.toarray() == np.array(fires, dtype=bool).reshape(shape)).all()
    assert (applied.violations.toarray() == np.array(breaks, dtype=bool).reshape(shape)).all()
    assert applied.violation_counts.tolist() == np.array(breaks).reshape(shape).sum(0).tolist()
    assert applied.fire_counts.tolist() == np.array(fires).reshape(shape).sum(0).tolist()
    assert applied.holds == (not np.any(breaks))


def test_rows_of_several_blocks():
    rng = np.random.default_rng(7)
    table = rng.random((10_000, 20)) < 0.3
    sets = [np.flatnonzero(rng.random(20) < 0.15) for _ in range(40)]
    names = [f"a{j}" for j in range(20)]
    matcher = Matcher(names, [[names[j] for j in each] for each in sets])
    want = np.column_stack([table[:, each].all(axis=1) for each in sets])
    assert (matcher.match(table, threads=2).toarray() == want).all()
    parts = [matcher.match(table[start : start + 777]) for start in range(0, 10_000, 777)]
    assert (sp.vstack(parts) != matcher.match(table)).nnz == 0


def test_rows_come_in_many_forms():
    context = cr.datasets.load("movies")
    sets = [["drama"], ["criminal", "drama"]]
    want = context.match(context.to_numpy(), sets).toarray()
    turned = context.select(attributes=context.attributes[::-1])
    frame = context.to_pandas().assign(other=True)
    forms = [
        context,
        turned,
        context.to_scipy(),
        frame,
        pl.from_pandas(frame),
        pl.from_pandas(frame).to_arrow(),
        context.to_itemsets(),
        list(context.to_itemsets().values()),
    ]
    for form in forms:
        assert (context.match(form, sets).toarray() == want).all()
    lattice = context.lattice()
    assert context.match(context).shape == (11, len(lattice))
    assert context.match(context, lattice).sum(axis=0).tolist() == lattice.supports.tolist()
    ranking = lattice.rank("cr")
    assert context.match(context, ranking[:3]).sum(axis=0).tolist() == [
        each.concept.support for each in ranking[:3]
    ]


def transactions(seed):
    """Random baskets with items that the patterns don't know, and the literal membership."""
    rng = np.random.default_rng(seed)
    known, other = list("abcdef"), list("xyz")
    baskets = [
        rng.choice(known + other, size=rng.integers(0, 6)).tolist()
        for _ in range(int(rng.integers(1, 40)))
    ]
    sets = [rng.choice(known, size=rng.integers(0, 4), replace=False).tolist() for _ in range(8)]
    return known, baskets, sets, np.array([[set(s) <= set(b) for s in sets] for b in baskets])


@pytest.mark.parametrize("seed", range(10))
def test_transactions_of_any_shape_and_source_are_matched(seed, tmp_path, monkeypatch):
    monkeypatch.setattr("conceptrank.io.streams._BATCH_ROWS", 7)
    known, baskets, sets, want = transactions(seed)
    matcher = Matcher(known, sets)
    lists = pl.DataFrame({"items": pl.Series(baskets, dtype=pl.List(pl.String))})
    pairs = [(n, item) for n, basket in enumerate(baskets) for item in basket or [None]]
    schema = {"order_id": pl.Int64, "item": pl.String}
    long = pl.DataFrame([*pairs, (len(baskets), "a")], schema=schema, orient="row")
    marks = pl.DataFrame({name: [name in basket for basket in baskets] for name in known})
    for folder, frame in {"lists": lists, "marks": marks}.items():
        (tmp_path / folder).mkdir()
        for number, begin in enumerate(range(0, frame.height, 9)):
            part = tmp_path / folder / f"{number}.parquet"
            frame.slice(begin, 9).write_parquet(part)
    sources = {
        "lists": lambda: lists,
        "pandas": lambda: pd.DataFrame({"items": baskets}),
        "lazy": lists.lazy,
        "reader": lambda: lists.to_arrow().to_reader(),
        "folder": lambda: tmp_path / "lists",
        "text": lambda: str(tmp_path / "lists"),
        "one-hot": lambda: marks,
        "one-hot reader": lambda: marks.to_arrow().to_reader(),
        "one-hot folder": lambda: tmp_path / "marks",
    }
    for name, source in sources.items():
        if name == "pandas" and not any(baskets):
            continue
        assert (matcher.match(source()).toarray() == want).all(), name
        parts = list(matcher.batches(source()))
        assert (sp.vstack([part for _, part in parts]).toarray() == want).all(), name
        labels = [label for names, _ in parts for label in names]
        assert labels == [str(n + 1) for n in range(len(baskets))], name
    scattered = long.sample(fraction=1, shuffle=True, seed=seed)
    order = scattered["order_id"].unique(maintain_order=True).to_list()
    last = [[set(each) <= {"a"} for each in sets]]
    every = np.concatenate([want, last])
    assert (matcher.match(long).toarray() == every).all()
    assert (matcher.match(scattered).toarray() == every[order]).all()
    assert (sp.vstack([m for _, m in matcher.batches(long)]).toarray() == every).all()


def test_scattered_rows_are_no_stream():
    rows = pl.DataFrame({"order_id": [2, 1, 2], "item": ["a", "b", "b"]})
    with pytest.raises(cr.errors.FormatError, match="of the same 'order_id' are not neighbours"):
        list(Matcher("ab", ["a"]).batches(rows))


def test_names_of_transactions_name_violations():
    claim = Implications(["wet", "cold"], [("wet", "cold")])
    rows = pl.DataFrame({"order_id": [7, 8, 8], "item": ["wet", "wet", "cold"]})
    assert claim.apply(rows).violations_to_polars()["row"].to_list() == ["7"]


def test_sources_that_are_no_rows(tmp_path):
    context = cr.datasets.load("movies")
    with pytest.raises(OSError, match="nothing"):
        context.match("nothing.parquet", [["drama"]])
    pl.DataFrame({"drama": [True], "other": [True]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(cr.errors.UnknownNameError, match="unknown attribute 'action'"):
        context.match(tmp_path / "t.parquet", [["drama"]])
    found = context.match(tmp_path / "t.parquet", [["drama"]], absent="ignore")
    assert found.toarray().tolist() == [[True]]


def test_absent_attributes_are_an_error_unless_ignored():
    context = cr.datasets.load("movies")
    part = context.drop(attributes="drama")
    with pytest.raises(cr.errors.UnknownNameError, match="drama"):
        context.match(part, [["drama"]])
    assert context.match(part, [["drama"]], absent="ignore").nnz == 0
    with pytest.raises(cr.errors.FormatError, match="expected 7 columns"):
        context.match(np.eye(3), [["drama"]])
    with pytest.raises(cr.errors.UnknownNameError, match="did you mean 'drama'"):
        context.match(context, [["dramma"]])


def test_rules_of_a_lattice_on_new_rows():
    context = cr.datasets.load("movies")
    rules = context.lattice().rules("mnr", min_confidence=0.5)
    applied = rules.apply(context)
    assert applied.confidences == pytest.approx(rules.score("confidence"))
    assert applied.expected == pytest.approx(rules.score("confidence"))
    frame = applied.violations_to_polars()
    rows = context.to_itemsets()
    assert len(frame) == applied.violations.nnz
    for row, _, premise, conclusion, missing in frame.iter_rows():
        assert set(premise) <= rows[row]
        assert set(missing) == set(conclusion) - rows[row] != set()


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "parquet"])
def test_rules_survive_a_file(tmp_path, suffix):
    context = cr.Context("12", ["a; b", 'c "d"', "e"], [[1, 1, 0], [1, 1, 1]])
    rules = context.lattice().rules("generic")
    rules.save(tmp_path / f"rules.{suffix}")
    again = load(tmp_path / f"rules.{suffix}")
    assert [tuple(each) for each in again.implications] == [
        (rule.premise, rule.conclusion) for rule in rules
    ]
    assert again.confidences == pytest.approx(rules.score("confidence"))


@pytest.mark.parametrize(
    "text", ["[1]", '[{"premise": ["a"]}]', "{", '[{"premise": 3, "conclusion": []}]']
)
def test_files_without_rules_are_an_error(tmp_path, text):
    (tmp_path / "rules.json").write_text(text)
    with pytest.raises(cr.errors.FormatError, match=r"rules\.json"):
        load(tmp_path / "rules.json")


def values():
    context = cr.datasets.load("movies")
    scaled = cr.scaling.infer({"age": list(range(20, 40))}).apply({"age": list(range(20, 40))})
    lattice = context.lattice()
    return [
        context,
        scaled,
        lattice,
        context.concept("drama"),
        lattice.rank("cr"),
        context.summarize(3, method="grecond"),
        lattice.rules(),
        lattice.rules("generic").implications,
        context.best(3, by="delta_measure"),
    ]


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "again", [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy]
)
def test_values_can_be_pickled_and_copied(value, again):
    other = again(value)
    assert type(other) is type(value)
    assert repr(other) == repr(value)
    if isinstance(value, cr.Context):
        assert other == value
        assert other.groups == value.groups


def test_weights_of_rows_count_as_repeated_rows():
    rng = np.random.default_rng(4)
    table = rng.random((60, 6)) < 0.6
    context = cr.Context(range(60), "abcdef", table, weights=rng.integers(1, 40, 60).tolist())
    rules = cr.Context(range(30), "abcdef", rng.random((30, 6)) < 0.7).lattice().rules()
    weighted, repeated = rules.apply(context), rules.apply(context.repeated())
    assert weighted.fire_counts.tolist() == repeated.fire_counts.tolist()
    assert weighted.violation_counts.tolist() == repeated.violation_counts.tolist()
    assert weighted.violation_counts.sum() > 0
    assert weighted.violations.shape[0] == 60
    assert weighted.violations_to_polars().height == weighted.violations.nnz


def test_summaries_transform_rows():
    table = cr.datasets.random.planted(500, 20, patterns=2, supports=(0.1, 0.2), seed=1)
    summary = table.context.summarize()
    members = summary.transform(table.context).toarray()
    for place, pattern in enumerate(summary):
        inside = np.flatnonzero(members[:, place]).tolist()
        assert table.context.object_names.of(inside) == pattern.extent


def test_frames_name_the_rows_of_violations():
    claim = Implications(["wet", "cold"], [("wet", "cold")])
    frame = pd.DataFrame({"wet": [1, 1], "cold": [1, 0]}, index=["sea", "tea"])
    assert claim.apply(frame).violations_to_polars()["row"].to_list() == ["tea"]
    assert "1 of 2 rows" in repr(claim.apply(frame))
