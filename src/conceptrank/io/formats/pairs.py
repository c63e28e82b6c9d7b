"""Pairs of an object and an attribute, one per line: a bipartite edge list as CSV or TSV.

Names are in the order of their first appearance. A line with only an object (`cat,`) is an object
without attributes, one with only an attribute (`,barks`) an attribute of no object; an empty name
is written as `""`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from conceptrank._util.lazy import pl
from conceptrank._util.lists import from_pairs
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.delimited import (
    SEPARATORS,
    Record,
    check_separator,
    even_width,
    find_separator,
    first_records,
    frame_of,
    head_of,
    likeliest_separator,
    quoted,
    record_at,
    records,
    whole_rows,
    without_blank_end,
)
from conceptrank.io.raw.layout import header_votes, sample
from conceptrank.io.registry import Fit, Format
from conceptrank.io.sources import suffix_of
from conceptrank.io.text import BLANKS, notice, shown, text_head
from conceptrank.io.writing import refuse_names

_SEPARATORS = (*SEPARATORS, "|")
_HEADER = ["object", "attribute"]
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
    data: bytes,
    *,
    source: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
) -> Context:
    r"""Read pairs as a context.

    Parameters
    ----------
    data
        The content of a file.
    separator
        What separates the fields; inferred if None.
    header
        Whether the first line names the columns. If None, it does if it is `object,attribute`
        or differs from the other lines, such as `order_id,sku`; an `InputWarning` reports the
        choice.

    Raises
    ------
    FormatError
        For a line that isn't a pair.

    Examples
    --------
    >>> context = read(b"object,attribute\ncat,purrs\ndog,barks\ncat,sleeps\nstone,\n")
    >>> context.objects, context.attributes, context.crosses
    (('cat', 'dog', 'stone'), ('purrs', 'barks', 'sleeps'), 3)
    """
    check_separator(separator)
    data = whole_rows(data)
    if not data:
        hint = "a line has an object, a separator and an attribute"
        raise FormatError("the file is empty", line=1, hint=hint)
    text = head_of(data)
    separator = separator or _separator(text)
    top, position, line = record_at(text, 0, separator, line=1)
    if header is None:
        header = _begins_with_header(top, text, separator, source)
    if header:
        data = data[len(text[:position].encode()) :]
    line = line if header else 1
    frame = frame_of(data, separator, 2, line=line, stripped=True)
    sides = frame.get_columns()
    neither = (sides[0].is_null() & sides[1].is_null()).arg_max() if len(frame) else None
    if neither is not None and frame.row(neither) == (None, None):
        rows = records(data.decode(), separator, line=line)
        raise FormatError(
            "neither an object nor an attribute",
            line=next(islice(rows, neither, None)).line,
            hint='write an empty name as ""',
        )
    names = [side.drop_nulls().unique(maintain_order=True) for side in sides]
    paired = (sides[0].is_not_null() & sides[1].is_not_null()).to_numpy()
    g, m = (
        side.cast(pl.Enum(known)).to_physical().fill_null(0).to_numpy()[paired]
        for side, known in zip(sides, names, strict=True)
    )
    rows_of_numbers = from_pairs(g, m, (len(names[0]), len(names[1])))
    return Context.from_csr(names[0].to_list(), names[1].to_list(), *rows_of_numbers)


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


def _separator(text: str) -> str:
    def fits(rows: list[Record]) -> bool:
        return even_width(rows) == 2

    found = find_separator(text, _SEPARATORS, fits, hint="name the separator")
    # If no separator works, the most frequent one in the first row gives the best error message.
    found = found or likeliest_separator(text, _SEPARATORS)
    if found is None:
        raise FormatError(
            f"no separator in {shown(text.partition(chr(10))[0])}",
            line=1,
            hint="a line has an object, a separator (, ; | or a tab) and an attribute",
        )
    return found


FORMAT = Format(
    name="pairs",
    suffixes=(".pairs",),
    description="pairs of an object and an attribute, one per line",
    sniff=sniff,
    read=read,
    write=write,
    most_bytes=1 << 40,
)
