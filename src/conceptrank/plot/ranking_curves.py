"""The curve of a ranking: the score at each place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
    scores = [_best_first(column) for column in shown]
    ends = np.array([(each.min(), each.max()) for each in scores if len(each)])
    scaled = len(ends) > 1 and not ((ends >= 0) & (ends <= 1)).all()
    names = [_name(column) for column in shown]
    for number, (each, name) in enumerate(zip(scores, names, strict=True)):
        _line(ax, _scaled(each) if scaled else each, number, name)
    label = "score, from the worst (0) to the best (1)" if scaled else "score"
    ax.set_xlabel("place", **style.LABEL)
    ax.set_ylabel(names[0] if len(names) == 1 else label, **style.LABEL)
    places = len(ranking)
    if places > _MANY:
        ax.set_xscale("log")
    elif places:
        ax.locator_params(axis="x", integer=True)
    else:
        style.empty(ax, "no concepts")
    if places > 1:
        ax.set_xlim(1, places)
    if len(names) > 1:
        # Above the chart, where it can't hide a curve.
        look: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1.01), "frameon": False}
        ncols = max(1, min(3, 40 // max(map(len, names))))
        legend = ax.legend(**look, fontsize=style.TEXT, ncols=ncols, handlelength=3.2)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return ax


def _name(column: Column) -> str:
    missing = column.missing()
    return _text.label(column.name) + (f" ({missing})" if missing else "")


def _best_first(column: Column) -> Scores:
    known = np.sort(column.scores[column.known])
    return known[::-1] if column.descending else known


def _scaled(scores: Scores) -> Scores:
    """Return scores from 1 for the best to 0 for the worst; all 1 if they are equal."""
    if not len(scores) or scores[0] == scores[-1]:
        return np.ones(len(scores))
    worst, best = float(scores[-1]), float(scores[0])
    return (scores - worst) / (best - worst)


def _line(ax: Axes, y: Scores, number: int, label: str) -> None:
    kept, few = _corners(y), len(y) <= _MANY
    marker = style.MARKERS[number % len(style.MARKERS)] if few else None
    (line,) = ax.plot(kept + 1, y[kept], label=label, marker=marker, markersize=3.2)
    line.set(color=style.COLOURS[number % len(style.COLOURS)])
    line.set(linestyle=style.DASHES[number % len(style.DASHES)])
    line.set(drawstyle="steps-mid" if few else "default", linewidth=1.7, clip_on=False, zorder=3)


def _corners(y: Scores) -> NDArray[np.int64]:
    """Return the places that a curve is drawn through: all, or the more the nearer to the first."""
    if len(y) <= _MOST_CORNERS:
        return np.arange(len(y))
    spread = np.geomspace(1, len(y), _MOST_CORNERS) - 1
    return np.unique(spread.round().astype(np.int64))
