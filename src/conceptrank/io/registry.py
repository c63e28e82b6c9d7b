"""The formats that are known, how one of them is recognised, and `load` and `save`.

Detection asks the content first and the suffix second. A signature (the `B` of a Burmeister
file) settles it. Otherwise content and suffix must leave exactly one format; if they leave
none or several, that is an error with the candidates, never a guess.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from conceptrank.context import Context
from conceptrank.errors import FormatError, InputWarning, UnknownNameError
from conceptrank.io.sources import Content, suffix_of, write_bytes
from conceptrank.io.text import RAW_HINT, notice, text_head, wide_encoding

if TYPE_CHECKING:
    from conceptrank.scaling.loading import PlanLike

__all__ = ["Fit", "Format", "context_in", "formats", "load", "losses", "register", "save"]

_DOCUMENT_BYTES = 1 << 28


class Fit(IntEnum):
    """How well the first bytes of a file fit a format."""

    NO = 0
    """They can't belong to it."""
    POSSIBLE = 1
    """They can, but other kinds of text look the same: only a suffix or a name settles it."""
    LIKELY = 2
    """They do unless the suffix speaks against it; the reader notices if not."""
    CERTAIN = 3
    """They bear its signature, so that suffixes don't count."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format for contexts.

    Parameters
    ----------
    name
        The word to give as `format=`.
    suffixes
        The endings of file names, with the dot, lower case; the first is the usual one.
    description
        One line for people.
    sniff
        Takes the first bytes of a file and says how well they fit this format.
    read
        Takes all bytes, and `source=` (the file's name for messages) and the format's own
        options as keywords; returns the context or raises `FormatError`.
    write
        Takes a context and `source=`, returns the bytes; None if the format is only read.
        Raises `FormatError` if the format can't hold the context.
    drops
        Takes a context and says what `write` leaves out, one line each.
    options, write_options
        The names of the format's own keywords of `read` and `write`.
    streams
        Whether `read` takes an iterable of pieces as well.
    most_bytes
        The longest file that is read, if it doesn't stream and no other limit is given.
    lines
        Whether the format has lines, so that an endless one is refused early.
    notices_cuts
        Whether the reader refuses a file that was cut off between two lines or inside the last
        one, because it holds counts or an end. Elsewhere, a last line without a line end is a
        warning.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    sniff: Callable[[bytes], Fit]
    read: Callable[..., Context]
    write: Callable[..., bytes] | None = None
    drops: Callable[[Context], list[str]] | None = None
    options: tuple[str, ...] = ()
    write_options: tuple[str, ...] = ()
    streams: bool = False
    most_bytes: int = _DOCUMENT_BYTES
    lines: bool = True
    notices_cuts: bool = False


_FORMATS: dict[str, Format] = {}


def register(format: Format) -> Format:  # noqa: A002
    """Add a format to those that `load` and `save` know, and return it.

    Examples
    --------
    >>> register(formats()[1])
    Traceback (most recent call last):
    ValueError: there is a format 'burmeister' already
    """
    if format.name in _FORMATS:
        raise ValueError(f"there is a format {format.name!r} already")
    _FORMATS[format.name] = format
    return format


def formats() -> tuple[Format, ...]:
    """Return the known formats, by name.

    Examples
    --------
    >>> [(entry.name, entry.suffixes) for entry in formats()][1]
    ('burmeister', ('.cxt', '.ctx'))
    """
    return tuple(_FORMATS[name] for name in sorted(_FORMATS))


def load(
    source: object,
    *,
    format: str | None = None,  # noqa: A002
    scale: PlanLike | None = None,
    drop: Iterable[str] = (),
    objects: str | None = None,
    missing: str | None = None,
    max_bytes: int | None = None,
    **options: Any,
) -> Context:
    r"""Read a context from a file, or make one of a table of raw values.

    A file that holds crosses is read as it is. One that holds numbers, words or dates is scaled:
    by `scale`, or by the plan that `conceptrank.scaling.infer` finds. What was assumed is an
    `InputWarning`, unless it was asked for.

    Parameters
    ----------
    source
        A path, a URL, a file open for reading, or the bytes themselves. What is compressed
        (gzip, bzip2, xz, Zstandard) is read as it is. Also a frame of pandas or polars, any Arrow
        table, a mapping of columns, a NumPy or SciPy matrix, or a context.
    format
        The name of a format or one of its suffixes (`"burmeister"`, `"cxt"`); detected if None.
    scale
        For raw values: `"auto"`, which scales columns as `conceptrank.scaling.infer` says; short
        texts such as `"age=quantiles:4"`, one or several; a mapping from columns to scales; a
        `Plan`, or the path of one. See `conceptrank.scaling.load`.
    drop, objects, missing
        For raw values: columns to leave out, the column that names the objects, and what becomes
        of missing values. Each of them implies `scale="auto"`.
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
    >>> load(b"cherry")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: the content fits no known format (hint: ...)
    """
    from conceptrank.scaling.loading import open_context

    how: dict[str, Any] = {"scale": scale, "drop": drop, "objects": objects, "missing": missing}
    loaded = open_context(source, format=format, max_bytes=max_bytes, **how, **options)
    if loaded.table is not None and not any(how.values()):
        name = os.fsdecode(source) if isinstance(source, str | os.PathLike) else "the table"
        warnings.warn(f"{name}: {loaded.table.assumptions()}", InputWarning, stacklevel=2)
    return loaded.context


def context_in(
    content: Content,
    *,
    format: str | None = None,  # noqa: A002
    **options: object,
) -> Context | None:
    """Read the context in an opened source.

    Parameters
    ----------
    content
        The source.
    format, **options
        As for `load`.

    Returns
    -------
    Context or None
        The context; None if the source holds a table of raw values, and nothing of it is lost.
    """
    from conceptrank.io.raw import tables as raw_tables

    # Comma-separated text holds crosses or values: its content tells.
    if format is not None and (
        raw_tables.is_raw_name(format)
        and not (_is_known(format) and not _is_raw(content.head(), f".{format}"))
    ):
        return None
    chosen, others = (_find(format), None) if format is not None else _detect(content)
    if chosen is None:
        return None
    _check_options(options, chosen.options, chosen)
    data = (
        content.pieces() if chosen.streams else content.whole(chosen.most_bytes, lines=chosen.lines)
    )
    if others is None:
        context = chosen.read(data, source=content.name, **options)
        if not chosen.notices_cuts and not content.ends_line:
            notice("the last line has no line end; is the file cut off?", content.name)
        return context
    # Only the suffix speaks for this format. Its reader knows best what is wrong.
    further = f"if it is another format, name it: {_listed(others, 'or')}" if others else ""
    try:
        chosen.read(data, source=content.name, **options)
    except FormatError as error:
        raise FormatError(
            error.reason,
            source=error.source,
            line=error.line,
            hint="; ".join(filter(None, (error.hint, further))),
        ) from error
    raise FormatError(
        f"the content doesn't look like {chosen.name}, though it can be read so",
        source=content.name,
        hint=f"name the format if it is {_listed([chosen.name, *others], 'or')}",
    )


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
        The name of a format or one of its suffixes; told by the suffix of the path if None.
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
    >>> from tempfile import TemporaryDirectory
    >>> context = Context(["cherry", "honey"], ["sweet", "red"], [[True, True], [True, False]])
    >>> with TemporaryDirectory() as directory:
    ...     save(context, directory + "/food.cxt.gz")
    ...     load(directory + "/food.cxt.gz") == context
    True
    """
    name = os.fsdecode(path)
    if format is not None:
        chosen = _find(format)
    else:
        suffix = suffix_of(name)
        writable = [
            entry for entry in formats() if entry.write is not None and suffix in entry.suffixes
        ]
        if len(writable) != 1:
            raise FormatError(
                f"the suffix {suffix!r} doesn't tell the format" if suffix else "has no suffix",
                source=name,
                hint=f"name the format or use one of {_listed(_writable_suffixes())}",
            )
        chosen = writable[0]
    if chosen.write is None:
        raise FormatError(f"format {chosen.name} can be read only", source=name)
    _check_options(options, chosen.write_options, chosen)
    write_bytes(name, chosen.write(context, source=name, **options))


