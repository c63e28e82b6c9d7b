"""The layout of delimited text: its separator, and whether it begins with a header.

Both are inferred from the first rows. If these are ambiguous, an error names the option to set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice, pairwise
from typing import NoReturn

from conceptrank.errors import FormatError
from conceptrank.io.delimited import (
    BASKETS_HINT,
    ROWS_TO_TRY,
    Record,
    even_width,
    find_separator,
    first_records,
    likeliest_separator,
    lists_words,
    records,
    words_wander,
)
from conceptrank.io.marks import MARKS, are_marks
from conceptrank.io.raw.types import MISSING

CANDIDATES = ("\t", ";", "|", ",")
ROWS_TO_COMPARE = 2_000
# Every column of a frame takes about a kilobyte, however short it is.
MOST_COLUMNS = 100_000
# Fewer cells that are no marks may be mistakes, in the whole table or among the cells of a column.
_FEWEST_VALUES = 2
_VALUES_SHARE = 0.1
# Usual titles of a column of names.
NAME_TITLE = re.compile(
    r"(?i)(.*[\W_])?(ids?|names?|objects?|index|row|key|code|nr|no|number|#|orders?|baskets?"
    r"|transactions?|users?|customers?)|\w+Id"
)

# Titles of numbers that are values, even if they are all different or count the rows.
MEASURED_TITLE = re.compile(
    r"(?i)(.*[\W_])?(time|year|years|yr|month|week|day|days|hour|minute|date|age|t|rank|ranking"
    r"|position|period|quarter|season|round|wave|level|dose|distance|price|price_?index)"
)
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T].*)?|\d\d?[./-]\d\d?[./-]\d{4}( .*)?")
_DIGIT = re.compile(r"\d")
_COMMENT = re.compile(r"^[#%@]", re.MULTILINE)
_BLANK_RUNS = re.compile(r"[ \t]+")
_BLANK_ENDS = re.compile(r"(?m)^ | $")
_JSON_OR_XML = ("{", "[", "<")
_UNKNOWN = MISSING


def is_number(text: str) -> bool:
    """Return whether a field looks like a number, with a decimal point or comma.

    Examples
    --------
    >>> [is_number(text) for text in ("12", "-3,5", ".28", "1e-3", "12a", "")]
    [True, True, True, True, False, False]
    """
    return _NUMBER.fullmatch(text.strip()) is not None


def table_separator(text: str) -> str:
    r"""Return the separator that splits all rows into the same number of fields.

    If several do, the commas of one of them must be decimal commas. A text without any separator
    is a table of one column, or of numbers between blanks.

    Raises
    ------
    FormatError
        If none does, or several do.

    Examples
    --------
    >>> table_separator("35,5\tno\n36,0\tyes\n")
    '\t'
    >>> table_separator("city\nRome\n")
    ','
    >>> table_separator("a,b;c\nd,e;f\n")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 1: the rows can be split at ';' or at ',' (hint: ...)
    """
    text = text.rstrip("\n")
    if not text:
        raise FormatError("the file is empty", line=1)
    tried = [first_records(text, separator) for separator in CANDIDATES]
    even = [sign for sign, rows in zip(CANDIDATES, tried, strict=True) if even_width(rows)]
    if len(even) == 2 and even[1] == "," and _commas_are_decimal(first_records(text, even[0])):
        return even[0]
    found = find_separator(text, even, lambda rows: True, hint="give the separator")
    # If the rows are ragged, reading them finds the first ragged row.
    if found := found or likeliest_separator(text, CANDIDATES):
        return found
    if any(len(row.fields) > 1 for row in chain(*tried)):
        raise FormatError(
            "no separator in the first line, but in others",
            line=1,
            hint="skip=1 leaves out a line above the table",
        )
    return " " if _holds_numbers_between_blanks(text) else ","


def _holds_numbers_between_blanks(text: str) -> bool:
    """Return whether the rows have as many words, mostly numbers, and not only whole ones."""
    rows = [line.split() for line in text.splitlines()[:ROWS_TO_TRY] if line.strip()]
    if len(rows) < 2 or len(rows[1]) < 2 or len(rows[1]) - len(rows[0]) not in (0, 1):
        return False
    cells = [cell for row in rows[1:] for cell in row]
    titles = not all(map(is_number, rows[0]))
    return (
        len({len(row) for row in rows[1:]}) == 1
        and 2 * sum(map(is_number, cells)) >= len(cells)
        and (titles or not all(map(str.isdecimal, cells)))
    )


def squeezed(text: str) -> str:
    r"""Return a text with one blank between words, and none at the ends of lines.

    Examples
    --------
    >>> squeezed("  1   2 \n 3 4\n")
    '1 2\n3 4\n'
    """
    return _BLANK_ENDS.sub("", _BLANK_RUNS.sub(" ", text))


def _commas_are_decimal(rows: Sequence[Record]) -> bool:
    fields = [field for row in rows for field in row.fields if "," in field]
    return all(_DECIMAL_COMMA.fullmatch(field) for field in fields)


def refuse_many_columns(text: str, separator: str, *, line: int | None = None) -> None:
    """Fail if the first line has more fields than a table may have columns.

    Examples
    --------
    >>> refuse_many_columns("a,b", ",")
    >>> refuse_many_columns("," * 100_000, ",")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: a table of 100,001 columns; at most 100,000 are read (hint: ...
    """
    end = text.find("\n")
    columns = 1 + text.count(separator, 0, len(text) if end < 0 else end)
    if columns > MOST_COLUMNS:
        raise FormatError(
            f"a table of {columns:,} columns; at most {MOST_COLUMNS:,} are read",
            line=line,
            hint="is it a cross-table, or another kind of file?",
        )


def sample(text: str, separator: str) -> list[list[str]]:
    """Return the first rows of a text, as many as are needed to detect a header.

    Examples
    --------
    >>> sample("a, b", ",")
    [['a', 'b']]
    """
    if text and '"' not in text:
        lines = text.removesuffix("\n").split("\n", ROWS_TO_COMPARE)[:ROWS_TO_COMPARE]
        return [[field.strip() for field in line.split(separator)] for line in lines]
    rows = islice(records(text, separator), ROWS_TO_COMPARE)
    return [[field.strip() for field in row.fields] for row in rows]


def holds_values(text: str) -> bool:
    r"""Return whether a text is a table of numbers, words or dates, and no cross-table.

    It is if a column has a sign for missing values, or at least a tenth of other things than marks.
    The first column doesn't count if it names the rows, see `names_rows`. A few cells that are no
    marks are more likely mistakes in a cross-table. Two columns whose second one has no marks may
    be pairs as well.

    Examples
    --------
    >>> holds_values("name,sex,age\nAnn,f,30\nBob,m,41\n"), holds_values("name,age\nAnn,30\n")
    (True, False)
    >>> holds_values("pet,purrs,barks\ncat,X,\ndog,,Y\nemu,,B\n")
    False
    """
    rows = even_rows(text)
    if rows and len(rows[0]) == 2 and any(row[1].lower() not in MARKS for row in rows[1:]):
        return False
    return _columns_hold_values(rows)


def may_hold_values(text: str) -> bool:
    r"""Return whether a text may be a table of values: it is ambiguous, or damaged.

    One column may be baskets, two columns may be pairs, and a single row may be a header. In a
    damaged table, a quote is in the wrong place, or some rows are longer or shorter
    than the header.

    Examples
    --------
    >>> may_hold_values("name,age\nAnn,30\n"), may_hold_values("name,town,age\nAnn,Bath,30\nBob\n")
    (True, True)
    >>> may_hold_values("city\nRome\nNew York\n"), may_hold_values('name,age\nAnn,3"0\n')
    (True, True)
    """
    if rows := even_rows(text):
        return len(rows) == 1 or len(rows[0]) == 2
    if rows := even_rows(text, ragged=True):
        width = len(rows[0])
        return _is_one_column(text) if width == 1 else width > 2 and _columns_hold_values(rows)
    without_quotes = text.replace('"', "")
    return without_quotes != text and (
        holds_values(without_quotes) or may_hold_values(without_quotes)
    )


def _is_one_column(text: str) -> bool:
    """Return whether the lines of a text without separators are values, and no lists."""
    lines = [line.split() for line in text.splitlines()]
    if len(lines) < 2:
        return text.strip().isidentifier()  # A title
    if all(word.isdecimal() for line in lines for word in line):
        return False
    if _COMMENT.search(text):
        return False
    return not lists_words(text) or not (words_wander(lines) or len(set(map(len, lines))) == 1)


def _columns_hold_values(rows: list[list[str]]) -> bool:
    if _lacks_names(rows):
        return True
    raw, wrong = False, 0
    for place, (title, *column) in enumerate(zip(*rows, strict=False)):
        cells = [cell for cell in column if cell]
        others = [cell for cell in cells if cell.lower() not in MARKS]
        if any(cell in MISSING or cell == "NA" for cell in others):
            return True
        if place > 0 or not names_rows(title, cells):
            raw |= len(others) > _VALUES_SHARE * len(cells)
            wrong += len(others)
            if not others and not are_marks({cell.lower() for cell in cells}):
                return True
    return raw and wrong >= _FEWEST_VALUES


def _lacks_names(rows: list[list[str]]) -> bool:
    """Return whether the first column of a table of marks holds marks like the others."""
    if len(rows) < 2 or rows[0][0].lower() in MARKS or NAME_TITLE.fullmatch(rows[0][0]):
        return False
    first = {row[0] for row in rows[1:]}
    if not all(cell.lower() in MARKS for cell in first):
        return False
    others = {cell for row in rows[1:] for cell in row[1:]}
    marks = all(cell.lower() in MARKS for cell in others)
    return len(rows[0]) > 1 and marks and not first.isdisjoint(others | {""})


def even_rows(text: str, *, ragged: bool = False) -> list[list[str]]:
    r"""Return the first rows of a text of two columns or more; none if it is no such text.

    Parameters
    ----------
    text
        The text.
    ragged
        Whether rows of another length than the first are left out; otherwise there is no such text.

    Examples
    --------
    >>> even_rows("a;b\n1;2\n"), even_rows("a;b\n1;2;3\n"), even_rows("a;b\n1;2;3\n", ragged=True)
    ([['a', 'b'], ['1', '2']], [], [['a', 'b']])
    """
    if text.lstrip()[:1] in _JSON_OR_XML:
        return []
    try:
        separator = table_separator(text)
        refuse_many_columns(text, separator)
        rows = sample(squeezed(text) if separator == " " else text, separator)
    except FormatError:
        return []
    if not ragged and {len(row) for row in rows[:ROWS_TO_TRY]} != {max(len(rows[0]), 2)}:
        return []
    # A row further down may be shorter; the reader finds it.
    return [row for row in rows if len(row) == len(rows[0])]


def names_rows(title: str, cells: Sequence[str]) -> bool:
    """Return whether the first column of a table of marks can name the rows.

    Its values differ. Dates are values, and so are numbers, unless the title is one of names or the
    numbers count the rows.

    Examples
    --------
    >>> [names_rows(*column) for column in (("pet", "ab"), ("pet", "aa"), ("no", "42"))]
    [True, False, True]
    >>> names_rows("age", ["31", "28"]), names_rows("pet", ["1", "2"])
    (False, True)
    """
    if len(set(cells)) < len(cells) or (cells and all(map(_is_date, cells))):
        return False
    if not title or NAME_TITLE.fullmatch(title) or not all(map(is_number, cells)):
        return True
    if MEASURED_TITLE.fullmatch(title):
        return False
    return all(map(str.isdecimal, cells)) and all(
        int(one) + 1 == int(other) for one, other in pairwise(cells)
    )


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row holds the names of the columns.

    It does if it differs from the rows below: a word above numbers or marks, a number above words,
    numbers in equal steps such as years, an empty corner above names or, with less weight, a
    unique value above a few repeated values, a word above values with digits such as 12%, or a
    usual title such as `name`. It doesn't if it has an empty name elsewhere, if it has numbers
    above numbers or its values occur again below, or if it repeats a name and has no word above
    numbers.

    Raises
    ------
    FormatError
        If nothing indicates either, or there is only one row.

    Examples
    --------
    >>> has_header([["sex", "age"], ["male", "30"], ["female", "41"]])
    True
    >>> has_header([["male", "30"], ["female", "41"], ["male", "17"]])
    False
    >>> has_header([["Ann", "Paris"], ["Bob", "Rome"]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 1: nothing shows whether this is a header ...
    """
    first = rows[0]
    names = [name for name in first if name not in _UNKNOWN]
    votes = header_votes(rows)
    corner = first[0] == "" and len(first) > 1
    if len(names) < len(first) - corner:
        return False
    if len(set(names)) < len(names):
        # With words above numbers, it is a header, although a wrong one.
        return bool(votes["header"]) and not votes["row"]
    if votes["header"] or _in_steps(rows) or (corner and all(row[0] for row in rows[1:] if row)):
        return len(rows) > 1 or _refuse_lone_row()
    if votes["row"]:
        return False
    if len(rows) == 1:
        _refuse_lone_row()
    if votes["perhaps"] or (first[0].lower() not in MARKS and NAME_TITLE.fullmatch(first[0])):
        return True
    hint = "say so: header=True or header=False"
    if len(first) == 2:
        hint += "; if every line is an object and an attribute: format='pairs'"
    elif len(first) == 1:
        hint += f"; {BASKETS_HINT}"
    raise FormatError("nothing shows whether this is a header or a row", line=1, hint=hint)


def _refuse_lone_row() -> NoReturn:
    raise FormatError(
        "the table has columns but no rows",
        line=1,
        hint="if this line is a row and no header: header=False",
    )


def _in_steps(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the numbers of the first row, and of no other, ascend in equal steps."""
    width = len(rows[0])
    places = [j for j in range(width) if all(is_number(row[j]) for row in rows[:2] if len(row) > j)]
    places = places if len(rows) > 1 else []
    if len(places) < 3:
        return False

    def stepped(row: Sequence[str]) -> bool:
        cells = [row[j] for j in places if j < len(row)]
        if len(cells) < len(places) or not all(map(is_number, cells)):
            return False
        numbers = [float(cell.replace(",", ".")) for cell in cells]
        steps = {round(b - a, 9) for a, b in pairwise(numbers)}
        return len(steps) == 1 and steps.pop() > 0

    return stepped(rows[0]) and not any(map(stepped, rows[1:]))


def header_votes(rows: Sequence[Sequence[str]]) -> Counter[str]:
    """Return the votes of the columns on the first row: "header", "row", "perhaps" (header) or "".

    Examples
    --------
    >>> header_votes([["order", "sku"], ["17", "tea"], ["17", "milk"], ["18", "tea"]])["header"]
    1
    """
    return Counter(_vote(column) for column in zip(*rows, strict=False))


def _vote(column: Sequence[str]) -> str:
    """Return the vote of one column on the first row: "header", "row", "perhaps" (header), ""."""
    first = column[0]
    below = Counter(column)
    below[first] -= 1
    for value in (*_UNKNOWN, *([] if below[first] else [first])):
        below.pop(value, None)
    if not below or first in _UNKNOWN:
        return ""
    for looks_like in (is_number, _is_date):
        if all(map(looks_like, below)):
            return "row" if looks_like(first) else "header"
    if first in below:
        return "row"
    if is_number(first) and not any(map(_DIGIT.search, below)):
        return "header"
    if all(value.lower() in MARKS for value in below):
        return "" if first.lower() in MARKS else "header"
    if len(below) > 1 and all(map(_DIGIT.search, below)) and not _DIGIT.search(first):
        return "perhaps"
    # The share of values that occur once estimates the chance that one more value is a new one
    # (Good and Turing). If it is small, a first row of data would have a value from below.
    once = sum(count == 1 for count in below.values())
    return "perhaps" if 3 * (once + 1) <= below.total() else ""


def _is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None
