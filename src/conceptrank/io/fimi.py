"""FIMI transactions, `.dat`: one object a line, its attributes as non-negative integers.

The numbers may have gaps and start at 0 or 1: those that occur become the attributes, in
numeric order. An empty line is an object without attributes. Everything works on the byte
buffer with NumPy, a slice of whole lines at a time; there is no Python loop over lines.
"""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.registry import Format, register
from conceptrank.io.text import clean_bytes, line_at, shown

__all__ = ["FORMAT", "read", "sniff", "write"]

_ALLOWED = b"0123456789 \t\r\n"
_CANONICAL = re.compile(r"0|[1-9][0-9]{0,17}")
_MOST_DIGITS = 18
_SLICE_BYTES = 1 << 24
_HINTS = {
    b"#": "SPMF lines that begin with #, % or @ are not part of FIMI: remove them",
    b"%": "SPMF lines that begin with #, % or @ are not part of FIMI: remove them",
    b"@": "SPMF lines that begin with #, % or @ are not part of FIMI: remove them",
    b"-": "items are non-negative integers",
    b"(": "this looks like a list of itemsets with their supports",
}


def sniff(head: bytes) -> bool:
    r"""Say whether there are numbers, and nothing but numbers and blanks.

    Examples
    --------
    >>> sniff(b"1 2 3\n2 7\n"), sniff(b"1,2,3\n"), sniff(b"")
    (True, False, False)
    """
    head = head.removeprefix(b"\xef\xbb\xbf")
    return bool(head.strip()) and not head.translate(None, _ALLOWED)


def read(data: bytes, *, source: str | None = None, empty_lines: bool = True) -> Context:
    r"""Read transactions as a context.

    Parameters
    ----------
    data
        The content of a file.
    source
        Its name, for messages.
    empty_lines
        Whether an empty line is an object without attributes; otherwise it is left out.

    Returns
    -------
    Context
        Attributes are named by their numbers, in numeric order; objects are named
        "1", "2", … in the order of the file.

    Raises
    ------
    FormatError
        If there is anything else than numbers, or the file is a matrix of 0 and 1.

    Examples
    --------
    >>> context = read(b"10 2\n\n7 2 2\n")
    >>> context.objects, context.attributes, context.crosses
    (('1', '2', '3'), ('2', '7', '10'), 4)
    >>> read(b"10 2\n\n7 2 2\n", empty_lines=False).objects
    ('1', '2')
    """
    data = clean_bytes(data, source)
    if foreign := data.translate(None, _ALLOWED):
        _refuse_byte(data, data.index(foreign[:1]), source)
    items, lengths = _numbers(data, source)
    if not empty_lines:
        lengths = lengths[lengths > 0]
    _refuse_matrix(items, lengths, source)
    numbers, ranks = _ranked(items)
    indptr = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    indptr, indices = _sorted_rows(indptr, ranks)
    return Context.from_csr(
        [str(g) for g in range(1, len(lengths) + 1)],
        [str(number) for number in numbers.tolist()],
        indptr,
        indices,
    )


