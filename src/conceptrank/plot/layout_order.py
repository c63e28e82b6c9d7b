"""The order of elements and waypoints on the layers of a line diagram: few crossings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conceptrank.plot.layout import Graph

ORDER_SWEEPS = 12
# Elements and waypoints up to which neighbours change places.
SWITCH_LIMIT = 600
_ROUNDS = 8


def order(graph: Graph) -> None:
    """Fill the layers of a graph in an order with few crossings."""
    _depth_first(graph)
    layers, up, down = graph.layers, graph.up, graph.down
    place = [0] * len(graph.layer)
    for members in layers:
        _settle(members, place)
    best = [list(members) for members in layers]
    fewest = crossings(graph, place)
    for sweep in range(ORDER_SWEEPS):
        if not fewest:
            break
        downwards = sweep % 2 == 0
        near = up if downwards else down
        for members in layers if downwards else reversed(layers):
            keys = {v: mean(near[v], place) if near[v] else place[v] for v in members}
            members.sort(key=lambda v: (keys[v], place[v]))
            _settle(members, place)
        now = crossings(graph, place)
        if now < fewest:
            fewest = now
            best = [list(members) for members in layers]
    graph.layers = best
    for members in best:
        _settle(members, place)
    if len(graph.layer) <= SWITCH_LIMIT and fewest:
        _switch_neighbours(graph, place)


def _settle(members: list[int], place: list[int]) -> None:
    for i, v in enumerate(members):
        place[v] = i


def _depth_first(graph: Graph) -> None:
    seen = [False] * len(graph.layer)
    for start in range(len(graph.layer)):
        if seen[start] or graph.up[start]:
            continue
        stack = [start]
        while stack:
            v = stack.pop()
            if seen[v]:
                continue
            seen[v] = True
            graph.layers[graph.layer[v]].append(v)
            # The last one pushed comes first.
            stack += reversed(graph.down[v])
            stack += reversed(graph.up[v])


def mean(members: Sequence[int], values: Sequence[float]) -> float:
    """Return the mean of some of the values, added up in this order.

    Examples
    --------
    >>> mean([0, 2], [1.0, 5.0, 2.0])
    1.5
    """
    total = 0.0
    for v in members:
        total += values[v]
    return total / len(members)


def crossings(graph: Graph, place: list[int]) -> int:
    """Return the crossings between neighbouring layers: inversions of the ends of their edges."""
    total = 0
    for members, below in zip(graph.layers, graph.layers[1:], strict=False):
        size = len(below)
        tree = [0] * (size + 1)
        seen = 0
        for v in members:
            ends = [place[w] for w in graph.down[v]]
            for end in ends:
                i, not_right = end + 1, 0
                while i > 0:
                    not_right += tree[i]
                    i -= i & -i
                total += seen - not_right
            for end in ends:
                i = end + 1
                while i <= size:
                    tree[i] += 1
                    i += i & -i
            seen += len(ends)
    return total


def _switch_neighbours(graph: Graph, place: list[int]) -> None:
    """Let neighbours on a layer change places as long as crossings vanish, eight times through."""
    up, down = graph.up, graph.down
    for _ in range(_ROUNDS):
        better = False
        for members in graph.layers:
            for i in range(len(members) - 1):
                a, b = members[i], members[i + 1]
                now = _between(up[a], up[b], place) + _between(down[a], down[b], place)
                then = _between(up[b], up[a], place) + _between(down[b], down[a], place)
                if then >= now:
                    continue
                members[i], members[i + 1] = b, a
                place[b], place[a] = i, i + 1
                better = True
        if not better:
            return


def _between(left: list[int], right: list[int], place: list[int]) -> int:
    """Return how many pairs of a left and a right neighbour list are the wrong way round."""
    return sum(place[a] > place[b] for a in left for b in right)
