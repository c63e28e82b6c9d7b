"""Large files are read in little more memory than what is read takes itself."""

from __future__ import annotations

import sys
import tracemalloc

import pytest

import conceptrank as cr
from conceptrank import io

pytestmark = pytest.mark.slow


def write_table(path, n, q):
    marks = [b",1" if (g * 7919) % 31 < 9 else b",0" for g in range(31)]
    rows = [b"".join(marks[(g + m) % 31] for m in range(q)) + b"\n" for g in range(31)]
    with path.open("wb") as file:
        file.write(b"id" + b"".join(b",attribute %d" % m for m in range(q)) + b"\n")
        file.writelines(b"object %d" % g + rows[g * g % 31] for g in range(n))


@pytest.mark.parametrize(("q", "suffix"), [(200, ".csv"), (1000, ".csv.gz")])
def test_a_table_takes_little_more_memory_than_its_context(tmp_path, q, suffix):
    path = tmp_path / "large.csv"
    n = 2_000_000 // q
    write_table(path, n, q)
    if suffix.endswith(".gz"):
        io.save(cr.load(path), tmp_path / f"packed{suffix}")
        path = tmp_path / f"packed{suffix}"
    cr.load(b"id,a\n1,X\n")  # What is imported at first use isn't counted.
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
