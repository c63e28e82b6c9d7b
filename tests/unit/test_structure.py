"""`structure`: relations and trends hold literally, planted ones are found, chance gives none."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from conceptrank.budget import Budget, Watch
from conceptrank.scaling.ranked import ranked
from conceptrank.scaling.structure import Structure, structure
from conceptrank.scaling.trends import kendall

ROWS = 200


def noise(rng: np.random.Generator, rows: int = ROWS) -> dict[str, Any]:
    """Columns of all kinds that have nothing to do with each other."""
    days = rng.integers(0, 9000, rows).tolist()
    return {
        "measured": rng.normal(50, 10, rows).round(2),
        "skewed": rng.exponential(3, rows),
        "counted": rng.poisson(2, rows),
        "graded": rng.integers(1, 6, rows),
        "yes": rng.integers(0, 2, rows),
        "rare": (rng.random(rows) < 0.03).astype(int),
        "colour": rng.choice(["red", "blue", "green", "grey"], rows),
        "name": [f"n{number}" for number in rng.permutation(rows)],
        "row": np.arange(1, rows + 1),
        "gaps": np.where(rng.random(rows) < 0.2, np.nan, rng.integers(0, 4, rows)),
        "born": [dt.date(1990, 1, 1) + dt.timedelta(day) for day in days],
    }


def shuffled(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return frame.select(column.gather(rng.permutation(len(frame))) for column in frame)


def planted(seed: int = 0) -> dict[str, tuple[dict[str, Any], str]]:
    """Columns to add to the noise, and the sentence about them."""
    rng = np.random.default_rng([seed, 1])
    have = noise(np.random.default_rng(seed))
    measured, counted, born = have["measured"], have["counted"], have["born"]
    a, b, c = (rng.integers(0, 50, ROWS) for _ in range(3))
    group = rng.integers(0, 30, ROWS)
    parts = rng.dirichlet([1, 1, 1], ROWS)
    words = np.array(["x", "y", "z"])
    return {
        "equal": ({"copy": measured}, "measured and copy are equal"),
        "linear": ({"rest": 24 - have["skewed"]}, "rest = 24 − skewed"),
        "celsius": (
            {"f": (32 + 1.8 * measured).round(2)}, "f ≈ 1.8 × measured + 32",
        ),
        "logarithm": ({"log": np.log(have["skewed"])}, "log = log(skewed)"),
        "exponent": ({"exp": np.exp(have["skewed"])}, "skewed = log(exp)"),
        "square": ({"square": have["skewed"] ** 2}, "square = skewed²"),
        "order": (
            {"odd": np.sinh(measured - 50)}, "measured and odd rise together without exception",
        ),
        "falls": (
            {"odd": -np.sinh(measured - 50)}, "odd falls as measured rises, without exception",
        ),
        "threshold": (
            {"low": np.where(measured < 45, "yes", "no")}, "low = yes exactly when measured < 45",
        ),
        "interval": (
            {"middle": ((measured >= 45) & (measured < 55)).astype(int)},
            "middle = 1 exactly when 45 ≤ measured < 55",
        ),
        "classes": (
            {"class": np.searchsorted([30, 45, 60], measured)},
            "class cuts measured into 4 intervals",
        ),
        "determined": (
            {"town": [f"t{g}" for g in group], "region": words[group % 3]},
            "town determines region",
        ),
        "panel": (
            {"town": [f"t{g}" for g in group], "rent": group % 7 + rng.normal(0, 0.2, ROWS)},
            "town explains 9",
        ),
        "codes": (
            {"code": words[have["yes"]]}, "code = y exactly when yes = 1",
        ),
        "dummy": (
            {"red": (have["colour"] == "red").astype(int)}, "red = 1 exactly when colour = red",
        ),
        "dummies": (
            {f"is {one}": (have["colour"] == one).astype(int) for one in ("red", "blue", "grey")},
            "is red, is blue and is grey each mark one value of colour",
        ),
        "year": ({"year": [day.year for day in born]}, "year is the year of born"),
        "days": (
            {"days": [day.toordinal() for day in born]},
            "born and days rise together without exception",
        ),
        "sum": ({"a": a, "b": b, "total": a + b}, "total = a + b"),
        "sum of three": (
            {"a": a, "b": b, "c": c, "total": a + b + c}, "total = a + b + c",
        ),
        "difference": ({"a": a, "net": a - counted}, "a = counted + net"),
        "shares": (
            {f"p{n}": 100 * parts[:, n] for n in range(3)}, "p0, p1 and p2 add up to 100",
        ),
        "missing": (
            {f"m{n}": np.where(group < 5, np.nan, rng.normal(size=ROWS)) for n in range(2)},
            f"m0 and m1 are missing together, in {(group < 5).sum()} rows",
        ),
        "trend": (
            {"weight": measured + rng.normal(0, 3, ROWS)}, "measured and weight rise together (τ",
        ),
        "opposite": (
            {"speed": -measured + rng.normal(0, 3, ROWS)}, "speed falls as measured rises (τ = −0",
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", planted())
@pytest.mark.parametrize("seed", range(3))
def test_planted_structure_is_told_and_nothing_else(name: str, seed: int) -> None:
    more, sentence = planted(seed)[name]
    frame = pl.DataFrame(noise(np.random.default_rng(seed)) | more, strict=False)
    found = structure(frame)
    assert [told.startswith(sentence) for told in found.sentences] == [True], found
    assert not structure(shuffled(frame, seed)).sentences


def test_shuffled_columns_give_none() -> None:
    for seed in range(30):
        rng = np.random.default_rng([seed, 2])
        rows = int(rng.integers(5, 300))
        frame = pl.DataFrame(noise(rng, rows), strict=False)
        assert not structure(frame).sentences, seed


def follows(frame: pl.DataFrame, first: str, second: str) -> bool:
    """Return whether each value of a column goes with one value of another one, literally."""
    pairs = {pair for pair in frame.select(first, second).iter_rows() if None not in pair}
    return len({one for one, _ in pairs}) == len(pairs)


def test_relations_hold_in_every_row() -> None:
    count = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        base = rng.integers(0, int(rng.integers(2, 40)), ROWS)
        columns = {"base": base.astype(float)}
        for number in range(6):
            source = columns[str(rng.choice(list(columns)))]
            image = rng.permutation(60) // int(rng.integers(1, 30))
            copy = image[source.astype(int) % 60].astype(float)
            spoiled = rng.random(ROWS) < rng.choice([0, 0, 0.01])
            columns[f"c{number}"] = np.where(spoiled, rng.integers(0, 60, ROWS), copy)
        frame = pl.DataFrame(columns)
        for relation in structure(frame).relations:
            first, *others = relation.columns
            if relation.kind in ("sum", "implied", "explained"):
                continue
            assert all(follows(frame, first, other) for other in others), relation
            pairs = combinations(relation.columns, 2) if relation.mutual else ()
            assert all(follows(frame, b, a) for a, b in pairs), relation
            count += 1
    assert count > 40


def test_kendall_is_that_of_scipy() -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(0, 6, (90, 4)).astype(float)
    table[:, 1] += table[:, 0]
    table[rng.random(table.shape) < 0.1] = np.nan
    tau, _ = kendall(list(ranked(pl.DataFrame(table, schema=list("abcd")))))
    for a, b in combinations(range(4), 2):
        both = ~np.isnan(table[:, [a, b]]).any(axis=1)
        # Ties count in the rows in which both columns have values.
        assert tau[a, b] == pytest.approx(
            stats.kendalltau(*table[both][:, [a, b]].T).statistic, abs=1e-6
        )


def test_implied_values() -> None:
    rng = np.random.default_rng(6)
    species = rng.choice(["Adelie", "Gentoo", "Chinstrap"], 300)
    anywhere = rng.choice(["Biscoe", "Dream", "Torgersen"], 300)
    island = np.where(
        species == "Gentoo", "Biscoe", np.where(species == "Chinstrap", "Dream", anywhere)
    )
    found = structure(pl.DataFrame({"species": species, "island": island}))
    assert f"all {(species == 'Gentoo').sum()} with species = Gentoo have island = Biscoe" in str(
        found
    )


def test_what_is_told_of_pairs() -> None:
    rng = np.random.default_rng(7)
    age, person = rng.normal(40, 9, 300).round(), rng.integers(0, 40, 300)
    frame = pl.DataFrame({
        "age": age, "months": 12 * age, "old": (age > 45).astype(int),
        "pay": age + rng.normal(0, 3, 300), "person": [f"p{one}" for one in person],
        "sex": np.where(person % 2, "f", "m"),
        "town": [f"t{one}" for one in person // 5], "free": rng.integers(0, 5, 300),
    })  # fmt: skip
    found = structure(frame)
    for tied in (
        {"age", "old"},
        {"months", "pay", "old"},
        {"person", "sex", "town"},
        {"months", "age"},
    ):
        assert found.tells(tied), tied
    for free in ({"sex", "town"}, {"age", "sex"}, {"age", "pay", "free"}, {"free", "old"}):
        assert not found.tells(free), free


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(),
        pl.DataFrame({"a": []}),
        pl.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1, 2], "b": [2, 4]}),
        pl.DataFrame({"a": [None, None], "b": [[1], [2]], "c": [float("inf"), float("nan")]}),
        pl.DataFrame({"a": [1] * 50, "b": [2] * 50}),
    ],
)
def test_tables_too_small_to_tell(frame: pl.DataFrame) -> None:
    assert structure(frame) == Structure()


def test_columns_of_any_type() -> None:
    base = np.random.default_rng(9).integers(0, 40, 120)
    start = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    frame = pl.DataFrame({
        "decimal": [Decimal(int(one)) / 4 for one in base],
        "lasts": [dt.timedelta(hours=int(one)) for one in base],
        "moment": [start + dt.timedelta(hours=int(one)) for one in base],
        "clock": [dt.time(int(one) % 24) for one in base],
        "large": pl.Series([2**63 + int(one) for one in base], dtype=pl.UInt64),
        "overflows": base * 1e300,
        "infinite": np.where(base > 35, np.inf, base),
        "word": pl.Series([f"w{one % 7}" for one in base], dtype=pl.Categorical),
        "level": pl.Series(["lmh"[one // 14] for one in base], dtype=pl.Enum(list("lmh"))),
        "bytes": [b"x"] * 120,
        "lists": [[1]] * 120,
        "empty": [None] * 120,
    })  # fmt: skip
    assert "level cuts" in str(structure(frame[["decimal", "level"]]))
    assert "determines clock and word" in str(structure(frame))
    for column in frame.columns:
        assert structure(frame[[column]]) == Structure()


def test_the_budget_ends_it() -> None:
    frame = pl.DataFrame(noise(np.random.default_rng(8)) | planted()["sum"][0], strict=False)
    assert structure(frame, watch=Watch(Budget(seconds=0))) == Structure()
