from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read, refusal

PETS = SAMPLES["spmf"].text


def test_the_usual_layout():
    assert read("spmf", PETS) == SAMPLES["spmf"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "no final line end": PETS.removesuffix("\n"),
    "blanks at line ends": PETS.replace("\n", " \t\n"),
    "names after the items": "1 3\n2 3\n4\n" + PETS.removesuffix("1 3\n2 3\n4\n"),
    "other lines that begin with @": "@NAME=pets\n" + PETS,
    "comments everywhere": PETS.replace("\n", "\n# again\n%\n"),
    "an item with zeros before": PETS.replace("2 3\n", "002 3 3\n"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("spmf", text) == read("spmf", PETS)


DAMAGE = {
    "a word": (PETS + "four\n", 10, "found 'f' where only"),
    "a word in the middle": (PETS.replace("2 3\n", "2 x 3\n"), 8, "found 'x' where only"),
    "a sequence": (PETS.replace("1 3\n", "1 -1 3 -1 -2\n"), 7, "found '-' where only"),
    "utilities": (PETS.replace("1 3\n", "1 3:9:4 5\n"), 7, "found ':' where only"),
    "supports": (PETS.replace("1 3\n", "1 3 (7)\n"), 7, "found '(' where only"),
    "an item without number": (
        PETS.replace("@ITEM=1=", "@ITEM=one="),
        3,
        "found '@ITEM=one=purrs',",
    ),
    "an item without name": (
        PETS.replace("@ITEM=1=purrs", "@ITEM=1"),
        3,
        "found '@ITEM=1', expected",
    ),
    "a negative item": (PETS.replace("@ITEM=1=", "@ITEM=-1="), 3, "found '@ITEM=-1=purrs',"),
    "an item named twice": (PETS.replace("@ITEM=2=", "@ITEM=1="), 4, "item 1 has a name on line 3"),
    "a name twice": (PETS.replace("=barks", "=purrs"), 4, "an item is named 'purrs' on line"),
    "a name that is another number": (
        PETS.replace("=barks", "=9").replace("2 3\n", "9 3\n"),
        4,
        "attributes 2 and 5 are both",
    ),
    "too many digits": (PETS + "1" * 19 + "\n", 10, "a number of more than 18"),
    "commas": (PETS.replace("1 3\n", "1,3\n"), 7, "found ',' where only"),
    "a NUL byte": (PETS.replace("1 3\n", "1 \0\n"), 7, "holds a NUL byte: binary"),
    "old line ends": (PETS.replace("\n", "\r"), 1, "a carriage return without a"),
    "a matrix": ("# rows\n0 1 1\n1 0 0\n", 1, "every line holds 3 times 0"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("spmf", text, line, key)


def test_items_without_names_are_named_by_their_numbers():
    found = read("spmf", "@ITEM=2=two\n3 2\n10\n")
    assert found.attributes == ("two", "3", "10")
    assert found.crosses == 3


def test_items_that_occur_nowhere_are_attributes():
    assert read("spmf", "@ITEM=7=seven\n@ITEM=999999999999=far\n7\n").attributes == ("seven", "far")


def test_empty_lines_are_objects_unless_told_otherwise():
    text = "# head\n\n1 2\n# middle\n\n3\n"
    assert read("spmf", text).shape == (4, 3)
    assert read("spmf", text, empty_lines=False).objects == ("1", "2")


def test_names_may_hold_anything_but_line_breaks():
    assert read("spmf", "@ITEM=1=a=b, c\n@ITEM=2=\n@ITEM=3= d\n").attributes == ("a=b, c", "", " d")


def test_the_line_is_right_between_comments():
    text = "".join(f"# {k}\n1 2\n" for k in range(50)) + "1 x\n"
    assert refusal("spmf", text).line == 101
