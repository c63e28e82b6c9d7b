"""Options that constrain concepts: the same for every command that has them."""

import json
from pathlib import Path

import conceptrank as cr
from conceptrank.runs import open_run

OPTIONS = ["--contains", "drama", "--max-intent", "3", "--where", "support >= 2"]


def test_mine(run, tmp_path: Path) -> None:
    assert run("mine", "movies", "--out", "r", "--workers", 1, *OPTIONS).exit_code == 0
    movies = cr.datasets.load("movies")
    expected = movies.lattice(contains="drama", max_intent=3, where="support >= 2")
    found = open_run(tmp_path / "r").top(100)["intent"].to_list()
    assert sorted(found) == sorted(list(c.intent) for c in expected) != []
    again = run("mine", "movies", "--out", "r", "--workers", 1, "--resume")
    assert again.exit_code != 0
    assert "another constraints" in again.stderr


def test_mine_with_objects(run, tmp_path: Path) -> None:
    options = ["--objects", "2,5", "--workers", 1]
    assert run("mine", "movies", "--out", "r", *options).exit_code == 0
    expected = cr.datasets.load("movies").closed_sets(objects=["2", "5"])
    assert len(open_run(tmp_path / "r")) == len(expected) > 0


def test_rules(run) -> None:
    options = ["--conclusion", "drama", "--min-support", 2, "--all", "--format", "jsonl"]
    found = run("rules", "movies", *options)
    assert found.exit_code == 0
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(rows) == len(cr.datasets.load("movies").rules(conclusion="drama", min_support=2)) > 0
    assert all("drama" in row["conclusion"] for row in rows)
    assert run("rules", "movies", "--premise", "dramma").exit_code == 2


def test_summarize(run) -> None:
    found = run("summarize", "movies", "--method", "tiling", "--contains", "drama")
    assert found.exit_code == 0
    assert "drama" in found.stdout
    refused = run("summarize", "movies", "--method", "slim", "--contains", "drama")
    assert refused.exit_code == 2
    assert "takes no constraints" in refused.stderr
