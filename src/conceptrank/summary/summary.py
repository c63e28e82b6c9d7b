"""`Summary`, the short list of patterns that explain a table, and `Pattern`, one entry of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import IO, TYPE_CHECKING, Any, overload

from conceptrank._util import text as _text
from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.errors import BudgetExceeded
from conceptrank.matching import Matcher
from conceptrank.scaling.structure import Structure
from conceptrank.summary.selection import Choice, Crosses, Selection

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import scipy.sparse as sp

# A list prints so many entries unless it was limited, and so many attributes of an entry.
SHOWN = 10
_MOST_NAMES = 6
# A shorter list of rules about columns is printed.
_MOST_LINES = 12


@dataclass(frozen=True)
class Pattern:
    """An entry of a summary.

    Attributes
    ----------
    place
        Its place in the list, from 1.
    intent
        The attributes of the pattern. Each of them earns its place.
    concept
        The concept: all objects that have the attributes, and all attributes that they share.
    expected
        The number of objects expected by a reader who knows the margins of the table, what its
        columns say about each other, and the patterns before this one.
    deviation
        The standard deviation of that number.
    gain
        The information that the pattern adds to the patterns before it, in the summary's unit:
        bits, unless the method has a unit of its own.
    p_value
        The probability that any set of attributes has a support so far above its expected one, if
        the table follows the model of that reader. It counts all sets of attributes, so it needs no
        further correction for the number of concepts.
    explained
        The share of the table's crosses that this pattern and those before it cover.
    carriers
        The number of objects that carry the pattern, counting those that lack a few attributes.
    noun
        What an object is called: `"row"` in a table of values.
    """

    place: int
    intent: tuple[str, ...]
    concept: Concept
    expected: float
    deviation: float
    gain: float
    p_value: float
    explained: float
    carriers: int
    noun: str = "object"

    @property
    def extent(self) -> tuple[str, ...]:
        """The objects that have all of them."""
        return self.concept.extent

    @property
    def support(self) -> int:
        """The number of these objects."""
        return self.concept.support

    @property
    def effect(self) -> float:
        """How many times the expected number of objects there are."""
        return self.support / self.expected if self.expected else inf

    @property
    def also(self) -> tuple[str, ...]:
        """The other attributes that all these objects have."""
        return tuple(name for name in self.concept.intent if name not in set(self.intent))

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

    @cached_property
    def rule(self) -> tuple[str, int, int] | None:
        """The attribute that most objects with the others have.

        With it come the number of objects that have the others, and that of all objects with this
        attribute. None if fewer than half of those objects have it.
        """
        context, best = self.concept.context, None
        for name in self.intent:
            others = [other for other in self.intent if other != name]
            objects = context.concept(*others).support
            if 2 * self.support >= objects and (best is None or objects < best[1]):
                best = name, objects, context.concept(name).support
        return best

    @property
    def why(self) -> str:
        """Why the pattern is listed: how many objects have it, and how many were expected.

        Examples
        --------
        >>> import conceptrank as cr
        >>> table = cr.datasets.random.planted(500, 20, patterns=2, supports=(0.1, 0.2), seed=1)
        >>> table.context.summarize()[0].why
        '... objects, ... expected (× ...)'
        """
        times = (
            f"× {_text.number(float(f'{self.effect:.3g}'))}"
            if self.effect < 1e6
            else "× 10⁶ or more"
        )
        return (
            f"{_text.counted(self.support, self.noun)}, {_count(self.expected)} expected ({times})"
        )

    @property
    def sentence(self) -> str:
        """What most objects with all attributes but one have; empty if there is no such rule."""
        if self.rule is None or len(self.intent) > _MOST_NAMES:
            return ""
        name, objects, having = self.rule
        others = _listed([other for other in self.intent if other != name])
        n = self.concept.context.shape[0]
        share = f"{having / n:.0%}" if having < n else "all"
        return (
            f"{self.support:,} of the {objects:,} {self.noun}s with {others} have "
            f"{_text.label(name)}; {share} of all {self.noun}s do"
        )


class Summary(Sequence[Pattern]):
    """A short list of patterns that explain a table, the most telling first.

    `Context.summarize`, `Lattice.summarize` and `conceptrank.summarize` make one.

    Examples
    --------
    >>> import conceptrank as cr
    >>> table = cr.datasets.random.planted(500, 20, patterns=2, supports=(0.1, 0.2), seed=1)
    >>> summary = table.context.summarize()
    >>> len(summary), summary.method, summary.complete
    (2, 'surprise', True)
    >>> summary.to_polars().columns
    ['place', 'intent', 'support', 'expected', 'deviation', 'gain', 'p_value', ...]
    """

    def __init__(
        self, context: Context, selection: Selection, choices: Sequence[Choice], *, method: str
    ) -> None:
        self._context = context
        self._selection = selection
        self._method = method
        names = context.attributes
        self._noun = "row" if context.origin is not None and context.groups else "object"
        intents = [tuple(names[m] for m in choice.intent) for choice in choices]
        self._patterns = tuple(
            Pattern(
                place,
                intent,
                context.concept(*intent),
                _known(choice.expected),
                _known(choice.deviation),
                choice.gain,
                _known(choice.p_value),
                choice.explained,
                int(_known(choice.carriers)),
                self._noun,
            )
            for place, (intent, choice) in enumerate(zip(intents, choices, strict=True), 1)
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
        """The least number of objects of a pattern; 0 if there is none."""
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
    def structure(self) -> Structure:
        """What the columns of the table say about each other, which the reader knows."""
        return self._selection.structure

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """What is told before the patterns: columns that repeat each other, and values."""
        names = self._context.attributes
        told = list(self.structure.sentences)
        for fact in self._selection.facts:
            premise = _listed([names[m] for m in fact.premise])
            conclusion = _listed([names[m] for m in fact.conclusion])
            count = f"{fact.support:,} of the {fact.objects:,}"
            if fact.support == fact.objects:
                count = f"all {fact.objects:,}"
            told.append(f"{count} {self._noun}s with {premise} have {conclusion}")
        return tuple(told)

    @cached_property
    def covered(self) -> int:
        """The number of objects that have at least one pattern."""
        if not self._patterns:
            return 0
        context = self._context.repeated()
        crosses = Crosses(context)
        numbers = context.attribute_names.numbers
        union = 0
        for pattern in self._patterns:
            union |= crosses.extent(numbers(pattern.intent).tolist())
        return union.bit_count()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the list should know: limits, and why the list is empty."""
        notes = []
        if self.stopped:
            notes.append(f"the search ended early ({self.stopped}); more patterns may exist")
        if not self._patterns:
            notes.append(self._why_empty())
        return tuple(notes)

    def _why_empty(self) -> str:
        n, q = self._context.shape
        if not n or not q:
            return f"the table is empty: {_text.counted(n, self._noun)}, {q:,} attributes"
        if not self._context.crosses:
            return f"no {self._noun} has an attribute"
        if n == 1:
            return f"the table has one {self._noun}, and a pattern needs several"
        if self.stopped:
            return "no pattern was found before the search ended"
        if self._method != "surprise":
            return "the method found no concept to list"
        if self._noun == "row" and len(self._context.groups) == 1:
            return "the table has one column with values that repeat, and a pattern needs two"
        if n < 2 * self.min_support:
            few = _text.counted(n, self._noun)
            return f"{few} are too few: a pattern has {self.min_support} or more"
        return "no combination is so frequent that chance can't explain it"

    @property
    def title(self) -> str:
        """One line that describes the summary.

        Examples
        --------
        >>> import conceptrank as cr
        >>> cr.datasets.load("movies").summarize().title
        'No pattern in 11 objects'
        """
        n = self._context.shape[0]
        objects = _text.counted(n, self._noun)
        if not self._patterns:
            return f"No pattern in {objects}"
        have = f"{self.covered:,} of {objects} ({self.covered / n:.0%})"
        return f"{_text.counted(len(self), 'pattern')}; {have} have at least one"

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, shown: int | None = SHOWN, *, verbose: bool = False) -> str:
        """Return the summary as text.

        Parameters
        ----------
        shown
            How many patterns to print; all if None.
        verbose
            Whether to print gains, standard deviations and keys as well.
        """
        lines = []
        if self.facts:
            lines += ["What the columns say about each other:"]
            lines += [f"  - {_text.printable(line)}" for line in self.facts[:_MOST_LINES]]
            if len(self.facts) > _MOST_LINES:
                lines.append(f"  - … and {len(self.facts) - _MOST_LINES:,} more lines like these")
            lines.append("")
        lines.append(self.title)
        for pattern in self._patterns[:shown]:
            lines += ["", f"{pattern.place:>3}. {_text.printable(_names(pattern))}"]
            lines.append(f"     {pattern.why}, p {_p_value(pattern.p_value)}")
            if pattern.sentence:
                lines.append(f"     {_text.printable(pattern.sentence)}")
            if pattern.also:
                also = ", ".join(map(_text.label, pattern.also[:_MOST_NAMES]))
                more = ", …" if len(pattern.also) > _MOST_NAMES else ""
                lines.append(f"     and then also: {_text.printable(also)}{more}")
            if verbose:
                key = _text.printable(", ".join(map(_text.label, pattern.generator)))
                lines.append(
                    f"     ± {_count(pattern.deviation)}; gain {pattern.gain:.1f} {self.unit}; "
                    f"{pattern.explained:.0%} of the crosses so far; recognised by {key}"
                )
        left = 0 if shown is None else len(self) - shown
        if left > 0:
            lines += ["", f"{left:,} more, each weaker: -k {len(self)}"]
        if self.notes:
            lines += ["", *self.notes]
        return "\n".join(lines)

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
            "deviation": pl.Float64,
            "gain": pl.Float64,
            "p_value": pl.Float64,
            "explained": pl.Float64,
            "carriers": pl.Int64,
            "also": names,
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


def _names(pattern: Pattern) -> str:
    """Return the attributes of a pattern; of a long one, its key first."""
    if len(pattern.intent) <= _MOST_NAMES:
        return ", ".join(map(_text.label, pattern.intent))
    key = [name for name in pattern.generator if name in set(pattern.intent)]
    rest = [name for name in pattern.intent if name not in set(key)]
    shown = [*key, *rest][:_MOST_NAMES]
    return f"{', '.join(map(_text.label, shown))}, … ({len(pattern.intent)} in all)"


def _listed(names: Sequence[str]) -> str:
    shown = [_text.label(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _count(value: float) -> str:
    """Return an expected number of objects as a text of at most three significant digits."""
    if value >= 99.95:
        return f"{value:,.0f}"
    if value >= 0.095:
        return f"{value:.1f}"
    return f"{value:.1g}" if value >= 0.001 else "under 0.001"


def _p_value(value: float) -> str:
    return "< 1e-99" if value < 1e-99 else f"≤ {value:.1e}" if value < 0.001 else f"≤ {value:.3f}"
