"""The engine beside `pyfim`, `concepts`, `fcapy`, `caspailleur`, `odis-python` and `mlxtend`.

All work on the same tables in turns, each in a process of its own that stays alive; what counts is
the ratio within one run. Tasks are separate: closed sets; with covers; relevance; stability; Δ;
minimal generators; all together; ranking by stability in two steps and in one call. Answers are
compared, and a package that finds other sets is a finding and no row. Memory is what a fresh
process grows by at its peak. At the end, how time and memory grow with the number of concepts,
objects and attributes of generated contexts.

    python benchmarks/engine.py [--full] [--repeats N] [--limit SECONDS] [--tables NAME ...]

Markdown, numbers and a figure go to build/bench.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import engine_report
import peers

JOBS = str(Path(__file__).with_name("engine_jobs.py"))
PYFIM = ("pyfim eclat", "pyfim fpgrowth")
OTHERS = ("concepts", "fcapy", "caspailleur", "odis", "mlxtend")


@dataclass(frozen=True)
class Table:
    """A context, the least support, and who is asked."""

    title: str
    name: str  # in the catalogue of public data sets
    min_support: int = 1
    peers: tuple[str, ...] = PYFIM

    def load(self) -> Any:
        from conceptrank.datasets import public

        entry = public.catalogue()[self.name]
        return entry.read(peers.existing_data_file(entry.file))


SHORT = [
    Table("mushroom", "mushroom"),
    Table("retail", "retail", 10),
    Table("connect", "connect", 40_000),
    Table("Bob Ross", "bob_ross", 1, (*PYFIM, *OTHERS)),
]
SEVEN = [
    Table("mushroom", "mushroom"),
    Table("T10I4D100K", "t10i4d100k", 10),
    Table("retail", "retail", 10),
    Table("kosarak25k", "kosarak_25k", 10),
    Table("connect", "connect", 40_000),
    Table("chess", "chess", 1_300),
    Table("adult", "adult"),
]
TASKS = ("closed sets", "covers", "relevance", "stability", "delta", "generators", "all together")
# Ranking by stability: `lattice()` and then `rank()`, and `context.rank()`.
TASKS += ("two steps", "one call")


def every_table() -> list[Table]:
    """Return the seven and all other public data sets, everybody asked."""
    from conceptrank.datasets import public

    everybody = (*PYFIM, *OTHERS)
    known = {table.name for table in SEVEN}
    rest = [
        Table(entry.title, name, 1, everybody)
        for name, entry in public.catalogue().items()
        if name not in known and peers.data_file(entry.file).exists()
    ]
    return [Table(t.title, t.name, t.min_support, everybody) for t in SEVEN] + rest


@dataclass
class Row:
    """What one package needed for one task on one table."""

    table: str
    who: str
    task: str
    threads: int
    seconds: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)  # seconds of the processors
    peak: int | None = None  # bytes
    facts: dict[str, int] = field(default_factory=dict)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


class Comparison:
    """All rows of a run, and what was found on the way."""

    def __init__(self, *, repeats: int, limit: float, memory: bool) -> None:
        self.repeats, self.limit, self.memory = repeats, limit, memory
        self.rows: list[Row] = []
        self.findings: list[str] = []
        self.shapes: dict[str, tuple[int, int]] = {}

    def find(self, table: str, who: str, what: str) -> None:
        self.findings.append(f"{table}: {who}: {what}")
        print(f"  {who}: {what}", file=sys.stderr, flush=True)

    def open(self, table: Table, who: str, path: Path, limit: float) -> tuple[Any, list[str]]:
        """Return a worker with the table, and the tasks that it can do; none if that failed."""
        try:
            worker = peers.Worker(JOBS, who.split(maxsplit=1)[0])
            question = ["load", who, str(path), self.shapes[table.title][1], table.min_support]
            tasks = worker.ask(question, limit=limit)
        except peers.PeerError as error:
            self.find(table.title, who, f"can't load the table: {error}")
            return None, []
        if tasks is None:
            self.find(table.title, who, f"no table after {limit:.0f} s")
            return None, []
        return worker, tasks

    def run(self, table: Table, only: list[str] | None = None) -> None:
        """Time all who can do it on a table, in turns, and compare their answers."""
        context = table.load()
        self.shapes[table.title] = context.shape
        print(f"{table.title}, {context.shape[0]:,} × {context.shape[1]:,}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows"
            write_rows(context, path)
            del context
            rows = self.time(table, path, only)
            for row in rows:
                if self.memory and row.seconds and row.threads == 1:
                    self.weigh(table, path, row)
        kept = [row for row in rows if row.seconds and self.agrees(row, rows)]
        self.rows += kept
        for row in kept:
            print(f"  {row.who:15}{row.task:14}{row.threads}  {row.median:9.4f} s", file=sys.stderr)

    def time(self, table: Table, path: Path, only: list[str] | None) -> list[Row]:
        rows: list[Row] = []
        workers: dict[tuple[str, str], Any] = {}
        for who in ("conceptrank", *table.peers):
            worker, tasks = self.open(table, who, path, 3 * self.limit)
            for task in tasks:
                if only is None or task in only:
                    workers[who, task] = worker
                    threads = (1, 0) if who == "conceptrank" else (1,)
                    rows += [Row(table.title, who, task, n) for n in threads]
        for turn in range(self.repeats):
            for row in rows:
                if turn and (not row.seconds or max(row.seconds) > self.limit / 10):
                    continue
                self.once(table, path, row, workers)
        for worker in set(workers.values()):
            if worker.alive:
                worker.close()
        return rows

    def once(self, table: Table, path: Path, row: Row, workers: dict[tuple[str, str], Any]) -> None:
        worker = workers[row.who, row.task]
        if not worker.alive:
            # Another task of this package took too long; a new process goes on.
            worker, _ = self.open(table, row.who, path, 3 * self.limit)
            if worker is None:
                return
            for key in workers:
                if key[0] == row.who:
                    workers[key] = worker
        try:
            answer = worker.ask(["run", row.task, row.threads], limit=self.limit)
            if answer is None:
                self.find(table.title, row.who, f"{row.task}: no answer after {self.limit:.0f} s")
                return
            if not row.seconds:
                row.facts = worker.ask(["check", row.task])
        except peers.PeerError as error:
            self.find(table.title, row.who, f"{row.task}: {error}")
            return
        row.seconds.append(answer[0])
        row.busy.append(answer[1])

    def weigh(self, table: Table, path: Path, row: Row) -> None:
        worker, _ = self.open(table, row.who, path, 3 * self.limit)
        if worker is None:
            return
        try:
            row.peak = worker.ask(["memory", row.task, row.threads], limit=3 * self.limit)
        except peers.PeerError as error:
            self.find(table.title, row.who, f"{row.task}, memory: {error}")
        if worker.alive:
            worker.close()

    def agrees(self, row: Row, rows: list[Row]) -> bool:
        """Whether a row's answer is that of ours; if not, it is a finding."""
        ours = next((r for r in rows if r.who == "conceptrank" and r.task == row.task), row)
        differences = [
            f"{name} {value:,} and ours {ours.facts[name]:,}"
            for name, value in row.facts.items()
            if ours.facts.get(name, value) != value
        ]
        if differences:
            self.find(row.table, row.who, f"{row.task}: another answer, {'; '.join(differences)}")
        return not differences


