"""`Query`, `Parameters` and `Source`: requests of the page; invalid ones get an error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, get_args

from conceptrank.errors import ConceptRankError

if TYPE_CHECKING:
    import polars as pl

Limits: TypeAlias = tuple[float | None, float | None]
View: TypeAlias = Literal["near", "below", "above", "top", "iceberg"]
Scale: TypeAlias = Literal["values", "ranks"]
Answer: TypeAlias = dict[str, Any]
Value = TypeVar("Value")

MOST_ROWS = 1_000
# The most sort keys.
MOST_KEYS = 8
# More nodes can't be distinguished in a drawing.
MOST_NODES = 500
MOST_OBJECTS = 5_000
# The most sets of attributes in one request.
MOST_SETS = 16
# The most rows of a diverse table, and the most concepts that are considered for them.
MOST_DIVERSE = 100
MOST_LOOKED_AT = 3_000
# A longer text in the search box is refused.
MOST_LETTERS = 20_000

_TERM = re.compile(r'(-?)(?:(attribute|object):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)


class BadQueryError(ConceptRankError, ValueError):
    """A request is invalid."""


@dataclass(frozen=True)
class Query:
    """A selection of concepts and their order.

    Examples
    --------
    >>> Query("cr", True, "drama", {"support": (2, None)}).limits
    {'support': (2, None)}
    """

    sort: str
    descending: bool
    search: str = ""
    limits: Mapping[str, Limits] = field(default_factory=dict)
    # Measures that break ties, in this order, each with whether large scores come first.
    then: tuple[tuple[str, bool], ...] = ()
    # Whether to leave out concepts that share most of their objects with a better one.
    diverse: bool = False

    @property
    def sorting(self) -> tuple[tuple[str, bool], ...]:
        """The sort keys: measures, each with whether large scores come first."""
        return ((self.sort, self.descending), *self.then)

    @property
    def key(self) -> str:
        """A text that is the same for the same query."""
        return json.dumps([self.sorting, self.search, sorted(self.limits.items()), self.diverse])


@dataclass(frozen=True)
class Term:
    """A word of the search.

    `whole` is whether it was quoted, and `side` where to look: attribute, object, or any.
    """

    text: str
    negated: bool
    whole: bool
    side: str

    def matching(self, names: Sequence[str], most: int | None = None) -> list[int]:
        """Return the numbers of the names that are meant.

        Examples
        --------
        >>> (term,) = terms("DRA")
        >>> term.matching(["drama", "comedy", "hydra"])
        [0, 2]
        """
        equal, containing = [], []
        for number, name in enumerate(names):
            text = name.lower()
            if self.whole:
                text = text.replace('"', " ")
            if text == self.text:
                equal.append(number)
            elif self.text in text:
                containing.append(number)
        if self.whole and equal:
            return equal
        every = equal + containing
        return every if most is None or len(every) <= most else equal


def terms(search: str) -> list[Term]:
    """Return the words of a search.

    Examples
    --------
    >>> [(t.text, t.negated, t.whole, t.side) for t in terms('-drama object:"A b" x')]
    [('drama', True, False, 'any'), ('a b', False, True, 'object'), ('x', False, False, 'any')]
    """
    found = []
    for match in _TERM.finditer(search):
        minus, side, quoted, bare = match.groups()
        text = (bare if quoted is None else quoted).lower()
        if text:
            whole = quoted is not None
            found.append(Term(text, minus == "-", whole, (side or "any").lower()))
    return found


class Source(Protocol):
    """The interface of what answers the page: a lattice in memory or a folder of a run."""

    @property
    def keys(self) -> Collection[str]:
        """The measures."""
        ...

    def __len__(self) -> int: ...

    def meta(self) -> Answer:
        """Return the facts about all concepts: names, numbers, measures."""
        ...

    def extended(self) -> Source:
        """Return a source with more concepts, if `meta()["more"]` says that there are more."""
        ...

    def summary(self) -> Answer:
        """Return the short list."""
        ...

    def rows(self, query: Query, offset: int, limit: int) -> Answer:
        """Return some rows of the table and the number of all rows."""
        ...

    def place(self, query: Query, concept: int) -> int:
        """Return the position of a concept in the table; -1 if it does not match the query."""
        ...

    def concept(self, concept: int, objects: int) -> Answer:
        """Return the details of a concept, with the names of its first objects."""
        ...

    def suborder(self, query: Query, view: View, concept: int, most: int) -> Answer:
        """Return a part of the order to draw."""
        ...

    def facets(self, query: Query) -> Answer:
        """Return the number of matching concepts with each attribute."""
        ...

    def cloud(self, query: Query, x: str, y: str, scale: Scale) -> Answer:
        """Return the points or cells of a plot of two measures."""
        ...

    def rules(self, basis: str) -> Answer:
        """Return the rules of a basis that the page lists."""
        ...

    def closed(self, sets: Sequence[Sequence[int]]) -> list[Answer]:
        """Return the concepts that sets of attributes generate."""
        ...

    def csv(self, query: Query, columns: Sequence[str], *, extents: bool = False) -> Iterator[str]:
        """Return the table as CSV in pieces, optionally with the objects of each concept."""
        ...

    def frame(self, query: Query, columns: Sequence[str], *, extents: bool = False) -> pl.DataFrame:
        """Return the table as a frame, with lists of names."""
        ...


class Parameters:
    """The parameters of a request, each checked when it is read.

    Parameters
    ----------
    given
        Names and texts.
    source
        Who will answer: it knows the measures and the number of concepts.
    """

    def __init__(self, given: Mapping[str, str], source: Source) -> None:
        self._given = given
        self.source = source

    def text(self, name: str) -> str:
        """Return a parameter as a text."""
        if name not in self._given:
            raise BadQueryError(f"the parameter {name} is missing")
        return self._given[name]

    def integer(self, name: str, least: int, most: int) -> int:
        """Return a number within limits."""
        text = self.text(name)
        if not re.fullmatch(r"-?[0-9]{1,15}", text) or not least <= int(text) <= most:
            raise BadQueryError(f"{name} must be a whole number from {least:,} to {most:,}")
        return int(text)

    def one_of(self, name: str, known: Collection[str]) -> str:
        """Return one of some words."""
        text = self.text(name)
        if text not in known:
            raise BadQueryError(f"{name} must be one of {', '.join(known)}")
        return text

    def concept(self) -> int:
        """Return the number of a concept."""
        return self.integer("id", 0, len(self.source) - 1)

    def view(self) -> View:
        """Return the kind of part to draw."""
        return self.one_of("view", get_args(View))  # type: ignore[return-value]

    def scale(self) -> Scale:
        """Return the scale of the axes."""
        return self.one_of("scale", get_args(Scale))  # type: ignore[return-value]

    def query(self) -> Query:
        """Return the selection of concepts and their order."""
        search = self.text("search")
        if len(search) > MOST_LETTERS:
            raise BadQueryError(f"the search is longer than {MOST_LETTERS:,} letters")
        return Query(
            sort=self.one_of("sort", self.source.keys),
            descending=self.one_of("descending", ("true", "false")) == "true",
            search=search,
            limits=self._json("limits", self._limits),
            then=self._json("then", self._then),
            diverse=self.flag("diverse"),
        )

    def flag(self, name: str) -> bool:
        """Return whether a parameter is true; it may be left out."""
        return name in self._given and self.one_of(name, ("true", "false")) == "true"

    def sets(self) -> list[list[int]]:
        """Return sets of attributes."""
        return self._json("sets", self._sets)

    def columns(self) -> list[str]:
        """Return the measures to write."""
        return self._json("columns", self._columns)

    def _json(self, name: str, read: Callable[[Any], Value]) -> Value:
        try:
            return read(json.loads(self.text(name)))
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise BadQueryError(f"{name} is not what it must be") from None

    def _limits(self, given: Any) -> dict[str, Limits]:
        found: dict[str, Limits] = {}
        for key, (low, high) in given.items():
            if key not in self.source.keys or not all(map(_is_limit, (low, high))):
                raise ValueError
            found[key] = (low, high)
        return found

    def _then(self, given: Any) -> tuple[tuple[str, bool], ...]:
        found = []
        for key, descending in given:
            if key not in self.source.keys or not isinstance(descending, bool):
                raise ValueError
            found.append((key, descending))
        return tuple(found[:MOST_KEYS])

    def _sets(self, given: Any) -> list[list[int]]:
        size = len(self.source.meta()["attributes"])
        if not isinstance(given, list) or len(given) > MOST_SETS:
            raise ValueError
        for each in given:
            if not isinstance(each, list) or not all(_is_number(m, size) for m in each):
                raise ValueError
        return given

    def _columns(self, given: Any) -> list[str]:
        if not isinstance(given, list) or not all(key in self.source.keys for key in given):
            raise ValueError
        return given


def _is_number(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def _is_limit(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
