"""Cross-tables as comma-separated text: a header of attributes, a row of marks an object.

The separator is a comma, a semicolon or a tab, whichever makes every row as long as the header.
A cell that is not a mark is an error: a table of raw values has to be scaled first, and must
never pass for a cross-table. An empty name has to be written as `""`, since a bare one is
more often a separator too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.registry import Format, register
from conceptrank.io.sources import suffix_of
from conceptrank.io.text import (
    BLANKS,
    decode,
    first_repeat,
    marks_of,
    refuse_names,
    refuse_repeats,
    rows_from_marks,
    shown,
)

__all__ = ["FORMAT", "read", "sniff", "write"]

SEPARATORS = (",", ";", "\t")
TRUE = ("x", "1", "true", "t", "yes", "y")
FALSE = ("", "0", "false", "f", "no", "n", ".")

# All usual spellings, so that most cells are found at once, without changing case.
_MARKS = {
    spelling: value
    for value, words in enumerate((FALSE, TRUE))
    for word in words
    for spelling in (word, word.upper(), word.capitalize())
}
_QUOTED = re.compile(r' *"([^"]*(?:""[^"]*)*)" *')
_NEEDS_QUOTES = re.compile(r'[,;\t"\n]|\A[ ]|[ ]\Z|\A\Z')
_ROWS_TO_TRY = 20


class _Record(NamedTuple):
    """The fields of one row, and which of them stood in quotes."""

    line: int
    fields: list[str]
    quoted: frozenset[int] = frozenset()


def sniff(head: bytes) -> bool:
    r"""Say whether some separator makes a header and rows of one length.

    Examples
    --------
    >>> sniff(b",a,b\ng,X,\n"), sniff(b",a,b\ng,X\n"), sniff(b"1 2 3\n")
    (True, False, False)
    """
    text = head.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    text = _without_blank_end(text)
    return "\n" in text and any(_even(text, separator) for separator in SEPARATORS)


def read(data: bytes, *, source: str | None = None) -> Context:
    r"""Read a cross-table.

    Parameters
    ----------
    data
        The content of a file.
    source
        Its name, for messages.

    Raises
    ------
    FormatError
        For a ragged row, a cell that is not a mark, a repeated or bare empty name.

    Notes
    -----
    A cross is one of `X 1 true t yes y`, in upper or lower case; no cross is an empty cell or
    one of `0 false f no n .`.

    Examples
    --------
    >>> context = read(b'pet;flies;"purrs; loudly"\ncat;;yes\ncanary;yes;no\n')
    >>> context.objects, context.attributes, context.crosses
    (('cat', 'canary'), ('flies', 'purrs; loudly'), 2)
    >>> read(b"pet,legs\ncat,4\n", source="pets.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: pets.csv, line 2: column 'legs': '4' is not a mark (hint: ...)
    """
    text = _without_blank_end(decode(data, source))
    separator = _separator(text, source)
    records = _records(text, separator, source)
    header = next(records)
    attributes = _attributes(header, source)
    width = len(header.fields)
    objects: list[str] = []
    lines: list[int] = []
    cells = bytearray()
    meaning = _MARKS.__getitem__
    for record in records:
        fields = record.fields
        if len(fields) != width:
            _refuse_width(record, width, source)
        name = fields[0]
        if not name and 0 not in record.quoted:
            raise FormatError(
                "the object has no name",
                source=source,
                line=record.line,
                hint='write an empty name as ""',
            )
        objects.append(name)
        lines.append(record.line)
        try:
            cells += bytes(map(meaning, islice(fields, 1, None)))
        except KeyError:
            cells += _unusual(record, attributes, source)
    refuse_repeats(objects, lines, "object", source)
    marks = np.frombuffer(cells, dtype=np.bool_).reshape(len(objects), len(attributes))
    return Context.from_csr(objects, attributes, *rows_from_marks(marks))


def write(context: Context, *, source: str | None = None) -> bytes:
    r"""Return a context as a cross-table of `X` and empty cells.

    Parameters
    ----------
    context
        The context.
    source
        The name of the file that will hold it: `.tsv` gets tabs, everything else commas.

    Raises
    ------
    FormatError
        If there are no attributes, which would leave no table, or a name has a carriage return.

    Examples
    --------
    >>> write(Context(["cat"], ["flies", "purrs, loudly"], [[False, True]]))
    b',flies,"purrs, loudly"\ncat,,X\n'
    """
    if not context.attributes:
        raise FormatError(
            "a cross-table needs at least one attribute", source=source, hint="save as .cxt"
        )
    refuse_names(context, source)
    separator = "\t" if suffix_of(source) == ".tsv" else ","
    lines = [separator.join(["", *map(_quoted, context.attributes)])]
    for name, row in zip(context.objects, marks_of(context), strict=True):
        cells = separator.join(["X" if mark else "" for mark in row.tolist()])
        lines.append(f"{_quoted(name)}{separator}{cells}")
    return "".join(f"{line}\n" for line in lines).encode()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


def _without_blank_end(text: str) -> str:
    """Return the text without blank lines at its end; blanks in the last row may be cells."""
    end = text.find("\n", len(text.rstrip(" \t\n")))
    return text if end < 0 else text[:end]


def _records(text: str, separator: str, source: str | None) -> Iterator[_Record]:
    line, position = 1, 0
    while position <= len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        row = text[position:end]
        if '"' not in row:
            fields = row.split(separator)
            fields[0] = fields[0].strip(BLANKS)
            yield _Record(line, fields)
            line, position = line + 1, end + 1
        else:
            record, position = _quoted_record(text, position, separator, line, source)
            yield record
            line += text.count("\n", end, position)


def _quoted_record(
    text: str, position: int, separator: str, line: int, source: str | None
) -> tuple[_Record, int]:
    """Return the record that begins at a position, and where the next one begins."""
    fields: list[str] = []
    quoted: set[int] = set()
    start = line
    while True:
        if match := _QUOTED.match(text, position):
            quoted.add(len(fields))
            fields.append(match[1].replace('""', '"'))
            line += match[0].count("\n")
            position = match.end()
            follows = text[position : position + 1]
            if follows not in ("", "\n", separator):
                raise FormatError(
                    f"found {follows!r} after a closing quote",
                    source=source,
                    line=line,
                    hint="quote the whole field, and double the quotes inside it",
                )
        else:
            ends = (text.find(separator, position), text.find("\n", position))
            end = min((e for e in ends if e >= 0), default=len(text))
            field = text[position:end].strip(BLANKS)
            if '"' in field:
                raise FormatError(
                    "a quote is opened and never closed"
                    if field.startswith('"')
                    else f"a quote inside the bare field {shown(field)}",
                    source=source,
                    line=line,
                    hint="quote the whole field, and double the quotes inside it",
                )
            fields.append(field)
            position = end
        if text[position : position + 1] != separator:
            return _Record(start, fields, frozenset(quoted)), position + 1
        position += 1


def _widths(text: str, separator: str) -> list[int]:
    """Return the number of fields in the first rows; none if they can't be split so."""
    try:
        records = islice(_records(text, separator, None), _ROWS_TO_TRY)
        return [len(record.fields) for record in records]
    except FormatError:
        return []


def _even(text: str, separator: str) -> bool:
    widths = set(_widths(text, separator))
    return len(widths) == 1 and widths.pop() > 1


def _marked(text: str, separator: str) -> bool:
    """Say whether the first rows hold only marks."""
    rows = islice(_records(text, separator, None), 1, _ROWS_TO_TRY)
    return all(cell.strip().lower() in _MARKS for row in rows for cell in row.fields[1:])


def _separator(text: str, source: str | None) -> str:
    even = [separator for separator in SEPARATORS if _even(text, separator)]
    marked = [separator for separator in even if _marked(text, separator)]
    if len(marked) > 1:
        raise FormatError(
            f"the rows can be split at {' or at '.join(map(repr, marked))}",
            source=source,
            line=1,
            hint="put the names that hold a separator in quotes",
        )
    if marked or even:
        return (marked or even)[0]
    # No separator works. The most frequent one in the header gives the best complaint.
    header = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=header.count)
    if separator not in header:
        raise FormatError(
            "no separator in the header" if text else "the file is empty",
            source=source,
            line=1,
            hint="a cross-table begins with a corner field and the names of the attributes, "
            "separated by , or ; or tabs",
        )
    return separator


