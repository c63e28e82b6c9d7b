"""The child process that decodes Parquet, Feather and Excel files for `raw_binary`.

Its parent starts it with the text of this file, so it imports nothing of conceptrank. It reads
requests from standard input until that ends: a line of JSON, then the bytes of a file. It answers
with a line of JSON, then the table as an Arrow stream.
"""

from __future__ import annotations

import contextlib
import json
import sys
from io import BytesIO
from typing import Any

import polars as pl

# The address space that polars reserves without using it.
_RESERVED = 1 << 30
_COPIES = 4


def limit_memory(limit: int) -> None:
    """Let this process take a few times as much memory as a table may have."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_RESERVED + _COPIES * limit, -1))


def table_of(request: dict[str, Any], data: bytes) -> pl.DataFrame:
    """Return the table in a file."""
    if request["kind"] == "Parquet":
        lazy = pl.scan_parquet(BytesIO(data))
        rows = lazy.select(pl.len()).collect().item()
        refuse_size(8 * rows * len(lazy.collect_schema()), request["limit"])
        return pl.read_parquet(BytesIO(data))
    if request["kind"] == "Feather":
        reader = pl.read_ipc if data.startswith(b"ARROW1") else pl.read_ipc_stream
        return reader(BytesIO(data))
    import fastexcel

    book = fastexcel.read_excel(data)
    if request["sheet"] is None and len(book.sheet_names) == 1:
        request["sheet"] = book.sheet_names[0]
    if request["sheet"] not in book.sheet_names:
        raise KeyError(*book.sheet_names)
    frame: pl.DataFrame = book.load_sheet(request["sheet"]).to_polars()
    return frame


def refuse_size(size: int, limit: int) -> None:
    """Refuse a table that takes more bytes than it may."""
    if size > limit:
        raise OverflowError


def answer(request: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the table in a file as an Arrow stream, or the reason for a failure."""
    try:
        frame = table_of(request, data)
        size = max(int(frame.estimated_size()), 8 * frame.height * frame.width)
        refuse_size(size, request["limit"])
        file = BytesIO()
        frame.write_ipc_stream(file)
        return {"bytes": len(file.getbuffer())}, file.getvalue()
    except (OverflowError, MemoryError):
        return {"too_large": True}, b""
    except KeyError as error:
        return {"sheets": list(error.args)}, b""
    except (Exception, pl.exceptions.PanicException) as error:
        lines = str(error).strip().splitlines()
        return {"damaged": lines[0].strip() if lines else type(error).__name__}, b""


def main() -> None:
    """Answer requests until standard input ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while line := requests.readline():
        request = json.loads(line)
        data = requests.read(request["bytes"])
        limit_memory(request["limit"])
        header, table = answer(request, data)
        answers.write(json.dumps(header).encode() + b"\n" + table)
        answers.flush()


if __name__ == "__main__":
    main()
