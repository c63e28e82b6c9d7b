"""`Context`: objects, attributes and the crosses between them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core, convert
from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lists import Lists, Numbers, Offsets
from conceptrank._util.names import Names
from conceptrank.budget import Budget, ConceptEstimate, core_watch, support_threshold
from conceptrank.convert import Weights
from conceptrank.convert.origin import Origin
from conceptrank.errors import FormatError

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import polars as pl
    import scipy.sparse as sp

    from conceptrank.best import Best
    from conceptrank.best.search import BestProgress, TieRule
    from conceptrank.best.significance import Significant
    from conceptrank.concept import Concept
    from conceptrank.concepts import Concepts
    from conceptrank.lattice import Lattice
    from conceptrank.measures.registry import MeasureLike
    from conceptrank.query import ConditionLike, SearchOptions
    from conceptrank.ranking import Ranking
    from conceptrank.ranking.order import TieMode
    from conceptrank.rules import Rules
    from conceptrank.summary import Margins, Summary

# Cells of the complement that are computed at once.
_CELLS_AT_ONCE = 1 << 24
# The most objects that `repeated` lists.
_MOST_REPEATED = 50_000_000
# Names that are hashed at once.
_NAMES_AT_ONCE = 1 << 16


class Context:
    """A formal context: a table that says which object has which attribute. It never changes.

    An object may have a weight. An object of weight 3 counts as three objects with the same row:
    in supports, in every measure, in rules and in summaries. Extents list it once.

    Parameters
    ----------
    objects
        The names of the objects, in order.
    attributes
        The names of the attributes, in order.
    bools
        One row per object, with one truth value per attribute.
    weights
        The weight of each object: whole numbers from 1 on, in the order of the objects, or a
        mapping from names. All are 1 if None.

    Attributes
    ----------
    object_names, attribute_names
        The names with their numbers.
    core
        The compiled table that the functions of the core take.
    origin
        The table of values that the context was made of; None for a context of crosses.

    Raises
    ------
    FormatError
        If the table has another shape or other values, or a name occurs twice.

    Examples
    --------
    >>> Context("12", "abc", [[True, True, False], [False, True, True]])
    <Context 2 objects × 3 attributes, 4 crosses [c9f8d25d]>
    >>> Context("12", "ab", [[1, 1], [1, 0]], weights=[5, 3]).concept("a").support
    8
    """

    def __init__(
        self,
        objects: Iterable[object],
        attributes: Iterable[object],
        bools: NDArray[Any] | Iterable[Iterable[object]],
        *,
        weights: Weights | None = None,
    ) -> None:
        self.object_names: Names = Names("object", objects)
        self.attribute_names: Names = Names("attribute", attributes)
        rows = convert.from_bools(len(self.object_names), len(self.attribute_names), bools)
        self.origin: Origin | None = None
        self._fill(rows, weights)

    @classmethod
    def from_csr(
        cls,
        objects: Iterable[object],
        attributes: Iterable[object],
        indptr: NDArray[Any],
        indices: NDArray[Any],
        *,
        weights: Weights | None = None,
        origin: Origin | None = None,
    ) -> Self:
        """Return a context from the attribute numbers of all objects, one object after the other.

        Parameters
        ----------
        objects, attributes
            The names.
        indptr
            Object g has the attributes `indices[indptr[g]:indptr[g + 1]]`.
        indices
            Attribute numbers from 0; ascending and without repetition within an object.
        weights
            The weight of each object, as for `Context`.
        origin
            The table of values that the context was made of.

        Examples
        --------
        >>> Context.from_csr("12", "abc", np.array([0, 2, 4]), np.array([0, 1, 1, 2])).crosses
        4
        """
        self = cls.__new__(cls)
        self.object_names = Names("object", objects)
        self.attribute_names = Names("attribute", attributes)
        self.origin = origin
        if len(indptr) != len(self.object_names) + 1:
            raise FormatError(
                f"{len(indptr)} row pointers don't fit {len(self.object_names)} objects, "
                f"expected {len(self.object_names) + 1}"
            )
        if len(indices) and not 0 <= indices.min() <= indices.max() < len(self.attribute_names):
            raise FormatError(f"an attribute number is not below {len(self.attribute_names)}")
        self._fill((indptr, indices), weights)
        return self

    def _fill(self, rows: tuple[NDArray[Any], NDArray[Any]], weights: Weights | None) -> None:
        """Set the table and the weights."""
        q = len(self.attribute_names)
        indptr = np.ascontiguousarray(rows[0], dtype=np.int64)
        indices = np.ascontiguousarray(rows[1], dtype=np.uint32)
        self._weights = convert.weights(weights, self.object_names)
        try:
            watch = core_watch(reports=False)
            self.core = _core.Table((indptr, indices), q, self._weights, watch)
        except ValueError as error:
            raise FormatError(str(error)) from None

    @classmethod
    def from_string(cls, text: str, **options: Any) -> Context:
        r"""Return the context in a text, such as a table between bars; options as for `load`.

        Examples
        --------
        >>> print(Context.from_string("|     | purrs |\n|-----|-------|\n| cat | X     |"))
           |purrs|
        cat|  X  |
        """
        from conceptrank.scaling.loading import load

        return load(text.encode(), **options)

    @classmethod
    def from_distinct_rows(
        cls, attributes: Iterable[object], rows: Lists, weights: Numbers
    ) -> Self:
        """Return a context from its distinct rows, each an object named by its number from 1.

        Parameters
        ----------
        attributes
            The names of the attributes.
        rows
            The attribute numbers of each distinct row, ascending, as offsets and values.
        weights
            How often each row occurs. The context uses these arrays without a copy, so don't change
            them.

        Examples
        --------
        >>> rows = np.array([0, 1, 3]), np.array([0, 0, 1], dtype=np.uint32)
        >>> context = Context.from_distinct_rows("ab", rows, np.array([2, 1], dtype=np.uint32))
        >>> context.objects, context.shape, context.concept("a").support
        (('1', '2'), (3, 2), 3)
        """
        self = cls.__new__(cls)
        self.object_names = Names("object", range(1, len(weights) + 1))
        self.attribute_names = Names("attribute", attributes)
        self.origin = None
        self._weights = None if (weights == 1).all() else weights
        q = len(self.attribute_names)
        try:
            self.core = _core.Table.distinct(rows, weights, q, core_watch(reports=False))
        except ValueError as error:
            raise FormatError(str(error)) from None
        return self

    @classmethod
    def from_pandas(cls, frame: pd.DataFrame, *, weights: str | Weights | None = None) -> Self:
        """Return a context from a pandas frame: its index holds the objects.

        Parameters
        ----------
        frame
            Every column but `weights` is an attribute and holds truth values, or ones and zeros.
        weights
            The column that holds the weights of the objects, or the weights, as for `Context`.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sweet": [True, True], "red": [1, 0]}, index=["cherry", "honey"])
        >>> Context.from_pandas(frame).intension(["honey"])
        ('sweet',)
        """
        if isinstance(weights, str):
            frame, weights = convert.without_weights(frame, weights)
        return cls.from_csr(*convert.from_pandas(frame), weights=weights)

    @classmethod
    def from_polars(
        cls,
        frame: pl.DataFrame,
        *,
        objects: str | None = None,
        weights: str | Weights | None = None,
    ) -> Self:
        """Return a context from a polars frame of truth values, or ones and zeros.

        Parameters
        ----------
        frame
            Every column but `objects` and `weights` is an attribute.
        objects
            The column that holds the names of the objects; "1", "2", … without one.
        weights
            The column that holds the weights of the objects, or the weights, as for `Context`.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import polars as pl
        >>> frame = pl.DataFrame({"food": ["cherry", "honey"], "sweet": [1, 1], "red": [1, 0]})
        >>> Context.from_polars(frame, objects="food").extension(["red"])
        ('cherry',)
        >>> frame = pl.DataFrame({"sweet": [1, 1], "red": [1, 0], "count": [7, 2]})
        >>> Context.from_polars(frame, weights="count").concept("sweet").support
        9
        """
        if isinstance(weights, str):
            frame, weights = convert.without_weights(frame, weights)
        return cls.from_csr(*convert.from_polars(frame, objects=objects), weights=weights)

    @classmethod
    def from_arrow(
        cls,
        table: object,
        *,
        objects: str | None = None,
        weights: str | Weights | None = None,
    ) -> Self:
        """Return a context from any table that supports Arrow's PyCapsule protocol.

        These are, among many others, tables of pyarrow, DuckDB, Ibis and polars.

        Parameters
        ----------
        table
            An object with the method `__arrow_c_stream__`. Every column but `objects` and
            `weights` is an attribute and holds truth values, or ones and zeros.
        objects, weights
            As for `from_polars`.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import polars as pl
        >>> Context.from_arrow(pl.DataFrame({"sweet": [1, 1], "red": [1, 0]})).crosses
        3
        """
        frame, _ = convert.polars_frame(table)
        return cls.from_polars(frame, objects=objects, weights=weights)

    @classmethod
    def from_numpy(
        cls,
        matrix: NDArray[Any],
        *,
        objects: Iterable[object] | None = None,
        attributes: Iterable[object] | None = None,
        weights: Weights | None = None,
    ) -> Self:
        """Return a context from a matrix of truth values, or of ones and zeros.

        Parameters
        ----------
        matrix
            One row per object, one column per attribute.
        objects, attributes
            The names; "1", "2", … if None.
        weights
            The weight of each object, as for `Context`.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context.from_numpy(np.eye(3, dtype=bool), attributes="abc").intension(["2"])
        ('b',)
        """
        parts = convert.from_numpy(matrix, objects=objects, attributes=attributes)
        return cls.from_csr(*parts, weights=weights)

    @classmethod
    def from_itemsets(
        cls,
        itemsets: Iterable[Iterable[object]] | Mapping[Any, Iterable[object]],
        *,
        attributes: Iterable[object] | None = None,
        weights: Weights | None = None,
    ) -> Self:
        """Return a context from sets of items, each an object.

        Parameters
        ----------
        itemsets
            A mapping from the objects' names to their items, or only the item sets; these
            are then named "1", "2", …
        attributes
            The items in the order wanted; sorted if None.
        weights
            The weight of each item set, as for `Context`: how often it occurs.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context.from_itemsets([{"bread", "milk"}, {"milk"}, set()]).attributes
        ('bread', 'milk')
        >>> Context.from_itemsets({"Ann": ["milk"], "Bob": ["tea"]}).extension(["tea"])
        ('Bob',)
        """
        parts = convert.from_itemsets(itemsets, attributes=attributes)
        return cls.from_csr(*parts, weights=weights)

    @classmethod
    def from_transactions(
        cls,
        source: object,
        *,
        transactions: str | None = None,
        transaction_id: str | None = None,
        item: str | None = None,
        quantity: str | None = None,
        delimiter: str | None = None,
        weights: str | Weights | None = None,
        min_support: float = 0,
        max_bytes: int | None = None,
    ) -> Self:
        """Return a context from transactions: baskets, orders, sessions.

        A table holds transactions as a column of lists, as delimited text ("tea;milk"), as long
        rows (one per transaction and item) or as one column of truth values per item. Without
        names of columns, the shape is recognised; see `conceptrank.io.shapes.find_shape`.

        The attributes are the items: in the order of their numbers if all are integers, in that of
        the alphabet otherwise. An empty or missing list is an object without attributes. Missing
        items, and repeated items of a transaction, change nothing.

        Parameters
        ----------
        source
            A Parquet, Feather or CSV file; a folder, a glob or a list of such files, also with Hive
            partitions; a frame of pandas or polars, eager or lazy; a pyarrow table, dataset or
            reader; any object with the method `__arrow_c_stream__`, such as a DuckDB relation; a
            mapping of columns; or lists of items.
        transactions
            The column of lists, or of delimited text.
        transaction_id
            The column that names the transactions. Without one, they are numbered from 1.
        item
            The column of items, if there is one row per item.
        quantity
            The column of quantities, with `item`. A row without a positive quantity has no item.
        delimiter
            What separates the items of delimited text; inferred if None.
        weights
            How often each transaction counts: a column of whole numbers (not with `item`), or the
            numbers, as for `Context`.
        min_support
            Leave out items of fewer transactions; a float is a share of all transactions. Measures
            that look at all attributes, such as stability, need 0.
        max_bytes
            The most bytes that a text file may hold, unpacked. If None, a compressed file may be
            200 times as large when it is unpacked.

        Raises
        ------
        FormatError
            If the shape is not recognised, or a file can't be read; the message names the file and
            the row.

        Examples
        --------
        >>> from conceptrank import Context
        >>> rows = {"order_id": [7, 7, 8], "product": ["tea", "milk", "tea"]}
        >>> Context.from_transactions(rows).to_itemsets() == {"7": {"milk", "tea"}, "8": {"tea"}}
        True
        >>> Context.from_transactions([["tea", "milk"], ["tea"], []]).shape
        (3, 2)
        """
        from conceptrank.io import shapes

        baskets = shapes.open_baskets(
            source,
            transactions=transactions,
            transaction_id=transaction_id,
            item=item,
            quantity=quantity,
            delimiter=delimiter,
            weights=weights if isinstance(weights, str) else None,
            max_bytes=max_bytes,
        )
        objects, attributes, rows, counts = baskets.lists(min_support=min_support)
        given = counts if isinstance(weights, str) else weights
        return cls.from_csr(objects, attributes, *rows, weights=given)

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[tuple[object, object]],
        *,
        objects: Iterable[object] | None = None,
        attributes: Iterable[object] | None = None,
        weights: Weights | None = None,
    ) -> Self:
        """Return a context from pairs of an object and an attribute that it has.

        Parameters
        ----------
        pairs
            The crosses, in any order and any number of times; or a frame of two columns.
        objects, attributes
            The names in the order wanted, also those without a cross; in the order of their
            first appearance if None.
        weights
            The weight of each object, as for `Context`.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context.from_pairs([("Ann", "milk"), ("Bob", "tea"), ("Ann", "tea")]).shape
        (2, 2)
        """
        parts = convert.from_pairs(pairs, objects=objects, attributes=attributes)
        return cls.from_csr(*parts, weights=weights)

    @classmethod
    def from_scipy(
        cls,
        matrix: sp.sparray | sp.spmatrix,
        *,
        objects: Iterable[object] | None = None,
        attributes: Iterable[object] | None = None,
        weights: Weights | None = None,
    ) -> Self:
        """Return a context from a sparse matrix: every entry that is not zero is a cross.

        Parameters
        ----------
        matrix
            One row per object, one column per attribute; it stays sparse.
        objects, attributes
            The names; "1", "2", … if None.
        weights
            The weight of each object, as for `Context`.

        Examples
        --------
        >>> from conceptrank import Context
        >>> import scipy.sparse as sp
        >>> Context.from_scipy(sp.csr_array([[2, 0], [1, 1]]), attributes="ab").extension("b")
        ('2',)
        """
        parts = convert.from_scipy(matrix, objects=objects, attributes=attributes)
        return cls.from_csr(*parts, weights=weights)

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

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects; an object of any weight has one."""
        return self.object_names.labels

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes; also called `properties`."""
        return self.attribute_names.labels

    properties = attributes

    def same_column(self, attribute: str) -> tuple[str, ...]:
        """Return all attributes that were made of the same column as a given one, and this one.

        In a context of crosses, every attribute is alone.

        Examples
        --------
        >>> import conceptrank as cr
        >>> people = {"age": [17, 41, 30], "sex": ["f", "m", "m"]}
        >>> context = cr.load(people, scale="age=ordinal:18,65")
        >>> context.same_column("sex = f")
        ('sex = f', 'sex = m')
        """
        (place,) = self.attribute_names.numbers(attribute).tolist()
        group = next((group for group in self.groups if place in group), (place,))
        return self.attribute_names.of(group)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The attributes that were made of the same column, as numbers; empty if unknown.

        They depend on each other by construction, so what they share is no pattern.
        """
        return () if self.origin is None else self.origin.groups

    @property
    def weighted(self) -> bool:
        """Whether an object has another weight than 1."""
        return self._weights is not None

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """The weight of every object: how many objects with its row it counts as.

        Examples
        --------
        >>> Context("12", "ab", [[1, 1], [1, 0]], weights={"1": 5, "2": 3}).weights
        array([5, 3])
        """
        if self._weights is None:
            found = np.ones(len(self.object_names), dtype=np.int64)
        else:
            found = self._weights.astype(np.int64)
        found.flags.writeable = False
        return found

    @property
    def shape(self) -> tuple[int, int]:
        """The number of objects, counted with their weights, and the number of attributes."""
        return self.core.n_objects, len(self.attribute_names)

    @property
    def crosses(self) -> int:
        """The number of crosses, counted with the weights of the objects."""
        return self.core.n_crosses

    @property
    def density(self) -> float:
        """The share of the table that holds crosses; 0 for an empty table."""
        n, q = self.shape
        return self.crosses / (n * q) if n and q else 0.0

    @property
    def n_distinct_rows(self) -> int:
        """The number of different rows."""
        return self.core.n_distinct_rows

    @cached_property
    def digest(self) -> str:
        """A SHA-256 of names, crosses and weights, as text; equal contexts have equal ones."""
        digest = hashlib.sha256(b"conceptrank context 1")
        for names in (self.object_names.given, self.attribute_names.given):
            # Millions of objects may be named by numbers, so not all texts are made at once.
            parts = [names[k : k + _NAMES_AT_ONCE] for k in range(0, len(names), _NAMES_AT_ONCE)]
            digest.update(len(names).to_bytes(8, "little"))
            for part in parts:
                lengths = [len(str(name)) for name in part]
                digest.update(np.array(lengths, dtype="<i8").tobytes())
            for part in parts:
                digest.update("".join(map(str, part)).encode("utf-8", "surrogatepass"))
        offsets, numbers = self.rows()
        digest.update(offsets.astype("<i8", copy=False).tobytes())
        digest.update(numbers.astype("<u4", copy=False).tobytes())
        if self._weights is not None:
            digest.update(self._weights.astype("<u4", copy=False).tobytes())
        return digest.hexdigest()

    def rows(self) -> tuple[Offsets, Numbers]:
        """Return the attribute numbers of all objects in the form that `from_csr` takes.

        Each object has one row, whatever its weight.

        Examples
        --------
        >>> indptr, indices = Context("12", "ab", [[True, False], [True, True]]).rows()
        >>> indptr.tolist(), indices.tolist()
        ([0, 1, 3], [0, 0, 1])
        """
        return self.core.rows()

    def intension(self, objects: str | Iterable[str]) -> tuple[str, ...]:
        """Return the attributes that all these objects have; all attributes if there are none.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").intension(["2", "5"])
        ('adventure', 'criminal', 'drama')
        """
        numbers = self.core.intension(self.object_names.numbers(objects))
        return self.attribute_names.of(numbers.tolist())

    def extension(self, attributes: str | Iterable[str]) -> tuple[str, ...]:
        """Return the objects that have all these attributes; all objects if there are none.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").extension(["criminal", "drama"])
        ('2', '5', '6')
        """
        numbers = self.core.extension(self.attribute_names.numbers(attributes))
        return self.object_names.of(numbers.tolist())

    def closure(self, attributes: str | Iterable[str]) -> tuple[str, ...]:
        """Return all attributes that every object with these attributes has.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").closure(["criminal", "drama"])
        ('adventure', 'criminal', 'drama')
        """
        numbers = self.core.closure(self.attribute_names.numbers(attributes))
        return self.attribute_names.of(numbers.tolist())

    def concept(self, *attributes: str) -> Concept:
        """Return the concept that these attributes generate. No lattice is built.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama")
        <Concept 3 objects {2, 5, 6} × {adventure, criminal, drama}>
        """
        from conceptrank.concept import Concept

        return Concept(self, self.core.closure(self.attribute_names.numbers(attributes)))

    def lattice(
        self,
        *,
        measures: Sequence[MeasureLike] = (),
        **options: Unpack[SearchOptions],
    ) -> Lattice:
        """Mine the concepts and the cover relation between them.

        Parameters
        ----------
        min_support
            The least number of objects of a concept; a float is a share of all objects.
        threads
            How many threads to use; 0 is one for each processor. The result is the same.
        budget
            Limits; see `Budget`.
        progress
            Called from time to time with the number of concepts found and the share of the search
            that is done.
        measures
            Measures that will be used: names, or pairs of a name and its parameters. What they
            need of the extents is computed in the same pass, and what they need of the intents in
            one pass at the first use.
        **options
            Constraints on the concepts: `contains`, `excludes`, `any_of`, `objects`, `max_support`,
            `min_intent`, `max_intent` and `where`, as for `best`. The search leaves out what can't
            meet them. The lattice then holds these concepts, with the covers among them.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> movies.lattice(min_support=0.25, measures=["stability"])
        <Lattice 10 concepts with at least 3 of 11 objects, 7 attributes [069b8e81]>
        >>> movies.lattice(contains="drama", max_intent=2)
        <Lattice 3 concepts of 11 objects, 7 attributes [069b8e81], under constraints>
        """
        from conceptrank.query import Query, mining

        return mining.lattice(Query.of(self, also=measures, **options))

    def summarize(
        self,
        max_patterns: int | None = None,
        *,
        method: str = "surprise",
        min_support: float | None = None,
        margins: Margins = "both",
        budget: Budget | None = None,
        **options: Any,
    ) -> Summary:
        """Return the short list: the patterns that explain the table, the most telling first.

        Parameters
        ----------
        max_patterns
            The largest number of patterns; if None, the method stops by its own rule.
        method
            `"surprise"`: what a reader who knows the margins and the patterns before doesn't
            expect. `"slim"`: what compresses the table. `"grecond"`: factors that cover its
            crosses. `"diverse"`: high scores that overlap little.
        min_support
            The least number of objects of a pattern; a float is a share of all objects. If None,
            the method chooses it; see `Summary.min_support`.
        margins
            What the reader knows from the start: how frequent attributes are and how much objects
            differ in their number of attributes (`"both"`), or the former alone (`"columns"`).
        budget
            Limits. When one is reached, the summary holds the patterns found until then.
        **options
            More options of the method, such as `alpha=0.01` for `"surprise"`: the probability of
            listing anything on a table without patterns. `"surprise"` and `"diverse"` also take
            constraints on the patterns, such as `contains=["drama"]`, as `lattice` does.

        Examples
        --------
        >>> import conceptrank as cr
        >>> table = cr.datasets.random.planted(500, 20, patterns=[(4, 0.2)], seed=1)
        >>> print(table.context.summarize())
        1 pattern; ... of 500 objects (...) have at least one
        ...
        """
        from conceptrank.summary import summarize

        return summarize(
            self,
            max_patterns,
            method=method,
            min_support=min_support,
            margins=margins,
            budget=budget,
            **options,
        )

    def rank(
        self,
        by: MeasureLike | None = None,
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        ties: TieMode = "dense",
        where: ConditionLike | None = None,
        target: str | None = None,
        min_support: float = 0,
        threads: int = 0,
        budget: Budget | None = None,
        progress: Callable[[int, float], None] | None = None,
        **params: object,
    ) -> Ranking:
        """Mine the concepts and rank them by a measure, in one pass.

        This is faster than `context.lattice().rank(...)`, since extents are scored while mining.
        Options, measures and conditions are checked before mining starts.

        Parameters
        ----------
        by, also, then, descending, ties, where, **params
            As for `Lattice.rank`.
        target
            As for `best`.
        min_support, threads
            As for `lattice`.
        budget
            Limits for mining and scoring together. When one is reached, the ranking holds the
            concepts that were scored until then, and its `stopped` names the limit.
        progress
            Called from time to time with the number of concepts done and the share of the whole.

        Raises
        ------
        BudgetExceeded
            If the budget ended before a single concept had a score.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").rank("stability", also="cr", min_support=5)
        Ranking of 5 concepts by stability (4 different scores, 1 tie of 2 concepts)
        rank  stability   cr  support  intent
           1     0.8984  0.5        7  {adventure, criminal}
           2     0.7974    0       11  {}
           3     0.6562  0.5        5  {drama}
           4     0.4844  0.5        8  {adventure}
           4     0.4844  0.5        8  {criminal}
        """
        from conceptrank.query import Query
        from conceptrank.ranking import mine_and_rank, order

        query = Query.of(
            self,
            by,
            also=also,
            then=then,
            descending=descending,
            params=params,
            where=where,
            target=target,
            min_support=min_support,
            threads=threads,
            budget=budget,
            progress=progress,
        )
        return mine_and_rank(query, order.checked_ties(ties))

    def closed_sets(self, **options: Unpack[SearchOptions]) -> Concepts:
        """List the concepts without their covers, which is several times faster.

        Parameters
        ----------
        **options
            As for `lattice`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> for concept in cr.datasets.load("movies").closed_sets(min_support=7):
        ...     print(concept.support, concept.intent)
        11 ()
        8 ('adventure',)
        8 ('criminal',)
        7 ('adventure', 'criminal')
        """
        from conceptrank.query import Query, mining

        return mining.concepts(Query.of(self, **options))

    def rules(
        self,
        basis: str = "minimal_non_redundant",
        *,
        premise: str | Iterable[str] = (),
        conclusion: str | Iterable[str] = (),
        target: str | None = None,
        min_confidence: float = 0.0,
        max_premise: int | None = None,
        by: MeasureLike | None = None,
        top: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> Rules:
        """Mine rules between the concepts.

        The same as `context.lattice(...).rules(...)`, and less work if attributes are given: only
        concepts whose objects have them `min_support` times are mined.

        Parameters
        ----------
        basis, min_confidence, max_premise, by, top
            As for `Lattice.rules`.
        premise, conclusion
            Attributes that every premise, or every conclusion, has. `conclusion="churn"` gives what
            leads to churn.
        target
            The only conclusion, named as for `best`: a column, a column and a value, an attribute.
            Its column leaves the premises.
        min_support
            The least number of objects that a rule holds for; a float is a share of all objects.
            At least 1 if the basis has rules that may fail.
        threads, budget, progress
            As for `lattice`. A budget can also limit the rules.
        **options
            Constraints, as for `lattice`. They apply to the concept of premise and conclusion
            together.

        Raises
        ------
        BudgetExceeded
            If the budget ended the search for concepts.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> for rule in movies.rules(conclusion="criminal", by="confidence", min_support=4, top=2):
        ...     print(rule, round(rule.confidence, 3))
        {adventure} → {criminal} 0.875
        {} → {criminal} 0.727
        >>> print(*movies.rules(target="drama", by="lift", min_support=2, top=1))
        {action} → {drama}
        """
        from conceptrank.query import Query
        from conceptrank.rules import generation

        return generation.search(
            Query.of(self, **options),
            basis,
            premise=premise,
            conclusion=conclusion,
            target=target,
            min_confidence=min_confidence,
            max_premise=max_premise,
            by=by,
            top=top,
        )

    def best(
        self,
        k: int,
        by: MeasureLike | None = None,
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        ties: TieRule = "first",
        target: str | None = None,
        improving: bool | None = None,
        max_seconds: float | None = None,
        progress: BestProgress | None = None,
        **options: Any,
    ) -> Best:
        """Find the k best concepts by a measure without listing the others.

        A measure with a bound (`conceptrank.measures.available()` has a column `bounded`) lets the
        search leave out whatever can't be among the best. Other measures work as well, but all
        concepts that meet the constraints are visited.

        Parameters
        ----------
        k
            How many concepts to find.
        by, also, then, descending
            As for `Lattice.rank`. With a target, `by` is `"wracc"` if None, or `"mean_shift"` if
            the target is a number.
        ties
            What to do if more concepts tie with the last one than are wanted. `"first"` takes
            those that come first in the order of lattices: larger support, then the intent.
            `"all"` lists all of them.
        target
            What the concepts are about: a column, a column and a value such as `"churn=yes"`, or an
            attribute. It gives supervised measures such as `"wracc"` their labels, and leaves the
            table with all attributes of its column, as do objects without a value. Of two values
            the positive one is meant, such as yes; otherwise the rarer one.
        improving
            Whether to leave out concepts unless they score better than every more general one, that
            is one with fewer attributes. If None, only with a target.
        threads
            How many threads to use; 0 is one for each processor. The result is the same.
        budget, max_seconds
            Limits. `Budget.bytes` limits the memory of the search, which then goes depth first.
        progress
            Called after every step with the number of concepts visited, the k-th best score so far
            and the best score that is still possible.
        **options
            Constraints: `contains`, `excludes` and `any_of`, attributes that every intent has, that
            no intent has, of which every intent has one; `objects` that every extent has;
            `min_support`, `max_support`, `min_intent` and `max_intent`; `where`, a condition as for
            `Lattice.rank` or a function of a concept. The search leaves out what can't meet them.
            Other options are parameters for all measures that have them.

        Returns
        -------
        Best
            A ranking. If a limit ended the search, it has the k best concepts so far; its `bound`
            is the best score that any other concept can have, and its first `proven` rows are
            certain to be among the best.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").best(3, by="delta_measure", min_intent=1)
        The 3 best concepts by delta_measure (... visited)
        rank  delta_measure  support  intent
           1              4        7  {adventure, criminal}
           2              2        5  {drama}
           2              2        3  {adventure, criminal, drama}
        """
        from conceptrank.best import best, best_improving
        from conceptrank.query import Query, SearchOptions

        names = SearchOptions.__annotations__.keys() & options.keys()
        search: Any = {name: options.pop(name) for name in names}
        if max_seconds is not None:
            if search.get("budget") is not None:
                raise ValueError("give either max_seconds or a budget")
            search["budget"] = Budget(seconds=max_seconds)
        search |= {"also": also, "then": then, "descending": descending, "target": target}
        query = Query.of(self, by, params=options, **search)
        improves = target is not None if improving is None else improving
        return (best_improving if improves else best)(query, k, ties=ties, progress=progress)

    def match(
        self,
        rows: object,
        patterns: object = None,
        *,
        absent: Literal["error", "ignore"] = "error",
        threads: int = 0,
    ) -> sp.csr_array[Any]:
        """Return which of some new rows have which patterns: a sparse matrix of truth values.

        `conceptrank.matching.Matcher` prepares the patterns once for several tables, and its
        `batches` match a stream that is larger than memory.

        Parameters
        ----------
        rows
            A context, or a table of truth values: columns are found by their names. A NumPy or
            SciPy matrix: its columns are this context's attributes in their order. Lists of
            attribute names. Transactions: the path of a file or folder, a frame or a stream, as for
            `from_transactions`.
        patterns
            Lists of attribute names; concepts; a lattice, a ranking or a summary. All concepts of
            this context if None, in the order of `closed_sets`.
        absent
            What to do if a context or a table of truth values lacks an attribute of this context:
            `"error"`, or `"ignore"` if no row has it.
        threads
            How many threads to use; 0 is one for each processor. The result is the same.

        Returns
        -------
        scipy.sparse.csr_array
            A row per row, a column per pattern.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> new = [["drama", "criminal", "adventure"], ["drama", "western"]]
        >>> movies.match(new, [["drama"], ["criminal", "drama"]]).toarray().tolist()
        [[True, True], [True, False]]
        >>> movies.match(new).shape
        (2, 20)
        """
        from conceptrank.matching import Matcher

        matcher = Matcher(
            self.attribute_names, self.closed_sets() if patterns is None else patterns
        )
        return matcher.match(rows, absent=absent, threads=threads)

    def significant(
        self,
        labels: object,
        *,
        positive: object = None,
        alpha: float = 0.05,
        method: Literal["westfall_young", "lamp"] = "westfall_young",
        permutations: int = 1000,
        seed: int = 0,
        threads: int = 0,
        budget: Budget | None = None,
    ) -> Significant:
        """Find the concepts that have a label more often than chance explains.

        The chance that any concept is listed although none goes with the label is at most alpha.

        Parameters
        ----------
        labels
            A label for each object: a mapping from names, or a sequence in the context's order.
        positive
            The label that counts. If None, labels are truth values or 0 and 1, and 1 counts.
        alpha
            The chance of any false finding.
        method
            `"westfall_young"` shuffles the labels, which takes the overlap of concepts into
            account; `"lamp"` divides alpha by the number of concepts that can be significant.
        permutations, seed
            How many times to shuffle the labels, and the seed.
        threads
            As for `lattice`.
        budget
            The seconds that it may take, and a way to cancel it.

        Raises
        ------
        BudgetExceeded
            If the budget ended it.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> seen = ["drama" in movies.intension([g]) for g in movies.objects]
        >>> found = movies.significant(seen)
        >>> [concept.intent for _, concept, _ in found], found.correction.tested
        ([('drama',)], 6)
        """
        from conceptrank.best.significance import significant

        return significant(
            self,
            labels,
            positive=positive,
            alpha=alpha,
            method=method,
            permutations=permutations,
            seed=seed,
            threads=threads,
            budget=budget,
        )

    def estimate_concepts(
        self, *, min_support: float = 0, seed: int = 0, runs: int = 32
    ) -> ConceptEstimate:
        """Estimate the number of concepts by sampling, in far less time than mining takes.

        Parameters
        ----------
        min_support
            As for `lattice`.
        seed
            Of the random choices.
        runs
            The most independent runs to make; fewer in large tables. 5 give a rough idea at once.

        Examples
        --------
        >>> import conceptrank as cr
        >>> print(cr.datasets.load("movies").estimate_concepts())
        20 concepts
        """
        least = support_threshold(min_support, self.shape[0])
        found = _core.estimate_concepts(self.core, min_support=least, seed=seed, runs=runs)
        return ConceptEstimate(found.value, found.low, found.high, found.exact)

    def transpose(self) -> Self:
        """Return the dual context: attributes become objects, objects become attributes.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").transpose().shape
        (7, 11)
        """
        self.refuse_weights("the dual context: attributes have no weights")
        columns = _lists.transposed(self.rows(), len(self.attributes))
        return self.from_csr(self.attributes, self.objects, *columns)

    def complement(self) -> Self:
        """Return the context with crosses where this one has none.

        The names do not change: in the result, an attribute stands for its absence.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[True, True], [True, False]]).complement().to_pairs()
        [('2', 'b')]
        """
        offsets, values = self.rows()
        n, q = len(self.objects), len(self.attributes)
        found = []
        step = max(1, _CELLS_AT_ONCE // max(q, 1))
        for start in range(0, n, step):
            ends = offsets[start : start + step + 1]
            empty = np.ones((len(ends) - 1, q), dtype=np.bool_)
            lengths = np.diff(ends)
            empty[np.repeat(np.arange(len(lengths)), lengths), values[ends[0] : ends[-1]]] = False
            found.append(np.nonzero(empty)[1].astype(np.uint32))
        _, crosses = _lists.joined(found)
        rows = _lists.offsets_of(q - np.diff(offsets)), crosses
        return self.from_csr(self.objects, self.attributes, *rows, weights=self._weights)

    def select(
        self,
        *,
        objects: str | Iterable[str] | None = None,
        attributes: str | Iterable[str] | None = None,
    ) -> Self:
        """Return the part of the table with these objects and attributes, in this order.

        Parameters
        ----------
        objects, attributes
            The names to keep; all if None.

        Raises
        ------
        UnknownNameError
            If a name does not exist; the message lists similar names.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> movies.select(objects=["5", "2"], attributes=["drama", "criminal"]).to_pairs()
        [('5', 'drama'), ('5', 'criminal'), ('2', 'drama'), ('2', 'criminal')]
        """
        rows, weights, origin = self.rows(), self._weights, self.origin
        names, labels = self.objects, self.attributes
        if objects is not None:
            places = _places(self.object_names, objects)
            names, rows = self.object_names.of(places), _lists.take(rows, places)
            weights = None if weights is None else weights[places]
            origin = None if origin is None else origin.select(rows=places)
        if attributes is not None:
            places = _places(self.attribute_names, attributes)
            columns = _lists.take(_lists.transposed(rows, len(labels)), places)
            labels, rows = self.attribute_names.of(places), _lists.transposed(columns, len(names))
            origin = None if origin is None else origin.select(attributes=places)
        return self.from_csr(names, labels, *rows, weights=weights, origin=origin)

    def drop(
        self, *, objects: str | Iterable[str] = (), attributes: str | Iterable[str] = ()
    ) -> Self:
        """Return the table without these objects and attributes.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").drop(objects=["1", "2"], attributes="drama").shape
        (9, 6)
        """
        kept = []
        for names, dropped in ((self.object_names, objects), (self.attribute_names, attributes)):
            mask = np.ones(len(names), dtype=np.bool_)
            mask[names.numbers(dropped)] = False
            kept.append(None if mask.all() else names.of(np.flatnonzero(mask).tolist()))
        return self.select(objects=kept[0], attributes=kept[1])

    def rename(
        self,
        *,
        objects: Mapping[str, str] | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the same table with other names.

        Parameters
        ----------
        objects, attributes
            From old names to new ones; names that aren't mentioned stay.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("1", "ab", [[True, True]]).rename(attributes={"a": "sweet"}).attributes
        ('sweet', 'b')
        """
        names = _renamed(self.object_names, objects or {})
        labels = _renamed(self.attribute_names, attributes or {})
        weights, origin = self._weights, self.origin
        return self.from_csr(names, labels, *self.rows(), weights=weights, origin=origin)

    def with_weights(self, weights: Weights | None) -> Self:
        """Return the same table with other weights of the objects.

        Parameters
        ----------
        weights
            The weight of each object, as for `Context`. None makes all of them 1.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[1, 1], [1, 0]]).with_weights([5, 3])
        <Context 8 objects (2 rows with weights) × 2 attributes, 13 crosses [...]>
        """
        names, labels, origin = self.object_names.given, self.attributes, self.origin
        return self.from_csr(names, labels, *self.rows(), weights=weights, origin=origin)

    def merged(self) -> Self:
        """Return the context with one object for all objects of the same row.

        It has the name of the first of them, and its weight is the sum of theirs. So supports,
        scores and rules stay the same, and extents get shorter.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> merged = movies.merged()
        >>> len(merged.objects), merged.shape, merged.repeated().shape
        (10, (11, 7), (11, 7))
        """
        if self.n_distinct_rows == len(self.object_names):
            return self
        _, first = np.unique(self.core.row_of_object(), return_index=True)
        rows, weights = self.core.distinct_rows()
        origin = None if self.origin is None else replace(self.origin, frame=None)
        names, labels = self.object_names.of(first), self.attributes
        return self.from_csr(names, labels, *rows, weights=weights, origin=origin)

    def repeated(self) -> Self:
        """Return the context with every object as many times as its weight says.

        The first copy keeps the object's name, the others get numbers: "Ann", "Ann (2)".

        Raises
        ------
        FormatError
            If that would be more than 50 million objects.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context(["Ann", "Bob"], "ab", [[1, 1], [1, 0]], weights=[2, 1]).repeated().objects
        ('Ann', 'Ann (2)', 'Bob')
        """
        if self._weights is None:
            return self
        n, _ = self.shape
        if n > _MOST_REPEATED:
            raise FormatError(f"{n:,} objects are too many to list each of them")
        counts = self.weights
        places = np.repeat(np.arange(len(counts)), counts)
        rows = _lists.take(self.rows(), places)
        names = _copies(self.objects, counts.tolist())
        origin = None if self.origin is None else self.origin.select(rows=places)
        return self.from_csr(names, self.attributes, *rows, origin=origin)

    def refuse_weights(self, what: str) -> None:
        """Raise an error if the objects have weights, since something can't take them into account.

        Parameters
        ----------
        what
            What can't.

        Raises
        ------
        FormatError
            If an object has another weight than 1.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("1", "a", [[1]], weights=[2]).transpose()
        Traceback (most recent call last):
        conceptrank.errors.FormatError: the objects have weights, which can't be kept in the dual \
context: attributes have no weights (hint: context.repeated() lists every object as often as its \
weight says, context.with_weights(None) drops the weights)
        """
        if self.weighted:
            raise FormatError(
                f"the objects have weights, which can't be kept in {what}",
                hint="context.repeated() lists every object as often as its weight says, "
                "context.with_weights(None) drops the weights",
            )

    def apposition(self, *others: Self) -> Self:
        """Return this context and others side by side: the attributes of all of them.

        All have the same objects, in any order; the order of this context is kept.

        Raises
        ------
        FormatError
            If the objects differ, or two attributes have one name.

        Examples
        --------
        >>> from conceptrank import Context
        >>> taste = Context(["cherry", "honey"], ["sweet"], [[True], [True]])
        >>> colour = Context(["honey", "cherry"], ["red"], [[False], [True]])
        >>> taste.apposition(colour).intension(["cherry"])
        ('sweet', 'red')
        """
        columns = [_lists.transposed(self.rows(), len(self.attributes))]
        for other in others:
            aligned = _aligned(other, self.object_names, other.object_names)
            columns.append(_lists.transposed(aligned.rows(), len(aligned.attributes)))
            if not np.array_equal(aligned.weights, self.weights):
                raise FormatError(
                    "an object has different weights in the contexts",
                    hint="give both the same: context.with_weights",
                )
        labels = _disjoint("attribute", [part.attributes for part in (self, *others)])
        rows = _lists.transposed(_lists.stacked(columns), len(self.objects))
        return self.from_csr(self.objects, labels, *rows, weights=self._weights)

    def subposition(self, *others: Self) -> Self:
        """Return this context and others one below the other: the objects of all of them.

        All have the same attributes, in any order; the order of this context is kept.

        Raises
        ------
        FormatError
            If the attributes differ, or two objects have one name.

        Examples
        --------
        >>> from conceptrank import Context
        >>> one = Context(["cherry"], ["sweet", "red"], [[True, True]])
        >>> two = Context(["honey"], ["red", "sweet"], [[False, True]])
        >>> one.subposition(two).to_pairs()
        [('cherry', 'sweet'), ('cherry', 'red'), ('honey', 'sweet')]
        """
        rows = [self.rows()]
        rows += [
            _aligned(other, self.attribute_names, other.attribute_names).rows() for other in others
        ]
        names = _disjoint("object", [part.objects for part in (self, *others)])
        weights = np.concatenate([part.weights for part in (self, *others)])
        return self.from_csr(names, self.attributes, *_lists.stacked(rows), weights=weights)

    def equal_objects(self) -> tuple[tuple[str, ...], ...]:
        """Return the classes of objects with the same attributes, those of one object left out.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("123", "ab", [[1, 0], [1, 1], [1, 0]]).equal_objects()
        (('1', '3'),)
        """
        classes = _classes(self.rows())
        return tuple(self.object_names.of(members) for members in classes if len(members) > 1)

    def equal_attributes(self) -> tuple[tuple[str, ...], ...]:
        """Return the classes of attributes of the same objects, those of one attribute left out.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "abc", [[1, 0, 1], [1, 1, 1]]).equal_attributes()
        (('a', 'c'),)
        """
        classes = _classes(_lists.transposed(self.rows(), len(self.attributes)))
        return tuple(self.attribute_names.of(members) for members in classes if len(members) > 1)

    def clarify(self, *, join: str | None = None) -> Self:
        """Return the context with one of all equal rows and one of all equal columns.

        The lattice stays the same but for names and supports: all weights are 1. `equal_objects`
        and `equal_attributes` say what was merged. `merged` keeps the supports.

        Parameters
        ----------
        join
            What to put between the names of the merged ones; if None, the first name is kept.

        Examples
        --------
        >>> from conceptrank import Context
        >>> context = Context("123", "abc", [[1, 0, 1], [1, 1, 1], [1, 0, 1]])
        >>> context.clarify().objects, context.clarify(join=" = ").attributes
        (('1', '2'), ('a = c', 'b'))
        """
        rows, columns = self.rows(), _lists.transposed(self.rows(), len(self.attributes))
        sides = [_classes(rows), _classes(columns)]
        first = [np.array([members[0] for members in side], dtype=np.int64) for side in sides]
        columns = _lists.take(columns, first[1])
        rows = _lists.take(_lists.transposed(columns, len(self.objects)), first[0])
        names = _merged(self.object_names, sides[0], join)
        return self.from_csr(names, _merged(self.attribute_names, sides[1], join), *rows)

    def reducible_attributes(self) -> tuple[str, ...]:
        """Return the attributes that can go without a change of the lattice.

        These are all but the first of equal attributes, and every attribute whose objects are
        just those that some other attributes have in common. An attribute of all objects is one
        of them.

        Examples
        --------
        >>> from conceptrank import Context
        >>> context = Context("123", ["a", "b", "a and b"], [[1, 1, 1], [1, 0, 0], [0, 1, 0]])
        >>> context.reducible_attributes()
        ('a and b',)
        """
        return self.attribute_names.of(np.flatnonzero(_reducible(self)).tolist())

    def reducible_objects(self) -> tuple[str, ...]:
        """Return the objects that can go without a change of the lattice, but for supports.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("123", "abc", [[1, 1, 0], [0, 1, 1], [0, 1, 0]]).reducible_objects()
        ('3',)
        """
        return self.with_weights(None).transpose().reducible_attributes()

    def reduce(self) -> Self:
        """Return the smallest part of the table that has the same lattice, but for supports.

        It is clarified, and has no reducible objects and attributes.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> movies.reduce().shape, len(movies.lattice()) == len(movies.reduce().lattice())
        ((9, 7), True)
        """
        smaller = self.clarify()
        smaller = smaller.drop(attributes=smaller.reducible_attributes())
        return smaller.drop(objects=smaller.reducible_objects())

    def to_pandas(self, *, weights: str | None = None) -> pd.DataFrame:
        """Return a pandas frame of truth values; its index holds the objects.

        Parameters
        ----------
        weights
            The name of a column for the weights of the objects, if they have some.

        Examples
        --------
        >>> from conceptrank import Context
        >>> frame = Context(["cherry", "honey"], ["sweet", "red"], [[1, 1], [1, 0]]).to_pandas()
        >>> bool(frame.loc["honey", "red"])
        False
        """
        frame = convert.to_pandas(self.objects, self.attributes, self.rows())
        if self._weights_column(weights) is not None:
            frame.insert(0, weights, self.weights)
        return frame

    def to_polars(
        self, *, objects: str | None = "object", weights: str | None = None
    ) -> pl.DataFrame:
        """Return a polars frame of truth values, which also supports Arrow.

        Parameters
        ----------
        objects
            The name of the first column, which holds the objects; None leaves it out.
        weights
            The name of a column for the weights of the objects, if they have some.

        Examples
        --------
        >>> from conceptrank import Context
        >>> context = Context(["cherry", "honey"], ["sweet", "red"], [[1, 1], [1, 0]])
        >>> context.to_polars(objects="food").columns
        ['food', 'sweet', 'red']
        """
        frame = convert.to_polars(self.objects, self.attributes, self.rows(), name=objects)
        column = self._weights_column(weights)
        if column is not None:
            frame = convert.with_weights(frame, column, self.weights, int(objects is not None))
        return frame

    def _weights_column(self, name: str | None) -> str | None:
        """Return the column for the weights of a frame; None if they are not wanted or all 1."""
        if name is None:
            self.refuse_weights("a frame without a column for them, such as weights='weight'")
        elif name in self.attributes:
            raise FormatError(
                f"there is an attribute {name!r} already",
                hint="give the column of the weights another name",
            )
        return name

    def to_numpy(self) -> NDArray[np.bool_]:
        """Return a matrix of truth values, one row per object.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[1, 1], [1, 0]]).to_numpy().tolist()
        [[True, True], [True, False]]
        """
        self.refuse_weights("a matrix")
        return convert.to_numpy(self.rows(), len(self.attributes))

    def to_scipy(self) -> sp.csr_array[Any]:
        """Return a sparse matrix of truth values, one row per object.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[1, 1], [1, 0]]).to_scipy().nnz
        3
        """
        self.refuse_weights("a matrix")
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
        self.refuse_weights("a graph")
        return convert.to_networkx(self.objects, self.attributes, self.rows())

    def to_itemsets(self) -> dict[str, set[str]]:
        """Return the set of attributes of every object.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context(["cherry", "stone"], ["sweet"], [[True], [False]]).to_itemsets()
        {'cherry': {'sweet'}, 'stone': set()}
        """
        self.refuse_weights("sets of attributes")
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
        self.refuse_weights("pairs")
        labels = self.attributes
        rows = convert.lists(self.rows())
        return [
            (name, labels[m]) for name, row in zip(self.objects, rows, strict=True) for m in row
        ]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        return self is other or (self.shape == other.shape and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.object_names.given, self.attributes, *self.rows())
        return _unpickled, (parts, {"weights": self._weights, "origin": self.origin})

    def __repr__(self) -> str:
        n, q = self.shape
        rows = f" ({len(self.object_names):,} rows with weights)" if self.weighted else ""
        return (
            f"<Context {n:,} objects{rows} × {q:,} attributes, "
            f"{self.crosses:,} crosses [{self.digest[:8]}]>"
        )

    def __str__(self) -> str:
        from conceptrank.io.formats.markdown import printed

        return printed(self)

    def _repr_html_(self) -> str:
        from conceptrank._util import html as _html

        most = _html.MOST_COLUMNS
        objects, attributes = self.objects[: _html.MOST_ROWS], self.attributes[:most]
        rows = []
        for number, name in enumerate(objects):
            row = self.core.intension(np.array([number], dtype=np.uint32))
            crosses = set(row[row < most].tolist())
            marks = ["×" if m in crosses else "" for m in range(len(attributes))]
            weight = [f"{self.weights[number]:,}"] if self.weighted else []
            rows.append([_text.label(name), *weight, *marks])
        header = ["", *["weight"] * self.weighted, *map(_text.label, attributes)]
        if len(attributes) < len(self.attributes):
            header.append("…")
            rows = [[*row, ""] for row in rows]
        if len(objects) < len(self.objects):
            rows.append(["…"] + [""] * (len(header) - 1))
        return _html.table(header, rows, caption=repr(self)[1:-1])


def _unpickled(parts: tuple[Any, ...], options: dict[str, Any]) -> Context:
    return Context.from_csr(*parts, **options)


def _copies(names: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Return every name as often as its count says, with numbers from the second time on."""
    taken = set(names)
    copies = []
    for name, count in zip(names, counts, strict=True):
        copies.append(name)
        number = 1
        for _ in range(count - 1):
            number += 1
            while f"{name} ({number})" in taken:
                number += 1
            copies.append(f"{name} ({number})")
    return copies


