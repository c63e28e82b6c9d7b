"""`conceptrank evaluate`: how far measures can be trusted on a table, as a report."""

from __future__ import annotations

from pathlib import Path

from conceptrank.budget import Budget
from conceptrank.cli import _evaluating, _input, _mining, _options
from conceptrank.cli._guard import DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice

HELP = (
    "Compare measures on a table: do halves of the data agree, are concepts found again after "
    "noise, do rankings survive the bootstrap, how long does it take?\n\n"
    "Writes a page with tables and figures, the figures as PNG and SVG, and all numbers as CSV. A "
    "run that is stopped goes on where it was."
)
EXAMPLES = examples(
    "conceptrank evaluate movies --measures cr,stability,support --quick --out report",
)


@guarded
def command(
    file: _options.File,
    *,
    measures: _evaluating.Measures = None,
    quick: _evaluating.Quick = False,
    splits: _evaluating.Splits = None,
    draws: _evaluating.Draws = None,
    resamples: _evaluating.Resamples = None,
    top_k: _evaluating.TopK = 10,
    min_support: _options.MinSupport = 0,
    seed: _evaluating.Seed = 0,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    threads: _options.Threads = 0,
    max_seconds: _evaluating.MaxSeconds = None,
    out: _evaluating.Directory = Path("report"),
    fresh: _evaluating.Fresh = False,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Compare measures on a table."""
    from conceptrank.evaluation import evaluate

    voice = Voice(quiet=quiet)
    settings = _evaluating.settings_of(
        measures,
        quick=quick,
        splits=splits,
        draws=draws,
        resamples=resamples,
        top_k=top_k,
        min_support=min_support,
        seed=seed,
    )
    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    context = _input.load(file, format=input_format, voice=voice, scaling=raw).context
    pieces = _evaluating.prepared(out, fresh=fresh)
    _mining.warn_if_many(context, min_support=min_support, budget=Budget(), voice=voice)
    with _evaluating.stages(voice) as bar, _evaluating.limited(max_seconds) as budget:
        evaluation = evaluate(
            context,
            Path(file).name,
            settings=settings,
            threads=threads,
            budget=budget,
            report=bar.show,
            resume=pieces,
            command=_evaluating.typed(),
        )
        page = _evaluating.finish(evaluation, out, bar)
    _evaluating.sentences(evaluation.contest.sentences())
    voice.note(f"the report is {page}")
    return DONE
