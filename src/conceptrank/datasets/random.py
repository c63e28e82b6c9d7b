"""Random contexts: from nothing, or from a context whose properties they keep.

All are drawn from a stream of random numbers that `seed` and `stream` tell: the same ones give the
same context, and streams of one seed are independent of each other.

What a random context keeps of a given one decides what a comparison with it says:

=================  ======================  =========================  ====================
function           objects' sizes          attributes' frequencies    number of crosses
=================  ======================  =========================  ====================
swap, curveball    each one's, exactly     each one's, exactly        exactly
shuffle_columns    no                      each one's, exactly        exactly
resample_rows      in distribution         in expectation             in expectation
categorical_rows   in distribution         no                         in expectation
dirichlet_rows     nearly (by precision)   no                         nearly
fixed_density      no                      no                         exactly
coin_toss          no                      no                         in expectation
=================  ======================  =========================  ====================

The row models (`categorical_rows`, `dirichlet_rows`, `coin_toss`, `fixed_density`) make attributes
exchangeable. What stands out against them can stand out for no other reason than that attributes
have different frequencies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank.context import Context
from conceptrank.datasets import _samplers
from conceptrank.datasets._samplers import ChainSampler, Sampler

__all__ = [
    "Chain",
    "categorical_rows",
    "chain",
    "coin_toss",
    "curveball",
    "dirichlet_rows",
    "fixed_density",
    "resample_rows",
    "shuffle_columns",
    "swap",
]

# A number of them, or their names.
Side: TypeAlias = "int | Iterable[str]"


def swap(context: Context, *, steps: int | None = None, seed: int = 0, stream: int = 0) -> Context:
    """Return a random context with the same margins, by swapping crosses.

    Every step picks two crosses (g, m), (h, n) and moves them to (g, n), (h, m) if these cells are
    free. Otherwise the table stays as it is and the step counts nevertheless. So the chain tends
    to all tables with these row and column sums equally; counting only the steps that succeed
    would prefer tables with many neighbours.

    Parameters
    ----------
    context
        Where the chain starts.
    steps
        How many steps; so many that five moves are expected for each cross if None. `chain` shows
        how far the table gets.
    seed, stream
        Which random numbers.

    References
    ----------
    Gionis, Mannila, Mielikäinen, Tsaparas, Assessing data mining results via swap randomization,
    ACM TKDD 1 (2007).

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> random = swap(context, seed=1)
    >>> random == context, random.crosses == context.crosses
    (False, True)
    """
    return _drawn(context, _samplers.swap(context, steps=steps), seed, stream)


def curveball(
    context: Context, *, trades: int | None = None, seed: int = 0, stream: int = 0
) -> Context:
    """Return a random context with the same margins, by trades between objects.

    Every trade picks two objects and deals the attributes that only one of them has anew, so that
    each keeps its number. It tends to the same uniform distribution as `swap`, and faster.

    Parameters
    ----------
    context
        Where the chain starts.
    trades
        How many trades; ten times the number of objects if None.
    seed, stream
        Which random numbers.

    References
    ----------
    Strona, Nappo, Boccacci, Fattorini, San-Miguel-Ayanz, A fast and unbiased procedure to randomize
    ecological binary matrices, Nature Communications 5 (2014). Carstens, Proof of uniform sampling
    of binary matrices with fixed row sums and column sums for the fast Curveball algorithm,
    Physical Review E 91 (2015).

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> curveball(context, seed=1).transpose().concept("1").support == len(context.intension("1"))
    True
    """
    return _drawn(context, _samplers.curveball(context, trades=trades), seed, stream)


@dataclass(frozen=True)
class Chain:
    """What a chain of random steps did.

    Attributes
    ----------
    context
        Where it came to.
    steps
        How many steps it took.
    accepted
        How many of them changed the table.
    distances
        The share of the crosses that are not where they were at the start, at equal intervals.
        When it stops to grow, the start is forgotten as far as this tells.
    """

    context: Context
    steps: int
    accepted: int
    distances: NDArray[np.float64]

    def __str__(self) -> str:
        far = f"{self.distances[-1]:.1%}" if len(self.distances) else "an unknown share"
        return f"{self.steps:,} steps, {self.accepted:,} of them moves; {far} of the crosses moved"


def chain(
    context: Context,
    *,
    method: Literal["swap", "curveball"] = "swap",
    steps: int | None = None,
    checkpoints: int = 16,
    seed: int = 0,
    stream: int = 0,
) -> Chain:
    """Run the chain of `swap` or `curveball` and watch how far it gets from its start.

    Parameters
    ----------
    context
        Where the chain starts.
    method
        Whose chain.
    steps
        How many steps or trades; as for the function of that name if None.
    checkpoints
        How often to look at the distance.
    seed, stream
        Which random numbers: the context at the end is the one that the function gives.

    Examples
    --------
    >>> import conceptrank as cr
    >>> run = chain(cr.datasets.load("movies"), steps=1000, checkpoints=4)
    >>> print(run)
    1,000 steps, 228 of them moves; 46.9% of the crosses moved
    >>> run.distances
    array([0.5    , 0.5    , 0.5625 , 0.46875])
    """
    sampler: ChainSampler
    if method == "swap":
        sampler = _samplers.swap(context, steps=steps)
    elif method == "curveball":
        sampler = _samplers.curveball(context, trades=steps)
    else:
        raise ValueError(f"method must be 'swap' or 'curveball', got {method!r}")
    run = sampler.run(
        _samplers.stream(seed, stream), checkpoints=_samplers.count("checkpoints", checkpoints)
    )
    end = Context.from_csr(context.objects, context.attributes, *run.rows)
    return Chain(end, run.attempted, run.accepted, run.distances)


def shuffle_columns(context: Context, *, seed: int = 0, stream: int = 0) -> Context:
    """Return a context in which every attribute has as many objects, but any.

    Attributes become independent of each other. For two of them, the number of objects that have
    both is hypergeometric, so that a comparison with it is Fisher's exact test. How many
    attributes an object has is not kept.

    Parameters
    ----------
    context
        The context.
    seed, stream
        Which random numbers.

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> shuffle_columns(context).concept("drama").support == context.concept("drama").support
    True
    """
    return _drawn(context, _samplers.shuffle_columns(context), seed, stream)


def resample_rows(context: Context, *, seed: int = 0, stream: int = 0) -> Context:
    """Return a context whose objects are drawn from a context's, with replacement.

    The bootstrap: it keeps everything but chance in the choice of objects, so it shows how much a
    finding varies rather than whether there is one. The names of the objects are only numbers
    here: an object has the attributes of the one that was drawn.

    Parameters
    ----------
    context
        The context.
    seed, stream
        Which random numbers.

    References
    ----------
    Efron, Bootstrap methods: another look at the jackknife, Annals of Statistics 7 (1979).

    Examples
    --------
    >>> import conceptrank as cr
    >>> resample_rows(cr.datasets.load("movies"), seed=1).n_distinct_rows < 10
    True
    """
    return _drawn(context, _samplers.resample_rows(context), seed, stream)


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
    if context is not None:
        shape = _of_context(context, objects, attributes)
        return _drawn(
            shape, _samplers.coin_toss(context, density=density, method=method), seed, stream
        )
    names = _names(objects, attributes)
    if density is None:
        raise ValueError("give a context, or density=… beside objects and attributes")
    n, q = len(names[0]), len(names[1])
    sampler = _samplers.tossed(n, q, _samplers.share("density", density), method)
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
    if context is not None:
        shape = _of_context(context, objects, attributes)
        sampler = _samplers.fixed_density(context, density=density, crosses=crosses)
        return _drawn(shape, sampler, seed, stream)
    names = _names(objects, attributes)
    sampler = _samplers.placed(len(names[0]), len(names[1]), density, crosses)
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
    if context is not None:
        shape = _of_context(context, objects, attributes)
        return _drawn(shape, _samplers.categorical_rows(context, sizes=sizes), seed, stream)
    names = _names(objects, attributes)
    if sizes is None:
        raise ValueError("give a context, or sizes=… beside objects and attributes")
    n, q = len(names[0]), len(names[1])
    return _drawn(names, _samplers.sized(n, q, _samplers.weights("sizes", sizes, q)), seed, stream)


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
    if context is not None:
        shape = _of_context(context, objects, attributes)
        sampler = _samplers.dirichlet_rows(context, base=base, precision=precision)
        return _drawn(shape, sampler, seed, stream)
    names = _names(objects, attributes)
    n, q = len(names[0]), len(names[1])
    around = np.ones(q + 1) if base is None else _samplers.weights("base", base, q)
    total = 0.1 * (q + 1) if precision is None else precision
    return _drawn(names, _samplers.dirichlet(n, q, around, total), seed, stream)


Names: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def _drawn(names: Context | Names, sampler: Sampler, seed: int, stream: int) -> Context:
    if isinstance(names, Context):
        names = names.objects, names.attributes
    return Context.from_csr(*names, *sampler(_samplers.stream(seed, stream), None))


def _of_context(context: Context, objects: Side | None, attributes: Side | None) -> Names:
    if objects is not None or attributes is not None:
        raise ValueError("give a context, or objects and attributes, not both")
    return context.objects, context.attributes


def _names(objects: Side | None, attributes: Side | None) -> Names:
    if objects is None or attributes is None:
        raise ValueError("give a context, or both objects=… and attributes=…")
    return _labels("objects", objects, "g"), _labels("attributes", attributes, "m")


def _labels(kind: str, side: Side, letter: str) -> tuple[str, ...]:
    if isinstance(side, Iterable):
        return tuple(side)
    return tuple(f"{letter}{number}" for number in range(1, _samplers.count(kind, side) + 1))
