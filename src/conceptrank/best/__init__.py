"""The best concepts without listing all: `Context.best` and its certificate; significant ones."""

from conceptrank.best.result import Best
from conceptrank.best.search import best, best_improving

__all__ = ["Best", "best", "best_improving"]
