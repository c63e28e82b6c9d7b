"""Baskets: one object per line, its attributes as names with separators between them.

Objects are named by their numbers; attributes are in the order of their first appearance. Lines may
be of any length. Empty fields are left out, so padded tables can be read too.
"""

from __future__ import annotations

from conceptrank.budget import poll
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.delimited import (
    SEPARATORS,
    Record,
    check_separator,
    find_separator,
    first_records,
    quoted,
    records,
    words_wander,
)
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import NamedLists
from conceptrank.io.text import decode, text_head
from conceptrank.io.writing import protected_start, refuse_names, refuse_unused

_SEPARATORS = (*SEPARATORS, "|")
# Rows between two looks at the budget.
_POLLED = 1 << 14


def sniff(head: bytes) -> Fit:
    r"""Return whether lines of different length have separators, as much other text does.

    Baskets are likely if words wander, see `words_wander`.

    Examples
    --------
    >>> [sniff(head).name for head in (b"bread,milk\ntea\n", b"bread\ntea\n")]
    ['POSSIBLE', 'NO']
    >>> sniff(b"tea\nmilk,tea\nbread,milk\nbread,milk,tea\ntea,bread\n").name
    'LIKELY'
    """
    text = text_head(head)
    fit = Fit.NO
    for separator in _SEPARATORS:
        rows = first_records(text, separator)
        if len({len(row.fields) for row in rows}) > 1:
            # With a colon in every line, they are rather objects with their attributes.
            named = all(":" in row.fields[0] for row in rows)
            wander = not named and words_wander([_names(row) for row in rows])
            fit = max(fit, Fit.LIKELY if wander else Fit.POSSIBLE)
    return fit


def read(data: bytes, *, separator: str | None = None, empty_lines: bool = True) -> Context:
    r"""Read baskets as a context.

    Parameters
    ----------
    data
        The content of a file.
    separator
        What separates the items; inferred if None.
    empty_lines
        Whether an empty line is an object without attributes; otherwise it is left out.

    Raises
    ------
    FormatError
        If quotes are wrong, or the separator is in doubt.

    Examples
    --------
    >>> context = read(b'bread,milk\n"tea, green"\n\nmilk,bread,\n')
    >>> context.objects, context.attributes, context.crosses
    (('1', '2', '3', '4'), ('bread', 'milk', 'tea, green'), 5)
    """
    check_separator(separator)
    text = decode(data)
    separator = separator or find_separator(text, _SEPARATORS, _is_split, hint="name the separator")
    objects = NamedLists()
    for count, record in enumerate(records(text, separator or ",")):
        names = _names(record)
        if names or empty_lines:
            objects.add(names)
        if count % _POLLED == 0:
            poll()
    return objects.context()


def _is_split(rows: list[Record]) -> bool:
    return any(len(row.fields) > 1 for row in rows)


def write(context: Context, *, separator: str = ",") -> bytes:
    r"""Return a context as baskets. The names of the objects are not part of the format.

    Parameters
    ----------
    context
        The context.
    separator
        What to put between the items.

    Raises
    ------
    FormatError
        If an attribute belongs to no object, or its name has a carriage return.

    Examples
    --------
    >>> write(Context(["a", "b"], ["tea, green", "milk"], [[True, True], [False, True]]))
    b'"tea, green",milk\nmilk\n'
    """
    refuse_names(context, sides=("attribute",))
    refuse_unused(context)
    if separator not in _SEPARATORS:
        raise FormatError(f"{separator!r} can't separate items", hint="use , or ; or | or a tab")
    words = [quoted(name) for name in context.attributes]
    lines = [separator.join([words[m] for m in row]) for row in lists(context.rows())]
    return protected_start("".join(f"{line}\n" for line in lines).encode())


def _names(record: Record) -> list[str]:
    return [name for name in record.names() if name is not None]


FORMAT = Format(
    name="baskets",
    suffixes=(),
    description="baskets: one object per line, attributes as names between separators",
    sniff=sniff,
    read=read,
    write=write,
    most_bytes=1 << 40,
    last_resort=True,
)
