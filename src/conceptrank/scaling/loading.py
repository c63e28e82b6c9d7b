"""`load`: from a source of any kind to a context. `open_source`: the same with labels and plan.

A source is opened as a context or as a table. A table gets a shape: transactions, pairs or values.
Values are scaled.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from conceptrank.io.raw.tables import table_in
from conceptrank.io.raw.types import RawTable
from conceptrank.io.shapes import find_shape, open_baskets
from conceptrank.io.sources import Content, Source
from conceptrank.io.streams import Stream, is_many_files, is_one_pass
from conceptrank.scaling.column import Columns
from conceptrank.scaling.inference import infer
from conceptrank.scaling.options import parse_option
from conceptrank.scaling.plan import DOUBTFUL_DATES, Choice, ColumnPlan, Plan
from conceptrank.scaling.scaled import ColumnReport

# The word for the plan that `infer` finds.
AUTO = "auto"
PlanLike: TypeAlias = "Plan | Mapping[str, Choice] | str | os.PathLike[str] | Sequence[str]"

_AROUND_SIGN = re.compile(r"\s*([=≠≤≥<>])\s*")


@dataclass(frozen=True)
class Loaded:
    """A context, and how it was made.

    Parameters
    ----------
    context
        The context.
    columns
        A report on each column of the table of values; empty if the source holds crosses.
    plan
        The plan of the table, with the options that read the file; None if there is no such table.
    inferred
        The columns whose scales were inferred.
    labels
        The label of every object, if a label was named.
    transactions
        How the source holds transactions, if that was recognised; empty if not.
    """

    context: Context
    columns: tuple[ColumnReport, ...] = ()
    plan: Plan | None = None
    inferred: tuple[str, ...] = ()
    labels: Sequence[object] | None = None
    transactions: str = ""

    def save_plan(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to a TOML file."""
        assert self.plan is not None
        self.plan.save(path)

    def assumptions(self) -> str:
        """Return what was inferred about the source, as one line; empty if nothing was.

        Examples
        --------
        >>> people = {"age": [30, 41], "sex": ["f", "m"]}
        >>> open_source(people, scale=["age=ordinal"]).assumptions()
        'columns were scaled by type and values: values: sex'
        """
        if self.transactions:
            return f"read as transactions: {self.transactions}"
        notes = () if self.plan is None else self.plan.notes(self.inferred)
        doubtful = [note for note in notes if note.kind == "dates that stay text"]
        advice = f", because {DOUBTFUL_DATES}" if doubtful else ""
        if doubtful:
            option = f"{doubtful[0].columns[0]}=quantiles:4:date_format=%d/%m/%Y"
            advice += f" ({option} takes the first as the day)"
        lines = "; ".join(map(str, notes))
        return f"columns were scaled by type and values: {lines}{advice}" if notes else ""


@dataclass(frozen=True)
class _Request:
    """What the caller said about columns and scales."""

    scale: PlanLike | None
    drop: tuple[str, ...]
    objects: str | None
    missing: str | None
    unseen: str
    weights: str | Weights | None
    max_bytes: int | None
    plan: Plan | None = field(init=False)
    scales: Mapping[str, Choice] | list[str] = field(init=False)

    def __post_init__(self) -> None:
        plan, scales = _split(self.scale)
        object.__setattr__(self, "plan", plan)
        object.__setattr__(self, "scales", scales)

    @property
    def scaled(self) -> bool:
        """Whether the source must hold values."""
        return self.scale is not None or bool(self.drop or self.objects or self.missing)

    @property
    def column(self) -> str | None:
        """The column of weights."""
        return self.weights if isinstance(self.weights, str) else None


@dataclass(frozen=True)
class _Table:
    """A table of values, and how its file was read."""

    columns: Columns
    raw: RawTable


