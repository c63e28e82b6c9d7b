"""Limits and progress of long calls, and the estimate of the number of concepts."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import ceil
from typing import SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank.errors import BudgetExceeded

# Called with the number of concepts (or rules, ...) done so far and the share of the whole.
Progress: TypeAlias = Callable[[int, float], None]
Item = TypeVar("Item")

# The name of threads whose work may be left behind when the program ends.
TASK_THREAD = "conceptrank task"
_MOST_OBJECTS = 2**63


class Budget:
    """The limits of a long call, and the way to stop it from outside.

    Reaching a limit is no error: the lattice or ranking holds what was found until then, and its
    `stopped` names the limit. With a limit on concepts or bytes, the result doesn't depend on the
    number of threads.

    Parameters
    ----------
    concepts
        The largest number of concepts to find.
    bytes
        The largest amount of memory for mining: the concepts, the arrays that put them in order,
        and the search. The table comes on top: up to 25 bytes per cross and 15 more for every
        thread after the first, because the search works on copies of it. For rules, the memory of
        the rules.
    seconds
        The longest time that the call may take.
    rules
        The largest number of rules to find.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice(budget=cr.Budget(concepts=5))
    >>> len(lattice), lattice.complete, lattice.stopped
    (5, False, 'concepts')
    """

    def __init__(
        self,
        *,
        concepts: int | None = None,
        bytes: int | None = None,  # noqa: A002
        seconds: float | None = None,
        rules: int | None = None,
    ) -> None:
        self.concepts: int | None = _count("concepts", concepts)
        self.bytes: int | None = _count("bytes", bytes)
        if seconds is not None and not float(seconds) >= 0:
            raise ValueError(f"seconds must not be negative, got {seconds!r}")
        self.seconds: float | None = None if seconds is None else float(seconds)
        self.rules: int | None = _count("rules", rules)
        # A plain flag: a lock could be held by the very code that a signal handler interrupts.
        # In a list, which the parts of a budget share.
        self._cancelled = [False]

    def cancel(self) -> None:
        """End the calls that run under this budget, from another thread or a signal handler.

        Examples
        --------
        >>> import conceptrank as cr
        >>> budget = cr.Budget()
        >>> budget.cancel()
        >>> budget.cancelled
        True
        """
        self._cancelled[0] = True

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled[0]

    def with_seconds(self, seconds: float | None) -> Budget:
        """Return a budget of other seconds, which is cancelled together with this one.

        Examples
        --------
        >>> Budget(concepts=5, seconds=2).with_seconds(1)
        Budget(concepts=5, seconds=1.0)
        """
        part = Budget(concepts=self.concepts, bytes=self.bytes, seconds=seconds, rules=self.rules)
        part._cancelled = self._cancelled
        return part

    def __repr__(self) -> str:
        names = ("concepts", "bytes", "seconds", "rules")
        limits = {name: getattr(self, name) for name in names}
        given = ", ".join(f"{name}={limit}" for name, limit in limits.items() if limit is not None)
        return f"Budget({given})"


class Watch:
    """A running budget: its clock, its progress, and what ended it.

    `watched` makes a watch the current one. A measure is a function of concepts and takes neither
    a budget nor a callback: long loops call `poll`, and calls of the core take `core_watch()`.

    Parameters
    ----------
    budget
        The limits; none if None.
    progress
        Called from time to time with the number of concepts done and the share of the whole.
    partial
        Whether the caller can use the scores of some concepts. If not, the end of the budget is
        an error.
    task
        What the call does, for messages.

    Examples
    --------
    >>> watch = Watch(Budget(seconds=0))
    >>> watch.interrupted(), watch.stopped, watch.reason
    (True, 'seconds', 'scoring took more than 0 seconds')
    """

    def __init__(
        self,
        budget: Budget | None = None,
        progress: Progress | None = None,
        *,
        partial: bool = False,
        task: str = "scoring",
    ) -> None:
        self.budget: Budget = budget or Budget()
        self.partial = partial
        self.stopped: str = ""
        # Which concepts the scores since the last `begin` are known of; None for all.
        self.scored: NDArray[np.bool_] | None = None
        self._task = task
        self._progress = progress
        self._start = time.monotonic()
        self._span = (0.0, 1.0)

    @property
    def seconds_left(self) -> float | None:
        """The seconds that are left; None without a limit."""
        if self.budget.seconds is None:
            return None
        return max(self.budget.seconds - (time.monotonic() - self._start), 0.0)

    @property
    def reason(self) -> str:
        """What ended the call, as a sentence."""
        if self.stopped == "seconds":
            return f"{self._task} took more than {self.budget.seconds or 0:g} seconds"
        return f"{self._task} was {self.stopped}"

    def interrupted(self) -> bool:
        """Return whether the call has to end."""
        if not self.stopped:
            if self.budget.cancelled:
                self.stopped = "cancelled"
            elif self.seconds_left == 0.0:
                self.stopped = "seconds"
        return bool(self.stopped)

    def check(self) -> bool:
        """Raise BudgetExceeded if the call has to end, and return False otherwise."""
        if self.interrupted():
            raise BudgetExceeded(self.reason)
        return False

    def report(self, done: int, share: float) -> None:
        """Report progress within the current part of the call."""
        if self._progress is not None:
            begin, end = self._span
            self._progress(done, begin + (end - begin) * share)

    def begin(self) -> None:
        """Forget which concepts lack a score: another measure follows."""
        self.scored = None

    def leave_out(self, scored: NDArray[np.bool_]) -> None:
        """Note that only these concepts were scored."""
        self.scored = scored if self.scored is None else self.scored & scored

    def remaining(self, share: float = 1.0) -> Budget:
        """Return a budget of the same limits, and of a share of the seconds that are left."""
        left = self.seconds_left
        return self.budget.with_seconds(None if left is None else share * left)

    @contextmanager
    def section(self, begin: float, end: float) -> Iterator[None]:
        """Report progress from 0 to 1 inside as from `begin` to `end` of the current part."""
        outer = self._span
        length = outer[1] - outer[0]
        self._span = (outer[0] + begin * length, outer[0] + end * length)
        try:
            yield
        finally:
            self._span = outer

    def parts(self, items: Sequence[Item]) -> Iterator[Item]:
        """Iterate over parts of the call that count as equally long."""
        for place, item in enumerate(items):
            with self.section(place / len(items), (place + 1) / len(items)):
                yield item


_CURRENT: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(
    budget: Budget | Watch | None = None, progress: Progress | None = None
) -> Iterator[None]:
    """Apply a budget to the calls inside, and report their progress.

    Parameters
    ----------
    budget
        Its seconds and its `cancel` count; a `Watch` goes on with its own clock. If both
        arguments are None, the watch around this one stays the current one.
    progress
        Called from time to time with the number of concepts done and the share of the whole.

    Raises
    ------
    BudgetExceeded
        If the budget has ended already.

    Examples
    --------
    >>> with watched(Budget(seconds=0)):
    ...     pass
    Traceback (most recent call last):
    conceptrank.errors.BudgetExceeded: scoring took more than 0 seconds
    """
    if budget is None and progress is None:
        yield
        return
    watch = budget if isinstance(budget, Watch) else Watch(budget, progress)
    if not watch.partial:
        watch.check()
    token = _CURRENT.set(watch)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_watch() -> Watch | None:
    """Return the watch of the current call, or None."""
    return _CURRENT.get()


def core_watch(*, partial: bool = False, reports: bool = True) -> _core.Watch | None:
    """Return the current watch for a call of the core; None without one.

    Parameters
    ----------
    partial
        Whether the core's call returns some scores when it is stopped. If the watch can use
        them, the call ends early; otherwise it ends with BudgetExceeded.
    reports
        Whether the progress of the core's call is that of this part of the watched call.

    Examples
    --------
    >>> core_watch() is None
    True
    """
    watch = _CURRENT.get()
    if watch is None:
        return None
    stop = watch.interrupted if partial and watch.partial else watch.check
    return _core.Watch(stop, watch.report if reports else None)


def poll(done: int = 0, share: float = 0.0) -> None:
    """Report progress of a loop in Python, and raise BudgetExceeded if it has to end.

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
    """Iterate over parts of a call that count as equally long.

    Examples
    --------
    >>> with watched(progress=lambda done, share: print(share)):
    ...     for part in parts("ab"):
    ...         poll(1, 0.5)
    0.25
    0.75
    """
    watch = _CURRENT.get()
    return iter(items) if watch is None else watch.parts(items)


