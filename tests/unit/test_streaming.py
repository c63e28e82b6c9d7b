"""Files that are read in pieces give what they give when read at once."""

from __future__ import annotations

import gzip
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import conceptrank as cr
from conceptrank.errors import FormatError
from conceptrank.runs import pack, pack_file, streaming
from data_files import data_path
from faults import mutations
from strategies import context_of, random_context, random_contexts


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "_PIECE_BYTES", 50)
    monkeypatch.setattr(streaming, "_PIECE_ROWS", 3)
    monkeypatch.setattr(cr.io.text, "BLOCK_BYTES", 60)


@pytest.mark.parametrize("suffix", [".dat", ".csv", ".dat.gz", ".csv.gz"])
def test_pieces_make_the_whole(tmp_path: Path, suffix: str) -> None:
    seen = 0
    for number, table in enumerate(random_contexts(60, seed=21)):
        context = context_of(table)
        if not context.attributes:
            continue
        if suffix.startswith(".dat"):
            used = [name for name in context.attributes if context.extension([name])]
            context = context.select(attributes=used)
            renamed = [str(7 * i % 101) for i in range(len(used))]
            context = cr.Context.from_csr(context.objects, renamed, *context.rows())
        path = tmp_path / f"{number}{suffix}"
        cr.io.save(context, path)
        whole = pack(cr.load(path, format="fimi" if suffix.startswith(".dat") else "cross_table"))
        found = pack_file(path, format="fimi" if suffix.startswith(".dat") else "cross_table")
        assert found.digest == whole.digest
        assert found.n_objects == len(context.objects)
        seen += len(context.objects) > 4
    assert seen > 20


def test_names_with_line_ends_and_quotes(tmp_path: Path) -> None:
    bools = np.random.default_rng(1).random((40, 3)) < 0.5
    context = cr.Context(
        [f'the "{i}"\nth, one' for i in range(40)], ['a "big"\none', "b,c", "d"], bools
    )
    path = tmp_path / "odd.csv"
    cr.io.save(context, path)
    assert pack_file(path).digest == pack(context).digest


def test_parquet(tmp_path: Path) -> None:
    context = random_context(50, 7, density=0.4, seed=2)
    offsets, values = context.rows()
    bools = np.zeros((50, 7), dtype=bool)
    bools[np.repeat(np.arange(50), np.diff(offsets)), values] = True
    frame = pl.DataFrame(dict(zip(context.attributes, bools.T, strict=True)))
    for dtype in (pl.Boolean, pl.UInt8):
        frame.cast(dtype).write_parquet(tmp_path / "table.parquet")
        assert pack_file(tmp_path / "table.parquet").digest == pack(context).digest
    frame.clear().write_parquet(tmp_path / "empty.parquet")
    assert pack_file(tmp_path / "empty.parquet").attributes == context.attributes
    raw = frame.with_columns(age=pl.Series(range(50)))
    raw.write_parquet(tmp_path / "raw.parquet")
    assert streaming.packed_in_pieces(tmp_path / "raw.parquet") is None
    (tmp_path / "no.parquet").write_bytes(b"PAR1 no such thing")
    with pytest.raises(FormatError, match=r"no\.parquet"):
        pack_file(tmp_path / "no.parquet")


def test_other_files_are_read_at_once(tmp_path: Path) -> None:
    movies = cr.datasets.load("movies")
    cr.io.save(movies, tmp_path / "movies.cxt")
    assert streaming.packed_in_pieces(tmp_path / "movies.cxt") is None
    assert pack_file(tmp_path / "movies.cxt").digest == pack(movies).digest
    (tmp_path / "raw.csv").write_text("name,age\nann,30\nbob,40\n")
    assert streaming.packed_in_pieces(tmp_path / "raw.csv") is None


@pytest.mark.parametrize(
    ("name", "line"), [("bad.dat", 31), ("bad.csv", 32)], ids=["fimi", "cross_table"]
)
def test_errors_name_the_line_of_the_file(tmp_path: Path, name: str, line: int) -> None:
    path = tmp_path / name
    rows = ["1 2 3"] * 30 + ["1 x 3"] + ["1 2"] * 9
    if name.endswith("csv"):
        rows = ["o,a,b", *(f"{i},1,0" for i in range(30)), "30,1,often", "31,0,0"]
    path.write_text("\n".join(rows) + "\n")
    with pytest.raises(FormatError, match=f"line {line}:"):
        pack_file(path, format="fimi" if name.endswith("dat") else "cross_table")


def test_only_different_rows_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    path = tmp_path / "many.dat.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"1 2 3\n2 5\n7\n" * 400_000)
    packed = pack_file(path)
    assert (packed.n_objects, len(packed.weights)) == (1_200_000, 3)
    assert packed.attributes == ("1", "2", "3", "5", "7")
    assert packed.weights.tolist() == [400_000] * 3


def test_real_data() -> None:
    path = data_path("bench/mushroom.dat.gz")
    assert pack_file(path).digest == pack(cr.load(path)).digest


@pytest.mark.parametrize("title", ["who", "c"])
def test_the_first_piece_decides_whether_objects_have_names(tmp_path: Path, title: str) -> None:
    """Later pieces alone would be read otherwise: their first columns look like the opposite."""
    path = tmp_path / "marks.csv"
    named = ["anna,0,1", "bert,1,0"] * 5 if title == "who" else ["0,0,1", "1,1,0"] * 5
    later = ["1,0,1", "0,1,0"] if title == "who" else ["1,0,0"] * 10
    names = iter("abcdefghij")
    first = [next(names) + row if title == "who" else row for row in named]
    path.write_text("\n".join([f"{title},a,b", *first, *later, ""]))
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        assert pack_file(path).digest == pack(cr.load(path)).digest
    assert len(notes) == (0 if title == "who" else 2)


def test_damaged_parquet_files(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": [True, False] * 20, "b": [True] * 40}).write_parquet(path)
    content = path.read_bytes()
    for damaged in mutations(content, 300, seed=9):
        path.write_bytes(damaged)
        with suppress(FormatError):
            streaming.packed_in_pieces(path)
