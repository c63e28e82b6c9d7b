from __future__ import annotations

import json

import pytest

from conceptrank import io
from io_samples import SAMPLES, check_damage, read

PETS = SAMPLES["json"].text


def test_the_usual_layout():
    assert read("json", PETS) == SAMPLES["json"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "on one line": PETS.replace("\n", ""),
    "blanks around": "\n  " + PETS + "  \n",
    "other keys": PETS.replace("{", '{"name": "pets", "lattice": null, '),
    "numbers in any order": PETS.replace("[0, 2]", "[2, 0, 2]"),
    "escapes": PETS.replace("cat", "\\u0063at"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("json", text) == read("json", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "blank": (" \n", 2, "the file is empty"),
    "no JSON": ("cat", 1, "not JSON: Expecting value"),
    "cut off": (PETS[: PETS.index("flies")], 2, "not JSON: Unterminated"),
    "cut off between parts": (PETS[: PETS.index("context")], 3, "not JSON: Unterminated"),
    "a comma too many": (PETS.replace("[3]]", "[3],]"), 3, "not JSON: Expecting value"),
    "text after the end": (PETS + "that is all", 4, "not JSON: Extra data"),
    "a number": ("7", None, "found '7', expected an"),
    "no objects": (PETS.replace("objects", "things"), None, "there is no 'objects'"),
    "no context": (PETS.replace("context", "table"), None, "there is no 'context'"),
    "objects that are no list": (
        PETS.replace('["cat", "dog", "canary"]', "3"),
        None,
        "found '3', expected a list",
    ),
    "a name that is none": (PETS.replace('"dog"', "null"), None, "found 'null', expected a"),
    "half a character": (PETS.replace("dog", "\\ud800"), None, "half a surrogate pair in a"),
    "an object twice": (PETS.replace("dog", "cat"), None, "the name 'cat' occurs twice"),
    "an attribute twice": (PETS.replace("barks", "purrs"), None, "the name 'purrs' occurs"),
    "a row missing": (PETS.replace(", [3]", ""), None, "has 2 rows, but there are 3"),
    "a row too many": (PETS.replace("[3]", "[3], []"), None, "has 4 rows, but there are 3"),
    "a row that is none": (PETS.replace("[3]", "3"), None, "found '3', expected a list"),
    "a number too large": (PETS.replace("[3]", "[4]"), None, "found '4', expected a"),
    "a negative number": (PETS.replace("[3]", "[-1]"), None, "found '-1', expected a"),
    "a fraction": (PETS.replace("[3]", "[3.0]"), None, "found '3.0', expected a"),
    "a truth value": (PETS.replace("[3]", "[true]"), None, "found 'true', expected a"),
    "a key twice": (PETS.replace("{", '{"context": [], '), None, "the key 'context' occurs"),
    "not a number": (PETS.replace("[3]", "[NaN]"), None, "not JSON: NaN is no number"),
    "a number without end": (PETS.replace("[3]", "[" + "3" * 5000 + "]"), 1, "not JSON:"),
    "far too deep": ("[" * 200_000, 1, "lists inside each other,"),
    "a NUL byte": (PETS.replace("dog", "d\0g"), 1, "holds a NUL byte: binary"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("json", text, line, key)


@pytest.mark.parametrize("name", ["json_conexp", "json_conexp old", "json_fcaps"])
def test_the_keys_tell_the_dialect(name):
    sample = SAMPLES[name]
    assert read("json", sample.text) == sample.context
    assert read(sample.format, sample.text) == sample.context


def test_numbers_may_be_names():
    found = read(
        "json_conexp", '{"objects": [1, 2], "attributes": ["a", 3], "incidence": [[2, 3]]}'
    )
    assert found.objects == ("1", "2")
    assert found.attributes == ("a", "3")
    assert found.crosses == 1


def test_another_reader_finds_the_same(tmp_path):
    path = tmp_path / "pets.json"
    io.save(SAMPLES["json"].context, path)
    assert json.loads(path.read_text()) == json.loads(PETS)
    for name in ("json_conexp", "json_fcaps"):
        io.save(SAMPLES["json"].context, path, format=name)
        found, expected = json.loads(path.read_text()), json.loads(SAMPLES[name].text)
        if name == "json_conexp":
            found["incidence"].sort()
            expected["incidence"].sort()
        assert found == expected
