"""`conceptrank agree`: how far measures agree on the concepts of a table."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from conceptrank.cli import _given, _input, _measures, _mining, _options, _output, _table
from conceptrank.cli._guard import BUDGET_REACHED, DONE, WrongUseError, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._table import Column
from conceptrank.cli._voice import Voice
from conceptrank.errors import ConceptRankError
from conceptrank.ranking import Agreement, Condition
from conceptrank.ranking.agreement import shown

HELP = (
    "Tell how far measures agree on the concepts of a table, pair by pair.\n\n"
    "1 is the same order, 0 none, -1 the opposite one. Where lower scores are better, a measure "
    "counts the other way round. Lin's concordance compares the scores themselves."
)
EXAMPLES = examples(
    "conceptrank agree movies --measures cr,stability,support",
    "conceptrank agree movies --measures 'cr,cr(side=extent),delta_measure' --coefficient kendall",
    "conceptrank agree movies --measures cr,stability --top-k 5 --where 'support >= 2'",
    "conceptrank agree movies --measures cr,stability,support --out agreement.csv",
)
PLOTS = (".png", ".svg", ".pdf")


class Coefficient(StrEnum):
    """How to measure agreement."""

    all = "all"
    pearson = "pearson"
    spearman = "spearman"
    kendall = "kendall"
    lin = "lin"
    overlap = "overlap"
    rbo = "rbo"


# The names of the library, and those in the head of a table.
NAMES = {
    Coefficient.pearson: ("pearson", "Pearson"),
    Coefficient.spearman: ("spearman", "Spearman"),
    Coefficient.kendall: ("kendall", "Kendall"),
    Coefficient.lin: ("concordance", "Lin"),
    Coefficient.overlap: ("top_overlap", "top {k:,}"),
    Coefficient.rbo: ("rank_biased_overlap", "RBO {p:g}"),
}


@guarded
def command(
    file: _options.File,
    *,
    measures: Annotated[
        list[str],
        typer.Option(
            metavar="MEASURES",
            help="Two measures or more; repeat, or separate by commas. "
            "[bold]conceptrank measures[/] lists them.",
            show_default=False,
        ),
    ],
    coefficient: Annotated[
        Coefficient,
        typer.Option(help="One for a matrix of all measures, or all of them for each pair."),
    ] = Coefficient.all,
    top_k: Annotated[
        int, typer.Option(min=1, metavar="K", help="How many concepts overlap compares.")
    ] = 10,
    persistence: Annotated[
        float,
        typer.Option(
            metavar="P",
            help="How slowly the weight of a place falls in rbo, between 0 and 1.",
        ),
    ] = 0.9,
    where: _options.Where = None,
    min_support: _options.MinSupport = 0,
    param: _options.Params = None,
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
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Draw a heat map too, of spearman if not of another one: .png, .svg or .pdf.",
            show_default=False,
            rich_help_panel="Output",
        ),
    ] = None,
    output_format: _output.FormatOption = None,
    out: _options.Out = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Tell how far measures agree."""
    voice = Voice(quiet=quiet)
    _output.refuse_unwritable(out)
    _refuse_plot(plot)
    chosen = _output.chosen_format(output_format, out)
    if not 0 < persistence < 1:
        raise WrongUseError(f"--persistence must be between 0 and 1, got {persistence:g}")
    compared = _measures.measures(measures)
    if len(compared) < 2:
        raise WrongUseError("agreement takes two measures or more (hint: --measures cr,stability)")
    condition = None if where is None else Condition.parse(where)
    params: dict[str, Any] = _measures.params(param or ())
    wanted = [*compared, *(condition.measures if condition else ())]
    known = _given.Given(label, weights)
    needed = _measures.checked(wanted, params, later=known.params)

    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    loaded = _input.load(file, format=input_format, voice=voice, scaling=raw, label=label)
    later = known.of(loaded, wanted)
    params |= later
    lattice = _mining.mine(
        loaded.context,
        min_support=min_support,
        threads=threads,
        budget=_mining.budget_of(max_concepts, max_memory, max_seconds),
        measures=_measures.completed(needed, later),
        voice=voice,
    )
    with voice.working(f"comparing measures on {len(lattice):,} concepts"):
        first, *others = compared
        ranking = lattice.rank(first, also=others, where=condition, **params)
        agreement = ranking.agreement(k=top_k, p=persistence)
        _write(agreement, coefficient, chosen, out)
        if plot is not None:
            _draw(agreement, coefficient, plot)
    voice.note(f"{agreement.concepts:,} of {len(lattice):,} concepts are compared")
    for note in agreement.notes:
        voice.note(note)
    return DONE if lattice.complete else BUDGET_REACHED


def _refuse_plot(plot: Path | None) -> None:
    """Find out before the work whether a heat map can be drawn."""
    if plot is None:
        return
    _output.refuse_unwritable(plot, option="--plot ")
    if plot.suffix.lower() not in PLOTS:
        raise WrongUseError(f"--plot {plot}: a heat map is a file in {', '.join(PLOTS)}")
    if find_spec("matplotlib") is None:
        raise ConceptRankError("--plot needs matplotlib: pip install 'conceptrank[plot]'")


def _draw(agreement: Agreement, coefficient: Coefficient, path: Path) -> None:
    # No window is wanted, wherever this runs.
    os.environ["MPLBACKEND"] = "Agg"
    wanted = Coefficient.spearman if coefficient is Coefficient.all else coefficient
    from conceptrank.plot import save

    save(agreement.heatmap(NAMES[wanted][0]), path, close=True)


def _write(
    agreement: Agreement,
    coefficient: Coefficient,
    format: _output.Format,  # noqa: A002
    out: Path | None,
) -> None:
    if format is _output.Format.table:
        columns = (
            _pairs(agreement) if coefficient is Coefficient.all else _matrix(agreement, coefficient)
        )
        _output.write_table(columns, out)
        return
    from conceptrank import _frames

    one = None if coefficient is Coefficient.all else NAMES[coefficient][0]
    sys.stdout.flush()
    _frames.save(
        agreement.to_polars(one),
        sys.stdout.buffer if out is None else out,
        format=format.value,
        provenance=None if out is None else agreement.provenance,
    )
    if out is None and format is _output.Format.json:
        sys.stdout.buffer.write(b"\n")


def _pairs(agreement: Agreement) -> list[Column]:
    pairs = list(combinations(range(len(agreement.measures)), 2))
    columns = []
    for name, title in NAMES.values():
        matrix = agreement.matrix(name)
        cells = [shown(float(matrix[pair])) for pair in pairs]
        columns.append(Column(title.format(k=agreement.k, p=agreement.p), cells, right=True))
    names = [_table.names([agreement.measures[place] for place in pair]) for pair in pairs]
    return [*columns, Column("measures", names)]


def _matrix(agreement: Agreement, coefficient: Coefficient) -> list[Column]:
    matrix = agreement.matrix(NAMES[coefficient][0]).tolist()
    names = agreement.measures
    return [
        Column("", names, wraps=False),
        *(
            Column(name, [shown(value) for value in column], right=True)
            for name, column in zip(names, matrix, strict=True)
        ),
    ]
