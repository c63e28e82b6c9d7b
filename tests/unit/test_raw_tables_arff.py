"""ARFF files, well-formed and not."""

from __future__ import annotations

import datetime as dt
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrank.errors import ConceptRankError, FormatError
from conceptrank.io.raw import arff
from conceptrank.io.raw import text as raw_text

HEAD = "@relation r\n@attribute a {x,y}\n@attribute b numeric\n@data\n"


def read(text: str) -> pl.DataFrame:
    return arff.FORMAT.read(text.encode(), source="r.arff")


def values(kind: str, *cells: str) -> list[Any]:
    return read(f"@relation r\n@attribute a {kind}\n@data\n" + "\n".join(cells))["a"].to_list()


def test_a_file_with_everything() -> None:
    frame = read(
        "% a comment\r\n\r\n@RELATION 'my pets'\r\n"
        "@ATTRIBUTE 'full name' STRING\r\n"
        '@Attribute "size" { small , \'very big\', "it\'s" }\r\n'
        "@attribute legs INTEGER [0,9]\r\n"
        "@attribute kg real\r\n"
        "@attribute born DATE yyyy-MM-dd\r\n"
        "@DATA\r\n"
        "% another\r\n"
        "'Tom, the cat', small, 4, 3.5, 2020-01-31\r\n"
        "\r\n"
        "\"O'Malley\",'very big',?,?,?\r\n"
        "'?',\"it's\",2,1e2,2020-02-01\r\n"
    )
    assert frame.columns == ["full name", "size", "legs", "kg", "born"]
    assert frame.rows() == [
        ("Tom, the cat", "small", 4, 3.5, dt.date(2020, 1, 31)),
        ("O'Malley", "very big", None, None, None),
        ("?", "it's", 2, 100.0, dt.date(2020, 2, 1)),
    ]
    assert frame.schema["size"] == pl.Enum(["small", "very big", "it's"])
    assert frame.schema["legs"] == pl.Int64


def test_types() -> None:
    assert values("integer", "1", "2.5") == [1.0, 2.5]
    assert values("string", r"'a\'b\n\\\u00e9'") == ["a'b\n\\é"]
    assert values("date", "2020-01-31T08:30:00") == [dt.datetime(2020, 1, 31, 8, 30)]
    assert values("date 'dd.MM.yyyy HH:mm'", "'31.01.2020 08:30'") == [
        dt.datetime(2020, 1, 31, 8, 30)
    ]
    assert values("{a,b}") == []


def test_sparse_rows() -> None:
    frame = read(HEAD + "{0 y, 1 2.5}\n{}\n{1 ?}\n{ 1 3 }\nx,1\n{0 'y'}\n")
    assert frame.rows() == [("y", 2.5), ("x", 0.0), ("x", None), ("x", 3.0), ("x", 1.0), ("y", 0.0)]


def test_blanks_between_values() -> None:
    assert read(HEAD + "x\t1\ny 2\n").rows() == [("x", 1.0), ("y", 2.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no @data"),
        ("@relation r\n@attribute a numeric\n", "no @data"),
        ("@relation r\n@data\n1\n", "line 2: no @attribute before @data"),
        ("a,b\n", "line 1: expected @attribute or @data, found 'a,b'"),
        ("@relation r\n@attribute a\n@data\n", "line 2: 'a' doesn't declare a column"),
        ("@relation r\n@attribute 'a numeric\n@data\n", "line 2: .* doesn't declare a column"),
        ("@relation r\n@attribute a relational\n@data\n", "line 2: column 'a': can't read type"),
        ("@relation r\n@attribute a {x,y\n@data\n", "line 2: column 'a': the list of values is"),
        ("@relation r\n@attribute a {x,?}\n@data\n", "line 2: column 'a': the list of values is"),
        ("@relation r\n@attribute a {x,,y}\n@data\n", "line 2: a value is empty"),
        ("@relation r\n@attribute a {x,x}\n@data\n", "line 2: column 'a': .* has one twice"),
        ("@relation r\n@attribute a real\n@attribute a real\n@data\n", "line 3: two columns are"),
        (HEAD + "x\n", "line 5: row has 1 values, expected 2"),
        (HEAD + "x,1\nx,1,2\n", "line 6: row has 3 values, expected 2"),
        (HEAD + "x,1,{5}\n", r"line 5: can't read '\{5\}'"),
        (HEAD + "x,1\nz,1\n", "line 6: column 'a': 'z' is not one of its listed values"),
        (HEAD + "x,1\n\nx,one\n", "line 7: column 'b': 'one' is not a number"),
        (HEAD + "x,\n", "line 5: a value is empty"),
        (HEAD + "'x,1\n", "line 5: can't read \"'x,1\""),
        (HEAD + "{0 y\n", "line 5: a sparse row is not closed"),
        (HEAD + "{2 y}\n", "line 5: can't read '2 y' of a sparse row"),
        (HEAD + "{0 y, 0 x}\n", "line 5: can't read '0 x' of a sparse row"),
        (HEAD + "{y}\n", "line 5: can't read 'y' of a sparse row"),
        ("@relation r\n@attribute a string\n@data\n{}\n", "'a' is left out of a sparse row"),
        ("@relation r\n@attribute a real\n@data\n1\0\n", "NUL byte"),
    ],
)
def test_damage(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read(text)
    assert str(caught.value).startswith("r.arff")


def test_wrong_encodings() -> None:
    with pytest.raises(FormatError, match="line 1: byte 0xe4"):
        arff.FORMAT.read("% Käse\n@relation r\n".encode("latin-1"))
    with pytest.raises(FormatError, match="line 5: byte 0xff"):
        arff.FORMAT.read(HEAD.encode() + b"\xff,1\n")


PIECES = st.sampled_from(
    [
        *("@relation r\n", "@attribute a {x,y}\n", "@attribute b numeric\n", "@data\n"),
        *("@attribute 'c d' string\n", "@attribute e date\n", "x,1\n", "{0 y}\n", "'", '"', "\\"),
        *(",", "?", "%", "{", "}", "\n", "\r", "\0", "é", " ", "\t", "2020-01-01T00:00:00", "nan"),
        *(";", "|", "a,b\n", "1;2\n", "-1,5\n", '"x,y",1\n', "true\n", "2020-01-01\n", "0x"),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=25).map(lambda parts: "".join(parts).encode()),
    st.lists(PIECES, max_size=12).map(lambda parts: (HEAD + "".join(parts)).encode()),
    st.binary(max_size=60),
)


@settings(max_examples=400)
@given(TEXTS)
def test_only_our_own_errors_come_out(data: bytes) -> None:
    for reader in (arff.read, raw_text.read):
        try:
            reader(data)
        except ConceptRankError:
            continue
