from __future__ import annotations

import pytest

from io_samples import SAMPLES, read, refusal

ROWS = SAMPLES["matrix"].text


def test_the_usual_layout():
    assert read("matrix", ROWS) == SAMPLES["matrix"].context


VARIANTS = {
    "tabs": ROWS.replace(" ", "\t"),
    "commas": ROWS.replace(" ", ","),
    "semicolons and blanks": ROWS.replace(" ", " ; "),
    "wide gaps": ROWS.replace(" ", "    "),
    "Windows": ROWS.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + ROWS,
    "blanks around": "  " + ROWS.replace("\n", "  \n "),
    "no final line end": ROWS.removesuffix("\n"),
    "empty lines at the end": ROWS + "\n \n",
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_tolerated_variants_read_the_same(text):
    assert text != ROWS
    assert read("matrix", text) == read("matrix", ROWS)


DAMAGE = {
    "empty": ("", 1, "the file is empty"),
    "blank": ("\n \n", 1, "the file is empty"),
    "a short row": (ROWS.replace("0 1 1 0", "0 1 1"), 2, "row has 3 numbers, expected 4"),
    "a long row": (ROWS.replace("0 1 1 0", "0 1 1 0 0"), 2, "row has 5 numbers, expected 4"),
    "cut off": (ROWS[:-4], 3, "row has 2 numbers, expected 4"),
    "a two": (ROWS.replace("0 1 1 0", "0 1 2 0"), 2, "found '2' where only 0 and 1 belong"),
    "a word": (ROWS.replace("0 1 1 0", "cat 0 1 1 0"), 2, "found 'cat' where only 0 and 1 belong"),
    "no separators": (ROWS.replace(" ", ""), 1, "found '1010' where only 0 and 1 belong"),
    "a separator too many": (
        ROWS.replace("0 1 1 0", "0 1 1 0,"),
        2,
        "found two separators in a row in the matrix",
    ),
    "two separators in a row": (
        ROWS.replace("0 1 1 0", "0,,1 1 0"),
        2,
        "found two separators in a row in the matrix",
    ),
    "an empty line inside": (ROWS.replace("0 1 1 0", ""), 2, "found an empty line in the matrix"),
    "a header": ("a b c d\n" + ROWS, 1, "found 'a' where only 0 and 1 belong"),
    "a NUL byte": (
        ROWS.replace("0 1 1 0", "0 \0 1 0"),
        2,
        "holds a NUL byte: binary data, not text",
    ),
    "old line ends": (ROWS.replace("\n", "\r"), 1, "a carriage return without a line feed"),
}


@pytest.mark.parametrize(("text", "line", "reason"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, reason):
    error = refusal("matrix", text)
    assert (error.line, error.reason) == (line, reason)


def test_columns_can_be_left_out():
    assert read("matrix", ROWS, skip=1).shape == (3, 3)
    assert read("matrix", ROWS, skip=4).shape == (3, 0)
    assert refusal("matrix", ROWS, skip=5).reason == "skip=5, but there are 4 columns"
    assert refusal("matrix", ROWS, skip=-1).reason == "skip=-1 is less than 0"


def test_a_line_of_blanks_takes_no_time():
    assert "row has 1" in refusal("matrix", "0 1\n1" + " " * 200_000 + "\n").reason
    assert "found 'x'" in refusal("matrix", "1" + " " * 200_000 + "x\n").reason
