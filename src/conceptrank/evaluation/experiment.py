"""`Experiment`: figures of measures in several cases, such as splits, noisy tables or draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import polars as pl

from conceptrank._util import text_table
from conceptrank.errors import UnknownNameError
from conceptrank.evaluation._work import Pieces, Running
from conceptrank.evaluation.intervals import Summary, mean_interval, run_interval
from conceptrank.faces import Scores
from conceptrank.ranking import coefficients
from conceptrank.ranking.agreement import shown

# The most measures, and the most figures, in a text.
_SHOWN = 12
_SHOWN_FIGURES = 6

# What one case gives: facts about the case, and the figures of each measure.
Outcome = tuple[Mapping[str, Any], Mapping[str, Sequence[float]]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Experiment:
    """Figures of measures in several cases.

    Attributes
    ----------
    title
        The experiment in one line.
    runs
        A row per case and measure: `case`, the facts about the case, `measure`, and the figures;
        null where one is undefined.
    figures
        The names of the figures, the usual one first.
    group
        The fact in which cases differ on purpose, such as the level of noise; empty if all cases
        are repetitions.
    split
        If the cases are splits of the same objects, the share of the objects in one part.
    """

    title: str
    runs: pl.DataFrame
    figures: tuple[str, ...]
    group: str = ""
    split: float | None = None

    @classmethod
    def run(
        cls,
        key: Mapping[str, Any],
        work: Callable[[int], Outcome],
        *,
        figures: tuple[str, ...],
        cases: Sequence[Mapping[str, Any]],
        group: str = "",
        **running: Unpack[Running],
    ) -> Experiment:
        """Return an experiment, without a title.

        Parameters
        ----------
        key
            Values of JSON on which the outcomes depend; `what` names the kind of experiment.
        work
            Takes the number of a case; returns facts about it and the figures of each measure.
        figures
            The names of the figures.
        cases
            What is known about each case beforehand.
        group
            The fact in which cases differ on purpose.
        **running
            Threads, budget, progress and a directory of finished pieces.
        """

        def piece(number: int) -> dict[str, Any]:
            facts, found = work(number)
            return {"facts": facts, "figures": found}

        pieces = Pieces(**running).map(key, piece, len(cases))
        rows = [
            {"case": number, **case, **one["facts"], "measure": measure}
            | dict(zip(figures, values, strict=True))
            for number, (case, one) in enumerate(zip(cases, pieces, strict=True))
            for measure, values in one["figures"].items()
        ]
        numbers = dict.fromkeys(figures, pl.Float64)
        runs = pl.DataFrame(rows, schema_overrides=numbers, infer_schema_length=None)
        if rows:
            runs = runs.with_columns(pl.col(figures).fill_nan(None))
        return cls(title="", runs=runs, figures=figures, group=group)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures."""
        return tuple(self.runs["measure"].unique(maintain_order=True))

    @property
    def groups(self) -> tuple[Any, ...]:
        """The values of the fact in which cases differ; None alone if they don't."""
        return tuple(self.runs[self.group].unique(maintain_order=True)) if self.group else (None,)

    @property
    def cases(self) -> pl.DataFrame:
        """The facts about each case, a row per case."""
        facts = [name for name in self.runs.columns if name not in ("measure", *self.figures)]
        return self.runs.filter(measure=self.measures[0]).select(facts)

    def of(self, measure: str, figure: str | None = None, group: Any = None) -> Scores:
        """Return a figure of a measure in every case; nan where it is undefined.

        Parameters
        ----------
        measure
            The measure.
        figure
            The figure; the first one if None.
        group
            The value of `group` in the cases to return, such as a level of noise; all if None.

        Examples
        --------
        >>> import conceptrank as cr
        >>> result = cr.evaluation.split_agreement(cr.datasets.load("movies"), splits=3)
        >>> result.of("stability_extensional").round(2), result.of("cr", "tau").round(2)
        (array([0.69, 0.96, 0.99]), array([1.  , 0.33, 1.  ]))
        """
        name = figure or self.figures[0]
        if name not in self.figures:
            name = coefficients.ALIASES.get(name, name)
        for kind, given, known in (
            ("measure", measure, self.measures),
            ("figure", name, self.figures),
            (self.group, group, (None, *self.groups)),
        ):
            if given not in known:
                where = "this experiment"
                raise UnknownNameError(kind, str(given), map(str, known), where=where)
        rows = self.runs.filter(measure=measure)
        rows = rows if group is None else rows.filter(pl.col(self.group) == group)
        return rows[name].cast(pl.Float64).fill_null(np.nan).to_numpy()

    def summary(self, measure: str, figure: str | None = None, group: Any = None) -> Summary:
        """Return mean, deviation and the interval of the middle 95 % of the cases."""
        return run_interval(self.of(measure, figure, group))

    def difference(
        self, first: str, second: str, figure: str | None = None, group: Any = None
    ) -> Summary:
        """Return by how much a measure exceeds another one in the same cases.

        The interval is a confidence interval of the mean over the cases where both are defined,
        widened if splits share their objects; see `intervals.mean_interval`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> result = cr.evaluation.split_agreement(cr.datasets.load("movies"), splits=20, seed=1)
        >>> result.difference("cr", "cr").mean
        0.0
        """
        paired = self.of(first, figure, group) - self.of(second, figure, group)
        return mean_interval(paired, split=self.split)

    def to_polars(self) -> pl.DataFrame:
        """Return means and intervals, a row per measure, group and figure; null if undefined."""
        rows = [
            {"measure": measure}
            | ({self.group: group} if self.group else {})
            | {"figure": figure}
            | self.summary(measure, figure, group)._asdict()
            for measure in self.measures
            for group in self.groups
            for figure in self.figures
        ]
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)

    def __repr__(self) -> str:
        figures = self.figures[:1] if self.group else self.figures[:_SHOWN_FIGURES]
        rows = [
            [
                *(
                    shown(self.summary(measure, figure, group).mean)
                    for group in self.groups
                    for figure in figures
                ),
                measure,
            ]
            for measure in self.measures[:_SHOWN]
        ]
        header = [f"{group}" for group in self.groups] if self.group else list(figures)
        total = len(self.measures)
        title = f"{self.title}: {figures[0]}" if self.group else self.title
        return text_table.titled(title, [*header, "measure"], rows, total=total, noun="measures")
