"""Delimited text as columns of text: every row checked, nothing filled in or left out.

Whole blocks go to polars, after a check of all separators and quotes. polars refuses a row with
more fields than there are columns, and fills up one with fewer; so if there are as many separators
as there have to be, every row is complete. A block that is unusual or wrong is read row by row,
which finds the line of the error.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from conceptrank._util.lazy import pl
from conceptrank.errors import FormatError
from conceptrank.io.delimited import records
from conceptrank.io.text import BLANKS, Block, decode_block

_NEWLINE, _QUOTE = ord("\n"), ord('"')


class Cells:
    """The fields of a text, collected block by block.

    Parameters
    ----------
    separator
        What separates two fields.
    width
        How many fields every row has.
    names
        Whether blanks in quotes belong to their field; other blanks around a field never do then.
    ragged
        Whether rows of another length are left out; otherwise they are an error.

    Examples
    --------
    >>> cells = Cells(",", 2)
    >>> cells.add(Block(1, b'35,"no, thanks"' + bytes([10])))
    >>> [column.to_list() for column in cells.columns()]
    [['35'], ['no, thanks']]
    """

    def __init__(
        self, separator: str, width: int, *, names: bool = False, ragged: bool = False
    ) -> None:
        self._separator = separator
        self._width = width
        self._names = names
        self._ragged = ragged
        self._frames: list[pl.DataFrame] = []

    def add(self, block: Block) -> None:
        """Add whole rows."""
        frame = self._regular(block)
        self._frames.append(self._checked_fields(block) if frame is None else frame)

    def columns(self) -> list[pl.Series]:
        """Return the columns; an empty field is missing. Nothing can be added afterwards."""
        empty = pl.DataFrame(schema=_schema(self._width))
        frame = pl.concat(self._frames or [empty])
        self._frames = []
        return frame.get_columns()

    def _regular(self, block: Block) -> pl.DataFrame | None:
        """Return the fields of a block without anything unusual, read at once."""
        data = block.data
        blanks = self._names and (b" " in data or b"\t" in data)
        if len(self._separator.encode()) != 1 or (blanks and b'"' in data):
            return None
        if not is_regular(data, self._separator, self._width):
            return None
        frame = regular_fields(block, self._separator, self._width)
        if frame is None or not blanks:
            return frame
        stripped = frame.select(pl.all().str.strip_chars(BLANKS))
        return stripped.select(pl.when(pl.all() != "").then(pl.all()))

    def _checked_fields(self, block: Block) -> pl.DataFrame:
        """Return the fields row by row; refuse the first row that is wrong."""
        rows = []
        for record in records(decode_block(block), self._separator, line=block.line):
            found = len(record.fields)
            if found == self._width:
                rows.append(record.names())
            elif not self._ragged:
                blank = found == 1 and not record.fields[0]
                raise FormatError(
                    "an empty line inside the table"
                    if blank
                    else f"row has {found} fields, expected {self._width}",
                    line=record.line,
                    hint="remove it" if blank else "put values that hold a separator in quotes",
                )
        return pl.DataFrame(rows, schema=_schema(self._width), orient="row")


def line_of(block: Block, separator: str, place: int) -> int:
    """Return the line of a row of a block, by its number from 0."""
    rows = records(decode_block(block), separator, line=block.line)
    return next(islice(rows, place, None)).line


def is_regular(data: bytes, separator: str, width: int) -> bool:
    r"""Return whether rows have the right number of separators in all, and quotes are in place.

    Examples
    --------
    >>> [is_regular(data, ",", 2) for data in (b"35,no\n", b'35,"no, thanks"\n', b"35\n")]
    [True, True, False]
    """
    cells = np.frombuffer(data, dtype=np.uint8)
    separators, ends = cells == ord(separator), cells == _NEWLINE
    if b'"' in data:
        quotes = cells == _QUOTE
        places = np.flatnonzero(quotes)
        if len(places) % 2:
            return False
        # Quotes are at both ends of fields, and doubled inside.
        edges = (_NEWLINE, _QUOTE, ord(separator))
        opening, closing = places[::2], places[1::2]
        before = np.where(opening > 0, cells[opening - 1], _NEWLINE)
        after = cells[np.minimum(closing + 1, len(cells) - 1)]
        if not (np.isin(before, edges).all() and np.isin(after, edges).all()):
            return False
        outside = np.cumsum(quotes, dtype=np.uint32) & 1 == 0
        separators &= outside
        ends &= outside
    return bool(np.count_nonzero(separators) == np.count_nonzero(ends) * (width - 1))


def regular_fields(block: Block, separator: str, width: int) -> pl.DataFrame | None:
    """Return the fields of regular rows as text; None if a row is too long.

    An empty field is missing, unless it is quoted.
    """
    if not block.data.isascii():
        decode_block(block)
    try:
        return pl.read_csv(
            block.data,
            has_header=False,
            separator=separator,
            quote_char='"' if b'"' in block.data else None,
            schema=_schema(width),
            truncate_ragged_lines=False,
        )
    except pl.exceptions.PolarsError:
        return None


def _schema(width: int) -> dict[str, type[pl.DataType]]:
    return {str(place): pl.String for place in range(width)}
