"""Parts, joins and smaller tables of contexts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conceptrank as cr
from conceptrank.errors import ConceptRankError
from oracle import Table
from strategies import context_of, tables

MOVIES = cr.datasets.load("movies")


def drawn(picture: str, objects: str = "", attributes: str = "") -> cr.Context:
    rows = picture.split()
    marks = [[mark == "X" for mark in row] for row in rows]
    names = objects or "123456789"[: len(rows)]
    return cr.Context(names, attributes or "abcdefghi"[: len(rows[0])], marks)


def picture(context: cr.Context) -> str:
    return " ".join("".join(".X"[mark] for mark in row) for row in context.to_numpy().astype(int))


def test_selection_keeps_the_order_asked_for() -> None:
    context = drawn("X.X XX. .XX")
    assert picture(context.select(objects=["3", "1"], attributes=["c", "a"])) == "X. XX"
    assert context.select() == context
    assert context.select(objects=[]).shape == (0, 3)
    assert context.select(attributes=[]).shape == (3, 0)
    assert MOVIES.select(attributes="drama").shape == (11, 1)
    assert context.drop(objects="2", attributes=["b"]) == context.select(
        objects=["1", "3"], attributes=["a", "c"]
    )
    assert context.drop() == context


def test_apposition_and_subposition() -> None:
    context = drawn("X.X XX. .XX")
    left = context.select(attributes="a")
    right = context.select(objects=["3", "2", "1"], attributes=["b", "c"])
    assert left.apposition(right) == context
    assert left.apposition() == left
    top = context.select(objects="1")
    bottom = context.select(objects=["2", "3"], attributes=["c", "a", "b"])
    assert top.subposition(bottom) == context
    assert context.subposition() == context
    three = drawn("X", "1", "a").apposition(drawn(".", "1", "b"), drawn("X", "1", "c"))
    assert picture(three) == "X.X"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.select(objects=["9"]), "unknown object '9'"),
        (lambda c: c.select(attributes="aa"), "unknown attribute 'aa'; did you mean 'a'?"),
        (lambda c: c.select(objects=["1", "1"]), "object '1' is selected twice"),
        (lambda c: c.drop(attributes=["z"]), "unknown attribute 'z'"),
        (lambda c: c.rename(attributes={"z": "y"}), "unknown attribute 'z'"),
        (lambda c: c.rename(attributes={"a": "b"}), "attributes 1 and 2 are both named 'b'"),
        (lambda c: c.apposition(c), "two contexts have an attribute 'a'"),
        (lambda c: c.subposition(c), "two contexts have an object '1'"),
        (lambda c: c.apposition(drawn("X", "1", "z")), "a further context has no object '2'"),
        (lambda c: c.apposition(drawn("X X X X", "1234", "z")), "first context has no object '4'"),
        (lambda c: c.subposition(drawn("X", "9", "a")), "a further context has no attribute 'b'"),
    ],
)  # fmt: skip
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ConceptRankError) as caught:
        call(drawn("X.X XX. .XX"))
    assert message in str(caught.value)


def test_clarifying() -> None:
    context = drawn("X.X XXX X.X ... XXX", "12345", "abc")
    assert context.equal_objects() == (("1", "3"), ("2", "5"))
    assert context.equal_attributes() == (("a", "c"),)
    clear = context.clarify()
    assert (clear.objects, clear.attributes) == (("1", "2", "4"), ("a", "b"))
    assert picture(clear) == "X. XX .."
    joined = context.clarify(join=" & ")
    assert joined.objects == ("1 & 3", "2 & 5", "4")
    assert joined.attributes == ("a & c", "b")
    assert MOVIES.equal_attributes() == ()


def test_what_can_be_left_out() -> None:
    # A full attribute, an equal one, and one that is the meet of two others.
    context = drawn("XXXXX XX.X. XX.X. X.X.. X....", "12345", "abcde")
    assert context.reducible_attributes() == ("a", "d", "e")
    assert drawn("X X", "12", "a").reducible_attributes() == ("a",)
    assert drawn(". .", "12", "a").reducible_attributes() == ()
    assert cr.Context([], "ab", []).reducible_attributes() == ("a", "b")
    assert context.reducible_objects() == context.transpose().reducible_attributes()


def test_reducing_to_nothing() -> None:
    context = drawn("XX XX", "12", "ab").reduce()
    assert context.shape == (0, 0)
    assert len(context.lattice()) == 1


@given(tables())
def test_complement_and_transpose_undo_themselves(table: Table) -> None:
    context = context_of(table)
    assert context.complement().complement() == context
    assert context.transpose().transpose() == context
    assert np.array_equal(context.complement().to_numpy(), ~context.to_numpy())
    assert np.array_equal(context.transpose().to_numpy(), context.to_numpy().T)


@given(tables())
def test_redundant_attributes_by_their_definition(table: Table) -> None:
    context = context_of(table)
    columns = {m: frozenset(context.extension(m)) for m in context.attributes}
    everything = frozenset(context.objects)
    expected = []
    for place, m in enumerate(context.attributes):
        above = [column for column in columns.values() if column > columns[m]]
        is_meet = everything.intersection(*above) == columns[m]
        is_equal = columns[m] in [columns[n] for n in context.attributes[:place]]
        expected += [m] if is_meet or is_equal else []
    assert list(context.reducible_attributes()) == expected


def concepts(context: cr.Context) -> list[tuple[frozenset[str], frozenset[str]]]:
    return [(frozenset(extent), frozenset(intent)) for extent, intent in context.lattice()]


def isomorphic(context: cr.Context, smaller: cr.Context) -> None:
    """Cutting all concepts down to the smaller table is an isomorphism of the lattices."""
    objects, attributes = frozenset(smaller.objects), frozenset(smaller.attributes)
    cut = {
        concept: (concept[0] & objects, concept[1] & attributes) for concept in concepts(context)
    }
    assert len(set(cut.values())) == len(cut)
    assert set(cut.values()) == set(concepts(smaller))
    for one, small in cut.items():
        for other, less in cut.items():
            assert (one[0] <= other[0]) == (small[0] <= less[0])


@given(tables())
def test_smaller_tables_have_the_same_lattice(table: Table) -> None:
    context = context_of(table)
    isomorphic(context, context.clarify())
    smaller = context.reduce()
    isomorphic(context, smaller)
    assert smaller.reduce() == smaller
    assert smaller.reducible_attributes() == smaller.reducible_objects() == ()
    isomorphic(context, context.drop(attributes=context.reducible_attributes()))
    isomorphic(context, context.drop(objects=context.reducible_objects()))


@given(tables(), st.randoms(use_true_random=False))
def test_joins_put_parts_together_again(table: Table, random: Any) -> None:
    context = context_of(table)
    cut = random.randint(0, len(context.attributes))
    shuffled = random.sample(context.objects, len(context.objects))
    left = context.select(attributes=context.attributes[:cut])
    right = context.select(objects=shuffled, attributes=context.attributes[cut:])
    assert left.apposition(right) == context
    dual = context.transpose()
    assert left.transpose().subposition(right.transpose()) == dual


def test_a_large_table_is_complemented_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    from conceptrank import context as context_module

    monkeypatch.setattr(context_module, "_CELLS_AT_ONCE", 10)
    marks = np.random.default_rng(1).random((20, 7)) < 0.5
    context = cr.Context.from_numpy(marks)
    assert np.array_equal(context.complement().to_numpy(), ~marks)
