"""How lattices and concepts let themselves be looked at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anywidget import AnyWidget
    from matplotlib.axes import Axes

    from conceptrank.measures.registry import MeasureLike


class Views:
    """The pictures of a `Lattice` or a `Concept`, which inherit them."""

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw a line diagram, and return the axes.

        Of a lattice with more than 80 concepts, and no part asked for, those of the largest
        support are drawn, as many as fit; the figure says so. Of a concept its neighbourhood is
        drawn, for which no lattice is needed.

        Parameters
        ----------
        ax
            The axes to draw on; those of a new figure if None.
        **options
            What to show and how: `around`, `ideal`, `filter`, `top`, `by`, `min_support`,
            `radius`, `labels`, `colour`, `size`, `limit`; see `conceptrank.plot.diagram`, which
            also writes diagrams for Graphviz, LaTeX and other programs.

        Raises
        ------
        ConceptRankError
            If matplotlib is not installed, or there is too much to draw.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ax = cr.datasets.load("movies").lattice().plot(top=5, colour="cr")
        >>> ax = cr.datasets.load("movies").concept("criminal", "drama").plot(labels="counts")
        """
        from conceptrank.plot import diagram

        return diagram(self, **options).draw(ax)  # type: ignore[arg-type]


class LatticeViews(Views):
    """The views of a `Lattice`, which inherits them."""

    def explore(
        self,
        measures: Sequence[MeasureLike] | None = None,
        *,
        title: str = "concepts",
        height: int = 680,
        export: str | os.PathLike[str] | None = None,
    ) -> AnyWidget | None:
        """Explore the concepts: a ranked table, each concept in detail, plots, line diagrams.

        Parameters
        ----------
        measures
            The measures to show, the one to sort by first; Conceptual Relevance, stability,
            separation and Δ if None. Support is always there.
        title
            What the page is called.
        height
            The height of the widget in pixels.
        export
            Write one HTML file that needs neither Python nor a network, instead of giving a
            widget for a notebook.

        Raises
        ------
        ConceptRankError
            If anywidget is not installed, or there is more than a page can hold.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> widget = lattice.explore(["cr", "stability"], title="movies")   # shows itself
        """
        from conceptrank import explorer
        from conceptrank.explorer.widget import widget

        wanted = explorer.DEFAULT_MEASURES if measures is None else measures
        if export is not None:
            explorer.export(self, export, wanted, title=title)  # type: ignore[arg-type]
            return None
        return widget(self, wanted, title=title, height=height)  # type: ignore[arg-type]
