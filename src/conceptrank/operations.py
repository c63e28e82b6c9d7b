"""Contexts out of contexts: parts, joins, duals, and the same lattice from a smaller table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from conceptrank import _lists
from conceptrank._lists import Lists
from conceptrank.errors import FormatError
from conceptrank.interchange import Conversions
from conceptrank.names import Names

if TYPE_CHECKING:
    from conceptrank import _core

_CELLS_AT_ONCE = 1 << 24


class Operations(Conversions):
    """What makes a context out of others; `Context` inherits it."""

    _objects: Names
    _attributes: Names
    _table: _core.Table

    def transpose(self) -> Self:
        """Return the dual context: attributes become objects, objects become attributes.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").transpose().shape
        (7, 11)
        """
        columns = _lists.transposed(self.rows(), len(self.attributes))
        return self.from_csr(self.attributes, self.objects, *columns)

    def complement(self) -> Self:
        """Return the context with crosses where this one has none.

        The names stay as they are: an attribute then stands for its absence.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "ab", [[True, True], [True, False]]).complement().to_pairs()
        [('2', 'b')]
        """
        offsets, values = self.rows()
        n, q = len(self.objects), len(self.attributes)
        found = []
        step = max(1, _CELLS_AT_ONCE // max(q, 1))
        for start in range(0, n, step):
            ends = offsets[start : start + step + 1]
            empty = np.ones((len(ends) - 1, q), dtype=np.bool_)
            lengths = np.diff(ends)
            empty[np.repeat(np.arange(len(lengths)), lengths), values[ends[0] : ends[-1]]] = False
            found.append(np.nonzero(empty)[1].astype(np.uint32))
        _, crosses = _lists.joined(found)
        rows = _lists.offsets_of(q - np.diff(offsets)), crosses
        return self.from_csr(self.objects, self.attributes, *rows)

    def select(
        self,
        *,
        objects: str | Iterable[str] | None = None,
        attributes: str | Iterable[str] | None = None,
    ) -> Self:
        """Return the part of the table with these objects and attributes, in this order.

        Parameters
        ----------
        objects, attributes
            The names to keep; all if None.

        Raises
        ------
        UnknownNameError
            If a name is not there; it says which names are near.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> movies.select(objects=["5", "2"], attributes=["drama", "criminal"]).to_pairs()
        [('5', 'drama'), ('5', 'criminal'), ('2', 'drama'), ('2', 'criminal')]
        """
        rows = self.rows()
        names, labels = self.objects, self.attributes
        if objects is not None:
            places = _places(self._objects, objects)
            names, rows = self._objects.of(places), _lists.take(rows, places)
        if attributes is not None:
            places = _places(self._attributes, attributes)
            columns = _lists.take(_lists.transposed(rows, len(labels)), places)
            labels, rows = self._attributes.of(places), _lists.transposed(columns, len(names))
        return self.from_csr(names, labels, *rows)

    def drop(
        self, *, objects: str | Iterable[str] = (), attributes: str | Iterable[str] = ()
    ) -> Self:
        """Return the table without these objects and attributes.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").drop(objects=["1", "2"], attributes="drama").shape
        (9, 6)
        """
        kept = []
        for names, dropped in ((self._objects, objects), (self._attributes, attributes)):
            mask = np.ones(len(names), dtype=np.bool_)
            mask[names.numbers(dropped)] = False
            kept.append(None if mask.all() else names.of(np.flatnonzero(mask).tolist()))
        return self.select(objects=kept[0], attributes=kept[1])

    def rename(
        self,
        *,
        objects: Mapping[str, str] | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the same table with other names.

        Parameters
        ----------
        objects, attributes
            From old names to new ones; names that aren't mentioned stay.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("1", "ab", [[True, True]]).rename(attributes={"a": "sweet"}).attributes
        ('sweet', 'b')
        """
        names = _renamed(self._objects, objects or {})
        return self.from_csr(names, _renamed(self._attributes, attributes or {}), *self.rows())

    def apposition(self, *others: Self) -> Self:
        """Return this context and others side by side: the attributes of all of them.

        All have the same objects, in any order; the order of this context is kept.

        Raises
        ------
        FormatError
            If the objects differ, or two attributes have one name.

        Examples
        --------
        >>> from conceptrank import Context
        >>> taste = Context(["cherry", "honey"], ["sweet"], [[True], [True]])
        >>> colour = Context(["honey", "cherry"], ["red"], [[False], [True]])
        >>> taste.apposition(colour).intension(["cherry"])
        ('sweet', 'red')
        """
        columns = [_lists.transposed(self.rows(), len(self.attributes))]
        for other in others:
            aligned = _aligned(other, self._objects, other._objects)
            columns.append(_lists.transposed(aligned.rows(), len(aligned.attributes)))
        labels = _disjoint("attribute", [part.attributes for part in (self, *others)])
        rows = _lists.transposed(_stacked(columns), len(self.objects))
        return self.from_csr(self.objects, labels, *rows)

    def subposition(self, *others: Self) -> Self:
        """Return this context and others one below the other: the objects of all of them.

        All have the same attributes, in any order; the order of this context is kept.

        Raises
        ------
        FormatError
            If the attributes differ, or two objects have one name.

        Examples
        --------
        >>> from conceptrank import Context
        >>> one = Context(["cherry"], ["sweet", "red"], [[True, True]])
        >>> two = Context(["honey"], ["red", "sweet"], [[False, True]])
        >>> one.subposition(two).to_pairs()
        [('cherry', 'sweet'), ('cherry', 'red'), ('honey', 'sweet')]
        """
        rows = [self.rows()]
        rows += [_aligned(other, self._attributes, other._attributes).rows() for other in others]
        names = _disjoint("object", [part.objects for part in (self, *others)])
        return self.from_csr(names, self.attributes, *_stacked(rows))

    def equal_objects(self) -> tuple[tuple[str, ...], ...]:
        """Return the classes of objects with the same attributes, those of one object left out.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("123", "ab", [[1, 0], [1, 1], [1, 0]]).equal_objects()
        (('1', '3'),)
        """
        classes = _classes(self.rows())
        return tuple(self._objects.of(members) for members in classes if len(members) > 1)

    def equal_attributes(self) -> tuple[tuple[str, ...], ...]:
        """Return the classes of attributes of the same objects, those of one attribute left out.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("12", "abc", [[1, 0, 1], [1, 1, 1]]).equal_attributes()
        (('a', 'c'),)
        """
        classes = _classes(_lists.transposed(self.rows(), len(self.attributes)))
        return tuple(self._attributes.of(members) for members in classes if len(members) > 1)

    def clarify(self, *, join: str | None = None) -> Self:
        """Return the context with one of all equal rows and one of all equal columns.

        The lattice stays the same but for names and supports. `equal_objects` and
        `equal_attributes` say what was merged.

        Parameters
        ----------
        join
            What to put between the names of the merged ones; if None, the first name is kept.

        Examples
        --------
        >>> from conceptrank import Context
        >>> context = Context("123", "abc", [[1, 0, 1], [1, 1, 1], [1, 0, 1]])
        >>> context.clarify().objects, context.clarify(join=" = ").attributes
        (('1', '2'), ('a = c', 'b'))
        """
        rows, columns = self.rows(), _lists.transposed(self.rows(), len(self.attributes))
        sides = [_classes(rows), _classes(columns)]
        first = [np.array([members[0] for members in side], dtype=np.int64) for side in sides]
        columns = _lists.take(columns, first[1])
        rows = _lists.take(_lists.transposed(columns, len(self.objects)), first[0])
        names = _merged(self._objects, sides[0], join)
        return self.from_csr(names, _merged(self._attributes, sides[1], join), *rows)

    def reducible_attributes(self) -> tuple[str, ...]:
        """Return the attributes that can go without a change of the lattice.

        These are all but the first of equal attributes, and every attribute whose objects are
        just those that some other attributes have in common. An attribute of all objects is one
        of them.

        Examples
        --------
        >>> from conceptrank import Context
        >>> context = Context("123", ["a", "b", "a and b"], [[1, 1, 1], [1, 0, 0], [0, 1, 0]])
        >>> context.reducible_attributes()
        ('a and b',)
        """
        return self._attributes.of(np.flatnonzero(_reducible(self)).tolist())

    def reducible_objects(self) -> tuple[str, ...]:
        """Return the objects that can go without a change of the lattice, but for supports.

        Examples
        --------
        >>> from conceptrank import Context
        >>> Context("123", "abc", [[1, 1, 0], [0, 1, 1], [0, 1, 0]]).reducible_objects()
        ('3',)
        """
        return self.transpose().reducible_attributes()

    def reduce(self) -> Self:
        """Return the smallest part of the table that has the same lattice, but for supports.

        It is clarified, and has no reducible objects and attributes.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> movies.reduce().shape, len(movies.lattice()) == len(movies.reduce().lattice())
        ((9, 7), True)
        """
        smaller = self.clarify()
        smaller = smaller.drop(attributes=smaller.reducible_attributes())
        return smaller.drop(objects=smaller.reducible_objects())


