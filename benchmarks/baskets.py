"""Baskets from a folder of Parquet files: read, packed and mined, beside polars and other packages.

The baskets are random: sizes are Poisson with mean 10, items follow Zipf's law. They are written as
list columns, as (order, item) rows and, for packages that take lists of Python, as lines of text.
Each job runs in a fresh process. Its processor seconds, elapsed seconds and peak memory count from
the start of the process. `polars` is the yardstick: it explodes the lists and counts each item.

    python benchmarks/baskets.py [--baskets N] [--items N] [--support SHARE] [--folder DIR]
                                 [--jobs lists,rows,polars,pyfim,pyspark,mlxtend,efficient_apriori]
                                 [--limit SECONDS]

A peer must find our sets: the digest of its frequent sets is compared with that of the frequent
sets rebuilt from our closed ones, and for `pyfim` that of closed sets.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

# Baskets per file.
STEP = 250_000
OURS = ("lists", "rows", "polars")
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


def run(job: str, folder: Path, share: float) -> dict[str, object]:
    """Do a job and return what it found."""
    if job == "polars":
        import polars as pl

        scan = pl.scan_parquet(folder / "lists" / "*.parquet")
        counted = scan.select(pl.col("items").explode()).group_by("items").len().collect()
        return {"sets": len(counted)}
    if job in ("lists", "rows"):
        return ours(folder / job, share)
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


def ours(folder: Path, share: float) -> dict[str, object]:
    """Read, pack and mine a folder; report the time and the peak of the three steps."""
    import conceptrank as cr

    steps = []

    def step(name: str) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        steps.append((name, round(usage.ru_utime + usage.ru_stime, 2), usage.ru_maxrss))

    packed = cr.runs.pack_transactions(folder, min_support=share)
    step("read and packed")
    context = packed.context
    del packed
    step("table")
    sets = context.closed_sets(min_support=share)
    step("mined")
    closed = [(frozenset(items), support) for items, support in sets if items]
    answer: dict[str, object] = {"sets": len(closed), "steps": steps}
    if context.core.n_objects <= 1_000_000:
        answer |= {"closed": digest(closed), "frequent": digest(frequent(closed).items())}
    return answer


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


def measured(job: str, folder: Path, share: float, limit: float) -> dict[str, object]:
    """Run a job in a process of its own."""
    from peers import PeerError, python_of

    try:
        python = sys.executable if job in OURS else str(python_of(job))
    except PeerError as error:
        return {"error": str(error)}
    begin = time.perf_counter()
    command = [python, __file__, "--job", job, "--folder", str(folder), "--support", str(share)]
    limited = ["prlimit", f"--cpu={int(limit)}", *command]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["stopped"])[-1]
        return {"error": f"no result within {limit:.0f} s: {reason}"}
    return {**json.loads(done.stdout), "elapsed": round(time.perf_counter() - begin, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--baskets", type=float, default=1e6)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--support", type=float, default=0.0001)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--jobs", default=",".join((*OURS, *PEERS)))
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        found = run(given.job, given.folder, given.support)
        # Spark works in a child process.
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        usages = [resource.getrusage(kind) for kind in kinds]
        processor = round(sum(usage.ru_utime + usage.ru_stime for usage in usages), 2)
        peak = max(usage.ru_maxrss for usage in usages)
        print(json.dumps({**found, "processor": processor, "kilobytes": peak}))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        jobs = given.jobs.split(",")
        text = any(job in PEERS for job in jobs)
        write(folder, int(given.baskets), given.items, text=text)
        for job in jobs:
            found = measured(job, folder, given.support, given.limit)
            print(job, json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