def losses(context: Context, format: str) -> list[str]:  # noqa: A002
    """Say what a file of a format can't hold of a context.

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
    chosen = _find(format)
    if chosen.write is None:
        return [f"everything: format {chosen.name} can be read only"]
    dropped = chosen.drops(context) if chosen.drops else []
    try:
        chosen.write(context)
    except FormatError as error:
        return [error.reason, *dropped]
    return dropped


def _find(name: str) -> Format:
    """Return the format of this name or suffix."""
    if name in _FORMATS:
        return _FORMATS[name]
    suffix = "." + name.lower().removeprefix(".")
    matching = [entry for entry in formats() if suffix in entry.suffixes]
    if len(matching) == 1:
        return matching[0]
    known = [*_FORMATS, *(s[1:] for entry in formats() for s in entry.suffixes)]
    raise UnknownNameError("format", name, known)


def _check_options(options: dict[str, object], known: tuple[str, ...], chosen: Format) -> None:
    for option in options:
        if option not in known:
            raise UnknownNameError("option", option, known, where=f"format {chosen.name}")


def _is_known(name: str) -> bool:
    suffix = "." + name.lower().removeprefix(".")
    return name in _FORMATS or any(suffix in entry.suffixes for entry in formats())


def _detect(content: Content) -> tuple[Format | None, list[str] | None]:
    """Return the format of a content, and what else it could be if only the suffix tells.

    The format is None for a table of raw values.
    """
    head, name = content.head(), content.name
    fits = {entry: entry.sniff(head) for entry in formats()}
    certain = [entry for entry, fit in fits.items() if fit is Fit.CERTAIN]
    if len(certain) == 1:
        return certain[0], None
    fitting = [entry for entry, fit in fits.items() if fit >= Fit.LIKELY]
    suffix = suffix_of(name)
    claiming = [entry for entry in formats() if suffix in entry.suffixes]
    possible = [entry.name for entry, fit in fits.items() if fit is Fit.POSSIBLE]
    if _is_raw(head, name) and not fitting and not any(fits[entry] for entry in claiming):
        return None, None
    for entry in claiming:
        if fits[entry] or not fitting:
            return entry, None if fits[entry] else possible
    if len(fitting) == 1 and not claiming:
        return fitting[0], None
    if not head.strip() or not (fitting or possible):
        raise FormatError(
            "the content fits no known format" if head.strip() else "the file is empty",
            source=name,
            hint=f"known formats are {_listed([entry.name for entry in formats()])}",
        )
    if not fitting:
        raise FormatError(
            f"the content may be {_listed(possible, 'or')}, but nothing proves it",
            source=name,
            hint=f"name the format: {_listed(possible, 'or')}; {RAW_HINT}",
        )
    names = sorted({entry.name for entry in (*fitting, *claiming)})
    raise FormatError(
        f"the content fits {_listed([entry.name for entry in fitting], 'and')}, "
        + (f"the suffix {suffix} another format" if claiming else "and the suffix tells neither"),
        source=name,
        hint=f"name the format: {_listed(names, 'or')}",
    )


def _is_raw(head: bytes, name: str | None) -> bool:
    """Say whether a file holds raw values for sure; refuse text that nobody could read."""
    from conceptrank.io.raw import layout as raw_layout
    from conceptrank.io.raw import tables as raw_tables

    if raw_tables.kind_of(head, name) is not None:
        return True
    encoding = wide_encoding(head)
    if raw_tables.may_be_text(name) and raw_layout.holds_values(text_head(head)):
        return True
    if encoding:
        raise FormatError(
            f"is {encoding} text, expected UTF-8",
            source=name,
            hint=f"give encoding='{encoding.lower()}', or save it as UTF-8; {RAW_HINT}",
        )
    return False


def _writable_suffixes() -> list[str]:
    return [s for entry in formats() if entry.write is not None for s in entry.suffixes]


def _listed(words: list[str], last: str = "") -> str:
    if last and len(words) > 1:
        return f"{', '.join(words[:-1])} {last} {words[-1]}"
    return ", ".join(words)
