"""Parts of a concept lattice that can be drawn: some concepts, ordered as they are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lists import Numbers
from conceptrank.budget import support_threshold
from conceptrank.concept import Concept
from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry

if TYPE_CHECKING:
    from conceptrank.measures.registry import MeasureLike
    from conceptrank.ranking import Ranking

# The order of more concepts than this takes too much memory, and a drawing would be unreadable.
MOST = 2_000

Labels: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class SubOrder:
    """Some concepts with the order that they have in the concept lattice.

    What covers what is recomputed among them: a line that would pass a concept that is not there
    goes to the next one that is.

    Parameters
    ----------
    concepts
        A lattice or a batch that they are from.
    places
        Their places there, ascending.
    title
        What they are, in words.
    focus
        The number of the concept that the part is about, if there is one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> part = SubOrder.top(lattice.rank("cr", then="stability"), 4)
    >>> part.intents
    (('adventure', 'criminal'), ('drama',), ('criminal', 'fantasy'), ('action', 'drama'))
    >>> part.covers.tolist()
    [[3, 1]]
    """

    concepts: Concepts
    places: NDArray[np.int64]
    title: str
    focus: int | None = None

    def __post_init__(self) -> None:
        if len(self.places) > MOST:
            raise BudgetExceeded(
                f"{self.title}: {len(self.places):,} concepts, of which at most {MOST:,} can be "
                "ordered at once; choose a smaller part"
            )

    @classmethod
    def whole(cls, lattice: Lattice) -> SubOrder:
        """Return all concepts of a lattice.

        Examples
        --------
        >>> import conceptrank as cr
        >>> SubOrder.whole(cr.datasets.load("movies").lattice())
        <SubOrder of 20 concepts: all concepts>
        """
        title = "all concepts" if lattice.complete else "the concepts found"
        if lattice.min_support > 0:
            title = _at_least(lattice.min_support)
        return cls(lattice, np.arange(len(lattice)), title)

    @classmethod
    def of(
        cls, lattice: Lattice, places: Sequence[int] | NDArray[np.int64], title: str
    ) -> SubOrder:
        """Return the concepts with these places in a lattice, each once.

        Examples
        --------
        >>> import conceptrank as cr
        >>> SubOrder.of(cr.datasets.load("movies").lattice(), [3, 1, 3], "two of them").supports
        array([8, 7])
        """
        return cls(lattice, np.unique(np.asarray(places, dtype=np.int64)), title)

    @classmethod
    def iceberg(cls, lattice: Lattice, min_support: float) -> SubOrder:
        """Return the concepts with at least this many objects; a float is a share of all objects.

        Examples
        --------
        >>> import conceptrank as cr
        >>> SubOrder.iceberg(cr.datasets.load("movies").lattice(), 0.5)
        <SubOrder of 4 concepts: the concepts with at least 6 objects>
        """
        least = max(support_threshold(min_support, lattice.context.shape[0]), lattice.min_support)
        return cls(lattice, np.flatnonzero(lattice.supports >= least), _at_least(least))

    @classmethod
    def largest_iceberg(cls, lattice: Lattice, most: int) -> SubOrder:
        """Return the largest iceberg of at most `most` concepts.

        Examples
        --------
        >>> import conceptrank as cr
        >>> SubOrder.largest_iceberg(cr.datasets.load("movies").lattice(), 6)
        <SubOrder of 6 concepts: the concepts with at least 4 objects>
        """
        supports = lattice.supports
        if len(supports) <= most:
            return cls.whole(lattice)
        # Supports decrease, so all concepts with more objects than concept number `most` fit.
        return cls.iceberg(lattice, int(supports[most]) + 1)

    @classmethod
    def ideal(cls, lattice: Lattice, concept: Concept) -> SubOrder:
        """Return a concept and all concepts below it.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> SubOrder.ideal(lattice, lattice["drama"])
        <SubOrder of 6 concepts: the ideal of {drama}>
        """
        inside = _common(lattice, concept) == len(concept.intent_numbers)
        return cls._about(lattice, concept, inside, "the ideal of")

    @classmethod
    def filter(cls, lattice: Lattice, concept: Concept) -> SubOrder:
        """Return a concept and all concepts above it.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> SubOrder.filter(lattice, lattice["criminal", "drama"])
        <SubOrder of 6 concepts: the filter of {adventure, criminal, drama}>
        """
        inside = _common(lattice, concept) == lattice.intent_sizes
        return cls._about(lattice, concept, inside, "the filter of")

    @classmethod
    def _about(
        cls, lattice: Lattice, concept: Concept, inside: NDArray[np.bool_], what: str
    ) -> SubOrder:
        places = np.flatnonzero(inside)
        own = lattice.find(concept.intent_numbers, concept.support)
        focus = None if own is None else int(np.searchsorted(places, own))
        return cls(lattice, places, f"{what} {_text.braces(concept.intent)}", focus)

    @classmethod
    def neighbourhood(
        cls, concept: Concept, *, radius: int = 1, min_support: float = 0, most: int = MOST
    ) -> SubOrder:
        """Return a concept and those a few covers away; no lattice is needed.

        Parameters
        ----------
        concept
            The concept in the middle.
        radius
            How many steps to go, up or down at each of them.
        min_support
            The least number of objects of a concept; a float is a share of all objects.
        most
            How many concepts there may be.

        Raises
        ------
        BudgetExceeded
            If there are more.

        Examples
        --------
        >>> import conceptrank as cr
        >>> concept = cr.datasets.load("movies").concept("criminal", "drama")
        >>> SubOrder.neighbourhood(concept).intents
        (('adventure', 'criminal'), ('drama',), ('adventure', 'criminal', 'drama'), ...
        """
        context = concept.context
        least = support_threshold(min_support, context.shape[0])
        title = f"the neighbourhood of {_text.braces(concept.intent)}"
        if radius != 1:
            title += f" within {radius} steps"
        found = edge = {concept}
        for _ in range(radius):
            beside = (other for each in edge for other in (*each.upper_covers, *each.lower_covers))
            edge = {other for other in beside if other.support >= least} - found
            found = found | edge
            if len(found) > most:
                raise BudgetExceeded(
                    f"{title} has more than {most:,} concepts; choose a larger minimum support, a "
                    "smaller radius or a larger limit"
                )
        ordered = sorted(found, key=lambda each: (-each.support, each.intent_numbers.tolist()))
        batch = Concepts(context, _lists.joined([each.intent_numbers for each in ordered]))
        return cls(batch, np.arange(len(ordered)), title, ordered.index(concept))

    @classmethod
    def top(cls, ranking: Ranking, k: int | None = None) -> SubOrder:
        """Return the first k concepts of a ranking, or all of them.

        Examples
        --------
        >>> import conceptrank as cr
        >>> SubOrder.top(cr.datasets.load("movies").lattice().rank("stability"), 5)
        <SubOrder of 5 concepts: the first 5 by stability>
        """
        order = ranking.order if k is None else ranking.order[:k]
        title = f"the first {len(order):,} by {ranking.by}"
        if ranking.selection is not None:
            title = f"{len(order):,} diverse ones by {ranking.by}"
        if ranking.recipe.where is not None:
            title += f" where {ranking.recipe.where}"
        return cls.of(ranking.lattice, order, title)

    @property
    def context(self) -> Context:
        """The context of the concepts."""
        return self.concepts.context

    @property
    def supports(self) -> NDArray[np.int64]:
        """The number of objects of each concept."""
        return self.concepts.supports[self.places]

    def score(self, measure: MeasureLike) -> Scores:
        """Return the scores of these concepts by a measure: a name, or one with parameters.

        Examples
        --------
        >>> import conceptrank as cr
        >>> SubOrder.whole(cr.datasets.load("movies").lattice(min_support=5)).score("cr")
        array([0. , 0.5, 0.5, 0.5, 0.5])
        """
        name, params = registry.split(measure)
        return registry.get(name).score(self.concepts, params)[self.places]

    @cached_property
    def intents(self) -> Labels:
        """The attributes of each concept."""
        return tuple(self.context.attribute_names.of(each.tolist()) for each in self._intents)

    @cached_property
    def _intents(self) -> list[Numbers]:
        offsets, values = _lists.take(self.concepts.intents, self.places)
        return np.split(values, offsets[1:-1]) if len(self) else []

    @cached_property
    def extents(self) -> list[Numbers]:
        """The numbers of the objects of each concept, ascending."""
        extension = self.context.core.extension
        return [extension(intent) for intent in self._intents]

    @cached_property
    def order(self) -> NDArray[np.bool_]:
        """Whether the concept of a row is strictly below that of a column."""
        from scipy.sparse import csr_array

        offsets, values = _lists.joined(self._intents)
        ones = np.ones(len(values), np.int64)
        crosses = csr_array((ones, values, offsets), (len(self), len(self.context.attributes)))
        # The number of attributes that any two of the concepts share.
        common = (crosses @ crosses.T).toarray()
        below: NDArray[np.bool_] = common == common.diagonal()[None, :]
        np.fill_diagonal(below, False)
        return below

    @cached_property
    def covers(self) -> NDArray[np.int64]:
        """Pairs of a concept and one that covers it among these, by their numbers here.

        Examples
        --------
        >>> import conceptrank as cr
        >>> SubOrder.whole(cr.datasets.load("movies").lattice(min_support=5)).covers.tolist()
        [[1, 0], [2, 0], [3, 1], [3, 2], [4, 0]]
        """
        below = self.order.astype(np.float32)
        return np.argwhere(self.order & (below @ below == 0))

    @cached_property
    def own_attributes(self) -> Labels:
        """The attributes of each concept that none of these above it has: reduced labels.

        Examples
        --------
        >>> import conceptrank as cr
        >>> part = SubOrder.whole(cr.datasets.load("movies").lattice(min_support=5))
        >>> part.own_attributes
        ((), ('adventure',), ('criminal',), (), ('drama',))
        """
        own = _own(self._intents, self.covers, len(self.context.attributes))
        return tuple(self.context.attribute_names.of(each.tolist()) for each in own)

    @cached_property
    def own_objects(self) -> list[Numbers]:
        """The numbers of the objects of each concept that none of these below it has.

        Examples
        --------
        >>> import conceptrank as cr
        >>> part = SubOrder.whole(cr.datasets.load("movies").lattice(min_support=5))
        >>> part.own_objects[3].tolist()
        [1, 4, 5, 6, 7, 9, 10]
        """
        return _own(self.extents, self.covers[:, ::-1], len(self.context.objects))

    def __len__(self) -> int:
        return len(self.places)

    def __repr__(self) -> str:
        return f"<SubOrder of {_text.counted(len(self), 'concept')}: {self.title}>"


def _own(sets: list[Numbers], pairs: NDArray[np.int64], size: int) -> list[Numbers]:
    """Return of each set what is in none of those that it is paired with, from `size` elements."""
    others: list[list[Numbers]] = [[] for _ in sets]
    for one, other in pairs.tolist():
        others[one].append(sets[other])
    found = []
    for own, beside in zip(sets, others, strict=True):
        left = np.ones(size, dtype=bool)
        for other in beside:
            left[other] = False
        found.append(own[left[own]])
    return found


def _at_least(support: int) -> str:
    return f"the concepts with at least {_text.counted(support, 'object')}"


def _common(lattice: Lattice, concept: Concept) -> NDArray[np.int64]:
    """Return how many attributes each concept of a lattice has in common with this one."""
    offsets, values = lattice.intents
    inside = np.zeros(len(lattice.context.attributes), dtype=np.int64)
    inside[concept.intent_numbers] = 1
    common: NDArray[np.int64] = _lists.reduced(np.add, (offsets, inside[values]), empty=0)
    return common
