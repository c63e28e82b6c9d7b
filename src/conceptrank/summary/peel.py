"""Peeling: the concepts that surprise a reader who knows the margins and the concepts before."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

from conceptrank import _core
from conceptrank._util.lists import Lists, joined, stacked, take
from conceptrank.budget import Budget, Progress, Watch, support_threshold
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.lattice import Lattice
from conceptrank.query import ConstraintOptions
from conceptrank.summary import paths
from conceptrank.summary.model import Margins, ReaderModel
from conceptrank.summary.selection import Choice, Crosses, Selection
from conceptrank.summary.units import Units

Supports: TypeAlias = NDArray[np.uint32] | NDArray[np.int64]

# Without a minimum support, concepts of this share of the objects are searched,
LOWEST_SHARE = 0.01
# and the share grows until there are no more concepts than this.
MOST_CANDIDATES = 300_000
_GROWTH = 1.25
# Steps below the minimum support, from a choice to its sub-concepts.
_DEEPEST = 12
# In a step, the most frequent attributes.
_MOST_BELOW = 4_096
# The search for rarer concepts keeps this many of the most surprising ones, and ends after this
# many nodes.
_MOST_RARE = 1_000
_RARE_NODES = 4000
# Candidates are kept twice, once with their bounds, so that mining gets one part in so many of the
# bytes, and so does the search for rarer concepts.
_BYTES_PARTS = 4
# A choice has more objects than there would be without its carriers: by this many standard
# deviations of a Poisson number.
_LEAST_EXCESS = 3.0


def select(
    context: Context,
    *,
    max_patterns: int | None = None,
    min_support: float | None = None,
    margins: Margins = "both",
    alpha: float = 0.05,
    threads: int = 0,
    lattice: Lattice | None = None,
    constraints: ConstraintOptions | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Return the concepts that surprise a reader who knows the margins and the concepts before.

    The reader's model gives each object a probability to have all attributes of a concept, given
    the rest of the object's row. The gain of a concept is the logarithm of a likelihood ratio:
    log₂ of how much better the table is explained if a share of the objects carries the concept,
    that is, has all its attributes, while the columns keep their numbers of crosses. A poor object
    that has the concept counts more than a rich one. The ratio is averaged over shares from 70 %
    down to about one object, each half of the one before.

    The next concept is the one with the largest gain times wholeness. A further attribute loses a
    share of the concept's objects; the wholeness is the least of these shares, each divided by the
    share of all objects that lack the attribute, and at most 1. A fragment of a larger pattern has
    a small wholeness, because nearly all its objects have another attribute of the pattern. Then
    the model learns the concept, together with the objects that have most of its attributes, and
    fits the margins again.

    A concept is listed only if it is significant. The test compares the likelihood with the best
    share of carriers and that without carriers. If there are none, twice the logarithm of their
    ratio is 0 or, in large tables, distributed as χ² with one degree of freedom (Wilks). The
    p-value is multiplied by C(q, k) · k(k + 1) for k of q attributes, a union bound over all sets
    of attributes, and must not exceed α.

    A listed concept also has more objects than expected, by more than one standard deviation of a
    Poisson number, and more than there would be without its carriers, by more than three. A concept
    that comes first and doesn't is left out for good.

    Parameters
    ----------
    context
        The context.
    max_patterns
        The largest number of concepts; no limit if None.
    min_support
        The least number of objects of a concept; a float is a share of all objects. If None, it is
        1 % of the objects and at least 2. It is raised until there are at most 300,000 concepts,
        and until they fit into a fourth of the budget's bytes. Rarer concepts are candidates if a
        search finds them: `Context.best` looks for the most surprising ones, the list follows the
        best sub-concepts of each choice, and the paths of `conceptrank.summary.paths` are used if
        the minimum was raised. With constraints, no rarer concepts are looked for.
    margins
        What the reader knows from the start: the frequencies of the attributes and how much objects
        differ in their number of attributes (`"both"`), or the frequencies alone (`"columns"`).
    alpha
        The level of the test: about the largest probability of listing anything on a table that
        follows its margins. The union bound is cautious, so the true probability is smaller.
    threads
        The number of threads; 0 is one per processor.
    lattice
        The concepts to choose from, if they are mined already.
    constraints
        Which concepts to choose from, as for `Context.lattice`; all if None.
    budget
        Limits. The list then holds the concepts chosen so far; none if the reader's model, which
        needs a few bytes per distinct row and attribute, is larger than the limit on bytes.
    progress
        Called with the number of chosen concepts and the share of the time limit, if any.

    Notes
    -----
    The choice is exact among all concepts with the minimum support: a bound on each score decides
    which gains have to be computed. The p-values are those of large tables with a known model;
    `cr.evaluation.planted_recovery` measures how often a table without patterns gets an entry.

    References
    ----------
    Wilks, The large-sample distribution of the likelihood ratio for testing composite hypotheses
    (1938).
    Mampaey, Vreeken, Tatti, Summarizing data succinctly with the most informative itemsets (2012).
    Kontonasios, De Bie, Formalizing complex prior information to quantify subjective
    interestingness of frequent pattern sets (2012): noisy tiles.

    Examples
    --------
    >>> import conceptrank as cr
    >>> table = cr.datasets.random.planted(500, 20, patterns=[(4, 0.2), (5, 0.1)], seed=1)
    >>> names = table.context.attributes
    >>> found = {tuple(names[m] for m in choice.intent) for choice in select(table.context)}
    >>> found == {pattern.intent for pattern in table.patterns}
    True
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    context = context.repeated()
    watch = Watch(budget, progress, task="summarizing")
    mined: Concepts | None = lattice
    raised = False
    if mined is None:
        mined, raised = _candidates(context, min_support, constraints or {}, threads, watch)
    if mined.stopped in ("seconds", "cancelled"):
        return Selection((), "bits", mined.stopped, mined.min_support, raised)
    # What is below the minimum support is not known to meet constraints.
    constrained = bool(constraints) or (lattice is not None and lattice.constrained)
    more: dict[tuple[int, ...], int] = {}
    if min_support is None and lattice is None and not constrained:
        if mined.min_support > 2:
            more = _rare(context, mined.min_support, threads, watch)
        if raised:
            found = paths.follow(context, lowest=LOWEST_SHARE, watch=watch)
            more |= {intent: n for intent, n in found.items() if n < mined.min_support}
    try:
        search = _Search(
            context,
            (
                stacked(
                    [mined.intents, joined([np.array(each, dtype=np.uint32) for each in more])]
                ),
                np.append(mined.supports, list(more.values())).astype(np.int64),
            ),
            min_support=mined.min_support,
            descends=not constrained,
            margins=margins,
            alpha=alpha,
            threads=threads,
            watch=watch,
        )
    except BudgetExceeded:
        return Selection((), "bits", watch.stopped, mined.min_support, raised)
    choices: list[Choice] = []
    stopped = mined.stopped
    while len(choices) != max_patterns:
        choice = search.next()
        if choice is None:
            stopped = watch.stopped or stopped
            break
        choices.append(choice)
        left, whole = watch.seconds_left, watch.budget.seconds
        watch.report(len(choices), 1 - left / whole if left is not None and whole else 0.0)
    runner_up = search.strongest() if not choices and max_patterns != 0 and not stopped else None
    return Selection(tuple(choices), "bits", stopped, mined.min_support, raised, runner_up)


def corrected_p_value(ratio: float, n_sets: float) -> float:
    """Return the p-value of a log-likelihood ratio among many sets.

    Without carriers, twice the ratio is 0 or distributed as χ² with one degree of freedom.

    Parameters
    ----------
    ratio
        The logarithm of the likelihood ratio with the best share of carriers.
    n_sets
        The logarithm of the number of sets that count as tested, `description_lengths`.

    Examples
    --------
    >>> round(corrected_p_value(1.6449**2 / 2, 0.0), 4)
    0.05
    """
    return min(1.0, exp(min(n_sets + float(log_ndtr(-sqrt(max(2 * ratio, 0.0)))), 0.0)))


def least_ratios(n_sets: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return the log-likelihood ratios whose corrected p-value is alpha.

    Examples
    --------
    >>> round(corrected_p_value(float(least_ratios(np.array([3.0]), 0.05)[0]), 3.0), 6)
    0.05
    """
    return np.asarray(ndtri_exp(log(alpha) - n_sets) ** 2 / 2)


