"""`Encoder`: the columns of a training table as attributes, and new rows in the same attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from conceptrank import convert
from conceptrank._util.lists import Lists
from conceptrank.context import Context
from conceptrank.matching import Matcher
from conceptrank.scaling.by_order import Interordinal
from conceptrank.scaling.by_value import Nominal
from conceptrank.scaling.column import Columns
from conceptrank.scaling.inference import infer
from conceptrank.scaling.plan import Plan

__all__ = ["Encoder", "PatternEstimator", "feature_names", "training"]


def training(estimator: Any, X: Any, y: Any) -> Any:  # noqa: N803
    """Return training rows as `_checked`, and remember their columns; `y` may be required."""
    checked = _checked(estimator, X)
    validate_data(estimator, X, y, skip_check_array=True)
    if y is not None:
        check_consistent_length(checked, y)
    return checked


def feature_names(estimator: Any) -> list[str]:
    """Return the names of the columns: those of the frame, or `x0`, `x1` and so on."""
    return [str(name) for name in _check_feature_names_in(estimator)]


def _checked(estimator: Any, X: Any) -> Any:  # noqa: N803
    """Return input that scikit-learn's conventions allow: a frame, a CSR matrix or an array."""
    if not hasattr(X, "columns") or hasattr(X, "tocsr"):
        options: dict[str, Any] = {"accept_sparse": "csr", "dtype": None}
        return check_array(X, ensure_all_finite="allow-nan", estimator=estimator, **options)
    if 0 in X.shape:
        what = "sample" if X.shape[0] == 0 else "feature"
        raise ValueError(
            f"Found array with 0 {what}(s) (shape={tuple(X.shape)}) while a minimum of 1 is "
            f"required by {type(estimator).__name__}."
        )
    return X


class PatternEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that finds patterns in rows, encoded as attributes."""

    _encoder: Encoder
    _matcher: Matcher

    def _members(self, X: Any) -> Any:  # noqa: N803
        """Return which rows have which pattern: a sparse matrix, a column per pattern."""
        check_is_fitted(self)
        checked = _checked(self, X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._matcher.find(self._encoder.rows(checked)).tocsr()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The encoder reads all of these.
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


@dataclass(eq=False)
class Encoder:
    """A scale for every column, fitted to training data, and the attributes that it makes.

    Sparse matrices, truth values, and ones and zeros are taken as crosses. Words become an
    attribute per value. Numbers and dates become `x ≤ v` and `x ≥ v` for the quantiles v of the
    training data.

    Parameters
    ----------
    wanted
        A `Plan` for a frame, or scales of some columns; the others are inferred.
    bins
        The number of quantiles for numbers and dates.
    missing
        How missing values are treated: `"no_cross"` or `"value"`.
    both
        Whether truth values, and ones and zeros, become an attribute per value, `a = 0` and
        `a = 1`. Entries of sparse matrices are crosses in any case.
    """

    wanted: Plan | Mapping[str, Any] | None
    bins: int
    missing: str = "no_cross"
    both: bool = False
    plan: Plan | None = field(init=False, default=None)

    def fit(
        self,
        X: Any,  # noqa: N803
        columns: Sequence[str],
        weights: NDArray[np.float64] | None = None,
    ) -> Context:
        """Learn the scales, and return the training data as a context without weights.

        Parameters
        ----------
        X, columns
            The rows, and the names of the columns.
        weights
            The weight of each row in the quantiles; equal if None.
        """
        self.columns: list[str] = [str(name) for name in columns]
        crosses = hasattr(X, "tocsr") or not self.both
        if self.wanted is None and crosses and (lists := _crosses(X)) is not None:
            context = Context.from_csr(range(1, X.shape[0] + 1), self.columns, *lists)
        else:
            table = self._table(X)
            weighted = self._table(X)
            weighted.weights = None if weights is None else _whole(weights)
            self.plan = self._planned(table).fitted(weighted)
            context = self.plan.apply(table, unseen="missing")
        return context

    def rows(self, X: Any) -> Lists:  # noqa: N803
        """Return the attribute numbers of rows; values that training did not have are missing."""
        if self.plan is None:
            if hasattr(X, "tocsr"):
                return convert.nonzero_rows(X)
            return convert.from_bools(X.shape[0], X.shape[1], np.asarray(X) == 1)
        return self.plan.apply(self._table(X), unseen="missing").rows()

    def _planned(self, table: Columns) -> Plan:
        if isinstance(self.wanted, Plan):
            return self.wanted
        scales: dict[str, Any] = dict(self.wanted or {})
        for name in table.series:
            column = table[name]
            if name in scales or column.kind not in ("boolean", "number", "date"):
                continue
            crosses = column.n_values <= 2 and all(each in (0, 1) for each in column.values)
            if crosses and self.both:
                scales[name] = Nominal()
            elif not crosses and column.n_values > 1:
                scales[name] = Interordinal(quantiles=self.bins)
        plan = infer(table, scales=scales, missing=self.missing, weights=False)
        if plan.objects is not None:
            # A column whose values are all different says nothing about other rows.
            plan[plan.objects] = "drop"
        return plan

    def _table(self, X: Any) -> Columns:  # noqa: N803
        if hasattr(X, "columns"):
            if hasattr(X, "iloc"):
                X = X.reset_index(drop=True)  # noqa: N806
                return Columns.of({str(name): X[name] for name in X.columns})
            return Columns.of(X)
        if hasattr(X, "tocsr"):
            X = X.toarray()  # noqa: N806
        return Columns.of({name: _typed(X[:, j]) for j, name in enumerate(self.columns)})


def _crosses(X: Any) -> Lists | None:  # noqa: N803
    """Return the crosses of a matrix that has no other values; None otherwise."""
    if hasattr(X, "tocsr"):
        return convert.nonzero_rows(X)
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "biuf":
        return None
    if X.dtype.kind != "b" and not np.isin(X, (0, 1)).all():
        return None
    return convert.from_bools(X.shape[0], X.shape[1], X)


def _typed(values: NDArray[Any]) -> Any:
    """Return a column as numbers if it holds numbers, else as words."""
    if values.dtype.kind != "O":
        return values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return [None if each is None or str(each) == "nan" else str(each) for each in values]


def _whole(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as whole numbers: unchanged, or in units of a millionth of the largest."""
    whole = np.rint(weights)
    if not np.array_equal(whole, weights):
        whole = np.rint(weights / weights.max() * 1e6)
    return np.asarray(whole, dtype=np.int64)
