"""Line diagrams with matplotlib: lines, nodes, labels, and a caption on how to read them."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank.plot import keys, style
from conceptrank.plot.placing import FONT, LINE, MARGIN, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from conceptrank.plot.line_diagram import Diagram

# In points at the natural size of the drawing: a line of the foot, the least width.
_FOOT_LINE = 10.0
_NARROWEST = 220.0


def draw(diagram: Diagram, ax: Axes | None = None) -> Axes:
    """Draw a diagram, and return the axes.

    On the axes of a new figure everything has its natural size; on given ones all of it, text
    too, is as large as fits.
    """
    plt = style.pyplot("a line diagram")
    left, right, low, high = diagram.scene.frame
    middle, width = (left + right) / 2, max(right - left, _NARROWEST) + 2 * MARGIN
    if diagram.width is not None:
        width = max(diagram.width, right - left)
    letters = max(30, int((width - 2 * MARGIN) / (keys.FONT * 0.52)))
    notes = (keys.in_words(diagram), *(diagram.notes if diagram.caption else ()))
    lines = [line for note in notes for line in wrap(note, letters)]
    foot = low - 14
    tall = high + MARGIN - foot + len(lines) * _FOOT_LINE + MARGIN
    if ax is None:
        ax = plt.figure(figsize=(width / 72, tall / 72)).add_axes((0, 0, 1, 1))
    assert ax is not None
    ax.set_axis_off()
    # Points of the page for each point of the drawing.
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    scale = min(box.width * 72 / width, box.height * 72 / tall)
    ax.set_xlim(middle - width / 2, middle + width / 2)
    ax.set_ylim(high + MARGIN - tall, high + MARGIN)
    ax.set_aspect("equal")
    _draw_lines(ax, diagram, scale)
    _draw_nodes(ax, diagram, scale)
    _draw_labels(ax, diagram.scene, scale)
    look: dict[str, Any] = {"fontsize": keys.FONT * scale, "color": style.GREY, "va": "top"}
    for number, line in enumerate(lines):
        y = foot - number * _FOOT_LINE
        ax.text(middle - width / 2 + MARGIN, y, line, parse_math=False, **look)
    return ax


def _draw_lines(ax: Axes, diagram: Diagram, scale: float) -> None:
    from matplotlib.collections import LineCollection

    scene = diagram.scene
    width = 0.8 * scale if diagram.labelled else 0.3 * scale
    lines = LineCollection(scene.paths, colors=style.GREY, linewidths=width, zorder=1)
    ax.add_collection(lines, autolim=False)
    leaders = [
        [scene.positions[label.node], box.end(scene.positions[label.node], label)]
        for label, box in zip(scene.labels, scene.boxes, strict=True)
        if box.leader
    ]
    if leaders:
        look: dict[str, Any] = {"linewidths": 0.5 * scale, "linestyles": [(0, (1.5, 1.5))]}
        dashed = LineCollection(leaders, colors=style.INK, zorder=2, **look)
        ax.add_collection(dashed, autolim=False)


def _draw_nodes(ax: Axes, diagram: Diagram, scale: float) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    places = zip(diagram.scene.positions.tolist(), diagram.scene.radii.tolist(), strict=True)
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


def _draw_labels(ax: Axes, scene: Scene, scale: float) -> None:
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": style.INK, "zorder": 4}
    look |= {"fontsize": scene.font * scale, "linespacing": LINE / FONT / 1.2}
    look |= {"fontfamily": style.families(), "parse_math": False, "label": "label of a concept"}
    for label, box in zip(scene.labels, scene.boxes, strict=True):
        ax.text(box.x, box.y, "\n".join(label.lines), **look)
