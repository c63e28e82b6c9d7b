"""Transactions in tables: list columns, long rows, delimited text and one-hot columns.

- `Shape`: how a table holds transactions; `find_shape` recognises it.
- `Baskets`: a stream of a known shape. `read` codes its items; a second pass leaves out rare ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util.lazy import pl
from conceptrank._util.lists import Lists
from conceptrank.budget import support_threshold
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.io.marks import FALSE, TRUE, are_marks
from conceptrank.io.streams import Batch, Stream, in_threads
from conceptrank.io.tables import sorted_rows

Codes = NDArray[np.uint32]

SEPARATORS = (";", "|", ",", "\t")
# A row of a long table without an item: its transaction exists, but gets nothing from it.
NO_ITEM = np.uint32(0xFFFFFFFF)
_INTEGER = re.compile(r"-?[1-9]\d{0,17}|0")
_ID_NAME = re.compile(
    r"(?i)(.*[\W_])?(transactions?|orders?|baskets?|invoices?|receipts?|tickets?|carts?|sessions?|"
    r"tid|bills?|purchases?|visits?)([\W_]*(id|no|nr|key|number|num|code))?"
)
_ITEM_NAME = re.compile(
    r"(?i)(.*[\W_])?(items?|products?|sku|articles?|stock_?codes?|asin|goods|pages?|urls?|tracks?|"
    r"ingredients?|symptoms?|item_?descriptions?)([\W_]*(id|no|nr|key|number|code|name|description))?"
)
_QUANTITY_NAME = re.compile(r"(?i)(quantity|qty|count|amount|units?|n)")
# What else a row of a sale may say; it is left out, and a note says so.
_FACT_NAME = re.compile(
    r"(?i)(.*[\W_])?(days?|dates?|times?|timestamp|month|year|week|weekday|hour|prices?|total|cost"
    r"|discount|revenue|customers?|users?|store|shop|country|city|currency)([\W_]*(id|no|nr))?"
    r"|\w+(date|time|price|ID)"
)
_IDENTIFIER_NAME = re.compile(r"(?i)(.*[\W_])?(id|no|nr|key|number|name)")
# The share of text values that must have the separator.
_DELIMITED_SHARE = 0.2
# Elements of delimited text occur this often on average.
_ELEMENTS_REPEAT = 2


@dataclass(frozen=True)
class Shape:
    """How a table holds transactions.

    Parameters
    ----------
    kind
        `"list"` (a column of lists), `"text"` (a column of delimited text), `"long"` (one row per
        transaction and item) or `"one-hot"` (one column of truth values per item).
    items
        The column of the items; the columns, if one-hot.
    transaction
        The column that names the transactions; None if they are numbered.
    quantity
        The column of quantities of long rows. A row without a positive quantity holds no item.
    separator
        What separates the items of delimited text.
    weights
        The column of the weights of transactions.
    others
        The columns of long rows that are left out.

    Examples
    --------
    >>> print(Shape("long", ("item",), transaction="order"))
    one row per 'order' and 'item'
    """

    kind: str
    items: tuple[str, ...]
    transaction: str | None = None
    quantity: str | None = None
    separator: str | None = None
    weights: str | None = None
    others: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        others = (self.transaction, self.quantity, self.weights)
        return [*self.items, *(column for column in others if column is not None)]

    def __str__(self) -> str:
        named = "" if self.transaction is None else f", transactions named by {self.transaction!r}"
        if self.kind == "long":
            kept = "" if self.quantity is None else f" where {self.quantity!r} is positive"
            left = f"; left out: {', '.join(self.others)}" if self.others else ""
            return f"one row per {self.transaction!r} and {self.items[0]!r}{kept}{left}"
        if self.kind == "one-hot":
            return f"one column per item{named}"
        if self.kind == "text":
            return f"{self.items[0]!r} lists items, separated by {self.separator!r}{named}"
        return f"{self.items[0]!r} lists items{named}"


class Transactions(NamedTuple):
    """Some transactions: their items as numbers in any order, and their names if they have any."""

    rows: Lists
    names: pl.Series | None
    weights: pl.Series | None = None

    def counts(self) -> NDArray[np.uint32]:
        """Return how often each transaction counts."""
        if self.weights is None:
            return np.ones(len(self.rows[0]) - 1, dtype=np.uint32)
        return self.weights.to_numpy().astype(np.uint32)


@dataclass
class Read:
    """What a pass over transactions found.

    Parameters
    ----------
    items
        The names of the items.
    counts
        How often each item occurs, by weight; an item that a transaction lists twice counts twice.
    n_transactions
        The number of transactions.
    weight
        The sum of their weights.
    kept
        The transactions, if they were kept.
    """

    items: list[str]
    counts: NDArray[np.int64]
    n_transactions: int
    weight: int
    kept: list[Transactions] | None


class _Codes:
    """Numbers for items; several threads can use and extend it."""

    def __init__(self, items: Sequence[str] = (), *, fixed: bool = False) -> None:
        self._lock = Lock()
        self._places = {name: place for place, name in enumerate(items)}
        self._fixed = fixed
        self._enum: Any = None
        self._enum_size = 0

    @property
    def items(self) -> list[str]:
        """The items in the order of their numbers."""
        return list(self._places)

    def of(self, items: pl.Series) -> Codes:
        """Return the numbers of items; those that are missing or not listed have `NO_ITEM`."""
        if items.dtype != pl.String:
            items = items.cast(pl.String)
        found = items.cast(self._listed(), strict=False)
        codes = found.to_physical().cast(pl.UInt32)
        if not codes.null_count():
            return codes.to_numpy()
        numbers = codes.fill_null(int(NO_ITEM)).to_numpy().copy()
        if not self._fixed and codes.null_count() > items.null_count():
            new = (codes.is_null() & items.is_not_null()).to_numpy()
            rest = items.filter(new)
            different = rest.unique()
            with self._lock:
                for name in different.to_list():
                    self._places.setdefault(name, len(self._places))
                places = np.array([self._places[name] for name in different.to_list()], np.uint32)
            local = rest.cast(pl.Enum(different)).to_physical().to_numpy()
            numbers[new] = places[local]
        return numbers

    def _listed(self) -> Any:
        """Return the items as a type; it is renewed when there are many new ones."""
        with self._lock:
            if self._enum is None or 2 * len(self._places) > 3 * self._enum_size:
                names = self.items
                self._enum, self._enum_size = pl.Enum(names), len(names)
            return self._enum


class Baskets:
    """Transactions of a stream whose shape is known.

    Parameters
    ----------
    stream
        The table.
    shape
        Its shape; recognised if None.

    Raises
    ------
    FormatError
        If the shape is not recognised.

    Examples
    --------
    >>> baskets = Baskets(Stream({"items": [["tea", "milk", "tea"], ["milk"], []]}))
    >>> str(baskets.shape)
    "'items' lists items"
    >>> read = baskets.read()
    >>> sorted(zip(read.items, read.counts.tolist())), read.n_transactions
    ([('milk', 2), ('tea', 2)], 3)
    """

    def __init__(self, stream: Stream, shape: Shape | None = None) -> None:
        self.stream = stream
        found = shape or find_shape(stream)
        if found is None:
            raise FormatError(
                "nothing shows which columns hold transactions; there are "
                + ", ".join(map(repr, list(stream.schema)[:8])),
                source=stream.name,
                hint="name the column of lists by transactions='…', or the columns of long rows by "
                "transaction_id='…' and item='…'",
            )
        self.shape = found

    def read(self, *, keep_bytes: int | None = None) -> Read:
        """Read all transactions once: number the items and count them.

        Parameters
        ----------
        keep_bytes
            The most bytes of coded transactions to keep; beyond it, none are kept if the stream can
            be read again. All are kept if None.
        """
        codes = _Codes(self.shape.items if self.shape.kind == "one-hot" else ())
        kept: list[Transactions] | None = []
        size = total = weight = 0
        counts = np.zeros(0, dtype=np.int64)
        names = _RunNames()
        for part in self._parts(codes):
            offsets, numbers = part.rows
            total += len(offsets) - 1
            given = part.counts()
            weight += int(given.sum(dtype=np.int64))
            found = _lists.occurrences(part.rows, given, least=len(counts))
            found[: len(counts)] += counts
            counts = found
            if self.shape.kind == "long":
                names.add(part.names)
            if kept is not None:
                kept.append(part)
                size += numbers.nbytes + offsets.nbytes
                limited = keep_bytes is not None and self.stream.repeatable
                if limited and size > (keep_bytes or 0):
                    kept = None
        items = codes.items
        counts = np.pad(counts, (0, len(items) - len(counts)))
        read = Read(items, counts, total, weight, kept)
        if self.shape.kind == "long" and names.repeat():
            if read.kept is None:
                read.kept = list(self._parts(_Codes(items)))
            read.kept = [_gathered(read.kept)]
            read.n_transactions = read.weight = len(read.kept[0].rows[0]) - 1
        return read

    def again(self, read: Read, places: NDArray[np.uint32]) -> Iterator[Transactions]:
        """Yield the transactions with some of the items, under other numbers.

        What the first pass kept is used up.

        Parameters
        ----------
        read
            The result of `read`.
        places
            The new number of each of its items; `NO_ITEM` leaves an item out.
        """
        if read.kept is None:
            chosen = np.flatnonzero(places != NO_ITEM)
            codes = _Codes([read.items[number] for number in chosen], fixed=True)
            yield from self._parts(codes, places[chosen])
            return
        waiting, read.kept = read.kept[::-1], []
        parts = (waiting.pop() for _ in range(len(waiting)))
        yield from in_threads(lambda part: _renumbered(part, places), parts)

    def coded(self, items: Sequence[str], *, gather: bool = True) -> Iterator[Transactions]:
        """Yield the transactions in the numbers of given items, batch by batch; leave out others.

        Parameters
        ----------
        items
            The items, in the order of their numbers.
        gather
            Whether to gather long rows of one transaction that are not neighbours, in memory. They
            are an error otherwise, after the last batch.

        Examples
        --------
        >>> baskets = Baskets(Stream({"items": [["tea", "salt"], ["milk", "tea"]]}))
        >>> [part.rows[1].tolist() for part in baskets.coded(["milk", "tea"])]
        [[1, 0, 1]]
        """
        number = {name: np.uint32(place) for place, name in enumerate(items)}
        known = self.shape.items if self.shape.kind == "one-hot" else items
        places = np.array([number.get(name, NO_ITEM) for name in known], dtype=np.uint32)
        codes = _Codes(known, fixed=True)
        if self.shape.kind != "long":
            yield from self._parts(codes, places)
            return
        if gather:
            yield _renumbered(_gathered(list(self._parts(codes))), places)
            return
        names = _RunNames()
        # Runs are joined across batches first.
        for part in self._parts(codes):
            names.add(part.names)
            yield _renumbered(part, places)
        if names.repeat():
            raise FormatError(
                f"rows of the same {self.shape.transaction!r} are not neighbours",
                source=self.stream.name,
                hint="sort the rows first",
            )

    def lists(
        self, *, min_support: float = 0
    ) -> tuple[Iterable[object], list[str], Lists, list[int] | None]:
        """Return the names of all transactions and of their items, the items and weight of each.

        Parameters
        ----------
        min_support
            Leave out items of fewer transactions; a float is a share of all transactions.
        """
        read = self.read()
        items, places = chosen_items(read)
        part = _together(list(self.again(read, places)))
        rows: Lists = sorted_rows(*part.rows)
        weights = None if part.weights is None else part.weights.to_list()
        least = support_threshold(min_support, read.weight)
        if least > 1:
            counts = None if weights is None else np.repeat(weights, np.diff(rows[0]))
            chosen = np.bincount(rows[1], counts, minlength=len(items)) >= least
            rows = _renumbered(Transactions(rows, None), new_places(chosen)).rows
            items = [name for name, wanted in zip(items, chosen, strict=True) if wanted]
        names = range(1, len(rows[0])) if part.names is None else part.names.to_list()
        return names, items, rows, weights

    def _parts(
        self, codes: _Codes, places: NDArray[np.uint32] | None = None
    ) -> Iterator[Transactions]:
        """Yield the transactions batch by batch; long rows become runs of one transaction.

        Parameters
        ----------
        codes
            Numbers for the items.
        places
            Other numbers for these, as in `again`.
        """
        work = {
            "list": self._lists,
            "text": self._texts,
            "long": self._runs,
            "one-hot": self._marks,
        }[self.shape.kind]

        def part_of(batch: Batch) -> Transactions:
            part = work(batch, codes)
            return part if places is None else _renumbered(part, places)

        parts = self.stream.map(part_of, self.shape.columns)
        return _joined_runs(parts) if self.shape.kind == "long" else parts

    def _lists(self, batch: Batch, codes: _Codes) -> Transactions:
        return self._flat(batch, batch.frame.get_column(self.shape.items[0]), codes)

    def _texts(self, batch: Batch, codes: _Codes) -> Transactions:
        text = batch.frame.get_column(self.shape.items[0])
        return self._flat(batch, text.str.split(self.shape.separator or ";"), codes, text=True)

    def _flat(
        self, batch: Batch, column: pl.Series, codes: _Codes, *, text: bool = False
    ) -> Transactions:
        lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
        # Versions of polars differ in what becomes of empty lists.
        items = (column if lengths.all() else column.filter(lengths > 0)).explode()
        if text:
            items = items.str.strip_chars()
            items = items.set(items == "", None)
        if items.null_count():
            present = items.is_not_null().to_numpy()
            places = np.repeat(np.arange(len(lengths)), lengths)
            lengths = np.bincount(places[present], minlength=len(lengths))
            items = items.drop_nulls()
        rows = _lists.offsets_of(lengths), codes.of(items)
        return Transactions(rows, self._names(batch), self._weights(batch))

    def _names(self, batch: Batch) -> pl.Series | None:
        if self.shape.transaction is None:
            return None
        names = batch.frame.get_column(self.shape.transaction)
        reason = "which names no transaction"
        self._require(batch, names, names.is_not_null(), reason, "remove such rows, or name them")
        return names

    def _weights(self, batch: Batch) -> pl.Series | None:
        if self.shape.weights is None:
            return None
        given = batch.frame.get_column(self.shape.weights)
        counts = given.cast(pl.Float64, strict=False)
        right = (counts >= 1) & (counts == counts.floor()) & (counts < 2**32)
        reason = "but a weight is a whole number from 1 on"
        self._require(batch, given, right, reason, "remove rows that count zero times")
        return counts.cast(pl.UInt32)

    def _runs(self, batch: Batch, codes: _Codes) -> Transactions:
        names = self._names(batch)
        assert names is not None
        items = codes.of(batch.frame.get_column(self.shape.items[0]))
        if self.shape.quantity is not None:
            items = np.where(self._positive(batch), items, NO_ITEM)
        if not len(names):
            return Transactions((np.zeros(1, dtype=np.int64), items), names)
        new = (names != names.shift(1)).fill_null(value=True).to_numpy()
        starts = np.flatnonzero(new)
        offsets = np.append(starts, len(items)).astype(np.int64)
        return Transactions((offsets, items), names.gather(starts))

    def _positive(self, batch: Batch) -> NDArray[np.bool_]:
        assert self.shape.quantity is not None
        quantity = batch.frame.get_column(self.shape.quantity)
        number = quantity.cast(pl.Float64, strict=False)
        right = number.is_not_null() | quantity.is_null()
        self._require(batch, quantity, right, "which is no number", "name another column")
        return (number > 0).fill_null(value=False).to_numpy()

    @staticmethod
    def _require(batch: Batch, column: pl.Series, right: pl.Series, reason: str, hint: str) -> None:
        """Refuse the first value of a column that isn't right."""
        right = right.fill_null(value=False)
        if not right.all():
            row = int(right.arg_min() or 0)
            raise FormatError(
                f"row {batch.row + row + 1:,} has {column[row]!r} in {column.name!r}, {reason}",
                source=batch.source,
                hint=hint,
            )

    def _marks(self, batch: Batch, codes: _Codes) -> Transactions:
        del codes
        having = [
            np.flatnonzero(self._crosses(batch, name)).astype(np.uint32)
            for name in self.shape.items
        ]
        rows = _lists.transposed(_lists.joined(having), batch.frame.height)
        return Transactions(rows, self._names(batch), self._weights(batch))

    def _crosses(self, batch: Batch, name: str) -> NDArray[np.bool_]:
        """Return which rows have an item, by its column of truth values."""
        column = batch.frame.get_column(name)
        if column.dtype == pl.Boolean:
            return column.fill_null(value=False).to_numpy()
        if column.dtype == pl.String:
            word = column.str.strip_chars().str.to_lowercase()
            yes, no = word.is_in(TRUE), word.is_in(FALSE)
        else:
            yes, no = column == 1, column == 0
        hint = "columns of other values are scaled: see conceptrank.scaling"
        right = (yes | no).fill_null(value=True)
        self._require(batch, column, right, "expected true or false, or 1 or 0", hint)
        return yes.fill_null(value=False).to_numpy()