def description_lengths(n_units: int, largest: int) -> NDArray[np.float64]:
    """Return, for each size up to the largest, the nats that describe a set of so many units.

    A set of k units costs ln k(k + 1) for its size and ln C(q, k) for its units.
    """
    return np.array(
        [
            lgamma(n_units + 1)
            - lgamma(k + 1)
            - lgamma(max(n_units - k, 0) + 1)
            + log(max(k * (k + 1), 1))
            for k in range(largest + 1)
        ]
    )


def set_background(core: _core.Surprise, model: ReaderModel) -> None:
    """Give a search what the reader knows."""
    known = model.background()
    core.set_background(
        known.group,
        known.signature,
        known.doubt,
        known.posterior.reshape(-1),
        known.densities.reshape(-1),
        known.carrying.reshape(-1),
        known.tiles.reshape(-1),
        known.richness,
        known.log_chance.reshape(-1),
        known.carriers,
        known.log_ratio.reshape(-1),
        known.totals.reshape(-1),
    )


@dataclass(frozen=True)
class _Candidate:
    """A concept that may be chosen; its place is that of a mined one above it, or its own."""

    place: int
    intent: tuple[int, ...]
    support: int
    wholeness: float
    gain: float
    p_value: float
    alpha: float

    @property
    def score(self) -> float:
        """The gain, less the excess of a fragment of a larger pattern; 0 if it may be chance."""
        return self.gain * self.wholeness if self.p_value <= self.alpha else 0.0


