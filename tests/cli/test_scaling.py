"""Raw tables on the command line: plans, short options, and what is said about them."""

import json
from pathlib import Path

import polars as pl
import pytest

PEOPLE = "name,age,sex\nAnn,30,f\nBob,41,m\nCid,17,m\nDora,,f\n"


@pytest.fixture(autouse=True)
def people(no_terminal) -> None:
    """A small table with a missing value."""
    Path("people.csv").write_text(PEOPLE)


def attributes_of(run, *arguments: object) -> list[str]:
    result = run("info", *arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return sorted(json.loads(result.stdout)["attributes_by_support"])


def test_the_plan_is_shown(run):
    result = run("info", "people.csv", "--columns")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "people.csv: 4 objects, 5 attributes",
        "  column  scale    attributes  missing  names                         because",
        "  name    objects",
        "  age     nominal           3        1  age = 17, age = 30, age = 41  3 different numbers",
        "  sex     nominal           2        0  sex = f, sex = m              2 different words",
    ]
    assert "'conceptrank convert people.csv plan.toml' saves" in result.stderr
    assert run("info", "people.csv", "--columns", "--quiet").stderr == ""


def test_a_saved_plan_gives_the_same_context(run):
    options = ("--scale", "age=ordinal:18,40", "--drop", "sex")
    result = run("convert", "people.csv", "plan.toml", *options)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "--scale plan.toml" in result.stderr
    planned = run("rank", "people.csv", "--scale", "plan.toml")
    assert planned.stdout == run("rank", "people.csv", *options).stdout
    assert "Ann" in planned.stdout
    assert "raw values" not in planned.stderr


def test_short_options_and_what_is_left_to_inference(run):
    result = run("rank", "people.csv", "--scale", "age=ordinal:18,40")
    assert result.exit_code == 0
    assert "age ≤ 40" in result.stdout
    assert "columns were scaled by type and values" in result.stderr
    assert "values: sex" in result.stderr
    assert "age=" not in result.stderr
    assert "raw values" not in run("rank", "people.csv", "--scale", "auto", "--quiet").stderr


def test_missing_values(run):
    chosen = ("people.csv", "--drop", "sex")
    assert attributes_of(run, *chosen) == ["age = 17", "age = 30", "age = 41"]
    assert "age is missing" in attributes_of(run, *chosen, "--missing", "value")
    result = run("rank", "people.csv", "--missing", "error")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "row 4 has no value" in result.stderr


def test_info_tells_of_columns_and_redundant_attributes(run):
    arguments = ("info", "people.csv", "--scale", "age=ordinal", "--missing", "value")
    shown = run(*arguments).stdout
    assert "  redundant    1  follow from others: age ≤ 17\n" in shown
    assert "\ncolumns\n  column  scale" in shown
    facts = json.loads(run(*arguments, "--format", "json").stdout)
    assert facts["redundant_attributes"] == ["age ≤ 17"]
    assert facts["columns"][1]["missing"] == 1
    assert [column["scale"] for column in facts["columns"]] == ["objects", "ordinal", "nominal"]
    assert json.loads(run("info", "movies", "--format", "json").stdout)[
        "redundant_attributes"
    ] == []  # fmt: skip


def test_raw_values_are_scaled_and_said_to_be(run):
    result = run("rank", "people.csv")
    assert result.exit_code == 0
    assert result.stdout == run("rank", "people.csv", "--scale", "auto").stdout
    assert "columns were scaled by type and values: row names: name; values: age" in result.stderr
    assert "'conceptrank info people.csv' shows why" in result.stderr


