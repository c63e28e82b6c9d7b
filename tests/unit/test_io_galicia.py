from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read

PETS = SAMPLES["galicia"].text


def test_the_usual_layout():
    assert read("galicia", PETS) == SAMPLES["galicia"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "on one line": PETS.replace("\n", ""),
    "no counts": PETS.replace(' numberObj="3" numberAtt="4"', ""),
    "crosses twice": PETS.replace(
        "</BinaryContext>", '<BinRel idxO="0" idxA="0"/></BinaryContext>'
    ),
    "crosses first": PETS.replace("<Name>pets</Name>", '<BinRel idxO="2" idxA="3"/>'),
    "blanks around numbers": PETS.replace('idxO="2"', 'idxO=" 2 "'),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("galicia", text) == read("galicia", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "no XML": ("cat", 1, "not XML: syntax error"),
    "another root": (PETS.replace("Galicia_Document", "Document"), 2, "the root element is"),
    "cut off in a tag": (PETS[: PETS.index("idxA")], 12, "not XML: unclosed token"),
    "cut off between tags": (PETS[: PETS.index("<BinRel")], 12, "the file ends too early"),
    "tags that cross": (
        PETS.replace(
            "</BinaryContext>\n</Galicia_Document>", "</Galicia_Document>\n</BinaryContext>"
        ),
        17,
        "not XML: mismatched tag",
    ),
    "no context": ("<Galicia_Document></Galicia_Document>", 1, "holds no context"),
    "a second context": (
        PETS.replace("</BinaryContext>", "</BinaryContext><BinaryContext/>"),
        17,
        "a second context",
    ),
    "too many objects announced": (
        PETS.replace('numberObj="3"', 'numberObj="4"'),
        3,
        "3 objects, but the count",
    ),
    "far too many attributes announced": (
        PETS.replace('numberAtt="4"', 'numberAtt="4000000000"'),
        3,
        "4 attributes, but the count",
    ),
    "a word for a count": (
        PETS.replace('numberAtt="4"', 'numberAtt="four"'),
        3,
        "numberAtt='four', expected",
    ),
    "an object missing": (
        PETS.replace("<Object>dog</Object>\n", ""),
        3,
        "2 objects, but the count",
    ),
    "a cross of an object that is not there": (
        PETS.replace('idxO="2"', 'idxO="3"'),
        16,
        "a cross of object 3, which",
    ),
    "a cross of an attribute that is not there": (
        PETS.replace('idxA="3"', 'idxA="4"'),
        16,
        "a cross of attribute 4,",
    ),
    "a cross without object": (PETS.replace('idxO="2" ', ""), 16, "BinRel without idxO"),
    "a negative number": (PETS.replace('idxO="2"', 'idxO="-2"'), 16, "idxO='-2', expected a"),
    "a number out of this world": (
        PETS.replace('idxO="2"', 'idxO="99999999999999999999"'),
        16,
        "idxO='99999999999999999999',",
    ),
    "an object twice": (PETS.replace("dog", "cat"), 6, "object name 'cat' stands on"),
    "an attribute twice": (PETS.replace("barks", "purrs"), 9, "attribute name 'purrs'"),
    "a bomb of entities": (
        PETS.replace(
            "<Galicia_Document>", '<!DOCTYPE a [<!ENTITY a "aaaa">]><Galicia_Document>', 1
        ),
        2,
        "declarations inside",
    ),
    "an unknown entity": (
        PETS.replace("<Object>cat", "<Object>&cat;"),
        5,
        "not XML: undefined entity",
    ),
    "far too deep": ("<Galicia_Document>" + "<a>" * 200, 1, "elements inside each other,"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("galicia", text, line, key)


def test_version_3_is_read_too():
    sample = SAMPLES["galicia 3"]
    assert read("galicia", sample.text) == sample.context


VERSION_3 = SAMPLES["galicia 3"].text
DAMAGE_3 = {
    "an id twice": (VERSION_3.replace('id="8"', 'id="7"'), 3, "a second attribute with id"),
    "no id": (VERSION_3.replace(' id="8"', ""), 3, "ATT without id"),
    "too many attributes announced": (
        VERSION_3.replace('nbAtt="4"', 'nbAtt="5"'),
        1,
        "4 attributes, but the count",
    ),
    "a cross that is not there": (
        VERSION_3.replace('idAtt="10"', 'idAtt="11"'),
        6,
        "a cross of attribute 11,",
    ),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE_3.values(), ids=DAMAGE_3)
def test_damage_in_version_3(text, line, key):
    check_damage("galicia", text, line, key)
