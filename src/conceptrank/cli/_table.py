"""Tables for people: columns align in any script and wrap at the width of a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import TextIO

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len, chop_cells

from conceptrank._util.text import printable

GAP = "  "
NOTHING = "{}"
_NARROWEST = 8


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    title
        The first line.
    cells
        One text per row, or the parts of one; a line may end after a part.
    right
        Whether the column is aligned to the right.
    wraps
        Whether its cells may take several lines; right-aligned cells never do.
    """

    title: str
    cells: Sequence[str | Sequence[str]]
    right: bool = False
    wraps: bool = True


def names(labels: Sequence[str], *, most: int | None = None, total: int | None = None) -> list[str]:
    """Return names as the parts of a cell; only the first ones if there are too many.

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
    """
    shown = [printable(label) for label in labels[:most]]
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


def lines(columns: Sequence[Column], *, width: int | None, indent: str = "") -> Iterator[str]:
    r"""Return the lines of a table, the titles first.

    Examples
    --------
    >>> intents = Column("intent", [["comedy,", "drama"], "action"])
    >>> table = [Column("rank", ["1", "12"], right=True), intents]
    >>> print(*lines(table, width=None), sep="\n")
    rank  intent
       1  comedy, drama
      12  action
    >>> print(*lines(table, width=14), sep="\n")
    rank  intent
       1  comedy,
          drama
      12  action
    """
    for row in _rows(columns, width=width, indent=indent):
        yield from row


def rows(columns: Sequence[Column], *, width: int | None, indent: str = "") -> Iterator[list[str]]:
    r"""Return the lines of each row of a table without its titles.

    Examples
    --------
    >>> intents = Column("intent", [["comedy,", "drama"], "action"])
    >>> list(rows([intents], width=10))
    [['comedy,', 'drama'], ['action']]
    """
    return islice(_rows(columns, width=width, indent=indent), 1, None)


def _rows(columns: Sequence[Column], *, width: int | None, indent: str) -> Iterator[list[str]]:
    widths = _widths(columns, width and width - len(indent))
    body = zip(*(column.cells for column in columns), strict=True)
    for row in ([column.title for column in columns], *body):
        cells = [
            wrapped([cell] if isinstance(cell, str) else cell, limit)
            for cell, limit in zip(row, widths, strict=True)
        ]
        lines = []
        for number in range(max(map(len, cells))):
            texts = (cell[number] if number < len(cell) else "" for cell in cells)
            padded = (
                _padded(text, limit, right=column.right)
                for text, limit, column in zip(texts, widths, columns, strict=True)
            )
            lines.append((indent + GAP.join(padded)).rstrip())
        yield lines


def wrapped(parts: Sequence[str], limit: int) -> list[str]:
    """Return lines of at most `limit` cells, each with as many of the parts as fit.

    Examples
    --------
    >>> wrapped(["action,", "adventure,", "drama"], 18)
    ['action, adventure,', 'drama']
    >>> wrapped(["incomprehensible"], 8)
    ['incompre', 'hensible']
    """
    result: list[str] = []
    current, used = "", 0
    for part in parts:
        size = cell_len(part)
        if used and used + 1 + size <= limit:
            current, used = f"{current} {part}", used + 1 + size
            continue
        if used:
            result.append(current)
        *full, current = chop_cells(part, limit) if size > limit else [part]
        result += full
        used = cell_len(current)
    return [*result, current]


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


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def _widths(columns: Sequence[Column], limit: int | None) -> list[int]:
    """Return a width per column; columns that wrap shrink to meet the limit."""

    def size(cell: str | Sequence[str]) -> int:
        return cell_len(cell if isinstance(cell, str) else " ".join(cell))

    sizes = [[size(cell) for cell in (column.title, *column.cells)] for column in columns]
    widths = [max(each) for each in sizes]
    if limit is None:
        return widths
    texts = [place for place, column in enumerate(columns) if column.wraps and not column.right]
    room = limit - len(GAP) * (len(columns) - 1)
    room -= sum(width for place, width in enumerate(widths) if place not in texts)
    # Narrow columns take what they need. The others share the rest by their average cell.
    usual = {place: sum(sizes[place]) / len(sizes[place]) for place in texts}
    for place in sorted(texts, key=lambda place: widths[place]):
        share = int(room * usual[place] / sum(usual.values()))
        # A very narrow terminal gets lines that are too long rather than one letter per line.
        widths[place] = min(widths[place], max(share, _NARROWEST))
        room -= widths[place]
        del usual[place]
    return widths
