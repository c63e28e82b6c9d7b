"""From columns and their scales to a context, with a report on each column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lazy import pl
from conceptrank._util.text_table import TextColumn, lines
from conceptrank.context import Context
from conceptrank.convert.origin import Note, Origin
from conceptrank.errors import FormatError
from conceptrank.scaling.scale import Scale, View

if TYPE_CHECKING:
    from conceptrank.scaling.column import Column

MISSING = ("no_cross", "value", "error")
_MOST_NAMES = 4
_MOST_CROSSES = 1 << 31


@dataclass(frozen=True)
class Step:
    """A column and its fitted scale; both None if the column is dropped."""

    name: str
    column: Column | None
    scale: Scale | None
    planned: str = "drop"
    missing: str = "no_cross"
    because: str = ""


@dataclass(frozen=True)
class ColumnReport:
    """How a column was scaled.

    Parameters
    ----------
    column
        Its name.
    planned
        What the plan said, such as `quantiles:4`.
    scale
        The scale with everything explicit; None if the column was dropped.
    attributes
        The attributes that it became.
    missing
        How many rows have no value.
    """

    column: str
    planned: str
    scale: Scale | None
    attributes: tuple[str, ...]
    missing: int = 0


@dataclass(frozen=True)
class Scaled:
    """A context made of a raw table, with a report on each column.

    Parameters
    ----------
    context
        The context.
    columns
        A report on every column of the plan.
    """

    context: Context
    columns: tuple[ColumnReport, ...]

    def __str__(self) -> str:
        rows = []
        for report in self.columns:
            shown = [_text.label(name) for name in report.attributes[:_MOST_NAMES]]
            shown += ["…"] if len(report.attributes) > _MOST_NAMES else []
            scale = f"{report.planned}: {', '.join(shown)}" if shown else report.planned
            rows.append([report.column, str(len(report.attributes)), str(report.missing), scale])
        if not rows:
            return "no columns"
        names, counts, missing, made = map(list, zip(*rows, strict=True))
        columns = [
            TextColumn("column", names),
            TextColumn("attributes", counts, right=True),
            TextColumn("missing", missing, right=True),
            TextColumn("", made),
        ]
        return "\n".join(lines(columns, width=None))


def scaled(
    steps: Iterable[Step],
    *,
    names: Sequence[str] | None,
    rows: int,
    weights: NDArray[np.int64] | None = None,
    notes: tuple[Note, ...] = (),
) -> Scaled:
    """Return the context of scaled columns.

    Parameters
    ----------
    steps
        The columns.
    names
        The names of the objects; "1", "2", … if None.
    rows
        How many rows the table has.
    weights
        How often each row counts; once if None.
    notes
        What was assumed about the columns.
    """
    views: list[View] = []
    reports: list[ColumnReport] = []
    raw: list[pl.Series] = []
    types: dict[str, str] = {}
    taken: set[str] = set()
    for step in steps:
        if step.column is None or step.scale is None:
            reports.append(ColumnReport(step.name, step.planned, None, ()))
            continue
        view = _view(step.column, step.scale, step.missing)
        views.append(view)
        made = _unique(map(str, view.conditions), taken)
        count = step.column.n_missing
        reports.append(ColumnReport(step.name, step.planned, step.scale, made, count))
        raw.append(step.column.raw)
        compared = any(condition.kind == "interval" for condition in view.conditions)
        types[step.name] = step.column.type(compared=compared)
    objects: Sequence[object] = range(1, rows + 1) if names is None else names
    attributes = [name for report in reports for name in report.attributes]
    conditions = tuple(condition for view in views for condition in view.conditions)
    crosses = _rows(views, rows)
    # This frees the levels of all rows before the context is made.
    views.clear()
    origin = Origin(pl.DataFrame(raw), conditions, types, notes)
    context = Context.from_csr(objects, attributes, *crosses, weights=weights, origin=origin)
    return Scaled(context, tuple(reports))


def _view(column: Column, scale: Scale, missing: str) -> View:
    if column.separator is not None and scale.exclusive:
        raise column.complaint(f"lists can't be scaled as {scale.name}", hint="use the scale set")
    if not column.n_missing:
        return scale.view(column)
    if missing == "error":
        raise column.complaint(
            f"row {int(column.missing.argmax()) + 1} has no value",
            hint="treat missing values as 'no_cross', or as a 'value' of their own",
        )
    return scale.missing_view(column) if missing == "value" else scale.view(column)


def _unique(given: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    """Return names that are not taken; taken names get a number."""
    names = []
    for name in given:
        unique, number = name, 1
        while unique in taken:
            number += 1
            unique = f"{name} ({number})"
        taken.add(unique)
        names.append(unique)
    return tuple(names)


def _rows(views: Sequence[View], n: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the attributes of all rows, column after column."""
    if n * len(views) <= _MOST_CROSSES and all(map(_one_everywhere, views)):
        return _one_for_each(views, n)
    lengths = np.zeros(n, dtype=np.int64)
    for view in views:
        # The last place belongs to the level -1 of missing values, which has no attributes.
        lengths += np.append(np.diff(view.relation[0]), 0)[view.codes]
    offsets = _lists.offsets_of(lengths)
    if offsets[-1] > _MOST_CROSSES:
        raise FormatError(
            f"the scaled table would have {int(offsets[-1]):,} crosses",
            hint="give ordinal scales fewer levels",
        )
    values = np.empty(offsets[-1], dtype=np.uint32)
    place = offsets[:-1].copy()
    first = 0
    for view in views:
        starts, attributes = view.relation
        counts = np.diff(starts)
        shortest = int(counts.min(initial=counts.max(initial=0)))
        everywhere = shortest if view.codes.min(initial=0) >= 0 else 0
        for nth in range(int(counts.max(initial=0))):
            level = np.zeros(len(counts), dtype=np.uint32)
            level[counts > nth] = first + attributes[starts[:-1][counts > nth] + nth]
            if nth < everywhere:  # no need to look for the rows that have it
                values[place] = level[view.codes]
                place += 1
                continue
            rows = np.flatnonzero(np.append(counts > nth, False)[view.codes])
            values[place[rows]] = level[view.codes[rows]]
            place[rows] += 1
        first += len(view.conditions)
    return offsets, values


def _one_everywhere(view: View) -> bool:
    """Return whether every row has one attribute of a column, as with words and intervals."""
    counts = np.diff(view.relation[0])
    return bool((counts == 1).all()) and int(view.codes.min(initial=0)) >= 0


def _one_for_each(views: Sequence[View], n: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the attributes of all rows that have one of every column."""
    values = np.empty((n, len(views)), dtype=np.uint32)
    first = 0
    for place, view in enumerate(views):
        values[:, place] = (first + view.relation[1])[view.codes]
        first += len(view.conditions)
    return np.arange(n + 1, dtype=np.int64) * len(views), values.reshape(-1)
