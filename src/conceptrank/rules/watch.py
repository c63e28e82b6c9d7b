"""`RuleWatch`: the running budget of a call that generates rules."""

from __future__ import annotations

import time

from conceptrank.budget import Budget, Progress, Watch

# Seconds between two reports of progress.
_PAUSE = 0.05


class RuleWatch(Watch):
    """A running budget that also counts rules and their memory.

    Parameters
    ----------
    budget
        The limits.
    progress
        Called now and then with the number of rules and the share of the work that is done.

    Examples
    --------
    >>> watch = RuleWatch(Budget(rules=3), None)
    >>> watch.room(2, 100), watch.stopped
    (2, '')
    >>> watch.room(2, 100), watch.stopped
    (1, 'rules')
    """

    def __init__(self, budget: Budget, progress: Progress | None) -> None:
        super().__init__(budget, progress, task="generating rules")
        self.stopped: str = ""
        self.found: int = 0
        self.bytes: int = 0
        self._reported = time.monotonic()

    @property
    def rules_left(self) -> int | None:
        """How many more rules there may be."""
        return None if self.budget.rules is None else self.budget.rules - self.found

    @property
    def bytes_left(self) -> int | None:
        """How much more memory they may take."""
        return None if self.budget.bytes is None else max(self.budget.bytes - self.bytes, 0)

    def room(self, rules: int, size: int) -> int:
        """Return how many of some rules may still be kept, given the memory that they take."""
        if self.rules_left is not None and rules > self.rules_left:
            self.stopped, rules = "rules", self.rules_left
        elif self.bytes_left is not None and size > self.bytes_left:
            self.stopped, rules = "bytes", rules * self.bytes_left // size
        self.found += rules
        self.bytes += size
        return rules

    def report(self, done: int, share: float) -> None:
        """Report progress, unless the last report was a moment ago."""
        now = time.monotonic()
        if now - self._reported >= _PAUSE:
            self._reported = now
            super().report(done, share)