@dataclass(frozen=True)
class ConceptEstimate:
    """The expected number of concepts, with an interval that holds it in 95 of 100 cases.

    Examples
    --------
    >>> print(ConceptEstimate(value=20.0, low=20.0, high=20.0, exact=True))
    20 concepts
    >>> print(ConceptEstimate(value=241_377.1, low=198_104.0, high=284_650.3, exact=False))
    about 240,000 concepts (95 % interval 198,000 to 285,000)
    """

    value: float
    low: float
    high: float
    exact: bool

    def __str__(self) -> str:
        if self.exact:
            return f"{self.value:,.0f} concept{'' if self.value == 1 else 's'}"
        value, low, high = _rounded(self.value, 2), _rounded(self.low, 3), _rounded(self.high, 3)
        return f"about {value} concepts (95 % interval {low} to {high})"


def support_threshold(min_support: float, n_objects: int) -> int:
    """Return a minimum support as a number of objects.

    Parameters
    ----------
    min_support
        An int is a number of objects, a float between 0 and 1 a share of them.
    n_objects
        The number of all objects.

    Examples
    --------
    >>> support_threshold(3, 11), support_threshold(0.25, 11), support_threshold(0.07, 100)
    (3, 3, 7)
    >>> support_threshold(1.5, 11)
    Traceback (most recent call last):
    ValueError: min_support as a float is a share between 0 and 1, got 1.5
    """
    if isinstance(min_support, bool):
        raise ValueError(f"min_support is a number, got {min_support!r}")
    try:
        absolute = operator.index(min_support)  # type: ignore[arg-type]
    except TypeError:
        pass
    else:
        if absolute < 0:
            raise ValueError(f"min_support must not be negative, got {absolute}")
        # More than any table has; the core counts in 64 bits.
        return min(absolute, _MOST_OBJECTS)
    try:
        share = float(min_support)
    except (TypeError, ValueError):
        raise ValueError(f"min_support is a number, got {min_support!r}") from None
    if not 0 <= share <= 1:
        raise ValueError(f"min_support as a float is a share between 0 and 1, got {share}")
    from fractions import Fraction

    # The share as it is written: the float nearest to 0.07 is a little more than 7 %.
    return ceil(Fraction(repr(share)) * n_objects)


def _count(name: str, limit: SupportsIndex | None) -> int | None:
    if limit is None:
        return None
    try:
        count = operator.index(limit)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, got {limit!r}") from None
    if count < 0 or isinstance(limit, bool):
        raise ValueError(f"{name} must be a whole number that is not negative, got {limit!r}")
    return count


def _rounded(value: float, digits: int) -> str:
    """Return a number with this many significant digits."""
    text = f"{value:.{digits - 1}e}"
    return f"{float(text):,.0f}" if value < 1e9 else text.replace("+", "")
