"""`conceptrank measures`: the catalogue of measures."""

from __future__ import annotations

import inspect
import sys
from typing import Annotated, Any, Literal

import typer

from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _output, _table
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import option
from conceptrank.measures import registry

# Narrower terminals show the most important columns of the list only.
FULL_WIDTH = 150


@define_command(
    examples=[
        "conceptrank measures",
        "conceptrank measures stability",
        "conceptrank measures --search generators",
        "conceptrank measures --side extent --format csv",
    ]
)
def command(
    *,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A measure or its alias.", show_default=False),
    ] = None,
    side: Annotated[
        Literal["intent", "extent", "both"] | None, option("Only measures that use this side.")
    ] = None,
    search: Annotated[
        str | None, option("Only measures whose entry contains this word.", "WORD")
    ] = None,
    output_format: Annotated[
        Literal["table", "json", "csv"], option("table, json or csv.", "NAME", "--format")
    ] = "table",
) -> int:
    """List the measures, or describe one.

    Any measure can be given to --by, --also, --then, --where and --measures.
    """
    if name is not None and (side is not None or search is not None):
        raise WrongUseError("--side and --search filter the list: leave NAME out")
    chosen = None if name is None else registry.get(name).name
    frame = registry.available()
    rows = [
        row
        for row in frame.to_dicts()
        if chosen in (None, row["name"])
        and side in (None, row["side"])
        and any((search or "").casefold() in str(value).casefold() for value in row.values())
    ]
    if not rows:
        raise WrongUseError(f"no measure fits {_filters(side, search)}")
    if output_format == "csv":
        # The class of the frame, because importing polars here takes a while.
        _output.print_text(type(frame)(rows, schema=frame.schema).write_csv())
    elif output_format == "json":
        found = [_plain(row) for row in rows]
        _output.print_json(found if chosen is None else found[0])
    elif chosen is None:
        _write_list(rows)
    else:
        _write_one(rows[0])
    return DONE


def _filters(side: str | None, search: str | None) -> str:
    parts = [side and f"--side {side}", search is not None and f"--search {search!r}"]
    return " and ".join(part for part in parts if part)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the catalogue for programs: lists as lists, parameters as texts."""
    aliases = list(registry.get(row["name"]).aliases)
    return {**row, "aliases": aliases, "params": _params(row["name"])}


def _params(name: str) -> dict[str, str]:
    """Return the parameters of a measure and their defaults as texts."""
    params = registry.get(name).params.items()
    return {
        key: "required" if default is inspect.Parameter.empty else str(default)
        for key, default in params
    }


def _write_list(rows: list[dict[str, Any]]) -> None:
    columns = [
        TextColumn("measure", [row["name"] for row in rows], wraps=False),
        TextColumn("alias", [row["aliases"].split() for row in rows]),
        TextColumn("side", [row["side"] for row in rows], wraps=False),
        TextColumn("better", [row["direction"] for row in rows], wraps=False),
        TextColumn("range", [row["range"].split() for row in rows]),
        TextColumn("needs", [row["needs"] for row in rows], wraps=False),
        TextColumn("meaning", [row["summary"].split() for row in rows]),
    ]
    width = _table.line_width(sys.stdout)
    if width is not None and width < FULL_WIDTH:
        columns = [column for column in columns if column.title in ("measure", "better", "meaning")]
    _output.write_table(columns)
    if len(columns) == 3:
        Messages().note("'conceptrank measures NAME' and wider terminals show more")


def _write_one(row: dict[str, Any]) -> None:
    title = row["name"] + (f" ({row['aliases']})" if row["aliases"] else "")
    _table.heading(f"{title}: {row['summary']}")
    params = [f"{key} = {default}," for key, default in _params(row["name"]).items()]
    facts = [
        ("side", row["side"] if row["side"] != "both" else "both sides"),
        ("better", row["direction"]),
        ("range", row["range"]),
        ("parameters", [*params[:-1], params[-1].rstrip(",")] if params else "none"),
        ("needs", row["needs"]),
        ("cost", row["complexity"].split()),
        ("reference", row["reference"].split()),
    ]
    facts = [(label, fact) for label, fact in facts if fact]
    columns = [
        TextColumn("", [label for label, _ in facts], wraps=False),
        TextColumn("", [fact for _, fact in facts]),
    ]
    _table.write_body(columns)
