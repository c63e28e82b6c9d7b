"""Whatever a file holds, a reader gives a context or one of our errors, in one line, and soon.

A short run is part of every test run. `CONCEPTRANK_FUZZ=100000` reads that many files per reader,
different ones each time. A failure names the seed of its file: `CONCEPTRANK_FUZZ_SEED=SEED` begins
with that file.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import date
from functools import partial
from io import BytesIO
from random import Random
from zipfile import ZipFile

import polars as pl
import pytest

import conceptrank as cr
from conceptrank import datasets, io
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError, FormatError
from conceptrank.io import compression
from conceptrank.lattice import Lattice
from conceptrank.runs import Run, mine, open_run
from conceptrank.scaling import Plan, plan_file, read_table
from fuzz.mutations import mutated
from io_samples import SAMPLES

LONG_RUN = int(os.environ.get("CONCEPTRANK_FUZZ") or 0)
FIRST_SEED = int(os.environ.get("CONCEPTRANK_FUZZ_SEED") or (time.time_ns() if LONG_RUN else 0))
# Files in a folder, or read by another process, take longer.
FILES = 40
SECONDS = 60

OPTIONS = {
    "fimi": {"empty_lines": [False, True]},
    "spmf": {"empty_lines": [False, True]},
    "baskets": {"empty_lines": [False, True], "separator": [None, ";", "ab"]},
    "cross_table": {"separator": [None, None, ",", ";", "|", "ab", " "]},
    "pairs": {
        "separator": [None, None, ",", "|", "ab", " "],
        "header": [None, True, False],
    },
    "cex": {"context": [None, None, "0", 1]},
    "rcf": {"context": [None, None, "Pets", 1]},
}
FORMATS = {entry.name: entry for entry in io.formats()}
SEEDS = {
    name: [sample.data for sample in SAMPLES.values() if sample.format == name] for name in FORMATS
}
ALL_SEEDS = [sample.data for sample in SAMPLES.values()]


def fuzz(check: Callable[[Random], None], files: int = 200) -> None:
    """Run a check with the random numbers of each file. A failure names their seed."""
    for seed in range(FIRST_SEED, FIRST_SEED + (LONG_RUN or files)):
        try:
            check(Random(seed))
        except BaseException as error:
            error.add_note(f"CONCEPTRANK_FUZZ_SEED={seed}")
            raise


def drawn_options(random: Random, choices: dict) -> dict:
    """Some of the options, each with one of its values."""
    return {
        name: random.choice(values) for name, values in choices.items() if random.random() < 0.5
    }


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
def test_a_reader_makes_a_context_or_refuses(name):
    entry = FORMATS[name]

    def check(random):
        content = mutated(random, SEEDS[name])
        options = drawn_options(random, OPTIONS.get(name, {}))
        found = attempt(entry.read, content, source="file", **options)
        assert entry.sniff(content) in io.Fit
        if found is None or entry.write is None:
            return
        try:
            written = entry.write(found)
        except FormatError:
            assert io.losses(found, name)
            return
        if not io.losses(found, name):
            assert entry.read(written) == found

    fuzz(check)


class File:
    """A file in memory whose name has a suffix."""

    def __init__(self, content, suffix):
        self.rest = content
        self.name = f"file{suffix}"

    def read(self, size):
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece


def test_detection_makes_a_context_or_refuses():
    suffixes = ["", ".txt", *io.registry.writable_suffixes()]
    fuzz(lambda random: attempt(cr.load, File(mutated(random, ALL_SEEDS), random.choice(suffixes))))


PACKED = {
    codec.name: [codec.compress(sample) for sample in ALL_SEEDS] for codec in compression.CODECS
}


@pytest.mark.parametrize("name", PACKED)
def test_damaged_compression_is_refused(name):
    fuzz(lambda random: attempt(cr.load, mutated(random, PACKED[name])))


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
        "separator": [None, ",", ";", "\t", "ab"],
        "header": [None, True, False],
        "encoding": [None, "latin-1", "utf-16", "nonsense"],
        "skip": range(4),
        "decimal_comma": [None, True, False],
        "missing_words": [None, [], ["f", "NA"]],
    }
}


@pytest.mark.parametrize("name", RAW)
def test_a_reader_of_raw_values_makes_a_frame_or_refuses(name):
    def check(random):
        content = mutated(random, RAW[name])
        options = drawn_options(random, RAW_OPTIONS.get(name, {}))
        frame = attempt(read_table, content, makes=pl.DataFrame, format=name, **options)
        if frame is not None:
            attempt(cr.load, content, scale="auto", format=name, **options)

    fuzz(check)


PLAN = Plan({"age": "quantiles:4", "sex": "nominal", "born": "year:ordinal", "id": "drop"})


def test_a_damaged_plan_is_refused():
    seeds = [plan_file.dumps(PLAN).encode()]

    def check(random):
        text = mutated(random, seeds).decode(errors="replace")
        attempt(plan_file.loads, text, makes=Plan)

    fuzz(check)


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


def test_a_damaged_workbook_makes_a_frame_or_is_refused(workbook):
    def check(random):
        content = mutated(random, workbook)
        attempt(read_table, content, makes=pl.DataFrame, format="excel")

    fuzz(check, FILES)


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
    return {
        "sqlite": ([database(tmp_path)], partial(read_table, format="sqlite"), pl.DataFrame),
        "lattice": (
            [lattice.read_bytes()],
            Lattice.load,
            Lattice,
        ),
        "run": run_folder(tmp_path),
    }


@pytest.mark.parametrize("kind", ["sqlite", "lattice"])
def test_a_damaged_file_is_read_or_refused(kind, seeds, tmp_path):
    contents, read, made = seeds[kind]
    path = tmp_path / "damaged"

    def check(random):
        path.write_bytes(mutated(random, contents))
        attempt(read, path, makes=made)

    fuzz(check, FILES)


@pytest.mark.filterwarnings("ignore::conceptrank.runs.IncompleteRunWarning")
@pytest.mark.parametrize("name", ["part", "manifest", "context"])
def test_a_run_with_a_damaged_file_is_read_or_refused(name, seeds, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(seeds["run"], folder)
    (path, *_) = sorted(folder.glob(f"{name}*"))
    contents = [path.read_bytes()]

    def check(random):
        path.write_bytes(mutated(random, contents))
        attempt(looked_at, folder, makes=Run)

    fuzz(check, FILES)
