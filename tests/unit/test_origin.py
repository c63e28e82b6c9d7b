"""`Context.origin`: every attribute says of every row what the values of the row say."""

from __future__ import annotations

import datetime as dt
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.convert.origin import Condition

ROWS = 40


def table() -> dict[str, list[Any]]:
    rng = np.random.default_rng(7)
    ages = [None if n % 9 == 4 else int(age) for n, age in enumerate(rng.integers(10, 80, ROWS))]
    words = rng.choice(["red", "blue", "green"], ROWS).tolist()
    return {
        "name": [f"person {n}" for n in range(ROWS)],
        "age": ages,
        "height": rng.normal(1.7, 0.1, ROWS).round(2).tolist(),
        "colour": [None if n % 11 == 5 else word for n, word in enumerate(words)],
        "size": rng.choice(["small", "medium", "large"], ROWS).tolist(),
        "smokes": [bool(each) for each in rng.integers(0, 2, ROWS)],
        "born": [dt.date(1990 + n % 7, 1 + n % 12, 1 + n) if n < 28 else None for n in range(ROWS)],
        "drinks": [["tea", "milk", "juice"][: n % 4] for n in range(ROWS)],
    }


SCALES = {
    "age": ["quantiles:4", "equal_width:3:missing=value", "ordinal:18,40", "interordinal:30,50"],
    "height": ["intervals:1.6,1.8:closed=right", "intervals:0,1.7,3:bounded=true", "biordinal"],
    "colour": ["nominal:missing=value", "contranominal", "dichotomic:red"],
    "size": ["ordinal:small,medium,large", "inverse_ordinal:small,medium,large", "boolean:small"],
    "smokes": ["boolean", "nominal", "dichotomic"],
    "born": ["year:nominal", "quantiles:3", "weekday"],
    "drinks": ["set", "set", "set:missing=value"],
}
ORDER = {"size": ["small", "medium", "large"]}


def value_of(raw: Any, condition: Condition) -> Any:
    if raw is None or condition.part is None:
        return raw
    return raw.strftime("%A") if condition.part == "weekday" else getattr(raw, condition.part)


def holds(raw: Any, condition: Condition) -> bool:
    """Return whether a value meets a condition, literally."""
    value = value_of(raw, condition)
    if condition.kind in ("missing", "not missing"):
        return (value is None) == (condition.kind == "missing")
    if value is None:
        return False
    match condition.kind:
        case "equal":
            return bool(value == condition.value)
        case "unequal":
            return bool(value != condition.value)
        case "element":
            return condition.value in value
        case "true":
            return bool(value)
    order = ORDER.get(condition.column)
    place = order.index if order else lambda each: each
    low, high = condition.low, condition.high
    above = low is None or place(value) > place(low) or (condition.low_inside and value == low)
    below = high is None or place(value) < place(high) or (condition.high_inside and value == high)
    return bool(above and below)


def check(context: cr.Context) -> None:
    origin = context.origin
    assert origin is not None
    assert origin.frame is not None
    assert list(map(str, origin.conditions)) == list(context.attributes)
    assert origin.frame.height == len(context.objects)
    assert list(origin.types) == origin.frame.columns
    rows = origin.frame.to_dicts()
    expected = [[holds(row[each.column], each) for each in origin.conditions] for row in rows]
    assert context.with_weights(None).to_itemsets() == {
        name: {each for each, mark in zip(context.attributes, marks, strict=True) if mark}
        for name, marks in zip(context.objects, expected, strict=True)
    }


@pytest.mark.parametrize("choice", range(3))
def test_an_attribute_is_what_its_condition_says_of_the_raw_values(choice: int) -> None:
    scales = {column: each[choice] for column, each in SCALES.items()}
    context = cr.load(table(), scale=scales, objects="name")
    check(context)
    check(context.select(objects=context.objects[20:4:-1]))
    check(context.select(attributes=context.attributes[::-2]))
    check(context.drop(objects=["person 3"], attributes=context.attributes[3:7]))
    again = pickle.loads(pickle.dumps(context))
    check(again)
    assert again.groups == context.groups


def test_types_and_groups() -> None:
    context = cr.load(table(), scale={"size": "ordinal:small,medium,large"}, objects="name")
    assert context.origin is not None
    assert context.origin.types == {
        "age": "numeric",
        "height": "numeric",
        "colour": "nominal",
        "size": "ordered",
        "smokes": "nominal",
        "born": "numeric",
        "drinks": "nominal",
    }
    groups = [[context.attributes[m] for m in group] for group in context.groups]
    assert sorted(len(group) for group in groups if group[0].startswith("drinks")) == [1, 1, 1]
    assert context.same_column("colour = red") == (
        "colour = blue",
        "colour = green",
        "colour = red",
    )


def test_weighted_rows_are_repeated_with_their_values() -> None:
    frame = pl.DataFrame({"age": [20, 41, 60], "sex": ["f", "m", "f"], "count": [1, 3, 2]})
    context = cr.load(frame, weights="count", scale="age=ordinal:30")
    check(context)
    repeated = context.repeated()
    assert repeated.origin is not None
    assert repeated.origin.frame is not None
    assert repeated.origin.frame["age"].to_list() == [20, 41, 41, 41, 60, 60]
    assert list(map(str, repeated.origin.conditions)) == list(context.attributes)


def test_what_loses_the_rows_keeps_the_columns_or_nothing() -> None:
    context = cr.load({"age": [20, 25, 60], "sex": ["f", "f", "f"]}, scale="age=ordinal:30")
    merged = context.merged()
    assert merged.origin is not None
    assert merged.origin.frame is None
    assert merged.groups == context.groups
    for other in (context.clarify(), context.complement(), context.transpose(), context.reduce()):
        assert other.origin is None
    assert context.rename(objects={"1": "a"}).groups == context.groups


def test_crosses_have_no_origin_and_digests_ignore_it() -> None:
    context = cr.load({"age": [20, 41], "sex": ["f", "m"]}, scale="age=ordinal:30")
    crosses = cr.Context(context.objects, context.attributes, context.to_numpy())
    assert crosses.origin is None
    assert crosses.groups == ()
    assert crosses == context
    assert crosses.same_column("sex = f") == ("sex = f",)
