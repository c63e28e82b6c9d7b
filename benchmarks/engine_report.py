"""What engine.py measured, as Markdown and as a figure.

python benchmarks/engine_report.py build/bench/engine.json
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from pathlib import Path
from typing import Any

Row = dict[str, Any]
OURS = "conceptrank"
TASKS = ("closed sets", "covers", "relevance", "stability", "delta", "generators", "all together")
# Ranking by stability: `lattice()` and then `rank()`, and `context.rank()`.
TASKS += ("two steps", "one call")


def median(row: Row) -> float:
    """Return the seconds of a row: of the processor for one thread, passed for several.

    Other work on the machine disturbs the former much less.
    """
    return statistics.median(row["busy"] if row["threads"] == 1 else row["seconds"])


def pick(rows: list[Row], **wanted: object) -> Row | None:
    found = (r for r in rows if all(r[name] == value for name, value in wanted.items()))
    return next(found, None)


def better_pyfim(rows: list[Row]) -> Row | None:
    """Return the faster of the two algorithms of pyfim on a table."""
    theirs = [row for row in rows if row["who"].startswith("pyfim")]
    return min(theirs, key=median, default=None)


def by_table(record: Row) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for row in record["rows"]:
        tables.setdefault(row["table"], []).append(row)
    return tables


def lines_of(titles: list[str], rows: list[list[str]]) -> list[str]:
    rule = ["---", *("--:" for _ in titles[1:])]
    return ["| " + " | ".join(cells) + " |" for cells in (titles, rule, *rows)]


def against_pyfim(record: Row) -> list[str]:
    """One line a table: ours as multiples of the better pyfim algorithm."""
    titles = [
        "table",
        "sets",
        "pyfim eclat, fpgrowth (s)",
        *TASKS,
        "covers, all threads: gain",
    ]
    lines = []
    for table, rows in by_table(record).items():
        best = better_pyfim(rows)
        if best is None:
            continue
        both = [pick(rows, who=f"pyfim {name}") for name in ("eclat", "fpgrowth")]
        cells = [table, f"{best['facts']['sets']:,}"]
        cells.append(", ".join(f"{median(row):.3g}" if row else "–" for row in both))
        for task in TASKS:
            row = pick(rows, who=OURS, task=task, threads=1)
            cells.append(f"{median(row) / median(best):.2f}" if row else "–")
        one, all_ = (pick(rows, who=OURS, task="covers", threads=n) for n in (1, 0))
        gain = min(one["seconds"]) / min(all_["seconds"]) if one and all_ else math.nan
        lines.append([*cells, f"{gain:.2f}"])
    return lines_of(titles, lines) if lines else []


def against_others(record: Row) -> list[str]:
    """One line for each answer of the others, as a multiple of our time for the same task."""
    titles = ["table", "task", "package", "s", "conceptrank (s)", "times ours"]
    lines = []
    for table, rows in by_table(record).items():
        for row in rows:
            if row["who"] == OURS or row["who"].startswith("pyfim"):
                continue
            ours = pick(rows, who=OURS, task=row["task"], threads=1)
            if ours is None:
                continue
            ratio = median(row) / median(ours)
            times = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"
            who = [table, row["task"], row["who"]]
            lines.append([*who, f"{median(row):.3g}", f"{median(ours):.3g}", times])
    return lines_of(titles, lines) if lines else []


def in_full(record: Row) -> list[str]:
    titles = ["table", "task", "package", "threads", "median s", "least to most"]
    titles += ["processor s", "peak MB", "bytes a set"]
    lines = []
    for row in record["rows"]:
        seconds, peak = row["seconds"], row["peak"]
        cells = [row["table"], row["task"], row["who"], str(row["threads"] or "all")]
        cells.append(f"{statistics.median(seconds):.4g}")
        cells.append(f"{min(seconds):.4g}–{max(seconds):.4g}")
        cells.append(f"{statistics.median(row['busy']):.4g}")
        cells.append("–" if peak is None else f"{peak / 1e6:.1f}")
        sets = max(row["facts"]["sets"], 1)
        cells.append("–" if peak is None else f"{peak / sets:.0f}")
        lines.append(cells)
    return lines_of(titles, lines) if lines else []


def slope(pairs: list[tuple[float, float]]) -> float:
    """Return the slope of a line through the logarithms."""
    if len(pairs) < 2:
        return math.nan
    logarithms = [[math.log(pair[side]) for pair in pairs] for side in (0, 1)]
    return statistics.linear_regression(*logarithms).slope


def series_of(record: Row) -> dict[tuple[str, str], list[Row]]:
    series: dict[tuple[str, str], list[Row]] = {}
    for point in record["growth"]:
        series.setdefault((point["series"], point["task"]), []).append(point)
    return series


def growing(record: Row) -> list[str]:
    titles = ["what grows", "task", "size", "sets", "s", "µs a set", "peak MB", "bytes a set"]
    lines, ends = [], []
    for (name, task), points in series_of(record).items():
        for p in points:
            n = max(p["concepts"], 1)
            cells = [name, task, f"{p['size']:,}", f"{n:,}", f"{p['seconds']:.3g}"]
            cells += [f"{p['seconds'] / n * 1e6:.3f}", f"{p['peak'] / 1e6:.0f}"]
            lines.append([*cells, f"{p['peak'] / n:.0f}"])
        time = slope([(p["size"], p["seconds"]) for p in points])
        memory = slope([(p["size"], max(p["peak"], 1)) for p in points])
        each = slope([(p["size"], p["seconds"] / max(p["concepts"], 1)) for p in points])
        ends.append(
            f"- {name}, {task}: time grows with the power {time:.2f} of the size, "
            f"time a set with {each:.2f}, memory with {memory:.2f}"
        )
    return [*lines_of(titles, lines), "", *ends] if lines else []


def markdown(record: Row) -> str:
    """Return the whole report."""
    tools = "closed sets by `pyfim` = 1; seconds of the processor, one thread"
    parts = [
        ("", [record["machine"]]),
        (f"Against pyfim ({tools})", against_pyfim(record)),
        ("Other packages", against_others(record)),
        ("Growth", growing(record)),
        ("Findings", [f"- {finding}" for finding in record["findings"]]),
        ("Every figure", in_full(record)),
    ]
    texts = [
        (f"### {title}\n\n" if title else "") + "\n".join(lines) for title, lines in parts if lines
    ]
    return "\n\n".join(texts) + "\n"


def draw(record: Row, path: Path) -> None:
    """Draw the multiples of pyfim's time, and the growth."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "engine"  # the same bytes for the same figures
    from matplotlib import pyplot as plt
    from matplotlib import ticker

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    tables = {
        table: (rows, best)
        for table, rows in by_table(record).items()
        if (best := better_pyfim(rows)) is not None
    }
    shown = {"closed sets": "o", "covers": "s", "all together": "^"}
    for task, mark in shown.items():
        places, values = [], []
        for place, (rows, best) in enumerate(tables.values()):
            row = pick(rows, who=OURS, task=task, threads=1)
            if row:
                places.append(place)
                values.append(median(row) / median(best))
        left.scatter(values, places, marker=mark, label=f"conceptrank, {task}", zorder=3)
    left.axvline(1, color="0.4", linewidth=1, label="pyfim, closed sets")
    left.set_yticks(range(len(tables)), list(tables))
    left.invert_yaxis()
    left.set_xscale("log")
    left.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    left.xaxis.set_major_formatter("{x:g}")
    left.xaxis.set_minor_formatter(ticker.NullFormatter())
    left.set_xlabel("time, better algorithm of pyfim = 1")
    left.grid(axis="x", color="0.9")
    left.legend(fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))
    for (name, task), points in series_of(record).items():
        if name == "concepts":
            x = [p["concepts"] for p in points]
            right.plot(x, [p["seconds"] / p["concepts"] * 1e6 for p in points], "o-", label=task)
    right.set_xscale("log")
    right.set_ylim(bottom=0)
    right.set_xlabel("concepts, as the support limit falls on one context")
    right.set_ylabel("microseconds a concept, one thread")
    right.grid(color="0.9")
    if right.lines:
        right.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=110)
    plt.close(figure)


def joined(records: list[Row]) -> Row:
    """Return one record of several runs."""
    whole = records[0]
    for record in records[1:]:
        for name in ("rows", "findings", "growth"):
            whole[name] += record[name]
        whole["shapes"] |= record["shapes"]
    return whole


if __name__ == "__main__":
    sources = [Path(name) for name in sys.argv[1:]]
    loaded = joined([json.loads(source.read_text()) for source in sources])
    draw(loaded, sources[0].with_suffix(".svg"))
    print(markdown(loaded))
