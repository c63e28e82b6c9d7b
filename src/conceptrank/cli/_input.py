"""`Reading`, the options about the input, and how they make a context of FILE."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conceptrank import datasets, io
from conceptrank.cli import _measures, _options
from conceptrank.cli._command import WrongUseError
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options
from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.sources import Content, Source
from conceptrank.io.text import RAW_HINT

if TYPE_CHECKING:
    from conceptrank.scaling import LoadedTable, Plan

STANDARD_INPUT = "-"
# Formats of raw tables, which become contexts by scaling.
RAW_FORMATS = ("csv", "arff", "parquet", "feather", "excel", "sqlite")
_MOST_COLUMNS = 6
# Options of formats that are not text.
_TRUTHS = ("header", "decimal_comma", "directed", "diagonal", "weights", "empty_lines")
_COUNTS = ("skip",)


class Missing(StrEnum):
    """What a missing value becomes."""

    no_cross = "no_cross"
    value = "value"
    error = "error"


@dataclass(frozen=True)
class Loaded:
    """A context; the raw table it was scaled from and the labels of its objects, if any."""

    context: Context
    table: LoadedTable | None = None
    labels: Sequence[object] | None = None


@dataclass
class Reading(Options):
    """How to read FILE: its format, and the scaling of raw values."""

    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Format of FILE; detected if not given. Contexts: "
            f"{', '.join(each.name for each in io.formats())}. Raw tables: "
            f"{', '.join(RAW_FORMATS)}.",
            show_default=False,
            rich_help_panel="Input",
        ),
    ] = None
    read: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An option of the format, as header=true, separator=';', encoding=utf-16, "
            "decimal_comma=true, names=a,b,c, sheet=Data or table=people; repeat for more.",
            show_default=False,
            rich_help_panel="Input",
        ),
    ] = None
    scale: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAN|COLUMN=SCALE",
            help="How raw values become attributes: a plan file, the scale of a column, as "
            "age=quantiles:4 (repeat for more), or auto for scales that fit the columns. "
            "[bold]conceptrank scale[/] shows the plan.",
            show_default=False,
            rich_help_panel="Raw tables",
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Columns to leave out; repeat, or separate by commas.",
            show_default=False,
            rich_help_panel="Raw tables",
        ),
    ] = None
    object_names: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that names the objects.",
            show_default=False,
            rich_help_panel="Raw tables",
        ),
    ] = None
    missing: Annotated[
        Missing | None,
        typer.Option(
            help="What a missing value becomes: no cross, a value of its own, or an error.",
            show_default="the plan's choice, else no_cross",
            rich_help_panel="Raw tables",
        ),
    ] = None
    _dropped: list[str] = field(init=False)
    _format_options: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._dropped = _options.names(self.drop)
        values = _measures.params(self.read or (), kind="option")
        self._format_options = {name: _typed(name, value) for name, value in values.items()}

    @property
    def given(self) -> list[str]:
        """The options of this group that were given, as `--scale`."""
        options = ("input_format", "read", "scale", "drop", "object_names", "missing")
        return [f"--{name.replace('_', '-')}" for name in options if getattr(self, name)]

    @property
    def _is_raw(self) -> bool:
        """Whether an option says that FILE holds raw values."""
        options = (self.scale, self.drop, self.object_names, self.missing)
        return any(each is not None for each in options)

    def load(self, file: str, messages: Messages, *, label: str | None = None) -> Loaded:
        """Return the context in a file, on standard input, or of a data set; a file wins.

        Parameters
        ----------
        file
            What the user typed.
        messages
            Where to report how raw values were scaled.
        label
            The attribute or column that holds the labels, or `COLUMN=VALUE`. It leaves the
            context, with all attributes that come from its column.
        """
        if file == STANDARD_INPUT:
            loaded = self._read(sys.stdin.buffer, "standard input", messages, label=label)
        elif not os.path.lexists(file) and file in datasets.names():
            if self._is_raw or self._format_options:
                raise WrongUseError(f"{file} is a context: there is nothing to scale")
            if self.input_format is not None:
                raise WrongUseError(
                    f"{file} is a data set, not a file (hint: leave out --input-format)"
                )
            loaded = Loaded(datasets.load(file))
        else:
            _refuse_unknown_word(file)
            loaded = self._read(file, file, messages, label=label)
        if label is None or loaded.labels is not None:
            return loaded
        return _labelled(loaded, label, file)

    def load_table(self, file: str, messages: Messages) -> LoadedTable:
        """Return the raw table in a file or on standard input, scaled."""
        if file == STANDARD_INPUT:
            return self._scaled(sys.stdin.buffer, "standard input", messages, self._dropped)
        if not os.path.lexists(file) and file in datasets.names():
            raise WrongUseError(f"{file} is a context: there is nothing to scale")
        _refuse_unknown_word(file)
        return self._scaled(file, file, messages, self._dropped)

    def _read(self, source: Source, name: str, messages: Messages, *, label: str | None) -> Loaded:
        if not self._is_raw:
            try:
                return Loaded(self._context(source, name, messages))
            except (FormatError, UnknownNameError) as error:
                if not self._holds_raw_values(source, error):
                    raise
        labels = None
        if label is not None and not isinstance(source, str):
            # The labels take a second reading.
            source = sys.stdin.buffer.read()
        table = self._scaled(source, name, messages, self._dropped)
        if label is not None and (found := _label_column(label, table)) is not None:
            from conceptrank.scaling import read_table

            column, value = found
            labels = read_table(source, **table.plan.table).get_column(column).to_list()
            if value is not None:
                labels = _equal_to(labels, value, column)
            table = self._scaled(source, name, messages, [*self._dropped, column])
        _note_inferred_scales(table, name, messages)
        return Loaded(table.context, table, labels)

    def _context(self, source: Source, name: str, messages: Messages) -> Context:
        try:
            with messages.working(f"reading {name}"):
                return io.load(source, format=self.input_format, **self._format_options)
        except io.MissingFileError:
            raise
        except FormatError as error:
            raise _in_command_line_terms(error, name) from error

    def _scaled(
        self, source: Source, name: str, messages: Messages, dropped: Sequence[str]
    ) -> LoadedTable:
        from conceptrank.scaling import from_options

        scales = self.scale or ()
        try:
            with messages.working(f"reading {name}"):
                return from_options(
                    source,
                    scale=scales,
                    drop=dropped,
                    objects=self.object_names,
                    missing=self.missing and self.missing.value,
                    format=self.input_format,
                    **self._format_options,
                )
        except io.MissingFileError as error:
            if error.filename not in scales:
                raise
            raise WrongUseError(
                f"--scale {error.filename}: no such plan (hint: write COLUMN=SCALE, or make a plan "
                f"by 'conceptrank scale {name} --out plan.toml')"
            ) from error
        except FormatError as error:
            if error.source is None:
                raise WrongUseError(f"--scale: {error}") from error
            raise _in_command_line_terms(error, name) from error

    def _holds_raw_values(self, source: Source, error: Exception) -> bool:
        """Tell whether a source that can't be read as a context is certainly a raw table."""
        from conceptrank.io import raw_tables

        if isinstance(error, UnknownNameError):
            return self.input_format in RAW_FORMATS
        if self.input_format or not isinstance(source, str) or not os.path.isfile(source):
            return False
        try:
            with Content(source) as content:
                return raw_tables.kind_of(content.head(), content.name) is not None
        except FormatError:
            return False


