"""From what a user types as FILE to a context."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from conceptrank import datasets, io
from conceptrank.cli import _measures, _options
from conceptrank.cli._guard import WrongUseError
from conceptrank.cli._voice import Voice
from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.sources import Content, Source
from conceptrank.io.text import RAW_HINT

if TYPE_CHECKING:
    from conceptrank.scaling import LoadedTable, Plan

STANDARD_INPUT = "-"
_MOST_COLUMNS = 6
# Options of formats that are no texts.
_TRUTHS = ("header", "decimal_comma", "directed", "diagonal", "weights", "empty_lines")
_COUNTS = ("skip",)


@dataclass(frozen=True)
class Scaling:
    """What a user says about raw values.

    Parameters
    ----------
    words
        Plans and scales, as `from_options` takes them.
    drop
        Columns to leave out.
    objects
        The column that names the objects.
    missing
        What becomes of missing values.
    options
        Options of the file's format; those of contexts are among them.
    wanted
        Whether the file holds raw values for sure.
    """

    words: Sequence[str] = ()
    drop: Sequence[str] = ()
    objects: str | None = None
    missing: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    wanted: bool = False

    @classmethod
    def of(
        cls,
        scale: list[str] | None,
        drop: list[str] | None,
        objects: str | None,
        missing: _options.Missing | None,
        read: list[str] | None,
    ) -> Scaling:
        """Return what the options of a command say."""
        asked = any(each is not None for each in (scale, drop, objects, missing))
        left_out = _options.names(drop)
        given = _measures.params(read or (), kind="option")
        options = {name: _option(name, value) for name, value in given.items()}
        return cls(scale or (), left_out, objects, missing and missing.value, options, wanted=asked)


@dataclass(frozen=True)
class Loaded:
    """A context, the raw table that it was made of, and labels of the objects, if there are."""

    context: Context
    table: LoadedTable | None = None
    labels: Sequence[object] | None = None


def load(
    file: str,
    *,
    format: str | None,  # noqa: A002
    voice: Voice,
    scaling: Scaling = Scaling(),  # noqa: B008
    label: str | None = None,
) -> Loaded:
    """Return the context in a file, on standard input, or of a data set; a file wins.

    Parameters
    ----------
    file
        What the user typed.
    format
        The format, if the user named one.
    voice
        To say what was done to raw values.
    scaling
        What the user said about raw values.
    label
        The attribute or column that holds the labels, which is not part of the context then.
    """
    if file == STANDARD_INPUT:
        loaded = _read(sys.stdin.buffer, "standard input", format, voice, scaling, label=label)
    elif not os.path.lexists(file) and file in datasets.names():
        if scaling.wanted or scaling.options:
            raise WrongUseError(f"{file} is a context: there is nothing to scale")
        if format is not None:
            raise WrongUseError(f"{file} is a data set, and no file of --input-format {format}")
        loaded = Loaded(datasets.load(file))
    else:
        if not os.path.lexists(file):
            _refuse_word(file)
        loaded = _read(file, file, format, voice, scaling, label=label)
    return loaded if label is None or loaded.labels is not None else _labelled(loaded, label, file)


def load_table(
    file: str,
    *,
    format: str | None,  # noqa: A002
    voice: Voice,
    scaling: Scaling,
) -> LoadedTable:
    """Return the scaled form of a file or of standard input that holds raw values."""
    if file == STANDARD_INPUT:
        return _scaled(sys.stdin.buffer, "standard input", format, voice, scaling)
    if not os.path.lexists(file):
        if file in datasets.names():
            raise WrongUseError(f"{file} is a context: there is nothing to scale")
        _refuse_word(file)
    return _scaled(file, file, format, voice, scaling)


def say_what_was_inferred(table: LoadedTable, file: str, voice: Voice) -> None:
    """Say which scales nobody gave."""
    if not table.inferred:
        return
    chosen = [_short(table.plan, column) for column in table.inferred]
    rest = len(chosen) - _MOST_COLUMNS
    more = f", … and {rest:,} more" if rest > 0 else ""
    voice.note(
        f"raw values were scaled as their columns suggest: {', '.join(chosen[:_MOST_COLUMNS])}"
        f"{more} ('conceptrank scale {file}' shows why, --scale COLUMN=… changes it)"
    )


def _short(plan: Plan, column: str) -> str:
    return f"{column} names the objects" if column == plan.objects else f"{column}={plan[column]}"


def _option(name: str, given: object) -> object:
    """Return the value of an option of a format in the type that it has to have."""
    text = str(given).lower()
    if name in _TRUTHS:
        if text not in ("true", "yes", "1", "false", "no", "0"):
            raise WrongUseError(f"--read {name}={given}: say true or false")
        return text in ("true", "yes", "1")
    if name in _COUNTS:
        if not text.isdecimal():
            raise WrongUseError(f"--read {name}={given}: a number of lines is wanted")
        return int(text)
    if name == "columns":
        return [int(word) if word.isdecimal() else word for word in str(given).split(",")]
    if name == "missing_words" or (name == "names" and "," in text):
        return str(given).split(",")
    return str(given).replace("\\t", "\t")


def _read(
    source: Source,
    name: str,
    format: str | None,  # noqa: A002
    voice: Voice,
    scaling: Scaling,
    *,
    label: str | None,
) -> Loaded:
    if not scaling.wanted:
        try:
            return Loaded(_context(source, name, format, voice, scaling.options))
        except (FormatError, UnknownNameError) as error:
            if not _is_raw(source, format, error):
                raise
    labels = None
    if label is not None and not isinstance(source, str):
        # It is read again for the labels.
        source = sys.stdin.buffer.read()
    table = _scaled(source, name, format, voice, scaling)
    if label is not None and label in table.plan:
        from conceptrank.scaling import read_table

        labels = read_table(source, **table.plan.table).get_column(label).to_list()
        without = replace(scaling, drop=[*scaling.drop, label])
        table = _scaled(source, name, format, voice, without)
    say_what_was_inferred(table, name, voice)
    return Loaded(table.context, table, labels)


def _context(
    source: Source,
    name: str,
    format: str | None,  # noqa: A002
    voice: Voice,
    options: Mapping[str, Any],
) -> Context:
    try:
        with voice.working(f"reading {name}"):
            return io.load(source, format=format, **options)
    except io.MissingFileError:
        raise
    except FormatError as error:
        raise _with_options(error, name) from error


def _scaled(
    source: Source,
    name: str,
    format: str | None,  # noqa: A002
    voice: Voice,
    scaling: Scaling,
) -> LoadedTable:
    from conceptrank.scaling import from_options

    try:
        with voice.working(f"reading {name}"):
            return from_options(
                source,
                scale=scaling.words,
                drop=scaling.drop,
                objects=scaling.objects,
                missing=scaling.missing,
                format=format,
                **scaling.options,
            )
    except io.MissingFileError as error:
        if error.filename not in scaling.words:
            raise
        raise WrongUseError(
            f"--scale {error.filename}: no such plan (hint: write COLUMN=SCALE, or make a plan by "
            f"'conceptrank scale {name} --out plan.toml')"
        ) from error
    except FormatError as error:
        if error.source is None:
            raise WrongUseError(f"--scale: {error}") from error
        raise _with_options(error, name) from error


def _is_raw(source: Source, format: str | None, error: Exception) -> bool:  # noqa: A002
    """Say whether what can't be read as a context is a raw table for sure."""
    from conceptrank.io import raw_tables

    if isinstance(error, UnknownNameError):
        return format in _options.RAW_FORMATS
    if format is not None or not isinstance(source, str) or not os.path.isfile(source):
        return False
    try:
        with Content(source) as content:
            return raw_tables.kind_of(content.head(), content.name) is not None
    except FormatError:
        return False


