"""`conceptrank reproduce`: the paper's evaluation on the paper's data, as a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conceptrank import io
from conceptrank.cli import _evaluating, _options, _output
from conceptrank.cli._guard import DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._table import Column
from conceptrank.cli._voice import Voice

HELP = (
    "Run the evaluation of the paper on Conceptual Relevance (arXiv 2110.11262), and more, on the "
    "paper's data, and say row by row where the results agree.\n\n"
    "Data are taken from the directory that $CONCEPTRANK_DATA names or from a cache, else "
    "downloaded. Two of the paper's data sets are not public: similar ones run under their own "
    "names, and files of your own take their place. A run that is stopped goes on where it was."
)
EXAMPLES = examples(
    "conceptrank reproduce --quick --out report",
    "conceptrank reproduce --out report",
    "conceptrank reproduce --linkedin linkedin.cxt --splits 100 --out report",
)


@guarded
def command(
    *,
    measures: _evaluating.Measures = None,
    quick: _evaluating.Quick = False,
    splits: _evaluating.Splits = None,
    draws: _evaluating.Draws = None,
    resamples: _evaluating.Resamples = None,
    top_k: _evaluating.TopK = 10,
    seed: _evaluating.Seed = 0,
    linkedin: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Your copy of the paper's LinkedIn data.", show_default=False
        ),
    ] = None,
    pedia_languages: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Your copy of the paper's PediaLanguages.", show_default=False
        ),
    ] = None,
    substitutes: Annotated[
        bool,
        typer.Option(
            help="Whether to run similar data beside those that are not public "
            "(never with --quick).",
        ),
    ] = True,
    download: Annotated[bool, typer.Option(help="Whether data may be downloaded.")] = True,
    threads: _options.Threads = 0,
    max_seconds: _evaluating.MaxSeconds = None,
    out: _evaluating.Directory = Path("report"),
    fresh: _evaluating.Fresh = False,
    quiet: _options.Quiet = False,
) -> int:
    """Run the paper's evaluation."""
    from conceptrank.evaluation import reproduce

    voice = Voice(quiet=quiet)
    settings = _evaluating.settings_of(
        measures,
        quick=quick,
        splits=splits,
        draws=draws,
        resamples=resamples,
        top_k=top_k,
        min_support=0,
        seed=seed,
    )
    files = {"linkedin": linkedin, "pedia_languages": pedia_languages}
    own = {name: io.load(path) for name, path in files.items() if path is not None}
    pieces = _evaluating.prepared(out, fresh=fresh)
    with _evaluating.stages(voice) as bar, _evaluating.limited(max_seconds) as budget:
        evaluation = reproduce(
            settings=settings,
            own=own,
            substitutes=substitutes and not quick,
            download=download,
            threads=threads,
            budget=budget,
            report=bar.show,
            resume=pieces,
            command=_evaluating.typed(),
        )
        page = _evaluating.finish(evaluation, out, bar)
    found = evaluation.verdicts
    _output.write_table(
        [
            Column("", [one.part for one in found], wraps=False),
            Column("data", [one.data for one in found], wraps=False),
            Column("what", [one.subject for one in found]),
            Column("this run", [one.ours for one in found]),
            Column("verdict", [one.verdict for one in found]),
        ],
        None,
    )
    typer.echo("")
    _evaluating.sentences(evaluation.contest.sentences())
    for name, reason in evaluation.missing.items():
        voice.note(f"{name} was left out: {reason}")
    voice.note(f"the report is {page}")
    return DONE
