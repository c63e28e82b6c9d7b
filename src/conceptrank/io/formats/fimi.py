"""Transactions as lines of non-negative integers: FIMI, `.dat`, and SPMF, which adds names.

The numbers may have gaps and start at 0 or 1: those that occur become the attributes, in numeric
order. An empty line is an object without attributes. In SPMF, lines that begin with `#`, `%` or `@`
are no objects; `@ITEM=7=cheese` gives item 7 a name, and every item that has one is an attribute.

Everything works on blocks of bytes with NumPy; there is no Python loop over lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import offsets_of
from conceptrank.context import Context
from conceptrank.convert import lists
from conceptrank.errors import FormatError
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import sorted_rows
from conceptrank.io.text import BLANKS, Block, blocks, decode_block, line_at, shown
from conceptrank.io.writing import refuse_names, refuse_unused

_ALLOWED = b"0123456789 \t\r\n"
_MOST_DIGITS = 18
_ITEMS_TO_TRY = 1000
_CANONICAL = re.compile(r"0|[1-9][0-9]{0,17}")
_ITEM = re.compile(r"@ITEM=([0-9]{1,18})=(.*)")
_MARKS = (b"#", b"%", b"@")
_MARKED = re.compile(rb"^[#%@].*\n", re.MULTILINE)
_SIGNATURE = re.compile(rb"(?m)^@(?:ITEM=[0-9]|CONVERTED_FROM_TEXT)")
_HINT = "one object per line, as integers between blanks"
_HINTS = {
    **dict.fromkeys("#%@", "lines that begin with #, % or @ belong to SPMF: name the format spmf"),
    "-": "items are non-negative integers; -1 and -2 would be sequences",
    "(": "this looks like a list of itemsets with their supports",
    ":": "this looks like transactions with utilities",
}


def sniff(head: bytes) -> Fit:
    r"""Return whether there are numbers, and nothing but numbers and blanks.

    Rows of zeros and ones of one length are rather a matrix. Short rows are rather a table.

    Examples
    --------
    >>> [sniff(head).name for head in (b"1 2 3\n7\n", b"1 2\n3 4\n", b"1 0 1\n0 1 1\n", b"1,2")]
    ['LIKELY', 'POSSIBLE', 'NO', 'NO']
    """
    lines = _item_lines(head.removeprefix(b"\xef\xbb\xbf"))
    if lines is None or _is_matrix(lines):
        return Fit.NO
    return Fit.LIKELY if max(map(len, lines)) > 2 else Fit.POSSIBLE


def sniff_spmf(head: bytes) -> Fit:
    r"""Return whether there are lines of numbers, and others that begin with `#`, `%` or `@`.

    Examples
    --------
    >>> [sniff_spmf(head).name for head in (b"@ITEM=1=tea\n1\n", b"# tea\n1 2 3\n", b"1 2 3\n")]
    ['CERTAIN', 'LIKELY', 'POSSIBLE']
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n")
    rest = [line for line in lines if not line.startswith(_MARKS)]
    items = _item_lines(b"\n".join(rest))
    if items is None:
        return Fit.NO
    if any(map(_SIGNATURE.match, lines)):
        return Fit.CERTAIN
    if _is_matrix(items):
        return Fit.NO
    marked = len(rest) < len(lines)
    return Fit.LIKELY if marked and max(map(len, items), default=0) > 2 else Fit.POSSIBLE


def read(data: bytes, *, empty_lines: bool = True) -> Context:
    r"""Read FIMI transactions as a context.

    Parameters
    ----------
    data
        The content of a file.
    empty_lines
        Whether an empty line is an object without attributes; otherwise it is left out.

    Returns
    -------
    Context
        Objects are named "1", "2", …

    Raises
    ------
    FormatError
        If there is anything else than numbers.

    Examples
    --------
    >>> context = read(b"1 2\n2 10\n")
    >>> context.objects, context.attributes, context.crosses
    (('1', '2'), ('1', '2', '10'), 4)
    """
    collected = _Transactions()
    for block in blocks(data):
        collected.add(block)
    return collected.context({}, empty_lines=empty_lines)


