"""What is written at the nodes of a line diagram: attributes above, objects below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from conceptrank._util import text as _text
from conceptrank.plot.suborder import SubOrder

LabelMode: TypeAlias = Literal["reduced", "full", "counts", "none"]

# The largest number of concepts in a diagram, and the most letters per line of a label there.
_LONGEST_LINES = ((12, 26), (30, 20), (80, 15))
MOST_LINES = 3
# The most letters of a name, if a diagram may be as wide as it gets.
_LONGEST_NAME = 40

# How to read the labels.
READING: dict[LabelMode, str] = {
    "reduced": "A concept has the attributes written at it and above it, and the objects at it and "
    "below it.",
    "full": "Above a concept its attributes, below it its objects.",
    "counts": "A concept has the attributes written at it and above it; below it the number of its "
    "objects.",
    "none": "",
}


@dataclass(frozen=True)
class Label:
    """The lines above and below a node."""

    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


def labels_of(
    part: SubOrder, mode: LabelMode, letters: int | None = None, *, narrow: bool = False
) -> list[Label]:
    """Return the labels of some concepts.

    Parameters
    ----------
    part
        The concepts.
    mode
        `"reduced"`: each attribute and object once, as far up and as far down as it can be;
        `"full"`: intents and extents; `"counts"`: reduced attributes, and the number of objects
        instead of their names; `"none"`.
    letters
        The most letters of a name or a line. If None, the more concepts, the fewer letters has a
        line; a name has up to 40.
    narrow
        Whether a name is cut to the length of a line.

    Examples
    --------
    >>> import conceptrank as cr
    >>> part = SubOrder.whole(cr.datasets.load("movies").lattice(min_support=5))
    >>> labels_of(part, "counts")[1]
    Label(above=('adventure',), below=('8',))
    >>> labels_of(part, "reduced")[4]
    Label(above=('drama',), below=('2, 3, 5, 6, 9',))
    """
    if mode == "none":
        return [Label()] * len(part)
    usual = next((most for number, most in _LONGEST_LINES if len(part) <= number), 12)
    longest = letters or (usual if narrow else _LONGEST_NAME)
    lines = partial(_lines, letters=letters or usual, longest=longest)
    names, weights = part.context.object_names.of, part.context.weights
    whole = mode == "full"
    attributes = part.intents if whole else part.own_attributes
    objects = part.extents if whole else part.own_objects
    found = []
    for above, below, support in zip(attributes, objects, part.supports.tolist(), strict=True):
        written: tuple[str, ...] = (f"{support:,}",)
        if mode != "counts":
            many = f"{int(weights[below].sum()):,} objects"
            written = lines(names(below.tolist()), many=many)
        found.append(Label(lines(above), written))
    return found


def _lines(
    names: Sequence[str], letters: int, *, longest: int, many: str | None = None
) -> tuple[str, ...]:
    r"""Return names as a few short lines, with the number of those that don't fit.

    Parameters
    ----------
    names
        The names.
    letters
        How many letters a line with several names may have.
    longest
        How many letters a name may have.
    many
        The text to show instead if most don't fit, such as their number.

    Examples
    --------
    >>> _lines(["adventure", "criminal", "drama"], 24, longest=24)
    ('adventure, criminal,', 'drama')
    >>> _lines([f"object number {i}" for i in range(9)], 24, longest=24)
    ('object number 0,', 'object number 1,', '+ 7 more')
    >>> _lines([f"object number {i}" for i in range(9)], 24, longest=24, many="9 objects")
    ('9 objects',)
    >>> _lines(["two\nlines", "a name that is much too long to be read"], 24, longest=24)
    ('two\\nlines,', 'a name that is much too…')
    """
    shown = [_short(name, longest) for name in names[: MOST_LINES * letters]]
    rows = _wrapped(shown, letters)
    if len(rows) <= MOST_LINES and len(shown) == len(names):
        return tuple(", ".join(row) + ("," if row is not rows[-1] else "") for row in rows)
    kept = rows[: MOST_LINES - 1]
    more = len(names) - sum(map(len, kept))
    if many is not None and 2 * more > len(names):
        return (many,)
    return (*(", ".join(row) + "," for row in kept), f"+ {more:,} more")


def _short(name: str, letters: int) -> str:
    # Cut before and after: of 5,000 letters only the first ones are looked at.
    return _text.label(_text.printable(name[: letters + 1]), letters)


def _wrapped(names: Sequence[str], letters: int) -> list[list[str]]:
    rows: list[list[str]] = []
    length = 0
    for name in names:
        if rows and length + 2 + len(name) < letters:
            rows[-1].append(name)
            length += 2 + len(name)
        else:
            rows.append([name])
            length = len(name)
    return rows