@dataclass
class _RunNames:
    """The names of runs, and whether one occurs twice."""

    _parts: list[pl.Series] = field(default_factory=list)
    _last: Any = None
    _ascending: bool = True

    def add(self, names: pl.Series | None) -> None:
        """Add the names of some runs."""
        if names is None or not len(names):
            return
        # Neighbours differ, so sorted names ascend.
        follows = self._last is None or (self._ascending and self._last < names[0])
        self._ascending = bool(follows and names.is_sorted())
        self._last = names[-1]
        self._parts.append(names)

    def repeat(self) -> bool:
        """Return whether a transaction has several runs."""
        if self._ascending or not self._parts:
            return False
        every = pl.concat(self._parts)
        return every.n_unique() < len(every)


def _joined_runs(parts: Iterator[Transactions]) -> Iterator[Transactions]:
    """Yield runs; no run continues in the next part."""
    waiting: Transactions | None = None
    for part in parts:
        if waiting is None or waiting.names is None or not len(waiting.names):
            waiting = part
            continue
        assert part.names is not None
        if not len(part.names):
            continue
        offsets, items = waiting.rows
        names = waiting.names
        if names[-1] != part.names[0]:
            yield waiting
            waiting = part
            continue
        # The last run of one part and the first of the next are one transaction.
        cut = int(offsets[-2])
        if len(offsets) > 2:
            yield Transactions((offsets[:-1], items[:cut]), names[:-1])
        more, further = part.rows
        moved = len(items) - cut
        waiting = Transactions(
            (
                np.concatenate([[0], more[1:] + moved]).astype(np.int64),
                np.concatenate([items[cut:], further]),
            ),
            part.names,
        )
    if waiting is not None:
        yield waiting
    else:
        yield Transactions(
            (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint32)), pl.Series([])
        )


