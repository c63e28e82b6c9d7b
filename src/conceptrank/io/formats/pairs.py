"""Pairs of an object and an attribute, one per line: a bipartite edge list as CSV or TSV.

Names are in the order of their first appearance. A line with only an object (`cat,`) is an object
without attributes, one with only an attribute (`,barks`) an attribute of no object; an empty name
is written as `""`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conceptrank._util.lazy import pl
from conceptrank._util.lists import from_pairs
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.io.delimited import (
    SEPARATORS,
    DelimitedText,
    Record,
    check_separator,
    even_width,
    first_records,
    only_separator,
    quoted,
    record_at,
    without_blank_end,
)
from conceptrank.io.raw.cells import Cells, line_of
from conceptrank.io.raw.layout import ROWS_TO_COMPARE, header_votes, sample
from conceptrank.io.registry import Fit, Format
from conceptrank.io.sources import suffix_of
from conceptrank.io.text import (
    BLANKS,
    Block,
    Data,
    joined_blocks,
    notice,
    shown,
    text_head,
)
from conceptrank.io.writing import refuse_names

_SEPARATORS = (*SEPARATORS, "|")
_HEADER = ["object", "attribute"]
_RAGGED = ("error", "skip")
# Usual titles of columns of objects and items.
TITLE = re.compile(
    r"(?i)(.*[\W_])?(id|ids|key|code|name|nr|no|number|sku|items?|products?|orders?|users?|customers?"
    r"|objects?|attributes?|tags?|baskets?|transactions?|genes?|features?|categor(?:y|ies))|\w+Id"
)


def sniff(head: bytes) -> Fit:
    r"""Return whether there are two columns. The header `object,attribute` proves it.

    Examples
    --------
    >>> heads = b"Object;Attribute\ncat;purrs\n", b"cat;purrs\ndog;barks\n", b"a;b;c\nd;e;f\n"
    >>> [sniff(head).name for head in heads]
    ['CERTAIN', 'POSSIBLE', 'NO']
    """
    text = without_blank_end(text_head(head))
    fit = Fit.NO
    for separator in _SEPARATORS:
        rows = first_records(text, separator)
        if even_width(rows) == 2:
            fit = max(fit, Fit.CERTAIN if is_pair_header(rows[0].fields) else Fit.POSSIBLE)
    return fit


def read(
    data: Data,
    *,
    source: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    ragged: str = "error",
) -> Context:
    r"""Read pairs as a context.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
    separator
        What separates the fields; inferred if None.
    header
        Whether the first line names the columns. If None, it does if it is `object,attribute`
        or differs from the other lines, such as `order_id,sku`; an `InputWarning` reports the
        choice.
    columns
        Which two columns of a wider table hold the object and the attribute: their names, or
        their numbers from 1.
    ragged
        What becomes of a line with another number of fields than the first: `"error"`, or
        `"skip"` to leave it out.

    Raises
    ------
    FormatError
        For a line that isn't a pair.
    UnknownNameError
        If `ragged` is something else.

    Examples
    --------
    >>> context = read(b"object,attribute\ncat,purrs\ndog,barks\ncat,sleeps\nstone,\n")
    >>> context.objects, context.attributes, context.crosses
    (('cat', 'dog', 'stone'), ('purrs', 'barks', 'sleeps'), 3)
    >>> read(b"1|tea|hot\n2|juice|cold\n", columns=[2, 3]).attributes
    ('hot', 'cold')
    """
    refuse_unknown("way to treat ragged lines", [ragged], _RAGGED)
    check_separator(separator)
    # The rows that show whether the first one is a header.
    opened = DelimitedText(data, rows=ROWS_TO_COMPARE)
    text = opened.text
    if not text:
        raise FormatError(
            "the file is empty", line=1, hint="a line has an object, a separator and an attribute"
        )
    separator = separator or _separator(text, wide=columns is not None)
    top, position, line = record_at(text, 0, separator, line=1)
    named = columns is not None and any(isinstance(column, str) for column in columns)
    if header is None:
        header = named or (columns is None and _begins_with_header(top, text, separator, source))
    places = _places(columns, top, header=header)
    if not header:
        position, line = 0, 1
    return _context(opened.blocks(position, line), separator, places, ragged=ragged == "skip")


class _Places(NamedTuple):
    """The columns of the object and the attribute, in rows of `width` fields."""

    width: int
    object: int
    attribute: int


def _context(
    following: Iterator[Block], separator: str, places: _Places, *, ragged: bool
) -> Context:
    """Return the context of the pairs; a row with one name is an object or an attribute alone."""
    sides: list[list[pl.Series]] = [[], []]
    for block, _ in joined_blocks(following):
        cells = Cells(separator, places.width, names=True, ragged=ragged)
        cells.add(block)
        columns = cells.columns()
        g, m = columns[places.object], columns[places.attribute]
        neither = (g.is_null() & m.is_null()).arg_max() if len(g) else None
        if neither is not None and g[neither] is None and m[neither] is None:
            raise FormatError(
                "neither an object nor an attribute",
                line=line_of(block, separator, neither),
                hint='write an empty name as ""',
            )
        for side, column in zip(sides, (g, m), strict=True):
            side.append(column)
    empty = pl.Series(dtype=pl.String)
    objects, attributes = (pl.concat(side) if side else empty for side in sides)
    names = [side.drop_nulls().unique(maintain_order=True) for side in (objects, attributes)]
    paired = (objects.is_not_null() & attributes.is_not_null()).to_numpy()
    numbers = [
        column.cast(pl.Enum(known)).to_physical().fill_null(0).to_numpy()[paired]
        for column, known in zip((objects, attributes), names, strict=True)
    ]
    rows = from_pairs(numbers[0], numbers[1], (len(names[0]), len(names[1])))
    return Context.from_csr(names[0].to_list(), names[1].to_list(), *rows)


def write(context: Context, *, source: str | None = None, separator: str | None = None) -> bytes:
    r"""Return a context as pairs, under the header `object,attribute`.

    Parameters
    ----------
    context
        The context.
    separator
        What to put between the fields; without one, `.tsv` gets tabs, everything else commas.

    Raises
    ------
    FormatError
        If a name has a carriage return, or the separator is no single character.

    Notes
    -----
    If the pairs alone would change the order of the attributes or lose some, all attributes
    are listed first, as lines without an object.

    Examples
    --------
    >>> write(Context(["cat", "stone"], ["purrs", "sleeps"], [[True, True], [False, False]]))
    b'object,attribute\ncat,purrs\ncat,sleeps\nstone,\n'
    """
    refuse_names(context)
    separator = separator or ("\t" if suffix_of(source) == ".tsv" else ",")
    if separator not in _SEPARATORS:
        raise FormatError(f"{separator!r} can't separate pairs", hint="use , or ; or | or a tab")
    lines = [separator.join(_HEADER)]
    attributes = [separator + quoted(name) for name in context.attributes]
    appearing = list(dict.fromkeys(context.rows()[1].tolist()))
    if appearing != list(range(len(attributes))):
        lines += attributes
    for name, row in zip(context.objects, lists(context.rows()), strict=True):
        field = quoted(name)
        lines += [field + attributes[m] for m in row] or [field + separator]
    return "".join(f"{line}\n" for line in lines).encode()


def is_pair_header(titles: Sequence[str]) -> bool:
    """Return whether the titles of two columns are `object` and `attribute`."""
    return [title.strip(BLANKS).lower() for title in titles] == _HEADER


def _begins_with_header(top: Record, text: str, separator: str, source: str | None) -> bool:
    """Return whether the first line names the columns; warn if that is an assumption."""
    if is_pair_header(top.fields):
        return True
    rows = [row for row in sample(text, separator) if len(row) == len(top.fields)]
    votes = header_votes(rows)
    if votes["row"] or len(rows) < 2 or not all(rows[0]):
        return False
    titled = all(TITLE.fullmatch(field) for field in rows[0])
    found = titled or bool(votes["header"]) or votes["perhaps"] == 2
    line = shown(separator.join(rows[0]))
    notice(
        f"line 1, {line}, was read as the names of the columns; if it is a pair: header=False"
        if found
        else f"line 1, {line}, was read as a pair; if it names the columns: header=True",
        source,
    )
    return found


def _separator(text: str, *, wide: bool) -> str:
    widths = {separator: even_width(first_records(text, separator)) for separator in _SEPARATORS}
    even = [separator for separator, width in widths.items() if width == 2 or (wide and width)]
    if separator := only_separator(even, hint="name the separator"):
        return separator
    # No separator works. The one that splits the first row gives the best error message.
    widths = {separator: _first_width(text, separator) for separator in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda separator: widths[separator])
    if widths[best] < 2:
        first = text.split("\n", 1)[0]
        raise FormatError(
            f"no separator in {shown(first)}",
            line=1,
            hint="a line has an object, a separator (, ; | or a tab) and an attribute",
        )
    return best


def _first_width(text: str, separator: str) -> int:
    try:
        return len(record_at(text, 0, separator, line=1)[0].fields)
    except FormatError:
        return 0


def _places(columns: Sequence[str | int] | None, top: Record, *, header: bool) -> _Places:
    width = len(top.fields)
    if columns is None:
        return _Places(2, 0, 1)
    if isinstance(columns, str) or len(columns) != 2:
        raise FormatError(
            f"columns={columns!r}: expected two of them",
            hint="the column of the objects and that of the attributes",
        )
    names = [name or "" for name in top.names()]
    places = []
    for column in columns:
        if isinstance(column, str) and header and column in names:
            places.append(names.index(column))
        elif isinstance(column, int) and 1 <= column <= width:
            places.append(column - 1)
        else:
            raise FormatError(
                f"there is no column {column!r}",
                line=1,
                hint=f"the columns are {', '.join(names)}" if header else f"there are {width}",
            )
    return _Places(width, *places)


FORMAT = Format(
    name="pairs",
    suffixes=(".pairs",),
    description="pairs of an object and an attribute, one per line",
    sniff=sniff,
    read=read,
    write=write,
    streams=True,
)
