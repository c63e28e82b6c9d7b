"""Fields and records of delimited text, shared by cross-tables, pairs, baskets and raw tables.

A quoted field may contain separators and line breaks; quotes inside it are doubled. Quotes inside
a field without quotes around it are letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from conceptrank.errors import FormatError
from conceptrank.io.marks import MARKS
from conceptrank.io.text import (
    BLANKS,
    LONGEST_LINE,
    Block,
    Data,
    blocks,
    decode_block,
)

SEPARATORS = (",", ";", "\t")
ROWS_TO_TRY = 20
# No table is wider than this; the fields of a row take much more memory than their text.
MOST_FIELDS = 1 << 20
_ENOUGH_BYTES = 1 << 22

_QUOTED = re.compile(r' *+"([^"]*+(?:""[^"]*+)*+)" *+')
_NEEDS_QUOTES = re.compile(r'[,;|\t"\n]|\A[ ]|[ ]\Z|\A\Z')
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


def record_blocks(data: Data, *, blank_end: bool = False) -> Iterator[Block]:
    r"""Yield a text in blocks that end where a row ends.

    Parameters
    ----------
    data
        The bytes, in one piece or in several.
    blank_end
        Whether blank lines at the very end mean anything; else they are left out.

    Examples
    --------
    >>> [block.data for block in record_blocks([b'a,"b\n', b'c"\nd,e\n\n'])]
    [b'a,"b\nc"\nd,e\n']
    """
    pending = b""
    start = 1
    for line, piece in blocks(data):
        if not pending:
            start = line
        pending += piece
        # Searching for one quote is much faster than counting all of them.
        if b'"' in pending and pending.count(b'"') % 2:
            # A quote is open, or inside a field. The parser finds which.
            if len(pending) <= LONGEST_LINE:
                continue
            _parse(Block(start, pending))
        if blank_end:
            yield Block(start, pending)
            pending = b""
            continue
        end = pending.find(b"\n", len(pending.rstrip(b" \t\n"))) + 1
        if pending[:end].strip(b" \t\n"):
            yield Block(start, pending[:end])
            # Counting is slow, and if nothing is left, the next block has its line number.
            start += pending.count(b"\n", 0, end) if end < len(pending) else 0
            pending = pending[end:]
        # One blank line is enough for an error message if a row follows.
        pending = pending[: pending.find(b"\n") + 1]
    if pending.strip(b" \t\n"):
        yield Block(start, pending)  # A quote is open, which the parser reports.


class DelimitedText:
    r"""A delimited text whose first rows were read ahead, to find out how it is laid out.

    Parameters
    ----------
    data
        The bytes, in one piece or in several.
    rows
        The number of rows to read ahead.
    blank_end
        As for `record_blocks`.

    Attributes
    ----------
    text
        The first rows; empty if there are none.

    Examples
    --------
    >>> opened = DelimitedText([b"a,b\n", b"c,d\n"], rows=1)
    >>> opened.text, list(opened.blocks(4, 2))
    ('a,b\nc,d\n', [Block(line=2, data=b'c,d\n')])
    """

    def __init__(self, data: Data, *, rows: int = ROWS_TO_TRY, blank_end: bool = False) -> None:
        self._following = record_blocks(data, blank_end=blank_end)
        first = b""
        for block in self._following:
            first += block.data
            lines = first.count(b"\n")
            if lines > rows or (lines >= 3 and len(first) >= _ENOUGH_BYTES):
                break
        self.text: str = decode_block(Block(1, first))

    def blocks(self, position: int = 0, line: int = 1) -> Iterator[Block]:
        """Yield the rows from a position in the first rows on, which is on this line."""
        rest = self.text[position:].encode()
        return chain([Block(line, rest)] if rest else [], self._following)


def _parse(block: Block) -> None:
    for separator in SEPARATORS:
        for _ in records(decode_block(block), separator, line=block.line):
            pass


def without_blank_end(text: str) -> str:
    """Return the text without blank lines at its end; blanks in the last row may be cells."""
    end = text.find("\n", len(text.rstrip(" \t\n")))
    return text if end < 0 else text[:end]


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


def only_separator(fitting: Sequence[str], hint: str) -> str | None:
    """Return the only separator that fits, or None; refuse several.

    Examples
    --------
    >>> only_separator([";"], ""), only_separator([], "")
    (';', None)
    """
    if len(fitting) > 1:
        signs = " or at ".join(map(repr, fitting))
        raise FormatError(f"the rows can be split at {signs}", line=1, hint=hint)
    return fitting[0] if fitting else None


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
