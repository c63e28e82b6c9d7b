"""`conceptrank rank`: concepts in the order of a measure."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from conceptrank import _text
from conceptrank.budget import Budget
from conceptrank.cli import _input, _mining, _options, _output
from conceptrank.cli._guard import BUDGET_REACHED, DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice
from conceptrank.context import Context
from conceptrank.measures import registry
from conceptrank.ranking import Ranking

HELP = (
    "Rank the concepts of a table by Conceptual Relevance or another measure.\n\n"
    "Concepts with equal scores share a rank; larger support comes first. Exit code 3 says that "
    "a limit was reached, or Ctrl-C pressed, and the ranking is of what was found until then."
)
EXAMPLES = examples(
    "conceptrank rank movies",
    "conceptrank rank movies --by stability --also cr,delta_measure --top 5",
    "conceptrank rank movies --activation weighted:0.7 --min-support 0.25",
    "conceptrank rank movies --all --extents --out scores.jsonl",
)
# What a measure does anyway: only a parameter that differs is given to the measures.
DEFAULTS = {"activation": "arithmetic", "beta": "paper", "side": "intent"}


class Side(StrEnum):
    """The side of a concept that a measure looks at."""

    intent = "intent"
    extent = "extent"


@guarded
def command(
    file: _options.File,
    *,
    by: Annotated[str, typer.Option(metavar="MEASURE", help="The measure that decides.")] = "cr",
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="Measures to show beside it; repeat, or separate by commas.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many concepts to show.")] = 20,
    all_concepts: Annotated[bool, typer.Option("--all", help="Show them all.")] = False,
    min_support: _options.MinSupport = 0,
    activation: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How cr joins α and β: arithmetic, weighted:0.7, max, quadratic, noisy_or, "
            "product, geometric, harmonic, min or logistic:10,0.5.",
            rich_help_panel="Conceptual Relevance",
        ),
    ] = DEFAULTS["activation"],
    beta: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How β counts generators: paper, sperner, sperner_free or log.",
            rich_help_panel="Conceptual Relevance",
        ),
    ] = DEFAULTS["beta"],
    side: Annotated[
        Side,
        typer.Option(
            help="Score intents, as the paper does, or extents.",
            rich_help_panel="Conceptual Relevance",
        ),
    ] = Side.intent,
    threads: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Threads to use; 0 is one for each processor. The result is the same.",
            rich_help_panel="Limits",
        ),
    ] = 0,
    max_concepts: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Stop after so many concepts.",
            rich_help_panel="Limits",
            show_default=False,
        ),
    ] = None,
    max_memory: Annotated[
        int | None,
        typer.Option(
            metavar="SIZE",
            parser=_options.memory,
            help="Stop when the concepts take so much memory, as 500M or 2G.",
            rich_help_panel="Limits",
            show_default="a quarter of what there is",
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="S",
            help="Stop mining after so many seconds.",
            rich_help_panel="Limits",
            show_default=False,
        ),
    ] = None,
    output_format: Annotated[
        _output.Format | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="table, csv, json, jsonl or parquet.",
            show_default="by the suffix of --out, else table",
            rich_help_panel="Output",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write to a file instead of standard output.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    extents: Annotated[
        bool, typer.Option("--extents", help="Write the objects too.", rich_help_panel="Output")
    ] = False,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Rank the concepts of a table."""
    voice = Voice(quiet=quiet)
    _output.refuse_unwritable(out)
    chosen = _output.chosen_format(output_format, out)
    given = {"activation": activation, "beta": beta, "side": side.value}
    params: dict[str, Any] = {k: value for k, value in given.items() if value != DEFAULTS[k]}
    beside = [name for name in _options.names(also) if name not in (by, "support")]
    measures = _checked_measures([by, *beside], params)

    context = _input.load(file, format=input_format, voice=voice)
    budget = Budget(
        concepts=max_concepts,
        bytes=_mining.default_memory() if max_memory is None else max_memory,
        seconds=max_seconds,
    )
    lattice = _mining.mine(
        context,
        min_support=min_support,
        threads=threads,
        budget=budget,
        measures=measures,
        voice=voice,
    )
    if not lattice.complete:
        voice.warning(_mining.why_stopped(lattice, budget))
    with voice.working(f"scoring {len(lattice):,} concepts"):
        ranking = lattice.rank(by, also=beside, **params)
        exact = {name: lattice.exact(name, **own) for name, own in measures}
        inexact = {name: known for name, known in exact.items() if not known.all()}
    shown = ranking if all_concepts else ranking.top(top)
    with voice.working("writing"):
        _output.write(
            shown,
            format=chosen,
            out=out,
            extents=extents,
            exact={name: known[shown.order] for name, known in inexact.items()},
        )
    _say_what_to_know(ranking, len(shown), inexact, voice)
    return DONE if lattice.complete else BUDGET_REACHED


def _checked_measures(names: list[str], params: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the measures with the parameters that each knows, or fail before the work begins."""
    # What is wrong with a measure or a parameter is wrong in the smallest of contexts, too.
    Context((), (), ()).lattice().rank(names[0], also=names[1:], **params)
    return [
        (name, {key: value for key, value in params.items() if key in registry.get(name).params})
        for name in names
    ]


def _say_what_to_know(
    ranking: Ranking, shown: int, inexact: dict[str, NDArray[np.bool_]], voice: Voice
) -> None:
    if not len(ranking):
        voice.note(f"no concept has {ranking.lattice.min_support:,} objects or more")
        return
    if shown < len(ranking):
        voice.note(f"{shown:,} of {len(ranking):,} concepts shown (--top N or --all shows more)")
    ties = ranking.ties
    if ties.first > 1:
        best = _text.number(ranking.score(ranking.by)[0])
        voice.note(
            f"{ties.first:,} of {ties.concepts:,} concepts share the top score {best}; "
            f"there are {ties.distinct:,} different scores"
        )
    for name, known in inexact.items():
        count = int((~known).sum())
        voice.note(
            f"{count:,} of {len(known):,} scores by {name} are estimates or bounds, as exact ones "
            "would take too long; tables mark them with ~"
        )
