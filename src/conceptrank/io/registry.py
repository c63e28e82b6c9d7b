"""`Format` and the registered formats; `save` and `losses`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import wraps
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError, naming, refuse_unknown
from conceptrank.io.sources import Content, suffix_of, write_bytes
from conceptrank.io.text import refuse_surrogates

_DOCUMENT_BYTES = 1 << 28
# Parameters of readers and writers that are no options of a user.
_NO_OPTIONS = ("source", "max_bytes")


class Fit(IntEnum):
    """How well the first bytes of a file fit a format."""

    NO = 0
    """They can't belong to it."""
    POSSIBLE = 1
    """They can, but other kinds of text look the same: only a suffix or a name decides."""
    LIKELY = 2
    """They do, unless the suffix contradicts it; if they don't, the reader raises an error."""
    CERTAIN = 3
    """They have its signature, so the suffix does not matter."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format for contexts, or for tables of raw values.

    Parameters
    ----------
    name
        The word to give as `format=`.
    suffixes
        The endings of file names, with the dot, lower case; the first is the usual one.
    description
        One line for users.
    sniff
        Takes the first bytes of a file and returns how well they fit this format.
    read
        Takes all bytes, and the format's own options as keywords; returns the context or raises
        `FormatError`. If it has a parameter `source` or `max_bytes`, it gets the file's name or the
        limit that the user gave. The format's `read` and `write` always take `source=`, and add it
        to the errors.
    write
        Takes a context and the format's own options, returns the bytes; None if the format is only
        read. Raises `FormatError` if the format can't hold the context.
    values
        Whether the file holds raw values; `read` then returns a frame or a `RawTable`.
    from_path
        Whether `read` takes the path of the file instead of its bytes.
    most_bytes
        The longest file that is read, if no other limit is given.
    lines
        Whether the format has lines, so that an endless one is refused early.
    notices_cuts
        Whether the reader refuses a file that was cut off between two lines or inside the last
        one, because it holds counts or an end. Elsewhere, a last line without a line end is a
        warning.
    last_resort
        Whether likely content settles it if no other format fits, whatever the suffix.
    holds_weights
        Whether the format holds the weights of objects. `save` refuses them elsewhere.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    sniff: Callable[[bytes], Fit]
    read: Callable[..., Any]
    write: Callable[..., bytes] | None = None
    values: bool = False
    from_path: bool = False
    most_bytes: int = _DOCUMENT_BYTES
    lines: bool = True
    notices_cuts: bool = False
    last_resort: bool = False
    holds_weights: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", _naming_source(self.read))
        if self.write is not None:
            object.__setattr__(self, "write", _naming_source(self.write))

    def option_types(self) -> dict[str, str]:
        """Return the options of the reader, with their types as they are written in its signature.

        Examples
        --------
        >>> find_format("fimi").option_types()
        {'empty_lines': 'bool'}
        """
        return _own_parameters(self.read)

    def content_of(self, content: Content, **options: Any) -> Any:
        """Return what an opened source holds, read as this format."""
        refuse_unknown("option", options, self.option_types(), where=f"format {self.name}")
        for name, value in options.items():
            refuse_surrogates(value, name)
        if self.from_path and content.path is None:
            raise FormatError(f"{self.name} files are read from a path only", source=content.name)
        data: Any = content.path
        if not self.from_path:
            data = content.whole(self.most_bytes, lines=self.lines)
        if "max_bytes" in inspect.signature(self.read).parameters:
            options["max_bytes"] = content.max_bytes
        return self.read(data, source=content.name, **options)


_FORMATS: dict[str, Format] = {}


def _naming_source(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reader or writer that takes the name of the file, and adds it to errors."""
    takes_source = "source" in inspect.signature(function).parameters

    @wraps(function)
    def with_source(content: object, *, source: str | None = None, **options: object) -> Any:
        with naming(source):
            return function(content, **options, **({"source": source} if takes_source else {}))

    return with_source


def _own_parameters(function: Callable[..., Any]) -> dict[str, str]:
    """Return the options of a reader or writer with their types, as written in its signature."""
    _, *parameters = inspect.signature(function).parameters.values()
    return {each.name: str(each.annotation) for each in parameters if each.name not in _NO_OPTIONS}


def register(format: Format) -> Format:  # noqa: A002
    """Add a format for `load` and `save`, and return it.

    Examples
    --------
    >>> register(formats()[1])
    Traceback (most recent call last):
    ValueError: there is a format 'burmeister' already
    """
    known = _FORMATS.get(format.name)
    # A module that is loaded again declares its formats again.
    reloaded = known is not format and known and known.read.__module__ == format.read.__module__
    if known is not None and not reloaded:
        raise ValueError(f"there is a format {format.name!r} already")
    _FORMATS[format.name] = format
    return format


def register_declared(package: str, path: Iterable[str]) -> None:
    """Import the modules of a package, and register the formats that they declare."""
    for found in iter_modules(path):
        for value in vars(import_module(f"{package}.{found.name}")).values():
            if isinstance(value, Format) and _FORMATS.get(value.name) is not value:
                register(value)


def formats() -> tuple[Format, ...]:
    """Return the known formats for contexts, by name.

    Examples
    --------
    >>> [(entry.name, entry.suffixes) for entry in formats()][1]
    ('burmeister', ('.cxt', '.ctx'))
    """
    return tuple(_FORMATS[name] for name in sorted(_FORMATS) if not _FORMATS[name].values)


def table_formats() -> tuple[Format, ...]:
    """Return the known formats for tables of raw values, by name.

    Examples
    --------
    >>> [entry.name for entry in table_formats()]
    ['arff', 'csv', 'excel', 'feather', 'parquet', 'sqlite']
    """
    return tuple(_FORMATS[name] for name in sorted(_FORMATS) if _FORMATS[name].values)


