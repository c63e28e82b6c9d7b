"""What is written is read back; what a format can't hold is refused before anything is written."""

from __future__ import annotations

import csv
import gzip
import time
from io import BytesIO, StringIO

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conceptrank import io
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io import burmeister, cross_table, fimi, text

LETTERS = st.sampled_from("aXx.B1 0,;'\"#\t|éжא中🎬\u00a0\u2028\x0b\x85\ufeff\\")
NAMES = st.one_of(
    st.text(LETTERS, max_size=4),
    st.sampled_from(
        ["", "B", "A", "X", "...", "3", '"', '""', ",", "true", "no", " a", "new\nline"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=6),
)


@st.composite
def tables(draw, objects=NAMES, attributes=NAMES):
    """The names and the rows of a context, as `named` takes them."""
    objects = draw(st.lists(objects, unique=True, max_size=6))
    attributes = draw(st.lists(attributes, unique=True, max_size=6))
    row = st.lists(st.booleans(), min_size=len(attributes), max_size=len(attributes))
    bools = draw(st.lists(row, min_size=len(objects), max_size=len(objects)))
    return objects, attributes, bools


def named(objects, attributes, bools):
    """A context from rows of booleans, with no rows or no columns too."""
    indptr, indices = [0], []
    for row in bools:
        indices += [m for m, mark in enumerate(row) if mark]
        indptr.append(len(indices))
    return Context.from_csr(
        objects, attributes, np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.uint32)
    )


def held_by_burmeister(name):
    return "\n" not in name and not name.endswith((" ", "\t"))


HELD = NAMES.filter(held_by_burmeister)


@given(tables(HELD, HELD))
@example(([], [], []))
@example(([], ["", "a"], []))
@example(([], ["a", ""], []))
@example((["a", ""], [], [[], []]))
@example(([""], [""], [[True]]))
@example((["same"], ["same"], [[False]]))
def test_burmeister_keeps_everything(table):
    context = named(*table)
    assert burmeister.read(burmeister.write(context)) == context


@given(tables())
def test_burmeister_keeps_everything_or_refuses(table):
    context = named(*table)
    sides = (*context.objects, *context.attributes)
    if all(map(held_by_burmeister, sides)):
        assert burmeister.read(burmeister.write(context)) == context
    else:
        with pytest.raises(FormatError, match="line break or ends with a blank"):
            burmeister.write(context)


@given(tables(), st.sampled_from(["table.csv", "table.tsv"]))
@example(([], ["a"], []), "table.csv")
@example(([], ["a;b", "c"], []), "table.csv")
@example(([""], ["", " "], [[True, False]]), "table.tsv")
@example((['"', ","], ['""', ";\n"], [[True, False], [False, True]]), "table.csv")
def test_cross_tables_keep_everything(table, name):
    context = named(*table)
    if not context.attributes:
        with pytest.raises(FormatError, match="at least one attribute"):
            cross_table.write(context, source=name)
        return
    assert cross_table.read(cross_table.write(context, source=name)) == context


def test_the_suffix_tells_the_separator():
    context = named(["g"], ["a", "b"], [[True, False]])
    assert cross_table.write(context, source="table.csv") == b",a,b\ng,X,\n"
    assert cross_table.write(context, source="table.TSV.gz") == b"\ta\tb\ng\tX\t\n"


