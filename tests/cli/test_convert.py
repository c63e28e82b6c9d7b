from pathlib import Path

import pytest

import conceptrank as cr


@pytest.mark.parametrize("name", ["m.cxt", "m.csv", "m.json", "m.cex", "m.csv.gz", "m.xml"])
def test_what_is_written_reads_back(run, name):
    result = run("convert", "movies", name)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("note: 11 objects, 7 attributes and 32 crosses as ")
    assert "warning" not in result.stderr
    assert cr.load(name) == cr.datasets.load("movies")


def test_what_gets_lost_is_said(run):
    arguments = ("convert", "movies", "m.txt", "--output-format", "baskets")
    result = run(*arguments)
    assert result.exit_code == 0
    assert "warning: m.txt doesn't hold the order of the attributes" in result.stderr
    assert run(*arguments, "--force", "--quiet").stderr == ""


def test_nothing_is_overwritten_unless_forced(run):
    Path("m.cxt").write_text("mine")
    result = run("convert", "movies", "m.cxt")
    assert (result.exit_code, Path("m.cxt").read_text()) == (2, "mine")
    assert result.stderr == "error: m.cxt exists already (hint: --force overwrites it)\n"
    assert run("convert", "movies", "m.cxt", "--force").exit_code == 0
    assert cr.load("m.cxt") == cr.datasets.load("movies")


def test_a_format_that_cannot_hold_it_is_a_failure(run):
    result = run("convert", "movies", "m.dat")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert not Path("m.dat").exists()
