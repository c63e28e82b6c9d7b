"""`ConceptClassifier`: a linear model on the memberships in a few concepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank.budget import support_threshold
from conceptrank.learn.encoding import Encoder, PatternEstimator, feature_names, training
from conceptrank.learn.search import boost
from conceptrank.matching import Matcher
from conceptrank.scaling.plan import Plan

__all__ = ["ConceptClassifier", "Explanation", "LearnedPattern"]


@dataclass(frozen=True)
class LearnedPattern:
    """A pattern of a fitted model.

    Attributes
    ----------
    attributes
        The attributes that a row needs: a generator of the concept.
    intent
        All attributes that the training rows with these attributes share.
    support
        The number of training rows that have the pattern, counted with weights.
    confidences
        The share of each class among them.
    weights
        What the pattern adds to the score of each class; one number if there are two classes, for
        the second.
    """

    attributes: tuple[str, ...]
    intent: tuple[str, ...]
    support: float
    confidences: tuple[float, ...]
    weights: tuple[float, ...]

    def __str__(self) -> str:
        return " & ".join(self.attributes)


@dataclass(frozen=True)
class Explanation:
    """Why a row has its prediction: everything that the prediction is computed from.

    The scores are `intercept` plus the weights of all `patterns`. The probabilities are their
    softmax; with two classes, the only score is the log-odds of the second class.
    """

    classes: tuple[Any, ...]
    intercept: tuple[float, ...]
    patterns: tuple[LearnedPattern, ...]

    @property
    def scores(self) -> tuple[float, ...]:
        """The sums of the intercept and the weights."""
        total = np.array(self.intercept, dtype=np.float64)
        for pattern in self.patterns:
            total = total + np.array(pattern.weights)
        return tuple(total.tolist())

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each class."""
        return tuple(_probabilities(np.array([self.scores]), len(self.classes))[0].tolist())

    @property
    def prediction(self) -> Any:
        """The most probable class."""
        return self.classes[int(np.argmax(self.probabilities))]

    def __str__(self) -> str:
        chance = max(self.probabilities)
        lines = [f"predicted {self.prediction} ({chance:.1%})", *_header(self.classes)]
        lines.append(_line(self.intercept, "(every row)", "", ""))
        lines += [_pattern_line(each, self.classes) for each in self.patterns]
        return "\n".join(lines)


