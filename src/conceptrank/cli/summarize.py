"""`conceptrank summarize`: the patterns that explain a table."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from conceptrank.cli import _measures
from conceptrank.cli._command import BUDGET_REACHED, DONE, WrongUseError, define_command
from conceptrank.cli._constraints import ConstraintGroup
from conceptrank.cli._options import option
from conceptrank.cli._output import Extents, Output, print_text
from conceptrank.cli._pipeline import Mining, Pipeline, watched


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
    max_patterns: Annotated[int, option("N", "--max-patterns", "-k", min=1)] = 30,
    method: Annotated[Literal["peel", "slim", "grecond", "tiling", "diverse"], option()] = "peel",
    margins: Annotated[Literal["both", "columns"], option()] = "both",
    alpha: Annotated[float, option("P")] = 0.05,
    where: _measures.Where = None,
    extents: Extents = False,
    constraints: ConstraintGroup,
    mining: Mining,
    output: Output,
) -> int:
    """List the few patterns that explain a table, the most telling first.

    Each pattern comes with the number of objects that have it and the number expected from the
    patterns before it. The list ends where the next pattern could be chance, or after
    --max-patterns patterns. Exit code 3 means that a limit was reached or Ctrl-C pressed; the list
    then holds the patterns found until then.

    Parameters
    ----------
    max_patterns
        List at most N patterns.
    method
        peel: what surprises a reader who knows the patterns before; slim: what compresses the
        table; grecond: factors that cover its crosses; tiling: large tiles; diverse: high scores
        that overlap little.
    margins
        What the reader knows from the start: the frequencies of attributes and how much objects
        differ in their number of attributes (both), or the former alone (columns).
    alpha
        Probability of listing anything on a table without patterns (for peel).
    """
    limits, messages = mining.limits, mining.messages
    if constraints.options(where=where) and method in ("slim", "grecond"):
        raise WrongUseError(
            f"--method {method} takes no constraints (hint: peel, tiling and diverse do)"
        )
    pipeline = Pipeline(mining)
    context = pipeline.loaded.context
    with watched(limits.budget, messages, unit="patterns") as progress:
        summary = context.summarize(
            max_patterns,
            method=method,
            min_support=limits.min_support or None,
            margins=margins,
            budget=pipeline.remaining(),
            **constraints.options(context, where),
            **({"alpha": alpha, "progress": progress} if method == "peel" else {}),
        )
    if output.format == "table":
        print_text(str(summary), output.out)
    else:
        output.write(summary.to_polars, partial(summary.save, extents=extents))
        for note in summary.notes:
            messages.note(note)
    if len(summary) == max_patterns:
        messages.note(f"the list ends at {max_patterns} patterns; --max-patterns sets the number")
    return DONE if summary.complete else BUDGET_REACHED
