"""`--label`: which objects are positive, and what leaves the table."""

from __future__ import annotations

import json

import pytest

from conceptrank.cli import _pipeline

ROWS = [("Ann", 30, "Yes", "York"), ("Bob", 41, "No", "York"), ("Cid", 17, "No", "Bath")]
ROWS += [("Dee", 52, "Yes", "Bath"), ("Eve", 28, "No", "York"), ("Fay", 64, "Yes", "York")]


@pytest.fixture(autouse=True)
def table(tmp_path):
    lines = [",".join(map(str, row)) for row in ROWS]
    (tmp_path / "people.csv").write_text("\n".join(["name,age,churn,town", *lines, ""]))


def ranked(run, *options: str) -> list[dict]:
    arguments = ("rank", "people.csv", "--scale", "auto", "--all", "--extents", *options)
    result = run(*arguments, "--format", "jsonl")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def literal_wracc(extent: list[str]) -> float:
    positives = {name for name, _, churn, _ in ROWS if churn == "Yes"}
    share = len(positives) / len(ROWS)
    hits = len(positives & set(extent))
    return len(extent) / len(ROWS) * (hits / len(extent) - share) if extent else 0.0


@pytest.mark.parametrize(
    "options",
    [
        ("--label", "churn", "--param", "positive=Yes"),
        ("--label", "churn=Yes"),
        ("--label", "churn = Yes"),
    ],
)
def test_a_column_leaves_the_table_however_it_is_named(run, options):
    rows = ranked(run, "--by", "wracc", *options)
    assert not [row for row in rows if any("churn" in name for name in row["intent"])]
    for row in rows:
        assert row["wracc"] == pytest.approx(literal_wracc(row["extent"]), abs=1e-12)


@pytest.mark.parametrize(
    ("label", "positives"),
    [
        ("smokes", {"Ann", "Cid", "Fay"}),
        ("smokes=Yes", {"Ann", "Cid", "Fay"}),
        ("smokes = yes", {"Ann", "Cid", "Fay"}),
        ("smokes=No", {"Bob", "Dee"}),
    ],
)
def test_a_column_of_marks_is_named_with_or_without_its_mark(run, tmp_path, label, positives):
    rows = ["Ann,Yes,No", "Bob,No,Yes", "Cid,Yes,Yes", "Dee,No,No", "Fay,Yes,Yes"]
    (tmp_path / "marks.csv").write_text("\n".join(["name,smokes,drinks", *rows, ""]))
    options = ("--by", "wracc", "--label", label, "--extents", "--format", "jsonl")
    result = run("rank", "marks.csv", *options)
    assert result.exit_code == 0, result.stderr
    found = {tuple(row["intent"]): row for row in map(json.loads, result.stdout.splitlines())}
    assert set(found) == {(), ("drinks",)}
    drinkers = {"Bob", "Cid", "Fay"}
    expected = len(drinkers & positives) / 5 - len(drinkers) / 5 * len(positives) / 5
    assert found["drinks",]["wracc"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "churn"], "which label counts?"),
        (["--label", "churn", "--param", "positive=yes"], "unknown label 'yes'"),
        (["--label", "churn=yes"], "unknown label 'yes' in column 'churn'"),
        (["--label", "chur=Yes"], "unknown attribute or column 'chur=Yes'"),
        ([], "wracc needs labels (hint: give --label NAME"),
    ],
)
def test_what_is_wrong_with_labels_is_found_before_mining(run, monkeypatch, options, message):
    monkeypatch.setattr(_pipeline, "warn_if_many", lambda *_: pytest.fail("mined"))
    result = run("rank", "people.csv", "--scale", "auto", "--by", "wracc", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.rpartition("error: ")[2].count("\n") == 1
