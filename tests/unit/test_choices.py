"""What is assumed about the columns of a table: headers, row numbers, names, weights, scales."""

from __future__ import annotations

import warnings
from typing import Any

import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import FormatError, InputWarning
from conceptrank.scaling import Plan


def loaded(table: str | dict[str, list[Any]]) -> cr.Context:
    with warnings.catch_warnings(action="ignore"):
        return cr.load(table.encode() if isinstance(table, str) else table)


def notes(table: str | dict[str, list[Any]]) -> list[str]:
    origin = loaded(table).origin
    assert origin is not None
    return [str(note) for note in origin.notes]


PEOPLE = {"sex": ["f", "m"] * 10, "age": [20 + 3 * n % 50 for n in range(20)]}
NUMBERS = list(range(1, 21))

NOTES: dict[str, tuple[str | dict[str, list[Any]], list[str]]] = {
    "row numbers": ({"rownames": NUMBERS, **PEOPLE}, ["row numbers dropped: rownames"]),
    "numbered without a title": ({"": NUMBERS, **PEOPLE}, ["row numbers dropped: column_0"]),
    "years are values": ({"year": [1990 + n for n in range(20)], **PEOPLE}, []),
    "ranks are values": ({"rank": NUMBERS, **PEOPLE}, []),
    "prices are values": ({"price": [f"${n}.50" for n in range(20)], **PEOPLE}, []),
    "words name rows": ({"who": [f"person {n}" for n in range(20)], **PEOPLE}, ["row names: who"]),
    "identifiers that repeat": (
        {"id": [n // 2 for n in range(20)], **PEOPLE},
        ["left out: id (an identifier)"],
    ),
    "one value": ({"study": [1] * 20, **PEOPLE}, ["left out: study (always 1)"]),
    "second names": (
        {
            "who": [f"person {n}" for n in range(30)],
            "note": [f"text {n}" for n in range(30)],
            "sex": ["f", "m", "m"] * 10,
        },
        ["row names: who", "left out: note (all different)"],
    ),
}


@pytest.mark.parametrize("name", NOTES)
def test_notes_say_what_became_of_the_columns(name: str) -> None:
    table, expected = NOTES[name]
    found = notes(table)
    assert [note for note in found if note.split(":")[0] not in ("quartiles", "values")] == expected
    assert "sex" in next(note for note in found if note.startswith("values: "))


def test_notes_are_a_warning_and_in_the_origin() -> None:
    with pytest.warns(InputWarning, match="quartiles: age"):
        context = cr.load(PEOPLE)
    assert context.origin is not None
    assert [(note.kind, note.columns) for note in context.origin.notes] == [
        ("quartiles", ("age",)),
        ("values", ("sex",)),
    ]
    assert cr.load(PEOPLE, scale={"age": "ordinal:30", "sex": "nominal"}).origin.notes == ()


COUNTED = {"eye": ["blue", "blue", "brown", "brown"], "sex": ["f", "m", "f", "m"]}


@pytest.mark.parametrize("title", ["Freq", "freq", "count", "Count", "n"])
def test_a_column_that_counts_becomes_weights(title: str) -> None:
    context = loaded({**COUNTED, title: [3, 0, 2, 5]})
    assert context.attributes == ("eye = blue", "eye = brown", "sex = f", "sex = m")
    assert (context.shape[0], len(context.objects)) == (10, 3)
    assert context.concept("eye = brown").support == 7
    assert f"weights: {title}" in notes({**COUNTED, title: [3, 0, 2, 5]})


@pytest.mark.parametrize(
    "table",
    [
        {**COUNTED, "count": [3, -1, 2, 5]},
        {**COUNTED, "count": [3, 1.5, 2, 5]},
        {**COUNTED, "count": [3, None, 2, 5]},
        {"spray": ["a", "a", "b", "b"], "count": [3, 4, 2, 5]},
        {**COUNTED, "height": [1.71, 1.82, 1.69, 1.9], "number": [3, 1, 2, 5]},
    ],
)
def test_other_numbers_are_no_weights(table: dict[str, list[Any]]) -> None:
    assert not loaded(table).weighted


def test_a_plan_keeps_the_column_of_weights(tmp_path: Any) -> None:
    plan = cr.scaling.infer({**COUNTED, "Freq": [3, 0, 2, 5]})
    assert plan.weights == "Freq"
    plan.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == plan
    assert plan.apply({**COUNTED, "Freq": [1, 1, 1, 0]}).shape == (3, 4)
    assert cr.scaling.infer({**COUNTED, "Freq": [3, 0, 2, 5]}, weights=False).weights is None


def test_given_weights_leave_the_column_that_counts() -> None:
    context = cr.load({**COUNTED, "n": [3, 1, 2, 5]}, weights=[1, 2, 3, 4])
    assert context.shape[0] == 10
    assert "n = 5" in context.attributes


def test_ones_and_zeros_have_two_sides_among_values() -> None:
    assert loaded({"sex": [0, 1, 1], "age": [30, 41, 30]}).attributes[:2] == ("sex = 0", "sex = 1")
    assert loaded({"sweet": [0, 1, 1], "red": [1, 1, 0]}).attributes == ("sweet", "red")


HEADERS = {
    "words above numbers": ("sex,3\n2,4\n1,5\n", ["sex", "3"]),
    "years": (
        "country,1960,1961,1962\nAruba,4.8,4.6,4.4\nAruba,4.1,3.7,3.9\nChad,6.1,6.0,6.3\n",
        ["country", "1960", "1961", "1962"],
    ),
    "numbers above words": ("1,2,3\nyes,red,a\nno,red,b\nno,blue,a\n", ["1", "2", "3"]),
    "a corner": (",0,1,2\nhome,27,29,10\naway,59,53,14\n", ["0", "1", "2"]),
    "a name among its values": (
        "age,married\n30,married\n41,divorced\n30,married\n28,single\n",
        ["age", "married"],
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_are_recognised(name: str) -> None:
    text, expected = HEADERS[name]
    origin = loaded(text).origin
    assert origin is not None
    assert list(origin.types) == expected[-len(origin.types) :]


def test_a_first_line_that_is_read_as_a_row_is_a_warning() -> None:
    with pytest.warns(InputWarning, match="line 1, .* was read as a row.*header=True"):
        context = cr.load(b"m,3,4.5\nf,4,5.5\nm,5,4.5\nf,4,3.5\n")
    assert len(context.objects) == 4
    with warnings.catch_warnings(record=True, action="always") as noticed:
        cr.load(b"m,3,4.5\nf,4,5.5\nm,5,4.5\nf,4,3.5\n", header=False)
    assert not any("line 1" in str(each.message) for each in noticed)


def test_explicit_weights_may_be_zero_in_a_column() -> None:
    table = pl.DataFrame({"a": [1, 1, 0], "b": [0, 1, 1], "times": [2, 0, 1]})
    with warnings.catch_warnings(action="ignore"):
        assert cr.load(table, weights="times").shape == (3, 2)
    with pytest.raises(FormatError, match="times"):
        cr.load(table.with_columns(times=pl.Series([2, -1, 1])), weights="times")


def test_rows_of_sales_are_transactions() -> None:
    sales = {"order_id": [1, 1, 2], "sku": ["tea", "milk", "tea"], "day": [3, 3, 4]}
    with pytest.warns(InputWarning, match="read as transactions.*left out: day"):
        assert cr.load(sales).to_itemsets() == {"1": {"tea", "milk"}, "2": {"tea"}}
    other = {"subject": [1, 1, 2], "item": ["a", "b", "a"], "score": [3, 5, 4]}
    assert "item = a" in loaded(other).attributes


def test_missing_marks_are_no_damage() -> None:
    text = "who,a,b,c\n" + "Ann,1,0,1\nBob,0,1,NA\nCid,1,1,0\n"
    assert loaded(text).shape[0] == 3


def test_numbers_between_blanks_are_columns() -> None:
    assert "OBS" in notes("OBS GPA\n 1  2.66\n 2  2.89\n 3  3.28\n")[0]
    text = "GPA PSI\n  2.66   0\n  2.89   1\n  3.28   0\n  2.66   1\n"
    assert loaded(text).attributes[-2:] == ("PSI = 0", "PSI = 1")


def test_a_context_is_printed_and_read_again() -> None:
    movies = cr.datasets.load("movies")
    assert cr.Context.from_string(str(movies)) == movies
    big = cr.Context.from_numpy(pl.DataFrame({"a": [1] * 100}).to_numpy())
    assert str(big).endswith("… and 40 more objects")


def test_tables_between_bars_are_checked() -> None:
    for text, key in (
        ("| |a|\n|-|-|\n|x|maybe|\n", "'maybe'"),
        ("| |a|\n|-|-|\n|x|X| |\n", "cells"),
        ("| |a|\n|-|-|\n|x|X|\n|x| |\n", "'x'"),
        ("", "empty"),
    ):
        with pytest.raises(FormatError, match=key):
            cr.load(text.encode(), format="markdown")


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("burmeister", "B\npets\n1\n1\n\ncat\npurrs\nX\n", "'pets'"),
        (
            "rcf",
            "[Relational Context]\na\n[Binary Relation]\nb\ncat\npurrs\n1\n[Inter Object Binary "
            "Relation]\nx\n[END Relational Context]\n",
            "Inter Object",
        ),
        (
            "cex",
            "<ConceptualSystem><Contexts><Context><Attributes/><Objects/></Context></Contexts>"
            "<Lattices/></ConceptualSystem>",
            "Lattices",
        ),
        (
            "galicia",
            "<Galicia_Document><BinaryContext><Name>pets</Name></BinaryContext></Galicia_Document>",
            "'pets'",
        ),
        ("json", '{"objects": [], "properties": [], "context": [], "extents": []}', "extents"),
    ],
)
def test_what_a_context_cannot_hold_is_a_warning(name: str, text: str, key: str) -> None:
    with pytest.warns(InputWarning, match=key):
        cr.load(text.encode(), format=name)
