"""Mining that a user can bound, watch and stop."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from conceptrank.budget import Budget
from conceptrank.cli._voice import Voice
from conceptrank.context import Context
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike

# More concepts than this are worth a warning before anybody waits for them.
MANY = 1_000_000


def mine(
    context: Context,
    *,
    min_support: float,
    threads: int,
    budget: Budget,
    measures: Sequence[MeasureLike],
    voice: Voice,
) -> Lattice:
    """Return the lattice, or what was found of it when a limit or Ctrl-C ended the search."""
    if not voice.quiet:
        warn_if_many(context, min_support=min_support, budget=budget, voice=voice)
    with watched(budget, voice) as progress:
        lattice = context.lattice(
            min_support=min_support,
            threads=threads,
            budget=budget,
            progress=progress,
            measures=measures,
        )
    if not lattice.complete:
        voice.warning(why_stopped(lattice, budget))
    return lattice


@contextmanager
def watched(
    budget: Budget, voice: Voice, *, unit: str = "concepts"
) -> Iterator[Callable[[int, float], None] | None]:
    """Let mining be stopped by Ctrl-C, and give what is to hear of its progress, if anybody is."""
    with voice.bar("mining", unit) as bar:

        def announce() -> None:
            bar.stop()
            voice.note("stopping; another Ctrl-C gives up what was found")

        with stopped_by_interrupt(budget, announce):
            yield bar.show if voice.animated else None


def budget_of(concepts: int | None, memory: int | None, seconds: float | None) -> Budget:
    """Return the limits that the options of a command set."""
    return Budget(
        concepts=concepts,
        bytes=default_memory() if memory is None else memory,
        seconds=seconds,
    )


def default_memory() -> int | None:
    """Return a quarter of the memory that this process may have, if the system tells.

    Putting the found concepts in order, and ranking them, takes about twice as much again.
    """
    sizes = []
    with suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        # A container's own limit; the text is "max" where there is none.
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(sizes) // 4 if sizes else None


def size_text(size: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size_text(500), size_text(3 * 2**30 // 2)
    ('500 bytes', '1.5 GB')
    """
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "KB")):
        if size >= 1024**power:
            return f"{size / 1024**power:.3g} {unit}"
    return f"{size} bytes"


def why_stopped(lattice: Lattice, budget: Budget) -> str:
    """Return a sentence on what ended mining early."""
    return (
        f"{limit_text(lattice.stopped, budget)}: these are {len(lattice):,} of the concepts, "
        "there are more; their scores hold, their ranks are among these only"
    )


def limit_text(stopped: str, budget: Budget) -> str:
    """Return in words which limit ended a search.

    Examples
    --------
    >>> limit_text("rules", Budget(rules=5))
    '--max-rules 5 reached'
    """
    reasons = {
        "concepts": f"--max-concepts {budget.concepts} reached",
        "rules": f"--max-rules {budget.rules} reached",
        "bytes": f"the limit of {size_text(budget.bytes or 0)} on memory reached (--max-memory)",
        "seconds": f"--max-seconds {budget.seconds or 0:g} reached",
        "cancelled": "stopped by Ctrl-C",
    }
    return reasons[stopped]


def warn_if_many(context: Context, *, min_support: float, budget: Budget, voice: Voice) -> None:
    """Say so if there are very many concepts to mine."""
    rows, columns = context.n_distinct_rows, len(context.attributes)
    if min(rows, columns) < MANY.bit_length() or (budget.concepts or MANY) < MANY:
        # 2^rows and 2^columns bound the number of concepts.
        return
    with voice.working("estimating the number of concepts"):
        estimate = context.estimate_concepts(min_support=min_support, runs=5)
    if estimate.value >= MANY:
        voice.warning(
            f"{estimate} to mine; a larger --min-support makes them fewer ('conceptrank info' "
            "estimates how many), --max-concepts, --max-memory and --max-seconds bound the work"
        )


@contextmanager
def stopped_by_interrupt(budget: Budget, announce: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C end the search and keep what it found; the second ends the program."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    previous = signal.getsignal(signal.SIGINT)
    if not in_main_thread or previous in (signal.SIG_IGN, None):
        yield
        return

    def stop(*_: Any) -> None:
        budget.cancel()
        # By the system, as the core listens no more when it puts the found concepts in order.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        announce()

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
