from __future__ import annotations

import gzip
from io import BytesIO, StringIO
from pathlib import Path

import polars as pl
import pytest

import conceptrank as cr
from conceptrank import io, scaling
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError, FormatError, InputWarning, UnknownNameError
from conceptrank.io import Fit, registry, sources

BURMEISTER = "B\n\n1\n2\n\ncat\nflies\npurrs\n.X\n"
TABLE = "pet,flies,purrs\ncat,,X\n"
BASKETS = "1 2\n1 2 3\n"
KNOWN = ", ".join(entry.name for entry in io.formats())


def test_paths_and_open_files_of_every_kind_read_the_same(tmp_path):
    path = tmp_path / "pets.cxt"
    path.write_text(BURMEISTER, encoding="utf-8")
    context = cr.load(path)
    assert context.attributes == ("flies", "purrs")
    assert cr.load(str(path)) == context
    with path.open("rb") as file:
        assert cr.load(file) == context
    with path.open(encoding="utf-8") as file:
        assert cr.load(file) == context
    assert cr.load(StringIO(BURMEISTER)) == context
    assert cr.load(BytesIO(gzip.compress(BURMEISTER.encode()))) == context


@pytest.mark.parametrize(
    ("name", "text", "attributes"),
    [
        ("pets.cxt", BURMEISTER, ("flies", "purrs")),
        ("pets.csv", BURMEISTER, ("flies", "purrs")),
        ("pets.dat", BURMEISTER, ("flies", "purrs")),
        ("pets", BURMEISTER, ("flies", "purrs")),
        ("pets.csv", TABLE, ("flies", "purrs")),
        ("pets.txt", TABLE, ("flies", "purrs")),
        ("pets.tsv", TABLE.replace(",", "\t"), ("flies", "purrs")),
        ("pets.dat", BASKETS, ("1", "2", "3")),
        ("pets.txt", BASKETS, ("1", "2", "3")),
        ("pets.dat", BASKETS.replace(" ", "\t"), ("1", "2", "3")),
        ("numbers.tsv", "0\t7\t8\n1\t1\t0\n", ("7", "8")),
        ("numbers.dat", "0\t7\t8\n1\t1\t0\n", ("0", "1", "7", "8")),
        ("pets.dat", "", ()),
    ],
)
def test_content_decides_first_and_suffix_second(tmp_path, name, text, attributes):
    for suffix, data in (("", text.encode()), (".gz", gzip.compress(text.encode()))):
        path = tmp_path / (name + suffix)
        path.write_bytes(data)
        assert cr.load(path).attributes == attributes


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "numbers.txt",
            "0\t7\t8\n1\t1\t0\n",
            "the content fits cross_table and fimi, and the suffix fits neither "
            "(hint: name the format: cross_table or fimi)",
        ),
        (
            "numbers.csv",
            "5 4 3\n3\n",
            "the content fits fimi, the suffix .csv another format "
            "(hint: name the format: cross_table or fimi)",
        ),
        (
            "pets.cxt",
            TABLE,
            "the content fits cross_table, the suffix .cxt another format "
            "(hint: name the format: burmeister or cross_table)",
        ),
        (
            "notes.txt",
            "Dear!\n",
            f"the content fits no known format (hint: known formats are {KNOWN})",
        ),
        (
            "nothing.txt",
            "",
            f"the file is empty (hint: known formats are {KNOWN})",
        ),
    ],
)
def test_doubt_is_an_error_with_the_candidates(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        cr.load(path)
    assert str(caught.value) == f"{path}: {expected}"


def test_the_suffix_names_the_format_of_a_damaged_file(tmp_path):
    path = tmp_path / "pets.cxt"
    path.write_text("C\n\n1\n1\n")
    with pytest.raises(FormatError, match="line 1: found 'C', expected B"):
        cr.load(path)


def test_a_named_format_overrules_content_and_suffix(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("0\t7\t8\n1\t1\t0\n")
    assert cr.load(path, format="fimi").shape == (2, 4)
    assert cr.load(path, format="dat").shape == (2, 4)
    assert cr.load(path, format="cross_table").shape == (1, 2)
    assert cr.load(path, format=".csv").shape == (1, 2)
    with pytest.raises(FormatError, match="expected B"):
        cr.load(path, format="burmeister")


def test_wide_tables_are_recognised_beyond_the_first_bytes():
    header = ",".join(f"attribute {m}" for m in range(20_000))
    rows = "".join(f"{name}{',X' * 20_000}\n" for name in "ghijk")
    assert len(header) > sources.HEAD_BYTES
    assert cr.load(StringIO(f"corner,{header}\n{rows}")).crosses == 5 * 20_000


def test_long_tables_are_recognised_though_the_head_ends_inside_a_row():
    header = "".join(f",{m}" for m in range(3000))
    rows = "".join(f"{g}{',X' * 3000}\n" for g in range(20))
    assert len(header) < sources.HEAD_BYTES < len(rows)
    assert cr.load(StringIO(f"{header}\n{rows}")).shape == (20, 3000)


def test_unknown_formats_and_options_come_with_suggestions():
    with pytest.raises(UnknownNameError, match="unknown format 'burmester'; did you mean 'burmeis"):
        cr.load(StringIO(BURMEISTER), format="burmester")
    with pytest.raises(UnknownNameError, match=r"'empty_line' in format fimi; did you mean 'empty"):
        cr.load(StringIO(BASKETS), empty_line=False)
    assert cr.load(StringIO("1 2 3\n\n2\n"), empty_lines=False).shape == (2, 3)


def one_line(call, *arguments, **keywords):
    with pytest.raises(ConceptRankError) as caught:
        call(*arguments, **keywords)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_missing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = one_line(cr.load, "animals.cxt")
    assert str(error) == "no such file: animals.cxt (hint: check the path)"
    assert isinstance(error, FormatError)
    assert isinstance(error, FileNotFoundError)
    Path("animals.csv").write_text(TABLE)
    assert str(one_line(cr.load, "animals.cxt")) == (
        "no such file: animals.cxt (hint: did you mean animals.csv?)"
    )
    assert str(one_line(cr.load, "zoo/animals.cxt")) == (
        "no such file: zoo/animals.cxt (hint: there is no directory zoo)"
    )
    assert str(one_line(cr.load, "animals.csv/pets.cxt")).startswith(
        "no such file: animals.csv/pets.cxt"
    )


def test_paths_that_are_no_readable_files(tmp_path):
    assert str(one_line(cr.load, tmp_path)).startswith(
        f"{tmp_path}: is a directory without Parquet, Feather or CSV files (hint: name a file"
    )
    assert "can't be read" in str(one_line(cr.load, "a" * 5000))
    assert "can't be read" in str(one_line(cr.load, "a\0b"))
    assert "no such file" in str(one_line(cr.load, ""))


@pytest.mark.parametrize("name", ["junk.cxt", "junk.csv", "junk.dat", "junk.bin"])
@pytest.mark.parametrize(
    "junk",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\x7fELF\x02\x01\x01\0",
        bytes(range(256)),
        b"\xff" * 9,
        b"\0",
    ],
)
def test_binary_junk_is_refused_in_one_line(tmp_path, name, junk):
    path = tmp_path / name
    path.write_bytes(junk)
    error = one_line(cr.load, path)
    assert str(error).startswith(f"{path}")
    assert "(hint: " in str(error)


def test_open_files_in_another_encoding(tmp_path):
    path = tmp_path / "pets.cxt"
    path.write_bytes(BURMEISTER.replace("cat", "Bär").encode("latin-1"))
    with path.open(encoding="utf-8") as file:
        assert "is not UTF-8 text" in str(one_line(cr.load, file))
    with path.open(encoding="latin-1") as file:
        assert cr.load(file).objects == ("Bär",)


def test_saving_where_nothing_can_be_saved(tmp_path):
    context = cr.load(StringIO(TABLE))
    target = tmp_path / "missing" / "pets.cxt"
    assert str(one_line(io.save, context, target)).startswith(f"{target}: can't be written: ")
    suffixes = ", ".join(s for entry in io.formats() if entry.write for s in entry.suffixes)
    assert ".cxt, .ctx" in suffixes
    assert str(one_line(io.save, context, "pets.pdf")) == (
        "pets.pdf: the suffix '.pdf' doesn't tell the format "
        f"(hint: name the format or use one of {suffixes})"
    )
    assert str(one_line(io.save, context, "pets")) == (
        f"pets: has no suffix (hint: name the format or use one of {suffixes})"
    )


def test_saving_in_a_named_format(tmp_path):
    context = cr.load(StringIO(TABLE))
    io.save(context, tmp_path / "pets.txt", format="burmeister")
    assert (tmp_path / "pets.txt").read_text() == BURMEISTER


def test_a_further_format_joins_by_one_call(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_FORMATS", dict(registry._FORMATS))

    def read(data, *, source):
        words = data.decode().split()[1:]
        return Context(["line"], words, [[True] * len(words)])

    io.register(
        io.Format(
            name="words",
            suffixes=(".words",),
            description="one object with these words",
            sniff=lambda head: Fit.LIKELY if head.startswith(b"words:") else Fit.NO,
            read=read,
        )
    )
    path = tmp_path / "some.words"
    path.write_text("words: a b")
    context = cr.load(path)
    assert context.attributes == ("a", "b")
    assert cr.load(StringIO("words: a b")) == context
    assert str(one_line(io.save, context, path, format="words")) == (
        f"{path}: format words can be read only"
    )


def test_every_format_is_described():
    names = [entry.name for entry in io.formats()]
    assert names == sorted(names)
    suffixes = [suffix for entry in io.formats() for suffix in entry.suffixes]
    assert len(suffixes) == len(set(suffixes)), "a suffix tells one format"
    for entry in io.formats():
        assert entry.description
        assert all(suffix.startswith(".") and suffix.islower() for suffix in entry.suffixes)


PEOPLE = b"id,age,sex\n7,30,f\n8,41,m\n9,17,m\n"


@pytest.mark.parametrize(
    ("scale", "attributes"),
    [
        ("age=ordinal:18,40", ("age ≤ 18", "age ≤ 40", "sex = f", "sex = m")),
        (["age=ordinal:18", "sex=drop"], ("age ≤ 18",)),
        ({"age": "ordinal:18", "sex": "nominal"}, ("age ≤ 18", "sex = f", "sex = m")),
        ("auto", ("age = 17", "age = 30", "age = 41", "sex = f", "sex = m")),
    ],
)
def test_raw_values_are_scaled_when_asked(tmp_path, scale, attributes):
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE)
    context = cr.load(path, scale=scale, drop=["id"], header=True)
    assert (context.objects, context.attributes) == (("1", "2", "3"), attributes)
    plan = scaling.open_source(path, scale=["age=ordinal:18"], objects="id", header=True).plan
    plan.save(tmp_path / "plan.toml")
    for given in (plan, tmp_path / "plan.toml", str(tmp_path / "plan.toml")):
        found = cr.load(path, scale=given)
        assert (found.objects, found.attributes[0]) == (("7", "8", "9"), "age ≤ 18")
    assert cr.load(path, objects="id").objects == ("7", "8", "9")


def test_a_table_of_raw_values_is_scaled_and_said_to_be(tmp_path):
    frame = pl.DataFrame({"age": [30, 41], "sex": ["f", "m"]})
    frame.write_parquet(tmp_path / "people.parquet")
    frame.write_ipc(tmp_path / "people.csv")
    (tmp_path / "people.dat").write_text("@relation p\n@attribute sex {f,m}\n@data\nf\nm\n")
    (tmp_path / "people.txt").write_bytes("30\tf\n41\tm\n".encode("utf-16"))
    for name in ("people.parquet", "people.csv", "people.dat"):
        with pytest.warns(InputWarning, match=f"{name}: columns were scaled"):
            found = cr.load(tmp_path / name)
        assert found == cr.load(tmp_path / name, scale="auto")
    with pytest.raises(FormatError, match="is UTF-16 text, expected UTF-8") as caught:
        cr.load(tmp_path / "people.txt")
    assert "scale='auto'" in str(caught.value.hint)
    assert cr.load(tmp_path / "people.txt", scale="auto").shape[0] == 2


@pytest.mark.parametrize("folder", ["formats", "raw"])
def test_a_format_needs_no_second_list(folder):
    # A module that declares a format is found because it is there.
    package = Path(io.__file__).parent / folder
    declaring = [path.stem for path in package.glob("*.py") if "= Format(" in path.read_text()]
    known = {entry.read.__module__ for entry in (*io.formats(), *io.table_formats())}
    assert {f"conceptrank.io.{folder}.{name}" for name in declaring} <= known
    for path in (*package.parent.glob("*.py"), *package.glob("__init__.py")):
        text = path.read_text()
        assert not [name for name in declaring if f"import {name}" in text], path


def test_types_of_options_come_from_the_readers():
    found = {
        name: io.option_value(name, text)
        for name, text in [
            *[("header", "no"), ("empty_lines", "TRUE"), ("skip", "3")],
            *[("separator", "\\t"), ("names", "label"), ("names", "a,b"), ("missing_words", "-")],
        ]
    }
    assert found == {
        "header": False,
        "empty_lines": True,
        "skip": 3,
        "separator": "\t",
        "names": ["a", "b"],
        "missing_words": ["-"],
    }
    assert io.option_value("names", "label") == ["label"]
    with pytest.raises(FormatError, match="header=perhaps: expected true or false"):
        io.option_value("header", "perhaps")
