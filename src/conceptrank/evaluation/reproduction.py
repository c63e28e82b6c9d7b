"""The paper's evaluation on the paper's data, and the same evaluation of any table."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptrank import datasets
from conceptrank.budget import Budget
from conceptrank.context import Context
from conceptrank.datasets import DataUnavailableError
from conceptrank.errors import ConceptRankError
from conceptrank.evaluation import timing
from conceptrank.evaluation.contest import Contest
from conceptrank.evaluation.paper import CR, EXTENSIONAL, INTENSIONAL, SUBSTITUTES, TABLE
from conceptrank.evaluation.planted_recovery import PlantedRecovery, planted_recovery
from conceptrank.evaluation.study import Report, Settings, Study, canonical, study
from conceptrank.evaluation.verdicts import Verdict, verdicts

if TYPE_CHECKING:
    import polars as pl

_JUDGED = (CR, INTENSIONAL, EXTENSIONAL)
# Finished pieces of work, for runs that are stopped and taken up again.
PIECES = "pieces"
# The share of the time that all studies take; the rest is for planted patterns and the report.
_STUDIES = 0.88
# The minimum support in tables with planted patterns, where 1 % gives up to 600,000 concepts.
_PLANTED_SUPPORT = 0.02


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """All that a report says.

    Attributes
    ----------
    title
        What it is about.
    settings
        How much was done.
    studies
        What was found, by the name of the data set.
    missing
        Why data sets could not be had, by name.
    growth
        Times on random contexts that grow; see `timing.growth`.
    planted
        The recovery of patterns that were planted in random contexts; None if it was left out.
    of_paper
        Whether the paper's statements are to be judged.
    command
        What was typed to get it.
    versions
        What it was made with.
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
    """Run the paper's evaluation, and more, on the paper's data.

    Parameters
    ----------
    settings
        How much to do. The measures that the paper is about are always among those compared.
    own
        Contexts of your own, by the name of the data set that they are: `linkedin` and
        `pedia_languages`, which are not public, or copies of the others.
    substitutes
        Whether to run similar public data beside those that are not public, under their own
        names.
    download
        Whether data may be downloaded.
    threads, budget, resume
        As for `split_agreement`.
    report
        Called with what is being done, and the share of all work that is done.
    command
        What was typed to get it, for the page.

    Raises
    ------
    ConceptRankError
        If none of the data can be had.
    """
    if settings.measures is not None:
        # The paper's statements are about these.
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
    """Run the same evaluation on one table.

    Parameters
    ----------
    context, name
        The table, and what to call it.
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
    weights = {name: _weight(context) for name, (_, context) in contexts.items()}
    total, before = sum(weights.values()), 0.0
    studies = {}
    for name, (label, context) in contexts.items():
        share = _STUDIES * weights[name] / total

        studies[name] = study(
            context,
            name,
            title=label,
            settings=settings,
            threads=threads,
            budget=budget,
            report=_part(report, label, before, share),
            resume=resume,
        )
        before += share
    if report is not None:
        report("times on random contexts", before)
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
            budget=budget,
            progress=lambda _, share: report and report("planted patterns", before + 0.04 * share),
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


def _part(report: Report | None, label: str, before: float, share: float) -> Report | None:
    """Return a way to report the progress of a part as that of the whole."""
    if report is None:
        return None
    return lambda step, done: report(f"{label}: {step}", before + share * done)


def _weight(context: Context) -> float:
    """Return about how long a study takes, compared with others."""
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
