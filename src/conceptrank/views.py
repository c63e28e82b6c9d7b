"""How lattices and concepts let themselves be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
