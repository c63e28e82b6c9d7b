"""The page about formats: its examples are files that can be read, its table is true."""

from __future__ import annotations

import re

import pytest

import conceptrank as cr
from conceptrank import io
from conceptrank.errors import FormatError
from io_samples import FORMATS, named
from repository import repository

PAGE = (repository() / "docs" / "formats.md").read_text(encoding="utf-8")
EXAMPLES = [
    (match[1], match[2])
    for match in re.finditer(r"(?m)^```(\w+)\n((?s:.*?))^```$", PAGE)
    if match[1] in FORMATS
]
CROSSES = {
    ("cat", "purrs"),
    ("cat", "has fur"),
    ("dog", "barks"),
    ("dog", "has fur"),
    ("canary", "flies"),
}
OBJECTS = ["cat", "dog", "canary"]
ATTRIBUTES = ["purrs", "barks", "has fur", "flies"]
# What shows each column of the table: it is true if nothing gets lost of any of these.
PROBES = {
    "object names": [(["cat"], ["1"], [[1]])],
    "attribute names": [(["1"], ["purrs"], [[1]])],
    "blanks inside": [(["1"], ["has fur"], [[1]])],
    r"`, ; : \|` inside": [(["1"], ["a,b", "c;d", "e:f", "g|h"], [[1, 1, 1, 1]])],
    "empty names": [(["1"], [""], [[1]])],
    "line breaks": [(["1"], ["a\nb"], [[1]])],
    "order of attributes": [
        (["1", "2"], ["1", "2"], [[0, 1], [1, 1]]),
        (["1"], ["2", "1"], [[1, 1]]),
    ],
    "objects without cross": [(["1", "2"], ["1"], [[1], [0]])],
    "attributes without cross": [(["1"], ["1", "2"], [[1, 0]])],
}


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_every_example_is_the_same_context(name, text):
    found = cr.load(text.encode(), format=name)
    assert found.shape == (3, 4)
    counted = not set(found.objects) & set(OBJECTS)
    numbered = not set(found.attributes) & set(ATTRIBUTES)
    objects = OBJECTS if counted else found.objects
    attributes = ATTRIBUTES if numbered else [m.replace("_", " ") for m in found.attributes]
    if counted:
        assert found.objects == ("1", "2", "3")
    if numbered:
        assert found.attributes == ("1", "2", "3", "4")
    indptr, indices = found.rows()
    crosses = {
        (objects[g], attributes[m])
        for g in range(3)
        for m in indices[indptr[g] : indptr[g + 1]].tolist()
    }
    assert crosses == CROSSES


def test_every_format_has_an_example_and_a_row():
    assert {name for name, _ in EXAMPLES} == set(FORMATS)
    assert [row[0].strip("`") for row in rows()] == list(FORMATS)


@pytest.mark.parametrize("text", [text for _, text in EXAMPLES], ids=[n for n, _ in EXAMPLES])
def test_every_example_is_recognised_or_refused_with_its_candidates(text):
    refused = None
    try:
        cr.load(text.encode())
    except FormatError as error:
        refused = str(error)
    assert refused is None or "but nothing proves it" in refused


def rows():
    page = PAGE.split("## What a format can hold")[1].split("\n## ")[0]
    lines = [line for line in page.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    header, _, *rest = [[cell.strip() for cell in row] for row in cells]
    assert header == ["format", "suffixes", *PROBES, "several contexts"]
    return rest


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0].strip("`"))
def test_the_table_is_true(row):
    entry = FORMATS[row[0].strip("`")]
    assert row[1] == (" ".join(f"`{suffix}`" for suffix in entry.suffixes) or "–")
    held = [
        not any(io.losses(named(*probe), entry.name) for probe in probes)
        for probes in PROBES.values()
    ]
    assert row[2:] == ["✓" if mark else "–" for mark in [*held, "context" in entry.option_types()]]


def test_the_table_of_readers_is_true():
    page = PAGE.split("## Damaged and hostile files")[1].split("\n## ")[0]
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    noticing = {}
    for line in lines:
        names, noticed, *_ = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        noticing |= dict.fromkeys(re.findall(r"`(\w+)`", names), noticed)
    assert set(noticing) == {*FORMATS, *(entry.name for entry in io.table_formats())}
    for name, entry in FORMATS.items():
        assert noticing[name] == ("yes" if entry.notices_cuts else "a last line without an end")
