"""`conceptrank rules`."""

import csv
import io
import json

import polars as pl
import pytest

import conceptrank as cr


def rows(run, *arguments: str) -> list[dict[str, object]]:
    result = run("rules", "movies", *arguments, "--format", "jsonl")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_it_reads_well(run):
    result = run("rules", "movies", "--min-support", "0.1", "--min-confidence", "0.8", "--top", "3")
    assert result.exit_code == 0
    assert result.stdout == (
        "count    lift  support  confidence  premise              conclusion\n"
        "    2  3.6667   0.1818           1  thriller          →  adventure, fantasy\n"
        "    3  1.3750   0.2727           1  adventure, drama  →  criminal\n"
        "    3  1.3750   0.2727           1  criminal, drama   →  adventure\n"
    )
    assert "3 of 7 rules with 2 objects or more" in result.stderr


def test_the_rules_are_those_of_the_library(run):
    lattice = cr.datasets.load("movies").lattice(min_support=2)
    for basis in cr.rules.bases.available()["name"]:
        found = rows(run, "--basis", basis, "--min-support", "2", "--by", "confidence", "--all")
        rules = lattice.rules(basis, by="confidence")
        assert [(each["premise"], each["conclusion"]) for each in found] == [
            (list(rule.premise), list(rule.conclusion)) for rule in rules
        ]
        assert [each["confidence"] for each in found] == rules.score("confidence").tolist()


def test_measures_of_rules_and_of_concepts(run):
    found = rows(run, "--by", "cr", "--also", "fisher,premise.stability,cr(side=extent)")
    assert list(found[0]) == [
        *("premise", "conclusion", "count", "cr", "support", "confidence"),
        *("fisher", "premise.stability", "cr(side=extent)"),
    ]
    scores = [each["cr"] for each in found]
    assert scores == sorted(scores, reverse=True)
    assert len(found) == 20


def test_formats(run, tmp_path):
    for suffix in ("csv", "json", "jsonl", "parquet", "txt"):
        out = tmp_path / f"rules.{suffix}"
        result = run("rules", "movies", "--top", "4", "--out", out)
        assert (result.exit_code, result.stdout) == (0, "")
        assert out.stat().st_size
    assert pl.read_parquet(tmp_path / "rules.parquet")["premise"][1].to_list() == [
        "adventure",
        "comedy",
    ]
    text = run("rules", "movies", "--top", "2", "--format", "csv").stdout
    assert list(csv.DictReader(io.StringIO(text)))[1]["premise"] == "adventure; comedy"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--basis", "luxemburger"], 2, "did you mean 'luxenburger'"),
        (["--by", "lifft"], 2, "did you mean 'lift'"),
        (["--also", "cr(x=1)"], 2, "no parameter 'x'"),
        (["--max-rules", "3", "--all"], 3, "--max-rules 3 reached"),
        (["--max-concepts", "3"], 3, "covers"),
        (["--min-confidence", "1.2"], 2, ""),
        (["--out", "nowhere/rules.csv"], 2, "there is no directory"),
    ],
)
def test_what_can_go_wrong(run, arguments, code, message):
    result = run("rules", "movies", *arguments)
    assert result.exit_code == code, result.stderr
    assert message in result.stderr


def test_no_rules(run):
    result = run("rules", "movies", "--min-support", "20")
    assert result.exit_code == 0
    assert "0 rules" in result.stderr


def test_the_help_lists_every_measure_of_rules(run):
    shown = run("rules", "--help", env={"COLUMNS": "120", "NO_COLOR": "1"}).stdout
    missing = {name for name in cr.rules.measures.available()["name"] if name not in shown}
    assert not missing
