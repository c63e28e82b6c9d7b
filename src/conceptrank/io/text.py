"""What the text formats share: decoding, names, and tables of marks."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrank.context import Context
from conceptrank.errors import FormatError

__all__ = [
    "BLANKS",
    "clean_bytes",
    "decode",
    "first_repeat",
    "line_at",
    "marks_of",
    "refuse_names",
    "refuse_repeats",
    "rows_from_marks",
    "shown",
]

BLANKS = " \t"

_FOREIGN_BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# Half a surrogate pair has no UTF-8; NUL and lone carriage returns are refused on reading.
_UNWRITABLE = re.compile("[\0\r\ud800-\udfff]")
_CELLS_AT_ONCE = 1 << 24


def line_at(data: bytes, position: int) -> int:
    """Return the number of the line, from 1, that holds the byte at a position.

    Examples
    --------
    >>> line_at(b"one" + bytes([10]) + b"two", 4)
    2
    """
    return data.count(b"\n", 0, position) + 1


def clean_bytes(data: bytes, source: str | None) -> bytes:
    r"""Return the bytes of a text without byte order mark and with `\n` as line end.

    Raises
    ------
    FormatError
        For UTF-16 and UTF-32, for binary data, and for a carriage return that ends no line.

    Examples
    --------
    >>> clean_bytes(b"\xef\xbb\xbf1 2\r\n", None)
    b'1 2\n'
    """
    for mark, encoding in _FOREIGN_BOMS:
        if data.startswith(mark):
            raise FormatError(
                f"is {encoding} text, expected UTF-8", source=source, hint="save the file as UTF-8"
            )
    data = data.removeprefix(codecs.BOM_UTF8)
    if (position := data.find(b"\0")) >= 0:
        raise FormatError(
            "holds a NUL byte: binary data, not text",
            source=source,
            line=line_at(data, position),
            hint="is it another kind of file?",
        )
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if (position := data.find(b"\r")) >= 0:
            raise FormatError(
                "a carriage return without a line feed",
                source=source,
                line=line_at(data, position),
                hint=r"end the lines with \n or \r\n",
            )
    return data


def decode(data: bytes, source: str | None) -> str:
    r"""Return the bytes as text, cleaned as `clean_bytes` does.

    Raises
    ------
    FormatError
        If the bytes are not UTF-8 text; it names the first offending byte and its line.

    Examples
    --------
    >>> decode("Käse\r\n".encode(), None)
    'Käse\n'
    >>> decode("Brot\nKäse".encode("latin-1"), "food.cxt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: food.cxt, line 2: byte 0xe4 in column 2 is not UTF-8 (hint: ...)
    """
    cleaned = clean_bytes(data, source)
    try:
        return cleaned.decode()
    except UnicodeDecodeError as error:
        column = error.start - cleaned.rfind(b"\n", 0, error.start)
        raise FormatError(
            f"byte 0x{cleaned[error.start]:02x} in column {column} is not UTF-8",
            source=source,
            line=line_at(cleaned, error.start),
            hint="save the file as UTF-8",
        ) from None


def shown(value: str, limit: int = 40) -> str:
    """Return a value in quotes, on one line, cut to a readable length.

    Examples
    --------
    >>> shown("drama"), shown("a" * 50, limit=5)
    ("'drama'", "'aaaaa…'")
    """
    return repr(value if len(value) <= limit else f"{value[:limit]}…")


def first_repeat(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the two positions of the first name that occurs twice, or None.

    Examples
    --------
    >>> first_repeat(["a", "b", "a", "b"])
    (0, 2)
    """
    if len(set(names)) == len(names):
        return None
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if (earlier := seen.setdefault(name, position)) != position:
            return earlier, position
    return None


def refuse_repeats(
    names: Sequence[str], lines: Sequence[int], side: str, source: str | None
) -> None:
    """Refuse two equal names on one side; the message names both lines.

    Examples
    --------
    >>> refuse_repeats(["a", "b", "a"], [6, 7, 8], "object", "pets.cxt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: pets.cxt, line 8: object name 'a' stands on line 6 already...
    """
    if repeat := first_repeat(names):
        first, second = repeat
        raise FormatError(
            f"{side} name {shown(names[first])} stands on line {lines[first]} already",
            source=source,
            line=lines[second],
            hint="make the names differ",
        )


def refuse_names(
    context: Context, source: str | None, *, forbidden: str = "", because: str = ""
) -> None:
    """Refuse to write names that match a pattern, or that no UTF-8 text can hold.

    Examples
    --------
    >>> context = Context(["a b"], [], [[]])
    >>> refuse_names(context, "pets.dat", forbidden=" ", because="has a blank")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: pets.dat: object name 'a b' has a blank (hint: rename it)
    """
    pattern = re.compile(forbidden) if forbidden else None
    for side, names in (("object", context.objects), ("attribute", context.attributes)):
        for name in names:
            if pattern and pattern.search(name):
                reason = because
            elif _UNWRITABLE.search(name):
                reason = "has a character that a text file can't hold"
            else:
                continue
            raise FormatError(
                f"{side} name {shown(name)} {reason}", source=source, hint="rename it"
            )


def rows_from_marks(marks: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return a table of marks as compressed rows, (indptr, indices).

    Examples
    --------
    >>> indptr, indices = rows_from_marks(np.array([[True, False], [True, True]]))
    >>> indptr.tolist(), indices.tolist()
    ([0, 1, 3], [0, 0, 1])
    """
    n, q = marks.shape
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(marks, axis=1), out=indptr[1:])
    indices = np.empty(int(indptr[-1]), dtype=np.uint32)
    # In slices: the positions that NumPy returns take eight bytes a cross.
    step = max(1, _CELLS_AT_ONCE // max(q, 1))
    for start in range(0, n, step):
        stop = min(start + step, n)
        indices[indptr[start] : indptr[stop]] = np.nonzero(marks[start:stop])[1]
    return indptr, indices


def marks_of(context: Context) -> NDArray[np.bool_]:
    """Return the table of a context, one row an object.

    Examples
    --------
    >>> marks_of(Context(["g"], ["a", "b"], [[False, True]])).tolist()
    [[False, True]]
    """
    indptr, indices = context.rows()
    marks = np.zeros(context.shape, dtype=np.bool_)
    marks[np.repeat(np.arange(len(context.objects)), np.diff(indptr)), indices] = True
    return marks
