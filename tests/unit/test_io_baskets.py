from __future__ import annotations

import pytest

from io_samples import SAMPLES, check_damage, read

BASKETS = SAMPLES["baskets"].text


def test_the_usual_layout():
    assert read("baskets", BASKETS) == SAMPLES["baskets"].context


VARIANTS = {
    "semicolons": BASKETS.replace(",", ";"),
    "tabs": BASKETS.replace(",", "\t"),
    "bars": BASKETS.replace(",", "|"),
    "Windows": BASKETS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + BASKETS,
    "padded": BASKETS.replace("has fur\n", "has fur,,\n"),
    "blanks around items": BASKETS.replace(",", " , "),
    "quoted": BASKETS.replace("has fur", '"has fur"'),
    "items twice": BASKETS.replace("has fur", "has fur,has fur"),
    "no final line end": BASKETS.removesuffix("\n"),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != BASKETS
    assert read("baskets", text) == read("baskets", BASKETS)


DAMAGE = {
    "two separators": ("a,b\nc;d\n", 1, "the rows can be split at"),
    "bars and tabs": ("a|b\nc\td\n", 1, "the rows can be split at"),
    "a quote never closed": (
        BASKETS.replace("has fur", '"has fur'),
        2,
        "a quote is opened and never",
    ),
    "a quote never closed in the last line": (BASKETS + '"a,b\n', 4, "a quote is opened and never"),
    "text after a quote": (BASKETS.replace("has fur", '"has" fur'), 2, "found 'f' after a closing"),
    "a NUL byte": (BASKETS.replace("has fur", "has\0fur"), 2, "holds a NUL byte: binary"),
    "old line ends": (BASKETS.replace("\n", "\r"), 1, "a carriage return without a"),
    "three separators": ("a,b\nc;d\ne|f\n", 1, "the rows can be split at"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("baskets", text, line, key)


def test_empty_lines_are_objects_unless_told_otherwise():
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
