"""From concepts to rules: implications, association rules without redundancy, exploration."""

from conceptrank.rules import bases, measures
from conceptrank.rules.applied import Applied
from conceptrank.rules.derived import Derived, Rule
from conceptrank.rules.exploration import AttributeExploration, ExplorationError
from conceptrank.rules.implications import CounterExample, Implication, Implications
from conceptrank.rules.rule_file import RuleFile, load
from conceptrank.rules.rules import Rules

__all__ = [
    "Applied",
    "AttributeExploration",
    "CounterExample",
    "Derived",
    "ExplorationError",
    "Implication",
    "Implications",
    "Rule",
    "RuleFile",
    "Rules",
    "bases",
    "load",
    "measures",
]
