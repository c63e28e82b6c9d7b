"""Places the labels of a line diagram: boxes that no line, no node and no other label touches.

`explorer-ui/src/labels.ts` places them in the same way on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Where a label may be: beside its node, also at the end of a leader, also over lines, or also to
# the right of the diagram.
Reach: TypeAlias = Literal["near", "leader", "over", "anywhere"]
Numbers: TypeAlias = NDArray[np.float64]

# Between a node and its label, and around every label.
_GAP, _AROUND = 1.5, 1.0
# The distances at which a label gets a leader, in points.
_RINGS = (10, 18, 28, 40, 54, 70)
_TURNS = 24


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
    """The centre of a label, whether it has a leader to its node, and whether it hides lines."""

    x: float
    y: float
    leader: bool = False
    over: bool = False

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
    """Return a box for each label, or None if one of them has no free place within reach.

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
    [Box(x=0.0, y=12.5, leader=False, over=False)]
    """
    taken = np.zeros((0, 4))
    found: list[Box] = []
    beside = float(nodes[:, 1].max()) if len(nodes) else 0.0
    for label in labels:
        w, h = label.width / 2 + _AROUND, label.height / 2 + _AROUND
        node, radius = nodes[label.node].tolist(), float(radii[label.node])
        squares = np.column_stack((nodes - radii[:, None], nodes + radii[:, None]))[:, [0, 2, 1, 3]]
        squares = np.delete(squares, label.node, axis=0).tolist()
        box, fewest = None, len(segments) + 1
        for each in _candidates(node, radius, label, leaders=reach != "near"):
            frame = (each.x - w, each.x + w, each.y - h, each.y + h)
            if _overlap(taken, frame) or _covers_node(nodes, radii, frame):
                continue
            lines = _hits(segments, frame)
            if lines >= (fewest if reach == "over" else 1):
                continue
            # A leader must not cross another label or another node.
            line = np.array([[*node, *each.end(node, label)]])
            if each.leader and any(_hits(line, other) for other in (*taken.tolist(), *squares)):
                continue
            box, fewest = replace(each, over=lines > 0), lines
            if lines == 0:
                break
        if box is None:
            if reach != "anywhere":
                return None
            # Beside the diagram, one below the other.
            right = max(
                float((nodes[:, 0] + radii).max()),
                float(taken[:, 1].max(initial=-np.inf)),
                float(segments[:, [0, 2]].max(initial=-np.inf)),
            )
            box = Box(right + w + _GAP, beside - h, leader=True)
            beside -= 2 * h
        found.append(box)
        taken = np.vstack([taken, [[box.x - w, box.x + w, box.y - h, box.y + h]]])
    return found


def _candidates(
    node: Sequence[float], radius: float, label: Wanted, *, leaders: bool
) -> Iterator[Box]:
    x, y = node
    w, h = label.width / 2 + _AROUND, label.height / 2 + _AROUND
    up, across, side = label.side * (radius + _GAP + h), radius + _GAP + w, label.side * h
    near = [(0.0, up), (w - 1, up), (1 - w, up), (across, side), (-across, side)]
    near += [(across, 0), (-across, 0), (across, -side), (-across, -side)]
    near += [(0, -up), (w - 1, -up), (1 - w, -up)]
    yield from (Box(x + dx, y + dy) for dx, dy in near)
    for ring in _RINGS if leaders else ():
        for turn in range(_TURNS):
            # From the label's own side on, to the left and to the right in turn.
            angle = (turn if turn % 2 == 0 else -turn - 1) * pi / _TURNS
            dx, dy = sin(angle), label.side * cos(angle)
            yield Box(x + dx * (radius + ring + w), y + dy * (radius + ring + h), leader=True)


def _overlap(taken: Numbers, frame: Sequence[float]) -> bool:
    left, right, low, high = frame
    inside = (left < taken[:, 1]) & (taken[:, 0] < right)
    return bool((inside & (low < taken[:, 3]) & (taken[:, 2] < high)).any())


def _covers_node(nodes: Numbers, radii: Numbers, frame: Sequence[float]) -> bool:
    left, right, low, high = frame
    dx = np.maximum(np.maximum(left - nodes[:, 0], nodes[:, 0] - right), 0.0)
    dy = np.maximum(np.maximum(low - nodes[:, 1], nodes[:, 1] - high), 0.0)
    return bool((dx * dx + dy * dy < radii * radii).any())


def _hits(segments: Numbers, frame: Sequence[float]) -> int:
    """Return how many lines have a point inside a box."""
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
    return int((begin < end).sum())