@given(tables(HELD, HELD))
def test_tables_larger_than_a_slice_are_read_the_same(table):
    context = named(*table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_CELLS_AT_ONCE", 8)
        assert burmeister.read(burmeister.write(context)) == context


@given(tables())
def test_another_reader_of_csv_finds_the_same_cells(table):
    context = named(*table)
    if not context.attributes:
        return
    lines = cross_table.write(context).decode()
    header, *rows = csv.reader(StringIO(lines, newline=""), strict=True)
    assert header == ["", *context.attributes]
    assert [row[0] for row in rows] == list(context.objects)
    indptr, indices = context.rows()
    for g, row in enumerate(rows):
        crosses = set(indices[indptr[g] : indptr[g + 1]].tolist())
        assert row[1:] == ["X" if m in crosses else "" for m in range(len(context.attributes))]


@given(tables(attributes=st.integers(0, 10**18 - 1).map(str)))
def test_fimi_keeps_rows_of_numbers(table):
    context = named(*table)
    indptr, indices = context.rows()
    rows = [
        sorted(int(context.attributes[m]) for m in indices[indptr[g] : indptr[g + 1]])
        for g in range(len(context.objects))
    ]
    if len(set(indices.tolist())) < len(context.attributes):
        with pytest.raises(FormatError, match="belongs to no object"):
            fimi.write(context)
        return
    lines = fimi.write(context)
    assert lines.decode() == "".join(" ".join(map(str, row)) + "\n" for row in rows)
    back = fimi.read(lines)
    numbers = sorted(map(int, context.attributes))
    assert back.attributes == tuple(map(str, numbers))
    assert back.objects == tuple(str(g + 1) for g in range(len(rows)))
    back_indptr, back_indices = back.rows()
    assert [
        [numbers[m] for m in back_indices[back_indptr[g] : back_indptr[g + 1]]]
        for g in range(len(rows))
    ] == rows


@pytest.mark.parametrize("name", ["drama", "", "-1", "1.0", "007", " 1", "١", "9" * 19])
def test_fimi_refuses_names_that_are_not_plain_numbers(name):
    with pytest.raises(FormatError, match=r"is not a number, and FIMI files hold only numbers"):
        fimi.write(named(["g"], [name], [[True]]))


@pytest.mark.parametrize("name", ["\0", "a\rb", "\ud800"])
@pytest.mark.parametrize("write", [burmeister.write, cross_table.write])
def test_characters_that_no_text_file_holds_are_refused(name, write):
    for context in (named([name], ["a"], [[True]]), named(["g"], [name], [[True]])):
        with pytest.raises(FormatError, match=r"can't hold"):
            write(context)


@pytest.mark.parametrize("suffix", [".cxt", ".ctx", ".csv", ".tsv", ".dat", ".CXT"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_save_and_load_by_suffix(tmp_path, suffix, packed):
    context = named(["1", "2"], ["3", "10"], [[True, True], [False, True]])
    path = tmp_path / f"numbers{suffix}{packed}"
    io.save(context, path)
    assert io.load(path) == context
    assert path.read_bytes().startswith(b"\x1f\x8b") == bool(packed)


def test_equal_contexts_give_equal_files_at_any_time(tmp_path, monkeypatch):
    context = named(["g"], ["a"], [[True]])
    io.save(context, tmp_path / "one.cxt.gz")
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    io.save(context, tmp_path / "two.cxt.gz")
    assert (tmp_path / "one.cxt.gz").read_bytes() == (tmp_path / "two.cxt.gz").read_bytes()


def test_nothing_is_written_when_a_name_is_refused(tmp_path):
    path = tmp_path / "kept.dat"
    path.write_text("1 2\n")
    with pytest.raises(FormatError) as caught:
        io.save(named(["g"], ["drama"], [[True]]), path)
    assert str(caught.value) == (
        f"{path}: attribute name 'drama' is not a number, and FIMI files hold only numbers "
        "(hint: save in another format, such as .cxt or .csv)"
    )
    assert path.read_text() == "1 2\n"


@given(tables(HELD, HELD), st.booleans(), st.booleans(), st.booleans())
def test_line_ends_byte_order_marks_and_compression_make_no_difference(
    table, windows, marked, packed
):
    context = named(*table)
    for entry, write in (("burmeister", burmeister.write), ("cross_table", cross_table.write)):
        if entry == "cross_table" and not context.attributes:
            continue
        data = write(context)
        if windows:
            data = data.replace(b"\n", b"\r\n")
        if marked:
            data = b"\xef\xbb\xbf" + data
        if packed:
            data = gzip.compress(data)
        assert io.load(BytesIO(data), format=entry) == context
