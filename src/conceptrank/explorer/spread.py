"""The different scores of a measure, and scores as JSON and CSV can have them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank.explorer.axes import Axis
from conceptrank.explorer.query import Answer

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Spread:
    """The different scores of a measure, ascending and NaN last, and how many have each.

    Examples
    --------
    >>> spread = Spread(np.array([0.5, 1.0, np.nan]), np.array([3, 1, 2]))
    >>> spread.numbers, spread.rank(1, descending=True), spread.rank(2, descending=True)
    (2, 1, 3)
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @cached_property
    def numbers(self) -> int:
        """How many of the different scores are numbers."""
        return len(self.values) - int(np.isnan(self.values[-1:]).sum())

    @cached_property
    def axis(self) -> Axis:
        """The scores along an axis of a plot."""
        return Axis.of(self.values, self.counts)

    def rank(self, code: int, *, descending: bool) -> int:
        """Return the rank of a score by its place; NaN comes last."""
        if code >= self.numbers:
            return self.numbers + 1
        return self.numbers - code if descending else code + 1

    def described(self) -> Answer:
        """Return what the page says about the scores."""
        return {
            "low": self.axis.low,
            "high": self.axis.high,
            "quantiles": self.axis.quantiles.tolist(),
            "distinct": len(self.values),
        }


def framed(
    rows: Iterable[Answer], keys: Sequence[str], columns: Sequence[str], names: Sequence[str]
) -> pl.DataFrame:
    """Return rows of the table as a frame: the rank, some scores, and the intents as names.

    Examples
    --------
    >>> framed([{"rank": 1, "scores": [0.5], "intent": [0]}], ["cr"], ["cr"], ["a"]).row(0)
    (1, 0.5, ['a'])
    """
    import polars as pl

    listed = list(rows)
    scores = {
        key: pl.Series(
            [
                None if s is None else float(s)
                for s in (r["scores"][keys.index(key)] for r in listed)
            ],
            dtype=pl.Float64,
        )
        for key in columns
    }
    intents = [[names[m] for m in row["intent"]] for row in listed]
    return pl.DataFrame(
        {
            "rank": pl.Series([row["rank"] for row in listed], dtype=pl.Int64),
            **scores,
            "intent": pl.Series(intents, dtype=pl.List(pl.String)),
        }
    )


def plain(score: float) -> float | str | None:
    """Return what JSON can hold: a text for infinity, null for no number.

    Examples
    --------
    >>> plain(0.5), plain(float("-inf")), plain(float("nan"))
    (0.5, '-Infinity', None)
    """
    if isfinite(score):
        return score
    return None if isnan(score) else ("Infinity" if score > 0 else "-Infinity")


def line(cells: Sequence[object]) -> str:
    r"""Return a line of CSV.

    Examples
    --------
    >>> line([1, "=1+1", "a,b"])
    '1,\'=1+1,"a,b"\r\n'
    """
    # A spreadsheet would run what begins like a formula.
    safe = [
        f"'{cell}" if isinstance(cell, str) and cell[:1] in tuple("=+-@\t\r") and cell else cell
        for cell in cells
    ]
    out = io.StringIO()
    csv.writer(out).writerow(safe)
    return out.getvalue()
