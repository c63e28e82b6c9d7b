"""Which format a file is in: content first, suffix second, doubt refused with the candidates."""

from __future__ import annotations

import warnings

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conceptrank as cr
from conceptrank import io
from conceptrank.errors import FormatError, InputWarning
from conceptrank.io import Fit
from io_samples import SAMPLES, SUFFIXES, WRITABLE, named

EVERY_SUFFIX = ["", ".txt", ".data", *SUFFIXES]
# What can't be told from other text without its suffix.
ONLY_BY_SUFFIX = {
    "pairs bare": {".pairs"},
    "oal": {".oal"},
    "colibri": {".con", ".bri"},
    "baskets": set(),
}
# What other suffixes speak against.
BY_CONTENT_UNLESS_CLAIMED = {
    "fimi": {".dat", ".spmf"},
    "spmf comments": {".spmf"},
    "markdown bars": {".md"},
    "cross_table": {".csv", ".tsv"},
    "cross_table tabs": {".csv", ".tsv"},
    "cross_table words": {".csv", ".tsv"},
}


def expected_suffixes(name):
    if name in ONLY_BY_SUFFIX:
        return ONLY_BY_SUFFIX[name]
    if name in BY_CONTENT_UNLESS_CLAIMED:
        return {"", ".txt", ".data"} | BY_CONTENT_UNLESS_CLAIMED[name]
    return set(EVERY_SUFFIX)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_file_under_every_suffix_is_recognised_or_refused(tmp_path, name):
    sample = SAMPLES[name]
    recognised = set()
    for suffix in EVERY_SUFFIX:
        path = tmp_path / f"file{suffix}"
        path.write_bytes(sample.data)
        try:
            found = cr.load(path)
        except FormatError as error:
            text = str(error)
            assert "\n" not in text
            assert sample.format in text, "the right format is among the candidates"
        else:
            assert found == sample.context
            recognised.add(suffix)
    assert recognised == expected_suffixes(name)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_file_is_read_in_its_format(name):
    sample = SAMPLES[name]
    assert cr.load(sample.data, format=sample.format) == sample.context


PLAIN = st.text(st.sampled_from("abcxyz01 "), min_size=1, max_size=3).map(str.strip)


@st.composite
def contexts(draw):
    sides = [draw(st.lists(PLAIN.filter(bool), unique=True, max_size=5)) for _ in range(2)]
    row = st.lists(st.booleans(), min_size=len(sides[1]), max_size=len(sides[1]))
    return named(*sides, draw(st.lists(row, min_size=len(sides[0]), max_size=len(sides[0]))))


@pytest.mark.parametrize("name", sorted(set(WRITABLE) - {"baskets"}))
@settings(max_examples=50)
@given(context=contexts(), suffix=st.sampled_from(EVERY_SUFFIX))
def test_what_is_written_is_never_read_as_something_else(name, context, suffix):
    entry = next(entry for entry in io.formats() if entry.name == name)
    try:
        data = entry.write(context)
    except FormatError:
        return
    # Two of them can't be told apart when a suffix says which one it is.
    if claims_alike(name, suffix, data):
        return
    source = Named(data, f"file{suffix}")
    try:
        found = cr.load(source)
    except FormatError:
        return
    assert found == entry.read(data)


def claims_alike(name, suffix, data):
    """Whether a suffix says that this is another format, and the content allows it."""
    return any(
        suffix in entry.suffixes and entry.name != name and entry.sniff(data) is not Fit.NO
        for entry in io.formats()
    )


class Named:
    """Bytes as an open file with a name."""

    def __init__(self, data, name):
        self.name = name
        self._data = data

    def read(self, size=-1):
        size = len(self._data) if size < 0 else size
        piece, self._data = self._data[:size], self._data[size:]
        return piece


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n5,6\n",
        "Ada,Byron\nAlan,Turing\n",
        "0,1\n1,0\n",
        "1\n2\n3\n",
        "1 2\n3 4\n",
        "Ada Lovelace\nAlan Turing\n",
        "title: a text\nauthor: me\n",
        "a { color: red; }\nb { margin: 0; }\n",
        "Dear diary,\nnothing happened.\n",
        "key = value\n",
        "<svg></svg>",
        '{"a": 1}',
        "[1, 2, 3]",
        "strict graph { a -- b }",
        "[section]\nkey=value\n",
        "A\nB\nC\n",
    ],
)
@pytest.mark.parametrize("suffix", ["", ".txt", ".csv", ".xml", ".json"])
def test_other_text_is_never_taken_for_a_context(text, suffix):
    with pytest.raises(FormatError):
        cr.load(Named(text.encode(), f"file{suffix}"))


@pytest.mark.parametrize("text", ["name,age\nAda,36\nAlan,41\n", "name;age\nAda;36\n"])
@pytest.mark.parametrize("suffix", ["", ".txt", ".csv", ".xml", ".json"])
def test_two_columns_of_values_are_known_by_the_suffix(text, suffix):
    source = Named(text.encode(), f"file{suffix}")
    if suffix in ("", ".txt", ".csv"):
        with pytest.warns(InputWarning, match="columns were scaled by type and values"):
            assert "age = 36" in cr.load(source).attributes
    else:
        with pytest.raises(FormatError):
            cr.load(source)


