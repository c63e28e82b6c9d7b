"""The formats of FCA: layouts tolerated, damage named, and what is special about each."""

from __future__ import annotations

import json
import re

import pytest

from conceptrank import io
from io_samples import FORMATS, SAMPLES, check_damage, read, refusal

OAL = SAMPLES["oal"].text
COLIBRI = SAMPLES["colibri"].text
SLF = SAMPLES["slf"].text
RCF = SAMPLES["rcf"].text
SPMF = SAMPLES["spmf"].text
BASKETS = SAMPLES["baskets"].text
PAIRS = SAMPLES["pairs"].text
CEX = SAMPLES["cex"].text
GALICIA = SAMPLES["galicia"].text
JSON = SAMPLES["json"].text
JSON_CONEXP = SAMPLES["json_conexp"].text
JSON_FCAPS = SAMPLES["json_fcaps"].text

# Layouts that read the same; line ends and byte order marks are in `test_io_round_trips`.
VARIANTS = {
    "oal": {
        "blanks around names": OAL.replace(":", " : ").replace(";", "; "),
        "empty lines": OAL.replace("\n", "\n\n"),
        "attributes twice": OAL.replace("purrs", "purrs;purrs"),
    },
    "colibri": {
        "comments after statements": COLIBRI.replace(";\n", "; # one\n"),
        "everything on one line": COLIBRI.replace("# pets\n", "").replace("\n", " "),
        "one word a line": COLIBRI.replace(" ", "\n")
        .replace("#\npets\n", "")
        .replace("dog:", "dog :"),
        "empty lines": COLIBRI.replace(";\n", ";\n\n"),
        "attributes twice": COLIBRI.replace("purrs", "purrs purrs"),
    },
    "slf": {
        "no blanks between marks": SLF.replace("0 1 1 0 ", "0110"),
        "sections in other letters": SLF.replace("[relation]", "[Relation]").replace(
            "[Objects]", "[OBJECTS]"
        ),
        "blanks at line ends": SLF.replace("\n", " \t\n"),
        "empty lines at the end": SLF + "\n \n",
        "zeros before a count": SLF.replace("\n3\n", "\n003\n"),
    },
    "rcf": {
        "no blanks between marks": RCF.replace("0 1 1 0", "0110"),
        "no blanks around bars": RCF.replace(" | ", "|"),
        "no bar at the end": RCF.replace("flies |", "flies"),
        "no comments": RCF.removeprefix("# pets\n\n"),
        "no name of the whole": RCF.replace("Default Name\n", ""),
        "empty lines at the end": RCF + "\n \n",
        "a relation between contexts": RCF.replace(
            "[END", "[Inter Object Binary Relation]\nlikes\nPets\nPets\ncat |\ndog |\n1\n[END"
        ),
    },
    "spmf": {
        "names after the items": "1 3\n2 3\n4\n" + SPMF.removesuffix("1 3\n2 3\n4\n"),
        "other lines that begin with @": "@NAME=pets\n" + SPMF,
        "comments everywhere": SPMF.replace("\n", "\n# again\n%\n"),
        "an item with zeros before": SPMF.replace("2 3\n", "002 3 3\n"),
    },
    "baskets": {
        "semicolons": BASKETS.replace(",", ";"),
        "tabs": BASKETS.replace(",", "\t"),
        "bars": BASKETS.replace(",", "|"),
        "padded": BASKETS.replace("has fur\n", "has fur,,\n"),
        "blanks around items": BASKETS.replace(",", " , "),
        "quoted": BASKETS.replace("has fur", '"has fur"'),
        "items twice": BASKETS.replace("has fur", "has fur,has fur"),
    },
    "pairs": {
        "semicolons": PAIRS.replace(",", ";"),
        "tabs": PAIRS.replace(",", "\t"),
        "bars": PAIRS.replace(",", "|"),
        "no header": PAIRS.removeprefix("object,attribute\n"),
        "a header in capitals": PAIRS.replace("object,attribute", "Object , Attribute"),
        "blanks around fields": PAIRS.replace(",", " , "),
        "everything quoted": "".join(
            f'"{a}","{b}"\n' for a, b in (line.split(",") for line in PAIRS.splitlines())
        ),
        "empty lines at the end": PAIRS + "\n \n\t\n",
        "pairs twice": PAIRS + PAIRS.removeprefix("object,attribute\n"),
        "names announced": PAIRS.replace("attribute\n", "attribute\n,purrs\n,barks\ncat,\n"),
    },
    "cex": {
        "on one line": CEX.replace("\n", ""),
        "no blanks": re.sub(r">\s+<", "><", CEX),
        "a comment": CEX.replace("<Objects>", "<!-- all of them --><Objects>"),
        "CDATA": CEX.replace("<Name>cat</Name>", "<Name><![CDATA[cat]]></Name>"),
        "references": CEX.replace("<Name>cat</Name>", "<Name>c&#97;t</Name>"),
        "crosses twice": CEX.replace("<Intent>", "<Intent/><Intent>"),
        "attributes at the end": CEX.replace("<Attributes>", "<A>")
        .replace("</Attributes>", "</A>")
        .replace("</Objects>", "</Objects>" + re.search("(?s)<Attributes>.*</Attributes>", CEX)[0]),
        "a lattice": CEX.replace(
            "<Lattices />",
            '<Lattices><Intent><HasAttribute AttributeIdentifier="9"/></Intent></Lattices>',
        ),
    },
    "galicia": {
        "on one line": GALICIA.replace("\n", ""),
        "no counts": GALICIA.replace(' numberObj="3" numberAtt="4"', ""),
        "crosses twice": GALICIA.replace(
            "</BinaryContext>", '<BinRel idxO="0" idxA="0"/></BinaryContext>'
        ),
        "crosses first": GALICIA.replace("<Name>pets</Name>", '<BinRel idxO="2" idxA="3"/>'),
        "blanks around numbers": GALICIA.replace('idxO="2"', 'idxO=" 2 "'),
    },
    "json": {
        "on one line": JSON.replace("\n", ""),
        "blanks around": "\n  " + JSON + "  \n",
        "other keys": JSON.replace("{", '{"name": "pets", "lattice": null, '),
        "numbers in any order": JSON.replace("[0, 2]", "[2, 0, 2]"),
        "escapes": JSON.replace("cat", "\\u0063at"),
    },
    "json_conexp": {
        "other keys": JSON_CONEXP.replace("{", '{"name": "pets",'),
        "pairs twice": JSON_CONEXP.replace('["dog","barks"]', '["dog","barks"],["dog","barks"]'),
        "the older form": SAMPLES["json_conexp old"].text,
    },
    "json_fcaps": {
        "no counts": JSON_FCAPS.replace('"Count": 2, ', "").replace('"Count": 3, ', ""),
        "a description": JSON_FCAPS.replace("[{", '[{"Description": "pets", ', 1),
    },
}


