"""A matrix of coefficients as a heat map that reads in colour and in black and white."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrank._util import text as _text
from conceptrank.faces import Scores
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot import style
from conceptrank.plot.style import INK, PAPER
from conceptrank.ranking import Agreement, Ranking
from conceptrank.ranking.coefficients import canonical

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Orange for -1, white for 0, blue for 1. In grey both ends are dark: the sign tells them apart.
_COLOURS = ("#7a3403", "#d97b2e", "#f8dcc1", "#ffffff", "#cbdff0", "#4a8ac0", "#0b3c6f")
_UNDEFINED = "#ebebeb"
# Text on a colour of less luminance has to be light.
_DARK = 0.42


def agreement(
    ranking: Ranking | Agreement,
    measures: Sequence[MeasureLike] | None = None,
    *,
    coefficient: str = "spearman",
    ax: Axes | None = None,
) -> Axes:
    """Draw how far measures agree, pair by pair.

    Parameters
    ----------
    ranking
        The concepts, or an agreement of measures on them.
    measures
        The measures to compare; those of the ranking if None.
    coefficient
        `"pearson"`, `"spearman"`, `"kendall"`, `"concordance"`, `"top_overlap"` or
        `"rank_biased_overlap"`; see `conceptrank.ranking.Agreement`.
    ax
        The axes to draw on; those of a new figure if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ranking = cr.datasets.load("movies").lattice().rank("cr", also=["stability"])
    >>> cr.plot.agreement(ranking, coefficient="kendall").get_title(loc="left")
    'Kendall τ-b'
    """
    known = ranking.agreement(measures) if isinstance(ranking, Ranking) else ranking
    name = canonical(coefficient)
    return draw(
        known.matrix(name),
        known.measures,
        title=known.name_of(name),
        signed="overlap" not in name,
        ax=ax,
    )


def draw(
    matrix: Scores,
    labels: Sequence[str],
    *,
    title: str,
    signed: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of numbers with its values; nan is undefined.

    Parameters
    ----------
    matrix
        Numbers from -1 to 1.
    labels
        The names of its rows and columns.
    title
        What the numbers are.
    signed
        Whether they can be negative.
    ax
        The axes to draw on; those of a new figure if None.
    """
    size = len(labels)
    side = max(0.62 * size, 1.9)
    ax = style.axes(ax, what="a heat map", size=(side + 1.7, side + 1.7))
    from matplotlib.colors import LinearSegmentedColormap

    scale = _COLOURS if signed else _COLOURS[len(_COLOURS) // 2 :]
    colours = LinearSegmentedColormap.from_list("agreement", scale).with_extremes(bad=_UNDEFINED)
    least = -1 if signed else 0
    ax.imshow(np.ma.masked_invalid(matrix), cmap=colours, vmin=least, vmax=1)
    names = [_text.printable(_text.label(label)) for label in labels]
    places = np.arange(size)
    ax.set_xticks(places, names, rotation=40, ha="right", rotation_mode="anchor", parse_math=False)
    ax.set_yticks(places, names, parse_math=False)
    ax.tick_params(length=0, labelsize=10, labelcolor=INK)
    # White lines between the cells.
    ax.set_xticks(places[1:] - 0.5, minor=True)
    ax.set_yticks(places[1:] - 0.5, minor=True)
    ax.grid(which="minor", color=PAPER, linewidth=2)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7 if size > 12 else 9}
    for (i, j), value in np.ndenumerate(matrix):
        text = "–" if isnan(value) else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
        red, green, blue, _ = colours((value - least) / (1 - least))
        dark = not isnan(value) and 0.2126 * red + 0.7152 * green + 0.0722 * blue < _DARK
        ax.text(j, i, text, color=PAPER if dark else INK, **look)
    if np.isnan(matrix).any():
        title += "  (–: undefined)"
    ax.set_title(title, loc="left", fontsize=11, color=INK, pad=10)
    return ax
