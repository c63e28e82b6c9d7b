"""`pl`: polars, which is imported when it is first used.

Importing polars takes longer than importing conceptrank, and many calls don't need it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["pl"]


class _LazyModule:
    """A module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import polars as pl
else:
    pl = _LazyModule("polars")
