"""`Ranking`: concepts in the order of a measure, with the scores of other measures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util import text_table
from conceptrank._util.text import counted
from conceptrank.budget import Budget, Watch
from conceptrank.concept import Concept
from conceptrank.convert.shared import imported
from conceptrank.errors import BudgetExceeded, MeasureError
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import labelled
from conceptrank.ranking import diversity
from conceptrank.ranking.agreement import Agreement
from conceptrank.ranking.diversity import Overlap, Selection
from conceptrank.ranking.order import Ranks, Ties, levels
from conceptrank.ranking.recipe import Recipe

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


class Ranking:
    """Concepts of a lattice by a measure, best first; equal scores stay in the lattice's order.

    `Lattice.rank` makes one. Scores that are equal but for rounding are equal, and what is not a
    number comes last. Iterating gives a rank, a concept and its scores at a time.

    Parameters
    ----------
    lattice
        The lattice.
    recipe
        How the ranking was made.
    scores
        The columns: scores of all concepts in the lattice's order.
    order
        The places in the lattice, best first.
    ranks
        Their ranks.
    ties
        How many concepts of the whole ranking share a rank.
    selection
        What is known about rows that were picked for their diversity.
    stopped
        The limit that ended scoring; empty if every concept of the lattice was scored.

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
        recipe: Recipe,
        scores: Mapping[str, Scores],
        order: NDArray[np.int64],
        ranks: Ranks,
        ties: Ties,
        selection: Selection | None = None,
        stopped: str = "",
    ) -> None:
        self.lattice: Lattice = lattice
        self.recipe: Recipe = recipe
        self.order: NDArray[np.int64] = order
        self.ranks: Ranks = ranks
        self.ties: Ties = ties
        self.selection: Selection | None = selection
        self._scores = dict(scores)
        self._stopped = stopped

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of scores, the deciding one first."""
        return tuple(self._scores)

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
            raise MeasureError(f"{measure!r} is not among the columns {', '.join(self._scores)}")
        return self._scores[measure][self.order]

    @property
    def by(self) -> str:
        """The column that decides."""
        return self.recipe.by[0]

    @property
    def stopped(self) -> str:
        """The limit that ended scoring or mining; empty if there was none.

        A ranking that was stopped holds the concepts that have a score by the first measure.
        Scores that are missing in other columns are NaN.
        """
        return self._stopped or self.lattice.stopped

    @property
    def complete(self) -> bool:
        """Whether every concept of the context above the minimum support was scored."""
        return not self.stopped

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything needed to repeat the ranking; saved files contain it.

        The version, the context and its digest, the limits of the lattice, the arguments, every
        measure with all its parameters and the number of scores that are not exact, and seeds.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="stability")
        >>> ranking.provenance["measures"]["stability"]["inexact"]
        0
        """
        known = self.recipe.provenance(self.lattice)
        for label in self.recipe.measures:
            doubt = self.doubts.get(label)
            inexact = 0 if doubt is None else int((~doubt.exact[self.order]).sum())
            known["measures"][label]["inexact"] = inexact
        picked = self.selection
        known["ranking"]["diverse"] = None if picked is None else picked.overlap
        known["ranking"]["stopped"] = self._stopped
        known["rows"] = len(self)
        return known

    @cached_property
    def doubts(self) -> dict[str, Doubt]:
        """The columns that are not exact everywhere: where they are, and their intervals.

        Arrays are in the lattice's order.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank("stability", method="karp_luby")
        >>> list(ranking.doubts)
        ['stability']
        """
        found: dict[str, Doubt] = {}
        for label, (name, params) in self.recipe.measures.items():
            try:
                exact = self.lattice.exact(name, **params)
                if exact[self.order].all():
                    continue
                low, high = self.lattice.interval(name, **params)
            except BudgetExceeded:
                # There was no time to check, so that none of the scores is known to be exact.
                found[label] = Doubt(np.zeros(len(self.lattice), dtype=np.bool_))
                continue
            wide = (low < high).any()
            found[label] = Doubt(exact, low, high) if wide else Doubt(exact)
        return found

    @property
    def title(self) -> str:
        """One line that says what this is, and how many ties there are.

        Examples
        --------
        >>> import conceptrank as cr
        >>> print(cr.datasets.load("movies").lattice().rank("stability", where="support > 2").title)
        Ranking of 10 concepts by stability where support > 2 (... different scores, ...)
        """
        by, *then = self.recipe.by
        parts = [f"Ranking of {counted(len(self), 'concept')} by {by}"]
        parts += [f"then {each}" for each in then]
        known = str(self.ties)
        if self.ties.unbroken is not None:
            alone = f"by {by} alone {self.ties.unbroken}"
            known = f"{known.replace('score', 'combination')}; {alone}"
        if self.selection is not None:
            known = f"{self.selection}; {known}"
        if self._stopped:
            known = f"scoring stopped by {self._stopped}; {known}"
        return f"{', '.join(parts)}{self.recipe.about} ({known})"

    def ties_of(self, measure: str) -> Ties:
        """Return how many of these concepts share a score by one of the measures.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="cr", then="stability")
        >>> ranking.ties.first, ranking.ties_of("cr").first
        (1, 12)
        """
        descending = self.recipe.descending[measure] if measure in self._scores else True
        return Ties.of(levels(self.score(measure), descending=descending))

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
        return self._with(self.order[:k], self.ranks[:k], self.selection and self.selection.top(k))

    def _with(self, order: NDArray[np.int64], ranks: Ranks, selection: Selection | None) -> Ranking:
        part = Ranking(
            self.lattice,
            recipe=self.recipe,
            scores=self._scores,
            order=order,
            ranks=ranks,
            ties=self.ties,
            selection=selection,
            stopped=self._stopped,
        )
        if "doubts" in self.__dict__:
            # To find them again could take as long as scoring.
            part.doubts = {
                label: doubt for label, doubt in self.doubts.items() if not doubt.exact[order].all()
            }
        return part

    def diverse(
        self, k: int, *, overlap: Overlap = "extent", budget: Budget | None = None
    ) -> Ranking:
        """Return at most k rows with high scores that overlap little in what they cover.

        The first row that covers something comes first. Then comes, again and again, the row with
        the largest product of its score and of 1 minus its largest overlap with a row picked
        before; the earlier one of equal ones. Rows keep their ranks. Scores are divided by the
        largest; if some are negative or lower ones are better, they are counted from the worst.
        Rows that are worth 0 or cover nothing are never picked.

        Parameters
        ----------
        k
            How many rows.
        overlap
            What a concept covers: `"extent"`, its objects, or `"cells"`, its crosses. Two concepts
            overlap by the share that both cover of what they cover together.
        budget
            Its seconds and its `cancel` count. When it ends, the rows picked so far are returned,
            at least the first, and `selection.stopped` names the limit.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="cr")
        >>> ranking.diverse(3)
        Ranking of 3 concepts by cr (covering 10 of 11 objects, overlaps up to 0.11; 8 different ...
        rank   cr  support  intent
           1  0.5        8  {adventure}
           1  0.5        1  {comedy, drama}
           1  0.5        2  {action, drama}
        """
        if k < 0:
            raise ValueError(f"k must not be negative, got {k}")
        values = diversity.worths(self.score(self.by), descending=self.recipe.descending[self.by])
        rows, selection = diversity.pick(
            self.lattice, self.order, values, k=k, overlap=overlap, watch=Watch(budget)
        )
        return self._with(self.order[rows], self.ranks[rows], selection)

    def agreement(
        self, measures: Sequence[MeasureLike] | None = None, *, k: int = 10, p: float = 0.9
    ) -> Agreement:
        """Return how far measures agree on these concepts.

        Parameters
        ----------
        measures
            The measures to compare; those of the ranking if None.
        k
            How many concepts are at the top, for the overlap of the tops.
        p
            The persistence of the rank-biased overlap: 0.9 puts 86 % of the weight on the first
            ten places.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="cr", also=["support"])
        >>> ranking.agreement(["cr", "support", "stability"], k=5)
        Agreement of 3 measures on 20 concepts
        Pearson  Spearman  Kendall     Lin  top 5  RBO 0.9  measures
          0.039     0.383    0.356   0.002  0.516    0.597  cr, support
         -0.443    -0.380   -0.316  -0.344  0.258    0.432  cr, stability
          0.228    -0.070   -0.050   0.016  0.600    0.515  support, stability
        cr: place 5 falls into a tie of 12 concepts, which count in part
        """
        scores = {name: self.score(name) for name in self._scores}
        descending = dict(self.recipe.descending)
        if measures is not None:
            wanted, labels = labelled(measures)
            for label, (name, params) in wanted.items():
                if label not in scores:
                    scores[label] = self.lattice.score(name, **params)[self.order]
                    descending[label] = registry.get(name).direction == "higher"
            scores = {label: scores[label] for label in labels}
        if len(scores) < 2:
            raise MeasureError(
                "agreement takes two measures or more: rank(..., also=[...]) or agreement([...])"
            )
        return Agreement(scores, descending=descending, k=k, p=p, provenance=self.provenance)

    def lattice_scores(self, measure: str) -> Scores:
        """Return a column of scores in the lattice's order; NaN for concepts without a score."""
        return self._scores[measure]

    def columns(self, k: int | None = None) -> dict[str, NDArray[Any]]:
        """Return the columns of numbers as arrays: those of `to_polars` but intents and extents.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice().rank("cr").columns(2)
        {'rank': array([1, 1]), 'cr': array([0.5, 0.5]), 'support': array([8, 8])}
        """
        order = self.order[:k]
        columns: dict[str, NDArray[Any]] = {"rank": self.ranks[:k]}
        for name, scores in self._scores.items():
            columns[name] = scores[order]
            if (doubt := self.doubts.get(name)) is not None:
                columns |= {
                    f"{name}_{kind}": values[order]
                    for kind, values in doubt._asdict().items()
                    if values is not None
                }
        columns["support"] = self.lattice.supports[order]
        return columns

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
        >>> ranking = cr.datasets.load("movies").lattice().rank("stability", method="karp_luby")
        >>> ranking.to_polars().columns[:4]
        ['rank', 'stability', 'stability_exact', 'stability_low']
        """
        import polars as pl

        from conceptrank.convert import results

        order, context = self.order[:k], self.lattice.context
        columns: dict[str, Any] = self.columns(k)
        intents = _lists.take(self.lattice.intents, order)
        columns["intent"] = results.list_column(intents, context.attributes)
        if extents:
            found = [self.lattice[i].extent_numbers for i in order.tolist()]
            columns["extent"] = results.list_column(_lists.joined(found), context.objects)
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
        from conceptrank.convert import results

        return results.to_pandas(self.to_polars(k, extents=extents))

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

        imported("pyarrow")
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
        no infinity and no NaN: an infinite score is the text `"inf"` or `"-inf"` there, NaN is
        null.

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
            If the suffix does not determine the format.
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
        from conceptrank.convert import results

        results.save(
            self.to_polars(k, extents=extents),
            file,
            format=format,
            provenance=self.provenance if provenance else None,
        )

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[RankedConcept]:
        return (self[place] for place in range(len(self)))

    @overload
    def __getitem__(self, place: slice) -> Ranking: ...
    @overload
    def __getitem__(self, place: int) -> RankedConcept: ...
    def __getitem__(self, place: int | slice) -> RankedConcept | Ranking:
        if isinstance(place, slice):
            return self._with(self.order[place], self.ranks[place], None)
        index = int(self.order[place])
        scores = {name: float(column[index]) for name, column in self._scores.items()}
        return RankedConcept(self.ranks[place].item(), self.lattice[index], scores)

    @property
    def _header(self) -> list[str]:
        """The headings of the columns of `text_rows`."""
        columns = [name for name in self._scores if name != "support"]
        return ["rank", *columns, "support", "intent"]

    def _text_rows(self, k: int) -> list[list[str]]:
        """Return the first rows as text."""
        return [
            [
                str(rank).removesuffix(".0"),
                *(_text.number(score) for name, score in scores.items() if name != "support"),
                f"{concept.support:,}",
                _text.braces(concept.intent),
            ]
            for rank, concept, scores in (self[place] for place in range(min(k, len(self))))
        ]

    def __repr__(self) -> str:
        rows = self._text_rows(_SHOWN_ROWS)
        return text_table.titled(self.title, self._header, rows, total=len(self))

    def _repr_html_(self) -> str:
        from conceptrank._util import html as _html

        rows = self._text_rows(_html.MOST_ROWS)
        if len(self) > _html.MOST_ROWS:
            rows.append(["…"] + [""] * (len(self._header) - 1))
        return _html.table(self._header, rows, caption=self.title)