def _places(names: Names, wanted: str | Iterable[str]) -> NDArray[np.int64]:
    """Return the numbers of names, in the order of the names; each may be there once."""
    listed = [wanted] if isinstance(wanted, str) else list(wanted)
    numbers = names.numbers(listed).tolist()
    if len(numbers) != len(listed):
        twice = next(name for place, name in enumerate(listed) if name in listed[:place])
        raise FormatError(f"{names.kind} {twice!r} is selected twice")
    places = dict(zip(names.of(numbers), numbers, strict=True))
    return np.array([places[name] for name in listed], dtype=np.int64)


def _renamed(names: Names, changes: Mapping[str, str]) -> list[str]:
    names.numbers(changes)
    return [changes.get(label, label) for label in names.labels]


def _merged(names: Names, classes: list[list[int]], join: str | None) -> list[str]:
    if join is None:
        return [names.labels[members[0]] for members in classes]
    return [join.join(names.of(members)) for members in classes]


def _aligned(other: Operations, wanted: Names, found: Names) -> Operations:
    """Return a context with one side in the order of another context's."""
    if found.labels == wanted.labels:
        return other
    kind = wanted.kind
    for labels, known, who in (
        (found.labels, set(wanted.labels), "the first context has no"),
        (wanted.labels, set(found.labels), "a further context has no"),
    ):
        for name in labels:
            if name not in known:
                raise FormatError(
                    f"{who} {kind} {name!r}",
                    hint=f"the contexts need the same {kind}s: see Context.select",
                )
    if kind == "object":
        return other.select(objects=wanted.labels)
    return other.select(attributes=wanted.labels)


