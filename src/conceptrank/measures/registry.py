"""`@measure` declares a measure of concepts; `get` and `available` find measures by name.

A measure is one vectorised function of `Concepts`: of a lattice, of what a search found, of one
concept. Everything else that is known about it is in its declaration, next to the function.
Built-in measures and a user's own are declared alike.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.budget import poll
from conceptrank.concepts import Concepts, Subtrees
from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.faces import FaceNeed, Scores, merged

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.concept import Concept
    from conceptrank.context import Context

Params: TypeAlias = Mapping[str, Any]
# A name, or a name and parameters.
MeasureLike: TypeAlias = "str | tuple[str, Params]"
Compute: TypeAlias = Callable[..., Scores]
Interval: TypeAlias = Callable[..., tuple[Scores, Scores]]
Bound: TypeAlias = "Callable[..., Scores | None] | Literal['own']"
# The number of objects of each concept; its Δ; its attributes; its objects, as lists or as sums of
# a number that each object has; columns of face scores; sums over the attributes; its covers; all.
Dependence: TypeAlias = (
    FaceNeed | Literal["support", "delta", "intent", "hits", "columns", "covers", "lattice"]
)
Dependences: TypeAlias = tuple[Dependence, ...]
Function = TypeVar("Function", bound=Callable[..., Any])

# What to give for parameters without a default.
_HINTS = {
    "labels": "a label for each object, as a sequence in the context's order or a mapping by name",
    "weights": "a weight for each element, as a sequence in the context's order or by name",
    "delta": "a tolerance between 0 and 1",
}
_BUILT_IN = __name__.rpartition(".")[0] + "."


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of concepts, as `@measure` declares it.

    Parameters
    ----------
    name
        Its name.
    summary
        One line that describes it.
    compute
        The vectorised function: takes concepts, and parameters as keywords; returns one number
        for each concept.
    aliases
        Its other names.
    side
        The side of the concept that it depends on: `"intent"`, `"extent"` or `"both"`. If there
        is a parameter `side`, the side of its default.
    direction
        Whether `"higher"` or `"lower"` scores are more interesting.
    range
        The values that it can take.
    depends
        What it depends on in addition to the table, as a tuple or as a function that takes the
        parameters and returns one: columns of face scores (`FaceNeed`), the `"support"`, the
        `"delta"`, the attributes of the `"intent"`, the objects of the extent (`"hits"`), sums over
        the attributes (`"columns"`), the `"covers"` or the whole `"lattice"`. Face scores and sums
        that are declared are computed in one pass with mining, and the search for the best needs
        no concepts for measures of the support or of Δ alone.
    frequent
        Whether the scores of concepts above a minimum support stay the same without the attributes
        below it. Where a parameter `side` can be `"extent"`: for `"intent"`.
    finer
        The measure that orders concepts like this one without parameters and separates concepts
        whose scores are nearly equal; empty if there is none. Rankings use it.
    interval_ends
        Takes concepts and parameters like `compute`, returns the ends of intervals that contain
        the true scores. If None, exact scores have intervals without width, others infinite ones.
    bound
        Takes nodes of a search tree (`Subtrees`) and parameters like `compute`,
        returns the best score that a concept at or below each node can have, or None if there is
        no bound for these parameters. `"own"` if the score never gets better when the intent grows,
        so that the node's own score is the bound. `Context.best` leaves out subtrees by it; a bound
        that is too small makes it miss concepts.
    bound_by
        The numbers of a node that decide its bound, which never falls when one of them grows: the
        largest support, the largest Δ, and the largest sum of one number that each object has. The
        search then leaves out concepts before it computes their attributes.
    complexity
        Cost for one concept with n objects, q attributes and k faces.
    reference
        The publication that it comes from.
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
    depends: Dependences | Callable[..., Dependences] = ()
    frequent: bool = False
    finer: MeasureLike = ""
    interval_ends: Interval | None = None
    bound: Bound | None = None
    bound_by: tuple[Literal["support", "delta", "hits"], ...] = ()
    complexity: str = ""
    reference: str = ""
    builtin: bool = True

    @property
    def params(self) -> dict[str, Any]:
        """The parameters and their defaults; those without one are required.

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
                takes = ", ".join(bound) or "none"
                raise MeasureError(f"{self.name} has no parameter {name!r}; it takes {takes}")
            bound[name] = value
        for name, value in bound.items():
            if value is inspect.Parameter.empty:
                hint = f": {_HINTS[name]}" if name in _HINTS else ""
                raise MeasureError(f"{self.name} needs the argument {name}=…{hint}")
        return bound

    def check(self, context: Context, params: Params) -> None:
        """Raise an error if the measure can't be computed with these parameters."""
        bound = self.bind(params)
        if not {"labels", "weights"}.isdisjoint(bound):
            # No concepts: the labels and weights are read, and nothing is computed.
            self.score(Concepts(context, _lists.joined([])), params)

    def dependences(self, params: Params) -> Dependences:
        """Return what the measure depends on, with these parameters.

        Examples
        --------
        >>> get("bond").dependences({}), get("intent_size").dependences({})
        (('support', 'columns'), ())
        """
        return self._dependences(self.bind(params))

    def _dependences(self, bound: Params) -> Dependences:
        return self.depends(**bound) if callable(self.depends) else self.depends

    def face_needs(self, params: Params) -> list[FaceNeed]:
        """Return the columns of face scores that the measure needs, with these parameters."""
        return [need for need in self.dependences(params) if isinstance(need, FaceNeed)]

    def needs_every_attribute(self, params: Params) -> bool:
        """Whether scores depend on attributes with less support than the concepts.

        Examples
        --------
        >>> [get("cr").needs_every_attribute({"side": side}) for side in ("intent", "extent")]
        [False, True]
        """
        found = self.dependences(params)
        extents = any(isinstance(need, FaceNeed) and need.side == "extent" for need in found)
        return extents or not self.frequent or not {"delta", "covers", "lattice"}.isdisjoint(found)

    @property
    def needs(self) -> str:
        """What the measure needs with default parameters, in words, or the data that users give.

        Examples
        --------
        >>> [get(name).needs for name in ("bond", "stability", "wracc", "robustness_order")]
        ['context', 'extent faces', 'labels', 'lattice']
        """
        found = self._dependences(self.params)
        sides = {need.side for need in found if isinstance(need, FaceNeed)}
        for data in ("labels", "weights"):
            if self.params.get(data) is inspect.Parameter.empty:
                return data
        for other in ("lattice", "covers"):
            if other in found:
                return other
        if not sides:
            return "context"
        return "faces" if "side" in self.params else f"{sides.pop()} faces"

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
        exact = np.ones(len(concepts), dtype=np.bool_)
        for need in self.face_needs(params):
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
        if self.interval_ends is not None:
            return self.interval_ends(concepts, **self.bind(params))
        scores, exact = self.score(concepts, params), self.exact(concepts, params)
        return np.where(exact, scores, -np.inf), np.where(exact, scores, np.inf)

    def limit(self, subtrees: Subtrees, params: Params) -> Scores:
        """Return the best score that a concept at or below each node of a search tree can have.

        Infinite (-∞ if lower scores are better) if the measure has no bound.
        """
        if self.bound == "own":
            return self.score(subtrees, params)
        found = None if self.bound is None else self.bound(subtrees, **self.bind(params))
        if found is None:
            return np.full(len(subtrees), np.inf if self.direction == "higher" else -np.inf)
        return np.asarray(found, dtype=np.float64)


