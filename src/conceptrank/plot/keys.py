"""What the colours and sizes of a line diagram mean, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrank._util import text as _text
from conceptrank.plot.columns import Column

if TYPE_CHECKING:
    from conceptrank.plot.line_diagram import Diagram

# The size of the text below a drawing, in points.
FONT = 7.0


def in_words(diagram: Diagram) -> str:
    """Return the meaning of colours and sizes as a line of text; empty if neither is used.

    Examples
    --------
    >>> import conceptrank as cr
    >>> in_words(cr.plot.diagram(cr.datasets.load("movies").lattice(), colour="cr"))
    'Colour: cr from 0 (light) to 0.5 (dark).'
    """
    found = []
    for what, column, (low, high) in (
        ("colour", diagram.colour, ("light", "dark")),
        ("size", diagram.size, ("small", "large")),
    ):
        if column is not None and len(diagram.part):
            known = column.scores[column.known]
            text = f"{what}: {_heading(column)}"
            if len(known) and known.min() < known.max():
                least, most = map(_number, (known.min(), known.max()))
                text += f" from {least} ({low}) to {most} ({high})"
            elif len(known):
                text += f" is {_number(known[0])} everywhere"
            found.append(text)
    text = "; ".join(found)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _number(value: float) -> str:
    return _text.number(float(value)).replace("-", "−")


def _heading(column: Column) -> str:
    """Return the name of a measure, and how many concepts have no finite score."""
    name = _text.printable(_text.label(column.name))
    missing = column.missing()
    return f"{name} ({missing})" if missing else name