def write_rows(context: Any, path: Path) -> None:
    offsets, values = context.rows()
    ends, numbers = offsets.tolist(), values.tolist()
    with path.open("w") as file:
        for begin, end in itertools.pairwise(ends):
            file.write(" ".join(map(str, numbers[begin:end])) + "\n")


# Growth ------------------------------------------------------------------------------------------


@dataclass
class Point:
    """One generated context, mined by one thread in a fresh process."""

    series: str
    task: str
    size: int  # of what grows
    concepts: int
    seconds: float
    peak: int


def measured(context: Any, least: int, task: str, limit: float) -> tuple[int, float, int] | None:
    """Return the number of sets, the seconds of the processor and the peak; None after a limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        write_rows(context, path)
        # One process for the time and one for the memory: a second run would reuse the first's.
        answers = []
        for kind in ("run", "memory"):
            worker = peers.Worker(JOBS, "conceptrank")
            worker.ask(["load", "conceptrank", str(path), context.shape[1], least])
            answers.append(worker.ask([kind, task, 1], limit=limit))
            if answers[-1] is None:
                return None
            count = worker.ask(["count"])
            worker.close()
        return count, answers[0][1], answers[1]


def growth(*, full: bool, limit: float) -> list[Point]:
    """Measure contexts of which one thing grows at a time."""
    import conceptrank as cr

    points: list[Point] = []

    def add(series: str, task: str, size: int | None, context: Any, least: int) -> bool:
        found = measured(context, least, task, limit)
        if found is None:
            return False
        points.append(Point(series, task, found[0] if size is None else size, *found))
        print(
            f"  {series}, {task}: {points[-1].size:,}: {found[0]:,} sets, {found[1]:.3f} s, "
            f"{found[2] / 1e6:.0f} MB",
            file=sys.stderr,
            flush=True,
        )
        return True

    random = cr.datasets.random
    supports = FALLING if full else FALLING[:3]
    tall = mixed(objects=10_000, attributes=100)
    for task in ("closed sets", "covers"):
        for least in supports:
            if not add("concepts", task, None, tall, least):
                break
    base = random.coin_toss(objects=1000, attributes=40, density=0.3, seed=2)
    for times in (1, 4, 16, 64, 256) if full else (1, 4, 16):
        many = repeated(base, times)
        add("objects", "covers", many.shape[0], many, 20 * times)
    for q in (25, 50, 100, 200, 400) if full else (25, 50, 100, 200):
        wide = random.coin_toss(objects=5000, attributes=q, density=0.2, seed=3)
        add("attributes", "covers", q, wide, 40)
    return points


# Least supports that lead from about ten thousand to about ten million closed sets.
FALLING = (350, 140, 50, 25, 16)


def mixed(*, objects: int, attributes: int) -> Any:
    """Return a random context whose attributes are of five frequencies, from 5 to 40 %."""
    import conceptrank as cr

    densities = (0.05, 0.1, 0.2, 0.3, 0.4)
    groups = [range(k, attributes, len(densities)) for k in range(len(densities))]
    first, *rest = [
        cr.datasets.random.coin_toss(
            objects=objects, attributes=map(str, some), density=density, seed=1, stream=number
        )
        for number, (some, density) in enumerate(zip(groups, densities, strict=True))
    ]
    return first.apposition(*rest)


def repeated(context: Any, times: int) -> Any:
    """Return a context with every object so many times, a hundredth of all cells changed."""
    import numpy as np

    import conceptrank as cr

    offsets, values = context.rows()
    once = np.zeros(context.shape, dtype=bool)
    once[np.repeat(np.arange(context.shape[0]), np.diff(offsets)), values] = True
    cells = np.tile(once, (times, 1))
    cells ^= np.random.default_rng(5).random(cells.shape) < 0.01
    return cr.Context(range(cells.shape[0]), context.attributes, cells)


def machine() -> str:
    """Return what this ran on."""
    import platform

    cpu = Path("/proc/cpuinfo")
    model = platform.processor()
    if cpu.exists():
        lines = [line for line in cpu.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{model}, {os.cpu_count()} processors, {memory:.0f} GB, {platform.system()}, "
        f"Python {platform.python_version()}; busy with other work at the start: "
        f"{os.getloadavg()[0]:.1f} processes"
    )


def keep(folder: Path, described: str, comparison: Comparison, points: list[Point]) -> str:
    """Write what is known so far, so that a long run can be ended, and return the report."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "machine": described,
        "shapes": comparison.shapes,
        "rows": [asdict(row) for row in comparison.rows],
        "findings": comparison.findings,
        "growth": [asdict(point) for point in points],
    }
    (folder / "engine.json").write_text(json.dumps(record, indent=1) + "\n")
    text = engine_report.markdown(record)
    (folder / "engine.md").write_text(text)
    engine_report.draw(record, folder / "engine.svg")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="every table and every package: hours")
    parser.add_argument("--seven", action="store_true", help="seven tables against pyfim alone")
    parser.add_argument("--tables", nargs="+", help="names of public data sets, instead")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, help="some of the tasks")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60, help="seconds to wait for an answer")
    parser.add_argument("--no-memory", action="store_true", help="leave out peak memory")
    parser.add_argument("--full-growth", action="store_true", help="up to 10^7 concepts")
    parser.add_argument("--no-growth", action="store_true", help="leave out growth")
    parser.add_argument("--out", type=Path, default=peers.ROOT / "build" / "bench")
    options = parser.parse_args()
    tables = every_table() if options.full or options.tables else SHORT
    if options.seven:
        tables = SEVEN
    if options.tables:
        tables = [table for table in tables if table.name in options.tables]
    described = machine()
    comparison = Comparison(
        repeats=options.repeats, limit=options.limit, memory=not options.no_memory
    )
    points: list[Point] = []
    for table in tables:
        comparison.run(table, options.tasks)
        keep(options.out, described, comparison, points)
    if not options.no_growth:
        full = options.full or options.full_growth
        points += growth(full=full, limit=10 * options.limit)
    print(keep(options.out, described, comparison, points))


if __name__ == "__main__":
    main()
