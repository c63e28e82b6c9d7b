from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read

PETS = SAMPLES["colibri"].text


def test_the_usual_layout():
    assert read("colibri", PETS) == SAMPLES["colibri"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "comments after statements": PETS.replace(";\n", "; # one\n"),
    "everything on one line": PETS.replace("# pets\n", "").replace("\n", " "),
    "one word a line": PETS.replace(" ", "\n").replace("#\npets\n", "").replace("dog:", "dog :"),
    "no final line end": PETS.removesuffix("\n"),
    "empty lines": PETS.replace(";\n", ";\n\n"),
    "attributes twice": PETS.replace("purrs", "purrs purrs"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("colibri", text) == read("colibri", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "only comments": ("# nothing\n", 1, "the file is empty"),
    "no colon": (PETS.replace("cat:", "cat"), 2, "'cat purrs furry' is no statement"),
    "no semicolon": (PETS.replace("furry ;", "furry"), 2, "'cat: purrs furry\\ndog: furry\\n "),
    "no semicolon at the end": (PETS.replace("flies;", "flies"), 4, "'canary:\\tflies' has no end"),
    "cut off in a name": (PETS + "sto", 5, "'sto' has no end"),
    "cut off in a list": (PETS + "stone: is hard", 5, "'stone: is hard' has no end"),
    "an object without name": (PETS + ": hard ;\n", 6, "': hard' is no statement"),
    "a semicolon alone": (PETS + ";\n", 6, "'' is no statement"),
    "two colons": (PETS + "stone: is: hard ;\n", 6, "'stone: is: hard' is no statement"),
    "an object twice": (PETS.replace("dog", "cat"), 3, "object name 'cat' stands on"),
    "an OAL file": ("cat:purrs;furry\ndog:barks\n", 1, "'furry\\ndog:barks' has no end"),
    "a NUL byte": (PETS.replace("dog", "d\0g"), 3, "holds a NUL byte: binary"),
    "old line ends": (PETS.replace("\n", "\r"), 1, "a carriage return without a"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("colibri", text, line, key)


def test_names_of_objects_may_have_blanks_and_names_may_have_hashes():
    found = read("colibri", "the cat: purrs likes#1 ; the dog: barks ; # both\n")
    assert found.objects == ("the cat", "the dog")
    assert found.attributes == ("purrs", "likes#1", "barks")
