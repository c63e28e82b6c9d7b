"""Transactions of every shape from every source give the context of the plain lists."""

from __future__ import annotations

import gzip
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank import Context
from conceptrank.errors import ConceptRankError, FormatError, InputWarning
from conceptrank.io.shapes import Baskets, find_separator, find_shape
from conceptrank.io.streams import Stream
from data_files import data_path

Lists = list[list[str]]


def random_baskets(seed: int, *, numbers: bool = False) -> Lists:
    """Baskets with repeated items; every item occurs, and the last basket is not empty."""
    rng = random.Random(seed)
    items = [str(i) if numbers else f"it {i}" for i in rng.sample(range(200), rng.randint(2, 12))]
    baskets = [rng.choices(items, k=rng.randint(0, 6)) for _ in range(rng.randint(1, 30))]
    return [*baskets, items, [items[0], items[0]]]


def plain(baskets: Lists) -> Context:
    """The literal context: sets of items, sorted by number or by text."""
    different = {item for basket in baskets for item in basket}
    numbers = all(item.isdecimal() for item in different)
    order = sorted(different, key=int) if numbers else sorted(different)
    bools = [[item in basket for item in order] for basket in baskets]
    return Context(range(1, len(baskets) + 1), order, bools)


def as_lists(baskets: Lists, *, numbers: bool = False) -> pl.DataFrame:
    lists = [[int(i) for i in basket] for basket in baskets] if numbers else baskets
    inner = pl.Int64() if numbers else pl.String()
    return pl.DataFrame({"items": pl.Series(lists, dtype=pl.List(inner))})


def as_long(baskets: Lists, seed: int = 0, *, scattered: bool = False) -> pl.DataFrame:
    """One row per item; an empty basket is a row without one. Scattered rows keep their order."""
    rows = [(n, item) for n, basket in enumerate(baskets, 1) for item in (basket or [None])]
    if scattered:
        seen: set[int] = set()
        first = [row for row in rows if row[0] not in seen and not seen.add(row[0])]
        rest = list(rows)
        for row in first:
            rest.remove(row)
        random.Random(seed).shuffle(rest)
        rows = first + rest
    return pl.DataFrame(rows, schema={"order_id": pl.Int64, "item": pl.String}, orient="row")


def as_text(baskets: Lists) -> pl.DataFrame:
    return pl.DataFrame({"basket": [";".join(basket) for basket in baskets]})


def as_marks(baskets: Lists) -> pl.DataFrame:
    context = plain(baskets)
    return context.to_polars(objects=None)


SHAPES: dict[str, Callable[[Lists], tuple[pl.DataFrame, dict[str, str]]]] = {
    "lists": lambda baskets: (as_lists(baskets), {}),
    "long": lambda baskets: (as_long(baskets), {}),
    "scattered": lambda baskets: (as_long(baskets, scattered=True), {}),
    "text": lambda baskets: (as_text(baskets), {"transactions": "basket", "delimiter": ";"}),
    "one-hot": lambda baskets: (as_marks(baskets), {}),
}


def parquet_file(frame: pl.DataFrame, folder: Path) -> Path:
    frame.write_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def feather_file(frame: pl.DataFrame, folder: Path) -> Path:
    frame.write_ipc(folder / "t.feather")
    return folder / "t.feather"


def csv_file(frame: pl.DataFrame, folder: Path) -> Path:
    frame.write_csv(folder / "t.csv")
    return folder / "t.csv"


def compressed_csv_file(frame: pl.DataFrame, folder: Path) -> Path:
    (folder / "t.csv.gz").write_bytes(gzip.compress(frame.write_csv().encode()))
    return folder / "t.csv.gz"


def csv_folder(frame: pl.DataFrame, folder: Path) -> Path:
    for number, begin in enumerate(range(0, frame.height, 7)):
        frame.slice(begin, 7).write_csv(folder / f"part-{number:03}.csv")
    return folder


