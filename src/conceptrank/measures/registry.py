"""The one registry of measures: what a measure is, and how it is found by its name.

A measure is one vectorised function of some concepts (`conceptrank.faces.Concepts`): a lattice,
or the batch of one concept. Built-in measures and a user's own are entries of the same kind.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.faces import Concepts, FaceNeed, Scores, Subtrees, merged

if TYPE_CHECKING:
    import polars as pl

Params: TypeAlias = Mapping[str, Any]
# A name, or a name and parameters.
MeasureLike: TypeAlias = "str | tuple[str, Params]"
Compute: TypeAlias = Callable[..., Scores]
Bound: TypeAlias = "Callable[..., Scores | None]"


# What to give for arguments that have no default.
_HINTS = {
    "labels": "a label for each object, as a sequence in the context's order or a mapping by name",
    "weights": "a weight for each element, as a sequence in the context's order or by name",
    "delta": "a tolerance between 0 and 1",
    "alpha": "a tolerance between 0 and 1",
}


def no_faces(**_: object) -> tuple[FaceNeed, ...]:
    """Return what a measure needs that gets along without faces."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of concepts.

    Parameters
    ----------
    name
        Its identifier.
    summary
        One line for people.
    compute
        The vectorised function: takes concepts, and parameters as keywords; returns one number
        for each concept.
    aliases
        Other names of it.
    side
        The side of the concept that it looks at: `"intent"`, `"extent"` or `"both"`; the default
        if there is a parameter `side`.
    direction
        Whether `"higher"` or `"lower"` scores are more interesting.
    range
        The values that it can take.
    needs
        Its input: `"context"`, `"intent faces"`, `"extent faces"`, `"faces"`, `"covers"`,
        `"lattice"`, `"labels"`, `"weights"`.
    faces
        Takes the parameters, returns what is needed of the faces.
    columns
        Whether it needs sums over the attributes (`Concepts.column_sums`).
    estimate
        Whether it is an estimate by its nature. What isn't can still fail to be exact for single
        concepts, where a budget ends the count; `Lattice.exact` says where.
    finer
        The measure, by name, that orders concepts as this one does without parameters, and tells
        concepts apart whose scores are nearly equal; empty if there is none. Rankings use it.
    bounds
        Takes concepts and parameters like `compute`, returns the ends of intervals that contain
        the true scores. If None, exact scores have intervals without width, others infinite ones.
    bound
        Takes nodes of a search tree (`conceptrank.faces.Subtrees`) and the parameters of
        `compute`, returns the best score that a concept at or below each node can have, or None
        if these parameters have no bound. `Context.best` leaves out subtrees by it.
    complexity
        Cost for one concept with n objects, q attributes and k faces.
    reference
        Where it comes from.
    builtin
        Whether it belongs to conceptrank.
    """

    name: str
    summary: str
    compute: Compute
    aliases: tuple[str, ...] = ()
    side: Literal["intent", "extent", "both"] = "both"
    direction: Literal["higher", "lower"] = "higher"
    range: str = "(-∞, ∞)"
    needs: str = "context"
    faces: Callable[..., tuple[FaceNeed, ...]] = no_faces
    columns: bool = False
    estimate: bool = False
    finer: str = ""
    bounds: Callable[..., tuple[Scores, Scores]] | None = None
    bound: Bound | None = None
    complexity: str = ""
    reference: str = ""
    builtin: bool = True

    @property
    def params(self) -> dict[str, Any]:
        """The parameters and their defaults; those without one have to be given.

        Examples
        --------
        >>> get("delta_measure").params
        {'side': 'extent', 'bottom': 'extent'}
        """
        return dict(_keywords(self.compute))

    def bind(self, params: Params) -> dict[str, Any]:
        """Return these parameters, completed by the defaults.

        Raises
        ------
        MeasureError
            If there is no such parameter, or one without a default is missing.

        Examples
        --------
        >>> get("cr_alpha").bind({"sides": "extent"})
        Traceback (most recent call last):
        conceptrank.errors.MeasureError: cr_alpha has no parameter 'sides'; it takes side
        """
        bound = self.params
        for name, value in params.items():
            if name not in bound:
                known = f"it takes {', '.join(bound)}" if bound else "it takes none"
                raise MeasureError(f"{self.name} has no parameter {name!r}; {known}")
            bound[name] = value
        for name, value in bound.items():
            if value is inspect.Parameter.empty:
                hint = f": {_HINTS[name]}" if name in _HINTS else ""
                raise MeasureError(f"{self.name} needs the argument {name}=…{hint}")
        return bound

    def score(self, concepts: Concepts, params: Params) -> Scores:
        """Return the scores of some concepts.

        Examples
        --------
        >>> import conceptrank as cr
        >>> get("frequency").score(cr.datasets.load("movies").lattice(min_support=8), {})
        array([1.        , 0.72727273, 0.72727273])
        """
        scores = np.asarray(self.compute(concepts, **self.bind(params)))
        if scores.dtype.kind not in "biuf" or scores.shape != (len(concepts),):
            raise MeasureError(
                f"{self.name} gave {_described(scores)} for {len(concepts):,} concepts: "
                "one number for each is wanted"
            )
        return scores.astype(np.float64, copy=False)

    def exact(self, concepts: Concepts, params: Params) -> NDArray[np.bool_]:
        """Return which scores are exact.

        Examples
        --------
        >>> import conceptrank as cr
        >>> get("cr").exact(cr.datasets.load("movies").lattice(min_support=8), {})
        array([ True,  True,  True])
        """
        exact = np.full(len(concepts), not self.estimate)
        for need in self.faces(**self.bind(params)):
            columns = need.exactness.columns
            for column in concepts.face_scores(
                need.side, *columns, keep=need.keep, sampling=need.sampling
            ):
                exact &= column
        return exact

    def interval(self, concepts: Concepts, params: Params) -> tuple[Scores, Scores]:
        """Return the ends of intervals that contain the true scores of some concepts.

        The interval of an exact score has no width. It is infinite where a score is not exact and
        nothing better is known.

        Examples
        --------
        >>> import conceptrank as cr
        >>> get("support").interval(cr.datasets.load("movies").lattice(min_support=8), {})
        (array([11.,  8.,  8.]), array([11.,  8.,  8.]))
        """
        if self.bounds is not None:
            return self.bounds(concepts, **self.bind(params))
        scores, exact = self.score(concepts, params), self.exact(concepts, params)
        return np.where(exact, scores, -np.inf), np.where(exact, scores, np.inf)

    def limit(self, subtrees: Subtrees, params: Params) -> Scores:
        """Return the best score that a concept at or below each node of a search tree can have.

        Infinite (-∞ if lower scores are better) if the measure has no bound.
        """
        found = None if self.bound is None else self.bound(subtrees, **self.bind(params))
        if found is None:
            return np.full(len(subtrees), np.inf if self.direction == "higher" else -np.inf)
        return np.asarray(found, dtype=np.float64)


@cache
def _keywords(compute: Compute) -> tuple[tuple[str, Any], ...]:
    """Return the keyword parameters of a function and their defaults; looking is slow."""
    parameters = inspect.signature(compute).parameters.items()
    return tuple(
        (name, parameter.default)
        for name, parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
    )


_MEASURES: dict[str, Measure] = {}
_NAMES: dict[str, str] = {}


def register(measure: Measure) -> Measure:
    """Add a measure, and return it. A user's own one replaces the user's last of that name.

    Examples
    --------
    >>> register(get("support"))
    Traceback (most recent call last):
    conceptrank.errors.MeasureError: there is a built-in measure 'support' already
    """
    for name in (measure.name, *measure.aliases):
        known = _MEASURES.get(_NAMES.get(name, ""))
        if known is not None and (known.builtin or known.name != measure.name):
            kind = "built-in measure" if known.builtin else "measure"
            raise MeasureError(f"there is a {kind} {name!r} already")
    if measure.name in _MEASURES:
        for alias in _MEASURES[measure.name].aliases:
            _NAMES.pop(alias, None)
    _MEASURES[measure.name] = measure
    _NAMES.update(dict.fromkeys((measure.name, *measure.aliases), measure.name))
    return measure


def get(name: str) -> Measure:
    """Return the measure of this name or alias.

    Raises
    ------
    UnknownNameError
        If there is none; the message has the nearest names.

    Examples
    --------
    >>> get("cr").name
    'conceptual_relevance'
    >>> get("suport")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown measure 'suport'; did you mean 'support' or ...
    """
    if not isinstance(name, str) or name not in _NAMES:
        raise UnknownNameError("measure", name, _NAMES)
    return _MEASURES[_NAMES[name]]


def split(measure: MeasureLike) -> tuple[str, Params]:
    """Return the name and the parameters of a measure that is written either way.

    Examples
    --------
    >>> split("cr"), split(("cr", {"side": "extent"}))
    (('cr', {}), ('cr', {'side': 'extent'}))
    """
    return (measure, {}) if isinstance(measure, str) else (measure[0], measure[1])


def face_needs(measures: Sequence[MeasureLike]) -> list[FaceNeed]:
    """Return what some measures together need of the faces, in as few passes as possible.

    Examples
    --------
    >>> (need,) = face_needs(["stability", "log_stability", "support"])
    >>> need.side, need.columns, need.keep
    ('extent', ('miss', 'log2_miss'), 0.5)
    """
    needs: list[FaceNeed] = []
    for name, params in map(split, measures):
        measure = get(name)
        needs += measure.faces(**measure.bind(params))
    return merged(needs)


def needs_columns(measures: Sequence[MeasureLike]) -> bool:
    """Return whether one of the measures needs sums over the attributes.

    Examples
    --------
    >>> needs_columns(["support", ("cr", {"side": "extent"})])
    False
    """
    return any(get(split(measure)[0]).columns for measure in measures)


def available() -> pl.DataFrame:
    """Return a table of all measures.

    Examples
    --------
    >>> available().filter(name="delta_measure").select("side", "direction", "needs").row(0)
    ('extent', 'higher', 'context')
    """
    import polars as pl

    return pl.DataFrame(
        {
            "name": measure.name,
            "aliases": ", ".join(measure.aliases),
            "side": measure.side,
            "direction": measure.direction,
            "range": measure.range,
            "needs": measure.needs,
            "exact": "estimate" if measure.estimate else "exact",
            "bounded": measure.bound is not None,
            "complexity": measure.complexity,
            "params": ", ".join(f"{key}={_shown(value)}" for key, value in measure.params.items()),
            "summary": measure.summary,
            "reference": measure.reference,
        }
        for measure in _MEASURES.values()
    )


def _shown(value: object) -> str:
    return "…" if value is inspect.Parameter.empty else repr(value)


def _described(values: NDArray[Any]) -> str:
    if values.ndim == 0:
        return f"{values.item()!r}"
    return f"an array of shape {values.shape} and type {values.dtype}"
