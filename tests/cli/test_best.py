"""`conceptrank best`."""

import json

import pytest

import conceptrank as cr
from conceptrank.best import best
from strategies import random_context


def test_movies_look_as_they_should(run):
    result = run("best", "movies", "-k", "3", "--by", "delta_measure", "--min-intent", "1")
    assert result.exit_code == 0
    assert result.stdout == (
        "rank  delta_measure  support  intent                      extent\n"
        "   1              4        7  adventure, criminal         2, 5, 6, 7, 8, 10, 11\n"
        "   2              2        5  drama                       2, 3, 5, 6, 9\n"
        "   2              2        3  adventure, criminal, drama  2, 5, 6\n"
    )
    assert "3 concepts, " in result.stderr


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (["--contains", "criminal,drama"], {"contains": ["criminal", "drama"]}),
        (["--excludes", "drama", "--max-intent", "2"], {"excludes": "drama", "max_intent": 2}),
        (["--any-of", "drama,comedy"], {"any_of": ["drama", "comedy"]}),
        (["--objects", "2,5"], {"objects": ["2", "5"]}),
        (["--min-support", "2", "--max-support", "0.5"], {"min_support": 2, "max_support": 0.5}),
        (["--where", "cr > 0.4", "--ties", "all"], {"where": "cr > 0.4", "ties": "all"}),
        (["--then", "stability", "--also", "bond"], {"then": "stability", "also": "bond"}),
    ],
)
def test_options_mean_what_the_library_does(run, options, given):
    result = run("best", "movies", "-k", "4", "--by", "cr", *options, "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    expected = cr.datasets.load("movies").best(4, by="cr", **given).to_polars()
    assert rows == expected.to_dicts()


def test_a_target(run):
    options = ["--by", "wracc", "--target", "drama", "--format", "jsonl"]
    result = run("best", "movies", "-k", "1", *options)
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert "drama" not in row["intent"]
    assert row["wracc"] > 0


def test_a_limit_is_stated(run, tmp_path):
    path = tmp_path / "large.csv"
    cr.io.save(random_context(60, 14, density=0.5, seed=1), path)
    result = run("best", str(path), "--by", "tile_area", "--max-concepts", "30")
    assert result.exit_code == 3
    assert "--max-concepts 30 reached" in result.stderr
    assert "are certain to be among the best; others score up to" in result.stderr


def test_an_unknown_attribute(run):
    result = run("best", "movies", "--contains", "dramma")
    assert result.exit_code == 2
    assert "did you mean 'drama'" in result.stderr


def test_the_seconds_include_loading(run, monkeypatch):
    granted = []

    def search(query, *arguments, **options):
        granted.append(query.budget.seconds)
        return best(query, *arguments, **options)

    monkeypatch.setattr("conceptrank.cli.best.best", search)
    assert run("best", "movies", "--max-seconds", 60).exit_code == 0
    assert 0 < granted[0] < 60
