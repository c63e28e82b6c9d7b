from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read, refusal

PETS = SAMPLES["pairs"].text


def test_the_usual_layout():
    assert read("pairs", PETS) == SAMPLES["pairs"].context


VARIANTS = {
    "semicolons": PETS.replace(",", ";"),
    "tabs": PETS.replace(",", "\t"),
    "bars": PETS.replace(",", "|"),
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "no header": PETS.removeprefix("object,attribute\n"),
    "a header in capitals": PETS.replace("object,attribute", "Object , Attribute"),
    "blanks around fields": PETS.replace(",", " , "),
    "everything quoted": "".join(
        f'"{a}","{b}"\n' for a, b in (line.split(",") for line in PETS.splitlines())
    ),
    "no final line end": PETS.removesuffix("\n"),
    "empty lines at the end": PETS + "\n \n\t\n",
    "pairs twice": PETS + PETS.removeprefix("object,attribute\n"),
    "names announced": PETS.replace("attribute\n", "attribute\n,purrs\n,barks\ncat,\n"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("pairs", text) == read("pairs", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "blank": ("\n  \n", 1, "the file is empty"),
    "one column": ("cat\ndog\n", 1, "no separator in 'cat'"),
    "blanks between": ("cat purrs\ndog barks\n", 1, "no separator in 'cat purrs'"),
    "a line with one field": (PETS.replace("dog,barks", "dog"), 3, "row has 1 fields, expected"),
    "a line with three fields": (
        PETS.replace("dog,barks", "dog,barks,loudly"),
        3,
        "row has 3 fields, expected",
    ),
    "three columns": ("1,cat,purrs\n2,dog,barks\n", 1, "row has 3 fields, expected"),
    "a ragged line far down": (
        PETS + "".join(f"{g},a\n" for g in range(50)) + "last\n",
        57,
        "row has 1 fields, expected",
    ),
    "an empty line": (PETS.replace("dog,barks", ""), 3, "an empty line inside the"),
    "neither object nor attribute": (PETS.replace("dog,barks", ","), 3, "neither an object nor an"),
    "a quote never closed": (
        PETS.replace("dog,barks", '"dog,barks'),
        3,
        "a quote is opened and never",
    ),
    "text after a quote": (
        PETS.replace("dog,barks", '"dog"s,barks'),
        3,
        "found 's' after a closing",
    ),
    "two separators that both work": ("a,b;c\nd,e;f\n", 1, "the rows can be split at"),
    "a NUL byte": (PETS.replace("dog", "d\0g"), 3, "holds a NUL byte: binary"),
    "old line ends": (PETS.replace("\n", "\r"), 1, "a carriage return without a"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("pairs", text, line, key)


def test_the_header_can_be_told():
    text = "who,what\ncat,purrs\n"
    assert read("pairs", text, header=True).objects == ("cat",)
    assert read("pairs", text).objects == ("who", "cat")
    assert read("pairs", PETS, header=False).objects[0] == "object"


def test_other_separators():
    assert read("pairs", "cat -> purrs\ndog -> barks\n", separator="->").attributes == (
        "purrs",
        "barks",
    )
    assert read("pairs", "cat purrs\n", separator=" ").objects == ("cat",)


def test_lone_objects_and_attributes():
    found = read("pairs", ',sings\ncat,purrs\nstone,\n"",purrs\n')
    assert found.objects == ("cat", "stone", "")
    assert found.attributes == ("sings", "purrs")
    assert found.crosses == 2


def test_quoted_names_hold_anything():
    found = read("pairs", '"a,b","c ""d"""\n" e ","f\ng"\n')
    assert found.objects == ("a,b", " e ")
    assert found.attributes == ('c "d"', "f\ng")


def test_lines_are_counted_through_quoted_line_breaks():
    error = refusal("pairs", '"a\nb",c\n\nd,e\n')
    assert (error.line, error.reason) == (3, "an empty line inside the table")
