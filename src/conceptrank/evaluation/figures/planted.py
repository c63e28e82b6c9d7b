"""The figure of planted recovery: exact hits of lists of concepts, a panel per setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from conceptrank.errors import ConceptRankError
from conceptrank.evaluation.figures.base import (
    COLOURS,
    Drawn,
    hide_rest,
    legend,
    new_figure,
    panels,
    short,
)
from conceptrank.plot.style import PALE, TEXT, TITLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from conceptrank.evaluation.planted_recovery import PlantedRecovery

# Filled, hollow and small points can be distinguished without colour.
_KINDS = {
    "selection": ("chosen list", COLOURS[0], "o", COLOURS[0]),
    "diverse": ("diverse by a measure", COLOURS[1], "s", "white"),
    "top": ("best by a measure", COLOURS[6], "D", COLOURS[6]),
}


def planted(found: PlantedRecovery) -> tuple[Figure, Drawn]:
    """Draw the exact hits of the best lists for a report."""
    return hits(found, length="planted", most=20), Drawn(
        "planted_recovery",
        "Planted patterns in the lists of methods and measures",
        "The share of the planted patterns that are literally in a list of as many concepts, "
        "mean and range over the tables of a setting; the best 20 lists.",
    )


def hits(found: PlantedRecovery, *, length: str, most: int) -> Figure:
    """Draw the share of the planted intents in each list; lines run over the tables' range."""
    runs = found.runs.filter(pl.col("length") == length, pl.col("patterns") > 0)
    if not len(runs):
        raise ConceptRankError(f"there are no lists of length {length!r} of tables with patterns")
    order = (
        runs.group_by("list", "kind", maintain_order=True)
        .agg(pl.col("exact").mean())
        .sort("exact", descending=True, maintain_order=True)
        .head(most)
    )
    names = order["list"].to_list()
    settings = runs["setting"].unique(maintain_order=True).to_list()
    rows, columns = panels(len(settings))
    figure, axes = new_figure(
        rows,
        columns,
        width=1.6 + 2.1 * columns,
        height=rows * (0.75 + 0.17 * len(names)) + 0.4,
        sharex=True,
        sharey=True,
    )
    for ax, setting in zip(axes.ravel(), settings, strict=False):
        for place, (name, kind) in enumerate(zip(names, order["kind"], strict=True)):
            chosen = (pl.col("setting") == setting) & (pl.col("list") == name)
            values = runs.filter(chosen)["exact"].to_numpy()
            if not len(values):
                continue
            label, colour, marker, face = _KINDS[kind]
            ax.hlines(place, values.min(), values.max(), color=colour, linewidth=1.2, alpha=0.5)
            ax.plot(
                [np.mean(values)],
                [place],
                linestyle="",
                marker=marker,
                color=colour,
                markerfacecolor=face,
                markersize=4.5,
                label=label,
                clip_on=False,
                zorder=3,
            )
        ax.set_title(setting, loc="left", fontsize=TITLE)
        ax.set_yticks(range(len(names)), [short(name) for name in names], fontsize=TEXT)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        ax.grid(axis="y", color=PALE, linewidth=0.4)
    hide_rest(axes, len(settings))
    figure.supxlabel("share of the planted patterns that are in the list", fontsize=TEXT)
    _legend_once(figure, axes)
    return figure


def _legend_once(figure: Figure, axes: np.ndarray) -> None:
    """Put each kind of list into the legend once."""
    seen: set[str] = set()
    first = axes.ravel()[0]
    for ax in axes.ravel():
        for line in ax.get_lines():
            label = str(line.get_label())
            if label in seen and not label.startswith("_"):
                line.set_label("_")
            seen.add(label)
    if first.get_legend_handles_labels()[0]:
        legend(figure, first, 3)
