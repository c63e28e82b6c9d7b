"""Texts and numbers that break naive readers end in one of our errors, in one line."""

from __future__ import annotations

import pytest

import conceptrank as cr
from conceptrank import io
from conceptrank.errors import ConceptRankError
from conceptrank.scaling import plan_file

DIGITS = "9" * 5000
HALF = "\udcff"
MARKET = "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n"
SLF = "[Lattice]\n{}\n1\n[Objects]\na\n[Attributes]\nb\n[relation]\n1\n"
CONTEXT = cr.Context("1", "2", [[True]])


def load(text, **options):
    return lambda: cr.load(text.encode(), **options)


def scale(table, plan):
    return lambda: cr.load(table, scale=plan)


CASES = {
    "Burmeister, a count of many digits": load(f"B\n\n{DIGITS}\n1\n\na\nb\nX\n"),
    "Burmeister, a count that is no number": load("B\n\n²\n1\n\na\nb\nX\n", format="burmeister"),
    "SLF, a count of many digits": load(SLF.format(DIGITS)),
    "SLF, a count that is no number": load(SLF.format("²")),
    "GML, a side of many digits": load(f"graph [ node [ id 1 bipartite {DIGITS} ] ]"),
    "GML, half a character": load('graph [ node [ id 1 label "&#55296;" ] ]'),
    "SPMF, an item of many digits": load(f"@CONVERTED_FROM_TEXT\n@ITEM={DIGITS}=x\n1\n"),
    "JSON, a name of many digits": load(
        f'{{"objects": [{DIGITS}], "properties": [], "context": [[]]}}'
    ),
    "JSON, half a character": load('{"objects": ["\\ud800"], "properties": [], "context": [[]]}'),
    "ARFF, a place of many digits": load(
        f"@relation r\n@attribute a numeric\n@data\n{{{DIGITS} 1}}\n"
    ),
    "Matrix Market, a place of many digits": load(f"{MARKET}{DIGITS} 1\n"),
    "Matrix Market, no number": load(f"{MARKET}nan 1\n"),
    "a separator that is no text": load("n,b\nu,1\n", separator=HALF, format="pairs"),
    "a line end as separator": load("n,b\nu,1\n", separator="\n", format="pairs"),
    "a quote as separator": load("n,b\nu,1\n", separator='"', format="cross_table"),
    "names that are no text": load("a,b\n1,2\n", names=[HALF, "x"], header=False, scale="auto"),
    "words that are no text": load("a,b\nu,2\n", missing_words=[HALF], header=True, scale="auto"),
    "the wrong encoding": load("a,b,c\n1,2,3\n", encoding="utf-16"),
    "a host that is no text": lambda: cr.load(f"http://{HALF}/x.csv"),
    "a host that is none": lambda: cr.load("http://[::1/x.csv"),
    "a path with NUL": lambda: cr.load("a\0b"),
    "a path that is no text": lambda: cr.load("a\ud800b"),
    "a path to write that is no text": lambda: io.save(CONTEXT, "a\ud800b.cxt"),
    "a scale that is no text": scale({"a": ["x", "y"]}, f"a=nominal:{HALF},x,y"),
    "a date format that is no text": scale({"a": ["x", "y"]}, f"a=nominal:date_format={HALF}"),
    "a level of many digits": scale({"a": [1, 2]}, f"a=quantiles:{DIGITS}"),
    "a value that is no text": scale({"a": ["\ud800", "b"]}, "auto"),
    "a column that is no text": scale({"\ud800": ["a", "b"]}, "auto"),
    "TOML, a number of many digits": lambda: plan_file.loads(
        f'[columns.a]\nscale="quantiles"\ncount={DIGITS}'
    ),
    "TOML, lists inside each other": lambda: plan_file.loads("a=" + "[" * 5000),
}


@pytest.mark.parametrize("name", CASES)
def test_odd_inputs_are_refused_in_one_line(name):
    with pytest.raises(ConceptRankError) as caught:
        CASES[name]()
    assert "\n" not in str(caught.value)


def test_half_a_character_in_arff_is_replaced():
    text = b"@relation r\n@attribute a {'\\ud800',b}\n@data\n'\\ud800'\nb\nb\n"
    assert "a = \ufffd" in cr.load(text).attributes
