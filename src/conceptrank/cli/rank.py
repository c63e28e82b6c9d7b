"""`conceptrank rank`: concepts in the order of a measure."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from conceptrank.cli import _given, _input, _measures, _mining, _options, _output, _ranking_notes
from conceptrank.cli._guard import BUDGET_REACHED, DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice
from conceptrank.ranking import Condition

HELP = (
    "Rank the concepts of a table by Conceptual Relevance or another measure.\n\n"
    "Concepts with equal scores share a rank; larger support comes first. Exit code 3 says that "
    "a limit was reached, or Ctrl-C pressed, and the ranking is of what was found until then."
)
EXAMPLES = examples(
    "conceptrank rank movies",
    "conceptrank rank movies --by stability --also cr,delta_measure --top 5",
    "conceptrank rank movies --then stability --where 'support >= 2 and cr > 0.3'",
    "conceptrank rank movies --diverse 5 --overlap cells",
    "conceptrank rank movies --by stability --param method=karp_luby --param seed=7",
    "conceptrank rank movies --also 'cr(side=extent),cr(activation=max)'",
    "conceptrank rank movies --activation weighted:0.7 --min-support 0.25",
    "conceptrank rank movies --all --extents --out scores.jsonl",
)
# What a measure does anyway: only a parameter that differs is given to the measures.
DEFAULTS = {"activation": "arithmetic", "beta": "paper", "side": "intent"}


class Side(StrEnum):
    """The side of a concept that a measure looks at."""

    intent = "intent"
    extent = "extent"


class Overlap(StrEnum):
    """What a concept covers."""

    extent = "extent"
    cells = "cells"


class Ties(StrEnum):
    """The rank that equal scores share."""

    dense = "dense"
    min = "min"
    max = "max"
    average = "average"


@guarded
def command(
    file: _options.File,
    *,
    by: _options.By = "cr",
    also: _options.Also = None,
    then: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="Measures that break ties, each those that the ones before it leave.",
            show_default=False,
        ),
    ] = None,
    where: _options.Where = None,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many concepts to show.")] = 20,
    all_concepts: Annotated[bool, typer.Option("--all", help="Show them all.")] = False,
    diverse: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Show so many with high scores that overlap little, instead of the top.",
            show_default=False,
        ),
    ] = None,
    overlap: Annotated[
        Overlap, typer.Option(help="What --diverse counts as covered: objects or crosses.")
    ] = Overlap.extent,
    ties: Annotated[
        Ties,
        typer.Option(
            help="The rank that equal scores share: without gaps, or the first, the last or the "
            "mean of the places that they take."
        ),
    ] = Ties.dense,
    descending: Annotated[
        bool | None,
        typer.Option(
            "--descending/--ascending",
            help="Large or small scores first.",
            show_default="as the measure means it",
        ),
    ] = None,
    min_support: _options.MinSupport = 0,
    param: _options.Params = None,
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
    label: _options.Label = None,
    weights: _options.Weights = None,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    threads: _options.Threads = 0,
    max_concepts: _options.MaxConcepts = None,
    max_memory: _options.MaxMemory = None,
    max_seconds: _options.MaxSeconds = None,
    output_format: _output.FormatOption = None,
    out: _options.Out = None,
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
    if diverse is not None and all_concepts:
        raise WrongUseError("--diverse shows some concepts, --all shows all: give one of them")
    given = {"activation": activation, "beta": beta, "side": side.value}
    params: dict[str, Any] = {k: value for k, value in given.items() if value != DEFAULTS[k]}
    params |= _measures.params(param or ())
    decides = _measures.measure(by)
    breaking = [each for each in _measures.measures(then) if each != decides]
    beside = [
        each for each in _measures.measures(also) if each not in (decides, "support", *breaking)
    ]
    condition = None if where is None else Condition.parse(where)
    wanted = [decides, *breaking, *beside, *(condition.measures if condition else ())]
    known = _given.Given(label, weights)
    measures = _measures.checked(wanted, params, later=known.params)

    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    loaded = _input.load(file, format=input_format, voice=voice, scaling=raw, label=label)
    later = known.of(loaded, wanted)
    params |= later
    lattice = _mining.mine(
        loaded.context,
        min_support=min_support,
        threads=threads,
        budget=_mining.budget_of(max_concepts, max_memory, max_seconds),
        measures=_measures.completed(measures, later),
        voice=voice,
    )
    with voice.bar("scoring") as bar:
        ranking = lattice.rank(
            decides,
            also=beside,
            then=breaking,
            descending=descending,
            ties=ties.value,
            where=condition,
            progress=bar.show if voice.animated else None,
            **params,
        )
    with voice.working(f"checking {len(lattice):,} scores"):
        doubts = _ranking_notes.Doubts.about(ranking)
    if diverse is not None:
        with voice.working("picking diverse concepts"):
            shown = ranking.diverse(diverse, overlap=overlap.value)
    else:
        shown = ranking if all_concepts else ranking.top(top)
    with voice.working("writing"):
        _output.write(
            shown,
            format=chosen,
            out=out,
            extents=extents,
            exact={name: known[shown.order] for name, known in doubts.exact.items()},
            margins={name: width[shown.order] for name, width in doubts.margins.items()},
        )
    _ranking_notes.say(ranking, shown, doubts, voice)
    return DONE if lattice.complete else BUDGET_REACHED
