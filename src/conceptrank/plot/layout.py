"""Places of the elements of a finite ordered set in a line diagram.

1. Places: layers and columns with few crossings. They depend on the order and, in some layouts, on
   the supports. The core finds them (`cpp/diagram/places.cpp`); the explorer takes the same steps
   (`explorer-ui/src/places.ts`).
2. Bends (up to 150 elements): a line that would run through another element bends around it.
3. Gap (up to 150 elements): the distance of layers, so large that the flattest line passes the
   elements beside it.

Tests compare this module and the explorer with the results in `tests/layout/*.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from math import sqrt
from typing import Literal, TypeAlias

from conceptrank import _core
from conceptrank.budget import core_watch

Edge: TypeAlias = "tuple[int, int]"
# An abscissa and a layer.
Point: TypeAlias = "tuple[float, float]"
Interval: TypeAlias = "tuple[float, float]"
# How elements are laid out; "auto" chooses between additive and layered.
LayoutKind: TypeAlias = Literal["auto", "layered", "additive", "support"]

# With more elements than this, lines don't bend: there is no room.
TIDY_LIMIT = 150
# The distance of an element from a straight line that passes its layer, in clearances.
_ROOM = 1.5
# The largest height of a diagram by support, in gaps, however many layers it has.
_SUPPORT_GAPS = 12


@dataclass(frozen=True, kw_only=True)
class Poset:
    """An ordered set and the room that its drawing needs.

    Parameters
    ----------
    n
        The number of elements.
    edges
        Pairs of an upper and a lower element: the covers of the order.
    levels
        The depth of each element, such as the size of its intent; it places elements without
        covers.
    kind
        `"layered"`: as low as the elements below allow. `"additive"`: each attribute has a vector,
        and an element is at the sum of the vectors of its attributes. `"support"`: one layer per
        support. `"auto"`: additive for up to 50 elements if that is as easy to read, otherwise
        layered. It is as easy to read if no elements coincide, no line runs through an element, no
        more lines cross than in the layered diagram, and the diagram is no higher and at most 1.5
        times as wide.
    supports
        The size of each element; an upper element is larger than a lower one.
    pitch
        The distance between columns; neighbours on a layer are at least two columns apart.
    gap
        The least distance between layers.
    clearance
        The least distance of a line from the centre of an element that is not one of its ends.
    """

    n: int
    edges: Sequence[Edge]
    levels: Sequence[int]
    kind: LayoutKind = "layered"
    supports: Sequence[int] = ()
    pitch: float
    gap: float
    clearance: float


@dataclass(frozen=True)
class Layout:
    """The places of the elements.

    Parameters
    ----------
    kind
        The kind of layout: never `"auto"`.
    x
        The abscissa of each element's centre; the middle of all is 0.
    layer
        The layer of each element; the ordinate is the layer times the gap, downwards.
    gap
        The distance between layers.
    bends
        For each edge the points on its way, as abscissa and layer; none if it is straight.
    """

    kind: str
    x: list[float]
    layer: list[int]
    gap: float
    bends: list[list[Point]]


def layout(poset: Poset) -> Layout:
    """Return the places of the elements of an ordered set.

    Examples
    --------
    >>> diamond = [(0, 1), (0, 2), (1, 3), (2, 3)]
    >>> levels = [0, 1, 1, 2]
    >>> found = layout(Poset(n=4, edges=diamond, levels=levels, pitch=20, gap=50, clearance=8))
    >>> found.x, found.layer
    ([0.0, -20.0, 20.0, 0.0], [0, 1, 1, 2])
    """
    sizes = {size: i for i, size in enumerate(sorted(set(poset.supports)))}
    supports = [sizes[size] for size in poset.supports]
    places = _core.diagram_places(
        list(poset.edges),
        list(poset.levels),
        poset.kind,
        supports,
        watch=core_watch(reports=False),
    )
    layer, columns, kind = places.layers, places.columns, places.kind
    if kind == "support":
        share = min(1.0, _SUPPORT_GAPS / max([1, *layer]))
        least = min(poset.gap, 2.5 * poset.clearance)
        poset = replace(poset, gap=max(least, poset.gap * share))
    middle = (min(columns) + max(columns)) / 2 if columns else 0.0
    x = [(column - middle) * poset.pitch for column in columns]
    tidy = poset.n <= TIDY_LIMIT
    bends = [_bends(edge, poset, layer, x) if tidy else [] for edge in poset.edges]
    gap = _gap(poset, layer, x, bends) if tidy else poset.gap
    return Layout(kind, x, layer, gap, bends)


def line_at(start: Point, end: Point, level: float) -> float:
    """Return the abscissa at which a straight line between two points crosses a layer.

    Examples
    --------
    >>> line_at((0, 0), (10, 2), 1)
    5.0
    """
    (x0, l0), (x1, l1) = start, end
    return x0 + (x1 - x0) * (level - l0) / (l1 - l0)


def _nearest_free(wanted: float, taken: list[Interval]) -> float:
    """Return the free place nearest to a given one; of two equally near ones, the left one."""
    places = (wanted, *chain.from_iterable(taken))
    free = [at for at in places if not any(low < at < high for low, high in taken)]
    return min(free, key=lambda at: (abs(at - wanted), at))


def _bends(edge: Edge, poset: Poset, layer: list[int], x: list[float]) -> list[Point]:
    """Return the points at which an edge bends around elements on its straight line.

    Rounding must not make an edge bend that touches the border.
    """
    (u, v), room = edge, _ROOM * poset.clearance
    path: list[Point] = [(x[u], layer[u]), (x[v], layer[v])]
    k = 0
    while k + 1 < len(path):
        start, end = path[k], path[k + 1]
        for level in range(int(start[1]) + 1, int(end[1])):
            at = line_at(start, end, level)
            taken = [(x[w] - room, x[w] + room) for w in range(poset.n) if layer[w] == level]
            if any(low + 1e-6 < at < high - 1e-6 for low, high in taken):
                path.insert(k + 1, (_nearest_free(at, taken), level))
                k = -1  # From the start again.
                break
        k += 1
    return path[1:-1]


def _gap(poset: Poset, layer: list[int], x: list[float], bends: list[list[Point]]) -> float:
    """Return the least gap with which every edge keeps its clearance from other elements."""
    c, gap = poset.clearance, poset.gap
    for (u, v), between in zip(poset.edges, bends, strict=True):
        path: list[Point] = [(x[u], layer[u]), *between, (x[v], layer[v])]
        for start, end in pairwise(path):
            (x0, l0), (x1, l1) = start, end
            for w in range(poset.n):
                if w in (u, v) or not l0 <= layer[w] <= l1:
                    continue
                # On the layer of an end, the line can only touch elements on its own side.
                if layer[w] == l0 and (x[w] - x0) * (x1 - x0) <= 0:
                    continue
                if layer[w] == l1 and (x[w] - x1) * (x0 - x1) <= 0:
                    continue
                beside = abs(x[w] - line_at(start, end, layer[w]))
                if beside > c:
                    steep = (l1 - l0) * sqrt(beside * beside - c * c)
                    gap = max(gap, c * abs(x1 - x0) / steep)
    return gap
