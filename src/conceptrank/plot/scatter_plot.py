"""Measure against measure: a point per concept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank._util import text as _text
from conceptrank.errors import MeasureError
from conceptrank.faces import Scores
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot import style
from conceptrank.plot.columns import Column, columns
from conceptrank.ranking import Agreement, Ranking
from conceptrank.ranking.agreement import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More different points than this are small.
_MOST_POINTS = 2_000


def scatter(
    ranking: Ranking,
    x: MeasureLike | None = None,
    y: MeasureLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw two measures against each other.

    A point that several concepts share is larger; very many points are small and translucent.

    Parameters
    ----------
    ranking
        The concepts.
    x, y
        The measures; the first two columns of the ranking if None.
    ax
        The axes to draw on; those of a new figure if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ranking = cr.datasets.load("movies").lattice().rank("cr", also=["stability"])
    >>> ax = cr.plot.scatter(ranking)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('cr', 'stability')
    """
    across, up = _two(ranking, x, y)
    known = across.known & up.known
    number, missing = int(known.sum()), int((~known).sum())
    lacking = f"; {missing:,} lack a finite score" if missing else ""
    heading, more = "", _text.counted(number, "concept") + lacking
    ax = style.axes(ax, what="a figure", size=(4.2, 3.6))
    style.plain(ax)
    if number:
        scores = {"x": across.scores[known], "y": up.scores[known]}
        descending = {"x": across.descending, "y": up.descending}
        told = Agreement(scores, descending=descending).between("x", "y")
        heading = f"Spearman {shown(told['spearman'])}, Kendall {shown(told['kendall'])}"
        largest = _points(ax, **scores)
        more += f"; {largest:,} at the largest point" if largest > 1 else ""
    else:
        style.empty(ax, "no concept has both scores")
    style.title(ax, heading.replace("-", "−"), more)
    ax.set_xlabel(_text.label(across.name), **style.LABEL)
    ax.set_ylabel(_text.label(up.name), **style.LABEL)
    return ax


def _two(ranking: Ranking, x: MeasureLike | None, y: MeasureLike | None) -> tuple[Column, Column]:
    own = columns(ranking)
    across = own[0] if x is None else columns(ranking, x)[0]
    others = [column for column in own if column.name != across.name]
    if y is not None:
        others = columns(ranking, y)
    if not others:
        raise MeasureError("a scatter plot takes two measures: rank(..., also=[...]), or x and y")
    return across, others[0]


def _points(ax: Axes, x: Scores, y: Scores) -> int:
    """Draw points, and return how many concepts the largest has; 0 if all are equally large."""
    blue = style.COLOURS[0]
    places, counts = np.unique(np.column_stack((x, y)), axis=0, return_counts=True)
    if len(places) > _MOST_POINTS:
        ax.scatter(x, y, s=3, color=blue, alpha=0.3, linewidths=0, rasterized=True)
        return 0
    areas = 14 + 166 * (counts - 1) / max(counts.max() - 1, 9)
    edges: dict[str, Any] = {"edgecolor": blue, "linewidth": 0.8, "clip_on": False, "zorder": 3}
    ax.scatter(places[:, 0], places[:, 1], s=areas, facecolor=blue + "66", **edges)
    ax.margins(0.06)
    return int(counts.max())
