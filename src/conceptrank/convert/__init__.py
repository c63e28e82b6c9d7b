"""Conversions between contexts and other libraries' data, in and out.

The functions `from_…` return names and rows, which `Context.from_csr` takes; the functions `to_…`
take them. No library is imported before it is needed. Tables of results are in `convert.results`.
"""

from conceptrank.convert.frames import (
    from_pandas,
    from_polars,
    polars_frame,
    to_pandas,
    to_polars,
    with_weights,
    without_weights,
)
from conceptrank.convert.graphs import from_networkx, to_networkx
from conceptrank.convert.itemsets import from_itemsets, from_pairs
from conceptrank.convert.matrices import (
    columns,
    from_bools,
    from_numpy,
    from_scipy,
    nonzero_rows,
    to_numpy,
    to_scipy,
)
from conceptrank.convert.shared import Parts, Weights, lists, numbered, weights

__all__ = [
    "Parts",
    "Weights",
    "columns",
    "from_bools",
    "from_itemsets",
    "from_networkx",
    "from_numpy",
    "from_pairs",
    "from_pandas",
    "from_polars",
    "from_scipy",
    "lists",
    "nonzero_rows",
    "numbered",
    "polars_frame",
    "to_networkx",
    "to_numpy",
    "to_pandas",
    "to_polars",
    "to_scipy",
    "weights",
    "with_weights",
    "without_weights",
]
