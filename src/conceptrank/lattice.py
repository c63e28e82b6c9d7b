"""`Lattice`: the concepts of a context in their one order, with the cover relation."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core, _lists, _text
from conceptrank._lists import Lists, Numbers, Offsets
from conceptrank._watch import callbacks, parts
from conceptrank.batch import Batch
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError, UnknownNameError
from conceptrank.faces import (
    Concepts,
    Direction,
    FaceNeed,
    FaceScores,
    Sampling,
    ScoreOf,
    Scores,
    Side,
    picked,
)
from conceptrank.measures import registry
from conceptrank.onward import Onward
from conceptrank.scored import Scored
from conceptrank.views import LatticeViews

if TYPE_CHECKING:
    from conceptrank.measures.registry import MeasureLike


class MissingConceptError(ConceptRankError, KeyError):
    """A concept is not in the lattice: too few objects, or mining ended before it was found."""

    def __str__(self) -> str:
        # KeyError would show the quoted repr of the message.
        return str(self.args[0])


class Lattice(Scored, Onward, LatticeViews):
    """The concepts of a context, largest support first, then by intent in the context's order.

    A lattice comes from `Context.lattice` or `Lattice.load` and never changes. Iterating over it
    gives its concepts, which unpack as `(extent, intent)`. `lattice[3]` is a concept by its place,
    `lattice["drama"]` or `lattice["criminal", "drama"]` the one that attributes generate.

    With a minimum support it holds the upper part of the concept lattice. When a budget ended
    mining, `complete` is False and the lattice holds some of the concepts; all that it says
    about them, their scores too, is still what holds in the context.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> lattice
    <Lattice 20 concepts of 11 objects, 7 attributes [069b8e81]>
    >>> for extent, intent in lattice[:2]:
    ...     print(len(extent), intent)
    11 ()
    8 ('adventure',)
    """

    def __init__(self, context: Context, core: _core.Lattice, *, threads: int = 0) -> None:
        self._context = context
        self._core = core
        self._threads = threads
        self._faces = FaceScores()
        self._sums: Scores | None = None
        self._cohesions: Scores | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Lattice:
        """Return the lattice that a file holds, with its context.

        Raises
        ------
        FormatError
            If the file holds no lattice, one of a newer version, or a damaged one.

        Examples
        --------
        >>> import conceptrank as cr
        >>> from tempfile import TemporaryDirectory
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> with TemporaryDirectory() as directory:
        ...     lattice.save(directory + "/movies.parquet")
        ...     cr.Lattice.load(directory + "/movies.parquet")
        <Lattice 20 concepts of 11 objects, 7 attributes [069b8e81]>
        """
        from conceptrank import lattice_file

        return lattice_file.load(path)

    @property
    def context(self) -> Context:
        """The context."""
        return self._context

    @property
    def min_support(self) -> int:
        """The least number of objects of a concept of this lattice."""
        return self._core.min_support

    @property
    def complete(self) -> bool:
        """Whether every concept with that many objects is there."""
        return not self._core.stop

    @property
    def stopped(self) -> str:
        """What ended mining: "concepts", "bytes", "seconds", "cancelled", or "" if nothing did."""
        return self._core.stop

    @property
    def n_bytes(self) -> int:
        """The memory that intents, supports and covers take."""
        return self._core.n_bytes

    @property
    def supports(self) -> NDArray[np.int64]:
        """The number of objects of every concept.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=5).supports
        array([11,  8,  8,  7,  5])
        """
        # Signed, so that differences and negative powers are what they look like.
        return self._core.supports.astype(np.int64)

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
        return self._core.deltas.astype(np.int64)

    @property
    def intents(self) -> Lists:
        """The attribute numbers of all concepts; i has `values[offsets[i]:offsets[i + 1]]`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> offsets, values = cr.datasets.load("movies").lattice(min_support=5).intents
        >>> offsets.tolist(), values.tolist()
        ([0, 0, 1, 2, 4, 5], [1, 3, 1, 3, 4])
        """
        return self._core.intent_offsets.view(np.int64), self._core.intents

    @property
    def lower_covers(self) -> Lists:
        """The places of the lower covers of all concepts, of those that are listed.

        Examples
        --------
        >>> import conceptrank as cr
        >>> offsets, values = cr.datasets.load("movies").lattice(min_support=5).lower_covers
        >>> offsets.tolist(), values.tolist()
        ([0, 3, 4, 5, 5, 5], [1, 2, 4, 3, 3])
        """
        return self._core.lower_offsets.view(np.int64), self._core.lower

    @property
    def upper_covers(self) -> Lists:
        """The places of the upper covers of all concepts, of those that are listed.

        Examples
        --------
        >>> import conceptrank as cr
        >>> offsets, values = cr.datasets.load("movies").lattice(min_support=5).upper_covers
        >>> offsets.tolist(), values.tolist()
        ([0, 0, 1, 2, 4, 5], [0, 0, 1, 2, 0])
        """
        return self._core.upper_offsets.view(np.int64), self._core.upper

    @property
    def top(self) -> Concept:
        """The concept of all objects; also called `supremum`."""
        return self[()]

    @property
    def bottom(self) -> Concept:
        """The concept of all attributes; also called `infimum`."""
        return self[self._context.attributes]

    supremum = top
    infimum = bottom

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
        return self._faces.columns(FaceNeed(side, columns, keep, sampling), self._compute_faces)

    def prepare(self, measures: Sequence[MeasureLike]) -> None:
        """Compute what several measures need of the faces in as few passes as possible.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.prepare(["cr", "stability_extensional"])
        """
        for need in parts(registry.face_needs(measures)):
            self._faces.columns(need, self._compute_faces)

    def _compute_faces(self, need: FaceNeed) -> Scores:
        table, options, watch = self._context._table, need.for_core(), callbacks()
        if not self.complete:
            # Covers may be missing, the table has them all.
            return _core.score_concepts(
                table, *self.intents, need.side, options, self._threads, **watch
            )
        if need.side == "intent":
            return self._core.score_intents(options, self._threads, **watch)
        again, scores, _ = _core.mine(
            table,
            min_support=self.min_support,
            threads=self._threads,
            score_extents=options,
            **watch,
        )
        return self._checked(again, scores)

    def column_sums(self, *columns: str) -> tuple[Scores, ...]:
        """Return sums over the attributes for all concepts: columns that measures are made of.

        Parameters
        ----------
        *columns
            With a the number of objects of the extent A that have an attribute, and t = a/|A|:
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
        if self._sums is None and self.complete:
            again, _, sums = _core.mine(
                self._context._table,
                min_support=self.min_support,
                threads=self._threads,
                sum_columns=True,
                **callbacks(),
            )
            self._sums = self._checked(again, sums)
        elif self._sums is None:
            self._sums = _core.column_sums(
                self._context._table, *self.intents, self._threads, **callbacks()
            )
        return picked(self._sums, _core.column_sum_fields(), columns)

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
            self._cohesions = _core.cohesion(
                self._context._table, *self.intents, self._threads, **callbacks()
            )
        return picked(self._cohesions, _core.cohesion_fields(), columns)

    def cover_scores(self, direction: Direction, score: ScoreOf) -> tuple[Offsets, Scores]:
        """Return the scores of all upper or lower covers, listed or not.

        Parameters
        ----------
        direction
            `"upper"` or `"lower"`.
        score
            A function that scores any concepts: this lattice, or a batch of covers that are not
            in it.

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
        if not self.complete:
            return self._batch.cover_scores(direction, score)
        offsets, places = self.upper_covers if direction == "upper" else self.lower_covers
        listed = offsets, score(self)[places]
        if direction == "upper" or self._reaches_the_bottom:
            return listed
        starts, covers, hidden = self._batch.covers("lower", below=self.min_support)
        return _lists.merged(listed, (starts, score(covers)[hidden]))

    def means_above(self, score: ScoreOf) -> Scores:
        """Return the mean score of all strict super-concepts; NaN where there are none.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=7)
        >>> lattice.means_above(lambda concepts: concepts.supports)
        array([nan, 11., 11.,  9.])
        """
        if not self.complete:
            return self._batch.means_above(score)
        scores = np.column_stack((score(self), np.ones(len(self))))
        sums = _lists.sums_above(self.intents, self.lower_covers, scores)
        means = np.full(len(self), np.nan)
        np.divide(sums[:, 0], sums[:, 1], out=means, where=sums[:, 1] > 0)
        return means

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
        if self.complete and self._reaches_the_bottom and len(self) <= limit:
            return self, np.arange(len(self))
        return self._batch.whole(limit)

    @property
    def _batch(self) -> Batch:
        return Batch(self._context, self.intents, self._threads)

    @property
    def _reaches_the_bottom(self) -> bool:
        """Whether the concept of all attributes is listed, and with it everything."""
        return len(self) > 0 and int(self.intent_sizes[-1]) == len(self._context.attributes)

    def _checked(self, again: _core.Lattice, matrix: Scores | None) -> Scores:
        """Return what a second pass gave, if it went over the same concepts."""
        if matrix is None or not np.array_equal(again.supports, self._core.supports):
            raise ConceptRankError("the lattice is not the one of its context")
        return matrix

    def _find(self, intent: Numbers, support: int) -> int | None:
        return self._core.find(np.ascontiguousarray(intent, dtype=np.uint32), support)

    def _at(self, index: int) -> Concept:
        offsets = self._core.intent_offsets
        intent = self._core.intents[offsets[index] : offsets[index + 1]]
        concept = Concept(self._context, intent, lattice=self, index=index)
        concept.support = int(self._core.supports[index])
        return concept

    def __len__(self) -> int:
        return self._core.n_concepts

    def __iter__(self) -> Iterator[Concept]:
        return map(self._at, range(len(self)))

    @overload
    def __getitem__(self, key: slice) -> list[Concept]: ...
    @overload
    def __getitem__(self, key: int | str | tuple[str, ...]) -> Concept: ...
    def __getitem__(self, key: int | slice | str | tuple[str, ...]) -> Concept | list[Concept]:
        if isinstance(key, slice):
            return list(map(self._at, range(len(self))[key]))
        if isinstance(key, str | tuple):
            return self._generated(key)
        return self._at(range(len(self))[operator.index(key)])

    def _generated(self, attributes: str | tuple[str, ...]) -> Concept:
        table = self._context._table
        intent = table.closure(self._context._attributes.numbers(attributes))
        support = table.support(intent)
        index = self._find(intent, support)
        if index is not None:
            return self._at(index)
        names = _text.braces((attributes,) if isinstance(attributes, str) else attributes)
        if support < self.min_support:
            reason = f"it has {support} objects, and min_support is {self.min_support}"
        else:
            reason = f"mining ended early ({self.stopped}) and didn't come to it"
        raise MissingConceptError(
            f"the concept of {names} is not in this lattice: {reason}; "
            "context.concept(...) gives it"
        )

    def __contains__(self, key: object) -> bool:
        if isinstance(key, Concept):
            same = key.context == self._context
            return same and self._find(key._intent, key.support) is not None
        if not isinstance(key, str | tuple):
            return False
        try:
            self._generated(key)
        except (MissingConceptError, UnknownNameError):
            return False
        return True

    def __repr__(self) -> str:
        n, q = self._context.shape
        least = f"with at least {self.min_support:,} of" if self.min_support else "of"
        part = f", stopped by {self.stopped}" if self.stopped else ""
        return (
            f"<Lattice {len(self):,} concepts {least} {n:,} objects, {q:,} attributes "
            f"[{self._context.digest[:8]}]{part}>"
        )

    def _repr_html_(self) -> str:
        from conceptrank import _html

        return _html.lattice(self)
