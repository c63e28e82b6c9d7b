"""Random tables of other people's kinds, with the patterns that were planted in them, or none.

`KINDS` has a function for each kind; it takes the number of a table and returns a `Planted`.
`datasets.random.planted` makes the tables of independent rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import conceptrank as cr
from conceptrank.datasets.random import Pattern, Planted, curveball, shuffle_columns

Random = np.random.Generator
Bools = NDArray[np.bool_]
VALUES = "abcdef"


def unions(number: int, *, columns: int, rows: int = 10_000) -> Planted:
    """Two classes of rows; a row is the union of three of the five patterns of its class.

    Patterns have 5 to 15 columns, 2.5 % of their crosses are lost, and 0.1 % of the cells are
    added. That is DiffNaps' protocol without the labels of classes. Patterns share rows, and in
    100 columns they share columns too.
    """
    random = np.random.default_rng([1, number])
    cells = np.zeros((rows, columns), dtype=np.bool_)
    intents = []
    for members in np.array_split(np.arange(rows), 2):
        chosen = np.argsort(random.random((len(members), 5)), axis=1)[:, :3]
        for pattern in range(5):
            intents.append(subset(random, columns, (5, 15)))
            cells[np.ix_(members[(chosen == pattern).any(axis=1)], intents[-1])] = True
    cells &= random.random(cells.shape) >= 0.025
    cells |= random.random(cells.shape) < 0.001
    return of_cells(random.permutation(cells), intents)


def nominal(number: int, *, patterns: int, rows: int = 3000) -> Planted:
    """Fifteen independent columns of four values; patterns set the values of 3 to 6 of them."""
    random = np.random.default_rng([2, number])
    values = np.array(list(VALUES[:4]))
    table = np.array(
        [random.choice(values, rows, p=random.dirichlet([5.0] * 4)) for _ in range(15)]
    )
    intents = []
    for _ in range(patterns):
        intent = subset(random, 15, (3, 6))
        given = random.choice(values, len(intent))
        table[np.ix_(intent, some_rows(random, rows, (0.04, 0.15)))] = given[:, None]
        intents.append([f"c{c} = {value}" for c, value in zip(intent, given, strict=True)])
    return of_frame({f"c{c}": column for c, column in enumerate(table)}, intents)


def overlapping(number: int, *, rows: int = 3000, columns: int = 60) -> Planted:
    """Ten patterns of 4 to 9 of the same 25 columns; a tenth of their crosses is missing."""
    random = np.random.default_rng([3, number])
    cells = random.random((rows, columns)) < random.uniform(0.02, 0.15, columns)
    intents = [subset(random, 25, (4, 9)) for _ in range(10)]
    for intent in intents:
        plant(random, cells, intent, (0.03, 0.15), 0.1)
    return of_cells(cells, intents)


def quest(number: int, *, rows: int = 5000, columns: int = 200) -> Planted:
    """Baskets that are unions of 20 item sets of unequal weight, as IBM's generator makes them.

    Each item set shares some items with the one before, and loses a tenth of them in a basket.
    """
    random = np.random.default_rng([4, number])
    weights = random.exponential(size=20) + 0.2
    intents: list[NDArray[np.int64]] = []
    for _ in range(20):
        size = max(2, int(random.poisson(4)))
        before = intents[-1] if intents else np.zeros(0, dtype=np.int64)
        shared = random.permutation(before)[: int(min(random.exponential(0.25), 1) * len(before))]
        others = np.setdiff1d(np.arange(columns), shared)
        intents.append(np.append(shared, random.permutation(others))[:size])
    cells = random.random((rows, columns)) < 0.005
    for row, goal in enumerate(random.poisson(7, rows)):
        while cells[row].sum() < goal:
            intent = intents[random.choice(20, p=weights / weights.sum())]
            cells[row, intent[random.random(len(intent)) < 0.9]] = True
    return of_cells(cells, intents)


def baskets(number: int, *, rows: int = 10_000, columns: int = 500) -> Planted:
    """Sparse baskets of unequal size, whose items follow Zipf's law; ten patterns of 2 to 6."""
    random = np.random.default_rng([5, number])
    chances = random.permutation(1 / (np.arange(columns) + 3))
    sizes = random.gamma(2, 4, (rows, 1))
    cells = random.random((rows, columns)) < np.minimum(sizes * chances / chances.sum(), 0.6)
    intents = [subset(random, columns, (2, 6)) for _ in range(10)]
    for intent in intents:
        plant(random, cells, intent, (0.005, 0.03), 0.05)
    return of_cells(cells, intents)


