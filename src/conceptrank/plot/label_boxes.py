"""Places the labels of a line diagram: boxes that touch no line, leader, node or other label.

`explorer-ui/src/labels.ts` places them in the same way on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Where a label may be: beside its node, also at the end of a short leader, also of a long one, or
# also to the right of the diagram.
Reach: TypeAlias = Literal["near", "leader", "far", "anywhere"]
Numbers: TypeAlias = NDArray[np.float64]

# Between a node and its label, and around every label.
_GAP, _AROUND = 1.5, 1.0
# The lengths of leaders in points, and the number of directions.
_SHORT = (10, 18, 28, 40, 54, 70)
_LONG = (88, 108, 130, 154, 180, 208, 238, 270, 304, 340, 378, 418)
_TURNS = 48


@dataclass(frozen=True)
class Wanted:
    """A label: its node, the direction of y in which it belongs, its lines and its size."""

    node: int
    side: int
    lines: tuple[str, ...]
    width: float
    height: float


@dataclass(frozen=True)
class Box:
    """The centre of a label, and whether a dashed line joins it to its node."""

    x: float
    y: float
    leader: bool = False

    def end(self, node: Sequence[float], label: Wanted) -> tuple[float, float]:
        """Return the point of the box that is nearest to its node.

        Examples
        --------
        >>> Box(10.0, 0.0, True).end((0.0, 1.0), Wanted(0, 1, ("a",), 4.0, 4.0))
        (8.0, 1.0)
        """
        w, h = label.width / 2, label.height / 2
        return (
            min(self.x + w, max(self.x - w, node[0])),
            min(self.y + h, max(self.y - h, node[1])),
        )


def boxes_of(
    nodes: Numbers, radii: Numbers, segments: Numbers, labels: Sequence[Wanted], reach: Reach
) -> list[Box] | None:
    """Return a box for each label, or None if some label has no free place within reach.

    Parameters
    ----------
    nodes, radii
        The nodes.
    segments
        The lines, a row of x, y, x, y each.
    labels
        The labels.
    reach
        How far from its node a label may be.

    Examples
    --------
    >>> label = Wanted(0, 1, ("a",), 8.0, 10.0)
    >>> boxes_of(np.zeros((1, 2)), np.array([5.0]), np.zeros((0, 4)), [label], "near")
    [Box(x=0.0, y=12.5, leader=False)]
    """
    found: list[Box] = []
    taken = np.zeros((0, 4))
    squares = np.column_stack((nodes - radii[:, None], nodes + radii[:, None]))[:, [0, 2, 1, 3]]
    top = float(nodes[:, 1].max(initial=0.0))
    ends = (nodes[:, 0] + radii, segments[:, [0, 2]].ravel())
    right = float(np.concatenate(ends).max(initial=-np.inf))
    for label in labels:
        w, h = label.width / 2 + _AROUND, label.height / 2 + _AROUND
        node, radius = nodes[label.node].tolist(), float(radii[label.node])
        others = np.delete(squares, label.node, axis=0)
        for box in _candidates(node, radius, label, reach):
            frame = (box.x - w, box.x + w, box.y - h, box.y + h)
            if (
                _overlap(taken, frame)
                or _covers_node(nodes, radii, frame)
                or _hits(segments, frame)
            ):
                continue
            leader = np.array([[*node, *box.end(node, label)]])
            if not box.leader or not any(
                _hits(leader, each) for each in (*taken.tolist(), *others.tolist())
            ):
                break
        else:
            if reach != "anywhere":
                return None
            # Beside the diagram, one label below the other.
            right = max(right, float(taken[:, 1].max(initial=right)))
            box = Box(right + w + _GAP, top - h, True)
            top -= 2 * h
        found.append(box)
        taken = np.vstack([taken, [[box.x - w, box.x + w, box.y - h, box.y + h]]])
        if box.leader:
            segments = np.vstack([segments, [[*node, *box.end(node, label)]]])
    return found


def _candidates(node: Sequence[float], radius: float, label: Wanted, reach: Reach) -> Iterator[Box]:
    """Yield the places to try, the best first."""
    x, y = node
    w, h = label.width / 2 + _AROUND, label.height / 2 + _AROUND
    up, across, side = label.side * (radius + _GAP + h), radius + _GAP + w, label.side * h
    near = [(0.0, up), (w - 1, up), (1 - w, up), (across, side), (-across, side)]
    near += [(across, 0), (-across, 0), (across, -side), (-across, -side)]
    near += [(0, -up), (w - 1, -up), (1 - w, -up)]
    yield from (Box(x + dx, y + dy) for dx, dy in near)
    lengths = {"near": (), "leader": _SHORT}.get(reach, _SHORT + _LONG)
    for length in lengths:
        for turn in range(_TURNS):
            # Start at the label's own side and alternate between left and right.
            angle = (turn if turn % 2 == 0 else -turn - 1) * pi / _TURNS
            dx, dy = sin(angle), label.side * cos(angle)
            yield Box(x + dx * (radius + length + w), y + dy * (radius + length + h), leader=True)


def _overlap(taken: Numbers, frame: Sequence[float]) -> bool:
    left, right, low, high = frame
    inside = (left < taken[:, 1]) & (taken[:, 0] < right)
    return bool((inside & (low < taken[:, 3]) & (taken[:, 2] < high)).any())


def _covers_node(nodes: Numbers, radii: Numbers, frame: Sequence[float]) -> bool:
    left, right, low, high = frame
    dx = np.maximum(np.maximum(left - nodes[:, 0], nodes[:, 0] - right), 0.0)
    dy = np.maximum(np.maximum(low - nodes[:, 1], nodes[:, 1] - high), 0.0)
    return bool((dx * dx + dy * dy < radii * radii).any())


def _hits(segments: Numbers, frame: Sequence[float]) -> bool:
    """Return whether a line has a point inside a box."""
    left, right, low, high = frame
    begin, end = np.zeros(len(segments)), np.ones(len(segments))
    for start, stop, least, most in (
        (segments[:, 0], segments[:, 2], left, right),
        (segments[:, 1], segments[:, 3], low, high),
    ):
        step: NDArray[Any] = stop - start
        flat = step == 0
        outside = flat & ((start <= least) | (start >= most))
        safe = np.where(flat, 1.0, step)
        a, b = (least - start) / safe, (most - start) / safe
        begin = np.where(flat, begin, np.maximum(begin, np.minimum(a, b)))
        end = np.where(flat, end, np.minimum(end, np.maximum(a, b)))
        end = np.where(outside, -1.0, end)
    return bool((begin < end).any())
