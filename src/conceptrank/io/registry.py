"""The formats that are known, how one of them is recognised, and `load` and `save`.

Detection asks the content first and the suffix second. A signature (the `B` of a Burmeister
file) settles it. Otherwise content and suffix must leave exactly one format; if they leave
none or several, that is an error with the candidates, never a guess.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.sources import Source, read_bytes, suffix_of, write_bytes

__all__ = ["Format", "formats", "load", "register", "save"]

HEAD_BYTES = 1 << 16


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
        Takes the first bytes of a file and says whether they can belong to this format.
    read
        Takes all bytes, and `source=` (the file's name for messages) and the format's own
        options as keywords; returns the context or raises `FormatError`.
    write
        Takes a context and `source=`, returns the bytes; None if the format is only read.
    decisive
        Whether a yes of `sniff` is proof, so that other suffixes don't count.
    options
        The names of the format's own keywords.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    sniff: Callable[[bytes], bool]
    read: Callable[..., Context]
    write: Callable[..., bytes] | None = None
    decisive: bool = False
    options: tuple[str, ...] = ()


_FORMATS: dict[str, Format] = {}


def register(format: Format) -> Format:  # noqa: A002
    """Add a format to those that `load` and `save` know, and return it.

    Examples
    --------
    >>> register(formats()[0])
    Traceback (most recent call last):
    ValueError: there is a format 'burmeister' already
    """
    if format.name in _FORMATS:
        raise ValueError(f"there is a format {format.name!r} already")
    _FORMATS[format.name] = format
    return format


def formats() -> tuple[Format, ...]:
    """Return the known formats.

    Examples
    --------
    >>> [(entry.name, entry.suffixes) for entry in formats()][0]
    ('burmeister', ('.cxt', '.ctx'))
    """
    return tuple(_FORMATS.values())


def load(source: Source, *, format: str | None = None, **options: object) -> Context:  # noqa: A002
    r"""Read a context from a file.

    Parameters
    ----------
    source
        A path, or a file open for reading. Compressed files (gzip) are read as they are.
    format
        The name of a format or one of its suffixes (`"burmeister"`, `"cxt"`); detected if None.
    **options
        Keywords of the format's own reader, such as `empty_lines` of FIMI.

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
    >>> from io import StringIO
    >>> context = load(StringIO("food,sweet,red\ncherry,X,X\nhoney,X,\n"))
    >>> context.objects, context.attributes
    (('cherry', 'honey'), ('sweet', 'red'))
    >>> load(StringIO("cherry red"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: the content fits no known format (hint: ...)
    """
    data, name = read_bytes(source)
    chosen = _find(format) if format is not None else _detect(data, name)
    for option in options:
        if option not in chosen.options:
            raise UnknownNameError("option", option, chosen.options, where=f"format {chosen.name}")
    return chosen.read(data, source=name, **options)


def save(context: Context, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write a context to a file, compressed if the name ends in `.gz`.

    Nothing is written if the format can't hold the context.

    Parameters
    ----------
    context
        The context.
    path
        Where to.
    format
        The name of a format or one of its suffixes; told by the suffix of the path if None.

    Raises
    ------
    FormatError
        If the format can't hold a name, or the file can't be written.
    UnknownNameError
        If there is no such format.

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
    write_bytes(name, chosen.write(context, source=name))


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


def _detect(data: bytes, name: str | None) -> Format:
    head = _head(data)
    by_content = [entry for entry in formats() if entry.sniff(head)]
    decisive = [entry for entry in by_content if entry.decisive]
    if len(decisive) == 1:
        return decisive[0]
    suffix = suffix_of(name)
    by_suffix = [entry for entry in formats() if suffix in entry.suffixes]
    if not by_content and len(by_suffix) == 1:
        # The file claims to be of this format: its reader knows best what is wrong with it.
        return by_suffix[0]
    candidates = [entry for entry in by_content if entry in by_suffix] if by_suffix else by_content
    if len(candidates) == 1:
        return candidates[0]
    if not by_content:
        raise FormatError(
            "the content fits no known format" if data.strip() else "the file is empty",
            source=name,
            hint=f"known formats are {_listed(sorted(_FORMATS))}",
        )
    names = sorted({entry.name for entry in (*by_content, *by_suffix)})
    fitting = _listed([entry.name for entry in by_content], "and")
    raise FormatError(
        f"the content fits {fitting}, "
        + (f"the suffix {suffix} another format" if by_suffix else "and the suffix tells neither"),
        source=name,
        hint=f"name the format: {_listed(names, 'or')}",
    )


def _head(data: bytes) -> bytes:
    """Return the first lines, none of them cut off: 64 KiB of them, and at least three."""
    stop = 0
    for _ in range(3):
        stop = data.find(b"\n", stop) + 1
        if stop == 0:
            return data
    if len(data) <= HEAD_BYTES:
        return data
    return data[: max(stop, data.rfind(b"\n", 0, HEAD_BYTES) + 1)]


def _writable_suffixes() -> list[str]:
    return [s for entry in formats() if entry.write is not None for s in entry.suffixes]


def _listed(words: list[str], last: str = "") -> str:
    if last and len(words) > 1:
        return f"{', '.join(words[:-1])} {last} {words[-1]}"
    return ", ".join(words)
