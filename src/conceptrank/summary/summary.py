"""`Summary`, the short list of patterns that explain a table, and `Pattern`, one entry of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, overload

from conceptrank._util import text as _text
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.matching import Matcher
from conceptrank.summary.selection import Choice, Selection

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import scipy.sparse as sp

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class Pattern:
    """An entry of a summary.

    Attributes
    ----------
    place
        Its place in the list, from 1.
    concept
        The concept: all objects that have the attributes, and all attributes that they share.
    expected
        The number of objects expected by a reader who knows the margins of the table and the
        patterns before this one.
    gain
        The information that the pattern adds to the patterns before it, in the summary's unit:
        bits, unless the method has a unit of its own.
    p_value
        A bound on the probability of a support so far above the expected one, for any set of
        attributes, if the table follows the model of that reader. It counts all sets of attributes,
        so it needs no further correction for the number of concepts.
    explained
        The share of the table's crosses that this pattern and those before it cover.
    carriers
        The number of objects that carry the pattern, counting those that lack a few attributes.
    """

    place: int
    concept: Concept
    expected: float
    gain: float
    p_value: float
    explained: float
    carriers: int

    @property
    def intent(self) -> tuple[str, ...]:
        """The attributes of the pattern."""
        return self.concept.intent

    @property
    def extent(self) -> tuple[str, ...]:
        """The objects that have all of them."""
        return self.concept.extent

    @property
    def support(self) -> int:
        """The number of these objects."""
        return self.concept.support

    @property
    def relevant_attributes(self) -> tuple[str, ...]:
        """The attributes without which more objects would have the pattern."""
        return self.concept.relevant_attributes

    @cached_property
    def generator(self) -> tuple[str, ...]:
        """A smallest set of attributes that identifies the pattern's objects.

        It is the whole intent if there are more than 10,000 minimal generators.
        """
        try:
            return self.concept.minimal_generators[0]
        except BudgetExceeded:
            return self.concept.intent

    @property
    def why(self) -> str:
        """Why the pattern is listed at this place.

        Examples
        --------
        >>> import conceptrank as cr
        >>> table = cr.datasets.random.planted(500, 20, patterns=2, supports=(0.1, 0.2), seed=1)
        >>> print(table.context.summarize()[0].why)
        expected ... objects from the margins alone, found ...
        """
        known = self.place - 1
        given = "from the margins alone"
        if known:
            number = _NUMBERS[known] if known < len(_NUMBERS) else f"{known:,}"
            given = "given the one before" if known == 1 else f"given the {number} before"
        return f"expected {_count(self.expected)} objects {given}, found {self.support:,}"


class Summary(Sequence[Pattern]):
    """A short list of patterns that explain a table, the most telling first.

    `Context.summarize`, `Lattice.summarize` and `conceptrank.summarize` make one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> table = cr.datasets.random.planted(500, 20, patterns=2, supports=(0.1, 0.2), seed=1)
    >>> summary = table.context.summarize()
    >>> len(summary), summary.method, summary.complete
    (2, 'peel', True)
    >>> summary.to_polars().columns
    ['place', 'intent', 'support', 'expected', 'gain', 'p_value', 'explained', 'carriers', ...]
    """

    def __init__(
        self, context: Context, selection: Selection, choices: Sequence[Choice], *, method: str
    ) -> None:
        self._context = context
        self._selection = selection
        self._method = method
        names = context.attributes
        self._patterns = tuple(
            Pattern(
                place,
                context.concept(*(names[m] for m in choice.intent)),
                _known(choice.expected),
                choice.gain,
                _known(choice.p_value),
                choice.explained,
                int(_known(choice.carriers)),
            )
            for place, choice in enumerate(choices, 1)
        )

    @overload
    def __getitem__(self, place: int) -> Pattern: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Pattern, ...]: ...
    def __getitem__(self, place: int | slice) -> Pattern | tuple[Pattern, ...]:
        return self._patterns[place]

    def __len__(self) -> int:
        return len(self._patterns)

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self._patterns)

    @property
    def context(self) -> Context:
        """The context."""
        return self._context

    @property
    def method(self) -> str:
        """The method that chose the patterns."""
        return self._method

    @property
    def unit(self) -> str:
        """The unit of the gains."""
        return self._selection.unit

    @property
    def min_support(self) -> int:
        """The least number of objects of the concepts that were searched; 0 if all were."""
        return self._selection.min_support

    @property
    def stopped(self) -> str:
        """What ended the search early: "seconds", "concepts", "bytes", "cancelled", or ""."""
        return self._selection.stopped

    @property
    def complete(self) -> bool:
        """Whether the method ended by its own rule or at the number of patterns."""
        return not self.stopped

    @property
    def explained(self) -> float:
        """The share of the table's crosses that the patterns cover."""
        return self._patterns[-1].explained if self._patterns else 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the list should know: limits, and why the list is empty."""
        notes = []
        if self._selection.raised:
            notes.append(
                f"the table has too many concepts of fewer than {self.min_support:,} objects; only "
                "those below a pattern were searched; set min_support to search all"
            )
        if self.stopped:
            notes.append(f"the search ended early ({self.stopped}); more patterns may exist")
        if not self._patterns:
            notes.append(self._why_empty())
        return tuple(notes)

    def _why_empty(self) -> str:
        n, q = self._context.shape
        if not n or not q:
            return f"the table is empty: {n:,} objects, {q:,} attributes"
        if not self._context.crosses:
            return "no object has an attribute"
        if n == 1:
            return "the table has one object, and a pattern needs two"
        if self.stopped:
            return "no pattern was found before the search ended"
        if self._method != "peel":
            return "the method found no concept to list"
        reason = "no combination of attributes is so frequent that chance can't explain it"
        if (closest := self._selection.runner_up) is None:
            return reason
        names = ", ".join(self._context.attributes[m] for m in closest.intent)
        support = self._context.concept(*(self._context.attributes[m] for m in closest.intent))
        return (
            f"{reason}; the closest, {_text.printable(names)}, has {support.support:,} objects "
            f"where {_count(_known(closest.expected))} are expected"
        )

    @property
    def title(self) -> str:
        """One line that describes the summary.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").summarize().title
        'No pattern (11 objects, 7 attributes)'
        """
        n, q = self._context.shape
        shape = f"{n:,} object{'' if n == 1 else 's'}, {q:,} attribute{'' if q == 1 else 's'}"
        if not self._patterns:
            return f"No pattern ({shape})"
        count = len(self)
        verb = "patterns explain" if count > 1 else "pattern explains"
        return f"{count:,} {verb} {self.explained:.0%} of the crosses ({shape})"

    def __str__(self) -> str:
        lines = [self.title]
        for pattern in self._patterns:
            names = ", ".join(map(_text.label, pattern.intent))
            lines += ["", f"{pattern.place:>3}. {_text.printable(names)}"]
            facts = [pattern.why, f"gain {_text.number(round(pattern.gain, 1))} {self.unit}"]
            facts.append(f"p {_p_value(pattern.p_value)}")
            facts.append(f"{pattern.explained:.0%} explained so far")
            lines.append(f"     {'; '.join(facts)}")
            if len(pattern.generator) < len(pattern.intent):
                known_by = ", ".join(map(_text.label, pattern.generator))
                lines.append(f"     recognised by {_text.printable(known_by)}")
        if self.notes:
            lines += ["", *self.notes]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from conceptrank._util import html as _html

        header = ["", "pattern", "objects", "expected", f"gain ({self.unit})", "explained"]
        rows = [
            [
                str(pattern.place),
                ", ".join(pattern.intent),
                f"{pattern.support:,}",
                _count(pattern.expected),
                _text.number(round(pattern.gain, 1)),
                f"{pattern.explained:.0%}",
            ]
            for pattern in self._patterns
        ]
        return _html.table(header, rows, caption=" – ".join([self.title, *self.notes]))

    def transform(self, rows: object, *, absent: str = "error") -> sp.csr_array[Any]:
        """Return which of some rows have which patterns: a sparse matrix of truth values.

        Parameters
        ----------
        rows, absent
            As for `Context.match`.

        Examples
        --------
        >>> import conceptrank as cr
        >>> table = cr.datasets.random.planted(500, 20, patterns=2, supports=(0.1, 0.2), seed=1)
        >>> summary = table.context.summarize()
        >>> summary.transform(table.context).sum(axis=0).tolist() == [p.support for p in summary]
        True
        """
        return Matcher(self._context.attribute_names, self).match(rows, absent=absent)

    def to_polars(self, *, extents: bool = False) -> pl.DataFrame:
        """Return a frame with a row per pattern.

        Parameters
        ----------
        extents
            Whether to add the column `extent`, the names of the objects.
        """
        import polars as pl

        names = pl.List(pl.String)
        schema: dict[str, Any] = {
            "place": pl.Int64,
            "intent": names,
            "support": pl.Int64,
            "expected": pl.Float64,
            "gain": pl.Float64,
            "p_value": pl.Float64,
            "explained": pl.Float64,
            "carriers": pl.Int64,
            "relevant_attributes": names,
            "generator": names,
            "why": pl.String,
        }
        if extents:
            schema["extent"] = names
        columns: dict[str, list[Any]] = {name: [] for name in schema}
        for pattern in self._patterns:
            for name, values in columns.items():
                value = getattr(pattern, name)
                values.append(list(value) if isinstance(value, tuple) else value)
        return pl.DataFrame(columns, schema=schema)

    def to_pandas(self, *, extents: bool = False) -> pd.DataFrame:
        """Return the same as a pandas frame."""
        from conceptrank.convert import results

        return results.to_pandas(self.to_polars(extents=extents))

    def save(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        format: str | None = None,  # noqa: A002
        extents: bool = False,
    ) -> None:
        """Write the patterns to a CSV, JSON, JSON lines or Parquet file, by its suffix."""
        from conceptrank.convert import results

        frame = self.to_polars(extents=extents)
        results.save(frame, file, format=format, provenance=self.provenance)

    @property
    def provenance(self) -> dict[str, Any]:
        """All that is needed to make the summary again."""
        from importlib.metadata import version

        return {
            "version": version("conceptrank"),
            "context": {"digest": self._context.digest, "shape": list(self._context.shape)},
            "summary": {
                "method": self._method,
                "unit": self.unit,
                "min_support": self.min_support,
                "stopped": self.stopped,
            },
            "rows": len(self),
        }


def _known(value: float | None) -> float:
    if value is None:
        raise ValueError("a choice has no expected support")
    return value


def _count(value: float) -> str:
    """Return an expected number of objects as a text of at most three significant digits."""
    if value >= 99.95:
        return f"{value:,.0f}"
    if value >= 0.095:
        return f"{value:.1f}"
    return f"{value:.1g}" if value >= 0.001 else "under 0.001"


def _p_value(value: float) -> str:
    return "< 1e-99" if value < 1e-99 else f"≤ {value:.1e}" if value < 0.001 else f"≤ {value:.3f}"
