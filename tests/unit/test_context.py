from __future__ import annotations

import pickle

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.errors import ConceptRankError, FormatError, UnknownNameError

T5_ROWS = ["XXX.", "XX..", "XX.X", ".XX.", "..XX"]


@pytest.fixture
def t5() -> cr.Context:
    return cr.Context("12345", "abcd", [[mark == "X" for mark in row] for row in T5_ROWS])


def test_shape_and_contents(t5: cr.Context) -> None:
    assert t5.objects == ("1", "2", "3", "4", "5")
    assert t5.attributes == t5.properties == ("a", "b", "c", "d")
    assert (t5.shape, t5.crosses, t5.density) == ((5, 4), 12, 0.6)
    indptr, indices = t5.rows()
    assert indptr.tolist() == [0, 3, 5, 8, 10, 12]
    assert indices.tolist() == [0, 1, 2, 0, 1, 0, 1, 3, 1, 2, 2, 3]


def test_derivation(t5: cr.Context) -> None:
    assert t5.intension(["1", "2"]) == ("a", "b")
    assert t5.intension([]) == ("a", "b", "c", "d")
    assert t5.extension(["b", "a", "b"]) == ("1", "2", "3")
    assert t5.extension([]) == t5.objects
    assert t5.closure(["a"]) == ("a", "b")
    assert t5.closure(iter("cd")) == ("c", "d")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.extension(["drame"]), "unknown attribute 'drame'; did you mean 'drama'"),
        (lambda c: c.closure("adventures"), "unknown attribute 'adventures'"),
        (lambda c: c.concept("drama", "crimnal"), "unknown attribute 'crimnal'"),
        (lambda c: c.intension(["99"]), "unknown object '99'"),
        (lambda c: c.intension([2]), "unknown object '2'"),
        (lambda c: c.intension([["2"]]), "unknown object"),
    ],
)
def test_unknown_names(call: object, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        call(cr.datasets.load("movies"))  # type: ignore[operator]
    assert message in str(caught.value)


def test_bools_may_be_an_array_numbers_or_lists() -> None:
    table = [[1, 0], [0, 1], [1, 1]]
    expected = cr.Context("xyz", "ab", [[bool(mark) for mark in row] for row in table])
    for bools in (np.array(table, dtype=bool), np.array(table), np.array(table, float), table):
        assert cr.Context("xyz", "ab", bools) == expected
    fortran = np.asfortranarray(np.array(table, dtype=bool))
    assert cr.Context("xyz", "ab", fortran) == expected
    assert cr.Context("xyz", "ab", (tuple(row) for row in table)) == expected


@pytest.mark.parametrize(
    ("bools", "message"),
    [
        ([[True, False], [True]], "row 2 has 1 marks, expected 2"),
        ([[True, False]], "the table is 1 × 2, expected 2 × 2"),
        (np.zeros((2, 3), dtype=bool), "the table is 2 × 3, expected 2 × 2"),
        (np.zeros(4, dtype=bool), "the table is 4, expected 2 × 2"),
        ([[True, False], ["X", False]], "row 2, column 1 holds 'X'"),
        ([[True, False], [False, None]], "row 2, column 2 holds 'None'"),
        ([[0, 1], [2, 0]], "row 2, column 1 holds '2'"),
        (np.array([[0.0, np.nan], [1.0, 0.0]]), "row 1, column 2 holds 'nan'"),
    ],
)
def test_bad_tables(bools: object, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        cr.Context("xy", "ab", bools)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_a_name_may_be_there_once_on_each_side() -> None:
    assert cr.Context("ab", "ab", [[True, False], [False, True]]).intension("a") == ("a",)
    with pytest.raises(ConceptRankError, match="objects 1 and 3 are both named 'a'"):
        cr.Context("aba", "x", [[True]] * 3)
    with pytest.raises(ConceptRankError, match="attributes 2 and 3 are both named '7'"):
        cr.Context("a", [5, 7, "7"], [[True] * 3])


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 1], [0]),
        ([0, 1, 3], [0, 1]),
        ([0, 2, 1], [0]),
        ([0, 2, 2], [1, 0]),
        ([0, 2, 2], [1, 1]),
        ([0, 1, 2], [0, 2]),
        ([0, 1, 2], [0, -1]),
        ([1, 1, 2], [0, 1]),
    ],
)
def test_bad_rows(indptr: list[int], indices: list[int]) -> None:
    with pytest.raises(FormatError):
        cr.Context.from_csr("xy", "ab", np.array(indptr), np.array(indices))


