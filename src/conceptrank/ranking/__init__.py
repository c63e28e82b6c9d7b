"""Rankings: concepts in the order of a measure, and what can be said about that order.

`Lattice.rank` makes one. `Ranking.agreement` compares its measures, `Ranking.diverse` picks rows
that overlap little.
"""

from conceptrank.ranking.agreement import Agreement
from conceptrank.ranking.building import mine_and_rank, rank
from conceptrank.ranking.diversity import Selection
from conceptrank.ranking.order import Ties
from conceptrank.ranking.ranking import RankedConcept, Ranking
from conceptrank.ranking.recipe import Recipe

__all__ = [
    "Agreement",
    "RankedConcept",
    "Ranking",
    "Recipe",
    "Selection",
    "Ties",
    "mine_and_rank",
    "rank",
]