def hive_folder_of_csv(frame: pl.DataFrame, folder: Path) -> Path:
    for number, begin in enumerate(range(0, frame.height, 7)):
        inside = folder / f"day=2024-01-{number + 1:02}"
        inside.mkdir()
        frame.slice(begin, 7).write_csv(inside / "part.csv")
    return folder


def feather_folder(frame: pl.DataFrame, folder: Path) -> Path:
    for number, begin in enumerate(range(0, frame.height, 7)):
        frame.slice(begin, 7).write_ipc(folder / f"part-{number:03}.feather")
    return folder


def parquet_folder(frame: pl.DataFrame, folder: Path) -> Path:
    for number, begin in enumerate(range(0, frame.height, 7)):
        frame.slice(begin, 7).write_parquet(folder / f"part-{number:03}.parquet")
    (folder / "_SUCCESS").write_text("")
    return folder


def hive_folder(frame: pl.DataFrame, folder: Path) -> Path:
    for number, begin in enumerate(range(0, frame.height, 7)):
        inside = folder / f"day=2024-01-{number + 1:02}"
        inside.mkdir()
        frame.slice(begin, 7).write_parquet(inside / "part.parquet")
    return folder


def glob_of_files(frame: pl.DataFrame, folder: Path) -> str:
    parquet_folder(frame, folder)
    return str(folder / "part-*.parquet")


def pandas_frame(frame: pl.DataFrame, folder: Path) -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(frame.to_dict(as_series=False))


def arrow_table(frame: pl.DataFrame, folder: Path) -> object:
    pytest.importorskip("pyarrow")
    return frame.to_arrow()


def arrow_reader(frame: pl.DataFrame, folder: Path) -> object:
    pytest.importorskip("pyarrow")
    return frame.to_arrow().to_reader(max_chunksize=5)


def arrow_dataset(frame: pl.DataFrame, folder: Path) -> object:
    dataset = pytest.importorskip("pyarrow.dataset")
    parquet_folder(frame, folder)
    return dataset.dataset(sorted(map(str, folder.glob("*.parquet"))))