@pytest.mark.parametrize(
    ("name", "variant"), [(name, variant) for name, found in VARIANTS.items() for variant in found]
)
def test_tolerated_variants_read_the_same(name, variant):
    text = VARIANTS[name][variant]
    assert text != SAMPLES[name].text
    assert read(name, text) == SAMPLES[name].context


# What becomes of a sample: a text is replaced, or the rest is cut off (None); "" is its end. Then
# the line of the error, and a word of it. Without a sample, the second text is the whole file.
DAMAGE = {
    "oal": [
        (None, "", 1, "the file is empty"),
        ("g:", "g ", 2, "no colon in 'dog"),
        ("", "stone\n", 4, "no colon in 'stone'"),
        (";b", ";;b", 2, "an attribute without name"),
        ("ks\n", "ks;\n", 2, "an attribute without name"),
        ("g:f", "g:;f", 2, "an attribute without name"),
        ("", "stone:;\n", 4, "an attribute without name"),
        ("dog", "cat", 2, "object name 'cat' stands on"),
        ("dog", " cat ", 2, "object name 'cat' stands on"),
        (None, ":a\n:b\n", 2, "object name '' stands on"),
        (
            "purrs;furry\ndog:furry;barks\ncanary:flies",
            " purrs furry ;",
            1,
            "an attribute without name",
        ),
    ],
    "colibri": [
        (None, "", 1, "the file is empty"),
        (None, "# nothing\n", 1, "the file is empty"),
        ("t:", "t", 2, "'cat purrs furry' is no statement"),
        ("y ;", "y", 2, "'cat: purrs furry\\ndog: furry\\n "),
        ("s;", "s", 4, "'canary:\\tflies' has no end"),
        ("", "sto", 5, "'sto' has no end"),
        ("", "stone: is hard", 5, "'stone: is hard' has no end"),
        ("", ": hard ;\n", 6, "': hard' is no statement"),
        ("", ";\n", 6, "'' is no statement"),
        ("", "stone: is: hard ;\n", 6, "'stone: is: hard' is no statement"),
        ("dog", "cat", 3, "object name 'cat' stands on"),
        (None, "cat:purrs;furry\ndog:barks\n", 1, "'furry\\ndog:barks' has no end"),
    ],
    "slf": [
        (None, "", 1, "the file is empty"),
        ("Lattic", "Tabl", 1, "found '[Table]', expected"),
        ("3\n4\n[O", None, 1, "the file ends before the"),
        ("4\n[Obj", None, 2, "the file ends before the"),
        ("[Objec", None, 3, "the file ends before"),
        ("3", "three", 2, "found 'three', expected the"),
        ("\n4", "\n-4", 3, "found '-4', expected the"),
        ("3", "2", 7, "found 'canary', expected"),
        ("3", "4", 9, "found 'purrs', expected"),
        ("3", "999999999999", 16, "the file ends before 999999999999"),
        ("4", "3", 12, "found 'flies', expected"),
        ("4", "999999999999", 16, "the file ends before 999999999999"),
        ("canary", None, 6, "the file ends before 3 names of"),
        ("flies\n", None, 11, "the file ends before 4 names of"),
        ("1 0 1 ", None, 13, "the file ends before 3 rows"),
        ("0 0 0 ", None, 15, "the file ends before 3 rows"),
        ("0 1 \n", None, 16, "row has 2 marks, expected 4"),
        ("[Attributes]\n", "", 8, "found 'purrs', expected"),
        ("1 1 0 \n0 ", "1 1 \n0 ", 15, "row has 3 marks, expected 4"),
        ("1 0 \n0 0", "1 0 0 \n0 0", 15, "row has 5 marks, expected 4"),
        ("0 1 1 0", "", 15, "row has 0 marks, expected 4"),
        ("0 1 1", "0 X 1", 15, "'X' is not a mark"),
        ("1 1 0", "1 12 0", 15, "'2' is not a mark"),
        ("", "that is all\n", 17, "found 'that is all' after"),
        ("", "\n0 0 0 0\n", 18, "found '0 0 0 0' after the"),
        ("dog", "cat", 6, "object name 'cat' stands on"),
        ("bark", "purr", 10, "attribute name 'purrs'"),
    ],
    "rcf": [
        (None, "", 1, "the file is empty"),
        (None, "# nothing\n", 1, "the file ends before"),
        ("[Relational ", "[", 3, "found '[Context]', expected"),
        (None, "[Relational Context]\n", 1, "the file ends before the"),
        ("cat | ", None, 6, "the file ends before the"),
        ("purrs ", None, 7, "the file ends before the"),
        ("1 0 1 ", None, 8, "the file ends before 3 rows"),
        ("0 0 0 ", None, 10, "the file ends before 3 rows"),
        ("[END R", None, 11, "the file ends before [END"),
        ("1 1 0\n0 ", "", 11, "'[' is not a mark"),
        ("1\n[", "1\n0 0 0 0\n[", 12, "found '0 0 0 0', expected"),
        ("1 1 0\n0", "1 1\n0", 10, "row has 3 marks, expected 4"),
        (" 1 0\n0 0", " 1 0 0\n0 0", 10, "row has 5 marks, expected 4"),
        ("0 1 1", "0 X 1", 10, "'X' is not a mark"),
        ("dog", "cat", 7, "object name 'cat' occurs"),
        ("bark", "purr", 8, "attribute name 'purrs'"),
        ("dog", "", 7, "an empty object name"),
        ("", "that is all\n", 13, "found 'that is all' after"),
        (None, "[Relational Context]\npets\n[END Relational Context]\n", None, "holds no context"),
    ],
    "spmf": [
        ("", "four\n", 10, "found 'f' where only"),
        ("2 3", "2 x 3", 8, "found 'x' where only"),
        ("1 3\n", "1 -1 3 -1 -2\n", 7, "found '-' where only"),
        (" 3\n2", " 3:9:4 5\n2", 7, "found ':' where only"),
        (" 3\n2", " 3 (7)\n2", 7, "found '(' where only"),
        ("=1", "=one", 3, "found '@ITEM=one=purrs',"),
        ("=purrs", "", 3, "found '@ITEM=1', expected"),
        ("=1", "=-1", 3, "found '@ITEM=-1=purrs',"),
        ("=2", "=1", 4, "item 1 has a name on line 3"),
        ("bark", "purr", 4, "an item is named 'purrs' on line"),
        (
            "barks\n# pets\n@ITEM=4=flies\n1 3\n2",
            "9\n# pets\n@ITEM=4=flies\n1 3\n9",
            4,
            "attributes 2 and 5 are both",
        ),
        ("", "1111111111111111111\n", 10, "a number of more than 18"),
        ("1 ", "1,", 7, "found ',' where only"),
        (None, "# rows\n0 1 1\n1 0 0\n", 1, "every line holds 3 times 0"),
    ],
    "baskets": [
        ("purrs,barks\nhas fur\npurrs,flies,barks", "a,b\nc;d", 1, "the rows can be split at"),
        ("\nh", '\n"h', 2, "a quote is opened and never"),
        ("", '"a,b\n', 4, "a quote is opened and never"),
        ("has", '"has"', 2, "found 'f' after a closing"),
    ],
    "pairs": [
        (None, "", 1, "the file is empty"),
        (None, "cat\ndog\n", 1, "no separator in 'cat'"),
        (None, "cat purrs\ndog barks\n", 1, "no separator in 'cat purrs'"),
        (",barks", "", 3, "row has 1 fields, expected"),
        ("ks\n", "ks,loudly\n", 3, "row has 3 fields, expected"),
        (None, "1,cat,purrs\n2,dog,barks\n", 1, "row has 3 fields, expected"),
        (
            None,
            PAIRS + "".join(f"{g},a\n" for g in range(50)) + "last\n",
            57,
            "row has 1 fields, expected",
        ),
        ("dog,barks", "", 3, "an empty line inside the"),
        ("dog,barks", ",", 3, "neither an object nor an"),
        ("s\nd", 's\n"d', 3, "a quote is opened and never"),
        ("s\ndog,", 's\n"dog"s,', 3, "found 's' after a closing"),
        (None, "a,b;c\nd,e;f\n", 1, "the rows can be split at"),
    ],
    "cex": [
        (None, "", 1, "the file is empty"),
        (None, "cat", 1, "not XML: syntax error"),
        (None, CEX.replace("ConceptualSystem", "System"), 2, "the root element is"),
        ("AttributeI", None, 16, "not XML: unclosed token"),
        ("<Objec", None, 12, "the file ends too early"),
        ("rs</Name></Attribute>\n", "rs</Attribute></Name>\n", 7, "not XML: mismatched tag"),
        (None, "<ConceptualSystem><Contexts/></ConceptualSystem>", None, "holds no context"),
        ("Binary", "ManyValued", 5, "a context of type"),
        (' Identifier="1"', "", 8, "Attribute without"),
        ('="1">', '="0">', 8, "a second attribute with"),
        ("Name>barks</Name><", "", 8, "Attribute without Name"),
        ("<Name>dog</Name>", "", 19, "Object without Name"),
        ("g</Name>\n      ", "g</Name><Name>hound</Name>\n      ", 20, "a second Name"),
        (' AttributeIdentifier="3"', "", 25, "HasAttribute without"),
        ('="3"/', '="7"/', 25, "attribute '7', which does"),
        ("dog", "cat", 20, "object name 'cat' stands on"),
        ("bark", "purr", 8, "attribute name 'purrs'"),
        ("\n<C", '\n<!DOCTYPE a [<!ENTITY a "aaaa">]><C', 2, "declarations inside"),
        ("cat", "&cat;", 14, "not XML: undefined entity"),
        (None, "<ConceptualSystem>" + "<a>" * 200, 1, "elements inside each other,"),
        ("UTF-8", "klingon", 1, "can't be decoded: unknown"),
        ("cat", "\x01", 14, "not XML: not well-formed"),
    ],
    "galicia": [
        (None, "", 1, "the file is empty"),
        (None, GALICIA.replace("Galicia_Document", "Document"), 2, "the root element is"),
        (None, "<Galicia_Document></Galicia_Document>", 1, "holds no context"),
        ("xt>\n<", "xt><BinaryContext/>\n<", 17, "a second context"),
        ('="3" ', '="4" ', 3, "3 objects, but the count"),
        ("4", "4000000000", 3, "4 attributes, but the count"),
        ("4", "four", 3, "numberAtt='four', expected"),
        ("dog</Object>\n<Object>", "", 3, "2 objects, but the count"),
        ('="2" ', '="3" ', 16, "a cross of object 3, which"),
        ('="3">', '="4">', 16, "a cross of attribute 4,"),
        ('O="2" idx', "", 16, "BinRel without idxO"),
        ('O="2"', 'O="-2"', 16, "idxO='-2', expected a"),
        ('="2" ', '="99999999999999999999" ', 16, "idxO='99999999999999999999',"),
        ("dog", "cat", 6, "object name 'cat' stands on"),
        ("bark", "purr", 9, "attribute name 'purrs'"),
        ("cat", "&cat;", 5, "not XML: undefined entity"),
    ],
    "galicia 3": [
        ('="8">', '="7">', 3, "a second attribute with id"),
        (' id="8"', "", 3, "ATT without id"),
        ("4", "5", 1, "4 attributes, but the count"),
        ('"10"/', '"11"/', 6, "a cross of attribute 11,"),
    ],
    "json": [
        (None, "", 1, "the file is empty"),
        (None, "cat", 1, "not JSON: Expecting value"),
        ("contex", None, 3, "not JSON: Unterminated"),
        ("]]", "],]", 3, "not JSON: Expecting value"),
        ("", "that is all", 4, "not JSON: Extra data"),
        (None, "7", None, "found '7', expected an"),
        ("object", "thing", None, "there is no 'objects'"),
        ("context", "table", None, "there is no 'context'"),
        ('["cat", "dog", "canary"]', "3", None, "found '3', expected a list"),
        ('"dog"', "null", None, "found 'null', expected a"),
        ("dog", "\\ud800", None, "half a surrogate pair in a"),
        ("dog", "cat", None, "the name 'cat' occurs twice"),
        ("bark", "purr", None, "the name 'purrs' occurs"),
        (", [3]", "", None, "has 2 rows, but there are 3"),
        ("]]", "], []]", None, "has 4 rows, but there are 3"),
        ("[3]", "3", None, "found '3', expected a list"),
        ("3", "4", None, "found '4', expected a"),
        ("3", "-1", None, "found '-1', expected a"),
        ("3", "3.0", None, "found '3.0', expected a"),
        ("3", "true", None, "found 'true', expected a"),
        ("3", "NaN", None, "not JSON: NaN is no number"),
        (None, JSON.replace("[3]", "[" + "3" * 5000 + "]"), 1, "not JSON:"),
    ],
    "json_conexp": [
        (None, "", 1, "the file is empty"),
        (None, "7", None, "found '7', expected an"),
        (None, "[]", None, "has 0 parts, expected the names"),
        ("attribute", "thing", None, "there is no 'attributes'"),
        ("object", "thing", None, "there is no 'objects'"),
        ("incidence", "pairs", None, "there is no 'incidence'"),
        ('y","flies"]', 'y"]', None, "expected a pair, [object,"),
        ('s"]]', 's","high"]]', None, "expected a pair, [object,"),
        ('["canary","flies"]', "null", None, "expected a pair, [object,"),
        ('["canary"', '["parrot"', None, "object 'parrot' is not"),
        ('y","flies"]', 'y","sings"]', None, "attribute 'sings' is not"),
        ('","flies"]]', '",["flies"]]]', None, "incidence[4]: found '[\"flies\"]',"),
        (',"dog"', ',"cat"', None, "the name 'cat' occurs twice"),
        (
            None,
            SAMPLES["json_conexp old"].text.replace('"dog"', '"cat"'),
            None,
            "adjacency-list[1]: the name 'cat'",
        ),
        (
            None,
            SAMPLES["json_conexp old"].text.replace('"object": "dog", ', ""),
            None,
            "there is no 'object'",
        ),
        (
            None,
            SAMPLES["json_conexp old"].text.replace(
                '"attributes": ["flies"]', '"attributes": ["sings"]'
            ),
            None,
            "attribute 'sings' is not",
        ),
    ],
    "json_fcaps": [
        (None, "", 1, "the file is empty"),
        (None, "{}", None, "there is no 'attributes'"),
        (
            None,
            '[{"ObjNames": [], "Params": {"AttrNames": []}}]',
            None,
            "has 1 parts, expected the names",
        ),
        ("Obj", "", None, "[0]: there is no 'ObjNames'"),
        ("Attr", "", None, "[0].Params: there is no"),
        ("ms", "meters", None, "[0]: there is no 'Params'"),
        ("Data", "Rows", None, "[1]: there is no 'Data'"),
        (',\n{"Count": 1, "Inds": [3]}', "", None, "[1].Data: has 2 rows, but"),
        (" 3", " 4", None, "[1].Count: says 4, but"),
        (" 1", " 2", None, "[1].Data[2].Count: says 2,"),
        ('1, "Inds": ', '1, "Is": ', None, "[1].Data[2]: there is no"),
        ('{"Count": 1, "Inds": [3]}', "null", None, "[1].Data[2]: found 'null',"),
        ("[3", "[4", None, "[1].Data[2].Inds[0]: found"),
        ("[3", '["flies"', None, "[1].Data[2].Inds[0]: found"),
        ("dog", "cat", None, "[0].ObjNames[1]: the name"),
        ("bark", "purr", None, "[0].Params.AttrNames[1]:"),
    ],
}


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "key"),
    [(name, *row) for name, rows in DAMAGE.items() for row in rows],
)
def test_damage_is_named_with_its_place(name, old, new, line, key):
    sample = SAMPLES[name]
    text = new if old is None else sample.text.replace(old, new or "") if old else sample.text + new
    if new is None:
        text = sample.text[: sample.text.index(old)]
    check_damage(sample.format, text, line, key)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"cex", "galicia", "cross_table"}))
