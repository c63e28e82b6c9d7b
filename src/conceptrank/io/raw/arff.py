"""ARFF, the format of Weka: declared columns, then rows of values, as a frame.

Nominal columns become enumerations in the order declared; dates are read as in other text. Rows may
be dense or sparse. A question mark is a missing value unless it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conceptrank._util.lazy import pl
from conceptrank._util.names import first_repeat
from conceptrank.errors import FormatError
from conceptrank.io.raw.layout import MOST_COLUMNS
from conceptrank.io.raw.types import typed
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import decode, shown, text_head

_WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}'"%]+"""
_NAME = re.compile(rf"\s*({_WORD})\s*(.*)", re.DOTALL)
_VALUE = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"{}]*)\s*(,|\Z)""")
_SPARSE = re.compile(rf"""\s*([0-9]{{1,9}})\s+({_WORD}|[^,'"{{}}]+?)\s*(,|\Z)""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_UNUSUAL = re.compile(r"""['"{}\\]""")
_TYPES = ("numeric", "real", "integer", "string", "date")
_WANTED = {"nominal": "one of its listed values", "integer": "a number", "numeric": "a number"}


@dataclass(frozen=True)
class _Column:
    """A declared column; `values` are those of a nominal one."""

    name: str
    kind: str
    line: int
    values: tuple[str, ...] = ()

    @property
    def zero(self) -> str | None:
        """What a sparse row leaves out; None if it can't be left out."""
        if self.kind in ("string", "date"):
            return None
        return self.values[0] if self.values else "0"


def sniff(head: bytes) -> Fit:
    r"""Return whether a file begins as ARFF does: comments, then `@relation`.

    Examples
    --------
    >>> sniff(b"% zoo\n@RELATION zoo\n").name, sniff(b"a,b\n").name
    ('CERTAIN', 'NO')
    """
    for line in text_head(head).splitlines():
        if line.strip() and not line.startswith("%"):
            begins = line.lower().startswith(("@relation", "@attribute"))
            return Fit.CERTAIN if begins else Fit.NO
    return Fit.NO


def read(data: bytes) -> pl.DataFrame:
    r"""Read an ARFF file.

    Raises
    ------
    FormatError
        For a wrong declaration, a ragged row, a value outside its column's list, and for
        relational columns and weights, which have no place in a table.

    Examples
    --------
    >>> frame = read(b"@relation pets\n@attribute name string\n@attribute legs numeric\n"
    ...              b"@attribute size {small, big}\n@data\n'tom cat', 4, small\n{0 emu, 2 big}\n")
    >>> frame.rows()
    [('tom cat', 4.0, 'small'), ('emu', 0.0, 'big')]
    """
    numbered = enumerate(decode(data).removesuffix("\n").split("\n"), start=1)
    lines = ((line, text.strip()) for line, text in numbered)
    lines = ((line, row) for line, row in lines if row and not row.startswith("%"))
    declared = _header(lines)
    columns: list[list[str | None]] = [[] for _ in declared]
    places = []
    for line, row in lines:
        values = _sparse(row, declared, line) if row[0] == "{" else _dense(row, len(declared), line)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        places.append(line)
    return pl.DataFrame(
        [
            _converted(pl.Series(column.name, columns.pop(0), dtype=pl.String), column, places)
            for column in declared
        ]
    )


def _header(lines: Iterator[tuple[int, str]]) -> list[_Column]:
    """Return the columns that are declared before `@data`."""
    columns: list[_Column] = []
    line = 0
    for line, row in lines:
        keyword = row.split(None, 1)[0].lower()
        if keyword == "@attribute":
            columns.append(_declared(row[len(keyword) :], line))
        elif keyword == "@data":
            break
        elif keyword != "@relation":
            raise FormatError(f"expected @attribute or @data, found {shown(row)}", line=line)
    else:
        raise FormatError("no @data", line=line + 1, hint="is the file cut off?")
    if not columns:
        raise FormatError("no @attribute before @data", line=line)
    if len(columns) > MOST_COLUMNS:
        reason = f"declares {len(columns):,} columns; at most {MOST_COLUMNS:,} are read"
        raise FormatError(reason, line=line)
    if repeat := first_repeat([column.name for column in columns]):
        reason = f"two columns are named {shown(columns[repeat[0]].name)}"
        raise FormatError(reason, line=columns[repeat[1]].line)
    return columns


def _declared(text: str, line: int) -> _Column:
    match = _NAME.fullmatch(text)
    if match is None or not match[2]:
        raise FormatError(
            f"{shown(text.strip())} doesn't declare a column",
            line=line,
            hint="@attribute NAME TYPE, the name in quotes if it has blanks",
        )
    name, kind = _unquoted(match[1]), match[2].strip()
    if kind.startswith("{"):
        values = _split(kind[1:-1], line) if kind.endswith("}") else [None]
        labels = [value for value in values if value is not None]
        if len(labels) < len(values) or first_repeat(labels):
            raise FormatError(
                f"column {shown(name)}: the list of values is not closed, or has one twice",
                line=line,
                hint="write {a, b, c}; a value with blanks or commas in quotes",
            )
        return _Column(name, "nominal", line, tuple(labels))
    kind = kind.split(None, 1)[0].lower()
    if kind not in _TYPES:
        raise FormatError(
            f"column {shown(name)}: can't read type {shown(match[2].strip())}",
            line=line,
            hint="types are numeric, real, integer, string, date and {lists of values}",
        )
    return _Column(name, "numeric" if kind == "real" else kind, line)


def _dense(row: str, width: int, line: int) -> list[str | None]:
    if width > 1 and "," not in row:
        # Weka also accepts blanks as separators.
        row = ",".join(re.findall(_WORD, row))
    plain = None if _UNUSUAL.search(row) else [word.strip() for word in row.split(",")]
    if plain is not None and len(plain) == width and all(plain):
        return [None if word == "?" else word for word in plain]
    values = _split(row, line)
    if len(values) != width:
        raise FormatError(
            f"row has {len(values)} values, expected {width}",
            line=line,
            hint="put values with commas in quotes; weights can't be read",
        )
    return values


def _sparse(row: str, columns: list[_Column], line: int) -> list[str | None]:
    if not row.endswith("}"):
        raise FormatError("a sparse row is not closed", line=line)
    inner, position = row[1:-1].strip(), 0
    given: dict[int, str | None] = {}
    while position < len(inner):
        match = _SPARSE.match(inner, position)
        if match is None or int(match[1]) >= len(columns) or int(match[1]) in given:
            raise FormatError(
                f"can't read {shown(inner[position:].strip())} of a sparse row",
                line=line,
                hint=f"{{NUMBER VALUE, …}}, each column once, numbered 0 to {len(columns) - 1}",
            )
        given[int(match[1])] = None if match[2] == "?" else _unquoted(match[2])
        position = match.end()
    for place, column in enumerate(columns):
        if place not in given and column.zero is None:
            reason = "is left out of a sparse row, but has no zero"
            raise FormatError(f"column {shown(column.name)} {reason}", line=line)
    return [given.get(place, column.zero) for place, column in enumerate(columns)]


def _converted(text: pl.Series, column: _Column, lines: list[int]) -> pl.Series:
    """Return a column of text with its declared type."""
    if column.kind == "string":
        return text
    if column.kind == "date":
        return typed(text).column
    kind: Any = pl.Enum(list(column.values)) if column.kind == "nominal" else pl.Float64
    found = text.cast(kind, strict=False)
    wrong = found.is_null() & text.is_not_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        reason = f"{shown(text[row])} is not {_WANTED[column.kind]}"
        raise FormatError(f"column {shown(column.name)}: {reason}", line=lines[row])
    integer = text.cast(pl.Int64, strict=False) if column.kind == "integer" else found
    return integer if integer.null_count() == text.null_count() else found


def _split(row: str, line: int) -> list[str | None]:
    """Return the values of a dense row or of a list; None for a bare question mark."""
    values: list[str | None] = []
    position = 0
    while True:
        match = _VALUE.match(row, position)
        if match is None:
            raise FormatError(
                f"can't read {shown(row[position:].strip())}",
                line=line,
                hint="close every quote, and put values with quotes, commas or braces in quotes",
            )
        word = match[1].strip()
        if not word:
            raise FormatError("a value is empty", line=line, hint="a missing value is ?")
        values.append(None if word == "?" else _unquoted(word))
        position = match.end()
        if not match[2]:
            return values


def _unquoted(word: str) -> str:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return _ESCAPE.sub(_meaning, word[1:-1])


def _meaning(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) < 5:
        return _ESCAPED.get(code, code)
    letter = chr(int(code[1:], 16))
    # Half a surrogate pair is no character.
    return "\ufffd" if "\ud800" <= letter <= "\udfff" else letter


FORMAT = Format(
    name="arff",
    suffixes=(".arff",),
    description="ARFF of Weka",
    sniff=sniff,
    read=read,
    values=True,
    most_bytes=1 << 40,
)
