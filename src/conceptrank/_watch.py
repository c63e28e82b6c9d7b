"""Who watches a call that scores: its budget, and whoever wants to hear how far it has come.

A measure is a function of concepts and knows neither. `watched` keeps both for the time of a call;
what is long asks `poll` now and then, or hands `callbacks` to the core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

from conceptrank.budget import Budget
from conceptrank.errors import BudgetExceeded

Progress: TypeAlias = Callable[[int, float], None]
Item = TypeVar("Item")


class _Watch:
    def __init__(self, budget: Budget, progress: Progress | None) -> None:
        self._budget = budget
        self._progress = progress
        self._start = time.monotonic()
        self.part = (0.0, 1.0)

    def check(self) -> bool:
        """Raise an error if the call has to end; the core hands it on as it is."""
        if self._budget.cancelled:
            raise BudgetExceeded("scoring was cancelled")
        limit = self._budget.seconds
        if limit is not None and time.monotonic() - self._start > limit:
            raise BudgetExceeded(f"scoring took more than {limit:g} seconds")
        return False

    def report(self, done: int, share: float) -> None:
        if self._progress is not None:
            begin, end = self.part
            self._progress(done, begin + (end - begin) * share)


_CURRENT: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(budget: Budget | None = None, progress: Progress | None = None) -> Iterator[None]:
    """Let a budget end what happens inside, and tell how far it has come.

    Parameters
    ----------
    budget
        Its seconds count, and `cancel`; None for no limit.
    progress
        Called now and then with the number of concepts done, and the share of the whole.

    Examples
    --------
    >>> with watched(Budget(seconds=0)):
    ...     poll()
    Traceback (most recent call last):
    conceptrank.errors.BudgetExceeded: scoring took more than 0 seconds
    """
    if budget is None and progress is None:
        yield  # whoever watches already goes on
        return
    token = _CURRENT.set(_Watch(budget or Budget(), progress))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def callbacks() -> dict[str, Any]:
    """Return what the core needs to be watched, as keywords.

    Examples
    --------
    >>> callbacks()
    {}
    """
    watch = _CURRENT.get()
    return {} if watch is None else {"interrupt": watch.check, "progress": watch.report}


def poll(done: int = 0, share: float = 0.0) -> None:
    """Say how far a loop in Python has come, and end it if the budget does.

    Examples
    --------
    >>> with watched(progress=lambda done, share: print(done, share)):
    ...     poll(5, 0.5)
    5 0.5
    """
    watch = _CURRENT.get()
    if watch is not None:
        watch.check()
        watch.report(done, share)


def parts(items: Sequence[Item]) -> Iterator[Item]:
    """Go through parts of a call that count as equally long.

    Examples
    --------
    >>> with watched(progress=lambda done, share: print(share)):
    ...     for part in parts("ab"):
    ...         poll(1, 0.5)
    0.25
    0.75
    """
    watch = _CURRENT.get()
    whole = watch.part if watch is not None else (0.0, 1.0)
    for place, item in enumerate(items):
        if watch is not None:
            step = (whole[1] - whole[0]) / len(items)
            watch.part = (whole[0] + place * step, whole[0] + (place + 1) * step)
        yield item
    if watch is not None:
        watch.part = whole
