"""`conceptrank top`: the best concepts of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from conceptrank.cli import _options, _output, _table
from conceptrank.cli._guard import DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._table import Column
from conceptrank.cli._voice import Voice

HELP = (
    "Show the best concepts of a run that [bold]conceptrank mine[/] has written or is writing.\n\n"
    "Equal scores are ordered by support, then by intent, so that the order doesn't depend on how "
    "the work was split. Parts are checked before they are used."
)
EXAMPLES = examples(
    "conceptrank mine movies --out run --measures cr,stability --workers 1",
    "conceptrank top run --by stability --top 5",
    "conceptrank top run --by cr --contains drama --min-support 2",
    "conceptrank top run --by cr --out best.jsonl",
)


@guarded
def command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of the run.", show_default=False)
    ],
    *,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="A measure of the run, or support.",
            show_default="the first one",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many concepts to show.")] = 20,
    contains: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only intents with this attribute; repeat, or separate by commas.",
            show_default=False,
        ),
    ] = None,
    min_support: Annotated[
        int, typer.Option(min=0, metavar="N", help="Only concepts with so many objects.")
    ] = 0,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Check parts against their digests.")
    ] = True,
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
    out: _options.Out = None,
    quiet: _options.Quiet = False,
) -> int:
    """Show the best concepts of a run."""
    import polars as pl

    from conceptrank import _frames
    from conceptrank.scale_out import open_run

    voice = Voice(quiet=quiet)
    _output.refuse_unwritable(out)
    chosen = _output.chosen_format(output_format, out)
    run = open_run(folder, verify=verify)
    with voice.working(f"looking through {len(run):,} concepts"):
        found = run.top(
            top,
            by=by,
            where=pl.col("support") >= min_support if min_support else None,
            contains=_options.names(contains),
        )
    if chosen is _output.Format.table:
        exact = found["exact"].to_numpy()
        scores = [
            Column(name, _table.numbers(found[name].to_numpy(), exact=exact), right=True)
            for name in found.columns
            if name not in ("intent", "support", "exact")
        ]
        supports = [f"{support:,}" for support in found["support"].to_list()]
        intents = [_table.names(each, most=_output.MOST_NAMES) for each in found["intent"]]
        columns = [*scores, Column("support", supports, right=True), Column("intent", intents)]
        _output.write_table(columns, out)
    elif out is not None:
        _frames.save(found, out, format=chosen.value)
    else:
        sys.stdout.flush()
        _frames.save(found, sys.stdout.buffer, format=chosen.value)
    voice.note(f"{len(found):,} of {len(run):,} concepts")
    if not run.complete:
        voice.warning(f"the run is {run.state}: these are the best of what is there")
    return DONE
