"""How far a finding can be trusted: significance of concepts against random contexts."""

from conceptrank.evaluation import multiplicity, nulls
from conceptrank.evaluation.multiplicity import benjamini_hochberg, benjamini_yekutieli
from conceptrank.evaluation.significance import SignificanceResult, significance

__all__ = [
    "SignificanceResult",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "multiplicity",
    "nulls",
    "significance",
]
