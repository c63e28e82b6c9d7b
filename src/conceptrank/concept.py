"""`Concept`: one closed pattern, with its covers, generators and scores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank import faces
from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lists import Lists, Numbers
from conceptrank._util.text import counted
from conceptrank.concepts import Concepts
from conceptrank.faces import Side, checked_side

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from conceptrank.context import Context
    from conceptrank.lattice import Lattice

DEFAULT_GENERATOR_LIMIT = 10_000


class Concept:
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
        self.context: Context = context
        self.intent_numbers: Numbers = intent
        self._lattice = lattice
        self._index = index

    @cached_property
    def index(self) -> int | None:
        """The place in the lattice that the concept comes from, or None."""
        if self._index is not None or self._lattice is None:
            return self._index
        return self._lattice.find(self.intent_numbers, self.support)

    @property
    def extent_numbers(self) -> Numbers:
        """The numbers of the objects, ascending."""
        return self.context.core.extension(self.intent_numbers)

    @cached_property
    def intent(self) -> tuple[str, ...]:
        """The attributes; also called `attributes` and `intention`."""
        return self.context.attribute_names.of(self.intent_numbers.tolist())

    @property
    def attributes(self) -> tuple[str, ...]:
        """The same as `intent`."""
        return self.intent

    intention = attributes

    @cached_property
    def extent(self) -> tuple[str, ...]:
        """The objects; also called `objects` and `extension`."""
        return self.context.object_names.of(self.extent_numbers.tolist())

    @property
    def objects(self) -> tuple[str, ...]:
        """The same as `extent`."""
        return self.extent

    extension = objects

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which objects of the context are in the extent, for the rows of a frame.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").mask.nonzero()[0]
        array([1, 4, 5])
        """
        mask = np.zeros(len(self.context.object_names), dtype=np.bool_)
        mask[self.extent_numbers] = True
        return mask

    @cached_property
    def support(self) -> int:
        """The number of objects, counted with their weights."""
        return self.context.core.support(self.intent_numbers)

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
        return self._ordered(faces.upper_cover_intents(self.context, self.intent_numbers))

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
        return self._ordered(faces.lower_cover_intents(self.context, self.intent_numbers))

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
        ground = self.intent_numbers if checked_side(side) == "intent" else self.extent_numbers
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
        return self.context.attribute_names.of(np.sort(alone).tolist())

    def score(self, name: str, **params: Any) -> float:
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
        return float(self._alone.score(name, **params)[0])

    def exact(self, name: str, **params: Any) -> bool:
        """Return whether the score by a measure is exact; it is a bound or an estimate otherwise.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").exact("cr")
        True
        """
        return bool(self._alone.exact(name, **params)[0])

    def interval(self, name: str, **params: Any) -> tuple[float, float]:
        """Return an interval that contains the score; its width is 0 if the score is exact.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").concept("criminal", "drama").interval("stability")
        (0.75, 0.75)
        """
        low, high = self._alone.interval(name, **params)
        return float(low[0]), float(high[0])

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the concept and its neighbourhood as a line diagram, and return the axes.

        No lattice is needed.

        Parameters
        ----------
        ax
            The axes to draw on; those of a new figure if None.
        **options
            What to show and how: `radius`, `labels`, `colour`, `size`, `limit`; see
            `conceptrank.plot.diagram`, which also writes diagrams for Graphviz, LaTeX and other
            programs.

        Raises
        ------
        ConceptRankError
            If matplotlib is not installed, or there is too much to draw.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ax = cr.datasets.load("movies").concept("criminal", "drama").plot(labels="counts")
        """
        from conceptrank.plot import diagram

        return diagram(self, **options).draw(ax)

    @cached_property
    def _alone(self) -> Concepts:
        return Concepts.single(self)

    def _faces(self, side: Side) -> Lists:
        of_side = faces.intent_faces if side == "intent" else faces.extent_faces
        return of_side(self.context, self.intent_numbers)

    def _labelled(self, side: Side, sets: Lists) -> tuple[tuple[str, ...], ...]:
        names = self.context.attributes if side == "intent" else self.context.objects
        return _lists.labelled(_lists.by_size(sets), names)

    def _ordered(self, intents: list[Numbers]) -> tuple[Concept, ...]:
        """Return the concepts with these intents in the order of lattices."""
        covers = [Concept(self.context, intent, lattice=self._lattice) for intent in intents]
        return tuple(sorted(covers, key=lambda c: (-c.support, c.intent_numbers.tolist())))

    def __getstate__(self) -> dict[str, Any]:
        # Without its lattice, which would be pickled with each of its concepts.
        return {
            "context": self.context,
            "intent_numbers": self.intent_numbers,
            "_lattice": None,
            "_index": self.index,
        }

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter((self.extent, self.intent))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Concept):
            return NotImplemented
        same_intent = np.array_equal(self.intent_numbers, other.intent_numbers)
        return same_intent and self.context == other.context

    def __hash__(self) -> int:
        return hash((self.context.digest, self.intent_numbers.tobytes()))

    def __le__(self, other: Concept) -> bool:
        if not isinstance(other, Concept):
            return NotImplemented
        if self.context != other.context:
            raise ValueError("concepts of different contexts can't be compared")
        return bool(np.isin(other.intent_numbers, self.intent_numbers, assume_unique=True).all())

    def __lt__(self, other: Concept) -> bool:
        return self <= other and self != other

    def __repr__(self) -> str:
        objects = counted(self.support, "object")
        return f"<Concept {objects} {self._shown_extent()} × {_text.braces(self.intent)}>"

    def _shown_extent(self) -> str:
        """Return the first objects as a text."""
        numbers = self.extent_numbers
        shown = numbers[: _text.MOST_SHOWN].tolist()
        return _text.braces(self.context.object_names.of(shown), len(numbers))

    def _repr_html_(self) -> str:
        from conceptrank._util import html as _html

        faces = self.intent_faces[: _html.MOST_ROWS]
        rows = [
            ["extent", self._shown_extent()],
            ["intent", _text.braces(self.intent)],
            ["relevant attributes", _text.braces(self.relevant_attributes)],
            ["intent faces", " ".join(map(_text.braces, faces))],
        ]
        objects = counted(self.support, "object")
        return _html.table(["", ""], rows, caption=f"Concept of {objects}")
