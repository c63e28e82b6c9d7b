"""The explorer: concepts to look at in a browser, from a file, a server or a notebook."""

from conceptrank.explorer.page import export, to_html
from conceptrank.explorer.payload import DEFAULT_MEASURES, pack

__all__ = ["DEFAULT_MEASURES", "export", "pack", "to_html"]
