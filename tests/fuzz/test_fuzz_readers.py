"""Whatever a file holds, a reader gives a context or one of our errors, in one line, and soon.

A short run is part of every test run. `CONCEPTRANK_FUZZ=100000` makes it so many files a reader,
other ones every time.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from datetime import date
from functools import partial
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrank import datasets, io
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError, FormatError
from conceptrank.io import compression
from conceptrank.lattice import Lattice
from conceptrank.rules import AttributeExploration
from conceptrank.runs import Run, mine, open_run
from conceptrank.scaling import Plan, plan_file, read_table
from fuzz.mutations import mutated
from io_samples import BINARY, SAMPLES

LONG_RUN = int(os.environ.get("CONCEPTRANK_FUZZ") or 0)
FUZZ = settings(max_examples=LONG_RUN or 200, derandomize=not LONG_RUN)
# What is read from a path, or by another process, takes longer.
FUZZ_FILES = settings(max_examples=LONG_RUN or 40, derandomize=not LONG_RUN)
SECONDS = 60
OLD_FILES = Path(__file__).resolve().parents[1] / "old_files"

OPTIONS = {
    "fimi": {"empty_lines": st.booleans()},
    "spmf": {"empty_lines": st.booleans()},
    "baskets": {"empty_lines": st.booleans(), "separator": st.sampled_from([None, ";", "ab"])},
    "cross_table": {"separator": st.sampled_from([None, None, ",", ";", "|", "ab", " "])},
    "pairs": {
        "separator": st.sampled_from([None, None, ",", "|", "ab", " "]),
        "header": st.sampled_from([None, True, False]),
        "columns": st.sampled_from([None, None, (1, 2), (2, 1), ("cat", 2), (9, 1), "ab", (1,)]),
        "ragged": st.sampled_from(["error", "skip", "fill"]),
    },
    "matrix": {"skip": st.integers(-1, 4)},
    "cex": {"context": st.sampled_from([None, None, "0", 1])},
    "rcf": {"context": st.sampled_from([None, None, "Pets", 1])},
    "gml": {
        "mode": st.sampled_from([None, "adjacency", "bipartite"]),
        "diagonal": st.booleans(),
        "names": st.sampled_from(["label", "id", "graphics"]),
    },
    "graphml": {
        "mode": st.sampled_from([None, "adjacency", "bipartite"]),
        "diagonal": st.booleans(),
        "names": st.sampled_from([None, "id", "weight"]),
    },
    "edge_list": {
        "mode": st.sampled_from([None, "adjacency", "bipartite"]),
        "directed": st.sampled_from([None, True, False]),
        "diagonal": st.booleans(),
        "weights": st.booleans(),
    },
}
FORMATS = {entry.name: entry for entry in io.formats() if entry.name not in BINARY}
SEEDS = {
    name: [sample.data for sample in SAMPLES.values() if sample.format == name] for name in FORMATS
}
ALL_SEEDS = [sample.data for sample in SAMPLES.values()]


def attempt(read, *arguments, makes=Context, **keywords):
    """The context that a reader makes, or None if it refuses as it should."""
    begin = time.perf_counter()
    found = message = None
    try:
        found = read(*arguments, **keywords)
    except ConceptRankError as error:
        message = str(error)
    assert isinstance(found, makes) if message is None else "\n" not in message
    assert time.perf_counter() - begin < SECONDS
    return found


@pytest.mark.parametrize("name", FORMATS)
@FUZZ
@given(data=st.data())
def test_a_reader_makes_a_context_or_refuses(name, data):
    entry = FORMATS[name]
    content = data.draw(mutated(SEEDS[name]))
    options = data.draw(st.fixed_dictionaries({}, optional=OPTIONS.get(name, {})))
    found = attempt(entry.read, content, source="file", **options)
    assert entry.sniff(content) in io.Fit
    if entry.streams:
        size = data.draw(st.integers(1, 30))
        pieces = [content[k : k + size] for k in range(0, len(content), size)]
        assert attempt(entry.read, pieces, source="file", **options) == found
    if found is None or entry.write is None:
        return
    try:
        written = entry.write(found)
    except FormatError:
        assert io.losses(found, name)
        return
    if not io.losses(found, name):
        assert entry.read(written) == found


@FUZZ
@given(mutated(ALL_SEEDS), st.sampled_from(["", ".txt", *io.registry.writable_suffixes()]))
def test_detection_makes_a_context_or_refuses(content, suffix):
    class File:
        name = f"file{suffix}"

        def __init__(self):
            self.rest = content

        def read(self, size):
            piece, self.rest = self.rest[:size], self.rest[size:]
            return piece

    attempt(io.load, File())


PACKED = {
    codec.name: [codec.compress(sample) for sample in ALL_SEEDS] for codec in compression.CODECS
}


@pytest.mark.parametrize("name", PACKED)
@FUZZ
@given(data=st.data())
def test_damaged_compression_is_refused(name, data):
    attempt(io.load, data.draw(mutated(PACKED[name])))


FRAME = pl.DataFrame(
    {"age": [30, 41, None], "sex": ["f", "m", "m"], "born": [date(1990, 1, 31), None, None]}
)


def file_of(write, **options):
    buffer = BytesIO()
    write(FRAME, buffer, **options)
    return buffer.getvalue()


RAW = {
    "csv": [
        b"name,age,sex\nAnn,30,f\nBob,41,m\nCid,,m\n",
        b'"a ""b""";x\n37,5;1990-01-31\n40,0;?\n35;1980-12-01\n',
        "temp\tnausea\n35,9\tno\n40,0\tyes\n".encode("utf-16"),
    ],
    "arff": [
        b"% pets\n@relation pets\n@attribute legs numeric\n@attribute kind {cat,'a dog'}\n"
        b"@attribute born date yyyy-MM-dd\n@data\n4,cat,1990-01-31\n?,'a dog',?\n",
        b"@relation s\n@attribute a {0,1}\n@attribute b string\n@data\n{0 1, 1 x}\n{}\n",
    ],
    "parquet": [file_of(pl.DataFrame.write_parquet, compression="uncompressed")],
    "feather": [file_of(pl.DataFrame.write_ipc), file_of(pl.DataFrame.write_ipc_stream)],
}
RAW_OPTIONS = {
    "csv": {
        "separator": st.sampled_from([None, ",", ";", "\t", "ab"]),
        "header": st.sampled_from([None, True, False]),
        "encoding": st.sampled_from([None, "latin-1", "utf-16", "nonsense"]),
        "skip": st.integers(0, 3),
        "decimal_comma": st.sampled_from([None, True, False]),
        "missing_words": st.sampled_from([None, [], ["f", "NA"]]),
    }
}


