"""The kinds of figures by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conceptrank.errors import UnknownNameError
from conceptrank.plot.heatmap import agreement
from conceptrank.plot.histograms import distributions
from conceptrank.plot.parts import diagram
from conceptrank.plot.ranking_curves import curves
from conceptrank.plot.scatter_plot import scatter
from conceptrank.ranking import Ranking


def _drawn(ranking: Ranking, *, ax: Any = None, **options: Any) -> Any:
    return diagram(ranking, **options).draw(ax)


KINDS: dict[str, Callable[..., Any]] = {
    "curves": curves,
    "distributions": distributions,
    "scatter": scatter,
    "agreement": agreement,
    "diagram": _drawn,
}


def of_ranking(ranking: Ranking, kind: str, **options: Any) -> Any:
    """Draw a figure of a ranking; see `Ranking.plot`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> of_ranking(cr.datasets.load("movies").lattice().rank("cr"), "curve")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown figure 'curve'; did you mean 'curves'?
    """
    if kind not in KINDS:
        raise UnknownNameError("figure", kind, KINDS)
    return KINDS[kind](ranking, **options)
