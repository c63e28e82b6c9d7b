"""`time_per_concept`: the literal algorithms and the product, timed on the same concepts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from conceptrank.concepts import Concepts
from conceptrank.context import Context
from conceptrank.datasets._samplers import count
from conceptrank.evaluation import literal
from conceptrank.lattice import Lattice
from conceptrank.measures import registry

TIMED_CR = "cr"
INTENSIONAL, EXTENSIONAL = "stability_intensional", "stability_extensional"
MEASURES = (TIMED_CR, INTENSIONAL, EXTENSIONAL)
# The largest number of subsets for a literal stability; the time grows in proportion.
_MOST_SUBSETS = 2**13
# Work that takes less is repeated, because the clock is too coarse.
_LEAST_SECONDS = 2e-4


@dataclass(frozen=True, eq=False, kw_only=True)
class ConceptTimes:
    """Seconds per concept, by implementation and measure.

    Attributes
    ----------
    concepts
        The number of concepts of the table.
    sample
        Places of the concepts that the literal algorithms were timed on.
    literal
        Seconds for each of these concepts, by measure; nan where stability has more subsets, or CR
        more generators, than `limit`.
    ours
        Seconds per concept of the product for all concepts of the table at once, including the
        search for faces: the median of several runs, by measure.
    spread
        The shortest and the longest of these runs.
    limit
        The largest number of subsets or generators for a literal algorithm.
    """

    concepts: int
    sample: NDArray[np.int64]
    literal: dict[str, NDArray[np.float64]]
    ours: dict[str, float]
    spread: dict[str, tuple[float, float]]
    limit: int

    def ratio(self, stability: str) -> tuple[float, float, int]:
        """Return the time of a stability over that of CR, literal and ours, and the sample size.

        The literal ratio is that of the mean times on the concepts that both were timed on.
        """
        both = np.isfinite(self.literal[stability]) & np.isfinite(self.literal[TIMED_CR])
        number = int(both.sum())
        means = [self.literal[name][both].mean() for name in (stability, TIMED_CR) if number]
        literally = float(means[0] / means[1]) if number else np.nan
        return literally, self.ours[stability] / self.ours[TIMED_CR], number

    def to_polars(self) -> pl.DataFrame:
        """Return seconds per concept, a row per measure; undefined values are null."""
        found = []
        for measure, times in self.literal.items():
            known = times[np.isfinite(times)]
            literally, ours, _ = self.ratio(measure)
            row: dict[str, Any] = {
                "measure": measure,
                "timed_literally": f"{len(known)} of {len(self.sample)}",
            }
            mean = float(known.mean()) if len(known) else np.nan
            row |= {"literal": mean, "ours": self.ours[measure]}
            row |= dict(zip(("ours_low", "ours_high"), self.spread[measure], strict=True))
            found.append(row | {"literal_over_cr": literally, "ours_over_cr": ours})
        return pl.DataFrame(found).fill_nan(None)


def time_per_concept(
    context: Context,
    *,
    sample: int = 60,
    limit: int = _MOST_SUBSETS,
    repeats: int = 5,
    min_support: float = 0,
    seed: int = 0,
) -> ConceptTimes:
    """Time Conceptual Relevance and both stabilities: the literal algorithms and the product.

    All run on one thread. The literal algorithms get extents and intents. The product gets intents
    and finds the faces in the table.

    Parameters
    ----------
    context
        The context.
    sample
        The number of concepts to time the literal algorithms on, drawn from all but top and
        bottom.
    limit
        Leave out concepts with more subsets (stability) or generators (CR).
    repeats
        How often to time the product.
    min_support
        The least number of objects of a concept; a float is a share.
    seed
        Of the sample.

    Examples
    --------
    >>> import conceptrank as cr
    >>> times = time_per_concept(cr.datasets.load("movies"), sample=10, repeats=1)
    >>> times.concepts, len(times.sample), times.ratio("stability_intensional")[2]
    (20, 10, 10)
    """
    count("sample", sample)
    context = context.repeated()
    lattice = context.lattice(min_support=min_support, threads=1)
    random = np.random.default_rng(seed)
    inner = np.flatnonzero(lattice.intent_sizes < len(context.attributes))[1:]
    chosen = np.sort(random.choice(inner, min(sample, len(inner)), replace=False))
    runs = {measure: _runs(context, lattice, measure, repeats) for measure in MEASURES}
    return ConceptTimes(
        concepts=len(lattice),
        sample=chosen,
        literal=_literally(context, lattice, chosen, limit),
        ours={measure: float(np.median(times)) for measure, times in runs.items()},
        spread={measure: (min(times), max(times)) for measure, times in runs.items()},
        limit=limit,
    )


def _runs(context: Context, lattice: Lattice, measure: str, repeats: int) -> list[float]:
    """Return the seconds per concept of several runs of the product."""

    def score() -> None:
        registry.get(measure).score(Concepts(context, lattice.intents, threads=1), {})

    score()  # warm up the caches
    return [_seconds(score) / max(len(lattice), 1) for _ in range(repeats)]


def _literally(
    context: Context, lattice: Lattice, chosen: NDArray[np.int64], limit: int
) -> dict[str, NDArray[np.float64]]:
    table = {name: frozenset(context.intension([name])) for name in context.objects}
    every = frozenset(context.attributes)
    (generators,) = lattice.face_scores("intent", "generators")
    times: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    for place in chosen.tolist():
        concept = lattice[place]
        extent, intent = frozenset(concept.extent), frozenset(concept.intent)
        cr = partial(literal.conceptual_relevance, table, extent, intent)
        inner = partial(literal.stability_intensional, table, extent, intent, every)
        outer = partial(literal.stability_extensional, table, extent, intent)
        work = {
            TIMED_CR: (cr, generators[place]),
            INTENSIONAL: (inner, 2 ** len(extent)),
            EXTENSIONAL: (outer, 2 ** len(intent)),
        }
        for measure, (compute, steps) in work.items():
            times[measure].append(_seconds(compute) if steps <= limit else np.nan)
    return {measure: np.array(found) for measure, found in times.items()}


def _seconds(work: Callable[[], object]) -> float:
    """Return how many seconds a call takes, as the mean of several calls if it is short."""
    begin = perf_counter()
    work()
    once = perf_counter() - begin
    if once >= _LEAST_SECONDS:
        return once
    times = int(_LEAST_SECONDS / max(once, 1e-7)) + 1
    begin = perf_counter()
    for _ in range(times):
        work()
    return (perf_counter() - begin) / times
