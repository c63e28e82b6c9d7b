"""Data sets that come with the package, and generators of others.

`movies` is the running example: 11 movies, 7 genres, 20 concepts. `random` draws contexts, `scales`
makes the standard ones.
"""

from __future__ import annotations

from importlib.resources import files

from conceptrank import io
from conceptrank.context import Context
from conceptrank.datasets import random, scales
from conceptrank.errors import UnknownNameError

__all__ = ["load", "names", "random", "scales"]

_FILES = {"movies": "movies.cxt"}


def names() -> tuple[str, ...]:
    """Return the names of the data sets.

    Examples
    --------
    >>> names()
    ('movies',)
    """
    return tuple(_FILES)


def load(name: str) -> Context:
    """Return a data set as a context.

    Parameters
    ----------
    name
        One of `names()`.

    Raises
    ------
    UnknownNameError
        If there is no such data set.

    Examples
    --------
    >>> load("movies").shape
    (11, 7)
    >>> load("movie")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown data set 'movie'; did you mean 'movies'?
    """
    if name not in _FILES:
        raise UnknownNameError("data set", name, names())
    with files(__name__).joinpath(_FILES[name]).open("rb") as file:
        return io.load(file, format="burmeister")
