"""Nothing is lost and nothing is twice, whoever is killed and when.

On a small context here; `make soak` does the same, and more, at full size.
"""

from __future__ import annotations

import multiprocessing
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
from conceptrank.errors import ConceptRankError
from conceptrank.runs import (
    RunError,
    RunProgress,
    dask_executor,
    driver,
    engines,
    mine,
    open_run,
)
from data_files import data_path
from faults import Dying, Slow, Through, dies
from runs import assert_holds
from strategies import random_context

SOAK = bool(os.environ.get("CONCEPTRANK_SOAK"))
MEASURES = ("cr", "stability")
BUDGET = 1000 if SOAK else 60
PAUSE = 0.0 if SOAK else 0.03
KILLS = 20 if SOAK else 6


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


def workers() -> list[int]:
    return [child.pid or 0 for child in multiprocessing.active_children()]


# A pool whose workers die while it starts others may report that its dictionary of workers changed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_workers_killed_at_random(tmp_path: Path, context: cr.Context, lattice: cr.Lattice) -> None:
    run = None
    with killing(tmp_path, workers, KILLS) as killed:
        while run is None:
            # A task that was in flight at two of the kills ends the run. It is not lost.
            with suppress(RunError):
                run = mine(
                    context,
                    tmp_path,
                    measures=MEASURES,
                    task_concepts=BUDGET,
                    workers=2,
                    resume=True,
                )
    assert killed
    assert_holds(run, lattice, MEASURES)


def test_a_task_that_breaks_two_pools_ends_the_run(
    tmp_path: Path, context: cr.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "run_branch", dies)
    with pytest.raises(RunError, match="--resume"):
        mine(context, tmp_path, workers=2)
    monkeypatch.undo()
    assert mine(context, tmp_path, workers=1, resume=True).complete


PRESS = """
import os, signal
from conceptrank.runs.engines import process_pool
if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: None)
    with process_pool(2) as pool:
        for _ in range(100):
            os.killpg(0, signal.SIGINT)
        futures = [pool.submit(pow, 2, k) for k in range(4)]
        print([future.result(timeout=300) for future in futures])
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
    assert (run.stdout, run.stderr) == ("[1, 2, 4, 8]\n", "")


ORPHANS = """
import multiprocessing, os, signal
from conceptrank.runs.engines import process_pool
if __name__ == "__main__":
    pool = process_pool(2)
    pool.submit(pow, 2, 5).result()
    print(*[child.pid for child in multiprocessing.active_children()], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    (tmp_path / "orphans.py").write_text(ORPHANS)
    run = subprocess.run(
        [sys.executable, str(tmp_path / "orphans.py")],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    children = [Path("/proc", number) for number in run.stdout.split()]
    assert len(children) == 2
    deadline = time.monotonic() + 60
    while any(child.exists() for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(child.exists() for child in children)


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
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice, monkeypatch: pytest.MonkeyPatch
) -> None:
    markers = tmp_path / "markers"
    markers.mkdir()
    folder = tmp_path / "run"
    monkeypatch.setattr(driver, "run_branch", Dying(markers, share=4))
    run = None
    while run is None:
        with suppress(RunError):
            run = mine(
                context,
                folder,
                measures=MEASURES,
                task_concepts=10 * BUDGET,
                workers=2,
                resume=True,
            )
    deaths = [int(marker.name, 16) % 8 for marker in markers.iterdir()]
    assert 0 in deaths, "no crash between write and rename"
    assert 1 in deaths, "no crash just after the rename"
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
            )
    assert killed == [doomed]
    assert workers[0].wait() == -signal.SIGKILL
    assert_holds(run, lattice, MEASURES)


def test_a_dask_scheduler_that_dies(
    tmp_path: Path, context: cr.Context, lattice: cr.Lattice, cluster: Cluster
) -> None:
    """The run ends with a message, and the folder can be resumed."""
    address, (*_, scheduler) = cluster

    def kill(made: RunProgress) -> None:
        if made.tasks_done >= 3:
            scheduler.kill()

    with (
        pytest.raises(RunError, match="--resume"),
        dask_executor(address) as (executor, _),
    ):
        mine(
            context,
            tmp_path,
            measures=MEASURES,
            task_concepts=BUDGET,
            executor=Through(executor, Slow(PAUSE)),
            workers=2,
            progress=kill,
        )
    assert open_run(tmp_path).state == "incomplete"
    run = mine(context, tmp_path, measures=MEASURES, workers=1, resume=True)
    assert_holds(run, lattice, MEASURES)


def test_a_dask_cluster_that_is_not_ready_is_a_clear_error(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_START", 1)
    monkeypatch.setattr(engines, "_ANSWER", 2)
    address, (*workers, scheduler) = cluster
    for processes in (workers, [scheduler]):
        for process in processes:
            process.kill()
            process.wait()
        time.sleep(1)
        with (
            pytest.raises(ConceptRankError, match="no Dask cluster is ready at tcp"),
            dask_executor(address),
        ):
            pass
