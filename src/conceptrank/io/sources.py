"""`Content`, `read_bytes`, `write_bytes`: bytes of paths, URLs, open files and buffers.

Errors of the operating system, the network and the decompressors become a `FormatError` of one
line.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack
from difflib import get_close_matches
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Self, TypeAlias

from conceptrank._util.files import write_whole
from conceptrank.budget import poll
from conceptrank.errors import FormatError, naming
from conceptrank.io import compression, urls
from conceptrank.io.text import LONGEST_LINE, notice, overlong_line, transcoded

CUT_OFF = "the last line has no line end; is the file cut off?"

Source: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str] | bytes | bytearray | memoryview"

PIECE_BYTES = 1 << 20
HEAD_BYTES = 1 << 16
# The head holds at least three lines, unless they are longer than this.
_LONGEST_HEAD = 1 << 22


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
        self.errno: int = errno.ENOENT
        self.filename = path


class Content:
    r"""The content of a source, unpacked as it is read. It can be read once.

    Parameters
    ----------
    source
        A path, a URL (http, https, file), a file open for reading in binary or text mode, or
        the bytes themselves.
    max_bytes
        The most bytes that it may hold, unpacked; without one, only what is compressed is
        limited, see `compression.unpack`.
    encoding
        The encoding of a text, such as `"latin-1"`; the bytes come out as UTF-8. As they are if
        None.

    Attributes
    ----------
    name
        The name for messages; None if the source has none.
    compressed
        Whether the source is unpacked while it is read.

    Examples
    --------
    >>> import gzip
    >>> with Content(gzip.compress(b"1 2 3\n4 5\n")) as content:
    ...     content.head(), b"".join(content.pieces()), content.name
    (b'1 2 3\n4 5\n', b'1 2 3\n4 5\n', None)
    """

    def __init__(
        self, source: Source, *, max_bytes: int | None = None, encoding: str | None = None
    ) -> None:
        self.max_bytes = max_bytes
        self.encoding = encoding
        self._ends_line = True
        self.path: str | os.PathLike[str] | None = (
            source if isinstance(source, str | os.PathLike) else None
        )
        self._closing = ExitStack()
        self._ahead: list[bytes] = []
        self.name: str | None
        self.name, opened = _opened(source, self._closing)
        file = _Guarded(opened)
        try:
            with naming(self.name):
                start = file.read(compression.LONGEST_MAGIC)
                while 0 < len(start) < compression.LONGEST_MAGIC and (more := file.read(1)):
                    start += more
        except FormatError:
            self.close()
            raise
        file.start = start
        codec = compression.codec_of_start(start)
        self.compressed: bool = codec is not None
        pieces = compression.unpack(codec, file, max_bytes) if codec else self._plain(file)
        if encoding is not None:
            pieces = transcoded(pieces, encoding)
        self._pieces = self._watched(pieces)

    def notice_cut(self) -> None:
        """Warn if the last line that was read has no line end."""
        if not self._ends_line:
            notice(CUT_OFF, self.name)

    def head(self) -> bytes:
        """Return the first lines as a whole: about 64 KiB, and at least three lines."""
        head = bytearray().join(self._ahead)
        while (
            len(head) < HEAD_BYTES or (head.count(b"\n") < 3 and len(head) < _LONGEST_HEAD)
        ) and (piece := next(self._pieces, None)) is not None:
            self._ahead.append(piece)
            head += piece
        stop = 0
        for _ in range(3):
            stop = head.find(b"\n", stop) + 1
            if len(head) < HEAD_BYTES or stop == 0:
                return bytes(head)
        return bytes(head[: max(stop, head.rfind(b"\n", 0, HEAD_BYTES) + 1)])

    def pieces(self) -> Iterator[bytes]:
        """Yield everything from the beginning, piece by piece."""
        while self._ahead:
            yield self._ahead.pop(0)
        yield from self._pieces

    def whole(self, most: int, *, lines: bool = False) -> bytes:
        """Return everything.

        Parameters
        ----------
        most
            The most bytes that it may be, unless `max_bytes` was given.
        lines
            Whether there should be lines, so that an endless one is refused early.
        """
        pieces: list[bytes] = []
        size = line = 0
        most = most if self.max_bytes is None else self.max_bytes
        for piece in self.pieces():
            pieces.append(piece)
            size += len(piece)
            line = len(piece) - piece.rfind(b"\n") if b"\n" in piece else line + len(piece)
            number = 0
            if size > most or (lines and line > LONGEST_LINE):
                number = 1 + sum(part.count(b"\n") for part in pieces)
            if size > most:
                raise FormatError(
                    f"holds more than {most:,} bytes",
                    source=self.name,
                    line=number,
                    hint="if this is correct, raise max_bytes",
                )
            if number:
                with naming(self.name):
                    raise overlong_line(number)
        return b"".join(pieces)

    def close(self) -> None:
        """Close what was opened."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _watched(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        with naming(self.name):
            for piece in pieces:
                poll()
                # UTF-16 with the low byte first has a zero after the line end.
                self._ends_line = piece.endswith((b"\n", b"\n\0")) if piece else self._ends_line
                yield piece

    def _plain(self, file: _Guarded) -> Iterator[bytes]:
        given = 0
        while piece := file.read(PIECE_BYTES):
            given += len(piece)
            if self.max_bytes is not None and given > self.max_bytes:
                raise FormatError(
                    f"holds more than {self.max_bytes:,} bytes",
                    hint="if this is correct, raise max_bytes",
                )
            yield piece


