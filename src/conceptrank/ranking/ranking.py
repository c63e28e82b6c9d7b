"""`Ranking`: concepts in the order of a measure, with other measures beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank.errors import MeasureError
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import diversity
from conceptrank.ranking.agreement import Agreement
from conceptrank.ranking.diversity import Overlap, Selection
from conceptrank.ranking.order import Ranks, Ties, levels
from conceptrank.ranking.recipe import Recipe, labelled
from conceptrank.ranking.rows import Doubt, Rows


class Ranking(Rows):
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
    ) -> None:
        super().__init__(lattice, scores=scores, order=order, ranks=ranks)
        self._recipe = recipe
        self._ties = ties
        self._selection = selection

    @property
    def recipe(self) -> Recipe:
        """How the ranking was made."""
        return self._recipe

    @property
    def by(self) -> str:
        """The column that decides."""
        return self._recipe.by[0]

    @property
    def ties(self) -> Ties:
        """How many concepts share a rank, in the whole ranking."""
        return self._ties

    @property
    def selection(self) -> Selection | None:
        """What the rows cover and how they overlap, if `diverse` picked them."""
        return self._selection

    @property
    def provenance(self) -> dict[str, Any]:
        """All that is needed to make the ranking again; files have it, too.

        The version, the context and its digest, what the lattice is, what was asked for, every
        measure with all its parameters and the number of scores that are not exact, and seeds.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="stability")
        >>> ranking.provenance["measures"]["stability"]["inexact"]
        0
        """
        known = self._recipe.provenance(self._lattice)
        for label in self._recipe.measures:
            doubt = self.doubts.get(label)
            inexact = 0 if doubt is None else int((~doubt.exact[self._order]).sum())
            known["measures"][label]["inexact"] = inexact
        picked = self._selection
        known["ranking"]["diverse"] = None if picked is None else picked.overlap
        known["rows"] = len(self)
        return known

    @cached_property
    def doubts(self) -> dict[str, Doubt]:
        """The columns that are not exact everywhere: where they are, and their intervals.

        Arrays are in the lattice's order.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank("stability_karp_luby", also=["cr"])
        >>> list(ranking.doubts)
        ['stability_karp_luby']
        """
        found: dict[str, Doubt] = {}
        for label, (name, params) in self._recipe.measures.items():
            exact = self._lattice.exact(name, **params)
            if exact[self._order].all():
                continue
            low, high = self._lattice.interval(name, **params)
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
        by, *then = self._recipe.by
        parts = [f"Ranking of {len(self):,} concept{'' if len(self) == 1 else 's'} by {by}"]
        parts += [f"then {each}" for each in then]
        where = "" if self._recipe.where is None else f" where {self._recipe.where}"
        known = str(self._ties)
        if self._ties.unbroken is not None:
            alone = f"by {by} alone {self._ties.unbroken}"
            known = f"{known.replace('score', 'combination')}; {alone}"
        if self._selection is not None:
            known = f"{self._selection}; {known}"
        return f"{', '.join(parts)}{where} ({known})"

    def ties_of(self, measure: str) -> Ties:
        """Return how many of these concepts share a score by one of the measures.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank(by="cr", then="stability")
        >>> ranking.ties.first, ranking.ties_of("cr").first
        (1, 12)
        """
        descending = self._recipe.descending[measure] if measure in self._scores else True
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
        return self._with(
            self._order[:k], self._ranks[:k], self._selection and self._selection.top(k)
        )

    def _with(self, order: NDArray[np.int64], ranks: Ranks, selection: Selection | None) -> Ranking:
        return Ranking(
            self._lattice,
            recipe=self._recipe,
            scores=self._scores,
            order=order,
            ranks=ranks,
            ties=self._ties,
            selection=selection,
        )

    def diverse(self, k: int, *, overlap: Overlap = "extent") -> Ranking:
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
        values = diversity.worths(self.score(self.by), descending=self._recipe.descending[self.by])
        rows, selection = diversity.pick(self._lattice, self._order, values, k, overlap)
        return self._with(self._order[rows], self._ranks[rows], selection)

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
        descending = dict(self._recipe.descending)
        if measures is not None:
            wanted, labels = labelled(measures)
            for label, (name, params) in wanted.items():
                if label not in scores:
                    scores[label] = self._lattice.score(name, **params)[self._order]
                    descending[label] = registry.get(name).direction == "higher"
            scores = {label: scores[label] for label in labels}
        if len(scores) < 2:
            raise MeasureError(
                "agreement takes two measures or more: rank(..., also=[...]) or agreement([...])"
            )
        return Agreement(scores, descending=descending, k=k, p=p, provenance=self.provenance)

    def plot(self, kind: str = "curves", **options: Any) -> Any:
        """Draw a figure of the ranking, and return its axes, or the figure if there are several.

        Parameters
        ----------
        kind
            `"curves"`: how scores fall from place to place, or how orders part;
            `"distributions"`: how many concepts have which score; `"scatter"`: two measures
            against each other; `"agreement"`: how far measures agree; `"diagram"`: the concepts
            as a line diagram.
        **options
            See the functions of these names in `conceptrank.plot`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank("cr", also="stability")
        >>> ranking.plot("scatter").get_ylabel()
        'stability'
        >>> ax = ranking.plot("diagram", top=8)
        """
        from conceptrank import plot

        return plot.of_ranking(self, kind, **options)

    def _repr_html_(self) -> str:
        from conceptrank import _html

        return _html.ranking(self)
