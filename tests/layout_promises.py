"""What a layout of a line diagram promises, whoever made it."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

TIDY_LIMIT = 150


def distance(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """From a point to the segment between two others."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    t = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / (dx * dx + dy * dy)
    t = max(0.0, min(1.0, t))
    return math.hypot(point[0] - a[0] - t * dx, point[1] - a[1] - t * dy)


def check_promises(poset: dict[str, Any], found: dict[str, Any]) -> None:
    n, edges = poset["n"], poset["edges"]
    x, layer, gap, bends = found["x"], found["layer"], found["gap"], found["bends"]
    assert len(x) == len(layer) == n
    assert len(bends) == len(edges)
    if found["kind"] == "support":
        sizes = sorted(set(poset["supports"]), reverse=True)
        assert layer == [sizes.index(size) for size in poset["supports"]]
    else:
        assert gap >= poset["gap"]
    points = [(x[v], layer[v] * gap) for v in range(n)]
    for a in range(n):
        for b in range(a):
            if layer[a] == layer[b]:
                assert abs(x[a] - x[b]) >= 2 * poset["pitch"] - 1e-9
    for (u, v), way in zip(edges, bends, strict=True):
        path = [points[u], *((at, on * gap) for at, on in way), points[v]]
        for a, b in pairwise(path):
            assert a[1] < b[1], "edges go down"
            if n > TIDY_LIMIT:
                continue
            for w in set(range(n)) - {u, v}:
                assert distance(points[w], a, b) >= poset["clearance"] - 1e-6
