"""Rankings on standard output and in files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from conceptrank._whole_file import write_whole_text
from conceptrank.cli import _table
from conceptrank.cli._guard import WrongUseError
from conceptrank.cli._table import Column
from conceptrank.ranking import Ranking

# In contexts of so few objects the table has the extents without being asked.
FEW_OBJECTS = 20
# Names of one cell beyond which a table is no help; the other formats have them all.
MOST_NAMES = 100


class Format(StrEnum):
    """How to print a ranking."""

    table = "table"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"
    parquet = "parquet"


FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="table, csv, json, jsonl or parquet.",
        show_default="by the suffix of --out, else table",
        rich_help_panel="Output",
    ),
]


def chosen_format(given: Format | None, out: Path | None) -> Format:
    """Return the format that was asked for, by name or by the suffix of the output file.

    Examples
    --------
    >>> chosen_format(None, Path("scores.csv")).value, chosen_format(None, None).value
    ('csv', 'table')
    """
    suffixes = {f".{each.value}": each for each in Format} | {
        ".ndjson": Format.jsonl,
        ".pq": Format.parquet,
        ".txt": Format.table,
    }
    if given is None and out is not None:
        given = suffixes.get(out.suffix.lower())
        if given is None:
            raise WrongUseError(
                f"{out}: the suffix doesn't tell the format (hint: add --format, one of "
                f"{', '.join(each.value for each in Format)})"
            )
    given = given or Format.table
    if given is Format.parquet and out is None:
        raise WrongUseError("parquet is no text (hint: add --out scores.parquet)")
    return given


def refuse_unwritable(out: Path | None, *, option: str = "--out ") -> None:
    """Find out before the work whether its result can be written."""
    if out is None:
        return
    if out.is_dir():
        raise WrongUseError(f"{option}{out} is a directory (hint: name a file inside it)")
    if not out.parent.is_dir():
        raise WrongUseError(f"{option}{out}: there is no directory {out.parent}")
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise WrongUseError(f"{option}{out}: no right to write there")


def refuse_no_directory(out: Path, *, option: str = "--out ") -> None:
    """Find out before the work whether a directory for its result can be had."""
    try:
        there = next(each for each in (out, *out.absolute().parents) if each.exists())
    except FileNotFoundError:
        raise WrongUseError(f"{option}{out}: the current directory is gone") from None
    if not there.is_dir():
        raise WrongUseError(f"{option}{out}: {there} is no directory")
    if not os.access(there, os.W_OK):
        raise WrongUseError(f"{option}{out}: no right to write there")


def write(
    ranking: Ranking,
    *,
    format: Format,  # noqa: A002
    out: Path | None,
    extents: bool,
    exact: Mapping[str, NDArray[np.bool_]],
    margins: Mapping[str, NDArray[np.float64]] | None = None,
) -> None:
    """Write a ranking to a file, or to standard output if there is none.

    Parameters
    ----------
    ranking
        The rows to write.
    format
        How.
    out
        Where to.
    extents
        Whether the extents are wanted.
    exact
        For each measure that is not exact everywhere, where it is.
    margins
        For each measure with intervals, how far the truth can be from a score; for tables.
    """
    if format is Format.table:
        write_table(_columns(ranking, extents=extents, exact=exact, margins=margins or {}), out)
        return
    if out is not None:
        ranking.save(out, format=format.value, extents=extents)
        return
    sys.stdout.flush()
    ranking.save(sys.stdout.buffer, format=format.value, extents=extents)
    if format is Format.json:
        sys.stdout.buffer.write(b"\n")


def write_table(columns: Sequence[Column], out: Path | None) -> None:
    """Write a table to a file, or to standard output if there is none."""
    if out is None:
        _table.write(_table.lines(columns, width=_table.line_width(sys.stdout)))
        return
    text = StringIO()
    _table.write(_table.lines(columns, width=None), file=text)
    write_whole_text(out, text.getvalue())


def _columns(
    ranking: Ranking,
    *,
    extents: bool,
    exact: Mapping[str, NDArray[np.bool_]],
    margins: Mapping[str, NDArray[np.float64]],
) -> list[Column]:
    context = ranking.lattice.context
    ranks = [f"{rank:,}".removesuffix(".0") for rank in ranking.ranks.tolist()]
    columns = [Column("rank", ranks, right=True)]
    for name in ranking.measures:
        if name != "support":
            scores = _table.numbers(ranking.score(name), exact=exact.get(name))
            columns.append(Column(name, scores, right=True))
        if name in margins:
            widths = [f"±{width:.2g}" if width else "" for width in margins[name].tolist()]
            columns.append(Column("", widths, right=True))
    concepts = [row.concept for row in ranking]
    columns.append(Column("support", [f"{each.support:,}" for each in concepts], right=True))
    intents = [_table.names(each.intent, most=MOST_NAMES) for each in concepts]
    columns.append(Column("intent", intents))
    if extents or len(context.objects) <= FEW_OBJECTS:
        found = [_table.names(each.extent, most=MOST_NAMES) for each in concepts]
        columns.append(Column("extent", found))
    return columns
