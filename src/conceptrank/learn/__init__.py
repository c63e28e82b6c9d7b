"""scikit-learn estimators: patterns as features, and a classifier made of them."""

from conceptrank.errors import ConceptRankError, install_command

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as _error:
    raise ConceptRankError(
        f"conceptrank.learn needs scikit-learn: {install_command('learn')}"
    ) from _error

from conceptrank.learn.classifier import ConceptClassifier, Explanation, LearnedPattern
from conceptrank.learn.features import ConceptFeatures

__all__ = [
    "ConceptClassifier",
    "ConceptFeatures",
    "Explanation",
    "LearnedPattern",
]
