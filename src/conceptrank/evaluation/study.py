"""`study` runs all experiments on one context, with the same measures and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, Unpack

from conceptrank.budget import Watch
from conceptrank.context import Context
from conceptrank.evaluation import timing
from conceptrank.evaluation._scoring import Columns
from conceptrank.evaluation._work import Running
from conceptrank.evaluation.bootstrap import bootstrap
from conceptrank.evaluation.experiment import Experiment
from conceptrank.evaluation.neighbours import separated
from conceptrank.evaluation.noise import noise_recovery
from conceptrank.evaluation.splits import halves, split_agreement
from conceptrank.evaluation.timing import ConceptTimes, time_per_concept
from conceptrank.faces import Scores
from conceptrank.measures import registry
from conceptrank.measures.registry import MeasureLike
from conceptrank.ranking import Agreement

# Called with the name of the current step and the share of all work that is done.
Report: TypeAlias = Callable[[str, float], None]

CR = "conceptual_relevance"
# The measures of the paper on Conceptual Relevance, their natural rival, and other common ones.
JUDGED = (CR, timing.INTENSIONAL, timing.EXTENSIONAL)
FOCUS = (*JUDGED, "expected_relevance", "support", "separation", "delta_measure")
# The number of experiments of a study.
_STEPS = 6


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How often each experiment is repeated.

    Parameters
    ----------
    measures
        The measures; all that need a table only if None.
    splits
        Random halves per table.
    draws
        Noisy tables per level of noise.
    resamples
        Bootstrap draws.
    levels
        Levels of noise: chances to flip a cell.
    k
        The depth of the overlap at the top.
    timed, repeats
        The number of concepts to time the literal algorithms on, and of runs of the product.
    planted
        Tables with planted patterns per setting; 0 leaves them out.
    min_support
        The least number of objects of a concept; a float is a share.
    seed
        Of all random numbers.
    """

    measures: tuple[MeasureLike, ...] | None = None
    splits: int = 30
    draws: int = 20
    resamples: int = 20
    levels: tuple[float, ...] = (0.01, 0.05, 0.1)
    k: int = 10
    timed: int = 60
    repeats: int = 5
    planted: int = 3
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
    file_halves
        The agreement of the first and the second half of the file, as in the paper.
    points
        The scores of the concepts that these halves share, in both of them, by measure.
    exact
        Whether these scores are exact.
    splits, whole_splits
        Agreement over random halves without top and bottom, and with them for the measures of
        the paper.
    noise, bootstrap
        Recovery after noise, and rankings of bootstrap draws.
    neighbours
        The share of neighbours in the table with different scores, by measure.
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
    file_halves: Experiment
    points: Mapping[str, tuple[Scores, Scores]]
    exact: bool
    splits: Experiment
    whole_splits: Experiment
    noise: Experiment
    bootstrap: Experiment
    neighbours: Mapping[str, float]
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
    report: Report | None = None,
    **running: Unpack[Running],
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
    report
        Called with the name of the current experiment and the share of the work that is done.
    **running
        `threads`, `budget` and `resume` as for `split_agreement`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> settings = Settings(measures=("cr", "stability_intensional")).quick()
    >>> found = study(cr.datasets.load("movies"), "movies", settings=settings)
    >>> found.concepts, len(found.splits.cases), found.measures
    (20, 3, ('conceptual_relevance', 'stability_intensional'))
    """
    context = context.repeated()
    measures = canonical(settings.measures)
    watch = Watch(running.get("budget"))
    steps = iter(range(_STEPS))

    def common(step: str, **more: Any) -> dict[str, Any]:
        begin = next(steps) / _STEPS

        def progress(_: int, share: float) -> None:
            if report is not None:
                report(step, begin + share / _STEPS)

        given = {"measures": measures, "min_support": settings.min_support, "seed": settings.seed}
        now = {"budget": watch.remaining(), "progress": progress}
        return {**given, **running, **now, **more}

    k = settings.k
    of_file = common("halves of the file", method="file", extremes=False, k=k)
    file_halves = split_agreement(context, **of_file)
    halved = {"splits": settings.splits, "k": k}
    splits = split_agreement(context, extremes=False, **common("splits", **halved))
    with_ends = common("splits with top and bottom", **halved, measures=JUDGED)
    whole_splits = split_agreement(context, **with_ends)
    disturb = {"levels": settings.levels, "draws": settings.draws}
    noise = noise_recovery(context, **common("noise", **disturb))
    drawn = bootstrap(context, **common("bootstrap", draws=settings.resamples, k=k))
    common("times")["progress"](0, 0.0)
    times = time_per_concept(
        context,
        sample=settings.timed,
        repeats=settings.repeats,
        min_support=settings.min_support,
        seed=settings.seed,
    )
    columns = Columns.of(measures)
    threads = running.get("threads", 0)
    lattice = columns.lattice(context, min_support=settings.min_support, threads=threads)
    scores = columns.scores(lattice)
    parts, places = halves(context, columns, min_support=settings.min_support)
    of_parts = [columns.scores(part) for part in parts]
    return Study(
        name=name,
        title=title or name,
        objects=len(context.objects),
        attributes=len(context.attributes),
        concepts=len(lattice),
        points={
            label: (of_parts[0][label][places[0]], of_parts[1][label][places[1]])
            for label in columns.names
        },
        exact=all(
            bool(part.exact(measure, **params).all())
            for part in parts
            for measure, params in columns.measures.values()
        ),
        neighbours=separated(lattice, scores),
        times=times,
        correlations=Agreement(scores, descending=columns.descending, k=k),
        file_halves=file_halves,
        splits=splits,
        whole_splits=whole_splits,
        noise=noise,
        bootstrap=drawn,
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
    full = ((registry.get(name).name, params) for name, params in map(registry.split, measures))
    found: list[MeasureLike] = [(name, params) if params else name for name, params in full]
    return tuple(one for place, one in enumerate(found) if one not in found[:place])
