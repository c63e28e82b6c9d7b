"""How many rules there are before and after each threshold, without listing them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank.lattice import Lattice
from conceptrank.rules import bases, generation
from conceptrank.rules.generation import Thresholds
from conceptrank.rules.watch import RuleWatch


@dataclass(frozen=True)
class Tally:
    """Numbers of rules.

    Parameters
    ----------
    support
        With enough objects.
    confidence
        Of these, with enough confidence.
    premise
        Of these, with a premise that is short enough.
    """

    support: int
    confidence: int
    premise: int


def tally(lattice: Lattice, basis: str, thresholds: Thresholds, watch: RuleWatch) -> Tally | None:
    """Return how many rules of a basis pass each threshold; None if the budget ended the count.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from conceptrank.budget import Budget
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> tally(lattice, "mnr", Thresholds(2, 0.5, 1), RuleWatch(Budget(), None))
    Tally(support=44, confidence=20, premise=13)
    """
    chosen = bases.get(basis)
    if chosen.premises in ("pseudo-intents", "proper"):
        counts = [
            sum(part.n_rules for part in generation.generated(lattice, chosen, each, watch))
            for each in (replace(thresholds, max_premise=None), thresholds)
        ]
        return None if watch.stopped else Tally(counts[0], counts[0], counts[1])
    end = generation.frequent(lattice, thresholds.min_support)
    rows = []
    for wanted in (replace(thresholds, min_confidence=0.0), thresholds):
        below = _below(lattice, chosen, wanted, end, watch)
        if below is None:
            return None
        rows.append(below)
    any_size = _premises(lattice, chosen, replace(thresholds, max_premise=None), end, watch)
    short = _premises(lattice, chosen, thresholds, end, watch)
    if any_size is None or short is None:
        return None
    trivial = _trivial(lattice, chosen, end)
    few = trivial & ~_long(lattice, thresholds, end)
    return Tally(
        int((any_size * rows[0]).sum() - trivial.sum()),
        int((any_size * rows[1]).sum() - trivial.sum()),
        int((short * rows[1]).sum() - few.sum()),
    )


def _below(
    lattice: Lattice, basis: bases.Basis, thresholds: Thresholds, end: int, watch: RuleWatch
) -> NDArray[np.int64] | None:
    """Return how many concepts the rules of each concept may lead to."""
    own = np.ones(end, dtype=np.int64)
    if basis.concludes == "same":
        return own
    if basis.concludes == "covers":
        targets = generation.conclusions(lattice, basis, thresholds, (0, end), watch)
        return None if targets is None else np.diff(targets[0])
    if thresholds.min_confidence == 0:
        counts: NDArray[np.int64] | None = _core.count_descendants(
            lattice.core,
            0,
            end,
            min_support=thresholds.min_support,
            threads=lattice.threads,
            interrupt=watch.interrupted,
        )
    else:
        found = generation.descendants(lattice, thresholds, (0, end), watch)
        counts = None if found is None else np.asarray(np.diff(found[0]), dtype=np.int64)
    if counts is None or basis.concludes != "all":
        return counts
    total: NDArray[np.int64] = counts + own
    return total


def _premises(
    lattice: Lattice, basis: bases.Basis, thresholds: Thresholds, end: int, watch: RuleWatch
) -> NDArray[np.int64] | None:
    """Return how many premises each concept has."""
    if basis.premises == "intents":
        return np.where(_long(lattice, thresholds, end), 0, 1)
    found = generation.generators(lattice, (0, end), thresholds.max_premise, watch)
    return None if found is None else np.diff(found[0])


def _trivial(lattice: Lattice, basis: bases.Basis, end: int) -> NDArray[np.bool_]:
    """Return the concepts whose only generator is the intent, which concludes nothing."""
    if basis.concludes not in ("same", "all"):
        return np.zeros(end, dtype=np.bool_)
    alone: NDArray[np.bool_] = (
        lattice.face_scores("intent", "singletons")[0] == lattice.intent_sizes
    )
    return alone[:end]


def _long(lattice: Lattice, thresholds: Thresholds, end: int) -> NDArray[np.bool_]:
    """Return the concepts with an intent that is longer than a premise may be."""
    most = thresholds.max_premise
    if most is None:
        return np.zeros(end, dtype=np.bool_)
    return lattice.intent_sizes[:end] > most
