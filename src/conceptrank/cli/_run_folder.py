"""A folder of `conceptrank mine` as FILE: its state, its best concepts, options that don't fit."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from conceptrank.budget import support_threshold
from conceptrank.cli import _output
from conceptrank.cli._command import BUDGET_REACHED, DONE, FAILED, WrongUseError
from conceptrank.cli._messages import Messages
from conceptrank.cli._output import Output
from conceptrank.cli._pipeline import Mining


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
    mining: Mining,
    output: Output,
    *,
    by: str | None,
    then: list[str],
    where: str | None,
    top: int | None,
) -> int:
    """Write the best concepts of a run, finished or not; all of them if `top` is None."""
    from conceptrank.convert import results
    from conceptrank.runs import IncompleteRunWarning, open_run

    messages, run = mining.messages, open_run(Path(mining.file))
    least = support_threshold(mining.limits.min_support, run.context.shape[0])
    conditions = [f"support >= {least}", *([f"({where})"] if where else [])]
    with messages.working("reading the concepts"), warnings.catch_warnings():
        # A message below says the same.
        warnings.simplefilter("ignore", IncompleteRunWarning)
        most = len(run) if top is None else top
        found = run.top(most, by=by, then=then, where=" and ".join(conditions))
    output.write(lambda: found, partial(results.save, found))
    messages.note(f"{len(found):,} of {len(run):,} concepts")
    if run.complete:
        return DONE
    for damage in run.damaged:
        messages.warning(damage)
    messages.warning(f"the run is {run.state}: these are the best of the concepts that are there")
    return BUDGET_REACHED


def write_state(folder: Path, output_format: str, messages: Messages) -> int:
    """Write what a run has found, and what is left."""
    from conceptrank.runs import open_run

    # The metadata of the parts say everything; `rank` checks every byte.
    run = open_run(folder, verify=False)
    with messages.working("reading the parts"):
        totals = run.totals
    context = run.manifest["context"]
    facts: dict[str, Any] = {
        "state": run.state,
        "concepts": totals["concepts"],
        "visited": totals["visited"],
        "parts": totals["parts"],
        "bytes": totals["bytes"],
        "tasks left": run.open_tasks,
        "inexact": totals["inexact"],
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
        for name, fact in facts.items():
            shown = f"{fact:,}" if isinstance(fact, int) else len(fact) if fact == [] else fact
            _output.print_text(f"{name:16}  {shown}")
    for damage in run.damaged:
        messages.warning(damage)
    if run.damaged:
        return FAILED
    return DONE if run.complete else BUDGET_REACHED
