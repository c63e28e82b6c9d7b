"""Where the elements of a finite ordered set go in a line diagram.

The explorer's page lays diagrams out by the same steps, in the same order of floating-point
operations; `explorer-ui/src/layout.ts` describes them, and `tests/layout/*.json` holds inputs and
outcomes that both are compared with. Every tie is broken by an element's number or by the order at
hand, and lists of neighbours are in the order of the given covers, so that nothing depends on
chance.

1. Layers: the longest path from the maximal elements; elements with slack then go down, and those
   without covers come last, in rows of their own.
2. Threads: an edge over several layers gets a waypoint of width 0 on each layer between.
3. Order: depth first, then sweeps by the mean place of neighbours, then neighbours on a layer
   change places as long as that removes crossings (`layout_order`).
4. Abscissae: each layer in turn is drawn to the means of its neighbours by isotonic regression.
5. Tidying (up to 80 elements): an element that a straight edge would run through goes to the
   nearest free place on its layer; what is left gets bends.
6. Gap (up to 80 elements): the layers are set as far apart as the flattest edge needs to pass the
   elements beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, inf, sqrt
from typing import TypeAlias

from conceptrank.plot import layout_order

Edge: TypeAlias = "tuple[int, int]"
# An abscissa and a layer.
Point: TypeAlias = "tuple[float, float]"
Interval: TypeAlias = "tuple[float, float]"

# Beyond so many elements nothing is tidied: there is no room for it.
TIDY_LIMIT = 80
# Between the rooms of neighbours on a layer.
SPACE = 14
PLACE_SWEEPS = 10
TIDY_ROUNDS = 30


@dataclass(frozen=True, kw_only=True)
class Poset:
    """An ordered set and the room that its drawing needs.

    Parameters
    ----------
    n
        The number of elements.
    edges
        Pairs of an upper and a lower element: the covers of the order.
    widths
        The room that each element needs from left to right, its labels included.
    gap
        The least distance between layers; the room for labels above and below is in it.
    clearance
        How far an edge stays away from the centre of a foreign element.
    """

    n: int
    edges: Sequence[Edge]
    widths: Sequence[float]
    gap: float
    clearance: float


@dataclass(frozen=True)
class Layout:
    """The places of the elements.

    Parameters
    ----------
    x
        The abscissa of each element's centre; the middle of all is 0.
    layer
        The layer of each element; the ordinate is the layer times the gap, downwards.
    gap
        The distance between layers.
    bends
        For each edge the points on its way, as abscissa and layer; none if it is straight.
    """

    x: list[float]
    layer: list[int]
    gap: float
    bends: list[list[Point]]


@dataclass
class Graph:
    """Elements and waypoints on layers, every edge between neighbouring ones."""

    layer: list[int]
    up: list[list[int]]
    down: list[list[int]]
    widths: list[float]
    # The members of each layer, from left to right.
    layers: list[list[int]] = field(default_factory=list)


def layout(poset: Poset) -> Layout:
    """Return where the elements of an ordered set go.

    Examples
    --------
    >>> diamond = [(0, 1), (0, 2), (1, 3), (2, 3)]
    >>> found = layout(Poset(n=4, edges=diamond, widths=[30] * 4, gap=50, clearance=8))
    >>> found.x, found.layer
    ([0.0, -22.0, 22.0, 0.0], [0, 1, 1, 2])
    """
    n, edges = poset.n, poset.edges
    upper: list[list[int]] = [[] for _ in range(n)]
    lower: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        lower[u].append(v)
        upper[v].append(u)
    layer = _layers(n, upper, lower)
    graph = _threaded(poset, layer)
    layout_order.order(graph)
    x = _abscissae(graph)
    tidy = n <= TIDY_LIMIT
    if tidy:
        _tidy_up(poset, graph, x)
    _centre(x, n)
    bends = [_bends(edge, poset, graph, x) if tidy else [] for edge in edges]
    gap = _gap(poset, layer, x, bends) if tidy else poset.gap
    return Layout(x[:n], layer, gap, bends)


def _layers(n: int, upper: list[list[int]], lower: list[list[int]]) -> list[int]:
    layer = [0] * n
    ordered = _topological(n, upper, lower)
    for v in ordered:
        for u in upper[v]:
            layer[v] = max(layer[v], layer[u] + 1)
    last = max(layer, default=-1)
    for v in sorted(range(n), key=lambda v: (-layer[v], v)):
        if not lower[v]:
            continue
        lowest = min(layer[w] - 1 for w in lower[v])
        if len(lower[v]) > len(upper[v]):
            layer[v] = lowest
        elif len(lower[v]) == len(upper[v]):
            layer[v] = (layer[v] + lowest) // 2
    alone = [v for v in range(n) if not upper[v] and not lower[v]]
    if not alone:
        return layer
    count = [0] * (last + 1)
    for v in ordered:
        if upper[v] or lower[v]:
            count[layer[v]] += 1
    columns = max(ceil(sqrt(3 * len(alone))), *count)
    first = 0 if len(alone) == n else last + 1
    for i, v in enumerate(alone):
        layer[v] = first + i // columns
    return layer


def _topological(n: int, upper: list[list[int]], lower: list[list[int]]) -> list[int]:
    """Return the elements, each after those above it: always the ready one that got ready first."""
    still_above = [len(each) for each in upper]
    ordered = [v for v in range(n) if not still_above[v]]
    for v in ordered:  # It grows on the way.
        for w in lower[v]:
            still_above[w] -= 1
            if not still_above[w]:
                ordered.append(w)
    if len(ordered) != n:
        raise ValueError("the covers have a cycle")
    return ordered


def _threaded(poset: Poset, elements: list[int]) -> Graph:
    n = poset.n
    graph = Graph(
        list(elements), [[] for _ in range(n)], [[] for _ in range(n)], list(poset.widths)
    )

    def join(a: int, b: int) -> None:
        graph.down[a].append(b)
        graph.up[b].append(a)

    for u, v in poset.edges:
        before = u
        for level in range(graph.layer[u] + 1, graph.layer[v]):
            point = len(graph.layer)
            graph.layer.append(level)
            graph.widths.append(0)
            graph.up.append([])
            graph.down.append([])
            join(before, point)
            before = point
        join(before, v)
    graph.layers = [[] for _ in range(max(elements, default=-1) + 1)]
    return graph


def _apart(widths: Sequence[float], a: int, b: int) -> float:
    """Return how far the centres of two neighbours on a layer must be apart."""
    return (widths[a] + widths[b]) / 2 + SPACE


def _abscissae(graph: Graph) -> list[float]:
    layers, up, down, widths = graph.layers, graph.up, graph.down, graph.widths
    x = [0.0] * len(graph.layer)
    for members in layers:
        at = 0.0
        for i, v in enumerate(members):
            if i > 0:
                at += _apart(widths, members[i - 1], v)
            x[v] = at
        for v in members:
            x[v] -= at / 2
    for sweep in range(PLACE_SWEEPS):
        last = sweep >= PLACE_SWEEPS - 2
        downwards = sweep % 2 == 0
        for members in layers if downwards else reversed(layers):
            wanted = []
            for v in members:
                near = up[v] + down[v] if last else up[v] if downwards else down[v]
                wanted.append(layout_order.mean(near, x) if near else x[v])
            _spread(members, wanted, widths, x)
    return x


def _spread(
    members: list[int], wanted: list[float], widths: Sequence[float], x: list[float]
) -> None:
    """Set a layer as near to the wanted abscissae as order and distances allow (least squares)."""
    offset: list[float] = []
    sums: list[float] = []
    sizes: list[int] = []
    for i, v in enumerate(members):
        offset.append(0.0 if i == 0 else offset[i - 1] + _apart(widths, members[i - 1], v))
        sums.append(wanted[i] - offset[i])
        sizes.append(1)
        # Pool neighbouring blocks that are the wrong way round.
        while len(sums) > 1 and sums[-2] / sizes[-2] > sums[-1] / sizes[-1]:
            sums[-2] += sums[-1]
            sizes[-2] += sizes[-1]
            sums.pop()
            sizes.pop()
    i = 0
    for total, size in zip(sums, sizes, strict=True):
        for _ in range(size):
            x[members[i]] = total / size + offset[i]
            i += 1


def _centre(x: list[float], n: int) -> None:
    if n:
        middle = (min(x[:n]) + max(x[:n])) / 2
        x[:] = [each - middle for each in x]


def line_at(start: Point, end: Point, level: float) -> float:
    """Return where a straight line from one point to another is on a layer between.

    Examples
    --------
    >>> line_at((0, 0), (10, 2), 1)
    5.0
    """
    (x0, l0), (x1, l1) = start, end
    return x0 + (x1 - x0) * (level - l0) / (l1 - l0)


def _room(poset: Poset, across: float, layers: float) -> float:
    """Return how far from a line an element should be; the flatter the line, the farther."""
    slope = across / (layers * poset.gap)
    wanted = poset.clearance * sqrt(1 + slope * slope)
    return min(4 * poset.clearance, max(1.5 * poset.clearance, wanted))


def _tidy_up(poset: Poset, graph: Graph, x: list[float]) -> None:
    layer, widths = graph.layer, poset.widths
    long = [(u, v) for u, v in poset.edges if layer[v] - layer[u] > 1]
    elements = [[v for v in members if v < poset.n] for members in graph.layers]
    for _ in range(TIDY_ROUNDS):
        moved = False
        for members in elements:
            for w in members:
                # The intervals in which w must not be: too near to an edge or to a neighbour.
                taken: list[Interval] = []
                for u, v in long:
                    if layer[u] < layer[w] < layer[v]:
                        at = line_at((x[u], layer[u]), (x[v], layer[v]), layer[w])
                        room = _room(poset, x[v] - x[u], layer[v] - layer[u])
                        taken.append((at - room, at + room))
                if not any(low < x[w] < high for low, high in taken):
                    continue
                for v in members:
                    if v != w:
                        need = _apart(widths, v, w)
                        taken.append((x[v] - need, x[v] + need))
                x[w] = _nearest_free(x[w], taken)
                moved = True
        if not moved:
            return


def _nearest_free(wanted: float, taken: list[Interval]) -> float:
    """Return the free place nearest to a wanted one, the left one of two as near."""

    def free(at: float) -> bool:
        return not any(low < at < high for low, high in taken)

    if free(wanted):
        return wanted
    best = inf
    for ends in taken:
        for at in ends:
            if not free(at):
                continue
            nearer = abs(at - wanted) - abs(best - wanted)
            if nearer < 0 or (nearer == 0 and at < best):
                best = at
    return best


def _bends(edge: Edge, poset: Poset, graph: Graph, x: list[float]) -> list[Point]:
    """Return the points that lead an edge around elements that a straight line would run through.

    Rounding must not make an edge bend that touches the border.
    """
    (u, v), layer = edge, graph.layer
    path: list[Point] = [(x[u], layer[u]), (x[v], layer[v])]
    k = 0
    while k + 1 < len(path):
        start, end = path[k], path[k + 1]
        room = _room(poset, end[0] - start[0], end[1] - start[1])
        for level in range(int(start[1]) + 1, int(end[1])):
            at = line_at(start, end, level)
            taken = [(x[w] - room, x[w] + room) for w in graph.layers[level] if w < poset.n]
            if any(low + 1e-6 < at < high - 1e-6 for low, high in taken):
                path.insert(k + 1, (_nearest_free(at, taken), level))
                k = -1  # From the start again.
                break
        k += 1
    return path[1:-1]


def _gap(poset: Poset, layer: list[int], x: list[float], bends: list[list[Point]]) -> float:
    """Return the least gap with which every edge is a clearance away from foreign elements."""
    c, gap = poset.clearance, poset.gap
    for (u, v), between in zip(poset.edges, bends, strict=True):
        path: list[Point] = [(x[u], layer[u]), *between, (x[v], layer[v])]
        for start, end in pairwise(path):
            (x0, l0), (x1, l1) = start, end
            for w in range(poset.n):
                if w in (u, v) or not l0 <= layer[w] <= l1:
                    continue
                # Beside an end only what lies on the edge's side is in danger.
                if layer[w] == l0 and (x[w] - x0) * (x1 - x0) <= 0:
                    continue
                if layer[w] == l1 and (x[w] - x1) * (x0 - x1) <= 0:
                    continue
                beside = abs(x[w] - line_at(start, end, layer[w]))
                if beside > c:
                    steep = (l1 - l0) * sqrt(beside * beside - c * c)
                    gap = max(gap, c * abs(x1 - x0) / steep)
    return gap
