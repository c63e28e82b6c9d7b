"""`ConstraintGroup`: the options that say which concepts count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast

from conceptrank.cli import _options
from conceptrank.cli._options import Options, option
from conceptrank.context import Context
from conceptrank.query import ConstraintOptions

if TYPE_CHECKING:
    from conceptrank.runs import Packed

_constraint = partial(option, panel="Constraints")


@dataclass
class ConstraintGroup(Options):
    """Which concepts count.

    Parameters
    ----------
    contains
        Attributes that every intent has; repeat, or separate by commas. Double quotes protect
        commas inside a name.
    excludes
        Attributes that no intent has.
    any_of
        Attributes of which every intent has one.
    objects
        Objects that every extent has.
    max_support
        The largest support of a concept: a number of objects or a share of them.
    min_intent
        The least number of attributes.
    max_intent
        The largest number of attributes.
    """

    contains: Annotated[list[str] | None, _constraint("NAME")] = None
    excludes: Annotated[list[str] | None, _constraint("NAME")] = None
    any_of: Annotated[list[str] | None, _constraint("NAME")] = None
    objects: Annotated[list[str] | None, _constraint("NAME")] = None
    max_support: Annotated[float | None, _constraint("N|SHARE", parser=_options.min_support)] = None
    min_intent: Annotated[int, _constraint("N", min=0)] = 0
    max_intent: Annotated[int | None, _constraint("N", min=0)] = None

    def options(
        self, source: Context | Packed | None = None, where: str | None = None
    ) -> ConstraintOptions:
        """Return the constraints that were given, and a condition, as keywords.

        A value that is a name of the source is not split at its commas.
        """
        attributes = () if source is None else source.attributes
        objects = source.objects if isinstance(source, Context) else ()
        given: dict[str, Any] = {
            name: _options.names(getattr(self, name), attributes)
            for name in ("contains", "excludes", "any_of")
        }
        given |= {"objects": _options.names(self.objects, objects), "min_intent": self.min_intent}
        found = {name: value for name, value in given.items() if value}
        limits = {"max_support": self.max_support, "max_intent": self.max_intent, "where": where}
        found |= {name: value for name, value in limits.items() if value is not None}
        return cast("ConstraintOptions", found)
