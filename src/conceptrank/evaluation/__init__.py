"""How far a finding can be trusted: splits, noise, the bootstrap, and random contexts."""

from conceptrank.evaluation import multiplicity, nulls
from conceptrank.evaluation.bootstrap import BootstrapResult, bootstrap
from conceptrank.evaluation.multiplicity import benjamini_hochberg, benjamini_yekutieli
from conceptrank.evaluation.neighbours import Discrimination, neighbour_discrimination
from conceptrank.evaluation.noise import NoiseRecovery, disturbed, noise_recovery
from conceptrank.evaluation.significance import SignificanceResult, significance
from conceptrank.evaluation.splits import SplitAgreement, split_agreement

__all__ = [
    "BootstrapResult",
    "Discrimination",
    "NoiseRecovery",
    "SignificanceResult",
    "SplitAgreement",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bootstrap",
    "disturbed",
    "multiplicity",
    "neighbour_discrimination",
    "noise_recovery",
    "nulls",
    "significance",
    "split_agreement",
]
