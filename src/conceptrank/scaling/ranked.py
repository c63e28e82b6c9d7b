"""`Ranked`: a raw column as the ranks of its values, to compare columns by their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from conceptrank._util.lazy import pl
from conceptrank.budget import poll
from conceptrank.convert.origin import label

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

# Fewer numbers that ascend with the rows are levels, fewer rows may be sorted by a measurement.
_LEAST_GROUPS, _LEAST_ROWS = 5, 30
# The largest number of values per row with which values count as groups; of measured numbers.
_MOST_GROUPS, _MOST_MEASURED_GROUPS = 1 / 2, 1 / 10
_MOST_DIGITS = 6


@dataclass(frozen=True, eq=False)
class Ranked:
    """A column of at least two different values.

    Parameters
    ----------
    name
        Its name.
    codes
        The rank of each row's value among the different ones, from 0; -1 if it is missing.
    values
        The different values in their order.
    numbers
        These as numbers; dates as days or smaller units. None for text, and for whole numbers that
        seem to number the rows or groups of rows.
    """

    name: str
    codes: Numbers
    values: pl.Series
    numbers: Floats | None

    @property
    def ordered(self) -> bool:
        """Whether the order of its values means something."""
        return self.numbers is not None

    def text(self, code: int) -> str:
        """Return the name of the column and a value of it."""
        value = self.values[int(code)]
        return f"{self.name} = {f'{value:.6g}' if isinstance(value, float) else label(value)}"

    @cached_property
    def counts(self) -> Numbers:
        """How many rows have each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @cached_property
    def order(self) -> Numbers:
        """The rows with a value, by their values."""
        return np.argsort(self.codes, kind="stable")[int((self.codes < 0).sum()) :]

    @cached_property
    def step(self) -> float:
        """The unit of the last digit that the numbers have; 0 if there are too many digits."""
        numbers = np.zeros(0) if self.numbers is None else self.numbers
        for step in 10.0 ** -np.arange(_MOST_DIGITS + 1):
            if np.allclose(np.rint(numbers / step) * step, numbers, rtol=1e-12, atol=0):
                return float(step)
        return 0.0

    @property
    def cells(self) -> Floats:
        """The number in each row; not a number where it is missing."""
        return np.append(() if self.numbers is None else self.numbers, np.nan)[self.codes]

    @property
    def most_groups(self) -> float:
        """The largest number of values with which they count as groups of rows."""
        numbers = np.zeros(0) if self.numbers is None else self.numbers
        measured = bool((np.rint(numbers) != numbers).any())
        return int(self.counts.sum()) * (_MOST_MEASURED_GROUPS if measured else _MOST_GROUPS)


def ranked(frame: pl.DataFrame) -> Iterator[Ranked]:
    """Yield the columns of a frame that have at least two values; lists are left out."""
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Null, pl.Object, pl.Binary):
            continue
        poll()
        column = pl.col(name)
        finite = pl.when(column.is_finite()).then(column) if dtype.is_float() else column
        series = frame.select(finite.alias(name)).to_series()
        codes = series.rank("dense").fill_null(0).to_numpy().astype(np.int64) - 1
        rows = np.zeros(codes.max(initial=-1) + 2, dtype=np.int64)
        rows[codes] = np.arange(len(codes))
        if len(rows) < 3:
            continue
        values = series[rows[:-1]]
        numbers = None
        if dtype.is_numeric() or dtype == pl.Boolean:
            numbers = None if _identifies(codes, values) else values.cast(pl.Float64).to_numpy()
        elif dtype.is_temporal():
            numbers = values.to_physical().cast(pl.Float64).to_numpy()
        elif isinstance(dtype, pl.Enum):
            numbers = np.arange(len(values), dtype=np.float64)
        yield Ranked(name, codes, values, numbers)


def _identifies(codes: Numbers, values: pl.Series) -> bool:
    """Return whether whole numbers ascend with the rows: 1 to k, or all different with gaps."""
    if not values.dtype.is_integer() or (np.diff(codes) < 0).any():
        return False
    span = values[-1] - values[0] + 1
    if values[0] in (0, 1) and span == len(values):
        return len(values) >= _LEAST_GROUPS
    return len(values) == len(codes) >= _LEAST_ROWS and span > len(values)


def arrangements(counts: Sequence[int] | Numbers) -> float:
    """Return the logarithm of the number of ways to arrange things of which some are equal.

    Examples
    --------
    >>> round(np.exp(arrangements([2, 2])))
    6
    """
    counts = np.asarray(counts)
    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum())


def surprise(columns: int, places: int = 2) -> float:
    """Return how improbable chance has to make a relation of `places` columns: -log p."""
    return log(1e6) + places * log(max(columns, 2))
