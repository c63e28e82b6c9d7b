"""From a file of raw values to a context, by a plan, by short options, or by what is found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.raw_tables import RawTable, open_table
from conceptrank.io.sources import Source
from conceptrank.scaling.column import Columns
from conceptrank.scaling.inference import infer
from conceptrank.scaling.options import parse_option
from conceptrank.scaling.plan import Choice, ColumnPlan, Plan
from conceptrank.scaling.scaled import Scaled

__all__ = ["AUTO", "LoadedTable", "PlanLike", "from_options", "load"]

# The word for the plan that `infer` finds.
AUTO = "auto"
PlanLike: TypeAlias = "Plan | Mapping[str, Choice] | str | os.PathLike[str] | Sequence[str]"


@dataclass(frozen=True)
class LoadedTable:
    """A context out of a file of raw values, and how it came about.

    Parameters
    ----------
    scaled
        The context, and a report on each column.
    plan
        The plan, with the options that read the file.
    inferred
        The columns whose scales nobody gave.
    """

    scaled: Scaled
    plan: Plan
    inferred: tuple[str, ...] = ()

    @property
    def context(self) -> Context:
        """The context."""
        return self.scaled.context


def load(
    source: Source,
    *,
    plan: PlanLike | None = None,
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str | None = None,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> Context:
    """Return the context that a file of raw values becomes.

    Parameters
    ----------
    source
        A path, a URL, an open file, or the bytes themselves.
    plan
        A plan, the path of one, a mapping from columns to scales, or words as `from_options` takes
        them, such as `"age=quantiles:4"`. Columns that a mapping or words leave out are scaled as
        `infer` says, and so are all of them by `"auto"` or None; those that a plan leaves out are
        an error.
    drop
        Columns to leave out.
    objects
        The column that names the objects.
    missing
        What becomes of missing values; as the plan says if None.
    format, **options
        As for `read_table`; they go before those in the plan.

    Examples
    --------
    >>> file = b"name,age,sex;Ann,30,f;Bob,41,m;Cid,17,m;".replace(b";", bytes([10]))
    >>> context = load(file, plan={"age": "ordinal:18,40"}, header=True)
    >>> context.objects, context.attributes
    (('Ann', 'Bob', 'Cid'), ('age ≤ 18', 'age ≤ 40', 'sex = f', 'sex = m'))
    """
    if isinstance(plan, Plan | Mapping) or plan is None:
        given, scales = (plan, None) if isinstance(plan, Plan) else (None, plan)
        table = _opened(source, given, format, options)
        return _loaded(table, given, scales, drop=drop, objects=objects, missing=missing).context
    words = [os.fspath(plan)] if isinstance(plan, str | os.PathLike) else plan
    how: dict[str, Any] = {"drop": drop, "objects": objects, "missing": missing, "format": format}
    return from_options(source, scale=words, **how, **options).context


def from_options(
    source: Source,
    *,
    scale: Iterable[str] = (),
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str | None = None,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> LoadedTable:
    """Return the context that a file of raw values becomes, by the words of a command line.

    Parameters
    ----------
    source
        A path, a URL, an open file, or the bytes themselves.
    scale
        Paths of plans (at most one) and short options such as `age=quantiles:4`. Options go before
        the plan. Without a plan, columns that no option names are scaled as `infer` says; the word
        `auto` stands for that, if there is no file of this name.
    drop, objects, missing, format, **options
        As for `load`.

    Examples
    --------
    >>> file = b"id,age,sex;7,30,f;8,41,m;9,17,m;".replace(b";", bytes([10]))
    >>> table = from_options(file, scale=["age=ordinal:18,40"], drop=["id"], header=True)
    >>> table.context.attributes, table.inferred
    (('age ≤ 18', 'age ≤ 40', 'sex = f', 'sex = m'), ('sex',))
    """
    words = [word for word in scale if word != AUTO or os.path.lexists(word)]
    files = [word for word in words if "=" not in word or os.path.exists(word)]
    if len(files) > 1:
        raise FormatError(f"{len(files)} plans are given: {', '.join(files)}", hint="give one")
    plan = Plan.load(files[0]) if files else None
    table = _opened(source, plan, format, options)
    columns = table.frame.columns
    scales: dict[str, Choice] = {}
    for word in words:
        if word in files:
            continue
        column, choice = parse_option(word, columns)
        if column in scales:
            raise FormatError(f"column {column!r} is scaled twice")
        scales[column] = choice
    return _loaded(table, plan, scales, drop=drop, objects=objects, missing=missing)


def _opened(
    source: Source,
    plan: Plan | None,
    format: str | None,  # noqa: A002
    options: Mapping[str, Any],
) -> RawTable:
    known = dict(plan.table) if plan is not None else {}
    planned = known.pop("format", None)
    if format is not None and format != planned:
        known = {}
    return open_table(source, format=format or planned, **{**known, **options})


def _loaded(
    table: RawTable,
    plan: Plan | None,
    scales: Mapping[str, Choice] | None,
    *,
    drop: Iterable[str],
    objects: str | None,
    missing: str | None,
) -> LoadedTable:
    inferred: tuple[str, ...] = ()
    columns = Columns(table.frame, different=table.different)
    try:
        if plan is None:
            plan = infer(
                columns,
                scales=scales,
                drop=drop,
                objects=objects,
                missing=missing or "no_cross",
            )
            known = {*(scales or ()), *drop, *([objects] if objects is not None else [])}
            inferred = tuple(column for column in table.frame.columns if column not in known)
        else:
            plan = Plan(plan.columns, objects=plan.objects, missing=missing or plan.missing)
            for column, choice in (scales or {}).items():
                plan[column] = choice
            for column in drop:
                plan[column] = ColumnPlan(scale=None, because="by request")
            if objects is not None:
                plan.name_objects_by(objects)
        plan.table = {"format": table.format, **table.options}
        return LoadedTable(plan.scale(columns), plan, inferred)
    except FormatError as error:
        if error.source is not None:
            raise
        raise FormatError(error.reason, source=table.source, hint=error.hint) from error
