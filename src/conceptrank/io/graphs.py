"""Graphs as contexts, shared by GML, GraphML and edge lists.

A graph of one kind of node becomes its adjacency: every node is an object and an attribute. A
bipartite graph has its objects on one side and its attributes on the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.lists import from_pairs
from conceptrank.context import Context
from conceptrank.errors import FormatError, UnknownNameError
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
    if mode is not None and mode not in MODES:
        raise UnknownNameError("mode", mode, MODES)


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

    def number(self, key: str) -> int | None:
        """Return the number of a node, or None if there is no such node."""
        return self._numbers.get(key)

    def node(self, key: str, line: int) -> int:
        """Return the number of a node, which is new if it is not there."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.names)
            self.names.append(key)
            self.lines.append(line)
            self.sides.append(None)
        return number

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


def edge_ends(ends: Sequence[str | None], known: Graph, line: int) -> tuple[int, int]:
    """Return the numbers of the two ends of an edge; refuse one that isn't there.

    Examples
    --------
    >>> graph = Graph()
    >>> _ = graph.node("a", 1)
    >>> edge_ends(["a", "b"], graph, 7)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    conceptrank.errors.FormatError: line 7: an edge to node 'b', which does not exist ...
    """
    numbers = []
    for word, end in zip(("source", "target"), ends, strict=True):
        if end is None:
            raise FormatError(
                f"an edge without {word}", line=line, hint="every edge has a source and a target"
            )
        number = known.number(end)
        if number is None:
            raise FormatError(
                f"an edge {'from' if word == 'source' else 'to'} node {shown(end)}, "
                "which does not exist",
                line=line,
                hint="the file may be cut off, or a node is missing",
            )
        numbers.append(number)
    return numbers[0], numbers[1]
