"""The curve of a ranking: the score at each place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import text as _text
from conceptrank.faces import Scores
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot import style
from conceptrank.plot.columns import Column, columns
from conceptrank.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more places than this, the first ones get more room than the others.
_MANY = 60
# The most corners of a curve: more can't be seen and would make files large.
_MOST_CORNERS = 1_000


def curves(
    ranking: Ranking,
    measures: MeasureLike | Sequence[MeasureLike] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw how scores fall from the best concept to the worst.

    Every measure has its own order; steps are ties. Where measures have different scales, each runs
    from its worst score (0) to its best (1).

    Parameters
    ----------
    ranking
        The concepts.
    measures
        The measures; the columns of the ranking if None.
    ax
        The axes to draw on; those of a new figure if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ranking = cr.datasets.load("movies").lattice().rank("cr", also=["support"])
    >>> cr.plot.curves(ranking).get_ylabel()
    'score, from the worst (0) to the best (1)'
    """
    shown = columns(ranking, measures)
    ax = style.axes(ax, what="a figure", size=(4.6, 3.1))
    style.plain(ax)
    ax.grid(axis="y", color=style.PALE, linewidth=0.6)
    _draw_scores(ax, shown)
    places = len(ranking)
    if not places:
        style.empty(ax, "no concepts")
    if places > _MANY:
        ax.set_xscale("log")
        ax.set_xlim(1, places)
    elif places > 1:
        ax.set_xlim(1, places)
        ax.locator_params(axis="x", integer=True)
    if len(ax.get_legend_handles_labels()[0]) > 1:
        # Above the chart, where it can't hide a curve.
        names = ax.get_legend_handles_labels()[1]
        longest = max(map(len, names))
        legend = ax.legend(
            frameon=False,
            fontsize=style.TEXT,
            loc="lower left",
            bbox_to_anchor=(0, 1.01),
            borderaxespad=0,
            ncols=3 if longest <= 10 and len(names) != 4 else 2 if longest <= 20 else 1,
            handlelength=3.2,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    return ax


def _draw_scores(ax: Axes, shown: list[Column]) -> None:
    sorted_scores = [_best_first(column) for column in shown]
    ends = [(each.min(), each.max()) for each in sorted_scores if len(each)]
    scaled = len(ends) > 1 and not all(low >= 0 and high <= 1 for low, high in ends)
    for number, (column, scores) in enumerate(zip(shown, sorted_scores, strict=True)):
        drawn = _scaled(scores) if scaled else scores
        missing = column.missing()
        label = _text.label(column.name) + (f" ({missing})" if missing else "")
        _line(ax, drawn, number, label)
    ax.set_xlabel("place", fontsize=style.TEXT + 0.5, color=style.INK)
    name = "score, from the worst (0) to the best (1)" if scaled else "score"
    if len(shown) == 1:
        name = ax.get_legend_handles_labels()[1][0]
    ax.set_ylabel(name, fontsize=style.TEXT + 0.5, color=style.INK, parse_math=False)


def _best_first(column: Column) -> Scores:
    known = np.sort(column.scores[column.known])
    return known[::-1] if column.descending else known


def _scaled(scores: Scores) -> Scores:
    """Return scores from 1 for the best to 0 for the worst; all 1 if they are equal."""
    if not len(scores):
        return scores
    best, worst = scores[0], scores[-1]
    return np.ones(len(scores)) if best == worst else (scores - worst) / (best - worst)


def _line(ax: Axes, y: Scores, number: int, label: str) -> None:
    kept = _corners(y)
    ax.plot(
        kept + 1,
        y[kept],
        label=label,
        color=style.COLOURS[number % len(style.COLOURS)],
        linestyle=style.DASHES[number % len(style.DASHES)],
        linewidth=1.7,
        drawstyle="steps-mid" if len(y) <= _MANY else "default",
        marker=style.MARKERS[number % len(style.MARKERS)] if len(y) <= _MANY else None,
        markersize=3.2,
        clip_on=False,
        zorder=3,
    )


def _corners(y: Scores) -> NDArray[np.int64]:
    """Return the places that a curve is drawn through: all, or the more the nearer to the first."""
    if len(y) <= _MOST_CORNERS:
        return np.arange(len(y))
    spread = np.geomspace(1, len(y), _MOST_CORNERS) - 1
    return np.unique(spread.round().astype(np.int64))