@pytest.mark.parametrize("name", RAW)
@FUZZ
@given(data=st.data())
def test_a_reader_of_raw_values_makes_a_frame_or_refuses(name, data):
    content = data.draw(mutated(RAW[name]))
    options = data.draw(st.fixed_dictionaries({}, optional=RAW_OPTIONS.get(name, {})))
    frame = attempt(read_table, content, makes=pl.DataFrame, format=name, **options)
    if frame is not None:
        attempt(io.load, content, scale="auto", format=name, **options)


PLAN = Plan({"age": "quantiles:4", "sex": "nominal", "born": "year:ordinal", "id": "drop"})


@FUZZ
@given(mutated([plan_file.dumps(PLAN).encode()]))
def test_a_damaged_plan_is_refused(content):
    text = content.decode(errors="replace")
    attempt(plan_file.loads, text, source="plan.toml", makes=Plan)


def array_files():
    """Files of NumPy and SciPy, one per layout."""
    array = np.array([[1, 0, 1], [0, 1, 1]], dtype=np.uint8)
    files = {"npy": [], "npz": []}
    for each in (array, array.astype(bool), np.asfortranarray(array.astype(float))):
        file = BytesIO()
        np.save(file, each)
        files["npy"].append(file.getvalue())
    for write in (
        lambda file: np.savez(file, table=array),
        lambda file: np.savez_compressed(file, table=array),
        lambda file: sp.save_npz(file, sp.csr_matrix(array), compressed=False),
        lambda file: sp.save_npz(file, sp.csc_matrix(array)),
    ):
        file = BytesIO()
        write(file)
        files["npz"].append(file.getvalue())
    return files


