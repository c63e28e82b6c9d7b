"""`table`: HTML tables for notebooks and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

MOST_ROWS = 20
MOST_COLUMNS = 20
# A text, or a text and the class of its cell.
Cell: TypeAlias = str | tuple[str, str]


def table(header: Sequence[str], rows: Iterable[Iterable[Cell]], *, caption: str = "") -> str:
    """Return a table.

    Examples
    --------
    >>> table(["b"], [["<"], [("1", "n")]])
    '<table><tr><th>b</th></tr><tr><td>&lt;</td></tr><tr><td class="n">1</td></tr></table>'
    """
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = [_row("th", header), *(_row("td", row) for row in rows)]
    return f"<table>{above}{''.join(body)}</table>"


def _row(tag: str, cells: Iterable[Cell]) -> str:
    return f"<tr>{''.join(_cell(tag, cell) for cell in cells)}</tr>"


def _cell(tag: str, cell: Cell) -> str:
    text, kind = (cell, "") if isinstance(cell, str) else cell
    mark = f' class="{kind}"' if kind else ""
    return f"<{tag}{mark}>{escape(text)}</{tag}>"
