"""A user's own measures, which rank, plot and export like the built-in ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from conceptrank.budget import poll
from conceptrank.errors import MeasureError
from conceptrank.faces import Concepts, Scores
from conceptrank.measures.registry import Compute, Measure, register

if TYPE_CHECKING:
    from conceptrank.concept import Concept

Function = TypeVar("Function", bound=Callable[..., Any])


def measure(
    name: str,
    *,
    vectorised: bool = False,
    aliases: tuple[str, ...] = (),
    summary: str | None = None,
    side: Literal["intent", "extent", "both"] = "both",
    direction: Literal["higher", "lower"] = "higher",
    range: str = "(-∞, ∞)",  # noqa: A002
    reference: str = "",
) -> Callable[[Function], Function]:
    """Make a function a measure.

    Parameters
    ----------
    name
        The name to score and rank by.
    vectorised
        False: the function takes a `Concept` and returns a number. True: it takes a `Lattice`, or
        the like of one concept with the same arrays (`supports`, `intent_sizes`, `intents`,
        `deltas`, `face_scores`), and returns an array with one number for each concept.
    aliases, summary, side, direction, range, reference
        What `measures.available()` shows; the summary is the function's first line of
        documentation if None.

    Notes
    -----
    Keyword-only arguments of the function are parameters of the measure.

    Examples
    --------
    >>> import conceptrank as cr
    >>> @cr.measure("redundancy")
    ... def redundancy(concept):
    ...     return len(concept.intent) - len(concept.relevant_attributes)
    >>> cr.datasets.load("movies").lattice().score("redundancy").max()
    np.float64(7.0)

    >>> @cr.measure("large_tile", vectorised=True)
    ... def large_tile(lattice, *, least=4):
    ...     return lattice.supports * lattice.intent_sizes >= least
    >>> cr.datasets.load("movies").concept("criminal").score("large_tile", least=9)
    0.0
    """

    def decorate(function: Function) -> Function:
        documentation = (inspect.getdoc(function) or "").partition("\n")[0]
        register(
            Measure(
                name=name,
                aliases=aliases,
                summary=documentation if summary is None else summary,
                compute=function if vectorised else _for_each(name, function),
                side=side,
                direction=direction,
                range=range,
                needs="lattice" if vectorised else "concept",
                reference=reference,
                builtin=False,
            )
        )
        return function

    return decorate


def _for_each(name: str, function: Callable[..., Any]) -> Compute:
    """Return the function of a batch that calls this one for every concept."""

    def compute(concepts: Concepts, **params: object) -> Scores:
        scores = np.zeros(len(concepts))
        for place, concept in enumerate(concepts):
            scores[place] = _number(name, function, concept, params)
            poll(place + 1, (place + 1) / len(concepts))
        return scores

    signature = inspect.signature(function)
    keywords = [p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    batch = inspect.Parameter("concepts", inspect.Parameter.POSITIONAL_ONLY)
    compute.__signature__ = signature.replace(parameters=[batch, *keywords])  # type: ignore[attr-defined]
    return compute


def _number(
    name: str, function: Callable[..., Any], concept: Concept, params: dict[str, object]
) -> float:
    try:
        value = function(concept, **params)
    except Exception as error:
        error.add_note(f"in the measure {name!r}, for {concept!r}")
        raise
    if not isinstance(value, Real | np.bool_):
        raise MeasureError(
            f"{name} gave {value!r} for {concept!r}: a number is wanted, not {type(value).__name__}"
        )
    return float(value)
