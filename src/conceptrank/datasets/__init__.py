"""Data sets: the embedded one, public ones, and generators of others.

`movies` is the running example: 11 movies, 7 genres, 20 concepts. `load` also finds or downloads
the public data sets that papers use. `random` draws contexts, `scales` makes the standard ones.
"""

from __future__ import annotations

import os
from importlib.resources import files

from conceptrank._util.lazy import pl
from conceptrank.context import Context
from conceptrank.datasets import random, scales
from conceptrank.datasets.fetching import DataUnavailableError
from conceptrank.errors import UnknownNameError

__all__ = ["DataUnavailableError", "available", "load", "names", "random", "scales"]

_EMBEDDED = "movies"


def names() -> tuple[str, ...]:
    """Return the names of the data sets: the embedded one first, then the public ones.

    Examples
    --------
    >>> names()[:4]
    ('movies', 'dirichlet', 'coin_toss', 'diagnosis')
    """
    from conceptrank.datasets import public

    return (_EMBEDDED, *public.catalogue())


def available() -> pl.DataFrame:
    """Return a table of the public data sets: their size, source and licence.

    Unknown counts are null.

    Examples
    --------
    >>> available().filter(name="diagnosis").select("objects", "attributes", "concepts").row(0)
    (120, 17, 88)
    """
    from conceptrank.datasets import public

    columns = ("name", "title", "objects", "attributes", "concepts", "license", "url", "sha256")
    entries = public.catalogue().values()
    return pl.DataFrame([{name: getattr(each, name) for name in columns} for each in entries])


def load(
    name: str, *, file: str | os.PathLike[str] | None = None, download: bool = True
) -> Context:
    """Return a data set as a context.

    A public data set is looked for in the directory that `$CONCEPTRANK_DATA` names, then in the
    cache (`$CONCEPTRANK_CACHE`, or the system's place for such files), and downloaded into the
    cache if it is in neither. Its SHA-256 is checked every time.

    Parameters
    ----------
    name
        One of `names()`, or `"linkedin"` or `"pedia_languages"` for a file of your own.
    file
        Your own copy of the data, in any format that `conceptrank.load` knows, or in the format
        of the public file; it is not checked.
    download
        Whether a file that isn't on this machine may be downloaded; that needs pooch.

    Raises
    ------
    UnknownNameError
        If there is no such data set.
    DataUnavailableError
        If its file can't be had, or is not the one it should be.

    Examples
    --------
    >>> load("movies").shape
    (11, 7)
    >>> load("movie")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown data set 'movie'; did you mean 'movies'?
    >>> load("linkedin")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.datasets.fetching.DataUnavailableError: the LinkedIn data of the paper (1269 × ...
    """
    from pathlib import Path

    from conceptrank.datasets import public
    from conceptrank.scaling.loading import load as load_context

    if name not in (*names(), *public.NOT_PUBLIC):
        raise UnknownNameError("data set", name, (*names(), *public.NOT_PUBLIC))
    if name == _EMBEDDED and file is None:
        with files(__name__).joinpath("movies.cxt").open("rb") as opened:
            return load_context(opened, format="burmeister")
    if name in public.NOT_PUBLIC and file is None:
        raise DataUnavailableError(
            f"{public.NOT_PUBLIC[name]} are not public (hint: give your own copy)"
        )
    if name in public.catalogue():
        entry = public.catalogue()[name]
        return entry.read(Path(file) if file is not None else entry.path(download=download))
    return load_context(Path(file or ""))
