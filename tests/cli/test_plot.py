import re
import sys
import warnings
from pathlib import Path
from typing import get_args

import pytest

import conceptrank as cr
from conceptrank.cli import plot
from conceptrank.errors import install_command


@pytest.fixture(autouse=True)
def no_windows(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.parametrize("figure", get_args(plot.Kind))
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_every_figure_in_every_format(run, figure, suffix):
    out = f"figure.{suffix}"
    result = run("plot", "movies", "--figure", figure, "--measures", "cr,stability", "--out", out)
    assert (result.exit_code, result.stdout) == (0, ""), result.stderr
    begin = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix]
    assert Path(out).read_bytes().startswith(begin)


@pytest.mark.parametrize(
    ("name", "suffix", "begin"),
    [
        ("dot", ".dot", "graph lattice {"),
        ("tikz", ".tex", r"% needs \usepackage{tikz}"),
        ("svg", ".svg", "<?xml"),
    ],
)
def test_text_goes_to_standard_output_or_a_file(run, name, suffix, begin):
    printed = run("plot", "movies", "--format", name, "--quiet")
    assert printed.exit_code == 0
    assert printed.stderr == ""
    assert printed.stdout.startswith(begin)
    assert run("plot", "movies", "--out", f"a{suffix}").stdout == ""
    assert Path(f"a{suffix}").read_text() == printed.stdout


@pytest.mark.parametrize(
    ("arguments", "number", "title"),
    [
        ([], 20, "all concepts"),
        (["--around", "criminal,drama"], 4, "the neighbourhood of {adventure, criminal, drama}"),
        (["--around", ""], 7, "the neighbourhood of {}"),
        (["--around", "drama", "--radius", "0"], 1, "the neighbourhood of {drama} within 0 steps"),
        (["--ideal", "drama"], 6, "the ideal of {drama}"),
        (["--filter", "drama,criminal"], 6, "the filter of {adventure, criminal, drama}"),
        (["--top", "5", "--by", "stability"], 5, "the first 5 by stability"),
        (["--where", "support > 4"], 5, "the first 5 by cr where support > 4"),
        (["--min-support", "5"], 5, "the concepts with at least 5 objects"),
        (["--limit", "10"], 10, "the concepts with at least 3 objects"),
    ],
)
def test_parts(run, arguments, number, title):
    result = run("plot", "movies", "--format", "dot", *arguments)
    assert result.exit_code == 0, result.stderr
    assert f": {title}" in result.stderr
    assert re.search(rf"note: {number}( of 20)? concepts?: ", result.stderr)
    assert len(re.findall(r"^  c\d+ \[", result.stdout, re.M)) == number


def test_no_lattice_is_mined_for_a_neighbourhood(run, contranominal):
    result = run("plot", contranominal, "--around", "m1", "--format", "dot")
    assert result.exit_code == 0, result.stderr
    assert "61 concepts: the neighbourhood of {m1}" in result.stderr


def test_scores_are_those_of_the_library(run):
    arguments = ("--colour", "cr", "--size", "cr(side=extent)", "--param", "beta=log")
    result = run("plot", "movies", "--format", "dot", *arguments)
    assert result.exit_code == 0, result.stderr
    found = re.findall(r'"cr\(beta=log\)"="([^"]*)"', result.stdout)
    wanted = cr.datasets.load("movies").lattice().score("cr", beta="log")
    assert list(map(float, found)) == pytest.approx(wanted.tolist(), abs=1e-11)


def test_letters_that_no_font_has_are_told(run, monkeypatch):
    def save(*_, **__):
        for letter in "字漢字":
            text = f"Glyph {ord(letter)} (\\N{{…}}) missing from font(s) DejaVu Sans."
            warnings.warn(text, stacklevel=2)

    monkeypatch.setattr("conceptrank.plot.Diagram.save", save)
    result = run("plot", "movies", "--out", "a.png")
    assert result.exit_code == 0, result.stderr
    assert "warning: no installed font has 字漢: boxes replace" in result.stderr
    assert "Glyph" not in result.stderr


def test_a_limit_ends_it_with_what_was_found(run, contranominal):
    result = run("plot", contranominal, "--max-concepts", "50", "--out", "a.svg")
    assert result.exit_code == 3
    assert Path("a.svg").exists()
    result = run("plot", contranominal, "--around", "", "--limit", "20", "--out", "b.svg")
    assert result.exit_code == 3
    assert "more than 20 concepts" in result.stderr
    assert not Path("b.svg").exists()


def test_without_matplotlib_the_extra_is_named(run, monkeypatch):
    monkeypatch.setattr("conceptrank.cli._command.find_spec", lambda name: None)
    result = run("plot", "movies", "--out", "a.svg")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"error: svg needs matplotlib: {install_command('plot')}\n"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("plot", "movies", "--format", "tikz", "--colour", "cr").exit_code == 0
