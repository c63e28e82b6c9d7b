"""Cross-tables as comma-separated text: a header of attributes, one row of marks per object.

The separator is a comma, a semicolon or a tab, whichever makes every row as long as the header.
A cell that is not a mark is an error, because a table of raw values has to be scaled. An empty name
has to be written as `""`, because an empty field is more often a superfluous separator.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import offsets_of
from conceptrank._util.names import first_repeat
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.delimited import (
    SEPARATORS,
    Record,
    check_separator,
    even_width,
    find_separator,
    first_records,
    head_of,
    likeliest_separator,
    quoted,
    record_at,
    records,
    row_blocks,
    whole_rows,
    without_blank_end,
    wrong_width,
)
from conceptrank.io.marks import MARKS, FastMarks
from conceptrank.io.raw.layout import holds_values
from conceptrank.io.registry import Fit, Format
from conceptrank.io.sources import suffix_of
from conceptrank.io.text import (
    RAW_HINT,
    Block,
    decode_block,
    refuse_repeats,
    shown,
    text_head,
)
from conceptrank.io.writing import mark_slices, refuse_names

_HEADER_HINT = (
    "a cross-table begins with a corner field and the names of the attributes, "
    "separated by , or ; or tabs"
)
_TITLE_HINT = "to leave out a line above a table of values, give scale='auto' and skip=1"


def sniff(head: bytes) -> Fit:
    r"""Return whether some separator makes a header and rows of one length.

    Two columns without marks are pairs, or raw values, but no cross-table. Nor is another table of
    raw values, see `raw_layout.holds_values`.

    Examples
    --------
    >>> heads = b",a,b\ng,X,\n", b"object,attribute\ng,a\n", b",a,b\ng,X\n", b"1 2 3\n"
    >>> [sniff(head).name for head in heads]
    ['LIKELY', 'NO', 'NO', 'NO']
    """
    text = without_blank_end(text_head(head))
    fit = Fit.NO
    if holds_values(text):
        return fit
    for separator in SEPARATORS:
        rows = first_records(text, separator)
        width = even_width(rows)
        if len(rows) == 1 and width and not rows[0].fields[0]:
            # A header alone is a table without objects, but other texts look the same.
            fit = max(fit, Fit.POSSIBLE)
        elif len(rows) > 1 and (width > 2 or (width == 2 and _marked(rows))):
            fit = Fit.LIKELY
    return fit


def read(data: bytes, *, separator: str | None = None) -> Context:
    r"""Read a cross-table.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
    separator
        What separates the fields; inferred if None.

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
    >>> read(b"pet,legs\ncat,4\n")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 2: column 'legs': '4' is not a mark (hint: ...)
    """
    check_separator(separator)
    data = whole_rows(data)
    text = head_of(data)
    separator = separator or _separator(text)
    header, position, line = record_at(text, 0, separator, line=1)
    attributes = _attributes(header)
    start, fast = len(text[:position].encode()), FastMarks(separator, len(attributes) + 1)
    objects: list[str] = []
    lengths, indices = [np.zeros(0, np.int64)], [np.zeros(0, np.uint32)]
    for block in row_blocks(data, line, start=start):
        labels, marks = fast.read(block.data) or _one_by_one(block, separator, attributes)
        objects += labels
        lengths.append(np.count_nonzero(marks, axis=1))
        starts = np.arange(0, marks.size, max(marks.shape[1], 1))
        places = np.flatnonzero(marks) - np.repeat(starts, lengths[-1])
        indices.append(places.astype(np.uint32))
    rows = offsets_of(np.concatenate(lengths)), np.concatenate(indices)
    try:
        return Context.from_csr(objects, attributes, *rows)
    except FormatError:
        # The context finds a repeated name, but has no line numbers.
        lines = [record.line for record in records(data[start:].decode(), separator, line=line)]
        refuse_repeats(objects, lines, "object")
        raise


def separator_of(head: bytes) -> str:
    """Return the separator of a cross-table, from its first rows."""
    return _separator(decode_block(Block(1, head)).removesuffix("\n"))


def _one_by_one(
    block: Block, separator: str, attributes: Sequence[str]
) -> tuple[list[str], NDArray[np.bool_]]:
    names, marks = [], []
    for record in records(decode_block(block), separator, line=block.line):
        name, *cells = record.fields
        if len(cells) != len(attributes):
            raise wrong_width(
                record,
                len(attributes) + 1,
                "the header needs a corner field before the names of the attributes"
                if record.line == 2 and len(record.fields) == len(attributes) + 2
                else "every row has the object's name and one mark for each attribute",
            )
        if not name and 0 not in record.quoted:
            raise FormatError(
                "the object has no name", line=record.line, hint='write an empty name as ""'
            )
        found = [MARKS.get(cell) for cell in cells]
        if None in found:
            found = [MARKS.get(cell.strip().lower()) for cell in cells]
        if None in found:
            place = found.index(None)
            raise FormatError(
                f"column {shown(attributes[place])}: {shown(cells[place].strip())} is not a mark",
                line=record.line,
                hint=f"a cross-table has X or nothing, 1 or 0, yes or no; {RAW_HINT}",
            )
        names.append(name)
        marks.append(found)
    return names, np.array(marks, dtype=np.bool_).reshape(len(names), len(attributes))


def write(context: Context, *, source: str | None = None, separator: str | None = None) -> bytes:
    r"""Return a context as a cross-table of `X` and empty cells.

    Parameters
    ----------
    context
        The context.
    separator
        What to put between the fields; without one, `.tsv` gets tabs, everything else commas.

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
        raise FormatError("a cross-table needs at least one attribute", hint="save as .cxt")
    refuse_names(context)
    separator = separator or ("\t" if suffix_of(source) == ".tsv" else ",")
    if separator not in SEPARATORS:
        raise FormatError(
            f"{separator!r} can't separate the fields of a cross-table", hint="use , or ; or a tab"
        )
    q = len(context.attributes)
    parts = [separator.join(["", *(quoted(name) for name in context.attributes)]).encode()]
    names = iter(context.objects)
    for marks in mark_slices(context):
        # A row of crosses and separators, from which missing crosses are removed.
        cells = np.full((len(marks), 2 * q), ord(separator), dtype=np.uint8)
        cells[:, ::2] = ord("X")
        kept = np.ones((len(marks), 2 * q), dtype=np.bool_)
        kept[:, ::2] = marks
        kept[:, -1] = False
        row_ends = np.cumsum(np.count_nonzero(kept, axis=1)).tolist()
        row_cells = cells[kept].tobytes()
        start = 0
        for end, name in zip(row_ends, names, strict=False):
            parts.append(f"{quoted(name)}{separator}".encode() + row_cells[start:end])
            start = end
    return b"\n".join([*parts, b""])


