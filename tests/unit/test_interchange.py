"""Contexts from what other libraries hold."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given

import conceptrank as cr
from conceptrank.errors import ConceptRankError, FormatError, UnknownNameError
from oracle import Table
from strategies import context_of, tables

FOOD = cr.Context(
    ["cherry", "honey", "stone"], ["sweet", "red"], [[True, True], [True, False], [False, False]]
)


@pytest.mark.parametrize("dtype", [bool, int, float, object, "boolean", "Int64"])
def test_pandas(dtype: object) -> None:
    frame = pd.DataFrame({"sweet": [1, 1, 0], "red": [1, 0, 0]}, index=list(FOOD.objects))
    typed = frame.astype(bool).astype(dtype) if dtype is object else frame.astype(dtype)  # type: ignore[call-overload]
    assert cr.Context.from_pandas(typed) == FOOD


def test_pandas_names_are_text() -> None:
    frame = pd.DataFrame(np.eye(2, dtype=bool), columns=[10, 20])
    context = cr.Context.from_pandas(frame)
    assert (context.objects, context.attributes) == (("0", "1"), ("10", "20"))


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        (["red", "blue"], "'red'"),
        ([1.0, np.nan], "'nan'"),
        ([True, None], "'None'"),
        ([0, 2], "'2'"),
    ],
)
def test_pandas_columns_of_other_values(column: list[object], shown: str) -> None:
    frame = pd.DataFrame({"ok": [True, False], "colour": column}, index=["x", "y"])
    with pytest.raises(FormatError) as caught:
        cr.Context.from_pandas(frame)
    assert "column 'colour', row '" in str(caught.value)
    assert shown in str(caught.value)


def test_pandas_with_a_column_twice() -> None:
    frame = pd.DataFrame([[True, False]], columns=["a", "a"])
    with pytest.raises(FormatError, match="both named 'a'"):
        cr.Context.from_pandas(frame)


def test_empty_frames() -> None:
    assert cr.Context.from_pandas(pd.DataFrame(index=["x", "y"])).shape == (2, 0)
    assert cr.Context.from_pandas(pd.DataFrame({"a": []}, dtype=bool)).shape == (0, 1)
    assert cr.Context.from_polars(pl.DataFrame()).shape == (0, 0)


def test_polars() -> None:
    frame = pl.DataFrame(
        {"sweet": [True, True, False], "food": list(FOOD.objects), "red": [1, 0, 0]}
    )
    assert cr.Context.from_polars(frame, objects="food") == FOOD
    numbered = cr.Context.from_polars(frame.drop("food"))
    assert numbered.objects == ("1", "2", "3")
    assert numbered.extension("red") == ("1",)


def test_polars_with_missing_values() -> None:
    with pytest.raises(FormatError, match="column 'red', row '2'"):
        cr.Context.from_polars(pl.DataFrame({"red": [True, None]}))


def test_itemsets() -> None:
    mapping = {"cherry": {"sweet", "red"}, "honey": ["sweet", "sweet"], "stone": ()}
    assert cr.Context.from_itemsets(mapping, attributes=["sweet", "red"]) == FOOD
    context = cr.Context.from_itemsets(iter(mapping.values()))
    assert context.objects == ("1", "2", "3")
    assert context.attributes == ("red", "sweet")


def test_items_are_in_an_order_of_their_own() -> None:
    assert cr.Context.from_itemsets([[10, 9, 100]]).attributes == ("9", "10", "100")
    assert cr.Context.from_itemsets([["b", 2, "a", 10]]).attributes == ("10", "2", "a", "b")
    assert cr.Context.from_itemsets([]).shape == (0, 0)


def test_items_outside_the_list_of_attributes() -> None:
    with pytest.raises(FormatError, match="item 'tea' is not in the list"):
        cr.Context.from_itemsets([["tea"]], attributes=["milk"])


def test_pairs() -> None:
    pairs = [("cherry", "sweet"), ("cherry", "red"), ("honey", "sweet"), ("cherry", "red")]
    assert cr.Context.from_pairs(pairs, objects=FOOD.objects) == FOOD
    context = cr.Context.from_pairs(pairs)
    assert context.objects == ("cherry", "honey")
    assert cr.Context.from_pairs(set(pairs)).attributes == ("red", "sweet")
    assert cr.Context.from_pairs([]).shape == (0, 0)


@pytest.mark.parametrize("pair", [("a",), ("a", "b", "c"), "ab"])
def test_pairs_of_another_length(pair: object) -> None:
    with pytest.raises(FormatError, match="pair 1 is"):
        cr.Context.from_pairs([pair])  # type: ignore[list-item]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
def test_scipy(kind: type) -> None:
    matrix = kind(np.array([[2, -1], [1, 0], [0, 0]]))
    assert cr.Context.from_scipy(matrix, objects=FOOD.objects, attributes=["sweet", "red"]) == FOOD
    assert cr.Context.from_scipy(matrix).attributes == ("1", "2")


def test_scipy_stays_as_it_was_and_zeros_are_no_crosses() -> None:
    data, indices, indptr = np.array([0, 1, 1, 1]), np.array([1, 0, 1, 1]), np.array([0, 2, 4])
    matrix = sp.csr_array((data, indices, indptr), shape=(2, 2))
    context = cr.Context.from_scipy(matrix)
    assert context.rows()[1].tolist() == [0, 1]
    assert matrix.nnz == 4


def test_a_huge_sparse_matrix_stays_sparse() -> None:
    n = 200_000
    matrix = sp.csr_array((np.ones(3), ([0, 5, n - 1], [0, n - 1, 5])), shape=(n, n))
    context = cr.Context.from_scipy(matrix, objects=range(n), attributes=range(n))
    assert context.extension([str(n - 1)]) == ("5",)


def test_bipartite_graphs() -> None:
    graph = nx.Graph()
    graph.add_nodes_from(FOOD.objects, bipartite=0)
    graph.add_nodes_from(["sweet", "red"], bipartite=1)
    graph.add_edges_from([("sweet", "cherry"), ("cherry", "red"), ("honey", "sweet")])
    assert cr.Context.from_networkx(graph) == FOOD
    graph.add_edge("honey", "stone")
    with pytest.raises(FormatError, match="joins two nodes of one side"):
        cr.Context.from_networkx(graph)
    graph.add_node("salt")
    with pytest.raises(FormatError, match="node 'salt' has bipartite=None"):
        cr.Context.from_networkx(graph)


def test_other_graphs() -> None:
    context = cr.Context.from_networkx(nx.star_graph(3))
    assert context.objects == context.attributes
    assert context.extension("0") == ("1", "2", "3")
    assert context.crosses == 6
    directed = cr.Context.from_networkx(nx.DiGraph([("a", "b"), ("b", "b")]))
    assert directed.intension(["a", "b"]) == ("b",)
    assert directed.crosses == 2


def test_numpy() -> None:
    matrix = np.array([[1, 1], [1, 0], [0, 0]])
    named = cr.Context.from_numpy(matrix, objects=FOOD.objects, attributes=FOOD.attributes)
    assert named == FOOD
    assert cr.Context.from_numpy(matrix).objects == ("1", "2", "3")
    with pytest.raises(FormatError, match="has 1 dimensions, expected 2"):
        cr.Context.from_numpy(matrix[0])
    with pytest.raises(FormatError, match="row 1, column 1 holds '2'"):
        cr.Context.from_numpy(matrix * 2)


class ArrowTable:
    """A table of a library that nobody has heard of."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def test_arrow_tables_of_any_library() -> None:
    frame = FOOD.to_polars(objects="food")
    assert cr.Context.from_arrow(ArrowTable(frame), objects="food") == FOOD
    assert cr.Context.from_arrow(ArrowTable(frame.drop("food"))).objects == ("1", "2", "3")
    with pytest.raises(UnknownNameError, match="unknown column 'foot'; did you mean 'food'"):
        cr.Context.from_arrow(frame, objects="foot")
    with pytest.raises(FormatError, match="a 'list' is not a table"):
        cr.Context.from_arrow([1, 2])

    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ValueError("gone")

    with pytest.raises(FormatError, match="'Broken' is no Arrow table: gone"):
        cr.Context.from_arrow(Broken())


