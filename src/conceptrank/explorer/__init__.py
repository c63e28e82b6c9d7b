"""The explorer: concepts to look at in a browser, from a file, a server or a notebook."""

from conceptrank.explorer.content import (
    BEST_CONCEPTS,
    BEST_SECONDS,
    DEFAULT_MEASURES,
    MOST_CONCEPTS,
    Content,
    of_best,
    of_lattice,
    of_run,
)
from conceptrank.explorer.page import export, to_html
from conceptrank.explorer.payload import packed
from conceptrank.explorer.server import Server
from conceptrank.explorer.widget import widget

__all__ = [
    "BEST_CONCEPTS",
    "BEST_SECONDS",
    "DEFAULT_MEASURES",
    "MOST_CONCEPTS",
    "Content",
    "Server",
    "export",
    "of_best",
    "of_lattice",
    "of_run",
    "packed",
    "to_html",
    "widget",
]