def _places(names: Names, wanted: str | Iterable[str]) -> NDArray[np.int64]:
    """Return the numbers of names, in the order of the names; each may be there once."""
    listed = [wanted] if isinstance(wanted, str) else list(wanted)
    numbers = names.numbers(listed).tolist()
    if len(numbers) != len(listed):
        twice = next(name for place, name in enumerate(listed) if name in listed[:place])
        raise FormatError(f"{names.kind} {twice!r} is selected twice")
    places = dict(zip(names.of(numbers), numbers, strict=True))
    return np.array([places[name] for name in listed], dtype=np.int64)


def _renamed(names: Names, changes: Mapping[str, str]) -> list[str]:
    names.numbers(changes)
    return [changes.get(label, label) for label in names.labels]


def _merged(names: Names, classes: list[list[int]], join: str | None) -> list[str]:
    if join is None:
        return [names.labels[members[0]] for members in classes]
    return [join.join(names.of(members)) for members in classes]


def _aligned(other: Context, wanted: Names, found: Names) -> Context:
    """Return a context with one side in the order of another context's."""
    if found.labels == wanted.labels:
        return other
    kind = wanted.kind
    for labels, known, missing in (
        (found.labels, set(wanted.labels), "the first context has no"),
        (wanted.labels, set(found.labels), "a further context has no"),
    ):
        for name in labels:
            if name not in known:
                raise FormatError(
                    f"{missing} {kind} {name!r}",
                    hint=f"the contexts need the same {kind}s: see Context.select",
                )
    if kind == "object":
        return other.select(objects=wanted.labels)
    return other.select(attributes=wanted.labels)


