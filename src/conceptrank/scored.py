"""How lattices are scored, within a budget and with somebody watching."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrank._watch import Progress, watched
from conceptrank.budget import Budget
from conceptrank.faces import Scores
from conceptrank.measures import registry


class Scored:
    """The scores of a `Lattice`, which inherits them."""

    def score(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> Scores:
        """Return the scores of all concepts by a measure, in the lattice's order.

        Parameters
        ----------
        name
            The measure; `conceptrank.measures.available()` lists them.
        budget
            The seconds that it may take, and a way to cancel it.
        progress
            Called now and then with the number of concepts done, and the share of the whole.
        **params
            Its parameters.

        Raises
        ------
        BudgetExceeded
            If the budget ended it.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").lattice(min_support=5).score("cr")
        array([0. , 0.5, 0.5, 0.5, 0.5])
        """
        with watched(budget, progress):
            return registry.get(name).score(self, params)  # type: ignore[arg-type]

    def exact(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> NDArray[np.bool_]:
        """Return which of the scores by a measure are exact.

        Counting generators and hitting sets is #P-hard and stops at a budget for each concept.
        Then a number of generators is a lower bound, and a stability is estimated from random
        subsets; `interval` gives the interval.

        Parameters
        ----------
        name, budget, progress, **params
            As for `score`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> bool(cr.datasets.load("movies").lattice().exact("cr").all())
        True
        """
        with watched(budget, progress):
            return registry.get(name).exact(self, params)  # type: ignore[arg-type]

    def interval(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        progress: Progress | None = None,
        **params: object,
    ) -> tuple[Scores, Scores]:
        """Return intervals that contain the true scores by a measure.

        Parameters
        ----------
        name, budget, progress, **params
            As for `score`. Exact scores have intervals without width. The interval of an estimate
            fails with a chance of 5 %, or of the parameter `delta`. It is infinite where a score is
            not exact and nothing better is known.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=8)
        >>> low, high = lattice.interval("stability", method="karp_luby", seed=1)
        >>> bool(((low <= lattice.score("stability")) & (lattice.score("stability") <= high)).all())
        True
        """
        with watched(budget, progress):
            return registry.get(name).interval(self, params)  # type: ignore[arg-type]
