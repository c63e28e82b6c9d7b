"""`conceptrank check`: rows that violate rules."""

import json

import pytest


@pytest.fixture
def rules(run, tmp_path):
    path = tmp_path / "rules.json"
    options = ("--basis", "generic", "--min-support", "2", "--all", "--out", str(path))
    assert run("rules", "movies", *options).exit_code == 0
    return path


def test_a_table_fulfils_its_own_rules(run, rules):
    result = run("check", "movies", "--rules", str(rules))
    assert result.exit_code == 0, result.stderr
    assert "0 violations of 0 rules" in result.stderr


def test_violations_are_listed_by_rule_and_by_row(run, rules, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text(",adventure,criminal,drama\nA,1,0,1\nB,1,1,1\nC,0,0,1\n")
    result = run("check", str(new), "--rules", str(rules), "--format", "jsonl")
    assert result.exit_code == 1
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {
            "premise": ["adventure", "drama"],
            "conclusion": ["criminal"],
            "fires": 2,
            "violations": 1,
            "confidence": 0.5,
            "expected": 1.0,
        }
    ]
    assert "warning: no row has" in result.stderr
    result = run("check", str(new), "--rules", str(rules), "--rows")
    assert result.exit_code == 1
    assert result.stdout == (
        "row  rule  premise              conclusion  missing\n"
        "A       2  adventure, drama  →  criminal    criminal\n"
    )


def test_rules_with_exceptions_are_left_out_unless_asked_for(run, tmp_path):
    path = tmp_path / "rules.csv"
    assert run("rules", "movies", "--all", "--out", str(path)).exit_code == 0
    result = run("check", "movies", "--rules", str(path))
    assert result.exit_code == 0
    assert "have a confidence below 1 and were not checked" in result.stderr
    result = run("check", "movies", "--rules", str(path), "--min-confidence", "0.5")
    assert result.exit_code == 1


def test_wrong_input_is_named(run, rules, tmp_path):
    result = run("check", "movies", "--rules", str(tmp_path / "none.json"))
    assert result.exit_code != 0
    assert "no such file" in result.stderr
    other = tmp_path / "other.csv"
    other.write_text(",x,y\nA,1,0\nB,0,1\n")
    result = run("check", str(other), "--rules", str(rules))
    assert result.exit_code != 0
    assert "unknown attribute" in result.stderr