@dataclass(eq=False, repr=False)
class ConceptClassifier(ClassifierMixin, PatternEstimator):  # type: ignore[misc]
    """Predict a class from the membership in at most `max_patterns` concepts.

    Training scales raw columns to attributes, chooses patterns by gradient boosting, and fits a
    logistic regression to the memberships. A pattern is a concept of the training table, recognised
    by a few attributes that generate it. `print(model)` shows the whole model.

    Parameters
    ----------
    max_patterns
        The most patterns.
    max_length
        The most attributes of a pattern.
    min_support
        The least number of training rows of a pattern; a float is a share of all rows.
    penalty
        What an attribute of a pattern costs, in the unit of the gain (twice the log-likelihood).
        Larger values give fewer and shorter patterns.
    C
        The inverse strength of the regularisation of the weights.
    alpha
        The largest chance that some pattern is unrelated to the class. Each pattern must pass
        Fisher's exact test, corrected for all sets of at most `max_length` attributes. If None,
        patterns are not tested.
    scaling
        A `Plan`, or a mapping from columns to scales; columns without one are scaled by their type.
        Words, truth values, and ones and zeros become an attribute per value; entries of a sparse
        matrix become an attribute per column.
    bins
        The number of quantiles that numbers and dates are compared with.
    missing
        How missing values are treated: `"no_cross"`, or `"value"` for an attribute of their own.

    Attributes
    ----------
    classes_
        The classes.
    patterns_
        The patterns, as `LearnedPattern`.
    coef_, intercept_
        The weights and the intercept.

    Examples
    --------
    >>> rows = [["red", "round"], ["red", "long"], ["blue", "round"], ["blue", "long"]] * 10
    >>> sweet = ["yes", "no", "no", "no"] * 10
    >>> model = ConceptClassifier().fit(np.array(rows, dtype=object), sweet)
    >>> model.predict([["red", "round"]]).tolist()
    ['yes']
    >>> str(model.patterns_[0])
    'x0 = red & x1 = round'
    """

    max_patterns: int = 50
    _: KW_ONLY
    max_length: int = 3
    min_support: float = 0.01
    penalty: float = 0.25
    C: float = 1.0
    alpha: float | None = None
    scaling: Plan | Mapping[str, Any] | None = None
    bins: int = 8
    missing: str = "no_cross"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Learn the scales, the patterns and their weights.

        Parameters
        ----------
        X
            A frame or an array of raw values, or a sparse matrix whose entries are crosses.
        y
            The class of each row.
        sample_weight
            How much each row counts; a row of weight 2 counts as two equal rows. The test of
            `alpha` counts every row once.
        """
        X, codes, weights = self._labelled(X, y, sample_weight)  # noqa: N806
        self._encoder = Encoder(self.scaling, bins=self.bins, missing=self.missing, both=True)
        context = self._encoder.fit(X, feature_names(self), weights)
        table = context.to_scipy().astype(np.float64)
        least = _least_weight(self.min_support, weights)
        chosen = boost(
            table,
            codes,
            k=self.max_patterns,
            min_support=least,
            max_length=self.max_length,
            penalty=self.penalty,
            weights=weights,
            alpha=self.alpha,
        )
        sets = [np.array(each, dtype=np.uint32) for each in chosen]
        self._matcher = Matcher.from_numbers(context.attribute_names, _lists.joined(sets))
        members = self._matcher.find(context.rows()).tocsr()
        n_scores = 1 if len(self.classes_) == 2 else len(self.classes_)
        self.coef_: NDArray[Any]
        self.intercept_: NDArray[Any]
        if len(self.classes_) == 1:
            self.coef_, self.intercept_ = np.zeros((1, len(sets))), np.zeros(1)
        elif not sets:
            logs = np.log(np.bincount(codes, weights=weights) / weights.sum())
            self.intercept_ = np.array([logs[1] - logs[0]]) if n_scores == 1 else logs
            self.coef_ = np.zeros((n_scores, 0))
        else:
            model = LogisticRegression(C=self.C, max_iter=2000)
            model.fit(members.astype(np.float64), codes, sample_weight=weights)
            self.coef_, self.intercept_ = model.coef_, model.intercept_
        names = context.attribute_names
        self.patterns_: list[LearnedPattern] = []
        for place, numbers in enumerate(sets):
            rows = members[:, [place]].nonzero()[0]
            inside = np.bincount(codes[rows], weights[rows], minlength=len(self.classes_))
            self.patterns_.append(
                LearnedPattern(
                    names.of(numbers.tolist()),
                    context.closure(names.of(numbers.tolist())),
                    int(inside.sum()) if inside.sum().is_integer() else float(inside.sum()),
                    tuple((inside / inside.sum()).tolist()),
                    tuple(self.coef_[:, place].tolist()),
                )
            )
        return self

    def _labelled(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: Any,
    ) -> tuple[Any, NDArray[np.int64], NDArray[np.float64]]:
        """Set `classes_`, and return rows with a weight, their codes and their weights."""
        X = training(self, X, y)  # noqa: N806
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = np.ones(len(y))
        if sample_weight is not None:
            options: dict[str, Any] = {"dtype": np.float64, "ensure_non_negative": True}
            weights = _check_sample_weight(sample_weight, X, **options)
            kept = np.flatnonzero(weights)
            if not len(kept):
                raise ValueError("sample_weight is 0 for every row; give some row a weight")
            if len(kept) < len(weights):
                X, y, weights = _safe_indexing(X, kept), y[kept], weights[kept]  # noqa: N806
        self.classes_, codes = np.unique(y, return_inverse=True)
        return X, codes.astype(np.int64), weights

    def decision_function(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the scores of the classes; the log-odds of the second if there are two."""
        members = self._members(X).astype(np.float64)
        scores: NDArray[np.float64] = np.asarray(members @ self.coef_.T) + self.intercept_
        return scores.ravel() if len(self.classes_) <= 2 else scores

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probabilities of the classes, in the order of `classes_`."""
        scores = self.decision_function(X)
        return _probabilities(scores.reshape(len(scores), -1), len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable class of each row."""
        places = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[places])

    def explain(self, row: Any) -> Explanation:
        """Return which patterns decide the prediction of a row, with support and confidence.

        Parameters
        ----------
        row
            A row of a table as for `predict`: a frame or a matrix of one row, or its values.
        """
        held = self._members(_one_row(row)).indices.tolist()
        return Explanation(
            tuple(self.classes_.tolist()),
            tuple(self.intercept_.tolist()),
            tuple(self.patterns_[place] for place in sorted(held)),
        )

    def __str__(self) -> str:
        if not hasattr(self, "patterns_"):
            return repr(self)
        classes = tuple(self.classes_.tolist())
        count = len(self.patterns_)
        lines = [f"{count} pattern{'' if count == 1 else 's'} for {len(classes)} classes"]
        lines += _header(classes)
        lines.append(_line(tuple(self.intercept_.tolist()), "(every row)", "", ""))
        strongest = sorted(self.patterns_, key=lambda each: -max(map(abs, each.weights)))
        lines += [_pattern_line(each, classes) for each in strongest]
        return "\n".join(lines)


def _least_weight(min_support: float, weights: NDArray[np.float64]) -> float:
    """Return a minimum support as a weight; a float is a share of the weight of all rows."""
    rows = support_threshold(min_support, len(weights))
    if isinstance(min_support, int | np.integer):
        return rows
    # Slightly less, so that rounding in a sum of weights does not matter.
    return float(min_support * weights.sum() * (1 - 1e-12))


def _one_row(row: Any) -> Any:
    """Return a row as a table of one row."""
    if hasattr(row, "to_frame") and getattr(row, "ndim", 2) == 1:
        return row.to_frame().T.infer_objects()
    if hasattr(row, "shape") and len(row.shape) == 2:
        if row.shape[0] != 1:
            raise ValueError(f"explain takes one row, got {row.shape[0]}")
        return row
    return np.asarray(row, dtype=None if hasattr(row, "dtype") else object).reshape(1, -1)


def _probabilities(scores: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    if n_classes == 1:
        return np.ones((len(scores), 1))
    if n_classes == 2:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    return np.asarray(softmax(scores, axis=1))


def _header(classes: tuple[Any, ...]) -> list[str]:
    shown = classes[1:] if len(classes) == 2 else classes
    return [_line(shown, "pattern", "rows", "confidence")]


def _line(numbers: tuple[Any, ...], *rest: str) -> str:
    cells = [f"{each:+.2f}" if isinstance(each, float) else str(each) for each in numbers]
    name, support, confidence = rest
    head = " ".join(cell.rjust(8) for cell in cells)
    return f"{head} {support:>7} {confidence:>10}  {name}"


def _pattern_line(pattern: LearnedPattern, classes: tuple[Any, ...]) -> str:
    shares = pattern.confidences
    confidence = shares[1] if len(classes) == 2 else max(shares)
    name = _text.printable(str(pattern))
    return _line(pattern.weights, name, f"{pattern.support:,}", f"{confidence:.0%}")
