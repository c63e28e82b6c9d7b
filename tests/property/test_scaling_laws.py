"""Every scale against its definition, written out value by value."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import conceptrank as cr
from conceptrank.scaling import Plan, infer, plan_file

Rows = dict[str, set[int]]

WHOLE = st.integers(-20, 20)
QUARTERS = st.integers(-40, 40).map(lambda k: k / 4)
DATES = st.dates(dt.date(2019, 12, 1), dt.date(2020, 3, 1))
WORDS = st.sampled_from(["tiny", "small", "large", "NA", "a = b", "very large, indeed"])


def columns(values: st.SearchStrategy[Any], *, least: int = 1) -> st.SearchStrategy[list[Any]]:
    known = st.lists(values, min_size=least, max_size=12)
    return known.flatmap(
        lambda some: st.lists(st.integers(0, len(some)), max_size=4).map(
            lambda places: _with_gaps(some, places)
        )
    )


def _with_gaps(values: list[Any], places: list[int]) -> list[Any]:
    gapped = list(values)
    for place in places:
        gapped.insert(place, None)
    return gapped


def scaled(values: list[Any], scale: str | cr.scaling.Scale, missing: str = "no_cross") -> Rows:
    context = Plan({"x": scale}, missing=missing).apply({"x": values})
    assert context.objects == tuple(str(i + 1) for i in range(len(values)))
    return {name: {int(g) - 1 for g in context.extension(name)} for name in context.attributes}


def having(values: list[Any], test: Callable[[Any], bool]) -> set[int]:
    return {row for row, value in enumerate(values) if value is not None and test(value)}


def text(value: Any) -> str:
    return '""' if value == "" else f"{value:g}" if isinstance(value, float) else str(value)


def different(values: list[Any]) -> list[Any]:
    return sorted({value for value in values if value is not None})


ANY = st.one_of(columns(WHOLE), columns(QUARTERS), columns(DATES), columns(WORDS))
ORDERED = st.one_of(columns(WHOLE), columns(QUARTERS), columns(DATES))


@given(ANY)
def test_nominal(values: list[Any]) -> None:
    expected = {f"x = {text(v)}": having(values, v.__eq__) for v in different(values)}
    found = scaled(values, "nominal")
    assert found == expected
    assert list(found) == list(expected)


@given(ANY)
def test_contranominal(values: list[Any]) -> None:
    expected = {f"x ≠ {text(v)}": having(values, v.__ne__) for v in different(values)}
    assert scaled(values, "contranominal") == expected


@given(ANY)
def test_dichotomic_by_a_value(values: list[Any]) -> None:
    value = different(values)[0]
    scale = cr.scaling.Dichotomic(value=value)
    assert scaled(values, scale) == {
        f"x = {text(value)}": having(values, value.__eq__),
        f"x ≠ {text(value)}": having(values, value.__ne__),
    }


@given(columns(st.booleans()))
def test_truth_values_are_taken_as_they_are(values: list[Any]) -> None:
    assert scaled(values, "boolean") == {"x": having(values, bool)}
    words = [None if value is None else "yes" if value else "No" for value in values]
    assert scaled(words, "boolean") == {"x": having(values, bool)}


def at_most(values: list[Any], levels: list[Any]) -> Rows:
    return {f"x ≤ {text(v)}": having(values, lambda x, v=v: x <= v) for v in levels}  # type: ignore[misc]


def at_least(values: list[Any], levels: list[Any]) -> Rows:
    return {f"x ≥ {text(v)}": having(values, lambda x, v=v: x >= v) for v in levels}  # type: ignore[misc]


@given(ORDERED)
def test_ordinal_and_its_kin(values: list[Any]) -> None:
    levels = different(values)
    assert scaled(values, "ordinal") == at_most(values, levels)
    assert scaled(values, "inverse_ordinal") == at_least(values, levels)
    assert scaled(values, "interordinal") == at_most(values, levels) | at_least(values, levels)
    low = (len(levels) + 1) // 2
    expected = at_most(values, levels[:low]) | at_least(values, levels[low:])
    assert scaled(values, "biordinal") == expected


@given(columns(QUARTERS), st.sets(QUARTERS, min_size=1, max_size=5), QUARTERS)
def test_given_levels(values: list[Any], levels: set[float], center: float) -> None:
    given_levels = sorted(levels)
    for scale, expected in (
        (cr.scaling.Ordinal, at_most(values, given_levels)),
        (cr.scaling.InverseOrdinal, at_least(values, given_levels)),
        (
            cr.scaling.Interordinal,
            at_most(values, given_levels) | at_least(values, given_levels),
        ),
    ):
        assert scaled(values, scale(levels=tuple(given_levels))) == expected
    low = [level for level in given_levels if level < center]
    high = [level for level in given_levels if level >= center]
    biordinal = cr.scaling.Biordinal(levels=tuple(given_levels), center=center)
    assert scaled(values, biordinal) == at_most(values, low) | at_least(values, high)


@given(columns(st.sampled_from(["low", "middle", "high"])))
def test_levels_of_words(values: list[Any]) -> None:
    order = {"low": 0, "middle": 1, "high": 2}
    ranks = [None if value is None else order[value] for value in values]
    for scale in ("ordinal", "inverse_ordinal", "interordinal", "biordinal"):
        words = scaled(values, f"{scale}:low,middle,high")
        numbers = scaled(ranks, f"{scale}:0,1,2")
        assert list(words.values()) == list(numbers.values())
        for level, rank in order.items():
            assert (f"x ≤ {level}" in words) == (f"x ≤ {rank}" in numbers)


@given(ORDERED, st.integers(2, 6))
def test_levels_at_quantiles(values: list[Any], count: int) -> None:
    known = sorted(value for value in values if value is not None)
    levels = {
        next(v for v in known if sum(x <= v for x in known) * count >= part * len(known))
        for part in range(1, count)
    }
    found = scaled(values, cr.scaling.Ordinal(quantiles=count))
    assert found == at_most(values, sorted(levels))


@given(columns(QUARTERS), st.sets(QUARTERS, min_size=1, max_size=5))
def test_intervals_with_given_edges(values: list[Any], edges: set[float]) -> None:
    cuts = [float("-inf"), *sorted(edges), float("inf")]
    for closed in ("left", "right"):
        scale = cr.scaling.Intervals(edges=tuple(sorted(edges)), closed=closed)
        expected = [
            having(
                values,
                (lambda x, a=a, b=b: a <= x < b)  # type: ignore[misc]
                if closed == "left"
                else (lambda x, a=a, b=b: a < x <= b),  # type: ignore[misc]
            )
            for a, b in pairwise(cuts)
        ]
        found = scaled(values, scale)
        assert list(found.values()) == expected
        names_are_true(found, values)


@given(columns(QUARTERS), st.sets(QUARTERS, max_size=4), st.sampled_from(["left", "right"]))
def test_bounded_intervals(values: list[Any], inner: set[float], closed: str) -> None:
    edges = (-20.0, *sorted(inner - {-20.0, 20.0}), 20.0)
    found = scaled(values, cr.scaling.Intervals(edges=edges, closed=closed, bounded=True))
    assert len(found) == len(edges) - 1
    assert sum(map(len, found.values())) == len([v for v in values if v is not None])
    names_are_true(found, values)


def names_are_true(found: Rows, values: list[Any]) -> None:
    """Every name, read as a formula, holds for just the rows that have the attribute."""
    for name, rows in found.items():
        formula = name.replace("≤", "<=").replace("≥", ">=")
        if formula.endswith("is known"):
            formula = "True"
        assert rows == having(values, lambda x, f=formula: eval(f, {"x": x}))  # type: ignore[misc]


@given(st.one_of(columns(WHOLE), columns(QUARTERS)), st.integers(2, 6))
def test_quantiles(values: list[Any], count: int) -> None:
    known = sorted(value for value in values if value is not None)
    starts = sorted(set(known))[1:]
    cuts = set()
    for part in range(1, count):
        wanted = Fraction(part * len(known), count)
        cuts |= {
            min(starts, key=lambda v, w=wanted: abs(sum(x < v for x in known) - w))  # type: ignore[misc]
        } if starts else set()  # fmt: skip
    edges = [float("-inf"), *sorted(cuts), float("inf")]
    expected = [
        having(values, lambda x, a=a, b=b: a <= x < b)  # type: ignore[misc]
        for a, b in pairwise(edges)
    ]
    found = scaled(values, f"quantiles:{count}")
    assert list(found.values()) == expected
    assert all(rows for rows in found.values())
    names_are_true(found, values)


@given(st.one_of(columns(WHOLE), columns(QUARTERS)), st.integers(2, 6))
def test_equal_width(values: list[Any], count: int) -> None:
    low, high = different(values)[0], different(values)[-1]
    width = Fraction(high) - Fraction(low)
    expected: dict[int, set[int]] = {}
    for row, value in enumerate(values):
        if value is not None:
            place = int((Fraction(value) - Fraction(low)) * count / width) if width else 0
            expected.setdefault(min(place, count - 1), set()).add(row)
    found = scaled(values, f"equal_width:{count}")
    assert [rows for rows in found.values() if rows] == [expected[i] for i in sorted(expected)]
    assert len(found) <= count
    names_are_true(found, values)


@given(columns(DATES), st.integers(2, 5))
def test_intervals_of_dates(values: list[Any], count: int) -> None:
    days = [None if value is None else value.toordinal() for value in values]
    for scale in ("quantiles", "equal_width"):
        found, expected = (scaled(column, f"{scale}:{count}") for column in (values, days))
        assert [r for r in found.values() if r] == [r for r in expected.values() if r]
    moments = [None if v is None else dt.datetime(v.year, v.month, v.day, 12, 30) for v in values]
    found = scaled(moments, f"quantiles:{count}")
    assert list(found.values()) == list(scaled(days, f"quantiles:{count}").values())


SCALES = ("nominal", "contranominal", "ordinal", "interordinal", "biordinal", "quantiles:3")


@given(columns(WHOLE), st.sampled_from(SCALES))
def test_missing_values(values: list[Any], scale: str) -> None:
    plain = scaled(values, scale)
    absent = {row for row, value in enumerate(values) if value is None}
    assert all(absent.isdisjoint(rows) for rows in plain.values())
    if not absent:
        assert scaled(values, scale, "value") == plain == scaled(values, scale, "error")
        return
    with_value = scaled(values, scale, "value")
    if scale == "contranominal":
        rest = {name: rows | absent for name, rows in plain.items()}
        others = set(range(len(values))) - absent
        assert with_value == rest | {"x is not missing": others}
    else:
        assert with_value == plain | {"x is missing": absent}
    with pytest.raises(cr.errors.FormatError, match=f"column 'x': row {min(absent) + 1} has no"):
        scaled(values, scale, "error")


@given(ORDERED)
def test_attributes_of_an_ordinal_column_imply_each_other(values: list[Any]) -> None:
    context = Plan({"x": "ordinal"}).apply({"x": values})
    for lower, upper in pairwise(context.attributes):
        assert upper in context.closure(lower)
    # Only one of a chain of equal or full attributes counts.
    assert len(context.lattice()) == len(
        context.drop(attributes=context.reducible_attributes()).lattice()
    )


TABLES = st.fixed_dictionaries(
    {
        "number": st.lists(st.none() | QUARTERS, min_size=6, max_size=6),
        "day of birth": st.lists(st.none() | DATES, min_size=6, max_size=6),
        'the "word", x': st.lists(st.none() | WORDS, min_size=6, max_size=6),
        "truth": st.lists(st.none() | st.booleans(), min_size=6, max_size=6),
    }
)


@given(TABLES, st.sampled_from(["no_cross", "value"]))
def test_plans_survive_their_file_and_their_data(table: dict[str, list[Any]], missing: str) -> None:
    plan = infer(table, missing=missing)
    again = plan_file.loads(plan_file.dumps(plan))
    assert again == plan
    assert str(again) == str(plan)
    context = plan.apply(table)
    fitted = plan.fitted(table)
    assert fitted.apply(table) == context
    assert plan_file.loads(plan_file.dumps(fitted)) == fitted
    assert context.shape[0] == 6
    assert sum(len(report.attributes) for report in plan.scale(table).columns) == context.shape[1]


@given(TABLES)
def test_order_of_rows_changes_nothing(table: dict[str, list[Any]]) -> None:
    plan = infer(table, objects=None)
    backwards = {name: values[::-1] for name, values in table.items()}
    one, two = plan.apply(table), plan.apply(backwards)
    assert one.attributes == two.attributes
    if plan.objects is None:
        assert one.to_numpy().tolist() == two.to_numpy()[::-1].tolist()
