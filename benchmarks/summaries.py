"""Which lists find planted patterns: every method and measure beside scikit-mine's SLIM.

All lists are made of the same tables. SLIM of scikit-mine runs in a process of its own, in an
environment of its own; its patterns come in the order of size times usage. Seconds are those of
one thread, mining included; a ratio is that of means within one run.

`--defaults` runs `context.summarize()` as users call it, and SLIM too with `--peer`, on independent
rows, on tables of other people's kinds, and on tables without patterns, among them real ones whose
crosses were swapped or whose columns were shuffled. It prints how much a list finds and how much of
it was planted. `--setting` picks some of these tables by parts of their names. `--halves` prints
which entries of the list of one half of a real table hold in the other half.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import peers

SHAPES: dict[str, dict[str, Any]] = {
    "2,000 × 40, 8 patterns": {"objects": 2000, "attributes": 40, "patterns": 8, "sizes": (2, 10)},
    "3,000 × 80, 15 patterns": {
        "objects": 3000, "attributes": 80, "patterns": 15, "sizes": (2, 10),
    },
    "5,000 × 200, 30 patterns": {
        "objects": 5000, "attributes": 200, "patterns": 30, "sizes": (2, 10),
    },
}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "noisy": {"missing": 0.2, "added": 0.01},
    "unequal objects": {"background": "both", "missing": 0.1, "added": 0.005},
    "correlated pairs": {"background": "blocks", "missing": 0.1},
    "nested": {"overlap": "nested", "missing": 0.1},
}
# Objects, attributes and numbers of patterns of the tables for the defaults.
DEFAULTS = ((2000, 40, 5), (2000, 40, 8), (3000, 80, 15), (5000, 200, 5), (5000, 200, 30))
# Real tables, whose lists are compared between halves, and which become tables without patterns.
REAL = {
    "zoo": "zoo.arff",
    "votes": "house-votes-84.data",
    "groceries": "groceries.csv",
    "mushroom": "mushroom.dat.gz",
    "adult": "adult.dat.gz",
}
# An entry holds in another half if that many rows, or more, have at most this probability there.
HOLDS = 0.05
PEER = "SLIM of scikit-mine"
# The figures of a comparison: over as many concepts as were planted, and over whole lists.
FIGURES = ("exact_as_many", "exact", "exact_frequent", "precision", "chosen", "seconds")
# The least support; with 1 %, tables with unequal objects have ten million concepts.
LEAST = 0.02


def answer(question: dict[str, Any]) -> list[list[str]]:
    """Return the patterns that scikit-mine's SLIM finds: the worker's side."""
    from skmine.itemsets import SLIM  # type: ignore[import-not-found]

    rows = question["rows"]
    if not rows:
        return []
    slim = SLIM(max_time=question["seconds"]).fit(rows)
    found = slim.transform(rows, singletons=False)
    found["worth"] = found["itemset"].map(len) * found["usage"]
    ordered = found.sort_values("worth", ascending=False, kind="stable")
    return [sorted(map(str, each)) for each in ordered["itemset"]]


def main() -> None:
    """Run the comparison, and print it in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--tables", type=int, default=3, help="tables per setting")
    parser.add_argument("--shapes", type=int, default=1, help="how many of the shapes, small first")
    parser.add_argument("--seconds", type=float, default=60, help="limit of each list")
    parser.add_argument(
        "--only",
        choices=("methods", "peer", "measures"),
        action="append",
        help="some of the lists; finished ones are kept, so that parts can run one by one",
    )
    parser.add_argument(
        "--defaults", action="store_true", help="only summarize(), as users call it"
    )
    parser.add_argument("--peer", action="store_true", help="with --defaults: SLIM as well")
    parser.add_argument("--halves", action="store_true", help="lists of halves of real tables")
    parser.add_argument(
        "--setting",
        action="append",
        default=[],
        help="with --defaults or --halves: what the names of the settings must contain",
    )
    parser.add_argument("--out", type=Path, default=peers.ROOT / "build" / "bench")
    arguments = parser.parse_args()
    if arguments.work:
        peers.serve(answer)
    elif arguments.defaults:
        run_defaults(arguments)
    elif arguments.halves:
        run_halves(arguments)
    else:
        compare(arguments)


