"""Columns that repeat each other: equal, computed, cut into intervals, determined, implied.

A relation holds in every row in which its columns have values, unless its sentence says in how
many. It is listed if columns whose values are shuffled among the rows would hardly ever have it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import betainc, gammaln

from conceptrank._util.lazy import pl
from conceptrank.budget import poll
from conceptrank.convert.origin import label
from conceptrank.scaling.ranked import Floats, Numbers, Ranked, arrangements, surprise
from conceptrank.scaling.rounding import round_number

_SAMPLE, _SEED = 2000, 20
# A column with more values neither follows from the order of another one, nor implies values.
_MOST_VALUES, _MOST_INTERVALS = 12, 6
# The share of the rows in which both columns must have values.
_LEAST_KNOWN = 0.5
_LEAST_MISSING = 5
# A value implies another one from this share of its rows on, and such values have this share of
# all rows together. A value that is commoner than the third share is no news.
_LEAST_IMPLIED, _LEAST_COVERED, _COMMON = 0.98, 1 / 3, 0.7
_MOST_IMPLIED, _MOST_SHOWN = 5, 3
# A column of groups explains at least this share of the differences in another one.
_LEAST_EXPLAINED, _LEAST_GROUPS, _MOST_CELLS = 0.75, 7, 1_000_000
# Half a unit of the last digit is at most this share of the standard deviation.
_FINE = 0.02
# Computed values may be off by the precision of 32 bits, relative to the largest.
_PRECISION = 1e-6
# The least correlation of a column with what it is computed from.
_LINEAR = 0.9999


@dataclass(frozen=True)
class Relation:
    """Columns that repeat each other.

    Parameters
    ----------
    kind
        `"missing"` (in the same rows), `"equal"`, `"formula"`, `"order"` (they rise together
        without exception, or one falls), `"interval"`, `"value"` (one marks a value of the other),
        `"determined"`, `"explained"` (nearly determined), `"sum"`, or `"implied"` (values of one
        imply values of the other).
    columns
        The columns; the one that the others follow from, or the sum, comes first.
    sentence
        What holds.
    share
        The share of the rows in which it holds, of those it is about.
    mutual
        Whether each column follows from each other one.
    """

    kind: str
    columns: tuple[str, ...]
    sentence: str
    share: float = 1.0
    mutual: bool = False


@dataclass(frozen=True)
class _Image:
    """For each value of a column (`given`) the only value of another one, and -log p of that."""

    given: Numbers
    values: Numbers
    evidence: float

    @property
    def changes(self) -> int:
        return int((np.diff(self.values) != 0).sum())

    @property
    def rises(self) -> bool:
        return bool((np.diff(self.values) >= 0).all())

    @property
    def falls(self) -> bool:
        return bool((np.diff(self.values) <= 0).all())


def relations(columns: Sequence[Ranked]) -> list[Relation]:
    """Return how columns follow from single other columns, those that do so mutually first."""
    images = _images(columns)
    places = range(len(columns))
    twins = [min([b, *(a for a in places if {(a, b), (b, a)} <= images.keys())]) for b in places]
    kept = [place for place in places if twins[place] == place]
    found: list[Relation] = []
    for a in kept:
        others = [(columns[b], images[a, b]) for b in places if twins[b] == a != b]
        found += _related(columns[a], others, mutual=True)
    follows = {a: {b for b in kept if (a, b) in images} for a in kept}
    for a in kept:
        # What follows from a column that follows from this one is told there.
        direct = follows[a].difference(*(follows[b] for b in follows[a]))
        others = [(columns[b], images[a, b]) for b in sorted(direct)]
        found += _related(columns[a], others, mutual=False)
    return found


def _images(columns: Sequence[Ranked]) -> dict[tuple[int, int], _Image]:
    """Return the pairs in which the first column determines the second one."""
    count, n = len(columns), len(columns[0].codes) if columns else 0
    least = surprise(count)
    size = int(max(1e8 / max(count, 1) ** 2, 50))
    rows = np.random.default_rng(_SEED).permutation(n)[: min(size, _SAMPLE)]
    sample = np.array([column.codes[rows] for column in columns]).T
    sizes = np.array([len(column.values) for column in columns])
    seen = np.array([len(np.unique(codes[codes >= 0])) for codes in sample.T])
    found = {}
    for a, column in enumerate(columns):
        poll()
        ordered = sample[np.argsort(sample[:, a], kind="stable")]
        ordered = ordered[ordered[:, a] >= 0]
        steps = np.diff(ordered, axis=0) * ((ordered[1:] >= 0) & (ordered[:-1] >= 0))
        whole = ~((steps != 0) & (steps[:, [a]] == 0)).any(axis=0) & (sizes <= sizes[a])
        if sizes[a] > column.most_groups:
            changes = (steps != 0).sum(axis=0)
            few = (changes < seen) | ((sizes == 2) & (changes <= 2))
            monotone = (steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)
            whole &= column.ordered & (monotone | few & (sizes <= _MOST_VALUES))
        for b in np.flatnonzero(whole).tolist():
            image = _image(column, columns[b]) if a != b else None
            if image is not None and image.evidence >= least:
                found[a, b] = image
    return found


def _image(a: Ranked, b: Ranked) -> _Image | None:
    """Return the value of b for each value of a; None if one has several."""
    given, values = a.codes[a.order], b.codes[a.order]
    given, values = given[values >= 0], values[values >= 0]
    first = np.flatnonzero(np.diff(given, prepend=-1))
    repeated = np.repeat(values[first], np.diff(first, append=len(values)))
    counts = np.bincount(values[first])
    counts = counts[counts > 0]
    if len(given) < _LEAST_KNOWN * len(a.codes) or len(counts) < 2 or (repeated != values).any():
        return None
    repeats = len(given) - len(first) if len(first) <= a.most_groups else 0
    evidence = -repeats * log(b.counts.max() / b.counts.sum())
    image = _Image(given[first], values[first], 0.0)
    if a.ordered and b.ordered and (image.rises or image.falls):
        evidence += arrangements(counts) - log(2)
    elif a.ordered and image.changes < len(counts):
        evidence += arrangements(counts) - float(gammaln(len(counts) + 1))
    elif a.ordered and len(counts) == 2 and image.changes == 2:
        evidence += arrangements(counts) - 2 * log(len(first))
    return _Image(image.given, image.values, evidence)


def _related(
    a: Ranked, others: Iterable[tuple[Ranked, _Image]], *, mutual: bool
) -> Iterator[Relation]:
    """Yield how columns follow from a column; those that do so in the same way together."""
    groups: dict[str, list[str]] = {}
    marks: dict[str, str] = {}
    for b, image in others:
        kind, sentence = _relation(a, b, image, mutual=mutual)
        if not sentence:
            groups.setdefault(kind, []).append(b.name)
        elif kind == "value":
            marks[b.name] = sentence
        else:
            yield Relation(kind, (a.name, b.name), sentence, mutual=mutual)
    if len(marks) > 2:
        groups["value"] = list(marks)
    else:
        for name, sentence in marks.items():
            yield Relation("value", (a.name, name), sentence, mutual=mutual)
    for kind, names in groups.items():
        every = listed([a.name, *names])
        sentence = {
            "equal": f"{every} are equal",
            "order": f"{every} rise together without exception",
            "value": f"{listed(names)} each mark one value of {a.name}",
            "determined": f"{every} determine each other"
            if mutual
            else f"{a.name} determines {listed(names)}",
        }[kind]
        yield Relation(kind, (a.name, *names), sentence, mutual=mutual)


def _relation(a: Ranked, b: Ranked, image: _Image, *, mutual: bool) -> tuple[str, str]:
    """Return the kind of a relation and its sentence; nothing if it reads the same for several."""
    if a.numbers is not None and b.numbers is not None:
        x, y = a.numbers[image.given], b.numbers[image.values]
        if np.array_equal(x, y):
            return "equal", ""
        text = _formula(a, b, x, y) or (_formula(b, a, y, x) if mutual else "")
        if text := text or _part_of_date(a, b, image):
            return "formula", text
    elif mutual and a.values[image.given].to_list() == b.values[image.values].to_list():
        return "equal", ""
    counts = np.bincount(image.values)
    if len(b.values) == 2 and counts.min() == 1:
        # The side of a binary column that reads as yes.
        code = int(image.values[1]) if a.ordered and mutual and not b.ordered else _marked(b)
        code = code if counts[code] == 1 else 1 - code
        at = image.given[image.values == code][0]
        return "value", f"{b.text(code)} exactly when {a.text(at)}"
    if a.ordered and _cuts(b, image):
        return "interval", _intervals(a, b, image)
    return _order(a, b, image)


def _cuts(b: Ranked, image: _Image) -> bool:
    """Return whether a column has few values, each for the numbers of one interval or two."""
    few = len(b.values) <= min(_MOST_INTERVALS, len(image.values) / 3)
    whole = image.changes < len(b.values) or (len(b.values) == 2 and image.changes == 2)
    return few and whole


def _order(a: Ranked, b: Ranked, image: _Image) -> tuple[str, str]:
    if a.ordered and b.ordered and image.rises:
        return "order", ""
    if a.ordered and b.ordered and image.falls:
        return "order", f"{b.name} falls as {a.name} rises, without exception"
    return "determined", ""


def _marked(column: Ranked) -> int:
    """Return the value of a binary column that reads as yes: 1, or else the rarer one."""
    return 1 if column.ordered else int(column.counts.argmin())


def _intervals(a: Ranked, b: Ranked, image: _Image) -> str:
    if len(b.values) > 2:
        return f"{b.name} cuts {a.name} into {image.changes + 1} intervals"
    code = _marked(b)
    if image.changes == 2 and image.values[0] == code:
        code = 1 - code
    cuts = []
    for place in np.flatnonzero(np.diff(image.values)):
        low, high = a.values[int(image.given[place])], a.values[int(image.given[place + 1])]
        whole = isinstance(low, int | float) and not isinstance(low, bool)
        cuts.append(label(round_number(low, high) if whole else high))
    where = f"{a.name} < {cuts[0]}" if image.values[0] == code else f"{a.name} ≥ {cuts[0]}"
    if len(cuts) == 2:
        where = f"{cuts[0]} ≤ {a.name} < {cuts[1]}"
    return f"{b.text(code)} exactly when {where}"


def _formula(a: Ranked, b: Ranked, x: Floats, y: Floats) -> str:
    """Return b as a linear function of a, or of its logarithm, power or inverse; or nothing."""
    if len(x) < 5 or not (a.values.dtype.is_numeric() and b.values.dtype.is_numeric()):
        return ""
    some = slice(None, None, -(-len(x) // _SAMPLE))
    shapes = [
        (name, shape)
        for name, shape in _shapes(a.name, x)
        if abs(_correlation(shape[some], y[some])) >= _LINEAR
    ]
    largest = np.abs(y).max()
    rough = 0.5 * b.step if 0.5 * b.step <= _FINE * y.std() else 0.0
    for digits in (1, 2, 3, 4, 6):
        for name, shape in shapes:
            slope = float(f"{_correlation(shape, y) * y.std() / shape.std():.{digits - 1}e}")
            places = max(digits - 1 - int(np.floor(np.log10(largest))), 0)
            rest = round(float(np.median(y - slope * shape)), places)
            off = np.abs(y - rest - slope * shape).max()
            if off <= max(_PRECISION * largest, 1.000001 * rough):
                sign = "=" if off <= _PRECISION * largest else "≈"
                return f"{b.name} {sign} {_linear(rest, slope, name)}"
    return f"{b.name} is {a.name}, rounded" if np.abs(x - y).max() < b.step < y.std() else ""


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y) / max(float(np.sqrt(x @ x * (y @ y))), 1e-300)


def _shapes(name: str, x: Floats) -> Iterator[tuple[str, Floats]]:
    yield name, x
    if (low := x.min()) > 0:
        yield from ((f"log({name})", np.log(x)), (f"log10({name})", np.log10(x)))
        yield from ((f"√{name}", np.sqrt(x)), (f"1/{name}", 1 / x))
    if low >= 0:
        yield f"{name}²", x**2
        yield from ((f"log({name} + {more:g})", np.log(x + more)) for more in (1, 0.1, 0.5, 0.01))
    yield f"{name}³", x**3


def _linear(rest: float, slope: float, name: str) -> str:
    term = name if abs(slope) == 1 else f"{abs(slope):.6g} × {name}"
    if rest == 0:
        return term if slope > 0 else f"−{term}"
    if slope < 0:
        return f"{rest:.6g} − {term}"
    return f"{term} {'+' if rest > 0 else '−'} {abs(rest):.6g}"


def _part_of_date(a: Ranked, b: Ranked, image: _Image) -> str:
    if not isinstance(a.values.dtype, pl.Date | pl.Datetime) or not b.values.dtype.is_numeric():
        return ""
    dates, values = a.values[image.given].cast(pl.Datetime).dt, b.values[image.values]
    parts = {part: getattr(dates, part)() for part in ("year", "month", "day", "weekday", "hour")}
    same = (part for part, found in parts.items() if (found == values).all())
    return next((f"{b.name} is the {part} of {a.name}" for part in same), "")


def implied(columns: Sequence[Ranked], told: Collection[frozenset[str]]) -> list[Relation]:
    """Return the columns of words whose values imply values of other columns, clearest first.

    Pairs that are `told` are left out.
    """
    few = [column for column in columns if len(column.values) <= _MOST_VALUES]
    least = surprise(sum(len(column.values) for column in few))
    found: list[tuple[float, Relation]] = []
    pairs = ((a, b) for a in few for b in few if a is not b and not a.ordered and len(a.values) > 2)
    for a, b in pairs:
        poll()
        if frozenset((a.name, b.name)) in told:
            continue
        known = (a.codes >= 0) & (b.codes >= 0)
        shape = len(a.values), len(b.values)
        cells = a.codes[known] * shape[1] + b.codes[known]
        table = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
        rows, most, value = table.sum(axis=1), table.max(axis=1), table.argmax(axis=1)
        share = table.sum(axis=0)[value] / max(table.sum(), 1)
        chance = -rows * np.log(share.clip(1e-300))
        implies = (most >= _LEAST_IMPLIED * rows) & (share <= _COMMON) & (chance >= least)
        if rows[implies].sum() < _LEAST_COVERED * len(a.codes):
            continue
        codes = np.flatnonzero(implies)[np.argsort(-rows[implies], kind="stable")]
        lines = [
            f"{f'{most[code]:,} of' if most[code] < rows[code] else 'all'} {rows[code]:,} "
            f"with {a.text(code)} have {b.text(value[code])}"
            for code in codes[:_MOST_SHOWN]
        ]
        sentence = "; ".join([*lines, "…"] if len(codes) > len(lines) else lines)
        holds = float(most[codes].sum() / rows[codes].sum())
        relation = Relation("implied", (a.name, b.name), sentence, holds)
        found.append((float(chance[codes].sum()), relation))
    found.sort(key=lambda one: -one[0])
    return [relation for _, relation in found[:_MOST_IMPLIED]]


def explained(columns: Sequence[Ranked], told: Collection[frozenset[str]]) -> list[Relation]:
    """Return the columns whose groups of rows nearly determine others.

    The share that is explained is that of the variance of ranks (η²), or of the rows whose word
    isn't the commonest one (λ), adjusted for the number of groups. Pairs that are `told` are left
    out.
    """
    found, least = [], surprise(len(columns))
    groups = [one for one in columns if not one.ordered and len(one.values) >= _LEAST_GROUPS]
    for a in (one for one in groups if len(one.values) <= one.most_groups):
        poll()
        shares = {
            b.name: _explained(a, b, least)
            for b in columns
            if a is not b and frozenset((a.name, b.name)) not in told
        }
        names = [name for name, share in shares.items() if share >= _LEAST_EXPLAINED]
        if names:
            share = min(shares[name] for name in names)
            sentence = (
                f"{a.name} explains {int(100 * share)} % of the differences in {listed(names)}"
            )
            found.append(Relation("explained", (a.name, *names), sentence, share))
    return found


def _explained(a: Ranked, b: Ranked, least: float) -> float:
    known = (a.codes >= 0) & (b.codes >= 0)
    groups, values = a.codes[known], b.codes[known]
    sizes, counts = np.bincount(groups), np.bincount(values)
    n, k = len(groups), int((sizes > 0).sum())
    if n < _LEAST_KNOWN * len(a.codes) or n <= k or len(counts) * len(sizes) > _MOST_CELLS:
        return 0.0
    if b.ordered:
        ranks = (np.cumsum(counts) - counts / 2)[values] - n / 2
        total = float((ranks**2).sum())
        within = total - float((np.bincount(groups, ranks) ** 2 / sizes.clip(1)).sum())
        chance = betainc((n - k) / 2, (k - 1) / 2, min(max(within / max(total, 1), 0.0), 1.0))
        evidence = -log(max(chance, 1e-300))
    else:
        cells = np.bincount(groups * len(counts) + values, minlength=len(sizes) * len(counts))
        total = float(n - counts.max())
        within = n - float(cells.reshape(len(sizes), -1).max(axis=1).sum())
        # The rows beyond the first of a group agree, but for some that can be any.
        evidence = (n - k - within) * -log(counts.max() / n) - within * log(n)
    share = 1 - (within / (n - k)) / (max(total, 1e-9) / (n - 1))
    return share if evidence >= least else 0.0


def missing_together(columns: Sequence[Ranked]) -> list[Relation]:
    """Return the columns that are missing in the same rows."""
    groups: dict[tuple[int, bytes], list[str]] = {}
    for column in columns:
        missing = column.codes < 0
        groups.setdefault((int(missing.sum()), missing.tobytes()), []).append(column.name)
    return [
        Relation("missing", tuple(names), f"{listed(names)} are missing together, in {rows:,} rows")
        for (rows, _), names in groups.items()
        if len(names) > 1 and rows >= _LEAST_MISSING
    ]


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed("abcdefgh", 3)
    ('a, b and c', 'a, b and 6 more')
    """
    shown = list(names)
    if len(shown) > most:
        shown[most - 1 :] = [f"{len(shown) - most + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
