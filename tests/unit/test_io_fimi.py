from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrank.errors import FormatError
from conceptrank.io import text as blocks_of_text
from conceptrank.io.formats import fimi
from io_samples import check_damage


def read(text, **options):
    return fimi.FORMAT.read(text.encode(), source="baskets.dat", **options)


def message(text):
    with pytest.raises(FormatError) as caught:
        read(text)
    return str(caught.value)


def rows_of(context):
    indptr, indices = context.rows()
    return [
        [context.attributes[m] for m in indices[indptr[g] : indptr[g + 1]]]
        for g in range(len(context.objects))
    ]


def test_attributes_are_the_numbers_that_occur_in_numeric_order():
    context = read("10 9 2\n2\n")
    assert context.attributes == ("2", "9", "10")
    assert context.objects == ("1", "2")
    assert rows_of(context) == [["2", "9", "10"], ["2"]]


def test_gaps_and_zero_are_fine():
    assert read("0 1000000\n500 0\n").attributes == ("0", "500", "1000000")


def test_large_numbers_far_apart():
    top = "9" * 18
    context = read(f"{top} 5\n0 {top}\n")
    assert context.attributes == ("0", "5", top)
    assert rows_of(context) == [["5", top], ["0", top]]


def test_empty_lines_are_objects_unless_told_otherwise():
    text = "\n1 2\n \t\n2\n\n"
    assert rows_of(read(text)) == [[], ["1", "2"], [], ["2"], []]
    assert rows_of(read(text, empty_lines=False)) == [["1", "2"], ["2"]]
    assert read(text, empty_lines=False).objects == ("1", "2")


def test_nothing_is_a_context_without_objects():
    assert read("").shape == (0, 0)
    assert read("\n").shape == (1, 0)


def test_numbers_may_repeat_in_a_line():
    assert rows_of(read("7 3 7\n3 3\n")) == [["3", "7"], ["3"]]


LINES = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from([" ", "\t", "  "]),
            st.one_of(st.integers(0, 12), st.integers(0, 10**18 - 1)).map(str),
            st.sampled_from(["", "", "0", "00"]),
        ),
        max_size=5,
    ),
    max_size=7,
)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]), st.integers(1, 40))
def test_numbers_are_read_as_python_reads_them(lines, line_end, mark, slice_bytes):
    tokens = [[(zeros + number)[-18:] for _, number, zeros in line] for line in lines]
    texts = [
        "".join(gap + token for (gap, _, _), token in zip(line, words, strict=True))
        for line, words in zip(lines, tokens, strict=True)
    ]
    rows = [sorted({int(word) for word in words}) for words in tokens]
    if rows and len(tokens[0]) >= 3 and {n for row in rows for n in row} <= {0, 1}:
        return
    with pytest.MonkeyPatch.context() as patch:
        # Small slices, so that every way to cut a file between lines is tried.
        patch.setattr(blocks_of_text, "BLOCK_BYTES", slice_bytes)
        context = read(mark + "".join(text + line_end for text in texts))
    assert [[int(name) for name in row] for row in rows_of(context)] == rows
    assert context.attributes == tuple(map(str, sorted({n for row in rows for n in row})))
    assert len(context.objects) == len(rows)


DAMAGE = {
    "a word": ("1 2\n3 four 5\n", 2, "found 'f' where only"),
    "a negative number": ("1 2\n3 -4\n", 2, "found '-' where only"),
    "a fraction": ("1 2.5\n", 1, "found '.' where only"),
    "commas": ("1 2\n\n3,4\n", 3, "found ',' where only"),
    "a comment": ("1 2\n# no more\n", 2, "found '#' where only"),
    "a percent line": ("% head\n1\n", 1, "found '%' where only"),
    "a named item": ("@ITEM=1=apple\n1\n", 1, "found '@' where only"),
    "supports": ("1 2 (7)\n", 1, "found '(' where only"),
    "a foreign digit": ("1\n٣\n", 2, "found byte 0xd9 where only"),
    "too many digits": ("1\n2 1234567890123456789\n", 2, "a number of more than 18"),
    "a matrix": ("0 1 1\n1 1 0\n", 1, "every line holds 3 times 0"),
}


@pytest.mark.parametrize(("text", "line", "key"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_with_its_line(text, line, key):
    check_damage("fimi", text, line, key)


def test_the_line_is_right_beyond_the_first_slice(monkeypatch):
    monkeypatch.setattr(blocks_of_text, "BLOCK_BYTES", 4)
    assert message("1 2\n" * 9 + "1 " + "3" * 19).startswith("baskets.dat, line 10: a number of")


def test_zeros_and_ones_that_are_no_matrix():
    assert rows_of(read("0 1\n1 0\n1 1\n")) == [["0", "1"], ["0", "1"], ["1"]]
    assert rows_of(read("0 1 1\n1\n")) == [["0", "1"], ["1"]]
