"""`conceptrank scale`: how the raw values of a table become attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from conceptrank._util.text import printable
from conceptrank.cli import _columns, _options, _output, _table
from conceptrank.cli._command import DONE, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, option


@define_command(
    examples=[
        r"printf 'name,age,town\nAnn,30,Bath\nBob,41,York\nCid,17,York\n' > people.csv",
        "conceptrank scale people.csv",
        "conceptrank scale people.csv --scale age=ordinal:18,40 --drop town --out plan.toml",
        "conceptrank rank people.csv --scale plan.toml",
    ]
)
def command(
    *,
    file: File,
    output_format: Annotated[
        Literal["table", "toml"], option("table or toml.", "NAME", "--format")
    ] = "table",
    out: Annotated[Path | None, option("Save the plan as TOML.", "PATH")] = None,
    reading: Reading,
    messages: Messages,
) -> int:
    """Show how the columns of a raw table become attributes, or save that plan.

    The plan follows from the types and values of the columns and from --scale, --drop,
    --object-names and --missing. Edit the saved plan and give it to any command by
    --scale plan.toml.

    The scales are nominal, dichotomic, boolean, contranominal, set, ordinal, inverse_ordinal,
    interordinal, biordinal, intervals:18,65, equal_width:4 and quantiles:4.
    """
    if out == _options.STANDARD_OUTPUT:
        out, output_format = None, "toml"
    _output.refuse_unwritable(out)
    table = reading.load_table(file, messages)
    if out is not None:
        table.plan.save(out)
        messages.note(f"the plan is in {out}; 'conceptrank rank {file} --scale {out}' uses it")
        return DONE
    if output_format == "toml":
        from conceptrank.scaling import plan_file

        _output.print_text(plan_file.dumps(table.plan))
        return DONE
    n, q = table.context.shape
    _table.heading(f"{printable(file)}: {n:,} objects, {q:,} attributes")
    _columns.write(table)
    redundant = len(table.context.reducible_attributes()) if _columns.is_small(n, q) else 0
    if redundant:
        messages.note(f"{redundant:,} of {q:,} attributes follow from others and are redundant")
    messages.note("--out plan.toml saves the plan to edit; --scale COLUMN=… changes a column")
    return DONE
