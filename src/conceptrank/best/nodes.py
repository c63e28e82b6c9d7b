"""`Found`, concepts whose support and Δ are known; `Nodes`, limits on what is below; `Marks`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.lists import NO_NUMBERS, Lists, each, stacked, take
from conceptrank.batch import Batch
from conceptrank.context import Context
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice

# The core can sum up to 16 arrays of numbers during the search, if each sum is below 2^31.
_MOST_MARKS, _LARGEST_SUM = 16, 1 << 31


class Marks:
    """Arrays of whole numbers per object, such as labels, whose sums over extents the core finds.

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


class Found(Batch):
    """Concepts that a search came to: a batch whose supports and deltas are known.

    Parameters
    ----------
    context
        The context.
    intents
        The intents, as offsets and attribute numbers.
    supports
        Their supports.
    deltas
        Their deltas; if None, they are computed when they are needed.
    threads
        The number of threads for computing numbers that are not given.
    marks, sums
        Arrays of numbers per object, and those of their sums over each extent that are known.
    """

    def __init__(
        self,
        context: Context,
        intents: Lists,
        supports: NDArray[np.int64],
        deltas: NDArray[np.int64] | None = None,
        threads: int = 0,
        *,
        marks: Marks | None = None,
        sums: NDArray[np.uint32] | None = None,
    ) -> None:
        super().__init__(context, intents, threads)
        self._supports = supports
        self._deltas = deltas
        self._marks, self._sums = marks, sums

    # A batch is frozen; its parts never change, and neither do those of this class.
    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def supports(self) -> NDArray[np.int64]:
        """The number of objects of every concept."""
        return self._supports

    @property
    def deltas(self) -> NDArray[np.int64]:
        """The support of every concept minus the largest of a lower cover."""
        return super().deltas if self._deltas is None else self._deltas

    def sums_of(self, numbers: Scores) -> Scores | None:
        """Return the sums over the extents of a number per object, if they are known."""
        place = None if self._marks is None else self._marks.place(numbers)
        if place is None or self._sums is None or place >= self._sums.shape[1]:
            return None
        return self._sums[:, place].astype(np.float64)

    def at(self, places: NDArray[np.int64]) -> Found:
        """Return the concepts at some places."""
        chosen = Found(
            self.context,
            take(self.intents, places),
            self._supports[places],
            None if self._deltas is None else self._deltas[places],
            self.threads,
            marks=self._marks,
            sums=None if self._sums is None else self._sums[places],
        )
        known = self.face_columns.known.items()
        chosen.face_columns.known.update({key: column[places] for key, column in known})
        return chosen

    def with_others(self, others: Found) -> Found:
        """Return these concepts and others after them."""
        both = Found(
            self.context,
            stacked([self.intents, others.intents]),
            np.concatenate((self.supports, others.supports)),
            np.concatenate((self.deltas, others.deltas)),
            self.threads,
        )
        first, second = self.face_columns.known, others.face_columns.known
        both.face_columns.known.update(
            {key: np.concatenate((first[key], second[key])) for key in first.keys() & second.keys()}
            if len(self)
            else second
        )
        return both

    def lattice(self, min_support: int) -> Lattice:
        """Return the concepts as a lattice that is not complete: in its order, without covers."""
        intents = [intent.tolist() for intent in each(self.intents)]
        supports = self.supports.tolist()
        places = sorted(range(len(self)), key=lambda i: (-supports[i], intents[i]))
        ordered = self.at(np.array(places, dtype=np.int64))
        core = ordered.core(min_support, "concepts", ordered.deltas)
        return Lattice(self.context, core, threads=self.threads)

    def core(
        self,
        min_support: int,
        stop: str,
        deltas: NDArray[np.int64],
        lower_covers: Lists | None = None,
    ) -> _core.Lattice:
        """Return the core's lattice of these concepts, which are in its order."""
        if lower_covers is None:
            lower_covers = np.zeros(len(self) + 1, dtype=np.int64), NO_NUMBERS
        return _core.Lattice.from_arrays(
            min_support=min_support,
            stop=stop,
            supports=self.supports.astype(np.uint32),
            deltas=deltas.astype(np.uint32),
            intent_offsets=np.ascontiguousarray(self.intents[0], dtype=np.int64),
            intents=np.ascontiguousarray(self.intents[1], dtype=np.uint32),
            lower_offsets=lower_covers[0],
            lower=lower_covers[1],
        )


class Nodes(Found):
    """Nodes of the search tree; see `conceptrank.faces.Subtrees`.

    Parameters
    ----------
    context, intents, threads
        As for `Found`.
    supports, deltas
        The largest ones of a concept at or below each node.
    longest
        The largest number of attributes.
    bottom
        Whether the concept of all attributes can be there.
    min_support
        The least number of objects of a concept that counts.
    marks, sums
        Arrays of numbers per object, and the largest sums over an extent below each node.
    """

    def __init__(
        self,
        context: Context,
        intents: Lists,
        supports: NDArray[np.int64],
        deltas: NDArray[np.int64],
        threads: int = 0,
        *,
        longest: NDArray[np.int64],
        bottom: NDArray[np.bool_],
        min_support: int,
        marks: Marks | None = None,
        sums: NDArray[np.uint32] | None = None,
    ) -> None:
        super().__init__(context, intents, supports, deltas, threads, marks=marks, sums=sums)
        self._longest = longest
        self.bottom = bottom
        self.min_support = min_support
        # Whether a bound used the lengths; computing them takes the core some time.
        self.used_longest: bool = False

    @property
    def longest(self) -> NDArray[np.int64]:
        """The largest number of attributes."""
        self.used_longest = True
        return self._longest
