"""The explorer: concepts to look at in a browser, from a file, a server or a notebook."""

from conceptrank.explorer.best_concepts import best_source
from conceptrank.explorer.lattice_source import LatticeSource
from conceptrank.explorer.page import export, to_html
from conceptrank.explorer.payload import DEFAULT_MEASURES, pack
from conceptrank.explorer.query import Source
from conceptrank.explorer.run_page import export_run
from conceptrank.explorer.run_source import RunSource
from conceptrank.explorer.server import Server
from conceptrank.explorer.widget import widget

__all__ = [
    "DEFAULT_MEASURES",
    "LatticeSource",
    "RunSource",
    "Server",
    "Source",
    "best_source",
    "export",
    "export_run",
    "pack",
    "to_html",
    "widget",
]
