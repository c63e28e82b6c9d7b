"""Measure the size of the explorer's page and how quickly it answers, by the browser's own clock.

    python benchmarks/explorer.py [FILE] [--min-support N]

The default file is mushroom from the data directory. A time starts with the user's action and ends
with the second frame after the page has settled, so the result has been painted. The delay after
typing is not included. On a busy machine, the last column is more reliable: the processor time of
the page's main thread.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from peers import data_file

import conceptrank as cr
from conceptrank import explorer

RUNS = 5

# Runs an action in the page and returns the milliseconds until its outcome is on the screen.
CLOCK = """(action) => new Promise((resolve) => {
  const root = document.querySelector(".cr-explorer");
  const begin = performance.now();
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(
    () => resolve(performance.now() - begin)));
  new MutationObserver((_, watcher) => { watcher.disconnect(); painted(); })
    .observe(root, { attributeFilter: ["data-settled"] });
  new Function(action)();
})"""
TYPE = (
    "const box = document.querySelector('.cr-search'); box.value = '{}';"
    "box.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true }}));"
)
ACTIONS = {
    "sort": [
        f"document.querySelector('[data-sort={key}]').click()"
        for key in ("log_stability", "support", "cr", "log_stability", "cr")
    ],
    "search by attribute": [TYPE.format(f"attribute:{m}") for m in (9, 34, 59, 63, 85)],
    "search by object": [TYPE.format(f"object:{g}") for g in (9, 340, 5900, 630, 8000)],
    "end of search": [TYPE.format("")],
    "click on a row": [
        f"document.querySelectorAll('.cr-rows .cr-row')[{i}].click()" for i in (3, 5, 7, 9, 11)
    ],
    "another concept": [
        f"location.hash = '#concept={i}'" for i in (0, 100, 5_000, 60_000, 238_000)
    ],
    "neighbourhood": [f"location.hash = '#view=near&concept={i}'" for i in (1, 10, 4_000, 90_000)],
    "concepts below": [
        f"location.hash = '#view=below&concept={i}'" for i in (1, 10, 4_000, 90_000)
    ],
    "the best 80": ["location.hash = '#most=80&concept=5'"],
    "the best 500": ["location.hash = '#most=500&concept=5'"],
    "plot": ["location.hash = '#panel=plot&concept=5'"],
    "threshold": [f"location.hash = '#min=0.{i}:cr'" for i in (1, 2, 3)],
}
BARS = {
    "ready": 1_000,
    "sort": 120,
    "search by attribute": 120,
    "search by object": 300,
    "click on a row": 120,
    "another concept": 300,
}
# 14,804 attributes (kosarak25k).
WIDE_BARS = {"ready": 2_000, "click on a row": 150}
MANY_ATTRIBUTES = 10_000


def ready(page: Any, url: str) -> float:
    page.goto("about:blank")
    page.goto(url)
    page.wait_for_selector("[data-ready=true]", timeout=120_000)
    found: float = page.evaluate("performance.getEntriesByName('conceptrank-ready')[0].startTime")
    return found


def shown(name: str, times: list[float], bar: float | None, processor: list[float]) -> str:
    limit = " " * 13 if bar is None else f"{bar:8,.0f}  {'yes' if max(times) <= bar else 'NO':3}"
    median, most, most_processor = statistics.median(times), max(times), max(processor)
    return f"{name:22} {median:9,.0f} {most:9,.0f} {limit} {most_processor:9,.0f}"


class Processor:
    """The processor time of a page's main thread, in milliseconds."""

    def __init__(self, page: Any) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent(self) -> float:
        found = self._session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(each["value"] for each in found if each["name"] == "TaskDuration")

    def of(self, act: Callable[[], float]) -> tuple[float, float]:
        """Do something that returns its own time, and return the processor time as well."""
        before = self.spent()
        return act(), self.spent() - before


def exported(lattice: cr.Lattice, directory: str, title: str) -> str:
    """Write the page, say how large it is, and return its address."""
    begin = time.perf_counter()
    target = Path(directory) / "page.html"
    explorer.export(explorer.of_lattice(lattice, title=title), target)
    size = target.stat().st_size
    print(f"page written in {time.perf_counter() - begin:.1f} s")
    print(f"file: {size / 1e6:.2f} MB (bar 3 MB: {'yes' if size < 3e6 else 'NO'})\n")
    return target.as_uri()


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--min-support", type=int, default=0)
    given = parser.parse_args()
    path = given.file or data_file("bench/mushroom.dat.gz")
    begin = time.perf_counter()
    lattice = cr.load(path).lattice(
        min_support=given.min_support, measures=list(explorer.DEFAULT_MEASURES)
    )
    mined = time.perf_counter() - begin
    bars = dict(BARS)
    if len(lattice.context.attributes) > MANY_ATTRIBUTES:
        bars |= WIDE_BARS
    browser = os.environ.get("CONCEPTRANK_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as started:
        print(f"{len(lattice):,} concepts, measures {', '.join(explorer.DEFAULT_MEASURES)}")
        print(f"mined in {mined:.1f} s")
        url = exported(lattice, directory, path.name)
        options = ["--no-sandbox", "--disable-gpu", "--js-flags=--expose-gc"]
        launched = started.chromium.launch(executable_path=browser, args=options)
        page = launched.new_page(viewport={"width": 1280, "height": 800})
        processor = Processor(page)
        print(f"{'milliseconds':22} {'median':>9} {'most':>9} {'bar':>8} {'':4} {'processor':>9}")
        opened = [processor.of(lambda: ready(page, url)) for _ in range(RUNS)]
        times, spent = map(list, zip(*opened, strict=True))
        print(shown("ready", times, bars.get("ready"), spent))
        ready(page, url + "#list=table")
        for name, actions in ACTIONS.items():
            done = [processor.of(partial(page.evaluate, CLOCK, action)) for action in actions]
            times, spent = map(list, zip(*done, strict=True))
            print(shown(name, times, bars.get(name), spent))
        heap = page.evaluate("performance.memory.usedJSHeapSize")
        print(f"\nheap of the page: {heap / 1e6:.0f} MB")
        launched.close()


if __name__ == "__main__":
    main()
