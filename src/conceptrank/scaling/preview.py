"""A column and what a scale makes of it, side by side as text."""

from __future__ import annotations

from collections.abc import Iterable

from conceptrank import convert
from conceptrank._util import text_table
from conceptrank.convert.origin import label
from conceptrank.scaling.plan import Choice, Plan


def preview(
    values: Iterable[object], scale: Choice, *, name: str = "x", missing: str = "no_cross"
) -> str:
    """Return the cross table that a scale makes of some values, as text.

    Parameters
    ----------
    values
        The values; None is a missing one.
    scale
        A scale, or a short text such as `"quantiles:4"`.
    name
        The name of the column.
    missing
        How missing values are treated; see `Plan`.

    Examples
    --------
    >>> print(preview([17, 30, 41], "ordinal:18,30", name="age"))
    age  age ≤ 18  age ≤ 30
    17   X         X
    30   .         X
    41   .         .
    """
    frame, _ = convert.polars_frame({name: values})
    context = Plan({name: scale}, missing=missing).apply(frame)
    marks = context.to_numpy().tolist()
    column = frame.get_column(name).to_list()
    rows = [
        ["missing" if value is None else label(value), *("X" if mark else "." for mark in row)]
        for value, row in zip(column, marks, strict=True)
    ]
    header = [name, *context.attributes]
    return text_table.table(header, rows, left=len(header))