def test_networkx_with_labels_and_diagonal() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: "a", 1: "b", 2: "c"}, "label")
    context = cr.Context.from_networkx(graph, diagonal=True)
    assert context.objects == ("a", "b", "c")
    assert context.intension(["a"]) == ("a", "b")
    with pytest.raises(FormatError, match="a bipartite graph has no diagonal"):
        cr.Context.from_networkx(FOOD.to_networkx(), diagonal=True)


def test_there_and_back() -> None:
    objects, attributes = FOOD.objects, FOOD.attributes
    assert cr.Context.from_pandas(FOOD.to_pandas()) == FOOD
    assert cr.Context.from_polars(FOOD.to_polars(), objects="object") == FOOD
    assert cr.Context.from_polars(FOOD.to_polars(objects=None)).crosses == FOOD.crosses
    assert cr.Context.from_numpy(FOOD.to_numpy(), objects=objects, attributes=attributes) == FOOD
    assert cr.Context.from_scipy(FOOD.to_scipy(), objects=objects, attributes=attributes) == FOOD
    assert cr.Context.from_itemsets(FOOD.to_itemsets(), attributes=attributes) == FOOD
    pairs = FOOD.to_pairs()
    assert cr.Context.from_pairs(pairs, objects=objects, attributes=attributes) == FOOD
    assert cr.Context.from_networkx(FOOD.to_networkx()) == FOOD


@given(tables())
def test_there_and_back_with_names_on_both_sides(table: Table) -> None:
    context = context_of(table)
    assert cr.Context.from_networkx(context.to_networkx()) == context
    assert cr.Context.from_pandas(context.to_pandas()) == context
    again = cr.Context.from_itemsets(context.to_itemsets(), attributes=context.attributes)
    assert again == context
    if context.objects:
        # Without columns, a frame of polars knows nothing of rows.
        assert cr.Context.from_polars(context.to_polars(objects="o"), objects="o") == context


def test_a_huge_context_leaves_sparse() -> None:
    n = 200_000
    context = cr.Context.from_pairs([(0, n - 1)], objects=range(n), attributes=range(n))
    assert context.to_scipy().shape == (n, n)
    assert context.to_scipy().nnz == 1


def test_a_frame_that_has_the_name_already() -> None:
    with pytest.raises(FormatError, match="there is an attribute 'red' already"):
        FOOD.to_polars(objects="red")


def test_libraries_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    with pytest.raises(ConceptRankError, match="this needs networkx: pip install networkx"):
        FOOD.to_networkx()
