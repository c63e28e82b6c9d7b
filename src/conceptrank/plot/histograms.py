"""How the scores of measures are spread: one chart a measure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from conceptrank._util import text as _text
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot import style
from conceptrank.plot.columns import Column, columns
from conceptrank.ranking import Ranking
from conceptrank.ranking.order import Ties, dense

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Up to this many distinct scores get one line each; more are counted in bins.
_FEW = 30
_MOST_BINS = 40
_PANELS_A_ROW = 3


def distributions(
    ranking: Ranking, measures: MeasureLike | Sequence[MeasureLike] | None = None
) -> Figure:
    """Draw how many concepts have which score, a chart for each measure.

    A few different scores have a line each, so that ties stand out; many are counted in bins. The
    triangle below marks the median.

    Parameters
    ----------
    ranking
        The concepts.
    measures
        The measures; the columns of the ranking if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ranking = cr.datasets.load("movies").lattice().rank("cr", also=["stability"])
    >>> [ax.get_title(loc="left") for ax in cr.plot.distributions(ranking).axes]
    ['cr', 'stability']
    """
    plt = style.pyplot("a figure")
    shown = columns(ranking, measures)
    wide = min(len(shown), 2 if len(shown) == 4 else _PANELS_A_ROW)
    high = ceil(len(shown) / wide)
    figure, panels = plt.subplots(
        high, wide, figsize=(2.6 * wide + 0.6, 2.3 * high), layout="constrained", squeeze=False
    )
    for ax, column in zip(panels.flat, shown, strict=False):
        _draw(ax, column)
    for ax in panels.flat[len(shown) :]:
        ax.remove()
    for row in panels:
        row[0].set_ylabel("concepts", fontsize=style.TEXT, color=style.INK)
    figure.supxlabel("▲ median", x=0.995, ha="right", fontsize=style.SMALL, color=style.GREY)
    result: Figure = figure
    return result


def _draw(ax: Axes, column: Column) -> None:
    style.plain(ax)
    scores = column.scores[column.known]
    ties = Ties.of(dense(column.levels[column.known])) if len(scores) else None
    style.title(ax, _text.label(column.name), _told(column, ties))
    if ties is None:
        style.empty(ax, "no scores")
        return
    values, counts = np.unique(scores, return_counts=True)
    if len(values) <= _FEW:
        ax.vlines(values, 0, counts, color=style.INK, linewidth=2.2)
        ax.plot(values, counts, "o", color=style.INK, markersize=3.5)
    else:
        edges = np.histogram_bin_edges(scores, bins=min(_MOST_BINS, max(10, len(values) // 5)))
        counts, _ = np.histogram(scores, bins=edges)
        ax.stairs(counts, edges, fill=True, facecolor=style.SHADE)
    some = counts[counts > 0]
    if some.max() > 200 * np.median(some):
        ax.set_yscale("log")
        ax.set_ylim(0.7, some.max() * 1.6)
    else:
        ax.set_ylim(0, some.max() * 1.08)
        ax.locator_params(axis="y", integer=True)
    if len(values) == 1:
        spread = abs(float(values[0])) * 0.5 or 0.5
        ax.set_xlim(values[0] - spread, values[0] + spread)
    ax.plot(
        np.median(scores),
        0,
        marker="^",
        markersize=5,
        color=style.COLOURS[1],
        markeredgecolor=style.INK,
        markeredgewidth=0.6,
        clip_on=False,
        zorder=5,
        transform=ax.get_xaxis_transform(),
    )
    ax.locator_params(axis="x", nbins=5)


def _told(column: Column, ties: Ties | None) -> str:
    """Return a line on what the chart can't show."""
    missing = column.missing()
    if ties is None:
        return missing
    known = f"{ties.distinct:,} different score{'' if ties.distinct == 1 else 's'}"
    if ties.largest > 1 and ties.distinct > 1:
        known += f", up to {ties.largest:,} tied"
    return f"{known}; {missing}" if missing else known
