"""`structure`: what the columns of a table say about each other, before any pattern is sought."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from conceptrank._util.lazy import pl
from conceptrank.budget import Watch, watched
from conceptrank.errors import BudgetExceeded
from conceptrank.scaling.ranked import Ranked, ranked
from conceptrank.scaling.relations import Relation, explained, implied, missing_together, relations
from conceptrank.scaling.sums import sums
from conceptrank.scaling.trends import Trend, trends

# The first columns of wider tables are compared.
_MOST_COLUMNS = 400
# A column that follows from another one in these ways rises or falls with it.
_ORDERED = {"equal", "formula", "order", "interval"}
_FOLLOWING = _ORDERED | {"value", "determined"}


@dataclass(frozen=True)
class Structure:
    """What the columns of a table say about each other.

    Parameters
    ----------
    relations
        The columns that repeat each other.
    trends
        The columns that rise or fall together.

    Examples
    --------
    >>> import polars as pl
    >>> sizes = [3, 8, 1, 9, 5, 7, 2, 4, 6, 10] * 5
    >>> print(structure(pl.DataFrame({"cm": sizes, "mm": [10 * size for size in sizes]})))
    mm = 10 × cm
    """

    relations: tuple[Relation, ...] = ()
    trends: tuple[Trend, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to tell, a sentence each: relations first."""
        told = [relation.sentence for relation in self.relations]
        return (*told, *(trend.sentence for trend in self.trends))

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @cached_property
    def told(self) -> frozenset[frozenset[str]]:
        """The pairs of columns that are related by a relation, by several, or by a trend."""
        direct = [one for one in self.relations if one.kind in ("sum", "explained", "implied")]
        pairs = {frozenset((one.columns[0], b)) for one in direct for b in one.columns[1:]}
        pairs |= {
            frozenset((a, b))
            for a, others in _following(self.relations, _FOLLOWING).items()
            for b in others
        }
        ordered = _following(self.relations, _ORDERED)
        for trend in self.trends:
            group = set(trend.columns).union(*(ordered.get(name, ()) for name in trend.columns))
            pairs |= set(map(frozenset, combinations(group, 2)))
        return frozenset(pairs)

    def tells(self, columns: Collection[str]) -> bool:
        """Return whether one of the columns is told to be related to each other one of them.

        Examples
        --------
        >>> once = Structure((Relation("determined", ("id", "sex", "age"), ""),))
        >>> once.tells({"id", "sex", "age"}), once.tells({"sex", "age"})
        (True, False)
        """
        return any(all(a == b or frozenset((a, b)) in self.told for b in columns) for a in columns)


def structure(frame: pl.DataFrame, *, watch: Watch | None = None) -> Structure:
    """Return the columns that repeat each other, and those that rise or fall together.

    Parameters
    ----------
    frame
        The raw table. At most its first 400 columns are compared.
    watch
        When its budget ends, the result has what was found until then.
    """
    found: list[Relation] = []
    rising: list[Trend] = []

    def left(columns: Iterable[Ranked], kinds: Collection[str] = ()) -> list[Ranked]:
        """Return the columns that don't follow from others in these ways, or mutually."""
        told = (one.columns[1:] for one in found if one.mutual or one.kind in kinds)
        repeated = {name for names in told for name in names}
        return [column for column in columns if column.name not in repeated]

    try:
        # What overflows has no formula and no sum.
        with watched(watch), np.errstate(all="ignore"):
            columns = list(ranked(frame[:, :_MOST_COLUMNS]))
            found += missing_together(columns)
            found += relations(columns)
            columns = left(columns)
            found += sums(columns, found)
            found += explained(columns, Structure(tuple(found)).told)
            found += implied(columns, Structure(tuple(found)).told)
            told = Structure(tuple(found)).told
            rising += [
                trend
                for trend in trends(left(columns, _ORDERED))
                if not told.issuperset(map(frozenset, combinations(trend.columns, 2)))
            ]
    except BudgetExceeded:
        pass
    return Structure(tuple(found), tuple(rising))


def _following(relations: Iterable[Relation], kinds: Collection[str]) -> dict[str, set[str]]:
    """Return the other columns that follow from each one, also through others."""
    direct: dict[str, set[str]] = {}
    for relation in relations:
        for a in relation.columns if relation.mutual else relation.columns[:1]:
            if relation.kind in kinds:
                direct.setdefault(a, set()).update(relation.columns)
    found: dict[str, set[str]] = {}
    for start in direct:
        found[start], left = {start}, [start]
        while left:
            new = direct.get(left.pop(), set()) - found[start]
            found[start] |= new
            left += new
    return {start: reached - {start} for start, reached in found.items()}
