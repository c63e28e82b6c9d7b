"""Samplers of random rows, shared by the generators of contexts and the null models.

A sampler is made for a context or a shape. It is called with a stream of random numbers and a
function that returns whether to stop, and returns rows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank import _core
from conceptrank._util.lists import Lists
from conceptrank.context import Context

Interrupt: TypeAlias = Callable[[], bool] | None
Sampler: TypeAlias = Callable[[_core.RandomStream, Interrupt], Lists]
Weights: TypeAlias = NDArray[np.float64]

# These streams are not used for the tables of a seed.
PILOT_STREAM, HUB_STREAM = 2**64 - 1, 2**64 - 2

# The expected number of moves per cross.
_MOVES_PER_CROSS = 5
_MOST_STEPS_PER_CROSS = 100
_PILOT_STEPS = 20_000
# On average, a row takes part in twice as many trades.
_TRADES_PER_ROW = 10


@dataclass(frozen=True)
class ChainSampler:
    """A chain that keeps the margins of the rows that it starts at."""

    rows: Lists
    n_attributes: int
    steps: int
    method: Literal["swap", "curveball"]

    def run(
        self, random: _core.RandomStream, interrupt: Interrupt = None, *, checkpoints: int = 0
    ) -> _core.Randomised:
        """Return the rows at the end of the chain, and the distances on the way."""
        step = random.swap_crosses if self.method == "swap" else random.trade_rows
        watch = _core.Watch(interrupt)
        return step(self.rows, self.n_attributes, self.steps, checkpoints, watch)

    def __call__(self, random: _core.RandomStream, interrupt: Interrupt = None) -> Lists:
        return self.run(random, interrupt).rows

    def starting_at(self, rows: Lists) -> ChainSampler:
        """Return the chain with another start of the same margins."""
        return replace(self, rows=rows)


def swap(context: Context, *, steps: int | None = None) -> ChainSampler:
    """Return the chain of swaps."""
    given = default_swaps(context) if steps is None else count("steps", steps)
    return ChainSampler(context.rows(), len(context.attributes), given, "swap")


def curveball(context: Context, *, trades: int | None = None) -> ChainSampler:
    """Return the chain of Curveball trades."""
    default = _TRADES_PER_ROW * len(context.objects)
    given = default if trades is None else count("trades", trades)
    return ChainSampler(context.rows(), len(context.attributes), given, "curveball")


def default_swaps(context: Context) -> int:
    """Return the number of steps with which five moves per cross are expected.

    How many steps move something is tried out beforehand. The number must be fixed before a chain
    begins: to wait for a number of moves would prefer tables that have many neighbours.
    """
    crosses, n_attributes = context.crosses, len(context.attributes)
    pilot = ChainSampler(context.rows(), n_attributes, _PILOT_STEPS, "swap")
    run = pilot.run(_core.RandomStream(0, PILOT_STREAM))
    share = max(run.accepted / _PILOT_STEPS, _MOVES_PER_CROSS / _MOST_STEPS_PER_CROSS)
    return ceil(_MOVES_PER_CROSS * crosses / share)


def coin_toss(context: Context, *, density: float | None = None) -> Sampler:
    """Return the sampler of independent crosses in a table of a context's shape."""
    chance = context.density if density is None else share("density", density)
    return tossed(*context.shape, chance)


def tossed(n: int, q: int, density: float) -> Sampler:
    """Return the sampler of independent crosses."""
    return lambda random, interrupt: random.toss_cells(n, q, density, _core.Watch(interrupt))


def fixed_density(context: Context, *, crosses: int | None = None) -> Sampler:
    """Return the sampler of a number of crosses in a table of a context's shape."""
    return placed(*context.shape, context.crosses if crosses is None else crosses)


def placed(n: int, q: int, crosses: int) -> Sampler:
    """Return the sampler of a number of crosses."""
    if count("crosses", crosses) > n * q:
        raise ValueError(f"{crosses} crosses don't fit into {n * q} cells")
    return lambda random, interrupt: random.place_crosses(n, q, crosses, _core.Watch(interrupt))


