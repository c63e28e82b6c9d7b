"""Large files: fast, and in little more memory than what is read takes itself."""

from __future__ import annotations

import sys
import time
import tracemalloc

import pytest

import conceptrank as cr
from conceptrank import io
from data_files import data_path

pytestmark = pytest.mark.slow


def seconds(call):
    """The result of a call, and how long the processor was at it."""
    begin = time.process_time()
    result = call()
    return result, time.process_time() - begin


def write_table(path, n, q):
    marks = [b",1" if (g * 7919) % 31 < 9 else b",0" for g in range(31)]
    rows = [b"".join(marks[(g + m) % 31] for m in range(q)) + b"\n" for g in range(31)]
    with path.open("wb") as file:
        file.write(b"id" + b"".join(b",attribute %d" % m for m in range(q)) + b"\n")
        file.writelines(b"object %d" % g + rows[g * g % 31] for g in range(n))


def write_pairs(path, n):
    with path.open("wb") as file:
        file.write(b"object,attribute\n")
        file.writelines(b"object %d,attribute %d\n" % (g, g * g % 500) for g in range(n))


def test_a_hundred_thousand_baskets():
    path = data_path("bench/T10I4D100K.dat.gz")
    context, taken = seconds(lambda: cr.load(path))
    assert context.shape == (100_000, 870)
    assert taken < 60


def test_a_million_rows(tmp_path):
    path = tmp_path / "large.csv"
    write_table(path, 1_000_000, 20)
    context, taken = seconds(lambda: cr.load(path))
    assert context.shape == (1_000_000, 20)
    assert taken < 300


def test_a_million_pairs(tmp_path):
    path = tmp_path / "large.csv"
    write_pairs(path, 1_000_000)
    context, taken = seconds(lambda: cr.load(path))
    assert len(context.objects) == context.crosses == 1_000_000
    assert taken < 300


@pytest.mark.parametrize(("q", "suffix"), [(200, ".csv"), (1000, ".csv.gz")])
def test_a_table_takes_little_more_memory_than_its_context(tmp_path, q, suffix):
    path = tmp_path / "large.csv"
    n = 2_000_000 // q
    write_table(path, n, q)
    if suffix.endswith(".gz"):
        io.save(cr.load(path), tmp_path / f"packed{suffix}")
        path = tmp_path / f"packed{suffix}"
    tracemalloc.start()
    try:
        context = cr.load(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    names = sum(sys.getsizeof(name) + 8 for name in (*context.objects, *context.attributes))
    # The lists of crosses that a context is made of; the rest is working space.
    lists = 4 * context.crosses + 8 * n
    assert context.shape == (n, q)
    assert peak < 4 * lists + 3 * names + (4 << 20)