class _Search:
    """Chooses concepts one after the other."""

    def __init__(
        self,
        context: Context,
        candidates: tuple[Lists, Supports],
        *,
        min_support: int,
        descends: bool,
        margins: Margins,
        alpha: float,
        threads: int,
        watch: Watch,
    ) -> None:
        watch.check()
        self._table = context.core
        self._rows = context.rows()
        self._alpha = alpha
        self._threads = threads
        self._watch = watch
        self._min_support = min_support
        self._descends = descends and min_support > 2
        intents, supports = candidates
        places = np.flatnonzero(np.diff(intents[0]))
        self._intents: Lists = take(intents, places)
        self._supports = supports[places].astype(np.float64)
        self._crosses = Crosses(context)
        lowest = max(2, support_threshold(LOWEST_SHARE, context.shape[0]))
        frequent = [
            m for m, column in enumerate(self._crosses.columns) if column.bit_count() >= lowest
        ]
        watch.check()
        self._units = units = Units(context, self._intents, attributes=frequent)
        watch.check()
        if watch.budget.bytes is not None and units.bytes > watch.budget.bytes:
            watch.stopped = "bytes"
            raise BudgetExceeded("the model doesn't fit into the budget's bytes")
        sizes = np.diff(units.offsets)
        self._descriptions = description_lengths(len(units), max(len(units), 1))
        self._model = ReaderModel(
            units.incidence, free=units.free, weights=units.weights, margins=margins
        )
        watch.check()
        self._core = self._surprise(least_ratios(self._descriptions[sizes], alpha))

    def next(self) -> Choice | None:
        """Choose the next concept and teach it; None if there is none, or the budget ended."""
        set_background(self._core, self._model)
        while (found := self._best(self._core)) is not None:
            for best in (self._below(found), found):
                units = self._units.find(best.intent)
                if units is None:
                    raise AssertionError("a chosen concept has units")
                expected = self._model.expected(units.tolist())
                if best.support <= expected + sqrt(expected):
                    continue
                tile = self._model.tile(units, also=self._units.given(units))
                without = self._model.expected(units.tolist(), carriers=tile.share)
                if best.support > without + _LEAST_EXCESS * sqrt(without):
                    self._model.teach(tile)
                    carriers = int(self._units.weights[tile.members].sum())
                    return self._choice(best, expected, carriers)
            self._core.drop(found.place)
        return None

    def strongest(self) -> Choice | None:
        """Return the concept that comes first if none has to pay for its description."""
        core = self._surprise(np.zeros(len(self._supports)))
        set_background(core, self._model)
        found = self._best(core)
        known = None if found is None else self._units.find(found.intent)
        if found is None or known is None:
            return None
        return self._choice(found, self._model.expected(known.tolist()), found.support)

    def _surprise(self, costs: NDArray[np.float64]) -> _core.Surprise:
        return _core.Surprise(
            self._table,
            self._intents,
            (self._units.offsets, self._units.values),
            self._supports,
            costs,
            self._units.free.astype(np.uint8),
        )

    def _best(self, core: _core.Surprise) -> _Candidate | None:
        if self._watch.interrupted():
            return None
        found = core.best(self._threads, _core.Watch(self._watch.interrupted))
        best = found.best
        if found.stop or best is None:
            return None
        place = best.candidate
        offsets, values = self._intents
        return _Candidate(
            place,
            tuple(values[offsets[place] : offsets[place + 1]].tolist()),
            int(self._supports[place]),
            best.wholeness,
            best.evidence.gain,
            self._p_value(best.evidence.ratio, len(self._units.of(place))),
            self._alpha,
        )

    def _below(self, found: _Candidate) -> _Candidate:
        """Return the best concept on the way down from a choice, below the minimum support.

        Concepts with the minimum support are candidates already. From the choice, the way leads to
        the sub-concept with the largest gain, again and again, as long as that gain exceeds the
        best score.
        """
        best = here = found
        if not self._descends:
            return best
        for _ in range(_DEEPEST):
            below = self._largest_below(here.place, here.intent)
            if below is None or below.gain <= best.score or self._watch.interrupted():
                break
            here = below
            if here.support < self._min_support and here.score > best.score:
                best = here
        return best

    def _largest_below(self, above: int, intent: tuple[int, ...]) -> _Candidate | None:
        """Return the sub-concept with the largest gain among those that one attribute leads to."""
        extent = self._table.extension(np.array(intent, dtype=np.uint32))
        offsets, values = take(self._rows, extent.astype(np.int64))
        counts = np.bincount(values, minlength=self._table.n_attributes)
        kept = np.sort(np.argsort(-counts, kind="stable")[:_MOST_BELOW])
        kept = kept[counts[kept] >= 2]
        inside = np.isin(values, kept)
        objects = np.repeat(np.arange(len(extent)), np.diff(offsets))[inside]
        columns = np.zeros((len(kept), -(-len(extent) // 64) * 64), dtype=np.bool_)
        columns[np.searchsorted(kept, values[inside]), objects] = True
        bits = np.packbits(columns, axis=1).view(np.uint64)
        lacking = ~bits
        supports = counts[kept]
        found: dict[tuple[int, ...], int] = {}
        for attribute in np.flatnonzero(supports < len(extent)).tolist():
            within = kept[~(lacking & bits[attribute]).any(axis=1)]
            found.setdefault(tuple(within.tolist()), attribute)
        children = [
            (each, attribute, units)
            for each, attribute in found.items()
            if (units := self._units.find(each)) is not None
        ]
        strongest = self._core.strongest(
            joined([np.array(each, dtype=np.uint32) for each, _, _ in children]),
            joined([units for _, _, units in children]),
            supports[[attribute for _, attribute, _ in children]].astype(np.float64),
        )
        if strongest is None:
            return None
        closed, attribute, units = children[strongest.place]
        gain, ratio = strongest.evidence.gain, strongest.evidence.ratio
        support = int(supports[attribute])
        wholeness = self._core.wholeness(np.array(closed, dtype=np.uint32))
        p_value = self._p_value(ratio, len(units))
        return _Candidate(above, closed, support, wholeness, gain, p_value, self._alpha)

    def _p_value(self, ratio: float, size: int) -> float:
        return corrected_p_value(ratio, float(self._descriptions[size])) if size >= 2 else 1.0

    def _choice(self, best: _Candidate, expected: float, carriers: int) -> Choice:
        return Choice(
            best.intent,
            best.gain / log(2),
            self._crosses.explain(best.intent),
            expected=expected,
            p_value=best.p_value,
            carriers=carriers,
        )


def _candidates(
    context: Context,
    min_support: float | None,
    constraints: ConstraintOptions,
    threads: int,
    watch: Watch,
) -> tuple[Concepts, bool]:
    """Mine the concepts to choose from, and return whether the minimum support had to be raised."""
    n = context.shape[0]

    def mine(support: int, most: int | None) -> Concepts:
        limits = _part_of(watch)
        limits.concepts = most
        return context.closed_sets(
            min_support=support, threads=threads, budget=limits, **constraints
        )

    most = watch.budget.concepts
    if min_support is not None:
        return mine(max(support_threshold(min_support, n), 1), most), False
    support, raised = max(2, support_threshold(LOWEST_SHARE, n)), False
    most = MOST_CANDIDATES if most is None else min(most, MOST_CANDIDATES)
    while True:
        mined = mine(support, most)
        if mined.stopped not in ("concepts", "bytes") or support >= n:
            return mined, raised
        support, raised = min(int(support * _GROWTH) + 1, n), True


def _part_of(watch: Watch) -> Budget:
    """Return the rest of a budget for one step of the search, with a part of its bytes."""
    limits = watch.remaining()
    if limits.bytes is not None:
        limits.bytes //= _BYTES_PARTS
    return limits


def _rare(
    context: Context, most_support: int, threads: int, watch: Watch
) -> dict[tuple[int, ...], int]:
    """Return the most surprising concepts below a support, with their supports.

    Each loses at least three objects with any further attribute. The search ends after a number of
    nodes, so there may be others.
    """
    limits = _part_of(watch)
    limits.concepts = _RARE_NODES
    found = context.best(
        _MOST_RARE,
        by="shannon_surprise",
        where="delta_measure >= 3",
        min_intent=2,
        max_support=most_support - 1,
        threads=threads,
        budget=limits,
        progress=lambda visited, score, bound: watch.report(0, 0.0),
    )
    return {tuple(c.intent_numbers.tolist()): c.support for _, c, _ in found}
