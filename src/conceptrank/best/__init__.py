"""The best concepts without listing all: `Context.best`, its constraints and its certificate."""

from conceptrank.best.constraints import Constraints
from conceptrank.best.result import Best
from conceptrank.best.search import best

__all__ = ["Best", "Constraints", "best"]
