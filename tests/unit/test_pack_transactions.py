"""Transactions that are packed in two passes, and runs that start from them."""

from __future__ import annotations

import inspect
import random
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank import Context, _core
from conceptrank._util.lists import occurrences
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io import streams
from conceptrank.runs import streaming

Lists = list[list[str]]


def baskets_of(seed: int, n: int = 60) -> Lists:
    rng = random.Random(seed)
    items = [f"i{number:02}" for number in range(12)]
    chances = [1 / (2 + place) for place in range(12)]
    picked = [rng.choices(items, chances, k=rng.randint(0, 5)) for _ in range(n)]
    return [*picked, items]


def literal(baskets: Lists, least: int) -> tuple[list[str], dict[frozenset[str], int]]:
    """The frequent items, and how many baskets have each set of them."""
    different = sorted({item for basket in baskets for item in basket})
    supports = {item: sum(item in basket for basket in baskets) for item in different}
    kept = [item for item in different if supports[item] >= least]
    rows: dict[frozenset[str], int] = {}
    for basket in baskets:
        row = frozenset(basket) & frozenset(kept)
        rows[row] = rows.get(row, 0) + 1
    return kept, rows


def found_rows(packed: cr.runs.Packed) -> dict[frozenset[str], int]:
    offsets, values = packed.rows
    rows = [
        frozenset(packed.attributes[m] for m in values[begin:end])
        for begin, end in pairwise(offsets)
    ]
    assert len(set(rows)) == len(rows), "equal rows are merged"
    return dict(zip(rows, packed.weights.tolist(), strict=True))


@pytest.mark.parametrize("kept_bytes", [1 << 29, 0])
@pytest.mark.parametrize("least", [0, 3, 10])
def test_packed_rows_are_the_literal_ones(least, kept_bytes, monkeypatch):
    monkeypatch.setattr(streaming, "_KEPT_BYTES", kept_bytes)
    monkeypatch.setattr(streams, "_BATCH_ROWS", 7)
    for seed in range(10):
        baskets = baskets_of(seed)
        kept, rows = literal(baskets, least)
        frame = pl.DataFrame({"items": baskets})
        order = [n for n, basket in enumerate(baskets) for _ in basket or [None]]
        item = [i for basket in baskets for i in basket or [None]]
        long = pl.DataFrame({"order": order, "item": item})
        scattered = long.sample(fraction=1, shuffle=True, seed=seed)
        sources: list[Any] = [frame, frame.lazy(), frame.to_arrow().to_reader(), long, scattered]
        for source in sources:
            columns = {} if source is not long and source is not scattered else {"item": "item"}
            packed = cr.runs.pack_transactions(source, min_support=least, **columns)
            assert list(packed.attributes) == kept
            assert found_rows(packed) == rows


@pytest.mark.parametrize("least", [0, 3, 1000])
def test_transactions_without_the_wanted_items_are_left_out(least, monkeypatch):
    monkeypatch.setattr(streams, "_BATCH_ROWS", 7)
    for seed in range(20):
        baskets = baskets_of(seed)
        items = sorted({item for basket in baskets for item in basket})
        every, some = items[seed % 5 : seed % 5 + seed % 3], items[3 : 3 + seed % 4]
        chosen = [
            basket
            for basket in baskets
            if set(every) <= set(basket) and (not some or set(some) & set(basket))
        ]
        kept, rows = literal(chosen, least)
        frame = pl.DataFrame({"items": baskets})
        packed = cr.runs.pack_transactions(frame, min_support=least, contains=every, any_of=some)
        assert [name for name in packed.attributes if name in kept] == kept
        assert found_rows(packed) == rows
    with pytest.raises(UnknownNameError, match="unknown item 'nothing'"):
        cr.runs.pack_transactions(frame, contains="nothing")


def test_room_is_made_for_different_rows_only(monkeypatch):
    reserved = []

    class Merger(_core.RowMerger):
        def reserve(self, n_rows: int, n_crosses: int) -> None:
            reserved.append((n_rows, n_crosses))
            super().reserve(n_rows, n_crosses)

    monkeypatch.setattr(streaming._core, "RowMerger", Merger)
    monkeypatch.setattr(streaming, "_SAMPLED_ROWS", 100)
    monkeypatch.setattr(streams, "_BATCH_ROWS", 50)
    repeated = [["a"], ["b", "c"]] * 500
    packed = cr.runs.pack_transactions({"items": repeated})
    assert packed.weights.tolist() == [500, 500]
    # First for the sample, then for the share of its rows that differ.
    assert reserved == [(100, 150), (20, 30)]


def test_the_same_bytes_with_any_number_of_threads(tmp_path, monkeypatch):
    for number in range(6):
        frame = pl.DataFrame({"items": baskets_of(number)})
        frame.write_parquet(tmp_path / f"{number}.parquet")
    digests = set()
    for count in (1, 2, 7):
        monkeypatch.setattr(streams.os, "cpu_count", lambda count=count: count)
        digests.add(cr.runs.pack_transactions(tmp_path, min_support=5).digest)
    assert len(digests) == 1


def test_closed_sets_of_packed_transactions():
    for seed in range(10):
        frame = pl.DataFrame({"items": baskets_of(seed)})
        whole = Context.from_transactions(frame)
        packed = cr.runs.pack_transactions(frame, min_support=5)
        found, expected = (
            {c.intent: c.support for c in context.closed_sets(min_support=5)}
            for context in (packed.context, whole)
        )
        assert found == expected


