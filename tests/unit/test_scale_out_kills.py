"""Nothing is lost and nothing is twice, whoever is killed and when.

On a small context here; `make soak` does the same, and more, at full size.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import conceptrank as cr
from conceptrank.scale_out import ProcessPool, dask_executor, mine, open_run
from data_files import data_path
from faults import Dying, Slow, Through
from runs import assert_holds
from strategies import random_context

SOAK = bool(os.environ.get("CONCEPTRANK_SOAK"))
MEASURES = ("cr", "stability")
BUDGET = 1000 if SOAK else 60
PAUSE = 0.0 if SOAK else 0.03
KILLS = 20


@pytest.fixture(scope="module")
def context() -> cr.Context:
    if SOAK:
        return cr.load(data_path("bench/mushroom.dat.gz"))
    return random_context(80, 16, density=0.5, seed=12)


@pytest.fixture(scope="module")
def lattice(context: cr.Context) -> cr.Lattice:
    return context.lattice(measures=MEASURES)


def n_parts(folder: Path) -> int:
    return len(list(folder.glob("part-*.parquet")))


@contextmanager
def killing(folder: Path, victims: Callable[[], list[int]], most: int) -> Iterator[list[int]]:
    """Kill one of the victims again and again, each time after some more parts were written."""
    chance, killed, over = random.Random(7), [], threading.Event()

    def work() -> None:
        before = 0
        while len(killed) < most and not over.wait(chance.uniform(0.0, 0.03)):
            there = n_parts(folder) if folder.exists() else 0
            if there <= before or not victims():
                continue
            before = there
            victim = chance.choice(victims())
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def test_workers_killed_at_random(tmp_path: Path, context: cr.Context, lattice: cr.Lattice) -> None:
    with (
        ProcessPool(2) as pool,
        killing(tmp_path, lambda: pool.processes, KILLS) as killed,
    ):
        resume, complete = False, False
        while not complete:
            run = mine(
                context,
                tmp_path,
                measures=MEASURES,
                budget=BUDGET,
                executor=Through(pool, Slow(PAUSE)),
                window=4,
                resume=resume,
            )
            # A task that met too many of the kills is listed as failed; it is not lost.
            complete = run.complete
            assert complete or run.manifest["failures"]
            resume = True
    assert len(killed) >= KILLS
    assert pool.replaced > 0
    assert_holds(run, lattice, MEASURES)


def test_drivers_killed_and_resumed(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice
) -> None:
    file, folder = tmp_path / "context.cxt", tmp_path / "run"
    cr.io.save(context, file)
    command = [sys.executable, "-m", "conceptrank", "mine", str(file), "--out", str(folder)]
    command += ["--measures", ",".join(MEASURES), "--resume", "--quiet"]
    command += ["--task-concepts", str(BUDGET)]
    chance = random.Random(3)
    for attempt in range(5):
        before = n_parts(folder) if folder.exists() else 0
        workers = "2" if SOAK or attempt == 2 else "1"
        driver = subprocess.Popen([*command, "--workers", workers])
        while driver.poll() is None and (not folder.exists() or n_parts(folder) <= before + 3):
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.02))
        driver.kill()
        assert driver.wait() == -signal.SIGKILL, "the run was over before the kill"
        assert n_parts(folder) > before
        assert not open_run(folder).complete
    subprocess.run([*command, "--workers", "1"], check=True)
    assert_holds(open_run(folder), lattice, MEASURES)


def test_crashes_around_the_rename(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice
) -> None:
    markers = tmp_path / "markers"
    markers.mkdir()
    with ProcessPool(2) as pool:
        run = mine(
            context,
            tmp_path / "run",
            measures=MEASURES,
            budget=10 * BUDGET,
            executor=Through(pool, Dying(markers, share=4)),
            window=3,
        )
    deaths = [int(marker.name, 16) % 8 for marker in markers.iterdir()]
    assert 0 in deaths, "no crash between write and rename"
    assert 1 in deaths, "no crash just after the rename"
    assert run.manifest["retries"] >= len(deaths)
    assert_holds(run, lattice, MEASURES)


@pytest.fixture
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and two workers without nannies, as processes of their own."""
    pytest.importorskip("distributed")
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    # Workers import the tasks of the tests.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def start(program: str, *arguments: str) -> subprocess.Popen[bytes]:
        module = f"distributed.cli.dask_{program}"
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments, "--host", "127.0.0.1", "--no-dashboard"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    scheduler = start("scheduler", "--port", address.rpartition(":")[2])
    workers = [start("worker", address, "--no-nanny", "--nthreads", "1") for _ in range(2)]
    try:
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def test_a_dask_cluster_that_loses_a_worker(
    tmp_path: Path,
    context: cr.Context,
    lattice: cr.Lattice,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    address, workers = cluster
    folder = tmp_path / "run"
    with dask_executor(address) as (executor, _):
        doomed = workers[0].pid
        with killing(folder, lambda: [doomed] if n_parts(folder) > 20 else [], 1) as killed:
            run = mine(
                context,
                folder,
                measures=MEASURES,
                budget=BUDGET,
                executor=Through(executor, Slow(PAUSE)),
                window=4,
            )
    assert killed == [doomed]
    assert workers[0].wait() == -signal.SIGKILL
    assert_holds(run, lattice, MEASURES)
