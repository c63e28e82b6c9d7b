"""Lines of non-negative integers, shared by FIMI and SPMF.

Everything works on blocks of bytes with NumPy; there is no Python loop over lines.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import offsets_of
from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.tables import Growing, sorted_rows
from conceptrank.io.text import Block, line_at

_ALLOWED = b"0123456789 \t\r\n"
_MOST_DIGITS = 18
_ITEMS_TO_TRY = 1000
_HINTS = {
    b"#": "SPMF lines that begin with #, % or @ are not part of FIMI: name the format spmf",
    b"%": "SPMF lines that begin with #, % or @ are not part of FIMI: name the format spmf",
    b"@": "SPMF lines that begin with #, % or @ are not part of FIMI: name the format spmf",
    b"-": "items are non-negative integers; -1 and -2 would be sequences",
    b"(": "this looks like a list of itemsets with their supports",
    b":": "this looks like transactions with utilities",
}


class Transactions:
    """The items of all objects, collected block by block.

    Examples
    --------
    >>> collected = Transactions()
    >>> collected.add(Block(1, b"10 2" + bytes([10])))
    >>> context = collected.context({7: "seven"})
    >>> context.attributes, context.crosses
    (('2', 'seven', '10'), 2)
    """

    def __init__(self) -> None:
        self._items: list[NDArray[np.integer]] = []
        self._lengths = Growing()

    def add(self, block: Block) -> None:
        """Add lines of numbers; refuse anything else."""
        if foreign := block.data.translate(None, _ALLOWED):
            self._refuse_byte(block, block.data.index(foreign[:1]))
        items, lengths = self._numbers(block)
        # This halves the memory for nearly all files.
        small = int(items.max(initial=0)) < 1 << 32
        self._items.append(items.astype(np.uint32) if small else items)
        self._lengths.extend(lengths)

    def context(self, names: dict[int, str], *, empty_lines: bool = True) -> Context:
        """Return the context. Nothing can be added afterwards.

        Parameters
        ----------
        names
            Names of items, which are attributes even if they occur nowhere.
        empty_lines
            Whether an empty line is an object.
        """
        lengths = self._lengths.array()
        if not empty_lines:
            lengths = lengths[lengths > 0]
        if not names:
            self._refuse_matrix(lengths)
        numbers, ranks = self._ranked(np.array(sorted(names), dtype=np.int64))
        indptr, indices = sorted_rows(offsets_of(lengths), ranks)
        return Context.from_csr(
            range(1, len(lengths) + 1),
            [names.get(number, str(number)) for number in numbers.tolist()],
            indptr,
            indices,
        )

    def _numbers(self, block: Block) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all numbers in their order, and how many there are on each line."""
        buffer = np.frombuffer(block.data, dtype=np.uint8)
        digit = buffer >= ord("0")
        # A number begins and ends where digits and blanks meet; the block ends with a line feed.
        borders = np.flatnonzero(np.diff(digit, prepend=False))
        first, length = borders[::2], borders[1::2] - borders[::2]
        longest = int(length.max(initial=0))
        if longest > _MOST_DIGITS:
            position = int(first[np.argmax(length > _MOST_DIGITS)])
            raise FormatError(
                f"a number of more than {_MOST_DIGITS} digits",
                line=block.line + line_at(block.data, position) - 1,
                hint="items are non-negative integers separated by blanks",
            )
        values = np.zeros(len(first), dtype=np.int64)
        for place in range(longest):
            longer = np.flatnonzero(length > place)
            values[longer] *= 10
            values[longer] += buffer[first[longer] + place] - np.uint8(ord("0"))
        line_ends = np.searchsorted(first, np.flatnonzero(buffer == ord("\n")))
        return values, np.diff(line_ends, prepend=0).astype(np.int64)

    def _ranked(self, named: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Return the different numbers, ascending, and the place of each item among them."""
        parts, self._items = self._items, []
        total = sum(map(len, parts)) + len(named)
        top = max((int(part.max()) + 1 for part in (*parts, named) if len(part)), default=0)
        if top > 4 * total + (1 << 20):
            together = np.concatenate([named, *parts])
            numbers, places = np.unique(together, return_inverse=True)
            return numbers.astype(np.int64), places[len(named) :].astype(np.uint32)
        present = np.zeros(top, dtype=np.bool_)
        for part in (*parts, named):
            present[part] = True
        places = np.cumsum(present, dtype=np.int64) - 1
        ranks = Growing()
        parts.reverse()
        while parts:
            ranks.extend(places[parts.pop()])
        return np.flatnonzero(present), ranks.array()

    def _refuse_matrix(self, lengths: NDArray[np.uint32]) -> None:
        """Refuse a table of 0 and 1, which would read as objects with the attributes 0 and 1."""
        if (
            len(lengths)
            and lengths[0] >= 3
            and np.all(lengths == lengths[0])
            and all(int(part.max(initial=0)) <= 1 for part in self._items)
        ):
            raise FormatError(
                f"every line holds {lengths[0]} times 0 or 1: a matrix, not a list of items",
                line=1,
                hint="name the format matrix; here, lines list the numbers of attributes",
            )

    def _refuse_byte(self, block: Block, position: int) -> NoReturn:
        byte = block.data[position : position + 1]
        word = byte.decode("ascii") if byte.isascii() and byte.decode().isprintable() else ""
        raise FormatError(
            f"found {word!r} where only numbers and blanks belong"
            if word
            else f"found byte 0x{byte[0]:02x} where only numbers and blanks belong",
            line=block.line + line_at(block.data, position) - 1,
            hint=_HINTS.get(byte, "one object per line, as integers between blanks"),
        )


def item_lines(head: bytes) -> list[list[bytes]] | None:
    r"""Return the numbers on the first lines, or None if there is anything else.

    Of a very long line, the first ones are enough.

    Examples
    --------
    >>> item_lines(b"1 2\n\n3\n"), item_lines(b"1,2\n")
    ([[b'1', b'2'], [], [b'3']], None)
    """
    if head.translate(None, _ALLOWED):
        return None
    return [
        line.split(maxsplit=_ITEMS_TO_TRY)[:_ITEMS_TO_TRY]
        for line in head.removesuffix(b"\n").split(b"\n")
    ]


def is_matrix(lines: list[list[bytes]]) -> bool:
    """Return whether all lines have the same number of zeros and ones, at least three.

    Examples
    --------
    >>> is_matrix([[b"0", b"1", b"1"], [b"1", b"0", b"0"]]), is_matrix([[b"0", b"1", b"2"]])
    (True, False)
    """
    lengths = {len(line) for line in lines if line}
    return (
        len(lengths) == 1
        and lengths.pop() >= 3
        and all(word in (b"0", b"1") for line in lines for word in line)
    )
