"""Concepts, covers, relevance, both stabilities and Δ, against pyfim's closed sets alone.

Both run in one process, in turns, so that a noisy machine disturbs both; what counts is the ratio.
The answers are compared as well: the same closed sets with the same supports.

    python benchmarks/against_pyfim.py [FILE] [--min-support N] [--repeats N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import fim

import conceptrank as cr

MEASURES = ["cr", "stability_intensional", "stability_extensional", "delta_measure"]


def data_file(name: str) -> Path:
    folder = os.environ.get("CONCEPTRANK_DATA")
    here = Path(__file__).resolve().parent.parent
    return (Path(folder) if folder else here.parent / "shared" / "data") / name


def everything(context: cr.Context, min_support: int, threads: int) -> cr.Lattice:
    lattice = context.lattice(min_support=min_support, threads=threads, measures=MEASURES)
    for measure in MEASURES:
        lattice.score(measure)
    return lattice


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_bytes(path: Path, min_support: int) -> float:
    """Bytes a concept by which the peak of a fresh process grows when it builds the lattice."""
    code = (
        "import resource, sys; import conceptrank as cr\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        f"context = cr.load({str(path)!r}); cr.datasets.load('movies').lattice()\n"
        f"before = peak(); lattice = context.lattice(min_support={min_support})\n"
        "print((peak() - before) / len(lattice))"
    )
    return float(subprocess.check_output([sys.executable, "-c", code], text=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=data_file("bench/mushroom.dat.gz"))
    parser.add_argument("--min-support", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    if not options.file.exists():
        sys.exit(f"{options.file} is not there: set CONCEPTRANK_DATA or name a FIMI file")

    context = cr.load(options.file)
    transactions = [
        [int(name) for name in row] for row in (context.intension([g]) for g in context.objects)
    ]

    def peer(algorithm: Callable[..., list[tuple[object, int]]]) -> list[tuple[object, int]]:
        return algorithm(transactions, target="c", supp=-options.min_support, zmin=0)

    jobs: dict[str, Callable[[], object]] = {
        "pyfim eclat, closed sets": lambda: peer(fim.eclat),
        "pyfim fpgrowth, closed sets": lambda: peer(fim.fpgrowth),
        "conceptrank, 1 thread, everything": lambda: everything(context, options.min_support, 1),
        "conceptrank, all threads, everything": lambda: everything(context, options.min_support, 0),
    }
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(options.repeats):
        for name, job in jobs.items():
            times[name].append(timed(job))

    lattice = everything(context, options.min_support, 0)
    # pyfim lists neither the empty set nor, if there is one, the set that all objects have.
    n = len(context.objects)
    ours = {(frozenset(c.intent), c.support) for c in lattice if c.support < n}
    theirs = {(frozenset(map(str, items)), count) for items, count in peer(fim.eclat) if count < n}
    verdict = "the same" if ours == theirs else f"DIFFERENT ({len(ours)} and {len(theirs)})"
    print(f"{options.file.name}, support >= {options.min_support}: {len(lattice):,} concepts,")
    print(f"closed sets and supports of both: {verdict}\n")
    best = min(statistics.median(times[name]) for name in list(jobs)[:2])
    print(f"{'':38}{'median s':>9}{'min s':>8}{'ratio to the better pyfim':>27}")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:38}{median:9.3f}{min(values):8.3f}{median / best:27.2f}")
    print(f"\nlattice with covers: {lattice.n_bytes / len(lattice):.0f} bytes a concept held,")
    growth = peak_bytes(options.file, options.min_support)
    print(f"{growth:.0f} bytes a concept at the peak of building it")


if __name__ == "__main__":
    main()
