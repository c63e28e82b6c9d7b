"""Tables of results: lists of names as columns, and files (CSV, Parquet, JSON)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import isfinite, isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from conceptrank._util.files import is_plain, write_whole, write_whole_text
from conceptrank._util.lazy import pl
from conceptrank._util.lists import Lists, Numbers, offsets_of
from conceptrank.convert.shared import imported
from conceptrank.errors import FormatError, refuse_unknown

if TYPE_CHECKING:
    import pandas as pd

SEPARATOR = "; "
PROVENANCE_SUFFIX = ".meta.json"
_ROWS_AT_ONCE = 1 << 16


def list_column(lists: Lists, labels: Sequence[str] | None = None) -> pl.Series:
    """Return lists as a column of numbers, or of the names with these numbers.

    Examples
    --------
    >>> lists = np.array([0, 2, 2, 3]), np.array([0, 2, 1], dtype=np.uint32)
    >>> list_column(lists).to_list(), list_column(lists, ["a", "b", "c"]).to_list()
    ([[0, 2], [], [1]], [['a', 'c'], [], ['b']])
    """
    offsets, values = lists
    lengths = np.diff(offsets)
    elements = pl.Series(values, dtype=pl.UInt32)
    if labels is not None:
        elements = pl.Series(labels, dtype=pl.String).gather(elements)
    rows = pl.Series(np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)).set_sorted()
    filled = (
        pl.DataFrame({"row": rows, "elements": elements})
        .group_by("row", maintain_order=True)
        .agg("elements")
        .get_column("elements")
    )
    if len(filled) == len(lengths):
        return filled
    # Empty lists form no group, so they are taken from one empty list at the end.
    places = np.where(lengths > 0, np.cumsum(lengths > 0) - 1, len(filled))
    empty = pl.Series([[]], dtype=pl.List(elements.dtype))
    return filled.append(empty).gather(places)


def lists_of(column: pl.Series) -> Lists:
    """Return a column of lists of numbers as lists.

    Examples
    --------
    >>> offsets, values = lists_of(pl.Series([[3], [], [1, 2]], dtype=pl.List(pl.UInt32)))
    >>> offsets.tolist(), values.tolist()
    ([0, 1, 1, 3], [3, 1, 2])
    """
    if column.null_count():
        raise ValueError(f"a list is missing in column {column.name!r}")
    lengths = column.list.len()
    values: Numbers = column.filter(lengths > 0).explode().to_numpy()
    return offsets_of(lengths.to_numpy()), np.ascontiguousarray(values, dtype=np.uint32)


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a frame of results as a pandas frame; lists stay lists.

    Raises
    ------
    ConceptRankError
        If pandas is not installed.
    """
    pandas = imported("pandas")
    # Column by column, because polars needs pyarrow for this.
    columns = {
        column.name: column.to_list() if column.dtype.is_nested() else column.to_numpy()
        for column in frame
    }
    result: pd.DataFrame = pandas.DataFrame(columns)
    return result


