"""What is written is read back; what a format can't hold is refused before anything is written."""

from __future__ import annotations

import csv
import re
import time
from io import BytesIO, StringIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import conceptrank as cr
from conceptrank import io
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io import compression, writing
from conceptrank.io.formats import cross_table, fimi
from io_samples import PETS, WRITABLE, named

LETTERS = st.sampled_from("aXx.B1 0,;'\"#\t|:[]{}=@%&<>éжא中🎬\u00a0\u2028\x0b\x85\ufeff\\")
NAMES = st.one_of(
    st.text(LETTERS, max_size=4),
    st.sampled_from(
        ["", "B", "A", "X", "...", "3", '"', '""', ",", "true", "no", " a", "new\nline"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=6),
)
PLAIN = st.text(st.sampled_from("abcXYZ123é中-_"), min_size=1, max_size=4)


@st.composite
def bools(draw, objects=NAMES, attributes=NAMES):
    """The names and the rows of a context, as `named` takes them."""
    objects = draw(st.lists(objects, unique=True, max_size=6))
    attributes = draw(st.lists(attributes, unique=True, max_size=6))
    row = st.lists(st.booleans(), min_size=len(attributes), max_size=len(attributes))
    rows = draw(st.lists(row, min_size=len(objects), max_size=len(objects)))
    return objects, attributes, rows


def fits(pattern):
    return lambda name: re.fullmatch(pattern, name) is not None


def used(context):
    return len(set(context.rows()[1].tolist())) == len(context.attributes)


def full(context):
    indptr, _ = context.rows()
    return used(context) and all(indptr[1:] > indptr[:-1])


ANY = fits(r"(?s).*")
LINE = fits(r"([^\n]*[^\n \t])?")
TRIMMED = r"[^\n \t]|[^\n \t][^\n]*[^\n \t]"
XML = fits("[^\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]*")
WORD = fits(r"[^\s:;\x1c-\x1f#][^\s:;\x1c-\x1f]*")
# Which names of objects, which of attributes, and which contexts a format can hold.
HOLDS = {
    "baskets": (ANY, ANY, used),
    "burmeister": (LINE, LINE, lambda context: True),
    "cex": (XML, XML, lambda context: True),
    "colibri": (WORD, WORD, lambda context: used(context) and context.objects),
    "cross_table": (ANY, ANY, lambda context: context.attributes),
    "fimi": (ANY, fits("0|[1-9][0-9]{0,17}"), used),
    "galicia": (XML, XML, lambda context: True),
    "json": (ANY, ANY, lambda context: True),
    "json_conexp": (ANY, ANY, lambda context: True),
    "json_fcaps": (ANY, ANY, lambda context: True),
    "markdown": (
        *[lambda name: re.fullmatch(r"(\S|\S[^\n\r]*\S)?", name) and not name.endswith("\\")] * 2,
        lambda context: True,
    ),
    "oal": (
        lambda name: ":" not in name and re.fullmatch(f"|{TRIMMED}", name),
        lambda name: ";" not in name and re.fullmatch(TRIMMED, name),
        lambda context: used(context) and context.objects,
    ),
    "pairs": (ANY, ANY, lambda context: True),
    "rcf": (
        lambda name: "|" not in name and re.fullmatch(TRIMMED, name),
        lambda name: "|" not in name and re.fullmatch(TRIMMED, name),
        lambda context: True,
    ),
    "slf": (LINE, LINE, lambda context: True),
    "spmf": (ANY, LINE, lambda context: True),
}


def is_held(context, name):
    objects, attributes, whole = HOLDS[name]
    return bool(
        all(map(objects, context.objects))
        and all(map(attributes, context.attributes))
        and whole(context)
    )


def remaining(context, lost):
    """The context without what the format says that it drops."""
    objects, attributes = list(context.objects), list(context.attributes)
    indptr, indices = context.rows()
    rows = [indices[indptr[g] : indptr[g + 1]].tolist() for g in range(len(objects))]
    if "the names of the objects" in lost:
        objects = [str(g + 1) for g in range(len(objects))]
    order = list(range(len(attributes)))
    if "the order of the attributes" in lost:
        by_number = all(name.isdecimal() for name in attributes)
        seen = list(dict.fromkeys(indices.tolist()))
        order = sorted(order, key=lambda m: int(attributes[m])) if by_number else seen
    return named(
        objects, [attributes[m] for m in order], [[m in row for m in order] for row in rows]
    )


def check(context, name):
    entry = next(entry for entry in io.formats() if entry.name == name)
    lost = io.losses(context, name)
    if not is_held(context, name):
        assert lost
        with pytest.raises(FormatError) as caught:
            entry.write(context, source="there")
        assert "\n" not in str(caught.value)
        assert str(caught.value).startswith("there: ")
        assert "(hint: " in str(caught.value)
        return
    data = entry.write(context)
    found = entry.read(data)
    assert (found == context) == (not lost)
    if name == "fimi" or "the order of the attributes" not in lost:
        assert found == remaining(context, lost)
    else:
        assert sorted(found.attributes) == sorted(context.attributes)
        assert found == remaining(context, lost)
    assert entry.write(found) == entry.write(entry.read(entry.write(found)))


@pytest.mark.parametrize("name", WRITABLE)
@settings(max_examples=60)
@given(table=bools())
@example(table=([], [], []))
@example(table=([], ["", "a"], []))
@example(table=([], ["a", ""], []))
@example(table=(["a", ""], [], [[], []]))
@example(table=([""], [""], [[True]]))
@example(table=(["same"], ["same"], [[False]]))
@example(table=(["same"], ["same"], [[True]]))
@example(table=([], ["a;b", "c"], []))
@example(table=([""], ["", " "], [[True, False]]))
@example(table=(['"', ","], ['""', ";\n"], [[True, False], [False, True]]))
@example(table=(["a", "b"], ["x", "y"], [[False, True], [True, True]]))
@example(table=(["a", "b"], ["10", "9"], [[True, True], [False, False]]))
def test_every_format_keeps_everything_or_refuses(table, name):
    check(named(*table), name)


@pytest.mark.parametrize("name", WRITABLE)
@settings(max_examples=40)
@given(table=bools(PLAIN, PLAIN))
def test_every_format_keeps_plain_names(table, name):
    check(named(*table), name)


@given(bools(attributes=st.integers(0, 10**18 - 1).map(str)))
def test_fimi_keeps_rows_of_numbers(table):
    check(named(*table), "fimi")


def test_every_format_that_can_hold_names_is_written():
    assert set(WRITABLE) == set(HOLDS)


@pytest.mark.parametrize("name", sorted(set(WRITABLE) - {"fimi", "colibri"}))
def test_a_plain_context_is_kept(name):
    lost = {"baskets": ["the names of the objects"], "spmf": ["the names of the objects"]}
    order = ["the order of the attributes"] if name in ("oal", "baskets") else []
    assert io.losses(named(*PETS), name) == lost.get(name, []) + order


def test_losses_are_named():
    assert io.losses(named(*PETS), "dat") == [
        "attribute name 'purrs' is not a number, and FIMI files hold only numbers"
    ]
    assert io.losses(named(*PETS), "colibri") == [
        "attribute name 'has fur': such a file can't hold it"
    ]
    with pytest.raises(UnknownNameError):
        io.losses(named(*PETS), "docx")


def test_the_suffix_tells_the_separator():
    context = named(["g"], ["a", "b"], [[True, False]])
    assert cross_table.write(context, source="table.csv") == b",a,b\ng,X,\n"
    assert cross_table.write(context, source="table.TSV.gz") == b"\ta\tb\ng\tX\t\n"
    assert cross_table.write(context, separator=";") == b";a;b\ng;X;\n"


def test_separators_can_be_chosen(tmp_path):
    for name, separator in (("pairs", "|"), ("pairs", "\t"), ("baskets", ";"), ("pairs", ";")):
        path = tmp_path / "pets.txt"
        io.save(named(*PETS), path, format=name, separator=separator)
        found = cr.load(path, format=name)
        assert found.crosses == named(*PETS).crosses
    for name in ("pairs", "baskets", "cross_table"):
        with pytest.raises(FormatError, match="can't separate"):
            io.save(named(*PETS), path, format=name, separator="--")
    with pytest.raises(UnknownNameError, match="unknown option 'separator' in format burmeister"):
        io.save(named(*PETS), path, format="burmeister", separator=";")


@given(bools(PLAIN, PLAIN))
def test_tables_larger_than_a_slice_are_written_and_read_the_same(table):
    context = named(*table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_CELLS_AT_ONCE", 8)
        for name in ("burmeister", "slf", "rcf", "cross_table"):
            if name != "cross_table" or context.attributes:
                entry = next(entry for entry in io.formats() if entry.name == name)
                assert entry.read(entry.write(context)) == context


@given(bools())
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


@pytest.mark.parametrize("name", ["drama", "", "-1", "1.0", "007", " 1", "١", "9" * 19])
def test_fimi_refuses_names_that_are_not_plain_numbers(name):
    with pytest.raises(FormatError, match=r"is not a number, and FIMI files hold only numbers"):
        fimi.write(named(["g"], [name], [[True]]))


@pytest.mark.parametrize("name", sorted(set(WRITABLE) - {"fimi"}))
@pytest.mark.parametrize("letter", ["\0", "\ud800"])
def test_characters_that_no_file_holds_are_refused(name, letter):
    entry = next(entry for entry in io.formats() if entry.name == name)
    contexts = [named(["g"], [f"a{letter}"], [[True]])]
    if name not in ("baskets", "spmf"):
        contexts.append(named([f"g{letter}"], ["a"], [[True]]))
    for context in contexts:
        if letter == "\0" and name.startswith("json"):
            assert entry.read(entry.write(context)) == context
        else:
            with pytest.raises(FormatError, match=r"can't hold"):
                entry.write(context)


@pytest.mark.parametrize("name", ["cex", "galicia", "json", "json_conexp"])
def test_carriage_returns_survive_where_they_can_be_escaped(name):
    entry = next(entry for entry in io.formats() if entry.name == name)
    context = named(["a\rb", "c\r\nd"], ["\r", "\t"], [[True, False], [False, True]])
    assert entry.read(entry.write(context)) == context


@pytest.mark.parametrize("suffix", sorted(s for f in io.formats() if f.write for s in f.suffixes))
@pytest.mark.parametrize("packed", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_save_and_load_by_suffix(tmp_path, suffix, packed):
    context = named(["1", "2"], ["1", "2"], [[True, True], [False, True]])
    for name in (suffix, suffix.upper()):
        path = tmp_path / f"numbers{name}{packed}"
        io.save(context, path)
        assert cr.load(path) == context
        codec = compression.codec_of_start(path.read_bytes())
        assert (codec is not None) == bool(packed)
        assert codec is None or packed in codec.suffixes


def test_equal_contexts_give_equal_files_at_any_time(tmp_path, monkeypatch):
    context = named(["g"], ["a"], [[True]])
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        io.save(context, tmp_path / f"one.cxt{suffix}")
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: 1_000_000.0)
            io.save(context, tmp_path / f"two.cxt{suffix}")
        one, two = ((tmp_path / f"{name}.cxt{suffix}").read_bytes() for name in ("one", "two"))
        assert one == two


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


LINES_OF_TEXT = sorted(set(WRITABLE) - {"cex", "galicia"})


@pytest.mark.parametrize("name", LINES_OF_TEXT)
@settings(max_examples=25)
@given(bools(PLAIN, PLAIN), st.booleans(), st.booleans(), st.sampled_from([None, 0, 1, 2, 3]))
def test_line_ends_byte_order_marks_and_compression_make_no_difference(
    name, table, windows, marked, packed
):
    context = named(*table)
    if not is_held(context, name):
        return
    entry = next(entry for entry in io.formats() if entry.name == name)
    data = entry.write(context)
    expected = entry.read(data)
    if windows:
        data = data.replace(b"\n", b"\r\n")
    if marked:
        data = b"\xef\xbb\xbf" + data
    if packed is not None:
        data = compression.CODECS[packed].compress(data)
    assert cr.load(BytesIO(data), format=name) == expected