def load(
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
    max_bytes: int | None = None,
    **options: Any,
) -> Context:
    r"""Read a context from a file, or make one of a table of raw values.

    A file that holds crosses is read as it is. One that holds numbers, words or dates is scaled:
    by `scale`, or by the plan that `conceptrank.scaling.infer` finds. What was assumed is an
    `InputWarning`, unless an option asks for it.

    Parameters
    ----------
    source
        A path, a URL, a file open for reading, or the bytes themselves. What is compressed
        (gzip, bzip2, xz, Zstandard) is read as it is. Also a folder or a glob of Parquet, Feather
        or CSV files, a frame of pandas or polars, any Arrow table or stream, a mapping of columns,
        a NumPy or SciPy matrix, or a context.
    format
        The name of a format or one of its suffixes (`"burmeister"`, `"cxt"`); detected if None.
    scale
        For raw values: `"auto"`, which scales columns as `conceptrank.scaling.infer` does; short
        texts such as `"age=quantiles:4"`, one or several; a mapping from columns to scales; a
        `Plan`, or the path of one. Columns that are not named are scaled as by `"auto"`; a column
        that a plan leaves out is an error.
    drop, objects, missing
        For raw values: columns to leave out, the column that names the objects, and how missing
        values are treated. Each of them implies `scale="auto"`.
    unseen
        For raw values: what becomes of a value that the scale of its column doesn't list:
        `"error"`, or `"missing"` to treat it as a missing value.
    transactions, transaction_id, item
        For tables of transactions: the column of lists or of delimited text, the column that names
        the transactions, and the column of single items. Without them, the shape is recognised; see
        `Context.from_transactions`.
    weights
        How often each row counts: the column that holds these numbers, beside columns of crosses
        or raw values, or the numbers themselves, in the order of the rows or by name. See
        `Context`.
    max_bytes
        The most bytes that the source may hold, unpacked. Without a limit given, one that
        depends on the format protects the memory.
    **options
        Keywords of the format's own reader, such as `empty_lines` of FIMI, or of that of a raw
        table, such as `separator`. Every text format has `encoding`; it is UTF-8 without one.

    Returns
    -------
    Context
        The context.

    Raises
    ------
    FormatError
        If the file is missing, unreadable, damaged, or of no known format; the message
        names the file and the line.
    UnknownNameError
        If there is no such format or option.

    Examples
    --------
    >>> context = load(b"food,sweet,red\ncherry,X,X\nhoney,X,\n")
    >>> context.objects, context.attributes
    (('cherry', 'honey'), ('sweet', 'red'))
    >>> load(b"food,price\ncherry,7.5\nhoney,4\n", scale="price=ordinal:5", header=True).attributes
    ('price ≤ 5',)
    >>> counted = b"sweet,red,count\n1,1,7\n1,0,2\n"
    >>> load(counted, weights="count").concept("sweet").support
    9
    >>> load(b"cherry!")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: the content fits no known format (hint: ...)
    """
    how: dict[str, Any] = {"scale": scale, "drop": tuple(drop), "objects": objects}
    how |= {"missing": missing, "transactions": transactions}
    how |= {"transaction_id": transaction_id, "item": item}
    more: dict[str, Any] = {"weights": weights, "unseen": unseen, "max_bytes": max_bytes}
    loaded = open_source(source, format=format, **how, **more, **options)
    if (assumptions := loaded.assumptions()) and not any(how.values()):
        name = os.fsdecode(source) if isinstance(source, str | os.PathLike) else "the table"
        notify(f"{name}: {assumptions}")
    return loaded.context


