"""`matched_auc`: the AUC among concepts of the same support."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def matched_auc(
    place: NDArray[np.int64], truth: NDArray[np.bool_], supports: NDArray[np.int64]
) -> float:
    """Return the chance that a true concept is placed before a false one of the same support.

    All pairs of a true and a false concept of the same support count the same, ties count half.
    A measure that only follows support gets 0.5.

    Parameters
    ----------
    place
        The levels of the concepts; 0 is best.
    truth
        Which concepts are true ones.
    supports
        Their supports.

    Returns
    -------
    float
        The AUC; nan if no true concept has the support of a false one.

    Examples
    --------
    >>> truth = np.array([True, False, True, False])
    >>> matched_auc(np.array([0, 1, 3, 2]), truth, np.array([9, 9, 5, 5]))
    0.5
    >>> matched_auc(np.array([0, 1, 3, 2]), truth, np.array([9, 8, 5, 5]))
    0.0
    """
    if not len(place):
        return np.nan
    _, stratum = np.unique(supports, return_inverse=True)
    keys, group = np.unique(
        stratum.astype(np.int64) * (int(place.max()) + 1) + place, return_inverse=True
    )
    hits = np.bincount(group, truth)
    misses = np.bincount(group) - hits
    strata = keys // (int(place.max()) + 1)
    all_misses = np.bincount(strata, misses)
    # Groups are in the order of strata, then places: what comes after a group in its own stratum.
    before = np.concatenate([[0], np.cumsum(all_misses)])[strata]
    after = all_misses[strata] - (np.cumsum(misses) - before)
    pairs = float(np.bincount(strata, hits) @ all_misses)
    return float(hits @ (after + misses / 2)) / pairs if pairs else np.nan
