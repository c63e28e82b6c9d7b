"""`Applied`: what rules say about a table of rows, and which rows break which rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank._util import text as _text
from conceptrank._util.lists import Lists
from conceptrank._util.names import Names
from conceptrank._util.text import counted
from conceptrank.context import Context
from conceptrank.convert import numbered
from conceptrank.errors import BudgetExceeded
from conceptrank.matching import Matcher, rows_of

if TYPE_CHECKING:
    import polars as pl
    import scipy.sparse as sp

_SHOWN = 10
# Violations that fit into a few gigabytes.
_MOST = 500_000_000


class Applied:
    """Rules applied to rows: how often each rule fires, and which rows violate it.

    A rule fires in a row that has its premise. The row violates the rule if it lacks an attribute
    of the conclusion. `Rules.apply` and `Implications.apply` make one. Counts and confidences use
    the weights of a context; matrices and frames of violations list each of its rows once.

    Parameters
    ----------
    attributes
        The names of the attributes of the rules.
    premises, conclusions
        Attribute numbers, as offsets and values.
    rows
        The rows, as for `Context.match`.
    expected
        The confidence of each rule where it was found; None if all always held.
    absent
        As for `Context.match`.
    threads
        How many threads to use; 0 is one for each processor. The result is the same.
    """

    def __init__(
        self,
        attributes: Names,
        premises: Lists,
        conclusions: Lists,
        rows: object,
        *,
        expected: NDArray[np.float64] | None = None,
        absent: str = "error",
        threads: int = 0,
    ) -> None:
        self._names = attributes
        self._premises = premises
        self._conclusions = conclusions
        self._threads = threads
        self._rows, labels = rows_of(attributes, rows, absent=absent)
        self._weights: NDArray[np.int64] | None = None
        if isinstance(rows, Context) and (rows.weights != 1).any():
            self._weights = rows.weights
        self.rows: Sequence[str] = labels or numbered(len(self._rows[0]) - 1)
        n_rules = len(premises[0]) - 1
        self.expected: NDArray[np.float64] = np.ones(n_rules) if expected is None else expected

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher.from_numbers(self._names, self._premises)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of rules."""
        return len(self._rows[0]) - 1, len(self._premises[0]) - 1

    @cached_property
    def fires(self) -> sp.csr_array[Any]:
        """Which rows have the premise of which rule: a sparse matrix, a column per rule."""
        return self._matcher.find(self._rows, threads=self._threads).tocsr()

    @cached_property
    def _by_rule(self) -> Any:
        counts = self._weighted if self._weights is None else self._counts(None)
        count = int(counts[1].sum())
        if count > _MOST:
            raise BudgetExceeded(
                f"{count:,} violations are too many to list; violation_counts has their numbers, "
                "and fewer rows or rules of a larger confidence have fewer violations"
            )
        return self._matcher.violations(self._rows, self._conclusions, threads=self._threads)

    @cached_property
    def violations(self) -> sp.csr_array[Any]:
        """Which rows violate which rule: a sparse matrix, a column per rule."""
        matrix: sp.csr_array[Any] = self._by_rule.tocsr()
        return matrix

    def _counts(self, weights: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], ...]:
        """Return for each rule how many rows have its premise, and how many of these violate it."""
        shape = self.shape[1], len(self._names)
        rules, attributes = zip(*map(_pairs, (self._premises, self._conclusions)), strict=True)
        both = _lists.from_pairs(np.concatenate(rules), np.concatenate(attributes), shape)
        fires = self._matcher.counts(self._rows, weights)
        return fires, fires - Matcher.from_numbers(self._names, both).counts(self._rows, weights)

    @cached_property
    def _weighted(self) -> tuple[NDArray[np.int64], ...]:
        return self._counts(self._weights)

    @property
    def fire_counts(self) -> NDArray[np.int64]:
        """The number of rows with the premise, for each rule."""
        return self._weighted[0]

    @property
    def violation_counts(self) -> NDArray[np.int64]:
        """The number of rows that violate each rule."""
        return self._weighted[1]

    @property
    def confidences(self) -> NDArray[np.float64]:
        """The share of rows with the premise that have the conclusion; NaN without such rows."""
        fires = self.fire_counts.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(1 - self.violation_counts / np.where(fires == 0, np.nan, fires))

    @property
    def holds(self) -> bool:
        """Whether no row violates a rule."""
        return not self.violation_counts.any()

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with a row per rule: premise, conclusion, fires, violations, confidence.

        Examples
        --------
        >>> from conceptrank.rules import Implications
        >>> birds = Implications(["flies", "feathers"], [("flies", "feathers")])
        >>> birds.apply({"duck": ["flies", "feathers"], "bat": ["flies"]}).to_polars().row(0)
        (['flies'], ['feathers'], 2, 1, 0.5, 1.0)
        """
        import polars as pl

        from conceptrank.convert import results

        return pl.DataFrame(
            {
                "premise": results.list_column(self._premises, self._names.labels),
                "conclusion": results.list_column(self._conclusions, self._names.labels),
                "fires": self.fire_counts,
                "violations": self.violation_counts,
                "confidence": self.confidences,
                "expected": self.expected,
            }
        )

    def violations_to_polars(self) -> pl.DataFrame:
        """Return a frame with a row per violation: row, rule, premise, conclusion, missing.

        `rule` is the number of the rule from 1; `missing` has what the row lacks of the conclusion.

        Examples
        --------
        >>> from conceptrank.rules import Implications
        >>> birds = Implications(["flies", "feathers"], [("flies", "feathers")])
        >>> applied = birds.apply({"duck": ["flies", "feathers"], "bat": ["flies"]})
        >>> applied.violations_to_polars().row(0)
        ('bat', 1, ['flies'], ['feathers'], ['feathers'])
        """
        import polars as pl

        matrix = self.violations
        of_row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        names = pl.List(pl.String)
        schema: dict[str, Any] = {
            "row": pl.String,
            "rule": pl.Int64,
            "premise": names,
            "conclusion": names,
            "missing": names,
        }
        columns: dict[str, list[Any]] = {name: [] for name in schema}
        for row, rule in zip(of_row.tolist(), matrix.indices.tolist(), strict=True):
            premise, conclusion = (
                _lists.at(each, rule) for each in (self._premises, self._conclusions)
            )
            missing = np.setdiff1d(conclusion, _lists.at(self._rows, row))
            columns["row"].append(self.rows[row])
            columns["rule"].append(rule + 1)
            for name, numbers in zip(
                ("premise", "conclusion", "missing"), (premise, conclusion, missing), strict=True
            ):
                columns[name].append(list(self._names.of(numbers.tolist())))
        return pl.DataFrame(columns, schema=schema)

    def __repr__(self) -> str:
        n, rules = self.shape
        broken = np.flatnonzero(self.violation_counts)
        what = counted(rules, "rule")
        where = counted(n, "row")
        lines = [f"{what} applied to {where}: {len(broken):,} violated"]
        worst = broken[np.argsort(-self.violation_counts[broken], kind="stable")]
        for rule in worst[:_SHOWN].tolist():
            sides = (
                _text.braces(self._names.of(_lists.at(each, rule).tolist()))
                for each in (self._premises, self._conclusions)
            )
            count, fires = int(self.violation_counts[rule]), int(self.fire_counts[rule])
            lines.append(f"{' → '.join(sides)}: {count:,} of {fires:,} rows")
        if len(broken) > _SHOWN:
            lines.append(f"… {len(broken) - _SHOWN:,} more")
        return "\n".join(lines)


def _pairs(lists: Lists) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the number of the list and the value, for all values."""
    offsets, values = lists
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), values
