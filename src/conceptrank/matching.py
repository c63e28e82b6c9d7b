"""`Matcher`: which rows have which sets of attributes, for any number of tables of rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core, convert
from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists
from conceptrank._util.names import Names
from conceptrank.budget import core_watch
from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError

if TYPE_CHECKING:
    import scipy.sparse as sp

    from conceptrank.io.shapes import Baskets

__all__ = ["Matcher", "intents_of", "rows_of"]


class Matcher:
    """Sets of attributes, arranged so that they are found quickly in one table after another.

    The sets share their common beginnings, and each table is searched in blocks of rows on all
    threads. So a stream of rows can be matched chunk by chunk.

    Parameters
    ----------
    attributes
        The names of the attributes, in order.
    patterns
        The sets: lists of names; concepts; a lattice, a ranking or a summary.

    Examples
    --------
    >>> matcher = Matcher(["bread", "butter", "jam"], [["bread"], ["bread", "jam"]])
    >>> for chunk in ([["bread"], ["jam"]], [["jam", "bread"]]):
    ...     print(matcher.match(chunk).toarray().tolist())
    [[True, False], [False, False]]
    [[True, True]]
    """

    def __init__(self, attributes: Names | Iterable[object], patterns: object) -> None:
        names = attributes if isinstance(attributes, Names) else Names("attribute", attributes)
        self._set(names, intents_of(names, patterns))

    def _set(self, names: Names, intents: Lists) -> None:
        self._names = names
        self.intents: Lists = intents
        self._walk = _core.IntentWalk(intents, len(names))

    @classmethod
    def from_numbers(cls, attributes: Names, intents: Lists) -> Matcher:
        """Return a matcher of sets of attribute numbers, as offsets and values."""
        self = cls.__new__(cls)
        self._set(attributes, intents)
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return self._names.labels

    def __len__(self) -> int:
        return self._walk.n_intents

    def __reduce__(self) -> tuple[Any, ...]:
        return Matcher.from_numbers, (self._names, self.intents)

    def match(self, rows: object, *, absent: str = "error", threads: int = 0) -> sp.csr_array[Any]:
        """Return which rows have which sets: a sparse matrix of truth values, a row per row.

        Parameters
        ----------
        rows
            The rows, as for `rows_of`.
        absent
            As for `rows_of`.
        threads
            How many threads to use; 0 is one for each processor. The result is the same.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> matcher = Matcher(movies.attributes, [["drama"], ["criminal", "drama"]])
        >>> matcher.match(movies).sum(axis=0).tolist()
        [5, 3]
        """
        return self.find(rows_of(self._names, rows, absent=absent)[0], threads=threads).tocsr()

    def batches(
        self, source: object, *, threads: int = 0, **columns: Any
    ) -> Iterator[tuple[Sequence[str], sp.csr_array[Any]]]:
        """Yield the names of some transactions and which sets they have, batch by batch.

        So the transactions and the result may be larger than memory.

        Parameters
        ----------
        source, **columns
            The transactions, as for `Context.from_transactions`. Long rows of one transaction must
            be neighbours.
        threads
            As for `match`.

        Examples
        --------
        >>> matcher = Matcher(["bread", "butter", "jam"], [["bread"], ["bread", "jam"]])
        >>> orders = {"order_id": [7, 7, 8], "item": ["jam", "bread", "bread"]}
        >>> for names, found in matcher.batches(orders):
        ...     print(names, found.toarray().tolist())
        ['7', '8'] [[True, True], [True, False]]
        """
        from conceptrank.io.shapes import open_baskets

        before = 0
        for part in open_baskets(source, **columns).coded(self.attributes, gather=False):
            n = len(part.rows[0]) - 1
            numbers: Iterable[object] = range(before + 1, before + n + 1)
            labels = [*map(str, numbers if part.names is None else part.names)]
            yield labels, self.find(part.rows, threads=threads).tocsr()
            before += n

    def find(self, rows: Lists, *, threads: int = 0) -> sp.csc_array[Any]:
        """Return the same as a CSC matrix; `rows` are attribute numbers, as of `rows_of`."""
        found = self._walk.match(rows, threads=threads, watch=core_watch(reports=False))
        return _matrix(found, len(rows[0]) - 1)

    def counts(self, rows: Lists, weights: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return how many rows have each set; `rows` are attribute numbers, as of `rows_of`.

        Parameters
        ----------
        rows
            The attribute numbers of the rows.
        weights
            How many rows each row counts as; one if None.
        """
        if weights is None:
            counts = self._walk.count(rows, watch=core_watch(reports=False))
            return counts.supports.astype(np.int64)
        total = np.zeros(len(self), dtype=np.int64)
        # One count per binary digit of the weights.
        for digit in range(int(weights.max(initial=0)).bit_length()):
            part = _lists.take(rows, np.flatnonzero(weights >> digit & 1))
            total += self.counts(part) << digit
        return total

    def violations(self, rows: Lists, conclusions: Lists, *, threads: int = 0) -> sp.csc_array[Any]:
        """Return which rows have a set and lack part of its conclusion, as a sparse CSC matrix.

        Parameters
        ----------
        rows
            The attribute numbers of the rows, as of `rows_of`.
        conclusions
            A list of attribute numbers per set.
        threads
            As for `match`.
        """
        watch = core_watch(reports=False)
        found = self._walk.match(rows, conclusions, threads=threads, watch=watch)
        return _matrix(found, len(rows[0]) - 1)


