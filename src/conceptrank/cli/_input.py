"""`Reading`, the options about the input, and how they make a context of FILE."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from conceptrank import datasets, io
from conceptrank.cli import _measures, _options, _streams
from conceptrank.cli._command import WrongUseError
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import Options, option
from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.sources import Source
from conceptrank.io.text import RAW_HINT

if TYPE_CHECKING:
    from conceptrank.scaling import Loaded

_raw = partial(option, panel="Raw tables")
_basket = partial(option, panel="Transactions")
STANDARD_INPUT = "-"


# What is a keyword of `load` but no option of a format.
_OWN_OPTIONS = {
    "format": "--input-format",
    "scale": "--scale",
    "drop": "--drop",
    "objects": "--object-names",
    "missing": "--missing",
    "unseen": "--unseen",
    "transactions": "--transactions",
    "transaction_id": "--transaction-id",
    "item": "--item",
    "weights": "--weight-column",
    "label": "--label",
}


@dataclass
class Reading(Options):
    """How to read FILE: its format, and the scaling of raw values.

    Parameters
    ----------
    read
        An option of the format, such as header=true, separator=';', encoding=utf-16,
        decimal_comma=true, names=a,b,c, sheet=Data or table=people; repeat for more.
    scale
        How raw values become attributes: a plan file, the scale of a column, such as
        age=quantiles:4 (repeat for more), or auto for scales that fit the columns.
        [bold]conceptrank info --columns[/] shows the plan.
    drop
        Columns to leave out; repeat, or separate by commas.
    object_names
        The column that names the objects.
    missing
        What a missing value becomes: no cross, a value of its own, or an error.
    unseen
        What becomes of a value that the plan doesn't list: an error, or a missing value.
    weight_column
        The column that says how often each row counts, if equal rows are listed once.
    transactions
        The column that lists the items of each row, as a list or as text such as a;b;c.
    transaction_id
        The column that names the transactions.
    item
        The column of items, if FILE has one row per transaction and item.
    """

    input_format: Annotated[
        str | None,
        option(
            "NAME",
            panel="Input",
            help=(
                "Format of FILE; detected if not given. Contexts: "
                f"{', '.join(each.name for each in io.formats())}. Raw tables: "
                f"{', '.join(each.name for each in io.table_formats())}."
            ),
        ),
    ] = None
    read: Annotated[list[str] | None, option("NAME=VALUE", panel="Input")] = None
    scale: Annotated[list[str] | None, _raw("PLAN|COLUMN=SCALE")] = None
    drop: Annotated[list[str] | None, _raw("COLUMN")] = None
    object_names: Annotated[str | None, _raw("COLUMN")] = None
    missing: Annotated[
        Literal["no_cross", "value", "error"] | None,
        _raw(show_default="the plan's choice, else no_cross"),
    ] = None
    unseen: Annotated[Literal["error", "missing"] | None, _raw(show_default="error")] = None
    weight_column: Annotated[str | None, _raw("COLUMN")] = None
    transactions: Annotated[str | None, _basket("COLUMN", show_default="recognised")] = None
    transaction_id: Annotated[str | None, _basket("COLUMN", show_default="recognised")] = None
    item: Annotated[str | None, _basket("COLUMN", show_default="recognised")] = None
    _dropped: list[str] = field(init=False)
    _format_options: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._dropped = _options.names(self.drop)
        values = _measures.params(self.read or (), kind="option")
        self._format_options = {name: _typed(name, value) for name, value in values.items()}

    @property
    def _is_raw(self) -> bool:
        """Whether an option says that FILE holds raw values."""
        options = (self.scale, self.drop, self.object_names, self.missing, self.weight_column)
        return any(each is not None for each in options)

    @property
    def columns_of_items(self) -> dict[str, Any]:
        """The options about transactions, as keywords."""
        names = ("transactions", "transaction_id", "item")
        return {name: getattr(self, name) for name in names}

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
            return self._read(sys.stdin.buffer, file, messages, label=label)
        if not os.path.lexists(file) and file in datasets.names():
            if self._is_raw or self._format_options:
                raise WrongUseError(f"{file} is a context: there is nothing to scale")
            if any(self.columns_of_items.values()):
                raise WrongUseError(f"{file} is a context: it has no columns of transactions")
            if self.input_format is not None:
                raise WrongUseError(
                    f"{file} is a data set, not a file (hint: leave out --input-format)"
                )
            return self._read(datasets.load(file), file, messages, label=label)
        _refuse_unknown_word(file)
        return self._read(file, file, messages, label=label)

    def load_table(self, file: str, messages: Messages) -> Loaded:
        """Return the raw table in a file or on standard input, scaled."""
        if file == STANDARD_INPUT:
            loaded = self._opened(sys.stdin.buffer, file, messages, ["auto"])
        else:
            if not os.path.lexists(file) and file in datasets.names():
                raise WrongUseError(f"{file} is a context: there is nothing to scale")
            _refuse_unknown_word(file)
            loaded = self._opened(file, file, messages, ["auto"])
        return loaded

    def _read(
        self, source: Source | Context, name: str, messages: Messages, *, label: str | None
    ) -> Loaded:
        loaded = self._opened(source, name, messages, [], label=label)
        if loaded.transactions:
            messages.note(
                f"{loaded.assumptions()} (--transactions, --transaction-id and --item name columns)"
            )
        elif assumptions := loaded.assumptions():
            messages.note(
                f"{assumptions} ('conceptrank info {name}' shows why, --scale COLUMN=… changes it)"
            )
        return loaded

    def _opened(
        self,
        source: Source | Context,
        name: str,
        messages: Messages,
        scales: list[str],
        *,
        label: str | None = None,
    ) -> Loaded:
        """Return what a source holds; what its reader assumed is a note."""
        from conceptrank.scaling import open_source

        if not isinstance(source, Context) and not os.path.isfile(name):
            _streams.let_ctrl_c_end_reads()
        scales = [*(self.scale or ()), *scales]
        # Weights alone don't make transactions raw values.
        raw = self._is_raw and not any(self.columns_of_items.values())
        shown = "standard input" if name == STANDARD_INPUT else name
        try:
            with as_notes(messages), messages.working(f"reading {shown}"):
                return open_source(
                    source,
                    format=self.input_format,
                    scale=scales if scales or raw else None,
                    drop=self._dropped,
                    objects=self.object_names,
                    missing=self.missing,
                    unseen=self.unseen or "error",
                    weights=self.weight_column,
                    label=label,
                    **self.columns_of_items,
                    **self._format_options,
                )
        except io.MissingFileError as error:
            if error.filename not in scales:
                raise
            raise WrongUseError(
                f"--scale {error.filename}: no such plan (hint: write COLUMN=SCALE, or make a plan "
                f"by 'conceptrank convert {name} plan.toml')"
            ) from error
        except FormatError as error:
            if error.source is None and scales:
                raise WrongUseError(f"--scale: {error}") from error
            raise _in_command_line_terms(error, name) from error
        except UnknownNameError as error:
            if error.kind not in ("label", "attribute", "attribute or column"):
                raise
            raise WrongUseError(f"--label: {shown}: {error}") from error


@contextmanager
def as_notes(messages: Messages) -> Iterator[None]:
    """Write what readers assume as notes; in Python these are warnings."""
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        yield
    for warning in noticed:
        messages.note(_options_for_keywords(str(warning.message)))


def _typed(name: str, value: object) -> object:
    """Return the value of a format's option with its type."""
    if name in _OWN_OPTIONS:
        raise WrongUseError(f"--read {name}=… is {_OWN_OPTIONS[name]} (hint: give that option)")
    try:
        return io.option_value(name, str(value))
    except FormatError as error:
        raise WrongUseError(f"--read {error}") from error


def _in_command_line_terms(error: FormatError, name: str) -> FormatError:
    """Return an error whose hint names options of the command line instead of Python keywords."""
    if not error.hint:
        return error
    hint = error.hint.replace("name the format", "name the format by --input-format")
    hint = hint.replace(
        RAW_HINT, f"raw values need --scale, see 'conceptrank info --columns {name}'"
    )
    hint = _options_for_keywords(hint).replace("max_bytes", "--read max_bytes=N")
    return FormatError(error.reason, source=error.source, line=error.line, hint=hint)


def _options_for_keywords(text: str) -> str:
    """Return a text that names options of the command line instead of Python keywords."""

    def option_for(found: re.Match[str]) -> str:
        keyword, value = found.groups()
        if keyword in _OWN_OPTIONS:
            return f"{_OWN_OPTIONS[keyword]} {value.strip(chr(39))}"
        return f"--read {found[0]}" if keyword in known else found[0]

    every = (*io.formats(), *io.table_formats())
    known = {"encoding", *(name for entry in every for name in entry.option_types())}
    return re.sub(r"(?<![-\w])([a-z]\w*)=(True|False|'[^']*'|[\[\d])", option_for, text)


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
