"""Figures of time: per concept, and how it grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from conceptrank.evaluation.figures.base import COLOURS, MARKERS, Drawn, legend, new_figure, short
from conceptrank.evaluation.paper import CR, EXTENSIONAL, INTENSIONAL
from conceptrank.evaluation.study import Study
from conceptrank.evaluation.timing import growth_rate
from conceptrank.plot.style import INK, SMALL, TITLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def times(studies: Sequence[Study]) -> tuple[Figure, Drawn]:
    """Draw the time per concept, as the paper's Figure 3."""
    figure, axes = new_figure(1, 2, width=9.4, height=3.3, sharey=True)
    names = (CR, INTENSIONAL, EXTENSIONAL)
    keys = ("cr", INTENSIONAL, EXTENSIONAL)
    places = np.arange(len(studies))
    for ax, title in zip(axes[0], ("literal, plain Python", "ours"), strict=True):
        for place, (name, key) in enumerate(zip(names, keys, strict=True)):
            means, low, high = [], [], []
            for study in studies:
                row = study.times.to_polars().filter(measure=key).row(0, named=True)
                kind = "literal" if title.startswith("literal") else "ours"
                mean = row["literal_mean"] if kind == "literal" else row["ours"]
                means.append(np.nan if mean is None else mean)
                low.append(row[f"{kind}_low"] or np.nan)
                high.append(row[f"{kind}_high"] or np.nan)
            at = places + 0.27 * (place - 1)
            ax.bar(at, means, width=0.25, color=COLOURS[place], label=short(name))
            ax.vlines(at, low, high, color=INK, linewidth=0.8)
        ax.set_yscale("log")
        ax.set_xticks(places, [_broken(study.title) for study in studies], fontsize=SMALL)
        ax.set_title(title, loc="left", fontsize=TITLE)
        ax.grid(visible=False, axis="x")
    axes[0, 0].set_ylabel("seconds per concept")
    legend(figure, axes[0, 0], 3)
    return figure, Drawn(
        "time_per_concept",
        "Time per concept",
        "As the paper's Figure 3, on one thread. Left: the paper's algorithms in plain Python, "
        "mean over a sample of concepts, with the middle 95 % of them; those with too many subsets "
        "or generators to go through are left out. Right: ours, median over runs, with the "
        "shortest and the longest.",
    )


def _broken(title: str) -> str:
    return title.replace(" ", "\n").replace("_", "\n")


def _rates(frame: pl.DataFrame) -> Iterator[str]:
    for measure, size, element in (
        (INTENSIONAL, "extent_size", "object"),
        (EXTENSIONAL, "intent_size", "attribute"),
        ("cr", "intent_size", "attribute"),
    ):
        rate = growth_rate(frame, measure, size)
        name = short(CR if measure == "cr" else measure)
        if not isnan(rate):
            yield f"with one more {element}, literal {name} takes {rate:.2f} times as long"


def growth(frame: pl.DataFrame) -> tuple[Figure, Drawn]:
    """Draw how times grow with |B|, |A| and the number of concepts."""
    figure, axes = new_figure(1, 3, width=9.6, height=3.2, sharey=True)
    panels = (
        ("intent_size", "ours_by_intent_size", "|B|"),
        ("extent_size", "ours_by_extent_size", "|A|"),
        ("concepts", "ours", "concepts of the context"),
    )
    for ax, (size, ours, label) in zip(axes[0], panels, strict=True):
        for place, (name, key) in enumerate(
            ((CR, "cr"), *((n, n) for n in (INTENSIONAL, EXTENSIONAL)))
        ):
            rows = frame.filter(measure=key)
            if size == "extent_size":
                powers = pl.lit(2.0).pow(pl.col(size).clip(1).log(2).floor())
                rows = rows.with_columns(powers.alias(size))
            means = rows.group_by(size).agg(pl.col("literal", ours).mean()).sort(size).drop_nulls()
            x = means[size].to_numpy()
            style = {"color": COLOURS[place], "marker": MARKERS[place], "markersize": 3.5}
            ax.plot(x, means["literal"].to_numpy(), label=f"{short(name)}, literal", **style)
            ax.plot(
                x,
                means[ours].to_numpy(),
                label=f"{short(name)}, ours",
                linestyle="--",
                markerfacecolor="white",
                **style,
            )
        ax.set_yscale("log")
        if size != "intent_size":
            ax.set_xscale("log", base=2)
            ax.xaxis.set_major_formatter("{x:,.0f}")
            ax.minorticks_off()
        ax.set_xlabel(label)
    axes[0, 0].set_ylabel("seconds per concept")
    legend(figure, axes[0, 0], 3)
    return figure, Drawn(
        "time_growth",
        "How time grows",
        "Means over concepts of random contexts; concepts with too many subsets or generators are "
        "not timed. " + "".join(f"Fitted to this run, {rate}. " for rate in _rates(frame)),
    )
