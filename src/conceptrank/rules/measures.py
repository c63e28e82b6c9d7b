"""Measures of rules: formulas over four counts, for all rules at once.

Of n objects, `premise` have the premise of a rule, `conclusion` its conclusion and `both` both.
A rule whose premise no object has holds (confidence 1, support 0). What else divides nothing by
nothing is not a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.faces import Scores
from conceptrank.measures import _fisher as fisher
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params, split

if TYPE_CHECKING:
    import polars as pl

_SIDES = ("premise", "conclusion")
# Scores that differ by less than this share came to the same number by different roundings.
_STEPS = 2.0**40


@dataclass(frozen=True)
class Counts:
    """How many of n objects have the premises, the conclusions, and both.

    Examples
    --------
    >>> counts = Counts(5, np.array([3.0]), np.array([4.0]), np.array([2.0]))
    >>> get("lift").compute(counts), get("leverage").compute(counts).round(4)
    (array([0.83333333]), array([-0.08]))
    """

    n: int
    premise: Scores
    conclusion: Scores
    both: Scores

    @property
    def shares(self) -> tuple[Scores, Scores, Scores]:
        """The shares of all objects that have the premise, the conclusion and both."""
        n = max(self.n, 1)
        return self.premise / n, self.conclusion / n, self.both / n

    @property
    def confidence(self) -> Scores:
        """The share of the objects with the premise that have the conclusion; 1 if none."""
        return _over(self.both, self.premise, nothing=1.0)

    @property
    def diagonals(self) -> tuple[Scores, Scores]:
        """The products of the two cells in which premise and conclusion agree, and differ."""
        neither = self.n - self.premise - self.conclusion + self.both
        different = (self.premise - self.both) * (self.conclusion - self.both)
        return self.both * neither, different


def _over(a: Scores, b: Scores, *, nothing: float = np.nan) -> Scores:
    """Return a / b; `nothing` where b is 0."""
    result: Scores = np.full(len(a), nothing)
    np.divide(a, b, out=result, where=b != 0)
    return result


@dataclass(frozen=True, kw_only=True)
class RuleMeasure:
    """A measure of rules.

    Parameters
    ----------
    name, aliases
        Its names.
    summary
        One line for users.
    compute
        The vectorised function of counts.
    direction
        Whether `"higher"` or `"lower"` scores are more interesting.
    range
        The values that it can take.
    conclusions
        Whether it needs to know how many objects have the conclusion.
    single
        Whether the score of a rule depends on that rule alone.
    """

    name: str
    aliases: tuple[str, ...] = ()
    summary: str
    compute: Callable[[Counts], Scores]
    direction: Literal["higher", "lower"] = "higher"
    range: str = "[0, 1]"
    conclusions: bool = True
    single: bool = True


_MEASURES: list[RuleMeasure] = []


def _measure(
    summary: str, *aliases: str, **more: Any
) -> Callable[[Callable[[Counts], Scores]], Callable[[Counts], Scores]]:
    """Declare a measure that is named like its function; the rest is as for `RuleMeasure`."""

    def declare(compute: Callable[[Counts], Scores]) -> Callable[[Counts], Scores]:
        name = compute.__name__.removeprefix("_")
        _MEASURES.append(
            RuleMeasure(name=name, aliases=aliases, summary=summary, compute=compute, **more)
        )
        return compute

    return declare


@_measure("share of all objects with premise and conclusion", conclusions=False)
def _support(c: Counts) -> Scores:
    return c.shares[2]


@_measure("number of objects with premise and conclusion", range="[0, n]", conclusions=False)
def _count(c: Counts) -> Scores:
    return c.both


@_measure("share of the objects with the premise that have the conclusion", conclusions=False)
def _confidence(c: Counts) -> Scores:
    return c.confidence


@_measure(
    "share of all objects with the premise", "antecedent_support", "coverage", conclusions=False
)
def _premise_support(c: Counts) -> Scores:
    return c.shares[0]


@_measure("share of all objects with the conclusion", "consequent_support")
def _conclusion_support(c: Counts) -> Scores:
    return c.shares[1]


@_measure("confidence over the share of objects with the conclusion", range="[0, ∞)")
def _lift(c: Counts) -> Scores:
    # One division of whole numbers rounds once.
    return _over(c.both * c.n, c.premise * c.conclusion)


@_measure("support minus that of independent premise and conclusion", range="[-1/4, 1/4]")
def _leverage(c: Counts) -> Scores:
    n = max(c.n, 1)
    return (c.both * n - c.premise * c.conclusion) / (float(n) * n)


@_measure("how much more often the rule would fail by chance", range="[0, ∞]")
def _conviction(c: Counts) -> Scores:
    n = max(c.n, 1)
    failing = (c.premise - c.both) * n
    return _over((n - c.conclusion) * c.premise, failing, nothing=np.inf)


@_measure("support over the geometric mean of premise's and conclusion's")
def _cosine(c: Counts) -> Scores:
    return _over(c.both, np.sqrt(c.premise * c.conclusion))


@_measure("objects with both over objects with either")
def _jaccard(c: Counts) -> Scores:
    return _over(c.both, c.premise + c.conclusion - c.both)


@_measure("mean confidence of the rule and its converse")
def _kulczynski(c: Counts) -> Scores:
    return (_over(c.both, c.premise) + _over(c.both, c.conclusion)) / 2


@_measure("difference of premise's and conclusion's objects over objects with either")
def _imbalance_ratio(c: Counts) -> Scores:
    return _over(np.abs(c.premise - c.conclusion), c.premise + c.conclusion - c.both)


@_measure("information about the conclusion in the premise, in bits")
def _mutual_information(c: Counts) -> Scores:
    n = max(c.n, 1)
    total: Scores = np.zeros(len(c.both))
    for premise, with_premise in ((True, c.premise), (False, n - c.premise)):
        for conclusion, with_conclusion in ((True, c.conclusion), (False, n - c.conclusion)):
            having = c.both if conclusion else c.premise - c.both
            cell = having if premise else with_conclusion - having
            ratio = _over(cell * n, with_premise * with_conclusion, nothing=1.0)
            total += cell / n * np.log2(ratio, out=np.zeros(len(ratio)), where=cell > 0)
    # Rounding can make a 0 negative.
    return np.maximum(total, 0.0)


@_measure(
    "gain of confidence over the conclusion's share, relative to the largest", range="(-∞, 1]"
)
def _certainty(c: Counts) -> Scores:
    gain = c.both * c.n - c.premise * c.conclusion
    certain = np.where(c.conclusion < c.n, 1.0, 0.0)  # of rules whose premise no object has
    largest = c.premise * (c.n - c.conclusion)
    return np.where(c.premise > 0, _over(gain, largest, nothing=0.0), certain)


@_measure("the same, losses relative to the largest loss", range="[-1, 1]")
def _certainty_factor(c: Counts) -> Scores:
    loss = c.both * c.n - c.premise * c.conclusion
    return np.where(loss < 0, _over(loss, c.premise * c.conclusion, nothing=0.0), _certainty(c))


@_measure("association from -1, never together, to 1", "zhangs_metric", range="[-1, 1]")
def _zhang(c: Counts) -> Scores:
    n = max(c.n, 1)
    above = c.both * (n - c.premise)
    below = c.premise * (c.conclusion - c.both)
    return _over(c.both * n - c.premise * c.conclusion, np.maximum(above, below), nothing=0.0)


@_measure("correlation of premise and conclusion", range="[-1, 1]")
def _phi(c: Counts) -> Scores:
    margins = c.premise * c.conclusion * (c.n - c.premise) * (c.n - c.conclusion)
    return _over(c.both * c.n - c.premise * c.conclusion, np.sqrt(margins))


@_measure("n times the square of phi: Pearson's χ² of the two-by-two table", range="[0, n]")
def _chi_squared(c: Counts) -> Scores:
    return np.asarray(c.n * _phi(c) ** 2)


@_measure("odds of the conclusion with the premise over those without", range="[0, ∞]")
def _odds_ratio(c: Counts) -> Scores:
    same, different = c.diagonals
    return np.where((different == 0) & (same > 0), np.inf, _over(same, different))


@_measure("Yule's Q: the odds ratio on a scale from -1 to 1", range="[-1, 1]")
def _yule_q(c: Counts) -> Scores:
    same, different = c.diagonals
    return _over(same - different, same + different)


@_measure("Yule's Y: the same of the square root of the odds ratio", range="[-1, 1]")
def _yule_y(c: Counts) -> Scores:
    same, different = map(np.sqrt, c.diagonals)
    return _over(same - different, same + different)


@_measure("agreement of premise and conclusion beyond chance (Cohen)", range="[-1, 1]")
def _kappa(c: Counts) -> Scores:
    agreeing = 2 * c.both + c.n - c.premise - c.conclusion
    by_chance = c.premise * c.conclusion + (c.n - c.premise) * (c.n - c.conclusion)
    return _over(c.n * agreeing - by_chance, float(c.n) * c.n - by_chance)


@_measure("confidence minus the share of objects with the conclusion", range="[-1, 1]")
def _added_value(c: Counts) -> Scores:
    return np.asarray(c.confidence - c.shares[1])


@_measure("confidence with one object more on either side", conclusions=False, range="(0, 1)")
def _laplace(c: Counts) -> Scores:
    return np.asarray((c.both + 1) / (c.premise + 2))


@_measure("fall of the conclusion's Gini index by knowing the premise", range="[0, 1/2]")
def _gini(c: Counts) -> Scores:
    without, n = c.n - c.premise, max(c.n, 1)
    inside = _over(c.both**2 + (c.premise - c.both) ** 2, c.premise, nothing=0.0)
    rest = c.conclusion - c.both
    outside = _over(rest**2 + (without - rest) ** 2, without, nothing=0.0)
    whole = (c.conclusion**2 + (c.n - c.conclusion) ** 2) / n
    # Rounding can make a 0 negative.
    return np.maximum((inside + outside - whole) / n, 0.0)


@_measure("information about the conclusion where the premise holds, in bits", range="[0, ∞)")
def _j_measure(c: Counts) -> Scores:
    total: Scores = np.zeros(len(c.both))
    for cell, margin in ((c.both, c.conclusion), (c.premise - c.both, c.n - c.conclusion)):
        ratio = _over(cell * c.n, c.premise * margin, nothing=1.0)
        total += cell / max(c.n, 1) * np.log2(ratio, out=np.zeros(len(ratio)), where=cell > 0)
    return np.maximum(total, 0.0)


@_measure("objects with both over the most that chance has in 99 of 100 cases", range="[0, ∞]")
def _hyper_lift(c: Counts) -> Scores:
    from scipy.stats import hypergeom

    margins, places = np.unique(
        np.column_stack((c.premise, c.conclusion)), axis=0, return_inverse=True
    )
    most = np.asarray(hypergeom.ppf(0.99, c.n, *margins.T))[places.reshape(-1)]
    return np.where((most == 0) & (c.both > 0), np.inf, _over(c.both, most))


@_measure("chance of fewer objects with both, if premise and conclusion are independent")
def _hyper_confidence(c: Counts) -> Scores:
    return np.asarray(1 - _fisher(c))


@_measure(
    "chance of as many objects with both, if premise and conclusion are independent",
    "fisher_pvalue",
    direction="lower",
)
def _fisher(c: Counts) -> Scores:
    return fisher.upper_tail(c.both, c.n, c.premise, c.conclusion)


@_measure(
    "that p-value adjusted for the number of rules (Benjamini and Hochberg)",
    "fisher_fdr",
    direction="lower",
    single=False,
)
def _fisher_adjusted(c: Counts) -> Scores:
    from scipy.stats import false_discovery_control

    pvalues = _fisher(c)
    return np.asarray(false_discovery_control(pvalues)) if len(pvalues) else pvalues


_BY_NAME = {name: each for each in _MEASURES for name in (each.name, *each.aliases)}


def get(name: str) -> RuleMeasure:
    """Return a measure of rules by its name.

    Examples
    --------
    >>> get("zhangs_metric").name
    'zhang'
    """
    if name not in _BY_NAME:
        raise UnknownNameError("measure of rules", name, _BY_NAME)
    return _BY_NAME[name]


def names() -> tuple[str, ...]:
    """Return the names of the measures of rules.

    Examples
    --------
    >>> names()[:3]
    ('support', 'count', 'confidence')
    """
    return tuple(each.name for each in _MEASURES)


def available() -> pl.DataFrame:
    """Return the measures of rules: names, direction, range and what they mean.

    Measures of concepts serve as well: that of the concept that a rule leads to under its own
    name or as `conclusion.NAME`, that of the concept that it comes from as `premise.NAME`.

    Examples
    --------
    >>> available().filter(name="fisher")["direction"].to_list()
    ['lower']
    """
    import polars as pl

    return pl.DataFrame(
        {
            "name": names(),
            "aliases": [list(each.aliases) for each in _MEASURES],
            "direction": [each.direction for each in _MEASURES],
            "range": [each.range for each in _MEASURES],
            "summary": [each.summary for each in _MEASURES],
        },
        schema_overrides={"aliases": pl.List(pl.String)},
    )


def worths(scores: Scores, *, descending: bool) -> Scores:
    """Return numbers that are larger for better scores, and equal for those equal but for rounding.

    Examples
    --------
    >>> worths(np.array([0.1 + 0.2, 0.3, np.nan, np.inf]), descending=True).tolist()
    [0.3000000000001819, 0.3000000000001819, -inf, inf]
    """
    mantissas, exponents = np.frexp(scores)
    steady = np.ldexp(np.round(mantissas * _STEPS) / _STEPS, exponents)
    return np.where(np.isnan(scores), -np.inf, steady if descending else -steady)


@dataclass(frozen=True)
class Wanted:
    """A measure that rules are to be scored by: of the rules, or of a concept that they link.

    Parameters
    ----------
    label
        What the user calls it.
    rule
        A measure of rules, or None.
    side
        Without a measure of rules, the concept to score: `"premise"` or `"conclusion"`.
    concept
        Its measure and parameters.
    """

    label: str
    rule: RuleMeasure | None = None
    side: str = "conclusion"
    concept: tuple[str, dict[str, Any]] = ("", {})

    @property
    def descending(self) -> bool:
        """Whether large scores come first."""
        measure = self.rule or registry.get(self.concept[0])
        return measure.direction == "higher"

    @property
    def single(self) -> bool:
        """Whether the score of a rule depends on that rule alone."""
        return self.rule is None or self.rule.single


def wanted(measure: MeasureLike, params: Params | None = None) -> Wanted:
    """Return what a user means by a measure.

    Raises
    ------
    UnknownNameError
        If it is neither a measure of rules nor one of concepts.

    Examples
    --------
    >>> wanted("lift").rule.name, wanted("cr").side, wanted("premise.stability").concept
    ('lift', 'conclusion', ('stability', {}))
    >>> wanted("lifft")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown measure 'lifft'; did you mean 'lift' or ...
    """
    name, given = split(measure)
    given = {**given, **(params or {})}
    if name in _BY_NAME:
        if given:
            raise MeasureError(f"{name} as a measure of rules has no parameters")
        return Wanted(name, rule=_BY_NAME[name])
    side, dot, rest = name.partition(".")
    if not dot or side not in _SIDES:
        side, rest = "conclusion", name
    try:
        bound = registry.get(rest).bind(given)
    except UnknownNameError:
        known = dict.fromkeys((*_BY_NAME, *registry.available()["name"]))
        raise UnknownNameError("measure", name, known) from None
    del bound  # Only to refuse wrong parameters before the work.
    shown = "".join(f", {key}={value}" for key, value in given.items())
    label = f"{name}({shown[2:]})" if shown else name
    return Wanted(label, side=side, concept=(rest, given))
