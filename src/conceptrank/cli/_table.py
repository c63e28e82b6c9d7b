"""Tables on standard output: cells of names and numbers, the width of a line, bold headings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import text_table
from conceptrank._util.text import printable
from conceptrank._util.text_table import TextColumn

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
    >>> numbers(np.array([1 / 3, 0.5])), numbers(np.array([1200.0, np.inf]))
    (['0.3333', '0.5000'], ['1,200', 'inf'])
    >>> numbers(np.array([0.25, 1e-9]), exact=np.array([False, True]))
    ['~0.2500', '1.00e-09']
    """
    whole = bool((values[np.isfinite(values)] % 1 == 0).all())
    marks = [""] * len(values) if exact is None else np.where(exact, "", "~").tolist()
    texts = (_number(value, whole=whole) for value in values.tolist())
    return [mark + text for mark, text in zip(marks, texts, strict=True)]


def score_column(
    title: str, values: NDArray[np.float64], *, exact: NDArray[np.bool_] | None = None
) -> TextColumn:
    """Return a column of scores, as `numbers` shows them."""
    return TextColumn(title, numbers(values, exact=exact), right=True)


def count_column(title: str, counts: Iterable[int]) -> TextColumn:
    """Return a column of whole numbers."""
    return TextColumn(title, [f"{count:,}" for count in counts], right=True)


def name_column(title: str, sets: Iterable[Sequence[str]]) -> TextColumn:
    """Return a column of sets of names."""
    return TextColumn(title, [names(each, most=MOST_NAMES) for each in sets])


def arrow_column(rows: int) -> TextColumn:
    """Return the column between the premises and the conclusions of rules."""
    return TextColumn("", ["→"] * rows, wraps=False)


def _number(value: float, *, whole: bool) -> str:
    if not isfinite(value):
        return str(value)
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
