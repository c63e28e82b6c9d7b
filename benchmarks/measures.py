"""How long each measure takes on all concepts, as a multiple of the time to mine them.

Every measure starts from a lattice that knows nothing but its concepts and covers, so that shared
work counts for each; the group at the end shares it, as a ranking does. Times are those of the
processor, of all threads together: on a machine that has other things to do they are what stays
the same.

    python benchmarks/measures.py [FILE] [--slow]
"""

from __future__ import annotations

import argparse
import inspect
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from peers import data_file

import conceptrank as cr
from conceptrank.measures import registry

# What follows from the margins of the table and from the covers, with no look at single cells.
MARGINS_AND_COVERS = [
    *("support", "frequency", "intent_size", "tile_area", "tile_density_share"),
    *("incidence_coverage", "own_objects", "own_attributes", "separation", "delta_measure"),
    *(
        "delta_relative",
        "stability_lower_bound",
        "stability_upper_bound",
        "cue_validity",
        "lift",
        "leverage",
    ),
    *("log_lift", "cosine", "all_confidence", "cross_support", "independence_z"),
    *("independence_pvalue", "shannon_surprise", "cr_alpha"),
]
# They need a label or a weight for each object or attribute.
GIVEN = {
    "labels": lambda context: [place % 3 == 0 for place in range(context.shape[0])],
    "weights": lambda context: range(context.shape[1]),
    "delta": lambda context: 0.1,
}
# Also with these parameters.
OTHERS = [("stability_intensional", {"method": "karp_luby"})]


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def params_of(name: str, context: cr.Context) -> dict[str, object]:
    needed = {
        param: GIVEN[param](context)
        for param, default in registry.get(name).params.items()
        if default is inspect.Parameter.empty
    }
    if name == "weighted_extent":
        needed["weights"] = range(context.shape[0])
    return needed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=data_file("bench/mushroom.dat.gz"))
    options = parser.parse_args()
    if not options.file.exists():
        sys.exit(f"{options.file} is not there: set CONCEPTRANK_DATA or name a file")
    context = cr.load(options.file)
    context.lattice()
    mining = statistics.median(timed(context.lattice) for _ in range(5))
    lattice = context.lattice()
    print(f"{options.file.name}: {len(lattice):,} concepts, mined in {mining:.3f} s\n")

    def fresh() -> cr.Lattice:
        return cr.Lattice(context, lattice.core)

    def group() -> None:
        lattice = fresh()
        lattice.prepare(registry.face_needs(MARGINS_AND_COVERS))
        for name in MARGINS_AND_COVERS:
            lattice.score(name)

    together = statistics.median(timed(group) for _ in range(3))
    print(f"{'margins and covers':34}{together:9.3f} s{together / mining:9.2f} x mining")
    print(f"  together: {', '.join(MARGINS_AND_COVERS)}\n")
    every = [(name, params_of(name, context)) for name in sorted(cr.measures.available()["name"])]
    for name, params in [*every, *OTHERS]:
        scored = fresh()
        try:
            seconds = timed(lambda: scored.score(name, **params))  # noqa: B023
        except cr.errors.BudgetExceeded as error:
            print(f"{name:34}{'':21}{error}")
            continue
        print(f"{name:34}{seconds:9.3f} s{seconds / mining:9.2f} x mining", flush=True)


if __name__ == "__main__":
    main()
