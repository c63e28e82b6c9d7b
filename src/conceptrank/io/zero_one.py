"""`Lines` in sections and rows of 0 and 1, shared by SLF and RCF."""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np

from conceptrank._util.lists import Lists, from_marks
from conceptrank.errors import FormatError
from conceptrank.io.text import BLANKS, decode, shown

_OTHER = re.compile(r"[^01 \t]\S*|[01]+[^01\s]\S*")


class Lines:
    r"""The lines of a text in sections, taken one after the other.

    Parameters
    ----------
    data
        The content of a file.
    first
        The name of the section that it begins with.

    Examples
    --------
    >>> lines = Lines(b"[Pets]\ncat\n", "[Pets]")
    >>> lines.section("[pets]", hint="")
    >>> lines.take("a pet"), lines.next
    ('cat', 2)
    """

    def __init__(self, data: bytes, first: str) -> None:
        text = decode(data)
        self.all: list[str] = [line.rstrip(BLANKS) for line in text.removesuffix("\n").split("\n")]
        self.next: int = 0
        if not any(self.all):
            self.refuse("the file is empty", f"the file begins with {first}")

    def peek(self, what: str) -> str:
        """Return the next line, which should hold `what`; refuse the end of the file."""
        if self.next >= len(self.all):
            self.ended(what)
        return self.all[self.next]

    def take(self, what: str) -> str:
        """Return the next line, which should hold `what`, and go on to the line after it."""
        line = self.peek(what)
        self.next += 1
        return line

    def section(self, name: str, hint: str) -> None:
        """Go on to the line after the name of a section; refuse any other line."""
        line = self.peek(name)
        if not is_section(line, name):
            self.refuse(f"found {shown(line)}, expected {name}", hint)
        self.next += 1

    def ended(self, missing: str) -> NoReturn:
        """Raise the error for a file that ends too early."""
        raise FormatError(
            f"the file ends before {missing}",
            line=len(self.all),
            hint="the file is cut off, or a number is too large",
        )

    def refuse(self, reason: str, hint: str) -> NoReturn:
        """Raise an error about the next line."""
        raise FormatError(reason, line=self.next + 1, hint=hint)


def is_section(line: str, name: str) -> bool:
    """Return whether a line is the name of a section, in any case."""
    return line.strip(BLANKS).lower() == name.lower()


def rows_of_digits(lines: list[str], q: int, first: int) -> Lists:
    """Return rows of 0 and 1, with or without blanks between them.

    Parameters
    ----------
    lines
        One row per object.
    q
        How many attributes there are.
    first
        The number of the first line in the file.

    Raises
    ------
    FormatError
        For anything else than 0 and 1, and for a row of another length.

    Examples
    --------
    >>> indptr, indices = rows_of_digits(["0 1 1", "100"], 3, 1)
    >>> indptr.tolist(), indices.tolist()
    ([0, 2, 3], [1, 2, 0])
    """
    rows = [line.replace(" ", "").replace("\t", "") for line in lines]
    for number, (line, row) in enumerate(zip(lines, rows, strict=True), start=first):
        if len(row) != q or row.strip("01"):
            foreign = _OTHER.search(line)
            raise FormatError(
                f"{shown(foreign[0])} is not a mark"
                if foreign
                else f"row has {len(row)} marks, expected {q}",
                line=number,
                hint="a row consists of 1 for a cross and 0 for none, one for every attribute",
            )
    cells = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8)
    return from_marks((cells == ord("1")).reshape(len(rows), q))
