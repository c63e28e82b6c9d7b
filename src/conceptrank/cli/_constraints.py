"""`ConstraintGroup`: the options that say which concepts count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from conceptrank.best.constraints import ConstraintOptions
from conceptrank.cli import _options
from conceptrank.cli._options import Options, option, split_at_commas

_constraint = partial(option, panel="Constraints")


@dataclass
class ConstraintGroup(Options):
    """Which concepts count."""

    contains: Annotated[
        str | None, _constraint("Attributes that every intent has, separated by commas.", "NAME,…")
    ] = None
    excludes: Annotated[str | None, _constraint("Attributes that no intent has.", "NAME,…")] = None
    any_of: Annotated[
        str | None, _constraint("Attributes of which every intent has one.", "NAME,…")
    ] = None
    objects: Annotated[str | None, _constraint("Objects that every extent has.", "NAME,…")] = None
    max_support: Annotated[
        float | None,
        _constraint(
            "The largest support of a concept: a number of objects or a share of them.",
            "N|SHARE",
            parser=_options.min_support,
        ),
    ] = None
    min_intent: Annotated[int, _constraint("The least number of attributes.", "N", min=0)] = 0
    max_intent: Annotated[
        int | None, _constraint("The largest number of attributes.", "N", min=0)
    ] = None

    def options(self, where: str | None = None) -> ConstraintOptions:
        """Return the constraints that were given, and a condition, as keywords."""
        given: ConstraintOptions = {}
        for name in ("contains", "excludes", "any_of", "objects"):
            if names := split_at_commas(getattr(self, name) or ""):
                given[name] = names
        if self.max_support is not None:
            given["max_support"] = self.max_support
        if self.min_intent:
            given["min_intent"] = self.min_intent
        if self.max_intent is not None:
            given["max_intent"] = self.max_intent
        if where is not None:
            given["where"] = where
        return given
