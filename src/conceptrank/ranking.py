"""`Ranking`: concepts in the order of a measure, with other measures beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrank import _lists, _text
from conceptrank.concept import Concept
from conceptrank.errors import MeasureError
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike, Params

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_SHOWN_ROWS = 10


class RankedConcept(NamedTuple):
    """A row of a ranking."""

    rank: int
    concept: Concept
    scores: dict[str, float]


@dataclass(frozen=True)
class Ties:
    """How far a measure tells concepts apart.

    Examples
    --------
    >>> import conceptrank as cr
    >>> print(cr.datasets.load("movies").lattice().rank(by="cr").ties)
    8 different scores, 12 of 20 concepts share the first rank
    """

    concepts: int
    distinct: int
    first: int
    largest: int

    def __str__(self) -> str:
        scores = f"{self.distinct:,} different score{'' if self.distinct == 1 else 's'}"
        if self.first < 2:
            return scores
        return f"{scores}, {self.first:,} of {self.concepts:,} concepts share the first rank"


class Ranking:
    """Concepts of a lattice by a measure, best first; equal scores stay in the lattice's order.

    Ranks are dense: concepts with equal scores share one, and none is left out. Scores that are
    not a number come last. Iterating gives a rank, a concept and its scores at a time.

    Parameters
    ----------
    lattice
        The lattice.
    by
        The column that decides.
    scores
        The columns: scores of all concepts in the lattice's order.
    order
        The places in the lattice, best first.
    ranks
        Their ranks.
    ties
        How many concepts of the whole ranking share a score.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ranking = cr.datasets.load("movies").lattice().rank(by="cr", also=["stability"])
    >>> for rank, (extent, intent), scores in ranking.top(2):
    ...     print(rank, intent, scores)
    1 ('adventure',) {'cr': 0.5, 'stability': 0.484375}
    1 ('criminal',) {'cr': 0.5, 'stability': 0.484375}
    """

    def __init__(
        self,
        lattice: Lattice,
        *,
        by: str,
        scores: Mapping[str, Scores],
        order: NDArray[np.int64],
        ranks: NDArray[np.int64],
        ties: Ties,
    ) -> None:
        self._lattice = lattice
        self._by = by
        self._scores = dict(scores)
        self._order = order
        self._ranks = ranks
        self._ties = ties

    @property
    def lattice(self) -> Lattice:
        """The lattice whose concepts are ranked."""
        return self._lattice

    @property
    def by(self) -> str:
        """The column that decides."""
        return self._by

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of scores, the deciding one first."""
        return tuple(self._scores)

    @property
    def order(self) -> NDArray[np.int64]:
        """The places of the concepts in the lattice, best first."""
        return self._order

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The ranks in the same order."""
        return self._ranks

    @property
    def ties(self) -> Ties:
        """How many concepts share a score, in the whole ranking."""
        return self._ties

    @property
    def title(self) -> str:
        """One line that says what this is.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice().rank(by="cr").top(3).title
        'Ranking of 3 concepts by cr (8 different scores, 12 of 20 concepts share the first rank)'
        """
        return f"Ranking of {len(self):,} concepts by {self._by} ({self._ties})"

    def score(self, measure: str) -> Scores:
        """Return a column of scores in the order of the ranking.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.rank(by="delta_measure").top(3).score("delta_measure")
        array([4., 3., 2.])
        """
        if measure not in self._scores:
            raise MeasureError(f"{measure!r} is none of the columns {', '.join(self._scores)}")
        return self._scores[measure][self._order]

    def top(self, k: int) -> Ranking:
        """Return the first k rows as a ranking.

        Examples
        --------
        >>> import conceptrank as cr
        >>> len(cr.datasets.load("movies").lattice().rank(by="cr").top(5))
        5
        """
        if k < 0:
            raise ValueError(f"k must not be negative, got {k}")
        return Ranking(
            self._lattice,
            by=self._by,
            scores=self._scores,
            order=self._order[:k],
            ranks=self._ranks[:k],
            ties=self._ties,
        )

    def to_polars(self, k: int | None = None, *, extents: bool = False) -> pl.DataFrame:
        """Return the ranking as a polars frame.

        Parameters
        ----------
        k
            How many rows; all if None.
        extents
            Whether to have a column of extents; it can be large.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice().rank(by="stability").to_polars(2).row(1)
        (2, 0.8984375, 7, ['adventure', 'criminal'])
        """
        import polars as pl

        from conceptrank import _frames

        if k is not None:
            return self.top(k).to_polars(extents=extents)
        context = self._lattice.context
        columns: dict[str, Any] = {"rank": self._ranks}
        columns |= {name: self.score(name) for name in self._scores}
        columns["support"] = self._lattice.supports[self._order]
        intents = _lists.take(self._lattice.intents, self._order)
        columns["intent"] = _frames.list_column(intents, context.attributes)
        if extents:
            found = [self._lattice._at(i)._extent_numbers() for i in self._order.tolist()]
            columns["extent"] = _frames.list_column(_lists.joined(found), context.objects)
        return pl.DataFrame(columns)

    def to_pandas(self, k: int | None = None, *, extents: bool = False) -> pd.DataFrame:
        """Return the ranking as a pandas frame, with the columns of `to_polars`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> frame = cr.datasets.load("movies").lattice().rank(by="stability").to_pandas(2)
        >>> frame["intent"][1], float(frame["stability"][1])
        (['adventure', 'criminal'], 0.8984375)
        """
        try:
            import pandas as pd
        except ImportError as error:
            error.add_note("to_pandas needs pandas: pip install pandas")
            raise
        frame = self.to_polars(k, extents=extents)
        # By hand, as polars would want pyarrow for this.
        return pd.DataFrame(
            {
                column.name: column.to_list() if column.dtype.is_nested() else column.to_numpy()
                for column in frame
            }
        )

    def save(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        format: str | None = None,  # noqa: A002
        k: int | None = None,
        extents: bool = False,
    ) -> None:
        """Write the ranking to a file.

        Intents and extents are lists of names; in a CSV file, names separated by "; ". JSON has no
        infinity, so that an infinite score is null there.

        Parameters
        ----------
        file
            A path, or a file open for writing bytes.
        format
            `"csv"`, `"parquet"`, `"json"`, or `"jsonl"` (also `"ndjson"`), one object a line; told
            by the suffix of the path if None.
        k, extents
            As for `to_polars`.

        Raises
        ------
        FormatError
            If the suffix doesn't tell the format.
        UnknownNameError
            If there is no such format.

        Examples
        --------
        >>> import conceptrank as cr
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="stability")
        >>> with TemporaryDirectory() as directory:
        ...     ranking.save(directory + "/scores.csv", k=2)
        ...     print(Path(directory, "scores.csv").read_text().splitlines()[-1])
        2,0.8984375,7,adventure; criminal
        """
        from conceptrank import _frames

        _frames.save(self.to_polars(k, extents=extents), file, format=format)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[RankedConcept]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, place: int) -> RankedConcept:
        index = int(self._order[place])
        scores = {name: float(column[index]) for name, column in self._scores.items()}
        return RankedConcept(int(self._ranks[place]), self._lattice[index], scores)

    @property
    def _header(self) -> list[str]:
        columns = [name for name in self._scores if name != "support"]
        return ["rank", *columns, "support", "intent"]

    def _rows(self, k: int) -> list[list[str]]:
        """Return the first rows as text."""
        return [
            [
                str(rank),
                *(_text.number(score) for name, score in scores.items() if name != "support"),
                f"{concept.support:,}",
                _text.braces(concept.intent),
            ]
            for rank, concept, scores in self.top(k)
        ]

    def __repr__(self) -> str:
        lines = [self.title, _text.table(self._header, self._rows(_SHOWN_ROWS))]
        if len(self) > _SHOWN_ROWS:
            lines.append(f"… {len(self) - _SHOWN_ROWS:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from conceptrank import _html

        return _html.ranking(self)


def rank(
    lattice: Lattice,
    by: MeasureLike,
    *,
    also: Sequence[MeasureLike] = (),
    descending: bool | None = None,
    params: Params,
) -> Ranking:
    """Return the concepts in the order of a measure; see `Lattice.rank`."""
    if isinstance(also, str):
        also = (also,)
    measures = _with_params([by, *also], params)
    lattice.prepare(list(measures.values()))
    scores = {label: lattice.score(name, **own) for label, (name, own) in measures.items()}
    label, (name, _) = next(iter(measures.items()))
    if descending is None:
        descending = registry.get(name).direction == "higher"
    keys = -scores[label] if descending else scores[label]
    order = np.argsort(keys, kind="stable")
    ranks = _dense_ranks(keys[order])
    return Ranking(lattice, by=label, scores=scores, order=order, ranks=ranks, ties=_ties(ranks))


def _with_params(measures: Sequence[MeasureLike], shared: Params) -> dict[str, tuple[str, Params]]:
    """Return the measures with their parameters, under the names of their columns."""
    result: dict[str, tuple[str, Params]] = {}
    unused = set(shared)
    for name, own in map(registry.split, measures):
        known = registry.get(name).params
        unused -= known.keys()
        given = {key: value for key, value in shared.items() if key in known} | dict(own)
        text = ", ".join(f"{key}={value}" for key, value in own.items())
        result.setdefault(f"{name}({text})" if text else name, (name, given))
    if unused:
        names = " and ".join(result)
        raise MeasureError(f"no parameter {min(unused)!r} in {names}")
    return result


def _dense_ranks(keys: Scores) -> NDArray[np.int64]:
    new = (keys[1:] != keys[:-1]) & ~(np.isnan(keys[1:]) & np.isnan(keys[:-1]))
    ranks = np.ones(len(keys), dtype=np.int64)
    ranks[1:] += np.cumsum(new)
    return ranks


def _ties(ranks: NDArray[np.int64]) -> Ties:
    sizes = np.bincount(ranks)[1:] if len(ranks) else np.zeros(1, dtype=np.int64)
    return Ties(len(ranks), int((sizes > 0).sum()), int(sizes[0]), int(sizes.max()))
