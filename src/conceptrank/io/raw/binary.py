"""Parquet, Feather (Arrow IPC) and Excel files, as frames.

The rows, columns and lengths that a file declares are checked against a limit before polars decodes
it, because polars ends the process when it can't reserve the memory that a damaged length asks for.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from conceptrank._util.lazy import pl
from conceptrank.errors import FormatError, UnknownNameError, install_command
from conceptrank.io.compression import MOST_RATIO
from conceptrank.io.registry import Fit, Format

# A table may have this many bytes whatever the size of its file; above it, the ratio is limited.
HARMLESS_TABLE = 1 << 28
_MOST_BYTES = 1 << 33
_ARROW = (b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")
_ARCHIVES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_CELL = re.compile(rb'<c\b[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')


def read_parquet(data: bytes, *, max_bytes: int | None = None) -> pl.DataFrame:
    """Read a Parquet file.

    Parameters
    ----------
    data
        The content of the file.
    max_bytes
        The most bytes that the table may take, each cell counted as at least 8. If None, 256 MiB,
        or 200 times the size of the file if that is more.

    Examples
    --------
    >>> import polars as pl
    >>> file = BytesIO()
    >>> pl.DataFrame({"age": [30, 41]}).write_parquet(file)
    >>> read_parquet(file.getvalue())["age"].to_list()
    [30, 41]
    """

    def decode(limit: int) -> pl.DataFrame:
        lazy = pl.scan_parquet(BytesIO(data))
        rows = lazy.select(pl.len()).collect().item()
        _refuse_size(8 * rows * len(lazy.collect_schema()), limit, data)
        return pl.read_parquet(BytesIO(data))

    return _decoded(data, "Parquet", decode, max_bytes)


def read_feather(data: bytes, *, max_bytes: int | None = None) -> pl.DataFrame:
    """Read a Feather file (Arrow IPC, as a file or as a stream); parameters as `read_parquet`.

    Examples
    --------
    >>> import polars as pl
    >>> file = BytesIO()
    >>> pl.DataFrame({"age": [30, 41]}).write_ipc(file)
    >>> read_feather(file.getvalue())["age"].to_list()
    [30, 41]
    """
    if data.startswith(b"FEA1"):
        raise FormatError(
            "is a Feather file of version 1, which is no longer supported",
            hint="write it again with version 2",
        )

    def decode(limit: int) -> pl.DataFrame:
        _refuse_size(sum(_arrow_lengths(data)), limit, data)
        read = pl.read_ipc if data.startswith(b"ARROW1") else pl.read_ipc_stream
        return read(BytesIO(data))

    return _decoded(data, "Feather", decode, max_bytes)


def read_excel(
    data: bytes,
    *,
    source: str | None = None,
    sheet: str | None = None,
    max_bytes: int | None = None,
) -> pl.DataFrame:
    """Read one sheet of an Excel file; its first row names the columns.

    Parameters
    ----------
    data, source, max_bytes
        As for `read_parquet`.
    sheet
        The name of the sheet; needed if there are several.
    """
    from importlib.util import find_spec

    if find_spec("fastexcel") is None:
        raise FormatError("Excel files need the package fastexcel", hint=install_command("excel"))

    def decode(limit: int) -> pl.DataFrame:
        import fastexcel

        if data.startswith(b"PK"):
            _refuse_size(_sheet_bytes(data, limit), limit, data)
        book = fastexcel.read_excel(data)
        sheets = book.sheet_names
        if sheet is None and len(sheets) != 1:
            raise FormatError(
                f"has {len(sheets)} sheets: {', '.join(map(repr, sheets[:10]))}",
                hint=f"name one: sheet={sheets[0]!r}" if sheets else None,
            )
        if sheet is not None and sheet not in sheets:
            raise UnknownNameError("sheet", sheet, sheets, where=source)
        frame: pl.DataFrame = book.load_sheet(sheet or sheets[0]).to_polars()
        return frame

    return _decoded(data, "Excel", decode, max_bytes)


def _decoded(
    data: bytes, kind: str, decode: Callable[[int], pl.DataFrame], max_bytes: int | None
) -> pl.DataFrame:
    """Return the table in a file; whatever goes wrong is a `FormatError`."""
    limit = max(HARMLESS_TABLE, MOST_RATIO * len(data)) if max_bytes is None else max_bytes
    try:
        frame = decode(limit)
    except (FormatError, UnknownNameError, MemoryError):
        raise
    # A panic of polars is no `Exception`.
    except (Exception, pl.exceptions.PanicException) as error:
        lines = str(error).strip().splitlines()
        raise FormatError(
            f"is damaged or not a file of {kind}: {lines[0] if lines else type(error).__name__}",
            hint="write or fetch the file again",
        ) from None
    _refuse_size(max(int(frame.estimated_size()), 8 * frame.height * frame.width), limit, data)
    return frame


def _refuse_size(size: int, limit: int, data: bytes) -> None:
    if size > limit:
        raise FormatError(
            f"{len(data):,} bytes hold a table of more than {limit:,} bytes",
            hint="raise max_bytes if the file can be trusted",
        )


def _arrow_lengths(data: bytes) -> Iterator[int]:
    """Yield the number of bytes that each compressed buffer of an Arrow file claims to unpack to.

    A message consists of a flatbuffer, which lists the buffers, and of these buffers. A compressed
    buffer begins with the length of its content.
    """
    for start, body in _arrow_messages(data):
        message = _Table.root(data, start)
        batch, kind = message.table(2), message.number(1, "<B")
        # Dictionaries are record batches inside of another table.
        batch = batch.table(1) if kind == 2 and batch is not None else batch
        if batch is None or kind not in (2, 3) or batch.table(3) is None:
            continue
        for place in batch.vector(2, 16):
            offset, length = struct.unpack_from("<qq", data, place)
            if length > 0:
                yield max(0, struct.unpack_from("<q", data, body + offset)[0])


def _arrow_messages(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the flatbuffer and the buffers of each message begin."""
    if data.startswith(b"ARROW1"):
        (length,) = struct.unpack_from("<i", data, len(data) - 10)
        footer = _Table.root(data, len(data) - 10 - length)
        for field in (2, 3):
            for place in footer.vector(field, 24):
                start, size = struct.unpack_from("<qi", data, place)
                yield start + 8, start + size
        return
    place = 0
    while place + 8 <= len(data):
        marker, size = struct.unpack_from("<Ii", data, place)
        if marker != 0xFFFFFFFF or size <= 0:
            return
        body = place + 8 + size
        yield place + 8, body
        place = body + _Table.root(data, place + 8).number(3, "<q")


