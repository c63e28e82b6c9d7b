"""Graphs as contexts, shared by GML, GraphML and edge lists.

A graph of one kind of node becomes its adjacency: every node is an object and an attribute. A
bipartite graph has its objects on one side and its attributes on the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import from_pairs
from conceptrank.context import Context
from conceptrank.errors import FormatError, refuse_unknown
from conceptrank.io.tables import Growing
from conceptrank.io.text import refuse_repeats, shown

MODES = ("adjacency", "bipartite")


def check_mode(mode: str | None) -> None:
    """Refuse a mode that there isn't.

    Examples
    --------
    >>> check_mode("bipartit")
    Traceback (most recent call last):
    conceptrank.errors.UnknownNameError: unknown mode 'bipartit'; did you mean 'bipartite'?
    """
    refuse_unknown("mode", [mode], MODES)


class Graph:
    """Nodes and edges as a file lists them.

    Examples
    --------
    >>> graph = Graph()
    >>> for line, (one, other) in enumerate([("a", "b"), ("b", "c")], start=1):
    ...     graph.edge(graph.node(one, line), graph.node(other, line), line)
    >>> graph.context(None).rows()[1].tolist()
    [1, 0, 2, 1]
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.lines: list[int] = []
        self.sides: list[int | None] = []
        self._ends = (Growing(), Growing())
        self._edge_lines = Growing()
        self._directed = Growing()
        self._links: list[tuple[str | None, str | None, int, bool]] = []

    def new_node(self, key: str | None, line: int) -> int:
        """Return the number of a new node; refuse one without id, or with that of another node."""
        if key is None:
            raise FormatError("a node without id", line=line, hint="every node has an id")
        if key in self._numbers:
            raise FormatError(
                f"a second node with id {shown(key)}", line=line, hint="make the ids differ"
            )
        return self.node(key, line)

    def node(self, key: str, line: int) -> int:
        """Return the number of a node, which is new if it is not there."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.names)
            self.names.append(key)
            self.lines.append(line)
            self.sides.append(None)
        return number

    def set_side(self, node: int, side: str, line: int) -> None:
        """Set the side of a node of a bipartite graph: 0 for objects, 1 for attributes."""
        if side.strip() not in ("0", "1"):
            raise FormatError(
                f"bipartite {shown(side)}, expected 0 or 1",
                line=line,
                hint="0 marks objects, 1 attributes",
            )
        self.sides[node] = int(side)

    def link(self, source: str | None, target: str | None, line: int, *, directed: bool) -> None:
        """Add an edge between nodes that may be listed later."""
        self._links.append((source, target, line, directed))

    def _end(self, word: str, key: str | None, line: int) -> int:
        """Return the number of one end of an edge; refuse one that isn't there."""
        if key is None:
            raise FormatError(
                f"an edge without {word}", line=line, hint="every edge has a source and a target"
            )
        if key not in self._numbers:
            preposition = "from" if word == "source" else "to"
            raise FormatError(
                f"an edge {preposition} node {shown(key)}, which does not exist",
                line=line,
                hint="the file may be cut off, or a node is missing",
            )
        return self._numbers[key]

    def edge(self, one: int, other: int, line: int, *, directed: bool = False) -> None:
        """Add an edge between two nodes: both ways, or only from one to the other."""
        self._ends[0].append(one)
        self._ends[1].append(other)
        self._edge_lines.append(line)
        self._directed.append(directed)

    def context(self, mode: str | None, *, diagonal: bool = False) -> Context:
        """Return the context of the graph.

        Parameters
        ----------
        mode
            `"adjacency"` or `"bipartite"`; if None, it is bipartite if every node has a side.
        diagonal
            Whether every node gets a cross with itself in the adjacency.

        Raises
        ------
        FormatError
            If two nodes have one name, or an edge doesn't go from one side to the other.
        """
        check_mode(mode)
        for source, target, line, directed in self._links:
            ends = self._end("source", source, line), self._end("target", target, line)
            self.edge(*ends, line, directed=directed)
        one, other = (growing.array().astype(np.int64) for growing in self._ends)
        sided = bool(self.sides) and None not in self.sides
        if mode is None:
            mode = "bipartite" if sided else "adjacency"
        if mode == "bipartite":
            if diagonal:
                raise FormatError(
                    "a bipartite graph has no diagonal",
                    hint="read it as adjacency, or leave out the diagonal",
                )
            return self._bipartite(one, other, sided=sided)
        return self._adjacency(one, other, diagonal=diagonal)

    def _adjacency(
        self, one: NDArray[np.int64], other: NDArray[np.int64], *, diagonal: bool
    ) -> Context:
        refuse_repeats(self.names, self.lines, "node")
        n = len(self.names)
        back = self._directed.array() == 0
        same = np.arange(n if diagonal else 0)
        rows = np.concatenate([one, other[back], same])
        columns = np.concatenate([other, one[back], same])
        return Context.from_csr(self.names, self.names, *from_pairs(rows, columns, (n, n)))

    def _bipartite(
        self, one: NDArray[np.int64], other: NDArray[np.int64], *, sided: bool
    ) -> Context:
        sides = (
            np.array([side or 0 for side in self.sides], dtype=np.int64)
            if sided
            else self._sides_of_edges(one, other)
        )
        wrong = np.flatnonzero(sides[one] == sides[other])
        if len(wrong):
            edge = int(wrong[0])
            ends = (shown(self.names[end]) for end in (int(one[edge]), int(other[edge])))
            raise FormatError(
                f"the edge between {' and '.join(ends)} stays on one side",
                line=int(self._edge_lines.array()[edge]),
                hint="read the graph as adjacency, or correct it",
            )
        swapped = sides[one] == 1
        objects, attributes = (np.flatnonzero(sides == side) for side in (0, 1))
        place = np.empty(len(sides), dtype=np.int64)
        place[objects] = np.arange(len(objects))
        place[attributes] = np.arange(len(attributes))
        named = []
        for kind, numbers in (("object", objects), ("attribute", attributes)):
            names = [self.names[number] for number in numbers.tolist()]
            lines = [self.lines[number] for number in numbers.tolist()]
            refuse_repeats(names, lines, kind)
            named.append(names)
        rows = from_pairs(
            place[np.where(swapped, other, one)],
            place[np.where(swapped, one, other)],
            (len(objects), len(attributes)),
        )
        return Context.from_csr(named[0], named[1], *rows)

    def _sides_of_edges(
        self, one: NDArray[np.int64], other: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the sides if edges go from objects to attributes; lone nodes are objects."""
        sides = np.zeros(len(self.names), dtype=np.int64)
        sides[other] = 1
        both = np.flatnonzero(np.isin(one, other))
        if len(both):
            edge = int(both[0])
            raise FormatError(
                f"node {shown(self.names[int(one[edge])])} stands on both sides of edges",
                line=int(self._edge_lines.array()[edge]),
                hint="in a bipartite graph, edges go from objects to attributes; "
                "or read it as adjacency",
            )
        return sides