def read_spmf(data: bytes, *, empty_lines: bool = True) -> Context:
    r"""Read SPMF transactions as a context. Parameters and errors as for FIMI.

    Examples
    --------
    >>> context = read_spmf(b"@CONVERTED_FROM_TEXT\n@ITEM=2=bread\n@ITEM=1=milk\n1 2\n2\n")
    >>> context.objects, context.attributes, context.crosses
    (('1', '2'), ('milk', 'bread'), 3)
    """
    collected = _Transactions()
    names: dict[int, str] = {}
    lines: dict[str, int] = {}
    for block in blocks(data):
        for part in _parts(block):
            if part.data.startswith(b"@ITEM"):
                _name_item(part, names, lines)
            elif not part.data.startswith(_MARKS):
                collected.add(part)
    try:
        return collected.context(names, empty_lines=empty_lines)
    except FormatError as error:
        # An item without a name is named by its number, which may be the name of another item.
        numbers = [line for name, line in lines.items() if name.isdecimal()]
        if numbers and error.line is None:
            error.line, error.hint = min(numbers), "name all items, or none of them by a number"
        raise


def write(context: Context) -> bytes:
    r"""Return a context as FIMI transactions, without the names of the objects.

    Raises
    ------
    FormatError
        If the name of an attribute is no integer, or an attribute belongs to no object.

    Examples
    --------
    >>> write(Context(["a", "b"], ["1", "7"], [[True, True], [False, True]]))
    b'1 7\n7\n'
    """
    for name in context.attributes:
        if not _CANONICAL.fullmatch(name):
            raise FormatError(
                f"attribute name {shown(name)} is not a number, and FIMI files hold only numbers",
                hint="save in another format, such as .cxt or .csv",
            )
    refuse_unused(context)
    numbers = list(map(int, context.attributes))
    lines = [" ".join(map(str, sorted([numbers[m] for m in row]))) for row in lists(context.rows())]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def write_spmf(context: Context) -> bytes:
    r"""Return a context as SPMF transactions, with the names of the attributes on top.

    Raises
    ------
    FormatError
        If the name of an attribute has a line break or ends with a blank.

    Examples
    --------
    >>> write_spmf(Context(["a", "b"], ["milk", "bread"], [[True, True], [False, True]]))
    b'@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n@ITEM=2=bread\n1 2\n2\n'
    """
    refuse_names(context, r"\n|[ \t]\Z", sides=("attribute",))
    lines = ["@CONVERTED_FROM_TEXT"]
    lines += [f"@ITEM={m}={name}" for m, name in enumerate(context.attributes, start=1)]
    lines += [" ".join([str(m + 1) for m in row]) for row in lists(context.rows())]
    return "".join(f"{line}\n" for line in lines).encode()


