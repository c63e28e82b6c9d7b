"""The standard scales of formal concept analysis, as contexts of any size.

They are the extreme cases among contexts: `contranominal` has the most concepts that so many
objects can have, `ordinal` a chain of them, and `nominal` nothing but single objects between top
and bottom.

References
----------
Ganter, Wille, Formal Concept Analysis: Mathematical Foundations (1999), section 1.4.
"""

from __future__ import annotations

import numpy as np

from conceptrank.context import Context
from conceptrank.datasets._samplers import count

__all__ = ["contranominal", "nominal", "ordinal"]


def contranominal(n: int) -> Context:
    """Return the context in which object g has all attributes but g: 2^n concepts.

    Examples
    --------
    >>> len(contranominal(5).lattice())
    32
    """
    return _scale(n, "≠")


def nominal(n: int) -> Context:
    """Return the context in which object g has attribute g only: n + 2 concepts from n = 2 on.

    Examples
    --------
    >>> len(nominal(5).lattice())
    7
    """
    return _scale(n, "=")


def ordinal(n: int) -> Context:
    """Return the context in which object g has the attributes from g on: a chain of n concepts.

    Examples
    --------
    >>> [len(extent) for extent, intent in ordinal(4).lattice()]
    [4, 3, 2, 1]
    """
    return _scale(n, "≤")


def _scale(n: int, relation: str) -> Context:
    places = np.arange(count("n", n))
    compare = {"≠": np.not_equal, "=": np.equal, "≤": np.less_equal}[relation]
    names = [str(place + 1) for place in places.tolist()]
    return Context(names, names, compare.outer(places, places))
