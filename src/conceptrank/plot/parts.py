"""Which concepts a diagram shows, and the diagram of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from conceptrank.concept import Concept
from conceptrank.errors import ConceptRankError
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot.labels import LabelMode
from conceptrank.plot.layout import LayoutKind
from conceptrank.plot.line_diagram import MOST_DRAWN, Diagram, refuse_too_many
from conceptrank.plot.placing import FONT
from conceptrank.plot.suborder import SubOrder
from conceptrank.ranking import Ranking

# A concept, or attributes that generate it.
ConceptLike: TypeAlias = "Concept | str | Sequence[str]"
Source: TypeAlias = "Lattice | Ranking | Concept | SubOrder"


def diagram(
    source: Source,
    *,
    around: ConceptLike | None = None,
    ideal: ConceptLike | None = None,
    filter: ConceptLike | None = None,  # noqa: A002
    top: int | None = None,
    by: MeasureLike = "cr",
    min_support: float | None = None,
    radius: int = 1,
    labels: LabelMode = "reduced",
    colour: MeasureLike | None = None,
    size: MeasureLike | None = None,
    limit: int = MOST_DRAWN,
    label_length: int | None = None,
    caption: bool = True,
    width: float | None = None,
    font: float = FONT,
    layout: LayoutKind = "auto",
) -> Diagram:
    """Return a line diagram of a lattice, or of a part of it.

    If a lattice has more than `limit` concepts and no part is chosen, the concepts of the largest
    support are shown, as many as fit. Of a ranking all concepts are shown, and of a single concept
    its neighbourhood, for which no lattice is needed.

    Parameters
    ----------
    source
        A lattice, a ranking, a concept, or a `SubOrder`.
    around, ideal, filter
        Show the neighbourhood of a concept, all below it, or all above it. The concept, or
        attributes that generate it.
    top, by
        Show the first concepts by a measure, or those of the ranking.
    min_support
        Show the concepts with at least this many objects; a float is a share of all objects.
    radius
        How many covers the neighbourhood reaches.
    labels
        `"reduced"`: each attribute and object once; `"full"`: intents and extents; `"counts"`:
        reduced attributes, and numbers of objects; `"none"`. Diagrams of more than 150 concepts
        have no labels.
    colour, size
        Measures that the nodes show by their colour and by their size; high scores are dark and
        large.
    limit
        The largest number of concepts to draw, up to 2,000.
    label_length
        The most letters of a name or a line; longer names are cut. If None, the more concepts,
        the fewer letters; but names are whole in SVG, PDF and text files without a `width`.
    caption
        Whether a drawing has a caption that explains it. `Diagram.notes` has the same sentences.
    width
        How wide a drawing is, in points (72 are an inch); as wide as it gets if None.
    font
        The size of the labels, in points.
    layout
        `"layered"`: few crossings. `"additive"`: each attribute has a vector, and a concept is at
        the sum of the vectors of its attributes, so lines for the same attribute are parallel.
        `"support"`: concepts with the same number of objects are at the same height. `"auto"`:
        additive for up to 50 concepts if that is as easy to read, otherwise layered.

    Raises
    ------
    TooManyConceptsError
        If the part has more concepts than `limit`.

    Examples
    --------
    >>> import conceptrank as cr
    >>> lattice = cr.datasets.load("movies").lattice()
    >>> cr.plot.diagram(lattice, ideal="drama")
    <Diagram of 6 concepts: the ideal of {drama}>
    >>> cr.plot.diagram(lattice, top=5, by="stability")
    <Diagram of 5 concepts: the first 5 by stability>
    >>> cr.plot.diagram(lattice, limit=10)
    <Diagram of 10 concepts: the concepts with at least 3 objects>
    >>> cr.plot.diagram(cr.datasets.load("movies").concept("criminal", "drama"))
    <Diagram of 4 concepts: the neighbourhood of {adventure, criminal, drama}>
    """
    about = {"around": around, "ideal": ideal, "filter": filter}
    named = {name: given for name, given in about.items() if given is not None}
    chosen = [*named, *(["top"] if top is not None else [])]
    if len(chosen) > 1:
        raise ConceptRankError(f"{' and '.join(chosen)} are different parts: give one of them")
    if isinstance(source, Ranking) and colour is None:
        colour = source.recipe.measures[source.by]
    if isinstance(source, Concept):
        part = _neighbourhood(source, radius, min_support, limit)
    elif isinstance(source, SubOrder):
        part = source
    elif named:
        lattice = source.lattice if isinstance(source, Ranking) else source
        concept = _concept(lattice, next(iter(named.values())))
        if around is not None:
            least = lattice.min_support if min_support is None else min_support
            part = _neighbourhood(concept, radius, least, limit)
        else:
            part = (SubOrder.ideal if filter is None else SubOrder.filter)(lattice, concept)
    elif isinstance(source, Ranking) or top is not None:
        ranking = source if isinstance(source, Ranking) else source.rank(by)
        number = len(ranking) if top is None else min(top, len(ranking))
        refuse_too_many(number, "the concepts of the ranking", limit)
        part = SubOrder.top(ranking, number)
    elif min_support is not None:
        part = SubOrder.iceberg(source, min_support)
    else:
        part = _fitting(source, limit, by)
    return Diagram(
        part,
        mode=labels,
        colour=colour,
        size=size,
        limit=limit,
        label_length=label_length,
        caption=caption,
        width=width,
        font=font,
        layout=layout,
    )


def _concept(lattice: Lattice, given: ConceptLike) -> Concept:
    if isinstance(given, Concept):
        return given
    names = (given,) if isinstance(given, str) else tuple(given)
    return lattice.context.concept(*names)


def _neighbourhood(
    concept: Concept, radius: int, min_support: float | None, limit: int
) -> SubOrder:
    return SubOrder.neighbourhood(concept, radius=radius, min_support=min_support or 0, most=limit)


def _fitting(lattice: Lattice, limit: int, by: MeasureLike) -> SubOrder:
    """Return the whole lattice if it is small enough, or else a part that says which it is."""
    part = SubOrder.largest_iceberg(lattice, limit)
    if len(part) < 2 <= min(limit, len(lattice)):
        # Too many concepts share the largest support below that of the top.
        return SubOrder.top(lattice.rank(by), limit)
    return part
