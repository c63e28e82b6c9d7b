"""Files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from conceptrank.errors import WriteError

# Names of what is open already, /dev/stdout and /dev/fd/3: a file of that name would be another.
_OPEN_ALREADY = re.compile(r"/dev/(stdin|stdout|stderr|fd/.*)|/proc/.*")
# How polars tells what the operating system said.
_NUMBER = re.compile(r"\(os error (\d+)\)")
# A hidden name may not be longer than the system allows, whatever the letters.
_LETTERS = 40


def write_whole(path: str | os.PathLike[str], write_to: Callable[[IO[bytes]], object]) -> None:
    """Write a file as a whole or not at all, whatever ends the work.

    It is written under another name beside it and renamed when all of it is on the disk: until
    then, what was there before is there. A link stays a link, and a file that is replaced hands on
    its rights. A device, a pipe, and a file in a directory that takes no other are written in
    place.

    Parameters
    ----------
    path
        The file.
    write_to
        Writes the content to an open file.

    Raises
    ------
    WriteError
        If that can't be done.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     write_whole(directory + "/a.txt", lambda file: file.write(b"all of it"))
    ...     Path(directory, "a.txt").read_text(), os.listdir(directory)
    ('all of it', ['a.txt'])
    """
    named = os.fsdecode(path)
    with told_as_ours(named):
        if "\0" in named:
            raise OSError(errno.EINVAL, "no name of a file has a null character")
        target = Path(os.path.realpath(named))
        plain = is_plain(named)
        if plain and (not target.exists() or os.access(target.parent, os.W_OK)):
            _replace(target, write_to)
        else:
            # What /dev/stdout had before (`>>`) stays before.
            with open(named, "wb" if plain else "ab") as file:
                write_to(file)


def write_whole_text(path: str | os.PathLike[str], text: str) -> None:
    r"""Write a text, in UTF-8, as a whole or not at all; see `write_whole`.

    What is half a character only, as a file's name may have it, becomes a question mark.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     write_whole_text(directory + "/a.txt", "naïve")
    ...     Path(directory, "a.txt").read_bytes()
    b'na\xc3\xafve'
    """
    write_whole(path, lambda file: file.write(text.encode(errors="replace")))


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Say whether a path names a regular file, or nothing yet; no device and no pipe.

    Examples
    --------
    >>> is_plain("not there yet.csv"), is_plain("/dev/stdout"), is_plain("/dev/null")
    (True, False, False)
    """
    step = os.path.abspath(path)
    # One link at a time: /dev/stdout may lead to a regular file in the end.
    for _ in range(40):
        if _OPEN_ALREADY.fullmatch(step):
            return False
        if not os.path.islink(step):
            break
        step = os.path.abspath(os.path.join(os.path.dirname(step), os.readlink(step)))
    return os.path.isfile(path) or not os.path.exists(path)


def number_of(error: Exception) -> int | None:
    """Return the number of what the operating system said, if that is what an error tells.

    Examples
    --------
    >>> number_of(OSError(28, "No space left on device")), number_of(ValueError("a mistake"))
    (28, None)
    >>> number_of(OSError("parquet: No space left on device (os error 28)"))
    28
    """
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    told = _NUMBER.search(str(error))
    return None if told is None else int(told[1])


def _replace(target: Path, write_to: Callable[[IO[bytes]], object]) -> None:
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not os.access(target, os.W_OK):
        # A rename wouldn't ask.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    partial = target.with_name(f".{target.name[:_LETTERS]}.{uuid.uuid4().hex[:12]}.part")
    try:
        with partial.open("xb") as file:
            write_to(file)
            file.flush()
            # A disk that is full, or ends, may tell as late as here.
            os.fsync(file.fileno())
        if mode is not None:
            with suppress(OSError):  # Not every file system has rights.
                partial.chmod(stat.S_IMODE(mode))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def told_as_ours(path: str) -> Iterator[None]:
    """Raise what the operating system says about a file as an error that names it.

    Nobody has heard of the file beside it, a full disk names none, and polars has errors of its
    own.
    """
    try:
        yield
    except Exception as error:
        number = number_of(error)
        if number is None and not isinstance(error, OSError):
            raise
        reason = getattr(error, "strerror", None) or (os.strerror(number) if number else str(error))
        if number == errno.ENOENT:
            directory = os.path.dirname(path)
            reason = f"there is no directory {directory}" if directory else "its directory is gone"
        raise WriteError(number or 0, reason, path) from error