def _marked(rows: list[Record]) -> bool:
    """Return whether all cells of the rows below the first are marks."""
    return all(cell.strip().lower() in MARKS for row in rows[1:] for cell in row.fields[1:])


def _separator(text: str) -> str:
    def marked(rows: list[Record]) -> bool:
        return bool(even_width(rows)) and _marked(rows)

    hint = "put the names that hold a separator in quotes"
    even = (each for each in SEPARATORS if even_width(first_records(text, each)))
    found = find_separator(text, SEPARATORS, marked, hint=hint) or next(even, None)
    # If no separator works, the most frequent one in the header gives the best error message.
    found = found or likeliest_separator(text, SEPARATORS)
    if found is None:
        raise (
            _no_separator() if text else FormatError("the file is empty", line=1, hint=_HEADER_HINT)
        )
    return found


def _no_separator() -> FormatError:
    hint = f"{_HEADER_HINT}; {_TITLE_HINT}"
    return FormatError("no separator in the header", line=1, hint=hint)


def _attributes(header: Record) -> list[str]:
    """Return the names of attributes; the first one is in column `first` of the file."""
    names = [name or "" for name in header.names()]
    if len(names) == 1:
        raise _no_separator()
    for place, name in enumerate(names[1:]):
        if not name and place + 1 not in header.quoted:
            raise FormatError(
                f"the attribute in column {place + 2} has no name",
                line=1,
                hint='remove the separator, or write an empty name as ""',
            )
    if repeat := first_repeat(names[1:]):
        one, other = repeat
        raise FormatError(
            f"attribute name {shown(names[one + 1])} is in columns {one + 2} and {other + 2}",
            line=1,
            hint="make the names differ; is the first line a header?",
        )
    if names[0] and all(name.lower() in MARKS for name in names[1:]):
        raise FormatError(
            "the first line looks like a row of marks, not like a header",
            line=1,
            hint="if it is a header, leave its first field empty",
        )
    return names[1:]


FORMAT = Format(
    name="cross_table",
    suffixes=(".csv", ".tsv"),
    description="cross-table: a header of attributes, one row of marks per object",
    sniff=sniff,
    read=read,
    write=write,
    most_bytes=1 << 40,
)
