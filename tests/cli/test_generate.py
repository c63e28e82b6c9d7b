from pathlib import Path

import polars as pl
import pytest

import conceptrank as cr
from conceptrank.datasets import random


def test_dirichlet_as_in_the_help(run):
    result = run(
        *("generate", "dirichlet", "--objects", 2000, "--attributes", 15, "--precision", 0.1),
        *("--seed", 1, "--out", "x.cxt"),
    )
    assert (result.exit_code, result.stdout) == (0, "")
    drawn = random.dirichlet_rows(objects=2000, attributes=15, precision=0.1, seed=1)
    assert cr.load("x.cxt") == drawn


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("coin-toss", "--objects", 20, "--attributes", 6, "--density", 0.4, "--seed", 3),
            random.coin_toss(objects=20, attributes=6, density=0.4, seed=3),
        ),
        (
            ("coin-toss", "--like", "movies", "--method", "indirect"),
            random.coin_toss(cr.datasets.load("movies"), method="indirect"),
        ),
        (
            ("categorical", "--objects", 9, "--attributes", 3, "--sizes", "0,1,2,1"),
            random.categorical_rows(objects=9, attributes=3, sizes=[0, 1, 2, 1]),
        ),
        (
            ("fixed-density", "--objects", 9, "--attributes", 3, "--crosses", 11),
            random.fixed_density(objects=9, attributes=3, crosses=11),
        ),
        (
            ("dirichlet", "--objects", 9, "--attributes", 2, "--base", "1,0,3"),
            random.dirichlet_rows(objects=9, attributes=2, base=[1, 0, 3]),
        ),
        (("swap", "--like", "movies"), random.swap(cr.datasets.load("movies"))),
        (
            ("curveball", "--like", "movies", "--trades", 7),
            random.curveball(cr.datasets.load("movies"), trades=7),
        ),
        (("shuffle", "--like", "movies"), random.shuffle_columns(cr.datasets.load("movies"))),
        (("resample", "--like", "movies"), random.resample_rows(cr.datasets.load("movies"))),
        (
            ("planted", "--objects", 50, "--attributes", 20, "--patterns", 3, "--seed", 2),
            random.planted(50, 20, patterns=3, seed=2).context,
        ),
        (
            (
                *("planted", "--objects", 50, "--attributes", 30, "--background", "both"),
                *("--overlap", "nested", "--missing", 0.1, "--added", 0.02),
                *("--sizes", "2,5", "--supports", "0.1,0.3"),
            ),
            random.planted(
                *(50, 30),
                background="both",
                overlap="nested",
                missing=0.1,
                added=0.02,
                sizes=(2, 5),
                supports=(0.1, 0.3),
            ).context,
        ),
        (("contranominal", "--objects", 4), cr.datasets.scales.contranominal(4)),
        (("ordinal", "--objects", 4), cr.datasets.scales.ordinal(4)),
        (("nominal", "--objects", 4), cr.datasets.scales.nominal(4)),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_every_kind_is_the_one_of_the_library(run, arguments, expected):
    result = run("generate", *arguments)
    assert result.exit_code == 0, result.stderr
    Path("drawn.cxt").write_text(result.stdout)
    assert cr.load("drawn.cxt") == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("swap",), "--like FILE"),
        (("dirichlet", "--objects", 3), "needs a shape"),
        (("ordinal",), "--objects"),
        (("ordinal", "--objects", 3, "--density", 0.5), "--density doesn't fit ordinal"),
        (("coin-toss", "--objects", 3, "--attributes", 3, "--density", 2), "between 0 and 1"),
        (("categorical", "--objects", 3, "--attributes", 1, "--sizes", "a,b"), "commas"),
        (("categorical", "--objects", 3, "--attributes", 3, "--sizes", "1,1"), "expected 4"),
        (("nominal", "--objects", 3, "--out", "x.unknown"), "--format"),
        (("nominal", "--objects", 3, "--format", "words"), "unknown format"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(run, arguments, message):
    result = run("generate", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_seeds_differ_and_repeat(run):
    draw = ("generate", "coin-toss", "--objects", 30, "--attributes", 5, "--density", 0.5)
    first, again, other = (run(*draw, "--seed", seed).stdout for seed in (1, 1, 2))
    assert first == again != other


def test_empty_shapes(run):
    result = run("generate", "coin-toss", "--objects", 0, "--attributes", 0, "--density", 0.5)
    assert result.exit_code == 0


def test_planted_patterns_go_to_a_file(run):
    result = run(
        *("generate", "planted", "--objects", 90, "--attributes", 20, "--patterns", 4),
        *("--out", "x.cxt", "--truth", "patterns.csv"),
    )
    assert result.exit_code == 0, result.stderr
    patterns = pl.read_csv("patterns.csv")
    context = cr.load("x.cxt")
    assert len(patterns) == 4
    for intent, support in patterns.select("intent", "support").iter_rows():
        assert len(context.extension(intent.split("; "))) == support


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--objects", 9), "planted needs a shape"),
        (("--objects", 9, "--attributes", 4, "--density", 0.1), "--density doesn't fit planted"),
        (("--objects", 9, "--attributes", 14, "--missing", 2), "missing must be between 0 and 1"),
        (("--objects", 9, "--attributes", 4), "don't fit into 4"),
        (("--objects", 9, "--attributes", 4, "--sizes", "2"), "--sizes of planted patterns"),
        (("--objects", 9, "--attributes", 4, "--sizes", "1.5,2"), "sizes must be a whole number"),
        (("--objects", 9, "--attributes", 4, "--supports", "a"), "numbers separated by commas"),
        (("--objects", 9, "--attributes", 4, "--truth", "no/x.csv"), "--truth no"),
    ],
)
def test_planted_refuses_what_makes_no_sense(run, arguments, message):
    result = run("generate", "planted", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
