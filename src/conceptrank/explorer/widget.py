"""The page in a notebook, as a widget."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from conceptrank.errors import ConceptRankError, install_command
from conceptrank.explorer.page import static
from conceptrank.explorer.payload import DEFAULT_MEASURES, pack
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike

if TYPE_CHECKING:
    from anywidget import AnyWidget


class MissingWidgetError(ConceptRankError, ImportError):
    """The package for widgets is not installed."""


def widget(
    lattice: Lattice,
    measures: Sequence[MeasureLike] = DEFAULT_MEASURES,
    *,
    title: str = "concepts",
    then: Sequence[MeasureLike] | None = None,
    height: int = 680,
) -> AnyWidget:
    """Return a widget that shows the page in a notebook.

    Parameters
    ----------
    lattice
        The concepts.
    measures
        The measures to show, the one to sort by first; support is always there.
    title
        The title of the page.
    then
        The measures that break ties by default; `log_stability` if None and it is shown.
    height
        Its height in pixels.

    Raises
    ------
    MissingWidgetError
        If anywidget is not installed.

    Examples
    --------
    >>> import conceptrank as cr
    >>> widget(cr.datasets.load("movies").lattice(), ["cr"]).height
    680
    """
    made = _kind()
    return made(payload=pack(lattice, measures, title=title, then=then), height=height)


@cache
def _kind() -> type[AnyWidget]:
    """Return the class of the widget; raise an error if a package is missing."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingWidgetError(
            f"the explorer in a notebook needs anywidget: {install_command('notebook')} "
            "(hint: lattice.explore(export='page.html') writes a page that needs nothing)"
        ) from None

    class Explorer(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        """Concepts to explore."""

        _esm = static("widget.js")
        payload = traitlets.Bytes().tag(sync=True)
        height = traitlets.Int(680).tag(sync=True)

    return Explorer
