"""Baskets from a folder of Parquet files: read, packed and mined, beside polars and other packages.

The baskets are random: sizes are Poisson with mean 10, items follow Zipf's law. They are written as
list columns, as (order, item) rows and, for packages that take lists of Python, as lines of text.
`saved` packs the lists into a file, maps it into memory and mines from there.
Each job runs in a fresh process. Its processor seconds, elapsed seconds and peak memory are those
of the process and all that it starts. Its steps have their own, without imports: seconds of the
processor, elapsed seconds, and the peak so far in gigabytes. `polars` is the yardstick: it explodes
the lists and counts each item.

    python benchmarks/baskets.py [--baskets N] [--items N] [--support SHARE] [--folder DIR]
                                 [--jobs lists,rows,polars,saved,pyfim,pyspark,mlxtend,…]
                                 [--peers] [--limit SECONDS]

A peer must find our sets: the digest of its frequent sets is compared with that of the frequent
sets rebuilt from our closed ones, and for `pyfim` that of closed sets.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

# Baskets per file.
STEP = 250_000
OURS = ("lists", "rows", "polars", "saved")
PEERS = ("pyfim", "pyspark", "mlxtend", "efficient_apriori")
Sets = Iterable[tuple[frozenset[str], int]]


def write(folder: Path, n_baskets: int, n_items: int, shapes: set[str]) -> None:
    """Write the baskets as Parquet lists, as Parquet rows or as text, unless they are there."""
    import numpy as np
    import polars as pl

    shapes = {shape for shape in shapes if not (folder / f"{shape}-ready").exists()}
    if not shapes:
        return
    for name in shapes & {"lists", "rows"}:
        (folder / name).mkdir(parents=True, exist_ok=True)
    chances = 1 / np.arange(1, n_items + 1)
    ends = np.cumsum(chances / chances.sum())
    names = pl.Series([f"item{number:05}" for number in range(n_items)])
    lines = (folder / "baskets.txt").open("w") if "text" in shapes else None
    for number, begin in enumerate(range(0, n_baskets, STEP)):
        rng = np.random.default_rng([7, number])
        sizes = 1 + rng.poisson(9, min(STEP, n_baskets - begin))
        drawn = np.searchsorted(ends, rng.random(sizes.sum())).clip(max=n_items - 1)
        orders = begin + np.repeat(np.arange(len(sizes)), sizes)
        rows = pl.DataFrame({"order_id": orders, "item": names.gather(drawn)})
        lists = rows.group_by("order_id", maintain_order=True).agg(items="item").select("items")
        for name, frame in {"rows": rows, "lists": lists}.items():
            if name in shapes:
                frame.write_parquet(folder / name / f"part-{number:04}.parquet")
        if lines is not None:
            lines.writelines(f"{' '.join(each)}\n" for each in lists["items"].to_list())
    if lines is not None:
        lines.close()
    for shape in shapes:
        (folder / f"{shape}-ready").touch()


def digest(sets: Sets) -> str:
    """Return a digest of sets with their supports, whatever their order."""
    total = 0
    for items, support in sets:
        text = f"{' '.join(sorted(items))}:{support}".encode()
        total += int.from_bytes(hashlib.blake2b(text, digest_size=16).digest())
    return f"{total % (1 << 128):032x}"


def frequent(closed: Sets) -> dict[frozenset[str], int]:
    """Return all frequent sets of at least one item, from the closed ones."""
    found: dict[frozenset[str], int] = {}
    for items, support in closed:
        for size in range(1, len(items) + 1):
            for some in combinations(sorted(items), size):
                key = frozenset(some)
                found[key] = max(found.get(key, 0), support)
    return found


class Steps:
    """The processor seconds, the elapsed seconds and the peak memory of the steps of a job."""

    def __init__(self) -> None:
        self.taken: dict[str, tuple[float, float, float]] = {}
        self._last = self._now()

    def end(self, name: str) -> None:
        """End a step."""
        now = self._now()
        processor, elapsed = (after - before for after, before in zip(now, self._last, strict=True))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        self.taken[name] = round(processor, 2), round(elapsed, 2), round(peak, 2)
        self._last = self._now()

    def _now(self) -> tuple[float, float]:
        return time.process_time(), time.perf_counter()


def run(job: str, folder: Path, share: float) -> dict[str, object]:
    """Do a job and return what it found."""
    if job == "polars":
        import polars as pl

        steps = Steps()
        scan = pl.scan_parquet(folder / "lists" / "*.parquet")
        counted = scan.select(pl.col("items").explode()).group_by("items").len().collect()
        steps.end("counted")
        return {"sets": len(counted), "steps": steps.taken}
    if job in ("lists", "rows"):
        return ours(folder / job, share)
    if job == "saved":
        return ours(folder / "lists", share, folder / "lists.packed")
    if job == "pyspark":
        return spark(folder / "lists", share)
    baskets = [line.split() for line in (folder / "baskets.txt").open()]
    least = max(1, -int(-share * len(baskets) // 1))
    if job == "pyfim":
        import fim

        found = fim.fpgrowth(baskets, target="c", supp=-least, zmin=1, report="a")
        closed = [(frozenset(items), support) for items, support in found]
        return {"sets": len(closed), "closed": digest(closed)}
    if job == "mlxtend":
        from mlxtend.frequent_patterns import fpgrowth
        from mlxtend.preprocessing import TransactionEncoder
        from pandas import DataFrame

        encoder = TransactionEncoder()
        matrix = encoder.fit_transform(baskets, sparse=True)
        frame = DataFrame.sparse.from_spmatrix(matrix, columns=encoder.columns_)
        table = fpgrowth(frame, min_support=least / len(baskets), use_colnames=True)
        pairs = zip(table["itemsets"], (table["support"] * len(baskets)).round(), strict=True)
        return {"sets": len(table), "frequent": digest((s, int(n)) for s, n in pairs)}
    from efficient_apriori import itemsets_from_transactions

    levels, _ = itemsets_from_transactions(
        [tuple(basket) for basket in baskets], min_support=least / len(baskets)
    )
    every = {frozenset(items): n for level in levels.values() for items, n in level.items()}
    return {"sets": len(every), "frequent": digest(every.items())}


def ours(folder: Path, share: float, file: Path | None = None) -> dict[str, object]:
    """Read, pack and mine a folder, with a file between; report time and peak of the steps."""
    import polars  # noqa: F401

    import conceptrank as cr

    steps = Steps()
    packed = cr.runs.pack_transactions(folder, min_support=share)
    steps.end("read and packed")
    if file is not None:
        packed.save(file)
        steps.end("saved")
        packed = cr.runs.open_packed(file)
        steps.end("opened")
    context = packed.context
    del packed
    steps.end("table")
    sets = context.closed_sets(min_support=share)
    steps.end("mined")
    if context.core.n_objects > 1_000_000:
        disk = {} if file is None else {"packed": file.stat().st_size}
        return {"sets": len(sets), "steps": steps.taken, **disk}
    closed = [(frozenset(items), support) for items, support in sets if items]
    return {
        "sets": len(closed),
        "steps": steps.taken,
        "closed": digest(closed),
        "frequent": digest(frequent(closed).items()),
    }


def spark(folder: Path, share: float) -> dict[str, object]:
    """Run FP-growth of Spark in local mode; it wants lists without repeated items."""
    from pyspark.ml.fpm import FPGrowth
    from pyspark.sql import SparkSession, functions

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "8g")
        .config("spark.driver.maxResultSize", "0")
        .getOrCreate()
    )
    lists = session.read.parquet(str(folder)).select(
        functions.array_distinct("items").alias("items")
    )
    sets = FPGrowth(itemsCol="items", minSupport=share).fit(lists).freqItemsets.collect()
    session.stop()
    return {"sets": len(sets), "frequent": digest((frozenset(row.items), row.freq) for row in sets)}


def tree_of(process: int) -> list[tuple[int, float, int]]:
    """Return a process and all below it: number, processor seconds, bytes in memory."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with contextlib.suppress(OSError):
            # The name of the program, in parentheses, may hold anything.
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            ticks = int(fields[11]) + int(fields[12])
            seconds = ticks / os.sysconf("SC_CLK_TCK")
            found[int(entry.name)] = (
                int(fields[1]),
                seconds,
                int(fields[21]) * os.sysconf("SC_PAGE_SIZE"),
            )
    inside = {process}
    while more := {one for one, (parent, *_) in found.items() if parent in inside} - inside:
        inside |= more
    return [(one, *found[one][1:]) for one in inside if one in found]


