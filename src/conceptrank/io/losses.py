"""What formats can't hold: `refuse_names`, `refuse_unused`, and the lines that `drops` returns."""

from __future__ import annotations

import codecs
import re

import numpy as np

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.text import shown

# Half a surrogate pair has no UTF-8; NUL and lone carriage returns are refused on reading.
UNWRITABLE = "[\0\r\ud800-\udfff]"


def refuse_names(
    context: Context,
    *,
    forbidden: str = "",
    because: str = "",
    sides: tuple[str, ...] = ("object", "attribute"),
    unwritable: str = UNWRITABLE,
) -> None:
    """Refuse to write names that match a pattern, or that no such file can hold.

    Parameters
    ----------
    context
        The context.
    forbidden, because
        A pattern that names must not match, and the reason for the error message.
    sides
        The sides whose names are written.
    unwritable
        Matches characters that no file of this kind can hold.

    Examples
    --------
    >>> context = Context(["a b"], [], [[]])
    >>> refuse_names(context, forbidden=" ", because="has a blank")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: object name 'a b' has a blank (hint: rename it)
    """
    pattern = re.compile(forbidden) if forbidden else None
    impossible = re.compile(unwritable)
    for side in sides:
        for name in context.objects if side == "object" else context.attributes:
            if pattern and pattern.search(name):
                reason = because
            elif impossible.search(name):
                reason = "has a character that such a file can't hold"
            else:
                continue
            raise FormatError(f"{side} name {shown(name)} {reason}", hint="rename it")


def refuse_unused(context: Context, kind: str) -> None:
    """Refuse to write an attribute that belongs to no object, where only pairs are written.

    Examples
    --------
    >>> context = Context(["cat"], ["barks"], [[False]])
    >>> refuse_unused(context, "an OAL file")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: attribute 'barks' belongs to no object, and an OAL file ...
    """
    indices = context.rows()[1]
    unused = np.flatnonzero(np.bincount(indices, minlength=len(context.attributes)) == 0)
    if len(unused):
        raise FormatError(
            f"attribute {shown(context.attributes[unused[0]])} belongs to no object, "
            f"and {kind} would lose it",
            hint="save in another format, such as .cxt or .csv",
        )


def protected_start(data: bytes) -> bytes:
    r"""Return the bytes of a file, protected if a name at its beginning looks like a mark.

    Readers take away one byte order mark. If a name begins with one, it needs a second.

    Examples
    --------
    >>> protected_start(b"cat:purrs"), protected_start(b"\xef\xbb\xbfcat:purrs")
    (b'cat:purrs', b'\xef\xbb\xbf\xef\xbb\xbfcat:purrs')
    """
    return codecs.BOM_UTF8 + data if data.startswith(codecs.BOM_UTF8) else data


def dropped_order(context: Context) -> list[str]:
    """Return a line if the order of the attributes is lost, unless it is that of first appearance.

    Examples
    --------
    >>> dropped_order(Context("12", "ab", [[False, True], [True, True]]))
    ['the order of the attributes']
    """
    appearing = list(dict.fromkeys(context.rows()[1].tolist()))
    return [] if appearing == sorted(appearing) else ["the order of the attributes"]


def dropped_names(context: Context) -> list[str]:
    """Return a line if names are lost, unless they are numbers from 1.

    Examples
    --------
    >>> dropped_names(Context("1", "ab", [[1, 0]]))
    ['the names of the attributes']
    """
    counted = all(name == str(m) for m, name in enumerate(context.attributes, start=1))
    return dropped_objects(context) + ([] if counted else ["the names of the attributes"])


def dropped_objects(context: Context) -> list[str]:
    """Return a line if the names of the objects are lost, unless they are their numbers.

    Examples
    --------
    >>> dropped_objects(Context(["1"], [], [[]])), dropped_objects(Context(["a"], [], [[]]))
    ([], ['the names of the objects'])
    """
    counted = all(name == str(g) for g, name in enumerate(context.objects, start=1))
    return [] if counted else ["the names of the objects"]
