"""`reproduce` runs the paper's evaluation on its data, `evaluate` runs it on any table."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polars as pl

from conceptrank import datasets
from conceptrank.budget import Budget, Watch
from conceptrank.context import Context
from conceptrank.datasets import DataUnavailableError
from conceptrank.errors import ConceptRankError
from conceptrank.evaluation import timing
from conceptrank.evaluation.contest import Contest
from conceptrank.evaluation.paper import CR, EXTENSIONAL, INTENSIONAL, SUBSTITUTES, TABLE
from conceptrank.evaluation.planted_recovery import PlantedRecovery, planted_recovery
from conceptrank.evaluation.study import Report, Settings, Stage, Study, canonical, study
from conceptrank.evaluation.verdicts import Verdict, verdicts

_JUDGED = (CR, INTENSIONAL, EXTENSIONAL)
# The folder of finished pieces, from which a stopped run continues.
PIECES = "pieces"
# The minimum support in tables with planted patterns, where 1 % gives up to 600,000 concepts.
_PLANTED_SUPPORT = 0.02


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """The contents of a report.

    Attributes
    ----------
    title
        The title.
    settings
        The number of runs of each kind.
    studies
        The results, by the name of the data set.
    missing
        Why data sets are missing, by name.
    growth
        Times on random contexts that grow; see `timing.growth`.
    planted
        The recovery of patterns that were planted in random contexts; None if it was left out.
    of_paper
        Whether the report judges the paper's statements.
    command
        The command that was typed.
    versions
        The versions of the packages.
    """

    title: str
    settings: Settings
    studies: Mapping[str, Study]
    growth: pl.DataFrame
    planted: PlantedRecovery | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    of_paper: bool = False
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdicts(self) -> list[Verdict]:
        """A verdict on every statement of the paper that the run can check."""
        return verdicts(self.studies, missing=self.missing) if self.of_paper else []

    @property
    def contest(self) -> Contest:
        """The standings of all measures."""
        return Contest(list(self.studies.values()))

    def sentences(self) -> list[str]:
        """Return what the run found, a sentence per finding."""
        found = self.contest.sentences()
        return found if self.planted is None else [*found, *self.planted.sentences()]

    def write(self, directory: str | os.PathLike[str], *, report: Report | None = None) -> Path:
        """Write the page, the figures and the numbers, and return the path of the page."""
        from conceptrank.evaluation.report import write

        return write(self, Path(directory), report=report)


def reproduce(
    *,
    settings: Settings = Settings(),  # noqa: B008
    own: Mapping[str, Context] | None = None,
    substitutes: bool = True,
    download: bool = True,
    threads: int = 0,
    budget: Budget | None = None,
    report: Report | None = None,
    resume: str | os.PathLike[str] | None = None,
    command: str = "",
) -> Evaluation:
    """Run the paper's evaluation, and further experiments, on the paper's data.

    Parameters
    ----------
    settings
        The number of runs of each kind. The paper's measures are always included.
    own
        Your copies of data sets, by name: `linkedin` and `pedia_languages`, which are not public,
        or any other.
    substitutes
        Whether to run similar public data for those that are not public, under their own names.
    download
        Whether to download missing data.
    threads, budget, resume
        As for `split_agreement`.
    report
        Called with the name of the current step and the share of all work that is done.
    command
        The command that was typed, for the page.

    Raises
    ------
    ConceptRankError
        If all data are missing.
    """
    if settings.measures is not None:
        # The verdicts need the paper's measures.
        settings = replace(settings, measures=canonical((*_JUDGED, *settings.measures)))
    contexts: dict[str, tuple[str, Context]] = {}
    missing: dict[str, str] = {}
    titles = {row.name: row.title for row in TABLE}
    if substitutes:
        titles |= {name: name for name in SUBSTITUTES}
    for name, title in titles.items():
        try:
            given = (own or {}).get(name)
            context = datasets.load(name, download=download) if given is None else given
            contexts[name] = (title, context)
        except DataUnavailableError as error:
            missing[name] = str(error)
    if not contexts:
        reasons = "; ".join(missing.values())
        raise ConceptRankError(f"none of the data can be had: {reasons}")
    return _evaluated(
        contexts,
        title="Conceptual Relevance: the paper's evaluation, reproduced",
        settings=settings,
        missing=missing,
        of_paper=True,
        threads=threads,
        budget=budget,
        report=report,
        resume=resume,
        command=command,
    )


def evaluate(
    context: Context,
    name: str,
    *,
    settings: Settings = Settings(),  # noqa: B008
    threads: int = 0,
    budget: Budget | None = None,
    report: Report | None = None,
    resume: str | os.PathLike[str] | None = None,
    command: str = "",
) -> Evaluation:
    """Run the evaluation on one table.

    Parameters
    ----------
    context, name
        The table and its name.
    settings, threads, budget, report, resume, command
        As for `reproduce`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> settings = Settings(measures=("cr", "stability", "support")).quick()
    >>> result = evaluate(cr.datasets.load("movies"), "movies", settings=settings)
    >>> sorted(one.measure for one in result.contest.standings())
    ['conceptual_relevance', 'stability_intensional', 'support']
    """
    return _evaluated(
        {name: (name, context)},
        title=f"Evaluation of measures on {name}",
        settings=settings,
        missing={},
        of_paper=False,
        threads=threads,
        budget=budget,
        report=report,
        resume=resume,
        command=command,
    )


def _evaluated(
    contexts: Mapping[str, tuple[str, Context]],
    *,
    title: str,
    settings: Settings,
    missing: Mapping[str, str],
    of_paper: bool,
    threads: int,
    budget: Budget | None,
    report: Report | None,
    resume: str | os.PathLike[str] | None,
    command: str,
) -> Evaluation:
    watch = Watch(budget)
    stages = Stage(report, "", 0.0, 0.88).parts(
        {title: _weight(context) for title, context in contexts.values()}
    )
    studies = {
        name: study(
            context,
            name,
            title=label,
            settings=settings,
            threads=threads,
            budget=watch.remaining(),
            report=stages[label],
            resume=resume,
        )
        for name, (label, context) in contexts.items()
    }
    Stage(report, "times on random contexts", 0.88, 0.9).progress(0, 0.0)
    few = settings.timed < Settings().timed
    growing = timing.growth(
        sizes=(10, 20, 40) if few else (25, 50, 100, 200),
        attributes=9 if few else 14,
        sample=settings.timed,
        seed=settings.seed,
    )
    planted = None
    if settings.planted:
        planted = planted_recovery(
            tables=settings.planted,
            measures=settings.measures,
            min_support=_PLANTED_SUPPORT,
            seed=settings.seed,
            threads=threads,
            budget=watch.remaining(),
            progress=Stage(report, "planted patterns", 0.9, 0.94).progress,
            resume=resume,
        )
    return Evaluation(
        title=title,
        settings=settings,
        studies=studies,
        growth=growing,
        planted=planted,
        missing=missing,
        of_paper=of_paper,
        command=command,
        versions=_versions(),
    )


def _weight(context: Context) -> float:
    """Return the relative time that a study takes, roughly."""
    return 200.0 + float(context.estimate_concepts(runs=4).value)


def _versions() -> dict[str, str]:
    from conceptrank import __version__

    found: dict[str, Any] = {"conceptrank": __version__, "Python": platform.python_version()}
    for package in ("numpy", "scipy", "polars", "matplotlib"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    found["system"] = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return found
