"""`MARKS` and `are_marks`, how tables spell crosses; `FastMarks`, which reads blocks of them.

`FastMarks` reads a whole block with NumPy, unless something is unusual. A cell of up to eight bytes
is one 64-bit number, so that all cells are compared with a spelling in one step, and a file has
only a few different spellings.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from conceptrank.io.text import BLANKS

TRUE = ("x", "1", "true", "t", "yes", "y")
FALSE = ("", "0", "false", "f", "no", "n", ".")

# All usual spellings, so that most cells are found at once, without changing case.
MARKS = {
    spelling: value
    for value, words in enumerate((FALSE, TRUE))
    for word in words
    for spelling in (word, word.upper(), word.capitalize())
}


def are_marks(words: Collection[str]) -> bool:
    """Return whether the different words of a column, in lower case, are marks.

    Two spellings of the same mark, and none of the other, are values: x and y may be classes.

    Examples
    --------
    >>> [are_marks(words) for words in (["x", ""], ["yes", "no", "y"], ["x", "y"], ["x", "z"])]
    [True, True, False, False]
    """
    meanings = [MARKS.get(word) for word in words if word]
    return None not in meanings and (len(meanings) < 2 or len(set(meanings)) == 2)


_LINE_FEED = ord("\n")
_LONGEST = 8
_NO_MARK = 2
_CODES = {
    int.from_bytes(variant.encode(), "little"): bool(value)
    for word, value in MARKS.items()
    for variant in (word, f" {word}", f"{word} ", f'"{word}"')
    if len(variant) <= _LONGEST
}
# The bits to keep of eight bytes, by the length of the cell.
_KEPT = np.array([(1 << 8 * length) - 1 for length in range(_LONGEST + 1)], dtype=np.uint64)


class FastMarks:
    r"""Reads blocks of one table.

    Parameters
    ----------
    separator
        What separates the fields.
    width
        The number of fields in a row.

    Examples
    --------
    >>> names, marks = FastMarks(",", 3).read(b'cat,,X\n"the dog",0,true\n')
    >>> names, marks.tolist()
    (['cat', 'the dog'], [[False, True], [False, True]])
    >>> FastMarks(",", 2).read(b"cat,often\n") is None
    True
    """

    def __init__(self, separator: str, width: int) -> None:
        self._separator = separator.encode()
        self._width = width
        self._of_byte = np.array([MARKS.get(chr(byte), _NO_MARK) for byte in range(256)], np.uint8)
        self._of_byte[[*self._separator, _LINE_FEED]] = 0
        self._seen: dict[int, bool] = {}

    def read(self, data: bytes) -> tuple[list[str], NDArray[np.bool_]] | None:
        """Return the names and marks of whole rows, or None if anything is unusual."""
        if len(self._separator) != 1:
            return None
        buffer = np.frombuffer(data, dtype=np.uint8)
        line_ends = buffer == _LINE_FEED
        borders = np.flatnonzero((buffer == self._separator[0]) | line_ends)
        if len(borders) % self._width:
            return None
        ends = borders.reshape(-1, self._width)
        # As many lines as rows, and one ends with every row: no row is longer or shorter.
        if np.count_nonzero(line_ends) != len(ends) or not line_ends[ends[:, -1]].all():
            return None
        marks = self._marks(data, ends)
        if marks is None:
            return None
        starts = [0, *(ends[:-1, -1] + 1).tolist()]
        names = _names(data, starts, ends[:, 0].tolist())
        return None if names is None else (names, marks)

    def _marks(self, data: bytes, ends: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        starts = ends[:, :-1] + 1
        lengths = ends[:, 1:] - starts
        longest = lengths.max(initial=0)
        if longest <= 1:
            # An empty cell shows the separator or line end after it.
            cells = np.frombuffer(data, dtype=np.uint8)[starts]
            meanings = self._of_byte[cells]
            return None if meanings.max(initial=0) > 1 else meanings.view(np.bool_)
        if longest > _LONGEST:
            return None
        eights: NDArray[np.uint64] = np.ndarray(
            len(data) + 1, dtype="<u8", buffer=data + bytes(_LONGEST), strides=(1,)
        )
        codes = eights[starts] & _KEPT[lengths]
        marks = np.zeros(codes.shape, dtype=np.bool_)
        left = codes.size
        for code, value in self._seen.items():
            left -= _compare(codes, code, marks, value=value)
        if left:
            for code in np.unique(codes).tolist():
                if code not in _CODES:
                    return None
                if code not in self._seen:
                    self._seen[code] = _CODES[code]
                    _compare(codes, code, marks, value=_CODES[code])
        return marks


def _compare(codes: NDArray[np.uint64], code: int, marks: NDArray[np.bool_], *, value: bool) -> int:
    """Mark the cells with this code if `value` is true, and return the number of these cells."""
    equal = codes == np.uint64(code)
    if value:
        marks |= equal
    return int(np.count_nonzero(equal))


def _names(data: bytes, starts: list[int], ends: list[int]) -> list[str] | None:
    joined = b"\n".join([data[start:end] for start, end in zip(starts, ends, strict=True)])
    try:
        text = joined.decode()
    except UnicodeDecodeError:
        return None
    names = text.split("\n")
    framed = f"\n{text}\n"
    if any(blank in framed for blank in ("\n ", " \n", "\n\t", "\t\n")):
        names = [name.strip(BLANKS) for name in names]
    if "" in names:
        return None
    if '"' in text:
        if not all(
            '"' not in name or (len(name) > 1 and name[0] == name[-1] == '"' not in name[1:-1])
            for name in names
        ):
            return None
        names = [name[1:-1] if name[0] == '"' else name for name in names]
    return names
