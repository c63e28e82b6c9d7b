"""The short list: what a reader who knows the margins and the entries before doesn't expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

from conceptrank import _core
from conceptrank._util.lists import joined
from conceptrank.budget import Budget, Progress, Watch, support_threshold
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.query import ConstraintOptions
from conceptrank.query.conditions import Condition, chosen
from conceptrank.query.constraints import Constraints
from conceptrank.scaling.structure import Structure, structure
from conceptrank.summary.selection import Choice, Crosses, Fact, Selection
from conceptrank.summary.units import Units

Margins: TypeAlias = Literal["both", "columns"]

# Without a minimum support, a pattern has this share of the objects and at least so many of them.
LOWEST_SHARE, FEWEST = 0.001, 5
# A list that is not limited ends here.
MOST_PATTERNS = 100
# The search ends after so many candidates in a row that are not listed.
_MOST_REJECTED = 200
# One value implies the rest of a pattern if so large a share of its rows has it.
_IMPLIED = 0.98


def select(
    context: Context,
    *,
    max_patterns: int | None = None,
    min_support: float | None = None,
    margins: Margins = "both",
    alpha: float = 0.05,
    constraints: ConstraintOptions | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Return the patterns that a reader of the list doesn't expect, the most telling first.

    The reader knows the margins: how frequent each attribute is and how much objects differ in
    their number of attributes. The reader also knows what `cr.scaling.structure` says about the
    columns of a table of values. Then each entry teaches a pattern: the objects that carry it and
    how often these have its attributes. See `cpp/summary/reader.hpp` for the model.

    The gain of a pattern is the logarithm of a likelihood ratio: how much better the table is
    explained if a share of the objects carries the pattern, some crosses of which may be missing,
    while the columns keep their numbers of crosses. The next candidate is the one with the largest
    gain, less the bits that describe it, that the search found. Two tests decide whether it is
    listed.

    The first compares the number of objects that have all attributes with the number that the
    reader expects. Given the numbers of crosses in the columns, the difference to the expected
    number has about the tail of a Poisson number with the same variance. The p-value is multiplied
    by C(q, k) · k(k + 1) for k of q attributes, a union bound over all sets, and must not exceed α.

    The second asks for each attribute whether the objects that have the others have it more often
    than the rest of their rows and the margins say. Its p-value is multiplied by k · q. An
    attribute that fails is left out, and the rest is tested again.

    Parameters
    ----------
    context
        The context.
    max_patterns
        The largest number of patterns; 100 if None.
    min_support
        The least number of objects of a pattern; a float is a share of all objects. If None, it is
        0.1 % of the objects and at least 5.
    margins
        What the reader knows from the start: the frequencies of the attributes and how much objects
        differ in their number of attributes (`"both"`), or the frequencies alone (`"columns"`).
    alpha
        The level of both tests: about the largest probability of listing anything on a table that
        follows its margins. The union bound is cautious, so the true probability is smaller.
    constraints
        Which patterns to list, as for `Context.lattice`; all if None.
    budget
        Limits. The list then holds the patterns found so far.
    progress
        Called with the number of patterns and the share of the time limit, if any.

    References
    ----------
    Rasch, Probabilistic models for some intelligence and attainment tests (1960). Mampaey,
    Vreeken, Tatti, Summarizing data succinctly with the most informative itemsets (2012). Webb,
    Self-sufficient itemsets (2010): every attribute has to earn its place.

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
    watch = Watch(budget, progress, task="summarizing")
    known = _structure(context, watch)
    n = context.shape[0]
    if min_support is None:
        least = max(FEWEST, support_threshold(LOWEST_SHARE, n))
    else:
        least = max(support_threshold(min_support, n), 1)
    units = Units(context, least, known)
    options = constraints or {}
    terms = _search_terms(units, options)
    if len(units) < 2 or terms is None:
        return Selection((), "bits", watch.stopped, least, known)
    if watch.interrupted():
        return Selection((), "bits", watch.stopped, least, known)
    reader = units.reader(richness=margins == "both")
    if watch.budget.bytes is not None and reader.bytes > watch.budget.bytes:
        return Selection((), "bits", "bytes", least, known)
    search = _core.PatternSearch(reader, float(least), *terms)
    entries = _Entries(units, reader, search, known=known, alpha=alpha)
    most = MOST_PATTERNS if max_patterns is None else max_patterns
    rejected = 0
    while len(entries.choices) < most and rejected < _MOST_REJECTED:
        found = search.best(_core.Watch(watch.interrupted))
        if found.pattern is None:
            break
        tested = entries.tested(found.pattern)
        if tested is None or not _meets(context, units.intent(tested.units), options):
            rejected += 1
            continue
        rejected = 0
        entries.take(tested)
        left, whole = watch.seconds_left, watch.budget.seconds
        share = 1 - left / whole if left is not None and whole else 0.0
        watch.report(len(entries.choices), share)
    return Selection(
        tuple(entries.choices), "bits", watch.stopped, least, known, tuple(entries.facts)
    )


def p_value(found: float, expected: float, variance: float, n_sets: float) -> float:
    """Return the corrected probability of a support so far above the expected one.

    The number of objects less a constant has about the distribution of a Poisson number with the
    same variance.

    Parameters
    ----------
    found, expected, variance
        The number of objects, its mean and its variance.
    n_sets
        The logarithm of the number of sets that count as tested.

    Examples
    --------
    >>> p_value(100, 75, 18.75, 0.0) < 1e-5, p_value(80, 75, 18.75, 7.0)
    (True, 1.0)
    """
    if found <= expected:
        return 1.0
    variance = max(variance, 1e-12)
    tail = float(poisson.logsf(found - 1 - expected + variance, variance))
    return exp(min(tail + n_sets, 0.0))


@dataclass(frozen=True)
class _Tested:
    """A pattern that passed the tests."""

    pattern: _core.Explanation
    units: list[int]
    support: _core.Reader.Support
    p_value: float


class _Entries:
    """Tests the candidates, and lists or tells those that pass."""

    def __init__(
        self,
        units: Units,
        reader: _core.Reader,
        search: _core.PatternSearch,
        *,
        known: Structure,
        alpha: float,
    ) -> None:
        self.choices: list[Choice] = []
        self.facts: list[Fact] = []
        self._context = context = units.context
        self._units = units
        self._reader = reader
        self._search = search
        self._known = known
        self._alpha = alpha
        self._crosses = Crosses(context)
        self._column_sets: set[frozenset[int]] = set()

    def tested(self, pattern: _core.Explanation) -> _Tested | None:
        """Return the part of a candidate that passes the tests; None if there is none."""
        units = pattern.units
        while len(units) >= 2:
            chances = np.array([self._place_p_value(units, nth) for nth in range(len(units))])
            if chances.max() <= self._alpha:
                break
            units = np.delete(units, int(chances.argmax()))
        if len(units) < 2:
            return None
        if len(units) < len(pattern.units):
            pattern = self._reader.explain(units)
        support, p = self._support_p_value(units)
        if p > self._alpha or not len(pattern.rows):
            return None
        return _Tested(pattern, units.tolist(), support, p)

    def _support_p_value(self, units: NDArray[np.uint32]) -> tuple[_core.Reader.Support, float]:
        support = self._reader.support(units)
        # Sets that contain an entry count as described by it and the rest.
        n_sets = self._search.description(units) + log(2)
        return support, p_value(support.found, support.expected, support.variance, n_sets)

    def _place_p_value(self, units: NDArray[np.uint32], nth: int) -> float:
        """Return the corrected p-value of a unit among the rows that have or carry the others."""
        others = np.delete(units, nth)
        n_tests = log(len(units)) + log(len(self._units))
        exact = self._reader.extent(others)
        least = self._presence(int(units[nth]), exact, n_tests)
        if len(others) > 1 and any(self._units.free[self._units.column[u]] for u in units):
            carriers = self._reader.explain(others).rows
            if len(carriers) > len(exact):
                least = 2 * min(least, self._presence(int(units[nth]), carriers, n_tests))
        return least

    def _presence(self, unit: int, rows: NDArray[np.uint32], n_tests: float) -> float:
        seen = self._reader.presence(unit, rows)
        return p_value(seen.found, seen.expected, seen.variance, n_tests)

    def take(self, tested: _Tested) -> None:
        """List a pattern, or keep it as a fact about columns, and tell it to the reader."""
        if self._is_news(tested):
            tested = self._without_implied(tested)
        if len(tested.units) > 1 and self._is_news(tested):
            support, intent = tested.support, self._units.intent(tested.units)
            self.choices.append(
                Choice(
                    intent,
                    tested.pattern.gain / log(2),
                    self._crosses.explain(intent),
                    expected=support.expected,
                    deviation=support.variance**0.5,
                    p_value=tested.p_value,
                    carriers=int(self._units.weights[tested.pattern.rows].sum()),
                )
            )
        self._column_sets.add(self._columns(tested.pattern.units.tolist()))
        self._column_sets.add(self._columns(tested.units))
        self._search.tell(tested.pattern)

    def _columns(self, units: Sequence[int]) -> frozenset[int]:
        return frozenset(self._units.column[unit] for unit in units)

    def _is_news(self, tested: _Tested) -> bool:
        """Return whether a pattern says something about other columns than those before."""
        columns = self._columns(tested.units)
        if any(self._units.free[column] for column in columns):
            return True
        names = {self._name(unit) for unit in tested.units}
        return columns not in self._column_sets and not self._known.tells(names)

    def _without_implied(self, tested: _Tested) -> _Tested:
        """Return a pattern without the values that another one of its values implies."""
        if any(self._units.free[self._units.column[unit]] for unit in tested.units):
            return tested
        units = list(tested.units)
        for premise in tested.units:
            rows = int(self._units.weights[self._reader.extent(_array([premise]))].sum())
            implied = [
                unit
                for unit in units
                if unit != premise
                and self._reader.support(_array(sorted((premise, unit)))).found >= _IMPLIED * rows
            ]
            if premise not in units or not implied:
                continue
            all_of_it = _array(sorted([premise, *implied]))
            found = int(self._reader.support(all_of_it).found)
            fact = Fact(self._units.attributes[premise], self._units.intent(implied), found, rows)
            if not any(fact.follows_from(other) for other in self.facts):
                self.facts.append(fact)
            units = [unit for unit in units if unit not in implied]
        if len(units) == len(tested.units) or len(units) < 2:
            return _Tested(tested.pattern, units, tested.support, tested.p_value)
        support, p = self._support_p_value(_array(units))
        if p > self._alpha:
            return _Tested(tested.pattern, units[:1], support, p)
        return _Tested(tested.pattern, units, support, p)

    def _name(self, unit: int) -> str:
        origin = self._context.origin
        attribute = self._units.attributes[unit][0]
        return "" if origin is None else origin.conditions[attribute].column


def _array(units: Sequence[int]) -> NDArray[np.uint32]:
    return np.array(units, dtype=np.uint32)


def _structure(context: Context, watch: Watch) -> Structure:
    """Return what the columns of the table say about each other; nothing without a table."""
    frame = None if context.origin is None else context.origin.frame
    if frame is None or not context.groups or frame.width < 2:
        return Structure()
    return structure(frame, watch=watch)


def _search_terms(
    units: Units, options: ConstraintOptions
) -> tuple[int | None, NDArray[np.uint32], NDArray[np.uint32]] | None:
    """Return the number of units, those to contain, and those to leave out; None if it can't be."""
    given = _constraints(options)
    numbers = units.context.attribute_names.numbers
    required = units.of(numbers(given.contains).tolist())
    if required is None:
        return None
    forbidden = set(numbers(given.excludes).tolist())
    barred = [u for u, members in enumerate(units.attributes) if forbidden.intersection(members)]
    most = None if given.max_intent is None else int(given.max_intent)
    return most, required, _array(barred)


def _meets(context: Context, intent: tuple[int, ...], options: ConstraintOptions) -> bool:
    """Return whether a pattern meets constraints."""
    if not options:
        return True
    concepts = Concepts(context, joined([np.array(intent, dtype=np.uint32)]))
    if not _constraints(options).met(concepts)[0]:
        return False
    where = options.get("where")
    if where is None:
        return True
    condition = Condition.parse(where) if isinstance(where, str) else where
    return bool(chosen(concepts, condition, lambda name, given: concepts.score(name, **given))[0])


def _constraints(options: ConstraintOptions) -> Constraints:
    given: dict[str, Any] = {name: value for name, value in options.items() if name != "where"}
    return Constraints(**given)
