"""`conceptrank status`: how a run stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from conceptrank.cli import _mining, _options, _table
from conceptrank.cli._guard import BUDGET_REACHED, DONE, FAILED, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._table import Column
from conceptrank.cli._voice import Voice

HELP = (
    "Say how a run of [bold]conceptrank mine[/] stands: what is there, what is left, what "
    "failed.\n\n"
    "Exit code 0 says that it is complete, 3 that it is not yet, 1 that parts are damaged or tasks "
    "failed."
)
EXAMPLES = examples(
    "conceptrank mine movies --out run --workers 1",
    "conceptrank status run",
    "conceptrank status run --verify --format json",
)


@guarded
def command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of the run.", show_default=False)
    ],
    *,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every part against its digest.")
    ] = False,
    output_format: Annotated[
        _options.OneFormat, typer.Option("--format", help="How to print it.")
    ] = _options.OneFormat.table,
    quiet: _options.Quiet = False,
) -> int:
    """Say how a run stands."""
    from conceptrank.scale_out import open_run

    voice = Voice(quiet=quiet)
    run = open_run(folder)
    if verify:
        with voice.working(f"checking {run.totals['parts']:,} parts"):
            run.verify()
    context, totals = run.manifest["context"], run.totals
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
    if output_format is _options.OneFormat.json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        names = list(facts)
        columns = [Column("", names), Column("", [_shown(name, facts[name]) for name in names])]
        _, *body = _table.lines(columns, width=None)
        _table.write(body, titled=False)
    for damage in run.damaged:
        voice.warning(damage)
    if run.damaged or (failures and not run.complete):
        return FAILED
    return DONE if run.complete else BUDGET_REACHED


def _shown(name: str, value: Any) -> str:
    if name == "bytes":
        return _mining.size_text(value)
    if isinstance(value, bool | None):
        return "-" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if name == "versions":
        return ", ".join(f"{package} {version}" for package, version in value.items())
    if isinstance(value, list):
        return f"{len(value):,}"
    return ", ".join(value) if isinstance(value, dict) else str(value)
