"""`table`: small HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 20
MOST_COLUMNS = 20


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a caption.

    Examples
    --------
    >>> table("a", ["b"], [["<"]])
    '<table><caption>a</caption><tr><th>b</th></tr><tr><td>&lt;</td></tr></table>'
    """
    lines = [f"<table><caption>{escape(caption)}</caption>", _row("th", header)]
    lines += [_row("td", row) for row in rows]
    return "".join(lines) + "</table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
