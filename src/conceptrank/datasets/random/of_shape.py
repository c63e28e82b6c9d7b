"""Random contexts of a shape: the rows of null models that make attributes exchangeable."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from conceptrank.context import Context
from conceptrank.datasets import _samplers
from conceptrank.datasets._samplers import Sampler

# The number of objects or attributes, or their names.
Side: TypeAlias = "int | Iterable[str]"


def coin_toss(
    objects: Side, attributes: Side, *, density: float, seed: int = 0, stream: int = 0
) -> Context:
    """Return a context in which every cell is a cross with the same chance, independently.

    Parameters
    ----------
    objects, attributes
        Their numbers, or their names.
    density
        The chance of a cross.
    seed, stream
        Which random numbers.

    References
    ----------
    Felde, Hanika, Stumme, Null models for formal contexts, Information 11 (2020).

    Examples
    --------
    >>> 0.28 < coin_toss(1000, 8, density=0.3, seed=1).density < 0.32
    True
    """
    chance = _samplers.share("density", density)
    return _drawn(objects, attributes, lambda n, q: _samplers.tossed(n, q, chance), seed, stream)


def fixed_density(
    objects: Side, attributes: Side, *, crosses: int, seed: int = 0, stream: int = 0
) -> Context:
    """Return a context with a number of crosses anywhere.

    Parameters
    ----------
    objects, attributes
        Their numbers, or their names.
    crosses
        The number of crosses.
    seed, stream
        Which random numbers.

    Examples
    --------
    >>> fixed_density(100, 8, crosses=240).density
    0.3
    """
    return _drawn(objects, attributes, lambda n, q: _samplers.placed(n, q, crosses), seed, stream)


def categorical_rows(
    objects: Side, attributes: Side, *, sizes: Iterable[float], seed: int = 0, stream: int = 0
) -> Context:
    """Return a context of rows whose sizes follow given weights, and that are any sets otherwise.

    Parameters
    ----------
    objects, attributes
        Their numbers, or their names.
    sizes
        The weights of 0, 1, … attributes.
    seed, stream
        Which random numbers.

    References
    ----------
    Felde, Hanika, Stumme, Null models for formal contexts, Information 11 (2020).

    Examples
    --------
    >>> context = categorical_rows(9, "abc", sizes=[0, 1, 1, 0], seed=1)
    >>> {len(context.intension(name)) for name in context.objects}
    {1, 2}
    """

    def sampler(n: int, q: int) -> Sampler:
        return _samplers.sized(n, q, _samplers.weights("sizes", sizes, q))

    return _drawn(objects, attributes, sampler, seed, stream)


def dirichlet_rows(
    objects: Side,
    attributes: Side,
    *,
    base: Iterable[float] | None = None,
    precision: float | None = None,
    seed: int = 0,
    stream: int = 0,
) -> Context:
    """Return a context of rows whose sizes follow a random distribution.

    One distribution of row sizes is drawn for the whole context from the Dirichlet distribution
    with the parameters precision · base; rows are any sets of their sizes. A high precision stays
    close to the base; a low one prefers few sizes, others in every context, which gives contexts
    of many kinds.

    Parameters
    ----------
    objects, attributes
        Their numbers, or their names.
    base
        The weights of 0, 1, … attributes, whatever their sum; equal ones if None.
    precision
        The sum of the parameters; 0.1 for each size if None.
    seed, stream
        Which random numbers.

    References
    ----------
    Felde, Hanika, Formal context generation using Dirichlet distributions, ICCS (2019).

    Examples
    --------
    >>> dirichlet_rows(200, 15, precision=2, seed=1).shape
    (200, 15)
    """

    def sampler(n: int, q: int) -> Sampler:
        around = np.ones(q + 1) if base is None else _samplers.weights("base", base, q)
        total = 0.1 * (q + 1) if precision is None else precision
        return _samplers.dirichlet(n, q, around, total)

    return _drawn(objects, attributes, sampler, seed, stream)


def _drawn(
    objects: Side, attributes: Side, sampler: Callable[[int, int], Sampler], seed: int, stream: int
) -> Context:
    rows, columns = _names("objects", objects, "g"), _names("attributes", attributes, "m")
    drawn = sampler(len(rows), len(columns))(_samplers.stream(seed, stream), None)
    return Context.from_csr(rows, columns, *drawn)


def _names(kind: str, side: Side, letter: str) -> tuple[str, ...]:
    if isinstance(side, Iterable):
        return tuple(side)
    return tuple(f"{letter}{number}" for number in range(1, _samplers.count(kind, side) + 1))
