"""Tables on standard output: cells of names and numbers, the width of a line, bold headings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import isfinite
from operator import itemgetter
from typing import Any, TextIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import text_table
from conceptrank._util.text import number, printable
from conceptrank._util.text_table import TextColumn

# Numbers, texts, or lists of names.
Cells: TypeAlias = "NDArray[Any] | list[list[str]]"
# What a table of results says about the scores in the column `x`: `x_exact`, `x_low`, `x_high`.
_DOUBT = ("exact", "low", "high")
NOTHING = "{}"
# The most names in a cell of a printed table; the other formats have all names.
MOST_NAMES = 100


def names(labels: Sequence[str], *, most: int | None = None, total: int | None = None) -> list[str]:
    """Return names as the parts of a cell; only the first ones if there are too many.

    Names with a comma and a blank are quoted, as options such as --contains take them.

    Parameters
    ----------
    labels
        The names.
    most
        How many to show; all if None.
    total
        How many there are, if not all of them are given.

    Examples
    --------
    >>> " ".join(names(["a", "b"])), " ".join(names(["a", "b", "c"], most=1)), names([])
    ('a, b', 'a, … and 2 more', ['{}'])
    >>> " ".join(names(["Doe, Jane", "Ann"]))
    '"Doe, Jane", Ann'
    """
    shown = [printable(f'"{label}"' if ", " in label else label) for label in labels[:most]]
    rest = (len(labels) if total is None else total) - len(shown)
    if rest:
        shown.append(f"… and {rest:,} more")
    return [f"{part}," for part in shown[:-1]] + shown[-1:] or [NOTHING]


def numbers(values: NDArray[np.float64], *, exact: NDArray[np.bool_] | None = None) -> list[str]:
    """Return a column of numbers with equally many decimals; inexact ones begin with a tilde.

    Examples
    --------
    >>> numbers(np.array([1 / 3, 0.5])), numbers(np.array([1200.0, -np.inf, np.nan]))
    (['0.3333', '0.5000'], ['1,200', '−∞', '–'])
    >>> numbers(np.array([0.25, 1e-9]), exact=np.array([False, True]))
    ['~0.2500', '1.00e-09']
    """
    whole = bool((values[np.isfinite(values)] % 1 == 0).all())
    marks = [""] * len(values) if exact is None else np.where(exact, "", "~").tolist()
    texts = (_number(value, whole=whole) for value in values.tolist())
    return [mark + text for mark, text in zip(marks, texts, strict=True)]


def columns(table: Mapping[str, Cells]) -> list[TextColumn]:
    """Return the columns of a table of results as text: numbers, then lists of names.

    The column `x_exact`, or `exact` for all scores, marks inexact scores in the column `x`;
    `x_low` and `x_high` become a margin beside it.

    Examples
    --------
    >>> table = {"intent": [["a", "b"]], "cr": np.array([0.5]), "cr_exact": np.array([False])}
    >>> [(column.title, column.cells) for column in columns(table)]
    [('cr', ['~0.5000']), ('intent', [['a,', 'b']])]
    """
    numeric: list[TextColumn] = []
    texts: list[TextColumn] = []
    for name, values in table.items():
        base, _, ending = name.rpartition("_")
        if name == "exact" or (ending in ("exact", "low", "high") and base in table):
            continue
        if isinstance(values, list):
            if name == "conclusion":
                texts.append(TextColumn("", ["→"] * len(values), wraps=False))
            texts.append(TextColumn(name, [names(each, most=MOST_NAMES) for each in values]))
        elif values.dtype.kind in "iu" or name == "rank":
            numeric.append(TextColumn(name, [f"{each:,.15g}" for each in values], right=True))
        elif values.dtype.kind == "f":
            exact: Any = table.get(f"{name}_exact", table.get("exact"))
            numeric.append(TextColumn(name, numbers(values, exact=exact), right=True))
            if margins := _margins(values, *(table.get(f"{name}_{end}") for end in _DOUBT)):
                numeric.append(TextColumn("", margins, right=True))
        else:
            numeric.append(TextColumn(name, [printable(str(each)) for each in values]))
    return [*numeric, *texts]


def _margins(scores: Any, exact: Any, low: Any, high: Any) -> list[str]:
    """Return how far the truth can be from each score; nothing if no interval is known."""
    if low is None or high is None:
        return []
    margins = np.nan_to_num(np.maximum(high - scores, scores - low), posinf=0.0)
    margins[exact] = 0.0
    return [f"±{each:.2g}" if each else "" for each in margins.tolist()]


def _number(value: float, *, whole: bool) -> str:
    if not isfinite(value):
        return number(value)
    if value and not 5e-5 <= abs(value) < 1e9:
        return f"{value:.0f}" if whole and abs(value) < 1e15 else f"{value:.2e}"
    return f"{value:,.0f}" if whole else f"{value:,.4f}"


def line_width(file: TextIO) -> int | None:
    """Return the most characters per line; None if there is no limit.

    Lines in a pipe or a file are not wrapped, unless COLUMNS sets a width.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if not file.isatty():
        return None
    try:
        return os.get_terminal_size(file.fileno()).columns or None
    except (OSError, ValueError):
        return None


def write(table: Iterable[str], *, file: TextIO | None = None, titled: bool = True) -> None:
    """Write lines to a file, or to standard output; a title is bold on a terminal."""
    file = sys.stdout if file is None else file
    all_lines = iter(table)
    if titled:
        first = next(all_lines, None)
        if first is not None:
            heading(first, file=file)
    for line in all_lines:
        file.write(f"{line}\n")


def write_body(columns: Sequence[TextColumn]) -> None:
    """Write the columns of a table without titles to standard output."""
    _, *body = text_table.lines(columns, width=line_width(sys.stdout), indent=text_table.GAP)
    write(body, titled=False)


def write_grouped(columns: Sequence[TextColumn], titles: Sequence[str]) -> None:
    """Write the rows of a table, with a heading above all rows of the same title."""
    rows = text_table.rows(columns, width=line_width(sys.stdout), indent=text_table.GAP)
    for title, members in groupby(zip(titles, rows, strict=True), itemgetter(0)):
        heading(f"\n{title}")
        write([line for _, lines in members for line in lines], titled=False)


def heading(text: str, *, file: TextIO | None = None) -> None:
    """Write a line, bold on a terminal."""
    from rich.console import Console
    from rich.text import Text

    file = sys.stdout if file is None else file
    console = Console(file=file, soft_wrap=True)
    with console.capture() as bold:
        console.print(Text(text, style="bold"), highlight=False)
    # Written here, because rich would end the program when the reader closes the pipe.
    file.write(bold.get())
