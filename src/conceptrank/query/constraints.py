"""`Constraints`: which concepts count, and the constraints that follow from a condition."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.lists import Numbers, take
from conceptrank._util.rounding import ROUNDING
from conceptrank.budget import Budget, Progress, support_threshold

if TYPE_CHECKING:
    from conceptrank.concepts import Concepts
    from conceptrank.context import Context
    from conceptrank.query.conditions import ConditionLike


class ConstraintOptions(TypedDict, total=False):
    """The keywords that constrain concepts, a minimum support aside; see `Constraints`."""

    contains: str | Iterable[str]
    excludes: str | Iterable[str]
    any_of: str | Iterable[str]
    objects: str | Iterable[str]
    max_support: float | None
    min_intent: int
    max_intent: int | None
    where: ConditionLike | None


class SearchOptions(ConstraintOptions, total=False):
    """The keywords of every search: constraints, minimum support and limits."""

    min_support: float
    threads: int
    budget: Budget | None
    progress: Progress | None


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """Which concepts count.

    Parameters
    ----------
    contains
        Attributes that every intent has.
    excludes
        Attributes that no intent has.
    any_of
        Attributes of which every intent has at least one; no constraint if there are none.
    objects
        Objects that every extent has.
    min_support, max_support
        The least and the largest number of objects; a float is a share of all objects.
    min_intent, max_intent
        The least and the largest number of attributes.

    Examples
    --------
    >>> Constraints(contains=["drama"], max_intent=2)
    Constraints(contains=('drama',), max_intent=2)
    """

    contains: str | Iterable[str] = ()
    excludes: str | Iterable[str] = ()
    any_of: str | Iterable[str] = ()
    objects: str | Iterable[str] = ()
    min_support: float = 0
    max_support: float | None = None
    min_intent: int = 0
    max_intent: int | None = None

    def __post_init__(self) -> None:
        for name in ("contains", "excludes", "any_of", "objects"):
            given = getattr(self, name)
            names = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, names)
        for name in ("min_intent", "max_intent"):
            size = getattr(self, name)
            if size is not None and (isinstance(size, bool) or size != int(size) or size < 0):
                raise ValueError(f"{name} must be a whole number that is not negative, got {size}")

    @property
    def given(self) -> dict[str, Any]:
        """The constraints that there are."""
        return {
            name: getattr(self, name)
            for name, field in self.__dataclass_fields__.items()
            if getattr(self, name) != field.default
        }

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.given.items())
        return f"Constraints({', '.join(given)})"

    @property
    def is_plain(self) -> bool:
        """Whether nothing but a minimum support constrains concepts."""
        return not self.given.keys() - {"min_support"}

    def least_support(self, context: Context) -> int:
        """Return the minimum support as a number of objects."""
        return support_threshold(self.min_support, context.shape[0])

    def for_core(self, context: Context, *, shared: Iterable[str] = ()) -> _core.Constraints:
        """Return the constraints as numbers.

        Parameters
        ----------
        context
            The context.
        shared
            Attributes that each have the minimum support among the objects of every extent.

        Raises
        ------
        UnknownNameError
            If an attribute or object is not in the context.
        """
        n, _ = context.shape
        names = context.attribute_names
        most = self.max_support
        return _core.Constraints(
            contains=names.numbers(self.contains),
            forbidden=self._forbidden(context),
            any_of=names.numbers(self.any_of),
            min_support=self.least_support(context),
            max_support=None if most is None else _most_support(most, n),
            min_intent=int(self.min_intent),
            max_intent=None if self.max_intent is None else int(self.max_intent),
            shared=names.numbers(shared),
        )

    def _forbidden(self, context: Context) -> Numbers:
        """Return the attributes that are excluded, or that not all of the objects have."""
        forbidden = context.attribute_names.numbers(self.excludes)
        if not self.objects:
            return forbidden
        common = context.core.intension(context.object_names.numbers(self.objects))
        everything = np.arange(context.shape[1], dtype=np.uint32)
        others = np.setdiff1d(everything, common, assume_unique=True)
        return np.union1d(forbidden, others).astype(np.uint32)

    def met(self, concepts: Concepts) -> NDArray[np.bool_]:
        """Return which concepts meet the constraints.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=5)
        >>> Constraints(contains="criminal", max_support=7).met(lattice).tolist()
        [False, False, False, True, False]
        """
        context = concepts.context
        n, q = context.shape
        names = context.attribute_names
        offsets, values = concepts.intents
        owners = np.repeat(np.arange(len(concepts)), np.diff(offsets))

        def having(attributes: Numbers) -> NDArray[np.int64]:
            return np.bincount(owners[np.isin(values, attributes)], minlength=len(concepts))

        wanted = np.unique(names.numbers(self.contains))
        met: NDArray[np.bool_] = having(wanted) == len(wanted)
        met &= having(self._forbidden(context)) == 0
        if self.any_of:
            met &= having(names.numbers(self.any_of)) > 0
        met &= concepts.supports >= self.least_support(context)
        if self.max_support is not None:
            met &= concepts.supports <= _most_support(self.max_support, n)
        met &= np.diff(offsets) >= self.min_intent
        met &= np.diff(offsets) <= _or(self.max_intent, q)
        return met

    def table(self, context: Context) -> _core.Table:
        """Return the part of the table whose objects may be in the extent of a concept that counts.

        Such a concept has the same objects, and the same concepts below it, in both tables.
        """
        whole, names = context.core, context.attribute_names
        if not (self.contains or self.any_of or self.min_intent):
            return whole
        distinct, weights = whole.distinct_rows()
        places = np.arange(len(weights))
        if self.contains:
            objects = whole.extension(names.numbers(self.contains))
            places = np.unique(whole.row_of_object()[objects])
        rows = take(distinct, places.astype(np.int64))
        kept = np.diff(rows[0]) >= self.min_intent
        if self.any_of:
            wanted = np.zeros(context.shape[1], dtype=np.int64)
            wanted[names.numbers(self.any_of)] = 1
            counts = np.concatenate(([0], np.cumsum(wanted[rows[1]])))
            kept &= counts[rows[0][1:]] > counts[rows[0][:-1]]
        if not kept.all():
            places, rows = places[kept], take(rows, np.flatnonzero(kept))
        return _core.Table(rows, context.shape[1], weights[places])

    def tightened(self, text: str, context: Context) -> tuple[Constraints, list[Limit]]:
        """Return the constraints with what a condition adds to them, and its limits on measures.

        All of these have to hold for the condition to hold; it may say more.

        Parameters
        ----------
        text
            The condition, as `Condition` reads it.
        context
            The context.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> text = "3 <= support < 8 and 'drama' in intent and stability > 0.5 and cr < support"
        >>> tightened, limits = Constraints().tightened(text, movies)
        >>> tightened
        Constraints(contains=('drama',), min_support=3, max_support=8)
        >>> limits
        [Limit('stability', '>', 0.5)]
        """
        n, q = context.shape
        result = replace(
            self,
            min_support=self.least_support(context),
            max_support=None if self.max_support is None else _most_support(self.max_support, n),
        )
        limits: list[Limit] = []
        for part in _conjuncts(ast.parse(f"({text}\n)", mode="eval").body):
            match part:
                case Limit("support", operator, value):
                    low, high = _between(operator, value, n)
                    result = replace(
                        result,
                        min_support=max(int(result.min_support), low),
                        max_support=min(_or(result.max_support, n), high),
                    )
                case Limit("intent_size", operator, value):
                    low, high = _between(operator, value, q)
                    result = replace(
                        result,
                        min_intent=max(result.min_intent, low),
                        max_intent=min(_or(result.max_intent, q), high),
                    )
                case Limit():
                    limits.append(part)
                case (name, "in", "intent"):
                    result = replace(result, contains=(*result.contains, name))
                case (name, "not in", "intent"):
                    result = replace(result, excludes=(*result.excludes, name))
                case (name, "in", "extent"):
                    result = replace(result, objects=(*result.objects, name))
        return result, limits


@dataclass(frozen=True)
class Limit:
    """A measure, a comparison and a number, as a condition has them."""

    measure: str
    operator: str
    value: float

    def __repr__(self) -> str:
        return f"Limit({self.measure!r}, {self.operator!r}, {self.value})"


_OPERATORS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _conjuncts(node: ast.expr) -> Iterator[Limit | tuple[str, str, str]]:
    """Go through the simple conditions that all have to hold."""
    match node:
        case ast.BoolOp(ast.And(), values):
            for each in values:
                yield from _conjuncts(each)
        case ast.BinOp(left, ast.BitAnd(), right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case ast.Compare(ast.Constant(str() as name), [op], [ast.Name(side)]) if isinstance(
            op, ast.In | ast.NotIn
        ):
            yield name, "in" if isinstance(op, ast.In) else "not in", side
        case ast.Compare(left, ops, comparators):
            operands = [left, *comparators]
            for place, op in enumerate(ops):
                operator = _OPERATORS.get(type(op))
                if operator is None:
                    continue
                first, second = operands[place], operands[place + 1]
                if isinstance(first, ast.Name) and (value := _number(second)) is not None:
                    yield Limit(first.id, operator, value)
                elif isinstance(second, ast.Name) and (value := _number(first)) is not None:
                    yield Limit(second.id, _MIRRORED[operator], value)


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(bool()):
            return None
        case ast.Constant(int() | float() as value):
            return float(value)
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -float(value)
    return None


def _between(operator: str, value: float, most: int) -> tuple[int, int]:
    """Return the least and the largest whole number from 0 to `most` that a comparison allows.

    Numbers that are equal but for rounding are equal, as in conditions.
    """
    value = min(max(value, -1.0), most + 1.0)
    slack = 2 * ROUNDING * abs(value)
    if operator in (">=", ">"):
        return max(ceil(value - slack), 0), most
    return 0, max(floor(value + slack), 0)


def _most_support(max_support: float, n_objects: int) -> int:
    """Return a maximum support as a number of objects."""
    if isinstance(max_support, float) and 0 <= max_support <= 1:
        from fractions import Fraction

        # The share as it is written, not the nearest float.
        return floor(Fraction(repr(max_support)) * n_objects)
    return support_threshold(max_support, n_objects)


def _or(value: float | None, default: int) -> int:
    return default if value is None else int(value)