def save(
    frame: pl.DataFrame,
    file: str | os.PathLike[str] | IO[bytes],
    *,
    format: str | None = None,  # noqa: A002
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write a frame in a given format, or in that of the suffix; see `Ranking.save`.

    The provenance, if there is one, is in the metadata of a Parquet file, and beside a file in
    another format.
    """
    if not isinstance(file, str | os.PathLike):
        _write(frame, file, _format_of(None, format), provenance)
        return
    path = os.fsdecode(file)
    name = _format_of(path, format)
    write_whole(path, lambda opened: _write(frame, opened, name, provenance))
    if provenance is not None and name != "parquet" and is_plain(path):
        _write_beside(path, provenance)


def _write(frame: pl.DataFrame, file: Any, name: str, provenance: Mapping[str, Any] | None) -> None:
    if name == "parquet" and provenance is not None:
        frame.write_parquet(file, metadata={"provenance": json.dumps(provenance)})
    else:
        _WRITERS[name](frame, file)


def _write_beside(path: str, provenance: Mapping[str, Any]) -> None:
    """Write the provenance of a file next to it, with a checksum of that file."""
    with open(path, "rb") as written:
        digest = hashlib.file_digest(written, "sha256").hexdigest()
    about = {"file": Path(path).name, "sha256": digest, **provenance}
    text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
    write_whole_text(path + PROVENANCE_SUFFIX, text)


def joined_names(names: pl.Expr) -> pl.Expr:
    r"""Return lists of names as texts: names separated by "; ", those with special letters quoted.

    `csv.reader([text], delimiter=";", skipinitialspace=True)` gives the names back.

    Examples
    --------
    >>> frame = pl.DataFrame({"intent": [["a", "b; c"], ["d", "e"]]})
    >>> frame.select(joined_names(pl.col("intent"))).to_series().to_list()
    ['a; "b; c"', 'd; e']
    """
    name = pl.element()
    quoted = pl.concat_str(pl.lit('"'), name.str.replace_all('"', '""', literal=True), pl.lit('"'))
    special = name.str.contains(r'[;"\r\n]|^\s|\s$|^$')
    return names.list.eval(pl.when(special).then(quoted).otherwise(name)).list.join(SEPARATOR)


def _write_csv(frame: pl.DataFrame, file: Any, *, safe: bool = False) -> None:
    """Write CSV; if `safe`, an apostrophe precedes texts that a spreadsheet takes for formulas."""
    text = pl.col(pl.String)
    formula = text.str.contains(r"^[=+\-@\t\r]")
    marked = pl.when(formula).then(pl.lit("'") + text).otherwise(text).name.keep()
    # In pieces, so that Ctrl-C ends it.
    for place, piece in enumerate(_pieces(frame)):
        texts = piece.with_columns(joined_names(pl.col(pl.List(pl.String))))
        texts.with_columns(marked if safe else []).write_csv(file, include_header=place == 0)


def _pieces(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the rows in pieces; an empty frame is one piece."""
    return frame.iter_slices(_ROWS_AT_ONCE) if len(frame) else iter((frame,))


def _has_infinity(frame: pl.DataFrame) -> bool:
    return any(column.is_infinite().any() for column in frame if column.dtype.is_float())


def _json_row(row: dict[str, Any]) -> str:
    """Return a row as JSON, which has no infinity and no NaN: `"inf"`, `"-inf"` and null."""

    def plain(value: Any) -> Any:
        if not isinstance(value, float) or isfinite(value):
            return value
        return None if isnan(value) else str(value)

    return json.dumps({key: plain(value) for key, value in row.items()}, ensure_ascii=False)


def _write_json(frame: pl.DataFrame, file: Any) -> None:
    if _has_infinity(frame):
        rows = ",".join(map(_json_row, frame.iter_rows(named=True)))
        file.write(f"[{rows}]".encode())
    else:
        # As a text: if polars writes to a file, it does not report a full disk at the end.
        file.write(frame.write_json().encode())


def _write_json_lines(frame: pl.DataFrame, file: Any) -> None:
    if _has_infinity(frame):
        file.writelines(f"{_json_row(row)}\n".encode() for row in frame.iter_rows(named=True))
    else:
        for piece in _pieces(frame):
            piece.write_ndjson(file)


_WRITERS: dict[str, Callable[[pl.DataFrame, Any], object]] = {
    "csv": _write_csv,
    "csv_safe": partial(_write_csv, safe=True),
    "parquet": lambda frame, file: frame.write_parquet(file),
    "json": _write_json,
    "jsonl": _write_json_lines,
    "ndjson": _write_json_lines,
}


def _format_of(path: str | None, name: str | None) -> str:
    """Return the format that is named, or that the suffix of a path names."""
    if name is not None:
        refuse_unknown("format", [name], _WRITERS)
        return name
    suffix = Path(path or "").suffix.lower()
    if suffix[1:] not in _WRITERS:
        raise FormatError(
            f"the suffix {suffix!r} doesn't tell the format" if suffix else "has no suffix",
            source=path,
            hint=f"name the format: {', '.join(_WRITERS)}",
        )
    return suffix[1:]
