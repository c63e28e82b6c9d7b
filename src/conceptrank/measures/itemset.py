"""Itemsets against independence: the intent against attributes that occur independently.

p is the frequency of an attribute, π the product of p over the intent, f the frequency of the
concept. Products of many frequencies are small, and their differences from 1 are smaller. Where
digits would be lost, both come from sums of logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.concepts import Concepts
from conceptrank.faces import Scores
from conceptrank.measures import bounds
from conceptrank.measures._binomial import log_upper_tail, upper_tail
from conceptrank.measures.registry import measure

# Products below this may have lost digits by underflow.
_SMALL = 1e-290


_OMIECINSKI = "Omiecinski, Alternative interest measures, IEEE TKDE 15 (2003)"
_BRIN = "Brin, Motwani, Ullman, Tsur, Dynamic itemset counting, SIGMOD (1997)"
_GALLO = "Gallo, De Bie, Cristianini, MINI: mining informative non-redundant itemsets, PKDD (2007)"
_of_intent = partial(
    measure, side="intent", depends=("support", "intent"), frequent=True, complexity="O(|B|)"
)


@dataclass(frozen=True)
class _Independence:
    """The intents of some concepts as sets of independent attributes."""

    concepts: Concepts

    @cached_property
    def n(self) -> int:
        return self.concepts.context.shape[0]

    @cached_property
    def supports(self) -> Scores:
        return self.concepts.supports.astype(np.float64)

    @cached_property
    def sizes(self) -> Any:
        return self.concepts.intent_sizes

    @cached_property
    def margins(self) -> Scores:
        """The number of objects of every attribute."""
        return self.concepts.context.core.attribute_supports().astype(np.float64)

    def reduced(self, operation: np.ufunc, of_attributes: Scores, *, empty: float) -> Scores:
        offsets, values = self.concepts.intents
        return _lists.reduced(operation, (offsets, of_attributes[values]), empty=empty)

    def logarithms(self, products: Scores, logs: Scores) -> Scores:
        """Return the logarithms of products over intents, given those of the factors.

        Where a product is so small or so near 1 that digits are lost, the logarithms are added.
        """
        with np.errstate(divide="ignore"):  # log 0 = -∞
            result = np.log(products)
        again = np.flatnonzero((products < _SMALL) | (products > 0.5))
        offsets, values = _lists.take(self.concepts.intents, again)
        result[again] = _lists.reduced(np.add, (offsets, logs[values]), empty=0)
        return result

    @cached_property
    def log_product(self) -> Scores:
        """The logarithm of π."""
        n = max(self.n, 1)
        with np.errstate(divide="ignore"):
            logs = np.where(
                2 * self.margins > n,
                np.log1p(-(n - self.margins) / n),
                np.log(np.minimum(self.margins / n, 0.5)),
            )
        return self.logarithms(self.product, logs)

    @cached_property
    def product(self) -> Scores:
        """π, the product of the frequencies."""
        return self.reduced(np.multiply, self.margins / max(self.n, 1), empty=1)

    @cached_property
    def none(self) -> Scores:
        """The product of 1 - p."""
        return self.reduced(np.multiply, 1 - self.margins / max(self.n, 1), empty=1)

    @cached_property
    def log_none(self) -> Scores:
        with np.errstate(divide="ignore"):
            logs = np.log1p(-self.margins / max(self.n, 1))
        return self.logarithms(self.none, logs)

    @cached_property
    def excess(self) -> Scores:
        """|A| - n π: the objects beyond those by chance."""
        direct = self.supports - self.n * self.product
        by_complement = self.n * -np.expm1(self.log_product) - (self.n - self.supports)
        difference = np.where(self.product > 0.5, by_complement, direct)
        # A single attribute occurs exactly as often as by chance.
        return np.where(self.sizes <= 1, 0.0, difference)

    @cached_property
    def log_lift(self) -> Scores:
        with np.errstate(divide="ignore"):
            log_frequency = np.log(self.supports / max(self.n, 1))
        logs = np.full(len(self.supports), -np.inf)
        np.subtract(log_frequency, self.log_product, out=logs, where=self.supports > 0)
        return np.where(self.sizes <= 1, np.where(self._void, -np.inf, 0.0), logs)

    @cached_property
    def _void(self) -> Any:
        """Where the intent has attributes and no object has them."""
        return (self.sizes > 0) & (self.supports == 0)

    @cached_property
    def unused(self) -> Any:
        """Where no object has any attribute of the intent."""
        found = self.sizes == 0
        empty = np.flatnonzero(self._void)
        offsets, values = _lists.take(self.concepts.intents, empty)
        found[empty] = _lists.reduced(np.maximum, (offsets, self.margins[values]), empty=0) == 0
        return found


@_of_intent(range="[0, ∞)", bound=bounds.lift, reference=_BRIN)
def lift(concepts: Concepts) -> Scores:
    """Return f / π, how many times as frequent the intent is as by chance.

    1 where B is empty, 0 where π is 0.
    """
    chance = _Independence(concepts)
    frequency = chance.supports / max(chance.n, 1)
    with np.errstate(over="ignore"):  # a lift too large for a float is infinite
        scores = np.exp(chance.log_lift)
    direct = (chance.product > _SMALL) & (chance.sizes > 1)
    return np.divide(frequency, chance.product, out=scores, where=direct)


@_of_intent(range="[-∞, ∞)", bound=bounds.log_lift, reference=_BRIN)
def log_lift(concepts: Concepts) -> Scores:
    """Return log2 of the lift; -∞ where A is empty and B is not."""
    return np.asarray(_Independence(concepts).log_lift / np.log(2.0))


@_of_intent(
    range="(-1, 1)",
    bound=bounds.frequency,
    bound_by=("support",),
    reference="Piatetsky-Shapiro, Discovery of strong rules (1991)",
)
def leverage(concepts: Concepts) -> Scores:
    """Return f - π, how much more frequent the intent is than by chance."""
    chance = _Independence(concepts)
    return np.asarray(chance.excess / max(chance.n, 1))


@_of_intent(
    range="[0, 1]",
    reference="Wu, Chen, Han, Re-examination of interestingness measures, DMKD 21 (2010)",
)
def cosine(concepts: Concepts) -> Scores:
    """Return f / π^(1/|B|), the frequency over the geometric mean of the attributes' frequencies.

    1 where no object has any attribute of B: B or all its columns are empty.
    """
    chance = _Independence(concepts)
    frequency = chance.supports / max(chance.n, 1)
    some = chance.supports > 0
    means = np.exp(np.divide(chance.log_product, np.maximum(chance.sizes, 1)))
    scores = np.divide(frequency, means, out=np.zeros_like(means), where=some)
    # A single attribute is its own mean. Rounding must not exceed 1.
    return np.where(chance.unused | ((chance.sizes == 1) & some), 1.0, np.minimum(scores, 1.0))


@_of_intent(range="[0, 1]", bound="own", reference=_OMIECINSKI)
def all_confidence(concepts: Concepts) -> Scores:
    """Return |A| over the largest |m′| of B.

    1 where no object has any attribute of B: B or all its columns are empty.
    """
    chance = _Independence(concepts)
    most = chance.reduced(np.maximum, chance.margins, empty=0)
    return np.divide(chance.supports, most, out=np.ones_like(most), where=most > 0)


@_of_intent(range="[0, 1]", depends=("support", "columns"), bound="own", reference=_OMIECINSKI)
def bond(concepts: Concepts) -> Scores:
    """Return |A| over the number of objects that have some attribute of B (Jaccard's index).

    1 where no object has any attribute of B: B or all its columns are empty.
    """
    (unions,) = concepts.column_sums("unions")
    supports = concepts.supports.astype(np.float64)
    return np.divide(supports, unions, out=np.ones_like(supports), where=unions > 0)


@_of_intent(
    range="[0, 1]",
    bound="own",
    reference="Xiong, Tan, Kumar, Hyperclique pattern discovery, DMKD 13 (2006)",
)
def cross_support(concepts: Concepts) -> Scores:
    """Return the smallest |m′| of B over the largest.

    1 where no object has any attribute of B: B or all its columns are empty.
    """
    chance = _Independence(concepts)
    most = chance.reduced(np.maximum, chance.margins, empty=0)
    least = chance.reduced(np.minimum, chance.margins, empty=0)
    return np.divide(least, most, out=np.ones_like(most), where=most > 0)


@_of_intent(
    range="[0, ∞]",
    depends=("support", "columns"),
    reference="Aggarwal, Yu, A new framework for itemset generation, PODS (1998)",
)
def collective_strength(concepts: Concepts) -> Scores:
    """Return (1 - v) / (1 - Ev) · Ev / v with the share v of objects that violate the intent.

    An object violates the intent if it has some but not all of its attributes. Ev is the share that
    would do so by chance, 1 - π - the product of 1 - p. The score is 1 where |B| ≤ 1 or Ev = 0, and
    otherwise ∞ where v = 0 or Ev = 1.
    """
    (unions,) = concepts.column_sums("unions")
    chance = _Independence(concepts)
    violating = unions - chance.supports
    # Subtracting from the complement of the larger product avoids cancellation.
    larger = np.maximum(chance.log_product, chance.log_none)
    expected = -np.expm1(larger) - np.minimum(chance.product, chance.none)
    kept = chance.product + chance.none
    scores = np.full(len(violating), np.inf)
    usual = (violating > 0) & (kept > 0)
    with np.errstate(over="ignore"):
        odds = np.divide(expected, kept, out=np.zeros_like(scores), where=usual)
        np.divide((chance.n - violating) * odds, violating, out=scores, where=usual)
    return np.where((chance.sizes <= 1) | (larger == 0), 1.0, scores)


@_of_intent(range="(-∞, ∞)", reference=_GALLO)
def independence_z(concepts: Concepts) -> Scores:
    """Return (|A| - nπ) / √(nπ(1 - π)), the standard deviations above the support by chance.

    0 where π is 0 or 1.
    """
    chance = _Independence(concepts)
    # Take the root before the product underflows.
    deviation = np.exp(chance.log_product / 2) * np.sqrt(chance.n * -np.expm1(chance.log_product))
    scores = np.zeros(len(concepts))
    np.divide(chance.excess, deviation, out=scores, where=deviation > 0)
    return scores


@_of_intent(direction="lower", range="[0, 1]", reference=_GALLO)
def independence_pvalue(concepts: Concepts) -> Scores:
    """Return the chance that a binomial variable with n trials of chance π reaches |A|.

    Notes
    -----
    There are as many tests as concepts. `conceptrank.evaluation.significance` corrects for that.
    """
    chance = _Independence(concepts)
    return upper_tail(chance.supports, chance.n, chance.product)


@_of_intent(range="[0, ∞)", bound=bounds.surprise, reference=_GALLO)
def shannon_surprise(concepts: Concepts) -> Scores:
    """Return minus the natural logarithm of `independence_pvalue`.

    It is finite also where the p-value is too small for a number.
    """
    chance = _Independence(concepts)
    tail = log_upper_tail(chance.supports, chance.n, chance.product, chance.log_product)
    return np.asarray(0.0 - tail)
