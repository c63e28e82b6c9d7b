r"""Faces: the only interface to the core's functions on the two hypergraphs of a concept.

The intent faces of a concept (A, B) are the inclusion-minimal sets B \ g' over the objects g
outside A, its extent faces the inclusion-minimal sets A \ m' over the attributes m outside B.
Covers, generators and relevant attributes are read off the faces themselves. Measures take
numbers that the core computes from the faces of many concepts at once: the columns of
`_core.face_score_fields()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.lists import Lists, Numbers
from conceptrank.budget import Watch, current_watch
from conceptrank.errors import BudgetExceeded, MeasureError, checked_choice

if TYPE_CHECKING:
    from conceptrank.context import Context

Side: TypeAlias = Literal["intent", "extent"]
Direction: TypeAlias = Literal["upper", "lower"]
Scores: TypeAlias = NDArray[np.float64]

# The option of the core that computes a column. Other columns are always computed.
_OPTION_OF = {
    "generators": "generators",
    "generators_exact": "generators",
    "share": "share",
    "share_exact": "share",
    "miss": "probability",
    "log2_miss": "probability",
    "error": "probability",
    "exact": "probability",
    "log2_exact": "probability",
    "half_width": "probability",
    "samples": "probability",
    "sum": "bounds",
    "independent": "bounds",
    "pairs": "bounds",
}
# Columns that the chance to keep an element matters for.
_OF_KEEP = {
    "relevance",
    *(name for name, option in _OPTION_OF.items() if option in ("probability", "bounds")),
}
# Columns that say whether others are exact.
_EXACTNESS = {
    "generators": "generators_exact",
    "share": "share_exact",
    "miss": "exact",
    "log2_miss": "log2_exact",
}
# Kept only if they are requested by name.
_RARE = {"relevance", "smallest", "error", "log2_miss", "log2_exact", "half_width", "samples"}


def checked_side(side: str) -> Side:
    """Return the side if it is one.

    Examples
    --------
    >>> checked_side("top")
    Traceback (most recent call last):
    conceptrank.errors.MeasureError: side must be 'intent' or 'extent', got 'top'
    """
    kind: Side = checked_choice("side", side, Side, MeasureError)
    return kind


def checked_share(share: object, argument: str) -> float:
    """Return a number if it is from 0 to 1.

    Examples
    --------
    >>> checked_share(1.5, "keep")
    Traceback (most recent call last):
    conceptrank.errors.MeasureError: keep must be between 0 and 1, got 1.5
    """
    if not isinstance(share, Real) or not 0 <= float(share) <= 1:
        raise MeasureError(f"{argument} must be between 0 and 1, got {share!r}")
    return float(share)


@dataclass(frozen=True)
class Sampling:
    """How the chance to miss a face is estimated.

    Parameters
    ----------
    method
        `"auto"` (exact where that is cheap, Karp and Luby where not), `"karp_luby"`,
        `"monte_carlo"`, `"stratified"` or `"low_discrepancy"`.
    eps, delta
        The error is at most `eps` with probability 1 - `delta`; relative for Karp and Luby.
    seed
        Of the random numbers.
    bits
        The number of elements whose patterns the stratified method enumerates.
    """

    method: str
    eps: float = 0.05
    delta: float = 0.05
    seed: int = 0
    bits: int = 4


@dataclass(frozen=True)
class FaceNeed:
    """What a measure needs of the faces: columns of one side at one probability to keep.

    Examples
    --------
    >>> FaceNeed("extent", ("miss",)).options
    frozenset({'probability'})
    """

    side: Side
    columns: tuple[str, ...]
    keep: float = 0.5
    sampling: Sampling | None = None

    @property
    def options(self) -> frozenset[str]:
        """The options of the core that compute these columns."""
        return frozenset(_OPTION_OF[name] for name in self.columns if name in _OPTION_OF)

    @property
    def exactness(self) -> FaceNeed:
        """The need for the columns that say whether these are exact."""
        columns = (_EXACTNESS[name] for name in self.columns if name in _EXACTNESS)
        return FaceNeed(self.side, tuple(columns), self.keep, self.sampling)

    @property
    def of_keep(self) -> bool:
        """Whether the probability to keep an element matters."""
        return not _OF_KEEP.isdisjoint(self.columns)

    def goes_with(self, other: FaceNeed) -> bool:
        """Whether one pass of the core serves both."""
        same = (self.keep, self.sampling) == (other.keep, other.sampling)
        return self.side == other.side and (same or not other.of_keep)

    def for_core(self) -> _core.FaceOptions:
        """Return the core's options for these columns."""
        given: dict[str, Any] = dict.fromkeys(self.options, True)
        if self.sampling is not None:
            given |= asdict(self.sampling)
        fields = sum(1 << _place(name) for name in self.kept)
        return _core.FaceOptions(keep=self.keep, fields=fields, **given)

    @property
    def kept(self) -> list[str]:
        """The columns that a pass of the core for this need computes, in the core's order."""
        brought = (None, *self.options)
        # Callers use the exactness of a rare column right after the column, and it costs nothing
        # here.
        named = {*self.columns, *self.exactness.columns}
        return [
            name
            for name in _core.face_score_fields()
            if _OPTION_OF.get(name) in brought and (name not in _RARE or name in named)
        ]