@pytest.mark.parametrize("suffix", ["", ".csv"])
def test_two_columns_of_marks_are_a_cross_table(suffix):
    context = cr.load(Named(b"food,sweet\ncherry,X\nsalt,\n", f"file{suffix}"))
    assert (context.attributes, context.crosses) == (("sweet",), 1)


def refusal(text, name):
    with pytest.raises(FormatError) as caught:
        cr.load(Named(text.encode(), name))
    return str(caught.value)


CITIES = ["Rome", "Oslo", "Rome", "Paris", None, "Oslo", "New York", "Rome", "New York"]


@pytest.mark.parametrize("name", ["cities.csv", "cities", "cities.txt"])
@pytest.mark.parametrize("values", [CITIES, ["yes", "no", "yes"], ["31", "28", "44", "31"]])
def test_one_column_gives_the_same_context_from_a_file_and_a_frame(name, values):
    text = "".join(f"{value or ''}\n" for value in ["city", *values])
    column = [int(value) for value in values] if values[0].isdecimal() else values
    with warnings.catch_warnings(action="ignore"):
        expected = cr.load(pl.DataFrame({"city": column}))
        assert cr.load(Named(text.encode(), name)) == expected


@pytest.mark.parametrize("name", ["city.csv", "city"])
def test_one_column_without_a_clear_title_names_the_option_of_each_reading(name):
    text = b"item\nmilk\nbread\nmilk\neggs\n"
    message = refusal(text.decode(), name)
    assert "nothing shows whether this is a header" in message
    for option in ("header=True", "header=False", "format='baskets' and separator=' '"):
        assert option in message
    with warnings.catch_warnings(action="ignore"):
        assert cr.load(text, header=True).shape == (4, 3)
        assert cr.load(text, header=False).shape == (5, 4)
        assert cr.load(text, format="baskets", separator=" ").attributes[0] == "item"


@pytest.mark.parametrize("suffix", ["", ".txt", ".csv", ".dat"])
@pytest.mark.parametrize(
    "text",
    [
        "milk bread eggs\nmilk\nbread eggs\nmilk bread\ntea\nmilk tea bread eggs\n",
        "milk bread eggs\nmilk tea rice\nbread tea eggs\n",
    ],
)
def test_baskets_of_words_are_refused_with_the_options_that_read_them(text, suffix):
    message = refusal(text, f"baskets{suffix}")
    assert "basket of words: format='baskets' and separator=' '" in message
    assert "scale='auto' and header=True, or header=False" in message
    context = cr.load(Named(text.encode(), f"baskets{suffix}"), format="baskets", separator=" ")
    assert set(context.attributes) == set(text.split())
    with warnings.catch_warnings(action="ignore"):
        lines = cr.load(Named(text.encode(), f"baskets{suffix}"), scale="auto", header=False)
    assert lines.shape[0] == text.count("\n")


@pytest.mark.parametrize("name", ["people.csv", "people", "people.txt", "people.tsv"])
@pytest.mark.parametrize("header", ["name,age,sex", "name,age", "who;when", "city"])
def test_a_header_alone_is_a_table_without_rows(name, header):
    message = refusal(f"{header}\n", name)
    assert message.startswith(f"{name}, line 1: the table has columns but no rows (hint: ")
    with warnings.catch_warnings(action="ignore"):
        assert cr.load(Named(f"{header}\n".encode(), name), header=True).shape == (0, 0)


@pytest.mark.parametrize("name", ["people.csv", "people"])
@pytest.mark.parametrize("title", ["name,age", "name,age,city"])
@pytest.mark.parametrize("cell", ['"30', '"30"x'])
def test_a_stray_quote_is_found_whatever_the_name_of_the_file(name, title, cell):
    more = ",Rome" * (title.count(",") - 1)
    text = f"{title}\nAnn,{cell}{more}\nBob,41{more}\nCid,30{more}\n"
    assert refusal(text, name).startswith(f"{name}, line 2: ")
    assert "quote" in refusal(text, name)


def test_candidates_are_listed():
    assert refusal("1 2\n3 4\n", "graph.txt") == (
        "graph.txt: the content may be fimi or spmf, but nothing proves it "
        "(hint: name the format: fimi or spmf; "
        "raw values need scale=, such as scale='auto')"
    )
    for name in ("people.csv", "people"):
        assert refusal("Ada,Byron\nAlan,Turing\n", name) == (
            f"{name}, line 1: nothing shows whether this is a header or a row (hint: say so: header"
            "=True or header=False; if every line is an object and an attribute: format='pairs')"
        )
    assert refusal("0,1\n1,0\n", "edges.csv") == (
        "edges.csv, line 1: the first line looks like a row of marks, not like a header "
        "(hint: if it is a header, leave its first field empty)"
    )


def test_a_reader_that_takes_anything_is_not_trusted_on_the_suffix_alone(monkeypatch):
    entry = next(entry for entry in io.formats() if entry.name == "fimi")
    monkeypatch.setitem(io.registry._FORMATS, "fimi", replaced(entry, lambda data, *, source: 1))
    assert refusal("anything", "file.dat") == (
        "file.dat: the content doesn't look like fimi, though it can be read so "
        "(hint: name the format if it is fimi)"
    )


def replaced(entry, read):
    from dataclasses import replace

    return replace(entry, read=read)
