"""Options that constrain concepts: the same for every command that has them."""

import json
import shutil
from pathlib import Path

import pytest

import conceptrank as cr
from conceptrank.cli._constraints import ConstraintGroup
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


@pytest.mark.parametrize("name", ["contains", "excludes", "any_of", "objects"])
@pytest.mark.parametrize(
    "typed", [['"red, dark"', "hot"], ["red, dark", "hot"], ['"red, dark",hot']]
)
def test_names_are_repeated_or_separated(name, typed) -> None:
    names = ["red, dark", "hot"]
    context = cr.Context.from_pairs([(each, each) for each in names])
    assert ConstraintGroup(**{name: typed}).options(context) == {name: names}


@pytest.mark.parametrize(
    "command",
    [
        ["best", "--contains"],
        ["rules", "--contains"],
        ["rules", "--premise"],
        ["rules", "--conclusion"],
        ["summarize", "--method", "tiling", "--contains"],
        ["mine", "--out", "r", "--workers", 1, "--contains"],
    ],
)
def test_repeated_names_all_count(run, command) -> None:
    def printed(*names: str) -> str:
        shutil.rmtree("r", ignore_errors=True)
        name, *options = command
        result = run(name, "movies", *options, *names)
        assert result.exit_code == 0, result.stderr
        return result.stdout or run("rank", "r").stdout

    both = printed("drama", command[-1], "criminal")
    assert both == printed("drama,criminal")
    assert both not in (printed("criminal"), printed("drama"))
