"""The columns of a raw table with their scales and attributes, as text and as JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from conceptrank._util import text_table
from conceptrank._util.text import printable
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _table

if TYPE_CHECKING:
    from conceptrank.scaling import Loaded

_MOST_NAMES = 4
# The search for redundant attributes makes about this many steps per second.
_STEPS = 2_000_000_000


def is_small(n: int, q: int) -> bool:
    """Return whether the redundant attributes of a table of this shape are found in a second.

    Examples
    --------
    >>> is_small(100_000, 200), is_small(100_000, 20_000)
    (True, False)
    """
    return q * q * (n / 64 + 1) < _STEPS


def as_dicts(table: Loaded) -> list[dict[str, Any]]:
    """Return the scale and the attributes of each column, as values for JSON."""
    plan = table.plan
    assert plan is not None
    naming = [] if plan.objects is None else [{"column": plan.objects, "scale": "objects"}]
    return naming + [
        {
            "column": each.column,
            "scale": each.planned,
            "attributes": list(each.attributes),
            "missing": each.missing,
            "because": plan[each.column].because,
        }
        for each in table.columns
    ]


def write(table: Loaded, *, most: int | None = None) -> None:
    """Write one line per column to standard output: its scale and its attributes.

    Parameters
    ----------
    table
        The table.
    most
        How many columns to list; all if None.
    """
    facts = as_dicts(table)
    shown = facts[:most]
    attributes = [one.get("attributes", []) for one in shown]
    columns = [
        TextColumn("column", [printable(one["column"]) for one in shown]),
        TextColumn("scale", [one["scale"] for one in shown]),
        TextColumn("attributes", [f"{len(each):,}" if each else "" for each in attributes], True),
        TextColumn(
            "missing", [f"{one['missing']:,}" if "missing" in one else "" for one in shown], True
        ),
        TextColumn(
            "names", [_table.names(each, most=_MOST_NAMES) if each else [] for each in attributes]
        ),
    ]
    if any(one.get("because") for one in shown):
        columns.append(TextColumn("because", [one.get("because", "").split() for one in shown]))
    width = _table.line_width(sys.stdout)
    _table.write(text_table.lines(columns, width=width, indent=text_table.GAP), titled=False)
    if len(shown) < len(facts):
        rest = f"… and {len(facts) - len(shown):,} more (--columns lists all)"
        _table.write([f"{text_table.GAP}{rest}"], titled=False)
