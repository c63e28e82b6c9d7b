"""`study` runs all experiments on one context, with the same measures and settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, TypeAlias

from conceptrank.budget import Budget, Watch
from conceptrank.context import Context
from conceptrank.evaluation._scoring import Columns
from conceptrank.evaluation.bootstrap import BootstrapResult, bootstrap
from conceptrank.evaluation.noise import NoiseRecovery, noise_recovery
from conceptrank.evaluation.paper import CR, EXTENSIONAL, FOCUS, INTENSIONAL
from conceptrank.evaluation.splits import SplitAgreement, split_agreement
from conceptrank.evaluation.timing import ConceptTimes, time_per_concept
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Agreement

# Called with the name of the current step and the share of all work that is done.
Report: TypeAlias = Callable[[str, float], None]

# About how long the experiments of a study take, for the progress.
_STEPS = {
    "halves of the file": 1,
    "splits": 24,
    "splits with top and bottom": 10,
    "noise": 45,
    "bootstrap": 15,
    "times": 5,
}


class Stage:
    """A part of a longer work, which reports its progress as that of the whole.

    Parameters
    ----------
    report
        Called with the name of the step and the share of the whole; None for nothing.
    name
        The name of this part.
    begin, end
        Where it begins and ends in the whole.

    Examples
    --------
    >>> stages = Stage(lambda step, share: print(step, share)).parts({"mine": 3, "score": 1})
    >>> stages["score"].progress(10, 0.5)
    score 0.875
    """

    def __init__(
        self, report: Report | None, name: str = "", begin: float = 0.0, end: float = 1.0
    ) -> None:
        self.name = name
        self._report, self._begin, self._end = report, begin, end

    def parts(self, weights: Mapping[str, float]) -> dict[str, Stage]:
        """Return consecutive parts by name, each as long as its weight says."""
        ends = dict(zip(weights, accumulate(weights.values()), strict=True))
        scale = (self._end - self._begin) / sum(weights.values())
        prefix = f"{self.name}: " if self.name else ""
        return {
            name: Stage(
                self._report,
                prefix + name,
                self._begin + scale * (ends[name] - weight),
                self._begin + scale * ends[name],
            )
            for name, weight in weights.items()
        }

    def progress(self, done: int, share: float) -> None:
        """Report the share of this part that is done."""
        del done
        if self._report is not None:
            self._report(self.name, self._begin + (self._end - self._begin) * share)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The measures and the number of runs of each kind.

    Attributes
    ----------
    measures
        The measures; all that need nothing but a table if None.
    splits, draws, resamples
        The number of random splits, of noisy tables per level, and of bootstrap draws.
    levels
        Chances to flip a cell.
    timed, repeats
        The number of concepts to time the literal algorithms on, and how often to time ours.
    planted
        The number of random tables with planted patterns per setting; 0 for none.
    k
        The number of concepts that the overlap at the top compares.
    min_support
        The least number of objects of a concept; a float is a share of the objects of each table.
    seed
        Of everything.
    """

    measures: tuple[MeasureLike, ...] | None = None
    splits: int = 30
    draws: int = 20
    resamples: int = 20
    levels: tuple[float, ...] = (0.01, 0.05, 0.1)
    timed: int = 60
    repeats: int = 5
    planted: int = 3
    k: int = 10
    min_support: float = 0
    seed: int = 0

    def quick(self) -> Settings:
        """Return settings for a first look: few runs, and some measures if none are named.

        Examples
        --------
        >>> Settings().quick().splits
        3
        """
        return replace(
            self,
            measures=self.measures or FOCUS,
            splits=3,
            draws=2,
            resamples=2,
            levels=(0.01, 0.05),
            timed=10,
            repeats=1,
            planted=0,
        )


@dataclass(frozen=True, kw_only=True)
class Study:
    """The results of all experiments on one context.

    Attributes
    ----------
    name, title
        Its names.
    objects, attributes, concepts
        Its size.
    paper
        The agreement of the first and the second half of the file, as in the paper.
    exact
        Whether the scores behind `paper` are exact for all concepts of both halves.
    splits, noise, bootstrap
        Agreement over random halves without top and bottom, recovery after noise, and rankings
        of bootstrap draws.
    whole_splits
        The agreement over the same halves with top and bottom, of the paper's measures.
    times
        Seconds per concept.
    correlations
        The agreement of all measures with each other.
    """

    name: str
    title: str
    objects: int
    attributes: int
    concepts: int
    paper: SplitAgreement
    exact: bool
    splits: SplitAgreement
    whole_splits: SplitAgreement
    noise: NoiseRecovery
    bootstrap: BootstrapResult
    times: ConceptTimes
    correlations: Agreement

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return self.splits.measures


