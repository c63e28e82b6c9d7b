"""Parquet, Feather (Arrow IPC) and Excel files, as frames.

A damaged file of these kinds can end the process that decodes it, or make it take any amount of
memory. So a child process decodes them, with a limit on its memory; it is started once and serves
all further files. Where no child can be started, this process decodes them.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

from conceptrank._util.lazy import pl
from conceptrank.budget import current_watch, poll
from conceptrank.errors import FormatError, UnknownNameError, install_command
from conceptrank.io.compression import MOST_RATIO
from conceptrank.io.registry import Fit, Format

# A table may have this many bytes whatever the size of its file; above it, the ratio is limited.
HARMLESS_TABLE = 1 << 28
_MOST_BYTES = 1 << 33
_ARROW = (b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")
_ARCHIVES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


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
    return _decoded(data, "Parquet", max_bytes)


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
    return _decoded(data, "Feather", max_bytes)


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
    return _decoded(data, "Excel", max_bytes, source=source, sheet=sheet)


def _decoded(
    data: bytes,
    kind: str,
    max_bytes: int | None,
    *,
    source: str | None = None,
    sheet: str | None = None,
) -> pl.DataFrame:
    """Return the table in a file; whatever goes wrong is a `FormatError`."""
    limit = max(HARMLESS_TABLE, MOST_RATIO * len(data)) if max_bytes is None else max_bytes
    request = {"kind": kind, "bytes": len(data), "limit": limit, "sheet": sheet}
    header, table = _CHILD.ask(request, data)
    if "bytes" in header:
        return pl.read_ipc_stream(BytesIO(table))
    if "sheets" in header:
        sheets = header["sheets"]
        if sheet is not None:
            raise UnknownNameError("sheet", sheet, sheets, where=source)
        raise FormatError(
            f"has {len(sheets)} sheets: {', '.join(map(repr, sheets[:10]))}",
            hint=f"name one: sheet={sheets[0]!r}" if sheets else None,
        )
    if "too_large" in header:
        raise FormatError(
            f"{len(data):,} bytes hold a table of more than {limit:,} bytes",
            hint="raise max_bytes if the file can be trusted",
        )
    raise FormatError(
        f"is damaged or not a file of {kind}: {header['damaged']}",
        hint="write or fetch the file again",
    )


_BETWEEN_POLLS = 0.05


class _Child:
    """The process that decodes files; it starts with the first file, and again after a crash."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Return the answer to a request."""
        with self._lock:
            process = self._running()
            if process is None:
                from conceptrank.io.raw import child

                return child.answer(request, data)
            try:
                if current_watch() is None:
                    return _exchanged(process, request, data)
                with ThreadPoolExecutor(1) as pool:
                    answer = pool.submit(_exchanged, process, request, data)
                    try:
                        while not wait([answer], timeout=_BETWEEN_POLLS).done:
                            poll()
                    except BaseException:
                        # The thread waits for the process.
                        process.kill()
                        raise
                    return answer.result()
            except (OSError, EOFError, ValueError):
                self.stop()
                return {"damaged": "its decoder crashed, or ran out of memory"}, b""
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            for pipe in (process.stdin, process.stdout):
                try:
                    if pipe is not None:
                        pipe.close()
                except OSError:
                    pass
            process.wait()

    def _running(self) -> subprocess.Popen[bytes] | None:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self.stop()
            if not sys.executable:
                return None
            program = Path(__file__).with_name("child.py").read_text(encoding="utf-8")
            paths = os.pathsep.join(path for path in sys.path if path)
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", program],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": paths, "POLARS_MAX_THREADS": "2"},
                    # Ctrl-C is for the parent, which ends the child.
                    start_new_session=True,
                )
            except OSError:
                return None
            self._owner = os.getpid()
        return self._process


def _exchanged(
    process: subprocess.Popen[bytes], request: dict[str, Any], data: bytes
) -> tuple[dict[str, Any], bytes]:
    """Send a request to the process and return its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request).encode() + b"\n" + data)
    process.stdin.flush()
    header: dict[str, Any] = json.loads(process.stdout.readline())
    table = process.stdout.read(header.get("bytes", 0))
    if len(table) != header.get("bytes", 0):
        raise EOFError
    return header, table


_CHILD = _Child()
atexit.register(_CHILD.stop)


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
