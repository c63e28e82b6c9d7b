"""A study: all experiments on one context, with the same measures and settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from conceptrank.budget import Budget
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

# Called with what is being done, and the share of all work that is done.
Report: TypeAlias = Callable[[str, float], None]

# The shares of the work that the experiments take, roughly; for the progress.
_STEPS = {"splits": 0.35, "noise": 0.45, "bootstrap": 0.15, "times": 0.05}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How much to do.

    Attributes
    ----------
    measures
        The measures; all that need nothing but a table if None.
    splits, draws, resamples
        How many random splits, noisy tables a level, and bootstrap draws.
    levels
        Chances that a cell is turned over.
    timed, repeats
        On how many concepts to time the literal algorithms, and how often to time ours.
    planted
        How many random tables with planted patterns per setting; 0 leaves these out.
    k
        How many concepts the overlap at the top compares.
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
    """What the experiments found on one context.

    Attributes
    ----------
    name, title
        What it is called.
    objects, attributes, concepts
        Its size.
    paper
        The agreement of the first and the second half of the file, as the paper had it.
    exact
        Whether the scores that this rests on are exact for all concepts of both halves.
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
    settings: Settings = Settings(),  # noqa: B008
    threads: int = 0,
    budget: Budget | None = None,
    report: Report | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> Study:
    """Run all experiments on a context.

    Parameters
    ----------
    context
        The context.
    name, title
        What to call it.
    settings
        How much to do.
    threads, budget, resume
        As for `split_agreement`.
    report
        Called with what is being done, and the share of it that is done.

    Examples
    --------
    >>> import conceptrank as cr
    >>> settings = Settings(measures=("cr", "stability_intensional")).quick()
    >>> found = study(cr.datasets.load("movies"), "movies", settings=settings)
    >>> found.concepts, found.splits.splits, found.measures
    (20, 3, ('conceptual_relevance', 'stability_intensional'))
    """
    measures = canonical(settings.measures)
    told = _Told(report)
    common = {
        "measures": measures,
        "min_support": settings.min_support,
        "seed": settings.seed,
        "threads": threads,
        "budget": budget,
        "resume": resume,
    }
    told.begin("splits")
    paper = split_agreement(context, preset="paper", k=settings.k, **common)  # type: ignore[arg-type]
    splits = split_agreement(
        context,
        splits=settings.splits,
        extremes=False,
        k=settings.k,
        progress=told.progress,
        **common,  # type: ignore[arg-type]
    )
    whole = split_agreement(
        context,
        splits=settings.splits,
        k=settings.k,
        **common | {"measures": (CR, INTENSIONAL, EXTENSIONAL)},  # type: ignore[arg-type]
    )
    told.begin("noise")
    noise = noise_recovery(
        context,
        levels=settings.levels,
        draws=settings.draws,
        progress=told.progress,
        **common,  # type: ignore[arg-type]
    )
    told.begin("bootstrap")
    drawn = bootstrap(
        context,
        draws=settings.resamples,
        k=settings.k,
        progress=told.progress,
        **common,  # type: ignore[arg-type]
    )
    told.begin("times")
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
    """Say whether the scores of both halves of the file are exact, by all measures."""
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


class _Told:
    """Progress of one step after the other as the progress of the whole."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._before = 0.0
        self._step = ""

    def begin(self, step: str) -> None:
        """Go on to a step."""
        self._before += _STEPS.get(self._step, 0.0)
        self._step = step
        self.progress(0, 0.0)

    def progress(self, done: int, share: float) -> None:
        """Say how far the step has come."""
        del done
        if self._report is not None:
            self._report(self._step, self._before + _STEPS[self._step] * share)