def _with_options(error: FormatError, name: str) -> FormatError:
    """Return an error whose hint speaks of options, not of keywords of the library."""
    if not error.hint:
        return error
    hint = error.hint.replace("name the format", "name the format by --input-format")
    hint = hint.replace(RAW_HINT, f"raw values need --scale, see 'conceptrank scale {name}'")
    hint = re.sub(r"\bformat='(\w+)'", r"--input-format \1", hint)
    # What is left are options of formats: header=True, separator=';'.
    hint = re.sub(r"(?<![-\w])([a-z]\w*=)(True|False|['\[\d])", r"--read \1\2", hint)
    return FormatError(error.reason, source=error.source, line=error.line, hint=hint)


def _labelled(loaded: Loaded, label: str, file: str) -> Loaded:
    """Return the context without an attribute, and for each object whether it has it."""
    context = loaded.context
    try:
        having = set(context.extension([label]))
    except UnknownNameError as error:
        raise WrongUseError(f"--label: {file}: {error}") from error
    labels = [name in having for name in context.objects]
    return Loaded(context.drop(attributes=[label]), loaded.table, labels)


def _refuse_word(file: str) -> None:
    """Say that a single word names no data set either; paths have better messages elsewhere."""
    if os.path.dirname(file) or os.path.splitext(file)[1]:
        return
    known = (*datasets.names(), *sorted(os.listdir()))
    nearest = get_close_matches(file, known, n=1)
    some = ", ".join(datasets.names()[:5])
    hint = f"did you mean {nearest[0]}?" if nearest else f"data sets: {some}, …"
    raise io.MissingFileError(f"{file}, and no data set of that name", hint=hint)