def open_source(
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
    """Return the context of a source as `load` does, with the plan and the labels.

    Parameters
    ----------
    source, format, scale, drop, objects, missing, unseen, transactions, transaction_id, item, \
    weights, max_bytes, **options
        As for `load`. `scale` may also be a list of words of a command line: the path of a plan,
        and scales such as `age=quantiles:4`, which go before the plan.
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
    >>> loaded = open_source(table, scale="age=ordinal:18", label="churn=yes")
    >>> loaded.context.attributes, loaded.labels
    (('age ≤ 18',), [False, True, False])
    """
    request = _Request(scale, tuple(drop), objects, missing, unseen, weights, max_bytes)
    named = {"transactions": transactions, "transaction_id": transaction_id, "item": item}
    if any(named.values()):
        if request.scaled:
            raise FormatError("transactions are not scaled: leave out the scales and their options")
        return _labelled(_from_baskets(_streamable(source, request), named, request), label)
    opened = _opened(source, request, format, options)
    if isinstance(opened, Context):
        opened = Loaded(_weighted(opened, request))
    if isinstance(opened, Loaded):
        return _labelled(opened, label)
    shaped = None if request.scaled else _shaped(opened, request)
    if shaped is not None:
        return _labelled(shaped, label)
    choices = _choices(request.scales, opened.columns.frame.columns)
    with naming(opened.raw.source):
        loaded = _scaled(opened, request, choices)
    return _labelled(loaded, label, opened.raw.frame)


def _opened(
    source: object, request: _Request, format_name: str | None, options: dict[str, Any]
) -> Context | Loaded | _Table:
    """Return the context in a source, or its table."""
    if isinstance(source, Context):
        return source
    if is_many_files(source) or is_one_pass(source) or isinstance(source, pl.LazyFrame):
        stream = Stream(source, max_bytes=request.max_bytes)
        found = None if request.scaled else _recognised(stream, request, marks=True)
        if found is not None:
            return found
        source = stream.collect()
    if _is_file(source):
        return _opened_file(cast(Source, source), request, format_name, dict(options))
    if format_name is not None or options:
        raise FormatError(
            f"a {type(source).__name__!r} is no file: it has no format and no options"
        )
    if isinstance(source, np.ndarray):
        return Context.from_numpy(source)
    if hasattr(source, "tocsr"):
        return Context.from_scipy(cast(Any, source))
    columns = Columns.of(source)
    return _Table(columns, RawTable(columns.frame))


def _opened_file(
    source: Source, request: _Request, format_name: str | None, options: dict[str, Any]
) -> Context | _Table:
    known = dict(request.plan.table) if request.plan is not None else {}
    planned = known.pop("format", None)
    if format_name is not None and format_name != planned:
        known = {}
    encoding = options.pop("encoding", None) or known.pop("encoding", None)
    with Content(source, max_bytes=request.max_bytes, encoding=encoding) as content:
        if not request.scaled and request.column is None:
            context = read_context(content, format=format_name, **options)
            if context is not None:
                return context
        raw = table_in(content, format=format_name or planned, **{**known, **options})
    return _Table(Columns(raw.frame, different=raw.different), raw)


def _weighted(context: Context, request: _Request) -> Context:
    """Return a context of crosses with the weights that were given."""
    if request.column is not None:
        raise FormatError(
            f"column {request.column!r}: a context or matrix has no column of weights",
            hint="give the weights themselves, a number for each object",
        )
    return context if request.weights is None else context.with_weights(request.weights)


def _shaped(table: _Table, request: _Request) -> Loaded | None:
    """Return the context of a table of transactions or pairs; None for a table of values."""
    if table.columns.names is None:
        found = _recognised(Stream(table.columns.frame), request)
        if found is not None:
            return found
    pairs = _pairs_in(table)
    return None if pairs is None else Loaded(_weighted(pairs, request))


def _recognised(stream: Stream, request: _Request, *, marks: bool = False) -> Loaded | None:
    """Return the context of a table of transactions; None for other tables.

    Without `marks`, one-hot columns are left to the scales, like other truth values.
    """
    shape = find_shape(stream, weights=request.column)
    if shape is None or (shape.kind == "one-hot" and not marks):
        return None
    return _from_baskets(stream, {}, request)


def _from_baskets(source: object, named: Mapping[str, str | None], request: _Request) -> Loaded:
    """Return the context of transactions, and their shape if no column was named."""
    how: dict[str, Any] = {"weights": request.column, "max_bytes": request.max_bytes, **named}
    baskets = open_baskets(source, **how)
    objects, attributes, rows, counts = baskets.lists()
    weights = request.weights if request.column is None else counts
    context = Context.from_csr(objects, attributes, *rows, weights=weights)
    return Loaded(context, transactions="" if any(named.values()) else str(baskets.shape))


def _streamable(source: object, request: _Request) -> object:
    """Return a source that can be read as a stream; bytes and open files become frames."""
    if isinstance(source, str | os.PathLike) or not _is_file(source):
        return source
    with Content(cast(Source, source), max_bytes=request.max_bytes) as content:
        return table_in(content).frame


def _is_file(source: object) -> bool:
    kinds = (str, os.PathLike, bytes, bytearray, memoryview)
    return isinstance(source, kinds) or hasattr(source, "read")


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


def _pairs_in(table: _Table) -> Context | None:
    """Return the context of columns `object` and `attribute`; None for other tables.

    Raises
    ------
    FormatError
        If two columns may as well be pairs as values.
    """
    frame, raw = table.columns.frame, table.raw
    names = frame.columns
    if table.columns.names or len(names) != 2:
        return None
    first, second = frame.get_columns()
    if is_pair_header(names):
        # As in a file, a row without an attribute is an object without crosses.
        objects, attributes = (
            each.drop_nulls().unique(maintain_order=True).to_list() for each in (first, second)
        )
        pairs = frame.drop_nulls().rows()
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


def _scaled(table: _Table, request: _Request, scales: Mapping[str, Choice]) -> Loaded:
    columns, raw = table.columns, table.raw
    if request.column is not None:
        columns = columns.weighted_by(request.column)
    names = columns.frame.columns
    inferred: tuple[str, ...] = ()
    if request.plan is None:
        how: dict[str, Any] = {"scales": scales, "drop": request.drop, "objects": request.objects}
        missing = request.missing or "no_cross"
        plan = infer(columns, missing=missing, weights=request.weights is None, **how)
        known = {*scales, *request.drop, request.objects}
        inferred = tuple(column for column in names if column not in known)
    else:
        plan = request.plan.changed(
            scales, drop=request.drop, objects=request.objects, missing=request.missing
        )
    if raw.format:
        plan.table = {"format": raw.format, **raw.options}
    scaled = plan.scale(columns, unseen=request.unseen, inferred=inferred)
    context = scaled.context
    if request.weights is not None and request.column is None:
        context = context.with_weights(request.weights)
    return Loaded(context, scaled.columns, plan, inferred)


def _labelled(loaded: Loaded, label: str | None, frame: pl.DataFrame | None = None) -> Loaded:
    """Return the context without the label and what was made of its column, and the labels."""
    if label is None:
        return loaded
    context = loaded.context
    if loaded.plan is not None and frame is not None:
        return _labelled_table(loaded, loaded.plan, label, frame)
    name, crossed = _attribute_and_mark(label, context.attributes)
    others = [each for each in context.same_column(name) if each != name]
    if others:
        notify(f"the label is {name!r}; {', '.join(map(repr, others))} left the table with it")
    labels = [has is crossed for has in _having(context, name)]
    return Loaded(context.drop(attributes=[name, *others]), labels=labels)


def _labelled_table(loaded: Loaded, plan: Plan, label: str, frame: pl.DataFrame) -> Loaded:
    context = loaded.context
    made = {each: report for report in loaded.columns for each in report.attributes}
    column, sign, value = (part.strip() for part in label.partition("="))
    labels: Sequence[object]
    if label in frame.columns:
        column, labels = label, frame.get_column(label).to_list()
    elif sign and column in frame.columns and label not in made:
        values = frame.get_column(column).to_list()
        labels = [each is not None and text_of(each) == value for each in values]
        if not any(labels):
            known = sorted({text_of(each) for each in values if each is not None})
            raise UnknownNameError("label", value, known, where=f"column {column!r}")
    else:
        name = _attribute(label, made, frame.columns)
        column, labels = made[name].column, _having(context, name)
    gone = [name for name, report in made.items() if report.column == column]
    if column in plan:
        plan[column] = ColumnPlan(scale=None, because="holds the labels")
    return replace(
        loaded,
        context=context.drop(attributes=gone),
        columns=tuple(
            ColumnReport(column, "drop", None, ()) if each.column == column else each
            for each in loaded.columns
        ),
        inferred=tuple(each for each in loaded.inferred if each != column),
        labels=labels,
    )


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
