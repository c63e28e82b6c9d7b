"""Parquet, Feather (Arrow IPC) and Excel files, as frames."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

from conceptrank.errors import FormatError, UnknownNameError
from conceptrank.io.compression import HARMLESS_BYTES, MOST_RATIO

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_excel", "read_feather", "read_parquet"]


def read_parquet(data: bytes, *, source: str | None = None) -> pl.DataFrame:
    """Read a Parquet file.

    Examples
    --------
    >>> import polars as pl
    >>> file = BytesIO()
    >>> pl.DataFrame({"age": [30, 41]}).write_parquet(file)
    >>> read_parquet(file.getvalue())["age"].to_list()
    [30, 41]
    """
    import polars as pl

    frame: pl.DataFrame = _guarded(pl.read_parquet, data, "Parquet", source)
    return frame


def read_feather(data: bytes, *, source: str | None = None) -> pl.DataFrame:
    """Read a Feather file (Arrow IPC, as a file or as a stream).

    Examples
    --------
    >>> import polars as pl
    >>> file = BytesIO()
    >>> pl.DataFrame({"age": [30, 41]}).write_ipc(file)
    >>> read_feather(file.getvalue())["age"].to_list()
    [30, 41]
    """
    import polars as pl

    if data.startswith(b"FEA1"):
        raise FormatError(
            "is a Feather file of version 1, which has been given up",
            source=source,
            hint="write it again with version 2",
        )
    reader = pl.read_ipc if data.startswith(b"ARROW1") else pl.read_ipc_stream
    frame: pl.DataFrame = _guarded(reader, data, "Feather", source)
    return frame


def read_excel(data: bytes, *, source: str | None = None, sheet: str | None = None) -> pl.DataFrame:
    """Read one sheet of an Excel file; its first row names the columns.

    Parameters
    ----------
    data
        The content of the file.
    source
        Its name, for messages.
    sheet
        The name of the sheet; needed if there are several.
    """
    try:
        import fastexcel
    except ImportError:
        raise FormatError(
            "Excel files need the package fastexcel",
            source=source,
            hint="pip install 'conceptrank[excel]'",
        ) from None
    _refuse_bomb(data, source)
    book = _guarded(fastexcel.read_excel, data, "Excel", source, file=False)
    sheets: list[str] = book.sheet_names
    if sheet is None and len(sheets) != 1:
        raise FormatError(
            f"has {len(sheets)} sheets: {', '.join(map(repr, sheets[:10]))}",
            source=source,
            hint=f"name one: sheet={sheets[0]!r}" if sheets else None,
        )
    if sheet is not None and sheet not in sheets:
        raise UnknownNameError("sheet", sheet, sheets, where=source)
    frame: pl.DataFrame = _guarded(
        lambda _: book.load_sheet(sheet or sheets[0]).to_polars(), data, "Excel", source
    )
    return frame


def _guarded(
    reader: Callable[[Any], Any], data: bytes, kind: str, source: str | None, *, file: bool = True
) -> Any:
    """Return what a reader of another library makes of a file; whatever it raises is ours."""
    import polars as pl

    try:
        return reader(BytesIO(data) if file else data)
    except MemoryError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        lines = str(error).strip().splitlines()
        reason = lines[0].strip() if lines else type(error).__name__
        raise FormatError(
            f"is damaged or not a file of {kind}: {reason}",
            source=source,
            hint="write or fetch the file again",
        ) from error


def _refuse_bomb(data: bytes, source: str | None) -> None:
    """Refuse a workbook that unpacks to far more than its own size."""
    import zipfile

    if not zipfile.is_zipfile(BytesIO(data)):
        return
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise FormatError(f"is damaged or not a file of Excel: {error}", source=source) from error
    if size > max(HARMLESS_BYTES, MOST_RATIO * len(data)):
        raise FormatError(f"{len(data):,} bytes unpack to {size:,}: refused", source=source)
