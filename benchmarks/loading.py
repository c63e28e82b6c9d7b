"""How fast files are loaded, beside `concepts`, `fcapy` and `pandas.read_csv` plus one-hot.

All load the same files in turns in one run, each in a process of its own that stays alive; what
counts is the ratio to the fastest of the others. What a package has no reader for is left out; FIMI
lines, which none of them reads, become rows by the shortest code that a user would write.

    python benchmarks/loading.py [--repeats N]
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import peers

WORDS = {"colour": 5, "city": 40, "job": 15, "sex": 2, "degree": 5, "branch": 40, "role": 15}


# What each of them does with a file --------------------------------------------------------------


def conceptrank_fimi(path: str) -> tuple[int, int]:
    import conceptrank as cr

    return cr.load(path).shape


conceptrank_marks = conceptrank_words = conceptrank_fimi


def conceptrank_values(path: str) -> tuple[int, int]:
    import conceptrank as cr

    return cr.load(path, scale="auto").shape


def pandas_fimi(path: str) -> tuple[int, int]:
    import pandas as pd

    lines = pd.read_csv(path, header=None, sep="\0", dtype=str)[0]
    items = lines.str.split().explode()
    return pd.crosstab(items.index, items).astype(bool).shape


def pandas_marks(path: str) -> tuple[int, int]:
    import pandas as pd

    return pd.read_csv(path, index_col=0).notna().shape


def pandas_words(path: str) -> tuple[int, int]:
    import pandas as pd

    return pd.read_csv(path, index_col=0).astype(bool).shape


def pandas_values(path: str) -> tuple[int, int]:
    import pandas as pd

    return pd.get_dummies(pd.read_csv(path)).shape


def fcapy_words(path: str) -> tuple[int, int]:
    from fcapy.context import FormalContext

    context = FormalContext.read_csv(path)
    return context.n_objects, context.n_attributes


def fcapy_values(path: str) -> tuple[int, int]:
    import pandas as pd
    from fcapy.context import FormalContext

    frame = pd.get_dummies(pd.read_csv(path))
    frame.index = frame.index.astype(str)
    context = FormalContext.from_pandas(frame)
    return context.n_objects, context.n_attributes


def concepts_marks(path: str) -> tuple[int, int]:
    import concepts

    context = concepts.Context.fromfile(path, frmat="csv")
    return len(context.objects), len(context.properties)


JOBS: dict[str, Callable[[str], tuple[int, int]]] = {
    name: job
    for name, job in list(globals().items())
    if name.partition("_")[0] in ("conceptrank", "pandas", "fcapy", "concepts") and callable(job)
}


def answer(question: list[str]) -> tuple[float, tuple[int, int]]:
    """Return how long it took to load a file, and the shape of what was found."""
    job, path = question
    return peers.timed(lambda: JOBS[job](path))


# The files ---------------------------------------------------------------------------------------


def write_values(path: Path, rows: int) -> None:
    draw = random.Random(1)
    words = [[f"{name} {k}" for k in range(many)] for name, many in WORDS.items()]
    with path.open("w") as file:
        file.write(",".join(WORDS) + "\n")
        for _ in range(rows):
            file.write(",".join(map(draw.choice, words)) + "\n")


def write_crosses(path: Path, rows: int, columns: int, marks: tuple[str, str]) -> None:
    draw = random.Random(2)
    with path.open("w") as file:
        file.write(",".join(["name", *(f"attribute {m}" for m in range(columns))]) + "\n")
        for g in range(rows):
            cells = [marks[draw.random() > 0.3] for _ in range(columns)]
            file.write(f"object {g}," + ",".join(cells) + "\n")


def write_baskets(path: Path) -> None:
    """Write the 100,000 baskets of T10I4D100K if they are there, else random ones of that size."""
    real = peers.data_file("bench/T10I4D100K.dat.gz")
    if real.exists():
        import gzip

        path.write_bytes(gzip.decompress(real.read_bytes()))
        return
    draw = random.Random(3)
    with path.open("w") as file:
        for _ in range(100_000):
            basket = sorted(draw.sample(range(870), 1 + int(draw.expovariate(1 / 9))))
            file.write(" ".join(map(str, basket)) + "\n")


# The comparison ----------------------------------------------------------------------------------


def compare(title: str, kind: str, path: Path, repeats: int, skip: tuple[str, ...] = ()) -> None:
    jobs = [job for job in JOBS if job.endswith(f"_{kind}") and job.split("_")[0] not in skip]
    ours = [job for job in jobs if job.startswith("conceptrank")]
    workers = {job: peers.Worker(__file__, job.partition("_")[0]) for job in jobs}
    times: dict[str, list[float]] = {job: [] for job in jobs}
    shapes: dict[str, tuple[int, int]] = {}
    # The first round imports the packages and doesn't count.
    for turn in range(repeats + 1):
        for job, worker in workers.items():
            seconds, shapes[job] = worker.ask([job, str(path)])
            times[job] += [seconds] if turn else []
    for worker in workers.values():
        worker.close()
    best = min(statistics.median(times[job]) for job in jobs if job not in ours)
    print(f"{title} ({path.stat().st_size / 1e6:.1f} MB)")
    for job in jobs:
        median = statistics.median(times[job])
        shape = "{:,} x {:,}".format(*shapes[job])
        name = job.partition("_")[0]
        print(f"  {name:12}{median:9.3f} s{median / best:9.2f}   {shape}")
    print(flush=True)


MEMORY = """
import resource, sys, time
import conceptrank as cr
import numpy, polars
options = {"values": {"scale": "auto"}, "fimi": {"format": "fimi"}}.get(sys.argv[2], {})
cr.load(sys.argv[3], **options)  # what every call needs once
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before, start = peak(), time.perf_counter()
context = cr.load(sys.argv[1], **options)
seconds, grown = time.perf_counter() - start, peak() - before
packed = context.core.n_bytes
names = sum(sys.getsizeof(name) + 8 for name in (*context.objects, *context.attributes))
print(f"{seconds:.2f} s, {grown / 1e6:.0f} MB more at the peak: packed {packed / 1e6:.0f} MB, "
      f"names {names / 1e6:.0f} MB; {grown / (4 * packed + names):.2f} of 4 x packed + names")
