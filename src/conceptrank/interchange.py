"""From other libraries to a context and back: frames, arrays, item sets, pairs, graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from conceptrank import convert
from conceptrank._lists import Lists

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import polars as pl
    import scipy.sparse as sp


class Conversions:
    """The ways from other libraries to a `Context` and back; `Context` inherits them."""

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects."""
        raise NotImplementedError

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes."""
        raise NotImplementedError

    def rows(self) -> Lists:
        """Return the attribute numbers of all objects; see `Context`."""
        raise NotImplementedError

    @classmethod
    def from_csr(
        cls,
        objects: Iterable[object],
        attributes: Iterable[object],
        indptr: NDArray[Any],
        indices: NDArray[Any],
    ) -> Self:
        """Return a context from names and rows; see `Context`."""
        raise NotImplementedError

    @classmethod
    def from_pandas(cls, frame: pd.DataFrame) -> Self:
        """Return a context from a pandas frame: its index holds the objects.

        Every column is an attribute and holds truth values, or ones and zeros.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sweet": [True, True], "red": [1, 0]}, index=["cherry", "honey"])
        >>> Context.from_pandas(frame).intension(["honey"])
        ('sweet',)
        """
        return cls.from_csr(*convert.from_pandas(frame))

    @classmethod
    def from_polars(cls, frame: pl.DataFrame, *, objects: str | None = None) -> Self:
        """Return a context from a polars frame of truth values, or ones and zeros.

        Parameters
        ----------
        frame
            Every column but `objects` is an attribute.
        objects
            The column that holds the names of the objects; "1", "2", … without one.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import polars as pl
        >>> frame = pl.DataFrame({"food": ["cherry", "honey"], "sweet": [1, 1], "red": [1, 0]})
        >>> Context.from_polars(frame, objects="food").extension(["red"])
        ('cherry',)
        """
        return cls.from_csr(*convert.from_polars(frame, objects=objects))

    @classmethod
    def from_arrow(cls, table: object, *, objects: str | None = None) -> Self:
        """Return a context from any table that speaks Arrow's PyCapsule protocol.

        These are, among many others, tables of pyarrow, DuckDB, Ibis and polars.

        Parameters
        ----------
        table
            An object with the method `__arrow_c_stream__`. Every column but `objects` is an
            attribute and holds truth values, or ones and zeros.
        objects
            The column that holds the names of the objects; "1", "2", … without one.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import polars as pl
        >>> Context.from_arrow(pl.DataFrame({"sweet": [1, 1], "red": [1, 0]})).crosses
        3
        """
        frame, _ = convert.polars_frame(table)
        return cls.from_csr(*convert.from_polars(frame, objects=objects))

    @classmethod
    def from_numpy(
        cls,
        matrix: NDArray[Any],
        *,
        objects: Iterable[object] | None = None,
        attributes: Iterable[object] | None = None,
    ) -> Self:
        """Return a context from a matrix of truth values, or of ones and zeros.

        Parameters
        ----------
        matrix
            One row an object, one column an attribute.
        objects, attributes
            The names; "1", "2", … if None.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context.from_numpy(np.eye(3, dtype=bool), attributes="abc").intension(["2"])
        ('b',)
        """
        parts = convert.from_numpy(matrix, objects=objects, attributes=attributes)
        return cls.from_csr(*parts)

    @classmethod
    def from_itemsets(
        cls,
        itemsets: Iterable[Iterable[object]] | Mapping[Any, Iterable[object]],
        *,
        attributes: Iterable[object] | None = None,
    ) -> Self:
        """Return a context from sets of items, each an object.

        Parameters
        ----------
        itemsets
            A mapping from the objects' names to their items, or only the item sets; these
            are then named "1", "2", …
        attributes
            The items in the order wanted; sorted if None.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context.from_itemsets([{"bread", "milk"}, {"milk"}, set()]).attributes
        ('bread', 'milk')
        >>> Context.from_itemsets({"Ann": ["milk"], "Bob": ["tea"]}).extension(["tea"])
        ('Bob',)
        """
        return cls.from_csr(*convert.from_itemsets(itemsets, attributes=attributes))

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[tuple[object, object]],
        *,
        objects: Iterable[object] | None = None,
        attributes: Iterable[object] | None = None,
    ) -> Self:
        """Return a context from pairs of an object and an attribute that it has.

        Parameters
        ----------
        pairs
            The crosses, in any order and any number of times; or a frame of two columns.
        objects, attributes
            The names in the order wanted, also those without a cross; in the order of their
            first appearance if None.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context.from_pairs([("Ann", "milk"), ("Bob", "tea"), ("Ann", "tea")]).shape
        (2, 2)
        """
        parts = convert.from_pairs(pairs, objects=objects, attributes=attributes)
        return cls.from_csr(*parts)

    @classmethod
    def from_scipy(
        cls,
        matrix: sp.sparray | sp.spmatrix,
        *,
        objects: Iterable[object] | None = None,
        attributes: Iterable[object] | None = None,
    ) -> Self:
        """Return a context from a sparse matrix: what is not zero is a cross.

        Parameters
        ----------
        matrix
            One row an object, one column an attribute; it stays sparse.
        objects, attributes
            The names; "1", "2", … if None.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import scipy.sparse as sp
        >>> Context.from_scipy(sp.csr_array([[2, 0], [1, 1]]), attributes="ab").extension("b")
        ('2',)
        """
        parts = convert.from_scipy(matrix, objects=objects, attributes=attributes)
        return cls.from_csr(*parts)

    @classmethod
    def from_networkx(cls, graph: nx.Graph[Any], *, diagonal: bool = False) -> Self:
        """Return a context from a graph.

        In a graph whose nodes have a `bipartite` attribute, nodes with 0 are objects and nodes
        with 1 are attributes. Without it, every node is both, and it has its neighbours
        (successors in a directed graph) as attributes. A node's name is its `label`, if it has
        one, and else the node itself.

        Parameters
        ----------
        graph
            The graph.
        diagonal
            Whether every node is also a neighbour of its own; not for bipartite graphs.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import networkx as nx
        >>> Context.from_networkx(nx.path_graph(3)).intension(["0", "2"])
        ('1',)
        >>> Context.from_networkx(nx.path_graph(3), diagonal=True).intension(["0"])
        ('0', '1')
        """
        return cls.from_csr(*convert.from_networkx(graph, diagonal=diagonal))

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas frame of truth values; its index holds the objects.

        Examples
        --------
        >>> from conceptrank import Context
        >>> frame = Context(["cherry", "honey"], ["sweet", "red"], [[1, 1], [1, 0]]).to_pandas()
        >>> bool(frame.loc["honey", "red"])
        False
        """
        return convert.to_pandas(self.objects, self.attributes, self.rows())

    def to_polars(self, *, objects: str | None = "object") -> pl.DataFrame:
        """Return a polars frame of truth values. It speaks Arrow to all who ask for it.

        Parameters
        ----------
        objects
            The name of the first column, which holds the objects; None leaves it out.

        Examples
        --------
        >>> from conceptrank import Context
        >>> context = Context(["cherry", "honey"], ["sweet", "red"], [[1, 1], [1, 0]])
        >>> context.to_polars(objects="food").columns
        ['food', 'sweet', 'red']
        """
        rows = self.rows()
        return convert.to_polars(self.objects, self.attributes, rows, name=objects)

    def to_numpy(self) -> NDArray[np.bool_]:
        """Return a matrix of truth values, one row an object.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[1, 1], [1, 0]]).to_numpy().tolist()
        [[True, True], [True, False]]
        """
        return convert.to_numpy(self.rows(), len(self.attributes))

    def to_scipy(self) -> sp.csr_array[Any]:
        """Return a sparse matrix of truth values, one row an object.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[1, 1], [1, 0]]).to_scipy().nnz
        3
        """
        return convert.to_scipy(self.rows(), len(self.attributes))

    def to_networkx(self) -> nx.Graph[Any]:
        """Return a bipartite graph; the nodes have `bipartite` (0 or 1) and `label`.

        A node is a name. If a name occurs on both sides, all nodes are pairs such as
        `("object", "cherry")`.

        Examples
        --------
        >>> from conceptrank import Context
        >>> graph = Context(["cherry"], ["sweet", "red"], [[True, True]]).to_networkx()
        >>> sorted(graph["cherry"])
        ['red', 'sweet']
        """
        return convert.to_networkx(self.objects, self.attributes, self.rows())

    def to_itemsets(self) -> dict[str, set[str]]:
        """Return the set of attributes of every object.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context(["cherry", "stone"], ["sweet"], [[True], [False]]).to_itemsets()
        {'cherry': {'sweet'}, 'stone': set()}
        """
        labels = self.attributes
        rows = convert.lists(self.rows())
        return {
            name: {labels[m] for m in row} for name, row in zip(self.objects, rows, strict=True)
        }

    def to_pairs(self) -> list[tuple[str, str]]:
        """Return all crosses as pairs of an object and an attribute, row by row.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[1, 1], [1, 0]]).to_pairs()
        [('1', 'a'), ('1', 'b'), ('2', 'a')]
        """
        labels = self.attributes
        rows = convert.lists(self.rows())
        return [
            (name, labels[m]) for name, row in zip(self.objects, rows, strict=True) for m in row
        ]
