"""`conceptrank info`: the shape and the oddities of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.text import printable
from conceptrank._util.text_table import TextColumn
from conceptrank.budget import ConceptEstimate, support_threshold
from conceptrank.cli import _columns, _output, _run_folder, _table
from conceptrank.cli._command import DONE, define_command
from conceptrank.cli._input import Reading
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, MinSupport, TableOrJson, flag
from conceptrank.context import Context

if TYPE_CHECKING:
    from conceptrank.scaling import Loaded, LoadedTable

MOST_ATTRIBUTES = 5
MOST_NAMES = 5
MOST_COLUMNS = 20


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
    columns: Annotated[
        bool, flag("List all columns of a table with their scales, and nothing else.", "--columns")
    ] = False,
    output_format: TableOrJson = "table",
    reading: Reading,
    messages: Messages,
) -> int:
    """Show a table's shape, its oddities and an estimate of its number of concepts.

    Redundant attributes can be removed without changing the concepts: their objects are exactly
    those that some other attributes share. If there are many concepts, their number is estimated
    by sampling the search. FILE may be a folder of [bold]conceptrank mine[/]: its state is shown;
    the exit code is 0 for a complete run, 3 for an incomplete one, 1 if parts are damaged.
    """
    if _run_folder.is_run(file):
        _run_folder.refuse([*reading.given, *(["--columns"] if columns else [])])
        return _run_folder.write_state(Path(file), output_format, messages)
    if columns:
        return _list_columns(reading.load_table(file, messages), file, output_format, messages)
    loaded = reading.load(file, messages)
    context = loaded.context
    with messages.working("estimating the number of concepts"):
        estimate = context.estimate_concepts(min_support=min_support)
    least_support = support_threshold(min_support, context.shape[0])
    facts = _facts(context)
    if output_format == "json":
        _write_json(loaded, facts, estimate, least_support)
    else:
        _write_table(file, context, facts, estimate, least_support)
        if loaded.table is not None:
            _table.heading("\ncolumns")
            _columns.write(loaded.table, most=MOST_COLUMNS)
    return DONE


def _list_columns(table: LoadedTable, file: str, output_format: str, messages: Messages) -> int:
    if output_format == "json":
        _output.print_json(_columns.as_dicts(table))
        return DONE
    n, q = table.context.shape
    _table.heading(f"{printable(file)}: {n:,} objects, {q:,} attributes")
    _columns.write(table)
    messages.note(
        f"'conceptrank convert {file} plan.toml' saves these scales, to edit and to use by --scale "
        "plan.toml; --scale COLUMN=… changes a column"
    )
    return DONE


def _facts(context: Context) -> dict[str, Any]:
    """Return the names of odd objects and attributes, and all attributes by frequency."""
    (n, q), (offsets, _) = context.shape, context.rows()
    lengths, supports = np.diff(offsets), context.core.attribute_supports()
    columns = context.with_weights(None).transpose()
    small = _columns.is_small(n, q)
    return {
        "duplicate_objects": n - context.n_distinct_rows,
        "duplicate_attributes": q - columns.n_distinct_rows,
        "empty_objects": _named(context.objects, lengths == 0),
        "full_objects": _named(context.objects, lengths == q),
        "empty_attributes": _named(context.attributes, supports == 0),
        "full_attributes": _named(context.attributes, supports == n),
        "redundant_attributes": list(context.reducible_attributes()) if small else None,
        "attributes_by_support": [
            (context.attributes[m], int(supports[m]))
            for m in np.argsort(-supports, kind="stable").tolist()
        ],
    }


def _named(labels: Sequence[str], chosen: NDArray[np.bool_]) -> list[str]:
    return [labels[place] for place in np.flatnonzero(chosen).tolist()]


def _write_json(
    loaded: Loaded, facts: dict[str, Any], estimate: ConceptEstimate, least_support: int
) -> None:
    context, table = loaded.context, loaded.table
    n, q = context.shape
    content = {
        "objects": n,
        "attributes": q,
        "crosses": context.crosses,
        "density": context.density,
        "digest": context.digest,
        **facts,
        "attributes_by_support": dict(facts["attributes_by_support"]),
        "concepts": {
            "min_support": least_support,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "exact": estimate.exact,
        },
    }
    if table is not None:
        content["columns"] = _columns.as_dicts(table)
    _output.print_json(content)


def _write_table(
    file: str,
    context: Context,
    facts: dict[str, Any],
    estimate: ConceptEstimate,
    least_support: int,
) -> None:
    n, q = context.shape
    rows: list[tuple[str, str, str | list[str]]] = [
        ("objects", f"{n:,}", _repeated(facts["duplicate_objects"], n)),
        ("attributes", f"{q:,}", _repeated(facts["duplicate_attributes"], q)),
        ("crosses", f"{context.crosses:,}", f"{_share(context.density)} of the table"),
    ]
    for key in ("empty_objects", "full_objects", "empty_attributes", "full_attributes"):
        if facts[key]:
            names = _table.names(facts[key], most=MOST_NAMES)
            many = len(facts[key])
            if key.endswith("_objects"):
                many = int(context.weights[context.object_names.numbers(facts[key])].sum())
            rows.append((key.replace("_", " "), f"{many:,}", names))
    if facts["redundant_attributes"]:
        redundant = facts["redundant_attributes"]
        names = _table.names(redundant, most=MOST_NAMES)
        rows.append(("redundant", f"{len(redundant):,}", ["follow", "from", "others:", *names]))
    rows.append(("concepts", *_expected(estimate, least_support)))
    _table.heading(f"{printable(file)} [{context.digest[:8]}]")
    labels, counts, remarks = zip(*rows, strict=True)
    columns = [TextColumn("", labels), TextColumn("", counts, right=True), TextColumn("", remarks)]
    _table.write_body(columns)
    ordered = facts["attributes_by_support"]
    least_frequent = ordered[max(len(ordered) - MOST_ATTRIBUTES, MOST_ATTRIBUTES) :]
    for title, some in (
        ("most frequent attributes", ordered[:MOST_ATTRIBUTES]),
        ("least frequent attributes", least_frequent),
    ):
        if some:
            _table.heading(f"\n{title}")
            _write_attributes(some, n)


def _write_attributes(some: list[tuple[str, int]], n: int) -> None:
    columns = [
        TextColumn("", [printable(name) for name, _ in some]),
        _table.count_column("", [support for _, support in some]),
        TextColumn("", [_share(support / max(n, 1)) for _, support in some], right=True),
    ]
    _table.write_body(columns)


def _repeated(many: int, total: int) -> str:
    if not many:
        return "all different" if total > 1 else ""
    copies = "1 a copy of another" if many == 1 else f"{many:,} copies of others"
    return f"{total - many:,} different, {copies}"


def _share(part: float) -> str:
    return "< 0.01 %" if 0 < part < 5e-5 else f"{100 * part:.2f} %"


def _expected(estimate: ConceptEstimate, least_support: int) -> tuple[str, str]:
    """Return the number of concepts, and its interval."""
    having = f"with at least {least_support:,} objects" if least_support else ""
    if estimate.exact:
        return f"{estimate.value:,.0f}", having
    about, _, interval = str(estimate).removeprefix("about ").partition(" concepts ")
    return f"~{about}", f"{having} {interval}".strip()
