"""A folder of `conceptrank mine` as FILE: its state, its best concepts, options that don't fit."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptrank._util import text_table
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _output, _pipeline, _table
from conceptrank.cli._command import BUDGET_REACHED, DONE, FAILED, WrongUseError
from conceptrank.cli._messages import Messages
from conceptrank.cli._output import Output

if TYPE_CHECKING:
    import polars as pl


def is_run(file: str) -> bool:
    """Return whether FILE is a folder of `conceptrank mine`."""
    return Path(file, "manifest.json").is_file()


def refuse(options: Iterable[str]) -> None:
    """Fail if options were given that can't change a folder."""
    if given := list(options):
        raise WrongUseError(
            f"{', '.join(given)} can't be used with a folder, whose concepts were mined and scored"
        )


def write_best(
    folder: Path,
    *,
    by: str | None,
    then: list[str],
    where: str | None,
    min_support: float,
    top: int | None,
    output: Output,
    messages: Messages,
) -> int:
    """Write the best concepts of a run, finished or not; all of them if `top` is None."""
    from conceptrank.convert import results
    from conceptrank.runs import IncompleteRunWarning, open_run

    run = open_run(folder)
    conditions = [f"({where})"] if where else []
    if min_support:
        least = min_support if isinstance(min_support, int) else min_support * run.context.shape[0]
        conditions.append(f"support >= {least}")
    with messages.working("reading the concepts"), warnings.catch_warnings():
        # A message below says the same.
        warnings.simplefilter("ignore", IncompleteRunWarning)
        found = run.top(
            len(run) if top is None else top,
            by=by,
            then=then,
            where=" and ".join(conditions) or None,
        )
    output.write(columns=lambda: _columns(found), save=partial(results.save, found))
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


def write_state(folder: Path, output_format: str, messages: Messages) -> int:
    """Write what a run has found, what is left and what failed."""
    from conceptrank.runs import open_run

    # The metadata of the parts say everything; `rank` checks every byte.
    run = open_run(folder, verify=False)
    with messages.working("reading the parts"):
        totals = run.totals
    context = run.manifest["context"]
    failures: list[dict[str, Any]] = run.manifest.get("failures", [])
    facts: dict[str, Any] = {
        "state": run.state,
        "concepts": totals["concepts"],
        "visited": totals["visited"],
        "parts": totals["parts"],
        "bytes": totals["bytes"],
        "tasks left": run.open_tasks,
        "inexact": totals["inexact"],
        "subtrees left out": totals["left_out"],
        "failures": failures,
        "damaged": run.damaged,
        "seconds": run.manifest.get("seconds"),
        "objects": context["objects"],
        "attributes": context["attributes"],
        "context": context["digest"],
        **run.job.parameters,
        "versions": run.manifest["versions"],
    }
    if output_format == "json":
        _output.print_json(facts)
    else:
        columns = [
            TextColumn("", list(facts)),
            TextColumn("", [_shown(name, fact) for name, fact in facts.items()]),
        ]
        _, *body = text_table.lines(columns, width=None)
        _table.write(body, titled=False)
    for damage in run.damaged:
        messages.warning(damage)
    if run.damaged or (failures and not run.complete):
        return FAILED
    return DONE if run.complete else BUDGET_REACHED


def _shown(name: str, value: Any) -> str:
    if name == "bytes":
        return _pipeline.size_text(value)
    if isinstance(value, bool | None):
        return "-" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if name == "versions":
        return ", ".join(f"{package} {version}" for package, version in value.items())
    if isinstance(value, list):
        return f"{len(value):,}"
    return ", ".join(value) if isinstance(value, dict) else str(value)
