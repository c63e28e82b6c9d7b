from itertools import chain

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from conceptrank._util import text_table
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _options, _table

names = st.lists(st.text(st.sampled_from("ab é漢字🎬"), min_size=1, max_size=12), max_size=6)


@given(rows=st.lists(names, min_size=1, max_size=5), width=st.integers(24, 90))
def test_no_line_is_wider_than_the_terminal_and_no_letter_is_lost(rows, width):
    cells = [_table.names(row) for row in rows]
    numbers = [str(number) for number in range(len(rows))]
    columns = [
        TextColumn("rank", numbers, right=True),
        TextColumn("intent", cells),
        TextColumn("extent", cells),
    ]
    lines = list(text_table.lines(columns, width=width))
    words = [word for cell in chain(*cells) for word in cell.split(" ")]
    longest = max(map(cell_len, ["intent", "extent", *words]))
    assert all(cell_len(line) <= max(width, 8 + 2 * longest) for line in lines)
    assert all(word in "".join(lines) for word in words)
    letters = sorted("".join(numbers) + "rankintentextent" + 2 * "".join(chain(*cells)))
    assert sorted("".join(lines).replace(" ", "")) == [each for each in letters if each != " "]


@given(rows=st.lists(names, min_size=1, max_size=5))
def test_columns_begin_below_each_other_in_any_script(rows):
    cells = [_table.names(row) for row in rows]
    columns = [TextColumn("intent", cells), TextColumn("end", ["|"] * len(rows))]
    header, *lines = text_table.lines(columns, width=None)
    assert {cell_len(line[:-1]) for line in lines} == {header.index("end")}


def test_a_table_without_rows_has_its_titles():
    assert list(
        text_table.lines([TextColumn("rank", [], right=True), TextColumn("intent", [])], width=80)
    ) == ["rank  intent"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5, 1 / 3, 0.0], ["0.5000", "0.3333", "0.0000"]),
        ([8.0, 1234567.0], ["8", "1,234,567"]),
        ([0.25, np.inf, np.nan], ["0.2500", "∞", "–"]),
        ([1e-7, 0.5], ["1.00e-07", "0.5000"]),
        ([1e30], ["1.00e+30"]),
        ([-1.5, 2.0], ["-1.5000", "2.0000"]),
        ([], []),
    ],
)
def test_numbers_for_people(values, expected):
    assert _table.numbers(np.array(values, dtype=float)) == expected


def test_inexact_numbers_are_marked():
    marked = _table.numbers(np.array([0.5, 0.25]), exact=np.array([True, False]))
    assert marked == ["0.5000", "~0.2500"]


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("512", 512), ("2k", 2048), ("1.5M", 1572864), ("2GB", 2**31), ("1TiB", 2**40)],
)
def test_amounts_of_memory(text, size):
    assert _options.memory(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "2X", "1 2", "nan"])
def test_what_is_no_amount_of_memory(text):
    with pytest.raises(typer.BadParameter, match=f"{text!r} is no amount of memory"):
        _options.memory(text)