"""


def alone(title: str, path: Path, small: Path, kind: str) -> None:
    """Time and memory of one file in a fresh process."""
    command = [sys.executable, "-c", MEMORY, str(path), kind, str(small)]
    print(f"{title} ({path.stat().st_size / 1e6:.1f} MB)")
    print(f"  {subprocess.check_output(command, text=True).strip()}\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        peers.serve(answer)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_baskets(baskets := folder / "baskets.dat")
        write_values(values := folder / "values.csv", 200_000)
        write_crosses(marks := folder / "marks.csv", 20_000, 50, ("X", ""))
        write_crosses(words := folder / "words.csv", 20_000, 50, ("True", "False"))
        compare("FIMI", "fimi", baskets, 1)  # pandas takes its time
        compare("CSV of values, scaled", "values", values, options.repeats)
        compare("CSV of crosses: X or nothing", "marks", marks, options.repeats)
        compare("CSV of crosses: True or False", "words", words, options.repeats)
        small = folder / "small.csv"
        with baskets.open("rb") as file:
            small.write_bytes(b"".join(file.readline() for _ in range(1000)))
        alone("FIMI alone", baskets, small, "fimi")
        write_values(small, 1000)
        write_values(values, 1_000_000)
        alone("a million rows of values", values, small, "values")
        write_crosses(small, 1000, 20, ("1", "0"))
        write_crosses(marks, 1_000_000, 20, ("1", "0"))
        alone("a million rows of ones and zeros", marks, small, "marks")


if __name__ == "__main__":
    main()
