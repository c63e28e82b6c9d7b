"""Scales on small columns: names, kinds of values, and what they refuse."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.convert.origin import label
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.scaling import Plan
from conceptrank.scaling.rounding import round_date, round_number


def names(values: object, scale: object, **options: Any) -> tuple[str, ...]:
    return Plan({"x": scale}, **options).apply({"x": values}).attributes  # type: ignore[dict-item]


def table(values: object, scale: object, **options: Any) -> list[str]:
    """The crosses as rows of X and dots."""
    context = Plan({"x": scale}, **options).apply({"x": values})  # type: ignore[dict-item]
    return ["".join("X" if mark else "." for mark in row) for row in context.to_numpy()]


@pytest.mark.parametrize(
    ("values", "scale", "expected"),
    [
        (["b", "a"], "nominal", ("x = a", "x = b")),
        ([2.5, 10, 3], "nominal", ("x = 2.5", "x = 3", "x = 10")),
        ([True, False], "nominal", ("x = false", "x = true")),
        (["b", "a"], "contranominal", ("x ≠ a", "x ≠ b")),
        (["no", "yes"], "dichotomic", ("x = no", "x = yes")),
        (["a", "b", "c"], "dichotomic:b", ("x = b", "x ≠ b")),
        ([0, 1], "boolean", ("x",)),
        (["a", "b"], "boolean:b", ("x = b",)),
        ([30, 18, 65], "ordinal", ("x ≤ 18", "x ≤ 30", "x ≤ 65")),
        ([30, 18, 65], "inverse_ordinal", ("x ≥ 18", "x ≥ 30", "x ≥ 65")),
        ([30, 18], "interordinal", ("x ≤ 18", "x ≤ 30", "x ≥ 18", "x ≥ 30")),
        ([1, 2, 3, 4], "biordinal", ("x ≤ 1", "x ≤ 2", "x ≥ 3", "x ≥ 4")),
        ([1, 2, 3, 4], "biordinal:1,2,3,4:center=2", ("x ≤ 1", "x ≥ 2", "x ≥ 3", "x ≥ 4")),
        ([36, 41], "intervals:37.5,40", ("x < 37.5", "37.5 ≤ x < 40", "x ≥ 40")),
        (
            [36, 41],
            "intervals:37.5,40:closed=right",
            ("x ≤ 37.5", "37.5 < x ≤ 40", "x > 40"),
        ),
        (
            [36, 41],
            "intervals:35,37.5,40,42:bounded=true",
            ("35 ≤ x < 37.5", "37.5 ≤ x < 40", "40 ≤ x ≤ 42"),
        ),
        (
            [36, 41],
            "intervals:35,37.5,42:bounded=true:closed=right",
            ("35 ≤ x ≤ 37.5", "37.5 < x ≤ 42"),
        ),
        ([0, 33, 67, 100], "equal_width:4", ("x < 25", "25 ≤ x < 50", "50 ≤ x < 75", "x ≥ 75")),
        ([1, 2, 3, 4], "quantiles:2", ("x < 3", "x ≥ 3")),
        ([5, 5, 5], "quantiles:2", ("x is known",)),
        ([dt.date(2020, 5, 1)], "ordinal", ("x ≤ 2020-05-01",)),
        ([dt.datetime(2020, 5, 1, 8)], "ordinal", ("x ≤ 2020-05-01 08:00",)),
        ([dt.time(8, 30)], "nominal", ("x = 08:30",)),
        ([dt.date(2020, 5, 1)], "year", ("year of x = 2020",)),
        ([dt.date(2020, 5, 1)], "month", ("month of x = May",)),
        ([dt.date(2020, 5, 1)], "weekday:nominal", ("weekday of x = Friday",)),
        ([dt.date(2020, 5, 1)], "quarter", ("quarter of x = 2",)),
        ([dt.datetime(2020, 5, 1, 17, 3)], "hour", ("hour of x = 17",)),
        (["01.05.2020"], "ordinal:date_format=%d.%m.%Y", ("x ≤ 2020-05-01",)),
        (["1.5.2020 8:30"], "hour:date_format=%d.%m.%Y %H:%M", ("hour of x = 8",)),
        (["", "a", "N/A", " "], "nominal", ("x = a",)),
        ([], "nominal", ()),
    ],
)  # fmt: skip
def test_names(values: list[Any], scale: str, expected: tuple[str, ...]) -> None:
    assert names(values, scale) == expected


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("nominal", ["X..", ".X.", "..X"]),
        ("contranominal", [".XX", "X.X", "XX."]),
        ("dichotomic:2", [".X", "X.", ".X"]),
        ("ordinal", ["XXX", ".XX", "..X"]),
        ("inverse_ordinal", ["X..", "XX.", "XXX"]),
        ("interordinal", ["XXXX..", ".XXXX.", "..XXXX"]),
        ("biordinal", ["XX.", ".X.", "..X"]),
        ("intervals:2", ["X.", ".X", ".X"]),
        ("intervals:2:closed=right", ["X.", "X.", ".X"]),
        ("equal_width:2", ["X.", ".X", ".X"]),
        ("quantiles:3", ["X..", ".X.", "..X"]),
        ("boolean:2", [".", "X", "."]),
    ],
)
def test_tables(scale: str, expected: list[str]) -> None:
    assert table([1, 2, 3], scale) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pl.Series([0.1, 0.25], dtype=pl.Float32), ("x = 0.1", "x = 0.25")),
        (pl.Series([1, 200], dtype=pl.UInt8), ("x = 1", "x = 200")),
        (pl.Series([2**64 - 1], dtype=pl.UInt64), ("x = 1.8446744073709552e+19",)),
        (pl.Series([Decimal("1.50"), Decimal("2")]), ("x = 1.5", "x = 2")),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ("x = a", "x = b")),
        (pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])), ("x = b", "x = a")),
        (pl.Series([float("nan"), 1.0]), ("x = 1",)),
        (pl.Series([None, None]), ()),
        (pl.Series([None, None], dtype=pl.Float64), ()),
        (np.array([2, 1]), ("x = 1", "x = 2")),
        (np.array(["b", "a"]), ("x = a", "x = b")),
    ],
)
def test_kinds_of_columns(values: object, expected: tuple[str, ...]) -> None:
    assert names(values, "nominal") == expected


def test_an_enumeration_has_an_order() -> None:
    size = pl.Series(["small", "large", "small"], dtype=pl.Enum(["small", "middle", "large"]))
    assert names(size, "ordinal") == ("x ≤ small", "x ≤ large")
    assert names(size, "ordinal:small,middle,large") == ("x ≤ small", "x ≤ middle", "x ≤ large")
    assert table(size, "inverse_ordinal") == ["X.", "XX", "X."]


def test_months_and_weekdays_have_an_order() -> None:
    days = [dt.date(2020, 5, 1), dt.date(2020, 4, 1), None]
    assert names(days, "month") == ("month of x = April", "month of x = May")
    assert names(days, "weekday:ordinal") == ("weekday of x ≤ Wednesday", "weekday of x ≤ Friday")


def test_time_zones() -> None:
    zoned = pl.Series([dt.datetime(2020, 5, 1, 8)]).dt.replace_time_zone("Europe/Paris")
    assert names(zoned, "ordinal") == ("x ≤ 2020-05-01 08:00+02:00",)
    scale = cr.scaling.Intervals(edges=(dt.date(2020, 5, 1),))
    assert table(zoned, scale) == [".X"]


def test_numbers_that_come_as_text() -> None:
    assert names([1.5, 2.5], cr.scaling.Intervals(edges=("2.0",))) == ("x < 2", "x ≥ 2")
    assert names(["007", "1"], "nominal:007,1") == ("x = 007", "x = 1")
    assert names([dt.date(2020, 1, 1)], "ordinal:2020-01-31") == ("x ≤ 2020-01-31",)


def test_cuts_are_round() -> None:
    ages = [18, 21, 23, 28, 37, 41, 44, 59]
    assert names(ages, "quantiles:2") == ("x < 30", "x ≥ 30")
    assert names([v / 7 for v in ages], "quantiles:2") == ("x < 5", "x ≥ 5")
    days = [dt.date(2019, 5, 3), dt.date(2019, 8, 9), dt.date(2020, 2, 2), dt.date(2020, 3, 1)]
    assert names(days, "quantiles:2") == ("x < 2020-01-01", "x ≥ 2020-01-01")
    assert round_number(-45, -37) == -40
    assert round_number(1e300, 1.25e300) == 1.2e300
    assert round_number(0.3, float("inf")) == float("inf")
    moment = dt.datetime(2020, 5, 1, 8, 30, 15, 500)
    assert round_date(moment - dt.timedelta(microseconds=600), moment) == moment.replace(
        microsecond=0
    )
    assert round_date(moment - dt.timedelta(microseconds=100), moment) == moment
    assert label(dt.datetime(2020, 5, 1, 8, 30, 15)) == "2020-05-01 08:30:15"


def test_unknown_limits_and_infinite_values() -> None:
    values = [float("-inf"), 1.0, 2.0, float("inf")]
    assert names(values, "intervals:1.5") == ("x < 1.5", "x ≥ 1.5")
    assert names(values, "quantiles:2") == ("x < 2", "x ≥ 2")
    with pytest.raises(FormatError, match="column 'x': infinite values have no width"):
        names(values, "equal_width:2")


def test_huge_whole_numbers_stay_apart() -> None:
    values = [2**62, 2**62 + 1, 2**62 + 2]
    assert table(values, "nominal") == ["X..", ".X.", "..X"]
    assert table(values, "ordinal") == ["XXX", ".XX", "..X"]
    assert table(values, "equal_width:3") == ["X..", ".X.", "..X"]


@pytest.mark.parametrize(
    ("values", "scale", "reason"),
    [
        (["a", "b"], "ordinal", "words have no order"),
        ([True], "ordinal", "truth values have no order"),
        (["a", "b"], "quantiles:2", "holds text, which has no intervals"),
        (["a", "b"], "intervals:2", "holds text, which has no intervals"),
        (["a", "b", "c"], "dichotomic", "has 3 different values"),
        (["a", "b"], "boolean", "'a' is neither true nor false"),
        ([2], "boolean", "'2' is neither true nor false"),
        (["a", "b"], "nominal:a", "row 2 holds 'b', which is not among"),
        ([1, 2], "nominal:1", "row 2 holds '2', which is not among"),
        ([1, 2], "nominal:1,1", "a value of its scale is given twice"),
        (["a", "b"], "ordinal:a", "row 2 holds 'b', which is not among"),
        (["a"], "ordinal:a,a", "a level is given twice"),
        ([1], "ordinal:3,2", "levels of its scale must ascend"),
        ([1], "intervals:3,2", "edges of its scale must ascend"),
        ([1], "ordinal:a,b", "level 'a' is no number"),
        ([1], "intervals:nan", "edge 'nan' is no number"),
        ([dt.date(2020, 1, 1)], "intervals:5", "edge '5' is no date"),
        ([1, 50], "intervals:0,10:bounded=true", "row 2 is outside 0 to 10"),
        ([1], "year", "have no year"),
        (["x"], "year", "have no year"),
        ([dt.date(2020, 1, 1)], "hour", "have no hour"),
        (["1.1.2020", "soon"], "year:date_format=%d.%m.%Y", "row 2 holds 'soon', which is no date"),
        ([1], "nominal:date_format=%Y", "holds no text to read dates from"),
        (["1"], "nominal:date_format=%H", "date format '%H'"),
        (["a", "b"], "biordinal:a,b:center=c", "the center 'c' is not among"),
        ([[1, 2]], "nominal", "can't be scaled"),
        ([{"a": 1}], "nominal", "can't be scaled"),
        (range(3000), "ordinal", "3,000 different values are too many"),
        (range(3000), "contranominal", "3,000 different values are too many"),
    ],
)
def test_refusals_name_the_column(values: list[Any], scale: str, reason: str) -> None:
    with pytest.raises(FormatError, match=f"column 'x': .*{reason}"):
        names(values, scale)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: cr.scaling.Quantiles(count=1), "needs a count of at least 2"),
        (lambda: cr.scaling.EqualWidth(count="4"), "needs a count of at least 2"),
        (lambda: cr.scaling.Ordinal(quantiles=1), "at least 2 quantiles"),
        (lambda: cr.scaling.Ordinal(levels=(1,), quantiles=3), "not both"),
        (lambda: cr.scaling.Intervals(edges=(1,), closed="up"), "expected 'left' or 'right'"),
        (lambda: cr.scaling.Intervals(edges=(1,), bounded=True), "at least two edges"),
    ],
)
def test_parameters_out_of_range(make: Any, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        make()


def test_missing_values_of_truth() -> None:
    values = [True, None, False]
    assert table(values, "boolean") == ["X", ".", "."]
    assert table(values, "boolean", missing="value") == ["X.", ".X", ".."]
    assert names(values, "boolean", missing="value") == ("x", "x is missing")
    assert names(values, "contranominal", missing="value")[-1] == "x is not missing"
    own = Plan({"x": "boolean:missing=error"}, missing="value")
    with pytest.raises(FormatError, match="column 'x': row 2 has no value"):
        own.apply({"x": values})
    with pytest.raises(UnknownNameError, match="missing values 'drop'"):
        Plan(missing="drop")


def test_nobody_is_at_both_ends() -> None:
    context = Plan({"noise": "biordinal:20,40,80,100"}).apply({"noise": [10, 30, 60, 90, 120]})
    assert context.extension(["noise ≤ 40", "noise ≥ 80"]) == ()
    assert context.intension(["3"]) == ()
    assert context.closure("noise ≥ 100") == ("noise ≥ 80", "noise ≥ 100")


def test_a_fitted_scale_treats_other_data_alike() -> None:
    train, test = {"x": [1, 2, 3, 4], "k": list("abab")}, {"x": [0, 99], "k": list("ba")}
    plan = Plan({"x": "quantiles:2", "k": "nominal"}).fitted(train)
    assert str(plan["x"]) == "intervals:3"
    assert plan.apply(test).to_pairs() == [
        ("1", "x < 3"),
        ("1", "k = b"),
        ("2", "x ≥ 3"),
        ("2", "k = a"),
    ]
    with pytest.raises(FormatError, match="column 'k': row 1 holds 'c'"):
        plan.apply({"x": [1], "k": ["c"]})


def test_names_that_would_collide() -> None:
    context = Plan({"a": "nominal", "a = b": "boolean"}).apply(
        {"a": ["b", "b = c"], "a = b": [True, False]}
    )
    assert context.attributes == ("a = b", "a = b = c", "a = b (2)")
    assert context.to_pairs()[:2] == [("1", "a = b"), ("1", "a = b (2)")]


def test_tables_without_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    from conceptrank.scaling import scaled

    monkeypatch.setattr(scaled, "_MOST_CROSSES", 5)
    assert table([1, 2], "ordinal") == ["XX", ".X"]
    with pytest.raises(FormatError, match="the scaled table would have 6 crosses"):
        table([1, 2, 3], "ordinal")


@pytest.mark.parametrize(
    "scale",
    [
        *("nominal", "nominal:a,b", "contranominal", "dichotomic", "dichotomic:a", "boolean"),
        *("boolean:a", "ordinal", "ordinal:9,18", "inverse_ordinal:9,18", "interordinal:9,18"),
        *("biordinal:9,18", "biordinal:9,18:center=10", "ordinal:quantiles=3", "intervals:9,18"),
        *("intervals:9,18:bounded=true", "quantiles:3", "equal_width:3"),
    ],
)
@pytest.mark.parametrize("dtype", [pl.Null, pl.Float64, pl.String, pl.Date, pl.Boolean])
def test_columns_without_any_value(scale: str, dtype: Any) -> None:
    column = pl.Series([None, None], dtype=dtype)
    assert set("".join(table(column, scale))) <= {"."}
    marks = table(column, scale, missing="value")
    assert len(set(marks)) == 1
    with pytest.raises(FormatError, match="column 'x': row 1 has no value"):
        table(column, scale, missing="error")


def test_dates_that_no_calendar_has_are_refused() -> None:
    for kind in (pl.Date, pl.Datetime("us")):
        physical = pl.Series("born", [0, 2**31 - 1 if kind == pl.Date else 2**62])
        with pytest.raises(FormatError, match="'born': row 2 holds a date beyond the years 1 to"):
            cr.scaling.infer(pl.DataFrame([physical.cast(kind)]))
