"""Graphs of networkx, in and out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conceptrank._util.lists import Lists
from conceptrank.convert.itemsets import from_pairs
from conceptrank.convert.shared import Parts, imported, lists
from conceptrank.errors import FormatError

if TYPE_CHECKING:
    import networkx as nx


def from_networkx(graph: nx.Graph[Any], *, diagonal: bool = False) -> Parts:
    """Return the two sides of a bipartite graph, or any graph's neighbourhoods."""
    sides: dict[Any, Any] = dict(graph.nodes(data="bipartite"))
    labels: dict[Any, Any] = dict(graph.nodes(data="label"))
    edges: list[Any] = list(graph.edges())
    if all(side is None for side in sides.values()):
        # One edge of an undirected graph is two crosses.
        if not graph.is_directed():
            edges += [(b, a) for a, b in edges]
        if diagonal:
            edges += [(node, node) for node in sides]
        return _labelled(from_pairs(edges, objects=sides, attributes=sides), labels, sides, sides)
    if diagonal:
        raise FormatError("a bipartite graph has no diagonal: objects are no attributes")
    for node, side in sides.items():
        if side not in (0, 1):
            raise FormatError(
                f"node {node!r} has bipartite={side!r}, expected 0 (object) or 1 (attribute)"
            )
    edges = [(b, a) if sides[a] else (a, b) for a, b in edges]
    for a, b in edges:
        if sides[a] or not sides[b]:
            raise FormatError(f"the edge from {a!r} to {b!r} joins two nodes of one side")
    objects, attributes = ([node for node in sides if sides[node] == side] for side in (0, 1))
    parts = from_pairs(edges, objects=objects, attributes=attributes)
    return _labelled(parts, labels, objects, attributes)


def _labelled(
    parts: Parts, labels: Mapping[Any, Any], objects: Iterable[Any], attributes: Iterable[Any]
) -> Parts:
    """Return a context with the labels of its nodes as names, where there are some."""
    names = [
        [str(node) if labels[node] is None else str(labels[node]) for node in side]
        for side in (objects, attributes)
    ]
    return names[0], names[1], *parts[2:]


def to_networkx(objects: Sequence[str], attributes: Sequence[str], rows: Lists) -> nx.Graph[Any]:
    """Return a bipartite graph; nodes are names, or pairs of a side and a name if they clash."""
    graph: nx.Graph[Any] = imported("networkx").Graph()
    clash = not set(objects).isdisjoint(attributes)
    sides: list[Sequence[Any]] = [objects, attributes]
    if clash:
        sides = [[("object", g) for g in objects], [("attribute", m) for m in attributes]]
    for side, (nodes, labels) in enumerate(zip(sides, (objects, attributes), strict=True)):
        for node, label in zip(nodes, labels, strict=True):
            graph.add_node(node, bipartite=side, label=label)
    for node, row in zip(sides[0], lists(rows), strict=True):
        graph.add_edges_from((node, sides[1][m]) for m in row)
    return graph
