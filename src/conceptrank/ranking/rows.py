"""The rows of a ranking as a table: concepts with ranks and scores, for people and programs."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrank import _lists, _text
from conceptrank.concept import Concept
from conceptrank.errors import ConceptRankError, MeasureError
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.ranking.order import Ranks

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_SHOWN_ROWS = 10


class RankedConcept(NamedTuple):
    """A row of a ranking."""

    rank: int | float
    concept: Concept
    scores: dict[str, float]


class Doubt(NamedTuple):
    """Which scores of a column are exact, and the intervals of the others if they have some."""

    exact: NDArray[np.bool_]
    low: Scores | None = None
    high: Scores | None = None


class Rows(ABC):
    """Concepts of a lattice with ranks and scores.

    Parameters
    ----------
    lattice
        The lattice.
    scores
        The columns: scores of all concepts in the lattice's order.
    order
        The places of the rows' concepts in the lattice.
    ranks
        Their ranks.
    """

    def __init__(
        self,
        lattice: Lattice,
        *,
        scores: Mapping[str, Scores],
        order: NDArray[np.int64],
        ranks: Ranks,
    ) -> None:
        self._lattice = lattice
        self._scores = dict(scores)
        self._order = order
        self._ranks = ranks

    @property
    @abstractmethod
    def title(self) -> str:
        """One line that says what this is."""

    @property
    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """All that is needed to make the rows again."""

    @property
    @abstractmethod
    def doubts(self) -> dict[str, Doubt]:
        """The columns that are not exact everywhere."""

    @property
    def lattice(self) -> Lattice:
        """The lattice whose concepts are ranked."""
        return self._lattice

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of scores, the deciding one first."""
        return tuple(self._scores)

    @property
    def order(self) -> NDArray[np.int64]:
        """The places of the concepts in the lattice, best first."""
        return self._order

    @property
    def ranks(self) -> Ranks:
        """The ranks in the same order."""
        return self._ranks

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

    def to_polars(self, k: int | None = None, *, extents: bool = False) -> pl.DataFrame:
        """Return the ranking as a polars frame.

        A column `stability` of scores that are not all exact is followed by `stability_exact`,
        which says which of them are, and by `stability_low` and `stability_high`, the ends of
        their intervals, if they have some.

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
        >>> cr.datasets.load("movies").lattice().rank("stability_karp_luby").to_polars().columns[:4]
        ['rank', 'stability_karp_luby', 'stability_karp_luby_exact', 'stability_karp_luby_low']
        """
        import polars as pl

        from conceptrank import _frames

        order, context = self._order[:k], self._lattice.context
        columns: dict[str, Any] = {"rank": self._ranks[:k]}
        for name, scores in self._scores.items():
            columns[name] = scores[order]
            if (doubt := self.doubts.get(name)) is not None:
                columns |= {
                    f"{name}_{kind}": values[order]
                    for kind, values in doubt._asdict().items()
                    if values is not None
                }
        columns["support"] = self._lattice.supports[order]
        intents = _lists.take(self._lattice.intents, order)
        columns["intent"] = _frames.list_column(intents, context.attributes)
        if extents:
            found = [self._lattice._at(i)._extent_numbers() for i in order.tolist()]
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
        pandas = _imported("pandas")
        frame = self.to_polars(k, extents=extents)
        # By hand, as polars would want pyarrow for this.
        columns = {
            column.name: column.to_list() if column.dtype.is_nested() else column.to_numpy()
            for column in frame
        }
        result: pd.DataFrame = pandas.DataFrame(columns)
        return result

    def to_arrow(self, k: int | None = None, *, extents: bool = False) -> Any:
        """Return the ranking as a table of pyarrow, its provenance in the schema's metadata.

        Whatever reads Arrow's PyCapsule protocol takes a ranking itself, without pyarrow:
        `polars.DataFrame(ranking)`, or a query of DuckDB.

        Raises
        ------
        ConceptRankError
            If pyarrow is not installed.
        """
        import json

        import polars as pl

        _imported("pyarrow")
        # Views of strings are younger than many a reader of Arrow.
        oldest = pl.CompatLevel.oldest()
        table = self.to_polars(k, extents=extents).to_arrow(compat_level=oldest)
        return table.replace_schema_metadata({"provenance": json.dumps(self.provenance)})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def save(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        format: str | None = None,  # noqa: A002
        k: int | None = None,
        extents: bool = False,
        provenance: bool = True,
    ) -> None:
        """Write the ranking to a file, and where it comes from.

        Intents and extents are lists of names. In a CSV file they are separated by "; ", and a
        name with a semicolon or a quote is in double quotes, so that
        `csv.reader([text], delimiter=";", skipinitialspace=True)` gives the names back. JSON has
        no infinity, so that an infinite score is null there.

        The provenance is in the metadata of a Parquet file. The other formats have rows and
        nothing else, for all programs to read, so that it goes to a file of its own beside them:
        that of `scores.csv` is `scores.csv.meta.json`, with a SHA-256 of the file that it is
        about.

        Parameters
        ----------
        file
            A path, or a file open for writing bytes.
        format
            `"csv"`, `"parquet"`, `"json"`, or `"jsonl"` (also `"ndjson"`), one object per line; by
            the suffix of the path if None. `"csv_safe"` is CSV for spreadsheets: an apostrophe
            precedes texts that start with =, +, -, @, a tab or a carriage return, which would
            otherwise run as formulas.
        k, extents
            As for `to_polars`.
        provenance
            Whether to write the provenance. Nothing but a Parquet file has it if `file` is open.

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

        _frames.save(
            self.to_polars(k, extents=extents),
            file,
            format=format,
            provenance=self.provenance if provenance else None,
        )

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[RankedConcept]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, place: int) -> RankedConcept:
        index = int(self._order[place])
        scores = {name: float(column[index]) for name, column in self._scores.items()}
        return RankedConcept(self._ranks[place].item(), self._lattice[index], scores)

    @property
    def _header(self) -> list[str]:
        columns = [name for name in self._scores if name != "support"]
        return ["rank", *columns, "support", "intent"]

    def _rows(self, k: int) -> list[list[str]]:
        """Return the first rows as text."""
        return [
            [
                str(rank).removesuffix(".0"),
                *(_text.number(score) for name, score in scores.items() if name != "support"),
                f"{concept.support:,}",
                _text.braces(concept.intent),
            ]
            for rank, concept, scores in map(self.__getitem__, range(min(k, len(self))))
        ]

    def __repr__(self) -> str:
        lines = [self.title, _text.table(self._header, self._rows(_SHOWN_ROWS))]
        if len(self) > _SHOWN_ROWS:
            lines.append(f"… {len(self) - _SHOWN_ROWS:,} more")
        return "\n".join(lines)


def _imported(package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(package)
    except ImportError:
        raise ConceptRankError(f"this needs {package}: pip install {package}") from None