def intents_of(names: Names, patterns: object) -> Lists:
    """Return patterns as lists of attribute numbers.

    Parameters
    ----------
    names
        The names of the attributes.
    patterns
        As for `Matcher`.

    Raises
    ------
    UnknownNameError
        If a pattern has another attribute.

    Examples
    --------
    >>> offsets, values = intents_of(Names("attribute", "abc"), [["c", "a"], "b"])
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 3], [0, 2, 1])
    """
    numbered = getattr(patterns, "intents", None)
    if isinstance(numbered, tuple) and len(numbered) == 2:
        context = getattr(patterns, "context", None)
        if context is None or context.attributes == names.labels:
            return cast(Lists, numbered)
    sets = []
    for each in cast(Iterable[Any], patterns):
        concept = getattr(each, "concept", each)
        sets.append(names.numbers(getattr(concept, "intent", concept)))
    return _lists.joined(sets)


def rows_of(
    names: Names, rows: object, *, absent: str = "error"
) -> tuple[Lists, Sequence[str] | None]:
    """Return rows as lists of attribute numbers, and the names of the rows if they have any.

    Parameters
    ----------
    names
        The names of the attributes.
    rows
        A context, or a table of truth values: columns are found by their names. A NumPy or SciPy
        matrix: its columns are the attributes in their order. Lists of attribute names, also as a
        mapping from the rows' names. Transactions: the path of a file or folder, a frame or a
        stream, as for `Context.from_transactions`. Names that are none of the attributes are
        ignored.
    absent
        What to do if a context or a table of truth values lacks one of the attributes: `"error"`,
        or `"ignore"` if no row has it.

    Examples
    --------
    >>> (offsets, values), _ = rows_of(Names("attribute", "abc"), [["c", "x", "a"], []])
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 2], [0, 2])
    >>> orders = {"order_id": [7, 7, 8], "item": ["c", "a", "b"]}
    >>> import polars as pl
    >>> (offsets, values), labels = rows_of(Names("attribute", "abc"), pl.DataFrame(orders))
    >>> offsets.tolist(), values.tolist(), labels
    ([0, 2, 3], [0, 2, 1], ['7', '8'])
    """
    if absent not in ("error", "ignore"):
        raise UnknownNameError("way to treat absent attributes", absent, ["error", "ignore"])
    if isinstance(rows, Context):
        return _renumbered(names, rows.attributes, rows.rows(), absent), rows.objects
    if isinstance(rows, np.ndarray) or hasattr(rows, "tocsr"):
        return _rows_of_matrix(len(names), rows), None
    if (found := _transactions(rows)) is not None:
        return _rows_of_transactions(names, found, absent)
    if _is_table(rows):
        pandas = type(rows).__module__.partition(".")[0] == "pandas"
        frame = rows if pandas else convert.polars_frame(rows)[0]
        read_frame: Any = convert.from_pandas if pandas else convert.from_polars
        labels, columns, offsets, values = read_frame(frame)
        return _renumbered(names, tuple(columns), (offsets, values), absent), labels
    places = {name: number for number, name in enumerate(names.labels)}
    mapped = isinstance(rows, Mapping)
    listed = cast(Any, rows).values() if mapped else cast(Iterable[Iterable[str]], rows)
    sets = []
    for row in listed:
        known = {
            places[name] for name in ([row] if isinstance(row, str) else row) if name in places
        }
        sets.append(np.array(sorted(known), dtype=np.uint32))
    return _lists.joined(sets), [*map(str, cast(Any, rows))] if mapped else None


