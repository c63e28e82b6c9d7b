"""`Best`: the ranking that a search for the best concepts gives, with its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conceptrank._util import text as _text
from conceptrank._util.text import counted
from conceptrank.lattice import Lattice
from conceptrank.ranking import Ranking, order


class Best(Ranking):
    """The best concepts by a measure, as a ranking, and how certain they are.

    `Context.best` makes one. It lists the k best of the concepts that the search came to. If the
    search is not `complete`, `bound` is the best score that any other concept can have, and the
    first `proven` rows are certain to be among the best.

    Parameters
    ----------
    bound
        The best score that a concept which is not listed, and not ruled out, can have; None if the
        search is complete: then no other concept has a better score.
    proven
        The number of rows, from the first on, that are certain to be among the best.
    stopped
        What ended the search: "concepts", "seconds", "cancelled", or "" if nothing did.
    visited
        The number of concepts below which the search looked.
    constraints
        Which concepts count, in words.
    **ranking
        As for `Ranking`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> best = cr.datasets.load("movies").best(3, by="delta_measure")
    >>> best.score("delta_measure"), best.complete, best.proven, best.bound
    (array([4., 3., 2.]), True, 3, None)
    """

    def __init__(
        self,
        lattice: Lattice,
        *,
        bound: float | None,
        proven: int,
        stopped: str,
        visited: int,
        constraints: str,
        **ranking: Any,
    ) -> None:
        super().__init__(lattice, **ranking)
        self.bound: float | None = bound
        self.proven: int = proven
        self.visited: int = visited
        self._ended = stopped
        self._constraints = constraints

    @property
    def stopped(self) -> str:
        """What ended the search: "concepts", "seconds", "cancelled", or "" if nothing did."""
        return self._ended

    @property
    def title(self) -> str:
        """One line that says what this is, and how certain."""
        by, *then = self.recipe.by
        many = f"{counted(len(self), 'best concept')} by {by}"
        parts = [many, *(f"then {each}" for each in then)]
        known = f"{self.visited:,} visited"
        if not self.complete:
            bound = "nothing" if self.bound is None else _text.number(self.bound)
            known += f", stopped by {self.stopped}: {self.proven:,} certain, "
            known += f"others have at most {bound}" if self._down else f"others at least {bound}"
        return f"The {', '.join(parts)}{self.recipe.about} ({known})"

    def only(self, rows: Sequence[int]) -> Best:
        """Return some rows; those after them that are left out count as listed."""
        places = np.array(rows, dtype=np.int64)
        return Best(
            self.lattice,
            bound=self.bound,
            proven=int((places < self.proven).sum()),
            stopped=self.stopped,
            visited=self.visited,
            constraints=self._constraints,
            recipe=self.recipe,
            scores=self._scores,
            order=self.order[places],
            ranks=order.ranks(order.dense(self.ranks[places].astype(np.int64) - 1)),
            ties=self.ties,
        )

    @property
    def provenance(self) -> dict[str, Any]:
        """All that is needed to make the ranking again, and the certificate."""
        known = super().provenance
        known["best"] = {
            "constraints": self._constraints,
            "visited": self.visited,
            "complete": self.complete,
            "stopped": self.stopped,
            "bound": None if self.bound is None or np.isinf(self.bound) else self.bound,
            "proven": self.proven,
        }
        return known

    @property
    def _down(self) -> bool:
        return self.recipe.descending[self.by]
