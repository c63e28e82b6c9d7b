"""`reproduce` runs the paper's evaluation on its data, `evaluate` runs it on any table."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Unpack

from conceptrank import datasets
from conceptrank.budget import Watch
from conceptrank.context import Context
from conceptrank.datasets import DataUnavailableError
from conceptrank.errors import ConceptRankError
from conceptrank.evaluation import contest
from conceptrank.evaluation._work import Running
from conceptrank.evaluation.experiment import Experiment
from conceptrank.evaluation.paper import SUBSTITUTES, TABLE, Verdict, verdicts
from conceptrank.evaluation.planted_recovery import findings, planted_recovery
from conceptrank.evaluation.study import JUDGED, Report, Settings, Study, canonical, study

# The folder of finished pieces, from which a stopped run continues.
PIECES = "pieces"
# The minimum support in tables with planted patterns, where 1 % gives up to 600,000 concepts.
_PLANTED_SUPPORT = 0.02


class Reporting(Running, total=False):
    """How an evaluation runs: as its experiments, with a report of steps; what was typed."""

    report: Report | None
    command: str


def _versions() -> dict[str, str]:
    from conceptrank import __version__

    found = {"conceptrank": __version__, "Python": platform.python_version()}
    found |= {package: version(package) for package in ("numpy", "scipy", "polars")}
    found["system"] = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return found


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
    planted
        The recovery of patterns that were planted in random contexts; None if it was left out.
    missing
        Why data sets are missing, by name.
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
    planted: Experiment | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    of_paper: bool = False
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=_versions)

    @property
    def verdicts(self) -> list[Verdict]:
        """A verdict on every statement of the paper that the run can check."""
        return verdicts(self.studies, missing=self.missing) if self.of_paper else []

    def sentences(self) -> list[str]:
        """Return what the run found, a sentence per finding."""
        found = contest.findings(list(self.studies.values()))
        return found if self.planted is None else [*found, *findings(self.planted)]

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
    **reporting: Unpack[Reporting],
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
    **reporting
        `threads`, `budget` and `resume` as for `split_agreement`; `report`, called with the name of
        the current step and the share of all work that is done; `command`, what was typed, for the
        page.

    Raises
    ------
    ConceptRankError
        If all data are missing.
    """
    if settings.measures is not None:
        # The verdicts need the paper's measures.
        settings = replace(settings, measures=canonical((*JUDGED, *settings.measures)))
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
    title = "Conceptual Relevance: the paper's evaluation, reproduced"
    evaluated = _evaluated(contexts, title, settings, **reporting)
    return replace(evaluated, missing=missing, of_paper=True)


def evaluate(
    context: Context,
    name: str,
    *,
    settings: Settings = Settings(),  # noqa: B008
    **reporting: Unpack[Reporting],
) -> Evaluation:
    """Run the evaluation on one table.

    Parameters
    ----------
    context, name
        The table and its name.
    settings
        The number of runs of each kind.
    **reporting
        As for `reproduce`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> settings = Settings(measures=("cr", "stability", "support")).quick()
    >>> result = evaluate(cr.datasets.load("movies"), "movies", settings=settings)
    >>> sorted(result.studies["movies"].measures)
    ['conceptual_relevance', 'stability_intensional', 'support']
    """
    title = f"Evaluation of measures on {name}"
    return _evaluated({name: (name, context)}, title, settings, **reporting)


def _evaluated(
    contexts: Mapping[str, tuple[str, Context]],
    title: str,
    settings: Settings,
    *,
    report: Report | None = None,
    command: str = "",
    **running: Unpack[Running],
) -> Evaluation:
    watch = Watch(running.get("budget"))
    parts = len(contexts) + 1

    def part(number: int, title: str) -> Report:
        def tell(step: str, share: float) -> None:
            if report is not None:
                report(f"{title}: {step}", (number + share) / parts)

        return tell

    studies = {}
    for number, (name, (label, context)) in enumerate(contexts.items()):
        running["budget"] = watch.remaining()
        step = part(number, label)
        studies[name] = study(context, name, title=label, settings=settings, report=step, **running)
    planted = None
    if settings.planted:
        step = part(parts - 1, "planted patterns")
        running["budget"] = watch.remaining()
        running["progress"] = lambda _, share: step("tables", share)
        planted = planted_recovery(
            tables=settings.planted,
            measures=settings.measures,
            min_support=_PLANTED_SUPPORT,
            seed=settings.seed,
            **running,
        )
    return Evaluation(
        title=title, settings=settings, studies=studies, planted=planted, command=command
    )
