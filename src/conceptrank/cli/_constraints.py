"""`ConstraintGroup`: the options that say which concepts count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from conceptrank.best.constraints import ConstraintOptions
from conceptrank.cli import _options
from conceptrank.cli._options import Options, split_at_commas


def _names(help_text: str) -> object:
    return typer.Option(
        metavar="NAME,…", help=help_text, show_default=False, rich_help_panel="Constraints"
    )


@dataclass
class ConstraintGroup(Options):
    """Which concepts count."""

    contains: Annotated[
        str | None, _names("Attributes that every intent has, separated by commas.")
    ] = None
    excludes: Annotated[str | None, _names("Attributes that no intent has.")] = None
    any_of: Annotated[str | None, _names("Attributes of which every intent has one.")] = None
    objects: Annotated[str | None, _names("Objects that every extent has.")] = None
    max_support: Annotated[
        float | None,
        typer.Option(
            metavar="N|SHARE",
            help="The largest support of a concept: a number of objects or a share of them.",
            parser=_options.min_support,
            show_default=False,
            rich_help_panel="Constraints",
        ),
    ] = None
    min_intent: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="The least number of attributes.",
            rich_help_panel="Constraints",
        ),
    ] = 0
    max_intent: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="The largest number of attributes.",
            show_default=False,
            rich_help_panel="Constraints",
        ),
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
