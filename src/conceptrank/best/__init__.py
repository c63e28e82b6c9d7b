"""The best concepts without listing all: `Context.best` and its certificate; significant ones."""

from conceptrank.best.result import Best
from conceptrank.best.search import best

__all__ = ["Best", "best"]