def test_measures_that_frequent_items_suffice_for():
    every = [cr.measures.get(name) for name in cr.measures.available()["name"]]
    names = [
        each.name
        for each in every
        if inspect.Parameter.empty not in each.params.values()
        and not each.needs_every_attribute({})
    ]
    assert {"conceptual_relevance", "leverage", "support"} <= set(names)
    assert cr.runs.needs_every_item(names) == []
    assert cr.runs.needs_every_item(["cr", "delta_measure", ("cr", {"side": "extent"})]) == [
        "delta_measure",
        "cr(side=extent)",
    ]
    for seed in range(15):
        frame = pl.DataFrame({"items": baskets_of(seed)})
        whole = Context.from_transactions(frame).lattice(min_support=6)
        fewer = Context.from_transactions(frame, min_support=6).lattice(min_support=6)
        place = {concept.intent: n for n, concept in enumerate(fewer)}
        pairs = [
            (n, place[concept.intent]) for n, concept in enumerate(whole) if concept.support >= 6
        ]
        assert pairs
        ours, others = np.array(pairs).T
        for name in names:
            expected = np.asarray(whole.score(name))[ours]
            scores = np.asarray(fewer.score(name))[others]
            np.testing.assert_allclose(scores, expected, atol=1e-12, err_msg=name)


def test_mine_starts_from_a_folder_or_a_stream(tmp_path):
    baskets = baskets_of(3, 200)
    frame = pl.DataFrame({"items": baskets})
    (tmp_path / "data").mkdir()
    for number in range(4):
        frame.slice(number * 60, 60).write_parquet(tmp_path / "data" / f"{number}.parquet")
    whole = Context.from_transactions(frame)
    expected = len([c for c in whole.lattice(min_support=30) if c.support >= 30])
    sources = {"folder": tmp_path / "data", "stream": frame.to_arrow().to_reader(), "frame": frame}
    for name, source in sources.items():
        run = cr.runs.mine(source, tmp_path / name, min_support=30, workers=1, measures=["cr"])
        assert run.count(where="support >= 30") == expected, name
        assert run.manifest["context"]["attributes"] < len(whole.attributes), name
    run = cr.runs.mine(
        tmp_path / "data", tmp_path / "all", min_support=30, workers=1, measures=["stability"]
    )
    assert run.manifest["context"]["attributes"] == len(whole.attributes)


def test_packed_transactions_are_saved_and_mapped(tmp_path):
    packed = cr.runs.pack_transactions({"items": baskets_of(1)}, min_support=3)
    packed.save(tmp_path / "sales.packed")
    opened = cr.runs.open_packed(tmp_path / "sales.packed")
    assert isinstance(opened.rows[1].base, np.memmap)
    assert opened.digest == packed.digest
    assert opened.context.closed_sets(min_support=3).supports.tolist() == (
        packed.context.closed_sets(min_support=3).supports.tolist()
    )


def test_a_column_of_weights_repeats_transactions():
    for seed in range(20):
        baskets = baskets_of(seed, 20)
        rng = random.Random(seed)
        counts = [rng.randint(1, 4) for _ in baskets]
        table = {"items": baskets, "n": counts}
        repeated = [basket for basket, n in zip(baskets, counts, strict=True) for _ in range(n)]
        packed = cr.runs.pack_transactions(table, transactions="items", weights="n", min_support=4)
        kept, rows = literal(repeated, 4)
        assert list(packed.attributes) == kept
        assert found_rows(packed) == rows
        context = Context.from_transactions(table, weights="n", min_support=4)
        assert list(context.attributes) == kept
        plain = Context.from_transactions(repeated, min_support=4)
        assert context.core.attribute_supports().tolist() == (
            plain.core.attribute_supports().tolist()
        )


@pytest.mark.parametrize("weight", [0, -1, 1.5, None])
def test_weights_that_are_no_counts(weight):
    table = pl.DataFrame({"items": [["a"], ["b"]], "n": pl.Series([1, weight], strict=False)})
    if weight == 1.5:
        table = table.with_columns(n=pl.Series([1.0, 1.5]))
    with pytest.raises(FormatError, match=r"row 2 has .* a weight is a whole number from 1 on"):
        cr.runs.pack_transactions(table, transactions="items", weights="n")


def test_long_rows_have_no_weights():
    table = {"order": [1, 1], "item": ["a", "b"], "n": [1, 2]}
    with pytest.raises(FormatError, match="long rows have no weights"):
        Context.from_transactions(table, item="item", transaction_id="order", weights="n")


def test_occurrences_count_lists_by_their_weights() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        lengths = rng.integers(0, 5, rng.integers(0, 9))
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        values = rng.integers(0, 7, offsets[-1]).astype(np.uint32)
        values[rng.random(len(values)) < 0.2] = 2**32 - 1
        weights = rng.integers(0, 4, len(lengths)).astype(np.uint32)
        expected = Counter[int]()
        for begin, end, weight in zip(offsets[:-1], offsets[1:], weights.tolist(), strict=True):
            for value in values[begin:end].tolist():
                expected[value] += weight
        found = occurrences((offsets, values), weights, least=7)
        assert found.tolist() == [expected[number] for number in range(7)]
