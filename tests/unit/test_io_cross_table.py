from __future__ import annotations

import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrank.errors import FormatError
from conceptrank.io import delimited
from conceptrank.io.formats import cross_table
from conceptrank.io.marks import FastMarks
from io_samples import check_damage

PETS = "pet,flies,purrs\ncat,,X\ndog,,\ncanary,X,\n"


def read(text):
    return cross_table.FORMAT.read(text.encode(), source="pets.csv")


def message(text):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_usual_layout():
    context = read(PETS)
    assert context.objects == ("cat", "dog", "canary")
    assert context.attributes == ("flies", "purrs")
    indptr, indices = context.rows()
    assert indptr.tolist() == [0, 1, 1, 2]
    assert indices.tolist() == [1, 0]


VARIANTS = {
    "semicolons": PETS.replace(",", ";"),
    "tabs": PETS.replace(",", "\t"),
    "no corner": PETS.removeprefix("pet"),
    "blanks around fields": PETS.replace(",", " , "),
    "blanks at line ends": PETS.replace("\n", "  \n"),
    "empty lines at the end": PETS + "\n \n\t\n",
    "everything quoted": 'pet,"flies","purrs"\n"cat","","X"\n"dog","",""\n"canary","X",""\n',
    "blanks around quotes": 'pet, "flies" ,"purrs" \n "cat" ,, "X"\ndog,,\ncanary,X,\n',
    "tabs, the last cell empty": "pet\tflies\tpurrs\ncat\t\tX\ndog\t\t\ncanary\tX\t",
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert read(text) == read(PETS)


@pytest.mark.parametrize("cross", ["X", "x", "1", "true", "True", "TRUE", "t", "yes", "Y", " x "])
@pytest.mark.parametrize("none", ["", "0", "false", "False", "FALSE", "f", "no", "N", ".", "  "])
def test_spellings_of_marks(cross, none):
    context = read(f"pet;flies;purrs\ncat;{none};{cross}\ncanary;{cross};{none}\n")
    assert context.rows()[1].tolist() == [1, 0]


def test_a_separator_inside_names_is_told_from_the_one_between_fields():
    context = read("pet;flies, or so;purrs\nthe cat, mine;;X\n")
    assert context.attributes == ("flies, or so", "purrs")
    assert context.objects == ("the cat, mine",)


def test_quoted_names_keep_separators_quotes_blanks_and_line_breaks():
    context = read('pet,"a ""big"" one"," b ","c\nd"\n"x,y",1,0,0\n"",0,0,1\n')
    assert context.attributes == ('a "big" one', " b ", "c\nd")
    assert context.objects == ("x,y", "")


def test_lines_are_counted_through_quoted_line_breaks():
    assert message('pet,"a\nb",c\n"x\n\ny",1,0\nz,?,0\n').startswith(
        "pets.csv, line 6: column 'a\\nb': '?' is not a mark"
    )


def test_lines_are_counted_inside_a_row_too():
    assert message('pet,a\n"x\n\ny"z,1\n').startswith("pets.csv, line 4: found 'z' after")


def test_a_table_without_rows():
    assert read(",a,b\n").shape == (0, 2)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "blank": ("\n  \n", 1, "the file is empty"),
    "one column": ("pet\ncat\ndog\n", 1, "no separator in the header"),
    "a short row": (PETS.replace("dog,,", "dog,"), 3, "row has 2 fields, expected"),
    "a long row": (PETS.replace("dog,,", "dog,,,"), 3, "row has 4 fields, expected"),
    "a cut-off row": (PETS[:-4], 4, "row has 1 fields, expected"),
    "a row that is ragged late": (
        PETS + "".join(f"{g},,\n" for g in range(50)) + "last\n",
        55,
        "row has 1 fields, expected",
    ),
    "an empty line inside": (PETS.replace("dog,,", ""), 3, "an empty line inside the"),
    "no corner field at all": (PETS.removeprefix("pet,"), 2, "row has 3 fields, expected"),
    "a raw value": (PETS.replace("canary,X", "canary,often"), 4, "column 'flies': 'often' is"),
    "a raw value far down": (
        PETS + "".join(f"{g},,\n" for g in range(50)) + "last,0,2\n",
        55,
        "column 'purrs': '2' is not",
    ),
    "a long raw value": (PETS.replace("canary,X", "canary," + "a" * 99), 4, "column 'flies':"),
    "raw numbers": ("pet,legs,age\ncat,4,1\n", 2, "column 'legs': '4' is not a"),
    "pairs": ("object,attribute\ncat,purrs\n", 2, "column 'attribute': 'purrs'"),
    "a missing value": (PETS.replace("dog,,", "dog,?,"), 3, "column 'flies': '?' is not"),
    "an object twice": (PETS.replace("canary", "cat"), 4, "object name 'cat' stands on"),
    "an attribute twice": (PETS.replace("purrs", "flies"), 1, "attribute name 'flies' is"),
    "an attribute without name": ("pet,flies,\ncat,X,\n", 1, "the attribute in column 3"),
    "an object without name": (PETS.replace("dog", ""), 3, "the object has no name"),
    "a quote never closed": (PETS.replace("dog", '"dog'), 3, "a quote is opened and never"),
    "text after a quote": (PETS.replace("dog", '"do"g'), 3, "found 'g' after a closing"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("cross_table", text, line, key)


def test_two_separators_that_both_work_are_not_guessed_at():
    assert message("pet;a,b;c\n") == (
        "pets.csv, line 1: the rows can be split at ',' or at ';' "
        "(hint: put the names that hold a separator in quotes)"
    )


def test_a_header_that_looks_like_a_row_is_refused():
    assert message("5,1,0\n3,0,1\n") == (
        "pets.csv, line 1: the first line looks like a row of marks, not like a header "
        "(hint: if it is a header, leave its first field empty)"
    )
    assert read(",1,0\n3,0,1\n").attributes == ("1", "0")


def test_the_separator_can_be_named():
    for separator in ("|", " ", "::", ","):
        text = PETS.replace(",", separator)
        assert cross_table.FORMAT.read(text.encode(), separator=separator) == read(PETS)
    for text in (PETS, PETS.replace("pet,flies,purrs", ""), ""):
        with pytest.raises(FormatError, match="line 1: no separator in the header"):
            cross_table.FORMAT.read(text.encode(), separator="|")


YES = st.sampled_from(["X", "x", "1", "true", "True", "TRUE", "tRuE", "t", "yes", "Y", '"X"', " 1"])
NO = st.sampled_from(["", "0", "false", "False", "f", "no", ".", '""', " ", '"0"', "0 "])
NAME = st.one_of(
    st.sampled_from(["cat", "dog", "Bär", '"a,b"', '"x ""y"""', '"line\nbreak"', " padded ", '""']),
    st.text("abcdefgh", min_size=1, max_size=5),
)


def unquoted(name):
    return next(csv.reader(StringIO(name.strip(" "), newline=""), strict=True))[0]


@given(
    st.integers(1, 5).flatmap(
        lambda q: st.lists(
            st.tuples(NAME, st.lists(st.tuples(st.booleans(), YES, NO), min_size=q, max_size=q)),
            min_size=1,
            max_size=8,
            unique_by=lambda row: unquoted(row[0]),
        )
    ),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 60),
)
def test_rows_are_read_the_same_at_once_and_one_by_one(rows, separator, line_end, block_bytes):
    q = len(rows[0][1])
    lines = [["name", *(f"a{m}" for m in range(q))]]
    lines += [[name, *(yes if has else no for has, yes, no in cells)] for name, cells in rows]
    data = "".join(separator.join(line) + line_end for line in lines).encode()
    expected_names = [unquoted(name) for name, _ in rows]
    expected = [[m for m, (has, _, _) in enumerate(cells) if has] for _, cells in rows]
    with pytest.MonkeyPatch.context() as patch:
        # Small blocks, so that every way to cut a file is tried.
        patch.setattr(delimited, "BLOCK_BYTES", block_bytes)
        at_once = cross_table.FORMAT.read(data, separator=separator)
        patch.setattr(FastMarks, "read", lambda self, data: None)
        one_by_one = cross_table.FORMAT.read(data, separator=separator)
    assert at_once == one_by_one
    assert list(at_once.objects) == expected_names
    indptr, indices = at_once.rows()
    assert [indices[indptr[g] : indptr[g + 1]].tolist() for g in range(len(rows))] == expected


@pytest.mark.parametrize(
    "row", ["cat,1,maybe", "cat,1", "cat,1,0,0", ",1,0", 'c"t,1,0', "cat,1,9", '"cat"s,1,0', ""]
)
def test_what_is_unusual_is_left_to_the_careful_reader(row):
    rows = "".join(f"g{g},1,0\n" for g in range(5))
    assert FastMarks(",", 3).read(f"{rows}{row}\n{rows}".encode()) is None


def test_the_line_is_right_beyond_the_first_block(monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 64)
    rows = "".join(f"g{g},1,0\n" for g in range(500))
    assert message(f",a,b\n{rows}cat,1,9\n").startswith(
        "pets.csv, line 502: column 'b': '9' is not"
    )
    assert message(f",a,b\n{rows}g7,1,0\n").startswith(
        "pets.csv, line 502: object name 'g7' stands on line 9 already"
    )
    with pytest.raises(FormatError, match="line 502: byte 0xe4 in column 2 is not UTF-8"):
        cross_table.FORMAT.read(f",a,b\n{rows}".encode() + b"B\xe4r,1,0\n")
