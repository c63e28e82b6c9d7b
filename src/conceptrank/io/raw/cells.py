"""Delimited text as columns of text: every row checked, nothing filled in or left out.

Whole blocks go to polars, after a check of all separators and quotes. polars refuses a row with
more fields than there are columns, and fills up one with fewer; so if there are as many separators
as there have to be, every row is complete. A block that is unusual or wrong is read row by row,
which finds the line to complain about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conceptrank.errors import FormatError
from conceptrank.io.delimited import records
from conceptrank.io.text import Block, decode_block

if TYPE_CHECKING:
    import polars as pl

_BYTES_AT_ONCE = 1 << 24
_NEWLINE, _QUOTE = ord("\n"), ord('"')


class Cells:
    """The fields of a text, collected block by block.

    Parameters
    ----------
    separator
        What stands between two fields: one character.
    width
        How many fields every row has.

    Examples
    --------
    >>> cells = Cells(",", 2)
    >>> cells.add(Block(1, b'35,"no, thanks"' + bytes([10])))
    >>> [column.to_list() for column in cells.columns()]
    [['35'], ['no, thanks']]
    """

    def __init__(self, separator: str, width: int) -> None:
        self._separator = separator
        self._width = width
        self._waiting: list[Block] = []
        self._waiting_bytes = 0
        self._frames: list[pl.DataFrame] = []

    def add(self, block: Block) -> None:
        """Add whole rows."""
        self._waiting.append(block)
        self._waiting_bytes += len(block.data)
        if self._waiting_bytes >= _BYTES_AT_ONCE:
            self._parse()

    def columns(self) -> list[pl.Series]:
        """Return the columns; an empty field is missing. Nothing can be added afterwards."""
        import polars as pl

        self._parse()
        if not self._frames:
            return [pl.Series(str(i), [], dtype=pl.String) for i in range(self._width)]
        frame = pl.concat(self._frames)
        self._frames = []
        return frame.get_columns()

    def _parse(self) -> None:
        if not self._waiting:
            return
        block = Block(self._waiting[0].line, b"".join(part.data for part in self._waiting))
        self._waiting, self._waiting_bytes = [], 0
        self._frames.append(self._fast(block) if self._regular(block.data) else self._slow(block))

    def _regular(self, data: bytes) -> bool:
        """Return whether every row has its number of fields, and every quote is in place."""
        cells = np.frombuffer(data, dtype=np.uint8)
        separators, ends = cells == ord(self._separator), cells == _NEWLINE
        if b'"' in data:
            quotes = cells == _QUOTE
            places = np.flatnonzero(quotes)
            if len(places) % 2 or not self._quotes_in_place(cells, places):
                return False
            outside = np.cumsum(quotes, dtype=np.uint32) & 1 == 0
            separators &= outside
            ends &= outside
        rows = int(np.count_nonzero(ends))
        return int(np.count_nonzero(separators)) == rows * (self._width - 1)

    def _quotes_in_place(
        self, cells: np.ndarray[tuple[int], np.dtype[np.uint8]], places: np.ndarray
    ) -> bool:
        """Return whether quotes stand at both ends of fields, and doubled inside."""
        edges = (_NEWLINE, _QUOTE, ord(self._separator))
        opening, closing = places[::2], places[1::2]
        before = np.where(opening > 0, cells[opening - 1], _NEWLINE)
        after = cells[np.minimum(closing + 1, len(cells) - 1)]
        return bool(np.isin(before, edges).all() and np.isin(after, edges).all())

    def _fast(self, block: Block) -> pl.DataFrame:
        import polars as pl

        if not block.data.isascii():
            decode_block(block)
        try:
            return pl.read_csv(
                block.data,
                has_header=False,
                separator=self._separator,
                quote_char='"' if b'"' in block.data else None,
                schema={str(i): pl.String for i in range(self._width)},
                truncate_ragged_lines=False,
            )
        except pl.exceptions.PolarsError:
            return self._slow(block)

    def _slow(self, block: Block) -> pl.DataFrame:
        import polars as pl

        rows = []
        text = decode_block(block)
        for record in records(text, self._separator, line=block.line):
            found = len(record.fields)
            if found != self._width:
                blank = found == 1 and not record.fields[0]
                raise FormatError(
                    "an empty line inside the table"
                    if blank
                    else f"row has {found} fields, expected {self._width}",
                    line=record.line,
                    hint="remove it" if blank else "put values that hold a separator in quotes",
                )
            rows.append(
                [
                    field if field or place in record.quoted else None
                    for place, field in enumerate(record.fields)
                ]
            )
        names = [str(i) for i in range(self._width)]
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
