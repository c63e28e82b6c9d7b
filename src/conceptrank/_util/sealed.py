"""Seals, which are checksums of whole files, and the guard around code that reads damaged ones.

A sealed file contains the text `conceptrank-sha256:` and 64 hexadecimal digits near its end: the
SHA-256 of all its bytes, computed while the digits were zeros. Any format that can hold a short
text can be sealed, and a reader checks the seal before it parses anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from conceptrank.errors import FormatError

_MARK = b"conceptrank-sha256:"
_ZEROS = b"0" * 64
# What to write in place of the seal.
UNSEALED = (_MARK + _ZEROS).decode()


def seal(content: bytes | memoryview) -> bytearray:
    """Return the content of a file with its seal in the place of the last `UNSEALED`.

    Examples
    --------
    >>> sealed = seal(f'{{"a": 1, "seal": "{UNSEALED}"}}'.encode())
    >>> is_intact(sealed), is_intact(sealed.replace(b"1", b"2"))
    (True, False)
    """
    sealed = bytearray(content)
    place = sealed.rindex(UNSEALED.encode()) + len(_MARK)
    sealed[place : place + 64] = hashlib.sha256(sealed).hexdigest().encode()
    return sealed


def is_intact(content: bytes | bytearray) -> bool | None:
    """Return whether the seal in the content of a file is right; None if there is no seal."""
    if (place := content.rfind(_MARK)) < 0:
        return None
    place += len(_MARK)
    stored = content[place : place + 64]
    digest = hashlib.sha256(memoryview(content)[:place])
    digest.update(_ZEROS)
    digest.update(memoryview(content)[place + 64 :])
    return stored == digest.hexdigest().encode()


def refuse_other(
    about: Mapping[str, object], name: str, version: int, *, source: str, writer: object = None
) -> None:
    """Refuse a file of another format or version, and name the program that wrote it.

    Examples
    --------
    >>> refuse_other({"format": "a run", "version": 2}, "a run", 1, source="a.json", writer="9.1")
    Traceback (most recent call last):
    conceptrank.errors.FormatError: a.json: version 2 of a run is unknown (hint: it was written ...
    """
    if about["format"] != name:
        raise FormatError(f"holds {about['format']!r}, not {name!r}", source=source)
    if str(about["version"]) != str(version):
        hint = f"it was written by conceptrank {writer}" if writer is not None else None
        reason = f"version {about['version']} of {name} is unknown"
        raise FormatError(reason, source=source, hint=hint)


@contextmanager
def reading(source: str, *, hint: str | None = None) -> Iterator[None]:
    """Turn every error of parsing a damaged file into a `FormatError`.

    Parsers fail in many ways: polars panics, JSON recurses too deeply, a value has another type
    than expected. The code inside should work on content that is already in memory, so that no
    failure of the disk is reported as damage.

    Parameters
    ----------
    source
        The name of the file, for the message.
    hint
        What to do about it, for the message.

    Examples
    --------
    >>> with reading("a.json"):
    ...     {}["format"]
    Traceback (most recent call last):
    conceptrank.errors.FormatError: a.json: is damaged: KeyError: 'format'
    """
    try:
        yield
    except BaseException as error:
        # An error with a source is about this file already. A panic of polars is no `Exception`.
        if getattr(error, "source", None) is not None or isinstance(error, MemoryError):
            raise
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        reason = f"is damaged: {kind}{error}".strip().splitlines()[0]
        raise FormatError(reason, source=source, hint=hint) from None
