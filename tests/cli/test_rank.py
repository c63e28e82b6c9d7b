import json
from pathlib import Path

import polars as pl
import pytest

MOVIES_CONCEPTS = 20


def rows_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_movies_look_as_they_should(run):
    result = run("rank", "movies", "--top", "14")
    assert result.exit_code == 0
    assert result.stdout == (
        "rank      cr  support  intent                        extent\n"
        "   1  0.5000        8  adventure                     1, 2, 5, 6, 7, 8, 10, 11\n"
        "   1  0.5000        8  criminal                      2, 4, 5, 6, 7, 8, 10, 11\n"
        "   1  0.5000        7  adventure, criminal           2, 5, 6, 7, 8, 10, 11\n"
        "   1  0.5000        5  drama                         2, 3, 5, 6, 9\n"
        "   1  0.5000        4  fantasy                       1, 4, 10, 11\n"
        "   1  0.5000        3  action                        2, 8, 9\n"
        "   1  0.5000        3  adventure, fantasy            1, 10, 11\n"
        "   1  0.5000        3  criminal, fantasy             4, 10, 11\n"
        "   1  0.5000        2  action, drama                 2, 9\n"
        "   1  0.5000        2  adventure, criminal, fantasy  10, 11\n"
        "   1  0.5000        2  comedy                        1, 3\n"
        "   1  0.5000        1  comedy, drama                 3\n"
        "   2  0.3333        3  adventure, criminal, drama    2, 5, 6\n"
        "   2  0.3333        2  action, adventure, criminal   2, 8\n"
    )


def test_ties_are_stated_on_standard_error(run):
    assert "12 of 20 concepts share the top score 0.5" in run("rank", "movies").stderr
    assert "share" not in run("rank", "movies", "--by", "support").stderr


def test_a_cut_ranking_says_so(run):
    assert "5 of 20 concepts shown" in run("rank", "movies", "--top", "5").stderr
    assert "shown" not in run("rank", "movies", "--all").stderr


def test_quiet_says_nothing(run):
    result = run("rank", "movies", "--top", "1", "--quiet")
    assert result.stderr == ""
    assert result.stdout


def test_a_narrow_terminal_wraps_between_names(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    lines = run("rank", "movies", "--also", "stability").stdout.splitlines()
    assert all(len(line) <= 60 for line in lines)
    names = {word.rstrip(",") for line in lines for word in line[34:].split()}
    assert {"adventure", "thriller", "criminal"} <= names


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet"])
def test_the_suffix_of_the_output_tells_its_format(run, tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    result = run("rank", "movies", "--all", "--also", "stability", "--out", path)
    assert (result.exit_code, result.stdout) == (0, "")
    read = {
        "csv": pl.read_csv,
        "json": pl.read_json,
        "jsonl": pl.read_ndjson,
        "parquet": pl.read_parquet,
    }[suffix]
    frame = read(path)
    assert frame.columns == ["rank", "cr", "stability", "support", "intent"]
    assert frame["support"].sum() == 69
    assert frame["cr"].max() == 0.5
    third = frame["intent"][2]
    assert third == "adventure; criminal" if suffix == "csv" else third.to_list() == [
        "adventure",
        "criminal",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["csv", "json", "jsonl"])
def test_a_file_and_standard_output_get_the_same(run, name):
    run("rank", "movies", "--format", name, "--out", "scores")
    assert Path("scores").read_text().rstrip() == (
        run("rank", "movies", "--format", name).stdout.rstrip()
    )


def test_parameters_reach_the_measures_that_know_them(run):
    def score(*arguments: str) -> float:
        options = ("--all", "--also", "stability", "--format", "jsonl")
        rows = rows_of(run("rank", "movies", *options, *arguments).stdout)
        return next(
            r["cr"] for r in rows if r["intent"] == ["action", "adventure", "criminal", "drama"]
        )

    assert score() == pytest.approx(9 / 28)
    assert score("--param", "side=extent") == pytest.approx(1 / 2)
    assert score("--param", "activation=weighted:0.25") == pytest.approx(0.25 / 2 + 0.75 / 7)
    assert score("--param", "beta=sperner") == pytest.approx((1 / 2 + 2 / 6) / 2)


def test_wrong_measures_are_found_before_the_file_is_read(run):
    assert "unknown measure" in run("rank", "missing.cxt", "--by", "nonsense").stderr


def test_a_file_beats_a_data_set_of_its_name(run):
    Path("movies").write_text("B\n\n1\n1\n\nonly\nthis\nX\n")
    rows = rows_of(run("rank", "movies", "--format", "jsonl").stdout)
    assert [row["intent"] for row in rows] == [["this"]]


def test_standard_input_is_a_file_too(run):
    text = b",sweet,red\ncherry,X,X\nhoney,X,\n"
    rows = rows_of(run("rank", "-", "--format", "jsonl", input=text).stdout)
    assert [row["intent"] for row in rows] == [["sweet", "red"], ["sweet"]]


@pytest.mark.parametrize(
    ("content", "concepts"),
    [
        ("B\n\n0\n2\n\nm1\nm2\n", [(0, ["m1", "m2"])]),
        ("B\n\n2\n0\n\ng1\ng2\n\n\n", [(2, [])]),
        ("B\n\n0\n0\n\n", [(0, [])]),
    ],
    ids=["no objects", "no attributes", "nothing"],
)
def test_empty_contexts_have_one_concept(run, content, concepts):
    Path("empty.cxt").write_text(content)
    result = run("rank", "empty.cxt", "--format", "jsonl")
    assert result.exit_code == 0
    assert [(row["support"], row["intent"]) for row in rows_of(result.stdout)] == concepts
    assert run("rank", "empty.cxt").exit_code == 0


def test_no_concept_is_an_answer(run):
    result = run("rank", "movies", "--min-support", "12")
    assert (result.exit_code, result.stdout.split()) == (
        0,
        ["rank", "cr", "support", "intent", "extent"],
    )
    assert "no concept has 12 objects or more" in result.stderr
    assert run("rank", "movies", "--min-support", "12", "--format", "jsonl").stdout == ""
    assert json.loads(run("rank", "movies", "--min-support", "12", "--format", "json").stdout) == []


def test_control_characters_in_names_stay_harmless(run):
    Path("names.csv").write_bytes(b",\x1b[2Jclear,b\ng\x07,X,X\nh,,X\n")
    result = run("rank", "names.csv")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout
    assert "\\x1b[2Jclear" in result.stdout


def test_inexact_scores_are_marked_and_counted(run):
    result = run("rank", "movies", "--also", "stability(method=karp_luby)", "--top", "1")
    assert result.stdout.splitlines()[1].split()[2].startswith("~0.")
    assert "19 of 20 scores by stability(method=karp_luby) are estimates" in result.stderr
