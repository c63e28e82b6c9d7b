"""`write` writes a report: one page, figures as PNG and SVG, and every number as CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from conceptrank._util import html as _html
from conceptrank._util.files import write_whole_text
from conceptrank.convert import results
from conceptrank.evaluation import figures
from conceptrank.evaluation.figures import Drawn
from conceptrank.evaluation.figures.base import focus
from conceptrank.evaluation.study import Report, Stage, Study
from conceptrank.evaluation.verdicts import Verdict, overview

if TYPE_CHECKING:
    from conceptrank.evaluation.planted_recovery import PlantedRecovery
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
  padding: .1rem .3rem; } .reproduced { color: #146c43; font-weight: 600; }
.differs { color: #a4440c; font-weight: 600; }
.undefined, .not, .data { color: #666; font-weight: 600; }
"""


def write(evaluation: Evaluation, directory: Path, *, report: Report | None = None) -> Path:
    """Write a report, and return the path of its page."""
    directory.mkdir(parents=True, exist_ok=True)
    studies = list(evaluation.studies.values())
    tables = dict(_tables(evaluation))
    (directory / "numbers").mkdir(exist_ok=True)
    for name, frame in tables.items():
        results.save(frame, directory / "numbers" / f"{name}.csv")
    drawn = figures.draw_all(
        directory / "figures",
        studies,
        evaluation.contest,
        evaluation.growth,
        evaluation.planted,
        progress=Stage(report, "figures", 0.94, 0.99).progress,
    )
    text = "\n".join(_page(evaluation, drawn, list(tables)))
    path = directory / PAGE
    write_whole_text(path, text)
    return path


def _tables(evaluation: Evaluation) -> Iterator[tuple[str, pl.DataFrame]]:
    """Return all numbers as frames, by the names of their files."""
    studies = evaluation.studies.values()

    def joined(frames: Iterable[tuple[Study, pl.DataFrame]]) -> pl.DataFrame:
        return pl.concat(
            [frame.select(pl.lit(study.name).alias("data"), pl.all()) for study, frame in frames],
            how="vertical_relaxed",
        )

    yield "data", _sizes(studies)
    if evaluation.of_paper:
        fields = ("part", "data", "subject", "paper", "ours", "verdict", "note")
        rows = [{name: getattr(one, name) for name in fields} for one in evaluation.verdicts]
        yield "verdicts", pl.DataFrame(rows)
    yield "split_file_order", joined((study, study.paper.to_polars()) for study in studies)
    yield "split_points", joined((study, _points(study)) for study in studies)
    yield "split_random", joined((study, study.splits.to_polars()) for study in studies)
    yield "split_runs", joined((study, study.splits.runs()) for study in studies)
    yield "noise", joined((study, study.noise.to_polars()) for study in studies)
    yield "noise_runs", joined((study, study.noise.runs()) for study in studies)
    yield "bootstrap", joined((study, study.bootstrap.to_polars()) for study in studies)
    yield "times", joined((study, study.times.to_polars()) for study in studies)
    yield "times_single", joined((study, _times(study)) for study in studies)
    yield "time_growth", evaluation.growth
    yield "contest", evaluation.contest.to_polars()
    if evaluation.planted is not None:
        yield "planted", evaluation.planted.to_polars()
        yield "planted_runs", evaluation.planted.runs
    if len(evaluation.contest.measures) > 1:
        yield "correlations", joined((study, _correlations(study)) for study in studies)


def _sizes(studies: Iterable[Study]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "data": study.name,
                "title": study.title,
                "objects": study.objects,
                "attributes": study.attributes,
                "concepts": study.concepts,
                "shared_by_halves_of_the_file": int(study.paper.shared[0]),
                "exact": study.exact,
            }
            for study in studies
        ]
    )


def _points(study: Study) -> pl.DataFrame:
    frames = [
        pl.DataFrame({"first": x, "second": y}).select(
            pl.lit(name).alias("measure"), "first", "second"
        )
        for name, (x, y) in study.paper.points.items()
    ]
    return pl.concat(frames)


def _correlations(study: Study) -> pl.DataFrame:
    names = study.measures
    pairs = list(combinations(range(len(names)), 2))
    columns: dict[str, list[Any]] = {
        "first": [names[i] for i, _ in pairs],
        "second": [names[j] for _, j in pairs],
    }
    for coefficient in ("pearson", "spearman"):
        matrix = study.correlations.matrix(coefficient)
        columns[coefficient] = [float(matrix[pair]) for pair in pairs]
    return pl.DataFrame(columns).fill_nan(None)


