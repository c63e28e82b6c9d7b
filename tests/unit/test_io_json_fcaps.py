from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read

PETS = SAMPLES["json_fcaps"].text


def test_the_usual_layout():
    assert read("json_fcaps", PETS) == SAMPLES["json_fcaps"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "no counts": PETS.replace('"Count": 2, ', "").replace('"Count": 3, ', ""),
    "a description": PETS.replace("[{", '[{"Description": "pets", ', 1),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("json_fcaps", text) == read("json_fcaps", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "cut off": (PETS[: PETS.index("flies")], 2, "not JSON: Unterminated"),
    "an object": ("{}", None, "there is no 'attributes'"),
    "one part": (
        '[{"ObjNames": [], "Params": {"AttrNames": []}}]',
        None,
        "has 1 parts, expected the names",
    ),
    "no object names": (PETS.replace("ObjNames", "Names"), None, "[0]: there is no 'ObjNames'"),
    "no attribute names": (PETS.replace("AttrNames", "Names"), None, "[0].Params: there is no"),
    "no parameters": (PETS.replace("Params", "Parameters"), None, "[0]: there is no 'Params'"),
    "no data": (PETS.replace("Data", "Rows"), None, "[1]: there is no 'Data'"),
    "a row missing": (
        PETS.replace(',\n{"Count": 1, "Inds": [3]}', ""),
        None,
        "[1].Data: has 2 rows, but",
    ),
    "a wrong count of rows": (
        PETS.replace('"Count": 3', '"Count": 4'),
        None,
        "[1].Count: says 4, but",
    ),
    "a wrong count in a row": (
        PETS.replace('"Count": 1', '"Count": 2'),
        None,
        "[1].Data[2].Count: says 2,",
    ),
    "a row without numbers": (
        PETS.replace('"Inds": [3]', '"Is": [3]'),
        None,
        "[1].Data[2]: there is no",
    ),
    "a row that is none": (
        PETS.replace('{"Count": 1, "Inds": [3]}', "null"),
        None,
        "[1].Data[2]: found 'null',",
    ),
    "a number too large": (PETS.replace("[3]", "[4]"), None, "[1].Data[2].Inds[0]: found"),
    "a name for a number": (PETS.replace("[3]", '["flies"]'), None, "[1].Data[2].Inds[0]: found"),
    "an object twice": (PETS.replace("dog", "cat"), None, "[0].ObjNames[1]: the name"),
    "an attribute twice": (PETS.replace("barks", "purrs"), None, "[0].Params.AttrNames[1]:"),
    "a key twice": (
        PETS.replace('"Inds": [3]', '"Inds": [3], "Inds": []'),
        None,
        "the key 'Inds' occurs twice",
    ),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("json_fcaps", text, line, key)
