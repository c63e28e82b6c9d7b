"""The layout equals that of the explorer's page, and keeps its promises."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.plot.layout import Poset, layout
from conceptrank.plot.layout_order import crossings
from conceptrank.plot.suborder import SubOrder
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
        "widths": rng.integers(8, 140, size=len(part)).tolist(),
        "gap": 60.0,
        "clearance": 9.0,
    }
    check_promises(poset, laid_out(poset))


def test_crossings_are_counted_one_by_one() -> None:
    class Graph:
        layers = ((0, 1, 2), (3, 4, 5))
        down = ((5, 3), (4,), (3, 4), (), (), ())

    ends = [(v, w) for v in range(3) for w in Graph.down[v]]
    literal = sum(a < c and b > d for a, b in ends for c, d in ends)
    assert crossings(Graph, [0, 1, 2, 0, 1, 2]) == literal == 4


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        layout(Poset(n=2, edges=[(0, 1), (1, 0)], widths=[1, 1], gap=1, clearance=1))