def _times(study: Study) -> pl.DataFrame:
    times = study.times
    sizes = {"intent_size": times.intent_sizes, "extent_size": times.extent_sizes}
    return pl.DataFrame(sizes | times.literal).fill_nan(None)


def _page(evaluation: Evaluation, drawn: Sequence[Drawn], tables: Sequence[str]) -> Iterator[str]:
    studies = list(evaluation.studies.values())
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{escape(evaluation.title)}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{escape(evaluation.title)}</h1>"
    yield from _summary(evaluation)
    shown = {one.name: one for one in drawn}
    if evaluation.of_paper:
        yield "<h2>The paper's statements in short</h2>"
        yield from _rows(*overview(evaluation.verdicts), kind="")
        yield "<h2>The paper's statements, one by one</h2>"
        yield from _verdict_table(evaluation.verdicts)
    yield "<h2>Data</h2>"
    yield _table(_sizes(evaluation.studies.values()))
    yield from (
        f'<p class="small">{escape(name)}: {escape(reason)}</p>'
        for name, reason in evaluation.missing.items()
    )
    yield "<h2>Agreement of halves</h2>"
    yield from _figure(shown["split_scatter"])
    yield from _figure(shown["split_intervals"])
    yield from _split_table(studies)
    yield "<h2>Time per concept</h2>"
    yield from _figure(shown["time_per_concept"])
    yield from _time_table(evaluation)
    yield from _figure(shown["time_growth"])
    yield "<h2>Recovery after noise</h2>"
    yield from _figure(shown["noise_recovery"])
    yield from _noise_table(studies)
    if evaluation.planted is not None:
        yield "<h2>Planted patterns</h2>"
        yield from _figure(shown["planted_recovery"])
        yield from _planted_table(evaluation.planted)
    yield "<h2>Neighbours and the bootstrap</h2>"
    yield from _figure(shown["neighbours"])
    yield from _bootstrap_table(studies)
    yield "<h2>All measures</h2>"
    yield from _figure(shown["contest"])
    yield from _contest_table(evaluation)
    yield from _figure(shown["correlations"])
    yield "<h2>How to repeat this</h2>"
    yield from _about(evaluation, tables)
    yield "</body></html>"


def _summary(evaluation: Evaluation) -> Iterator[str]:
    settings = evaluation.settings
    if evaluation.of_paper:
        counts = Counter(one.kind.replace("differs", "differ") for one in evaluation.verdicts)
        parts = ", ".join(f"{number} {kind}" for kind, number in counts.most_common())
        yield (f"<p>Of {len(evaluation.verdicts)} statements of the paper: {escape(parts)}.</p>")
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


def _verdict_table(found: Sequence[Verdict]) -> Iterator[str]:
    heads = ("", "data", "what", "the paper", "this run", "verdict", "")
    yield _wide(heads, map(_verdict_row, found))


def _verdict_row(one: Verdict) -> list[_html.Cell]:
    verdict = one.verdict, f"w {one.kind.split()[0]}"
    about = (one.part, "w"), (one.data, "w")
    return [*about, one.subject, one.paper, one.ours, verdict, (one.note, "small")]


def _rows(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "n"
) -> Iterator[str]:
    yield _wide(header, ([first, *((cell, kind) for cell in others)] for first, *others in rows))


def _wide(header: Sequence[str], rows: Iterable[Iterable[_html.Cell]]) -> str:
    """Return a table that scrolls if it is wider than the page."""
    return f'<div class="wide">{_html.table(header, rows)}</div>'


def _table(frame: pl.DataFrame) -> str:
    rows = [[_cell(value) for value in row] for row in frame.iter_rows()]
    return "\n".join(_rows([name.replace("_", " ") for name in frame.columns], rows))


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _by_measure(
    studies: Sequence[Study], columns: Mapping[str, Callable[[Study, str], str]], *last: list[str]
) -> Iterator[str]:
    """Return a table with a row per measure, and these columns for each study."""
    header = ["measure", *(f"{study.title}: {name}" for study in studies for name in columns)]
    rows = [
        [measure, *(cell(study, measure) for study in studies for cell in columns.values())]
        for measure in focus(studies[0].measures)
    ]
    return _rows(header, [*rows, *last])