def study(
    context: Context,
    name: str,
    *,
    title: str | None = None,
    settings: Settings = Settings(),
    threads: int = 0,
    budget: Budget | None = None,
    report: Report | Stage | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> Study:
    """Run all experiments on a context.

    Parameters
    ----------
    context
        The context.
    name, title
        Its names.
    settings
        The measures and the number of runs.
    threads, budget, resume
        As for `split_agreement`.
    report
        Called with the name of the current experiment and the share of the work that is done.

    Examples
    --------
    >>> import conceptrank as cr
    >>> settings = Settings(measures=("cr", "stability_intensional")).quick()
    >>> found = study(cr.datasets.load("movies"), "movies", settings=settings)
    >>> found.concepts, found.splits.splits, found.measures
    (20, 3, ('conceptual_relevance', 'stability_intensional'))
    """
    context = context.repeated()
    measures = canonical(settings.measures)
    stage = report if isinstance(report, Stage) else Stage(report)
    stages, watch = stage.parts(_STEPS), Watch(budget)

    def common(step: str) -> dict[str, Any]:
        return {
            "measures": measures,
            "min_support": settings.min_support,
            "seed": settings.seed,
            "threads": threads,
            "budget": watch.remaining(),
            "progress": stages[step].progress,
            "resume": resume,
        }

    paper = split_agreement(context, preset="paper", k=settings.k, **common("halves of the file"))
    of_halves: dict[str, Any] = {"splits": settings.splits, "k": settings.k}
    splits = split_agreement(context, extremes=False, **of_halves, **common("splits"))
    judged: dict[str, Any] = {"measures": (CR, INTENSIONAL, EXTENSIONAL)}
    whole = split_agreement(context, **of_halves, **common("splits with top and bottom") | judged)
    noise = noise_recovery(context, levels=settings.levels, draws=settings.draws, **common("noise"))
    drawn = bootstrap(context, draws=settings.resamples, k=settings.k, **common("bootstrap"))
    stages["times"].progress(0, 0.0)
    times = time_per_concept(
        context,
        sample=settings.timed,
        repeats=settings.repeats,
        min_support=settings.min_support,
        seed=settings.seed,
    )
    columns = Columns.of(measures)
    lattice = columns.lattice(context, min_support=settings.min_support, threads=threads)
    scores = columns.scores(lattice)
    return Study(
        name=name,
        title=title or name,
        objects=len(context.objects),
        attributes=len(context.attributes),
        concepts=len(lattice),
        paper=paper,
        exact=_exact(context, columns, settings.min_support),
        splits=splits,
        whole_splits=whole,
        noise=noise,
        bootstrap=drawn,
        times=times,
        correlations=Agreement(scores, descending=columns.descending, k=settings.k),
    )


def canonical(measures: Iterable[MeasureLike] | None) -> tuple[MeasureLike, ...] | None:
    """Return measures under their full names, each once.

    Examples
    --------
    >>> canonical(["cr", "stability", "conceptual_relevance"])
    ('conceptual_relevance', 'stability_intensional')
    """
    if measures is None:
        return None
    found: list[MeasureLike] = []
    for name, params in map(registry.split, measures):
        full = registry.get(name).name
        one: MeasureLike = (full, params) if params else full
        if one not in found:
            found.append(one)
    return tuple(found)


def _exact(context: Context, columns: Columns, min_support: float) -> bool:
    """Return whether the scores of both halves of the file are exact, by all measures."""
    half = round(0.5 * len(context.objects))
    parts = context.objects[:half], context.objects[half:]
    lattices = [
        columns.lattice(context.select(objects=part), min_support=min_support) for part in parts
    ]
    return all(
        bool(lattice.exact(name, **params).all())
        for lattice in lattices
        for name, params in columns.measures.values()
    )