def _gathered(parts: list[Transactions]) -> Transactions:
    """Return all runs of a transaction as one, in the order of the first ones."""
    together = _together(parts)
    assert together.names is not None
    different = together.names.unique(maintain_order=True)
    places = together.names.replace_strict(
        different, pl.Series(range(len(different)), dtype=pl.UInt32), return_dtype=pl.UInt32
    ).to_numpy()
    offsets, items = together.rows
    lengths = np.diff(offsets)
    order = np.argsort(places, kind="stable")
    rows = _lists.take((offsets, items), order)
    sums = np.bincount(places, weights=lengths, minlength=len(different)).astype(np.int64)
    return Transactions((_lists.offsets_of(sums), rows[1]), different)


def _together(parts: list[Transactions]) -> Transactions:
    lengths = [np.diff(part.rows[0]) for part in parts]
    items = [part.rows[1] for part in parts]
    names = [part.names for part in parts if part.names is not None]
    weights = [part.weights for part in parts if part.weights is not None]
    none = np.zeros(0, dtype=np.int64)
    return Transactions(
        (
            _lists.offsets_of(np.concatenate(lengths) if lengths else none),
            np.concatenate(items) if items else none.astype(np.uint32),
        ),
        pl.concat(names) if names else None,
        pl.concat(weights) if weights else None,
    )


