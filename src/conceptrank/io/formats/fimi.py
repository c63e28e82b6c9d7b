"""FIMI transactions, `.dat`: one object per line, its attributes as non-negative integers.

The numbers may have gaps and start at 0 or 1: those that occur become the attributes, in
numeric order. An empty line is an object without attributes.
"""

from __future__ import annotations

import re

import numpy as np

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.losses import dropped_objects, refuse_unused
from conceptrank.io.registry import Fit, Format
from conceptrank.io.tables import sorted_rows
from conceptrank.io.text import Data, blocks, shown
from conceptrank.io.transactions import Transactions, is_matrix, item_lines

_CANONICAL = re.compile(r"0|[1-9][0-9]{0,17}")


def sniff(head: bytes) -> Fit:
    r"""Return whether there are numbers, and nothing but numbers and blanks.

    Lines of one number each, or of two, may as well be a list or the edges of a graph.

    Examples
    --------
    >>> [sniff(head).name for head in (b"1 2 3\n2 7\n", b"1 2\n3 4\n", b"1,2,3\n", b"")]
    ['LIKELY', 'POSSIBLE', 'NO', 'POSSIBLE']
    """
    lines = item_lines(head.removeprefix(b"\xef\xbb\xbf"))
    if lines is None or is_matrix(lines):
        return Fit.NO
    return Fit.LIKELY if max(map(len, lines)) > 2 else Fit.POSSIBLE


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
    collected = Transactions()
    for block in blocks(data):
        collected.add(block)
    return collected.context({}, empty_lines=empty_lines)


def write(context: Context) -> bytes:
    r"""Return a context as transactions. The names of the objects are not part of the format.

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
                hint="save in another format, such as .cxt or .csv",
            )
    refuse_unused(context, "a FIMI file")
    indptr, indices = context.rows()
    numbers = np.array([int(name) for name in context.attributes], dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    _, ranks = sorted_rows(indptr, rank[indices])
    words = [context.attributes[m] for m in order.tolist()]
    items = [words[m] for m in ranks.tolist()]
    ends = indptr.tolist()
    lines = [" ".join(items[ends[g] : ends[g + 1]]) for g in range(len(context.objects))]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def drops(context: Context) -> list[str]:
    """Return what a FIMI file leaves out.

    Examples
    --------
    >>> drops(Context(["a"], ["7", "5"], [[True, True]]))
    ['the names of the objects', 'the order of the attributes']
    """
    lost = dropped_objects(context)
    numbers = [int(name) for name in context.attributes if _CANONICAL.fullmatch(name)]
    if numbers != sorted(numbers):
        lost.append("the order of the attributes")
    return lost


FORMAT = Format(
    name="fimi",
    suffixes=(".dat",),
    description="FIMI transactions: one object per line, attributes as integers",
    sniff=sniff,
    read=read,
    write=write,
    drops=drops,
    streams=True,
)
