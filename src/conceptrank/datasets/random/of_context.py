"""Random contexts that come from a context: they keep its margins, its columns or its rows."""

from __future__ import annotations

from conceptrank.context import Context
from conceptrank.datasets import _samplers
from conceptrank.datasets._samplers import Sampler


def swap(context: Context, *, steps: int | None = None, seed: int = 0, stream: int = 0) -> Context:
    """Return a random context with the same margins, by swapping crosses.

    Every step picks two crosses (g, m), (h, n) and moves them to (g, n), (h, m) if these cells are
    free. Otherwise the table does not change, but the step still counts. So the chain tends
    to all tables with these row and column sums equally; counting only the steps that succeed
    would prefer tables with many neighbours.

    Parameters
    ----------
    context
        Where the chain starts.
    steps
        The number of steps; if None, the number with which five moves per cross are expected.
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
    context = context.repeated()
    return _drawn(context, _samplers.swap(context, steps=steps), seed, stream)


def curveball(
    context: Context, *, trades: int | None = None, seed: int = 0, stream: int = 0
) -> Context:
    """Return a random context with the same margins, by trades between objects.

    Every trade picks two objects and redistributes the attributes that only one of them has, so
    that each keeps its number. It tends to the same uniform distribution as `swap`, and faster.

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
    context = context.repeated()
    return _drawn(context, _samplers.curveball(context, trades=trades), seed, stream)


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
    context = context.repeated()
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
    context = context.repeated()
    return _drawn(context, _samplers.resample_rows(context), seed, stream)


def _drawn(context: Context, sampler: Sampler, seed: int, stream: int) -> Context:
    rows = sampler(_samplers.stream(seed, stream), None)
    return Context.from_csr(context.objects, context.attributes, *rows)
