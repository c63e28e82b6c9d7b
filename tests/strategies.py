"""Small contexts and families of faces: one seeded stream of each, and hypothesis strategies."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import conceptrank as cr
from oracle import Table, set_of

SIDES = ("intent", "extent")
SCORES = (
    *("support", "frequency", "intent_size", "delta_measure"),
    *("stability_intensional", "stability_extensional", "log_stability"),
    *("stability_lower_bound", "stability_upper_bound"),
)
RELEVANCE = ("cr_alpha", "cr_beta", "conceptual_relevance")
KEEPS = tuple(Fraction(k, 10) for k in range(1, 10))


def from_rows(q: int, rows: list[set[int]]) -> Table:
    return Table(len(rows), q, ((g, m) for g, row in enumerate(rows) for m in row))


def drawn(picture: str) -> Table:
    """A table from rows of crosses and dots, separated by blanks."""
    rows = picture.split()
    return from_rows(len(rows[0]), [{m for m, mark in enumerate(r) if mark == "X"} for r in rows])


def contranominal(n: int) -> Table:
    return Table(n, n, ((g, m) for g in range(n) for m in range(n) if g != m))


def nominal(n: int) -> Table:
    return Table(n, n, ((g, g) for g in range(n)))


def chain(n: int) -> Table:
    return Table(n, n, ((g, m) for g in range(n) for m in range(g)))


def full(n: int, q: int) -> Table:
    return Table(n, q, ((g, m) for g in range(n) for m in range(q)))


def empty(n: int, q: int) -> Table:
    return Table(n, q, ())


T5 = drawn("XXX. XX.. XX.X .XX. ..XX")

EDGE_CASES = (
    *(empty(n, q) for n, q in ((0, 0), (0, 1), (1, 0), (0, 4), (4, 0), (1, 1), (3, 3))),
    *(full(n, q) for n, q in ((1, 1), (1, 2), (2, 1), (1, 5), (5, 1), (4, 3))),
    *(contranominal(n) for n in range(2, 8)),
    *(nominal(n) for n in range(2, 8)),
    *(chain(n) for n in range(2, 8)),
    drawn("X.XX."),
    drawn("X . X X ."),
    drawn("XX.. XX.. XX.."),
    drawn("XX. XX. .XX .XX .XX"),
    drawn("XX..X XX..X ..XX. ..XX."),
    drawn("X.X ... XXX .X."),
    drawn("X.X. X..X XX.. X.XX"),
    drawn("XX...... ..XX.... ....XX.. ......XX ........"),
    drawn("..XXXX XX..XX XXXX.."),
    T5,
)


def random_table(random: Random) -> Table:
    """A table of any shape up to 7 x 7, 9 x 6 or 6 x 9, any density, often with odd rows."""
    n, q = random.choice(((9, 6), (6, 9), *((None, None),) * 14))
    sizes = (1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7)
    n = random.choice(sizes) if n is None else n
    q = random.choice(sizes) if q is None else q
    kind = random.random()
    if kind < 0.15:
        flips = [[random.random() < 0.1 for _ in range(q)] for _ in range(n)]
        rows = [{m for m in range(q) if (g % q != m) != flips[g][m]} for g in range(n)]
    elif kind < 0.3:
        dense = [random.random() for _ in range(q)]
        rows = [{m for m in range(q) if random.random() < dense[m]} for _ in range(n)]
    else:
        density = random.choice((0.15, 0.3, 0.5, 0.65, 0.8, 0.92))
        rows = [{m for m in range(q) if random.random() < density} for _ in range(n)]
    if random.random() < 0.5:
        for _ in range(random.randint(1, 3)):
            tamper(random, rows, q)
    return from_rows(q, rows)


def tamper(random: Random, rows: list[set[int]], q: int) -> None:
    """Make one row or column empty, full or equal to another."""
    g, h = (random.randrange(len(rows)) for _ in range(2))
    m, k = (random.randrange(q) for _ in range(2))
    change = random.randrange(6)
    if change < 3:
        rows[g] = (set(), set(range(q)), set(rows[h]))[change]
        return
    for row in rows:
        has = (False, True, k in row)[change - 3]
        (row.add if has else row.discard)(m)


def context_of(table: Table) -> cr.Context:
    """The table as a context whose names sort against its order and recur on both sides."""
    crosses = np.zeros((table.n, table.q), dtype=bool)
    for g, m in table.crosses:
        crosses[g, m] = True
    objects, attributes = ([f"x{n - i:03}" for i in range(n)] for n in (table.n, table.q))
    return cr.Context(objects, attributes, crosses)


def random_context(n: int, q: int, *, density: float, seed: int) -> cr.Context:
    """A context too large for the oracle."""
    objects, attributes = ([f"x{i}" for i in range(k)] for k in (n, q))
    crosses = np.random.default_rng(seed).random((n, q)) < density
    return cr.Context(objects, attributes, crosses)


def everything(context: cr.Context, *, threads: int) -> list[bytes]:
    """All that the lattice of a context says, as bytes."""
    lattice = context.lattice(threads=threads)
    arrays: list[NDArray[Any]] = [
        lattice.supports,
        *lattice.intents,
        *lattice.lower_covers,
        *lattice.upper_covers,
    ]
    arrays += [lattice.score(name) for name in SCORES]
    arrays += [lattice.score(name, side=side) for name in RELEVANCE for side in SIDES]
    return [array.tobytes() for array in arrays]


def random_contexts(count: int, seed: int) -> Iterator[Table]:
    """This many tables, the edge cases first."""
    random = Random(seed)
    for i in range(count):
        yield EDGE_CASES[i] if i < len(EDGE_CASES) else random_table(random)


def wide_table(random: Random) -> Table:
    """Up to 6 objects over 60 to 200 attributes: more than fits a machine word on one side."""
    n, q = random.randint(1, 6), random.choice((63, 64, 65, 127, 128, 129, 200))
    density = random.choice((0.1, 0.5, 0.9, 0.99))
    rows = [{m for m in range(q) if random.random() < density} for _ in range(n)]
    if random.random() < 0.3:
        rows[0] = set(range(q))
    return from_rows(q, rows)


def larger_table(random: Random) -> Table:
    """14 x 10 or 10 x 14: concepts with ten faces and hundreds of generators occur."""
    density = random.choice((0.35, 0.5, 0.6))
    rows = [{m for m in range(10) if random.random() < density} for _ in range(14)]
    table = from_rows(10, rows)
    return table if random.random() < 0.5 else table.dual()


MIDDLE_SHAPES = ((70, 11, 0.4), (90, 10, 0.5), (40, 150, 0.06), (30, 160, 0.1))


def middle_table(random: Random, shape: tuple[int, int, float], *, hubs: int) -> Table:
    """Hundreds of concepts: rows that repeat, and so many attributes that nearly all objects have.

    Below such an attribute a sparse table stays as wide as it is.
    """
    n, q, density = shape
    rows = [{m for m in range(q) if random.random() < density} for _ in range(n)]
    for hub in random.sample(range(q), hubs):
        for row in random.sample(rows, n - 1):
            row.add(hub)
    for _ in range(n // 6):
        rows[random.randrange(n)] = set(random.choice(rows))
    return from_rows(q, rows)


class Family(NamedTuple):
    """Faces over the elements 0..n-1, and how many twins each element stands for."""

    n: int
    faces: list[int]
    weights: list[int]

    def expanded(self) -> tuple[int, list[int]]:
        """The ground set and the faces with every element written out as often as it weighs."""
        start = [sum(self.weights[:i]) for i in range(self.n)]
        copies = [set_of(range(s, s + w)) for s, w in zip(start, self.weights, strict=True)]
        faces = [sum(copies[i] for i in range(self.n) if f >> i & 1) for f in self.faces]
        return (1 << sum(self.weights)) - 1, faces


EDGE_FAMILIES = (
    Family(0, [], []),
    Family(0, [0], []),
    Family(3, [], [1, 1, 1]),
    Family(3, [0], [1, 1, 1]),
    Family(3, [0b101, 0], [1, 1, 1]),
    Family(1, [1], [3]),
    Family(3, [0b001, 0b010, 0b100], [1, 2, 1]),
    Family(4, [0b1111], [1, 1, 1, 1]),
    Family(4, [0b0011, 0b0011], [2, 1, 1, 1]),
    Family(4, [0b0001, 0b0011, 0b0111, 0b1111], [1, 1, 2, 1]),
    Family(6, [0b000011, 0b001100, 0b110000], [1] * 6),
    Family(6, [0b000011, 0b000110, 0b001100, 0b011000, 0b110000, 0b100001], [1] * 6),
    Family(
        7, [0b0000111, 0b0011001, 0b1100001, 0b0101010, 0b1010010, 0b1001100, 0b0110100], [1] * 7
    ),
    Family(5, [0b11111 & ~(1 << i) for i in range(5)], [1, 2, 1, 2, 1]),
    Family(6, [1 << i | 1 << j for i in range(6) for j in range(i)], [1, 1, 2, 1, 1, 1]),
)


def random_family(random: Random) -> Family:
    """Faces with singletons, twins, repeats, nested pairs and separate components among them."""
    if random.random() < 0.25:
        return crowded_family(random)
    n = random.randint(1, 9)
    elements = list(range(n))
    if random.random() < 0.3:
        cut = random.randint(0, n)
        blocks = [elements[:cut], elements[cut:]]
    else:
        blocks = [elements]
    faces = []
    for block in filter(None, blocks):
        most = random.choice((1, 2, 3, len(block)))
        for _ in range(random.choice((0, 1, 2, 3, 4, 6, 10))):
            size = random.randint(1, min(most, len(block)))
            faces.append(set_of(random.sample(block, size)))
    if n > 1 and random.random() < 0.4:
        twin, other = random.sample(elements, 2)
        faces = [f | 1 << other if f >> twin & 1 else f & ~(1 << other) for f in faces]
        faces = [f for f in faces if f]
    if faces and random.random() < 0.2:
        faces.append(random.choice(faces) | random.choice(faces))
    if random.random() < 0.03:
        faces.append(0)
    random.shuffle(faces)
    weights = [1] * n
    for _ in range(random.choice((0, 0, 1, 2, 11 - n))):
        weights[random.randrange(n)] += 1
    return Family(n, faces, weights)


def crowded_family(random: Random) -> Family:
    """Many faces of nearly one size, so that most of them are minimal."""
    n, size = random.randint(6, 10), random.choice((2, 2, 3, 4))
    sizes = (size, size, size, size + 1)
    count = random.randint(9, 24)
    faces = [set_of(random.sample(range(n), random.choice(sizes))) for _ in range(count)]
    weights = [1] * n
    weights[random.randrange(n)] += random.randrange(2)
    return Family(n, faces, weights)


def random_families(count: int, seed: int) -> Iterator[Family]:
    """This many families, the edge cases first."""
    random = Random(seed)
    for i in range(count):
        yield EDGE_FAMILIES[i] if i < len(EDGE_FAMILIES) else random_family(random)


@st.composite
def tables(draw: st.DrawFn, max_objects: int = 7, max_attributes: int = 7) -> Table:
    """Any table up to this size, with repeated rows and columns more often than by chance."""
    n = draw(st.integers(0, max_objects))
    q = draw(st.integers(0, max_attributes))
    different = (
        draw(st.lists(st.sets(st.integers(0, q - 1)), min_size=1, max_size=max(n, 1)))
        if q
        else [set()]
    )
    return from_rows(q, [set(draw(st.sampled_from(different))) for _ in range(n)])