def measured(job: str, folder: Path, share: float, limit: float) -> dict[str, object]:
    """Run a job in a process of its own; a peer ends after `limit` processor seconds."""
    from peers import PeerError, python_of

    try:
        python = sys.executable if job in OURS else str(python_of(job))
    except PeerError as error:
        return {"error": str(error)}
    command = [python, __file__, "--job", job, "--folder", str(folder), "--support", str(share)]
    begin = time.perf_counter()
    seconds: dict[int, float] = {}
    peak = 0
    with tempfile.TemporaryFile("w+") as answer, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=answer, stderr=errors, start_new_session=True)
        while process.poll() is None:
            tree = tree_of(process.pid)
            seconds |= {one: used for one, used, _ in tree}
            peak = max(peak, sum(held for *_, held in tree))
            if job in PEERS and sum(seconds.values()) > limit:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                reached = {"error": f"no result after {limit:.0f} processor seconds"}
                return {**reached, "gigabytes": round(peak / 1e9, 2)}
            time.sleep(0.1)
        elapsed = round(time.perf_counter() - begin, 1)
        for file in (answer, errors):
            file.seek(0)
        if process.returncode:
            reason = (errors.read().strip().splitlines() or ["stopped"])[-1]
            return {"error": reason, "gigabytes": round(peak / 1e9, 2)}
        found = json.loads(answer.read().splitlines()[-1])
    # What a process used after the last look at it.
    used = max(found.pop("processor"), sum(seconds.values()))
    peak = max(peak, found.pop("kilobytes") * 1024)
    return {
        **found,
        "elapsed": elapsed,
        "processor": round(used, 1),
        "gigabytes": round(peak / 1e9, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--baskets", type=float, default=1e6)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--support", type=float, default=0.0001)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--jobs", help="some of " + ", ".join((*OURS, *PEERS)))
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--peers", action="store_true", help="other packages as well")
    given = parser.parse_args()
    if given.job:
        found = run(given.job, given.folder, given.support)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        processor = round(usage.ru_utime + usage.ru_stime, 2)
        print(json.dumps({**found, "processor": processor, "kilobytes": usage.ru_maxrss}))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        jobs = given.jobs.split(",") if given.jobs else [*OURS[:3], *(PEERS if given.peers else ())]
        shapes = {"rows" if job == "rows" else "lists" for job in jobs}
        if any(job in PEERS for job in jobs):
            shapes.add("text")
        write(folder, int(given.baskets), given.items, shapes)
        for job in jobs:
            found = measured(job, folder, given.support, given.limit)
            print(job, json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
