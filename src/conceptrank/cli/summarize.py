"""`conceptrank summarize`: the patterns that explain a table."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from conceptrank.cli import _measures
from conceptrank.cli._command import BUDGET_REACHED, DONE, WrongUseError, define_command
from conceptrank.cli._constraints import ConstraintGroup
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File
from conceptrank.cli._output import Format, Output, print_text
from conceptrank.cli._pipeline import Limits, Pipeline, watched


class Method(StrEnum):
    """How to choose the patterns."""

    peel = "peel"
    slim = "slim"
    grecond = "grecond"
    tiling = "tiling"
    diverse = "diverse"


class Margins(StrEnum):
    """What the reader of the list knows from the start."""

    both = "both"
    columns = "columns"


@define_command(
    examples=[
        "conceptrank summarize movies",
        "conceptrank summarize survey.csv --max-patterns 10",
        "conceptrank summarize baskets.parquet --min-support 0.001 --max-seconds 60",
        "conceptrank summarize animals.csv --method grecond --out factors.csv",
        "conceptrank summarize survey.csv --contains churned --max-intent 4",
    ]
)
def command(
    *,
    file: File,
    max_patterns: Annotated[
        int,
        typer.Option("--max-patterns", "-k", min=1, metavar="N", help="List at most N patterns."),
    ] = 30,
    method: Annotated[
        Method,
        typer.Option(
            help="peel: what surprises a reader who knows the patterns before; slim: what "
            "compresses the table; grecond: factors that cover its crosses; tiling: large tiles; "
            "diverse: high scores that overlap little."
        ),
    ] = Method.peel,
    margins: Annotated[
        Margins,
        typer.Option(
            help="What the reader knows from the start: the frequencies of attributes and how much "
            "objects differ in their number of attributes (both), or the former alone (columns)."
        ),
    ] = Margins.both,
    alpha: Annotated[
        float,
        typer.Option(
            metavar="P",
            help="Probability of listing anything on a table without patterns (for peel).",
        ),
    ] = 0.05,
    where: _measures.Where = None,
    extents: Annotated[
        bool,
        typer.Option("--extents", help="Also write the objects.", rich_help_panel="Output"),
    ] = False,
    constraints: ConstraintGroup,
    limits: Limits,
    reading: Reading,
    output: Output,
    messages: Messages,
) -> int:
    """List the few patterns that explain a table, the most telling first.

    Each pattern comes with the number of objects that have it and the number that was to be
    expected from the patterns before it. The list ends where the next pattern could be chance, or
    at the largest number of patterns.
    Exit code 3 means that a limit was reached or Ctrl-C pressed; the list then holds the patterns
    found until then.
    """
    if constraints.options(where) and method in (Method.slim, Method.grecond):
        raise WrongUseError(
            f"--method {method} takes no constraints (hint: peel, tiling and diverse do)"
        )
    pipeline = Pipeline(file, reading=reading, limits=limits, messages=messages)
    context = pipeline.loaded.context
    with watched(limits.budget, messages, unit="patterns") as progress:
        summary = context.summarize(
            max_patterns,
            method=method.value,
            min_support=limits.min_support or None,
            margins=margins.value,
            budget=pipeline.remaining(),
            **constraints.options(where),
            **({"alpha": alpha, "progress": progress} if method is Method.peel else {}),
        )
    if output.format in (None, Format.table):
        print_text(str(summary), output.out)
    else:
        output.write(columns=list, save=partial(summary.save, extents=extents))
        for note in summary.notes:
            messages.note(note)
    if len(summary) == max_patterns:
        messages.note(f"the list ends at {max_patterns} patterns; --max-patterns sets the number")
    return DONE if summary.complete else BUDGET_REACHED
