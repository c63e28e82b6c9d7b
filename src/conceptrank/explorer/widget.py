"""The page in a notebook, as a widget."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from conceptrank.errors import ConceptRankError, install_command
from conceptrank.explorer.content import Content
from conceptrank.explorer.page import static
from conceptrank.explorer.payload import packed

if TYPE_CHECKING:
    from anywidget import AnyWidget


class MissingWidgetError(ConceptRankError, ImportError):
    """The package for widgets is not installed."""


def widget(content: Content, *, height: int = 680) -> AnyWidget:
    """Return a widget that shows the page in a notebook.

    Parameters
    ----------
    content
        What the page shows.
    height
        Its height in pixels.

    Raises
    ------
    MissingWidgetError
        If anywidget is not installed.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> widget(cr.explorer.of_lattice(lattice, ["cr"])).height
    680
    """
    return _kind()(payload=packed(content), height=height)


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