def classes(number: int, *, rows: int = 2000, columns: int = 40) -> Planted:
    """Four classes of rows; each one has its own columns with a frequency of 90 %, not of 8 %."""
    random = np.random.default_rng([6, number])
    own = random.random((4, columns)) < 0.2
    chances = np.where(own, 0.9, 0.08)[random.integers(4, size=rows)]
    return of_cells(random.random((rows, columns)) < chances, map(np.flatnonzero, own))


def factor(number: int, *, rows: int = 2000, columns: int = 30) -> Planted:
    """One latent number with loadings of both signs: correlation, but no pattern is planted."""
    random = np.random.default_rng([7, number])
    latent = random.normal(size=(rows, 1)) * random.normal(size=columns)
    chances = 1 / (1 + np.exp(-latent - random.uniform(-2.5, -0.5, columns)))
    return of_cells(random.random((rows, columns)) < chances, [])


def numbers(number: int, *, together: int, rows: int = 1000) -> Planted:
    """Independent numeric columns without patterns; the first ones are missing in the same rows."""
    random = np.random.default_rng([8, number])
    missing = np.tile(random.random(rows) < 0.25, (together, 1))
    missing = np.vstack([missing, random.random((8 - together, rows)) < 0.02])
    table = np.where(np.arange(8)[:, None] % 2, random.normal(50, 10, (8, rows)).round(1), 0)
    table[::2] = random.poisson(4, (4, rows))
    table[missing] = np.nan
    words = {"kind": random.choice(list("abc"), rows), "group": random.choice(list("uv"), rows)}
    return of_frame({f"x{c}": column for c, column in enumerate(table)} | words, [])


def subset(random: Random, columns: int, sizes: tuple[int, int]) -> NDArray[np.int64]:
    """Return a random set of columns, of a size between two numbers."""
    return np.sort(random.permutation(columns)[: random.integers(sizes[0], sizes[1] + 1)])


def some_rows(random: Random, rows: int, shares: tuple[float, float]) -> NDArray[np.int64]:
    """Return a random set of rows, of a share between two numbers."""
    return random.permutation(rows)[: int(rows * random.uniform(*shares))]


def plant(
    random: Random,
    cells: Bools,
    intent: NDArray[np.int64],
    shares: tuple[float, float],
    missing: float,
) -> None:
    """Set the crosses of a pattern in some rows, but for those that are missing."""
    places = np.ix_(some_rows(random, len(cells), shares), intent)
    cells[places] |= random.random(cells[places].shape) >= missing


def of_cells(cells: Bools, intents: Iterable[Iterable[int]]) -> Planted:
    """Return a table of crosses with its planted patterns."""
    names = [f"m{column}" for column in range(cells.shape[1])]
    context = cr.Context.from_numpy(cells, attributes=names)
    return of_context(context, [[names[column] for column in intent] for intent in intents])


def of_frame(columns: dict[str, Any], intents: Iterable[Iterable[str]]) -> Planted:
    """Return a table of values, scaled as it is for users, with its planted patterns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cr.errors.InputWarning)
        return of_context(cr.load(pl.DataFrame(columns, nan_to_null=True)), intents)


def of_context(context: cr.Context, intents: Iterable[Iterable[str]]) -> Planted:
    """Return a context with its planted patterns."""
    patterns = [tuple(intent) for intent in intents]
    return Planted(
        context, tuple(Pattern(one, (), context.concept(*one).support) for one in patterns)
    )


def read(path: Path) -> cr.Context:
    """Read a real table as users do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cr.errors.InputWarning)
        return cr.load(path)


def swapped(path: Path, number: int) -> Planted:
    """Return a real table with other crosses and the same margins."""
    return of_context(curveball(read(path), stream=number), [])


def shuffled(path: Path, number: int) -> Planted:
    """Return a real table in which each column has its values in other rows."""
    random = np.random.default_rng([9, number])
    context = read(path)
    frame = None if context.origin is None else context.origin.frame
    if frame is None:
        return of_context(shuffle_columns(context, stream=number), [])
    return of_frame(
        {column.name: column.gather(random.permutation(len(column))) for column in frame}, []
    )


KINDS: dict[str, Callable[[int], Planted]] = {
    **{
        f"unions, 10,000 × {columns:,}": partial(unions, columns=columns)
        for columns in (100, 500, 1000)
    },
    "nominal, 6 patterns": partial(nominal, patterns=6),
    "overlapping": overlapping,
    "Quest": quest,
    "baskets": baskets,
    "latent classes": classes,
    "latent factor": factor,
    "no patterns, nominal": partial(nominal, patterns=0),
    "no patterns, numbers": partial(numbers, together=0),
    "no patterns, missing together": partial(numbers, together=3),
}