def merged(needs: Iterable[FaceNeed]) -> list[FaceNeed]:
    """Return as few needs as possible that cover all of these: one pass of the core for each.

    Examples
    --------
    >>> merged([FaceNeed("intent", ("singletons",)), FaceNeed("intent", ("miss",), keep=0.9)])
    [FaceNeed(side='intent', columns=('singletons', 'miss'), keep=0.9, sampling=None)]
    """
    result: dict[tuple[Side, float, Sampling | None], FaceNeed] = {}
    # Needs that work for any probability to keep join another one of their side.
    for need in sorted(needs, key=lambda need: not need.of_keep):
        key = (need.side, need.keep, need.sampling)
        if not need.of_keep:
            key = next((known for known in result if known[0] == need.side), key)
        columns = result[key].columns if key in result else ()
        columns = tuple(dict.fromkeys((*columns, *need.columns)))
        result[key] = FaceNeed(need.side, tuple(sorted(columns, key=_place)), *key[1:])
    return list(result.values())


def _place(column: str) -> int:
    return _core.face_score_fields().index(column)


# The core's matrix for a need, and which rows of it are known; None for all.
Computed: TypeAlias = tuple[Scores, NDArray[np.bool_] | None]


@dataclass
class FaceScores:
    """Columns of face scores that were computed before. Nothing else of them is kept.

    A need that is `expected` is computed along with the first need of its side. Columns of a call
    that a budget ended are `partial`: they serve the rest of that call and no other.
    """

    known: dict[tuple[Any, ...], NDArray[Any]] = field(default_factory=dict)
    expected: list[FaceNeed] = field(default_factory=list)
    partial: dict[tuple[Any, ...], tuple[Watch, NDArray[np.bool_]]] = field(default_factory=dict)

    def columns(
        self, need: FaceNeed, compute: Callable[[FaceNeed], Computed]
    ) -> tuple[NDArray[Any], ...]:
        """Return the columns of a need; `compute` gives the core's matrix if one is missing."""
        keys = [self._key(need, name) for name in need.columns]
        watch = current_watch()
        if not all(self._usable(key, watch) for key in keys):
            also = [other for other in self.expected if need.goes_with(other)]
            (whole,) = merged([need, *also])
            matrix, done = compute(whole)
            self.add(whole, matrix)
            for name in whole.kept:
                key = self._key(whole, name)
                self.partial.pop(key, None)
                if done is not None and watch is not None:
                    self.partial[key] = watch, done
        for key in keys:
            if watch is not None and key in self.partial:
                watch.leave_out(self.partial[key][1])
        return tuple(self.known[key] for key in keys)

    def _usable(self, key: tuple[Any, ...], watch: Watch | None) -> bool:
        return key in self.known and (key not in self.partial or self.partial[key][0] is watch)

    def add(self, need: FaceNeed, matrix: Scores) -> None:
        """Take columns out of a matrix that the core computed for a need."""
        for place, name in enumerate(need.kept):
            column = _compact(name, matrix[:, place])
            column.flags.writeable = False
            self.known[self._key(need, name)] = column
        if "generators" in need.options:
            self._bound_generators(need)

    def _bound_generators(self, need: FaceNeed) -> None:
        """Mark numbers that are too large for a double as inexact: they are lower bounds."""
        key, exact_key = (self._key(need, name) for name in ("generators", "generators_exact"))
        count = self.known[key]
        if np.isinf(count).any():
            self.known[exact_key] = self.known[exact_key] & np.isfinite(count)
            self.known[key] = np.minimum(count, np.finfo(np.float64).max)

    @staticmethod
    def _key(need: FaceNeed, name: str) -> tuple[Any, ...]:
        if name in _OF_KEEP:
            return need.side, name, need.keep, need.sampling
        return need.side, name