def _split_table(studies: Sequence[Study]) -> Iterator[str]:
    def cell(name: str) -> Callable[[Study, str], str]:
        return lambda study, measure: study.splits.summary(measure, name).text(2)

    yield "<h3>Random halves: Pearson, Spearman, and Pearson within intents of one size</h3>"
    names = {"Pearson": "pearson", "Spearman": "spearman", "within sizes": "within_sizes"}
    yield from _by_measure(studies, {title: cell(name) for title, name in names.items()})


def _time_table(evaluation: Evaluation) -> Iterator[str]:
    header = ["data", "measure", "timed literally", "literal µs", "literal 95 %", "ours µs"]
    header += ["ours with mining µs", "stability : CR, literally", "ours"]
    rows = []
    for study in evaluation.studies.values():
        for row in study.times.to_polars().iter_rows(named=True):
            literally, ours, _ = study.times.ratio(row["measure"])
            rows.append(
                [
                    study.title,
                    row["measure"],
                    f"{row['timed_literally']} of {len(study.times.sample)}",
                    _micro(row["literal_mean"]),
                    f"{_micro(row['literal_low'])} to {_micro(row['literal_high'])}",
                    _micro(row["ours"]),
                    _micro(row["ours_with_mining"]),
                    *("–" if isnan(one) else f"{one:.3g}" for one in (literally, ours)),
                ]
            )
    yield from _rows(header, rows)


def _micro(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    micro = seconds * 1e6
    return f"{micro:,.0f}" if micro >= 100 else f"{micro:.3g}"


def _noise_table(studies: Sequence[Study]) -> Iterator[str]:
    def cell(level: float, figure: str) -> Callable[[Study, str], str]:
        return lambda study, measure: study.noise.summary(measure, level, figure).text(2)

    recall = [f"{draws.mean():.0%}" for study in studies for draws in study.noise.recall]
    for title, figure in (("all concepts", "auc"), ("concepts of equal support", "matched_auc")):
        yield f"<h3>AUC among {title}</h3>"
        columns = {f"{level:g}": cell(level, figure) for level in studies[0].noise.levels}
        yield from _by_measure(studies, columns, ["concepts that are left to find", *recall])


def _planted_table(found: PlantedRecovery) -> Iterator[str]:
    yield "<h3>Lists that end by the method's own rule</h3>"
    header = ["list", "setting", "exact", "of frequent ones", "precision", "chosen", "false"]
    columns = ("exact", "exact_frequent", "precision", "chosen", "false")
    rows = [
        [row["list"], row["setting"], *(_share(row[name]) for name in columns)]
        for row in found.to_polars().iter_rows(named=True)
        if row["length"] == "own"
    ]
    yield from _rows(header, rows)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _bootstrap_table(studies: Sequence[Study]) -> Iterator[str]:
    def separated(study: Study, measure: str) -> str:
        share = study.bootstrap.observed[measure].separated
        return "undefined" if isnan(share) else f"{share:.1%}"

    def spearman(study: Study, measure: str) -> str:
        return study.bootstrap.summary(measure).text(2)

    columns = {"Spearman with the table": spearman, "neighbours with different scores": separated}
    return _by_measure(studies, columns)


def _contest_table(evaluation: Evaluation) -> Iterator[str]:
    header = ["measure", "place in splits", "Spearman", "place after noise", "AUC", ""]
    rows = [
        [
            one.measure,
            "–" if one.rank_splits is None else str(one.rank_splits),
            str(one.splits),
            "–" if one.rank_noise is None else str(one.rank_noise),
            str(one.noise),
            one.reason,
        ]
        for one in evaluation.contest.standings()
    ]
    yield from _rows(header, rows)


def _figure(drawn: Drawn) -> Iterator[str]:
    name = drawn.name
    yield f'<figure><img src="figures/{name}.svg" alt="{escape(drawn.title)}">'
    links = " · ".join(
        f'<a href="figures/{name}.{kind}">{kind.upper()}</a>' for kind in ("png", "svg")
    )
    yield f"<figcaption><b>{escape(drawn.title)}.</b> {escape(drawn.caption)} {links}</figcaption>"
    yield "</figure>"


def _about(evaluation: Evaluation, tables: Sequence[str]) -> Iterator[str]:
    if evaluation.command:
        yield f"<p>Command: <code>{escape(evaluation.command)}</code></p>"
    versions = ", ".join(f"{name} {value}" for name, value in evaluation.versions.items())
    yield f"<p>Seed {evaluation.settings.seed}. {escape(versions)}.</p>"
    links = ", ".join(f'<a href="numbers/{name}.csv">{name}.csv</a>' for name in tables)
    yield f"<p>All numbers: {links}.</p>"
