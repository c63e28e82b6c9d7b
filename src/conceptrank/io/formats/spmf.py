"""SPMF transactions: FIMI with comments, and with names for the items.

Lines that begin with `#`, `%` or `@` are no objects. `@ITEM=7=cheese` gives item 7 a name; every
item that has one is an attribute, in the order of the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conceptrank._util.names import first_repeat
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.losses import dropped_objects, refuse_names
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import BLANKS, Block, Data, blocks, decode_block, shown
from conceptrank.io.transactions import Transactions, is_matrix, item_lines

_ITEM = re.compile(r"@ITEM=([0-9]{1,18})=(.*)")
_MARKS = (b"#", b"%", b"@")
_SIGNATURE = re.compile(rb"(?m)^@(?:ITEM=[0-9]|CONVERTED_FROM_TEXT)")


def sniff(head: bytes) -> Fit:
    r"""Return whether there are lines of numbers, and others that begin with `#`, `%` or `@`.

    Examples
    --------
    >>> heads = b"@ITEM=1=a\n1\n", b"# made by hand\n1 2 3\n", b"# a graph\n1 2\n", b"1 2 3\n"
    >>> [sniff(head).name for head in heads]
    ['CERTAIN', 'LIKELY', 'POSSIBLE', 'POSSIBLE']
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n")
    rest = [line for line in lines if not line.startswith(_MARKS)]
    items = item_lines(b"\n".join(rest))
    if items is None:
        return Fit.NO
    if any(map(_SIGNATURE.match, lines)):
        return Fit.CERTAIN
    if is_matrix(items):
        return Fit.NO
    marked = len(rest) < len(lines)
    return Fit.LIKELY if marked and max(map(len, items), default=0) > 2 else Fit.POSSIBLE


def read(data: Data, *, empty_lines: bool = True) -> Context:
    r"""Read transactions as a context.

    Parameters
    ----------
    data
        The content of a file, in one piece or in several.
    empty_lines
        Whether an empty line is an object without attributes; otherwise it is left out.

    Returns
    -------
    Context
        Attributes are in the order of their numbers; objects are named "1", "2", …

    Raises
    ------
    FormatError
        If there is anything else than numbers, or two items have one name.

    Examples
    --------
    >>> context = read(b"@CONVERTED_FROM_TEXT\n@ITEM=2=bread\n@ITEM=1=milk\n1 2\n2\n")
    >>> context.objects, context.attributes, context.crosses
    (('1', '2'), ('milk', 'bread'), 3)
    """
    collected = Transactions()
    names: dict[int, str] = {}
    lines: dict[int, int] = {}
    for block in blocks(data):
        for part in _parts(block):
            if part.data.startswith(b"@ITEM"):
                _name_item(part, names, lines)
            elif not part.data.startswith(_MARKS):
                collected.add(part)
    _refuse_equal(names, lines)
    try:
        return collected.context(names, empty_lines=empty_lines)
    except FormatError as error:
        # An item without a name is named by its number, which may be the name of another item.
        numbers = [lines[item] for item, name in names.items() if name.isdecimal()]
        if numbers and error.line is None:
            error.line, error.hint = min(numbers), "name all items, or none of them by a number"
        raise


def write(context: Context) -> bytes:
    r"""Return a context as transactions, with the names of the attributes on top.

    Raises
    ------
    FormatError
        If the name of an attribute has a line break or ends with a blank.

    Examples
    --------
    >>> write(Context(["a", "b"], ["milk", "bread"], [[True, True], [False, True]]))
    b'@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n@ITEM=2=bread\n1 2\n2\n'
    """
    refuse_names(
        context,
        forbidden=r"[\n\r]|[ \t]\Z",
        because="has a line break or ends with a blank, which an SPMF file can't hold",
        sides=("attribute",),
    )
    lines = ["@CONVERTED_FROM_TEXT"]
    lines += [f"@ITEM={m}={name}" for m, name in enumerate(context.attributes, start=1)]
    words = [str(m) for m in range(1, len(context.attributes) + 1)]
    lines += [" ".join([words[m] for m in row]) for row in lists(context.rows())]
    return "".join(f"{line}\n" for line in lines).encode()


def _parts(block: Block) -> Iterator[Block]:
    """Yield the lines with marks one by one, and those between them together."""
    if not any(mark in block.data for mark in _MARKS):
        yield block
        return
    line, start, position = block.line, 0, 0
    data = block.data
    while position < len(data):
        end = data.index(b"\n", position) + 1
        if data.startswith(_MARKS, position):
            if start < position:
                yield Block(line, data[start:position])
                line += data.count(b"\n", start, position)
            yield Block(line, data[position:end])
            line += 1
            start = end
        position = end
    if start < len(data):
        yield Block(line, data[start:])


def _name_item(part: Block, names: dict[int, str], lines: dict[int, int]) -> None:
    text = decode_block(part).removesuffix("\n").rstrip(BLANKS)
    match = _ITEM.fullmatch(text)
    if match is None:
        raise FormatError(
            f"found {shown(text)}, expected @ITEM=number=name",
            line=part.line,
            hint="items are non-negative integers; @ITEM=-1 would be a sequence",
        )
    item = int(match[1])
    if item in names:
        raise FormatError(
            f"item {item} has a name on line {lines[item]} already",
            line=part.line,
            hint="one name for every item",
        )
    names[item] = match[2]
    lines[item] = part.line


def _refuse_equal(names: dict[int, str], lines: dict[int, int]) -> None:
    if repeat := first_repeat(list(names.values())):
        other, item = (list(names)[place] for place in repeat)
        raise FormatError(
            f"items {other} and {item} are both named {shown(names[item])}",
            line=lines[item],
            hint="make the names differ",
        )


FORMAT = Format(
    name="spmf",
    suffixes=(".spmf",),
    description="SPMF transactions: integers, with names for the items",
    sniff=sniff,
    read=read,
    write=write,
    drops=dropped_objects,
    streams=True,
)