@pytest.mark.parametrize(("sign", "key"), [("\0", "NUL byte"), ("\rx", "carriage return")])
def test_binary_data_and_old_line_ends(name, sign, key):
    text = SAMPLES[name].text
    place = text.index("\n", text.index("\n") + 1)
    check_damage(name, text[:place] + sign + text[place:], 2, key)


def test_the_first_colon_ends_the_name():
    found = read("oal", "cat:see http://example.org;purrs\n:nameless\n")
    assert found.objects == ("cat", "")
    assert found.attributes == ("see http://example.org", "purrs", "nameless")


def test_names_of_objects_may_have_blanks_and_names_may_have_hashes():
    found = read("colibri", "the cat: purrs likes#1 ; the dog: barks ; # both\n")
    assert found.objects == ("the cat", "the dog")
    assert found.attributes == ("purrs", "likes#1", "barks")


RCF_SEVERAL = RCF.replace(
    "[END", "[Binary Relation]\nSmall\na\n\n\n# the end\n[Binary Relation]\n\n\nb | c\n[END"
)


def test_one_of_several_relations_has_to_be_chosen():
    error = refusal("rcf", RCF_SEVERAL)
    assert error.reason == "holds 3 contexts"
    assert error.hint == "choose context='Pets' or 'Small' or ''"
    assert read("rcf", RCF_SEVERAL, context="Pets") == read("rcf", RCF)
    assert read("rcf", RCF_SEVERAL, context="Small").shape == (1, 0)
    assert read("rcf", RCF_SEVERAL, context="").shape == (0, 2)


