from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read

PETS = SAMPLES["json_conexp"].text


def test_the_usual_layout():
    assert read("json_conexp", PETS) == SAMPLES["json_conexp"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "other keys": PETS.replace("{", '{"name": "pets",'),
    "pairs twice": PETS.replace('["dog","barks"]', '["dog","barks"],["dog","barks"]'),
    "the older form": SAMPLES["json_conexp old"].text,
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("json_conexp", text) == read("json_conexp", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "cut off": (PETS[: PETS.index("flies")], 1, "not JSON: Unterminated"),
    "a number": ("7", None, "found '7', expected an"),
    "a list": ("[]", None, "has 0 parts, expected the names"),
    "no attributes": (PETS.replace("attributes", "things"), None, "there is no 'attributes'"),
    "no objects": (PETS.replace("objects", "things"), None, "there is no 'objects'"),
    "no pairs": (PETS.replace("incidence", "pairs"), None, "there is no 'incidence'"),
    "a pair of one": (
        PETS.replace('["canary","flies"]', '["canary"]'),
        None,
        "expected a pair, [object,",
    ),
    "a pair of three": (
        PETS.replace('["canary","flies"]', '["canary","flies","high"]'),
        None,
        "expected a pair, [object,",
    ),
    "a pair that is none": (
        PETS.replace('["canary","flies"]', "null"),
        None,
        "expected a pair, [object,",
    ),
    "an object that is not there": (
        PETS.replace('["canary","flies"]', '["parrot","flies"]'),
        None,
        "object 'parrot' is not",
    ),
    "an attribute that is not there": (
        PETS.replace('["canary","flies"]', '["canary","sings"]'),
        None,
        "attribute 'sings' is not",
    ),
    "a list for a name": (
        PETS.replace('["canary","flies"]', '["canary",["flies"]]'),
        None,
        "incidence[4]: found '[\"flies\"]',",
    ),
    "an object twice": (
        PETS.replace('"objects":["cat","dog"', '"objects":["cat","cat"'),
        None,
        "the name 'cat' occurs twice",
    ),
    "a key twice": (PETS.replace("{", '{"incidence":[],'), None, "the key 'incidence' occurs"),
    "older, an object twice": (
        SAMPLES["json_conexp old"].text.replace('"dog"', '"cat"'),
        None,
        "adjacency-list[1]: the name 'cat'",
    ),
    "older, no object": (
        SAMPLES["json_conexp old"].text.replace('"object": "dog", ', ""),
        None,
        "there is no 'object'",
    ),
    "older, an attribute that is not there": (
        SAMPLES["json_conexp old"].text.replace(
            '"attributes": ["flies"]', '"attributes": ["sings"]'
        ),
        None,
        "attribute 'sings' is not",
    ),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("json_conexp", text, line, key)
