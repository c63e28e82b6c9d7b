"""Line diagrams with matplotlib: lines, nodes, labels, and a caption on how to read them."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank.plot import keys, style
from conceptrank.plot.placing import FONT, LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from conceptrank.plot.line_diagram import Diagram

# All lengths are points at the natural size of the drawing: around it, a line of the foot, the
# least width.
MARGIN = 6.0
_FOOT_LINE = 10.0
_NARROWEST = 220.0


def draw(diagram: Diagram, ax: Axes | None = None) -> Axes:
    """Draw a diagram, and return the axes.

    On the axes of a new figure everything has its natural size; on given ones all of it, text
    too, is as large as fits.
    """
    plt = style.pyplot("a line diagram")
    pieces = _Pieces(diagram)
    left, right, low, high = pieces.extent
    wide, tall = right - left, high - low
    if ax is None:
        ax = plt.figure(figsize=(wide / 72, tall / 72)).add_axes((0, 0, 1, 1))
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
        self.scene = diagram.scene
        self.families = style.families()
        left, right, low, high = self.scene.frame
        middle, width = (left + right) / 2, max(right - left, _NARROWEST) + 2 * MARGIN
        if diagram.width is not None:
            width = max(diagram.width, right - left)
        self.left, self.right = middle - width / 2, middle + width / 2
        self.foot_top = low - 14
        letters = max(30, int((width - 2 * MARGIN) / (keys.FONT * 0.52)))
        notes = (keys.in_words(diagram), *(diagram.notes if diagram.caption else ()))
        self.notes = [line for note in notes for line in wrap(note, letters)]
        bottom = self.foot_top - len(self.notes) * _FOOT_LINE - MARGIN
        self.extent = (self.left, self.right, bottom, high + MARGIN)

    def put_on(self, ax: Axes, scale: float) -> None:
        """Draw everything, enlarged by the factor `scale`."""
        self._lines(ax, scale)
        self._nodes(ax, scale)
        for label, box in zip(self.scene.labels, self.scene.boxes, strict=True):
            ax.text(
                box.x,
                box.y,
                "\n".join(label.lines),
                ha="center",
                va="center",
                fontsize=self.scene.font * scale,
                linespacing=LINE / FONT / 1.2,
                color=style.INK,
                fontfamily=self.families,
                parse_math=False,
                label="label of a concept",
                zorder=4,
            )
        for number, line in enumerate(self.notes):
            ax.text(
                self.left + MARGIN,
                self.foot_top - number * _FOOT_LINE,
                line,
                va="top",
                fontsize=keys.FONT * scale,
                color=style.GREY,
                parse_math=False,
            )

    def _lines(self, ax: Axes, scale: float) -> None:
        from matplotlib.collections import LineCollection

        paths = self.diagram.paths
        width = 0.8 * scale if self.diagram.labelled else 0.3 * scale
        lines = LineCollection(paths, colors=style.GREY, linewidths=width, zorder=1)
        ax.add_collection(lines, autolim=False)
        leaders = [
            [self.scene.positions[label.node], box.end(self.scene.positions[label.node], label)]
            for label, box in zip(self.scene.labels, self.scene.boxes, strict=True)
            if box.leader
        ]
        if leaders:
            dashed = LineCollection(
                leaders,
                colors=style.INK,
                linewidths=0.5 * scale,
                linestyles=[(0, (1.5, 1.5))],
                zorder=2,
            )
            ax.add_collection(dashed, autolim=False)

    def _nodes(self, ax: Axes, scale: float) -> None:
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Circle

        diagram = self.diagram
        places = zip(diagram.positions.tolist(), self.scene.radii.tolist(), strict=True)
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
