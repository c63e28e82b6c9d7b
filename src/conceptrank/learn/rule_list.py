"""`RuleListClassifier`: an ordered list of rules; the first one that applies predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank.learn.bases import ClassifierMixin
from conceptrank.learn.classifier import (
    counted,
    feature_names,
    labelled,
    least_weight,
    one_row,
)
from conceptrank.learn.encoding import Encoder, PatternEstimator, first_pattern
from conceptrank.learn.search import Floats, frequent, grow
from conceptrank.matching import Matcher
from conceptrank.scaling.plan import Plan

__all__ = ["ListedRule", "RuleListClassifier", "RuleListExplanation"]


@dataclass(frozen=True)
class ListedRule:
    """A rule of a list.

    Attributes
    ----------
    attributes
        What a row needs; nothing for the last rule, which takes all other rows.
    support
        The number of training rows that have these attributes and no earlier rule's, counted with
        weights.
    counts
        How many of them have each class.
    probabilities
        The probabilities of the classes that the rule predicts: smoothed shares.
    """

    attributes: tuple[str, ...]
    support: float
    counts: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __str__(self) -> str:
        return " & ".join(self.attributes) if self.attributes else "otherwise"


@dataclass(frozen=True)
class RuleListExplanation:
    """The rule that predicts the class of a row, and its place in the list, from 1."""

    classes: tuple[Any, ...]
    place: int
    rule: ListedRule

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each class."""
        return self.rule.probabilities

    @property
    def prediction(self) -> Any:
        """The most probable class."""
        return self.classes[int(np.argmax(self.probabilities))]

    def __str__(self) -> str:
        return f"rule {self.place}: " + _rule_text(self.rule, self.classes)


@dataclass(eq=False, repr=False)
class RuleListClassifier(ClassifierMixin, PatternEstimator):
    """Predict a class by the first rule of a list whose attributes a row has.

    Each rule is the one that separates the classes of the rows left best, by the likelihood ratio
    less a cost per attribute. The list ends where no rule pays for its attributes.

    Parameters
    ----------
    max_rules
        The most rules, without the last one for all other rows.
    max_length, min_support, scaling, bins, missing
        As for `ConceptClassifier`.
    penalty
        What an attribute of a rule costs, in log-likelihood. 1 is Akaike's criterion; larger values
        give fewer rules.

    Examples
    --------
    >>> rows = [["red", "round"], ["red", "long"], ["blue", "round"], ["blue", "long"]] * 10
    >>> sweet = ["yes", "no", "no", "no"] * 10
    >>> print(RuleListClassifier().fit(np.array(rows, dtype=object), sweet))
    1. if x0 = red & x1 = round: yes (93%, 10 rows)
    2. otherwise: no (99%, 30 rows)
    """

    max_rules: int = 50
    _: KW_ONLY
    max_length: int = 3
    min_support: float = 0.01
    penalty: float = 1.0
    scaling: Plan | Mapping[str, Any] | None = None
    bins: int = 8
    missing: str = "no_cross"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Learn the scales and the rules; parameters as for `ConceptClassifier.fit`."""
        X, codes, weights = labelled(self, X, y, sample_weight)  # noqa: N806
        self._encoder = Encoder(self.scaling, bins=self.bins, missing=self.missing, both=True)
        context = self._encoder.fit(X, feature_names(self), weights)
        least = least_weight(self.min_support, weights)
        table, numbers = frequent(context.to_scipy().astype(np.float64), least, weights)
        names = context.attribute_names
        target = np.eye(len(self.classes_))[codes]
        totals = weights @ target
        prior = totals / totals.sum()
        left = np.arange(len(codes))
        chosen: list[tuple[int, ...]] = []
        self.rules_: list[ListedRule] = []
        while len(chosen) < self.max_rules and len(left):
            found = grow(
                table[left],
                target[left],
                _likelihood_ratio(weights[left] @ target[left]),
                weights=weights[left],
                penalty=self.penalty,
                min_support=least,
                max_length=self.max_length,
                width=5,
            )
            if found is None:
                break
            covered = left[found.rows]
            attributes = tuple(numbers[list(found.attributes)].tolist())
            counts = weights[covered] @ target[covered]
            self.rules_.append(_rule(names.of(attributes), counts, prior))
            chosen.append(attributes)
            left = np.setdiff1d(left, covered, assume_unique=True)
        self.rules_.append(_rule((), weights[left] @ target[left], prior))
        sets = [np.array(each, dtype=np.uint32) for each in chosen]
        self._matcher = Matcher.from_numbers(names, _lists.joined(sets))
        return self

    def _places(self, X: Any) -> NDArray[np.int64]:  # noqa: N803
        """Return the place of the first rule of each row, from 0."""
        return first_pattern(self._members(X), empty=len(self.rules_) - 1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probabilities of the classes, in the order of `classes_`."""
        places = self._places(X)
        return np.array([rule.probabilities for rule in self.rules_])[places]

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable class of each row."""
        places = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[places])

    def explain(self, row: Any) -> RuleListExplanation:
        """Return the rule that predicts the class of a row; as `ConceptClassifier.explain`."""
        place = int(self._places(one_row(row))[0])
        return RuleListExplanation(tuple(self.classes_.tolist()), place + 1, self.rules_[place])

    def __str__(self) -> str:
        if not hasattr(self, "rules_"):
            return repr(self)
        classes = tuple(self.classes_.tolist())
        return "\n".join(
            f"{place}. {_rule_text(rule, classes)}" for place, rule in enumerate(self.rules_, 1)
        )


def _likelihood_ratio(totals: Floats) -> Any:
    """Return a score: the log-likelihood that the rows of a set gain by shares of their own."""
    shares = totals / totals.sum()

    def score(sums: Floats, sizes: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = sums / sizes[:, None] / shares
            terms = np.where(sums > 0, sums * np.log(ratios), 0.0)
        return np.asarray(terms.sum(axis=1))

    return score


def _rule(attributes: tuple[str, ...], counts: Floats, prior: Floats) -> ListedRule:
    probabilities = (counts + prior) / (counts.sum() + 1.0)
    return ListedRule(
        attributes,
        counted(counts.sum()),
        tuple(counted(each) for each in counts),
        tuple(probabilities.tolist()),
    )


def _rule_text(rule: ListedRule, classes: tuple[Any, ...]) -> str:
    best = int(np.argmax(rule.probabilities))
    when = f"if {_text.printable(str(rule))}" if rule.attributes else "otherwise"
    chance = rule.probabilities[best]
    count = f"{rule.support:,} row{'' if rule.support == 1 else 's'}"
    return f"{when}: {classes[best]} ({chance:.0%}, {count})"
