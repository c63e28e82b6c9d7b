"""`Concepts`: some concepts of a context, which measures score; `Subtrees` for bounds.

A measure is one vectorised function of concepts: of a lattice, of what a search found, of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists, Numbers, Offsets
from conceptrank.budget import Budget, Progress, core_watch, poll, watched
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import (
    Computed,
    Direction,
    FaceNeed,
    FaceScores,
    Sampling,
    Scores,
    Side,
)

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.concept import Concept
    from conceptrank.context import Context

# Scores any concepts of a context, such as covers.
ScoreOf: TypeAlias = "Callable[[Concepts], Scores]"

# Extents are long lists, so at most this many objects are listed at once.
_OBJECTS_AT_ONCE = 1 << 22
# The most concepts above a single one that are considered.
_MOST_ABOVE = 1_000_000
# The core can sum up to 16 arrays of numbers during the search, if each sum is below 2^31.
_MOST_MARKS, _LARGEST_SUM = 16, 1 << 31


class Marks:
    """Arrays of whole numbers per object, such as labels, whose sums over extents a search finds.

    Scores and bounds use the same few sums again and again.

    Examples
    --------
    >>> import conceptrank as cr
    >>> marks = Marks(cr.datasets.load("movies"))
    >>> marks.place(np.ones(11)), marks.place(np.full(11, 0.5)), marks.place(np.ones(11))
    (0, None, 0)
    """

    def __init__(self, context: Context) -> None:
        self._weights = context.weights
        self.numbers: list[Scores] = []

    def place(self, numbers: Scores) -> int | None:
        """Return the place of an array, added if it is new; None if the core can't sum it."""
        for place, known in enumerate(self.numbers):
            if known is numbers or np.array_equal(known, numbers):
                return place
        whole = (numbers >= 0) & (numbers == np.floor(numbers))
        if len(self.numbers) == _MOST_MARKS or not whole.all():
            return None
        if (numbers * self._weights).sum() >= _LARGEST_SUM:
            return None
        self.numbers.append(numbers)
        return len(self.numbers) - 1


