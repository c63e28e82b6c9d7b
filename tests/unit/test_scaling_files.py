"""Real files of raw values: shapes and numbers of concepts after scaling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank import scaling
from conceptrank.errors import FormatError
from conceptrank.scaling import Plan
from data_files import data_path

DIAGNOSIS = {"c1": "intervals:37.5,40", **{f"c{i}": "nominal" for i in range(2, 9)}}


def nominal(path: Path) -> dict[str, str]:
    return dict.fromkeys(scaling.read_table(path).columns, "nominal")


def counted(context: cr.Context) -> tuple[int, int, int]:
    return (*context.shape, len(context.lattice()))


def test_diagnosis_from_its_raw_file(tmp_path: Path) -> None:
    path = data_path("paper/diagnosis.data")
    table = scaling.open_source(path, scale=["c1=intervals:37.5,40"])
    assert table.plan.table == {
        "format": "csv",
        "separator": "\t",
        "encoding": "utf-16",
        "header": False,
        "decimal_comma": True,
    }
    assert counted(table.context) == (120, 17, 88)
    table.plan.save(tmp_path / "plan.toml")
    assert cr.load(path, scale=tmp_path / "plan.toml") == table.context
    assert cr.load(path, scale=Plan(DIAGNOSIS)) == table.context
    bounded = cr.load(path, scale={**DIAGNOSIS, "c1": "intervals:35,37.5,40,42:bounded=true"})
    assert counted(bounded) == (120, 17, 88)
    assert "37.5 ≤ c1 < 40" in bounded.attributes
    other = {**DIAGNOSIS, "c1": "intervals:37.5,40:closed=right"}
    assert counted(cr.load(path, scale=other)) == (120, 17, 128)


def test_diagnosis_equals_the_published_context() -> None:
    names = ["Nausea", "Lumbar pain", "Urine pushing", "Micturition pains", "Burning"]
    names += ["Bladder inflammation?", "Pelvis nephritis?"]
    order = [f"[Temperatur [∈ [{ends}]]]" for ends in ("35.0 37.5", "37.5 40.0", "40.0 42.0")]
    order += [f"[{name} {word}]" for name in names for word in ("no", "yes")]
    published = cr.load(data_path("paper/Diagnosis.ctx")).select(attributes=order)
    ours = cr.load(data_path("paper/diagnosis.data"), scale=Plan(DIAGNOSIS))
    one, two = (sorted(context.to_numpy().tolist()) for context in (published, ours))
    assert one == two


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("agaricus-lepiota.data", {"missing": "value"}, (8124, 118, 238710)),
        ("agaricus-lepiota.data", {"missing_words": []}, (8124, 118, 238710)),
        ("agaricus-lepiota.data", {}, (8124, 117, 237919)),
        ("agaricus-lepiota.data", {"drop": ["c1"]}, (8124, 115, 226921)),
        ("house-votes-84.data", {}, (435, 34, 247955)),
        ("house-votes-84.data", {"missing": "value"}, (435, 50, 264035)),
        ("spect.train.arff", {}, (80, 23, 911)),
        ("spect.test.arff", {}, (187, 23, 14534)),
    ],
)
def test_files_as_they_are_taken(
    name: str, options: dict[str, Any], expected: tuple[int, int, int]
) -> None:
    assert counted(cr.load(data_path(f"bench/{name}"), **options, scale="auto")) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("zoo.arff", (101, 143, 4640)),
        ("car.arff", (1728, 25, 12640)),
        ("nursery.arff", (12960, 32, 183079)),
        ("tic-tac-toe.arff", (958, 29, 59505)),
        ("spect.train.arff", (80, 46, 70590)),
        pytest.param("spect.test.arff", (187, 46, 1041872), marks=pytest.mark.slow),
    ],
)
def test_plain_nominal_scaling(name: str, expected: tuple[int, int, int]) -> None:
    path = data_path(f"bench/{name}")
    assert counted(cr.load(path, scale=nominal(path))) == expected


def test_adult() -> None:
    train = scaling.open_source(data_path("bench/adult.data.gz"), scale="auto")
    assert train.context.shape == (32561, 121)
    reports = {report.column: report for report in train.columns}
    assert reports["c2"].missing == 1836
    assert reports["c1"].attributes == ("c1 < 28", "28 ≤ c1 < 38", "38 ≤ c1 < 48", "c1 ≥ 48")
    # Most people have no capital gain: four parts can't be had.
    assert len(reports["c11"].attributes) == 2
    frame = scaling.read_table(data_path("bench/adult.test.gz"), skip=1)
    assert frame.shape == (16281, 15)
    fitted = train.plan.fitted(scaling.read_table(data_path("bench/adult.data.gz")))
    # The file with the test data writes a full stop after the class.
    test = fitted.apply(frame.with_columns(pl.col("c15").str.strip_chars_end(".")))
    assert test.attributes == train.context.attributes


def test_wine() -> None:
    context = cr.load(data_path("bench/wine.data"), scale={"c14": "nominal"})
    assert context.shape == (178, 13 * 4 + 3)
    supports = np.bincount(context.rows()[1])[:-3]
    assert supports.min() >= 40
    assert supports.max() <= 49


def test_other_files() -> None:
    frame = scaling.read_table(data_path("paper/officiallang_features.csv"))
    assert frame.shape == (414, 7)
    with pytest.raises(FormatError, match="line 22011: row has 2 fields, expected 3"):
        scaling.read_table(data_path("paper/linkedin_triadic.txt"))


def test_redundant_attributes_of_real_tables() -> None:
    path = data_path("bench/zoo.arff")
    context = cr.load(path, scale={"legs": "ordinal"})
    redundant = context.reducible_attributes()
    assert "legs ≤ 8" in redundant
    smaller = context.drop(attributes=redundant)
    assert len(smaller.lattice()) == len(context.lattice()) == len(context.reduce().lattice())
