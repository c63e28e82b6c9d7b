"""Typed declarations of scikit-learn's base classes, which have no types of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

if TYPE_CHECKING:

    class BaseEstimator:
        """Parameters by name."""

        n_features_in_: int

        def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001
            """Return the parameters."""

        def set_params(self, **params: Any) -> Self:
            """Set parameters."""

        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        """The accuracy on a table."""

        classes_: NDArray[Any]

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
            """Return the share of rows whose class is predicted."""

    class TransformerMixin:
        """Fit and transform in one step, and the container of the result."""

        def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:  # noqa: N803
            """Fit, and return the features of each row."""

        def set_output(self, *, transform: str | None = None) -> Self:
            """Choose the container: default, pandas or polars."""
else:
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

__all__ = ["BaseEstimator", "ClassifierMixin", "TransformerMixin"]
