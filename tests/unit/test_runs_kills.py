"""Nothing is lost and nothing is twice, whoever is killed and when.

On a small context here; `make soak` does the same, and more, at full size.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import conceptrank as cr
from conceptrank.errors import ConceptRankError
from conceptrank.runs import (
    ProcessPool,
    Progress,
    RunError,
    dask_executor,
    engines,
    mine,
    open_run,
)
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
                task_concepts=BUDGET,
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


def test_workers_killed_while_they_answer() -> None:
    answers = []
    with ProcessPool(1) as pool:
        for pause in (0.0, 0.01, 0.02, 0.03, 0.04, 0.05):
            assert pool.submit(pow, 2, 5).result(timeout=300) == 32
            # It takes some 50 ms until all of these bytes are through the pipe.
            future = pool.submit(bytes, 50_000_000)
            time.sleep(pause)
            os.kill(pool.processes[0], signal.SIGKILL)
            answers.append(type(future.exception(timeout=300)))
    assert BrokenExecutor in answers
    assert set(answers) <= {BrokenExecutor, type(None)}
    assert pool.replaced >= answers.count(BrokenExecutor)


PRESS = """
import os, signal, sys
from conceptrank.runs import ProcessPool
if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: None)
    with ProcessPool(2) as pool:
        for _ in range(100):
            os.killpg(0, signal.SIGINT)
        futures = [pool.submit(pow, 2, k) for k in range(4)]
        print([future.result(timeout=300) for future in futures], pool.replaced)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")
def test_control_c_does_not_reach_workers_while_they_start(tmp_path: Path) -> None:
    (tmp_path / "press.py").write_text(PRESS)
    run = subprocess.run(
        [sys.executable, str(tmp_path / "press.py")],
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert (run.stdout, run.stderr) == ("[1, 2, 4, 8] 0\n", "")


def test_a_worker_killed_at_start_up() -> None:
    with ProcessPool(1) as pool:
        os.kill(pool.processes[0], signal.SIGKILL)
        assert isinstance(pool.submit(pow, 2, 5).exception(timeout=300), BrokenExecutor)
        assert pool.submit(pow, 2, 5).result(timeout=300) == 32
        assert pool.replaced == 1


def test_waiting_tasks_are_dropped_when_a_run_is_stopped() -> None:
    with ProcessPool(1) as pool:
        first = pool.submit(time.sleep, 1)
        while not first.running():
            time.sleep(0.01)
        waiting = [pool.submit(pow, 2, 5) for _ in range(3)]
        pool.drop_waiting()
        assert all(future.cancelled() for future in waiting)
        assert first.result(timeout=300) is None
        assert pool.submit(pow, 2, 5).result(timeout=300) == 32


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
            task_concepts=10 * BUDGET,
            executor=Through(pool, Dying(markers, share=4)),
            window=3,
        )
    deaths = [int(marker.name, 16) % 8 for marker in markers.iterdir()]
    assert 0 in deaths, "no crash between write and rename"
    assert 1 in deaths, "no crash just after the rename"
    assert run.manifest["retries"] >= len(deaths)
    assert_holds(run, lattice, MEASURES)


Cluster = tuple[str, list["subprocess.Popen[bytes]"]]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A Dask scheduler and two workers without nannies; the scheduler is the last process."""
    distributed = pytest.importorskip("distributed")
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
        # However long that takes on a busy machine.
        with distributed.Client(address, timeout="300s") as client:
            client.wait_for_workers(len(workers), timeout=300)
        yield address, [*workers, scheduler]
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def test_a_dask_cluster_that_loses_a_worker(
    tmp_path: Path,
    context: cr.Context,
    lattice: cr.Lattice,
    cluster: Cluster,
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
                task_concepts=BUDGET,
                executor=Through(executor, Slow(PAUSE)),
                window=4,
            )
    assert killed == [doomed]
    assert workers[0].wait() == -signal.SIGKILL
    assert_holds(run, lattice, MEASURES)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter waits for a cluster that dies, and a longer one for a cluster that starts."""
    waits = {"_START": 60.0, "_PING": 0.2, "_ANSWER": 8.0, "_WITHOUT_WORKERS": 2.0}
    for name, seconds in waits.items():
        monkeypatch.setattr(engines, name, seconds)


