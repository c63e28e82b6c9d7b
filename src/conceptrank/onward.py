"""What a lattice hands on: itself to a file, its concepts to a ranking, their covers to rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from conceptrank._watch import watched

if TYPE_CHECKING:
    from conceptrank.budget import Budget
    from conceptrank.lattice import Lattice
    from conceptrank.measures.registry import MeasureLike
    from conceptrank.ranking import Ranking
    from conceptrank.ranking.conditions import ConditionLike
    from conceptrank.ranking.order import TieMode
    from conceptrank.rules import Rules


class Onward:
    """The methods of a lattice that lead to higher rooms; `Lattice` inherits them."""

    @property
    def _whole(self) -> Lattice:
        return cast("Lattice", self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lattice and its context to a Parquet file.

        The rows of the file are of three kinds: objects with their attributes, attributes, and
        concepts with their intent, support, Δ and lower covers.
        """
        from conceptrank import lattice_file

        lattice_file.save(self._whole, path)

    def rank(
        self,
        by: MeasureLike = "conceptual_relevance",
        *,
        also: MeasureLike | Sequence[MeasureLike] = (),
        then: MeasureLike | Sequence[MeasureLike] = (),
        descending: bool | None = None,
        ties: TieMode = "dense",
        where: ConditionLike | None = None,
        budget: Budget | None = None,
        progress: Callable[[int, float], None] | None = None,
        **params: object,
    ) -> Ranking:
        """Order the concepts by a measure.

        Parameters
        ----------
        by
            The measure that decides: a name, or a pair of a name and its parameters.
        also
            Measures to show beside it.
        then
            Measures that break its ties, each the ties that those before it leave.
        descending
            Whether large scores come first; as the measure means it if None.
        ties
            The rank that equal scores share: that of no gaps (`"dense"`), or of the places that
            they take together the first (`"min"`), the last (`"max"`) or the mean (`"average"`).
        where
            Which concepts to rank: a condition such as `"support >= 10 and cr > 0.3"` (see
            `conceptrank.ranking.Condition`), a function of a concept, or an array of truth values
            in the lattice's order.
        budget, progress
            As for `score`.
        **params
            Parameters for all of the measures that know them.

        Raises
        ------
        ConditionError
            If the condition is none; the message says where it is wrong.
        BudgetExceeded
            If the budget ended the scoring.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.rank(by="delta_measure", also=["cr"]).top(3)
        Ranking of 3 concepts by delta_measure (5 different scores, 2 ties of 2 to 15 concepts)
        rank  delta_measure   cr  support  intent
           1              4  0.5        7  {adventure, criminal}
           2              3    0       11  {}
           3              2  0.5        5  {drama}
        >>> lattice.rank(by="cr", then="support", where="cr > 0.4 and 'drama' in intent")
        Ranking of 3 concepts by cr, then support where cr > 0.4 and 'drama' in intent (3 ...
        rank   cr  support  intent
           1  0.5        5  {drama}
           2  0.5        2  {action, drama}
           3  0.5        1  {comedy, drama}
        """
        from conceptrank.ranking import rank

        with watched(budget, progress):
            return rank(
                self._whole,
                by,
                also=also,
                then=then,
                descending=descending,
                ties=ties,
                where=where,
                params=params,
            )

    def rules(
        self,
        basis: str = "minimal_non_redundant",
        *,
        min_support: float | None = None,
        min_confidence: float = 0.0,
        max_premise: int | None = None,
        by: MeasureLike | None = None,
        top: int | None = None,
        budget: Budget | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> Rules:
        """Return rules between the concepts: what follows from how little, and how surely.

        Parameters
        ----------
        basis
            Which rules (see `conceptrank.rules.bases.available()`). Some always hold:
            `"duquenne_guigues"` (the fewest from which all others follow), `"generic"` (shortest
            premises) and `"proper_premises"` (canonical direct). Some may fail:
            `"luxenburger"` (one for each cover), `"informative"` and `"reduced_informative"`
            (shortest premises). `"minimal_non_redundant"`, or `"mnr"`, is generic and informative
            together.
        min_support
            The least number of objects that a rule holds for; a float is a share of all objects.
            If None, that of the lattice, and 1 if the basis has rules that may fail.
        min_confidence
            The least share of the objects with the premise that have the conclusion as well.
        max_premise
            The largest number of attributes of a premise.
        by
            A measure of rules (`conceptrank.rules.measures.available()`), or of the concept that
            a rule leads to; `"premise.cr"` is that of the concept that it comes from.
        top
            How many of the best by that measure to keep; all in their order if None.
        budget, progress
            As for `Context.lattice`. A budget can limit the rules.

        Raises
        ------
        BudgetExceeded
            If the lattice is not complete: then its covers are not known.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice()
        >>> lattice.rules(min_support=3, min_confidence=0.7, by="lift", top=3)
        3 rules of the minimal_non_redundant basis by lift
        ...
        """
        from conceptrank.rules import generation

        return generation.rules(
            self._whole,
            basis,
            min_support=min_support,
            min_confidence=min_confidence,
            max_premise=max_premise,
            by=by,
            top=top,
            budget=budget,
            progress=progress,
        )
