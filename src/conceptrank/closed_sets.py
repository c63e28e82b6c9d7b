"""`ClosedSets`: the intents of a context with their supports.

Without the cover relation of a lattice they are mined several times faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.lists import Lists, each
from conceptrank.budget import Budget, Progress
from conceptrank.lattice import mine_core

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.context import Context


class ClosedSets:
    """Closed attribute sets in the lattice's order: support descending, then by attributes.

    `Context.closed_sets` makes one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> sets = cr.datasets.load("movies").closed_sets(min_support=8)
    >>> sets
    <ClosedSets 3 sets with at least 8 of 11 objects>
    >>> list(sets)
    [((), 11), (('adventure',), 8), (('criminal',), 8)]
    """

    def __init__(self, context: Context, core: _core.Lattice) -> None:
        self._context = context
        self._core = core

    @classmethod
    def mine(
        cls,
        context: Context,
        *,
        min_support: float = 0,
        threads: int = 0,
        budget: Budget | None = None,
        progress: Progress | None = None,
    ) -> ClosedSets:
        """Mine the closed sets of a context; the same as `context.closed_sets(...)`."""
        core, _, _ = mine_core(
            context,
            min_support=min_support,
            threads=threads,
            budget=budget,
            progress=progress,
            covers=False,
        )
        return cls(context, core)

    @property
    def context(self) -> Context:
        """The context that they were mined from."""
        return self._context

    @property
    def complete(self) -> bool:
        """Whether these are all closed sets: no limit and no interruption ended the search."""
        return not self.stopped

    @property
    def stopped(self) -> str:
        """What ended the search early: `concepts`, `bytes`, `seconds`, `cancelled`; or nothing."""
        return "" if self._core.stop == "constraints" else self._core.stop

    @property
    def min_support(self) -> int:
        """The least number of objects of a set."""
        return self._core.min_support

    @property
    def supports(self) -> NDArray[np.uint32]:
        """The number of objects that have each set; not a copy."""
        return self._core.supports

    @property
    def intents(self) -> Lists:
        """The attribute numbers of all sets, as offsets and values.

        Examples
        --------
        >>> import conceptrank as cr
        >>> offsets, values = cr.datasets.load("movies").closed_sets(min_support=7).intents
        >>> offsets.tolist(), values.tolist()
        ([0, 0, 1, 2, 4], [1, 3, 1, 3])
        """
        return self._core.intent_offsets.view(np.int64), self._core.intents

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with the columns `intent`, a list of names, and `support`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").closed_sets(min_support=7).to_polars().row(3)
        (['adventure', 'criminal'], 7)
        """
        import polars as pl

        names = pl.Series("name", list(self._context.attributes), dtype=pl.String)
        offsets, values = self.intents
        place = np.repeat(np.arange(len(self)), np.diff(offsets))
        listed = (
            pl.DataFrame({"place": place, "name": names.gather(values)})
            .group_by("place", maintain_order=True)
            .agg(pl.col("name").alias("intent"))
        )
        frame = pl.DataFrame({"place": np.arange(len(self)), "support": self.supports})
        empty = pl.lit([], dtype=pl.List(pl.String))
        return frame.join(listed, on="place", how="left", maintain_order="left").select(
            pl.col("intent").fill_null(empty), pl.col("support").cast(pl.Int64)
        )

    def __len__(self) -> int:
        return self._core.n_concepts

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int]]:
        names = self._context.attributes
        for intent, support in zip(each(self.intents), self.supports.tolist(), strict=True):
            yield tuple(names[m] for m in intent.tolist()), support

    def __repr__(self) -> str:
        least = f"with at least {self._core.min_support:,} of" if self._core.min_support else "of"
        part = f", stopped by {self.stopped}" if self.stopped else ""
        return f"<ClosedSets {len(self):,} sets {least} {self._context.shape[0]:,} objects{part}>"
