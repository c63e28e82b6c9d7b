"""`Limits`, the options that bound mining; `Pipeline`, which loads, mines and ranks."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from conceptrank.budget import Budget, Watch
from conceptrank.budget import watched as under_budget
from conceptrank.cli import _measures, _options
from conceptrank.cli._command import BUDGET_REACHED, DONE
from conceptrank.cli._input import Reading
from conceptrank.cli._measures import MeasureOptions
from conceptrank.cli._messages import Messages
from conceptrank.cli._options import File, MaxSeconds, MinSupport, Options, Threads, option
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.query import Condition
from conceptrank.ranking import Ranking

if TYPE_CHECKING:
    from conceptrank.scaling import Loaded

# Two signals within this many seconds count as one Ctrl-C: `timeout` sends two of them.
_SAME_PRESS = 0.3
# Expecting more concepts than this is worth a warning before mining.
MANY = 1_000_000
# The seconds that loading gets at least.
_LEAST_LOADING = 1.0
# The seconds that mining gets at least.
_LEAST_SECONDS = 0.01


@dataclass
class Limits(Options):
    """What bounds mining.

    Parameters
    ----------
    max_concepts
        Stop after this number of concepts.
    max_memory
        Stop when the concepts take this much memory, such as 500M or 2G.
    """

    min_support: MinSupport = 0
    threads: Threads = 0
    max_concepts: Annotated[int | None, option("N", min=0, panel="Limits")] = None
    max_memory: Annotated[
        int | None,
        option(
            "SIZE", parser=_options.memory, show_default="a quarter of the memory", panel="Limits"
        ),
    ] = None
    max_seconds: MaxSeconds = None

    def loading(self, file: str) -> Watch:
        """Return the clock of loading; it has at least a second, so that a small table is read."""
        seconds = self.max_seconds
        least = None if seconds is None else max(seconds, _LEAST_LOADING)
        return Watch(Budget(seconds=least), task=f"reading {file}")

    @cached_property
    def budget(self) -> Budget:
        """The limits on mining concepts."""
        memory = default_memory() if self.max_memory is None else self.max_memory
        return Budget(concepts=self.max_concepts, bytes=memory, seconds=self.max_seconds)


@dataclass
class Mining(Options):
    """FILE, what bounds mining it, how to read it, and what to write to standard error."""

    file: File
    limits: Limits
    reading: Reading
    messages: Messages


class Pipeline:
    """Loads a table, mines its concepts and ranks them.

    To construct it checks all measures and their parameters, so that mistakes are reported before
    the work begins.

    Parameters
    ----------
    mining, measure_options
        The groups of options of the command.
    measures
        The measures that will be used.
    where
        The condition on concepts.
    """

    def __init__(
        self,
        mining: Mining,
        *,
        measure_options: MeasureOptions | None = None,
        measures: Sequence[MeasureLike] = (),
        where: str | None = None,
    ) -> None:
        self._mining = mining
        self._watch = Watch(mining.limits.budget)
        self._stopped = ""
        self._measure_options = measure_options or MeasureOptions()
        self.condition = None if where is None else Condition.parse(where)
        self._wanted = [*measures, *(self.condition.measures if self.condition else ())]
        self._params: dict[str, Any] = {**self._measure_options.params}
        self._bound = _measures.bind(
            self._wanted, self._params, pending=self._measure_options.pending
        )

    @cached_property
    def loaded(self) -> Loaded:
        """The table."""
        options, mining = self._measure_options, self._mining
        with under_budget(mining.limits.loading(mining.file)):
            loaded = mining.reading.load(mining.file, mining.messages, label=options.label)
        values = options.pending_values(loaded.context, loaded.labels, self._wanted)
        self._params |= values
        if values:
            self._bound = _measures.bind(self._wanted, self._params, context=loaded.context)
        if self.condition is not None:
            self.condition.check(loaded.context)
        return loaded

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters for all measures that have them; complete once the table is loaded."""
        return self._params

    @property
    def measures(self) -> list[MeasureLike]:
        """The measures with their parameters; complete once the table is loaded."""
        return [*self._bound]

    @cached_property
    def lattice(self) -> Lattice:
        """The concepts, or those found before a limit or Ctrl-C ended the search."""
        context, limits, messages = self.loaded.context, self._mining.limits, self._mining.messages
        warn_if_many(context, limits, messages)
        with watched(limits.budget, messages) as progress:
            lattice = context.lattice(
                min_support=limits.min_support,
                threads=limits.threads,
                budget=self.remaining(),
                progress=progress,
                measures=self.measures,
            )
        self._note_stop(lattice.stopped, lattice)
        return lattice

    def remaining(self, share: float = 1.0) -> Budget:
        """Return the limits, with a share of the seconds that are left."""
        left = self._watch.seconds_left
        # However long loading took, some concepts are better than none.
        seconds = None if left is None else max(share * left, _LEAST_SECONDS)
        return self._mining.limits.budget.with_seconds(seconds)

    def rank(self, by: MeasureLike, *, also: Sequence[MeasureLike] = (), **options: Any) -> Ranking:
        """Return the ranking of the concepts that meet the condition; options as for `cr.rank`.

        When a limit or Ctrl-C ends mining or scoring, the ranking has the concepts scored until
        then.
        """
        context, limits, messages = self.loaded.context, self._mining.limits, self._mining.messages
        warn_if_many(context, limits, messages)
        with watched(limits.budget, messages) as progress:
            try:
                ranking = context.rank(
                    by,
                    also=also,
                    where=self.condition,
                    min_support=limits.min_support,
                    threads=limits.threads,
                    budget=self.remaining(),
                    progress=progress,
                    **options,
                    **self._params,
                )
            except BudgetExceeded as error:
                if not limits.budget.cancelled and self._watch.seconds_left != 0.0:
                    raise
                limit = limit_text("seconds", limits.budget)
                raise BudgetExceeded(f"{limit} before any concept was scored") from error
        self._note_stop(ranking.stopped, ranking.lattice)
        return ranking

    def _note_stop(self, stopped: str, found: Lattice) -> None:
        """Report a limit that was reached."""
        self._stopped = stopped
        if stopped:
            more = ", there are more" if found.stopped else ""
            limit = limit_text(stopped, self._mining.limits.budget)
            self._mining.messages.warning(
                f"{limit}: {len(found):,} concepts were found{more}; ranks are among these only"
            )

    @property
    def exit_code(self) -> int:
        """The exit code of a command whose result is there."""
        return BUDGET_REACHED if self._stopped else DONE