def read_bytes(source: Source, *, max_bytes: int | None = None) -> tuple[bytes, str | None]:
    """Return everything that a source holds, decompressed, and its name.

    Parameters
    ----------
    source, max_bytes
        As for `Content`.

    Returns
    -------
    tuple
        The bytes, and the name to use in messages (None if there is none).

    Examples
    --------
    >>> import lzma
    >>> read_bytes(lzma.compress(b"1 2 3"))
    (b'1 2 3', None)
    """
    with Content(source, max_bytes=max_bytes) as content:
        return b"".join(content.pieces()), content.name


def write_bytes(path: str, data: bytes) -> None:
    """Write the bytes to a path, compressed if the name ends in `.gz`, `.bz2`, `.xz` or `.zst`.

    The time is left out of compressed files, so that equal contexts give equal files.
    """
    codec = compression.codec_of_name(path)
    if codec is not None:
        data = codec.compress(data)
    write_whole(path, lambda file: file.write(data))


def suffix_of(name: str | None) -> str:
    """Return the suffix of a name in lower case, without that of a compression.

    Examples
    --------
    >>> suffix_of("data/Mushroom.DAT.gz"), suffix_of("README"), suffix_of(None)
    ('.dat', '', '')
    """
    path = Path(name or "")
    if any(path.suffix.lower() in codec.suffixes for codec in compression.CODECS):
        path = path.with_suffix("")
    return path.suffix.lower()


class _Guarded:
    """An open file; its errors become `FormatError`, its text bytes."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.start = b""
        """Bytes to return first, because they were read already."""

    def read(self, size: int) -> bytes:
        if self.start:
            start, self.start = self.start, b""
            return start
        try:
            data = self._file.read(size)
            return data.encode() if isinstance(data, str) else bytes(data or b"")
        except UnicodeError as error:
            raise FormatError(
                f"is not UTF-8 text: {getattr(error, 'reason', error)}",
                hint="open the file in binary mode, or with its encoding",
            ) from error
        except FormatError:
            raise
        except (OSError, ValueError) as error:
            raise FormatError(f"can't be read: {_reason(error)}") from error


def _opened(source: Source, closing: ExitStack) -> tuple[str | None, Any]:
    """Return the name of a source and an open file."""
    if isinstance(source, bytes | bytearray | memoryview):
        return None, BytesIO(source)
    if isinstance(source, str) and urls.is_url(source):
        path = urls.local_path(source)
        if path is None:
            download = urls.Download(source)
            closing.callback(download.close)
            return download.name, download
        source = path
    if isinstance(source, str | os.PathLike):
        name = os.fsdecode(source)
        return name, closing.enter_context(_open_path(name))
    if not hasattr(source, "read"):
        raise FormatError(
            f"can't read from {type(source).__name__!r}",
            hint="give a path, a URL, an open file or bytes",
        )
    given = getattr(source, "name", None)
    return given if isinstance(given, str) else None, source


def _open_path(path: str) -> IO[bytes]:
    try:
        return open(path, "rb")
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


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _nearby(path: str) -> str:
    """Return which file in the same directory was probably meant."""
    directory, wanted = os.path.split(path)
    try:
        there = sorted(os.listdir(directory or "."))
    except (OSError, ValueError):
        return f"there is no directory {directory}"
    nearest = get_close_matches(wanted, there, n=1)
    return f"did you mean {os.path.join(directory, nearest[0])}?" if nearest else "check the path"
