"""Multi-valued cells: lists and delimited text become one attribute per element."""

from __future__ import annotations

import random

import polars as pl
import pytest

import conceptrank as cr
from conceptrank import scaling
from conceptrank.errors import FormatError

SURVEY = {
    "age": [30, 41, 17, 25, 60, 33],
    "sex": ["f", "m", "m", "f", "f", "m"],
    "drinks": ["tea;milk", "milk", None, "tea; milk;juice", "", "juice;tea"],
}


def test_infer_recognises_delimited_text_and_names_it_in_the_plan():
    plan = scaling.infer(SURVEY)
    assert str(plan["drinks"]) == "set:separator=;"
    assert "3 elements, separated by ';'" in str(plan)
    context = cr.load(SURVEY, scale="auto")
    assert [a for a in context.attributes if a.startswith("drinks")] == [
        "drinks: juice",
        "drinks: milk",
        "drinks: tea",
    ]
    assert context.extension(["drinks: tea", "drinks: milk"]) == ("1", "4")


def test_lists_are_sets_beside_other_columns():
    lists = [["a;b", "c"], [], None, ["c"], ["c", "c"], ["d"]]
    table = {"sex": SURVEY["sex"], "age": SURVEY["age"], "tags": lists}
    context = cr.load(table, scale="auto")
    assert context.extension(["tags: c"]) == ("1", "4", "5")
    assert context.extension(["tags: a;b"]) == ("1",)
    assert "lists of 3 elements" in str(scaling.infer(table))


def test_every_element_is_a_literal_membership():
    for seed in range(30):
        rng = random.Random(seed)
        cells = [rng.sample("abcdef", rng.randint(0, 4)) for _ in range(20)]
        for column in (cells, [",".join(cell) or None for cell in cells]):
            frame = pl.DataFrame({"x": column, "y": ["u", "v"] * 10})
            context = cr.load(frame, scale={"x": "set:separator=,", "y": "drop"})
            if column is cells:
                context = cr.load(frame, scale={"x": "set", "y": "drop"})
            for element in {e for cell in cells for e in cell}:
                rows = [str(n) for n, cell in enumerate(cells, 1) if element in cell]
                assert list(context.extension([f"x: {element}"])) == rows


def test_elements_of_a_set_are_no_group():
    context = cr.load(SURVEY, scale={"age": "drop"})
    names = context.attributes
    groups = [tuple(names[m] for m in group) for group in context.groups]
    assert groups == [
        ("sex = f", "sex = m"),
        ("drinks: juice",),
        ("drinks: milk",),
        ("drinks: tea",),
    ]


def test_a_plan_keeps_the_elements(tmp_path):
    plan = scaling.infer(SURVEY)
    plan.save(tmp_path / "plan.toml")
    assert scaling.Plan.load(tmp_path / "plan.toml") == plan
    fixed = {"drinks": scaling.Sets(values=("tea", "milk"), separator=";")}
    with pytest.raises(FormatError, match="'juice' is not among the values of its scale"):
        cr.load(SURVEY, scale=fixed)
    few = {**SURVEY, "drinks": ["tea", "milk;tea", None, "", "milk", "tea"]}
    assert cr.load(few, scale={**fixed, "age": "drop", "sex": "drop"}).attributes == (
        "drinks: tea",
        "drinks: milk",
    )


def test_missing_sets():
    how = {"age": "drop", "sex": "drop", "drinks": "set:missing=value"}
    context = cr.load(SURVEY, scale=how)
    assert context.extension(["drinks is missing"]) == ("3", "5")


def test_what_is_no_set():
    with pytest.raises(FormatError, match="a set scale needs text or lists"):
        cr.load({"x": [1, 2]}, scale={"x": "set"})
    with pytest.raises(FormatError, match="lists can't be scaled as nominal"):
        cr.load({"x": [["a"], ["b"]]}, scale={"x": "nominal"})
    names = {"name": ["Doe, Ann", "Roe, Bob", "Poe, Cid"] * 4, "sex": ["f", "m", "m"] * 4}
    assert scaling.infer(names)["name"].scale == scaling.Nominal()
