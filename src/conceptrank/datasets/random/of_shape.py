"""Random contexts that need no other one: a shape, and how crosses or sizes of rows are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from conceptrank.context import Context
from conceptrank.datasets import _samplers
from conceptrank.datasets._samplers import Sampler

# The number of objects or attributes, or their names.
Side: TypeAlias = "int | Iterable[str]"
Names: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def coin_toss(
    context: Context | None = None,
    *,
    objects: Side | None = None,
    attributes: Side | None = None,
    density: float | None = None,
    method: Literal["direct", "indirect"] = "direct",
    seed: int = 0,
    stream: int = 0,
) -> Context:
    """Return a context in which every cell is a cross with the same chance, independently.

    Only the density is kept, in expectation: objects have binomial numbers of attributes, and
    attributes are exchangeable.

    Parameters
    ----------
    context
        The context whose names and density to take.
    objects, attributes
        Without a context: their numbers, or their names.
    density
        The chance of a cross; that of the context if None.
    method
        `"direct"` tosses a coin for every cell; `"indirect"` draws each object's number of
        attributes first, then that many attributes. The distribution is the same.
    seed, stream
        Which random numbers.

    References
    ----------
    Felde, Hanika, Stumme, Null models for formal contexts, Information 11 (2020).

    Examples
    --------
    >>> 0.28 < coin_toss(objects=1000, attributes=8, density=0.3, seed=1).density < 0.32
    True
    """
    names = _names(context, objects, attributes)
    if context is not None:
        sampler = _samplers.coin_toss(context, density=density, method=method)
    elif density is None:
        raise ValueError("give a context, or density=… with objects and attributes")
    else:
        sampler = _samplers.tossed(*_shape(names), _samplers.share("density", density), method)
    return _drawn(names, sampler, seed, stream)


def fixed_density(
    context: Context | None = None,
    *,
    objects: Side | None = None,
    attributes: Side | None = None,
    density: float | None = None,
    crosses: int | None = None,
    seed: int = 0,
    stream: int = 0,
) -> Context:
    """Return a context with a number of crosses anywhere.

    The number of crosses is kept exactly, the sizes of objects and attributes are not.

    Parameters
    ----------
    context
        The context whose names and number of crosses to take.
    objects, attributes
        Without a context: their numbers, or their names.
    density, crosses
        The share of the cells that are crosses, rounded to whole crosses, or their number; that
        of the context if None.
    seed, stream
        Which random numbers.

    Examples
    --------
    >>> fixed_density(objects=100, attributes=8, density=0.3).crosses
    240
    """
    names = _names(context, objects, attributes)
    if context is not None:
        sampler = _samplers.fixed_density(context, density=density, crosses=crosses)
    else:
        sampler = _samplers.placed(*_shape(names), density, crosses)
    return _drawn(names, sampler, seed, stream)


def categorical_rows(
    context: Context | None = None,
    *,
    objects: Side | None = None,
    attributes: Side | None = None,
    sizes: Iterable[float] | None = None,
    seed: int = 0,
    stream: int = 0,
) -> Context:
    """Return a context of rows whose sizes follow given weights, and that are any sets otherwise.

    Row sizes are kept in distribution; attributes are exchangeable.

    Parameters
    ----------
    context
        The context whose names and row sizes to take.
    objects, attributes
        Without a context: their numbers, or their names.
    sizes
        The weights of 0, 1, … attributes; how many objects of the context have that many if None.
    seed, stream
        Which random numbers.

    References
    ----------
    Felde, Hanika, Stumme, Null models for formal contexts, Information 11 (2020).

    Examples
    --------
    >>> context = categorical_rows(objects=9, attributes="abc", sizes=[0, 1, 1, 0], seed=1)
    >>> {len(context.intension(name)) for name in context.objects}
    {1, 2}
    """
    names = _names(context, objects, attributes)
    if context is not None:
        sampler = _samplers.categorical_rows(context, sizes=sizes)
    elif sizes is None:
        raise ValueError("give a context, or sizes=… with objects and attributes")
    else:
        n, q = _shape(names)
        sampler = _samplers.sized(n, q, _samplers.weights("sizes", sizes, q))
    return _drawn(names, sampler, seed, stream)


def dirichlet_rows(
    context: Context | None = None,
    *,
    objects: Side | None = None,
    attributes: Side | None = None,
    base: Iterable[float] | None = None,
    precision: float | None = None,
    seed: int = 0,
    stream: int = 0,
) -> Context:
    """Return a context of rows whose sizes follow a random distribution.

    One distribution of row sizes is drawn for the whole context from the Dirichlet distribution
    with the parameters precision · base; rows are any sets of their sizes. A high precision stays
    close to the base; a low one prefers few sizes, others in every context, which gives contexts
    of many kinds. Attributes are exchangeable.

    Parameters
    ----------
    context
        The context whose names and row sizes to take.
    objects, attributes
        Without a context: their numbers, or their names.
    base
        The weights of 0, 1, … attributes, whatever their sum. If None, those of the context, or
        equal ones without a context.
    precision
        The sum of the parameters. If None, 1000 for each attribute with a context, which imitates
        it closely, and 0.1 for each size without one.
    seed, stream
        Which random numbers.

    References
    ----------
    Felde, Hanika, Formal context generation using Dirichlet distributions, ICCS (2019).

    Examples
    --------
    >>> dirichlet_rows(objects=200, attributes=15, precision=2, seed=1).shape
    (200, 15)
    """
    names = _names(context, objects, attributes)
    if context is not None:
        sampler = _samplers.dirichlet_rows(context, base=base, precision=precision)
    else:
        n, q = _shape(names)
        around = np.ones(q + 1) if base is None else _samplers.weights("base", base, q)
        total = 0.1 * (q + 1) if precision is None else precision
        sampler = _samplers.dirichlet(n, q, around, total)
    return _drawn(names, sampler, seed, stream)


def _drawn(names: Names, sampler: Sampler, seed: int, stream: int) -> Context:
    return Context.from_csr(*names, *sampler(_samplers.stream(seed, stream), None))


def _shape(names: Names) -> tuple[int, int]:
    return len(names[0]), len(names[1])


def _names(context: Context | None, objects: Side | None, attributes: Side | None) -> Names:
    if context is not None:
        if objects is not None or attributes is not None:
            raise ValueError("give a context, or objects and attributes, not both")
        return context.repeated().objects, context.attributes
    if objects is None or attributes is None:
        raise ValueError("give a context, or both objects=… and attributes=…")
    return _labels("objects", objects, "g"), _labels("attributes", attributes, "m")


def _labels(kind: str, side: Side, letter: str) -> tuple[str, ...]:
    if isinstance(side, Iterable):
        return tuple(side)
    return tuple(f"{letter}{number}" for number in range(1, _samplers.count(kind, side) + 1))
