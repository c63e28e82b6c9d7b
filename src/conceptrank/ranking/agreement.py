"""`Agreement`: how far the measures of a ranking agree, pair by pair."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import combinations, combinations_with_replacement
from math import isnan, nan
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from conceptrank._util import text_table
from conceptrank.errors import MeasureError, UnknownNameError
from conceptrank.faces import Scores
from conceptrank.ranking import coefficients
from conceptrank.ranking.coefficients import COEFFICIENTS, canonical
from conceptrank.ranking.order import Levels, dense, levels

if TYPE_CHECKING:
    import polars as pl

UNDEFINED = "undefined"
_SHOWN_PAIRS = 45


class Agreement:
    """Coefficients of agreement between measures, for every pair of them.

    - `pearson`: correlation of the scores.
    - `spearman`: correlation of the ranks, ties sharing the mean of theirs.
    - `kendall`: Kendall's τ-b.
    - `concordance`: Lin's concordance (1989), closeness of the scores themselves to y = x. It
      means something for measures of the same scale only.
    - `top_overlap`: the shared part of the first k. Concepts that are tied across place k count
      with the chance of being among the first k.
    - `rank_biased_overlap`: that part for all depths, nearer ones weighing more (Webber, Moffat
      and Zobel 2010, extrapolated; ties as in RBO^b of Corsi and Urbano 2024).

    If lower scores are better, a measure is reversed in all coefficients except the
    concordance, so that 1 means the same order. Scores that are equal but for rounding are ties. A
    concept without a score (nan) is left out of the pairs of that measure. A coefficient is
    undefined, and nan, where a measure is the same for all concepts; Pearson's and Lin's also
    where a score is infinite.

    Parameters
    ----------
    scores
        The columns: scores of the same concepts by each measure.
    descending
        For each column, whether large scores are better; the default is True.
    k
        The depth of `top_overlap`.
    p
        The persistence of `rank_biased_overlap`, between 0 and 1: depth d has the weight p^d.
    provenance
        The origin of the scores.

    Examples
    --------
    >>> import conceptrank as cr
    >>> ranking = cr.datasets.load("movies").lattice().rank("cr", also=["stability", "support"])
    >>> agreement = ranking.agreement(k=5)
    >>> round(agreement.between("cr", "support")["spearman"], 4)
    0.3834
    >>> agreement.matrix("kendall").round(2)
    array([[ 1.  , -0.32,  0.36],
           [-0.32,  1.  , -0.05],
           [ 0.36, -0.05,  1.  ]])
    """

    def __init__(
        self,
        scores: Mapping[str, Scores],
        *,
        descending: Mapping[str, bool] | None = None,
        k: int = 10,
        p: float = 0.9,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        if len(scores) < 2:
            raise MeasureError("agreement takes two measures or more")
        if k < 1:
            raise ValueError(f"k must be 1 or more, got {k}")
        if not 0 < p < 1:
            raise ValueError(f"p must be between 0 and 1, got {p}")
        self._scores = {name: np.asarray(column, np.float64) for name, column in scores.items()}
        self._descending = {name: (descending or {}).get(name, True) for name in scores}
        self._k = k
        self.p: float = p
        self._provenance = dict(provenance or {})
        self._levels = {
            name: levels(column, descending=self._descending[name])
            for name, column in self._scores.items()
        }
        self._known: dict[str, Scores] = {}

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that are compared."""
        return tuple(self._scores)

    @property
    def concepts(self) -> int:
        """The number of concepts whose scores are compared."""
        return len(next(iter(self._scores.values())))

    @property
    def k(self) -> int:
        """The depth of the overlap, at most the number of concepts."""
        return min(self._k, self.concepts)

    @property
    def provenance(self) -> dict[str, Any]:
        """The origin of the scores, and the settings of the comparison."""
        return self._provenance | {"agreement": {"k": self._k, "p": self.p}}

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return f"Agreement of {len(self.measures)} measures on {self.concepts:,} concepts"

    def matrix(self, coefficient: str = "spearman") -> Scores:
        """Return a coefficient for all pairs of measures; nan where it is undefined.

        Parameters
        ----------
        coefficient
            `"pearson"`, `"spearman"`, `"kendall"`, `"concordance"` (or `"lin"`), `"top_overlap"`
            or `"rank_biased_overlap"` (or `"rbo"`).

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.rank("support", also=["frequency"]).agreement().matrix("rbo")
        array([[1., 1.],
               [1., 1.]])
        """
        name = canonical(coefficient)
        if name not in self._known:
            self._known |= self._computed(name)
        return self._known[name]

    def between(self, first: str, second: str) -> dict[str, float]:
        """Return all coefficients of two measures; nan where one is undefined.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank("support", also=["frequency"])
        >>> round(ranking.agreement().between("support", "frequency")["concordance"], 4)
        0.0815
        """
        for name in (first, second):
            if name not in self._scores:
                raise UnknownNameError("measure", name, self._scores, where="this agreement")
        i, j = self.measures.index(first), self.measures.index(second)
        return {name: float(self.matrix(name)[i, j]) for name in COEFFICIENTS}

    def _computed(self, name: str) -> dict[str, Scores]:
        """Return the matrix of a coefficient, and of others that come with it."""
        overlaps = ("top_overlap", "rank_biased_overlap")
        names = overlaps if name in overlaps else (name,)
        size = len(self.measures)
        result = {each: np.full((size, size), nan) for each in names}
        compare = self._of_whole_columns(name) if name in ("pearson", "spearman") else None
        for i, j in combinations_with_replacement(range(size), 2):
            for each, value in self._pair(names, i, j, compare).items():
                result[each][i, j] = result[each][j, i] = value
        for matrix in result.values():
            matrix.flags.writeable = False
        return result

    def _of_whole_columns(self, name: str) -> list[Scores | None]:
        """Return the columns whose cosines are the correlations, if no score is missing."""
        if name == "pearson":
            return [coefficients.centred(column) for column in self._scores.values()]
        ranked = map(coefficients.mean_ranks, self._levels.values())
        return [coefficients.centred(column) for column in ranked]

    def _pair(
        self, names: tuple[str, ...], i: int, j: int, columns: list[Scores | None] | None
    ) -> dict[str, float]:
        (x, in_x, down_x), (y, in_y, down_y) = (self._column(place) for place in (i, j))
        missing = np.isnan(x) | np.isnan(y)
        if missing.any():
            columns = None
            x, y = x[~missing], y[~missing]
            in_x, in_y = dense(in_x[~missing]), dense(in_y[~missing])
        if in_x.max(initial=0) == 0 or in_y.max(initial=0) == 0:
            return dict.fromkeys(names, nan)
        sign = 1 if down_x == down_y else -1
        match names[0]:
            case "pearson" if columns is not None:
                return {"pearson": coefficients.cosine(columns[i], columns[j]) * sign}
            case "pearson":
                return {"pearson": coefficients.pearson(x, y) * sign}
            case "spearman" if columns is not None:
                return {"spearman": coefficients.cosine(columns[i], columns[j])}
            case "spearman":
                return {"spearman": coefficients.spearman(in_x, in_y)}
            case "concordance":
                return {"concordance": coefficients.concordance(x, y)}
            case "kendall":
                return {"kendall": 1.0 if i == j else coefficients.kendall(in_x, in_y)}
        depth = max(self._k, coefficients.sufficient_depth(self.p))
        by_depth = coefficients.agreement_by_depth(in_x, in_y, depth)
        return {
            "top_overlap": float(by_depth[min(self._k, len(x)) - 1]),
            "rank_biased_overlap": coefficients.rank_biased_overlap(by_depth, self.p),
        }

    def _column(self, place: int) -> tuple[Scores, Levels, bool]:
        name = self.measures[place]
        return self._scores[name], self._levels[name], self._descending[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before reading the numbers: undefined ones, and ties across place k.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank("cr", also=["intent_size"])
        >>> ranking.agreement(k=5).notes[0]
        'cr: place 5 falls into a tie of 12 concepts, which count in part'
        """
        return tuple(note for name in self.measures for note in self._notes_on(name))

    def _notes_on(self, name: str) -> Iterator[str]:
        scores, own = self._scores[name], self._levels[name]
        missing = np.isnan(scores)
        if missing.any():
            yield f"{name}: concepts without a score are left out ({int(missing.sum()):,})"
        own = dense(own[~missing])
        if own.max(initial=0) == 0:
            yield f"{name}: the same for all concepts, so that its agreement is {UNDEFINED}"
            return
        infinite = int(np.isinf(scores).sum())
        if infinite:
            are = "score is" if infinite == 1 else "scores are"
            yield (
                f"{name}: {infinite:,} {are} infinite, so that its Pearson correlation and "
                f"concordance are {UNDEFINED}"
            )
        last = np.cumsum(np.bincount(own))
        level = int(np.searchsorted(last, self.k))
        if level < len(last) and last[level] != self.k:
            tied = f"a tie of {int(np.bincount(own)[level]):,} concepts"
            yield f"{name}: place {self.k:,} falls into {tied}, which count in part"

    def to_polars(self, coefficient: str | None = None) -> pl.DataFrame:
        """Return the agreement as a polars frame.

        Parameters
        ----------
        coefficient
            The coefficient of a matrix; if None, one row per pair with all coefficients.
            What is undefined is null.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank("support", also=["frequency"])
        >>> ranking.agreement().to_polars().select("first", "second", "kendall").row(0)
        ('support', 'frequency', 1.0)
        >>> ranking.agreement().to_polars("kendall").columns
        ['measure', 'support', 'frequency']
        """
        import polars as pl

        if coefficient is not None:
            columns = dict(zip(self.measures, self.matrix(coefficient), strict=True))
            return pl.DataFrame({"measure": self.measures} | columns).fill_nan(None)
        pairs = list(combinations(range(len(self.measures)), 2))
        frame: dict[str, Any] = {
            "first": [self.measures[i] for i, _ in pairs],
            "second": [self.measures[j] for _, j in pairs],
        }
        frame |= {name: self.matrix(name)[tuple(zip(*pairs, strict=True))] for name in COEFFICIENTS}
        return pl.DataFrame(frame).fill_nan(None)

    def save(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        format: str | None = None,  # noqa: A002
        provenance: bool = True,
    ) -> None:
        """Write a row for each pair to a file; see `Ranking.save` for the formats."""
        from conceptrank.convert import results

        results.save(
            self.to_polars(),
            file,
            format=format,
            provenance=self.provenance if provenance else None,
        )

    def name_of(self, coefficient: str) -> str:
        """Return what a coefficient is called in a heading.

        Examples
        --------
        >>> Agreement({"a": np.arange(5.0), "b": np.arange(5.0)}, k=3).name_of("top_k")
        'Overlap of the first 3'
        """
        return {
            "pearson": "Pearson correlation",
            "spearman": "Spearman correlation",
            "kendall": "Kendall τ-b",
            "concordance": "Lin's concordance",
            "top_overlap": f"Overlap of the first {self.k:,}",
            "rank_biased_overlap": f"Rank-biased overlap, p = {self.p:g}",
        }[canonical(coefficient)]

    @property
    def headings(self) -> list[str]:
        """The coefficients as headings of columns."""
        return ["Pearson", "Spearman", "Kendall", "Lin", f"top {self.k:,}", f"RBO {self.p:g}"]

    def _rows(self) -> list[list[str]]:
        values = np.stack([self.matrix(name) for name in COEFFICIENTS])
        return [
            [*map(shown, values[:, i, j]), f"{self.measures[i]}, {self.measures[j]}"]
            for i, j in combinations(range(len(self.measures)), 2)
        ]

    def __repr__(self) -> str:
        rows = self._rows()
        shown = text_table.titled(
            self.title,
            [*self.headings, "measures"],
            rows[:_SHOWN_PAIRS],
            total=len(rows),
            noun="pairs",
        )
        return "\n".join([shown, *self.notes])

    def _repr_html_(self) -> str:
        from conceptrank._util import html as _html

        return _html.table([*self.headings, "measures"], self._rows(), caption=self.title)


def shown(value: float) -> str:
    """Return a coefficient as text.

    Examples
    --------
    >>> shown(-0.12345), shown(float("nan")), shown(-1e-9)
    ('-0.123', 'undefined', '0.000')
    """
    return UNDEFINED if isnan(value) else f"{value:.3f}".replace("-0.000", "0.000")