def test_an_unknown_section_may_be_cut_off():
    error = refusal("rcf", RCF.replace("[END Relational Context]", "[Something]\nelse"))
    assert error.reason == "the file ends before [END Relational Context]"


def test_items_without_names_are_named_by_their_numbers():
    found = read("spmf", "@ITEM=2=two\n3 2\n10\n")
    assert found.attributes == ("two", "3", "10")
    assert found.crosses == 3


def test_items_that_occur_nowhere_are_attributes():
    assert read("spmf", "@ITEM=7=seven\n@ITEM=999999999999=far\n7\n").attributes == ("seven", "far")


def test_empty_lines_are_objects_unless_told_otherwise():
    text = "# head\n\n1 2\n# middle\n\n3\n"
    assert read("spmf", text).shape == (4, 3)
    assert read("spmf", text, empty_lines=False).objects == ("1", "2")


def test_names_may_hold_anything_but_line_breaks():
    assert read("spmf", "@ITEM=1=a=b, c\n@ITEM=2=\n@ITEM=3= d\n").attributes == ("a=b, c", "", " d")


def test_the_line_is_right_between_comments():
    text = "".join(f"# {k}\n1 2\n" for k in range(50)) + "1 x\n"
    assert refusal("spmf", text).line == 101


def test_empty_lines_are_objects_unless_told_otherwise_of_baskets():
    text = "bread,milk\n\n , \ntea\n\n"
    assert read("baskets", text).shape == (5, 3)
    assert read("baskets", text, empty_lines=False).objects == ("1", "2")


