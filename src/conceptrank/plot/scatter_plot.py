"""Measure against measure: a point a concept, or a cell for many of them."""

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

# More different points than this are counted in cells.
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

    A point that several concepts share is larger. Where there are very many points, cells are the
    darker the more concepts they hold.

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
    """Draw points or cells, and return how many concepts the largest point has; 0 for cells."""
    points = np.column_stack((x, y))
    points = points[~np.isnan(points).any(axis=1)]
    places, counts = np.unique(points, axis=0, return_counts=True)
    if len(places) > _MOST_POINTS:
        from matplotlib.colors import LinearSegmentedColormap

        scale = LinearSegmentedColormap.from_list("concepts", style.SCALE[1:])
        cells = ax.hexbin(
            points[:, 0],
            points[:, 1],
            gridsize=38,
            bins="log",
            mincnt=1,
            cmap=scale,
            linewidths=0.1,
        )
        bar = ax.figure.colorbar(cells, ax=ax, shrink=0.8, aspect=24, pad=0.02)
        bar.set_label("concepts", fontsize=style.TEXT, color=style.INK)
        bar.ax.tick_params(labelsize=style.TEXT, labelcolor=style.INK, length=2)
        bar.outline.set_visible(False)
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
