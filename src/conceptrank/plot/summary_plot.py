"""A summary as a figure: how many objects have each pattern, and how many were expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptrank._util import text as _text
from conceptrank.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from conceptrank.summary import Summary

_LONGEST_NAME = 60


def summary(found: Summary, *, ax: Axes | None = None, most: int = 20) -> Axes:
    """Draw the observed and the expected support of each pattern.

    Parameters
    ----------
    found
        The summary.
    ax
        The axes to draw on; those of a new figure if None.
    most
        The largest number of patterns to draw.

    Examples
    --------
    >>> import conceptrank as cr
    >>> table = cr.datasets.random.planted(500, 20, patterns=[(4, 0.2)], seed=1)
    >>> cr.plot.summary(table.context.summarize()).get_xlabel()
    'objects'
    """
    patterns = found[:most]
    size = (7.2, 1.1 + 0.34 * max(len(patterns), 2))
    alone = ax is None
    ax = style.axes(ax, what="a figure of a summary", size=size)
    more = "" if len(patterns) == len(found) else f"; the first {len(patterns)} are shown"
    if alone:
        # Above the names, because long names leave little width for the axes.
        ax.figure.suptitle(
            found.title + more, x=0.01, ha="left", fontsize=style.TITLE, color=style.INK
        )
    else:
        style.title(ax, found.title + more)
    if not patterns:
        style.empty(ax, "no pattern")
        return ax
    rows = range(len(patterns))
    supports = [pattern.support for pattern in patterns]
    expected = [pattern.expected for pattern in patterns]
    ax.hlines(rows, expected, supports, color=style.SHADE, linewidth=2, zorder=1)
    face: dict[str, Any] = {"zorder": 2, "s": 26, "edgecolor": style.COLOURS[0], "clip_on": False}
    ax.scatter(expected, rows, color=style.PAPER, label="expected", **face)
    ax.scatter(supports, rows, color=style.COLOURS[0], label="observed", **face)
    small: dict[str, Any] = {"fontsize": style.SMALL, "color": style.GREY, "parse_math": False}
    small |= {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
    for row, pattern in zip(rows, patterns, strict=True):
        text = f"{_text.number(round(pattern.gain))} {found.unit}"
        ax.annotate(text, (max(pattern.support, pattern.expected), row), **small)
    names = [_text.label(", ".join(pattern.intent), _LONGEST_NAME) for pattern in patterns]
    ax.set_yticks(rows, names, fontsize=style.TEXT, parse_math=False, family=style.families())
    ax.set_ylim(len(patterns) - 0.4, -0.6)
    ax.set_xlim(0, max(*supports, *expected) * 1.18)
    ax.set_xlabel("objects", fontsize=style.TEXT)
    style.plain(ax)
    above: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0}
    ax.legend(**above, ncols=2, fontsize=style.SMALL, frameon=False)
    return ax
