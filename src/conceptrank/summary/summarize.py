"""`summarize`: the short list of a context, by any of the methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from conceptrank import _core
from conceptrank._util.lists import joined
from conceptrank.budget import Budget
from conceptrank.context import Context
from conceptrank.errors import UnknownNameError
from conceptrank.lattice import Lattice
from conceptrank.query import ConstraintOptions
from conceptrank.summary import diverse, grecond, peel, slim, tiling
from conceptrank.summary.model import Margins, ReaderModel
from conceptrank.summary.selection import Choice, Selection
from conceptrank.summary.summary import Summary
from conceptrank.summary.units import Units

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

CONSTRAINTS = tuple(ConstraintOptions.__annotations__)


def summarize(
    context: Context,
    max_patterns: int | None = None,
    *,
    method: str = "peel",
    min_support: float | None = None,
    margins: Margins = "both",
    lattice: Lattice | None = None,
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
    if lattice is not None and method not in ("slim", "grecond"):
        options["lattice"] = lattice
    if method == "peel":
        options["margins"] = margins
    if min_support is not None:
        options["min_support"] = min_support
    constraints = {name: options.pop(name) for name in CONSTRAINTS if name in options}
    if constraints:
        if method not in ("peel", "tiling", "diverse"):
            raise ValueError(f"{method} takes no constraints; peel, tiling and diverse do")
        if lattice is not None:
            raise ValueError("give the constraints to context.lattice(...)")
        options["constraints"] = constraints
    # The methods compare single objects.
    single = context.repeated()
    selection = METHODS[method](single, max_patterns=max_patterns, budget=budget, **options)
    choices = selection.choices
    if method != "peel":
        choices = _with_expectations(single, choices, margins)
    return Summary(context, selection, choices, method=method)


def _with_expectations(
    context: Context, choices: tuple[Choice, ...], margins: Margins
) -> tuple[Choice, ...]:
    """Return choices with their expected supports for a reader who knows the earlier choices."""
    intents = [np.array(choice.intent, dtype=np.uint32) for choice in choices]
    every = [*intents, *(np.array([m], dtype=np.uint32) for m in range(context.shape[1]))]
    units = Units(context, joined(every))
    model = ReaderModel(units.incidence, free=units.free, weights=units.weights, margins=margins)
    none = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint32))
    core = _core.Surprise(
        context.core, none, none, np.zeros(0), np.zeros(0), units.free.astype(np.uint8)
    )
    descriptions = peel.description_lengths(len(units), int(np.diff(units.offsets).max(initial=1)))
    told = []
    for place, choice in enumerate(choices):
        known = units.of(place)
        expected = model.expected(known.tolist())
        peel.set_background(core, model)
        ratio = core.evidence(intents[place], known).ratio
        having = units.incidence[:, known].all(axis=1).any()
        tile = model.tile(known, also=units.given(known)) if having else None
        if tile is not None:
            model.teach(tile)
        told.append(
            replace(
                choice,
                expected=expected,
                p_value=peel.corrected_p_value(ratio, float(descriptions[len(known)])),
                carriers=0 if tile is None else int(units.weights[tile.members].sum()),
            )
        )
    return tuple(told)
