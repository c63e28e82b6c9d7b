from __future__ import annotations

import re

import pytest

from io_samples import SAMPLES, check_damage, read, refusal

PETS = SAMPLES["cex"].text


def test_the_usual_layout():
    assert read("cex", PETS) == SAMPLES["cex"].context


VARIANTS = {
    "Windows": PETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + PETS,
    "on one line": PETS.replace("\n", ""),
    "no blanks": re.sub(r">\s+<", "><", PETS),
    "a comment": PETS.replace("<Objects>", "<!-- all of them --><Objects>"),
    "CDATA": PETS.replace("<Name>cat</Name>", "<Name><![CDATA[cat]]></Name>"),
    "references": PETS.replace("<Name>cat</Name>", "<Name>c&#97;t</Name>"),
    "crosses twice": PETS.replace("<Intent>", "<Intent/><Intent>"),
    "attributes at the end": PETS.replace("<Attributes>", "<A>")
    .replace("</Attributes>", "</A>")
    .replace("</Objects>", "</Objects>" + re.search("(?s)<Attributes>.*</Attributes>", PETS)[0]),
    "a lattice": PETS.replace(
        "<Lattices />",
        '<Lattices><Intent><HasAttribute AttributeIdentifier="9"/></Intent></Lattices>',
    ),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != PETS
    assert read("cex", text) == read("cex", PETS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "no XML": ("cat", 1, "not XML: syntax error"),
    "another root": (PETS.replace("ConceptualSystem", "System"), 2, "the root element is"),
    "cut off in a tag": (PETS[: PETS.index("AttributeIdentifier")], 16, "not XML: unclosed token"),
    "cut off between tags": (PETS[: PETS.index("<Objects>")], 12, "the file ends too early"),
    "tags that cross": (
        PETS.replace("</Name></Attribute>", "</Attribute></Name>", 1),
        7,
        "not XML: mismatched tag",
    ),
    "no context": ("<ConceptualSystem><Contexts/></ConceptualSystem>", None, "holds no context"),
    "another type": (PETS.replace("Binary", "ManyValued"), 5, "a context of type"),
    "an attribute without identifier": (
        PETS.replace('<Attribute Identifier="1">', "<Attribute>"),
        8,
        "Attribute without",
    ),
    "an identifier twice": (
        PETS.replace('<Attribute Identifier="1">', '<Attribute Identifier="0">'),
        8,
        "a second attribute with",
    ),
    "an attribute without name": (
        PETS.replace("<Name>barks</Name>", ""),
        8,
        "Attribute without Name",
    ),
    "an object without name": (PETS.replace("<Name>dog</Name>", ""), 19, "Object without Name"),
    "an object with two names": (
        PETS.replace("<Name>dog</Name>", "<Name>dog</Name><Name>hound</Name>"),
        20,
        "a second Name",
    ),
    "a cross without identifier": (
        PETS.replace('<HasAttribute AttributeIdentifier="3"/>', "<HasAttribute/>"),
        25,
        "HasAttribute without",
    ),
    "a cross with nothing": (
        PETS.replace(
            '<HasAttribute AttributeIdentifier="3"/>', '<HasAttribute AttributeIdentifier="7"/>'
        ),
        25,
        "attribute '7', which does",
    ),
    "an object twice": (PETS.replace("<Name>dog", "<Name>cat"), 20, "object name 'cat' stands on"),
    "an attribute twice": (PETS.replace("barks", "purrs"), 8, "attribute name 'purrs'"),
    "a bomb of entities": (
        PETS.replace(
            "<ConceptualSystem>", '<!DOCTYPE a [<!ENTITY a "aaaa">]><ConceptualSystem>', 1
        ),
        2,
        "declarations inside",
    ),
    "an unknown entity": (
        PETS.replace("<Name>cat", "<Name>&cat;"),
        14,
        "not XML: undefined entity",
    ),
    "far too deep": ("<ConceptualSystem>" + "<a>" * 200, 1, "elements inside each other,"),
    "another encoding": (PETS.replace("UTF-8", "klingon"), 1, "can't be decoded: unknown"),
    "a control character": (
        PETS.replace("<Name>cat", "<Name>\x01"),
        14,
        "not XML: not well-formed",
    ),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("cex", text, line, key)


CONTEXT = re.search("(?s)<Context .*</Context>", PETS)[0]
SMALL = (
    '<Context Identifier="small" Type="Binary"><Attributes/>'
    "<Objects><Object><Name>g</Name></Object></Objects></Context>"
)
SEVERAL = PETS.replace(CONTEXT, CONTEXT + SMALL)


def test_one_of_several_contexts_has_to_be_chosen():
    error = refusal("cex", SEVERAL)
    assert error.reason == "holds 2 contexts"
    assert error.hint == "choose context='0' or 'small'"
    assert read("cex", SEVERAL, context="0") == read("cex", PETS)
    assert read("cex", SEVERAL, context=0) == read("cex", PETS)
    assert read("cex", SEVERAL, context="small").shape == (1, 0)
    error = refusal("cex", SEVERAL, context="large")
    assert str(error) == (
        "the file: holds no context 'large' (hint: choose context='0' or 'small')"
    )


def test_two_contexts_of_one_name_can_not_be_chosen():
    error = refusal("cex", PETS.replace(CONTEXT, CONTEXT + CONTEXT), context="0")
    assert (error.line, error.reason) == (27, "a second context is called '0'")


def test_contexts_without_identifier_are_counted():
    text = SEVERAL.replace(' Identifier="small"', "")
    assert read("cex", text, context=1).shape == (1, 0)


def test_other_encodings_are_read_as_the_document_says():
    text = PETS.replace("cat", "Kätzchen")
    for encoding in ("utf-16", "latin-1", "cp1251"):
        data = text.replace("UTF-8", encoding).replace("ä", "ä" if encoding != "cp1251" else "я")
        found = read("cex", data.encode(encoding))
        assert found.objects[0] == ("Kяtzchen" if encoding == "cp1251" else "Kätzchen")


def test_blanks_in_names_are_kept():
    text = PETS.replace("<Name>cat</Name>", "<Name> a \n cat </Name>")
    assert read("cex", text).objects[0] == " a \n cat "
