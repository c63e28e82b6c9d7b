"""Runs at full size hold what the lattice holds. For `make soak`; skipped otherwise."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

import conceptrank as cr
from conceptrank.runs import dask_executor, mine
from conceptrank.runs.engines import process_pool
from data_files import data_path
from runs import assert_holds, peak_bytes

pytestmark = pytest.mark.skipif(
    not os.environ.get("CONCEPTRANK_SOAK"), reason="set CONCEPTRANK_SOAK=1 (make soak)"
)

MEASURES = ("cr", "stability")
CONTEXTS = {"mushroom": 0, "adult": 0, "T10I4D100K": 10}


@pytest.fixture(scope="module", params=CONTEXTS)
def case(request: pytest.FixtureRequest) -> tuple[cr.Context, int, cr.Lattice]:
    context = cr.load(data_path(f"bench/{request.param}.dat.gz"))
    least = CONTEXTS[request.param]
    return context, least, context.lattice(min_support=least, measures=MEASURES)


@pytest.mark.parametrize("budget", [1_000, 200_000])
@pytest.mark.parametrize("engine", ["pool", "dask"])
def test_equality(
    tmp_path: Path, case: tuple[cr.Context, int, cr.Lattice], engine: str, budget: int
) -> None:
    context, least, lattice = case
    given = dask_executor(None, workers=2) if engine == "dask" else nullcontext((None, 2))
    with given as (executor, workers):
        run = mine(
            context,
            tmp_path,
            measures=MEASURES,
            min_support=least,
            task_concepts=budget,
            executor=executor,
            workers=workers,
        )
    assert_holds(run, lattice, MEASURES)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_memory_of_a_worker(tmp_path: Path) -> None:
    context = cr.load(data_path("bench/T10I4D100K.dat.gz"))
    with process_pool(1) as pool:
        run = mine(context, tmp_path, measures=["cr"], min_support=1, executor=pool, workers=1)
        peak = pool.submit(peak_bytes).result()
    assert len(run) > 2_000_000
    assert 20e6 < peak < 600e6
