"""`Plan`: a scale for every column of a raw table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from conceptrank._util import text_table
from conceptrank._util.lazy import pl
from conceptrank.convert.origin import Note, label
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.scaling.column import PARTS, Columns
from conceptrank.scaling.scale import Scale
from conceptrank.scaling.scaled import MISSING, Scaled, Step, scaled

if TYPE_CHECKING:
    from conceptrank.context import Context

UNSEEN = ("error", "missing")
# Why columns are dropped or stay as they are; `Plan.notes` names these kinds.
ROW_NUMBERS = "numbers the rows"
DOUBTFUL_DATES = "the day and the month can't be told apart"


@dataclass(frozen=True, kw_only=True)
class ColumnPlan:
    """The scale of one column, and how its values are prepared.

    Parameters
    ----------
    scale
        The scale; None drops the column.
    missing
        How missing values are treated: `"no_cross"`, `"value"` or `"error"`; by the plan if
        None.
    part
        A part of dates to take instead of the dates: year, quarter, month, weekday, day, hour.
    date_format
        How text is read as dates, such as `"%d.%m.%Y"`.
    because
        The reason, in a few words, for readers.
    """

    scale: Scale | None
    missing: str | None = None
    part: str | None = None
    date_format: str | None = None
    because: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        refuse_unknown("way to treat missing values", [self.missing], MISSING)
        refuse_unknown("part of a date", [self.part], PARTS)

    def __str__(self) -> str:
        if self.scale is None:
            return "drop"
        return str(self.scale) if self.part is None else f"{self.part}:{self.scale}"


Choice: TypeAlias = ColumnPlan | Scale | str | None


class Plan:
    """A scale for every column of a raw table. A plan can be changed, saved and applied.

    Parameters
    ----------
    columns
        From the names of columns to their scales: a scale, a short text such as
        `"quantiles:4"`, a `ColumnPlan`, or `"drop"`.
    objects
        The column that names the objects; rows are numbered from 1 if None.
    missing
        How missing values are treated, unless a column has its own choice: `"no_cross"` (the row
        has no attribute of the column), `"value"` (it has an attribute of its own,
        `age is missing`) or `"error"`.
    weights
        The column that says how often each row counts; rows that count 0 times are left out.
    table
        Options that read the file; see `read_table`.

    Examples
    --------
    >>> plan = Plan({"age": "ordinal:30,65", "sex": "nominal"})
    >>> plan.apply({"age": [25, 70, 41], "sex": ["female", "male", None]}).to_pairs()
    [('1', 'age ≤ 30'), ('1', 'age ≤ 65'), ('1', 'sex = female'), ('2', 'sex = male'), \
('3', 'age ≤ 65')]
    >>> print(plan)
    column  scale          missing
    age     ordinal:30,65  no cross
    sex     nominal        no cross
    """

    def __init__(
        self,
        columns: Mapping[str, Choice] | None = None,
        *,
        objects: str | None = None,
        missing: str = "no_cross",
        weights: str | None = None,
        table: Mapping[str, Any] | None = None,
    ) -> None:
        refuse_unknown("way to treat missing values", [missing], MISSING)
        self._columns: dict[str, ColumnPlan] = {}
        self.objects = objects
        self.weights = weights
        self.missing = missing
        self.table: dict[str, Any] = dict(table or {})
        for name, choice in (columns or {}).items():
            self[name] = choice

    def __getitem__(self, column: str) -> ColumnPlan:
        refuse_unknown("column", [column], self._columns, where="the plan")
        return self._columns[column]

    def __setitem__(self, column: str, choice: Choice) -> None:
        self._columns[column] = _column_plan(column, choice)
        self.objects = None if self.objects == column else self.objects
        self.weights = None if self.weights == column else self.weights

    def __delitem__(self, column: str) -> None:
        del self._columns[self._known(column)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plan):
            return NotImplemented
        return self._parts() == other._parts()

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def columns(self) -> dict[str, ColumnPlan]:
        """The choice for each column, by its name."""
        return dict(self._columns)

    def drop(self, *columns: str) -> Self:
        """Leave columns out, and return the plan.

        Examples
        --------
        >>> str(Plan({"id": "nominal"}).drop("id")["id"])
        'drop'
        """
        for column in columns:
            self._columns[self._known(column)] = ColumnPlan(scale=None, because="by request")
            self.objects = None if self.objects == column else self.objects
        return self

    def name_objects_by(self, column: str | None) -> Self:
        """Take the names of the objects from a column, which is no attribute then.

        Examples
        --------
        >>> plan = Plan({"name": "nominal", "age": "ordinal"}).name_objects_by("name")
        >>> plan.apply({"name": ["Ann", "Bob"], "age": [30, 41]}).objects
        ('Ann', 'Bob')
        """
        self.objects = column
        if column is not None:
            self._columns.pop(column, None)
        return self

    def apply(self, table: object, *, unseen: str = "error") -> Context:
        """Return the context that the plan makes of a table.

        Parameters
        ----------
        table
            A frame of pandas or polars, any Arrow table, or a mapping of columns.
        unseen
            What becomes of a value that the scale of its column doesn't list, such as a category
            that was not in the table to which the plan was fitted: `"error"`, or `"missing"` to
            treat it as a missing value.

        Raises
        ------
        UnknownNameError
            If the table has no column that the plan names; the message lists similar names.
        FormatError
            If the table has a column that the plan doesn't name, or a scale doesn't fit; the
            message names the column.

        Examples
        --------
        >>> Plan({"sex": "nominal"}).apply({"sex": ["male", "female"]}).attributes
        ('sex = female', 'sex = male')
        >>> fitted = Plan({"town": "nominal"}).fitted({"town": ["Bath", "York"]})
        >>> fitted.apply({"town": ["Bath", "Hull"]}, unseen="missing").to_itemsets()
        {'1': {'town = Bath'}, '2': set()}
        """
        return self.scale(table, unseen=unseen).context

    def scale(
        self, table: object, *, unseen: str = "error", inferred: Iterable[str] = ()
    ) -> Scaled:
        """Return the context that the plan makes of a table, with a report on each column.

        Parameters are those of `apply`, and the columns whose scales were inferred, on which the
        context gets notes.

        Examples
        --------
        >>> print(Plan({"age": "equal_width:2"}).scale({"age": [20, 41, None]}))
        column  attributes  missing
        age              2        1  equal_width:2: age < 31, age ≥ 31
        """
        refuse_unknown("way to treat unseen values", [unseen], UNSEEN)
        columns = self._weighted(table)
        names = columns.names
        named = (*self._columns, self.objects)
        refuse_unknown("column", named, columns.series, where="the table")
        for column in columns.series:
            if column not in self._columns and column != self.objects:
                raise FormatError(
                    f"column {column!r} is not in the plan",
                    hint=f"add plan[{column!r}] = 'nominal', or 'drop' to leave it out",
                )
        if self.objects is not None:
            names = _object_names(columns.series[self.objects])
        return scaled(
            self._steps(columns, unseen),
            names=names,
            rows=columns.frame.height,
            weights=columns.weights,
            notes=self.notes(inferred),
        )

    def fitted(self, table: object) -> Plan:
        """Return a plan in which everything is explicit that scales take from a table.

        It makes attributes with the same names and limits of any other table of the kind, such as
        test data.

        Examples
        --------
        >>> print(Plan({"age": "quantiles:2"}).fitted({"age": [18, 23, 44, 61]})["age"])
        intervals:40
        """
        steps = {step.name: step for step in self._steps(self._weighted(table)) if step.scale}
        columns = {
            name: replace(choice, scale=steps[name].scale) if name in steps else choice
            for name, choice in self._columns.items()
        }
        how: dict[str, Any] = {"objects": self.objects, "weights": self.weights}
        return Plan(columns, missing=self.missing, table=self.table, **how)

    def changed(
        self,
        scales: Mapping[str, Choice],
        *,
        drop: Iterable[str] = (),
        objects: str | None = None,
        missing: str | None = None,
    ) -> Plan:
        """Return a plan with other scales of some columns, and without others.

        Examples
        --------
        >>> plan = Plan({"age": "nominal", "sex": "nominal"})
        >>> print(plan.changed({"age": "ordinal"}, drop=["sex"]))
        column  scale    missing   because
        age     ordinal  no cross
        sex     drop               by request
        """
        roles: dict[str, Any] = {"objects": self.objects, "weights": self.weights}
        plan = Plan(self._columns, missing=missing or self.missing, **roles)
        for column, choice in scales.items():
            plan[column] = choice
        for column in drop:
            plan[column] = ColumnPlan(scale=None, because="by request")
        return plan if objects is None else plan.name_objects_by(objects)

    def notes(self, columns: Iterable[str]) -> tuple[Note, ...]:
        """Return what the plan does with some columns, one note per kind.

        Examples
        --------
        >>> plan = Plan({"age": "quantiles:4", "sex": "nominal"}, weights="Freq")
        >>> [str(note) for note in plan.notes(["age", "sex", "Freq"])]
        ['weights: Freq', 'quartiles: age', 'values: sex']
        """
        found: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for column in columns:
            if column in (self.objects, self.weights):
                found["row names" if column == self.objects else "weights"].append(label(column))
            elif column in self._columns:
                choice = self._columns[column]
                kind = _kind_of(choice)
                reason = f" ({choice.because})" if kind == "left out" and choice.because else ""
                end = f"={choice}" if kind == "scaled" else reason
                found[kind].append(f"{label(column)}{end}")
                if DOUBTFUL_DATES in choice.because:
                    found["dates that stay text"].append(column)
        return tuple(Note(kind, tuple(names)) for kind, names in found.items() if names)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to a TOML file, to be edited by hand and read by `Plan.load`.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> plan = Plan({"age": "quantiles:4", "id": "drop"})
        >>> with TemporaryDirectory() as directory:
        ...     plan.save(directory + "/plan.toml")
        ...     Plan.load(directory + "/plan.toml") == plan
        True
        """
        from conceptrank.scaling import plan_file

        plan_file.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Return the plan that a TOML file holds.

        Raises
        ------
        FormatError
            If the file is not a plan; the message names the file, and the line or the column.

        Examples
        --------
        >>> Plan.load("missing.toml")
        Traceback (most recent call last):
        conceptrank.io.sources.MissingFileError: no such file: missing.toml (hint: a plan \
is written by Plan.save)
        """
        from conceptrank.scaling import plan_file

        return plan_file.load(path)

    def __str__(self) -> str:
        roles = ((self.objects, "objects"), (self.weights, "weights"))
        rows = [[column, role, "error", ""] for column, role in roles if column is not None]
        for column, choice in self._columns.items():
            missing = "" if choice.scale is None else choice.missing or self.missing
            rows.append([column, str(choice), missing.replace("_", " "), choice.because])
        header = ["column", "scale", "missing", "because"]
        if not any(row[-1] for row in rows):
            header, rows = header[:-1], [row[:-1] for row in rows]
        return text_table.table(header, rows, left=len(header))

    def __repr__(self) -> str:
        used = sum(choice.scale is not None for choice in self._columns.values())
        dropped = len(self._columns) - used
        return f"<Plan {used} columns" + (f", {dropped} dropped>" if dropped else ">")

    def _weighted(self, table: object) -> Columns:
        """Return the columns of a table, with the weights that one of them holds."""
        columns = Columns.of(table)
        if self.weights is None or columns.weights is not None:
            return columns
        return columns.weighted_by(self.weights)

    def _parts(self) -> tuple[object, ...]:
        own = (self.objects, self.missing, self.weights, self.table)
        return (list(self._columns.items()), *own)

    def _known(self, column: str) -> str:
        if column != self.objects:
            refuse_unknown("column", [column], self._columns, where="the plan")
        return column

    def _steps(self, columns: Columns, unseen: str = "error") -> Iterator[Step]:
        for name, choice in self._columns.items():
            if choice.scale is None:
                yield Step(name, None, None, because=choice.because)
                continue
            column = columns.take(name, part=choice.part, date_format=choice.date_format)
            if unseen == "missing":
                column = column.limited_to(choice.scale.listed)
            yield Step(
                name,
                column,
                choice.scale.fitted(column),
                planned=str(choice),
                missing=choice.missing or self.missing,
            )


# The kinds of notes, in their order.
_KINDS = (
    *("row numbers dropped", "row names", "weights", "left out", "quartiles", "values", "marks"),
    *("lists", "scaled", "dates that stay text"),
)


def _kind_of(choice: ColumnPlan) -> str:
    if choice.scale is None:
        return "row numbers dropped" if choice.because == ROW_NUMBERS else "left out"
    kinds = {"quantiles:4": "quartiles", "nominal": "values", "boolean": "marks"}
    kind = kinds.get(str(choice), "scaled")
    return "lists" if choice.scale.name == "set" else kind


def _column_plan(column: str, choice: Choice) -> ColumnPlan:
    if isinstance(choice, ColumnPlan):
        return choice
    if choice is None or isinstance(choice, Scale):
        return ColumnPlan(scale=choice)
    if isinstance(choice, str):
        from conceptrank.scaling.options import parse_choice

        return parse_choice(choice, where=f"column {column!r}")
    raise FormatError(
        f"column {column!r}: {choice!r} is no scale", hint="such as 'nominal' or 'quantiles:4'"
    )


def _object_names(series: pl.Series) -> list[str]:
    column = series.name
    if series.null_count():
        row = int(series.is_null().arg_max() or 0) + 1
        raise FormatError(f"column {column!r}: row {row} has no name for its object")
    names: list[str] = series.cast(pl.String).to_list()
    if len(set(names)) != len(names):
        repeated = series.cast(pl.String).is_duplicated()
        raise FormatError(
            f"column {column!r}: {names[int(repeated.arg_max() or 0)]!r} names two objects",
            hint="objects need names of their own; without a column they are numbered",
        )
    return names
