"""`Lines` in sections and rows of marks, shared by Burmeister, SLF and RCF."""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np

from conceptrank._util.lists import Lists, from_marks
from conceptrank.errors import FormatError
from conceptrank.io.text import BLANKS, decode, shown


class Lines:
    r"""The lines of a text, taken one after the other; blanks at their ends are left out.

    Parameters
    ----------
    data
        The content of a file.
    first
        How such a file begins, for messages.

    Examples
    --------
    >>> lines = Lines(b"[Objects]\ncat\n\n", "[Objects]")
    >>> lines.expect("[objects]", "")
    >>> lines.several(1, "names"), lines.left()
    (['cat'], [''])
    """

    def __init__(self, data: bytes, first: str) -> None:
        text = decode(data)
        self.all: list[str] = [line.rstrip(BLANKS) for line in text.removesuffix("\n").split("\n")]
        self.next: int = 0
        if not any(self.all):
            hint = f"the file begins with {first}"
            raise FormatError("the file is empty", line=1, hint=hint)

    def take(self, what: str) -> str:
        """Return the next line, which has to be there."""
        return self.several(1, what)[0]

    def several(self, count: int, what: str) -> list[str]:
        """Return the next lines, which have to be there."""
        found = self.all[self.next : self.next + count]
        self.next += len(found)
        if len(found) < count:
            raise FormatError(
                f"the file ends before {what}",
                line=len(self.all),
                hint="the file is cut off, or a number is too large",
            )
        return found

    def expect(self, section: str, hint: str) -> None:
        """Take the line of a section."""
        line = self.take(section)
        if not is_section(line, section):
            self.refuse(f"found {shown(line)}, expected {section}", hint)

    def left(self) -> list[str]:
        """Return the lines that were not taken."""
        return self.all[self.next :]

    def refuse(self, reason: str, hint: str) -> NoReturn:
        """Raise an error at the line that was taken last."""
        raise FormatError(reason, line=self.next, hint=hint)


def is_section(line: str, name: str) -> bool:
    """Return whether a line is the title of a section, in any case."""
    return line.strip(BLANKS).lower() == name.lower()


def rows_of_marks(lines: list[str], q: int, first: int, marks: str) -> Lists:
    """Return rows of marks, with or without blanks between them.

    Parameters
    ----------
    lines
        The rows.
    q
        The number of attributes.
    first
        The line of the first row, for messages.
    marks
        What stands for no cross, then what stands for a cross.

    Examples
    --------
    >>> offsets, values = rows_of_marks(["1 0 1", "011"], 3, first=1, marks="01")
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 4], [0, 2, 1, 2])
    """
    rows = [line.replace(" ", "").replace("\t", "") for line in lines]
    for number, (line, row) in enumerate(zip(lines, rows, strict=True), start=first):
        if len(row) != q or row.strip(marks):
            foreign = re.search(f"[^{marks} \t]", line)
            raise FormatError(
                f"{shown(foreign[0])} is not a mark"
                if foreign
                else f"row has {len(row)} marks, expected {q}",
                line=number,
                hint=f"a row has {marks[1]} or {marks[0]} for every attribute; is a count wrong?",
            )
    cells = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8)
    return from_marks((cells != ord(marks[0])).reshape(len(rows), q))
