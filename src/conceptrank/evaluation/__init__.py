"""Experiments on measures: splits, noise, the bootstrap, planted patterns and random contexts.

`reproduce` runs the evaluation of the paper on Conceptual Relevance, `evaluate` runs it on any
table. Both return an `Evaluation`, which writes a report.
"""

from conceptrank.evaluation import multiplicity, nulls
from conceptrank.evaluation.bootstrap import bootstrap
from conceptrank.evaluation.experiment import Experiment
from conceptrank.evaluation.multiplicity import benjamini_hochberg, benjamini_yekutieli
from conceptrank.evaluation.neighbours import neighbour_discrimination
from conceptrank.evaluation.noise import disturbed, noise_recovery
from conceptrank.evaluation.planted_recovery import planted_recovery
from conceptrank.evaluation.reproduction import Evaluation, evaluate, reproduce
from conceptrank.evaluation.significance import SignificanceResult, significance
from conceptrank.evaluation.splits import split_agreement
from conceptrank.evaluation.study import Settings, Study, study
from conceptrank.evaluation.timing import ConceptTimes, time_per_concept

__all__ = [
    "ConceptTimes",
    "Evaluation",
    "Experiment",
    "Settings",
    "SignificanceResult",
    "Study",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bootstrap",
    "disturbed",
    "evaluate",
    "multiplicity",
    "neighbour_discrimination",
    "noise_recovery",
    "nulls",
    "planted_recovery",
    "reproduce",
    "significance",
    "split_agreement",
    "study",
    "time_per_concept",
]
