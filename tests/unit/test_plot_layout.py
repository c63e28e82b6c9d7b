"""The layout equals that of the explorer's page, and keeps its promises."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.budget import watched
from conceptrank.errors import BudgetExceeded
from conceptrank.plot.layout import Poset, layout
from conceptrank.plot.suborder import SubOrder
from data_files import data_path
from layout_promises import check_promises

FIXTURES = sorted((Path(__file__).resolve().parents[1] / "layout").glob("*.json"))
EXACTLY = 1e-6


def laid_out(poset: dict[str, Any]) -> dict[str, Any]:
    edges = [(upper, lower) for upper, lower in poset["edges"]]
    return asdict(layout(Poset(**{**poset, "edges": edges})))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_it_is_that_of_the_page(path: Path) -> None:
    fixture = json.loads(path.read_text(encoding="utf-8"))
    found, wanted = laid_out(fixture["input"]), fixture["output"]
    assert found["layer"] == wanted["layer"]
    assert found["x"] == pytest.approx(wanted["x"], abs=EXACTLY)
    assert found["gap"] == pytest.approx(wanted["gap"], abs=EXACTLY)
    assert [len(bends) for bends in found["bends"]] == [len(bends) for bends in wanted["bends"]]
    points = [point for bends in found["bends"] for point in bends]
    expected = [point for bends in wanted["bends"] for point in bends]
    for point, other in zip(points, expected, strict=True):
        assert point == pytest.approx(other, abs=EXACTLY)


@pytest.mark.parametrize("seed", range(30))
def test_random_orders_keep_the_promises(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 8), rng.integers(2, 7)
    lattice = cr.Context.from_numpy(rng.random(shape) < rng.uniform(0.3, 0.8)).lattice()
    kept = np.flatnonzero(rng.random(len(lattice)) < rng.choice([0.6, 1.0]))[:80]
    part = cr.plot.diagram(SubOrder.of(lattice, kept, "some")).part
    poset = {
        "n": len(part),
        "edges": [(upper, lower) for lower, upper in part.covers.tolist()],
        "levels": [len(intent) for intent in part.intents],
        "kind": ["auto", "layered", "additive", "support"][seed % 4],
        "supports": part.supports.tolist(),
        "pitch": float(rng.integers(14, 60)),
        "gap": 60.0,
        "clearance": 9.0,
    }
    check_promises(poset, laid_out(poset))


def crossings(found: dict[str, Any], edges: list[tuple[int, int]]) -> int:
    """Pairs of lines that cross, by the definition; lines with bends go through these."""
    x, layer = found["x"], found["layer"]
    paths = [
        [(x[u], layer[u]), *map(tuple, bends), (x[v], layer[v])]
        for (u, v), bends in zip(edges, found["bends"], strict=True)
    ]

    def side(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    def cross(a, b, c, d):
        return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0

    return sum(
        any(cross(*one, *other) for one in pairwise(paths[i]) for other in pairwise(paths[j]))
        for i, j in combinations(range(len(edges)), 2)
        if not {*edges[i]} & {*edges[j]}
    )


@pytest.mark.parametrize("seed", range(12))
def test_additive_places_are_sums_of_vectors(seed: int) -> None:
    """By the definition: one vector for each concept with a single upper cover."""
    rng = np.random.default_rng(seed)
    lattice = cr.Context.from_numpy(rng.random((7, 6)) < rng.uniform(0.4, 0.7)).lattice()
    part = SubOrder.whole(lattice)
    edges = [(upper, lower) for lower, upper in part.covers.tolist()]
    n = len(part)
    found = cr.plot.diagram(part, layout="additive").layout
    above = part.order | np.eye(n, dtype=bool)
    irreducible = [v for v in range(n) if sum(lower == v for _, lower in edges) == 1]
    sets = above[:, irreducible]
    # The bottom may be nearer than its vectors say.
    bottom = int(np.argmax(above.sum(axis=1)))
    others = [v for v in range(n) if v != bottom]
    deepest = max(sets[others].sum(axis=1), default=0)
    layers = [min(int(each), deepest + 1) for each in sets.sum(axis=1)]
    assert found.layer == layers
    matrix = np.column_stack([sets[others].astype(float), np.ones(len(others))])
    wanted = np.array(found.x)[others]
    solved = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    assert matrix @ solved == pytest.approx(wanted, abs=1e-6)
    chosen = cr.plot.diagram(part).layout
    layered = cr.plot.diagram(part, layout="layered").layout
    assert crossings(asdict(chosen), edges) <= crossings(asdict(layered), edges)


CLASSIC = [
    (None, None, 9),
    ("bench/classic/Living-Beings-and-Water.ctx", None, 6),
    ("bench/classic/Forum-Romanum.ctx", None, 4),
    ("bench/classic/tealady.cxt", None, 150),
    ("bench/classic/bob-ross.cxt", 50, 231),
    ("bench/classic/zoo.ctx", 80, 866),
]


@pytest.mark.parametrize(("name", "top", "most"), CLASSIC)
def test_no_more_crossings_than_graphviz(name: str | None, top: int | None, most: int) -> None:
    """The counts of `dot` for the same orders."""
    context = cr.datasets.load("movies") if name is None else cr.load(data_path(name))
    lattice = context.lattice()
    shown = cr.plot.diagram(lattice if top is None else lattice.rank("cr"), top=top)
    edges = [(upper, lower) for lower, upper in shown.part.covers.tolist()]
    assert crossings(asdict(shown.layout), edges) <= most


def test_the_order_of_the_covers_does_not_matter() -> None:
    lattice = cr.datasets.load("movies").lattice()
    part = SubOrder.whole(lattice)
    levels = [len(intent) for intent in part.intents]
    edges = [(upper, lower) for lower, upper in part.covers.tolist()]
    found = [
        layout(Poset(n=20, edges=each, levels=levels, pitch=20, gap=50, clearance=8)).x
        for each in (edges, edges[::-1])
    ]
    assert found[0] == found[1]


def test_elements_without_covers_lie_as_deep_as_their_intents() -> None:
    # A chain of intents with 1, 2 and 3 attributes, and one of 3 beside it.
    chain = [(0, 1), (1, 2)]
    found = layout(Poset(n=4, edges=chain, levels=[1, 2, 3, 3], pitch=20, gap=50, clearance=8))
    assert found.layer == [0, 1, 2, 2]


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        layout(Poset(n=2, edges=[(0, 1), (1, 0)], levels=[0, 0], pitch=20, gap=1, clearance=1))


@pytest.mark.parametrize("kind", ["layered", "additive", "support"])
def test_a_cancelled_budget_ends_the_search_for_places(kind: str) -> None:
    n = 800
    random = np.random.default_rng(1)
    edges = [(int(u), v) for v in range(1, n) for u in random.integers(0, v, 3)]
    poset = Poset(
        n=n,
        edges=sorted(set(edges)),
        levels=list(range(n)),
        pitch=20,
        gap=50,
        clearance=8,
        kind=kind,
        supports=list(range(n, 0, -1)),
    )
    budget = cr.Budget()

    def placed() -> None:
        with watched(budget):
            budget.cancel()
            layout(poset)

    with pytest.raises(BudgetExceeded):
        placed()