ARRAYS = array_files()


@pytest.mark.parametrize("name", ARRAYS)
@FUZZ
@given(data=st.data())
def test_a_damaged_array_makes_a_context_or_is_refused(name, data):
    attempt(io.load, data.draw(mutated(ARRAYS[name])), format=name)


@pytest.fixture(scope="module")
def workbook():
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="xlsxwriter makes the workbooks")
    pytest.importorskip("fastexcel", reason="fastexcel reads the workbooks")
    file = BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet("pets")
        for place, row in enumerate([("pet", "legs"), ("cat", 4), ("canary", 2.5), ("eel", None)]):
            sheet.write_row(place, 0, row)
    # Without compression, changes reach what is inside.
    stored = BytesIO()
    with ZipFile(file) as packed, ZipFile(stored, "w") as plain:
        for name in packed.namelist():
            plain.writestr(name, packed.read(name))
    return [file.getvalue(), stored.getvalue()]


@FUZZ_FILES
@given(data=st.data())
def test_a_damaged_workbook_makes_a_frame_or_is_refused(workbook, data):
    content = data.draw(mutated(workbook))
    attempt(read_table, content, makes=pl.DataFrame, format="excel")


def database(tmp_path):
    path = tmp_path / "seed.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table pets (pet text, legs integer, weight real)")
        connection.executemany(
            "insert into pets values (?, ?, ?)", [("cat", 4, 4.5), ("eel", None, 1e300)]
        )
    return path.read_bytes()


def run_folder(tmp_path):
    folder = tmp_path / "run"
    mine(datasets.load("movies"), folder, measures=["cr"], task_concepts=6, workers=1)
    return folder


def looked_at(folder):
    """Everything that is read of a run."""
    run = open_run(folder)
    run.totals, run.context, run.top(3), repr(run)
    return run


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """Files by kind: the content, and the function that reads it from a path."""
    tmp_path = tmp_path_factory.mktemp("seeds")
    lattice = tmp_path / "lattice.parquet"
    datasets.load("movies").lattice().save(lattice)
    old = OLD_FILES / "version_1"
    return {
        "sqlite": ([database(tmp_path)], partial(read_table, format="sqlite"), pl.DataFrame),
        "lattice": (
            [lattice.read_bytes(), (old / "lattice.parquet").read_bytes()],
            Lattice.load,
            Lattice,
        ),
        "exploration": (
            [(old / "exploration.json").read_bytes()],
            AttributeExploration.load,
            AttributeExploration,
        ),
        "new run": run_folder(tmp_path),
        "old run": old / "run",
    }


@pytest.mark.parametrize("kind", ["sqlite", "lattice", "exploration"])
@FUZZ_FILES
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(kind, seeds, tmp_path_factory, data):
    contents, read, made = seeds[kind]
    path = tmp_path_factory.getbasetemp() / f"damaged-{kind}"
    path.write_bytes(data.draw(mutated(contents)))
    attempt(read, path, makes=made)


@pytest.mark.filterwarnings("ignore::conceptrank.runs.IncompleteRunWarning")
@pytest.mark.parametrize("age", ["new run", "old run"])
@pytest.mark.parametrize("name", ["part", "manifest", "context"])
@FUZZ_FILES
@given(data=st.data())
def test_a_run_with_a_damaged_file_is_read_or_refused(name, age, seeds, tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp() / f"damaged-{age}-{name}"
    if not folder.exists():
        shutil.copytree(seeds[age], folder)
    (path, *_) = sorted(seeds[age].glob(f"{name}*"))
    (folder / path.name).write_bytes(data.draw(mutated([path.read_bytes()])))
    attempt(looked_at, folder, makes=Run)
