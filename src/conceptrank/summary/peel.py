"""Peeling: the concepts that surprise a reader who knows the margins and the concepts before."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import binom

from conceptrank import _core
from conceptrank._lists import take
from conceptrank.budget import Budget, support_threshold
from conceptrank.context import Context
from conceptrank.lattice import Lattice
from conceptrank.summary.model import Margins, ReaderModel
from conceptrank.summary.selection import Choice, Crosses, Selection
from conceptrank.summary.units import Units

# Without a minimum support, concepts of this share of the objects are searched,
LOWEST_SHARE = 0.01
# and the share grows until there are no more concepts than this.
MOST_CANDIDATES = 1_000_000
_GROWTH = 1.5


def select(
    context: Context,
    *,
    max_patterns: int | None = None,
    min_support: float | None = None,
    margins: Margins = "both",
    alpha: float = 0.05,
    threads: int = 0,
    lattice: Lattice | None = None,
    budget: Budget | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Selection:
    """Return the concepts that surprise a reader who knows the margins and the concepts before.

    The reader's model gives each concept an expected support E. The gain of a concept with support
    s among n objects is -log₂ P(X ≥ s) for a binomial X with n trials and mean E: the bits of
    surprise at seeing so many objects. The next concept is the one with the largest gain times Δ/s,
    where Δ/s is the share of the objects that the largest sub-concept loses; a fragment of a larger
    pattern has a small one. Then the model learns the concept, together with the objects that have
    most of its attributes, and fits the margins again.

    A concept is listed only if it pays for its description: its gain must exceed
    log₂ C(q, k) + log₂ k(k + 1) + log₂ 1/α for k of q attributes. Under the model, a set of
    attributes reaches its support with a probability of at most 2 to the power of -gain (Hoeffding
    1956). So, by the union bound over all sets of attributes, the list has an entry with a
    probability of at most α on a table that follows its margins. The p-value of a choice is
    corrected in the same way.

    Parameters
    ----------
    context
        The context.
    max_patterns
        The largest number of concepts; no limit if None.
    min_support
        The least number of objects of a concept; a float is a share of all objects. If None, it is
        1 % of the objects and at least 2, or as many more as leave at most a million concepts.
    margins
        What the reader knows from the start: the frequencies of the attributes and how much objects
        differ in their number of attributes (`"both"`), or the frequencies alone (`"columns"`).
    alpha
        The largest probability of listing anything on a table that follows its margins.
    threads
        The number of threads; 0 is one per processor.
    lattice
        The concepts to choose from, if they are mined already.
    budget
        Limits. The list then holds the concepts chosen so far.
    progress
        Called with the number of chosen concepts and the share of the time limit, if any.

    References
    ----------
    Hoeffding, On the distribution of the number of successes in independent trials (1956).
    Mampaey, Vreeken, Tatti, Summarizing data succinctly with the most informative itemsets (2012).
    Kontonasios, De Bie, Formalizing complex prior information to quantify subjective
    interestingness of frequent pattern sets (2012): noisy tiles.

    Examples
    --------
    >>> import conceptrank as cr
    >>> table = cr.datasets.random.planted(500, 20, patterns=2, sizes=(4, 5), supports=(0.1, 0.2), seed=1)
    >>> found = {choice.intent for choice in select(table.context)}
    >>> found == {tuple(sorted(map(table.context.attributes.index, pattern.intent)))
    ...           for pattern in table.patterns}
    True
    """
    clock = time.monotonic()
    limits = budget or Budget()
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if lattice is None:
        lattice, raised = _candidates(context, min_support, threads, limits, clock)
    else:
        raised = False
    if lattice.complete or lattice.stopped == "concepts" or lattice.stopped == "bytes":
        stopped = lattice.stopped
    else:
        return Selection((), "bits", lattice.stopped, lattice.min_support, raised)
    places = np.flatnonzero(lattice.intent_sizes)
    intents = take(lattice.intents, places)
    units = Units(context, intents)
    supports = lattice.supports[places].astype(np.float64)
    sizes = np.diff(units.offsets)
    # A concept of a single column has the support that the margins say.
    weights = np.where(sizes >= 2, lattice.deltas[places] / np.maximum(supports, 1), 0.0)
    descriptions = description_lengths(len(units), int(sizes.max(initial=1)))[sizes]
    model = ReaderModel(units.incidence, free=units.free, margins=margins)
    search = _core.Surprise(
        units.offsets,
        units.values,
        supports,
        weights,
        descriptions - log(alpha),
        context.shape[0],
        len(units),
        len(model.shares),
    )
    crosses, choices = Crosses(context), list[Choice]()
    while len(choices) != max_patterns:
        search.set_background(model.shares, model.probabilities.reshape(-1))
        left = None if limits.seconds is None else limits.seconds - (time.monotonic() - clock)
        if limits.cancelled or (left is not None and left <= 0):
            stopped = "cancelled" if limits.cancelled else "seconds"
            break
        limit, best = search.best(threads, seconds=left, interrupt=lambda: limits.cancelled)
        if limit or best is None:
            stopped = limit or stopped
            break
        place, expected, surprise = best
        known = units.of(place)
        tile = model.teach(known, also=units.given(known.tolist()))
        search.teach(tile.members.astype(np.uint8), tile.densities)
        intent = tuple(intents[1][intents[0][place] : intents[0][place + 1]].tolist())
        choices.append(
            Choice(
                intent,
                surprise / log(2),
                crosses.explain(intent),
                expected=expected,
                p_value=min(1.0, exp(min(descriptions[place] - surprise, 0.0))),
                carriers=int(tile.members.sum()),
            )
        )
        if progress is not None:
            share = 0.0 if limits.seconds is None else (time.monotonic() - clock) / limits.seconds
            progress(len(choices), min(share, 1.0))
    return Selection(tuple(choices), "bits", stopped, lattice.min_support, raised)


def gain(n: int, support: int, expected: float) -> float:
    """Return -ln P(X ≥ support) for a binomial X with n trials and mean `expected`."""
    if support <= expected:
        return 0.0
    return -float(binom.logsf(support - 1, n, expected / n))


def description_lengths(n_units: int, largest: int) -> NDArray[np.float64]:
    """Return, for each size up to the largest, the nats that describe a set of so many units.

    A set of k units costs ln k(k + 1) for its size and ln C(q, k) for its units.
    """
    k = np.arange(largest + 1, dtype=np.float64)
    sets = gammaln(n_units + 1) - gammaln(k + 1) - gammaln(np.maximum(n_units - k, 0) + 1)
    return np.asarray(sets + np.log(np.maximum(k * (k + 1), 1)))


def _candidates(
    context: Context, min_support: float | None, threads: int, limits: Budget, clock: float
) -> tuple[Lattice, bool]:
    """Mine the concepts to choose from, and return whether the minimum support had to be raised."""
    n = context.shape[0]

    def mine(support: int, most: int | None) -> Lattice:
        left = None
        if limits.seconds is not None:
            left = max(limits.seconds - (time.monotonic() - clock), 0)
        mining = _Shared(limits, concepts=most, seconds=left)
        return context.lattice(min_support=support, threads=threads, budget=mining)

    if min_support is not None:
        return mine(max(support_threshold(min_support, n), 1), limits.concepts), False
    support, raised = max(2, support_threshold(LOWEST_SHARE, n)), False
    most = min(MOST_CANDIDATES, limits.concepts or MOST_CANDIDATES)
    while True:
        lattice = mine(support, most)
        if lattice.stopped != "concepts" or support >= n:
            return lattice, raised
        support, raised = min(int(support * _GROWTH) + 1, n), True


class _Shared(Budget):
    """Limits of one step of a call, cancelled together with the whole call."""

    def __init__(self, whole: Budget, *, concepts: int | None, seconds: float | None) -> None:
        super().__init__(concepts=concepts, bytes=whole.bytes, seconds=seconds)
        self._whole = whole

    @property
    def cancelled(self) -> bool:
        return self._whole.cancelled
