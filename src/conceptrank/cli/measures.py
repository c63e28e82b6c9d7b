"""`conceptrank measures`: the catalogue of measures."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from conceptrank._util.text import counted
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _measures, _output, _table
from conceptrank.cli._command import DONE, WrongUseError, define_command
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import TableOrJson, option
from conceptrank.measures import registry


@define_command(
    examples=[
        "conceptrank measures",
        "conceptrank measures stability",
        "conceptrank measures --search generators",
        "conceptrank measures --format json",
    ]
)
def command(
    *,
    name: Annotated[str | None, typer.Argument(metavar="NAME", show_default=False)] = None,
    search: Annotated[str | None, option("WORD")] = None,
    output_format: TableOrJson = "table",
) -> int:
    """List the measures, or describe one.

    Any measure can be given to --by, --also, --then, --where and --measures.

    Parameters
    ----------
    name
        A measure or its alias.
    search
        Only measures whose entry contains this word.
    """
    if name is not None and search is not None:
        raise WrongUseError("--search filters the list: leave NAME out")
    chosen = None if name is None else registry.get(name).name
    rows = [
        row
        for row in registry.available().to_dicts()
        if chosen in (None, row["name"])
        and any((search or "").casefold() in str(value).casefold() for value in row.values())
    ]
    if not rows:
        raise WrongUseError(f"no measure fits --search {search!r}")
    if output_format == "json":
        found = [
            {
                **row,
                "aliases": list(registry.get(row["name"]).aliases),
                "params": _params(row["name"]),
            }
            for row in rows
        ]
        _output.print_json(found if chosen is None else found[0])
    elif chosen is None:
        known = {row["name"]: row for row in rows}
        families = _measures.by_family(known)
        listed = [known[name] for _, name in families]
        columns = [
            TextColumn("", [row["name"] for row in listed], wraps=False),
            TextColumn("", [row["direction"] for row in listed], wraps=False),
            TextColumn("", [row["summary"].split() for row in listed]),
        ]
        _table.heading(counted(len(rows), "measure"))
        _table.write_grouped(columns, [family for family, _ in families])
        Messages().note("higher or lower scores are better; 'conceptrank measures NAME' shows more")
    else:
        _write_one(rows[0])
    return DONE


def _params(name: str) -> dict[str, str]:
    """Return the parameters of a measure and their defaults as texts."""
    params = registry.get(name).params.items()
    return {
        key: "required" if default is inspect.Parameter.empty else str(default)
        for key, default in params
    }


def _write_one(row: dict[str, Any]) -> None:
    title = row["name"] + (f" ({row['aliases']})" if row["aliases"] else "")
    _table.heading(f"{title}: {row['summary']}")
    params = ", ".join(f"{key} = {default}" for key, default in _params(row["name"]).items())
    facts = {
        "side": row["side"] if row["side"] != "both" else "both sides",
        "better": row["direction"],
        "range": row["range"],
        "parameters": params or "none",
        "needs": row["needs"],
        "cost": row["complexity"],
        "reference": row["reference"],
    }
    facts = {label: fact for label, fact in facts.items() if fact}
    _table.write_body(
        [
            TextColumn("", list(facts), wraps=False),
            TextColumn("", [fact.split() for fact in facts.values()]),
        ]
    )
