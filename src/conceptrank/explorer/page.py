"""The page as a single HTML file with scripts, style and data."""

from __future__ import annotations

import base64
import hashlib
import os
from html import escape
from importlib.resources import files

from conceptrank._util.files import write_whole_text
from conceptrank.explorer.content import Content
from conceptrank.explorer.payload import packed


def to_html(content: Content) -> str:
    """Return a page to explore concepts; it needs no network.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> page = to_html(cr.explorer.of_lattice(lattice, ["cr"], title="movies"))
    >>> page[:15], "http://" in page.replace("http://www.w3.org/2000/svg", "")
    ('<!doctype html>', False)
    """
    return frame(content.title, data=base64.b64encode(packed(content)).decode())


def export(content: Content, path: str | os.PathLike[str]) -> None:
    """Write the page to a file; see `to_html`."""
    write_whole_text(path, to_html(content))


def static(name: str) -> str:
    """Return a built file of the page.

    Examples
    --------
    >>> static("explorer.css").startswith(".cr-explorer{")
    True
    """
    return files("conceptrank.explorer").joinpath("static", name).read_text(encoding="utf-8")


def frame(title: str, *, data: str | None, waiting: str = "Loading …") -> str:
    """Return the page with its data; without data, the page asks the server that sent it.

    It shows the text `waiting` until it is ready. Its policy allows no other scripts and styles, so
    names in the data can't run anything.

    Examples
    --------
    >>> "<title>a &lt;b&gt;</title>" in frame("a <b>", data=None)
    True
    """
    script, style = static("explorer.js"), static("explorer.css")
    style += (
        "html,body{margin:0;height:100%}"
        "html:has(#conceptrank>p[role=status]){color-scheme:light dark}"
        "#conceptrank>p[role=status]{margin:0;padding:30px;font:14px sans-serif}"
    )
    connect = "'self'" if data is None else "'none'"
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        f"img-src data: blob:; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )
    # A file name may contain bytes that are not valid text.
    heading = escape(title.encode("utf-8", "replace").decode())
    inlined = (
        "" if data is None else f'<script type="text/plain" id="conceptrank-data">{data}</script>\n'
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{heading}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<div id="conceptrank"><p role="status">{escape(waiting)}</p></div>\n'
        f"{inlined}<script>{script}</script>\n</body>\n</html>\n"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
