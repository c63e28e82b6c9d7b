"""The style of all figures: plain, small type, readable without colour."""

from __future__ import annotations

import os
from math import isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from conceptrank._util.files import write_whole
from conceptrank.errors import ConceptRankError, install_command

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, PAPER, GREY, SHADE, PALE = "#222222", "#ffffff", "#6b6b6b", "#a8a8a8", "#d9d9d9"
# Blue, orange, green, purple, black: apart for the colour-blind, and of different lightness.
COLOURS = ("#0b3c6f", "#d9731a", "#1d8f6d", "#a06cc4", "#222222")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (9, 2)))
MARKERS = ("o", "s", "^", "D", "v")
# From light to dark, so that grey says the same.
SCALE = ("#f7f3e3", "#c9dcc0", "#86bcae", "#4a8ea3", "#2a5f8f", "#152f5c")
TITLE, TEXT, SMALL = 10, 8.5, 7.5
# The look of the name of an axis.
LABEL: dict[str, Any] = {"fontsize": TEXT + 0.5, "color": INK, "parse_math": False}
# For scripts that the usual font lacks, on one system or another.
_MORE_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans", "WenQuanYi Micro Hei"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "PingFang SC", "Hiragino Sans"),
    *("Noto Sans Devanagari", "Nirmala UI", "Noto Sans Thai", "Leelawadee UI"),
    *("Arial Unicode MS", "Unifont"),
)


def pyplot(what: str) -> Any:
    """Return `matplotlib.pyplot`.

    Raises
    ------
    ConceptRankError
        If matplotlib is not installed; the message says how to get it.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ConceptRankError(f"{what} needs matplotlib: {install_command('plot')}") from None
    return pyplot


def axes(ax: Axes | None, *, what: str, size: tuple[float, float]) -> Axes:
    """Return the axes to draw on, those of a new figure of this size in inches if None."""
    plt = pyplot(what)
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def families() -> list[str]:
    """Return the fonts to write names with: those set, then installed ones of other scripts."""
    from matplotlib import font_manager, rcParams

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [*rcParams["font.family"], *(name for name in _MORE_FONTS if name in installed)]


def plain(ax: Axes) -> None:
    """Remove the parts of the axes that a chart does not need."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(color=GREY, labelcolor=INK, labelsize=TEXT, length=3)
    ax.set_axisbelow(True)


def empty(ax: Axes, text: str) -> None:
    """Say in the middle of a chart that there is nothing to show."""
    ax.set(xticks=[], yticks=[])
    where: dict[str, Any] = {"ha": "center", "va": "center", "transform": ax.transAxes}
    ax.text(0.5, 0.5, text, fontsize=TEXT, color=GREY, **where)


def title(ax: Axes, text: str, more: str = "") -> None:
    """Put a title, and a smaller line under it, above a chart."""
    look: dict[str, Any] = {"color": INK, "loc": "left", "parse_math": False}
    ax.set_title(text, fontsize=TITLE, pad=18 if more else 6, **look)
    below: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    below |= {"fontsize": SMALL, "color": GREY, "parse_math": False, "annotation_clip": False}
    ax.annotate(more, (0, 1), xytext=(0, 6), **below)


def shade(share: float) -> str:
    """Return a colour of the scale from light (0) to dark (1); white for NaN.

    Examples
    --------
    >>> shade(0), shade(1), shade(0.5), shade(float("nan"))
    ('#f7f3e3', '#152f5c', '#68a5a8', '#ffffff')
    """
    if isnan(share):
        return PAPER
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    low = min(int(place), len(SCALE) - 2)
    ends = [[int(SCALE[k][i : i + 2], 16) for i in (1, 3, 5)] for k in (low, low + 1)]
    mixed = [round(a + (b - a) * (place - low)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{each:02x}" for each in mixed)


# For files with the same bytes every time. Text stays text: it can be searched and edited, and
# publishers accept the fonts.
_REPEATABLE: dict[Any, Any] = {"svg.hashsalt": "conceptrank", "svg.id": None}
_REPEATABLE |= {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}


def save(
    drawn: Figure | Axes,
    path: str | os.PathLike[str] | IO[bytes],
    *,
    format: str | None = None,  # noqa: A002
    close: bool = False,
) -> None:
    """Write a figure to a file: PNG, SVG, PDF, or what else matplotlib can write.

    The file has no date, so the same figure gives the same bytes.

    Parameters
    ----------
    drawn
        A figure, or axes of it.
    path
        Where to.
    format
        `"png"`, `"svg"`, `"pdf"`, …; by the suffix of the file if None.
    close
        Whether to close the figure afterwards.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> ranking = cr.datasets.load("movies").lattice().rank("cr")
    >>> with TemporaryDirectory() as directory:
    ...     save(cr.plot.curves(ranking), directory + "/curves.pdf")
    """
    if format is None and isinstance(path, str | os.PathLike):
        format = Path(path).suffix.lower().lstrip(".")  # noqa: A001
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    figure: Any = getattr(drawn, "figure", drawn)
    # Very large ones get fewer dots: files stay small, and matplotlib can make them.
    dots = min(200.0, 6_000 / max(figure.get_size_inches()))

    def draw(file: IO[bytes]) -> None:
        from matplotlib import rc_context

        with rc_context(_REPEATABLE):
            figure.savefig(file, format=format, dpi=dots, metadata=undated.get(format or ""))

    if isinstance(path, str | os.PathLike):
        write_whole(path, draw)
    else:
        draw(path)
    if close:
        pyplot("a figure").close(figure)
