"""`--weight-column`: rows that count several times."""

import json

import pytest

TABLE = "bread,milk,tea,count\n1,1,0,9\n1,0,0,3\n0,1,1,2\n"


@pytest.fixture
def files(tmp_path):
    weighted, whole = tmp_path / "weighted.csv", tmp_path / "whole.csv"
    weighted.write_text(TABLE)
    lines = [line.rsplit(",", 1) for line in TABLE.splitlines()[1:]]
    whole.write_text("bread,milk,tea\n" + "".join(f"{row}\n" * int(n) for row, n in lines))
    return weighted, whole


@pytest.mark.parametrize(
    "command",
    [
        ("rank", "--by", "stability", "--also", "cr,separation", "--format", "jsonl"),
        ("best", "--by", "delta_measure", "--format", "jsonl"),
        ("rules", "--basis", "luxenburger", "--format", "jsonl"),
        ("show", "--intent", "bread", "--format", "json"),
    ],
)
def test_a_column_of_weights_repeats_rows(run, files, command):
    weighted, whole = files
    name, *options = command
    found = run(name, weighted, "--weight-column", "count", *options)
    expected = run(name, whole, *options)
    assert found.exit_code == expected.exit_code == 0, found.stderr

    def without_extents(text):
        rows = [json.loads(line) for line in text.splitlines()]
        return [{k: v for k, v in row.items() if k != "extent"} for row in rows]

    if name == "show":
        first, second = json.loads(found.stdout), json.loads(expected.stdout)
        assert first["support"] == second["support"] == 12
        assert first["scores"] == pytest.approx(second["scores"], nan_ok=True)
    else:
        assert without_extents(found.stdout) == without_extents(expected.stdout)


def test_info_summarize_mine_and_convert(run, files, tmp_path):
    weighted, whole = files
    option = ("--weight-column", "count")
    facts = json.loads(run("info", weighted, *option, "--format", "json").stdout)
    expected = json.loads(run("info", whole, "--format", "json").stdout)
    for key in ("objects", "crosses", "density", "attributes_by_support", "duplicate_objects"):
        assert facts[key] == expected[key]
    assert run("summarize", weighted, *option).exit_code == 0
    result = run("mine", weighted, *option, "--out", tmp_path / "run", "--measures", "cr")
    assert result.exit_code == 0, result.stderr
    refused = run("convert", weighted, *option, tmp_path / "out.cxt")
    assert refused.exit_code == 1
    assert "the objects have weights" in refused.stderr
    assert run("convert", weighted, *option, tmp_path / "out.json").exit_code == 0
    assert '"weights": [9, 3, 2]' in (tmp_path / "out.json").read_text()


def test_a_wrong_column(run, files):
    weighted, _ = files
    result = run("rank", weighted, "--weight-column", "cuont")
    assert result.exit_code != 0
    assert "did you mean 'count'?" in result.stderr
    result = run("rank", "movies", "--weight-column", "count")
    assert result.exit_code == 2
