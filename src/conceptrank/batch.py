"""`Batch`: some concepts by their intents alone, without a lattice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core, faces
from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists, Numbers, Offsets
from conceptrank.budget import Budget, callbacks
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import (
    Computed,
    Concepts,
    Direction,
    FaceNeed,
    FaceScores,
    Sampling,
    ScoreOf,
    Scores,
    Side,
)

if TYPE_CHECKING:
    from conceptrank.concept import Concept
    from conceptrank.context import Context

# The most concepts above a single one that are considered.
_MOST_ABOVE = 1_000_000


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
    face_columns: FaceScores = field(default_factory=FaceScores, repr=False, compare=False)

    @property
    def supports(self) -> NDArray[np.int64]:
        """The number of objects of every concept."""
        return faces.extent_sums(self, np.ones(len(self.context.object_names))).astype(np.int64)

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
        return self.face_columns.columns(FaceNeed(side, columns, keep, sampling), self._compute)

    def column_sums(self, *columns: str) -> tuple[Scores, ...]:
        """Return columns of the core's sums over the attributes."""
        sums = _core.column_sums(self.context.core, *self.intents, self.threads, **callbacks())
        return faces.picked(sums, _core.column_sum_fields(), columns)

    def cohesions(self, *columns: str) -> tuple[Scores, ...]:
        """Return columns of the core's similarities between objects."""
        cohesions = _core.cohesion(self.context.core, *self.intents, self.threads, **callbacks())
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
        table, threads = self.context.core, self.threads
        offsets, ends, values = _core.covers(table, *self.intents, direction, most, threads)
        different, places = _lists.distinct((ends, values))
        return offsets, Batch(self.context, different, threads), places

    def means_above(self, score: ScoreOf) -> Scores:
        """Return the mean score of all strict super-concepts; NaN where there are none."""
        return np.fromiter(
            map(partial(self._mean_above, score), _lists.each(self.intents)), float, len(self)
        )

    def _mean_above(self, score: ScoreOf, intent: Numbers) -> float:
        """Return the mean of the concepts above that with this intent.

        Their intents are its closed subsets: the intents of the part of the table that has these
        attributes only.
        """
        part = self.context.select(attributes=self.context.attribute_names.of(intent.tolist()))
        lattice = part.lattice(budget=Budget(concepts=_MOST_ABOVE), threads=self.threads)
        if not lattice.complete:
            raise BudgetExceeded(f"more than {_MOST_ABOVE:,} concepts are above one of {intent}")
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

    def _compute(self, need: FaceNeed) -> Computed:
        options, threads = need.for_core(), self.threads
        matrix = _core.score_concepts(
            self.context.core, *self.intents, need.side, options, threads, **callbacks()
        )
        return matrix, None

    def __len__(self) -> int:
        return len(self.intents[0]) - 1

    def __iter__(self) -> Iterator[Concept]:
        from conceptrank.concept import Concept

        return (Concept(self.context, intent) for intent in _lists.each(self.intents))
