"""NumPy's `.npy` and `.npz`: a matrix of 0 and 1, or a sparse matrix as SciPy saves it.

They hold no names: objects and attributes are numbered from 1. Of a sparse matrix, every entry
that is not zero is a cross.
"""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank.context import Context
from conceptrank.errors import FormatError
from conceptrank.io.compression import HARMLESS_BYTES, MOST_RATIO
from conceptrank.io.losses import dropped_names
from conceptrank.io.registry import Fit, Format

_NPY_MAGIC = b"\x93NUMPY"
_ZIP_MAGIC = b"PK\x03\x04"
_MOST_BYTES = 1 << 33


def sniff_npy(head: bytes) -> Fit:
    r"""Return whether a file begins as `.npy` files do.

    Examples
    --------
    >>> sniff_npy(b"\x93NUMPY\x01\x00").name, sniff_npy(b"1 2 3").name
    ('CERTAIN', 'NO')
    """
    return Fit.CERTAIN if head.startswith(_NPY_MAGIC) else Fit.NO


def sniff_npz(head: bytes) -> Fit:
    r"""Return whether a file is a ZIP archive whose first member is an array.

    Examples
    --------
    >>> sniff_npz(write_npz(Context("ab", "cd", [[1, 0], [1, 1]]))).name
    'CERTAIN'
    """
    return Fit.CERTAIN if head.startswith(_ZIP_MAGIC) and b".npy" in head[:300] else Fit.NO


def read_npy(data: bytes) -> Context:
    """Read a matrix of truth values, or of ones and zeros.

    Examples
    --------
    >>> read_npy(write_npy(Context("12", "12", [[1, 0], [1, 1]]))).crosses
    3
    """
    return Context.from_numpy(_array(data))


def read_npz(data: bytes, *, array: str | None = None) -> Context:
    """Read the only matrix in an archive, the one of a name, or a sparse matrix.

    Parameters
    ----------
    data
        The content of a file.
    array
        The name of the matrix; needed if there are several.

    Raises
    ------
    FormatError
        If the archive is damaged, or holds no such matrix.

    Examples
    --------
    >>> read_npz(write_npz(Context("12", "12", [[1, 0], [1, 1]]))).crosses
    3
    """
    members = _members(data)
    if array is None and {"format", "shape"} <= set(members):
        return _sparse(data, members)
    if array is None and len(members) == 1:
        array = next(iter(members))
    if array not in members:
        raise FormatError(
            f"holds {len(members)} arrays: {', '.join(map(repr, list(members)[:10]))}"
            if array is None
            else f"holds no array {array!r}",
            hint=f"name one: array={next(iter(members), '')!r}",
        )
    return Context.from_numpy(_array(members[array]))


def write_npy(context: Context) -> bytes:
    """Return the crosses of a context as a matrix of truth values."""
    file = BytesIO()
    np.save(file, context.to_numpy(), allow_pickle=False)
    return file.getvalue()


def write_npz(context: Context) -> bytes:
    """Return the crosses of a context as a sparse matrix, which `scipy.sparse.load_npz` reads."""
    indptr, indices = context.rows()
    arrays = {
        "format": np.array(b"csr"),
        "shape": np.array(context.shape, dtype=np.int64),
        "data": np.ones(len(indices), dtype=np.bool_),
        "indices": indices.astype(np.int64),
        "indptr": indptr,
    }
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, array in arrays.items():
            file = BytesIO()
            np.save(file, array, allow_pickle=False)
            # Without a time, so that equal contexts give equal files.
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = zipfile.ZIP_DEFLATED
            opened.writestr(member, file.getvalue())
    return archive.getvalue()


def _array(data: bytes) -> NDArray[Any]:
    """Return the array in an `.npy` file; its size is checked before any memory is taken."""
    file = BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, fortran, dtype = read_header(file)
        if dtype.hasobject or any(length < 0 for length in shape):
            raise ValueError("it holds Python objects")
        size = int(np.prod([int(length) for length in shape], dtype=object)) * dtype.itemsize
        if size != len(data) - file.tell():
            raise ValueError(f"{size:,} bytes are announced, {len(data) - file.tell():,} are there")
        flat = np.frombuffer(data, dtype=dtype, offset=file.tell())
        return flat.reshape(shape, order="F" if fortran else "C")
    except MemoryError:
        raise
    except Exception as error:  # NumPy evaluates the header as Python, with any error of Python
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise FormatError(
            f"is damaged or not a NumPy file: {reason[0]}",
            hint="write it again with numpy.save(..., allow_pickle=False)",
        ) from error


def _members(data: bytes) -> dict[str, bytes]:
    """Return the files in an archive by name; refuse one that unpacks to far too much."""
    limit = max(HARMLESS_BYTES, MOST_RATIO * len(data))
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for member in archive.infolist():
                with archive.open(member) as file:
                    content = file.read(limit + 1)
                limit -= len(content)
                if limit < 0:
                    raise FormatError(
                        f"{len(data):,} bytes unpack to more than {MOST_RATIO} times their size",
                        hint="unpack the archive if it can be trusted",
                    )
                found[member.filename.removesuffix(".npy")] = content
    except FormatError:
        raise
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, RuntimeError, EOFError) as error:
        raise FormatError(
            f"is damaged or not a NumPy archive: {error}",
            hint="write it again with numpy.savez or scipy.sparse.save_npz",
        ) from error
    return found


def _sparse(data: bytes, members: dict[str, bytes]) -> Context:
    import scipy.sparse as sp

    arrays = {name: _array(content) for name, content in members.items()}
    try:
        shape = tuple(int(length) for length in arrays["shape"])
        if len(shape) != 2 or max(shape) >= 1 << 32 or min(shape) < 0:
            raise ValueError(f"shape {shape}")
        matrix: Any = sp.load_npz(BytesIO(data))
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        return Context.from_scipy(matrix)
    except (LookupError, ValueError, TypeError, ArithmeticError, NotImplementedError) as error:
        raise FormatError(
            f"is no sparse matrix of SciPy: {error}",
            hint="write it again with scipy.sparse.save_npz",
        ) from error


NPY = Format(
    name="npy",
    suffixes=(".npy",),
    description="NumPy matrix of 0 and 1 without names",
    sniff=sniff_npy,
    read=read_npy,
    write=write_npy,
    drops=dropped_names,
    most_bytes=_MOST_BYTES,
    lines=False,
    notices_cuts=True,
)
NPZ = Format(
    name="npz",
    suffixes=(".npz",),
    description="NumPy archive: a matrix of 0 and 1, or a sparse matrix of SciPy",
    sniff=sniff_npz,
    read=read_npz,
    write=write_npz,
    drops=dropped_names,
    most_bytes=_MOST_BYTES,
    lines=False,
    notices_cuts=True,
)
