"""`conceptrank status`: the state of a run."""

from __future__ import annotations

from typing import Annotated, Any

from conceptrank._util import text_table
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _output, _pipeline, _table
from conceptrank.cli._command import BUDGET_REACHED, DONE, FAILED, define_command
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import RunFolder, TableOrJson, flag


@define_command(
    examples=[
        "conceptrank mine movies --out run --workers 1",
        "conceptrank status run",
        "conceptrank status run --verify --format json",
    ]
)
def command(
    *,
    folder: RunFolder,
    verify: Annotated[bool, flag("Check every byte of every part.", "--verify")] = False,
    output_format: TableOrJson = "table",
    messages: Messages,
) -> int:
    """Show the state of a run of [bold]conceptrank mine[/].

    Lists what was found, what is left and what failed. Exit code 0 means that the run is
    complete, 3 that it is not yet, 1 that parts are damaged or tasks failed. Without --verify
    only the metadata of the parts are read.
    """
    from conceptrank.runs import open_run

    run = open_run(folder, verify=verify)
    with messages.working("checking the parts"):
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
        names = list(facts)
        columns = [
            TextColumn("", names),
            TextColumn("", [_shown(name, facts[name]) for name in names]),
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
