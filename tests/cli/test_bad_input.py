"""Bad input gives one line that names file, line and reason, and never a traceback."""

import gzip
import inspect
from pathlib import Path

import pytest

import conceptrank as cr
from conceptrank.cli._input import _OWN_OPTIONS

GOOD = "B\n\n2\n3\n\ng1\ng2\na\nb\nc\nX.X\n.XX\n"

BAD = {
    "cut_off.cxt": (GOOD[: GOOD.index(".XX")], "cut_off.cxt", "line"),
    "cut_off_names.cxt": (GOOD[: GOOD.index("b\n")], "cut_off_names.cxt", "line"),
    "wrong_count.cxt": (GOOD.replace("\n2\n", "\n3\n", 1), "wrong_count.cxt", "line"),
    "no_number.cxt": (GOOD.replace("\n2\n", "\ntwo\n", 1), "no_number.cxt", "line 3"),
    "ragged.cxt": (GOOD.replace(".XX", ".X"), "ragged.cxt", "line 12"),
    "ragged.csv": (",a,b\ng,X,\nh,X\n", "ragged.csv", "line 3"),
    "no_mark.csv": (",a,b\ng,X,maybe\n", "no_mark.csv", "line 2"),
    "letters.dat": ("1 2 3\n1 x 3\n", "letters.dat", "line 2"),
    "empty.cxt": ("", "empty.cxt", ""),
}


@pytest.mark.parametrize("name", BAD)
def test_damaged_files(run, name):
    content, source, line = BAD[name]
    Path(name).write_text(content)
    result = run("rank", name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert source in result.stderr
    assert line in result.stderr
    assert "hint" in result.stderr


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("X", "x").encode(),
        gzip.compress(GOOD.encode()),
    ],
    ids=["CRLF", "byte order mark", "lower-case x", "gzip"],
)
def test_harmless_oddities_are_read(run, content):
    Path("plain.cxt").write_text(GOOD)
    Path("odd.cxt").write_bytes(content)
    assert run("rank", "odd.cxt").exit_code == 0
    assert run("rank", "odd.cxt").stdout == run("rank", "plain.cxt").stdout


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("missing.cxt", "no such file: missing.cxt"),
        ("folder/missing.cxt", "no such file: folder/missing.cxt"),
        ("movie", "did you mean movies?"),
        ("nothing_like_it", "no data set of that name (hint: data sets: movies, "),
        (".", "is a directory"),
    ],
)
def test_files_that_are_none(run, file, message):
    result = run("rank", file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("scale=auto", "--read scale=… is --scale"),
        ("format=csv", "--read format=… is --input-format"),
        ("objects=a", "--read objects=… is --object-names"),
        ("weights=a", "--read weights=… is --weight-column"),
        ("label=a", "--read label=… is --label"),
        ("max_bytes=many", "--read max_bytes=many: expected a whole number"),
    ],
)
def test_read_is_for_options_of_formats(run, option, message):
    result = run("info", "x.csv", "--read", option)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr


def test_every_keyword_of_load_is_known():
    own = set(inspect.signature(cr.load).parameters) | {"label"}
    own -= {"source", "options", "max_bytes"}
    assert own == _OWN_OPTIONS.keys()
    every = (*cr.io.formats(), *cr.io.table_formats())
    assert not own & {name for entry in every for name in entry.option_types()}
