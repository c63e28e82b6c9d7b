"""Which concepts a diagram shows, and the diagram of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias, TypedDict, Unpack

from conceptrank.concept import Concept
from conceptrank.context import Context
from conceptrank.errors import ConceptRankError
from conceptrank.lattice import Lattice
from conceptrank.measures.registry import MeasureLike
from conceptrank.plot.labels import LabelMode
from conceptrank.plot.layout import LayoutKind
from conceptrank.plot.line_diagram import MOST_DRAWN, Diagram, refuse_too_many
from conceptrank.plot.suborder import SubOrder
from conceptrank.ranking import Ranking

# A concept, or attributes that generate it.
ConceptLike: TypeAlias = "Concept | str | Sequence[str]"
Source: TypeAlias = "Lattice | Ranking | Concept | SubOrder"


class Look(TypedDict, total=False):
    """What a diagram looks like: the keywords of `Diagram`."""

    labels: LabelMode
    colour: MeasureLike | None
    size: MeasureLike | None
    limit: int
    label_length: int | None
    caption: bool
    width: float | None
    font: float
    layout: LayoutKind


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
    **look: Unpack[Look],
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
        The most letters of a name or a line; longer names are cut. If None, a name has up to 40; a
        line, and a name in a drawing of a given width, the fewer the more concepts there are.
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
    about = {"around": around, "ideal": ideal, "filter": filter, "top": top}
    chosen = [name for name, given in about.items() if given is not None]
    if len(chosen) > 1:
        raise ConceptRankError(f"{' and '.join(chosen)} are different parts: give one of them")
    limit = look.get("limit", MOST_DRAWN)
    near = partial(SubOrder.neighbourhood, radius=radius, most=limit)
    if isinstance(source, Ranking):
        look.setdefault("colour", source.recipe.measures[source.by])
    if isinstance(source, Concept):
        part = near(source, min_support=min_support or 0)
    elif isinstance(source, SubOrder):
        part = source
    elif chosen and top is None:
        lattice = source.lattice if isinstance(source, Ranking) else source
        concept = _concept(lattice.context, about[chosen[0]])
        if around is not None:
            least = lattice.min_support if min_support is None else min_support
            part = near(concept, min_support=least)
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
        part = SubOrder.largest_iceberg(source, limit)
        if len(part) < 2 <= min(limit, len(source)):
            # Too many concepts share the largest support below that of the top.
            part = SubOrder.top(source.rank(by), limit)
    return Diagram(part, **look)


def _concept(context: Context, given: Any) -> Concept:
    if isinstance(given, Concept):
        return given
    return context.concept(*((given,) if isinstance(given, str) else given))