def test_nothing_is_a_context_without_objects():
    assert read("baskets", "").shape == (0, 0)


def test_a_separator_of_any_length():
    assert read("baskets", "bread, milk & tea & jam\n", separator=" & ").attributes == (
        "bread, milk",
        "tea",
        "jam",
    )


def test_quoted_items_hold_anything():
    found = read("baskets", '"tea, green","",jam\n"line\nbreak"\n')
    assert found.attributes == ("tea, green", "", "jam", "line\nbreak")


def test_the_header_can_be_told():
    text = "who,what\ncat,purrs\n"
    assert read("pairs", text, header=True).objects == ("cat",)
    assert read("pairs", text).objects == ("who", "cat")
    assert read("pairs", PAIRS, header=False).objects[0] == "object"


def test_other_separators():
    assert read("pairs", "cat -> purrs\ndog -> barks\n", separator="->").attributes == (
        "purrs",
        "barks",
    )
    assert read("pairs", "cat purrs\n", separator=" ").objects == ("cat",)


def test_lone_objects_and_attributes():
    found = read("pairs", ',sings\ncat,purrs\nstone,\n"",purrs\n')
    assert found.objects == ("cat", "stone", "")
    assert found.attributes == ("sings", "purrs")
    assert found.crosses == 2


def test_quoted_names_hold_anything():
    found = read("pairs", '"a,b","c ""d"""\n" e ","f\ng"\n')
    assert found.objects == ("a,b", " e ")
    assert found.attributes == ('c "d"', "f\ng")