class _Table:
    """A table of a flatbuffer: where it begins, and where its fields are."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data, self._start = data, start
        self._fields = start - self._read("<i", start)
        self._size = self._read("<H", self._fields)

    @classmethod
    def root(cls, data: bytes, start: int) -> _Table:
        """Return the table that a flatbuffer begins with."""
        return cls(data, start + struct.unpack_from("<I", data, start)[0])

    def number(self, field: int, layout: str) -> int:
        """Return a number, 0 if it is left out."""
        place = self._place(field)
        return self._read(layout, place) if place else 0

    def table(self, field: int) -> _Table | None:
        """Return a table inside of this one."""
        place = self._place(field)
        return _Table(self._data, place + self._read("<I", place)) if place else None

    def vector(self, field: int, size: int) -> range:
        """Return where the elements of a list begin, which have this size."""
        place = self._place(field)
        if not place:
            return range(0)
        start = place + self._read("<I", place)
        return range(start + 4, start + 4 + size * self._read("<I", start), size)

    def _place(self, field: int) -> int:
        within = 4 + 2 * field
        offset = self._read("<H", self._fields + within) if within < self._size else 0
        return self._start + offset if offset else 0

    def _read(self, layout: str, place: int) -> int:
        if place < 0:
            raise ValueError("a place before the beginning of the file")
        number: int = struct.unpack_from(layout, self._data, place)[0]
        return number


def _sheet_bytes(data: bytes, limit: int) -> int:
    """Return how many bytes the largest sheet of a workbook takes, empty cells included."""
    largest = 0
    try:
        with ZipFile(BytesIO(data)) as archive:
            _refuse_size(sum(part.file_size for part in archive.infolist()), limit, data)
            for name in archive.namelist():
                if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                    continue
                found = _CELL.findall(archive.read(name))
                width = max((_column(letters) for letters, _ in found), default=0)
                height = max((int(row) for _, row in found), default=0)
                largest = max(largest, 8 * width * height)
    except (BadZipFile, NotImplementedError, EOFError):
        return 0
    return largest


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


PARQUET = Format(
    name="parquet",
    suffixes=(".parquet", ".pq"),
    description="Parquet",
    sniff=lambda head: Fit.CERTAIN if head.startswith(b"PAR1") else Fit.NO,
    read=read_parquet,
    values=True,
    most_bytes=_MOST_BYTES,
    lines=False,
)
FEATHER = Format(
    name="feather",
    suffixes=(".feather", ".arrow", ".ipc", ".arrows"),
    description="Feather, or Arrow IPC",
    sniff=lambda head: Fit.CERTAIN if head.startswith(_ARROW) else Fit.NO,
    read=read_feather,
    values=True,
    most_bytes=_MOST_BYTES,
    lines=False,
)
EXCEL = Format(
    name="excel",
    suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    description="Excel and OpenDocument sheets",
    # Other files are archives too, so only a suffix or a format name decides.
    sniff=lambda head: Fit.POSSIBLE if head.startswith(_ARCHIVES) else Fit.NO,
    read=read_excel,
    values=True,
    most_bytes=_MOST_BYTES,
    lines=False,
)
