"""ARFF, the format of Weka: declared columns, then rows of values, as a frame.

Nominal columns become enumerations in the order declared, dates become points in time. Rows may be
dense or sparse. A question mark is a missing value unless it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conceptrank._util.lazy import pl
from conceptrank._util.names import first_repeat
from conceptrank.errors import FormatError
from conceptrank.io.raw.layout import MOST_COLUMNS
from conceptrank.io.registry import Fit, Format
from conceptrank.io.text import decode, shown, text_head

_WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}'"%]+"""
_NAME = re.compile(rf"\s*({_WORD})\s*(.*)", re.DOTALL)
_VALUE = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"{}]*)\s*(,|\Z)""")
_SPARSE = re.compile(rf"""\s*([0-9]{{1,9}})\s+({_WORD}|[^,'"{{}}]+?)\s*(,|\Z)""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_UNUSUAL = re.compile(r"""['"{}\\]""")
_DEFAULT_PATTERN = "yyyy-MM-dd'T'HH:mm:ss"

_DATE_PARTS = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_DATE_LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "M": "%m",
    "MMM": "%b",
    "MMMM": "%B",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "SSS": "%3f",
}
_NUMERIC = ("numeric", "real", "integer")
_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class _Column:
    """A declared column."""

    name: str
    kind: str
    line: int
    values: tuple[str, ...] = ()
    pattern: str = ""


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
    lines = enumerate(decode(data).removesuffix("\n").split("\n"), start=1)
    rows = _Rows(_header(lines))
    for line, text in lines:
        rows.add(text, line)
    return pl.DataFrame(rows.columns())


def _header(lines: Iterable[tuple[int, str]]) -> list[_Column]:
    """Return the columns that are declared before `@data`."""
    columns: list[_Column] = []
    line = 0
    for line, text in lines:
        row = text.strip()
        keyword = row.split(None, 1)[0].lower() if row else ""
        if keyword == "@attribute":
            columns.append(_declared(row[len(keyword) :], line))
        elif keyword == "@data":
            _check(columns, line)
            return columns
        elif keyword and keyword != "@relation" and not keyword.startswith("%"):
            raise FormatError(f"expected @attribute or @data, found {shown(row)}", line=line)
    raise FormatError("no @data", line=line + 1, hint="is the file cut off?")


def _check(columns: list[_Column], line: int) -> None:
    if not columns:
        raise FormatError("no @attribute before @data", line=line)
    if len(columns) > MOST_COLUMNS:
        raise FormatError(
            f"declares {len(columns):,} columns; at most {MOST_COLUMNS:,} are read", line=line
        )
    if repeat := first_repeat([column.name for column in columns]):
        raise FormatError(
            f"two columns are named {shown(columns[repeat[0]].name)}",
            line=columns[repeat[1]].line,
        )


def _declared(text: str, line: int) -> _Column:
    match = _NAME.fullmatch(text)
    if match is None or not match[2]:
        raise FormatError(
            f"{shown(text.strip())} doesn't declare a column",
            line=line,
            hint="@attribute NAME TYPE, the name in quotes if it has blanks",
        )
    name, declared = _unquoted(match[1]), match[2].strip()
    kind = declared.split(None, 1)[0].lower()
    if declared.startswith("{"):
        return _Column(name, "nominal", line, values=_listed(declared, name, line))
    if kind in _NUMERIC or kind == "string":
        return _Column(name, kind, line)
    if kind == "date":
        given = _unquoted(declared[len(kind) :].strip()) or _DEFAULT_PATTERN
        pattern = chrono_pattern(given)
        if pattern is not None:
            return _Column(name, "date", line, pattern=pattern)
        declared = f"date {given}"
    raise FormatError(
        f"column {shown(name)}: can't read type {shown(declared)}",
        line=line,
        hint="types are numeric, real, integer, string, date and {lists of values}",
    )


def _listed(declared: str, name: str, line: int) -> tuple[str, ...]:
    inner = declared[1:].rstrip()
    values = _split(inner[:-1], line) if inner.endswith("}") else None
    if not values or None in values:
        raise FormatError(
            f"column {shown(name)}: the list of values is not closed, or empty",
            line=line,
            hint="write {a, b, c}; a value with blanks or commas in quotes",
        )
    labels = [value for value in values if value is not None]
    if repeat := first_repeat(labels):
        raise FormatError(
            f"column {shown(name)}: value {shown(labels[repeat[0]])} is listed twice", line=line
        )
    return tuple(labels)


class _Rows:
    """The rows of a file, collected line by line."""

    def __init__(self, declared: list[_Column]) -> None:
        self._declared = declared
        self._frames: list[pl.DataFrame] = []
        self._lines: list[int] = []
        self._rows: list[list[str | None]] = []

    def add(self, text: str, line: int) -> None:
        """Add a line; blank ones and comments are no rows."""
        content = text.strip()
        if not content or content.startswith("%"):
            return
        sparse = content.startswith("{")
        self._rows.append(self._sparse(content, line) if sparse else self._dense(content, line))
        self._lines.append(line)
        if len(self._rows) * len(self._declared) > _CELLS_AT_ONCE:
            self._frame_rows()

    def columns(self) -> list[pl.Series]:
        """Return the columns with their types."""
        self._frame_rows()
        frame = pl.concat(self._frames)
        return [
            self._converted(frame.to_series(place), column).alias(column.name)
            for place, column in enumerate(self._declared)
        ]

    def _frame_rows(self) -> None:
        names = [str(place) for place in range(len(self._declared))]
        schema = dict.fromkeys(names, pl.String)
        self._frames.append(pl.DataFrame(self._rows, schema=schema, orient="row"))
        self._rows = []

    def _dense(self, row: str, line: int) -> list[str | None]:
        width = len(self._declared)
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

    def _sparse(self, row: str, line: int) -> list[str | None]:
        """Return a row of which only some values are written; the others are zero."""
        values = [self._zero(column) for column in self._declared]
        inner = row[1:-1].strip()
        if not row.endswith("}"):
            raise FormatError("a sparse row is not closed", line=line)
        position = 0
        given: set[int] = set()
        while position < len(inner):
            match = _SPARSE.match(inner, position)
            if match is None or int(match[1]) >= len(values) or int(match[1]) in given:
                raise FormatError(
                    f"can't read {shown(inner[position:].strip())} of a sparse row",
                    line=line,
                    hint=f"{{NUMBER VALUE, …}}, each column once, numbered 0 to {len(values) - 1}",
                )
            given.add(int(match[1]))
            values[int(match[1])] = None if match[2] == "?" else _unquoted(match[2])
            position = match.end()
        for place, column in enumerate(self._declared):
            if place not in given and column.kind in ("string", "date"):
                raise FormatError(
                    f"column {shown(column.name)} is left out of a sparse row, but has no zero",
                    line=line,
                )
        return values

    @staticmethod
    def _zero(column: _Column) -> str | None:
        return column.values[0] if column.values else "0"

    def _converted(self, text: pl.Series, column: _Column) -> pl.Series:
        if column.kind == "string":
            return text
        if column.kind == "nominal":
            found = text.cast(pl.Enum(list(column.values)), strict=False)
        elif column.kind == "date":
            found = self._dates(text, column)
        else:
            found = text.cast(pl.Float64, strict=False)
        wrong = found.is_null() & text.is_not_null()
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            expected = {"nominal": "one of its listed values", "date": "a date in its format"}
            raise FormatError(
                f"column {shown(column.name)}: {shown(text[row])} is not "
                f"{expected.get(column.kind, 'a number')}",
                line=self._lines[row],
            )
        if column.kind == "integer" and (integer := text.cast(pl.Int64, strict=False)) is not None:
            return integer if integer.null_count() == text.null_count() else found
        return found

    def _dates(self, text: pl.Series, column: _Column) -> pl.Series:
        try:
            if "%H" not in column.pattern:
                return text.str.to_date(column.pattern, strict=False)
            return text.str.to_datetime(column.pattern, strict=False, time_unit="us")
        except pl.exceptions.PolarsError as error:
            raise FormatError(
                f"column {shown(column.name)}: can't read dates of this format",
                line=column.line,
                hint=str(error).partition("\n")[0],
            ) from error


def _split(row: str, line: int) -> list[str | None]:
    """Return the values of a row."""
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


def chrono_pattern(java: str) -> str | None:
    """Return a pattern of Java's SimpleDateFormat for polars; None if it has other parts.

    A pattern without hours gets midnight.

    Examples
    --------
    >>> chrono_pattern("yyyy-MM-dd'T'HH:mm:ss"), chrono_pattern("dd.MM.yyyy")
    ('%Y-%m-%dT%H:%M:%S', '%d.%m.%Y')
    >>> chrono_pattern("yyyy 'week' ww") is None
    True
    """
    parts = []
    position = 0
    while position < len(java):
        match = _DATE_PARTS.match(java, position)
        if match is None:
            return None
        position = match.end()
        if match[1] is not None:
            parts.append((match[1].replace("''", "'") or "'").replace("%", "%%"))
        elif match[2] is None:
            parts.append(match[0].replace("%", "%%"))
        elif match[0] in _DATE_LETTERS:
            parts.append(_DATE_LETTERS[match[0]])
        else:
            return None
    return "".join(parts)


FORMAT = Format(
    name="arff",
    suffixes=(".arff",),
    description="ARFF of Weka",
    sniff=sniff,
    read=read,
    values=True,
    most_bytes=1 << 40,
)