def find_format(name: str, *, values: bool = False) -> Format:
    """Return the format of this name or suffix.

    Parameters
    ----------
    name
        The name or the suffix, with or without the dot.
    values
        Whether to look among the formats for raw values, instead of those for contexts.

    Raises
    ------
    UnknownNameError
        If no format has this name, or the suffix belongs to several formats.
    """
    among = table_formats() if values else formats()
    suffix = "." + name.lower().removeprefix(".")
    matching = [entry for entry in among if name.lower() == entry.name]
    matching = matching or [entry for entry in among if suffix in entry.suffixes]
    if len(matching) == 1:
        return matching[0]
    known = [*(entry.name for entry in among), *(s[1:] for entry in among for s in entry.suffixes)]
    where = "raw tables" if values else None
    raise UnknownNameError("format", name, known, where=where)


def option_value(name: str, text: str) -> object:
    """Return the value of a format's option, or of max_bytes, from its text.

    The reader of the format declares the type.

    Raises
    ------
    FormatError
        If the text is no value of that type.

    Examples
    --------
    >>> option_value("header", "yes"), option_value("skip", "2"), option_value("names", "who,what")
    (True, 2, ['who', 'what'])
    """
    every = [entry.option_types() for entry in _FORMATS.values()]
    kinds = {types[name].removesuffix(" | None") for types in every if name in types}
    if name == "max_bytes":
        kinds = {"int"}
    if kinds == {"bool"}:
        if text.lower() not in ("true", "yes", "1", "false", "no", "0"):
            raise FormatError(f"{name}={text}: expected true or false")
        return text.lower() in ("true", "yes", "1")
    if kinds == {"int"}:
        if not text.isdecimal() or len(text) > 18:
            raise FormatError(f"{name}={text}: expected a whole number")
        return int(text)
    listed = [kind.startswith("Sequence") for kind in kinds]
    if any(listed) and ("," in text or all(listed)):
        return text.split(",")
    return text.replace("\\t", "\t")


def save(
    context: Context,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    **options: object,
) -> None:
    """Write a context to a file, compressed if the name ends in `.gz`, `.bz2`, `.xz` or `.zst`.

    Nothing is written if the format can't hold the context.

    Parameters
    ----------
    context
        The context.
    path
        Where to.
    format
        The name of a format or one of its suffixes; by the suffix of the path if None.
    **options
        Keywords of the format's own writer, such as `separator` of pairs.

    Raises
    ------
    FormatError
        If the format can't hold a name.
    WriteError
        If the file can't be written.
    UnknownNameError
        If there is no such format or option.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> context = Context(["cherry", "honey"], ["sweet", "red"], [[True, True], [True, False]])
    >>> with TemporaryDirectory() as directory:
    ...     save(context, directory + "/food.cxt.gz")
    ...     cr.load(directory + "/food.cxt.gz") == context
    True
    """
    name = os.fsdecode(path)
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise FormatError(f"{name!r} is no name for a file") from None
    chosen = writing_format(name, format)
    assert chosen.write is not None
    known = _own_parameters(chosen.write)
    refuse_unknown("option", options, known, where=f"format {chosen.name}")
    if not chosen.holds_weights:
        context.refuse_weights(f"a file of format {chosen.name}")
    write_bytes(name, chosen.write(context, source=name, **options))


def writing_format(path: str, name: str | None = None) -> Format:
    """Return the format of this name that can be written, or the one of a path's suffix.

    Examples
    --------
    >>> writing_format("food.cxt.gz").name
    'burmeister'
    """
    if name is not None:
        chosen = find_format(name)
        if chosen.write is None:
            raise FormatError(f"format {chosen.name} can be read only", source=path)
        return chosen
    suffix = suffix_of(path)
    writable = [each for each in formats() if each.write is not None and suffix in each.suffixes]
    if len(writable) != 1:
        raise FormatError(
            f"the suffix {suffix!r} doesn't tell the format" if suffix else "has no suffix",
            source=path,
            hint=f"name the format or use one of {listed(writable_suffixes())}",
        )
    return writable[0]


def losses(context: Context, format: str) -> list[str]:  # noqa: A002
    """Return what a file of a format can't hold of a context.

    Parameters
    ----------
    context
        The context.
    format
        The name of a format or one of its suffixes.

    Returns
    -------
    list of str
        One line for everything that gets lost, or for the reason why `save` refuses;
        nothing if the file reads back as an equal context.

    Examples
    --------
    >>> context = Context(["cherry"], ["7", "12"], [[True, True]])
    >>> losses(context, "fimi")
    ['the names of the objects']
    >>> losses(context, "cxt")
    []
    """
    chosen = find_format(format)
    if chosen.write is None:
        return [f"everything: format {chosen.name} can be read only"]
    try:
        if not chosen.holds_weights:
            context.refuse_weights(f"a file of format {chosen.name}")
        found = chosen.read(chosen.write(context))
    except FormatError as error:
        return [error.reason]
    lost = []
    for side in ("objects", "attributes"):
        names, kept = getattr(context, side), getattr(found, side)
        if names != kept:
            what = "order" if sorted(names) == sorted(kept) else "names"
            lost.append(f"the {what} of the {side}")
    return lost


def writable_suffixes() -> list[str]:
    """Return the suffixes of formats that `save` can write."""
    return [s for entry in formats() if entry.write is not None for s in entry.suffixes]


def listed(words: list[str], last: str = "") -> str:
    """Return words with commas between them, and `last` before the last word."""
    if last and len(words) > 1:
        return f"{', '.join(words[:-1])} {last} {words[-1]}"
    return ", ".join(words)
