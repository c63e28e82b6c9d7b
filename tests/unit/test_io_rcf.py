from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read, refusal

PETS = SAMPLES["rcf"].text


def test_the_usual_layout():
    assert read("rcf", PETS) == SAMPLES["rcf"].context


VARIANTS = {
    "no blanks between marks": PETS.replace("0 1 1 0", "0110"),
    "no blanks around bars": PETS.replace(" | ", "|"),
    "no bar at the end": PETS.replace("flies |", "flies"),
    "no comments": PETS.removeprefix("# pets\n\n"),
    "no name of the whole": PETS.replace("Default Name\n", ""),
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "blanks at line ends": PETS.replace("\n", " \t\n"),
    "no final line end": PETS.removesuffix("\n"),
    "empty lines at the end": PETS + "\n \n",
    "a relation between contexts": PETS.replace(
        "[END", "[Inter Object Binary Relation]\nlikes\nPets\nPets\ncat |\ndog |\n1\n[END"
    ),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("rcf", text) == read("rcf", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "only comments": ("# nothing\n", 1, "the file ends before"),
    "another first line": (
        PETS.replace("[Relational Context]", "[Context]", 1),
        3,
        "found '[Context]', expected",
    ),
    "cut off after the first line": ("[Relational Context]\n", 1, "the file ends before the"),
    "cut off before the names": (PETS[: PETS.index("cat")], 6, "the file ends before the"),
    "cut off after the objects": (PETS[: PETS.index("purrs")], 7, "the file ends before the"),
    "cut off before the rows": (PETS[: PETS.index("1 0 1")], 8, "the file ends before 3 rows"),
    "cut off between rows": (PETS[: PETS.index("0 0 0 1")], 10, "the file ends before 3 rows"),
    "no end": (PETS[: PETS.index("[END")], 11, "the file ends before [END"),
    "a row missing": (PETS.replace("0 1 1 0\n", ""), 11, "'[' is not a mark"),
    "a row too many": (PETS.replace("[END", "0 0 0 0\n[END"), 12, "found '0 0 0 0', expected"),
    "a short row": (PETS.replace("0 1 1 0", "0 1 1"), 10, "row has 3 marks, expected 4"),
    "a long row": (PETS.replace("0 1 1 0", "0 1 1 0 0"), 10, "row has 5 marks, expected 4"),
    "another mark": (PETS.replace("0 1 1 0", "0 X 1 0"), 10, "'X' is not a mark"),
    "an object twice": (PETS.replace("dog", "cat"), 7, "object name 'cat' occurs"),
    "an attribute twice": (PETS.replace("barks", "purrs"), 8, "attribute name 'purrs'"),
    "an empty name": (PETS.replace("dog", ""), 7, "an empty object name"),
    "text after the end": (PETS + "that is all\n", 13, "found 'that is all' after"),
    "no relation": (
        "[Relational Context]\npets\n[END Relational Context]\n",
        None,
        "holds no context",
    ),
    "a NUL byte": (PETS.replace("dog", "d\0g"), 7, "holds a NUL byte: binary"),
    "old line ends": (PETS.replace("\n", "\r"), 1, "a carriage return without a"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("rcf", text, line, key)


SEVERAL = PETS.replace(
    "[END", "[Binary Relation]\nSmall\na\n\n\n# the end\n[Binary Relation]\n\n\nb | c\n[END"
)


def test_one_of_several_relations_has_to_be_chosen():
    error = refusal("rcf", SEVERAL)
    assert error.reason == "holds 3 contexts"
    assert error.hint == "choose context='Pets' or 'Small' or ''"
    assert read("rcf", SEVERAL, context="Pets") == read("rcf", PETS)
    assert read("rcf", SEVERAL, context="Small").shape == (1, 0)
    assert read("rcf", SEVERAL, context="").shape == (0, 2)


def test_an_unknown_section_may_be_cut_off():
    error = refusal("rcf", PETS.replace("[END Relational Context]", "[Something]\nelse"))
    assert error.reason == "the file ends before [END Relational Context]"
