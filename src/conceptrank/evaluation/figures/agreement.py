"""Figures of agreement: halves of the objects, and neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank.evaluation.figures.base import (
    COLOURS,
    Drawn,
    draw_intervals,
    focus,
    hide_rest,
    new_figure,
    panels,
    short,
)
from conceptrank.evaluation.paper import CR, EXTENSIONAL, INTENSIONAL
from conceptrank.evaluation.study import Study
from conceptrank.plot.style import INK, TEXT, TITLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def scatter(studies: Sequence[Study]) -> tuple[Figure, Drawn]:
    """Draw the scores of shared concepts in both halves of the file, as the paper's Figure 2."""
    known = studies[0].measures
    measures = [name for name in (CR, INTENSIONAL, EXTENSIONAL) if name in known]
    measures = measures or list(known[:3])
    figure, axes = new_figure(
        len(studies), len(measures), width=2.9 * len(measures), height=2.6 * len(studies)
    )
    for row, study in zip(axes, studies, strict=True):
        for ax, measure in zip(row, measures, strict=True):
            x, y = study.paper.points[measure]
            ax.scatter(x, y, s=9, alpha=0.35, color=COLOURS[0], linewidths=0, rasterized=True)
            ends = _ends(np.concatenate([x, y]))
            ax.plot(ends, ends, color=INK, linewidth=0.7, linestyle=":")
            value = float(study.paper.of(measure)[0])
            text = "undefined" if isnan(value) else f"{value:.3f}"
            ax.set_title(f"{short(measure)}: Pearson {text}", loc="left", fontsize=TEXT)
        row[0].set_ylabel(f"{study.title}\nsecond half (n = {int(study.paper.shared[0]):,})")
    for ax in axes[-1]:
        ax.set_xlabel("score in the first half")
    return figure, Drawn(
        "split_scatter",
        "Scores of the shared concepts in both halves of the file",
        "As the paper's Figure 2: the first and the second half of the file, without top and "
        "bottom. Points on the dotted line have the same score in both.",
    )


def _ends(values: Any) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)


def _interval_panels(studies: Sequence[Study]) -> tuple[list[str], Figure, Any]:
    """Return the measures to show, and a figure with one panel per study."""
    measures = focus(studies[0].measures)
    rows, columns = panels(len(studies))
    figure, axes = new_figure(
        rows,
        columns,
        width=3.2 * columns + 0.8,
        height=(0.27 * len(measures) + 0.9) * rows,
        sharey=True,
        sharex=True,
    )
    return measures, figure, axes


def split_intervals(studies: Sequence[Study]) -> tuple[Figure, Drawn]:
    """Draw the agreement over random halves with intervals."""
    measures, figure, axes = _interval_panels(studies)
    for ax, study in zip(axes.ravel(), studies, strict=False):
        draw_intervals(ax, measures, [study.splits.summary(name) for name in measures])
        ax.set_title(
            f"{study.title} (n ≈ {study.splits.shared.mean():,.0f})", loc="left", fontsize=TITLE
        )
        ax.set_xlim(-0.3, 1.03)
    hide_rest(axes, len(studies))
    figure.supxlabel("Pearson correlation between halves", fontsize=TEXT)
    return figure, Drawn(
        "split_intervals",
        "Agreement of random halves",
        f"Mean over {studies[0].splits.splits} random halves, and the interval that holds the "
        "middle 95 % of them.",
    )


def neighbours(studies: Sequence[Study]) -> tuple[Figure, Drawn]:
    """Draw how many neighbours get different scores."""
    measures, figure, axes = _interval_panels(studies)
    for ax, study in zip(axes.ravel(), studies, strict=False):
        found = [
            study.bootstrap.summary(name, "separated")._replace(
                mean=study.bootstrap.observed[name].separated
            )
            for name in measures
        ]
        draw_intervals(ax, measures, found)
        ax.set_title(study.title, loc="left", fontsize=TITLE)
        ax.set_xlim(0, 1.03)
    hide_rest(axes, len(studies))
    figure.supxlabel("share of neighbouring concepts with different scores", fontsize=TEXT)
    return figure, Drawn(
        "neighbours",
        "Discrimination between neighbours",
        "In the table itself (mark), and the middle 95 % of bootstrap draws (line), which have "
        "fewer different objects, so the line may miss the mark.",
    )
