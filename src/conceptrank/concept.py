"""`Concept`: one closed pattern, and everything that can be said about it without a lattice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core, _lists, _text, faces
from conceptrank._lists import Lists, Numbers, Offsets
from conceptrank.budget import Budget
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import (
    Concepts,
    Direction,
    FaceNeed,
    FaceScores,
    Sampling,
    ScoreOf,
    Scores,
    Side,
    checked_side,
)
from conceptrank.views import Views

if TYPE_CHECKING:
    from conceptrank.context import Context
    from conceptrank.lattice import Lattice

DEFAULT_GENERATOR_LIMIT = 10_000
# So many concepts above a single one are looked at.
_MOST_ABOVE = 1_000_000


class Concept(Views):
    """A formal concept: the objects of its extent are exactly those with all its intent.

    A concept comes from a context or a lattice and unpacks as `(extent, intent)`. It is always a
    concept of the whole context: covers, faces, generators and scores are the same with a lattice,
    with the part of one above a minimum support, and with none. One that comes from a lattice
    knows its `index` there besides. `a <= b` says that a is a sub-concept of b.

    Parameters
    ----------
    context
        The context.
    intent
        The attribute numbers of a closed set, ascending.
    lattice, index
        The lattice that the concept comes from, and its place there if known.

    Examples
    --------
    >>> import conceptrank as cr
    >>> concept = cr.datasets.load("movies").concept("criminal", "drama")
    >>> extent, intent = concept
    >>> extent, intent
    (('2', '5', '6'), ('adventure', 'criminal', 'drama'))
    """

    def __init__(
        self,
        context: Context,
        intent: Numbers,
        *,
        lattice: Lattice | None = None,
        index: int | None = None,
    ) -> None:
        self._context = context
        self._intent = intent
        self._lattice = lattice
        self._index = index

    @property
    def context(self) -> Context:
        """The context that the concept belongs to."""
        return self._context

    @cached_property
    def index(self) -> int | None:
        """The place in the lattice that the concept comes from; None if there is none."""
        if self._index is not None or self._lattice is None:
            return self._index
        return self._lattice._find(self._intent, self.support)

    @cached_property
    def intent(self) -> tuple[str, ...]:
        """The attributes; also called `attributes` and `intention`."""
        return self._context._attributes.of(self._intent.tolist())

    attributes = intention = property(lambda self: self.intent, doc="The same as `intent`.")

    @cached_property
    def extent(self) -> tuple[str, ...]:
        """The objects; also called `objects` and `extension`."""
        return self._context._objects.of(self._extent_numbers().tolist())

    objects = extension = property(lambda self: self.extent, doc="The same as `extent`.")

    @cached_property
    def support(self) -> int:
        """The number of objects."""
        return self._context._table.support(self._intent)

    @property
    def upper_covers(self) -> tuple[Concept, ...]:
        """The smallest concepts above this one; also called `upper_neighbors`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> concept = cr.datasets.load("movies").concept("criminal", "drama")
        >>> [cover.intent for cover in concept.upper_covers]
        [('adventure', 'criminal'), ('drama',)]
        """
        return self._ordered(faces.upper_cover_intents(self._context, self._intent))

    @property
    def lower_covers(self) -> tuple[Concept, ...]:
        """The largest concepts below this one, frequent or not; also called `lower_neighbors`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> concept = cr.datasets.load("movies").concept("criminal", "drama")
        >>> [cover.extent for cover in concept.lower_covers]
        [('2',)]
        """
        return self._ordered(faces.lower_cover_intents(self._context, self._intent))

    upper_neighbors = upper_covers
    lower_neighbors = lower_covers

    @cached_property
    def intent_faces(self) -> tuple[tuple[str, ...], ...]:
        """What the intent loses towards each upper cover, small faces first.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").intent_faces
        (('drama',), ('adventure', 'criminal'))
        """
        return self._labelled("intent", self._faces("intent"))

    @cached_property
    def extent_faces(self) -> tuple[tuple[str, ...], ...]:
        """What the extent loses towards each lower cover, small faces first.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").extent_faces
        (('5', '6'),)
        """
        return self._labelled("extent", self._faces("extent"))

    @cached_property
    def minimal_generators(self) -> tuple[tuple[str, ...], ...]:
        """The minimal sets of attributes that all objects of the extent, and no others, share.

        Raises
        ------
        BudgetExceeded
            If there are more than 10,000; `generators` takes another limit.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").minimal_generators
        (('adventure', 'drama'), ('criminal', 'drama'))
        """
        return self.generators(side="intent")

    @cached_property
    def object_generators(self) -> tuple[tuple[str, ...], ...]:
        """The minimal sets of objects that share the intent and nothing more.

        Raises
        ------
        BudgetExceeded
            If there are more than 10,000; `generators` takes another limit.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").object_generators
        (('5',), ('6',))
        """
        return self.generators(side="extent")

    def generators(
        self, *, side: Side = "intent", limit: int = DEFAULT_GENERATOR_LIMIT
    ) -> tuple[tuple[str, ...], ...]:
        """Return the minimal generators of one side, small ones first.

        Parameters
        ----------
        side
            `"intent"` for sets of attributes, `"extent"` for sets of objects.
        limit
            The largest number of generators to list: there can be exponentially many.

        Raises
        ------
        BudgetExceeded
            If there are more.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").generators(side="extent")
        (('5',), ('6',))
        """
        ground = self._intent if checked_side(side) == "intent" else self._extent_numbers()
        found = faces.minimal_generators(self._faces(side), ground, limit=limit, side=side)
        return self._labelled(side, found)

    @property
    def relevant_attributes(self) -> tuple[str, ...]:
        """The attributes of the intent without which the extent would be larger.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").relevant_attributes
        ('drama',)
        """
        offsets, values = self._faces("intent")
        alone = values[offsets[:-1][np.diff(offsets) == 1]]
        return self._context._attributes.of(np.sort(alone).tolist())

    def score(self, name: str, **params: object) -> float:
        """Return the score of the concept by a measure.

        Parameters
        ----------
        name
            The measure; `conceptrank.measures.available()` lists them.
        **params
            Its parameters.

        Examples
        --------
        >>> import conceptrank as cr
        >>> concept = cr.datasets.load("movies").concept("criminal", "drama")
        >>> concept.score("stability"), round(concept.score("cr", side="extent"), 4)
        (0.75, 0.1667)
        """
        from conceptrank.measures import registry

        return float(registry.get(name).score(self._batch, params)[0])

    def exact(self, name: str, **params: object) -> bool:
        """Return whether the score by a measure is exact; it is a bound or an estimate otherwise.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").exact("cr")
        True
        """
        from conceptrank.measures import registry

        return bool(registry.get(name).exact(self._batch, params)[0])

    def interval(self, name: str, **params: object) -> tuple[float, float]:
        """Return the interval that the score by a measure lies in; no width if it is exact.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").interval("stability")
        (0.75, 0.75)
        """
        from conceptrank.measures import registry

        low, high = registry.get(name).interval(self._batch, params)
        return float(low[0]), float(high[0])

    @cached_property
    def _batch(self) -> Batch:
        return Batch(self._context, _lists.joined([self._intent]))

    def _extent_numbers(self) -> Numbers:
        return self._context._table.extension(self._intent)

    def _faces(self, side: Side) -> Lists:
        of_side = faces.intent_faces if side == "intent" else faces.extent_faces
        return of_side(self._context, self._intent)

    def _labelled(self, side: Side, sets: Lists) -> tuple[tuple[str, ...], ...]:
        names = self._context.attributes if side == "intent" else self._context.objects
        return _lists.labelled(_lists.by_size(sets), names)

    def _ordered(self, intents: list[Numbers]) -> tuple[Concept, ...]:
        """Return the concepts with these intents in the order of lattices."""
        covers = [Concept(self._context, intent, lattice=self._lattice) for intent in intents]
        return tuple(sorted(covers, key=lambda c: (-c.support, c._intent.tolist())))

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter((self.extent, self.intent))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Concept):
            return NotImplemented
        return np.array_equal(self._intent, other._intent) and self._context == other._context

    def __hash__(self) -> int:
        return hash((self._context.digest, self._intent.tobytes()))

    def __le__(self, other: Concept) -> bool:
        if not isinstance(other, Concept):
            return NotImplemented
        if self._context != other._context:
            raise ValueError("concepts of different contexts can't be compared")
        return bool(np.isin(other._intent, self._intent, assume_unique=True).all())

    def __lt__(self, other: Concept) -> bool:
        return self <= other and self != other

    def __repr__(self) -> str:
        objects = f"{self.support:,} object{'' if self.support == 1 else 's'}"
        return f"<Concept {objects} {self._shown_extent()} × {_text.braces(self.intent)}>"

    def _shown_extent(self) -> str:
        shown = self._extent_numbers()[: _text.MOST_SHOWN].tolist()
        return _text.braces(self._context._objects.of(shown), self.support)

    def _repr_html_(self) -> str:
        from conceptrank import _html

        return _html.concept(self)


@dataclass(frozen=True)
class Batch:
    """Concepts by their intents alone: everything about them comes from the table.

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> batch = Batch(context, (np.array([0, 3]), np.array([1, 3, 4], dtype=np.uint32)))
    >>> batch.supports.tolist(), batch.deltas.tolist(), batch.face_scores("extent", "miss")
    ([3], [2], (array([0.25]),))
    """

    context: Context
    intents: Lists
    threads: int = 0
    _known: FaceScores = field(default_factory=FaceScores, repr=False, compare=False)

    @property
    def supports(self) -> NDArray[np.int64]:
        """The number of objects of every concept."""
        support = self.context._table.support
        return np.fromiter((support(intent) for intent in self._each()), np.int64, len(self))

    @property
    def intent_sizes(self) -> NDArray[np.int64]:
        """The number of attributes of every concept."""
        return np.diff(self.intents[0])

    @property
    def deltas(self) -> NDArray[np.int64]:
        """The support of every concept minus the largest of a lower cover."""
        (smallest,) = self.face_scores("extent", "smallest")
        whole = self.intent_sizes == len(self.context.attributes)
        return np.where(whole, self.supports, smallest)

    def face_scores(
        self, side: Side, *columns: str, keep: float = 0.5, sampling: Sampling | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Return columns of the core's face scores."""
        return self._known.columns(FaceNeed(side, columns, keep, sampling), self._compute)

    def column_sums(self, *columns: str) -> tuple[Scores, ...]:
        """Return columns of the core's sums over the attributes."""
        sums = _core.column_sums(self.context._table, *self.intents, self.threads)
        return faces.picked(sums, _core.column_sum_fields(), columns)

    def cohesions(self, *columns: str) -> tuple[Scores, ...]:
        """Return columns of the core's similarities between objects."""
        cohesions = _core.cohesion(self.context._table, *self.intents, self.threads)
        return faces.picked(cohesions, _core.cohesion_fields(), columns)

    def cover_scores(self, direction: Direction, score: ScoreOf) -> tuple[Offsets, Scores]:
        """Return the scores of all upper or lower covers, as offsets and values."""
        offsets, covers, places = self.covers(direction)
        return offsets, score(covers)[places]

    def covers(
        self, direction: Direction, *, below: int | None = None
    ) -> tuple[Offsets, Batch, NDArray[np.int64]]:
        """Return the covers of every concept, as offsets and places in a batch of all of them.

        Parameters
        ----------
        direction
            `"upper"` or `"lower"`.
        below
            Only those with fewer objects; None for all.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=8)
        >>> offsets, covers, places = Batch(lattice.context, lattice.intents).covers("lower")
        >>> offsets.tolist(), covers.supports[places].tolist()
        ([0, 6, 8, 10], [8, 8, 5, 4, 3, 2, 7, 3, 7, 3])
        """
        n, _ = self.context.shape
        most = n + 1 if below is None else below
        table, threads = self.context._table, self.threads
        offsets, ends, values = _core.covers(table, *self.intents, direction, most, threads)
        different, places = _lists.distinct((ends, values))
        return offsets, Batch(self.context, different, threads), places

    def means_above(self, score: ScoreOf) -> Scores:
        """Return the mean score of all strict super-concepts; NaN where there are none."""
        return np.fromiter(map(partial(self._mean_above, score), self._each()), float, len(self))

    def _mean_above(self, score: ScoreOf, intent: Numbers) -> float:
        """Return the mean of the concepts above that with this intent.

        Their intents are its closed subsets: the intents of the part of the table that has these
        attributes only.
        """
        part = self.context.select(attributes=self.context._attributes.of(intent.tolist()))
        lattice = part.lattice(budget=Budget(concepts=_MOST_ABOVE), threads=self.threads)
        if not lattice.complete:
            raise BudgetExceeded(f"more than {_MOST_ABOVE:,} concepts lie above one of {intent}")
        offsets, values = lattice.intents
        every = Batch(self.context, (offsets, intent[values]), self.threads)
        scores = score(every)[lattice.intent_sizes < len(intent)]
        return float(scores.mean()) if len(scores) else np.nan

    def whole(self, limit: int) -> tuple[Concepts, NDArray[np.int64]]:
        """Return the full lattice if it has at most `limit` concepts, and these ones' places."""
        lattice = self.context.lattice(budget=Budget(concepts=limit + 1), threads=self.threads)
        if len(lattice) > limit:
            raise BudgetExceeded(
                f"this needs all concepts of the context, and there are more than {limit:,}"
            )
        return lattice, _lists.found_in(self.intents, lattice.intents)

    def _compute(self, need: FaceNeed) -> Scores:
        return _core.score_concepts(
            self.context._table, *self.intents, need.side, need.for_core(), self.threads
        )

    def _each(self) -> Iterator[Numbers]:
        offsets, values = self.intents
        ends = offsets.tolist()
        return (values[begin:end] for begin, end in pairwise(ends))

    def __len__(self) -> int:
        return len(self.intents[0]) - 1

    def __iter__(self) -> Iterator[Concept]:
        return (Concept(self.context, intent) for intent in self._each())
