from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read

PETS = SAMPLES["oal"].text


def test_the_usual_layout():
    assert read("oal", PETS) == SAMPLES["oal"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "blanks around names": PETS.replace(":", " : ").replace(";", "; "),
    "blanks at line ends": PETS.replace("\n", " \t\n"),
    "no final line end": PETS.removesuffix("\n"),
    "empty lines": PETS.replace("\n", "\n\n"),
    "attributes twice": PETS.replace("purrs", "purrs;purrs"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("oal", text) == read("oal", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "blank": ("\n \n", 1, "the file is empty"),
    "no colon": (PETS.replace("dog:", "dog "), 2, "no colon in 'dog"),
    "no colon in the last line": (PETS + "stone\n", 4, "no colon in 'stone'"),
    "an attribute without name": (
        PETS.replace("furry;barks", "furry;;barks"),
        2,
        "an attribute without name",
    ),
    "a semicolon at the end": (PETS.replace("barks", "barks;"), 2, "an attribute without name"),
    "a semicolon at the beginning": (PETS.replace("dog:", "dog:;"), 2, "an attribute without name"),
    "only a semicolon": (PETS + "stone:;\n", 4, "an attribute without name"),
    "an object twice": (PETS.replace("dog", "cat"), 2, "object name 'cat' stands on"),
    "objects that differ in blanks": (
        PETS.replace("dog", " cat "),
        2,
        "object name 'cat' stands on",
    ),
    "two objects without name": (":a\n:b\n", 2, "object name '' stands on"),
    "a Colibri file": ("cat: purrs furry ;\n", 1, "an attribute without name"),
    "a NUL byte": (PETS.replace("dog", "d\0g"), 2, "holds a NUL byte: binary"),
    "old line ends": (PETS.replace("\n", "\r"), 1, "a carriage return without a"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("oal", text, line, key)


def test_the_first_colon_ends_the_name():
    found = read("oal", "cat:see http://example.org;purrs\n:nameless\n")
    assert found.objects == ("cat", "")
    assert found.attributes == ("see http://example.org", "purrs", "nameless")
