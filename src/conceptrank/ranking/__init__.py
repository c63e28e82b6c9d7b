"""Rankings: concepts in the order of a measure, and what can be said about that order.

`Lattice.rank` makes one. `Ranking.agreement` compares its measures, `Ranking.diverse` picks rows
that overlap little, and conditions such as `"support >= 10 and cr > 0.3"` choose its concepts.
"""

from conceptrank.ranking.agreement import Agreement
from conceptrank.ranking.building import rank
from conceptrank.ranking.condition_syntax import ConditionError
from conceptrank.ranking.conditions import Condition
from conceptrank.ranking.diversity import Selection
from conceptrank.ranking.order import Ties
from conceptrank.ranking.ranking import RankedConcept, Ranking
from conceptrank.ranking.recipe import Recipe

__all__ = [
    "Agreement",
    "Condition",
    "ConditionError",
    "RankedConcept",
    "Ranking",
    "Recipe",
    "Selection",
    "Ties",
    "rank",
]
