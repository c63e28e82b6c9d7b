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
from conceptrank.ranking.order import ranks as ranks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More different points than this are small.
_MOST_POINTS = 2_000


def scatter(
    ranking: Ranking,
    x: MeasureLike | None = None,
    y: MeasureLike | None = None,
    *,
    ranks: bool = False,
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
    ranks
        Whether to show ranks, the best ones at the top and to the right, instead of scores.
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
    agreement = Agreement(
        {"x": across.scores[known], "y": up.scores[known]},
        descending={"x": across.descending, "y": up.descending},
    )
    ax = style.axes(ax, what="a figure", size=(4.2, 3.6))
    style.plain(ax)
    values = [_values(column, known, ranks=ranks) for column in (across, up)]
    if known.any():
        largest = _points(ax, *values)
        told = agreement.between("x", "y")
        style.title(
            ax,
            f"Spearman {shown(told['spearman'])}, Kendall {shown(told['kendall'])}".replace(
                "-", "−"
            ),
            _counted(int(known.sum()), len(across.scores))
            + (f"; {largest:,} at the largest point" if largest > 1 else ""),
        )
    else:
        style.title(ax, "", _counted(0, len(across.scores)))
        style.empty(ax, "no concept has both scores")
    for column, label, invert in (
        (across, ax.set_xlabel, ax.invert_xaxis),
        (up, ax.set_ylabel, ax.invert_yaxis),
    ):
        label(
            ("rank by " if ranks else "") + _text.label(column.name),
            fontsize=style.TEXT + 0.5,
            color=style.INK,
            parse_math=False,
        )
        if ranks:
            invert()
    return ax


def _two(ranking: Ranking, x: MeasureLike | None, y: MeasureLike | None) -> tuple[Column, Column]:
    own = columns(ranking)
    across = own[0] if x is None else columns(ranking, x)[0]
    if y is not None:
        return across, columns(ranking, y)[0]
    others = [column for column in own if column.name != across.name]
    if not others:
        raise MeasureError("a scatter plot takes two measures: rank(..., also=[...]), or x and y")
    return across, others[0]


def _values(column: Column, known: Any, *, ranks: bool) -> Scores:
    if not ranks:
        return np.where(known, column.scores, np.nan)
    values = np.full(len(column.scores), np.nan)
    values[known] = ranks_of(
        Column(column.name, column.scores[known], column.descending).levels, "average"
    )
    return values


def _points(ax: Axes, x: Scores, y: Scores) -> int:
    """Draw points, and return how many concepts the largest has; 0 if all are equally large."""
    points = np.column_stack((x, y))
    points = points[~np.isnan(points).any(axis=1)]
    places, counts = np.unique(points, axis=0, return_counts=True)
    if len(places) > _MOST_POINTS:
        look: dict[str, Any] = {
            "color": style.COLOURS[0],
            "alpha": 0.3,
            "linewidths": 0,
            "rasterized": True,
        }
        ax.scatter(points[:, 0], points[:, 1], s=3, **look)
        return 0
    areas = 14 + 166 * (counts - 1) / max(counts.max() - 1, 9)
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=areas,
        facecolor=style.COLOURS[0] + "66",
        edgecolor=style.COLOURS[0],
        linewidth=0.8,
        clip_on=False,
        zorder=3,
    )
    ax.margins(0.06)
    return int(counts.max())


def _counted(count: int, total: int) -> str:
    concepts = f"{count:,} concept{'' if count == 1 else 's'}"
    return concepts if count == total else f"{concepts}; {total - count:,} lack a finite score"