def _rows_of_matrix(n: int, matrix: Any) -> Lists:
    shape = matrix.shape
    if len(shape) != 2 or shape[1] != n:
        raise FormatError(
            f"the rows have the shape {shape}, expected {n} columns",
            hint="a context or a frame is matched by the names of its columns",
        )
    if isinstance(matrix, np.ndarray):
        return convert.from_bools(shape[0], shape[1], matrix)
    return convert.nonzero_rows(matrix)


def _is_table(rows: object) -> bool:
    # A lazy frame warns if it is asked for its columns.
    return any(hasattr(type(rows), name) for name in ("columns", "__arrow_c_stream__"))


def _transactions(rows: object) -> Baskets | None:
    """Return the transactions in a file, a stream or a table; None for other rows.

    Eager tables of truth values are no transactions, because all of their columns count.
    """
    from conceptrank.io.shapes import Baskets, find_shape
    from conceptrank.io.streams import Stream

    if isinstance(rows, str | os.PathLike) or hasattr(rows, "collect_schema"):
        return Baskets(Stream(rows))
    if not _is_table(rows):
        return None
    stream = Stream(rows)
    shape = find_shape(stream)
    if shape is None:
        if stream.repeatable:
            return None
        return Baskets(stream)  # It raises an error, because the stream can't be read again.
    return None if shape.kind == "one-hot" and stream.repeatable else Baskets(stream, shape)


def _rows_of_transactions(
    names: Names, baskets: Baskets, absent: str
) -> tuple[Lists, list[str] | None]:
    if baskets.shape.kind == "one-hot" and absent == "error":
        _refuse_missing(names, baskets.shape.items)
    parts = list(baskets.coded(names.labels))
    labels = [str(name) for part in parts if part.names is not None for name in part.names]
    return _lists.stacked([part.rows for part in parts]), labels or None


def _refuse_missing(names: Names, columns: Sequence[str]) -> None:
    known = set(columns)
    missing = next((name for name in names.labels if name not in known), None)
    if missing is not None:
        raise UnknownNameError("attribute", missing, columns, where="the rows")


def _renumbered(names: Names, columns: tuple[str, ...], rows: Lists, absent: str) -> Lists:
    """Return rows in the numbers of other attributes; columns that are none of them are dropped."""
    if columns == names.labels:
        return rows
    places = {name: number for number, name in enumerate(names.labels)}
    if absent == "error":
        _refuse_missing(names, columns)
    number = np.array([places.get(name, -1) for name in columns], dtype=np.int64)
    offsets, values = rows
    renamed = number[values]
    of_row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    kept = renamed >= 0
    return _lists.from_pairs(of_row[kept], renamed[kept], (len(offsets) - 1, len(names)))


def _matrix(lists: Lists, n_rows: int) -> sp.csc_array[Any]:
    """Return a sparse CSC matrix of truth values from the rows of each column."""
    import scipy.sparse as sp

    offsets, rows = lists
    entries = np.ones(len(rows), dtype=np.bool_)
    indices = rows.view(np.int32)
    if offsets[-1] <= np.iinfo(np.int32).max:
        offsets = offsets.astype(np.int32)
    return sp.csc_array((entries, indices, offsets), shape=(n_rows, len(offsets) - 1))