class Capsule:
    """Nothing but the method of Arrow's PyCapsule protocol."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def arrow_capsule(frame: pl.DataFrame, folder: Path) -> object:
    pytest.importorskip("pyarrow")
    return Capsule(frame.to_arrow())


def duckdb_relation(frame: pl.DataFrame, folder: Path) -> object:
    duckdb = pytest.importorskip("duckdb")
    frame.write_parquet(folder / "t.parquet")
    return duckdb.sql(f"FROM '{folder}/t.parquet'")


SOURCES: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "polars": lambda frame, folder: frame,
    "lazy": lambda frame, folder: frame.lazy(),
    "mapping": lambda frame, folder: frame.to_dict(),
    "parquet": parquet_file,
    "feather": feather_file,
    "folder": parquet_folder,
    "hive": hive_folder,
    "glob": glob_of_files,
    "pandas": pandas_frame,
    "arrow table": arrow_table,
    "arrow reader": arrow_reader,
    "arrow dataset": arrow_dataset,
    "arrow capsule": arrow_capsule,
    "duckdb": duckdb_relation,
    "csv": csv_file,
    "csv.gz": compressed_csv_file,
    "folder of csv": csv_folder,
    "hive of csv": hive_folder_of_csv,
    "folder of feather": feather_folder,
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_and_source_gives_the_plain_context(shape, source, tmp_path):
    if shape == "lists" and "csv" in source:
        pytest.skip("CSV has no lists")
    for seed in range(3):
        baskets = random_baskets(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        frame, columns = SHAPES[shape](baskets)
        found = Context.from_transactions(SOURCES[source](frame, folder), **columns)
        expected = plain(baskets)
        assert found.digest == expected.digest, (found, expected)


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_ordered_as_numbers(seed, tmp_path):
    baskets = random_baskets(seed, numbers=True)
    expected = plain(baskets)
    assert Context.from_transactions(as_lists(baskets, numbers=True)) == expected
    assert Context.from_transactions(as_lists(baskets)) == expected
    assert Context.from_transactions(baskets) == expected
    as_long(baskets).write_csv(tmp_path / "rows.csv")
    assert Context.from_transactions(tmp_path / "rows.csv", item="item") == expected


@pytest.mark.parametrize("shape", ["lists", "long", "text"])
def test_load_recognises_files_and_says_so(shape, tmp_path):
    baskets = [["tea", "milk"], ["milk"], ["honey", "tea", "milk"], ["tea"], ["milk", "honey"]] * 3
    frame = SHAPES[shape](baskets)[0]
    for path in (parquet_file(frame, tmp_path), feather_file(frame, tmp_path)):
        with pytest.warns(InputWarning, match="read as transactions"):
            assert cr.load(path) == plain(baskets)
    if shape == "long":
        frame.write_csv(tmp_path / "rows.csv")
        with pytest.warns(InputWarning, match="one row per 'order_id' and 'item'"):
            assert cr.load(tmp_path / "rows.csv") == plain(baskets)


def test_named_columns_are_no_assumption(tmp_path):
    frame = pl.DataFrame(
        {"who": ["a", "b"], "when": [1, 2], "what": [["x"], ["x", "y"]], "city": ["P", "P"]}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        context = cr.load(tmp_path / "t.parquet", transactions="what", transaction_id="who")
    assert context.objects == ("a", "b")
    assert context.intension(["b"]) == ("x", "y")


def test_a_text_of_one_column(tmp_path):
    baskets = [["tea", "milk"], ["milk"], ["tea", "jam"], ["tea"], ["milk", "jam", "tea"]] * 4
    path = csv_file(as_text(baskets), tmp_path)
    assert cr.load(path, transactions="basket") == plain(baskets)


def test_groceries_need_no_hint():
    path = data_path("bench/groceries.csv")
    with pytest.warns(InputWarning, match="read as baskets"):
        found = cr.load(path)
    assert found == cr.load(path, format="baskets")
    sorted_items = found.select(attributes=sorted(found.attributes))
    assert Context.from_transactions(path) == sorted_items


def test_a_folder_of_baskets_and_one_of_raw_values(tmp_path):
    lines = "tea,milk\nmilk\nhoney,tea,milk\ntea\nmilk,tea\n"
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(lines)
    assert Context.from_transactions(tmp_path).shape == (10, 3)
    raw = tmp_path / "raw"
    raw.mkdir()
    table = pl.DataFrame({"sex": ["f", "m", "m"], "age": [30, 41, 17]})
    table.write_parquet(raw / "1.parquet")
    table.write_parquet(raw / "2.parquet")
    assert cr.load(raw, scale={"age": "ordinal:18"}).shape == (6, 3)


def test_rows_of_a_transaction_that_go_on_in_the_next_batch(monkeypatch):
    from conceptrank.io import streams

    monkeypatch.setattr(streams, "_BATCH_ROWS", 3)
    for seed in range(30):
        baskets = random_baskets(seed)
        for scattered in (False, True):
            table = as_long(baskets, seed, scattered=scattered)
            assert Context.from_transactions(table) == plain(baskets)


def test_quantities_decide_whether_there_is_a_cross():
    table = {
        "invoice": ["i1", "i1", "i2", "i2", "i3"],
        "sku": ["a", "b", "a", "b", "a"],
        "quantity": [1.0, -1.0, 0.0, 2.5, None],
    }
    found = Context.from_transactions(table)
    assert found.to_itemsets() == {"i1": {"a"}, "i2": {"b"}, "i3": set()}
    table["quantity"] = ["1", "many", "0", "2", None]
    with pytest.raises(FormatError, match="row 2 has 'many' in 'quantity', which is no number"):
        Context.from_transactions(table)


def test_rare_items_are_left_out_while_reading():
    for seed in range(30):
        baskets = random_baskets(seed)
        whole = plain(baskets)
        supports = {name: len(whole.extension([name])) for name in whole.attributes}
        kept = [name for name in whole.attributes if supports[name] >= 3]
        found = Context.from_transactions(as_lists(baskets), min_support=3)
        assert found == whole.select(attributes=kept)


def test_nulls_and_empty_baskets_are_objects_without_attributes():
    lists: list[Any] = [["a", None], [], None, [None], ["a", "a"]]
    found = Context.from_transactions({"items": lists})
    assert found.shape == (5, 1)
    assert found.extension(["a"]) == ("1", "5")
    assert Context.from_transactions([]).shape == (0, 0)
    assert Context.from_transactions([[], []]).shape == (2, 0)
    empty = pl.DataFrame(schema={"items": pl.List(pl.String)})
    assert Context.from_transactions(empty).shape == (0, 0)


def test_mixed_types_in_lists_are_named_by_their_text():
    assert Context.from_transactions([["a", 1], [1.5, "a"]]).attributes == ("1", "1.5", "a")


def test_collections_in_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    columns: dict[str, list[Any]] = {
        "mixed": [["a", 1], [2.5, "a", None], None],
        "sets": [{"a", "1"}, frozenset(("2.5", "a")), None],
        "tuples": [("a", "1"), ("2.5", "a"), None],
        "arrays": [np.array(["a", "1"]), np.array(["2.5", "a"]), np.array([])],
    }
    for name, column in columns.items():
        found = Context.from_transactions(pandas.DataFrame({"items": column}))
        assert found.to_itemsets() == {"1": {"a", "1"}, "2": {"a", "2.5"}, "3": set()}, name


def refusal(source: Any, **columns: Any) -> str:
    with pytest.raises(ConceptRankError) as caught:
        Context.from_transactions(source, **columns)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_transaction_without_a_name_is_refused(tmp_path):
    table = {"order": [1, None, 2], "item": ["a", "b", "c"]}
    pl.DataFrame(table).write_parquet(tmp_path / "t.parquet")
    text = refusal(tmp_path / "t.parquet", transaction_id="order", item="item")
    assert f"{tmp_path}/t.parquet: row 2 has None in 'order'".replace("/", "") in text.replace(
        "\\", ""
    ).replace("/", "")


def test_a_damaged_file_in_a_folder_is_named(tmp_path):
    frame = pl.DataFrame({"items": [["a", "b"]] * 2000})
    parquet_folder(frame, tmp_path)
    bad = tmp_path / "part-003.parquet"
    content = bad.read_bytes()
    bad.write_bytes(content[:-30])
    assert "part-003.parquet: is damaged" in refusal(tmp_path)
    bad.write_bytes(b"")
    assert "part-003.parquet: is empty or damaged" in refusal(tmp_path)
    bad.write_bytes(b"nothing of the kind")
    assert "part-003.parquet: is empty or damaged" in refusal(tmp_path)


OTHER_SCHEMAS = {
    "another type": ({"items": [[1, 2]]}, "column 'items' holds List(Int64), but List(String) in"),
    "no such column": ({"things": [["a"]]}, "has no column 'items', which is in"),
    "one more column": ({"items": [["a"]], "x": [1]}, "has a column 'x' that is not in"),
}


@pytest.mark.parametrize("name", OTHER_SCHEMAS)
def test_a_file_with_other_columns_is_named(name, tmp_path):
    table, expected = OTHER_SCHEMAS[name]
    parquet_folder(pl.DataFrame({"items": [["a", "b"]] * 20}), tmp_path)
    pl.DataFrame(table).write_parquet(tmp_path / "part-001.parquet")
    text = refusal(tmp_path)
    assert "part-001.parquet: " + expected in text
    assert "part-000.parquet" in text


def test_files_of_two_formats_in_a_folder(tmp_path):
    frame = pl.DataFrame({"items": [["a", "b"]]})
    parquet_file(frame, tmp_path)
    feather_file(frame, tmp_path)
    text = refusal(tmp_path)
    assert "files that are read together have one format" in text


def test_a_ragged_line_of_long_rows_is_named(tmp_path):
    (tmp_path / "rows.csv").write_text("order_id,item\n1,tea\n1,milk,2\n2,tea\n")
    assert "rows.csv, line 3" in refusal(tmp_path / "rows.csv", item="item")


MISTAKES = {
    "no such column": ({"items": [["a"]]}, {"transactions": "itmes"}, "did you mean 'items'?"),
    "two ways": ({"a": [["x"]], "b": [1]}, {"transactions": "a", "item": "b"}, "give one of them"),
    "numbers": ({"a": [1, 2]}, {"transactions": "a"}, "expected lists of items or delimited"),
    "structs": ({"a": [[{"sku": 1}]]}, {"transactions": "a"}, "expected lists of text or numbers"),
    "which item": ({"a": [1], "b": [2], "c": [3]}, {"transaction_id": "a"}, "which column holds"),
    "which id": ({"a": [1], "b": [2], "c": [3]}, {"item": "a"}, "which column names"),
    "nothing": ({"age": [30, 41], "sex": ["f", "m"]}, {}, "nothing shows which columns"),
    "words": (["tea", 3], {}, "transaction 1 is 'tea', expected a list of items"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_explained(name):
    source, columns, expected = MISTAKES[name]
    assert expected in refusal(source, **columns)


def test_very_many_different_items():
    n = 1_000_000
    frame = pl.DataFrame({"order": pl.int_range(n, eager=True) // 10, "item": range(n)})
    context = Context.from_transactions(frame, min_support=2)
    assert context.shape == (n // 10, 0)
    found = Baskets(Stream(frame), find_shape(Stream(frame))).read(keep_bytes=0)
    assert len(found.items) == n
    assert found.kept is None


def test_shapes_that_are_not_transactions():
    tables: list[dict[str, list[Any]]] = [
        {"age": [30, 41], "sex": ["f", "m"]},
        {"name": ["a", "b"], "tags": [["x"], ["y"]], "age": [1, 2]},
        {"city": ["Paris", "Paris"], "tags": [["x"], ["y"]]},
        {"order_id": [1, 2, 3], "item": ["a", "b", "c"]},
        {"note": ["Dear Ann, hello", "Dear Bob, bye"]},
    ]
    for table in tables:
        assert find_shape(Stream(table)) is None, table


def test_one_hot_columns_with_a_column_of_names():
    marks = {"tea": [0, 1, 1], "milk": [1, 1, 0]}
    for names in ({"order_id": [7, 8, 9]}, {"who": ["Ann", "Bob", "Eve"]}):
        shape = find_shape(Stream(names | marks))
        assert shape is not None
        assert shape.transaction == next(iter(names))
    assert find_shape(Stream({"age": [30, 41, 17]} | marks)) is None
    as_words = {"who": ["Ann", "Bob"], "tea": ["TRUE", "false"], "milk": ["", " 1 "]}
    found = Context.from_transactions(as_words)
    assert found.to_itemsets() == {"Ann": {"tea"}, "Bob": {"milk"}}


def test_a_one_hot_column_with_another_value(monkeypatch):
    monkeypatch.setattr("conceptrank.io.streams._BATCH_ROWS", 1000)
    for last in (2, "maybe"):
        column = [0] * 1500 + [last] if last == 2 else ["0"] * 1500 + [last]
        text = refusal({"tea": column, "milk": [1] * 1501})
        assert f"row 1,501 has {last!r} in 'tea', expected true or false, or 1 or 0" in text


def test_separators_of_text():
    assert find_separator(pl.Series(["a|b", "b|a", "a|b|c", "c"])) == "|"
    assert find_separator(pl.Series(["a, b", "b, a, c", "a, b", "c"])) == ","
    assert find_separator(pl.Series(["2024-01-02", "2024-01-03"])) is None
    assert find_separator(pl.Series([1, 2])) is None
    assert find_separator(pl.Series([None, None], dtype=pl.String)) is None
