"""Rules as arrays: premises, the concepts that they generate, and those that they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util import lists as _lists
from conceptrank._util.lists import Lists, Numbers
from conceptrank.lattice import Lattice


@dataclass(frozen=True, eq=False)
class Part:
    """Some rules of a lattice.

    Parameters
    ----------
    premises
        Sets of attributes.
    sources
        The places of the concepts that they generate.
    numbers
        For each rule, the number of its premise.
    targets
        For each rule, the place of the concept of premise and conclusion together.
    conclusions
        For each rule its conclusion, if it is not the target's intent without the premise.
    """

    premises: Lists
    sources: Numbers
    numbers: Numbers
    targets: Numbers
    conclusions: Lists | None = None

    @classmethod
    def joined(cls, parts: Sequence[Part]) -> Part:
        """Return the rules of several parts.

        Examples
        --------
        >>> Part.joined([]).n_rules
        0
        """
        if len(parts) == 1:
            return parts[0]
        before = np.cumsum([0, *(len(part.sources) for part in parts)])
        numbers = [
            part.numbers + np.uint32(start)
            for part, start in zip(parts, before.tolist(), strict=False)
        ]
        conclusions = [part.conclusions for part in parts if part.conclusions is not None]
        return cls(
            _lists.stacked([part.premises for part in parts]),
            _concatenated([part.sources for part in parts]),
            _concatenated(numbers),
            _concatenated([part.targets for part in parts]),
            _lists.stacked(conclusions) if conclusions else None,
        )

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.numbers)

    @property
    def n_bytes(self) -> int:
        """The memory that the rules take."""
        lists = [self.premises, *([] if self.conclusions is None else [self.conclusions])]
        size = self.sources.nbytes + self.numbers.nbytes + self.targets.nbytes
        return size + sum(offsets.nbytes + values.nbytes for offsets, values in lists)

    def take(self, rules: NDArray[np.int64]) -> Part:
        """Return the rules with these numbers, in this order, with their premises only."""
        unique, numbers = np.unique(self.numbers[rules], return_inverse=True)
        used = unique.astype(np.int64)
        return Part(
            _lists.take(self.premises, used),
            self.sources[used],
            numbers.astype(np.uint32),
            self.targets[rules],
            None if self.conclusions is None else _lists.take(self.conclusions, rules),
        )

    def pieces(self, size: int) -> Iterator[Part]:
        """Return these rules in pieces of limited size."""
        for begin in range(0, self.n_rules, size):
            some = slice(begin, begin + size)
            conclusions = self.conclusions
            if conclusions is not None:
                conclusions = _lists.section(conclusions, begin, begin + size)
            yield replace(
                self,
                numbers=self.numbers[some],
                targets=self.targets[some],
                conclusions=conclusions,
            )

    def conclusion_lists(self, lattice: Lattice) -> Lists:
        """Return the attributes of each rule's conclusion."""
        if self.conclusions is not None:
            return self.conclusions
        return _core.differences(lattice.intents, self.targets, self.premises, self.numbers)


def _concatenated(arrays: Sequence[Numbers]) -> Numbers:
    return np.concatenate(arrays) if arrays else _lists.NO_NUMBERS