def _compact(name: str, column: Scores) -> NDArray[Any]:
    """Return a copy of a column in the smallest type that holds it."""
    if name in _EXACTNESS.values():
        return np.broadcast_to(np.True_, column.shape) if column.all() else column != 0
    return column.astype(np.uint32) if name in ("singletons", "smallest") else column.copy()


def intent_faces(context: Context, intent: Numbers) -> Lists:
    """Return the intent faces of the concept with this intent, as attribute numbers."""
    return _core.faces(context.core, intent, "intent")


def extent_faces(context: Context, intent: Numbers) -> Lists:
    """Return the extent faces of the concept with this intent, as object numbers."""
    return _core.faces(context.core, intent, "extent")


def upper_cover_intents(context: Context, intent: Numbers) -> list[Numbers]:
    """Return the intents of the upper covers: the intent without one of its faces.

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> intent = np.array([1, 3], dtype=np.uint32)
    >>> [cover.tolist() for cover in upper_cover_intents(context, intent)]
    [[3], [1]]
    """
    offsets, values = intent_faces(context, intent)
    faces = np.split(values, offsets[1:-1]) if len(offsets) > 1 else []
    return [np.setdiff1d(intent, face, assume_unique=True) for face in faces]


def lower_cover_intents(context: Context, intent: Numbers) -> list[Numbers]:
    r"""Return the intents of the lower covers.

    An attribute m outside the intent B has the candidate face A \ m', and the closure of B and m
    is the intent that this candidate leads to. Attributes with one closure share their candidate,
    and the candidate is minimal, hence a face, if and only if they are all that the closure adds
    to B. Faces of large extents are long lists; this way none is written out.

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> intent = np.array([3], dtype=np.uint32)
    >>> [cover.tolist() for cover in lower_cover_intents(context, intent)]
    [[1, 3], [3, 5]]
    """
    outside = np.ones(len(context.attributes), dtype=np.bool_)
    outside[intent] = False
    closures: dict[bytes, list[Any]] = {}
    for attribute in np.flatnonzero(outside).astype(np.uint32):
        closed = context.core.closure(np.append(intent, attribute))
        closures.setdefault(closed.tobytes(), [closed, 0])[1] += 1
    return [closed for closed, many in closures.values() if many == len(closed) - len(intent)]


def minimal_generators(faces: Lists, ground: Numbers, *, limit: int, side: Side) -> Lists:
    """Return the minimal sets of elements of the ground set that meet every face.

    Raises
    ------
    BudgetExceeded
        If there are more than `limit`.

    Examples
    --------
    >>> faces = np.array([0, 2, 3]), np.array([4, 7, 9], dtype=np.uint32)
    >>> ground = np.array([4, 7, 9], dtype=np.uint32)
    >>> offsets, values = minimal_generators(faces, ground, limit=10, side="intent")
    >>> offsets.tolist(), values.tolist()
    ([0, 2, 4], [4, 9, 7, 9])
    """
    offsets, values = faces
    places = np.searchsorted(ground, values).astype(np.uint32)
    lists = offsets, places
    (found, elements), complete = _core.minimal_transversals(lists, len(ground), limit)
    if not complete:
        raise BudgetExceeded(
            f"more than {limit:,} minimal generators; generators(side={side!r}, "
            f"limit={limit * 10}) would list more, score('cr_beta') only counts them"
        )
    return found, ground[elements]
