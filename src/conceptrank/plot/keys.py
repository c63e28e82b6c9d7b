"""What the colours and sizes of a line diagram mean: their keys below a drawing, and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptrank._util import text as _text
from conceptrank.plot import style
from conceptrank.plot.columns import Column
from conceptrank.plot.placing import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from conceptrank.plot.line_diagram import Diagram

# Points, as everywhere in a drawing.
FONT = 7.0
BAR = (90.0, 7.0)
_HEIGHT = 36.0
BETWEEN = 26.0
_STEPS = 30


def size_of(diagram: Diagram) -> tuple[float, float]:
    """Return how wide and how high the keys of a diagram are."""
    widths = []
    if diagram.colour is not None:
        widths.append(max(BAR[0], text_width(heading(diagram.colour), FONT)))
    if diagram.size is not None:
        circles = sum(2 * radius + 13 + text_width(text, FONT) for radius, text in sizes(diagram))
        widths.append(max(circles, text_width(heading(diagram.size), FONT)))
    if not widths or not len(diagram.part):
        return 0.0, 0.0
    return sum(widths) + BETWEEN * (len(widths) - 1), _HEIGHT


def draw(ax: Axes, corner: tuple[float, float], diagram: Diagram, scale: float) -> None:
    """Draw the keys of a diagram, their upper left corner at a place."""
    x, y = corner
    if not len(diagram.part):
        return
    if diagram.colour is not None:
        write(ax, (x, y), heading(diagram.colour), scale, va="top")
        _bar(ax, (x, y - 10), diagram.colour, scale)
        x += max(BAR[0], text_width(heading(diagram.colour), FONT)) + BETWEEN
    if diagram.size is not None:
        write(ax, (x, y), heading(diagram.size), scale, va="top")
        _circles(ax, (x, y - 19), diagram, scale)


def in_words(diagram: Diagram) -> str:
    """Return the meaning of colours and sizes as a line of text; empty if neither is used.

    Examples
    --------
    >>> import conceptrank as cr
    >>> in_words(cr.plot.diagram(cr.datasets.load("movies").lattice(), colour="cr"))
    'colour: cr from 0 (light) to 0.5 (dark)'
    """
    found = []
    for what, column, (low, high) in (
        ("colour", diagram.colour, ("light", "dark")),
        ("size", diagram.size, ("small", "large")),
    ):
        if column is not None and len(ends := ends_of(column)) == 2:
            least, most = map(number, ends)
            found.append(f"{what}: {heading(column)} from {least} ({low}) to {most} ({high})")
    return "; ".join(found)


def heading(column: Column) -> str:
    """Return the name of a measure, and how many concepts have no finite score."""
    name = _text.printable(_text.label(column.name))
    missing = column.missing()
    return f"{name} ({missing})" if missing else name


def _bar(ax: Axes, corner: tuple[float, float], column: Column, scale: float) -> None:
    from matplotlib.patches import Rectangle

    ends = ends_of(column)
    x, y = corner
    wide, tall = BAR
    steps = _STEPS if len(ends) > 1 else 1
    for step in range(steps):
        share = step / (steps - 1) if steps > 1 else 0.5
        fill = style.shade(share) if ends else style.PAPER
        left = x + wide * step / steps
        # A little wider than it is, so that no line shows between them.
        part = Rectangle((left, y - tall), wide / steps + 0.4, tall, facecolor=fill, linewidth=0)
        ax.add_patch(part)
    frame: dict[str, Any] = {"fill": False, "edgecolor": style.INK, "linewidth": 0.5 * scale}
    ax.add_patch(Rectangle((x, y - tall), wide + 0.4, tall, **frame))
    places = [(x, "left"), (x + wide, "right")]
    for value, (place, side) in zip(ends, places, strict=False):
        write(ax, (place, y - tall - 1), number(value), scale, va="top", ha=side)


def _circles(ax: Axes, place: tuple[float, float], diagram: Diagram, scale: float) -> None:
    from matplotlib.patches import Circle

    look: dict[str, Any] = {
        "facecolor": style.PAPER,
        "edgecolor": style.INK,
        "linewidth": 0.9 * scale,
    }
    x, y = place
    for radius, text in sizes(diagram):
        x += radius
        ax.add_patch(Circle((x, y), radius, zorder=3, **look))
        x += radius + 3
        write(ax, (x, y), text, scale, va="center")
        x += text_width(text, FONT) + 10


def sizes(diagram: Diagram) -> list[tuple[float, str]]:
    """Return the smallest and the largest radius with their scores, or the only ones."""
    assert diagram.size is not None
    radii = diagram.scene.radii[diagram.size.known]
    ends = sorted({float(radii.min()), float(radii.max())}) if len(radii) else []
    return list(zip(ends, map(number, ends_of(diagram.size)), strict=False))


def ends_of(column: Column) -> list[float]:
    """Return the smallest and the largest finite score, or the only one."""
    known = column.scores[column.known]
    return sorted({float(known.min()), float(known.max())}) if len(known) else []


def write(ax: Axes, place: tuple[float, float], text: str, scale: float, **how: Any) -> None:
    """Write a line of small text."""
    look: dict[str, Any] = {"fontsize": FONT * scale, "color": style.INK, "zorder": 4} | how
    ax.text(*place, text, parse_math=False, **look)


def number(value: float) -> str:
    """Return a score as a key writes it."""
    return _text.number(value).replace("-", "−")
