from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read

PETS = SAMPLES["slf"].text


def test_the_usual_layout():
    assert read("slf", PETS) == SAMPLES["slf"].context


VARIANTS = {
    "no blanks between marks": PETS.replace("0 1 1 0 ", "0110"),
    "sections in other letters": PETS.replace("[relation]", "[Relation]").replace(
        "[Objects]", "[OBJECTS]"
    ),
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "blanks at line ends": PETS.replace("\n", " \t\n"),
    "no final line end": PETS.removesuffix("\n"),
    "empty lines at the end": PETS + "\n \n",
    "zeros before a count": PETS.replace("\n3\n", "\n003\n"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("slf", text) == read("slf", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "blank": ("\n \n", 1, "the file is empty"),
    "another first line": (PETS.replace("[Lattice]", "[Table]"), 1, "found '[Table]', expected"),
    "cut off after the first line": ("[Lattice]\n", 1, "the file ends before the"),
    "cut off after the first count": ("[Lattice]\n3\n", 2, "the file ends before the"),
    "cut off after the counts": ("[Lattice]\n3\n4\n", 3, "the file ends before"),
    "a word for a count": (PETS.replace("\n3\n", "\nthree\n"), 2, "found 'three', expected the"),
    "a negative count": (PETS.replace("\n4\n", "\n-4\n"), 3, "found '-4', expected the"),
    "too few objects announced": (PETS.replace("\n3\n", "\n2\n"), 7, "found 'canary', expected"),
    "too many objects announced": (PETS.replace("\n3\n", "\n4\n"), 9, "found 'purrs', expected"),
    "far too many objects announced": (
        PETS.replace("\n3\n", "\n999999999999\n"),
        16,
        "the file ends before 999999999999",
    ),
    "too few attributes announced": (PETS.replace("\n4\n", "\n3\n"), 12, "found 'flies', expected"),
    "far too many attributes announced": (
        PETS.replace("\n4\n", "\n999999999999\n"),
        16,
        "the file ends before 999999999999",
    ),
    "cut off in the objects": (PETS[: PETS.index("canary")], 6, "the file ends before 3 names of"),
    "cut off in the attributes": (
        PETS[: PETS.index("flies")],
        11,
        "the file ends before 4 names of",
    ),
    "cut off before the rows": (PETS[: PETS.index("1 0 1")], 13, "the file ends before 3 rows"),
    "cut off between rows": (PETS[: PETS.index("0 0 0 1")], 15, "the file ends before 3 rows"),
    "cut off inside a row": (PETS[:-5], 16, "row has 2 marks, expected 4"),
    "a section missing": (PETS.replace("[Attributes]\n", ""), 8, "found 'purrs', expected"),
    "a short row": (PETS.replace("0 1 1 0", "0 1 1"), 15, "row has 3 marks, expected 4"),
    "a long row": (PETS.replace("0 1 1 0", "0 1 1 0 0"), 15, "row has 5 marks, expected 4"),
    "an empty row": (PETS.replace("0 1 1 0", ""), 15, "row has 0 marks, expected 4"),
    "another mark": (PETS.replace("0 1 1 0", "0 X 1 0"), 15, "'X' is not a mark"),
    "a number for a mark": (PETS.replace("0 1 1 0", "0 1 12 0"), 15, "'2' is not a mark"),
    "text after the rows": (PETS + "that is all\n", 17, "found 'that is all' after"),
    "a row too many": (PETS + "\n0 0 0 0\n", 18, "found '0 0 0 0' after the"),
    "an object twice": (PETS.replace("dog", "cat"), 6, "object name 'cat' stands on"),
    "an attribute twice": (PETS.replace("barks", "purrs"), 10, "attribute name 'purrs'"),
    "a NUL byte": (PETS.replace("dog", "d\0g"), 6, "holds a NUL byte: binary"),
    "old line ends": (PETS.replace("\n", "\r"), 1, "a carriage return without a"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("slf", text, line, key)
