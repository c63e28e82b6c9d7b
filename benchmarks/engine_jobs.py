"""What each package does with a table: mined, with covers, scored. Run by the package's own Python.

A table is a file with the attribute numbers of one object a line. An adapter turns it into what its
package wants, which is not timed; its `tasks` are. All answers come to one form, so that they can
be compared: the closed sets that some but not all objects have, as sorted numbers with a support.
(`pyfim` lists neither the empty set nor the set that all objects have.)
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import peers

MEASURES = ["cr", "stability_intensional", "stability_extensional", "delta_measure"]
# More sets than that are counted only.
MOST_COMPARED = 500_000
# What another package may use, so that it fails before the machine does.
MOST_BYTES = 8 << 30
Sets = Iterable[tuple[Iterable[int], int]]


class Adapter:
    """A package, given a table."""

    def __init__(self, rows: list[list[int]], n_attributes: int, min_support: int) -> None:
        self.rows, self.n_attributes, self.min_support = rows, n_attributes, min_support
        self.tasks: dict[str, Callable[[int], Any]] = {}
        self.prepare()

    def prepare(self) -> None:
        """Make what the package works on, and fill `tasks`; they are given a number of threads."""
        raise NotImplementedError

    def sets(self, found: Any) -> Sets:
        """Return the closed sets of what a task found."""
        raise NotImplementedError

    def supports(self, found: Any) -> Iterable[int]:
        """Return the supports of these sets."""
        return (support for _, support in self.sets(found))

    def facts(self, task: str, found: Any) -> dict[str, int]:
        """Return what can be compared besides the closed sets."""
        del task, found
        return {}

    def frame(self) -> Any:
        """Return the table as a frame of booleans."""
        import pandas as pd

        cells = [[False] * self.n_attributes for _ in self.rows]
        for line, row in zip(cells, self.rows, strict=True):
            for m in row:
                line[m] = True
        names = [str(m) for m in range(self.n_attributes)]
        return pd.DataFrame(cells, columns=names, index=[str(g) for g in range(len(cells))])

    def whole(self) -> bool:
        """Whether all concepts are wanted: some packages can do nothing else."""
        return self.min_support <= 1


class Conceptrank(Adapter):
    def prepare(self) -> None:
        import numpy as np

        import conceptrank as cr

        lengths = np.array([len(row) for row in self.rows])
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        values = np.array([m for row in self.rows for m in row], dtype=np.uint32)
        shape = range(len(self.rows)), range(self.n_attributes)
        self.context = cr.Context.from_csr(*shape, offsets, values)
        self.rows = []
        self.tasks = {
            "closed sets": self.closed_sets,
            "covers": self.lattice,
            "relevance": lambda threads: self.scored(threads, ["cr"]),
            "stability": lambda threads: self.scored(threads, ["stability_intensional"]),
            "delta": lambda threads: self.scored(threads, ["delta_measure"]),
            "generators": self.generators,
            "all together": lambda threads: self.scored(threads, MEASURES),
            "two steps": self.two_steps,
            "one call": self.one_call,
        }

    def closed_sets(self, threads: int) -> Any:
        return self.context.closed_sets(min_support=self.min_support, threads=threads)

    def lattice(self, threads: int) -> Any:
        return self.context.lattice(min_support=self.min_support, threads=threads)

    def scored(self, threads: int, measures: list[str]) -> Any:
        lattice = self.context.lattice(
            min_support=self.min_support, threads=threads, measures=measures
        )
        for measure in measures:
            lattice.score(measure)
        return lattice

    def two_steps(self, threads: int) -> Any:
        """Mine, then rank, as most users type it."""
        lattice = self.lattice(threads)
        return lattice.rank("stability_intensional").lattice

    def one_call(self, threads: int) -> Any:
        """Rank in one pass."""
        options = {"min_support": self.min_support, "threads": threads}
        return self.context.rank("stability_intensional", **options).lattice

    def generators(self, threads: int) -> Any:
        from conceptrank import _core

        lattice = self.lattice(threads)
        found = _core.lattice_generators(lattice.core, 0, len(lattice), threads=threads)
        return lattice, found

    def sets(self, found: Any) -> Sets:
        lattice = found[0] if isinstance(found, tuple) else found
        offsets, values = lattice.intents
        for i, support in enumerate(lattice.supports.tolist()):
            yield values[offsets[i] : offsets[i + 1]].tolist(), support

    def supports(self, found: Any) -> Iterable[int]:
        supports: list[int] = (found[0] if isinstance(found, tuple) else found).supports.tolist()
        return supports

    def facts(self, task: str, found: Any) -> dict[str, int]:
        if task == "closed sets":
            return {}
        lattice = found[0] if isinstance(found, tuple) else found
        facts = {"covers": len(lattice.lower_covers[1])}
        if task == "generators":
            # Those of the concept without objects are left out: not everybody lists them.
            last = found[1].offsets[int((lattice.supports > 0).sum())]
            facts["generators"] = int(last)
        return facts


class Pyfim(Adapter):
    algorithm = ""

    def prepare(self) -> None:
        import fim

        algorithm = getattr(fim, self.algorithm)
        least = -max(self.min_support, 1)
        self.tasks = {"closed sets": lambda _: algorithm(self.rows, target="c", supp=least, zmin=0)}

    def sets(self, found: Any) -> Sets:
        return ((items, support) for items, support in found)


class Eclat(Pyfim):
    algorithm = "eclat"


class Fpgrowth(Pyfim):
    algorithm = "fpgrowth"


class Concepts(Adapter):
    def prepare(self) -> None:
        import concepts

        if self.whole():
            frame = self.cells()
            objects = [f"g{g}" for g in range(len(self.rows))]
            names = [f"m{m}" for m in range(self.n_attributes)]

            def lattice(_: int) -> Any:
                found = concepts.Context(objects, names, frame).lattice
                len(found)
                return found

            self.tasks = {"covers": lattice}

    def cells(self) -> list[tuple[bool, ...]]:
        wanted = [set(row) for row in self.rows]
        return [tuple(m in row for m in range(self.n_attributes)) for row in wanted]

    def sets(self, found: Any) -> Sets:
        return (([int(m[1:]) for m in c.intent], len(c.extent)) for c in found)

    def facts(self, task: str, found: Any) -> dict[str, int]:
        # Those above the concept without objects are left out: not everybody lists it.
        return {"covers": sum(1 for c in found for below in c.lower_neighbors if below.extent)}


class Fcapy(Adapter):
    def prepare(self) -> None:
        from fcapy.context import FormalContext
        from fcapy.lattice import ConceptLattice

        if not self.whole():
            return
        context = FormalContext.from_pandas(self.frame())

        def stability(_: int) -> Any:
            lattice = ConceptLattice.from_context(context)
            lattice.calc_concepts_measures("stability", context)
            return lattice

        self.tasks = {"covers": lambda _: ConceptLattice.from_context(context)}
        # It goes through all subsets of every extent.
        if len(self.rows) <= 20:
            self.tasks["stability"] = stability

    def sets(self, found: Any) -> Sets:
        return ((c.intent_i, len(c.extent_i)) for c in found)

    def facts(self, task: str, found: Any) -> dict[str, int]:
        below = (found[k] for i in range(len(found)) for k in found.children(i))
        return {"covers": sum(1 for c in below if c.extent_i)}


class Caspailleur(Adapter):
    def prepare(self) -> None:
        import caspailleur

        frame = self.frame()

        def mine(*columns: str) -> Any:
            wanted = ["intent", "support", *columns]
            return caspailleur.mine_concepts(
                frame, to_compute=wanted, min_support=max(self.min_support, 0)
            )

        self.tasks = {
            "closed sets": lambda _: mine(),
            "covers": lambda _: mine("next_concepts", "previous_concepts"),
            "delta": lambda _: mine("delta_stability"),
            "generators": lambda _: mine("keys"),
        }

    def sets(self, found: Any) -> Sets:
        pairs = zip(found["intent"], found["support"], strict=True)
        return (([int(m) for m in intent], int(support)) for intent, support in pairs)

    def facts(self, task: str, found: Any) -> dict[str, int]:
        if task == "covers":
            return {"covers": sum(map(len, found["next_concepts"]))}
        if task == "generators":
            return {"generators": sum(map(len, found["keys"][found["support"] > 0]))}
        return {}


class Odis(Adapter):
    def prepare(self) -> None:
        import odis

        rows = {str(g): [str(m) for m in row] for g, row in enumerate(self.rows)}
        context = odis.FormalContext.from_dict(rows)
        titanic = odis.Titanic()
        self.tasks = {
            "closed sets": lambda _: (
                context.concepts() if self.whole() else titanic.enumerate(context, self.min_support)
            )
        }

    def sets(self, found: Any) -> Sets:
        return (([int(m) for m in c.intent], len(c.extent)) for c in found)


class Mlxtend(Adapter):
    """It has no closed sets: what it finds is thinned out as its users do."""

    def prepare(self) -> None:
        from mlxtend.frequent_patterns import fpgrowth

        frame, n = self.frame(), len(self.rows)

        def closed(_: int) -> Any:
            found = fpgrowth(frame, min_support=(max(self.min_support, 1) - 0.5) / n)
            supports = {
                items: round(share * n)
                for items, share in zip(found["itemsets"], found["support"], strict=True)
            }
            open_sets = {
                items - {m}
                for items, support in supports.items()
                for m in items
                if supports.get(items - {m}) == support
            }
            return {items: s for items, s in supports.items() if items not in open_sets}

        self.tasks = {"closed sets": closed}

    def sets(self, found: Any) -> Sets:
        return found.items()


ADAPTERS: dict[str, type[Adapter]] = {
    "conceptrank": Conceptrank,
    "pyfim eclat": Eclat,
    "pyfim fpgrowth": Fpgrowth,
    "concepts": Concepts,
    "fcapy": Fcapy,
    "caspailleur": Caspailleur,
    "odis": Odis,
    "mlxtend": Mlxtend,
}


# The worker --------------------------------------------------------------------------------------


def read_rows(path: str) -> Iterator[list[int]]:
    with Path(path).open() as file:
        for line in file:
            yield [int(word) for word in line.split()]


def peak_bytes(process: int | str = "self") -> int:
    """Return the most memory that a process has held, this one by default.

    The kernel's own count starts anew with a program, unlike `ru_maxrss`, which takes over the peak
    of the process that started this one.
    """
    status = Path(f"/proc/{process}/status")
    if status.exists():
        lines = (line.split() for line in status.read_text().splitlines())
        return next(int(words[1]) for words in lines if words[0] == "VmHWM:") * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def forget_peak() -> None:
    """Let the peak start again from what is held now, where the system can do that."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    except (AttributeError, OSError):
        pass


