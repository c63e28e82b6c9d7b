"""`conceptrank info`: the shape and the oddities of a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import text_table
from conceptrank._util.text import printable
from conceptrank._util.text_table import TextColumn
from conceptrank.budget import ConceptEstimate, support_threshold
from conceptrank.cli import _output, _run_folder, _table
from conceptrank.cli._command import DONE, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, MinSupport, TableOrJson, flag
from conceptrank.context import Context

if TYPE_CHECKING:
    from conceptrank.scaling import Loaded

MOST_ATTRIBUTES = 5
MOST_NAMES = 5
MOST_COLUMNS = 20
MOST_VALUES = 4
# The search for redundant attributes makes about this many steps per second.
STEPS = 2_000_000_000
ODD = ("empty_objects", "full_objects", "empty_attributes", "full_attributes")


@define_command(
    examples=[
        "conceptrank info movies",
        "conceptrank info movies --min-support 0.25",
        "conceptrank info movies --format json",
        r"printf 'name,age,town\nAnn,30,Bath\nBob,41,York\nCid,17,York\n' > people.csv",
        "conceptrank info people.csv --columns",
    ]
)
def command(
    *,
    file: File,
    min_support: MinSupport = 0,
    columns: Annotated[bool, flag("--columns")] = False,
    output_format: TableOrJson = "table",
    reading: Reading,
    messages: Messages,
) -> int:
    """Show a table's shape, its oddities and an estimate of its number of concepts.

    Redundant attributes can be removed without changing the concepts: their objects are exactly
    those that some other attributes share. If there are many concepts, their number is estimated
    by sampling the search. FILE may be a folder of [bold]conceptrank mine[/]: its state is shown;
    the exit code is 0 for a complete run, 3 for an incomplete one, 1 if parts are damaged.

    Parameters
    ----------
    columns
        List all columns of a table with their scales, and nothing else.
    """
    if _run_folder.is_run(file):
        _run_folder.refuse([*reading.given, *(["--columns"] if columns else [])])
        return _run_folder.write_state(Path(file), output_format, messages)
    if columns:
        table = reading.load_table(file, messages)
        if output_format == "json":
            _output.print_json(_columns(table))
            return DONE
        n, q = table.context.shape
        _table.heading(f"{printable(file)}: {n:,} objects, {q:,} attributes")
        _write_columns(table)
        messages.note(
            f"'conceptrank convert {file} plan.toml' saves these scales, to edit and to use by "
            "--scale plan.toml; --scale COLUMN=… changes a column"
        )
        return DONE
    loaded = reading.load(file, messages)
    with messages.working("estimating the number of concepts"):
        estimate = loaded.context.estimate_concepts(min_support=min_support)
    facts = _facts(loaded.context, estimate, min_support)
    if output_format == "json":
        more = {"columns": _columns(loaded)} if loaded.plan is not None else {}
        _output.print_json(facts | more)
        return DONE
    _write(file, loaded.context, facts, str(estimate))
    if loaded.plan is not None:
        _table.heading("\ncolumns")
        _write_columns(loaded, most=MOST_COLUMNS)
    return DONE


def _facts(context: Context, estimate: ConceptEstimate, min_support: float) -> dict[str, Any]:
    """Return the size of a table, its odd objects and attributes, and all attributes by support."""
    (n, q), (offsets, _) = context.shape, context.rows()
    lengths, supports = np.diff(offsets), context.core.attribute_supports()
    small = _is_small(n, q)
    by_support = np.argsort(-supports, kind="stable").tolist()
    return {
        "objects": n,
        "attributes": q,
        "crosses": context.crosses,
        "density": context.density,
        "digest": context.digest,
        "duplicate_objects": n - context.n_distinct_rows,
        "duplicate_attributes": q - context.with_weights(None).transpose().n_distinct_rows,
        "empty_objects": _named(context.objects, lengths == 0),
        "full_objects": _named(context.objects, lengths == q),
        "empty_attributes": _named(context.attributes, supports == 0),
        "full_attributes": _named(context.attributes, supports == n),
        "redundant_attributes": list(context.reducible_attributes()) if small else None,
        "attributes_by_support": {context.attributes[m]: int(supports[m]) for m in by_support},
        "concepts": {
            "min_support": support_threshold(min_support, n),
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "exact": estimate.exact,
        },
    }


def _named(labels: Sequence[str], chosen: NDArray[np.bool_]) -> list[str]:
    return [labels[place] for place in np.flatnonzero(chosen).tolist()]


def _write(file: str, context: Context, facts: dict[str, Any], estimate: str) -> None:
    """Write the facts about a table to standard output."""
    n, q = facts["objects"], facts["attributes"]
    rows: list[tuple[str, str, str | list[str]]] = [
        ("objects", f"{n:,}", _repeated(facts["duplicate_objects"], n)),
        ("attributes", f"{q:,}", _repeated(facts["duplicate_attributes"], q)),
        ("crosses", f"{facts['crosses']:,}", f"{_share(facts['density'])} of the table"),
    ]
    for key in ODD:
        if names := facts[key]:
            shown = _table.names(names, most=MOST_NAMES)
            many = len(names)
            if key.endswith("_objects"):
                many = int(context.weights[context.object_names.numbers(names)].sum())
            rows.append((key.replace("_", " "), f"{many:,}", shown))
    if names := facts["redundant_attributes"]:
        shown = ["follow", "from", "others:", *_table.names(names, most=MOST_NAMES)]
        rows.append(("redundant", f"{len(names):,}", shown))
    least = facts["concepts"]["min_support"]
    remark = f"with at least {least:,} objects" if least else ""
    number, _, interval = estimate.replace("about ", "~").partition(" concept")
    rows.append(("concepts", number, f"{remark} {interval.removeprefix('s').strip()}".strip()))
    _table.heading(f"{printable(file)} [{facts['digest'][:8]}]")
    labels, counts, remarks = zip(*rows, strict=True)
    _table.write_body(
        [TextColumn("", labels), TextColumn("", counts, right=True), TextColumn("", remarks)]
    )
    ordered = list(facts["attributes_by_support"].items())
    least_frequent = ordered[max(len(ordered) - MOST_ATTRIBUTES, MOST_ATTRIBUTES) :]
    for title, some in (("most", ordered[:MOST_ATTRIBUTES]), ("least", least_frequent)):
        if some:
            _table.heading(f"\n{title} frequent attributes")
            _table.write_body(
                [
                    TextColumn("", [printable(name) for name, _ in some]),
                    TextColumn("", [f"{support:,}" for _, support in some], right=True),
                    TextColumn("", [_share(each / max(n, 1)) for _, each in some], right=True),
                ]
            )


def _repeated(many: int, total: int) -> str:
    if not many:
        return "all different" if total > 1 else ""
    copies = "1 a copy of another" if many == 1 else f"{many:,} copies of others"
    return f"{total - many:,} different, {copies}"


def _share(part: float) -> str:
    return "< 0.01 %" if 0 < part < 5e-5 else f"{100 * part:.2f} %"


def _is_small(n: int, q: int) -> bool:
    """Return whether the redundant attributes of a table of this shape are found in a second.

    Examples
    --------
    >>> _is_small(100_000, 200), _is_small(100_000, 20_000)
    (True, False)
    """
    return q * q * (n / 64 + 1) < STEPS


def _columns(table: Loaded) -> list[dict[str, Any]]:
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


def _write_columns(table: Loaded, *, most: int | None = None) -> None:
    """Write one line per column to standard output: its scale and its attributes.

    Parameters
    ----------
    table
        The table.
    most
        How many columns to list; all if None.
    """
    facts = _columns(table)
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
            "names", [_table.names(each, most=MOST_VALUES) if each else [] for each in attributes]
        ),
    ]
    if any(one.get("because") for one in shown):
        columns.append(TextColumn("because", [one.get("because", "").split() for one in shown]))
    width = _table.line_width(sys.stdout)
    _table.write(text_table.lines(columns, width=width, indent=text_table.GAP), titled=False)
    if len(shown) < len(facts):
        rest = f"… and {len(facts) - len(shown):,} more (--columns lists all)"
        _table.write([f"{text_table.GAP}{rest}"], titled=False)
