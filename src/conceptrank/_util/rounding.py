"""`same`: whether numbers are equal but for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Scores are exact to 1e-12. Two that are this close, as a share of the larger one, came to the
# same number by different ways of rounding, and a tie must not break on that.
ROUNDING = 1e-13


def same(a: NDArray[Any], b: NDArray[Any], error: float = 0.0) -> NDArray[np.bool_]:
    """Return where numbers are equal but for rounding, or but for an error of that size.

    Examples
    --------
    >>> same(np.array([0.1 + 0.2, 0.3, np.inf]), np.array([0.3, 0.4, np.inf])).tolist()
    [True, False, True]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        rounding = ROUNDING * np.maximum(np.abs(a), np.abs(b))
        near = np.abs(a - b) <= np.maximum(rounding, error)
    result: NDArray[np.bool_] = (a == b) | (near & np.isfinite(a) & np.isfinite(b))
    return result
