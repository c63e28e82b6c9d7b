"""`conceptrank summarize`."""

import json
from pathlib import Path

import pytest

import conceptrank as cr


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.cxt"
    planted = cr.datasets.random.planted(400, 20, patterns=[(4, 0.2), (3, 0.15)], seed=3)
    cr.io.save(planted.context, path)
    return path


def test_text_for_people(run, table: Path) -> None:
    done = run("summarize", str(table))
    assert done.exit_code == 0
    assert done.stdout == f"{cr.load(table).summarize()}\n"
    assert "recognised by" in run("summarize", str(table), "--verbose").stdout


def test_other_formats(run, table: Path, tmp_path: Path) -> None:
    done = run("summarize", str(table), "--format", "jsonl", "-k", "1")
    (row,) = map(json.loads, done.stdout.splitlines())
    (pattern,) = cr.load(table).summarize(1)
    assert row["intent"] == [*pattern.intent]
    assert row["expected"] == pytest.approx(pattern.expected)
    out = tmp_path / "list.csv"
    assert run("summarize", str(table), "--out", str(out), "--method", "grecond").exit_code == 0
    assert out.read_text(encoding="utf-8").startswith("place,intent,support,expected")


def test_a_small_table_gets_an_explanation(run) -> None:
    done = run("summarize", "movies")
    assert done.exit_code == 0
    assert done.stdout.startswith("No pattern in 11 objects")
    assert "chance" in done.stdout


def test_wrong_use(run, table: Path) -> None:
    assert run("summarize", str(table), "--method", "guess").exit_code == 2
    assert run("summarize", str(table), "--alpha", "2").exit_code != 0
