"""Size and coverage: how large a concept is, and how much of the table it covers."""

from __future__ import annotations

from functools import partial

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.concepts import Concepts
from conceptrank.faces import Scores
from conceptrank.measures import bounds
from conceptrank.measures.registry import measure

_AGRAWAL = "Agrawal, Imieliński, Swami, Mining association rules, SIGMOD (1993)"
_GANTER = "Ganter, Wille, Formal concept analysis (1999)"
_GEERTS = "Geerts, Goethals, Mielikäinen, Tiling databases, DS (2004)"
_occurrence = partial(
    measure,
    side="extent",
    depends=("support",),
    frequent=True,
    complexity="O(1)",
    reference=_AGRAWAL,
)
_tile = partial(
    measure,
    depends=("support", "intent"),
    bound_by=("support",),
    complexity="O(1)",
    reference=_GEERTS,
)


@_occurrence(range="0 … n", bound="own", bound_by=("support",))
def support(concepts: Concepts) -> Scores:
    """Return |A|, the number of objects."""
    return concepts.supports.astype(np.float64)


@_occurrence(range="[0, 1]", bound="own", bound_by=("support",))
def frequency(concepts: Concepts) -> Scores:
    """Return |A| / n, the share of all objects; 0 in a context without objects."""
    n, _ = concepts.context.shape
    return concepts.supports / max(n, 1)


@measure(
    side="intent",
    range="0 … q",
    frequent=True,
    bound=bounds.length,
    complexity="O(1)",
    reference=_GANTER,
)
def intent_size(concepts: Concepts) -> Scores:
    """Return |B|, the number of attributes.

    Notes
    -----
    Use it as a baseline: every score that depends on the intent alone looks perfectly reproducible
    in split tests.
    """
    return concepts.intent_sizes.astype(np.float64)


@_tile(range="0 … n q", frequent=True, bound=bounds.area)
def tile_area(concepts: Concepts) -> Scores:
    """Return |A| |B|, the number of crosses that the concept covers."""
    return (concepts.supports * concepts.intent_sizes).astype(np.float64)


@_tile(range="[0, 1]", bound=bounds.area_share)
def tile_density_share(concepts: Concepts) -> Scores:
    """Return |A| |B| / (n q), the share of the table's cells that the concept covers."""
    n, q = concepts.context.shape
    return np.asarray(tile_area(concepts) / max(n * q, 1))


@_tile(range="[0, 1]", bound=bounds.area_of_crosses)
def incidence_coverage(concepts: Concepts) -> Scores:
    """Return |A| |B| / |I|, the share of the table's crosses that the concept covers.

    0 in a table without crosses.
    """
    return np.asarray(tile_area(concepts) / max(concepts.context.crosses, 1))


@measure(
    side="extent",
    range="0 … |A|",
    bound=bounds.support,
    bound_by=("support",),
    complexity="O(|B|), after O(n q) once",
    reference=_GANTER,
)
def own_objects(concepts: Concepts) -> Scores:
    """Return the number of objects g with g′ = B: those in no lower cover.

    Notes
    -----
    fcaR calls this number separation. It is not `separation`.
    """
    rows, places = _lists.distinct(concepts.context.rows())
    found = _lists.found_in(rows, concepts.intents)[places]
    own, weights = found >= 0, concepts.context.weights
    return np.bincount(found[own], weights[own], minlength=len(concepts)).astype(np.float64)


@measure(
    side="intent",
    range="0 … |B|",
    depends=("support", "intent"),
    frequent=True,
    bound=bounds.length,
    complexity="O(|B|)",
    reference=_GANTER,
)
def own_attributes(concepts: Concepts) -> Scores:
    """Return the number of attributes m with m′ = A: those in no upper cover."""
    offsets, values = concepts.intents
    # All objects of the extent have an attribute of the intent. It is own if no others have it.
    wide = np.repeat(concepts.supports, np.diff(offsets))
    own = (concepts.context.core.attribute_supports()[values] == wide).astype(np.float64)
    return _lists.reduced(np.add, (offsets, own), empty=0)