def test_a_lost_dask_cluster_logs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "_ANSWER", 0.1)
    # Dask sets this level when it is imported.
    logger = logging.getLogger("distributed.client")
    logger.setLevel(logging.WARNING)
    with (
        pytest.raises(ConceptRankError, match="no Dask cluster is ready"),
        dask_executor("tcp://127.0.0.1:1"),
    ):
        pass
    assert not logger.isEnabledFor(logging.ERROR)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_dask_scheduler_that_dies(
    tmp_path: Path,
    context: cr.Context,
    lattice: cr.Lattice,
    cluster: Cluster,
    number: signal.Signals,
) -> None:
    """The driver ends by itself, with a message, and the folder can be resumed."""
    address, (*_, scheduler) = cluster

    def kill(made: Progress) -> None:
        if made.tasks_done >= 3:
            scheduler.send_signal(number)

    with (
        pytest.raises(RunError, match=r"the Dask scheduler at tcp.*--resume"),
        dask_executor(address) as (executor, _),
    ):
        mine(
            context,
            tmp_path,
            measures=MEASURES,
            task_concepts=BUDGET,
            executor=Through(executor, Slow(PAUSE)),
            window=2,
            progress=kill,
        )
    assert open_run(tmp_path).state == "incomplete"
    run = mine(context, tmp_path, measures=MEASURES, workers=1, resume=True)
    assert_holds(run, lattice, MEASURES)


@pytest.mark.usefixtures("impatient")
def test_dask_workers_that_die(tmp_path: Path, context: cr.Context, cluster: Cluster) -> None:
    address, (*workers, _) = cluster
    with dask_executor(address) as (executor, _):
        for worker in workers:
            worker.kill()
        with pytest.raises(RunError, match="no worker left"):
            mine(context, tmp_path, executor=executor)
    assert open_run(tmp_path).state == "incomplete"


def test_a_dask_cluster_without_workers_is_a_clear_error(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(engines, "_START", engines._ANSWER + 1)
    address, (*workers, scheduler) = cluster
    for worker in workers:
        worker.kill()
    with distributed.Client(address, timeout="300s") as client:
        while client.scheduler_info()["workers"]:
            time.sleep(0.05)
    with (
        pytest.raises(ConceptRankError, match="no Dask cluster is ready at tcp"),
        ExitStack() as it,
    ):
        it.enter_context(dask_executor(address))
    scheduler.kill()
    with (
        pytest.raises(ConceptRankError, match="no Dask cluster is ready at tcp"),
        ExitStack() as it,
    ):
        it.enter_context(dask_executor(address))


@pytest.mark.parametrize("noticed", [False, True])
def test_a_dask_worker_killed_at_start_up_is_a_clear_error(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, noticed: bool
) -> None:
    address, (*workers, _) = cluster
    check = engines._refuse_other_versions

    def kill_first(client: Any) -> None:
        for worker in workers:
            worker.kill()
        while noticed and client.scheduler_info()["workers"]:
            time.sleep(0.05)
        check(client)

    monkeypatch.setattr(engines, "_refuse_other_versions", kill_first)
    with (
        pytest.raises(ConceptRankError, match="no Dask cluster is ready at tcp"),
        ExitStack() as it,
    ):
        it.enter_context(dask_executor(address))


def test_a_stop_does_not_wait_for_a_dead_cluster(
    tmp_path: Path, context: cr.Context, cluster: Cluster
) -> None:
    address, (*_, scheduler) = cluster
    budget = cr.Budget()

    def freeze_and_cancel(_: Progress) -> None:
        scheduler.send_signal(signal.SIGSTOP)
        budget.cancel()

    with dask_executor(address) as (executor, _):
        run = mine(
            context,
            tmp_path,
            executor=Through(executor, Slow(1000)),
            budget=budget,
            progress=freeze_and_cancel,
        )
    assert run.state == "incomplete"
