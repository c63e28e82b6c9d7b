"""What a mining call may cost, and what it is expected to bring."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from math import ceil
from typing import SupportsIndex

_MOST_OBJECTS = 2**63


class Budget:
    """The limits of a call that mines concepts or rules, and the way to stop it from outside.

    Reaching a limit is no error: the lattice then holds what was found until then, its `complete`
    is False, and its `stopped` says which limit it was. With a limit on concepts or bytes the
    result doesn't depend on the number of threads.

    Parameters
    ----------
    concepts
        The largest number of concepts to find.
    bytes
        The largest amount of memory for the lattice, or for the rules.
    seconds
        The longest time to take.
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
        self.concepts = _count("concepts", concepts)
        self.bytes = _count("bytes", bytes)
        if seconds is not None and not float(seconds) >= 0:
            raise ValueError(f"seconds must not be negative, got {seconds!r}")
        self.seconds = None if seconds is None else float(seconds)
        self.rules = _count("rules", rules)
        # A plain flag: a lock could be held by the very code that a signal handler interrupts.
        self._cancelled = False

    def cancel(self) -> None:
        """End the call that runs under this budget, from another thread or a signal handler.

        Examples
        --------
        >>> import conceptrank as cr
        >>> budget = cr.Budget()
        >>> budget.cancel()
        >>> budget.cancelled
        True
        """
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def __repr__(self) -> str:
        names = ("concepts", "bytes", "seconds", "rules")
        limits = {name: getattr(self, name) for name in names}
        given = ", ".join(f"{name}={limit}" for name, limit in limits.items() if limit is not None)
        return f"Budget({given})"


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
        # No table has so many; the core counts in 64 bits.
        return min(absolute, _MOST_OBJECTS)
    try:
        share = float(min_support)
    except (TypeError, ValueError):
        raise ValueError(f"min_support is a number, got {min_support!r}") from None
    if not 0 <= share <= 1:
        raise ValueError(f"min_support as a float is a share between 0 and 1, got {share}")
    from fractions import Fraction

    # As written: the float nearest to 0.07 is a little more than seven of a hundred.
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
    """Return a number with so many digits that mean something."""
    text = f"{value:.{digits - 1}e}"
    return f"{float(text):,.0f}" if value < 1e9 else text.replace("+", "")
