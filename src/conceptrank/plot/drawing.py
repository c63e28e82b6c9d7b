"""Line diagrams with matplotlib: lines, nodes, labels, and a foot that tells how to read them."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank import _text
from conceptrank.plot import style
from conceptrank.plot.columns import Column
from conceptrank.plot.placing import FONT, LABEL_GAP, LINE, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from conceptrank.plot.line_diagram import Diagram

# All lengths are points at the natural size of the drawing.
_MARGIN = 6.0
_FOOT_FONT = 7.0
_FOOT_LINE = 10.0
_NARROWEST = 220.0
_BAR = (90.0, 7.0)
_STEPS = 30
_KEYS = 36.0


def draw(diagram: Diagram, ax: Axes | None = None) -> Axes:
    """Draw a diagram, and return the axes.

    On the axes of a new figure everything has its natural size; on given ones all of it, text
    too, is as large as fits.
    """
    pieces = _Pieces(diagram)
    left, right, low, high = pieces.extent
    wide, tall = right - left, high - low
    if ax is None:
        ax = (
            style.pyplot("a line diagram")
            .figure(figsize=(wide / 72, tall / 72))
            .add_axes((0, 0, 1, 1))
        )
    assert ax is not None
    ax.set_axis_off()
    # Points of the page for each point of the drawing.
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    scale = min(box.width * 72 / wide, box.height * 72 / tall)
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    ax.set_aspect("equal")
    pieces.put_on(ax, scale)
    return ax


class _Pieces:
    """The parts of a drawing and the room that they take."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.labels = list(_labels(diagram))
        self.families = style.families()
        places, radii = diagram.positions, diagram.radii[:, None]
        corners = [places - radii, places + radii] if len(places) else [np.zeros((1, 2))]
        for x, y, text, side in self.labels:
            half, tall = max(map(text_width, text)) / 2, LINE * len(text)
            corners.append(np.array([[x - half, y], [x + half, y + side * tall]]))
        low = np.concatenate(corners).min(axis=0)
        high = np.concatenate(corners).max(axis=0)
        self.middle = float(low[0] + high[0]) / 2
        width = max(float(high[0] - low[0]), _NARROWEST) + 2 * _MARGIN
        self.left, self.right = self.middle - width / 2, self.middle + width / 2
        self.foot_top = float(low[1]) - 14
        self.notes = [
            line
            for note in diagram.notes
            for line in wrap(note, max(30, int((width - 2 * _MARGIN) / (_FOOT_FONT * 0.52))))
        ]
        keys = _KEYS if diagram.colour is not None or diagram.size is not None else 0.0
        foot = len(self.notes) * _FOOT_LINE + keys
        self.extent = (
            self.left,
            self.right,
            self.foot_top - foot - _MARGIN,
            float(high[1]) + _MARGIN,
        )

    def put_on(self, ax: Axes, scale: float) -> None:
        """Draw everything, this many times as large as it is meant to be."""
        self._lines(ax, scale)
        self._nodes(ax, scale)
        for x, y, text, side in self.labels:
            self._text(ax, scale, (x, y), "\n".join(text), side)
        y = self.foot_top
        y = self._keys(ax, scale, y)
        for line in self.notes:
            _write(ax, self.left + _MARGIN, y, line, scale, color=style.GREY, va="top", ha="left")
            y -= _FOOT_LINE

    def _lines(self, ax: Axes, scale: float) -> None:
        from matplotlib.collections import LineCollection

        paths = self.diagram.paths
        width = 0.8 * scale if self.diagram.labelled else 0.3 * scale
        lines = LineCollection(paths, colors=style.GREY, linewidths=width, zorder=1)
        ax.add_collection(lines, autolim=False)

    def _nodes(self, ax: Axes, scale: float) -> None:
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Circle

        diagram = self.diagram
        places = zip(diagram.positions.tolist(), diagram.radii.tolist(), strict=True)
        widths = np.full(len(diagram.part), 0.9 * scale)
        if diagram.part.focus is not None:
            widths[diagram.part.focus] = 2.2 * scale
        lines: Any = "-"
        if diagram.colour is not None:
            lines = ["-" if known else (0, (1.5, 1.2)) for known in diagram.colour.known.tolist()]
        nodes = PatchCollection(
            [Circle((x, y), radius) for (x, y), radius in places],
            facecolors=diagram.fills or style.PAPER,
            edgecolors=style.INK,
            linewidths=widths,
            linestyles=lines,
            zorder=3,
        )
        ax.add_collection(nodes, autolim=False)

    def _text(
        self, ax: Axes, scale: float, place: tuple[float, float], text: str, side: int
    ) -> None:
        # Lines stay visible below it, but don't strike the text through.
        paper = {"facecolor": style.PAPER, "alpha": 0.82, "edgecolor": "none", "pad": 0.6 * scale}
        ax.text(
            *place,
            text,
            ha="center",
            va="bottom" if side > 0 else "top",
            fontsize=FONT * scale,
            linespacing=LINE / FONT / 1.2,
            color=style.INK,
            fontfamily=self.families,
            parse_math=False,
            bbox=paper,
            zorder=4,
        )

    def _keys(self, ax: Axes, scale: float, y: float) -> float:
        """Draw what colours and sizes mean, and return where the next line begins."""
        diagram, x = self.diagram, self.left + _MARGIN
        if diagram.colour is None and diagram.size is None:
            return y
        if diagram.colour is not None:
            x = _colour_key(ax, scale, x, y, diagram.colour) + 26
        if diagram.size is not None:
            _size_key(ax, scale, x, y, diagram)
        return y - _KEYS


