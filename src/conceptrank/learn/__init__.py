"""scikit-learn estimators: patterns as features, classifiers and clusters."""

from conceptrank.errors import ConceptRankError, install_command

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as _error:
    raise ConceptRankError(
        f"conceptrank.learn needs scikit-learn: {install_command('learn')}"
    ) from _error

from conceptrank.learn.classifier import ConceptClassifier, Explanation, LearnedPattern
from conceptrank.learn.clusters import ConceptClusters
from conceptrank.learn.features import ConceptFeatures
from conceptrank.learn.rule_list import ListedRule, RuleListClassifier, RuleListExplanation

__all__ = [
    "ConceptClassifier",
    "ConceptClusters",
    "ConceptFeatures",
    "Explanation",
    "LearnedPattern",
    "ListedRule",
    "RuleListClassifier",
    "RuleListExplanation",
]
