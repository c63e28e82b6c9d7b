from __future__ import annotations

import pytest

from io_samples import SAMPLES, read, refusal

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
    "cut off": (PETS[: PETS.index("flies")], 2, "not JSON: Unterminated string starting at"),
    "an object": ("{}", 1, "found '{}', expected a list"),
    "one part": (
        '[{"ObjNames": [], "Params": {"AttrNames": []}}]',
        1,
        "has 1 parts, expected more",
    ),
    "no object names": (PETS.replace("ObjNames", "Names"), 1, "[0]: there is no 'ObjNames'"),
    "no attribute names": (
        PETS.replace("AttrNames", "Names"),
        2,
        "[0].Params: there is no 'AttrNames'",
    ),
    "no parameters": (PETS.replace("Params", "Parameters"), 1, "[0]: there is no 'Params'"),
    "no data": (PETS.replace("Data", "Rows"), 3, "[1]: there is no 'Data'"),
    "a row missing": (
        PETS.replace(',\n{"Count": 1, "Inds": [3]}', ""),
        3,
        "[1].Data: has 2 rows, but there are 3 objects",
    ),
    "a wrong count of rows": (
        PETS.replace('"Count": 3', '"Count": 4'),
        3,
        "[1].Count: says 4, but there are 3",
    ),
    "a wrong count in a row": (
        PETS.replace('"Count": 1', '"Count": 2'),
        4,
        "[1].Data[2].Count: says 2, but there are 1",
    ),
    "a row without numbers": (
        PETS.replace('"Inds": [3]', '"Is": [3]'),
        4,
        "[1].Data[2]: there is no 'Inds'",
    ),
    "a row that is none": (
        PETS.replace('{"Count": 1, "Inds": [3]}', "null"),
        4,
        "[1].Data[2]: found 'null', expected an object",
    ),
    "a number too large": (
        PETS.replace("[3]", "[4]"),
        4,
        "[1].Data[2].Inds[0]: found '4', expected a number below 4",
    ),
    "a name for a number": (
        PETS.replace("[3]", '["flies"]'),
        4,
        "[1].Data[2].Inds[0]: found '\"flies\"', expected a number below 4",
    ),
    "an object twice": (
        PETS.replace("dog", "cat"),
        1,
        "[0].ObjNames[1]: the name 'cat' occurs twice",
    ),
    "an attribute twice": (
        PETS.replace("barks", "purrs"),
        2,
        "[0].Params.AttrNames[1]: the name 'purrs' occurs twice",
    ),
    "a key twice": (
        PETS.replace('"Inds": [3]', '"Inds": [3], "Inds": []'),
        4,
        "[1].Data[2]: the key 'Inds' occurs twice",
    ),
}


@pytest.mark.parametrize(("text", "line", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, reason):
    error = refusal("json_fcaps", text)
    assert (error.line, error.reason) == (line, reason)
