"""`ConceptFeatures`: memberships in concepts as features for any model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, column_or_1d

from conceptrank._util import lists as _lists
from conceptrank.budget import support_threshold
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded, UnknownNameError, notify
from conceptrank.learn.encoding import Encoder, PatternEstimator, feature_names, training
from conceptrank.learn.search import boost
from conceptrank.matching import Matcher, intents_of
from conceptrank.scaling.plan import Plan

__all__ = ["ConceptFeatures"]

_SELECTIONS = ("summary", "diverse", "best", "predictive")


@dataclass(eq=False, repr=False)
class ConceptFeatures(TransformerMixin, PatternEstimator):  # type: ignore[misc]
    """Turn rows into memberships in concepts: a column per concept, in a sparse matrix.

    Parameters
    ----------
    k
        The most concepts.
    select
        How to choose them. `"summary"`: the short list, which may be empty. `"diverse"`: large
        scores that overlap little. `"best"`: the k best by a measure. `"predictive"`: patterns that
        predict y together, as those of `ConceptClassifier`.
    by
        The measure of `"best"`. If None, `"information_gain"` with y and `"delta_measure"` without.
    patterns
        A `Summary`, a ranking or lists of attribute names to use instead of choosing any.
    match
        What a row needs to be a member: the shortest `"generator"` of the concept, or its whole
        `"intent"`. Training rows have both or neither.
    min_support
        The least number of training rows of a concept; a float is a share of all rows.
    max_length
        The most attributes of a `"predictive"` pattern.
    scaling, bins, missing
        As for `ConceptClassifier`, but truth values, and ones and zeros, are crosses: an attribute
        per column.
    sparse_output
        Whether `transform` returns a sparse CSR matrix. Frames (`set_output`) are dense.

    Attributes
    ----------
    intents_, generators_
        The attributes of each concept, and the shortest set that generates it.
    attributes_
        The attributes that the columns were scaled to.

    Examples
    --------
    >>> rows = np.array([["red", "round"], ["red", "long"], ["blue", "long"]] * 10, dtype=object)
    >>> features = ConceptFeatures(2, select="best").fit(rows)
    >>> features.get_feature_names_out().tolist()
    ['x0 = red', 'x1 = long']
    >>> features.transform([["red", "long"], ["green", "long"]]).toarray().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """

    k: int = 50
    _: KW_ONLY
    select: str = "summary"
    by: Any = None
    patterns: Any = None
    match: Literal["generator", "intent"] = "generator"
    min_support: float = 0.01
    max_length: int = 3
    scaling: Plan | Mapping[str, Any] | None = None
    bins: int = 8
    missing: str = "no_cross"
    sparse_output: bool = True

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn the scales, and choose the concepts.

        Parameters
        ----------
        X
            A frame or an array of raw values, or a sparse matrix whose entries are crosses.
        y
            The class of each row; `"best"` and `"predictive"` use it.
        """
        if self.select not in _SELECTIONS:
            raise UnknownNameError("selection", self.select, _SELECTIONS)
        if self.match not in ("generator", "intent"):
            raise UnknownNameError("way to match", self.match, ("generator", "intent"))
        X = training(self, X, y)  # noqa: N806
        y = None if y is None else column_or_1d(y)
        self._encoder = Encoder(self.scaling, bins=self.bins, missing=self.missing)
        context = self._encoder.fit(X, feature_names(self))
        names = context.attribute_names
        self.attributes_: NDArray[Any] = np.array(names.labels, dtype=object)
        intents, generators = self._chosen(context, y)
        self.intents_: list[tuple[str, ...]] = [names.of(each.tolist()) for each in intents]
        self.generators_: list[tuple[str, ...]] = [names.of(each.tolist()) for each in generators]
        matched = generators if self.match == "generator" else intents
        self._n_features_out = len(matched)
        self._matcher = Matcher.from_numbers(names, _lists.joined(matched))
        if not matched:
            notify(
                "no concept was chosen, so there are no features; select='diverse' or a smaller "
                "min_support finds some"
            )
        return self

    def _chosen(self, context: Context, y: Any) -> tuple[list[Any], list[Any]]:
        """Return the attribute numbers of intents and generators."""
        n = len(context.objects)
        least = max(1, support_threshold(self.min_support, n))
        names = context.attribute_names
        concepts: list[Concept]
        if self.patterns is not None:
            sets = _lists.each(intents_of(names, self.patterns))
            concepts = [context.concept(*names.of(each.tolist())) for each in sets]
        elif self.select == "predictive":
            table = context.to_scipy().astype(np.float64)
            codes = np.unique(y, return_inverse=True)[1].astype(np.int64)
            options: dict[str, Any] = {"min_support": least, "max_length": self.max_length}
            found = boost(table, codes, k=self.k, penalty=0.25, **options)
            numbers = [np.array(each, dtype=np.uint32) for each in found]
            return [context.core.closure(each) for each in numbers], numbers
        elif self.select == "best":
            by, params = self.by, {}
            if y is not None and type_of_target(y) in ("binary", "multiclass"):
                by, params = by or "information_gain", {"labels": y.tolist()}
            best = context.best(
                self.k, by or "delta_measure", min_support=least, min_intent=1, **params
            )
            concepts = [each.concept for each in best]
        else:
            method = "surprise" if self.select == "summary" else "diverse"
            summary = context.summarize(self.k, method=method, min_support=least)
            concepts = [each.concept for each in summary]
        concepts = [each for each in concepts if each.intent]
        intents = [names.numbers(each.intent) for each in concepts]
        return intents, [names.numbers(_generator(each)) for each in concepts]

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return the memberships of rows: a sparse matrix, a row per row, a column per concept."""
        result = self._members(X).astype(np.float64)
        container = getattr(self, "_sklearn_output_config", {}).get("transform")
        wanted = container or get_config()["transform_output"]
        return result if self.sparse_output and wanted == "default" else result.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns: the attributes that a member needs, joined by "&".

        Parameters
        ----------
        input_features
            Not used, except that it must be the names of the input if it is given.
        """
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        matched = self.generators_ if self.match == "generator" else self.intents_
        return np.array([" & ".join(each) or "(every row)" for each in matched], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.select == "predictive"
        return tags


def _generator(concept: Concept) -> tuple[str, ...]:
    try:
        return min(concept.minimal_generators, key=len)
    except BudgetExceeded:
        return concept.intent
