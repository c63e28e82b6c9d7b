"""A matrix of coefficients as a heat map that reads in colour and in black and white."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from conceptrank import _text
from conceptrank.errors import ConceptRankError
from conceptrank.faces import Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Orange for -1, white for 0, blue for 1. In grey both ends are dark: hatching marks what is
# negative, as the sign does.
_COLOURS = ("#7a3403", "#d97b2e", "#f8dcc1", "#ffffff", "#cbdff0", "#4a8ac0", "#0b3c6f")
_UNDEFINED = "#ebebeb"
_INK, _PAPER, _LINE = "#222222", "#ffffff", "#7a3403"
# Beyond this the colour is so dark that text on it has to be light.
_DARK = 0.55


def draw(matrix: Scores, labels: Sequence[str], *, title: str, ax: Axes | None = None) -> Axes:
    """Draw a matrix of numbers from -1 to 1, with its values; nan is undefined."""
    try:
        from matplotlib import pyplot
        from matplotlib.colors import LinearSegmentedColormap
    except ImportError:
        raise ConceptRankError(
            "a heat map needs matplotlib: pip install 'conceptrank[plot]'"
        ) from None
    size = len(labels)
    if ax is None:
        side = max(0.62 * size, 1.9)
        _, ax = pyplot.subplots(figsize=(side + 2.6, side + 1.7), layout="constrained")
    colours = LinearSegmentedColormap.from_list("agreement", _COLOURS).with_extremes(bad=_UNDEFINED)
    image = ax.imshow(np.ma.masked_invalid(matrix), cmap=colours, vmin=-1, vmax=1)
    _label(ax, labels)
    for i in range(size):
        for j in range(size):
            _cell(ax, i, j, float(matrix[i, j]), small=size > 12)
    ax.set_title(title, loc="left", fontsize=11, color=_INK, pad=10)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, aspect=24, pad=0.02)
    bar.set_ticks([-1, -0.5, 0, 0.5, 1], labels=["−1", "−0.5", "0", "0.5", "1"])
    bar.ax.tick_params(length=0, labelsize=9, labelcolor=_INK)
    bar.outline.set_visible(False)
    return ax


def _label(ax: Axes, labels: Sequence[str]) -> None:
    names = [_text.label(label) for label in labels]
    places = np.arange(len(labels))
    ax.set_xticks(places, names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(places, names)
    ax.tick_params(length=0, labelsize=10, labelcolor=_INK)
    # White lines between the cells.
    ax.set_xticks(places[1:] - 0.5, minor=True)
    ax.set_yticks(places[1:] - 0.5, minor=True)
    ax.grid(which="minor", color=_PAPER, linewidth=2)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)


def _cell(ax: Axes, i: int, j: int, value: float, *, small: bool) -> None:
    from matplotlib.patches import Rectangle

    if value <= -0.005:
        corner = (j - 0.5, i - 0.5)
        hatch = Rectangle(corner, 1, 1, fill=False, hatch="////", edgecolor=_LINE, linewidth=0)
        hatch.set_alpha(0.35)
        ax.add_patch(hatch)
    text = "–" if isnan(value) else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
    colour = _PAPER if abs(value) > _DARK else _INK
    ax.text(j, i, text, ha="center", va="center", fontsize=7 if small else 9, color=colour)
