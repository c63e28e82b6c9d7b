"""What is wanted of a context: measures, order, a condition, constraints and limits.

`rank`, `best`, `lattice`, `rules` and `mine` make one `Query` and pass it on. A condition is a text
such as `"support >= 10 and cr > 0.3"`.
"""

from conceptrank.query.condition_syntax import ConditionError
from conceptrank.query.conditions import Condition, ConditionLike
from conceptrank.query.constraints import ConstraintOptions, Constraints, SearchOptions
from conceptrank.query.query import Query, labelled, measure_list
from conceptrank.query.target import Target

__all__ = [
    "Condition",
    "ConditionError",
    "ConditionLike",
    "ConstraintOptions",
    "Constraints",
    "Query",
    "SearchOptions",
    "Target",
    "labelled",
    "measure_list",
]
