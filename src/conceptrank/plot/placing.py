"""From labels and nodes to places on the page: how much room text takes, and the layout."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from conceptrank.plot.labels import Label
from conceptrank.plot.layout import Layout, Poset, layout
from conceptrank.plot.suborder import SubOrder

# Points: the size of the type, the distance of lines, and between a node and its labels.
FONT, LINE, LABEL_GAP = 8.0, 10.0, 2.5
# Between the labels of two layers.
_BETWEEN_LAYERS = 20.0
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
    if letter in _WIDE or east_asian_width(letter) in "WF":
        return 1.02
    return 0.72 if letter.isupper() else 0.65


def label_width(label: Label) -> float:
    """Return the width of the widest line of a label.

    Examples
    --------
    >>> label_width(Label()), round(label_width(Label(above=("a", "abc"))), 1)
    (0.0, 15.6)
    """
    return max(map(text_width, (*label.above, *label.below)), default=0.0)


def placed(part: SubOrder, labels: Sequence[Label], radii: Sequence[float]) -> Layout:
    """Return the layout of some concepts in points."""
    radius = max(radii, default=0.0)
    above = max((len(label.above) for label in labels), default=0) * LINE
    below = max((len(label.below) for label in labels), default=0) * LINE
    texts = (LABEL_GAP + above if above else 0) + (LABEL_GAP + below if below else 0)
    return layout(
        Poset(
            n=len(part),
            edges=[(upper, lower) for lower, upper in part.covers.tolist()],
            widths=[
                max(2 * own, label_width(label)) for own, label in zip(radii, labels, strict=True)
            ],
            gap=texts + 2 * radius + _BETWEEN_LAYERS,
            clearance=radius + 2,
        )
    )
