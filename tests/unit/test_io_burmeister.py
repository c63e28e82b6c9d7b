from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conceptrank.errors import FormatError
from conceptrank.io.formats import burmeister
from io_samples import check_damage

PETS = """B

3
2

cat
dog
canary
flies
purrs
.X
..
X.
"""


def read(text):
    return burmeister.FORMAT.read(text.encode(), source="pets.cxt")


def message(text):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def without_line(text, number):
    lines = text.split("\n")
    return "\n".join(lines[: number - 1] + lines[number:])


def with_line(text, number, line):
    lines = text.split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


def inserted(text, number, line):
    lines = text.split("\n")
    return "\n".join([*lines[: number - 1], line, *lines[number - 1 :]])


VARIANTS = {
    "a name on line 2": with_line(PETS, 2, "pets that I know"),
    "a number as name": with_line(PETS, 2, "3"),
    "another number as name": with_line(PETS, 2, "2"),
    "no line 2": without_line(PETS, 2),
    "no line 5": without_line(PETS, 5),
    "neither": without_line(without_line(PETS, 5), 2),
    "a comment on line 5": with_line(PETS, 5, "% made by hand"),
    "a number on line 5": with_line(PETS, 5, "7"),
    "a comment on line 5, no line 2": without_line(with_line(PETS, 5, "by hand"), 2),
    "a name and no line 5": without_line(with_line(PETS, 2, "pets"), 5),
    "lower case": PETS.replace(".X\n", ".x\n").replace("X.\n", "x.\n"),
    "blanks at line ends": PETS.replace("\n", " \t\n"),
    "blanks around the counts": with_line(PETS, 3, "  3 "),
    "zeros before a count": with_line(PETS, 3, "003"),
    "empty lines at the end": PETS + "\n\n  \n",
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert read(text) == read(PETS)


def test_names_may_be_empty_and_look_like_anything():
    context = read("B\n\n2\n2\n\n\n3\nX.\n\nX.\n.X\n")
    assert context.objects == ("", "3")
    assert context.attributes == ("X.", "")


def test_two_readings_that_agree_are_one():
    assert read("B\n1\n1\n1\ng\nm\nX\n") == read("B\n\n1\n1\n\ng\nm\nX\n")


def test_an_object_and_an_attribute_may_share_a_name():
    context = read("B\n\n1\n1\n\nsame\nsame\nX\n")
    assert context.objects == context.attributes == ("same",)


def test_contexts_without_objects_or_attributes():
    assert read("B\n\n0\n0\n").shape == (0, 0)
    assert read("B\n\n0\n0\n\n").shape == (0, 0)
    assert read("B\n\n0\n2\n\na\nb\n").attributes == ("a", "b")
    assert read("B\n\n0\n2\na\nb\n").attributes == ("a", "b")
    assert read("B\n\n2\n0\n\na\nb\n\n\n").objects == ("a", "b")
    assert read("B\n\n2\n0\na\nb\n\n\n").objects == ("a", "b")


@pytest.mark.parametrize("text", ["A\n2\n3\nX..\nxX.\n", "A\n\n2\n3\n\nX..\nXX.\n\n"])
def test_anonymous_contexts_count_their_names(text):
    context = read(text)
    assert context.objects == ("1", "2")
    assert context.attributes == ("1", "2", "3")
    assert context.rows()[1].tolist() == [0, 0, 1]


def test_anonymous_contexts_without_objects_or_attributes():
    assert read("A\n0\n0\n").shape == (0, 0)
    assert read("A\n2\n0\n\n\n").shape == (2, 0)
    assert read("A\n0\n3\n").shape == (0, 3)


def test_a_very_wide_row_is_fine_as_long_as_it_is_there():
    assert read("A\n1\n1000001\n" + "X" * 1_000_001).crosses == 1_000_001


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "blank": ("\n \n", 1, "the file is empty"),
    "another first line": (PETS.replace("B", "b"), 1, "found 'b', expected B"),
    "B alone": ("B", 1, "found the end, expected the"),
    "cut off in the header": ("B\n\n3\n", 3, "found the end, expected the"),
    "a word for a count": (with_line(PETS, 3, "three"), 3, "found 'three', expected the"),
    "a negative count": (with_line(PETS, 4, "-2"), 4, "found '-2', expected the"),
    "a count out of this world": (with_line(PETS, 3, "9" * 30), 3, "found"),
    "cut off after the header": ("B\n\n3\n2\n", 4, "the file has 4 lines, but its"),
    "cut off in the objects": (PETS[: PETS.index("canary")], 7, "the file has 7 lines, but its"),
    "cut off in the attributes": (PETS[: PETS.index("purrs")], 9, "the file has 9 lines, but its"),
    "cut off before the rows": (PETS[: PETS.index(".X")], 10, "the file has 10 lines, but its"),
    "cut off between rows": (PETS[: PETS.index("X.\n")], 12, "the file has 12 lines, but its"),
    "cut off inside a row": (PETS[:-2], 13, "'X' is no row of 2 marks"),
    "a short row": (with_line(PETS, 12, "."), 12, "'.' is no row of 2 marks"),
    "a long row": (with_line(PETS, 11, ".X."), 11, "'.X.' is no row of 2 marks"),
    "an empty row": (with_line(PETS, 12, ""), 12, "'' is no row of 2 marks"),
    "an unknown mark": (with_line(PETS, 12, ".O"), 12, "'.O' is no row of 2 marks"),
    "zeros and ones": (
        PETS.replace(".X\n..\nX.\n", "01\n00\n10\n"),
        11,
        "'01' is no row of 2 marks",
    ),
    "blanks between marks": (with_line(PETS, 13, "X ."), 13, "'X .' is no row of 2 marks"),
    "a foreign letter": (with_line(PETS, 13, "Х."), 13, "'Х.' is no row of 2 marks"),
    "too many objects announced": (with_line(PETS, 3, "4"), 13, "the file has 13 lines, but its"),
    "too few objects announced": (with_line(PETS, 3, "2"), 10, "'purrs' is no row of 2 marks"),
    "too few attributes announced": (with_line(PETS, 4, "1"), 10, "'purrs' is no row of 1 marks"),
    "far too many objects announced": (
        with_line(PETS, 3, "999999999999999999"),
        13,
        "the file has 13 lines, but its",
    ),
    "counts swapped": (with_line(with_line(PETS, 3, "2"), 4, "3"), 11, "'.X' is no row of 3 marks"),
    "a name lost": (without_line(PETS, 7), 12, "the file has 12 lines, but its"),
    "an empty line between the names": (inserted(PETS, 9, ""), 11, "'purrs' is no row of 2 marks"),
    "text after the rows": (PETS + "that is all\n", 14, "found 'that is all' after"),
    "an object twice": (with_line(PETS, 8, "cat"), 8, "object name 'cat' stands on"),
    "an attribute twice": (with_line(PETS, 10, "flies"), 10, "attribute name 'flies'"),
    "two empty names": (with_line(with_line(PETS, 6, ""), 8, ""), 8, "object name '' stands on"),
    "names that differ in blanks at the end": (
        with_line(PETS, 7, "cat "),
        7,
        "object name 'cat' stands on",
    ),
    "two readings": ("B\n2\n1\n1\nc\nX\nX\nX\n", 2, "the lines fit two readings"),
    "no objects, no line 5, an empty line at the end": (
        "B\n\n0\n2\na\nb\n\n",
        7,
        "empty lines at the end that",
    ),
    "no attributes, but marks": ("B\n\n1\n0\n\na\nX\n", 7, "'X' is no row of 0 marks"),
    "anonymous, cut off": ("A\n2\n3\nX..\n", 4, "the file has 4 lines, but its"),
    "anonymous, empty rows cut off": ("A\n999999999999\n0\n", 3, "the file has 3 lines, but its"),
    "anonymous, unseen attributes": ("A\n0\n999999999999\n", 3, "999999999999 attributes and"),
    "anonymous, too many rows": ("A\n1\n2\nX.\n.X\n", 5, "found '.X' after the last"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("burmeister", text, line, key)


NAME = st.text("aX.3 ", max_size=3).map(str.rstrip)


@st.composite
def files(draw):
    """A well-formed file, any names, no size left out."""
    objects = draw(st.lists(NAME, unique=True, max_size=4))
    attributes = draw(st.lists(NAME, unique=True, max_size=4))
    rows = [
        "".join(draw(st.lists(st.sampled_from("X."), min_size=k, max_size=k)))
        for k in [len(attributes)] * len(objects)
    ]
    lines = ["B", "", str(len(objects)), str(len(attributes)), "", *objects, *attributes, *rows]
    return "\n".join(lines) + "\n"


def same_or_refused(text, damaged):
    try:
        found = read(damaged)
    except FormatError:
        return
    assert found == read(text)


@given(files(), st.data())
def test_a_lost_line_never_gives_another_context(text, data):
    number = data.draw(st.integers(2, text.count("\n")))
    same_or_refused(text, without_line(text, number))


@given(files(), st.data())
def test_an_empty_line_too_many_never_gives_another_context(text, data):
    number = data.draw(st.integers(2, text.count("\n")))
    same_or_refused(text, inserted(text, number, ""))


@given(files(), st.data())
def test_a_cut_off_file_never_gives_another_context(text, data):
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    # Without rows, half of the last name looks like a name.
    assume(text.split("\n")[2] != "0" or cut.endswith("\n"))
    same_or_refused(text, cut)


@given(files(), st.data())
def test_a_wrong_count_never_gives_another_context(text, data):
    number = data.draw(st.sampled_from([3, 4]))
    count = data.draw(st.integers(0, 6))
    assume(text.split("\n")[number - 1] != str(count))
    damaged = with_line(text, number, str(count))
    with pytest.raises(FormatError):
        read(damaged)


@given(st.text("BA\n01X.ab ", max_size=40).map("B\n".__add__))
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        read(text)
    except FormatError:
        assert message(text).startswith("pets.cxt, line ")
