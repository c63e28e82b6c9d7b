"""Random contexts: from nothing, or from a context whose properties they keep.

All are drawn from a stream of random numbers that `seed` and `stream` determine: the same ones give
the same context, and streams of one seed are independent of each other.

What a random context keeps of a given one determines what a comparison with it shows:

=================  ======================  =========================  ====================
function           objects' sizes          attributes' frequencies    number of crosses
=================  ======================  =========================  ====================
swap, curveball    each one's, exactly     each one's, exactly        exactly
shuffle_columns    no                      each one's, exactly        exactly
resample_rows      in distribution         in expectation             in expectation
categorical_rows   in distribution         no                         in expectation
dirichlet_rows     nearly (by precision)   no                         nearly
fixed_density      no                      no                         exactly
coin_toss          no                      no                         in expectation
=================  ======================  =========================  ====================

The row models (`categorical_rows`, `dirichlet_rows`, `coin_toss`, `fixed_density`) make attributes
exchangeable. A pattern may differ from them only because attributes have different frequencies.
They take a shape; as null models (`conceptrank.evaluation.nulls`), they imitate a context.

`planted` draws a context with known patterns, to test which methods find them.
"""

from conceptrank.datasets.random.of_context import curveball, resample_rows, shuffle_columns, swap
from conceptrank.datasets.random.of_shape import (
    categorical_rows,
    coin_toss,
    dirichlet_rows,
    fixed_density,
)
from conceptrank.datasets.random.planted import Pattern, Planted, planted

__all__ = [
    "Pattern",
    "Planted",
    "categorical_rows",
    "coin_toss",
    "curveball",
    "dirichlet_rows",
    "fixed_density",
    "planted",
    "resample_rows",
    "shuffle_columns",
    "swap",
]