class Work:
    """The table that is open, and the answers to questions about it."""

    def __init__(self) -> None:
        self.adapter: Adapter | None = None
        self.found: Any = None

    def __call__(self, question: list[Any]) -> Any:
        return getattr(self, question[0])(*question[1:])

    def load(self, who: str, path: str, n_attributes: int, min_support: int) -> list[str]:
        """Read a table and return the tasks that the package can do with it."""
        # The first use of a package imports what it needs; a tiny table has that done.
        tiny = ADAPTERS[who]([[0, 1], [1, 2], [0]], 3, 1)
        for task in tiny.tasks.values():
            task(1)
        if who != "conceptrank":
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        self.adapter = ADAPTERS[who](list(read_rows(path)), n_attributes, min_support)
        self.n = sum(1 for _ in read_rows(path))
        return list(self.adapter.tasks)

    def run(self, task: str, threads: int) -> tuple[float, float]:
        """Do a task; return the seconds that passed and those that the processors were busy."""
        assert self.adapter
        self.found = None
        gc.collect()
        busy, start = time.process_time(), time.perf_counter()
        self.found = self.adapter.tasks[task](threads)
        return time.perf_counter() - start, time.process_time() - busy

    def memory(self, task: str, threads: int) -> int:
        """Do a task; return by how many bytes the process grew at its peak."""
        assert self.adapter
        forget_peak()
        before = peak_bytes()
        self.found = self.adapter.tasks[task](threads)
        return peak_bytes() - before

    def count(self) -> int:
        """Return how many concepts conceptrank's last task found."""
        return len(self.found)

    def check(self, task: str) -> dict[str, int]:
        """Return what the last task found in numbers: how many sets, and a digest of them."""
        assert self.adapter
        least = max(self.adapter.min_support, 1)
        wanted = [least <= support < self.n for support in self.adapter.supports(self.found)]
        facts = {"sets": sum(wanted), **self.adapter.facts(task, self.found)}
        if facts["sets"] <= MOST_COMPARED:
            sets = itertools.compress(self.adapter.sets(self.found), wanted)
            facts["digest"] = sum(hash((s, *sorted(items))) for items, s in sets) % 2**61
        return facts


if __name__ == "__main__":
    if sys.argv[1:] != ["--work"]:
        sys.exit("engine.py runs this")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    peers.serve(Work())
