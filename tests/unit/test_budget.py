from __future__ import annotations

import _thread
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numpy.typing import NDArray

import conceptrank as cr
from conceptrank.budget import support_threshold, watched
from conceptrank.errors import BudgetExceeded
from conceptrank.measures import registry


def contranominal(n: int) -> cr.Context:
    return cr.Context(range(n), range(n), ~np.eye(n, dtype=bool))


@pytest.mark.parametrize(
    ("given", "n", "expected"),
    [
        (0, 10, 0),
        (7, 10, 7),
        (700, 10, 700),
        (np.int32(4), 10, 4),
        (0.0, 10, 0),
        (1.0, 10, 10),
        (0.25, 10, 3),
        (0.3, 10, 3),
        (0.07, 100, 7),
        (np.float32(0.5), 9, 5),
        (0.5, 0, 0),
    ],
)
def test_minimum_support(given: float, n: int, expected: int) -> None:
    assert support_threshold(given, n) == expected


def test_a_limit_on_concepts_keeps_what_was_found() -> None:
    lattice = contranominal(60).lattice(budget=cr.Budget(concepts=500))
    assert len(lattice) == 500
    assert not lattice.complete
    assert lattice.stopped == "concepts"
    assert "stopped by concepts" in repr(lattice)
    assert (np.diff(lattice.supports) <= 0).all()


def test_other_limits() -> None:
    context = contranominal(40)
    assert context.lattice(budget=cr.Budget(bytes=200_000)).stopped == "bytes"
    assert context.lattice(budget=cr.Budget(seconds=0.05)).stopped == "seconds"


def test_seconds_include_putting_in_order() -> None:
    """In seconds of one processor, because other programs may use this one meanwhile."""
    begin = time.process_time()
    lattice = contranominal(200).lattice(budget=cr.Budget(seconds=0.5), threads=1)
    assert (lattice.stopped, time.process_time() - begin < 1.0) == ("seconds", True)


def test_cancelling_from_another_thread() -> None:
    budget = cr.Budget(bytes=10**9)
    context = contranominal(40)
    threading.Timer(0.05, budget.cancel).start()
    lattice = context.lattice(budget=budget)
    assert lattice.stopped == "cancelled"
    assert 0 < len(lattice) < 2**40


def press_control_c(done: int, share: float) -> None:
    """Interrupt a call that is under way: before, it could end anything else."""
    _thread.interrupt_main()


def test_control_c_is_a_keyboard_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt):
        contranominal(40).lattice(budget=cr.Budget(bytes=10**9), progress=press_control_c)


def test_a_cancelled_budget_stays_cancelled() -> None:
    budget = cr.Budget()
    budget.cancel()
    assert contranominal(40).lattice(budget=budget).stopped == "cancelled"


def test_progress_is_heard_and_can_end_the_call() -> None:
    class EnoughError(Exception):
        pass

    heard: list[tuple[int, float]] = []

    def progress(done: int, share: float) -> None:
        heard.append((done, share))
        if len(heard) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        contranominal(40).lattice(progress=progress)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    assert all(0 <= share <= 1 for _, share in heard)


@pytest.mark.parametrize(
    "limits", [{"concepts": -1}, {"bytes": 1.5}, {"seconds": -1.0}, {"concepts": True}]
)
def test_senseless_limits(limits: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(limits))):
        cr.Budget(**limits)  # type: ignore[arg-type]


SCORED = ["stability", "stability_extensional", "separation", "category_utility", "cohesion_avg"]
SCORED += ["concept_probability", "precision", "weighted_extent", "own"]


@pytest.fixture(autouse=True)
def registry_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    monkeypatch.setattr(registry, "_NAMES", dict(registry._NAMES))
    cr.measure("own")(lambda concept: len(concept.intent))


def random_context(n: int, q: int, share: float = 0.5) -> cr.Context:
    random = np.random.default_rng(7)
    return cr.Context(range(n), range(q), random.random((n, q)) < share)


def given(name: str, n: int) -> dict[str, object]:
    extra = {"precision": {"labels": [True] * n}, "weighted_extent": {"weights": [1] * n}}
    return extra.get(name, {})


