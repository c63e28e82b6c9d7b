"""Shared parts of the figures of a report: measures, styles and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from conceptrank._util.files import write_whole
from conceptrank.evaluation.intervals import Summary
from conceptrank.evaluation.paper import FOCUS
from conceptrank.plot import style
from conceptrank.plot.style import INK, PALE, SMALL, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Seven colours that colour-blind readers can distinguish; the shapes also differ.
COLOURS = (*style.COLOURS[:4], "#a88412", "#c23b5a", "#5a6570")
MARKERS = (*style.MARKERS, "P", "X")
_LABELS = {
    "cr": "CR",
    "conceptual_relevance": "CR",
    "delta_measure": "Δ",
    "stability": "stability (int.)",
    "stability_intensional": "stability (int.)",
    "stability_extensional": "stability (ext.)",
}


@dataclass(frozen=True)
class Drawn:
    """A figure of a report.

    Attributes
    ----------
    name
        The name of its files.
    title, caption
        What it shows.
    """

    name: str
    title: str
    caption: str


def focus(measures: Sequence[str]) -> list[str]:
    """Return the measures to show: the well-known ones, or the first ones.

    Examples
    --------
    >>> focus(["support", "conceptual_relevance", "lift"])
    ['conceptual_relevance', 'support', 'lift']
    """
    chosen = [name for name in FOCUS if name in measures]
    others = [name for name in measures if name not in chosen]
    return (chosen + others)[: max(len(chosen), len(COLOURS))] if len(measures) <= 12 else chosen


def short(measure: str) -> str:
    """Return a name for narrow places: the label of a measure, or its name in words.

    Examples
    --------
    >>> short("delta_measure"), short("cr(side=extent)"), short("expected_relevance")
    ('Δ', 'CR(side=extent)', 'expected relevance')
    """
    name, bracket, params = measure.partition("(")
    return _LABELS.get(name, name.replace("_", " ")) + bracket + params


def new_figure(
    rows: int, columns: int, *, width: float, height: float, **more: Any
) -> tuple[Figure, Any]:
    """Return a figure that belongs to no window, and its axes.

    Raises
    ------
    ConceptRankError
        If matplotlib is not installed.
    """
    style.pyplot("a report")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, **more)
    for ax in axes.ravel():
        style.plain(ax)
        ax.grid(visible=True, color=PALE, linewidth=0.6)
    return figure, axes


def save(figure: Figure, directory: Path, name: str) -> None:
    """Write a figure as PNG and SVG."""

    def draw(file: IO[bytes], format: str, metadata: dict[str, Any] | None = None) -> None:  # noqa: A002
        figure.savefig(file, format=format, dpi=110, metadata=metadata)

    with style.repeatable():
        write_whole(directory / f"{name}.png", lambda file: draw(file, "png"))
        # The layout is done; computing it again would take as long as drawing.
        figure.set_layout_engine("none")
        write_whole(directory / f"{name}.svg", lambda file: draw(file, "svg", {"Date": None}))


def panels(number: int) -> tuple[int, int]:
    """Return the rows and columns of a grid for this number of panels.

    Examples
    --------
    >>> panels(4), panels(6), panels(1)
    ((2, 2), (2, 3), (1, 1))
    """
    columns = 2 if number == 4 else min(number, 3)
    return -(-number // columns), columns


def hide_rest(axes: Any, used: int) -> None:
    """Hide the axes of a grid that are not used."""
    for ax in axes.ravel()[used:]:
        ax.set_visible(False)


def legend(figure: Figure, ax: Axes, columns: int) -> None:
    """Put the names of lines and bars above all axes."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=columns,
        fontsize=TEXT,
        frameon=False,
    )


def draw_intervals(ax: Axes, names: Sequence[str], found: Sequence[Summary]) -> None:
    """Draw means with intervals, the first on top."""
    for place, one in enumerate(found):
        colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
        if isnan(one.mean):
            ax.text(0.0, place, " undefined", va="center", fontsize=SMALL, color=INK)
            continue
        if not isnan(one.low):
            ax.plot([one.low, one.high], [place, place], color=colour, linewidth=1.6)
        ax.plot([one.mean], [place], marker=marker, color=colour, markersize=5)
    ax.set_yticks(range(len(names)), [short(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