def test_two_columns_may_be_pairs_and_are_not_guessed(run):
    Path("two.csv").write_text("user,tag\nAnn,tea\nAnn,milk\nBob,tea\n")
    result = run("rank", "two.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    pairs, values = "--transaction-id user and --item tag", "--scale auto"
    assert f"for pairs, give {pairs}; for values, give {values}" in result.stderr
    for options in (pairs.replace("and ", ""), values):
        assert run("rank", "two.csv", *options.split()).exit_code == 0


def test_a_file_that_is_a_raw_table_for_sure_is_scaled_and_said_to_be(run):
    pl.read_csv("people.csv").write_parquet("people.parquet")
    Path("a.arff").write_text("@relation r\n@attribute k {a,b}\n@data\na\nb\nb\n")
    for file in ("people.parquet", "a.arff"):
        result = run("rank", file)
        assert result.exit_code == 0, result.stderr
        assert f"'conceptrank info {file}' shows why" in result.stderr
    Path("people.parquet").rename("people")
    assert run("rank", "people").exit_code == 0
    assert run("rank", "people", "--input-format", "parquet").exit_code == 0


def test_standard_input(run):
    result = run("info", "-", "--columns", input=PEOPLE.encode())
    assert "age = 17" in result.stdout
    result = run("rank", "-", "--scale", "auto", input=PEOPLE.encode())
    assert (result.exit_code, "age = 17" in result.stdout) == (0, True)


def test_options_of_the_format(run):
    Path("t.txt").write_bytes("# made by hand\n1,5;rot\n2,5;grün\n".encode("utf-16"))
    options = ["skip=1", "header=no", "separator=;", "decimal_comma=yes", "names=size,colour"]
    arguments = [part for option in options for part in ("--read", option)]
    found = attributes_of(run, "t.txt", "--scale", "auto", *arguments)
    assert found == ["colour = grün", "colour = rot", "size = 1.5", "size = 2.5"]
    result = run("convert", "t.txt", "plan.toml", *arguments)
    assert result.exit_code == 0, result.stderr
    assert attributes_of(run, "t.txt", "--scale", "plan.toml") == found
    Path("pairs.txt").write_text("a|x\na|y\nb|x\n")
    pairs = ("pairs.txt", "--input-format", "pairs", "--read", "separator=|")
    assert run("rank", *pairs, "--read", "header=false").exit_code == 0


@pytest.mark.parametrize("separator", [" ", "\t", "' '", r"\t"])
def test_a_separator_may_be_blank(run, separator):
    Path("baskets.txt").write_text(
        f"tea{separator}milk\ntea\n".replace("'", "").replace(r"\t", "\t")
    )
    options = ("--input-format", "baskets", "--read", f"separator={separator}")
    assert attributes_of(run, "baskets.txt", *options) == ["milk", "tea"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scale", "agge=nominal"], "unknown column 'agge' in the table; did you mean 'age'"),
        (["--scale", "age=quantil:4"], "unknown scale 'quantil' in column 'age'"),
        (["--scale", "plan.toml"], "--scale plan.toml: no such plan"),
        (["--scale", "age="], "--scale: 'age=' is not of the form COLUMN=SCALE"),
        (["--scale", "age=nominal", "--scale", "age=ordinal"], "column 'age' is scaled twice"),
        (["--drop", "agge"], "unknown column 'agge'"),
        (["--object-names", "nam"], "unknown column 'nam'"),
        (["--scale", "auto", "--read", "header"], "'header' is no option (hint: write it as"),
        (["--scale", "auto", "--read", "headr=true"], "did you mean 'header'"),
        (["--scale", "auto", "--read", "header=maybe"], "expected true or false"),
        (["--scale", "auto", "--read", "skip=some"], "expected a whole number"),
    ],
)
def test_wrong_use_is_a_line_and_exit_code_2(run, arguments, message):
    result = run("info", "--columns", "people.csv", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_a_damaged_plan_is_a_line(run):
    Path("plan.toml").write_text("[columns.age]\nscale = 'quantil'\n")
    result = run("rank", "people.csv", "--scale", "plan.toml")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: plan.toml: ")
    assert result.stderr.count("\n") == 1


def test_values_that_a_plan_does_not_list(run):
    Path("plan.toml").write_text('version = 1\n[columns.a]\nscale = "nominal"\nvalues = ["x"]\n')
    Path("t.csv").write_text("a,b\nx,1\ny,2\n")
    options = ("t.csv", "--scale", "plan.toml", "--scale", "b=drop")
    for refused in (run("rank", *options), run("rank", *options, "--unseen", "error")):
        assert refused.exit_code == 1
        assert "row 2 holds 'y', which is not among" in refused.stderr
        assert "; --unseen missing treats it as missing" in refused.stderr
    result = run("rank", *options, "--unseen", "missing", "--format", "jsonl", "--extents")
    assert result.exit_code == 0, result.stderr
    supports = [json.loads(line)["support"] for line in result.stdout.splitlines()]
    assert sorted(supports) == [1, 2]
    result = run("info", "--columns", *options, "--unseen", "missing")
    assert (result.exit_code, "a = x" in result.stdout) == (0, True), result.stderr


def test_what_a_reader_assumed_is_a_note(run):
    Path("orders.csv").write_text("order_id,sku\nA1,tea\nA2,milk\nA3,tea\n")
    result = run("info", "orders.csv", "--input-format", "pairs")
    assert result.exit_code == 0
    assert "'order_id,sku', was read as the names of the columns" in result.stderr
    assert "--read header=False" in result.stderr
    assert "objects" in result.stdout
    assert run("info", "orders.csv", "--input-format", "pairs", "--quiet").stderr == ""
