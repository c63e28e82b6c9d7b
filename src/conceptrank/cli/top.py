"""`conceptrank top`: the best concepts of a run."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Annotated

from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _measures, _options, _table
from conceptrank.cli._command import BUDGET_REACHED, DONE, define_command
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import RunFolder, flag, option
from conceptrank.cli._output import Output

if TYPE_CHECKING:
    import polars as pl


@define_command(
    examples=[
        "conceptrank mine movies --out run --measures cr,stability --workers 1",
        "conceptrank top run --by stability --top 5",
        "conceptrank top run --by cr --contains drama --min-support 2",
        "conceptrank top run --by cr --where 'stability > 0.5 and intent_size >= 2'",
        "conceptrank top run --by cr --out best.jsonl",
    ]
)
def command(
    *,
    folder: RunFolder,
    by: Annotated[
        str | None,
        option(
            "A measure of the run, or support.",
            "MEASURE",
            show_default="the first measure of the run",
        ),
    ] = None,
    top: Annotated[int, option("Number of concepts to show.", "N", min=0)] = 20,
    contains: Annotated[
        list[str] | None,
        option(
            "Only intents with this attribute; repeat, or separate by commas. Double quotes "
            "protect commas inside a name.",
            "NAME",
        ),
    ] = None,
    min_support: Annotated[int, option("Only concepts with at least N objects.", "N", min=0)] = 0,
    where: _measures.Where = None,
    verify: Annotated[bool, flag("Check every byte of every part.", "--verify/--no-verify")] = True,
    output: Output,
    messages: Messages,
) -> int:
    """Show the best concepts of a run of [bold]conceptrank mine[/], finished or not.

    Equal scores are ordered by support, then by intent, so the order doesn't depend on how the
    work was split. Exit code 3 means that the run is incomplete or damaged, and the concepts are
    the best of those that are there.
    """
    from conceptrank.convert import results
    from conceptrank.runs import IncompleteRunWarning, open_run

    run = open_run(folder, verify=verify)
    conditions = [f"({where})"] if where else []
    conditions += [f"support >= {min_support}"] if min_support else []
    with messages.working("reading the concepts"), warnings.catch_warnings():
        # A message below says the same.
        warnings.simplefilter("ignore", IncompleteRunWarning)
        found = run.top(
            top,
            by=by,
            where=" and ".join(conditions) or None,
            contains=_options.names(contains, run.context.attributes),
        )
    output.write(
        columns=lambda: _columns(found),
        save=partial(results.save, found),
    )
    messages.note(f"{len(found):,} of {len(run):,} concepts")
    if run.complete:
        return DONE
    for damage in run.damaged:
        messages.warning(damage)
    messages.warning(f"the run is {run.state}: these are the best of the concepts that are there")
    return BUDGET_REACHED


def _columns(found: pl.DataFrame) -> list[TextColumn]:
    exact = found["exact"].to_numpy()
    scores = [
        _table.score_column(name, found[name].to_numpy(), exact=exact)
        for name in found.columns
        if name not in ("intent", "support", "exact")
    ]
    supports = _table.count_column("support", found["support"].to_list())
    return [*scores, supports, _table.name_column("intent", found["intent"].to_list())]