def _attributes(header: _Record, source: str | None) -> list[str]:
    names = [
        name if column in header.quoted else name.strip(BLANKS)
        for column, name in enumerate(header.fields)
    ]
    for column, name in enumerate(names[1:], start=1):
        if not name and column not in header.quoted:
            raise FormatError(
                f"the attribute in column {column + 1} has no name",
                source=source,
                line=1,
                hint='remove the separator, or write an empty name as ""',
            )
    if repeat := first_repeat(names[1:]):
        first, second = repeat
        raise FormatError(
            f"attribute name {shown(names[first + 1])} stands in columns {first + 2} "
            f"and {second + 2}",
            source=source,
            line=1,
            hint="make the names differ; is the first line a header?",
        )
    return names[1:]


def _unusual(record: _Record, attributes: list[str], source: str | None) -> bytes:
    """Return the marks of a row with blanks around them or in mixed case."""
    marks = bytearray()
    for attribute, cell in zip(attributes, record.fields[1:], strict=True):
        mark = _MARKS.get(cell.strip().lower())
        if mark is None:
            raise FormatError(
                f"column {shown(attribute)}: {shown(cell.strip())} is not a mark",
                source=source,
                line=record.line,
                hint="a cross-table has X or nothing, 1 or 0, yes or no; raw values need scaling",
            )
        marks.append(mark)
    return bytes(marks)


def _refuse_width(record: _Record, width: int, source: str | None) -> None:
    found = len(record.fields)
    blank = found == 1 and not record.fields[0]
    raise FormatError(
        "an empty line inside the table" if blank else f"row has {found} fields, expected {width}",
        source=source,
        line=record.line,
        hint="the header needs a corner field before the names of the attributes"
        if record.line == 2 and found == width + 1
        else "every row has the object's name and one mark for each attribute",
    )


FORMAT = register(
    Format(
        name="cross_table",
        suffixes=(".csv", ".tsv"),
        description="cross-table: a header of attributes, a row of marks an object",
        sniff=sniff,
        read=read,
        write=write,
    )
)
