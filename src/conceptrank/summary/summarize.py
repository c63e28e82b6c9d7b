"""`summarize`: the short list of a context, by any of the methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import lgamma, log
from types import MappingProxyType
from typing import Any

from conceptrank.budget import Budget
from conceptrank.context import Context
from conceptrank.errors import UnknownNameError
from conceptrank.query import ConstraintOptions
from conceptrank.summary import diverse, grecond, short_list, slim
from conceptrank.summary.selection import Choice, Selection
from conceptrank.summary.short_list import Margins, p_value
from conceptrank.summary.summary import Summary
from conceptrank.summary.units import Units

# The methods by name. All take a context and the keywords max_patterns, min_support and budget.
METHODS: Mapping[str, Callable[..., Selection]] = MappingProxyType(
    {
        "surprise": short_list.select,
        "slim": slim.select,
        "grecond": grecond.select,
        "diverse": diverse.select,
    }
)

CONSTRAINTS = tuple(ConstraintOptions.__annotations__)


def summarize(
    context: Context,
    max_patterns: int | None = None,
    *,
    method: str = "surprise",
    min_support: float | None = None,
    margins: Margins = "both",
    budget: Budget | None = None,
    **options: Any,
) -> Summary:
    """Return the patterns that explain a context; see `Context.summarize`."""
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    if max_patterns is not None and max_patterns < 0:
        raise ValueError(f"max_patterns must not be negative, got {max_patterns}")
    if margins not in ("both", "columns"):
        raise UnknownNameError("margins", margins, ("both", "columns"))
    if method == "surprise":
        options["margins"] = margins
    if min_support is not None:
        options["min_support"] = min_support
    constraints = {name: options.pop(name) for name in CONSTRAINTS if name in options}
    if constraints:
        if method not in ("surprise", "diverse"):
            raise ValueError(f"{method} takes no constraints; surprise and diverse do")
        options["constraints"] = constraints
    # The methods compare single objects.
    single = context.repeated()
    selection = METHODS[method](single, max_patterns=max_patterns, budget=budget, **options)
    choices = selection.choices
    if method != "surprise":
        choices = _with_expectations(single, choices, margins)
    return Summary(context, selection, choices, method=method)


def _with_expectations(
    context: Context, choices: tuple[Choice, ...], margins: Margins
) -> tuple[Choice, ...]:
    """Return choices with their expected supports for a reader who knows the earlier choices."""
    units = Units(context)
    reader = units.reader(richness=margins == "both")
    told = []
    for choice in choices:
        known = units.of(choice.intent)
        if known is None or not len(known):
            n = context.concept(*(context.attributes[m] for m in choice.intent)).support
            told.append(replace(choice, expected=float(n), deviation=0.0, p_value=1.0, carriers=n))
            continue
        support = reader.support(known)
        pattern = reader.explain(known)
        told.append(
            replace(
                choice,
                expected=support.expected,
                deviation=support.variance**0.5,
                p_value=p_value(
                    support.found,
                    support.expected,
                    support.variance,
                    _description(len(units), len(known)),
                ),
                carriers=int(units.weights[pattern.rows].sum()),
            )
        )
        if len(pattern.rows):
            reader.tell(pattern)
    return tuple(told)


def _description(n_units: int, size: int) -> float:
    """Return the logarithm of C(q, k) · k(k + 1), the number of sets that count as tested."""
    chosen = lgamma(n_units + 1) - lgamma(size + 1) - lgamma(n_units - size + 1)
    return chosen + log(size * (size + 1))