def write(context: Context, *, source: str | None = None) -> bytes:
    r"""Return a context as transactions. The names of the objects are not part of the format.

    Parameters
    ----------
    context
        The context.
    source
        The name of the file that will hold it, for messages.

    Raises
    ------
    FormatError
        If an attribute's name is not an integer as FIMI files have them, or an attribute
        belongs to no object, so that the file would lose it.

    Examples
    --------
    >>> write(Context(["a", "b"], ["7", "12"], [[True, True], [False, True]]))
    b'7 12\n12\n'
    """
    for name in context.attributes:
        if not _CANONICAL.fullmatch(name):
            raise FormatError(
                f"attribute name {shown(name)} is not a number, and FIMI files hold only numbers",
                source=source,
                hint="save in another format, such as .cxt or .csv",
            )
    indptr, indices = context.rows()
    unused = np.flatnonzero(np.bincount(indices, minlength=len(context.attributes)) == 0)
    if len(unused):
        raise FormatError(
            f"attribute {shown(context.attributes[unused[0]])} belongs to no object, "
            "and a FIMI file would lose it",
            source=source,
            hint="save in another format, such as .cxt or .csv",
        )
    numbers = np.array([int(name) for name in context.attributes], dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    _, ranks = _sorted_rows(indptr, rank[indices])
    words = [context.attributes[m] for m in order.tolist()]
    items = [words[m] for m in ranks.tolist()]
    ends = indptr.tolist()
    lines = [" ".join(items[ends[g] : ends[g + 1]]) for g in range(len(context.objects))]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _numbers(data: bytes, source: str | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all numbers in their order, and how many there are on each line."""
    items: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    lengths: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    start = 0
    while start < len(data):
        stop = data.find(b"\n", min(start + _SLICE_BYTES, len(data)))
        stop = len(data) if stop < 0 else stop + 1
        part = data[start:stop]
        buffer = np.frombuffer(part if part.endswith(b"\n") else part + b"\n", dtype=np.uint8)
        digit = buffer >= ord("0")
        # A number begins and ends where digits and blanks meet; the slice ends with a line feed.
        borders = np.flatnonzero(np.diff(digit, prepend=False))
        first, length = borders[::2], borders[1::2] - borders[::2]
        longest = int(length.max(initial=0))
        if longest > _MOST_DIGITS:
            position = start + int(first[np.argmax(length > _MOST_DIGITS)])
            raise FormatError(
                f"a number of more than {_MOST_DIGITS} digits",
                source=source,
                line=line_at(data, position),
                hint="items are non-negative integers separated by blanks",
            )
        values = np.zeros(len(first), dtype=np.int64)
        for place in range(longest):
            longer = np.flatnonzero(length > place)
            values[longer] *= 10
            values[longer] += buffer[first[longer] + place] - np.uint8(ord("0"))
        items.append(values)
        line_ends = np.searchsorted(first, np.flatnonzero(buffer == ord("\n")))
        lengths.append(np.diff(line_ends, prepend=0).astype(np.int64))
        start = stop
    return np.concatenate(items), np.concatenate(lengths)


def _ranked(items: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different numbers, ascending, and the place of each item among them."""
    top = int(items.max(initial=-1)) + 1
    if top > 4 * len(items) + (1 << 20):
        numbers, ranks = np.unique(items, return_inverse=True)
        return numbers, ranks.astype(np.int64)
    present = np.zeros(top, dtype=np.bool_)
    present[items] = True
    places = np.cumsum(present, dtype=np.int64) - 1
    return np.flatnonzero(present), places[items]


def _sorted_rows(
    indptr: NDArray[np.int64], indices: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the rows with ascending indices and no index twice."""
    row_starts = np.zeros(len(indices) + 1, dtype=np.bool_)
    row_starts[indptr] = True
    ascending = row_starts[:-1].copy()
    ascending[1:] |= indices[1:] > indices[:-1]
    if ascending.all():
        return indptr, indices.astype(np.uint32)
    n = len(indptr) - 1
    q = int(indices.max()) + 1
    keys = np.repeat(np.arange(n, dtype=np.int64) * q, np.diff(indptr)) + indices
    keys.sort()
    keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
    return np.searchsorted(keys, np.arange(n + 1) * q).astype(np.int64), (keys % q).astype(
        np.uint32
    )


def _refuse_matrix(
    items: NDArray[np.int64], lengths: NDArray[np.int64], source: str | None
) -> None:
    """Refuse a table of 0 and 1, which would read as objects with the attributes 0 and 1."""
    if len(lengths) and lengths[0] >= 3 and items.max() <= 1 and np.all(lengths == lengths[0]):
        raise FormatError(
            f"every line holds {lengths[0]} times 0 or 1: a matrix, not a list of items",
            source=source,
            line=1,
            hint="FIMI lines list the numbers of the attributes that an object has",
        )


def _refuse_byte(data: bytes, position: int, source: str | None) -> NoReturn:
    byte = data[position : position + 1]
    word = byte.decode("ascii") if byte.isascii() and byte.decode("ascii").isprintable() else ""
    raise FormatError(
        f"found {word!r} where only numbers and blanks belong"
        if word
        else f"found byte 0x{byte[0]:02x} where only numbers and blanks belong",
        source=source,
        line=line_at(data, position),
        hint=_HINTS.get(byte, "a FIMI file has one object a line, as integers between blanks"),
    )


FORMAT = register(
    Format(
        name="fimi",
        suffixes=(".dat",),
        description="FIMI transactions: one object a line, attributes as integers",
        sniff=sniff,
        read=read,
        write=write,
        options=("empty_lines",),
    )
)
