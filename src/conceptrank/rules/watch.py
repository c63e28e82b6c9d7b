"""The budget of a call that generates rules."""

from __future__ import annotations

import time
from collections.abc import Callable

from conceptrank.budget import Budget

# Seconds between two reports of progress.
_PAUSE = 0.05


class Watch:
    """Whether to go on, and if not why not.

    Parameters
    ----------
    budget
        The limits.
    progress
        Called now and then with the number of rules and the share of the work that is done.

    Examples
    --------
    >>> watch = Watch(Budget(rules=3), None)
    >>> watch.room(2, 100), watch.stopped
    (2, '')
    >>> watch.room(2, 100), watch.stopped
    (1, 'rules')
    """

    def __init__(self, budget: Budget, progress: Callable[[int, float], None] | None) -> None:
        self.budget = budget
        self.stopped = ""
        self.found = 0
        self.bytes = 0
        self._progress = progress
        self._begin = self._said = time.monotonic()

    @property
    def rules_left(self) -> int | None:
        """How many more rules there may be."""
        return None if self.budget.rules is None else self.budget.rules - self.found

    @property
    def bytes_left(self) -> int | None:
        """How much more memory they may take."""
        return None if self.budget.bytes is None else max(self.budget.bytes - self.bytes, 0)

    @property
    def seconds_left(self) -> float | None:
        """How much more time there is."""
        if self.budget.seconds is None:
            return None
        return max(self.budget.seconds - (time.monotonic() - self._begin), 0.0)

    def interrupted(self) -> bool:
        """Say whether somebody, or the clock, wants an end; for the core to ask."""
        if not self.stopped:
            if self.budget.cancelled:
                self.stopped = "cancelled"
            elif self.seconds_left == 0.0:
                self.stopped = "seconds"
        return bool(self.stopped)

    def room(self, rules: int, size: int) -> int:
        """Return how many of some rules, which take so much memory, may still be kept."""
        if self.rules_left is not None and rules > self.rules_left:
            self.stopped, rules = "rules", self.rules_left
        elif self.bytes_left is not None and size > self.bytes_left:
            self.stopped, rules = "bytes", rules * self.bytes_left // size
        self.found += rules
        self.bytes += size
        return rules

    def report(self, found: int, share: float) -> None:
        """Say how far the work has come, unless it was said a moment ago."""
        now = time.monotonic()
        if self._progress is not None and now - self._said >= _PAUSE:
            self._said = now
            self._progress(found, share)
