"""From a source of any kind to a context: files of crosses, files of raw values, frames."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from conceptrank._util.lazy import pl
from conceptrank.context import Context
from conceptrank.convert import Weights
from conceptrank.convert.origin import label as text_of
from conceptrank.errors import FormatError, UnknownNameError, naming, notify
from conceptrank.io.detection import read_context
from conceptrank.io.formats.pairs import TITLE as PAIR_TITLE
from conceptrank.io.formats.pairs import is_pair_header
from conceptrank.io.marks import MARKS
from conceptrank.io.raw.tables import RawTable, table_in
from conceptrank.io.shapes import find_shape, open_baskets
from conceptrank.io.sources import Content, Source
from conceptrank.io.streams import Stream, is_many_files, is_one_pass
from conceptrank.scaling.column import Columns
from conceptrank.scaling.inference import infer
from conceptrank.scaling.options import parse_option
from conceptrank.scaling.plan import DOUBTFUL_DATES, Choice, ColumnPlan, Plan
from conceptrank.scaling.scaled import Scaled

# The word for the plan that `infer` finds.
AUTO = "auto"
PlanLike: TypeAlias = "Plan | Mapping[str, Choice] | str | os.PathLike[str] | Sequence[str]"

_AROUND_SIGN = re.compile(r"\s*([=≠≤≥<>])\s*")


@dataclass(frozen=True)
class LoadedTable:
    """A context made of raw values, and how it was made.

    Parameters
    ----------
    scaled
        The context, and a report on each column.
    plan
        The plan, with the options that read the file.
    inferred
        The columns whose scales were inferred.
    """

    scaled: Scaled
    plan: Plan
    inferred: tuple[str, ...] = ()

    @property
    def context(self) -> Context:
        """The context."""
        return self.scaled.context

    def assumptions(self) -> str:
        """Return what was inferred, as one line; empty if nothing was.

        Examples
        --------
        >>> from_options({"age": [30, 41], "sex": ["f", "m"]}, scale=["age=ordinal"]).assumptions()
        'columns were scaled by type and values: values: sex'
        """
        notes = self.plan.notes(self.inferred)
        if not notes:
            return ""
        doubtful = [note for note in notes if note.kind == "dates that stay text"]
        advice = (
            ""
            if not doubtful
            else (
                f", because {DOUBTFUL_DATES} ({doubtful[0].columns[0]}=quantiles:4:date_format="
                "%d/%m/%Y takes the first as the day)"
            )
        )
        return f"columns were scaled by type and values: {'; '.join(map(str, notes))}{advice}"


@dataclass(frozen=True)
class Loaded:
    """A context, and where it comes from.

    Parameters
    ----------
    context
        The context.
    table
        The raw table that it was made of; None if the source holds crosses.
    labels
        The label of every object, if a label was named.
    transactions
        How the source holds transactions, if that was recognised; empty if not.
    """

    context: Context
    table: LoadedTable | None = None
    labels: Sequence[object] | None = None
    transactions: str = ""

    def assumptions(self) -> str:
        """Return what was inferred about the source, as one line; empty if nothing was."""
        if self.transactions:
            return f"read as transactions: {self.transactions}"
        return "" if self.table is None else self.table.assumptions()


def load(
    source: object,
    *,
    plan: PlanLike | None = None,
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str | None = None,
    unseen: str = "error",
    weights: str | Weights | None = None,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> Context:
    """Return the context that a source of raw values becomes.

    Parameters
    ----------
    source
        A path, a URL, an open file, the bytes themselves, a frame or a mapping of columns.
    plan
        A plan, the path of one, a mapping from columns to scales, or words as `from_options` takes
        them, such as `"age=quantiles:4"`. Columns that a mapping or words leave out are scaled as
        by `infer`, and so are all columns by `"auto"` or None; a column that a plan leaves out is
        an error.
    drop
        Columns to leave out.
    objects
        The column that names the objects.
    missing
        How missing values are treated; by the plan if None.
    unseen
        What becomes of a value that the scale of its column doesn't list; see `Plan.apply`.
    weights
        The column of the weights of rows, or the weights, as for `Context`.
    format, **options
        As for `read_table`; they go before those in the plan.

    Examples
    --------
    >>> file = b"name,age,sex;Ann,30,f;Bob,41,m;Cid,17,m;".replace(b";", bytes([10]))
    >>> context = load(file, plan={"age": "ordinal:18,40"}, header=True)
    >>> context.objects, context.attributes
    (('Ann', 'Bob', 'Cid'), ('age ≤ 18', 'age ≤ 40', 'sex = f', 'sex = m'))
    """
    how: dict[str, Any] = {"drop": drop, "objects": objects, "missing": missing, "format": format}
    how |= {"unseen": unseen, "weights": weights}
    return open_context(source, scale=AUTO if plan is None else plan, **how, **options).context


def from_options(
    source: object,
    *,
    scale: Iterable[str] = (),
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str | None = None,
    unseen: str = "error",
    weights: str | Weights | None = None,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> LoadedTable:
    """Return the context that a source of raw values becomes, by the words of a command line.

    Parameters
    ----------
    source
        A path, a URL, an open file, the bytes themselves, a frame or a mapping of columns.
    scale
        Paths of plans (at most one) and short options such as `age=quantiles:4`. Options go before
        the plan. Without a plan, columns that no option names are scaled as by `infer`; so are all
        columns by the word `auto`, unless there is a file of this name.
    drop, objects, missing, unseen, weights, format, **options
        As for `load`.

    Examples
    --------
    >>> file = b"id,age,sex;7,30,f;8,41,m;9,17,m;".replace(b";", bytes([10]))
    >>> table = from_options(file, scale=["age=ordinal:18,40"], drop=["id"], header=True)
    >>> table.context.attributes, table.inferred
    (('age ≤ 18', 'age ≤ 40', 'sex = f', 'sex = m'), ('sex',))
    """
    how: dict[str, Any] = {"drop": drop, "objects": objects, "missing": missing, "format": format}
    how |= {"unseen": unseen, "weights": weights}
    table = open_context(source, scale=[*scale], **how, **options).table
    assert table is not None
    return table


def open_context(
    source: object,
    *,
    format: str | None = None,  # noqa: A002
    scale: PlanLike | None = None,
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str | None = None,
    unseen: str = "error",
    transactions: str | None = None,
    transaction_id: str | None = None,
    item: str | None = None,
    weights: str | Weights | None = None,
    label: str | None = None,
    max_bytes: int | None = None,
    **options: Any,
) -> Loaded:
    """Read a source of any kind, and scale its raw values if it has some.

    Parameters
    ----------
    source, format, scale, drop, objects, missing, unseen, transactions, transaction_id, item, \
    weights, max_bytes, **options
        As for `conceptrank.load`. Without any of `scale`, `drop`, `objects` and `missing`, and of
        a column of weights, the content decides whether it holds crosses or raw values.
    label
        What labels the objects: a column of a raw table, `COLUMN=VALUE`, or an attribute. In a
        table of marks, `smokes=No` labels the objects without the attribute `smokes`. The label
        leaves the context, together with all attributes that were made of the same column.

    Raises
    ------
    UnknownNameError
        If there is no such column or attribute, format or option.

    Examples
    --------
    >>> table = {"age": [30, 41, 17], "churn": ["no", "yes", "no"]}
    >>> loaded = open_context(table, scale="age=ordinal:18", label="churn=yes")
    >>> loaded.context.attributes, loaded.labels
    (('age ≤ 18',), [False, True, False])
    """
    asked = scale is not None or bool(drop) or objects is not None or missing is not None
    column = weights if isinstance(weights, str) else None

    def of_crosses(context: Context) -> Loaded:
        if column is not None:
            raise FormatError(
                f"column {column!r}: a context or matrix has no column of weights",
                hint="give the weights themselves, a number for each object",
            )
        weighted = context if weights is None else context.with_weights(weights)
        return _labelled(Loaded(weighted), label)

    plan, scales = _split(scale)
    if isinstance(source, Context):
        return of_crosses(source)
    named = {"transactions": transactions, "transaction_id": transaction_id, "item": item}
    source, found = _in_batches(source, named, weights, max_bytes, asked=asked)
    if found is not None:
        return _labelled(found, label)
    if _is_file(source):
        known = dict(plan.table) if plan is not None else {}
        planned = known.pop("format", None)
        if format is not None and format != planned:
            known = {}
        encoding = options.pop("encoding", None) or known.pop("encoding", None)
        with Content(cast(Source, source), max_bytes=max_bytes, encoding=encoding) as content:
            if not asked and column is None:
                context = read_context(content, format=format, **options)
                if context is not None:
                    return of_crosses(context)
            raw = table_in(content, format=format or planned, **{**known, **options})
        columns = Columns(raw.frame, different=raw.different)
    else:
        if format is not None or options:
            raise FormatError(
                f"a {type(source).__name__!r} is no file: it has no format and no options"
            )
        matrix = _from_matrix(source)
        if matrix is not None:
            return of_crosses(matrix)
        columns = Columns.of(source)
        raw = RawTable(columns.frame, "")
    found = None if asked or columns.names else _recognised(Stream(columns.frame), weights)
    if found is not None:
        return _labelled(found, label)
    pairs = None if asked else _pairs_in(columns, raw)
    if pairs is not None:
        return of_crosses(pairs)
    how: dict[str, Any] = {"drop": drop, "objects": objects, "missing": missing, "unseen": unseen}
    if column is not None:
        with naming(raw.source):
            columns = columns.weighted_by(column)
    choices = _choices(scales, columns.frame.columns)
    with naming(raw.source):
        table = _scaled(columns, raw, plan, choices, **how)
    if weights is not None and column is None:
        context = table.context.with_weights(weights)
        table = replace(table, scaled=replace(table.scaled, context=context))
    return _labelled(Loaded(table.context, table), label, raw)


def _from_baskets(
    source: object,
    named: Mapping[str, str | None],
    weights: str | Weights | None,
    max_bytes: int | None = None,
) -> Loaded:
    """Return the context of transactions, and their shape if no column was named."""
    column = weights if isinstance(weights, str) else None
    baskets = open_baskets(source, weights=column, max_bytes=max_bytes, **named)
    objects, attributes, rows, counts = baskets.lists()
    given = weights if column is None else counts
    context = Context.from_csr(objects, attributes, *rows, weights=given)
    return Loaded(context, transactions="" if any(named.values()) else str(baskets.shape))


def _in_batches(
    source: object,
    named: Mapping[str, str | None],
    weights: str | Weights | None,
    max_bytes: int | None,
    *,
    asked: bool,
) -> tuple[object, Loaded | None]:
    """Return a source that other readers take, or the context of a stream of transactions."""
    if any(named.values()):
        if asked:
            raise FormatError("transactions are not scaled: leave out the scales and their options")
        return source, _from_baskets(_streamed(source, max_bytes), named, weights, max_bytes)
    if is_many_files(source) or is_one_pass(source) or _is_lazy(source):
        stream = Stream(source, max_bytes=max_bytes)
        found = None if asked else _recognised(stream, weights, marks=True)
        return (source, found) if found is not None else (stream.collect(), None)
    return source, None


def _recognised(
    stream: Stream, weights: str | Weights | None, *, marks: bool = False
) -> Loaded | None:
    """Return the context of a table of transactions; None for other tables.

    Without `marks`, one-hot columns are left to the scales, like other truth values.
    """
    shape = find_shape(stream, weights=weights if isinstance(weights, str) else None)
    if shape is None or (shape.kind == "one-hot" and not marks):
        return None
    return _from_baskets(stream, {}, weights)


def _streamed(source: object, max_bytes: int | None) -> object:
    """Return a source that can be read as a stream; bytes and open files become frames."""
    if isinstance(source, str | os.PathLike) or not _is_file(source):
        return source
    with Content(cast(Source, source), max_bytes=max_bytes) as content:
        return table_in(content).frame


def _is_lazy(source: object) -> bool:
    return hasattr(source, "collect_schema") and hasattr(source, "collect")


def _split(scale: PlanLike | None) -> tuple[Plan | None, Mapping[str, Choice] | list[str]]:
    """Return the plan, and the scales of single columns, as a mapping or as words."""
    if scale is None or isinstance(scale, Plan | Mapping):
        return (scale, {}) if isinstance(scale, Plan) else (None, scale or {})
    given = [os.fspath(scale)] if isinstance(scale, str | os.PathLike) else list(scale)
    words = [word for word in given if word != AUTO or os.path.lexists(word)]
    files = [word for word in words if "=" not in word or os.path.exists(word)]
    if len(files) > 1:
        raise FormatError(f"{len(files)} plans are given: {', '.join(files)}", hint="give one")
    plan = Plan.load(files[0]) if files else None
    return plan, [word for word in words if word not in files]


def _choices(
    scales: Mapping[str, Choice] | list[str], columns: Sequence[str]
) -> Mapping[str, Choice]:
    if isinstance(scales, Mapping):
        return scales
    found: dict[str, Choice] = {}
    for word in scales:
        column, choice = parse_option(word, columns)
        if column in found:
            raise FormatError(f"column {column!r} is scaled twice")
        found[column] = choice
    return found


def _is_file(source: object) -> bool:
    kinds = (str, os.PathLike, bytes, bytearray, memoryview)
    return isinstance(source, kinds) or hasattr(source, "read")


def _from_matrix(source: object) -> Context | None:
    if isinstance(source, np.ndarray):
        return Context.from_numpy(source)
    return Context.from_scipy(cast(Any, source)) if hasattr(source, "tocsr") else None


def _pairs_in(columns: Columns, raw: RawTable) -> Context | None:
    """Return the context of columns `object` and `attribute`; None for other tables.

    Raises
    ------
    FormatError
        If two columns may as well be pairs as values.
    """
    names = columns.frame.columns
    if columns.names or len(names) != 2:
        return None
    first, second = columns.frame.get_columns()
    if is_pair_header(names):
        # As in a file, a row without an attribute is an object without crosses.
        objects, attributes = (
            each.drop_nulls().unique(maintain_order=True).to_list() for each in (first, second)
        )
        pairs = columns.frame.drop_nulls().rows()
        return Context.from_pairs(pairs, objects=objects, attributes=attributes)
    headless = raw.options.get("header") is False
    titled = all(map(PAIR_TITLE.fullmatch, names)) and bool(first.is_duplicated().any())
    if not (headless or titled) or not (_holds_names(first) and _holds_names(second)):
        return None
    what, option = "the two columns", "format='pairs'"
    if not headless:
        what = f"columns {names[0]!r} and {names[1]!r}"
        option = f"transaction_id={names[0]!r} and item={names[1]!r}"
    raise FormatError(
        f"{what} may be pairs of an object and an attribute, or values to scale",
        source=raw.source,
        hint=f"for pairs, give {option}; for values, give scale='auto'",
    )


def _holds_names(series: pl.Series) -> bool:
    kind = series.dtype
    return kind in (pl.String, pl.Categorical, pl.Enum) or kind.is_integer()


def _scaled(
    columns: Columns,
    raw: RawTable,
    plan: Plan | None,
    scales: Mapping[str, Choice],
    *,
    drop: Iterable[str],
    objects: str | None,
    missing: str | None,
    unseen: str,
) -> LoadedTable:
    names = columns.frame.columns
    inferred: tuple[str, ...] = ()
    if plan is None:
        how: dict[str, Any] = {"scales": scales, "drop": drop, "objects": objects}
        plan = infer(columns, missing=missing or "no_cross", **how)
        known = {*scales, *drop, *([objects] if objects is not None else [])}
        inferred = tuple(column for column in names if column not in known)
    else:
        roles: dict[str, Any] = {"objects": plan.objects, "weights": plan.weights}
        plan = Plan(plan.columns, missing=missing or plan.missing, **roles)
        for column, choice in scales.items():
            plan[column] = choice
        for column in drop:
            plan[column] = ColumnPlan(scale=None, because="by request")
        if objects is not None:
            plan.name_objects_by(objects)
    if raw.format:
        plan.table = {"format": raw.format, **raw.options}
    return LoadedTable(plan.scale(columns, unseen=unseen, inferred=inferred), plan, inferred)


def _labelled(loaded: Loaded, label: str | None, raw: RawTable | None = None) -> Loaded:
    """Return the context without the label and what was made of its column, and the labels."""
    if label is None:
        return loaded
    context, table = loaded.context, loaded.table
    labels: Sequence[object]
    if table is None or raw is None:
        name, crossed = _attribute_and_mark(label, context.attributes)
        others = [each for each in context.same_column(name) if each != name]
        if others:
            notify(f"the label is {name!r}; {', '.join(map(repr, others))} left the table with it")
        labels = [has is crossed for has in _having(context, name)]
        return Loaded(context.drop(attributes=[name, *others]), None, labels)
    made = {each: report for report in table.scaled.columns for each in report.attributes}
    column, sign, value = (part.strip() for part in label.partition("="))
    if label in raw.frame.columns:
        column, labels = label, raw.frame.get_column(label).to_list()
    elif sign and column in raw.frame.columns and label not in made:
        values = raw.frame.get_column(column).to_list()
        labels = [each is not None and text_of(each) == value for each in values]
        if not any(labels):
            known = sorted({text_of(each) for each in values if each is not None})
            raise UnknownNameError("label", value, known, where=f"column {column!r}")
    else:
        name = _attribute(label, made, raw.frame.columns)
        column, labels = made[name].column, _having(context, name)
    gone = [name for name, report in made.items() if report.column == column]
    context = context.drop(attributes=gone)
    plan = table.plan
    if column in plan:
        plan[column] = ColumnPlan(scale=None, because="holds the labels")
    reports = tuple(
        replace(each, planned="drop", scale=None, attributes=()) if each.column == column else each
        for each in table.scaled.columns
    )
    inferred = tuple(each for each in table.inferred if each != column)
    return Loaded(context, LoadedTable(Scaled(context, reports), plan, inferred), labels)


def _attribute(label: str, attributes: Iterable[str], columns: Iterable[str] = ()) -> str:
    """Return the attribute of a name; blanks around a sign don't count, as in `churn=yes`."""
    known = list(attributes)
    same = [name for name in known if _without_blanks(name) == _without_blanks(label)]
    if label not in known and len(same) != 1:
        kind = "attribute or column" if columns else "attribute"
        raise UnknownNameError(kind, label, [*columns, *known])
    return label if label in known else same[0]


def _attribute_and_mark(label: str, attributes: Sequence[str]) -> tuple[str, bool]:
    """Return the attribute of a label, and whether the objects with it are meant.

    In a table of marks, `smokes=Yes` means the objects with the attribute `smokes`, and `smokes=No`
    those without it.
    """
    name, sign, mark = (part.strip() for part in label.rpartition("="))
    written = _without_blanks(label) in map(_without_blanks, attributes)
    if sign and mark.lower() in MARKS and name in attributes and not written:
        return name, bool(MARKS[mark.lower()])
    return _attribute(label, attributes), True


def _without_blanks(name: str) -> str:
    """Return a name without blanks around its signs."""
    return _AROUND_SIGN.sub(r"\1", name)


def _having(context: Context, attribute: str) -> list[bool]:
    marked = set(context.extension([attribute]))
    return [name in marked for name in context.objects]
