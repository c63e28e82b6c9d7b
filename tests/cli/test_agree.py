import json
import sys
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import install_command
from conceptrank.measures import registry


def test_movies_look_as_they_should(run):
    result = run("agree", "movies", "--measures", "cr,support,stability", "--top-k", "5")
    assert result.exit_code == 0
    assert result.stdout == (
        "Pearson  Spearman  Kendall     Lin  top 5  RBO 0.9  measures\n"
        "  0.039     0.383    0.356   0.002  0.516    0.597  cr, support\n"
        " -0.443    -0.380   -0.316  -0.344  0.258    0.432  cr, stability\n"
        "  0.228    -0.070   -0.050   0.016  0.600    0.515  support, stability\n"
    )
    assert "note: 20 of 20 concepts are compared" in result.stderr
    assert "cr: place 5 falls into a tie of 12 concepts" in result.stderr


def test_one_coefficient_is_a_matrix(run):
    arguments = ("agree", "movies", "--measures", "cr", "--measures", "stability")
    result = run(*arguments, "--coefficient", "kendall")
    assert result.stdout == (
        "               cr  stability\ncr          1.000     -0.316\nstability  -0.316      1.000\n"
    )


@pytest.mark.parametrize(
    ("coefficient", "name"), [("lin", "concordance"), ("rbo", "rbo"), ("overlap", "top_overlap")]
)
def test_every_coefficient_is_that_of_the_library(run, coefficient, name):
    arguments = ("--measures", "cr,support", "--coefficient", coefficient, "--format", "json")
    rows = json.loads(run("agree", "movies", *arguments).stdout)
    ranking = cr.datasets.load("movies").lattice().rank("cr", also=["support"])
    assert rows[0]["support"] == pytest.approx(ranking.agreement().matrix(name)[0, 1], abs=1e-12)


def test_conditions_supports_and_parameters(run):
    def compared(*arguments: str) -> str:
        result = run("agree", "movies", "--measures", "cr,cr(side=extent)", *arguments)
        assert result.exit_code == 0, result.stderr
        assert "cr, cr(side=extent)" in result.stdout
        return result.stderr

    assert "10 of 10 concepts" in compared("--min-support", "3")
    assert "12 of 20 concepts" in compared("--where", "cr > 0.4")
    compared("--param", "beta=log")


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet"])
def test_files_have_a_row_a_pair(run, suffix):
    result = run("agree", "movies", "--measures", "cr,support,stability", "--out", f"a.{suffix}")
    assert (result.exit_code, result.stdout) == (0, "")
    read = {"csv": pl.read_csv, "json": pl.read_json, "jsonl": pl.read_ndjson}
    frame = read.get(suffix, pl.read_parquet)(f"a.{suffix}")
    assert frame.columns[:5] == ["first", "second", "pearson", "spearman", "kendall"]
    assert frame["second"].to_list() == ["support", "stability", "stability"]


def test_a_file_and_standard_output_get_the_same(run):
    for name in ("table", "csv", "json"):
        arguments = ("agree", "movies", "--measures", "cr,support", "--format", name)
        run(*arguments, "--out", "agreement")
        assert Path("agreement").read_text().rstrip() == run(*arguments).stdout.rstrip()


def test_a_limit_ends_it_with_what_was_found(run, contranominal):
    result = run("agree", contranominal, "--measures", "cr,support", "--max-concepts", "100")
    assert result.exit_code == 3
    assert "--max-concepts 100 reached" in result.stderr
    assert "cr, support" in result.stdout


def test_labels_and_weights(run, monkeypatch):
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    monkeypatch.setattr(registry, "_NAMES", dict(registry._NAMES))

    def labelled(concepts, *, labels):
        assert sum(labels) == 5
        return concepts.supports * 1.0

    def weighted(concepts, *, weights):
        assert sum(weights) == 8
        return concepts.supports * 1.0

    for name, compute in (("labelled", labelled), ("weighted", weighted)):
        registry.register(registry.Measure(name=name, summary="", compute=compute))
    options = ("--label", "drama", "--weights", "comedy=3")
    result = run("agree", "movies", "--measures", "labelled,weighted,support", *options)
    assert result.exit_code == 0, result.stderr
    assert "1.000" in result.stdout
    result = run("agree", "movies", "--measures", "labelled,support")
    assert (result.exit_code, "--label NAME" in result.stderr) == (2, True)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_heat_map(run, suffix):
    pytest.importorskip("matplotlib")
    result = run("agree", "movies", "--measures", "cr,support", "--plot", f"map.{suffix}")
    assert result.exit_code == 0, result.stderr
    assert Path(f"map.{suffix}").stat().st_size > 1000


def test_a_heat_map_without_matplotlib_names_the_extra(run, monkeypatch):
    missing = ModuleType("matplotlib")
    missing.__spec__ = None
    monkeypatch.setitem(sys.modules, "matplotlib", missing)
    monkeypatch.setattr("conceptrank.cli._command.find_spec", lambda name: None)
    result = run("agree", "movies", "--measures", "cr,support", "--plot", "map.png")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"error: --plot needs matplotlib: {install_command('plot')}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measures", "cr"], "two measures or more"),
        (["--measures", "cr,cr"], "two measures or more"),
        (["--measures", "cr,stabilty"], "unknown measure 'stabilty'; did you mean 'stability'"),
        (["--measures", "cr,support", "--persistence", "1"], "between 0 and 1"),
        (["--measures", "cr,support", "--plot", "map.txt"], ".png, .svg, .pdf"),
        (["--measures", "cr,support", "--plot", "nowhere/map.png"], "no directory nowhere"),
        (["--measures", "cr,support", "--where", "cr >"], "cr >"),
        (["--measures", "cr,support", "--format", "parquet"], "--out"),
    ],
)
def test_wrong_use_is_a_line_and_exit_code_2(run, arguments, message):
    result = run("agree", "movies", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_the_measures_have_to_be_named(run):
    result = run("agree", "movies")
    assert result.exit_code == 2
    assert "--measures" in result.stderr
