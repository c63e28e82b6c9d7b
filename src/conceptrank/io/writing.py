"""Writing: `refuse_names` and `refuse_unused` for what a format can't hold, marks in slices."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from conceptrank.context import Context
from conceptrank.convert import to_numpy
from conceptrank.errors import FormatError
from conceptrank.io.text import shown

# Half a surrogate pair has no UTF-8; NUL and lone carriage returns are refused on reading.
UNWRITABLE = "[\0\r\ud800-\udfff]"
_CELLS_AT_ONCE = 1 << 24


def refuse_names(
    context: Context,
    forbidden: str = "",
    *,
    sides: tuple[str, ...] = ("object", "attribute"),
    unwritable: str = UNWRITABLE,
) -> None:
    """Refuse to write names that match a pattern, because no file of the format can hold them.

    Examples
    --------
    >>> refuse_names(Context(["a b"], [], [[]]), " ")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: object name 'a b': such a file can't hold it (hint: ...)
    """
    pattern = re.compile(f"{forbidden}|{unwritable}" if forbidden else unwritable)
    for side in sides:
        for name in context.objects if side == "object" else context.attributes:
            if pattern.search(name):
                raise FormatError(
                    f"{side} name {shown(name)}: such a file can't hold it",
                    hint="rename it, or save in another format, such as .json",
                )


def refuse_unused(context: Context) -> None:
    """Refuse to write an attribute that belongs to no object, where only pairs are written.

    Examples
    --------
    >>> refuse_unused(Context(["cat"], ["barks"], [[False]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: attribute 'barks' belongs to no object, and such a file ...
    """
    indices = context.rows()[1]
    unused = np.flatnonzero(np.bincount(indices, minlength=len(context.attributes)) == 0)
    if len(unused):
        name = shown(context.attributes[unused[0]])
        raise FormatError(
            f"attribute {name} belongs to no object, and such a file would lose it",
            hint="save in another format, such as .cxt or .csv",
        )


def protected_start(data: bytes) -> bytes:
    r"""Return the bytes of a file, protected if a name at its beginning looks like a mark.

    Examples
    --------
    >>> protected_start(b"cat:\n")
    b'cat:\n'
    """
    return codecs.BOM_UTF8 + data if data.startswith(codecs.BOM_UTF8) else data


def mark_slices(context: Context) -> Iterator[NDArray[np.bool_]]:
    """Yield the table of a context, one row per object, in slices that fit the memory.

    Examples
    --------
    >>> [marks.tolist() for marks in mark_slices(Context(["g"], ["a", "b"], [[False, True]]))]
    [[[False, True]]]
    """
    n, q = context.shape
    indptr, indices = context.rows()
    step = max(1, _CELLS_AT_ONCE // max(q, 1))
    for start in range(0, n, step):
        ends = indptr[start : start + step + 1]
        yield to_numpy((ends - ends[0], indices[ends[0] : ends[-1]]), q)