def measure(
    name: str | None = None,
    *,
    vectorised: bool | None = None,
    summary: str | None = None,
    **declared: Any,
) -> Callable[[Function], Function]:
    """Declare that a function is a measure.

    Parameters
    ----------
    name
        The name to score and rank by; that of the function if None.
    vectorised
        False: the function takes a `Concept` and returns a number. True: it takes a `Lattice`, or
        a batch with the same arrays (`supports`, `intent_sizes`, `intents`, `deltas`,
        `face_scores`), and returns an array with one number for each concept. None: False, but True
        for the functions of conceptrank itself.
    summary
        One line that describes it; the function's first line of documentation if None, from what it
        returns.
    **declared
        As for `Measure`.

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

    def declare(function: Function) -> Function:
        own: str = name or function.__name__
        module = getattr(function, "__module__", "")
        builtin = module.startswith(_BUILT_IN) and module != __name__
        first = (inspect.getdoc(function) or "").partition("\n")[0]
        first = re.sub(r"^Return (the |an? )?|[.`]+$|`", "", first)
        whole = builtin if vectorised is None else vectorised
        register(
            Measure(
                name=own,
                summary=first if summary is None else summary,
                compute=function if whole else _for_each(own, function),
                builtin=builtin,
                **declared,
            )
        )
        return function

    return declare


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


@cache
def _keywords(compute: Compute) -> tuple[tuple[str, Any], ...]:
    """Return the keyword parameters of a function and their defaults. Inspection is slow."""
    parameters = inspect.signature(compute).parameters.items()
    return tuple(
        (name, parameter.default)
        for name, parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
    )


_MEASURES: dict[str, Measure] = {}
_NAMES: dict[str, str] = {}


def register(measure: Measure) -> Measure:
    """Add a measure, and return it. A user's measure replaces the user's last one of that name.

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
        If no measure has this name; the message lists similar names.

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
    """Return the face scores that some measures need, in as few passes as possible.

    Examples
    --------
    >>> (need,) = face_needs(["stability", "log_stability", "support"])
    >>> need.side, need.columns, need.keep
    ('extent', ('miss', 'log2_miss'), 0.5)
    """
    needs = (get(name).face_needs(params) for name, params in map(split, measures))
    return merged(need for some in needs for need in some)


def needs_columns(measures: Sequence[MeasureLike]) -> bool:
    """Return whether one of the measures needs sums over the attributes.

    Examples
    --------
    >>> needs_columns(["support", ("cr", {"side": "extent"})])
    False
    """
    return any("columns" in get(name).dependences(params) for name, params in map(split, measures))


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
