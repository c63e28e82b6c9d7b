"""`write` writes a report: one page, figures as PNG and SVG, and every number as CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from conceptrank._util import html as _html
from conceptrank._util.files import write_whole_text
from conceptrank.convert import results
from conceptrank.evaluation import contest
from conceptrank.evaluation.experiment import Experiment
from conceptrank.evaluation.study import FOCUS, JUDGED, Report, Study
from conceptrank.plot import heatmap, style

if TYPE_CHECKING:
    from conceptrank.evaluation.reproduction import Evaluation

PAGE = "index.html"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 78rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: 13px; margin: .8rem 0; }
th, td { padding: .22rem .6rem; text-align: left; border-bottom: 1px solid #ddd;
  vertical-align: top; }
th { border-bottom: 2px solid #888; } td.n { text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
td.w { white-space: nowrap; } .wide { overflow-x: auto; }
figure { margin: 1rem 0; } figure img { max-width: 100%; height: auto; }
figcaption, .small { font-size: 13px; color: #555; } code { background: #f3f3f3;
  padding: .1rem .3rem; }
"""
# The most measures of a table if the well-known ones are not among them.
_MOST = 12
# The figures of each experiment that the page shows, with a heading.
_SHOWN = {
    "splits": ("Agreement of random halves", ("pearson", "spearman", "within_sizes")),
    "noise": ("Recovery after noise", ("auc", "matched_auc")),
    "bootstrap": ("The bootstrap", ("spearman", "separated")),
}


def write(evaluation: Evaluation, directory: Path, *, report: Report | None = None) -> Path:
    """Write a report, and return the path of its page."""
    studies = list(evaluation.studies.values())
    tables = dict(_tables(evaluation))
    for folder in ("numbers", "figures"):
        (directory / folder).mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        results.save(frame, directory / "numbers" / f"{name}.csv")
    if report is not None:
        report("figures", 1.0)
    figures = {"halves_of_the_file": _scatter(studies), "correlations": _correlations(studies)}
    for name, figure in figures.items():
        style.save(figure, directory / "figures" / f"{name}.svg", close=True)
    path = directory / PAGE
    write_whole_text(path, "\n".join(_page(evaluation, tables)))
    return path