def test_lines_are_counted_through_quoted_line_breaks():
    error = refusal("pairs", '"a\nb",c\n\nd,e\n')
    assert (error.line, error.reason) == (3, "an empty line inside the table")


CONTEXT = re.search("(?s)<Context .*</Context>", CEX)[0]


SMALL = (
    '<Context Identifier="small" Type="Binary"><Attributes/>'
    "<Objects><Object><Name>g</Name></Object></Objects></Context>"
)


CEX_SEVERAL = CEX.replace(CONTEXT, CONTEXT + SMALL)


def test_one_of_several_contexts_has_to_be_chosen():
    error = refusal("cex", CEX_SEVERAL)
    assert error.reason == "holds 2 contexts"
    assert error.hint == "choose context='0' or 'small'"
    assert read("cex", CEX_SEVERAL, context="0") == read("cex", CEX)
    assert read("cex", CEX_SEVERAL, context=0) == read("cex", CEX)
    assert read("cex", CEX_SEVERAL, context="small").shape == (1, 0)
    error = refusal("cex", CEX_SEVERAL, context="large")
    assert str(error) == (
        "the file: holds no context 'large' (hint: choose context='0' or 'small')"
    )


def test_two_contexts_of_one_name_can_not_be_chosen():
    error = refusal("cex", CEX.replace(CONTEXT, CONTEXT + CONTEXT), context="0")
    assert (error.line, error.reason) == (27, "a second context is called '0'")


def test_contexts_without_identifier_are_counted():
    text = CEX_SEVERAL.replace(' Identifier="small"', "")
    assert read("cex", text, context=1).shape == (1, 0)


def test_other_encodings_are_read_as_the_document_says():
    text = CEX.replace("cat", "Kätzchen")
    for encoding in ("utf-16", "latin-1", "cp1251"):
        data = text.replace("UTF-8", encoding).replace("ä", "ä" if encoding != "cp1251" else "я")
        found = read("cex", data.encode(encoding))
        assert found.objects[0] == ("Kяtzchen" if encoding == "cp1251" else "Kätzchen")


def test_blanks_in_names_are_kept():
    text = CEX.replace("<Name>cat</Name>", "<Name> a \n cat </Name>")
    assert read("cex", text).objects[0] == " a \n cat "


VERSION_3 = SAMPLES["galicia 3"].text


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
    assert json.loads(path.read_text()) == json.loads(JSON)
    for name in ("json_conexp", "json_fcaps"):
        io.save(SAMPLES["json"].context, path, format=name)
        found, expected = json.loads(path.read_text()), json.loads(SAMPLES[name].text)
        if name == "json_conexp":
            found["incidence"].sort()
            expected["incidence"].sort()
        assert found == expected