def _note_inferred_scales(table: LoadedTable, file: str, messages: Messages) -> None:
    if not table.inferred:
        return
    chosen = [_scale_text(table.plan, column) for column in table.inferred]
    hidden = len(chosen) - _MOST_COLUMNS
    more = f", … and {hidden:,} more" if hidden > 0 else ""
    messages.note(
        f"columns were scaled by type and values: {', '.join(chosen[:_MOST_COLUMNS])}{more} "
        f"('conceptrank scale {file}' shows why, --scale COLUMN=… changes it)"
    )


def _scale_text(plan: Plan, column: str) -> str:
    return f"{column} names the objects" if column == plan.objects else f"{column}={plan[column]}"


def _typed(name: str, value: object) -> object:
    """Return the value of a format's option with its type."""
    text = str(value).lower()
    if name in _TRUTHS:
        if text not in ("true", "yes", "1", "false", "no", "0"):
            raise WrongUseError(f"--read {name}={value}: expected true or false")
        return text in ("true", "yes", "1")
    if name in _COUNTS:
        if not text.isdecimal():
            raise WrongUseError(f"--read {name}={value}: expected a number of lines")
        return int(text)
    if name == "columns":
        return [int(word) if word.isdecimal() else word for word in str(value).split(",")]
    if name == "missing_words" or (name == "names" and "," in text):
        return str(value).split(",")
    return str(value).replace("\\t", "\t")