class _Transactions:
    """The items of all objects, collected block by block."""

    def __init__(self) -> None:
        self._items: list[NDArray[np.integer]] = []
        self._lengths: list[NDArray[np.uint32]] = []

    def add(self, block: Block) -> None:
        """Add whole lines; refuse anything but digits and blanks."""
        if foreign := block.data.translate(None, _ALLOWED):
            sign = chr(foreign[0])
            word = shown(sign) if sign.isascii() and sign.isprintable() else f"byte {ord(sign):#x}"
            raise FormatError(
                f"found {word} where only numbers and blanks belong",
                line=block.line + line_at(block.data, block.data.index(foreign[:1])) - 1,
                hint=_HINTS.get(sign, _HINT),
            )
        buffer = np.frombuffer(block.data, dtype=np.uint8)
        # A number begins and ends where digits and blanks meet; the block ends with a line feed.
        borders = np.flatnonzero(np.diff(buffer >= ord("0"), prepend=False))
        first, length = borders[::2], borders[1::2] - borders[::2]
        longest = int(length.max(initial=0))
        if longest > _MOST_DIGITS:
            position = int(first[np.argmax(length > _MOST_DIGITS)])
            reason = f"a number of more than {_MOST_DIGITS} digits"
            line = block.line + line_at(block.data, position) - 1
            raise FormatError(reason, line=line, hint=_HINT)
        values = np.zeros(len(first), dtype=np.int64)
        for place in range(longest):
            longer = np.flatnonzero(length > place)
            values[longer] *= 10
            values[longer] += buffer[first[longer] + place] - np.uint8(ord("0"))
        line_ends = np.searchsorted(first, np.flatnonzero(buffer == ord("\n")))
        # This halves the memory for nearly all files.
        small = int(values.max(initial=0)) < 1 << 32
        self._items.append(values.astype(np.uint32) if small else values)
        self._lengths.append(np.diff(line_ends, prepend=0).astype(np.uint32))

    def context(self, names: dict[int, str], *, empty_lines: bool) -> Context:
        """Return the context. Items that have names become attributes even if nothing has them."""
        lengths: NDArray[np.uint32] = np.concatenate([np.zeros(0, np.uint32), *self._lengths])
        if not empty_lines:
            lengths = lengths[lengths > 0]
        if not names:
            self._refuse_matrix(lengths)
        numbers, ranks = self._ranked(np.array(sorted(names), dtype=np.int64))
        return Context.from_csr(
            range(1, len(lengths) + 1),
            [names.get(number, str(number)) for number in numbers.tolist()],
            *sorted_rows(offsets_of(lengths), ranks),
        )

    def _ranked(self, named: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the numbers that occur or have names, and the places of all items among them."""
        items = np.concatenate([named[:0].astype(np.uint32), *self._items])
        self._items.clear()
        top = max((int(part.max()) + 1 for part in (items, named) if len(part)), default=0)
        if top > 4 * (len(items) + len(named)) + (1 << 20):
            numbers, places = np.unique(np.concatenate([named, items]), return_inverse=True)
            return numbers.astype(np.int64), places[len(named) :].astype(np.uint32)
        # A table of all numbers is much faster than sorting.
        present = np.zeros(top, dtype=np.bool_)
        present[named] = present[items] = True
        return np.flatnonzero(present), (np.cumsum(present, dtype=np.uint32) - 1)[items]

    def _refuse_matrix(self, lengths: NDArray[np.uint32]) -> None:
        same = len(lengths) and lengths[0] >= 3 and bool((lengths == lengths[0]).all())
        if same and all(int(part.max(initial=0)) <= 1 for part in self._items):
            raise FormatError(
                f"every line holds {lengths[0]} times 0 or 1: a matrix, not a list of items",
                line=1,
                hint="read it by NumPy: Context.from_numpy(np.loadtxt(path))",
            )


def _parts(block: Block) -> Iterator[Block]:
    """Yield the marked lines of a block, and the lines between them together."""
    line, start, data = block.line, 0, block.data
    if any(mark in data for mark in _MARKS):
        for match in _MARKED.finditer(data):
            yield Block(line, data[start : match.start()])
            line += data.count(b"\n", start, match.start())
            yield Block(line, match[0])
            line, start = line + 1, match.end()
    yield Block(line, data[start:])


def _name_item(part: Block, names: dict[int, str], lines: dict[str, int]) -> None:
    text = decode_block(part).removesuffix("\n").rstrip(BLANKS)
    match = _ITEM.fullmatch(text)
    if match is None:
        raise FormatError(
            f"found {shown(text)}, expected @ITEM=number=name",
            line=part.line,
            hint="items are non-negative integers; @ITEM=-1 would be a sequence",
        )
    item, name = int(match[1]), match[2]
    if item in names or name in lines:
        before = lines[names[item]] if item in names else lines[name]
        what = f"item {item} has a name" if item in names else f"an item is named {shown(name)}"
        reason = f"{what} on line {before} already"
        raise FormatError(reason, line=part.line, hint="one name for every item, and all different")
    names[item], lines[name] = name, part.line


def _item_lines(head: bytes) -> list[list[bytes]] | None:
    """Return the numbers on the first lines, or None if there is anything else."""
    if head.translate(None, _ALLOWED):
        return None
    return [
        line.split(maxsplit=_ITEMS_TO_TRY)[:_ITEMS_TO_TRY]
        for line in head.removesuffix(b"\n").split(b"\n")
    ]


def _is_matrix(lines: list[list[bytes]]) -> bool:
    """Return whether all lines have the same number of zeros and ones, at least three."""
    lengths = {len(line) for line in lines if line}
    return (
        len(lengths) == 1
        and lengths.pop() >= 3
        and all(word in (b"0", b"1") for line in lines for word in line)
    )


FORMAT = Format(
    name="fimi",
    suffixes=(".dat",),
    description="FIMI transactions: one object per line, attributes as integers",
    sniff=sniff,
    read=read,
    write=write,
    most_bytes=1 << 40,
)
SPMF = Format(
    name="spmf",
    suffixes=(".spmf",),
    description="SPMF transactions: integers, with names for the items",
    sniff=sniff_spmf,
    read=read_spmf,
    write=write_spmf,
    most_bytes=1 << 40,
)
