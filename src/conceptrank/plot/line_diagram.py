"""`Diagram`: a line diagram of some concepts, to be drawn or written for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank._util.files import write_whole
from conceptrank._util.text import counted
from conceptrank.errors import BudgetExceeded, checked_choice
from conceptrank.faces import Scores
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot import dot, labels, style, tikz
from conceptrank.plot.columns import Column
from conceptrank.plot.labels import Label, LabelMode
from conceptrank.plot.layout import Layout, LayoutKind
from conceptrank.plot.placing import FONT, Scene, placed, scene
from conceptrank.plot.suborder import MOST, SubOrder
from conceptrank.query import labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The default limit of concepts in a diagram, and the largest number that have labels.
MOST_DRAWN, MOST_LABELLED = 80, 150
# Radii in points: without a measure, and the smallest and the largest one with it.
RADIUS, SMALLEST, LARGEST = 5.0, 3.0, 10.0
# The preferred height of a diagram for its width, and the most by which it may exceed the least
# height, as a factor.
_SHAPE, _HIGHER = 0.45, 1.6
# In points: the least width of a drawing, and the limits of the font size.
LEAST_WIDTH, MIN_FONT, MAX_FONT = 60.0, 3.0, 40.0

WRITERS: dict[str, Callable[[Diagram], str]] = {
    "dot": dot.to_dot,
    "gv": dot.to_dot,
    "tex": tikz.to_tikz,
    "tikz": tikz.to_tikz,
}


class TooManyConceptsError(BudgetExceeded):
    """A diagram has more concepts than its limit."""


class Diagram:
    """A line diagram: a node per concept, larger concepts above, a line per cover.

    `conceptrank.plot.diagram` makes one.

    Parameters
    ----------
    part
        The concepts.
    labels
        `"reduced"`, `"full"`, `"counts"` or `"none"`.
    colour, size
        Measures that the nodes show by their colour and by their size.
    limit
        The largest number of concepts to draw.
    label_length
        The most letters of a name or a line. If None, a name has up to 40; a line, and a name in a
        drawing of a given width, the fewer the more concepts there are.
    caption
        Whether the drawing has the notes below it.
    width
        The width of the drawing in points; as wide as needed if None.
    font
        The size of the labels, in points.
    layout
        `"layered"`, `"additive"`, `"support"` or `"auto"`: see `conceptrank.plot.diagram`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> diagram = cr.plot.diagram(cr.datasets.load("movies").lattice(min_support=5), colour="cr")
    >>> diagram
    <Diagram of 5 concepts: the concepts with at least 5 objects>
    >>> diagram.labels[1]
    Label(above=('adventure',), below=('1',))
    """

    def __init__(
        self,
        part: SubOrder,
        *,
        labels: LabelMode = "reduced",
        colour: MeasureLike | None = None,
        size: MeasureLike | None = None,
        limit: int = MOST_DRAWN,
        label_length: int | None = None,
        caption: bool = True,
        width: float | None = None,
        font: float = FONT,
        layout: LayoutKind = "auto",
    ) -> None:
        if width is not None and not width >= LEAST_WIDTH:
            raise ValueError(f"width must be at least {LEAST_WIDTH:g} points, got {width:g}")
        if not MIN_FONT <= font <= MAX_FONT:
            raise ValueError(f"font must be from {MIN_FONT:g} to {MAX_FONT:g} points, got {font:g}")
        self.width = width
        self.font = font
        self._kind = checked_choice("layout", layout, LayoutKind)
        if label_length is not None and label_length < 2:
            raise ValueError(f"label_length must be at least 2, got {label_length}")
        refuse_too_many(len(part), part.title, limit)
        self.part = part
        self.mode: LabelMode = "none"
        if self.labelled:
            self.mode = checked_choice("labels", labels, LabelMode)
        self._asked = labels
        self._label_length = label_length
        self.caption = caption
        self.colour, self.size = (
            None if each is None else Column(labelled([each])[1][0], part.score(each))
            for each in (colour, size)
        )

    @property
    def title(self) -> str:
        """What is shown, in a few words."""
        return f"{counted(len(self.part), 'concept')}: {self.part.title}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know, one sentence each.

        Examples
        --------
        >>> import conceptrank as cr
        >>> ranking = cr.datasets.load("movies").lattice().rank("cr")
        >>> for note in cr.plot.diagram(ranking, top=4, labels="none").notes:
        ...     print(note)
        4 of 20 concepts: the first 4 by cr.
        Lines show what covers what among the concepts drawn.
        """
        if not len(self.part):
            return ("There are no concepts.",)
        concepts, number, found = self.part.concepts, len(self.part), []
        if not isinstance(concepts, Lattice):
            found.append(f"{self.title}.")
        elif number < len(concepts):
            found.append(f"{number:,} of {len(concepts):,} concepts: {self.part.title}.")
            found.append("Lines show what covers what among the concepts drawn.")
        if self.mode != "none":
            found.append(labels.READING[self.mode])
        elif self._asked != "none":
            found.append(f"Labels are left out beyond {MOST_LABELLED} concepts.")
        return tuple(found)

    @property
    def labelled(self) -> bool:
        """Whether there is room for labels."""
        return len(self.part) <= MOST_LABELLED

    @cached_property
    def labels(self) -> list[Label]:
        """The lines above and below each node."""
        narrow = self.width is not None
        return labels.labels_of(self.part, self.mode, self._label_length, narrow=narrow)

    @cached_property
    def nodes(self) -> list[dict[str, float]]:
        """Numbers of each concept: its support, and its scores by the measures shown."""
        columns = [column for column in (self.colour, self.size) if column is not None]
        shown = {"support": self.part.supports.astype(np.float64)}
        shown |= {column.name: column.scores for column in columns}
        rows = zip(*(values.tolist() for values in shown.values()), strict=True)
        return [dict(zip(shown, row, strict=True)) for row in rows]

    @cached_property
    def radii(self) -> NDArray[np.float64]:
        """The radius of each node in points: its area grows with the score."""
        if self.size is None:
            return np.full(len(self.part), RADIUS if self.labelled else SMALLEST)
        shares = shares_of(self.size.scores)
        largest = LARGEST if self.labelled else RADIUS
        squares = SMALLEST**2 + np.nan_to_num(shares) * (largest**2 - SMALLEST**2)
        return np.sqrt(squares)

    @cached_property
    def fills(self) -> list[str] | None:
        """The colour of each node, from light to dark; None without a measure.

        What has no score stays white.
        """
        if self.colour is None:
            return None
        return [style.shade(share) for share in shares_of(self.colour.scores).tolist()]

    @cached_property
    def layout(self) -> Layout:
        """The places of the nodes, the same as in the explorer."""
        return placed(self.part, self.labels, self.radii.tolist(), self._kind)

    @cached_property
    def gap(self) -> float:
        """The distance between layers: a wide diagram is drawn higher than it must be."""
        found = self.layout
        layers = max(found.layer, default=0)
        wide = max(found.x, default=0.0) - min(found.x, default=0.0)
        most = _HIGHER * found.gap if self.labelled else wide
        return max(found.gap, min(wide * _SHAPE / max(layers, 1), most))

    @cached_property
    def scene(self) -> Scene:
        """Nodes, lines and labels in points: what all drawings of the diagram show."""
        return scene(self)

    def to_dot(self) -> str:
        """Return the diagram for Graphviz.

        Examples
        --------
        >>> import conceptrank as cr
        >>> lattice = cr.datasets.load("movies").lattice(min_support=8)
        >>> print(cr.plot.diagram(lattice).to_dot().splitlines()[-3].strip())
        c0 -- c1;
        """
        return dot.to_dot(self)

    def to_tikz(self) -> str:
        """Return the diagram as a picture for LaTeX."""
        return tikz.to_tikz(self)

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw the diagram with matplotlib, and return the axes.

        Parameters
        ----------
        ax
            The axes to draw on; those of a new figure, large enough for it, if None.
        """
        from conceptrank.plot import drawing

        return drawing.draw(self, ax)

    def save(self, path: str | os.PathLike[str] | IO[bytes], *, format: str | None = None) -> None:  # noqa: A002
        """Write the diagram to a file: SVG, PNG, PDF, DOT or TikZ.

        Parameters
        ----------
        path
            Where to.
        format
            `"svg"`, `"png"`, `"pdf"`, `"dot"` or `"tikz"`; by the suffix of the file if None.

        Examples
        --------
        >>> import conceptrank as cr
        >>> from tempfile import TemporaryDirectory
        >>> diagram = cr.plot.diagram(cr.datasets.load("movies").lattice())
        >>> with TemporaryDirectory() as directory:
        ...     diagram.save(directory + "/movies.dot")
        ...     diagram.save(directory + "/movies.svg")
        """
        if isinstance(path, str | os.PathLike):
            name = format or Path(path).suffix.lower().lstrip(".")
            write_whole(path, lambda file: self.save(file, format=name))
        elif format in WRITERS:
            path.write(WRITERS[format](self).encode())
        else:
            style.save(self.draw(), path, format=format, close=True)

    def _repr_png_(self) -> bytes | None:
        """Return the drawing for notebooks; None without matplotlib."""
        if find_spec("matplotlib") is None:
            return None
        file = BytesIO()
        self.save(file, format="png")
        return file.getvalue()

    def __repr__(self) -> str:
        return f"<Diagram of {self.title}>"


def refuse_too_many(number: int, title: str, limit: int) -> None:
    """Refuse to draw more concepts than the limit.

    Examples
    --------
    >>> refuse_too_many(1234, "all concepts", 80)
    Traceback (most recent call last):
    conceptrank.plot.line_diagram.TooManyConceptsError: all concepts: 1,234 concepts, and ...
    """
    if limit > MOST:
        raise ValueError(f"a diagram of more than {MOST:,} concepts is a grey mass, got {limit:,}")
    if number > limit:
        raise TooManyConceptsError(
            f"{title}: {number:,} concepts, and a diagram shows at most {limit:,}; show a part: "
            "the neighbourhood, ideal or filter of a concept, the top k, or an iceberg; or raise "
            "the limit"
        )


def shares_of(scores: Scores) -> Scores:
    """Return scores relative to the range from the smallest to the largest; NaN if not finite.

    Examples
    --------
    >>> shares_of(np.array([1.0, 3.0, np.inf, 2.0])), shares_of(np.array([2.0, 2.0]))
    (array([0. , 1. , nan, 0.5]), array([0.5, 0.5]))
    """
    known = np.isfinite(scores)
    shares = np.full(len(scores), np.nan)
    if known.any():
        low, high = scores[known].min(), scores[known].max()
        shares[known] = (scores[known] - low) / (high - low) if high > low else 0.5
    return shares