@pytest.mark.parametrize("name", SCORED)
def test_scoring_ends_with_its_budget(name: str) -> None:
    lattice = random_context(40, 12).lattice()
    params = given(name, 40)
    with pytest.raises(BudgetExceeded, match="scoring took more than 0 seconds"):
        lattice.score(name, budget=cr.Budget(seconds=0), **params)
    cancelled = cr.Budget()
    cancelled.cancel()
    with pytest.raises(BudgetExceeded, match="scoring was cancelled"):
        lattice.rank(name, budget=cancelled, **params)
    # Nothing half done is kept.
    fresh = random_context(40, 12).lattice().score(name, **params)
    assert lattice.score(name, budget=cr.Budget(seconds=100), **params).tolist() == fresh.tolist()


def test_scoring_tells_how_far_it_has_come() -> None:
    lattice = random_context(60, 14).lattice()
    heard: list[tuple[int, float]] = []
    ranking = lattice.rank(
        "stability", also=["own"], progress=lambda done, share: heard.append((done, share))
    )
    shares = [share for _, share in heard]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert heard[-1][0] == len(lattice)
    assert ranking.order.tolist() == lattice.rank("stability").order.tolist()


def test_control_c_ends_scoring() -> None:
    lattice = random_context(20_000, 30, 0.2).lattice(budget=cr.Budget(concepts=300))
    with pytest.raises(KeyboardInterrupt):
        lattice.score("cohesion_avg", progress=press_control_c)


MEMORY = """
import resource
import numpy as np
import conceptrank as cr
n, q, concepts, limit = {numbers}
context = cr.Context(range(n), range(q), np.random.default_rng(1).random((n, q)) < {share})
cr.datasets.load("movies").lattice(threads=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
context.lattice(threads=1, budget=cr.Budget(concepts=concepts, bytes=limit))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
@pytest.mark.parametrize(
    ("numbers", "share", "most"),
    [
        # The sets of columns that contain a column would take 24,000² bits, or 72 MB.
        ((60, 24_000, 3, None), 0.5, 50_000),
        # 40,000² bits are 200 MB. The table comes on top of the limit: 25 bytes per cross, 50 MB.
        ((100, 40_000, None, 20_000_000), 0.5, 90_000),
        # Putting concepts in order takes as much memory again as the concepts.
        ((60, 60, None, 40_000_000), 0.8, 45_000),
    ],
)
def test_memory_stays_within_the_limit(
    numbers: tuple[int | None, ...], share: float, most: int
) -> None:
    program = MEMORY.format(numbers=numbers, share=share)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < most


def large_rows() -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Three million rows of eight attributes out of 800: a table that takes a second to build."""
    n = 3_000_000
    steps = np.random.default_rng(1).integers(0, 100, (n, 8), dtype=np.uint32)
    values = (steps + np.arange(0, 800, 100, dtype=np.uint32)).ravel()
    return np.arange(0, len(values) + 1, 8, dtype=np.int64), values


def interrupted_soon() -> threading.Timer:
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    return timer


def test_a_large_table_ends_with_the_budget():
    rows = large_rows()
    n = len(rows[0]) - 1
    weights = np.ones(n, dtype=np.uint32)
    names = range(n), range(800)
    builds = {
        "merged": lambda: cr.Context.from_csr(*names, *rows),
        "distinct": lambda: cr.Context.from_distinct_rows(names[1], rows, weights),
    }
    for name, build in builds.items():
        with watched(cr.Budget(seconds=0.02)):
            begin = time.thread_time()
            with pytest.raises(BudgetExceeded, match=r"more than 0\.02 seconds"):
                build()
        assert time.thread_time() - begin < 0.2, name
        begin = time.thread_time()
        timer = interrupted_soon()
        with pytest.raises(KeyboardInterrupt):
            build()
        assert time.thread_time() - begin < 0.3, name
        timer.join()


def test_mining_a_large_table_ends_with_the_budget():
    rows = large_rows()
    context = cr.Context.from_distinct_rows(range(800), rows, np.ones(len(rows[0]) - 1, np.uint32))
    begin = time.thread_time()
    sets = context.closed_sets(min_support=100, budget=cr.Budget(seconds=0.02))
    assert sets.stopped == "seconds"
    assert time.thread_time() - begin < 0.2
    begin = time.thread_time()
    timer = interrupted_soon()
    with pytest.raises(KeyboardInterrupt):
        context.closed_sets(min_support=100)
    assert time.thread_time() - begin < 0.3
    timer.join()
