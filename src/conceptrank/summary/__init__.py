"""The short list: methods that pick the concepts which matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from conceptrank.summary import diverse, grecond, peel, slim, tiling
from conceptrank.summary.selection import Choice, Selection

# The methods by name. All take a context and the keywords max_patterns, min_support and budget.
METHODS: Mapping[str, Callable[..., Selection]] = MappingProxyType(
    {
        "peel": peel.select,
        "slim": slim.select,
        "grecond": grecond.select,
        "tiling": tiling.select,
        "diverse": diverse.select,
    }
)

__all__ = ["METHODS", "Choice", "Selection", "diverse", "grecond", "peel", "slim", "tiling"]
