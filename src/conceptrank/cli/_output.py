"""Standard output and output files: `Output`, the options about tables, and the writers."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

from conceptrank._util import text_table
from conceptrank._util.files import write_whole_text
from conceptrank._util.text_table import TextColumn
from conceptrank.cli import _table
from conceptrank.cli._command import WrongUseError, require
from conceptrank.cli._options import Options, Out, flag, option

if TYPE_CHECKING:
    import polars as pl

    from conceptrank.ranking import Ranking

# Tables of contexts with at most this many objects show the extents without --extents.
FEW_OBJECTS = 20
Format: TypeAlias = Literal["table", "csv", "csv_safe", "json", "jsonl", "parquet"]
_SUFFIXES: dict[str, Format] = {f".{name}": name for name in get_args(Format)} | {
    ".ndjson": "jsonl",
    ".pq": "parquet",
    ".txt": "table",
}
Extents = Annotated[bool, flag("--extents", panel="Output", help="Also write the objects.")]


@dataclass
class Output(Options):
    """Where to write a table, and in which format.

    Parameters
    ----------
    format
        table, csv, json, jsonl or parquet; csv_safe is CSV for spreadsheets, which could run a name
        in plain CSV as a formula.
    """

    format: Annotated[
        Format | None,
        option(
            "NAME", "--format", show_default="by the suffix of --out, else table", panel="Output"
        ),
    ] = None
    out: Out = None

    def __post_init__(self) -> None:
        refuse_unwritable(self.out)
        self.format = _chosen_format(self.format, self.out)

    def write(self, frame: Callable[[], pl.DataFrame], save: Callable[..., object]) -> None:
        """Write a table of results.

        Parameters
        ----------
        frame
            Returns what the printed table shows.
        save
            Writes another format; takes a path or an open file, and the keyword `format`.
        """
        if self.format == "table":
            cells: dict[str, _table.Cells] = {
                each.name: each.to_list() if each.dtype.is_nested() else each.to_numpy()
                for each in frame()
            }
            write_table(_table.columns(cells), self.out)
        elif self.out is not None:
            save(self.out, format=self.format)
        else:
            sys.stdout.flush()
            save(sys.stdout.buffer, format=self.format)
            if self.format == "json":
                sys.stdout.buffer.write(b"\n")

    def write_ranking(self, ranking: Ranking, *, extents: bool) -> None:
        """Write the concepts of a ranking; the table has the extents if there are few objects."""
        if self.format != "table":
            self.write(ranking.to_polars, partial(ranking.save, extents=extents))
            return
        # Without a frame, because importing polars takes longer than ranking a small table.
        concepts = [row.concept for row in ranking]
        table: dict[str, _table.Cells] = {**ranking.columns()}
        table["intent"] = [list(each.intent) for each in concepts]
        if extents or len(ranking.lattice.context.objects) <= FEW_OBJECTS:
            table["extent"] = [list(each.extent) for each in concepts]
        write_table(_table.columns(table), self.out)


def write_table(columns: Sequence[TextColumn], out: Path | None = None) -> None:
    """Write a readable table to a file, or to standard output if `out` is None."""
    if out is None:
        _table.write(text_table.lines(columns, width=_table.line_width(sys.stdout)))
        return
    text = StringIO()
    _table.write(text_table.lines(columns, width=None), file=text)
    write_whole_text(out, text.getvalue())


def print_json(value: object) -> None:
    """Write a value to standard output as JSON."""
    print_text(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_text(text: str, out: Path | None = None) -> None:
    """Write a text to a file, or to standard output if there is none; it ends with a newline."""
    text = text if text.endswith("\n") else f"{text}\n"
    if out is None:
        sys.stdout.write(text)
    else:
        write_whole_text(out, text)


def refuse_unwritable(out: Path | None, *, option: str = "--out ") -> None:
    """Fail before the work if its result can't be written to a file."""
    if out is None:
        return
    if out.is_dir():
        raise WrongUseError(f"{option}{out} is a directory (hint: name a file inside it)")
    if not out.parent.is_dir():
        raise WrongUseError(f"{option}{out}: there is no directory {out.parent}")
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise WrongUseError(f"{option}{out}: no right to write there")


def refuse_no_directory(out: Path) -> None:
    """Fail before the work if its result can't be written to a directory."""
    try:
        existing = next(each for each in (out, *out.absolute().parents) if each.exists())
    except FileNotFoundError:
        raise WrongUseError(f"--out {out}: the current directory is gone") from None
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise WrongUseError(f"--out {out}: {existing} is no directory that can be written to")


def require_matplotlib(reason: str) -> None:
    """Fail before the work if matplotlib is not installed; else keep it from opening windows."""
    require(reason, "matplotlib", extra="plot")
    os.environ["MPLBACKEND"] = "Agg"


def _chosen_format(name: Format | None, out: Path | None) -> Format:
    """Return the format that the user chose by name or by the suffix of the file.

    Examples
    --------
    >>> _chosen_format(None, Path("scores.csv")), _chosen_format(None, None)
    ('csv', 'table')
    """
    if name is None and out is not None:
        name = _SUFFIXES.get(out.suffix.lower())
        if name is None:
            raise WrongUseError(
                f"{out}: unknown suffix (hint: add --format, one of {', '.join(get_args(Format))})"
            )
    name = name or "table"
    if name == "parquet" and out is None:
        raise WrongUseError("parquet is no text (hint: add --out scores.parquet)")
    return name
