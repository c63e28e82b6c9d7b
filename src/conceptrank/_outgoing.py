"""From names and rows to what other libraries hold; each library is imported when it is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank import _lists
from conceptrank._lists import Lists
from conceptrank.errors import ConceptRankError, FormatError

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import polars as pl
    import scipy.sparse as sp


def to_numpy(rows: Lists, n_attributes: int) -> NDArray[np.bool_]:
    """Return rows as a matrix of truth values.

    Examples
    --------
    >>> to_numpy((np.array([0, 1, 1]), np.array([1])), 2).tolist()
    [[False, True], [False, False]]
    """
    offsets, values = rows
    matrix = np.zeros((len(offsets) - 1, n_attributes), dtype=np.bool_)
    matrix[np.repeat(np.arange(len(matrix)), np.diff(offsets)), values] = True
    return matrix


def columns(rows: Lists, n_attributes: int) -> Iterator[NDArray[np.bool_]]:
    """Yield the columns of a table, each an array of truth values.

    Examples
    --------
    >>> [column.tolist() for column in columns((np.array([0, 1, 1]), np.array([1])), 2)]
    [[False, False], [True, False]]
    """
    offsets, values = _lists.transposed(rows, n_attributes)
    for start, stop in pairwise(offsets.tolist()):
        column = np.zeros(len(rows[0]) - 1, dtype=np.bool_)
        column[values[start:stop]] = True
        yield column


def to_pandas(objects: Sequence[str], attributes: Sequence[str], rows: Lists) -> pd.DataFrame:
    """Return a frame of truth values; its index holds the objects."""
    pandas = _imported("pandas")
    frame: pd.DataFrame = pandas.DataFrame(
        to_numpy(rows, len(attributes)),
        index=pandas.Index(list(objects), dtype=object),
        columns=pandas.Index(list(attributes), dtype=object),
    )
    return frame


def to_polars(
    objects: Sequence[str], attributes: Sequence[str], rows: Lists, *, name: str | None
) -> pl.DataFrame:
    """Return a frame of truth values, the objects in its first column unless `name` is None."""
    import polars as pl

    if name in attributes:
        raise FormatError(
            f"there is an attribute {name!r} already",
            hint="give the column of the objects another name: to_polars(objects=...)",
        )
    first = [] if name is None else [pl.Series(name, objects, dtype=pl.String)]
    marks = zip(attributes, columns(rows, len(attributes)), strict=True)
    return pl.DataFrame(first + [pl.Series(label, column) for label, column in marks])


def to_scipy(rows: Lists, n_attributes: int) -> sp.csr_array[Any]:
    """Return a sparse matrix of truth values."""
    sparse = _imported("scipy.sparse")
    offsets, values = rows
    entries = np.ones(len(values), dtype=np.bool_)
    shape = (len(offsets) - 1, n_attributes)
    matrix: sp.csr_array[Any] = sparse.csr_array((entries, values, offsets), shape=shape)
    return matrix


def to_networkx(objects: Sequence[str], attributes: Sequence[str], rows: Lists) -> nx.Graph[Any]:
    """Return a bipartite graph; nodes are names, or pairs of a side and a name if they clash."""
    graph: nx.Graph[Any] = _imported("networkx").Graph()
    clash = not set(objects).isdisjoint(attributes)
    sides: list[Sequence[Any]] = [objects, attributes]
    if clash:
        sides = [[("object", g) for g in objects], [("attribute", m) for m in attributes]]
    for side, (nodes, labels) in enumerate(zip(sides, (objects, attributes), strict=True)):
        for node, label in zip(nodes, labels, strict=True):
            graph.add_node(node, bipartite=side, label=label)
    for node, row in zip(sides[0], lists(rows), strict=True):
        graph.add_edges_from((node, sides[1][m]) for m in row)
    return graph


def lists(rows: Lists) -> Iterator[list[int]]:
    """Yield the attribute numbers of each object.

    Examples
    --------
    >>> list(lists((np.array([0, 1, 1, 3]), np.array([1, 0, 2]))))
    [[1], [], [0, 2]]
    """
    offsets, values = rows
    for start, stop in pairwise(offsets.tolist()):
        yield values[start:stop].tolist()


def _imported(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ConceptRankError(f"this needs {package}: pip install {package}") from None