class Concepts:
    """Concepts of one context by their intents; other numbers are computed from the table.

    Numbers that the search found are given; the others are computed once, when they are needed.
    `Context.closed_sets` lists all concepts of a context; a `Lattice` also has their covers.

    Parameters
    ----------
    context
        The context.
    intents
        The attribute numbers of all concepts: ``values[offsets[i]:offsets[i + 1]]`` for i.
    threads
        The number of threads for computing numbers; 0 is one for each processor.
    supports, deltas
        The number of objects of each concept, and what the nearest sub-concept lacks of them.
    sums
        The core's sums over the attributes.
    marks, marked
        Arrays of numbers per object, and those of their sums over each extent that are known.
    min_support, stopped
        The least support of a concept, and what ended the search before all were found.

    Examples
    --------
    >>> import conceptrank as cr
    >>> context = cr.datasets.load("movies")
    >>> concepts = Concepts(context, (np.array([0, 3]), np.array([1, 3, 4], dtype=np.uint32)))
    >>> concepts.supports.tolist(), concepts.deltas.tolist()
    ([3], [2])
    >>> concepts.face_scores("extent", "miss")
    (array([0.25]),)
    """

    def __init__(
        self,
        context: Context,
        intents: Lists,
        *,
        threads: int = 0,
        supports: NDArray[Any] | None = None,
        deltas: NDArray[Any] | None = None,
        faces: FaceScores | None = None,
        sums: Scores | None = None,
        marks: Marks | None = None,
        marked: NDArray[np.uint32] | None = None,
        min_support: int = 0,
        stopped: str = "",
    ) -> None:
        self.context: Context = context
        self.intents: Lists = intents
        self.threads: int = threads
        self._supports = supports
        self._deltas = deltas
        self.faces: FaceScores = FaceScores() if faces is None else faces
        self._sums = sums
        self._cohesions: Scores | None = None
        self._marks, self._marked = marks, marked
        self._min_support = min_support
        self._stopped = stopped

    @classmethod
    def single(cls, concept: Concept) -> Concepts:
        """Return a batch of one concept."""
        return cls(concept.context, _lists.joined([concept.intent_numbers]))

    @property
    def min_support(self) -> int:
        """The least number of objects of a concept."""
        return self._min_support

    @property
    def complete(self) -> bool:
        """Whether every concept that is meant is here: no limit ended the search."""
        return not self.stopped

    @property
    def stopped(self) -> str:
        """What ended mining: "concepts", "bytes", "seconds", "cancelled", or "" if nothing did."""
        return self._stopped

    @property
    def supports(self) -> NDArray[np.int64]:
        """The number of objects of every concept.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=5).supports
        array([11,  8,  8,  7,  5])
        """
        if self._supports is None:
            ones = np.ones(len(self.context.object_names))
            self._supports = self.extent_sums(ones).astype(np.int64)
        # Signed, so that differences can be negative.
        return self._supports.astype(np.int64, copy=False)

    @property
    def intent_sizes(self) -> NDArray[np.int64]:
        """The number of attributes of every concept.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=5).intent_sizes
        array([0, 1, 1, 2, 1])
        """
        return np.diff(self.intents[0])

    @property
    def deltas(self) -> NDArray[np.int64]:
        """The support of every concept minus the largest of a lower cover, listed or not.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=5).deltas
        array([3, 1, 1, 4, 2])
        """
        if self._deltas is None:
            (smallest,) = self.face_scores("extent", "smallest")
            whole = self.intent_sizes == len(self.context.attributes)
            self._deltas = np.where(whole, self.supports, smallest)
        return self._deltas.astype(np.int64, copy=False)

    def score(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> Scores:
        """Return the scores of all concepts by a measure, in their order.

        Parameters
        ----------
        name
            The measure; `conceptrank.measures.available()` lists them.
        budget
            The seconds that it may take, and a way to cancel it.
        progress
            Called from time to time with the number of concepts done, and the share of the whole.
        **params
            Its parameters.

        Raises
        ------
        BudgetExceeded
            If the budget ended it.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=5).score("cr")
        array([0. , 0.5, 0.5, 0.5, 0.5])
        """
        from conceptrank.measures import registry

        with watched(budget, progress):
            return registry.get(name).score(self, params)

    def exact(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> NDArray[np.bool_]:
        """Return which of the scores by a measure are exact.

        Counting generators and hitting sets is #P-hard, so it stops at a budget per concept.
        Then a number of generators is a lower bound, and a stability is estimated from random
        subsets; `interval` gives the interval.

        Parameters
        ----------
        name, budget, progress, **params
            As for `score`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> bool(cr.datasets.load("movies").lattice().exact("cr").all())
        True
        """
        from conceptrank.measures import registry

        with watched(budget, progress):
            return registry.get(name).exact(self, params)

    def interval(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> tuple[Scores, Scores]:
        """Return intervals that contain the true scores by a measure.

        Parameters
        ----------
        name, budget, progress, **params
            As for `score`. Exact scores have intervals without width. The interval of an estimate
            fails with a chance of 5 %, or of the parameter `delta`. It is infinite where a score is
            not exact and nothing better is known.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=8)
        >>> low, high = lattice.interval("stability", method="karp_luby", seed=1)
        >>> bool(((low <= lattice.score("stability")) & (lattice.score("stability") <= high)).all())
        True
        """
        from conceptrank.measures import registry

        with watched(budget, progress):
            return registry.get(name).interval(self, params)

    def face_scores(
        self, side: Side, *columns: str, keep: float = 0.5, sampling: Sampling | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Return numbers of the faces of all concepts: columns that measures are made of.

        Parameters
        ----------
        side
            Whose faces.
        *columns
            `singletons` and `smallest` (faces of one element, elements of the smallest face),
            `generators`, `miss` and `log2_miss` (the chance that a random subset misses a face),
            and for bounds of that chance `sum`, `independent` and `pairs`.
        keep
            The chance of an element to be in the random subset.
        sampling
            How to estimate that chance; exact if None.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=7)
        >>> lattice.face_scores("extent", "smallest", "miss")
        (array([3, 1, 1, 4], dtype=uint32), array([0.20263672, 0.515625  , 0.515625  , 0.1015625 ]))
        """
        return self.faces.columns(FaceNeed(side, columns, keep, sampling), self._compute_faces)

    def _compute_faces(self, need: FaceNeed) -> Computed:
        """Return the core's matrix for a need, and which rows of it are known; None for all."""
        return self._faces_of(self.intents, need), None

    def _faces_of(self, intents: Lists, need: FaceNeed) -> Scores:
        table, threads = self.context.core, self.threads
        options = need.for_core()
        return _core.score_concepts(table, intents, need.side, options, threads, core_watch())

    def column_sums(self, *columns: str) -> tuple[Scores, ...]:
        """Return sums over the attributes for all concepts: columns that measures are made of.

        Parameters
        ----------
        *columns
            With a the number of objects of the extent A that have an attribute, and ``t = a/|A|``:
            over all attributes `crosses` (a), `squares` (a²) and `collocation` (a² over the
            attribute's support); over those outside the intent `entropy` (-t ln t) and
            `binary_entropy`; and `unions`, the number of objects that have some attribute of the
            intent.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=8).column_sums("crosses", "unions")
        (array([32., 26., 24.]), array([0., 8., 8.]))
        """
        sums = self._column_sums() if self._sums is None else self._sums
        return _picked(sums, _core.column_sum_fields(), columns)

    def _column_sums(self) -> Scores:
        self._sums = self._sums_of(self.intents)
        return self._sums

    def _sums_of(self, intents: Lists) -> Scores:
        return _core.column_sums(self.context.core, intents, self.threads, core_watch())

    def cohesions(self, *columns: str) -> tuple[Scores, ...]:
        """Return how alike the objects of each concept are, over pairs of different objects.

        Parameters
        ----------
        *columns
            `jaccard_average`, `jaccard_minimum`, `matching_average`, `matching_minimum`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=8)
        >>> lattice.cohesions("jaccard_average")[0].round(3)
        array([0.347, 0.498, 0.52 ])
        """
        if self._cohesions is None:
            table, threads = self.context.core, self.threads
            self._cohesions = _core.cohesion(table, self.intents, threads, core_watch())
        return _picked(self._cohesions, _core.cohesion_fields(), columns)

    def extent_sums(self, values: Scores) -> Scores:
        """Return for every concept the sum over its objects of a number that each object has.

        The number of an object counts as often as its weight says.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=7).extent_sums(np.arange(1.0, 12.0))
        array([66., 50., 53., 49.])
        """
        numbers = np.ascontiguousarray(values, dtype=np.float64)
        place = None if self._marks is None else self._marks.place(numbers)
        if place is not None and self._marked is not None and place < self._marked.shape[1]:
            return self._marked[:, place].astype(np.float64)
        return _core.extent_sums(self.context.core, self.intents, numbers, watch=core_watch())

    def extents(self, *, copies: bool = False) -> Iterator[tuple[slice, Lists]]:
        """Return the object numbers of all concepts, some concepts at a time and which these are.

        An object is listed as often as its weight says.

        Parameters
        ----------
        copies
            Whether the copies of an object get numbers of their own, as in `Context.repeated`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=7)
        >>> [(part, offsets.tolist()) for part, (offsets, values) in lattice.extents()]
        [(slice(0, 4, None), [0, 11, 19, 27, 34])]
        """
        ends = np.cumsum(self.supports)
        begin = 0
        while begin < len(ends):
            most = _OBJECTS_AT_ONCE + (ends[begin - 1] if begin else 0)
            end = max(begin + 1, int(np.searchsorted(ends, most, side="right")))
            part = _lists.section(self.intents, begin, end)
            found = _core.extensions(self.context.core, part)
            if self.context.weighted:
                found = _repeated(found, self.context.weights, copies=copies)
            yield slice(begin, end), found
            begin = end
            poll(begin, begin / len(ends))

    def cover_scores(self, direction: Direction, score: ScoreOf) -> tuple[Offsets, Scores]:
        """Return the scores of all upper or lower covers, listed or not.

        Parameters
        ----------
        direction
            `"upper"` or `"lower"`.
        score
            A function that scores any concepts: these, or covers that are not among them.

        Returns
        -------
        tuple
            Offsets and values: concept i has `values[offsets[i]:offsets[i + 1]]`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=8)
        >>> offsets, values = lattice.cover_scores("lower", lambda concepts: concepts.supports)
        >>> offsets.tolist(), values.tolist()
        ([0, 6, 8, 10], [8, 8, 5, 4, 3, 2, 7, 3, 7, 3])
        """
        offsets, covers, places = self._covers(direction, self.context.shape[0] + 1)
        return offsets, score(covers)[places]

    def _covers(
        self, direction: Direction, below: int
    ) -> tuple[Offsets, Concepts, NDArray[np.int64]]:
        """Return the covers of fewer objects, as offsets and places in a batch of all of them."""
        table, threads = self.context.core, self.threads
        found = _core.covers(table, self.intents, direction, below, threads)
        different, places = _lists.distinct(found.intents)
        return found.offsets, Concepts(self.context, different, threads=threads), places

    def means_above(self, score: ScoreOf) -> Scores:
        """Return the mean score of all strict super-concepts; NaN where there are none.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=7)
        >>> lattice.means_above(lambda concepts: concepts.supports)
        array([nan, 11., 11.,  9.])
        """
        each = map(partial(self._mean_above, score), _lists.each(self.intents))
        return np.fromiter(each, float, len(self))

    def _mean_above(self, score: ScoreOf, intent: Numbers) -> float:
        """Return the mean of the concepts above that with this intent.

        Their intents are its closed subsets: the intents of the part of the table that has these
        attributes only.
        """
        part = self.context.select(attributes=self.context.attribute_names.of(intent.tolist()))
        above = part.closed_sets(budget=Budget(concepts=_MOST_ABOVE), threads=self.threads)
        if not above.complete:
            raise BudgetExceeded(f"more than {_MOST_ABOVE:,} concepts are above one of {intent}")
        offsets, values = above.intents
        every = Concepts(self.context, (offsets, intent[values]), threads=self.threads)
        scores = score(every)[above.intent_sizes < len(intent)]
        return float(scores.mean()) if len(scores) else np.nan

    def whole(self, limit: int) -> tuple[Concepts, NDArray[np.int64]]:
        """Return the full lattice if it has at most `limit` concepts, and these ones' places.

        Raises
        ------
        BudgetExceeded
            If it has more.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice, places = cr.datasets.load("movies").lattice(min_support=7).whole(100)
        >>> len(lattice), places.tolist()
        (20, [0, 1, 2, 3])
        """
        lattice = self.context.lattice(budget=Budget(concepts=limit + 1), threads=self.threads)
        if len(lattice) > limit:
            raise BudgetExceeded(
                f"this needs all concepts of the context, and there are more than {limit:,}"
            )
        return lattice, _lists.found_in(self.intents, lattice.intents)

    def at(self, places: NDArray[np.int64]) -> Concepts:
        """Return the concepts at some places, with the numbers of them that are known.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice().at(np.array([3, 0])).supports
        array([ 7, 11])
        """
        chosen = Concepts(
            self.context,
            _lists.take(self.intents, places),
            threads=self.threads,
            supports=None if self._supports is None else self._supports[places],
            deltas=None if self._deltas is None else self._deltas[places],
            sums=None if self._sums is None else self._sums[places],
            marks=self._marks,
            marked=None if self._marked is None else self._marked[places],
            min_support=self.min_support,
            stopped=self.stopped,
        )
        known = self.faces.known.items()
        chosen.faces.known.update({key: column[places] for key, column in known})
        return chosen

    def with_others(self, others: Concepts) -> Concepts:
        """Return these concepts and others after them."""
        if not len(self):
            return others
        both = Concepts(
            self.context,
            _lists.stacked([self.intents, others.intents]),
            threads=self.threads,
            supports=np.concatenate((self.supports, others.supports)),
            deltas=np.concatenate((self.deltas, others.deltas)),
        )
        first, second = self.faces.known, others.faces.known
        both.faces.known.update(
            {key: np.concatenate((first[key], second[key])) for key in first.keys() & second.keys()}
        )
        return both

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with the columns `intent`, a list of names, and `support`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").closed_sets(min_support=7).to_polars().row(3)
        (['adventure', 'criminal'], 7)
        """
        import polars as pl

        from conceptrank.convert import results

        intents = results.list_column(self.intents, self.context.attributes)
        return pl.DataFrame({"intent": intents, "support": self.supports})

    def __len__(self) -> int:
        return len(self.intents[0]) - 1

    def __iter__(self) -> Iterator[Concept]:
        return map(self._at, range(len(self)))

    def _at(self, place: int) -> Concept:
        from conceptrank.concept import Concept

        concept = Concept(self.context, _lists.at(self.intents, place))
        if self._supports is not None:
            concept.support = int(self._supports[place])
        return concept

    def __repr__(self) -> str:
        least = f"with at least {self.min_support:,} of" if self.min_support else "of"
        part = f", stopped by {self.stopped}" if self.stopped else ""
        n = self.context.shape[0]
        return f"<{type(self).__name__} {len(self):,} concepts {least} {n:,} objects{part}>"


class Subtrees(Concepts):
    """Nodes of a search tree, and limits on the concepts at and below each of them.

    `supports`, `deltas` and `extent_sums` are the largest values that a concept at or below the
    node can have. `intents`, face scores and column sums are those of the node's own concept, whose
    intent is part of all intents below. The limits hold for the concepts that meet the constraints
    of the search. If the search has already scored the node's own concept, the limits may leave it
    out.

    Parameters
    ----------
    longest
        The largest number of attributes.
    bottom
        Whether the concept of all attributes can be there.
    **known
        As for `Concepts`; `min_support` is the least number of objects of a concept that counts.
    """

    def __init__(
        self,
        context: Context,
        intents: Lists,
        *,
        longest: NDArray[np.int64],
        bottom: NDArray[np.bool_],
        **known: Any,
    ) -> None:
        super().__init__(context, intents, **known)
        self._longest = longest
        self.bottom: NDArray[np.bool_] = bottom
        # Whether a bound used the lengths; computing them takes the core some time.
        self.used_longest: bool = False

    @property
    def longest(self) -> NDArray[np.int64]:
        """The largest number of attributes."""
        self.used_longest = True
        return self._longest


def _repeated(extents: Lists, weights: NDArray[np.int64], *, copies: bool) -> Lists:
    offsets, values = extents
    ends = np.concatenate(([0], np.cumsum(weights[values])))
    owners = np.repeat(np.arange(len(values)), weights[values])
    numbers = values[owners]
    if copies:
        first = np.cumsum(weights) - weights
        numbers = (first[numbers] + np.arange(len(owners)) - ends[owners]).astype(np.uint32)
    return ends[offsets], numbers


def _picked(matrix: Scores, fields: list[str], columns: tuple[str, ...]) -> tuple[Scores, ...]:
    """Return columns of a matrix of the core by their names."""
    return tuple(matrix[:, fields.index(name)] for name in columns)