def _tables(evaluation: Evaluation) -> Iterator[tuple[str, pl.DataFrame]]:
    """Return all numbers as frames, by the names of their files."""
    studies = list(evaluation.studies.values())

    def joined(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
        named = [
            frame.select(pl.lit(study.name).alias("data"), pl.all())
            for study, frame in zip(studies, frames, strict=True)
        ]
        return pl.concat(named, how="vertical_relaxed")

    sizes = ("name", "title", "objects", "attributes", "concepts", "exact")
    shared = [int(study.file_halves.cases["shared"][0]) for study in studies]
    data = pl.DataFrame({name: getattr(study, name) for name in sizes} for study in studies)
    yield "data", data.with_columns(pl.Series("shared_by_halves_of_the_file", shared))
    if evaluation.of_paper:
        yield "verdicts", pl.DataFrame(list(map(asdict, evaluation.verdicts)))
    for name in ("file_halves", "splits", "whole_splits", "noise", "bootstrap"):
        experiments: list[Experiment] = [getattr(study, name) for study in studies]
        yield name, joined(one.to_polars() for one in experiments)
        yield f"{name}_runs", joined(one.runs for one in experiments)
    yield "times", joined(study.times.to_polars() for study in studies)
    yield "contest", contest.standings(studies)
    if evaluation.planted is not None:
        yield "planted", evaluation.planted.to_polars()
        yield "planted_runs", evaluation.planted.runs


def _focus(measures: Sequence[str]) -> list[str]:
    """Return the measures to show: the well-known ones, or the first ones."""
    known = [name for name in FOCUS if name in measures]
    return known if len(measures) > _MOST and known else list(measures[:_MOST])


def _scatter(studies: Sequence[Study]) -> Any:
    """Draw the scores of shared concepts in both halves of the file, as the paper's Figure 2."""
    known = studies[0].measures
    measures = [name for name in JUDGED if name in known] or list(known[:3])
    rows, columns = len(studies), len(measures)
    size = (2.9 * columns, 2.6 * rows)
    figure, axes = style.pyplot("a report").subplots(
        rows, columns, figsize=size, layout="constrained", squeeze=False
    )
    look: dict[str, Any] = {"s": 9, "alpha": 0.35, "linewidths": 0, "rasterized": True}
    for row, study in zip(axes, studies, strict=True):
        for ax, measure in zip(row, measures, strict=True):
            style.plain(ax)
            x, y = study.points[measure]
            ax.scatter(x, y, color=style.COLOURS[0], **look)
            both = np.concatenate([x, y])
            finite = both[np.isfinite(both)]
            ends = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
            ax.plot(ends, ends, color=style.INK, linewidth=0.7, linestyle=":")
            value = float(study.file_halves.of(measure)[0])
            text = "undefined" if isnan(value) else f"{value:.3f}"
            ax.set_title(f"{measure}: Pearson {text}", loc="left", fontsize=style.TEXT)
        row[0].set_ylabel(f"{study.title}\nsecond half (n = {len(x):,})")
    for ax in axes[-1]:
        ax.set_xlabel("score in the first half")
    return figure


def _correlations(studies: Sequence[Study]) -> Any:
    """Draw the mean rank correlation of the measures over the tables."""
    names = _focus(studies[0].measures)
    places = [studies[0].measures.index(name) for name in names]
    stack = np.ma.masked_invalid([study.correlations.matrix("spearman") for study in studies])
    mean = np.ma.filled(stack.mean(axis=0), np.nan)[np.ix_(places, places)]
    return heatmap.draw(mean, names, title="Spearman, mean over the data").figure


def _page(evaluation: Evaluation, tables: dict[str, pl.DataFrame]) -> Iterator[str]:
    studies = list(evaluation.studies.values())
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{escape(evaluation.title)}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{escape(evaluation.title)}</h1>"
    yield from _summary(evaluation)
    if evaluation.of_paper:
        yield "<h2>The paper's statements</h2>"
        yield _table(tables["verdicts"])
    yield "<h2>Data</h2>"
    yield _table(tables["data"])
    yield from (
        f'<p class="small">{escape(name)}: {escape(reason)}</p>'
        for name, reason in evaluation.missing.items()
    )
    yield "<h2>Halves of the file</h2>"
    yield _figure(
        "halves_of_the_file",
        "Scores of the shared concepts in the first and the second half of the file, without top "
        "and bottom, as the paper's Figure 2. Points on the dotted line have the same score in "
        "both.",
    )
    for name, (heading, figures) in _SHOWN.items():
        yield f"<h2>{heading}</h2>"
        for figure in figures:
            yield f"<h3>{figure.replace('_', ' ')}</h3>"
            yield _means({study.title: getattr(study, name) for study in studies}, figure)
    yield "<h2>Time per concept</h2>"
    yield _table(tables["times"])
    if evaluation.planted is not None:
        yield "<h2>Planted patterns</h2>"
        for figure in ("exact_as_many", "exact", "precision", "false"):
            yield f"<h3>{figure.replace('_', ' ')}</h3>"
            yield _means({"": evaluation.planted}, figure)
    yield "<h2>All measures</h2>"
    yield _table(tables["contest"])
    yield _figure("correlations", "How far measures agree on the order of all concepts.")
    yield "<h2>How to repeat this</h2>"
    if evaluation.command:
        yield f"<p>Command: <code>{escape(evaluation.command)}</code></p>"
    versions = ", ".join(f"{name} {value}" for name, value in evaluation.versions.items())
    yield f"<p>Seed {evaluation.settings.seed}. {escape(versions)}.</p>"
    links = ", ".join(f'<a href="numbers/{name}.csv">{name}.csv</a>' for name in tables)
    yield f"<p>All numbers: {links}.</p>"
    yield "</body></html>"


def _summary(evaluation: Evaluation) -> Iterator[str]:
    settings = evaluation.settings
    if evaluation.of_paper:
        counts = Counter(one.kind.replace("differs", "differ") for one in evaluation.verdicts)
        parts = ", ".join(f"{number} {kind}" for kind, number in counts.most_common())
        yield f"<p>Of {len(evaluation.verdicts)} statements of the paper: {escape(parts)}.</p>"
    yield "<ul>"
    yield from (f"<li>{escape(line)}</li>" for line in evaluation.sentences())
    yield "</ul>"
    study = next(iter(evaluation.studies.values()))
    yield (
        f'<p class="small">{len(study.measures)} measures; {settings.splits} random splits, '
        f"{settings.draws} noisy tables per level, {settings.resamples} bootstrap draws. "
        "Intervals in brackets hold the middle 95 % of the runs. Intervals of differences are 95 % "
        "confidence intervals of the mean; over splits they are wider, because splits share their "
        "objects. A correlation of scores that are all equal is undefined; where that happened in "
        "some runs, the number of the others is given.</p>"
    )


def _means(experiments: Mapping[str, Experiment], figure: str) -> str:
    """Return a table with a row per measure, and a column per experiment and group."""
    columns = [
        (f"{title}: {group}" if title and group is not None else title or str(group), one, group)
        for title, one in experiments.items()
        for group in one.groups
    ]
    first = next(iter(experiments.values()))
    measures = first.measures if first.group == "setting" else _focus(first.measures)
    rows = [
        [measure, *(one.summary(measure, figure, group).text(2) for _, one, group in columns)]
        for measure in measures
    ]
    return _wide(["measure", *(title for title, _, _ in columns)], rows)


def _table(frame: pl.DataFrame) -> str:
    """Return a frame as a table."""
    rows = [
        [(_number(value), "" if isinstance(value, str) else "n") for value in row]
        for row in frame.iter_rows()
    ]
    return _wide([name.replace("_", " ") for name in frame.columns], rows)


def _number(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _wide(header: Sequence[str], rows: Iterable[Iterable[_html.Cell]]) -> str:
    """Return a table that scrolls if it is wider than the page."""
    return f'<div class="wide">{_html.table(header, rows)}</div>'


def _figure(name: str, caption: str) -> str:
    image = f'<img src="figures/{name}.svg" alt="{escape(caption)}">'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"
