"""Figures of all measures: recovery after noise, the contest, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank.evaluation.contest import Contest
from conceptrank.evaluation.figures.base import (
    COLOURS,
    MARKERS,
    Drawn,
    focus,
    hide_rest,
    legend,
    new_figure,
    panels,
    short,
)
from conceptrank.evaluation.study import Study
from conceptrank.plot.style import GREY, INK, PAPER, SMALL, TEXT, TITLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def noise(studies: Sequence[Study]) -> tuple[Figure, Drawn]:
    """Draw the recovery of concepts by level of noise."""
    measures = focus(studies[0].measures)
    rows, columns = panels(len(studies))
    figure, axes = new_figure(
        rows, columns, width=3.2 * columns, height=2.5 * rows + 0.7, sharey=True, sharex=True
    )
    for ax, study in zip(axes.ravel(), studies, strict=False):
        for place, name in enumerate(measures):
            found = [study.noise.summary(name, level) for level in study.noise.levels]
            style = {"color": COLOURS[place % 7], "marker": MARKERS[place % 7], "markersize": 4}
            means = [one.mean for one in found]
            ax.plot(study.noise.levels, means, label=short(name), linewidth=1.2, **style)
        ax.axhline(0.5, color=INK, linewidth=0.7, linestyle=":")
        ax.set_title(study.title, loc="left", fontsize=TITLE)
        ax.set_xscale("log")
        ax.set_xticks(study.noise.levels, [f"{level:g}" for level in study.noise.levels])
        ax.minorticks_off()
    hide_rest(axes, len(studies))
    figure.supxlabel("chance to flip a cell", fontsize=TEXT)
    figure.supylabel("AUC of finding the original concepts", fontsize=TEXT)
    legend(figure, axes[0, 0], 4)
    return figure, Drawn(
        "noise_recovery",
        "Recovery after noise",
        f"Mean AUC over {studies[0].noise.draws} noisy tables per level. 0.5 is no better than "
        "chance. noise.csv has the intervals.",
    )


def contest(found: Contest) -> tuple[Figure, Drawn]:
    """Draw all measures by agreement over splits and recovery after noise."""
    figure, axes = new_figure(1, 1, width=8.2, height=5.6)
    ax = axes[0, 0]
    standing = [
        one for one in found.standings() if not (isnan(one.splits.mean) or isnan(one.noise.mean))
    ]
    marked = {*focus(found.measures), *found.front()}
    ax.axhline(0.5, color=INK, linewidth=0.7, linestyle=":")
    for one in standing:
        out = one.rank_splits is None
        colour = COLOURS[0] if one.measure in marked else "#9aa3ab"
        ax.plot(
            [one.splits.mean],
            [one.noise.mean],
            marker="o",
            markersize=6 if one.measure in marked else 4,
            color=colour,
            markerfacecolor="white" if out else colour,
            zorder=3 if one.measure in marked else 2,
        )
        if one.measure in marked:
            for values, line in ((one.splits, ax.hlines), (one.noise, ax.vlines)):
                other = one.noise if values is one.splits else one.splits
                line(other.mean, values.low, values.high, color=colour, linewidth=0.8, alpha=0.6)
    _name_points(ax, [one for one in standing if one.measure in marked])
    ax.set_xlabel("agreement of random halves (Spearman, mean over data sets)")
    ax.set_ylabel("recovery after noise (AUC, mean over data sets and levels)")
    return figure, Drawn(
        "contest",
        "Splits against noise, all measures",
        "Each point is a measure; up and to the right is better. Lines hold the middle 95 % of "
        "the runs. Hollow points are left out of the contest of splits, because their scores "
        "depend on the intent alone.",
    )


def _name_points(ax: Axes, standing: Sequence[Any]) -> None:
    """Write names beside the points where they hide little, with lines to distant points."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    right += 0.14 * (right - left)
    high += 0.08 * (high - low)
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    places: dict[tuple[float, float], list[str]] = {}
    for one in standing:
        x = (one.splits.mean - left) / (right - left)
        y = (one.noise.mean - low) / (high - low)
        near = next((p for p in places if abs(p[0] - x) + abs(p[1] - y) < 1e-9), (x, y))
        places.setdefault(near, []).append(short(one.measure))
    boxes = [(x - 0.01, y - 0.014, x + 0.01, y + 0.014) for x, y in places]
    for (x, y), names in places.items():
        text = ", ".join(names)
        width, height = 0.0092 * len(text), 0.03
        corner = min(
            _corners(x, y, width, height), key=lambda at: _hidden(at, width, height, boxes)
        )
        boxes.append((*corner, corner[0] + width, corner[1] + height))
        ax.annotate(
            text,
            (x, y),
            xytext=(corner[0], corner[1] + height / 2),
            xycoords="axes fraction",
            textcoords="axes fraction",
            fontsize=SMALL,
            color=INK,
            va="center",
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkB": 3},
            bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
            zorder=4,
        )


def _corners(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    """Return candidates for the lower left corner of a name, nearest first."""
    steps = (0.02, -0.02, 0.06, -0.06, 0.1, -0.1, 0.14, -0.14)
    return [
        (x + (shift if shift > 0 else shift - width), y + rise - height / 2)
        for rise in steps
        for shift in (0.016, -0.016, 0.06, -0.06)
    ]


def _hidden(
    corner: tuple[float, float], width: float, height: float, boxes: Sequence[tuple[float, ...]]
) -> float:
    """Return the area that a name hides, plus its distance outside the axes."""
    x, y = corner
    area = max(0.0, -x, x + width - 1, -y, y + height - 1)
    for left, low, right, high in boxes:
        across = min(x + width, right) - max(x, left)
        up = min(y + height, high) - max(y, low)
        area += max(across, 0.0) * max(up, 0.0)
    return area


def correlations(studies: Sequence[Study]) -> tuple[Figure, Drawn]:
    """Draw the correlations of all measures with each other, similar ones side by side."""
    names = list(studies[0].measures)
    stack = np.stack([study.correlations.matrix("spearman") for study in studies])
    known = np.isfinite(stack)
    total = np.where(known, stack, 0).sum(axis=0)
    matrix = np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)
    order = _similar_together(matrix)
    matrix, names = matrix[np.ix_(order, order)], [names[place] for place in order]
    side = max(0.19 * len(names), 2.0)
    figure, axes = new_figure(1, 1, width=side + 2.8, height=side + 2.0)
    ax = axes[0, 0]
    image = ax.imshow(np.ma.masked_invalid(matrix), cmap="PuOr_r", vmin=-1, vmax=1)
    places = np.arange(len(names))
    ax.set_xticks(places, [short(name) for name in names], rotation=90, fontsize=7)
    ax.set_yticks(places, [short(name) for name in names], fontsize=7)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    bar = figure.colorbar(image, ax=ax, shrink=0.6, aspect=28)
    bar.set_label("Spearman, mean over data sets", fontsize=SMALL)
    return figure, Drawn(
        "correlations",
        "Correlation of all measures with each other",
        "Spearman's correlation on all concepts of a table, mean over the data sets; similar "
        "measures are side by side. Grey or white cells off the diagonal mean nothing in common.",
    )


def _similar_together(matrix: Any) -> list[int]:
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(matrix) < 3:
        return list(range(len(matrix)))
    distance = 1 - np.nan_to_num(matrix, nan=0.0)
    np.fill_diagonal(distance, 0.0)
    distance = np.maximum((distance + distance.T) / 2, 0)
    tree = linkage(squareform(distance, checks=False), method="average", optimal_ordering=True)
    return [int(place) for place in leaves_list(tree)]