def categorical_rows(context: Context, *, sizes: Iterable[float] | None = None) -> Sampler:
    """Return the sampler of rows by size in a table of a context's shape."""
    n, q = context.shape
    return sized(n, q, size_counts(context) if sizes is None else weights("sizes", sizes, q))


def sized(n: int, q: int, sizes: Weights) -> Sampler:
    """Return the sampler of rows by size."""
    return lambda random, interrupt: random.draw_rows(n, q, sizes, _core.Watch(interrupt))


def dirichlet_rows(
    context: Context, *, base: Iterable[float] | None = None, precision: float | None = None
) -> Sampler:
    """Return the sampler of rows by random weights of sizes around those of a context."""
    n, q = context.shape
    around = size_counts(context) if base is None else weights("base", base, q)
    return dirichlet(n, q, around, 1000.0 * max(q, 1) if precision is None else precision)


def dirichlet(n: int, q: int, base: Weights, precision: float) -> Sampler:
    """Return the sampler of rows by random weights of sizes."""
    if not 0 < precision < np.inf:
        raise ValueError(f"precision must be positive, got {precision!r}")
    parameters = np.ascontiguousarray(precision * (base / base.sum()))
    return lambda random, interrupt: random.draw_rows(
        n, q, random.dirichlet(parameters), _core.Watch(interrupt)
    )


def shuffle_columns(context: Context) -> Sampler:
    """Return the sampler that permutes columns."""
    rows, q = context.rows(), len(context.attributes)
    return lambda random, interrupt: random.shuffle_columns(rows, q, _core.Watch(interrupt))


def resample_rows(context: Context) -> Sampler:
    """Return the sampler that draws rows with replacement."""
    rows, n = context.rows(), len(context.objects)
    return lambda random, interrupt: random.resample_rows(rows, n)


def size_counts(context: Context) -> Weights:
    """Return how many objects have 0, 1, … attributes.

    Examples
    --------
    >>> size_counts(Context("123", "ab", [[True, False], [True, True], [False, True]]))
    array([0., 2., 1.])
    """
    n, q = context.shape
    if not n:
        return np.ones(q + 1)
    sizes = np.diff(context.rows()[0])
    return np.bincount(sizes, context.weights, minlength=q + 1).astype(np.float64)


def weights(name: str, given: Iterable[float], q: int) -> Weights:
    """Return weights of the row sizes 0 … q, if they are.

    Examples
    --------
    >>> weights("sizes", [1, 2], 2)
    Traceback (most recent call last):
    ValueError: sizes has 2 weights, expected 3: one for each number of attributes from 0 to 2
    """
    array = np.asarray(list(given), dtype=np.float64)
    if array.shape != (q + 1,):
        raise ValueError(
            f"{name} has {len(array)} weights, expected {q + 1}: "
            f"one for each number of attributes from 0 to {q}"
        )
    if not (np.isfinite(array).all() and (array >= 0).all() and array.sum() > 0):
        raise ValueError(f"the weights of {name} must not be negative, and not all 0")
    return array


def share(name: str, given: float) -> float:
    """Return a number between 0 and 1, if it is."""
    if not 0 <= given <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {given!r}")
    return float(given)


def count(name: str, given: SupportsIndex, *, least: int = 0, below: int = 2**63) -> int:
    """Return a whole number that is large enough, if it is.

    Examples
    --------
    >>> count("steps", -1)
    Traceback (most recent call last):
    ValueError: steps must be a whole number from 0 on, got -1
    """
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if isinstance(given, bool) or not least <= number < below:
        raise ValueError(f"{name} must be a whole number from {least} on, got {given!r}")
    return number


def stream(seed: SupportsIndex, number: SupportsIndex = 0) -> _core.RandomStream:
    """Return a stream of random numbers of a seed."""
    return _core.RandomStream(
        count("seed", seed, below=2**64), count("stream", number, below=HUB_STREAM)
    )
