"""`--transactions`, `--transaction-id` and `--item`, folders and globs."""

import json

import polars as pl
import pytest

BASKETS = [["tea", "milk"], ["milk"], ["tea", "milk", "jam"], ["jam", "tea"], ["tea"], ["milk"]] * 2


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "sales"
    inside.mkdir()
    frame = pl.DataFrame({"items": BASKETS, "shop": ["a", "b"] * 6, "n": [1, 2] * 6})
    for number in range(3):
        frame.slice(4 * number, 4).write_parquet(inside / f"part-{number}.parquet")
    return inside


def supports(result):
    assert result.exit_code == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return {frozenset(row["intent"]): row["support"] for row in rows}


def literal(baskets):
    """The support of every closed set, by intersection."""
    closed = {frozenset(basket) for basket in baskets}
    while True:
        more = {a & b for a in closed for b in closed} | closed
        if more == closed:
            break
        closed = more
    return {each: sum(each <= set(basket) for basket in baskets) for each in closed}


def test_a_folder_with_a_named_column(run, folder):
    how = ("--by", "support", "--format", "jsonl", "--transactions", "items")
    expected = literal(BASKETS)
    assert supports(run("rank", folder, *how)) == expected
    assert supports(run("rank", folder / "part-*.parquet", *how)) == expected
    weighted = [basket for n, basket in enumerate(BASKETS) for _ in range(1 + n % 2)]
    assert supports(run("rank", folder, *how, "--weight-column", "n")) == literal(weighted)


def test_long_rows_by_name(run, tmp_path):
    rows = [(n, item) for n, basket in enumerate(BASKETS) for item in basket]
    text = "".join(f"{n};{item};x\n" for n, item in rows)
    (tmp_path / "rows.csv").write_text("when;what;other\n" + text)
    how = ("--by", "support", "--format", "jsonl", "--transaction-id", "when", "--item", "what")
    assert supports(run("rank", "rows.csv", *how)) == literal(BASKETS)


def test_mine_says_when_it_keeps_infrequent_items(run, folder):
    how = ("--transactions", "items", "--min-support", "3", "--workers", "1")
    result = run("mine", folder, "--out", "run", "--measures", "stability", *how)
    assert result.exit_code == 0, result.stderr
    assert "infrequent items are kept, because stability needs them" in result.stderr
    result = run("mine", folder, "--out", "other", "--measures", "cr", *how)
    assert result.exit_code == 0, result.stderr
    assert "infrequent" not in result.stderr


def test_mistakes(run, folder):
    result = run("rank", folder, "--transactions", "itmes")
    assert result.exit_code != 0
    assert "did you mean 'items'?" in result.stderr
    result = run("rank", "movies", "--transactions", "items")
    assert "movies is a context: it has no columns of transactions" in result.stderr
    result = run("rank", folder, "--transactions", "items", "--scale", "shop=nominal")
    assert "transactions are not scaled" in result.stderr
