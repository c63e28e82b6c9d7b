"""What notebooks show: small tables, whatever the size of the thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from conceptrank import _text

if TYPE_CHECKING:
    from conceptrank.concept import Concept
    from conceptrank.context import Context
    from conceptrank.lattice import Lattice
    from conceptrank.ranking import Ranking

MOST_ROWS = 20
MOST_COLUMNS = 20


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Examples
    --------
    >>> table("a", ["b"], [["<"]])
    '<table><caption>a</caption><tr><th>b</th></tr><tr><td>&lt;</td></tr></table>'
    """
    lines = [f"<table><caption>{escape(caption)}</caption>", _row("th", header)]
    lines += [_row("td", row) for row in rows]
    return "".join(lines) + "</table>"


def context(context: Context) -> str:
    """Return the upper left corner of a cross table."""
    objects, attributes = context.objects[:MOST_ROWS], context.attributes[:MOST_COLUMNS]
    rows = []
    for number, name in enumerate(objects):
        row = context.core.intension(np.array([number], dtype=np.uint32))
        crosses = set(row[row < MOST_COLUMNS].tolist())
        marks = ["×" if m in crosses else "" for m in range(len(attributes))]
        rows.append([_text.label(name), *marks])
    header = ["", *map(_text.label, attributes)]
    if len(attributes) < len(context.attributes):
        header.append("…")
        rows = [[*row, ""] for row in rows]
    if len(objects) < len(context.objects):
        rows.append(["…"] + [""] * (len(header) - 1))
    return table(repr(context)[1:-1], header, rows)


def concept(concept: Concept) -> str:
    """Return what a concept consists of."""
    rows = [
        ["extent", concept.shown_extent()],
        ["intent", _text.braces(concept.intent)],
        ["relevant attributes", _text.braces(concept.relevant_attributes)],
        ["intent faces", " ".join(map(_text.braces, concept.intent_faces[:MOST_ROWS]))],
    ]
    objects = f"{concept.support:,} object{'' if concept.support == 1 else 's'}"
    return table(f"Concept of {objects}", ["", ""], rows)


def lattice(lattice: Lattice) -> str:
    """Return the first concepts of a lattice."""
    rows = [
        [str(i), f"{concept.support:,}", _text.braces(concept.intent)]
        for i, concept in enumerate(lattice[:MOST_ROWS])
    ]
    if len(lattice) > MOST_ROWS:
        rows.append(["…", "", ""])
    return table(repr(lattice)[1:-1], ["index", "support", "intent"], rows)


def ranking(ranking: Ranking) -> str:
    """Return the first rows of a ranking."""
    rows = ranking.text_rows(MOST_ROWS)
    if len(ranking) > MOST_ROWS:
        rows.append(["…"] + [""] * (len(ranking.header) - 1))
    return table(ranking.title, ranking.header, rows)


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