def _disjoint(kind: str, sides: Sequence[Sequence[str]]) -> list[str]:
    labels = [label for side in sides for label in side]
    if len(set(labels)) != len(labels):
        twice = next(label for place, label in enumerate(labels) if label in labels[:place])
        raise FormatError(
            f"two contexts have an {kind} {twice!r}",
            hint=f"rename one: context.rename({kind}s=...)",
        )
    return labels


def _classes(lists: Lists) -> list[list[int]]:
    """Return the numbers of equal lists together, in the order of the first of each."""
    classes: dict[bytes, list[int]] = {}
    for number, one in enumerate(_lists.each(lists)):
        classes.setdefault(one.tobytes(), []).append(number)
    return list(classes.values())


def _reducible(context: Context) -> NDArray[np.bool_]:
    """Return for every attribute whether it equals an earlier one or is the meet of others."""
    table, supports = context.core, context.core.attribute_supports()
    q = len(context.attributes)
    reducible = np.ones(q, dtype=np.bool_)
    seen = np.zeros(q, dtype=np.bool_)
    for m in range(q):
        if seen[m]:
            continue
        # The attributes that follow from m have all its objects; as many, if they are equal.
        following = table.closure(np.array([m], dtype=np.uint32))
        larger = supports[following] > supports[m]
        seen[following[~larger]] = True
        reducible[m] = table.support(following[larger]) == supports[m]
    return reducible
