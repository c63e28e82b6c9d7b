"""Compressed files: gzip, bzip2, xz and Zstandard, recognised by their first bytes.

Data is unpacked piece by piece, as it is read. Data that unpacks to far more than its own size is
refused, so that a few kilobytes can't fill the memory.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from conceptrank.errors import FormatError, install_command

PIECE_BYTES = 1 << 18
# This many bytes may come out of any file; above it, the ratio is limited.
HARMLESS_BYTES = 1 << 24
MOST_RATIO = 200
_XZ_MEMORY = 1 << 29


class UnpackedSizeError(FormatError):
    """Compressed data unpacks to more than is allowed."""


class _Gzip:
    """`zlib` with the interface of the other decompressors: unused input stays inside."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


@dataclass(frozen=True)
class Codec:
    """A way to compress: its name, suffixes and first bytes, and how to compress and decompress."""

    name: str
    suffixes: tuple[str, ...]
    magic: re.Pattern[bytes]
    decompressor: Callable[[], Any]
    compress: Callable[[bytes], bytes]


def _zstd() -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd  # type: ignore[no-redef, unused-ignore]
        except ImportError:
            raise FormatError(
                "Zstandard data needs the package backports.zstd",
                hint=f"{install_command('zstd')}, or use gzip",
            ) from None
    return zstd


def _compress_zstd(data: bytes) -> bytes:
    zstd = _zstd()
    # Zstandard writes no checksum by default; the other codecs do.
    packed: bytes = zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})
    return packed


CODECS = (
    Codec(
        "gzip",
        (".gz", ".gzip"),
        re.compile(rb"\x1f\x8b"),
        _Gzip,
        lambda data: gzip.compress(data, mtime=0),
    ),
    # Longer than the signature, with which a text may begin.
    Codec(
        "bzip2",
        (".bz2",),
        re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
        bz2.BZ2Decompressor,
        bz2.compress,
    ),
    Codec(
        "xz",
        (".xz",),
        re.compile(rb"\xfd7zXZ\0"),
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
        lzma.compress,
    ),
    Codec(
        "Zstandard",
        (".zst", ".zstd"),
        re.compile(rb"\x28\xb5\x2f\xfd"),
        lambda: _zstd().ZstdDecompressor(),
        _compress_zstd,
    ),
)
LONGEST_MAGIC = 10


def codec_of_start(start: bytes) -> Codec | None:
    r"""Return the codec of data that begins with these bytes, or None.

    Examples
    --------
    >>> codec_of_start(b"\x1f\x8b\x08\x00").name, codec_of_start(b"B\n\n3\n")
    ('gzip', None)
    """
    return next((codec for codec in CODECS if codec.magic.match(start)), None)


def codec_of_name(name: str) -> Codec | None:
    """Return the codec that the suffix of a file name names, or None.

    Examples
    --------
    >>> codec_of_name("animals.cxt.xz").name, codec_of_name("animals.cxt")
    ('xz', None)
    """
    lower = name.lower()
    return next((codec for codec in CODECS if lower.endswith(codec.suffixes)), None)


def unpack(codec: Codec, file: Any, max_bytes: int | None) -> Iterator[bytes]:
    """Unpack a file piece by piece.

    Parameters
    ----------
    codec
        How it is compressed.
    file
        Where the packed bytes come from.
    max_bytes
        The most bytes that may come out. If None, everything up to 16 MiB may, and beyond
        that, up to 200 times what went in.

    Raises
    ------
    FormatError
        If the data is damaged or ends too early.
    UnpackedSizeError
        If the data unpacks to too much.

    Examples
    --------
    >>> from io import BytesIO
    >>> b"".join(unpack(CODECS[1], BytesIO(bz2.compress(b"1 2 3")), None))
    b'1 2 3'
    """
    taken = given = 0
    data = file.read(PIECE_BYTES)
    # Concatenated files unpack to the concatenated content.
    while data:
        decompressor = codec.decompressor()
        taken += len(data)
        while not decompressor.eof:
            piece = _step(codec, decompressor, data)
            given += len(piece)
            _refuse_bomb(codec, taken, given, max_bytes)
            if piece:
                yield piece
            data = b""
            if decompressor.needs_input and not decompressor.eof:
                data = file.read(PIECE_BYTES)
                taken += len(data)
                if not data and not piece:
                    raise FormatError(
                        f"the {codec.name} data ends too early",
                        hint="the file is cut off; fetch it again",
                    )
        taken -= len(decompressor.unused_data)
        data = _next_member(codec, decompressor.unused_data, file)


def _step(codec: Codec, decompressor: Any, data: bytes) -> bytes:
    try:
        piece: bytes = decompressor.decompress(data, PIECE_BYTES)
        return piece
    except MemoryError:
        raise
    except Exception as error:  # every codec has an error class of its own
        raise FormatError(
            f"the {codec.name} data is damaged", hint="fetch the file again"
        ) from error


def _next_member(codec: Codec, data: bytes, file: Any) -> bytes:
    """Return the data from the next member on, without the zeros before it."""
    data = (data or file.read(PIECE_BYTES)).lstrip(b"\0")
    while not data and (more := file.read(PIECE_BYTES)):
        data = more.lstrip(b"\0")
    if 0 < len(data) < LONGEST_MAGIC:
        data += file.read(PIECE_BYTES)
    if data and not codec.magic.match(data):
        raise FormatError(
            f"something else follows the {codec.name} data",
            hint="the file is damaged; fetch it again",
        )
    return data


def _refuse_bomb(codec: Codec, taken: int, given: int, max_bytes: int | None) -> None:
    if max_bytes is not None:
        if given > max_bytes:
            raise UnpackedSizeError(
                f"unpacks to more than {max_bytes:,} bytes",
                hint="raise max_bytes if the file can be trusted",
            )
    elif given > HARMLESS_BYTES and given > MOST_RATIO * taken:
        raise UnpackedSizeError(
            f"the {codec.name} data unpacks to more than {MOST_RATIO} times its size",
            hint="if the file can be trusted, allow its size with max_bytes",
        )
