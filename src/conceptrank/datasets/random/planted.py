"""Random contexts with planted patterns: `planted` and its result `Planted`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import from_marks
from conceptrank.context import Context
from conceptrank.datasets import _samplers
from conceptrank.errors import checked_choice

Background: TypeAlias = Literal["columns", "both", "blocks"]
Overlap: TypeAlias = Literal["free", "disjoint", "nested"]
Bools: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Random: TypeAlias = np.random.Generator
Range: TypeAlias = tuple[float, float]
# The number of attributes of a pattern, and the share of the objects.
Shape: TypeAlias = tuple[int, float]

# How often to draw another intent when one was drawn before.
_MOST_DRAWS = 100


@dataclass(frozen=True)
class Pattern:
    """One planted pattern.

    Attributes
    ----------
    intent
        The names of its attributes.
    objects
        The names of the objects that it was planted in.
    support
        How many objects of the finished table have the whole intent. Missing crosses make it
        smaller than the number of planted objects; the background makes it larger.
    """

    intent: tuple[str, ...]
    objects: tuple[str, ...]
    support: int


@dataclass(frozen=True)
class Planted:
    """A random context and the patterns that were planted in it.

    Attributes
    ----------
    context
        The table.
    patterns
        The planted patterns, in the order in which they were drawn.
    blocks
        The names of the attributes that are correlated without a pattern, block by block; empty
        unless the background is `"blocks"`.
    """

    context: Context
    patterns: tuple[Pattern, ...]
    blocks: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        n, q = self.context.shape
        return f"{n:,} objects, {q:,} attributes, {len(self.patterns)} planted patterns"


def planted(
    objects: int,
    attributes: int,
    *,
    patterns: int | Iterable[Shape] = 8,
    sizes: tuple[int, int] = (2, 10),
    supports: Range = (0.01, 0.20),
    overlap: Overlap = "free",
    missing: float = 0.0,
    added: float = 0.0,
    background: Background = "columns",
    frequencies: Range = (0.05, 0.35),
    richness: float = 1.0,
    block_size: int = 2,
    correlation: float = 0.5,
    seed: int = 0,
    stream: int = 0,
) -> Planted:
    """Return a random context with known patterns, to test which methods find them.

    The background is drawn first. Each pattern then sets its crosses in its objects, except for
    those that are left out by chance; such a cell keeps what the background has. In the end some
    empty cells become crosses.

    Parameters
    ----------
    objects, attributes
        The shape of the table.
    patterns
        The number of patterns, or the size of the intent and the share of the objects of each.
    sizes
        The smallest and the largest number of attributes of a pattern.
    supports
        The smallest and the largest share of the objects that a pattern is planted in. Sizes and
        supports are drawn evenly from these ranges.
    overlap
        How patterns share attributes. `"free"`: the attributes of each pattern are drawn freely,
        no two patterns have the same ones. `"disjoint"`: no attribute is in two patterns.
        `"nested"`: patterns come in pairs; the second has all attributes of the first and more,
        and at most half of its objects.
    missing
        The chance of a planted cross to be left out.
    added
        The chance of an empty cell to become a cross in the end.
    background
        `"columns"`: cells are independent, each attribute has its own frequency. `"both"`: objects
        also differ in how much they have; the log-odds of a cell are those of its attribute's
        frequency plus those of its object. `"blocks"`: as `"columns"`, but attributes of the same
        block are correlated.
    frequencies
        The smallest and the largest frequency of an attribute, drawn evenly.
    richness
        The standard deviation of the objects' log-odds, for the background `"both"`.
    block_size, correlation
        The number of attributes in a block, and the correlation of the normal variables behind
        two attributes of a block, for the background `"blocks"`.
    seed, stream
        Which random numbers.

    Examples
    --------
    >>> table = planted(500, 20, patterns=[(3, 0.1), (5, 0.2)], missing=0.1, seed=1)
    >>> print(table)
    500 objects, 20 attributes, 2 planted patterns
    >>> [(len(pattern.intent), len(pattern.objects)) for pattern in table.patterns]
    [(3, 50), (5, 100)]
    """
    n, q = _samplers.count("objects", objects), _samplers.count("attributes", attributes)
    checked_choice("background", background, Background)
    checked_choice("overlap", overlap, Overlap)
    seeds = [_samplers.count("seed", seed), _samplers.count("stream", stream)]
    random = np.random.Generator(np.random.PCG64(seeds))
    low, high = _shares("frequencies", frequencies)
    chances = low + (high - low) * random.random(q)
    blocks: list[Numbers] = []
    if background == "columns":
        cells = random.random((n, q)) < chances
    elif background == "both":
        cells = _of_both_margins(random, n, chances, richness)
    else:
        width = max(_samplers.count("block_size", block_size), 1)
        order = _permutation(random, q)
        blocks = [np.sort(order[start : start + width]) for start in range(0, q, width)]
        cells = _of_blocks(random, n, chances, blocks, _samplers.share("correlation", correlation))

    shapes = _shapes(random, patterns, sizes, supports)
    intents, extents = _places(random, n, q, shapes, overlap)
    kept = 1 - _samplers.share("missing", missing)
    for intent, extent in zip(intents, extents, strict=True):
        cells[np.ix_(extent, intent)] |= random.random((len(extent), len(intent))) < kept
    if _samplers.share("added", added):
        cells |= random.random((n, q)) < added

    object_names = tuple(f"g{number}" for number in range(1, n + 1))
    names = tuple(f"m{number}" for number in range(1, q + 1))
    context = Context.from_csr(object_names, names, *from_marks(cells))
    return Planted(
        context,
        tuple(
            Pattern(
                tuple(names[m] for m in intent.tolist()),
                tuple(object_names[g] for g in extent.tolist()),
                int(cells[:, intent].all(axis=1).sum()),
            )
            for intent, extent in zip(intents, extents, strict=True)
        ),
        tuple(tuple(names[m] for m in block.tolist()) for block in blocks),
    )


def _of_both_margins(random: Random, n: int, chances: Floats, richness: float) -> Bools:
    from scipy import special

    if not 0 <= richness < np.inf:
        raise ValueError(f"richness must not be negative, got {richness!r}")
    # The inverse of the distribution function keeps a seed's table the same in all versions of
    # NumPy, which promises that for uniform numbers only.
    odds = richness * special.ndtri(_inside(random.random(n)))
    return np.asarray(
        random.random((n, len(chances))) < special.expit(odds[:, None] + special.logit(chances))
    )


def _of_blocks(
    random: Random, n: int, chances: Floats, blocks: list[Numbers], correlation: float
) -> Bools:
    from scipy import special

    own = special.ndtri(_inside(random.random((n, len(chances)))))
    shared = special.ndtri(_inside(random.random((n, len(blocks)))))
    for number, block in enumerate(blocks):
        own[:, block] *= np.sqrt(1 - correlation)
        own[:, block] += np.sqrt(correlation) * shared[:, [number]]
    return np.asarray(own < special.ndtri(chances))


def _shapes(
    random: Random, patterns: int | Iterable[Shape], sizes: tuple[int, int], supports: Range
) -> list[Shape]:
    """Return the number of attributes and the share of the objects of each pattern."""
    if isinstance(patterns, Iterable):
        return [
            (_samplers.count("the size of a pattern", size), _samplers.share("a support", support))
            for size, support in patterns
        ]
    number = _samplers.count("patterns", patterns)
    smallest, largest = (_samplers.count("sizes", size) for size in sizes)
    if not 1 <= smallest <= largest:
        raise ValueError(f"sizes must be a range of numbers from 1 on, got {sizes!r}")
    low, high = _shares("supports", supports)
    drawn = smallest + np.floor((largest - smallest + 1) * random.random(number)).astype(np.int64)
    shares = low + (high - low) * random.random(number)
    return list(zip(drawn.tolist(), shares.tolist(), strict=True))


def _places(
    random: Random, n: int, q: int, shapes: list[Shape], overlap: Overlap
) -> tuple[list[Numbers], list[Numbers]]:
    """Return the attributes and the objects of each pattern."""
    total = sum(size for size, _ in shapes)
    if max((size for size, _ in shapes), default=0) > q or (overlap == "disjoint" and total > q):
        kind = "disjoint " if overlap == "disjoint" else ""
        raise ValueError(
            f"{len(shapes)} {kind}patterns with {total} attributes in all don't fit into {q} "
            "attributes (hint: fewer or smaller patterns, or more attributes)"
        )
    if overlap == "nested":
        return _nested_places(random, n, q, shapes)
    free = _permutation(random, q)
    intents: list[Numbers] = []
    extents: list[Numbers] = []
    for size, share in shapes:
        if overlap == "disjoint":
            intents.append(np.sort(free[:size]))
            free = free[size:]
        else:
            intents.append(_new_intent(random, np.arange(0), q, size, intents))
        extents.append(_drawn(random, np.arange(n), _number_of(share, n)))
    return intents, extents


def _nested_places(
    random: Random, n: int, q: int, shapes: list[Shape]
) -> tuple[list[Numbers], list[Numbers]]:
    intents: list[Numbers] = []
    extents: list[Numbers] = []
    for start in range(0, len(shapes), 2):
        pair = shapes[start : start + 2]
        small, *large = sorted(size for size, _ in pair)
        few, *many = sorted(_number_of(share, n) for _, share in pair)
        if large and large[0] == small:
            small, large = (small - 1, large) if small > 2 else (small, [small + 1])
        intents.append(_new_intent(random, np.arange(0), q, small, intents))
        extents.append(_drawn(random, np.arange(n), many[0] if many else few))
        if large:
            outer, inside = intents[-1], extents[-1]
            intents.append(_new_intent(random, outer, q, large[0], intents))
            extents.append(_drawn(random, inside, max(min(few, len(inside) // 2), 1)))
    return intents, extents


def _new_intent(random: Random, kept: Numbers, q: int, size: int, before: list[Numbers]) -> Numbers:
    """Return an intent of a size with the attributes in `kept` that is not among those before."""
    others = np.setdiff1d(np.arange(q), kept)
    for _ in range(_MOST_DRAWS):
        if len(others) < size - len(kept):
            break
        intent = np.union1d(kept, _drawn(random, others, size - len(kept)))
        if not any(np.array_equal(intent, other) for other in before):
            return intent
    raise ValueError(
        f"{len(before) + 1} different patterns don't fit into {q} attributes "
        "(hint: fewer or larger patterns, or more attributes)"
    )


def _number_of(share: float, n: int) -> int:
    return min(max(round(share * n), 1), n)


def _drawn(random: Random, numbers: Numbers, size: int) -> Numbers:
    return np.sort(numbers[_permutation(random, len(numbers))[:size]])


def _permutation(random: Random, size: int) -> Numbers:
    return np.argsort(random.random(size), kind="stable")


def _inside(uniform: Floats) -> Floats:
    """Return uniform numbers without 0, whose normal quantile is infinite."""
    return np.maximum(uniform, np.finfo(np.float64).tiny)


def _shares(name: str, ends: Range) -> Range:
    low, high = (_samplers.share(name, end) for end in ends)
    if low > high:
        raise ValueError(f"{name} must be a range, the smaller number first, got {ends!r}")
    return low, high
