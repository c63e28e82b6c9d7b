"""From labels and nodes to places on the page: how much room text takes, and the layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

import numpy as np
from numpy.typing import NDArray

from conceptrank.plot.label_boxes import Box, Reach, Wanted, boxes_of
from conceptrank.plot.labels import Label
from conceptrank.plot.layout import Layout, LayoutKind, Poset, layout
from conceptrank.plot.suborder import SubOrder

if TYPE_CHECKING:
    from conceptrank.plot.line_diagram import Diagram

# Points: the size of the type, the distance of lines, and the margin of a drawing.
FONT, LINE, MARGIN = 8.0, 10.0, 6.0
# Between the labels of two layers.
_BETWEEN_LAYERS = 20.0
# Where labels may be, and the growth of the scene. The first pair that has a place for every label
# is taken.
_GROWTH: list[tuple[Reach, float]] = [
    *(("near", size) for size in (1.0, 1.15, 1.35, 1.6)),
    *(("leader", size) for size in (1.0, 1.2, 1.5)),
    *(("far", size) for size in (1.2, 1.5, 2.0, 2.7)),
    ("anywhere", 1.5),
]
# The number of attempts to fit a scene to a width.
_FITTING = 8
_NARROW = frozenset("ijlIJ.,:;'|!()[]{}/\\ ft-r")
_WIDE = frozenset("mwMWOQG@%…")


def text_width(text: str, font: float = FONT) -> float:
    """Return how much room a line of text takes, rather too much than too little.

    It is an estimate that needs no font, so that a diagram is the same on every machine.

    Examples
    --------
    >>> round(text_width("adventure"), 1), text_width("")
    (43.4, 0.0)
    """
    return font * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if combining(letter):
        return 0.0
    if letter in _NARROW:
        return 0.44
    if east_asian_width(letter) in "WF":
        # Fonts that stand in for missing ones can be wider than a square.
        return 1.2
    if letter in _WIDE:
        return 1.02
    return 0.72 if letter.isupper() else 0.65


def wanted(labels: Sequence[Label], font: float = FONT) -> list[Wanted]:
    """Return the labels to place, with their sizes; y grows upwards.

    Examples
    --------
    >>> [(each.node, each.side, each.height) for each in wanted([Label(), Label(above=("a",))])]
    [(1, 1, 10.0)]
    """
    return [
        Wanted(
            node,
            side,
            lines,
            max(text_width(line, font) for line in lines),
            len(lines) * font * LINE / FONT,
        )
        for node, label in enumerate(labels)
        for side, lines in ((1, label.above), (-1, label.below))
        if lines
    ]


def placed(
    part: SubOrder, labels: Sequence[Label], radii: Sequence[float], kind: LayoutKind
) -> Layout:
    """Return the layout of some concepts in points."""
    radius = max(radii, default=0.0)
    above = max((len(label.above) for label in labels), default=0) * LINE
    below = max((len(label.below) for label in labels), default=0) * LINE
    widths = [each.width for each in wanted(labels)]
    mean = sum(widths) / len(widths) if widths else 0.0
    return layout(
        Poset(
            n=len(part),
            edges=[(upper, lower) for lower, upper in part.covers.tolist()],
            levels=[len(intent) for intent in part.intents],
            kind=kind,
            supports=part.supports.tolist(),
            pitch=max(2 * radius + 4, 0.36 * mean),
            gap=above + below + 2 * radius + _BETWEEN_LAYERS,
            clearance=radius + 2,
        )
    )


@dataclass(frozen=True)
class Scene:
    """What every drawing of a diagram shows, in points; y grows upwards.

    Parameters
    ----------
    positions
        The nodes.
    radii
        Their radii.
    paths
        The points that each line goes through, from the upper to the lower concept.
    labels, boxes
        The labels and where they are.
    font
        The size of their type.
    """

    positions: NDArray[np.float64]
    radii: NDArray[np.float64]
    paths: list[NDArray[np.float64]]
    labels: list[Wanted]
    boxes: list[Box]
    font: float

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """The least and the largest x, the least and the largest y of everything."""
        if not len(self.positions):
            return 0.0, 0.0, 0.0, 0.0
        corners = [self.positions - self.radii[:, None], self.positions + self.radii[:, None]]
        corners += self.paths
        for label, box in zip(self.labels, self.boxes, strict=True):
            w, h = label.width / 2, label.height / 2
            corners.append(np.array([[box.x - w, box.y - h], [box.x + w, box.y + h]]))
        low, high = np.vstack(corners).min(axis=0), np.vstack(corners).max(axis=0)
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def scene(diagram: Diagram) -> Scene:
    """Return the scene of a diagram: it grows until every label has a place."""
    found, gap, radii = diagram.layout, diagram.gap, diagram.radii
    width = None if diagram.width is None else diagram.width - 2 * MARGIN
    texts = wanted(diagram.labels, diagram.font)
    x, layer = np.array(found.x, dtype=np.float64), np.array(found.layer, dtype=np.float64)
    span = float(x.max() - x.min()) if len(x) else 0.0
    across = 1.0
    if width is not None and span:
        across = max(0.2, (width - 2 * diagram.font) / span)
        radii, gap = radii * min(1.0, across), gap * min(1.0, across)
    for reach, size in _GROWTH:
        wide = across * (size if width is None else 1.0)
        for _ in range(_FITTING):
            ends = np.column_stack((x * wide, 0.0 - layer * gap * size))
            paths = [
                np.array(
                    [ends[u], *((at * wide, -level * gap * size) for at, level in bends), ends[v]]
                )
                for (v, u), bends in zip(diagram.part.covers.tolist(), found.bends, strict=True)
            ]
            segments = [np.hstack([path[:-1], path[1:]]) for path in paths]
            lines = np.vstack(segments) if segments else np.zeros((0, 4))
            boxes = boxes_of(ends, radii + 1, lines, texts, reach)
            if boxes is None:
                break
            made = Scene(ends, radii, paths, texts, boxes, diagram.font)
            left, right, *_ = made.frame
            if width is None or not span or right - left <= width:
                return made
            # Labels stick out: what is left for the nodes is narrower.
            wide = max(0.05, wide - (right - left - width) / span)
    return made
