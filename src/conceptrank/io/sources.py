"""Bytes in and out: paths and open files, gzip, and what can go wrong with them.

Whatever the operating system or the compression complains about becomes a `FormatError`
of one line, so that nobody has to know where the bytes came from.
"""

from __future__ import annotations

import errno
import gzip
import os
import zlib
from difflib import get_close_matches
from pathlib import Path
from typing import IO, TypeAlias

from conceptrank.errors import FormatError

__all__ = ["MissingFileError", "Source", "read_bytes", "suffix_of", "write_bytes"]

Source: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"

GZIP_MAGIC = b"\x1f\x8b"


class MissingFileError(FormatError, FileNotFoundError):
    """There is no file of that name; also a `FileNotFoundError`.

    Examples
    --------
    >>> error = MissingFileError("animals.cxt", hint="check the path")
    >>> print(error)
    no such file: animals.cxt (hint: check the path)
    >>> isinstance(error, FileNotFoundError), error.filename
    (True, 'animals.cxt')
    """

    def __init__(self, path: str, *, hint: str | None = None) -> None:
        super().__init__(f"no such file: {path}", hint=hint)
        self.errno = errno.ENOENT
        self.filename = path


def read_bytes(source: Source) -> tuple[bytes, str | None]:
    """Return everything that a path or an open file holds, decompressed, and its name.

    Parameters
    ----------
    source
        A path, or a file open for reading in binary or text mode.

    Returns
    -------
    tuple
        The bytes, and the name to use in messages (None if an open file has none).

    Examples
    --------
    >>> from io import BytesIO
    >>> read_bytes(BytesIO(gzip.compress(b"1 2 3")))
    (b'1 2 3', None)
    """
    if isinstance(source, str | os.PathLike):
        name: str | None = os.fsdecode(source)
        data = _read_path(name or "")
    else:
        given = getattr(source, "name", None)
        name = given if isinstance(given, str) else None
        data = _read_open_file(source, name)
    if data.startswith(GZIP_MAGIC):
        data = _decompress(data, name)
    return data, name


def write_bytes(path: str, data: bytes) -> None:
    """Write the bytes to a path, compressed if the name ends in `.gz`.

    The time is left out of compressed files, so that equal contexts give equal files.
    """
    if path.lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    try:
        Path(path).write_bytes(data)
    except (OSError, ValueError) as error:
        raise FormatError(f"can't be written: {_reason(error)}", source=path) from error


def suffix_of(name: str | None) -> str:
    """Return the suffix that tells the format: lower case, `.gz` looked through.

    Examples
    --------
    >>> suffix_of("data/Mushroom.DAT.gz"), suffix_of("README"), suffix_of(None)
    ('.dat', '', '')
    """
    path = Path(name or "")
    if path.suffix.lower() == ".gz":
        path = path.with_suffix("")
    return path.suffix.lower()


def _read_path(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFileError(path, hint=_nearby(path)) from error
    except IsADirectoryError as error:
        raise FormatError(
            "is a directory, not a file", source=path, hint="name a file inside it"
        ) from error
    except (OSError, ValueError) as error:
        raise FormatError(
            f"can't be read: {_reason(error)}", source=path, hint="check the path and its rights"
        ) from error


def _read_open_file(file: IO[bytes] | IO[str], name: str | None) -> bytes:
    try:
        content = file.read()
        return content.encode() if isinstance(content, str) else bytes(content)
    except UnicodeError as error:
        raise FormatError(
            f"is not UTF-8 text: {error.reason if hasattr(error, 'reason') else error}",
            source=name,
            hint="open the file in binary mode, or with its encoding",
        ) from error
    except OSError as error:
        raise FormatError(f"can't be read: {_reason(error)}", source=name) from error


def _decompress(data: bytes, name: str | None) -> bytes:
    try:
        return gzip.decompress(data)
    except EOFError as error:
        raise FormatError(
            "the gzip data ends too early", source=name, hint="the file is cut off; fetch it again"
        ) from error
    except (OSError, zlib.error) as error:
        raise FormatError(
            "the gzip data is damaged", source=name, hint="fetch the file again"
        ) from error


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _nearby(path: str) -> str:
    """Say which file in the same directory was probably meant."""
    directory, wanted = os.path.split(path)
    try:
        there = sorted(os.listdir(directory or "."))
    except (OSError, ValueError):
        return f"there is no directory {directory}"
    nearest = get_close_matches(wanted, there, n=1)
    return f"did you mean {os.path.join(directory, nearest[0])}?" if nearest else "check the path"