@contextmanager
def watched(
    budget: Budget, messages: Messages, *, unit: str = "concepts"
) -> Iterator[Callable[[int, float], None] | None]:
    """Stop mining at Ctrl-C, and yield the callback that shows progress, or None."""

    def announce() -> None:
        messages.note("stopping to write what was found; another Ctrl-C gives it up")

    with messages.bar("mining") as bar, stopped_by_interrupt(budget, announce):
        yield bar.count(unit)


@contextmanager
def stopped_by_interrupt(budget: Budget, announce: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C end the search and keep what it found; the second ends the program."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    previous = signal.getsignal(signal.SIGINT)
    if not in_main_thread or previous in (signal.SIG_IGN, None):
        yield
        return

    cancelled_at = 0.0

    def stop(*_: Any) -> None:
        nonlocal cancelled_at
        now = time.monotonic()
        if not budget.cancelled:
            cancelled_at = now
            budget.cancel()
            announce()
        elif now - cancelled_at > _SAME_PRESS:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def warn_if_many(context: Context, limits: Limits, messages: Messages) -> None:
    """Warn if there are very many concepts to mine."""
    rows, columns = context.n_distinct_rows, len(context.attributes)
    # 2^rows and 2^columns bound the number of concepts.
    few = min(rows, columns) < MANY.bit_length() or (limits.max_concepts or MANY) < MANY
    if few or messages.quiet:
        return
    with messages.working("estimating the number of concepts"):
        estimate = context.estimate_concepts(min_support=limits.min_support, runs=5)
    if estimate.value >= MANY:
        messages.warning(
            f"{estimate} to mine; a larger --min-support makes them fewer ('conceptrank info' "
            "estimates how many), --max-concepts, --max-memory and --max-seconds bound the work"
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
    return reasons["cancelled" if budget.cancelled else stopped]


def default_memory() -> int | None:
    """Return a quarter of the memory that this process may have, if the system knows.

    Sorting and ranking the concepts takes about twice as much again.
    """
    sizes = []
    with suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        # The limit of a container; the text is "max" if it has none.
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(sizes) // 4 if sizes else None


def size_text(size: int) -> str:
    """Return a number of bytes as a readable text.

    Examples
    --------
    >>> size_text(500), size_text(3 * 2**30 // 2)
    ('500 bytes', '1.5 GB')
    """
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "KB")):
        if size >= 1024**power:
            return f"{size / 1024**power:.3g} {unit}"
    return f"{size} bytes"
