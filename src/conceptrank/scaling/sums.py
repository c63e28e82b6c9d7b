"""Columns that are sums and differences of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from conceptrank.budget import poll
from conceptrank.scaling.ranked import Floats, Numbers, Ranked, arrangements, surprise
from conceptrank.scaling.relations import Relation, listed

_SAMPLE, _LEAST_ROWS, _SEED = 1000, 16, 21
# Columns with more missing values take part in no sum.
_MOST_MISSING = 0.2
_MOST_COLUMNS, _MOST_TERMS, _MOST_MATCHES = 120, 6, 5
# Of sums, relative to the largest number.
_PRECISION = 1e-7


def sums(columns: Sequence[Ranked], known: Sequence[Relation] = ()) -> list[Relation]:
    """Return the columns that are a sum or difference of up to three, or of adjacent columns.

    What `known` relations say is left out. A weighted sum over some rows shows which equations may
    hold: it is the same for both sides. All rows are compared then.
    """
    numeric = [
        column
        for column in columns
        if column.ordered
        and column.values.dtype.is_numeric()
        and column.counts.sum() >= (1 - _MOST_MISSING) * len(column.codes)
        and arrangements(column.counts) >= surprise(len(columns), 3)
    ][:_MOST_COLUMNS]
    if len(numeric) < 3:
        return []
    names = [column.name for column in numeric]
    cells = np.array([column.cells for column in numeric]).T
    random = np.random.default_rng(_SEED)
    rows = random.permutation(np.flatnonzero(~np.isnan(cells).any(axis=1)))[:_SAMPLE]
    if len(rows) < _LEAST_ROWS:
        return []
    found: list[Relation] = []
    equations = np.zeros((0, len(numeric)))
    for weights in _equations(cells[rows], random):
        poll()
        longer = np.vstack([equations, weights])
        constant = _constant(cells, rows, weights)
        if constant is None or np.linalg.matrix_rank(longer) < len(longer):
            continue
        equations = longer
        used = {names[place] for place in np.flatnonzero(weights)}
        if not any(used <= set(one.columns) for one in known):
            found.append(_sum(names, weights, constant))
    return found


def _sum(names: Sequence[str], weights: Floats, constant: float) -> Relation:
    total = [name for name, sign in zip(names, weights, strict=True) if sign < 0][:1]
    signs = {name: sign for name, sign in zip(names, weights, strict=True) if sign}
    terms = [name for name in signs if name not in total]
    if not total:
        sentence = f"{listed(terms)} add up to {constant:.6g}"
    elif len(terms) > _MOST_TERMS:
        sentence = f"{total[0]} = the sum of {listed(terms)}"
    else:
        sides = "".join(f" {'+' if signs[name] > 0 else '−'} {name}" for name in terms)
        sentence = f"{total[0]} = {sides.removeprefix(' + ')}"
    if total and constant:
        sentence += f" {'−' if constant > 0 else '+'} {abs(constant):.6g}"
    return Relation("sum", (*total, *terms), sentence)


def _equations(x: Floats, random: np.random.Generator) -> Iterator[Floats]:
    """Yield the coefficients of sums that may hold up to a constant; short ones first."""
    count = x.shape[1]
    weights = random.normal(size=len(x))
    # They add up to 0: a constant makes no difference.
    weights -= weights.mean()
    sketch, close = weights @ x, _PRECISION * (np.abs(weights) @ np.abs(x))
    unit = np.eye(count)
    i, j = (places.ravel() for places in np.triu_indices(count, 1))
    pairs = sketch[i] + sketch[j]
    order = np.argsort(pairs)

    def matches(others: Floats) -> Iterator[Floats]:
        targets, near = others @ sketch, np.abs(others * close).max(axis=1)
        begin = np.searchsorted(pairs[order], targets - near)
        end = np.searchsorted(pairs[order], targets + near)
        for target in np.flatnonzero(end > begin):
            for pair in order[begin[target] : end[target]][:_MOST_MATCHES]:
                weights = unit[i[pair]] + unit[j[pair]] - others[target]
                if np.count_nonzero(weights) == 2 + np.count_nonzero(others[target]):
                    yield weights

    def adjacent(lengths: Iterable[int]) -> Iterator[Floats]:
        for length in lengths:
            for first in range(count - length + 1):
                window = unit[first : first + length].sum(axis=0)
                total = window @ sketch
                if abs(total) <= (window * close).max():
                    yield window
                for c in np.flatnonzero((np.abs(sketch - total) <= close) & (window == 0)):
                    yield window - unit[c]

    yield from matches(unit)
    yield from adjacent([3])
    for c in range(count):
        yield from matches(unit[c] - np.delete(unit, c, axis=0))
    yield from adjacent(range(4, count + 1))


def _constant(cells: Floats, rows: Numbers, weights: Floats) -> float | None:
    """Return the value that a weighted sum of columns has in all rows; None if it varies."""
    used = np.flatnonzero(weights)
    for some in (cells[np.ix_(rows, used)], cells[:, used]):
        part = some[~np.isnan(some).any(axis=1)]
        total = part @ weights[used]
        off = _PRECISION * float(np.abs(part).max())
        if np.ptp(total) > 2 * off or (part.std(axis=0) <= 100 * off).any():
            return None
    constant = float(np.median(total))
    return 0.0 if abs(constant) <= off else constant
