"""The scale of multi-valued cells: sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank._util.lazy import pl
from conceptrank.convert.origin import Value, label
from conceptrank.io.shapes import find_separator, item_order
from conceptrank.scaling.column import Column
from conceptrank.scaling.scale import Scale, View, register


@register
@dataclass(frozen=True, kw_only=True)
class Sets(Scale):
    """One attribute for each element of multi-valued cells, such as `tea;milk`: `drinks: tea`.

    Parameters
    ----------
    values
        The elements, in the order of the attributes; all that occur if None. Another element is an
        error.
    separator
        What separates the elements of a cell; inferred if None. Lists need none.

    Examples
    --------
    >>> from conceptrank.scaling import preview
    >>> print(preview(["tea;milk", "milk", None], Sets(), name="drinks"))
    drinks    drinks: milk  drinks: tea
    tea;milk  X             X
    milk      X             .
    missing   .             .
    """

    name = "set"
    exclusive: ClassVar[bool] = False
    values: tuple[Value, ...] | None = None
    separator: str | None = None

    def fitted(self, column: Column) -> Sets:
        """Return the scale with the elements of a column, and their separator."""
        if column.kind not in ("text", "empty"):
            raise column.complaint(
                f"holds {column.kind}s, a set scale needs text or lists",
                hint="use a nominal scale",
            )
        separator = self.separator or separator_of(column) or ";"
        values = self.values
        if values is None:
            found = list(dict.fromkeys(e for cell in _cells(column, separator) for e in cell))
            values = tuple(found[place] for place in item_order(found))
        return Sets(values=tuple(label(value) for value in values), separator=separator)

    def view(self, column: Column) -> View:
        """Return which elements every row has."""
        places = {str(value): place for place, value in enumerate(self.values or ())}
        relation = []
        for cell in _cells(column, self.separator or ";"):
            unknown = next((element for element in cell if element not in places), None)
            if unknown is not None:
                raise column.complaint(
                    f"{unknown!r} is not among the values of its scale",
                    hint="add it to them, or leave them out to take all that occur",
                )
            relation.append(np.array(sorted({places[e] for e in cell}), dtype=np.uint32))
        conditions = tuple(column.condition("element", value) for value in places)
        return View(conditions, column.codes(column.values), _lists.joined(relation))


def separator_of(column: Column) -> str | None:
    """Return what separates the elements of a column; None if its cells are single values."""
    if column.separator is not None or column.kind != "text":
        return column.separator
    return find_separator(pl.Series([str(value) for value in column.values], dtype=pl.String))


def _cells(column: Column, separator: str) -> list[list[str]]:
    """Return the elements of each different value of a column."""
    parts = ((each.strip() for each in str(cell).split(separator)) for cell in column.values)
    return [[element for element in cell if element] for cell in parts]
