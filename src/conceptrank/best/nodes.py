"""`Found`, concepts whose support and Δ are known, and `Nodes`, limits on what is below them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.lists import Lists, take
from conceptrank.batch import Batch
from conceptrank.context import Context
from conceptrank.lattice import Lattice


class Found(Batch):
    """Concepts that a search came to: a batch whose supports and deltas are known.

    Parameters
    ----------
    context
        The context.
    intents
        The intents, as offsets and attribute numbers.
    supports
        Their supports.
    deltas
        Their deltas; computed when asked for if None.
    threads
        How many threads to use for what is not known.
    """

    def __init__(
        self,
        context: Context,
        intents: Lists,
        supports: NDArray[np.int64],
        deltas: NDArray[np.int64] | None = None,
        threads: int = 0,
    ) -> None:
        super().__init__(context, intents, threads)
        self._supports = supports
        self._deltas = deltas
        # Names of what was asked for, for a search that wants to know.
        self.used: set[str] = set()

    # A batch is frozen; its parts never change, and neither do those of this class.
    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def supports(self) -> NDArray[np.int64]:
        """The number of objects of every concept."""
        return self._supports

    @property
    def deltas(self) -> NDArray[np.int64]:
        """The support of every concept minus the largest of a lower cover."""
        self.used.add("own_delta")
        return super().deltas if self._deltas is None else self._deltas

    def at(self, places: NDArray[np.int64]) -> Found:
        """Return the concepts at some places."""
        found = Found(
            self.context,
            take(self.intents, places),
            self._supports[places],
            None if self._deltas is None else self._deltas[places],
            self.threads,
        )
        found.used = self.used
        return found

    def lattice(self, min_support: int) -> Lattice:
        """Return the concepts as a lattice that is not complete: in its order, without covers."""
        offsets, values = self.intents
        intents = [values[begin:end].tolist() for begin, end in pairwise(offsets.tolist())]
        supports = self.supports.tolist()
        places = sorted(range(len(self)), key=lambda i: (-supports[i], intents[i]))
        ordered = self.at(np.array(places, dtype=np.int64))
        core = _core.Lattice.from_arrays(
            min_support=min_support,
            stop="concepts",
            supports=ordered.supports.astype(np.uint32),
            deltas=ordered.deltas.astype(np.uint32),
            intent_offsets=np.ascontiguousarray(ordered.intents[0], dtype=np.int64),
            intents=np.ascontiguousarray(ordered.intents[1], dtype=np.uint32),
            lower_offsets=np.zeros(len(self) + 1, dtype=np.int64),
            lower=np.zeros(0, dtype=np.uint32),
        )
        return Lattice(self.context, core, threads=self.threads)


class Nodes(Found):
    """Nodes of the search tree; see `conceptrank.faces.Subtrees`.

    Parameters
    ----------
    context, intents, threads
        As for `Found`.
    supports, deltas
        The largest ones of a concept at or below each node.
    longest
        The largest number of attributes.
    bottom
        Whether the concept of all attributes can be there.
    min_support
        The least number of objects of a concept that counts.
    """

    def __init__(
        self,
        context: Context,
        intents: Lists,
        supports: NDArray[np.int64],
        deltas: NDArray[np.int64],
        threads: int = 0,
        *,
        longest: NDArray[np.int64],
        bottom: NDArray[np.bool_],
        min_support: int,
    ) -> None:
        super().__init__(context, intents, supports, deltas, threads)
        self._limits = deltas
        self._longest = longest
        self.bottom = bottom
        self.min_support = min_support

    @property
    def deltas(self) -> NDArray[np.int64]:
        """The largest Δ."""
        self.used.add("limit_delta")
        return self._limits

    @property
    def longest(self) -> NDArray[np.int64]:
        """The largest number of attributes."""
        self.used.add("limit_length")
        return self._longest