def run_defaults(arguments: argparse.Namespace) -> None:
    """Run `summarize` with its defaults, setting by setting; print a row of Markdown for each."""
    import numpy as np

    from conceptrank.evaluation.planted_recovery import figures_of

    methods = {"summarize": lambda context: context.summarize().to_polars()["intent"]}
    if arguments.peer:
        methods[PEER] = partial(slim, seconds=arguments.seconds)
    print("| setting | list | tables | recall | precision | listed | with entries | seconds |")
    print("|---|---|--:|--:|--:|--:|--:|--:|", flush=True)
    for name, make in default_settings().items():
        if not all(part in name for part in arguments.setting):
            continue
        rows: dict[str, list[list[float]]] = {method: [] for method in methods}
        for number in range(arguments.tables):
            table = make(number)
            for method, choose in methods.items():
                begin = time.process_time() if method != PEER else time.monotonic()
                listed = [frozenset(intent) for intent in choose(table.context)]
                taken = (time.process_time() if method != PEER else time.monotonic()) - begin
                found = figures_of(listed, table)
                figures = (found["exact_frequent"], found["precision"], len(listed), taken)
                rows[method].append([np.nan if one is None else one for one in figures])
        for method, figures in rows.items():
            recall, precision, length, taken = np.array(figures).T
            cells = [name, method, str(len(figures)), _mean(recall), _mean(precision)]
            cells += [f"{length.mean():.1f}", f"{(length > 0).mean():.0%}"]
            print(f"| {' | '.join(cells)} | {taken.min():.1f}–{taken.max():.1f} |", flush=True)


def default_settings() -> dict[str, Callable[[int], Any]]:
    """Return functions that make the tables of `--defaults`, by the name of the setting."""
    import random_tables

    from conceptrank.datasets.random import planted

    settings = dict(random_tables.KINDS)
    for n, q, patterns in DEFAULTS:
        for background in ("columns", "both"):
            for kind, noise in (("whole", {}), ("noisy", {"missing": 0.2, "added": 0.01})):
                shape = {"objects": n, "attributes": q, "patterns": patterns, "sizes": (2, 10)}
                name = f"{n:,} × {q}, {patterns} patterns, {background}, {kind}"
                options = shape | {"background": background} | noise
                settings[name] = partial(_stream, partial(planted, **options))
    small = {"objects": 2000, "attributes": 40, "patterns": 8, "overlap": "nested", "missing": 0.1}
    settings["nested"] = partial(_stream, partial(planted, **small))
    for background in ("columns", "both"):
        empty = {"objects": 2000, "attributes": 40, "patterns": 0, "background": background}
        settings[f"no patterns, {background}"] = partial(_stream, partial(planted, **empty))
    for name, file in REAL.items():
        path = peers.data_file(f"bench/{file}")
        if path.exists() and name != "adult":
            settings[f"no patterns, {name} swapped"] = partial(random_tables.swapped, path)
            settings[f"no patterns, {name} shuffled"] = partial(random_tables.shuffled, path)
    return settings


def _stream(make: Callable[..., Any], number: int) -> Any:
    return make(stream=number)


def run_halves(arguments: argparse.Namespace) -> None:
    """Print which entries of the lists of halves of real tables hold in the other half."""
    import numpy as np
    import random_tables
    from scipy.stats import binom

    print("| table | lists | entries per list | share that holds in the other half |")
    print("|---|--:|--:|--:|", flush=True)
    for name, file in REAL.items():
        path = peers.data_file(f"bench/{file}")
        if not path.exists() or not all(part in name for part in arguments.setting):
            continue
        context = random_tables.read(path).repeated()
        holds: list[bool] = []
        for number in range(arguments.tables):
            names = np.random.default_rng(number).permutation(np.array(context.objects))
            parts = [context.select(objects=part.tolist()) for part in np.array_split(names, 2)]
            for own, other in (parts, parts[::-1]):
                n = other.shape[0]
                for entry in own.summarize():
                    share = min(entry.expected / own.shape[0], 1.0)
                    support = other.concept(*entry.intent).support
                    holds.append(bool(binom.sf(support - 1, n, share) <= HOLDS))
        lists = 2 * arguments.tables
        cells = [name, str(lists), f"{len(holds) / lists:.1f}", _mean(np.array(holds, dtype=float))]
        print(f"| {' | '.join(cells)} |", flush=True)