@pytest.mark.parametrize(("n", "q"), [(0, 0), (0, 3), (3, 0)])
def test_no_objects_or_no_attributes(n: int, q: int) -> None:
    context = cr.Context(range(n), range(q), np.zeros((n, q), dtype=bool))
    assert (context.shape, context.crosses, context.density) == ((n, q), 0, 0.0)
    assert context.intension([]) == context.attributes
    assert context.extension([]) == context.objects
    (concept,) = context.lattice()
    assert tuple(concept) == (context.objects, context.attributes)
    assert context.transpose().shape == (q, n)
    assert f"{n} objects × {q} attributes" in repr(context)
    assert "<table>" in context._repr_html_()
    assert context.estimate_concepts().value == 1


def test_equality_is_by_names_and_crosses(t5: cr.Context) -> None:
    same = cr.Context.from_csr(list("12345"), tuple("abcd"), *t5.rows())
    assert same == t5
    assert same.digest == t5.digest
    assert len({same, t5}) == 1
    rows = [[mark == "X" for mark in row] for row in T5_ROWS]
    assert cr.Context("12346", "abcd", rows) != t5
    assert cr.Context("12345", "abdc", rows) != t5
    assert cr.Context("12345", "abcd", rows[::-1]) != t5
    assert t5 != "a context"
    # The border between two names counts.
    one_row = [[True, True]]
    assert cr.Context("x", ["ab", "c"], one_row) != cr.Context("x", ["a", "bc"], one_row)


def test_the_digest_does_not_change_between_versions(t5: cr.Context) -> None:
    # Saved lattices name it.
    assert t5.digest == "55ff0d6e5ba40bc1241fe8aa926ff12e22786e7920b63de12fb81edaa42bb699"
    assert repr(t5) == f"<Context 5 objects × 4 attributes, 12 crosses [{t5.digest[:8]}]>"


def test_any_text_is_a_name() -> None:
    names = ["", " ", "a\nb", "é", "e\u0301", "\ud800", "<b>"]
    context = cr.Context(names, names, np.eye(len(names), dtype=bool))
    assert len(context.digest) == 64
    assert context.extension(["a\nb"]) == ("a\nb",)
    assert "<b>" not in context._repr_html_()


def test_transpose(t5: cr.Context) -> None:
    dual = t5.transpose()
    assert (dual.objects, dual.attributes) == (t5.attributes, t5.objects)
    assert dual.intension(["a", "b"]) == t5.extension(["a", "b"])
    assert dual.transpose() == t5


def test_equal_rows_are_counted() -> None:
    context = cr.datasets.load("movies")
    assert (len(context.objects), context.n_distinct_rows) == (11, 10)


def test_pickle(t5: cr.Context) -> None:
    assert pickle.loads(pickle.dumps(t5)) == t5


def test_the_estimate_is_exact_for_small_contexts() -> None:
    context = cr.datasets.load("movies")
    estimate = context.estimate_concepts()
    assert (estimate.value, estimate.low, estimate.high, estimate.exact) == (20, 20, 20, True)
    assert context.estimate_concepts(min_support=0.25).value == 10


def test_the_estimate_is_seeded() -> None:
    table = ~np.eye(24, dtype=bool)
    context = cr.Context(range(24), range(24), table)
    first, again = (context.estimate_concepts(seed=5) for _ in range(2))
    assert first == again
    assert not first.exact
    assert first.low <= first.value <= first.high
    assert str(first).startswith("about ")


def test_repeated_names_are_found_among_very_many() -> None:
    names = [f"object {g}" for g in range(20_000)]
    indptr = np.zeros(20_001, dtype=np.int64)
    none = np.zeros(0, dtype=np.uint32)
    assert len(cr.Context.from_csr(names, "a", indptr, none).objects) == 20_000
    names[-1] = "object 7"
    with pytest.raises(FormatError, match="objects 8 and 20000 are both named 'object 7'"):
        cr.Context.from_csr(names, "a", indptr, none)
