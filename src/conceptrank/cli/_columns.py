"""The columns of a raw table with their scales and attributes, as text and as JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from conceptrank._text import printable
from conceptrank.cli import _table
from conceptrank.cli._table import Column

if TYPE_CHECKING:
    from conceptrank.scaling import LoadedTable

_MOST_NAMES = 4
# The search for redundant attributes makes about this many steps per second.
_STEPS = 2_000_000_000


def is_small(n: int, q: int) -> bool:
    """Tell whether the redundant attributes of a table of this shape are found in a second.

    Examples
    --------
    >>> is_small(100_000, 200), is_small(100_000, 20_000)
    (True, False)
    """
    return q * q * (n / 64 + 1) < _STEPS


def as_dicts(table: LoadedTable) -> list[dict[str, Any]]:
    """Return the scale and the attributes of each column, as values for JSON."""
    plan = table.plan
    naming = [] if plan.objects is None else [{"column": plan.objects, "scale": "objects"}]
    return naming + [
        {
            "column": each.column,
            "scale": each.planned,
            "attributes": list(each.attributes),
            "missing": each.missing,
            "because": plan[each.column].because,
        }
        for each in table.scaled.columns
    ]


def write(table: LoadedTable) -> None:
    """Write one line per column to standard output: its scale and its attributes."""
    plan, reports = table.plan, table.scaled.columns
    reasons = [plan[each.column].because for each in reports]
    names = [printable(each.column) for each in reports]
    scales = [each.planned for each in reports]
    counts = [f"{len(each.attributes):,}" if each.scale else "" for each in reports]
    absent = [f"{each.missing:,}" if each.scale else "" for each in reports]
    made: list[list[str]] = [
        _table.names(each.attributes, most=_MOST_NAMES) if each.scale else [] for each in reports
    ]
    if plan.objects is not None:
        names, scales, reasons = (
            [printable(plan.objects), *names],
            ["objects", *scales],
            ["", *reasons],
        )
        counts, absent, made = ["", *counts], ["", *absent], [[], *made]
    columns = [
        Column("column", names),
        Column("scale", scales),
        Column("attributes", counts, right=True),
        Column("missing", absent, right=True),
        Column("names", made),
        Column("because", [reason.split() for reason in reasons]),
    ]
    if not any(reasons):
        columns.pop()
    width = _table.line_width(sys.stdout)
    _table.write(_table.lines(columns, width=width, indent=_table.GAP), titled=False)