def _mean(values: Any) -> str:
    import numpy as np

    known = values[~np.isnan(values)]
    return f"{known.mean():.3f}" if len(known) else "–"


def slim(context: Any, *, seconds: float) -> list[list[str]]:
    """Return the list of scikit-mine's SLIM, from a process of its own."""
    offsets, values = context.rows()
    names = context.attributes
    rows = [
        [names[m] for m in values[begin:end].tolist()]
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    question = {"rows": [row for row in rows if row], "seconds": seconds}
    found: list[list[str]] = _worker().ask(question)
    return found


@cache
def _worker() -> peers.Worker:
    made = peers.Worker(__file__, "skmine")
    made.ask({"rows": [["a", "b"], ["a", "b"]], "seconds": 5})
    return made


def compare(arguments: argparse.Namespace) -> None:
    """Run all methods on all tables."""
    import polars as pl

    from conceptrank import Budget, Context, summary
    from conceptrank.evaluation import planted_recovery

    def ours(name: str) -> Any:
        def choose(context: Context) -> list[list[str]]:
            found = summary.METHODS[name](
                context,
                max_patterns=100,
                min_support=LEAST,
                budget=Budget(seconds=arguments.seconds),
            )
            return [[context.attributes[m] for m in choice.intent] for choice in found]

        return choose

    settings = {
        f"{shape}, {kind}": options | more
        for shape, options in list(SHAPES.items())[: arguments.shapes]
        for kind, more in KINDS.items()
    }
    parts: dict[str, dict[str, Any]] = {
        "methods": {
            "methods": {name: ours(name) for name in summary.METHODS if name != "diverse"},
            "measures": [],
            "diverse": [],
        },
        "peer": {
            "methods": {PEER: partial(slim, seconds=arguments.seconds)},
            "measures": [],
            "diverse": [],
        },
        "measures": {"methods": {}, "most_concepts": 300_000},
    }
    begin = time.monotonic()
    runs = []
    for part in arguments.only or parts:
        found = planted_recovery(
            settings,
            tables=arguments.tables,
            min_support=LEAST,
            progress=lambda done, _, part=part: print(  # type: ignore[misc]
                f"{part}: {done} tables after {time.monotonic() - begin:.0f} s",
                file=sys.stderr,
                flush=True,
            ),
            resume=arguments.out / "summaries",
            **parts[part],
        )
        runs.append(found.runs)
    together = pl.concat(runs, how="diagonal")
    arguments.out.mkdir(parents=True, exist_ok=True)
    together.write_csv(arguments.out / "summaries.csv")
    print("\n".join(markdown(together, list(settings))))


def markdown(runs: Any, settings: list[str]) -> list[str]:
    """Return a table per figure: the mean of each list in each setting."""
    import polars as pl

    means = runs.group_by("measure", "setting", maintain_order=True).agg(pl.col(FIGURES).mean())
    order = (
        means.group_by("measure", maintain_order=True)
        .agg(pl.col("exact_as_many").mean())
        .sort("exact_as_many", descending=True, maintain_order=True)["measure"]
    )
    lines = []
    for figure in FIGURES:
        lines += ["", figure, "", f"| list | {' | '.join(settings)} |"]
        lines.append(f"|---|{'--:|' * len(settings)}")
        for name in order:
            own = means.filter(pl.col("measure") == name)
            by_setting = dict(zip(own["setting"], own[figure], strict=True))
            cells = [_cell(by_setting.get(setting)) for setting in settings]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    main()
