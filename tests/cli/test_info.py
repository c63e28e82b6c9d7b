import json
from pathlib import Path

import pytest

ODD = """B

5
4

full
empty
first
copy
other
all
none
left
twin of left
X.XX
....
X.XX
X.XX
X...
"""


@pytest.fixture
def odd() -> str:
    """Rows X.XX three times, an empty one, X...: an empty column, two equal ones."""
    Path("odd.cxt").write_text(ODD)
    return "odd.cxt"


def test_movies_look_as_they_should(run):
    result = run("info", "movies")
    assert (result.exit_code, result.stderr) == (0, "")
    first, *lines = result.stdout.splitlines()
    assert first.startswith("movies [")
    assert lines == [
        "  objects     11  10 different, 1 a copy of another",
        "  attributes   7  all different",
        "  crosses     32  41.56 % of the table",
        "  concepts    20",
        "",
        "most frequent attributes",
        "  adventure  8  72.73 %",
        "  criminal   8  72.73 %",
        "  drama      5  45.45 %",
        "  fantasy    4  36.36 %",
        "  action     3  27.27 %",
        "",
        "least frequent attributes",
        "  comedy    2  18.18 %",
        "  thriller  2  18.18 %",
    ]


def test_odd_objects_and_attributes_are_named(run, odd):
    facts = json.loads(run("info", odd, "--format", "json").stdout)
    assert facts["objects"] == 5
    assert facts["crosses"] == 10
    assert facts["density"] == 0.5
    assert facts["duplicate_objects"] == 2
    assert facts["duplicate_attributes"] == 1
    assert facts["empty_objects"] == ["empty"]
    assert facts["full_objects"] == []
    assert facts["empty_attributes"] == ["none"]
    assert facts["full_attributes"] == []
    assert facts["attributes_by_support"] == {"all": 4, "left": 3, "twin of left": 3, "none": 0}
    assert facts["concepts"] == {
        "min_support": 0, "value": 4, "low": 4, "high": 4, "exact": True,
    }  # fmt: skip
    assert "  empty objects      1  empty\n" in run("info", odd).stdout


def test_the_number_of_concepts_follows_the_support(run):
    assert "concepts    10  with at least 3 objects" in (
        run("info", "movies", "--min-support", "0.25").stdout
    )


def test_many_concepts_come_as_an_estimate_with_an_interval(run, contranominal):
    result = run("info", contranominal, "--format", "json")
    concepts = json.loads(result.stdout)["concepts"]
    assert not concepts["exact"]
    assert 1e9 < concepts["low"] < concepts["value"] < concepts["high"]
    assert "95 % interval" in run("info", contranominal).stdout


@pytest.mark.parametrize("content", ["B\n\n0\n1\n\nm\n", "B\n\n1\n0\n\ng\n\n", "B\n\n0\n0\n\n"])
def test_empty_contexts_have_an_answer(run, content):
    Path("empty.cxt").write_text(content)
    result = run("info", "empty.cxt")
    assert result.exit_code == 0
    assert json.loads(run("info", "empty.cxt", "--format", "json").stdout)["crosses"] == 0


def test_wide_tables_have_short_facts(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    header = ",".join(f"column{i}" for i in range(500))
    rows = [",".join(str((i * j) % 7 + 0.5) for i in range(500)) for j in range(9)]
    Path("wide.csv").write_text("\n".join([header, *rows, ""]))
    result = run("info", "wide.csv", "--scale", "auto", "--min-support", "0.9")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) < 150
    assert "… and 480 more" in result.stdout
