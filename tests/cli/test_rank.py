import json
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

MOVIES_CONCEPTS = 20


def rows_of(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_names_with_commas_are_told_from_two_names(run, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('name,"likes tea, green",ale\n"Doe, Jane",X,X\nAnn,,X\n')
    rows = run("rank", path).stdout.splitlines()
    assert any('"likes tea, green", ale' in row and row.endswith('"Doe, Jane"') for row in rows)


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


def test_a_json_line_has_intent_support_and_a_key_a_measure(run):
    result = run("rank", "movies", "--all", "--also", "stability", "--format", "jsonl")
    rows = rows_of(result.stdout)
    assert len(rows) == MOVIES_CONCEPTS
    (row,) = [row for row in rows if row["intent"] == ["adventure", "criminal", "drama"]]
    assert row == {
        "rank": 2,
        "cr": pytest.approx(1 / 3, abs=1e-12),
        "stability": 0.75,
        "support": 3,
        "intent": ["adventure", "criminal", "drama"],
    }


def test_extents_come_when_asked_for(run):
    rows = rows_of(run("rank", "movies", "--extents", "--format", "jsonl").stdout)
    assert rows[0]["extent"] == ["1", "2", "5", "6", "7", "8", "10", "11"]
    assert all(len(row["extent"]) == row["support"] for row in rows)


def test_measures_come_by_commas_and_by_repetition(run):
    arguments = ("rank", "movies", "--top", "1", "--format", "jsonl")
    repeated = run(*arguments, "--also", "stability", "--also", "cr_alpha")
    assert list(rows_of(repeated.stdout)[0]) == [
        "rank", "cr", "stability", "cr_alpha", "support", "intent",
    ]  # fmt: skip
    assert run(*arguments, "--also", "stability,cr_alpha").stdout == repeated.stdout
    assert run(*arguments, "--also", "stability, cr,support,cr_alpha").stdout == repeated.stdout


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


def test_the_named_format_beats_the_suffix(run, tmp_path):
    path = tmp_path / "scores.txt"
    run("rank", "movies", "--top", "2", "--format", "csv", "--out", path)
    assert path.read_text().splitlines()[1] == "1,0.5,8,adventure"


def test_a_table_can_go_to_a_file(run, tmp_path):
    run("rank", "movies", "--top", "2", "--out", "scores.txt")
    assert Path("scores.txt").read_text() == run("rank", "movies", "--top", "2").stdout


@pytest.mark.parametrize("name", ["csv", "json", "jsonl"])
def test_a_file_and_standard_output_get_the_same(run, name):
    run("rank", "movies", "--format", name, "--out", "scores")
    assert Path("scores").read_text().rstrip() == (
        run("rank", "movies", "--format", name).stdout.rstrip()
    )


def test_support_as_a_number_and_as_a_share(run):
    def supports(text: str) -> list[int]:
        output = run("rank", "movies", "--all", "--min-support", text, "--format", "jsonl").stdout
        return sorted(row["support"] for row in rows_of(output))

    assert supports("3") == supports("0.25") == supports("25%") == [3, 3, 3, 3, 4, 5, 7, 8, 8, 11]


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "stabilty"], "unknown measure 'stabilty'; did you mean 'stability'"),
        (["--also", "cr,nonsense_at_all"], "unknown measure 'nonsense_at_all'"),
        (["--by", "cr(activation=harmonc)"], "did you mean 'harmonic'?"),
        (["--param", "activation=weighted:2"], "weight"),
        (["--by", "stability", "--param", "activation=max"], "no parameter 'activation'"),
        (["--format", "parquet"], "--out"),
        (["--out", "scores.xyz"], "--format"),
        (["--out", "nowhere/scores.csv"], "there is no directory nowhere"),
        (["--out", "."], "is a directory"),
        (["--input-format", "burmeistr"], "unknown format 'burmeistr'; did you mean 'burmeister'"),
    ],
)
def test_wrong_use_is_a_line_and_exit_code_2(run, arguments, message):
    file = "movies"
    if "--input-format" in arguments:
        Path("movies").write_text("B\n\n1\n1\n\ng\nm\nX\n")
    result = run("rank", file, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--top", "-1"],
        ["--min-support", "1.5"],
        ["--min-support", "-3"],
        ["--min-support", "many"],
        ["--min-support", "nan"],
        ["--max-memory", "lots"],
        ["--threads", "-1"],
        ["--no-such-option"],
    ],
)
def test_values_that_make_no_sense_are_wrong_use(run, arguments):
    result = run("rank", "movies", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert arguments[0] in result.stderr


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


def test_wide_and_strange_names_keep_columns_straight(run):
    names = ["日本語の映画", "e\u0301te\u0301", "[red]x"]
    Path("names.csv").write_text(f",{','.join(names)}\none,X,X,\nother,X,,X\n", encoding="utf-8")
    header, *rows = run("rank", "names.csv").stdout.splitlines()
    begins = {cell_len(row[: row.rindex("  ")]) + 2 for row in rows}
    assert begins == {header.index("extent")}
    assert all(name in "".join(rows) for name in names)


def test_control_characters_in_names_stay_harmless(run):
    Path("names.csv").write_bytes(b",\x1b[2Jclear,b\ng\x07,X,X\nh,,X\n")
    result = run("rank", "names.csv")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout
    assert "\\x1b[2Jclear" in result.stdout


def test_long_intents_end_with_their_number(run):
    names = [f"attribute {i}" for i in range(300)]
    Path("wide.cxt").write_text("\n".join(["B", "", "1", "300", "", "g", *names, "X" * 300, ""]))
    assert "… and 200 more" in run("rank", "wide.cxt").stdout
    (row,) = rows_of(run("rank", "wide.cxt", "--format", "jsonl").stdout)
    assert row["intent"] == names


def test_inexact_scores_are_marked_and_counted(run):
    result = run("rank", "movies", "--also", "stability(method=karp_luby)", "--top", "1")
    assert result.stdout.splitlines()[1].split()[2].startswith("~0.")
    assert "19 of 20 scores by stability(method=karp_luby) are estimates" in result.stderr
