"""Runs in a folder: two workers beside one, and one beside the lattice in memory.

Every turn scores the same concepts by relevance and stability: a run with one worker, one with two,
the lattice with one thread and with all. Times are elapsed, the shortest of the turns, from a
loaded context to a complete folder, the start of workers included; on a machine that has other
things to do the ratio of one worker to two says little. The memory is that of the larger of two
workers, at its peak and with all that a Python process holds anyway. The largest task counts by its
concepts.

    python benchmarks/runs.py [NAME ...] [--repeats N]
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Callable

from engine_jobs import peak_bytes
from peers import existing_data_file, timed

import conceptrank as cr
from conceptrank.runs import Run, mine
from conceptrank.runs.engines import process_pool

TABLES = ("mushroom", "adult")
MEASURES = ("cr", "stability")
TITLES = (
    *("table", "concepts", "one worker", "two workers", "ratio"),
    *("lattice, one thread", "overhead", "all threads", "overhead"),
    *("memory a worker", "largest task"),
)


def run_of(context: cr.Context, **how: object) -> Run:
    """Mine into a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        run = mine(context, folder, measures=MEASURES, **how)  # type: ignore[arg-type]
        assert run.complete
    return run


def memory_of_workers(context: cr.Context) -> int:
    """Return the most bytes that one of two workers holds during a run."""
    with process_pool(2) as pool:
        run_of(context, executor=pool, workers=2)
        return max(peak_bytes(child.pid or 0) for child in multiprocessing.active_children())


def compared(name: str, repeats: int) -> list[str]:
    """Return the cells of a table's row."""
    context = cr.load(existing_data_file(f"bench/{name}.dat.gz"))

    def lattice(threads: int) -> cr.Lattice:
        found = context.lattice(measures=MEASURES, threads=threads)
        for measure in MEASURES:
            found.score(measure)
        return found

    ways: dict[str, Callable[[], Run | cr.Lattice]] = {
        "one worker": lambda: run_of(context, workers=1),
        "two workers": lambda: run_of(context, workers=2),
        "one thread": lambda: lattice(1),
        "all threads": lambda: lattice(0),
    }
    times: dict[str, list[float]] = {way: [] for way in ways}
    concepts, largest = set(), 0
    for turn in range(repeats):
        for way, work in ways.items():
            seconds, found = timed(work)
            times[way].append(seconds)
            print(f"{name}, turn {turn + 1}: {way} {seconds:.2f} s", file=sys.stderr, flush=True)
            if isinstance(found, Run):
                largest = found.manifest["largest_task"]
                concepts.add(found.manifest["totals"]["concepts"])
            else:
                concepts.add(len(found))
    if len(concepts) > 1:
        sys.exit(f"{name}: different numbers of concepts: {sorted(concepts)}")
    (many,) = concepts
    one, two, alone, together = (min(times[way]) for way in ways)
    return [
        *(name, f"{many:,}", f"{one:.2f} s", f"{two:.2f} s", f"{one / two:.2f}"),
        *(f"{alone:.2f} s", f"{one / alone:.2f}", f"{together:.2f} s", f"{one / together:.2f}"),
        f"{memory_of_workers(context) / 1e6:.0f} MB",
        f"{100 * largest / many:.1f} %",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=TABLES, help="of the files in bench/")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    run_of(cr.datasets.load("movies"), workers=1)  # imports what is needed
    print("| " + " | ".join(TITLES) + " |")
    print("|" + "|".join(["---", *["--:"] * (len(TITLES) - 1)]) + "|")
    for name in options.names:
        print("| " + " | ".join(compared(name, options.repeats)) + " |", flush=True)


if __name__ == "__main__":
    main()
