"""Rows of delimited text: `records` one by one with their lines, `frame_of` by polars.

A quoted field may contain separators and line breaks; quotes inside it are doubled. Quotes inside
a field without quotes around it are letters.

polars refuses a row with more fields than there are columns, and fills up one with fewer; so if
there are as many separators as there have to be, every row is complete. A block that is unusual or
wrong is read row by row, which finds the line of the error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from conceptrank._util.lazy import pl
from conceptrank.budget import poll
from conceptrank.errors import FormatError
from conceptrank.io.marks import MARKS
from conceptrank.io.text import BLANKS, Block, clean_bytes, decode_block

SEPARATORS = (",", ";", "\t")
ROWS_TO_TRY = 20
# No table is wider than this; the fields of a row take much more memory than their text.
MOST_FIELDS = 1 << 20
# Bytes to look at before the layout is decided, if they are three rows or more.
_LEAST_HEAD, _MOST_HEAD = 1 << 18, 1 << 22
BLOCK_BYTES = 1 << 18
# Readers that make a frame of each block need large ones: every column has a fixed cost.
_FRAME_BYTES = 1 << 24

_QUOTED = re.compile(r' *+"([^"]*+(?:""[^"]*+)*+)" *+')
_NEEDS_QUOTES = re.compile(r'[,;|\t"\n]|\A[ ]|[ ]\Z|\A\Z')
_FIRST_ROW = re.compile(r'(?:[^"\n]++|"[^"]*+"?)*+')
_QUOTE_HINT = "quote the whole field, and double the quotes inside it"
_LINE_OF_WORDS = re.compile(r"[\w'&/%+.-]+( +[\w'&/%+.-]+)* *")
# Fewer lines, or fewer different lengths, are no evidence of baskets.
_FEWEST_LINES = 5
_FEWEST_LENGTHS = 3
# The hint for a text whose lines may be lists of words.
BASKETS_HINT = "if every line is a basket of words: format='baskets' and separator=' '"


class Record(NamedTuple):
    """The fields of one row, and the places of the quoted ones."""

    line: int
    fields: list[str]
    quoted: frozenset[int] = frozenset()

    def names(self) -> list[str | None]:
        """Return the fields without blanks around them; None for an empty field without quotes."""
        return [
            field if place in self.quoted else field.strip(BLANKS) or None
            for place, field in enumerate(self.fields)
        ]


def quoted(name: str, separator: str = ",") -> str:
    r"""Return a name as a field, in quotes if it needs them.

    Examples
    --------
    >>> quoted("cat"), quoted('the "big" cat'), quoted("")
    ('cat', '"the ""big"" cat"', '""')
    """
    if _NEEDS_QUOTES.search(name) or separator in name:
        return '"' + name.replace('"', '""') + '"'
    return name


def check_separator(separator: str | None) -> None:
    """Refuse a separator that can't separate fields.

    Examples
    --------
    >>> check_separator('"')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: '"' can't separate fields (hint: ...)
    """
    if separator and any(sign in separator for sign in '"\r\n'):
        raise FormatError(
            f"{separator!r} can't separate fields",
            hint="a separator is a character such as , or ; or a tab",
        )


def whole_rows(data: bytes) -> bytes:
    r"""Return a text without blank lines at its end; blanks in the last row may be cells.

    Examples
    --------
    >>> whole_rows(b"a\tb\r\n1\t\n \n\n")
    b'a\tb\n1\t\n'
    """
    data = clean_bytes(data)
    if data[-1:] == b"\n" and data[-2:-1] not in b" \t\n":
        return data
    end = len(data.rstrip(b" \t\n"))
    if not end:
        return b""
    line_end = data.find(b"\n", end)
    return data + b"\n" if line_end < 0 else data[: line_end + 1]


def without_blank_end(text: str) -> str:
    """Return the first bytes of a text without blank lines at their end."""
    end = text.find("\n", len(text.rstrip(" \t\n")))
    return text if end < 0 else text[:end]


def row_blocks(
    data: bytes, line: int = 1, size: int | None = None, start: int = 0
) -> Iterator[Block]:
    r"""Yield a text in blocks that end where a row ends.

    Parameters
    ----------
    data
        Whole rows; the first is on this `line`.
    size
        The least number of bytes of a block; `BLOCK_BYTES` if None.
    start
        Where the first row begins.

    Examples
    --------
    >>> list(row_blocks(b'a,"b\nc"\nd,e\n', size=1))
    [Block(line=1, data=b'a,"b\nc"\n'), Block(line=3, data=b'd,e\n')]
    """
    size, quoted_cells = BLOCK_BYTES if size is None else size, b'"' in data
    while start < len(data):
        poll()
        end, quotes = start, 0
        while end == start or (quotes % 2 and end < len(data)):
            begin, end = end, data.find(b"\n", max(end, start + size - 1)) + 1 or len(data)
            quotes += data.count(b'"', begin, end) if quoted_cells else 0
        yield Block(line, data[start:end])
        if end < len(data):
            # Much faster than bytes.count if lines are short.
            cells = np.frombuffer(data, dtype=np.uint8, count=end - start, offset=start)
            line += int(np.count_nonzero(cells == ord("\n")))
        start = end


def head_of(data: bytes) -> str:
    """Return the first rows, from which the layout is found."""
    end = 0
    for block in row_blocks(data, size=_LEAST_HEAD):
        end += len(block.data)
        if end >= _MOST_HEAD or data.count(b"\n", 0, end) >= 3:
            break
    return decode_block(Block(1, data[:end]))


def frame_of(
    data: bytes, separator: str, width: int, *, line: int = 1, stripped: bool = False
) -> pl.DataFrame:
    """Return rows as columns of text.

    Parameters
    ----------
    data
        The rows; the first is on this `line`.
    separator
        What separates the fields.
    width
        The number of fields of each row.
    stripped
        Whether blanks around fields are removed everywhere, and not only where it costs nothing. A
        field of nothing but blanks is null then.

    Raises
    ------
    FormatError
        If a row has more or fewer fields.
    """
    frames = []
    for block in row_blocks(data, line, _FRAME_BYTES):
        frame = _regular_fields(block, separator, width, stripped=stripped)
        frames.append(_checked_fields(block, separator, width) if frame is None else frame)
    return pl.concat(frames or [pl.DataFrame(schema=_schema(width))])


def _regular_fields(
    block: Block, separator: str, width: int, *, stripped: bool
) -> pl.DataFrame | None:
    """Return the fields of a block whose rows are complete; None if something is unusual."""
    data = block.data
    blanks = stripped and (b" " in data or b"\t" in data)
    if len(separator.encode()) != 1 or (blanks and b'"' in data):
        return None
    if not is_regular(data, separator, width):
        return None
    if not data.isascii():
        decode_block(block)
    try:
        frame = pl.read_csv(
            data,
            has_header=False,
            separator=separator,
            quote_char='"' if b'"' in data else None,
            schema=_schema(width),
            truncate_ragged_lines=False,
        )
    except pl.exceptions.PolarsError:
        return None
    if not blanks:
        return frame
    return frame.select(pl.all().str.strip_chars(BLANKS).replace("", None))


def is_regular(data: bytes, separator: str, width: int) -> bool:
    r"""Return whether rows have the right number of separators in all, and quotes are in place.

    Examples
    --------
    >>> is_regular(b'a,"b,""c\n"\nd,e\n', ",", 2), is_regular(b'a,b"c\n', ",", 2)
    (True, False)
    """
    cells = np.frombuffer(data, dtype=np.uint8)
    separators, ends = cells == ord(separator), cells == ord("\n")
    if b'"' in data:
        quotes = cells == ord('"')
        places = np.flatnonzero(quotes)
        if len(places) % 2:
            return False
        # Quotes are at both ends of fields, and doubled inside.
        edges = (ord("\n"), ord('"'), ord(separator))
        opening, closing = places[::2], places[1::2]
        before = np.where(opening > 0, cells[opening - 1], ord("\n"))
        after = cells[np.minimum(closing + 1, len(cells) - 1)]
        if not (np.isin(before, edges).all() and np.isin(after, edges).all()):
            return False
        outside = np.cumsum(quotes, dtype=np.uint32) & 1 == 0
        separators &= outside
        ends &= outside
    return bool(np.count_nonzero(separators) == np.count_nonzero(ends) * (width - 1))


def _checked_fields(block: Block, separator: str, width: int) -> pl.DataFrame:
    rows = []
    for record in records(decode_block(block), separator, line=block.line):
        if len(record.fields) != width:
            hint = "put values that hold a separator in quotes"
            raise wrong_width(record, width, hint)
        rows.append(record.names())
    return pl.DataFrame(rows, schema=_schema(width), orient="row")


def _schema(width: int) -> dict[str, type[pl.DataType]]:
    return {str(place): pl.String for place in range(width)}


def wrong_width(record: Record, width: int, hint: str) -> FormatError:
    """Return the error for a row with too few or too many fields."""
    found = len(record.fields)
    blank = found == 1 and not record.fields[0]
    return FormatError(
        "an empty line inside the table" if blank else f"row has {found} fields, expected {width}",
        line=record.line,
        hint="remove it" if blank else hint,
    )


def records(text: str, separator: str, *, line: int = 1, strict: bool = False) -> Iterator[Record]:
    """Yield the rows of a text; the line end after the last one may be missing.

    Examples
    --------
    >>> [record.fields for record in records("a,b", ",")]
    [['a', 'b']]
    """
    position = 0
    while position < len(text):
        record, position, line = record_at(text, position, separator, line=line, strict=strict)
        yield record


def record_at(
    text: str, position: int, separator: str, *, line: int, strict: bool = False
) -> tuple[Record, int, int]:
    """Return the row that begins at a position, and the position and the line of the next row.

    If `strict`, a quote inside a field without quotes is an error.
    """
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    row = text[position:end]
    if row.count(separator) >= MOST_FIELDS:
        raise FormatError(
            f"a row of more than {MOST_FIELDS:,} fields",
            line=line,
            hint="is it another kind of file?",
        )
    if '"' not in row:
        fields = row.split(separator)
        fields[0] = fields[0].strip(BLANKS)
        return Record(line, fields), end + 1, line + 1
    record, after = _quoted_record(text, position, separator, line, strict=strict)
    return record, after, line + 1 + text.count("\n", end + 1, after)


def _quoted_record(
    text: str, position: int, separator: str, line: int, *, strict: bool
) -> tuple[Record, int]:
    """Return the record that begins at a position, and the position of the next one."""
    fields: list[str] = []
    in_quotes: set[int] = set()
    start = line
    while True:
        if match := _QUOTED.match(text, position):
            in_quotes.add(len(fields))
            fields.append(match[1].replace('""', '"'))
            line += match[0].count("\n")
            position = match.end()
            follows = text[position : position + 1]
            if follows not in ("", "\n", separator):
                raise FormatError(
                    f"found {follows!r} after a closing quote", line=line, hint=_QUOTE_HINT
                )
        else:
            ends = (text.find(separator, position), text.find("\n", position))
            end = min((e for e in ends if e >= 0), default=len(text))
            field = text[position:end].strip(BLANKS)
            if field.startswith('"') or (strict and '"' in field):
                raise FormatError("a quote is opened and never closed", line=line, hint=_QUOTE_HINT)
            fields.append(field)
            position = end
        if text[position : position + 1] != separator:
            return Record(start, fields, frozenset(in_quotes)), position + 1
        position += 1


@lru_cache(maxsize=16)
def first_records(text: str, separator: str) -> list[Record]:
    """Return the first rows; none if the separator does not split them.

    Examples
    --------
    >>> [len(record.fields) for record in first_records("a;b;c", ";")]
    [3]
    """
    rows: list[Record] = []
    fields = 0
    try:
        for record in islice(records(text, separator, strict=True), ROWS_TO_TRY):
            rows.append(record)
            fields += len(record.fields)
            if fields > MOST_FIELDS:
                break
    except FormatError:
        return []
    return rows


def find_separator(
    text: str, among: Sequence[str], fits: Callable[[list[Record]], bool], *, hint: str
) -> str | None:
    """Return the only separator whose first rows fit, or None; refuse several.

    Examples
    --------
    >>> find_separator("a;b,c", ",;", lambda rows: even_width(rows) == 3, hint="")
    """
    fitting = [separator for separator in among if fits(first_records(text, separator))]
    if len(fitting) > 1:
        signs = " or at ".join(map(repr, fitting))
        raise FormatError(f"the rows can be split at {signs}", line=1, hint=hint)
    return fitting[0] if fitting else None


def likeliest_separator(text: str, among: Sequence[str]) -> str | None:
    """Return the most frequent separator of the first row, or None if there is none."""
    match = _FIRST_ROW.match(text)
    first = match[0] if match else ""
    separator = max(among, key=first.count)
    return separator if separator in first else None


def even_width(rows: list[Record]) -> int:
    r"""Return the number of fields if it is the same in all rows and at least 2, else 0.

    Examples
    --------
    >>> even_width(first_records("a;b\nc;d", ";")), even_width(first_records("a;b\nc", ";"))
    (2, 0)
    """
    widths = {len(row.fields) for row in rows}
    width = widths.pop() if len(widths) == 1 else 0
    return width if width > 1 else 0


def lists_words(text: str) -> bool:
    r"""Return whether lines consist of plain words, mostly not of numbers, and some of several.

    Examples
    --------
    >>> lists_words("milk bread\ntea\n"), lists_words("milk\ntea\n"), lists_words("1 2\n3 4\n")
    (True, False, False)
    """
    lines, words = text.splitlines(), text.split()
    return (
        len(words) > len(lines)
        and 2 * sum(map(str.isdecimal, words)) < len(words)
        and all(_LINE_OF_WORDS.fullmatch(line) for line in lines if line)
    )


def words_wander(lines: Sequence[Sequence[str]]) -> bool:
    """Return whether lines of words have many lengths, and words occur in several columns.

    So they do in baskets, and not in tables.

    Examples
    --------
    >>> words_wander(["ab", "ba", "abc", "c", "bc"]), words_wander(["ab", "ab", "abc", "a", "abc"])
    (True, False)
    """
    lines = [line for line in lines if line]
    if len(lines) < _FEWEST_LINES or len(set(map(len, lines))) < _FEWEST_LENGTHS:
        return False
    places: dict[str, list[int]] = {}
    for line in lines:
        for place, word in enumerate(line):
            places.setdefault(word, []).append(place)
    often = [found for word, found in places.items() if len(found) > 1 and word not in MARKS]
    wandering = sum(len(set(found)) > 1 for found in often)
    return wandering > len(often) / 2 and len(often) > len(places) / 4