def _in_command_line_terms(error: FormatError, name: str) -> FormatError:
    """Return an error whose hint names options of the command line instead of Python keywords."""
    if not error.hint:
        return error
    hint = error.hint.replace("name the format", "name the format by --input-format")
    hint = hint.replace(RAW_HINT, f"raw values need --scale, see 'conceptrank scale {name}'")
    hint = re.sub(r"\bformat='(\w+)'", r"--input-format \1", hint)
    # The remaining keywords are options of formats: header=True, separator=';'.
    hint = re.sub(r"(?<![-\w])([a-z]\w*=)(True|False|['\[\d])", r"--read \1\2", hint)
    return FormatError(error.reason, source=error.source, line=error.line, hint=hint)


def _label_column(label: str, table: LoadedTable) -> tuple[str, str | None] | None:
    """Return the column that `COLUMN` or `COLUMN=VALUE` names, and the value, if there is one.

    An attribute with that very name takes precedence over `COLUMN=VALUE`.
    """
    if label in table.plan:
        return label, None
    column, sign, value = (part.strip() for part in label.partition("="))
    if sign and column in table.plan and label not in table.context.attributes:
        return column, value
    return None


def _equal_to(values: Sequence[object], value: str, column: str) -> list[bool]:
    """Return which values of a column are the one that the user typed."""
    labels = [str(each) == value for each in values]
    if not any(labels):
        known = sorted({str(each) for each in values if each is not None})
        raise UnknownNameError("label", value, known, where=f"--label {column}={value}")
    return labels


def _labelled(loaded: Loaded, label: str, file: str) -> Loaded:
    """Return which objects have an attribute, and the context without it.

    The other attributes from the same column of a raw table leave, too: they tell the label.
    """
    context = loaded.context
    try:
        extent = set(context.extension([label]))
    except UnknownNameError as error:
        raise WrongUseError(f"--label: {file}: {error}") from error
    labels = [name in extent for name in context.objects]
    columns = () if loaded.table is None else loaded.table.scaled.columns
    leaving = next((each.attributes for each in columns if label in each.attributes), (label,))
    return replace(loaded, context=context.drop(attributes=leaving), labels=labels)


def _refuse_unknown_word(file: str) -> None:
    """Fail if FILE is a single word that names neither a file nor a data set.

    The readers have better messages for paths.
    """
    if os.path.lexists(file) or os.path.dirname(file) or os.path.splitext(file)[1]:
        return
    candidates = (*datasets.names(), *sorted(os.listdir()))
    nearest = get_close_matches(file, candidates, n=1)
    some = ", ".join(datasets.names()[:5])
    hint = f"did you mean {nearest[0]}?" if nearest else f"data sets: {some}, …"
    raise io.MissingFileError(f"{file}, and no data set of that name", hint=hint)