def _disjoint(kind: str, sides: Sequence[Sequence[str]]) -> list[str]:
    labels = [label for side in sides for label in side]
    if len(set(labels)) != len(labels):
        twice = next(label for place, label in enumerate(labels) if label in labels[:place])
        raise FormatError(
            f"two contexts have an {kind} {twice!r}",
            hint=f"rename one: context.rename({kind}s=...)",
        )
    return labels


def _stacked(parts: Sequence[Lists]) -> Lists:
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in parts])
    return _lists.offsets_of(lengths), np.concatenate([values for _, values in parts])


def _classes(lists: Lists) -> list[list[int]]:
    """Return the numbers of equal lists together, in the order of the first of each."""
    offsets, values = lists
    classes: dict[bytes, list[int]] = {}
    for number, (start, stop) in enumerate(pairwise(offsets.tolist())):
        classes.setdefault(values[start:stop].tobytes(), []).append(number)
    return list(classes.values())


def _reducible(context: Operations) -> NDArray[np.bool_]:
    """Say of every attribute whether it is equal to an earlier one, or the meet of others."""
    table, supports = context._table, context._table.attribute_supports()
    q = len(context.attributes)
    reducible = np.ones(q, dtype=np.bool_)
    seen = np.zeros(q, dtype=np.bool_)
    for m in range(q):
        if seen[m]:
            continue
        # The attributes that follow from m have all its objects; as many, if they are equal.
        following = table.closure(np.array([m], dtype=np.uint32))
        larger = supports[following] > supports[m]
        seen[following[~larger]] = True
        reducible[m] = table.support(following[larger]) == supports[m]
    return reducible
