"""`ConceptClusters`: clusters of rows from the patterns of a summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import text as _text
from conceptrank.learn.bases import ClusterMixin
from conceptrank.learn.classifier import feature_names
from conceptrank.learn.encoding import Encoder, PatternEstimator, checked, first_pattern
from conceptrank.matching import Matcher
from conceptrank.scaling.plan import Plan
from conceptrank.summary import Pattern, Summary

__all__ = ["ConceptClusters"]


@dataclass(eq=False, repr=False)
class ConceptClusters(ClusterMixin, PatternEstimator):
    """Group rows by the patterns that they have: clusters with a description.

    Rows may have several patterns: `membership` returns all of them. `labels_` and `predict` are a
    partition: a row belongs to the first pattern that it has, and to -1 if it has
    none.

    Parameters
    ----------
    max_clusters
        The most clusters; if None, the summary ends by its own rule.
    method
        How to choose the patterns, as for `Context.summarize`.
    min_support
        The least number of rows of a pattern; a float is a share of all rows.
    scaling, bins, missing
        As for `ConceptClassifier`.

    Attributes
    ----------
    labels_
        The cluster of each training row, from 0; -1 outside every pattern.
    membership_
        Which training rows have which pattern, as a sparse matrix.
    patterns_
        The pattern of each cluster: an entry of `summary_`.
    summary_
        The summary of the scaled training data. Patterns whose rows all have an earlier pattern are
        no clusters.

    Examples
    --------
    >>> rows = [["red", "round"]] * 20 + [["blue", "long"]] * 15 + [["green", "flat"]]
    >>> clusters = ConceptClusters(2).fit(np.array(rows, dtype=object))
    >>> sorted(set(clusters.labels_.tolist()))
    [-1, 0, 1]
    """

    max_clusters: int | None = 8
    _: KW_ONLY
    method: str = "tiling"
    min_support: float = 0.02
    scaling: Plan | Mapping[str, Any] | None = None
    bins: int = 4
    missing: str = "no_cross"

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn the scales, and choose the patterns.

        Parameters
        ----------
        X
            A frame or an array of raw values, or a sparse matrix whose entries are crosses.
        y
            Not used.
        """
        X = checked(self, X, reset=True)  # noqa: N806
        self._encoder = Encoder(self.scaling, bins=self.bins, missing=self.missing)
        context = self._encoder.fit(X, feature_names(self))
        self.summary_: Summary = context.summarize(
            self.max_clusters, method=self.method, min_support=self.min_support
        )
        rows = context.rows()
        first = first_pattern(
            Matcher(context.attribute_names, self.summary_).find(rows).tocsr(), empty=-1
        )
        # A pattern whose rows all belong to earlier clusters is no cluster.
        places = np.unique(first[first >= 0]).tolist()
        self.patterns_: list[Pattern] = [self.summary_[place] for place in places]
        self._matcher = Matcher(context.attribute_names, self.patterns_)
        self.membership_: Any = self._matcher.find(rows).tocsr()
        self.labels_: NDArray[np.int64] = first_pattern(self.membership_, empty=-1)
        return self

    def membership(self, X: Any) -> Any:  # noqa: N803
        """Return which rows have which pattern: a sparse matrix, a column per pattern."""
        return self._members(X)

    def predict(self, X: Any) -> NDArray[np.int64]:  # noqa: N803
        """Return the cluster of each row, from 0; -1 outside every pattern."""
        return first_pattern(self.membership(X), empty=-1)

    def __str__(self) -> str:
        if not hasattr(self, "patterns_"):
            return repr(self)
        lines = []
        for place, pattern in enumerate(self.patterns_):
            size = int((self.labels_ == place).sum())
            name = _text.printable(" & ".join(pattern.intent))
            lines.append(f"cluster {place}: {name} ({size:,} rows, {pattern.support:,} have it)")
        outside = int((self.labels_ == -1).sum())
        return "\n".join([*lines, f"outside every pattern: {outside:,} rows"])
