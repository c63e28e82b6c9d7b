"""Separation: how well a concept stands apart from the rest of the table."""

from __future__ import annotations

import numpy as np

from conceptrank._util import lists as _lists
from conceptrank.concepts import Concepts
from conceptrank.faces import Scores
from conceptrank.measures import bounds
from conceptrank.measures.registry import measure


@measure(
    range="[0, 1]",
    depends=("support", "hits"),
    bound=bounds.separation,
    complexity="O(|A| + |B|)",
    reference="Klimushkin, Obiedkov, Roth, Approaches to the selection of relevant concepts, "
    "ICFCA (2010)",
)
def separation(concepts: Concepts) -> Scores:
    """Return |A| |B| over the number of crosses in the rows of A and the columns of B.

    1 if these rows and columns have no other cross, 0 where A or B is empty.

    Notes
    -----
    For empty concepts ae-hse/fca has 1, and conexp-clj divides by zero.
    """
    row_sizes = np.diff(concepts.context.rows()[0])
    if len(row_sizes) and (row_sizes == row_sizes[0]).all():
        # As in every table of nominal values.
        in_rows = concepts.supports * float(row_sizes[0])
    else:
        in_rows = concepts.extent_sums(row_sizes.astype(np.float64))
    offsets, values = concepts.intents
    supports = concepts.context.core.attribute_supports().astype(np.float64)
    in_columns = _lists.reduced(np.add, (offsets, supports[values]), empty=0)
    inside = (concepts.supports * concepts.intent_sizes).astype(np.float64)
    around = in_rows + in_columns - inside
    scores = np.zeros(len(concepts))
    np.divide(inside, around, out=scores, where=inside > 0)
    return scores
