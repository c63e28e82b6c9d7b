"""`conceptrank scale`: how the raw values of a table become attributes."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from conceptrank._text import printable
from conceptrank.cli import _columns, _input, _options, _output, _table
from conceptrank.cli._guard import DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._voice import Voice

HELP = (
    "Show how the columns of a raw table become attributes, or save that plan to edit it.\n\n"
    "The plan comes from the types and values of the columns, and from what you say by --scale, "
    "--drop, --object-names and --missing. Every command takes it by --scale plan.toml.\n\n"
    "Scales are nominal, dichotomic, boolean, contranominal, ordinal, inverse_ordinal, "
    "interordinal, biordinal, intervals:18,65, equal_width:4 and quantiles:4."
)
EXAMPLES = examples(
    r"printf 'name,age,town\nAnn,30,Bath\nBob,41,York\nCid,17,York\n' > people.csv",
    "conceptrank scale people.csv",
    "conceptrank scale people.csv --scale age=ordinal:18,40 --drop town --out plan.toml",
    "conceptrank rank people.csv --scale plan.toml",
)


class Format(StrEnum):
    """How to print a plan."""

    table = "table"
    toml = "toml"


@guarded
def command(
    file: _options.File,
    *,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    output_format: Annotated[
        Format, typer.Option("--format", metavar="NAME", help="table or toml.")
    ] = Format.table,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Save the plan as TOML.", show_default=False),
    ] = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Show or save how raw values become attributes."""
    voice = Voice(quiet=quiet)
    if out == _options.STANDARD_OUTPUT:
        out, output_format = None, Format.toml
    _output.refuse_unwritable(out)
    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    table = _input.load_table(file, format=input_format, voice=voice, scaling=raw)
    if out is not None:
        table.plan.save(out)
        voice.note(f"the plan is in {out}; 'conceptrank rank {file} --scale {out}' follows it")
        return DONE
    if output_format is Format.toml:
        from conceptrank.scaling import plan_file

        sys.stdout.write(plan_file.dumps(table.plan))
        return DONE
    n, q = table.context.shape
    _table.heading(f"{printable(file)}: {n:,} objects, {q:,} attributes")
    _columns.write(table)
    redundant = len(table.context.reducible_attributes()) if _columns.is_small(n, q) else 0
    if redundant:
        voice.note(f"{redundant:,} of {q:,} attributes follow from others and are redundant")
    voice.note("--out plan.toml saves the plan to edit; --scale COLUMN=… changes a column")
    return DONE