def _labels(diagram: Diagram) -> Iterator[tuple[float, float, tuple[str, ...], int]]:
    for (x, y), radius, label in zip(
        diagram.positions.tolist(), diagram.radii.tolist(), diagram.labels, strict=True
    ):
        if label.above:
            yield x, y + radius + LABEL_GAP, label.above, 1
        if label.below:
            yield x, y - radius - LABEL_GAP, label.below, -1


def _circle(ax: Axes, place: tuple[float, float], radius: float, scale: float) -> None:
    from matplotlib.patches import Circle

    how = {"facecolor": style.PAPER, "edgecolor": style.INK, "linewidth": 0.9 * scale}
    ax.add_patch(Circle(place, radius, zorder=3, **how))


def _write(ax: Axes, x: float, y: float, text: str, scale: float, **how: Any) -> None:
    ax.text(x, y, text, fontsize=_FOOT_FONT * scale, parse_math=False, zorder=4, **how)


def _ends(column: Column) -> list[float]:
    """Return the smallest and the largest finite score, or the only one."""
    known = column.scores[column.known]
    return sorted({float(known.min()), float(known.max())}) if len(known) else []


def _heading(ax: Axes, scale: float, x: float, y: float, column: Column) -> float:
    name = _text.printable(_text.label(column.name))
    missing = column.missing()
    text = f"{name} ({missing})" if missing else name
    _write(ax, x, y, text, scale, color=style.INK, va="top", ha="left")
    return text_width(text, _FOOT_FONT)


def _colour_key(ax: Axes, scale: float, x: float, y: float, column: Column) -> float:
    from matplotlib.patches import Rectangle

    used = _heading(ax, scale, x, y, column)
    ends = _ends(column)
    wide, tall = _BAR
    steps = _STEPS if len(ends) > 1 else 1
    y -= 10
    for step in range(steps):
        share = step / (steps - 1) if steps > 1 else 0.5
        fill = style.shade(share) if ends else style.PAPER
        corner = (x + wide * step / steps, y - tall)
        # A little wider than it is, so that no line shows between them.
        ax.add_patch(
            Rectangle(corner, wide / steps + 0.4, tall, facecolor=fill, edgecolor="none", zorder=2)
        )
    ax.add_patch(
        Rectangle(
            (x, y - tall),
            wide + 0.4,
            tall,
            fill=False,
            edgecolor=style.INK,
            linewidth=0.5 * scale,
            zorder=3,
        )
    )
    sides = ("left", "right") if len(ends) > 1 else ("left",)
    for side, value, place in zip(sides, ends, (x, x + wide), strict=False):
        _write(ax, place, y - tall - 1, _number(value), scale, color=style.INK, va="top", ha=side)
    return x + max(wide, used)


def _size_key(ax: Axes, scale: float, x: float, y: float, diagram: Diagram) -> None:
    assert diagram.size is not None
    _heading(ax, scale, x, y, diagram.size)
    ends = _ends(diagram.size)
    known = diagram.radii[diagram.size.known]
    radii = sorted({float(known.min()), float(known.max())}) if len(known) else []
    for radius, value in zip(radii, ends, strict=False):
        x += radius
        _circle(ax, (x, y - 19), radius, scale)
        x += radius + 3
        text = _number(value)
        _write(ax, x, y - 19, text, scale, color=style.INK, va="center", ha="left")
        x += text_width(text, _FOOT_FONT) + 10


def _number(value: float) -> str:
    return _text.number(value).replace("-", "−")
