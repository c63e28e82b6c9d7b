"""`Implications`: rules without exceptions, what follows from them, and where they fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lists import Lists, Numbers
from conceptrank._util.names import Names
from conceptrank._util.text import counted
from conceptrank.budget import support_threshold
from conceptrank.context import Context
from conceptrank.rules.applied import Applied

_SHOWN = 10


class Implication(NamedTuple):
    """An implication: every object with the premise has the conclusion."""

    premise: tuple[str, ...]
    conclusion: tuple[str, ...]

    def __str__(self) -> str:
        return f"{_text.braces(self.premise)} → {_text.braces(self.conclusion)}"


class CounterExample(NamedTuple):
    """An implication that fails, and the objects that have its premise and not its conclusion."""

    implication: Implication
    objects: tuple[str, ...]


class Implications:
    """Implications between sets of attributes.

    Parameters
    ----------
    attributes
        The names of all attributes, in order.
    pairs
        Premises and conclusions.

    Raises
    ------
    UnknownNameError
        If a name in a premise or a conclusion is not an attribute.

    Examples
    --------
    >>> birds = Implications(["flies", "feathers", "eggs"], [(["flies"], ["feathers"])])
    >>> birds
    1 implication between 3 attributes
    {flies} → {feathers}
    >>> birds.closure(["flies", "eggs"])
    ('flies', 'feathers', 'eggs')
    >>> birds.entails(["eggs"], ["flies"])
    False
    """

    def __init__(
        self,
        attributes: Iterable[str],
        pairs: Iterable[tuple[str | Iterable[str], str | Iterable[str]]] = (),
    ) -> None:
        self._names = Names("attribute", attributes)
        both = [tuple(map(self._names.numbers, pair)) for pair in pairs]
        self._premises = _lists.joined([premise for premise, _ in both])
        self._conclusions = _lists.joined([conclusion for _, conclusion in both])

    @classmethod
    def from_numbers(
        cls, attributes: Iterable[str], premises: Lists, conclusions: Lists
    ) -> Implications:
        """Return implications from attribute numbers, as offsets and values.

        Examples
        --------
        >>> first, second = np.array([0], dtype=np.uint32), np.array([1], dtype=np.uint32)
        >>> Implications.from_numbers("ab", _lists.joined([first]), _lists.joined([second]))
        1 implication between 2 attributes
        {a} → {b}
        """
        self = cls(attributes)
        self._premises, self._conclusions = premises, conclusions
        return self

    @classmethod
    def of(cls, context: Context, *, min_support: float = 0) -> Implications:
        """Return the Duquenne–Guigues basis of a context; no lattice is built.

        Parameters
        ----------
        context
            The context.
        min_support
            The least number of objects of a premise; a float is a share of all objects.

        Examples
        --------
        >>> import conceptrank as cr
        >>> Implications.of(cr.datasets.load("movies"), min_support=3)
        2 implications between 7 attributes
        {adventure, drama} → {criminal}
        {criminal, drama} → {adventure}
        """
        least = support_threshold(min_support, context.shape[0])
        basis = _core.duquenne_guigues(context.core, min_support=least)
        every = np.arange(len(basis.supports), dtype=np.uint32)
        conclusions = _core.differences(basis.closures, every, basis.premises, every)
        return cls.from_numbers(context.attributes, basis.premises, conclusions)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return self._names.labels

    @cached_property
    def core(self) -> _core.Implications:
        """The compiled implications that the functions of the core take."""
        return _core.Implications(self._premises, self._conclusions, len(self._names))

    def closure(self, attributes: str | Iterable[str]) -> tuple[str, ...]:
        """Return some attributes and everything that follows from them.

        Examples
        --------
        >>> Implications("abc", [("a", "b"), (["b"], ["c"])]).closure("a")
        ('a', 'b', 'c')
        """
        return self._names.of(self._closed(self._names.numbers(attributes)).tolist())

    def _closed(self, attributes: Numbers) -> Numbers:
        return self.core.close(_lists.joined([attributes]))[1]

    def entails(self, premise: str | Iterable[str], conclusion: str | Iterable[str]) -> bool:
        """Return whether an implication follows from these.

        Examples
        --------
        >>> chain = Implications("abc", [("a", "b"), ("b", "c")])
        >>> chain.entails("a", "c"), chain.entails("c", ["a", "b"])
        (True, False)
        """
        wanted = self._names.numbers(conclusion)
        return bool(np.isin(wanted, self._closed(self._names.numbers(premise))).all())

    def follows(self, others: Implications) -> list[bool]:
        """Return for each of some other implications whether it follows from these.

        Examples
        --------
        >>> chain = Implications("abc", [("a", "b"), ("b", "c")])
        >>> chain.follows(Implications("abc", [("a", "c"), ("c", "a")]))
        [True, False]
        """
        if self._names.labels != others._names.labels:
            moved = Implications(self.attributes, others)
            premises, conclusions = moved._premises, moved._conclusions
        else:
            premises, conclusions = others._premises, others._conclusions
        closed = self.core.close(premises)
        every = np.arange(len(premises[0]) - 1, dtype=np.uint32)
        missing = _core.differences(conclusions, every, closed, every)
        return [size == 0 for size in np.diff(missing[0]).tolist()]

    def equivalent(self, other: Implications) -> bool:
        """Return whether the same follows from these as from others.

        Examples
        --------
        >>> one = Implications("abc", [("a", "b"), ("b", "c")])
        >>> two = Implications("abc", [("b", "c"), ("a", ["b", "c"])])
        >>> one.equivalent(two)
        True
        """
        return all(self.follows(other)) and all(other.follows(self))

    def redundant(self) -> tuple[Implication, ...]:
        """Return the implications to leave out so that none follows from the others.

        Examples
        --------
        >>> chain = Implications("abc", [("a", "c"), ("a", "b"), ("b", "c")])
        >>> [str(each) for each in chain.redundant()]
        ['{a} → {c}']
        """
        kept = self.core.irredundant()
        return tuple(each for each, keep in zip(self, kept.tolist(), strict=True) if not keep)

    def irredundant(self) -> Implications:
        """Return equivalent implications none of which follows from the others.

        Examples
        --------
        >>> len(Implications("abc", [("a", "c"), ("a", "b"), ("b", "c")]).irredundant())
        2
        """
        kept = np.flatnonzero(self.core.irredundant())
        return self.from_numbers(
            self.attributes, _lists.take(self._premises, kept), _lists.take(self._conclusions, kept)
        )

    def counter_examples(self, context: Context, *, most: int = 5) -> tuple[CounterExample, ...]:
        """Return the implications that don't hold in a context, and objects that show it.

        Parameters
        ----------
        context
            A context with all these attributes.
        most
            The largest number of objects to name for each.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> claim = Implications(movies.attributes, [("adventure", "criminal")])
        >>> for implication, objects in claim.counter_examples(movies):
        ...     print(implication, objects)
        {adventure} → {criminal} ('1',)
        """
        found = []
        table = context.core
        for each in self:
            premise = context.attribute_names.numbers(each.premise)
            both = np.union1d(premise, context.attribute_names.numbers(each.conclusion))
            objects = table.extension(premise)
            having = table.extension(both.astype(np.uint32))
            if len(objects) > len(having):
                failing = np.setdiff1d(objects, having, assume_unique=True)[:most]
                found.append(CounterExample(each, context.object_names.of(failing.tolist())))
        return tuple(found)

    def apply(self, rows: object, *, absent: str = "error", threads: int = 0) -> Applied:
        """Apply the implications to rows: which rows have a premise and lack the conclusion.

        Parameters
        ----------
        rows, absent, threads
            As for `Context.match`.

        Examples
        --------
        >>> birds = Implications(["flies", "feathers"], [("flies", "feathers")])
        >>> birds.apply({"duck": ["flies", "feathers"], "bat": ["flies"]})
        1 rule applied to 2 rows: 1 violated
        {flies} → {feathers}: 1 of 2 rows
        """
        return Applied(
            self._names, self._premises, self._conclusions, rows, absent=absent, threads=threads
        )

    def holds_in(self, context: Context) -> bool:
        """Return whether all of them hold in a context.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> movies.lattice().rules("generic").implications.holds_in(movies)
        True
        """
        return not self.counter_examples(context, most=1)

    def complete_for(self, context: Context) -> bool:
        """Return whether every implication that holds in a context follows from these.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> basis = movies.lattice().rules("duquenne_guigues").implications
        >>> basis.complete_for(movies), Implications(movies.attributes).complete_for(movies)
        (True, False)
        """
        return all(self.follows(self.of(context)))

    def __len__(self) -> int:
        return len(self._premises[0]) - 1

    def __iter__(self) -> Iterator[Implication]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, place: int) -> Implication:
        place = range(len(self))[place]
        return Implication(self._part(self._premises, place), self._part(self._conclusions, place))

    def _part(self, lists: Lists, place: int) -> tuple[str, ...]:
        return self._names.of(_lists.at(lists, place).tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Implications):
            return NotImplemented
        return self.attributes == other.attributes and set(self) == set(other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        n, q = len(self), len(self._names)
        lines = [f"{counted(n, 'implication')} between {q:,} attributes"]
        lines += [str(self[place]) for place in range(min(n, _SHOWN))]
        if n > _SHOWN:
            lines.append(f"… {n - _SHOWN:,} more")
        return "\n".join(lines)
