"""Packed contexts: the distinct rows of a context in a file that processes map into memory.

The file begins with one line of JSON (names of the attributes, sizes, digest), padded to a multiple
of 64 bytes. The rows follow as offsets (int64), attribute numbers (uint32) and weights (uint32),
each at a multiple of 64 bytes, little-endian. The weight of a row is its number of objects. Objects
have no names in the file. Readers check every byte.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from conceptrank._util.lists import Lists, Numbers
from conceptrank._util.sealed import reading, refuse_other
from conceptrank.context import Context
from conceptrank.errors import FormatError

FORMAT = "conceptrank packed context"
VERSION = 1
_ALIGNED = 64


@dataclass(frozen=True)
class Packed:
    """The distinct rows of a context, the number of objects with each, and the attribute names."""

    attributes: tuple[str, ...]
    rows: Lists
    weights: Numbers

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.weights.sum(dtype=np.int64))

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all values, as hexadecimal text."""
        digest = hashlib.sha256(json.dumps([FORMAT, VERSION, self.attributes]).encode())
        for numbers in _stored(self):
            digest.update(len(numbers).to_bytes(8, "little"))
            digest.update(numbers.data)
        return digest.hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the packed context to a file, which `open_packed` maps into memory, as a whole.

        Examples
        --------
        >>> import conceptrank as cr
        >>> from tempfile import TemporaryDirectory
        >>> packed = pack(cr.datasets.load("movies"))
        >>> with TemporaryDirectory() as directory:
        ...     packed.save(directory + "/movies.packed")
        ...     cr.runs.open_packed(directory + "/movies.packed").digest == packed.digest
        True
        """
        from conceptrank._util.files import write_whole

        arrays = _stored(self)
        header = {
            "format": FORMAT,
            "version": VERSION,
            "attributes": self.attributes,
            "rows": len(self.weights),
            "crosses": len(self.rows[1]),
            "digest": self.digest,
        }

        def write_to(file: Any) -> None:
            file.write(_header_line(header))
            for numbers in arrays:
                file.write(numbers.data)
                file.write(bytes(_padded(numbers.nbytes) - numbers.nbytes))

        write_whole(path, write_to)

    @cached_property
    def context(self) -> Context:
        """The context; objects are numbered from 1, and objects with equal rows are neighbours.

        Examples
        --------
        >>> import conceptrank as cr
        >>> movies = cr.datasets.load("movies")
        >>> context = pack(movies).context
        >>> context.shape, context.n_distinct_rows, len(context.lattice()) == len(movies.lattice())
        ((11, 7), 10, True)
        """
        return Context.from_distinct_rows(self.attributes, self.rows, self.weights)


def pack(context: Context) -> Packed:
    """Return the distinct rows of a context.

    Examples
    --------
    >>> import conceptrank as cr
    >>> packed = pack(cr.datasets.load("movies"))
    >>> packed.n_objects, packed.weights.tolist()
    (11, [1, 1, 1, 1, 2, 1, 1, 1, 1, 1])
    """
    return Packed(context.attributes, *context.core.distinct_rows())


def read(path: str | os.PathLike[str], *, digest: str | None = None) -> Packed:
    """Map a packed context into memory.

    Parameters
    ----------
    path
        The file.
    digest
        The digest that the context must have; any if None.

    Raises
    ------
    FormatError
        If the file holds no packed context, a damaged one, or another one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> from tempfile import TemporaryDirectory
    >>> packed = pack(cr.datasets.load("movies"))
    >>> with TemporaryDirectory() as directory:
    ...     packed.save(directory + "/movies.packed")
    ...     read(directory + "/movies.packed", digest=packed.digest).attributes == packed.attributes
    True
    """
    source = os.fsdecode(path)
    header, begin = _header(Path(path), source)
    content = np.memmap(path, np.uint8, "r")
    lengths = (header["rows"] + 1, header["crosses"], header["rows"])
    arrays: list[Any] = []
    for length, dtype in zip(lengths, ("<i8", "<u4", "<u4"), strict=True):
        end = begin + length * np.dtype(dtype).itemsize
        if end > len(content):
            raise FormatError("is damaged: it is cut short", source=source)
        arrays.append(content[begin:end].view(dtype))
        begin += _padded(end - begin)
        if content[end:begin].any():
            raise FormatError("is damaged: its padding is not empty", source=source)
    if begin != len(content):
        raise FormatError("is damaged: it is too short or too long", source=source)
    packed = Packed(tuple(header["attributes"]), (arrays[0], arrays[1]), arrays[2])
    if packed.digest != header.get("digest"):
        raise FormatError("is damaged: its content is not what was written", source=source)
    if packed.digest != (digest or packed.digest):
        raise FormatError("contains another context than the requested one", source=source)
    return packed


def _header(path: Path, source: str) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        line = file.readline(1 << 30)
    with reading(source):
        header: dict[str, Any] = json.loads(line)
        refuse_other(header, FORMAT, VERSION, source=source)
        if not all(type(header[key]) is int and header[key] >= 0 for key in ("rows", "crosses")):
            raise ValueError("a size is no number")
        if not all(isinstance(name, str) for name in header["attributes"]):
            raise ValueError("a name is no text")
        if line != _header_line(header):
            raise ValueError("the header is not as it was written")
    return header, len(line)


def _header_line(header: dict[str, Any]) -> bytes:
    line = json.dumps(header, ensure_ascii=True).encode() + b"\n"
    return line.rjust(_padded(len(line)))


def _stored(packed: Packed) -> list[Any]:
    """Return the arrays as they are stored."""
    (offsets, values), weights = packed.rows, packed.weights
    wanted = ((offsets, "<i8"), (values, "<u4"), (weights, "<u4"))
    return [np.ascontiguousarray(numbers, dtype) for numbers, dtype in wanted]


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
