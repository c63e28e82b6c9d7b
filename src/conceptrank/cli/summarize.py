"""`conceptrank summarize`: the patterns that explain a table."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from conceptrank.cli import _measures
from conceptrank.cli._command import BUDGET_REACHED, DONE, WrongUseError, define_command
from conceptrank.cli._constraints import ConstraintGroup
from conceptrank.cli._options import flag, option
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
    max_patterns: Annotated[int | None, option("N", "--max-patterns", "-k", min=1)] = None,
    method: Annotated[Literal["surprise", "slim", "grecond", "diverse"], option()] = "surprise",
    margins: Annotated[Literal["both", "columns"], option()] = "both",
    alpha: Annotated[float, option("P")] = 0.05,
    verbose: Annotated[bool, flag("--verbose")] = False,
    where: _measures.Where = None,
    extents: Extents = False,
    constraints: ConstraintGroup,
    mining: Mining,
    output: Output,
) -> int:
    """List the few patterns that explain a table, the most telling first.

    Before the list, a line each tells which columns repeat each other. A pattern comes with the
    number of rows that have it, and the number expected from the margins and the patterns before
    it. The list ends where the next pattern could be chance; its first ten patterns are printed.
    Exit code 3 means that a limit was reached or Ctrl-C pressed; the list then holds the patterns
    found until then.

    Parameters
    ----------
    max_patterns
        List and print at most N patterns; without it, all are found and ten are printed.
    method
        surprise: what a reader who knows the patterns before doesn't expect; slim: what
        compresses the table; grecond: factors that cover its crosses; diverse: high scores that
        overlap little.
    margins
        What the reader knows from the start: the frequencies of attributes and how much objects
        differ in their number of attributes (both), or the former alone (columns).
    alpha
        Probability of listing anything on a table without patterns (for surprise).
    verbose
        Also print standard deviations, gains in bits and the shortest keys.
    """
    limits, messages = mining.limits, mining.messages
    if constraints.options(where=where) and method in ("slim", "grecond"):
        raise WrongUseError(
            f"--method {method} takes no constraints (hint: surprise and diverse do)"
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
            **({"alpha": alpha, "progress": progress} if method == "surprise" else {}),
        )
    if output.format == "table":
        more = {} if max_patterns is None else {"shown": max_patterns}
        print_text(summary.text(verbose=verbose, **more), output.out)
    else:
        output.write(summary.to_polars, partial(summary.save, extents=extents))
        for note in summary.notes:
            messages.note(note)
    return DONE if summary.complete else BUDGET_REACHED
