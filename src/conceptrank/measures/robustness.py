"""Robustness: stability when objects are kept with any probability, and its polynomial."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from conceptrank import faces
from conceptrank._util.lists import Lists, Numbers, each
from conceptrank.concepts import Concepts
from conceptrank.errors import BudgetExceeded
from conceptrank.faces import FaceNeed, Scores, checked_share, checked_side
from conceptrank.measures import bounds
from conceptrank.measures.estimates import survival, survival_interval
from conceptrank.measures.registry import measure

if TYPE_CHECKING:
    from conceptrank.concept import Concept
    from conceptrank.context import Context


_TATTI = "Tatti, Moerchen, Calders, Finding robust itemsets under subsampling, TODS 39 (2014)"


@measure(
    side="extent",
    range="[0, 1]",
    depends=lambda alpha, side: (_miss(alpha, side),),
    frequent=True,
    interval_ends=lambda concepts, alpha, side: survival_interval(
        concepts, checked_side(side), None, alpha
    ),
    bound=lambda below, alpha, side: bounds.survival(below, alpha) if side == "extent" else None,
    bound_by=("delta",),
    complexity="#P-hard; exponential in overlapping faces at worst",
    reference=_TATTI,
)
def robustness(concepts: Concepts, *, alpha: float = 0.9, side: str = "extent") -> Scores:
    """Return the chance that B is an intent when objects are kept with probability alpha.

    It is the sum over E ⊆ A with E′ = B of alpha^|E| (1 - alpha)^(|A| - |E|). Stability is the case
    1/2.

    Parameters
    ----------
    concepts
        The concepts.
    alpha
        The chance to keep an object.
    side
        `"extent"`; `"intent"` for the dual, the chance that the extent survives when attributes are
        kept.

    Notes
    -----
    Expanded in powers of 1 - alpha, the sign (-1)^(|D| - |B|) is right over all attribute sets D ⊇
    B. Over the intents of sub-concepts alone it gives wrong values; there the coefficients are
    those of the Möbius function.
    """
    need = _miss(alpha, side)
    return survival(concepts, need.side, None, need.keep)


def _miss(alpha: float, side: str) -> FaceNeed:
    return FaceNeed(checked_side(side), ("miss",), checked_share(alpha, "alpha"))


def robustness_polynomial(
    concept: Concept, *, side: str = "extent", limit: int = 100_000
) -> dict[int, int]:
    """Return robustness as a polynomial in 1 - alpha: the coefficient of each power.

    Parameters
    ----------
    concept
        The concept.
    side
        As for `robustness`.
    limit
        The largest number of distinct unions of faces. There can be exponentially many.

    Raises
    ------
    BudgetExceeded
        If there are more.

    Examples
    --------
    >>> import conceptrank as cr
    >>> concept = cr.Context.from_itemsets(["abc", "ab", "abd", "bc", "cd"]).concept("a")
    >>> cr.measures.robustness_polynomial(concept)
    {0: 1, 2: -2, 3: 1}
    >>> sum(many * 0.1**power for power, many in _.items())
    0.981
    """
    return _polynomial(concept.context, concept.intent_numbers, side, limit)


@measure(
    side="extent",
    direction="lower",
    range="1 … number of concepts",
    depends=("lattice",),
    complexity="the number of sub-concepts at worst; a loop over concepts",
    reference=_TATTI,
)
def robustness_order(concepts: Concepts, *, side: str = "extent", limit: int = 5_000) -> Scores:
    """Return the rank of each concept by robustness for alpha near 1.

    Polynomials are compared from the lowest power on: a larger Δ comes first, then fewer faces of
    that size, and so on. Equal ones share a rank, and 1 is the most robust.
    `cr.measures.robustness_polynomial(concept)` gives the coefficients.

    Parameters
    ----------
    concepts
        The concepts.
    side
        As for `robustness_polynomial`.
    limit
        The largest number of concepts of the context, and of unions of faces of one concept.
    """
    everything, places = concepts.whole(limit)
    polynomials = [
        tuple(_polynomial(concepts.context, intent, side, max(limit, 100_000)).items())
        for intent in each(everything.intents)
    ]
    powers = sorted({power for terms in polynomials for power, _ in terms})
    different = sorted(
        set(polynomials), key=lambda terms: [-dict(terms).get(power, 0) for power in powers]
    )
    rank = {polynomial: place for place, polynomial in enumerate(different, start=1)}
    found = np.array([rank[polynomial] for polynomial in polynomials], dtype=np.float64)
    return found[places]


def _faces(context: Context, intent: Numbers, side: str) -> Lists:
    of_side = faces.extent_faces if checked_side(side) == "extent" else faces.intent_faces
    return of_side(context, intent)


def _polynomial(context: Context, intent: Numbers, side: str, limit: int) -> dict[int, int]:
    """Return Σ over sets of faces of (-1)^(number of faces) x^(size of their union), by powers.

    Sets of faces with the same union are added up. The sum of their signs is the Möbius function
    between the concept and the sub-concept that lacks this union.
    """
    elements, masks = _masks(_faces(context, intent, side))
    signs = {0: 1}
    for face in masks:
        changed: dict[int, int] = {}
        for union, sign in signs.items():
            larger = union | face
            changed[larger] = changed.get(larger, 0) - sign
        for union, sign in changed.items():
            total = signs.get(union, 0) + sign
            if total:
                signs[union] = total
            else:
                signs.pop(union, None)
        if len(signs) > limit:
            raise BudgetExceeded(
                f"the polynomial has more than {limit:,} terms before they are added up; "
                "score('robustness', alpha=…) gives its value at one alpha"
            )
    weights = context.weights[elements] if side == "extent" and context.weighted else None
    powers: dict[int, int] = {}
    for union, sign in signs.items():
        power = union.bit_count() if weights is None else _weight(union, weights)
        powers[power] = powers.get(power, 0) + sign
    return {power: powers[power] for power in sorted(powers) if powers[power]}


def _weight(mask: int, weights: NDArray[np.int64]) -> int:
    """Return the sum of the weights of the bits that are set."""
    data = np.frombuffer(mask.to_bytes(-(-len(weights) // 8), "little"), dtype=np.uint8)
    return int(weights @ np.unpackbits(data, count=len(weights), bitorder="little"))


def _masks(family: Lists) -> tuple[Numbers, list[int]]:
    """Return the elements of faces, and the faces as bits of integers, one for each element."""
    offsets, values = family
    elements, places = np.unique(values, return_inverse=True)
    masks = []
    for begin, end in pairwise(offsets.tolist()):
        bits = np.zeros(len(elements), dtype=np.bool_)
        bits[places[begin:end]] = True
        masks.append(int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little"))
    return elements, masks
