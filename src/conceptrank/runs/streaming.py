"""Packed contexts from files that are larger than memory.

A file is read in pieces. The reader of its format turns each piece into a small context, whose
distinct rows are merged with those found before. So memory holds only the distinct rows of the
whole file. Files that can't be split into pieces are read at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import compress
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.lazy import pl
from conceptrank._util.lists import Lists, Numbers, occurrences, renumbered, take
from conceptrank._util.sealed import reading
from conceptrank.budget import support_threshold
from conceptrank.context import Context
from conceptrank.errors import FormatError, naming, refuse_unknown
from conceptrank.io.detection import detect
from conceptrank.io.formats import cross_table, fimi
from conceptrank.io.shapes import (
    NO_ITEM,
    Baskets,
    ShapeOptions,
    chosen_items,
    find_shape,
    new_places,
    open_baskets,
)
from conceptrank.io.sources import Content
from conceptrank.io.streams import Stream, in_threads, is_many_files
from conceptrank.io.tables import sorted_rows
from conceptrank.io.text import Block, blocks
from conceptrank.runs.packed import Packed, pack
from conceptrank.scaling.loading import load

# The size of a piece.
_PIECE_BYTES = 1 << 24
_PIECE_ROWS = 1 << 17
# A file that decompresses to more than this is refused.
_MOST_BYTES = 1 << 50
# The share of different rows among so many tells how much room the others need.
_SAMPLED_ROWS = 1 << 20
# Coded transactions of at most this size are kept, so that they are decoded once.
_KEPT_BYTES = 1 << 29


class Merged:
    """The distinct rows of many small contexts, whose attributes are matched by name.

    Examples
    --------
    >>> merged = Merged()
    >>> merged.add(Context("12", "ab", [[True, False], [True, True]]))
    >>> merged.add(Context("1", "bc", [[True, False]]))
    >>> packed = merged.packed(["a", "b", "c"])
    >>> packed.rows[1].tolist(), packed.weights.tolist()
    ([0, 0, 1, 1], [1, 1, 1])
    """

    def __init__(self) -> None:
        self.attributes: dict[str, int] = {}
        self._merger = _core.RowMerger()

    def add(self, context: Context) -> None:
        """Add all rows of a context."""
        known = self.attributes
        numbers = [known.setdefault(name, len(known)) for name in context.attributes]
        (offsets, values), weights = context.core.distinct_rows()
        places = np.array(numbers, dtype=np.uint32)
        rows = sorted_rows(offsets, places[values]) if len(values) else (offsets, values)
        self._merger.add((rows[0], rows[1].astype(np.uint32, copy=False)), weights)

    def packed(self, attributes: list[str]) -> Packed:
        """Return the rows with the attributes in this order, and forget them here."""
        place = {name: number for number, name in enumerate(attributes)}
        order = np.array([place[name] for name in self.attributes], dtype=np.uint32)
        (offsets, values), weights = self._merger.take()
        if len(values):
            offsets, values = sorted_rows(offsets, order[values])
        return Packed(tuple(attributes), (offsets, values.astype(np.uint32, copy=False)), weights)


def pack_transactions(
    source: object,
    *,
    min_support: float = 0,
    contains: str | Iterable[str] = (),
    any_of: str | Iterable[str] = (),
    max_bytes: int | None = None,
    **columns: Unpack[ShapeOptions],
) -> Packed:
    """Return the distinct rows of transactions that may be larger than memory.

    The first pass counts the items, the second packs the frequent ones. Small inputs are read once:
    their coded items fit the memory. Batches are decoded on all processors.

    Parameters
    ----------
    source
        As for `Context.from_transactions`. A stream that can be read once takes four bytes of
        memory per item until it is packed.
    min_support
        Leave out items of fewer transactions; a float is a share of all transactions. Supports,
        closed sets and Conceptual Relevance of the frequent concepts stay the same. Measures that
        compare concepts with what is below them, such as stability and Δ, need 0.
    contains, any_of
        Leave out transactions without all items of `contains`, or without any of `any_of`.
        Concepts with these items keep their supports, and everything else that depends on their
        own transactions alone.
    max_bytes
        As for `Context.from_transactions`.
    **columns
        `transactions`, `transaction_id`, `item`, `quantity`, `delimiter` and `weights`, as for
        `Context.from_transactions`.

    Examples
    --------
    >>> baskets = {"items": [["tea", "milk"], ["tea"], ["tea", "milk"], ["salt"]]}
    >>> pack_transactions(baskets, contains="milk").n_objects
    2
    >>> packed = pack_transactions(baskets, min_support=2)
    >>> packed.attributes, packed.weights.tolist(), packed.n_objects
    (('milk', 'tea'), [2, 1, 1], 4)
    """
    baskets = source
    if not isinstance(baskets, Baskets):
        baskets = open_baskets(source, max_bytes=max_bytes, **columns)
    read = baskets.read(keep_bytes=_KEPT_BYTES)
    least = support_threshold(min_support, read.weight)
    every, some = ([one] if isinstance(one, str) else list(one) for one in (contains, any_of))
    refuse_unknown("item", (*every, *some), read.items)
    names, places = chosen_items(read, least=least, also=(*every, *some))
    wanted = [np.array([names.index(name) for name in few], np.uint32) for few in (every, some)]
    merger = _core.RowMerger()
    crosses = int(read.counts[places != NO_ITEM].sum())
    sampled = min(_SAMPLED_ROWS, read.n_transactions)
    merger.reserve(sampled, crosses * sampled // max(read.n_transactions, 1))
    before = 0
    for part in baskets.again(read, places):
        rows = _rows_with(part.rows, *wanted)
        if rows is None:
            merger.add(part.rows, part.counts())
        else:
            merger.add(take(part.rows, rows), part.counts()[rows])
        done = before + len(part.rows[0]) - 1
        if before < _SAMPLED_ROWS <= done:
            # Later rows are as often new as the first ones, or less often.
            share = merger.n_rows / done
            merger.reserve(int(share * read.n_transactions), int(share * crosses))
        before = done
    (offsets, values), counts = merger.take()
    if least > 1:
        # An item that a transaction lists twice was counted twice.
        frequent = _supports((offsets, values), counts, len(names)) >= least
        if not frequent.all():
            names, (offsets, values), counts = _only(names, (offsets, values), counts, frequent)
    return Packed(tuple(names), (offsets, values), counts)


def _rows_with(rows: Lists, every: Numbers, some: Numbers) -> NDArray[np.int64] | None:
    """Return the rows with all of `every` and any of `some`; None if both are empty."""
    if not len(every) and not len(some):
        return None
    offsets, values = rows
    n = len(offsets) - 1
    owners = np.repeat(np.arange(n), np.diff(offsets))
    groups = [*every[:, None], *([some] if len(some) else [])]
    counts = [np.bincount(owners[np.isin(values, group)], minlength=n) for group in groups]
    return np.flatnonzero(np.minimum.reduce(counts))


def _supports(rows: Lists, weights: Numbers, n: int) -> NDArray[np.int64]:
    """Return how many objects have each attribute."""
    offsets, values = rows

    def some(begin: int) -> NDArray[np.int64]:
        ends = offsets[begin : begin + _PIECE_ROWS + 1]
        piece = ends - ends[0], values[ends[0] : ends[-1]]
        return occurrences(piece, weights[begin : begin + _PIECE_ROWS], least=n)

    pieces = in_threads(some, range(0, len(weights), _PIECE_ROWS))
    return sum(pieces, start=np.zeros(n, dtype=np.int64))


def _only(
    names: list[str], rows: Lists, weights: Numbers, chosen: NDArray[np.bool_]
) -> tuple[list[str], Lists, Numbers]:
    """Return distinct rows with only some of the attributes."""
    merger = _core.RowMerger()
    merger.add(renumbered(rows, new_places(chosen)), weights)
    return list(compress(names, chosen)), *merger.take()


def pack_file(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
) -> Packed:
    """Return the distinct rows of the context in a file.

    FIMI files, cross-tables as CSV, and Parquet files of truth values or transactions, also folders
    and globs of these, may be larger than memory: only their distinct rows are held.

    Parameters
    ----------
    path
        The file, compressed or not.
    format
        Its format; detected from the suffix and the content if None.
    max_bytes
        The most bytes that the file may hold, unpacked.
    """
    found = packed_in_pieces(path, format=format, max_bytes=max_bytes)
    return pack(load(path, format=format, max_bytes=max_bytes)) if found is None else found


def packed_in_pieces(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
) -> Packed | None:
    """Return the distinct rows of a file that can be read in pieces; None for other files.

    Parameters
    ----------
    path, format, max_bytes
        As for `pack_file`.
    """
    name = os.fsdecode(path)
    if is_many_files(name):
        return _from_stream(name, max_bytes)
    if not os.path.isfile(name):
        return None
    most = _MOST_BYTES if max_bytes is None else max_bytes
    with naming(name), Content(name, max_bytes=most) as content:
        try:
            chosen = detect(content)[0].name if format is None else format
        except FormatError:
            return None  # Reading it at once finds the reason.
        if chosen in ("parquet", "feather"):
            found = _from_parquet(name) if chosen == "parquet" else None
            binary = Path(name).suffix.lower() in (".parquet", ".pq", ".feather", ".arrow", ".ipc")
            return found or (_from_stream(name) if binary else None)
        if chosen not in ("fimi", "cross_table"):
            return None
        pieces = _large_pieces(content.pieces())
        if chosen == "fimi":
            packed: Packed | None = _from_transactions(blocks(pieces))
        else:
            packed = _from_cross_table(_whole_rows(blocks(pieces)), detected=format is None)
        if packed is not None:
            content.notice_cut()
        return packed


def _large_pieces(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Join small pieces, because each piece has a fixed cost."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _from_transactions(following: Iterator[Block]) -> Packed:
    merged = Merged()
    for block in following:
        try:
            merged.add(fimi.read(block.data))
        except FormatError as error:
            _move(error, block.line - 1)
            raise
    return merged.packed(sorted(merged.attributes, key=int))


def _from_cross_table(following: Iterator[Block], *, detected: bool) -> Packed | None:
    merged = Merged()
    header = b""
    separator: str | None = None
    for block in following:
        if not header:
            header = block.data[: _end_of_record(block.data)]
            data, lines = block.data, 0
        else:
            data, lines = header + block.data, header.count(b"\n")
        try:
            separator = separator or cross_table.separator_of(data)
            merged.add(cross_table.read(data, separator=separator))
        except FormatError as error:
            if detected and not merged.attributes:
                return None  # A table of raw values.
            _move(error, block.line - 1 - lines)
            raise
    return merged.packed(list(merged.attributes))


def _whole_rows(following: Iterator[Block]) -> Iterator[Block]:
    """Join blocks as long as a quote is open."""
    waiting: list[Block] = []
    quotes = 0
    for block in following:
        waiting.append(block)
        quotes += block.data.count(b'"')
        if quotes % 2 == 0:
            yield Block(waiting[0].line, b"".join([part.data for part in waiting]))
            waiting.clear()
    if waiting:
        yield Block(waiting[0].line, b"".join([part.data for part in waiting]))


def _end_of_record(data: bytes) -> int:
    """Return the end of the first record, which is a line end outside of quotes."""
    end = 0
    while True:
        end = data.find(b"\n", end) + 1
        if not end or data.count(b'"', 0, end) % 2 == 0:
            return end or len(data)


def _from_parquet(path: str) -> Packed | None:
    with reading(path):
        lazy = pl.scan_parquet(path)
        schema = lazy.collect_schema()
        if not all(dtype == pl.Boolean or dtype.is_integer() for dtype in schema.values()):
            return None
        merged = Merged()
        for begin in range(0, lazy.select(pl.len()).collect().item(), _PIECE_ROWS):
            frame = lazy.slice(begin, _PIECE_ROWS).select(pl.all().cast(pl.Int64)).collect()
            if not frame.select(pl.all().is_between(0, 1).all()).fold(lambda a, b: a & b).all():
                return None
            merged.add(Context.from_polars(frame.fill_null(0).cast(pl.Boolean)))
    for name in schema:
        merged.attributes.setdefault(name, len(merged.attributes))
    return merged.packed(list(schema))


def _from_stream(path: str, max_bytes: int | None = None) -> Packed | None:
    """Return the distinct rows of a table of transactions; None for other tables."""
    stream = Stream(path, max_bytes=max_bytes)
    shape = find_shape(stream)
    return None if shape is None else pack_transactions(Baskets(stream, shape))


def _move(error: FormatError, lines: int) -> None:
    """Change the line number of an error about a piece to that in the whole file."""
    error.line = None if error.line is None else error.line + lines
