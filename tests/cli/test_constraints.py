"""Options that constrain concepts: the same for every command that has them."""

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


def test_summarize(run) -> None:
    found = run("summarize", "movies", "--method", "diverse", "--contains", "drama")
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
