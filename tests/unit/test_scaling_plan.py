"""Plans: found, changed, printed, saved, written as short options, and applied to frames."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import conceptrank as cr
from conceptrank import scaling
from conceptrank.errors import ConceptRankError, FormatError, UnknownNameError
from conceptrank.scaling import Plan, infer, parse_option, plan_file

PEOPLE = {
    "name": ["Ann", "Bob", "Cid", "Dot"],
    "sex": ["f", "m", "m", None],
    "age": [30, 41, 17, 30],
    "smokes": [True, False, False, True],
    "born": [dt.date(1990, 1, 1), dt.date(1979, 5, 5), None, dt.date(1990, 3, 2)],
}
CSV = b"name,age,sex\nAnn,30,f\nBob,41,m\nCid,17,m\n"


def chosen(**columns: list[Any]) -> dict[str, str]:
    plan = infer(columns)
    return {name: str(choice) for name, choice in plan.columns.items()}


def test_what_is_found() -> None:
    rows = 30
    assert chosen(
        first=["x"] * rows,
        truth=[True, False] * 15,
        ones=[1, 0] * 15,
        ones_as_text=["1", "0"] * 15,
        words=["a", "b", "c"] * 10,
        few=[1, 2, 3] * 10,
        many=[i % 15 for i in range(rows)],
        days=[dt.date(2020, 1, 1 + i % 20) for i in range(rows)],
        nothing=[None] * rows,
        rare=[f"w{i // 1.1}" for i in range(rows)],
        number=list(range(5, 5 + rows)),
        again=list(range(rows)),
    ) == {
        "first": "drop",
        "truth": "boolean",
        "ones": "nominal",
        "ones_as_text": "nominal",
        "words": "nominal",
        "few": "nominal",
        "many": "quantiles:4",
        "days": "quantiles:4",
        "nothing": "drop",
        "rare": "drop",
        "again": "quantiles:4",
    }


def test_what_names_the_objects() -> None:
    assert infer({"name": ["Ann", "Bob"], "sex": ["f", "m"]}).objects == "name"
    assert infer({"age": [3, 4], "sex": ["f", "m"]}).objects is None
    assert infer({"age": [3] * 20, "name": [f"n{i}" for i in range(20)]}).objects == "name"
    assert infer({"user_id": list(range(5, 25)), "age": [3] * 20}).objects == "user_id"
    assert infer({"year": list(range(20)), "age": [3] * 20}).objects is None
    assert infer(PEOPLE, objects="age", drop=["name"]).objects == "age"
    frame = pd.DataFrame({"sex": ["f", "m"]}, index=["Ann", "Bob"])
    assert infer(frame).objects is None
    assert str(infer({"a": [1, 1]}, scales={"a": None})["a"]) == "drop"
    assert infer(frame).apply(frame).objects == ("Ann", "Bob")


def test_a_plan_is_a_value_that_can_be_changed() -> None:
    plan = infer(PEOPLE)
    plan["age"] = "ordinal:18,40"
    plan["born"] = scaling.ColumnPlan(scale=scaling.Nominal(), part="year", missing="value")
    plan["sex"] = scaling.Dichotomic(value="f")
    plan.drop("smokes")
    assert len(plan) == 4
    assert list(plan) == ["sex", "age", "smokes", "born"]
    assert plan.apply(PEOPLE).attributes == (
        *("sex = f", "sex ≠ f", "age ≤ 18", "age ≤ 40"),
        *("year of born = 1979", "year of born = 1990", "year of born is missing"),
    )
    del plan["smokes"]
    assert "smokes" not in plan
    assert repr(plan) == "<Plan 3 columns>"
    assert repr(plan.drop("age")) == "<Plan 2 columns, 1 dropped>"
    assert (plan == PEOPLE) is False
    plan["name"] = "nominal"
    assert plan.objects is None
    plan.name_objects_by("name")
    assert "name" not in plan


def test_a_plan_and_its_report_are_printed() -> None:
    plan = infer(PEOPLE, scales={"age": "quantiles:2"}, drop=["smokes"])
    assert str(plan).splitlines() == [
        "column  scale        missing   because",
        "name    objects      error",
        "sex     nominal      no cross  2 different words",
        "age     quantiles:2  no cross",
        "smokes  drop                   by request",
        "born    nominal      no cross  3 different dates",
    ]
    scaled = plan.scale(PEOPLE)
    assert str(scaled).splitlines() == [
        "column  attributes  missing",
        "sex              2        1  nominal: sex = f, sex = m",
        "age              2        0  quantiles:2: age < 30, age ≥ 30",
        "smokes           0        0  drop",
        "born             3        1  nominal: "
        "born = 1979-05-05, born = 1990-01-01, born = 1990-03-02",
    ]
    assert [report.missing for report in scaled.columns] == [1, 0, 0, 1]
    assert str(Plan().scale({})) == "no columns"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.apply({"age": [1]}), "unknown column 'agee' in the table; did you mean"),
        (lambda p: p["ages"], "unknown column 'ages' in the plan; did you mean 'agee'?"),
        (lambda p: p.drop("x"), "unknown column 'x' in the plan"),
        (lambda p: p.__delitem__("ages"), "unknown column 'ages' in the plan"),
        (lambda p: p.apply({"agee": [1], "sex": ["m"]}), "column 'sex' is not in the plan"),
        (lambda p: p.__setitem__("x", 5), "column 'x': 5 is no scale"),
        (lambda p: p.__setitem__("x", "nominl"), "unknown scale 'nominl' in column 'x'; did you"),
        (lambda p: p.__setitem__("x", "nominal:a:b"), "column 'x': can't read 'b' of"),
        (lambda p: p.__setitem__("x", "quantiles"), "column 'x': scale quantiles needs count"),
        (lambda p: p.__setitem__("x", "quantiles:1"), "column 'x': scale quantiles needs a count"),
        (lambda p: p.__setitem__("x", "nominal:missing=maybe"), "missing values 'maybe'"),
        (lambda p: p.name_objects_by("nam").apply({"agee": [1]}), "unknown column 'nam'"),
        (lambda p: infer({"a": [1]}, drop=["b"]), "unknown column 'b' in the table"),
        (lambda p: infer({"a": [1]}, scales={"aa": "nominal"}), "did you mean 'a'?"),
        (lambda p: infer({"a": [1]}, objects="n"), "unknown column 'n'"),
        (lambda p: infer({"a": [1]}, drop=["a"], objects="a"), "can't be dropped and used"),
        (lambda p: p.apply(7), "a 'int' is not a table"),
        (lambda p: p.apply({"agee": [1, b"x"]}), "column 'agee' mixes values of different kinds"),
        (lambda p: p.apply({"agee": [1], "b": [1, 2]}), "different lengths: 'agee' 1, 'b' 2"),
        (lambda p: p.apply({"agee": 3}), "column 'agee' is 3, expected a list"),
        (lambda p: p.apply({3: [1]}), "column 3 is not named by a string"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_named(change: Any, message: str) -> None:
    with pytest.raises(ConceptRankError) as caught:
        change(Plan({"agee": "nominal"}))
    assert message in str(caught.value)


def test_names_of_objects() -> None:
    plan = Plan({"age": "nominal"}, objects="name")
    with pytest.raises(FormatError, match="column 'name': 'Ann' names two objects"):
        plan.apply({"age": [1, 2], "name": ["Ann", "Ann"]})
    with pytest.raises(FormatError, match="column 'name': row 2 has no name"):
        plan.apply({"age": [1, 2], "name": ["Ann", None]})
    assert plan.apply({"age": [1, 2], "name": [7, 8]}).objects == ("7", "8")


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(PEOPLE),
        pl.LazyFrame(PEOPLE),
        pd.DataFrame(PEOPLE),
        pd.DataFrame(PEOPLE).assign(age=lambda f: f["age"].astype("Int64")),
        pd.DataFrame(PEOPLE).assign(born=lambda f: pd.to_datetime(f["born"])),
        pd.DataFrame(PEOPLE).assign(sex=lambda f: f["sex"].astype("category")),
        pd.DataFrame(PEOPLE).assign(sex=lambda f: f["sex"].astype("string")),
    ],
)
def test_frames_of_every_kind(frame: object) -> None:
    plan = Plan(
        {"sex": "nominal", "age": "ordinal", "smokes": "boolean", "born": "ordinal"},
        objects="name",
    )
    assert plan.apply(frame) == plan.apply(PEOPLE)


def test_ordered_categories_of_pandas() -> None:
    sizes = pd.Categorical(["big", "small"], categories=["small", "big"], ordered=True)
    context = Plan({"size": "ordinal"}).apply(pd.DataFrame({"size": sizes}))
    assert context.to_pairs() == [("1", "size ≤ big"), ("2", "size ≤ small"), ("2", "size ≤ big")]


def test_pandas_frames_that_are_none() -> None:
    with pytest.raises(FormatError, match="one column, expected a frame"):
        Plan().apply(pd.Series([1]))
    with pytest.raises(FormatError, match="two columns are named 'a'"):
        Plan().apply(pd.DataFrame([[1, 2]], columns=["a", "a"]))


FULL = Plan(
    {
        "age": "intervals:18,30.5:closed=right:missing=value",
        'od"d \\ näme\n': "nominal:a,b",
        "born": "year:ordinal:1980,2000",
        "date": "intervals:2020-01-01:date_format=%d.%m.%Y",
        "id": "drop",
        "noise": scaling.Biordinal(levels=(1, 2), center=2),
    },
    objects="name",
    missing="error",
    table={"separator": "\t", "header": False, "missing_words": ["?", "NA"]},
)


def test_a_plan_in_a_file(tmp_path: Path) -> None:
    FULL.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == FULL
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert '[columns.age]\nscale = "intervals"\nedges = [18, 30.5]\nclosed = "right"' in text
    assert 'objects = "name"' in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = \ny = 1", "plan.toml, line 1: no TOML: Invalid value"),
        ("a = 1\na = 2", "no TOML"),
        ("colums = 1", "unknown key 'colums' in the plan; did you mean 'columns'?"),
        ("version = 2", "version 2"),
        ("columns = 1", "columns is 1"),
        ("objects = 1", "objects is 1"),
        ('missing = "no"', "missing values 'no'"),
        ("[columns]\nage = 1", "column 'age' needs a scale"),
        ("[columns.age]\ncount = 3", "column 'age' needs a scale"),
        ('[columns.age]\nscale = "ordnal"', "'ordnal' in column 'age'; did you mean 'ordinal'"),
        ('[columns.age]\nscale = "ordinal"\nlevls = [1]', "unknown parameter 'levls'"),
        ('[columns.age]\nscale = "quantiles"', "column 'age': scale quantiles needs count"),
        (
            '[columns.age]\nscale = "quantiles"\ncount = "x"',
            "column 'age': count is 'x', expected a number",
        ),
        ('[columns.age]\nscale = "nominal"\nmissing = 3', "column 'age': missing is 3"),
        ('[columns.age]\nscale = "nominal"\npart = "yaer"', "column 'age': unknown part of a date"),
        ('[columns.age]\nscale = "intervals"\nedges = 3', "column 'age': "),
        ('[columns.age]\nscale = "nominal"\nvalues = "abc"', "column 'age': "),
    ],
)
def test_files_that_hold_no_plan(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        Plan.load(path)
    assert message in str(caught.value)
    assert "plan.toml" in str(caught.value)


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Plan.load(tmp_path / "plan.toml")
    (tmp_path / "plan.toml").write_bytes(b"\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        Plan.load(tmp_path / "plan.toml")
    with pytest.raises(FormatError, match="half a character"):
        plan_file.dumps(Plan({"\ud800": "nominal"}))


@pytest.mark.parametrize(
    ("option", "column", "text"),
    [
        ("age=quantiles:4", "age", "quantiles:4"),
        ("age=equal-width:5", "age", "equal_width:5"),
        ("sex=nominal", "sex", "nominal"),
        ("sex=boolean:f", "sex", "boolean:f"),
        ("id=drop", "id", "drop"),
        ("age=ordinal:quantiles=4", "age", "ordinal:quantiles=4"),
        ("age=ordinal:18, 30", "age", "ordinal:18,30"),
        ("age=inverse-ordinal:18", "age", "inverse_ordinal:18"),
        ("born=year", "born", "year:nominal"),
        ("born=year:intervals:1980,2000", "born", "year:intervals:1980,2000"),
        (
            "t=intervals:1,2:closed=right:bounded=true",
            "t",
            "intervals:1,2:closed=right:bounded=true",
        ),
    ],
)
def test_short_options(option: str, column: str, text: str) -> None:
    found, choice = parse_option(option)
    assert (found, str(choice)) == (column, text)
    assert parse_option(f"{column}={text}")[1] == choice


def test_short_options_for_columns_with_odd_names() -> None:
    found, choice = parse_option("a=b=nominal", ["a", "a=b"])
    assert (found, str(choice)) == ("a=b", "nominal")
    for wrong in ("age", "=nominal", "age="):
        with pytest.raises(FormatError, match="is not of the form COLUMN=SCALE"):
            parse_option(wrong)


def test_from_the_words_of_a_command_line(tmp_path: Path) -> None:
    table = scaling.open_source(CSV, scale=["age=ordinal:18,40"], header=True)
    assert table.context.attributes == ("age ≤ 18", "age ≤ 40", "sex = f", "sex = m")
    assert table.inferred == ("name", "sex")
    assert table.plan.objects == "name"
    assert table.plan.table["separator"] == ","
    path = tmp_path / "plan.toml"
    table.plan.save(path)
    again = scaling.open_source(CSV, scale=[str(path)])
    assert again.context == table.context
    assert again.inferred == ()
    changed = scaling.open_source(CSV, scale=[str(path), "sex=boolean:f"], drop=["age"])
    assert changed.context.attributes == ("sex = f",)
    numbered = scaling.open_source(CSV, scale=[str(path)], objects="age", drop=["name"])
    assert numbered.context.objects == ("30", "41", "17")
    assert cr.load(CSV, scale=path) == cr.load(CSV, scale=table.plan) == table.context
    assert cr.load(CSV, scale={"age": "ordinal:18,40"}, header=True) == table.context


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": ["agee=nominal"]}, "unknown column 'agee' in the table; did you mean 'age'"),
        ({"scale": ["age=nominal", "age=ordinal"]}, "column 'age' is scaled twice"),
        ({"scale": ["age"]}, "no such file: age"),
        ({"scale": ["a.toml", "b.toml"]}, "2 plans are given: a.toml, b.toml"),
        ({"drop": ["ag"]}, "unknown column 'ag' in the table; did you mean 'age'?"),
        ({"scale": ["sex=quantiles:2"]}, "column 'sex': holds text"),
    ],
)
def test_wrong_words_of_a_command_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConceptRankError) as caught:
        scaling.open_source(CSV, header=True, **options)
    assert message in str(caught.value)


def test_messages_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CSV)
    with pytest.raises(FormatError, match=r"people\.csv: column 'sex': holds text"):
        cr.load(path, scale={"sex": "quantiles:2"})


def test_unknown_scales_have_suggestions() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ordinal'"):
        scaling.parse_choice("ordnal")


def test_the_package_offers_it() -> None:
    assert cr.scaling.infer is infer
