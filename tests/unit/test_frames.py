"""Lists of names in CSV files."""

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrank.convert import results

names = st.lists(st.text(st.sampled_from("ab;, \"'\n=\t\\é"), max_size=6), max_size=4)


def written(frame: pl.DataFrame, name: str) -> list[dict[str, str]]:
    file = io.BytesIO()
    results.save(frame, file, format=name)
    return list(csv.DictReader(io.StringIO(file.getvalue().decode(), newline="")))


@given(intents=st.lists(names, min_size=1, max_size=4))
def test_names_come_back_from_csv(intents):
    frame = pl.DataFrame({"rank": range(len(intents)), "intent": intents}, schema_overrides=SCHEMA)
    for row, intent in zip(written(frame, "csv"), intents, strict=True):
        lines = io.StringIO(row["intent"], newline="")
        cells = list(csv.reader(lines, delimiter=";", skipinitialspace=True))
        assert (cells[0] if cells else []) == intent


SCHEMA = {"intent": pl.List(pl.String)}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_safe_csv_has_no_formulas(start):
    frame = pl.DataFrame(
        {"score": [-0.5, 1.0], "intent": [[f"{start}1+1", "b"], ["a", f"{start}2"]]}
    )
    first, second = written(frame, "csv_safe")
    assert first["intent"][0] in "'\""
    assert second["intent"].startswith("a; ")
    assert first["score"] == "-0.5"


def test_other_csv_is_left_alone():
    frame = pl.DataFrame({"intent": [["=1+1", "b"]]})
    assert written(frame, "csv")[0]["intent"] == "=1+1; b"
