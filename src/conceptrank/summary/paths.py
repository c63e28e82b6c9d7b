"""Paths from an attribute to concepts of attributes that go together.

A table with rich objects has millions of concepts, and almost all of them are chance. A path finds
the others without listing them: it starts at an attribute and adds, step by step, the attribute
that is most overrepresented among the objects reached so far.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrank._util import lists as _lists
from conceptrank.budget import Watch, support_threshold
from conceptrank.context import Context

# The number of paths from each attribute, to the attributes that are most overrepresented with it.
_BRANCHES = 8
_LONGEST = 24
# Only the most frequent attributes are starts.
_MOST_STARTS = 1_000


def follow(context: Context, *, lowest: float, watch: Watch) -> dict[tuple[int, ...], int]:
    """Return the intents on all paths, with their supports.

    A rich object has more of all attributes. So an attribute counts as overrepresented only if its
    log-odds rise by more than those of the median attribute do.

    Parameters
    ----------
    context
        The context.
    lowest
        The least share of the objects; a path ends where fewer have its attributes.
    watch
        A limit that is reached ends the last path.

    Examples
    --------
    >>> import conceptrank as cr
    >>> table = cr.datasets.random.planted(500, 20, patterns=[(4, 0.2), (5, 0.1)], seed=1)
    >>> number = {name: m for m, name in enumerate(table.context.attributes)}
    >>> found = follow(table.context, lowest=0.01, watch=Watch(None, task="example"))
    >>> all(tuple(sorted(number[m] for m in p.intent)) in found for p in table.patterns)
    True
    """
    n = context.shape[0]
    least = max(2, support_threshold(lowest, n))
    columns = _column_bits(context)
    counts = np.bitwise_count(columns).sum(axis=1, dtype=np.int64)
    odds = _log_odds(counts, n)
    column_of = _scaled_column_of(context)
    order = np.argsort(-counts, kind="stable")
    starts = [int(m) for m in order[:_MOST_STARTS] if counts[m] >= least]
    found: dict[tuple[int, ...], int] = {}
    for start in starts:
        beside = _overrepresented(columns, columns[start], odds, column_of)[1]
        for second in np.argsort(-beside, kind="stable")[:_BRANCHES]:
            if watch.interrupted():
                return found
            extent = columns[start] & columns[second]
            for _ in range(_LONGEST):
                support = int(np.bitwise_count(extent).sum())
                if support < least:
                    break
                inside, surplus = _overrepresented(columns, extent, odds, column_of)
                intent = tuple(np.flatnonzero(inside == support).tolist())
                if intent in found:
                    break
                found[intent] = support
                best = int(surplus.argmax())
                if surplus[best] <= 0:
                    break
                extent = extent & columns[best]
    return found


def _overrepresented(
    columns: NDArray[np.uint64],
    extent: NDArray[np.uint64],
    odds: NDArray[np.float64],
    column_of: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return how many objects of an extent have each attribute, and its surplus in nats.

    The surplus is 0 for attributes of the intent and for those of the same scaled columns.
    """
    inside = np.bitwise_count(columns & extent).sum(axis=1, dtype=np.int64)
    support = int(np.bitwise_count(extent).sum())
    share = inside / support
    rise = np.median(_log_odds(inside, support) - odds)
    expected = 1 / (1 + np.exp(-(odds + rise)))
    with np.errstate(divide="ignore", invalid="ignore"):
        present = share * np.log(share / expected)
        absent = (1 - share) * np.log((1 - share) / (1 - expected))
    surplus = support * (np.nan_to_num(present) + np.nan_to_num(absent))
    known = inside == support
    known |= np.isin(column_of, column_of[known])
    return inside, np.where(known | (share <= expected), 0.0, surplus)


def _log_odds(counts: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return log-odds of shares, with half an object more on either side."""
    return np.asarray(np.log((counts + 0.5) / (n - counts + 0.5)))


def _scaled_column_of(context: Context) -> NDArray[np.int64]:
    """Return the number of the scaled column of each attribute; one of its own without one."""
    column_of = np.arange(context.shape[1], dtype=np.int64)
    for members in context.groups:
        column_of[list(members)] = members[0]
    return column_of


def _column_bits(context: Context) -> NDArray[np.uint64]:
    """Return the objects of each attribute as bits."""
    n, q = context.shape
    offsets, objects = _lists.transposed(context.repeated().rows(), q)
    bits = np.zeros((q, (n + 63) // 64 * 8), dtype=np.uint8)
    having = np.zeros(n, dtype=np.uint8)
    for m in range(q):
        having[objects[offsets[m] : offsets[m + 1]]] = 1
        packed = np.packbits(having)
        bits[m, : len(packed)] = packed
        having[objects[offsets[m] : offsets[m + 1]]] = 0
    return bits.view(np.uint64)
