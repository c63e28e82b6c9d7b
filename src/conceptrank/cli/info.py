"""`conceptrank info`: what is in a table, before anybody mines it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from conceptrank._text import printable
from conceptrank.budget import ConceptEstimate, support_threshold
from conceptrank.cli import _columns, _input, _options, _table
from conceptrank.cli._guard import DONE, guarded
from conceptrank.cli._help import examples
from conceptrank.cli._table import Column
from conceptrank.cli._voice import Voice
from conceptrank.context import Context

HELP = (
    "Tell the shape of a table, what is odd about it, and how many concepts to expect.\n\n"
    "Redundant attributes can go without a change of the concepts: their objects are those that "
    "other attributes have in common. Many concepts are not counted but estimated, by sampling the "
    "search for them."
)
EXAMPLES = examples(
    "conceptrank info movies",
    "conceptrank info movies --min-support 0.25",
    "conceptrank info movies --format json",
)
MOST_ATTRIBUTES = 5
MOST_NAMES = 5


@guarded
def command(
    file: _options.File,
    *,
    min_support: _options.MinSupport = 0,
    output_format: Annotated[
        _options.OneFormat, typer.Option("--format", metavar="NAME", help="table or json.")
    ] = _options.OneFormat.table,
    scale: _options.Scale = None,
    drop: _options.Drop = None,
    object_names: _options.ObjectNames = None,
    missing: _options.MissingValues = None,
    read: _options.Read = None,
    input_format: _options.InputFormat = None,
    quiet: _options.Quiet = False,
) -> int:
    """Tell what is in a table."""
    voice = Voice(quiet=quiet)
    raw = _input.Scaling.of(scale, drop, object_names, missing, read)
    loaded = _input.load(file, format=input_format, voice=voice, scaling=raw)
    context = loaded.context
    with voice.working("estimating the number of concepts"):
        estimate = context.estimate_concepts(min_support=min_support)
    least = support_threshold(min_support, len(context.objects))
    known = _facts(context)
    if output_format is _options.OneFormat.json:
        _print_json(loaded, known, estimate, least)
    else:
        _print_table(file, context, known, estimate, least)
        if loaded.table is not None:
            _table.heading("\ncolumns")
            _columns.write(loaded.table)
    return DONE


def _facts(context: Context) -> dict[str, Any]:
    """Return the names of odd objects and attributes, and all attributes by frequency."""
    (n, q), (offsets, values) = context.shape, context.rows()
    lengths, supports = np.diff(offsets), np.bincount(values, minlength=q)
    columns = context.transpose()
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


def _named(labels: Sequence[str], wanted: NDArray[np.bool_]) -> list[str]:
    return [labels[place] for place in np.flatnonzero(wanted).tolist()]


def _print_json(
    loaded: _input.Loaded, known: dict[str, Any], estimate: ConceptEstimate, least: int
) -> None:
    context, table = loaded.context, loaded.table
    n, q = context.shape
    facts = {
        "objects": n,
        "attributes": q,
        "crosses": context.crosses,
        "density": context.density,
        "digest": context.digest,
        **known,
        "attributes_by_support": dict(known["attributes_by_support"]),
        "concepts": {
            "min_support": least,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "exact": estimate.exact,
        },
    }
    if table is not None:
        facts["columns"] = _columns.as_dicts(table)
    json.dump(facts, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def _print_table(
    file: str, context: Context, known: dict[str, Any], estimate: ConceptEstimate, least: int
) -> None:
    n, q = context.shape
    rows: list[tuple[str, str, str | list[str]]] = [
        ("objects", f"{n:,}", _repeated(known["duplicate_objects"], n)),
        ("attributes", f"{q:,}", _repeated(known["duplicate_attributes"], q)),
        ("crosses", f"{context.crosses:,}", f"{_share(context.density)} of the table"),
    ]
    for key in ("empty_objects", "full_objects", "empty_attributes", "full_attributes"):
        if known[key]:
            names = _table.names(known[key], most=MOST_NAMES)
            rows.append((key.replace("_", " "), f"{len(known[key]):,}", names))
    if known["redundant_attributes"]:
        redundant = known["redundant_attributes"]
        names = _table.names(redundant, most=MOST_NAMES)
        rows.append(("redundant", f"{len(redundant):,}", ["follow", "from", "others:", *names]))
    rows.append(("concepts", *_expected(estimate, least)))
    width = _table.line_width(sys.stdout)
    _table.heading(f"{printable(file)} [{context.digest[:8]}]")
    labels, counts, remarks = zip(*rows, strict=True)
    columns = [Column("", labels), Column("", counts, right=True), Column("", remarks)]
    _print_body(columns, width)
    ordered = known["attributes_by_support"]
    least_frequent = ordered[max(len(ordered) - MOST_ATTRIBUTES, MOST_ATTRIBUTES) :]
    for title, some in (
        ("most frequent attributes", ordered[:MOST_ATTRIBUTES]),
        ("least frequent attributes", least_frequent),
    ):
        if some:
            _table.heading(f"\n{title}")
            _print_attributes(some, n, width)


def _print_attributes(some: list[tuple[str, int]], n: int, width: int | None) -> None:
    columns = [
        Column("", [printable(name) for name, _ in some]),
        Column("", [f"{support:,}" for _, support in some], right=True),
        Column("", [_share(support / max(n, 1)) for _, support in some], right=True),
    ]
    _print_body(columns, width)


def _print_body(columns: list[Column], width: int | None) -> None:
    _, *body = _table.lines(columns, width=width, indent=_table.GAP)
    _table.write(body, titled=False)


def _repeated(many: int, total: int) -> str:
    if not many:
        return "all different" if total > 1 else ""
    copies = "1 a copy of another" if many == 1 else f"{many:,} copies of others"
    return f"{total - many:,} different, {copies}"


def _share(part: float) -> str:
    return "< 0.01 %" if 0 < part < 5e-5 else f"{100 * part:.2f} %"


def _expected(estimate: ConceptEstimate, least: int) -> tuple[str, str]:
    """Return the number of concepts and what to say about it."""
    having = f"with at least {least:,} objects" if least else ""
    if estimate.exact:
        return f"{estimate.value:,.0f}", having
    about, _, interval = str(estimate).removeprefix("about ").partition(" concepts ")
    return f"~{about}", f"{having} {interval}".strip()