def _renumbered(part: Transactions, places: NDArray[np.uint32]) -> Transactions:
    """Return transactions in other numbers, ascending, each once; `NO_ITEM` leaves an item out."""
    return part._replace(rows=_lists.renumbered(part.rows, places))


def chosen_items(
    read: Read, *, least: int = 0, also: Iterable[str] = ()
) -> tuple[list[str], NDArray[np.uint32]]:
    """Return the items that occur often enough, in order, and the place of every item among them.

    Parameters
    ----------
    read
        The result of a pass over transactions.
    least
        How often an item occurs at least.
    also
        Items that are chosen however rare they are.
    """
    frequent = read.counts >= least
    frequent[[read.items.index(name) for name in also]] = True
    order = [number for number in item_order(read.items) if frequent[number]]
    places = np.full(len(read.items), NO_ITEM, dtype=np.uint32)
    places[order] = np.arange(len(order), dtype=np.uint32)
    return [read.items[number] for number in order], places


def new_places(chosen: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return the numbers of some items among themselves; `NO_ITEM` for the others.

    Examples
    --------
    >>> new_places(np.array([True, False, True])).tolist()
    [0, 4294967295, 1]
    """
    return np.where(chosen, np.cumsum(chosen) - 1, np.int64(NO_ITEM)).astype(np.uint32)


def item_order(items: Sequence[str]) -> list[int]:
    """Return the order of item names: by number if all are integers, by text otherwise.

    Examples
    --------
    >>> item_order(["10", "9"]), item_order(["10", "9", "tea"])
    ([1, 0], [0, 1, 2])
    """
    if all(map(_INTEGER.fullmatch, items)):
        return sorted(range(len(items)), key=lambda place: int(items[place]))
    return sorted(range(len(items)), key=items.__getitem__)


class ShapeOptions(TypedDict, total=False):
    """The columns of a table of transactions, as `find_shape` takes them."""

    transactions: str | None
    transaction_id: str | None
    item: str | None
    quantity: str | None
    delimiter: str | None
    weights: str | None


def open_baskets(
    source: Any, *, max_bytes: int | None = None, **columns: Unpack[ShapeOptions]
) -> Baskets:
    """Return the transactions in a source; parameters as for `Context.from_transactions`.

    `max_bytes` limits the size of text files, as for `Stream`.
    """
    if not isinstance(source, Stream):
        named = [name for key, name in columns.items() if name and key != "delimiter"]
        source = Stream(_table_of(source), columns=map(str, named), max_bytes=max_bytes)
    return Baskets(source, find_shape(source, **columns))


def _table_of(source: Any) -> Any:
    """Return lists of items as a table of one column, other sources as they are."""
    table_like = ("__arrow_c_stream__", "collect_schema", "columns", "schema", "name")
    if isinstance(source, str | os.PathLike | Mapping) or not isinstance(source, Iterable):
        return source
    if any(hasattr(source, name) for name in table_like):
        return source
    listed = list(source)
    if listed and all(isinstance(each, str | os.PathLike) for each in listed):
        return listed
    for number, items in enumerate(listed, start=1):
        if items is not None and (isinstance(items, str) or not isinstance(items, Iterable)):
            raise FormatError(f"transaction {number:,} is {items!r}, expected a list of items")
    texts = [
        None if items is None else [None if item is None else str(item) for item in items]
        for items in listed
    ]
    return pl.DataFrame({"items": pl.Series(texts, dtype=pl.List(pl.String))})


def find_shape(
    stream: Stream,
    *,
    transactions: str | None = None,
    transaction_id: str | None = None,
    item: str | None = None,
    quantity: str | None = None,
    delimiter: str | None = None,
    weights: str | None = None,
) -> Shape | None:
    """Return how a table holds transactions; None if nothing shows it.

    Without names of columns, a table holds transactions if it has

    - one column of lists, alone or with one column of distinct values, which name the rows;
    - one column of delimited text whose elements repeat, alone or with such names;
    - columns named like a transaction and an item (`order_id`, `product`), and no more but a
      quantity and facts of the sale, such as `day` and `price`, which are left out;
    - only truth values, or ones and zeros, and one column of names.

    Parameters
    ----------
    stream
        The table.
    transactions
        The column of lists or of delimited text.
    transaction_id
        The column that names the transactions.
    item
        The column of items, one per row.
    quantity
        The column of quantities, with `item`.
    delimiter
        What separates the items of delimited text.
    weights
        The column of the weights of transactions; not for long rows.

    Raises
    ------
    FormatError
        If the columns hold something else, or the names contradict each other.
    UnknownNameError
        If there is no such column.

    Examples
    --------
    >>> table = {"order_id": [1, 1, 2], "product": ["tea", "milk", "tea"]}
    >>> print(find_shape(Stream(table)))
    one row per 'order_id' and 'product'
    >>> print(find_shape(Stream({"age": [30, 41], "sex": ["f", "m"]})))
    None
    """
    schema = stream.schema
    named = (transactions, transaction_id, item, quantity, weights)
    refuse_unknown("column", named, schema, where=stream.name or "the table")
    if transactions is not None and (item is not None or quantity is not None):
        raise FormatError(
            "transactions= names lists of items, item= single ones: give one of them",
            source=stream.name,
        )
    own = [c for c in schema if c not in stream.partitions and c != weights]
    if item is not None or quantity is not None:
        found: Shape | None = _long(stream, own, transaction_id, item, quantity)
    else:
        found = _found(stream, own, transactions, transaction_id, delimiter)
    if found is None or weights is None:
        return found
    if found.kind == "long":
        raise FormatError(
            f"column {weights!r}: long rows have no weights, since a transaction has several rows",
            source=stream.name,
            hint="group the rows first: one list of items per transaction",
        )
    return replace(found, weights=weights)


def _found(
    stream: Stream,
    own: list[str],
    transactions: str | None,
    transaction_id: str | None,
    delimiter: str | None,
) -> Shape | None:
    if transactions is not None:
        return _named_lists(stream, transactions, transaction_id, delimiter)
    nested = (pl.List, pl.Array)
    listing = [column for column in own if isinstance(stream.schema[column], nested)]
    others = [column for column in own if column not in (*listing, transaction_id)]
    if transaction_id is not None:
        if len(listing) == 1:
            return _list_shape(stream, listing[0], transaction_id)
        item = others[0] if not listing and len(others) == 1 else None
        return _text_or_long(stream, own, transaction_id, item, delimiter)
    if listing:
        names = others[0] if len(others) == 1 and _names_rows(stream.head()[others[0]]) else None
        alone = len(listing) == 1 and (not others or names is not None)
        return _list_shape(stream, listing[0], names) if alone else None
    return (_sales(stream, own) or _by_values(stream, own, delimiter)) if own else None


def _text_or_long(
    stream: Stream, own: list[str], transaction_id: str, item: str | None, delimiter: str | None
) -> Shape:
    sign = None if item is None else delimiter or find_separator(stream.head()[item])
    if item is not None and sign:
        return Shape("text", (item,), transaction_id, separator=sign)
    return _long(stream, own, transaction_id, item, None)


def _named_lists(
    stream: Stream, column: str, transaction_id: str | None, delimiter: str | None
) -> Shape:
    """Return the shape of a column that the caller named."""
    kind = stream.schema[column]
    if isinstance(kind, pl.List | pl.Array):
        return _list_shape(stream, column, transaction_id)
    if kind in (pl.String, pl.Categorical):
        separator = delimiter or find_separator(stream.head().get_column(column)) or ";"
        return Shape("text", (column,), transaction_id, separator=separator)
    raise FormatError(
        f"column {column!r} holds {kind}, expected lists of items or delimited text",
        source=stream.name,
        hint="for one row per item, give transaction_id= and item=",
    )


def _sales(stream: Stream, own: list[str]) -> Shape | None:
    """Return the shape of rows of a transaction and an item, perhaps with facts of the sale."""
    orders = [column for column in own if _ID_NAME.fullmatch(column)]
    items = [column for column in own if _ITEM_NAME.fullmatch(column) and column not in orders]
    rest = [column for column in own if column not in orders and column not in items[:1]]
    quantities = [column for column in rest if _QUANTITY_NAME.fullmatch(column)]
    facts = [column for column in rest if column not in quantities]
    if len(orders) != 1 or not items or len(quantities) > 1:
        return None
    if not all(_FACT_NAME.fullmatch(each) or each in items for each in facts):
        return None
    head = stream.head().get_column(orders[0])
    if head.n_unique() == len(head):
        return None
    quantity = quantities[0] if quantities else None
    return Shape("long", (items[0],), orders[0], quantity=quantity, others=tuple(facts))


def _by_values(stream: Stream, own: list[str], delimiter: str | None) -> Shape | None:
    schema = stream.schema
    head = stream.head()
    marks = [column for column in own if _holds_marks(head[column])]
    rest = [column for column in own if column not in marks]
    named = len(rest) == 1 and _names_rows(head[rest[0]]) and _is_no_quantity(head[rest[0]])
    if len(marks) >= 2 and (not rest or named):
        return Shape("one-hot", tuple(marks), rest[0] if rest else None)
    if len(own) > 2 or schema[own[-1]] != pl.String:
        return None
    separator = delimiter or find_separator(head[own[-1]])
    if separator and (len(own) == 1 or _names_rows(head[own[0]])):
        name = own[0] if len(own) == 2 else None
        return Shape("text", (own[-1],), name, separator=separator)
    return None


def _long(
    stream: Stream,
    own: list[str],
    transaction_id: str | None,
    item: str | None,
    quantity: str | None,
) -> Shape:
    def chosen(given: str | None, titles: re.Pattern[str], what: str, option: str) -> str:
        if given is not None:
            return given
        others = [column for column in own if column not in (transaction_id, item, quantity)]
        fitting = [column for column in others if titles.fullmatch(column)] or others
        if len(fitting) != 1:
            raise FormatError(
                f"which column {what}? there are " + ", ".join(map(repr, fitting)),
                source=stream.name,
                hint=f"name it: {option}='…'",
            )
        return fitting[0]

    item = chosen(item, _ITEM_NAME, "holds the items", "item")
    transaction_id = chosen(transaction_id, _ID_NAME, "names the transactions", "transaction_id")
    for column in (transaction_id, item):
        if isinstance(stream.schema[column], pl.List | pl.Array | pl.Struct):
            raise FormatError(
                f"column {column!r} holds {stream.schema[column]}, expected one value per row",
                source=stream.name,
                hint="lists of items are named by transactions='…'",
            )
    return Shape("long", (item,), transaction_id, quantity=quantity)


def _list_shape(stream: Stream, column: str, transaction_id: str | None) -> Shape:
    inner = stream.schema[column].inner  # type: ignore[attr-defined]
    if isinstance(inner, pl.List | pl.Array | pl.Struct | pl.Object):
        raise FormatError(
            f"column {column!r} holds lists of {inner}, expected lists of text or numbers",
            source=stream.name,
            hint="take the field that names the item, such as "
            "pl.col('items').list.eval(pl.element().struct.field('sku'))",
        )
    return Shape("list", (column,), transaction_id)


def _holds_marks(column: pl.Series) -> bool:
    """Return whether the first values of a column are true and false, or one and zero."""
    if column.dtype == pl.String:
        words = column.drop_nulls().str.strip_chars().str.to_lowercase()
        return len(words) > 0 and are_marks(words.unique().to_list())
    return bool(
        column.dtype == pl.Boolean or (column.dtype.is_integer() and column.is_between(0, 1).all())
    )


def _is_no_quantity(column: pl.Series) -> bool:
    """Return whether a column has values that are no integers, or is named like an identifier."""
    if _ID_NAME.fullmatch(column.name) or _IDENTIFIER_NAME.fullmatch(column.name):
        return True
    return column.dtype == pl.String and not all(map(_INTEGER.fullmatch, column))


def _names_rows(column: pl.Series) -> bool:
    text = column.dtype in (pl.String, pl.Categorical) or column.dtype.is_integer()
    return bool(text) and column.null_count() == 0 and column.n_unique() == len(column)


def find_separator(column: pl.Series) -> str | None:
    r"""Return what separates the elements of delimited text; None if it is no such text.

    At least a fifth of the values have the separator, and their elements are short and repeat.

    Examples
    --------
    >>> import polars as pl
    >>> find_separator(pl.Series(["tea;milk", "milk", "tea;milk;honey", "milk;tea"]))
    ';'
    >>> find_separator(pl.Series(["Ann, 30", "Bob, 41"])) is None
    True
    """
    if column.dtype != pl.String:
        return None
    text = column.drop_nulls()
    if not len(text):
        return None
    for separator in SEPARATORS:
        parts = text.str.split(separator)
        several = int((parts.list.len() > 1).sum())
        if several < max(2, _DELIMITED_SHARE * len(text)):
            continue
        elements = parts.explode().str.strip_chars()
        elements = elements.filter(elements != "")
        if len(elements) >= _ELEMENTS_REPEAT * elements.n_unique() and elements.n_unique() > 1:
            widths = parts.list.len()
            # Dates and versions have the same number of parts in every row.
            if widths.n_unique() > 1 or separator != ",":
                return separator
    return None
