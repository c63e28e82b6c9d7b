"""One page that needs nothing else: scripts, style and data in a single HTML file."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from conceptrank._util.files import write_whole_text
from conceptrank.explorer.payload import DEFAULT_MEASURES, pack
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.summary.summary import Summary


def to_html(
    lattice: Lattice,
    measures: Sequence[MeasureLike] = DEFAULT_MEASURES,
    *,
    title: str = "concepts",
    then: Sequence[MeasureLike] | None = None,
    note: str = "",
    summary: Summary | None = None,
) -> str:
    """Return a page on which the concepts of a lattice can be explored, without any network.

    Parameters
    ----------
    lattice
        The concepts.
    measures
        The measures to show, the one to sort by first; support is always there.
    title
        What the page is called.
    then
        The measures that break ties at first; `log_stability` if None and it is shown.
    note
        What the page says about concepts that are not here.
    summary
        The short list; it is found if None.

    Examples
    --------
    >>> import conceptrank as cr
    >>> page = to_html(cr.datasets.load("movies").lattice(), ["cr"], title="movies")
    >>> page[:15], "http://" in page.replace("http://www.w3.org/2000/svg", "")
    ('<!doctype html>', False)
    """
    return with_data(
        title, pack(lattice, measures, title=title, then=then, note=note, summary=summary)
    )


def export(
    lattice: Lattice,
    path: str | os.PathLike[str],
    measures: Sequence[MeasureLike] = DEFAULT_MEASURES,
    *,
    title: str = "concepts",
    then: Sequence[MeasureLike] | None = None,
    note: str = "",
    summary: Summary | None = None,
) -> None:
    """Write the page to a file; see `to_html`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     export(cr.datasets.load("movies").lattice(), directory + "/movies.html", ["cr"])
    """
    write_whole_text(
        path, to_html(lattice, measures, title=title, then=then, note=note, summary=summary)
    )


def with_data(title: str, data: bytes) -> str:
    """Return the page around packed data."""
    return frame(title, data=base64.b64encode(data).decode())


def static(name: str) -> str:
    """Return a built file of the page.

    Examples
    --------
    >>> static("explorer.css").startswith(".cr-explorer{")
    True
    """
    return files("conceptrank.explorer").joinpath("static", name).read_text(encoding="utf-8")


def frame(title: str, *, data: str | None, waiting: str = "Loading …") -> str:
    """Return the page around its data; without data it asks the server that it came from.

    It says `waiting` until it can show something.

    The policy in it lets these very scripts and styles run and nothing else, whatever a name in
    the data contains.

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
    # A file's name need not be text; what is written must be.
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
