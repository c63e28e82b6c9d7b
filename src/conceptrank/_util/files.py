"""Files that appear as a whole or not at all: `write_whole`, `write_whole_text`, `give_up`."""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from conceptrank.errors import WriteError

# Names of open streams, such as /dev/stdout and /dev/fd/3. Writing must not replace them.
_OPEN_ALREADY = re.compile(r"/dev/(stdin|stdout|stderr|fd/.*)|/proc/.*")
# How polars reports an error of the operating system.
_NUMBER = re.compile(r"\(os error (\d+)\)")
# Temporary names keep this many characters, so that no name is longer than the system allows.
_LETTERS = 40
# The temporary files that are being written, and the lock under which they are created.
_unfinished: set[Path] = set()
_creating = threading.Lock()


def write_whole(path: str | os.PathLike[str], write_to: Callable[[IO[bytes]], object]) -> None:
    """Write a file as a whole or not at all, whatever ends the work.

    The content goes to a temporary file in the same directory, which is renamed when all of it is
    on the disk. Until then the old file stays. After this function returns, the new file survives
    a power cut. A link stays a link, and a replaced file passes on its permissions. A device, a
    pipe, and a file in a directory that takes no other file are written in place.

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
    with as_write_error(named):
        if "\0" in named:
            raise OSError(errno.EINVAL, "no name of a file has a null character")
        target = Path(os.path.realpath(named))
        plain = is_plain(named)
        if plain and (not target.exists() or os.access(target.parent, os.W_OK)):
            _replace(target, write_to)
        else:
            # Append, because /dev/stdout may have content already (`>>`).
            with open(named, "wb" if plain else "ab") as file:
                write_to(file)


def write_whole_text(path: str | os.PathLike[str], text: str) -> None:
    r"""Write a text, in UTF-8, as a whole or not at all; see `write_whole`.

    A lone surrogate, which a file's name may contain, becomes a question mark.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     write_whole_text(directory + "/a.txt", "naïve")
    ...     Path(directory, "a.txt").read_bytes()
    b'na\xc3\xafve'
    """
    write_whole(path, lambda file: file.write(text.encode(errors="replace")))


def give_up() -> None:
    """Remove the files that other threads are still writing, and let no thread begin another.

    For a program that ends without waiting for these threads.
    """
    _creating.acquire()
    for partial in [*_unfinished]:
        with suppress(OSError):  # Windows removes no file that is open.
            partial.unlink(missing_ok=True)


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names a regular file or nothing yet, rather than a device or a pipe.

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
    """Return the number of the operating system's error that an exception reports, if any.

    Examples
    --------
    >>> number_of(OSError(28, "No space left on device")), number_of(ValueError("a mistake"))
    (28, None)
    >>> number_of(OSError("parquet: No space left on device (os error 28)"))
    28
    """
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _NUMBER.search(str(error))
    return None if found is None else int(found[1])


def _replace(target: Path, write_to: Callable[[IO[bytes]], object]) -> None:
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not os.access(target, os.W_OK):
        # `replace()` ignores the target's write permission, so check it first.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    partial = target.with_name(f".{target.name[:_LETTERS]}.{uuid.uuid4().hex[:12]}.part")
    try:
        with _creating:
            _unfinished.add(partial)
            file = partial.open("xb")
        with file:
            write_to(file)
            file.flush()
            # Some disks report that they are full only here.
            os.fsync(file.fileno())
        if mode is not None:
            with suppress(OSError):  # Not every file system has permissions.
                partial.chmod(stat.S_IMODE(mode))
        partial.replace(target)
        _sync_directory(target.parent)
    finally:
        partial.unlink(missing_ok=True)
        _unfinished.discard(partial)


def _sync_directory(directory: Path) -> None:
    """Make a rename survive a power cut, where the system can do that."""
    with suppress(OSError):  # Windows opens no directory, and some file systems can't sync one.
        opened = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def as_write_error(path: str) -> Iterator[None]:
    """Raise an error of the operating system as a `WriteError` that names the target.

    The original error may name the temporary file or none, or be one of polars' own errors.
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
