"""`grow`: the conjunction of attributes that scores best, found by a beam search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# From sums over the rows of some sets and the number of these rows to their scores.
Score = Callable[[Floats, Floats], Floats]
# Rounds of boosting for each set that may be listed; most rounds improve a set listed before.
_ROUNDS_PER_SET = 4


@dataclass(frozen=True)
class Found:
    """A set of attributes, its rows and its score."""

    attributes: tuple[int, ...]
    rows: NDArray[np.int64]
    score: float


def grow(
    table: Any,
    values: Floats,
    score: Score,
    *,
    penalty: float = 0.0,
    min_support: int,
    max_length: int,
    width: int,
) -> Found | None:
    """Return the best set of at most `max_length` attributes, or None if none scores above 0.

    Each step extends the `width` best sets so far by one attribute. So the result is the best of
    all single attributes, and a good one of all longer sets.

    Parameters
    ----------
    table
        A sparse CSR matrix, a row per object and a column per attribute.
    values
        Numbers per object, whose sums over the objects of a set decide its score.
    score
        The score of sets, from these sums and the numbers of objects.
    penalty
        What an attribute costs.
    min_support
        The least number of objects.
    max_length, width
        The most attributes of a set, and the number of sets that are extended.
    """
    everything = np.arange(table.shape[0])
    beam = [Found((), everything, 0.0)]
    best: Found | None = None
    seen: set[tuple[int, ...]] = set()
    for length in range(1, max_length + 1):
        children: list[tuple[float, tuple[int, ...], Found]] = []
        for parent in beam:
            part = table if length == 1 else table[parent.rows]
            held = values if length == 1 else values[parent.rows]
            sums = part.T @ np.column_stack([np.ones(len(held)), held])
            counts, sums = sums[:, 0], sums[:, 1:]
            allowed = (counts >= min_support) & (counts < len(parent.rows))
            scores = np.where(allowed, score(sums, counts) - penalty * length, -np.inf)
            for m in _largest(scores, width):
                attributes = tuple(sorted((*parent.attributes, m)))
                if np.isfinite(scores[m]) and attributes not in seen:
                    seen.add(attributes)
                    children.append((float(scores[m]), attributes, parent))
        children.sort(key=lambda child: (-child[0], child[1]))
        beam = [
            Found(attributes, _having(table, parent, attributes), value)
            for value, attributes, parent in children[:width]
        ]
        if not beam:
            break
        if beam[0].score > (0.0 if best is None else best.score):
            best = beam[0]
    return best


def frequent(table: Any, min_support: int) -> tuple[Any, NDArray[np.int64]]:
    """Return the columns of at least so many rows, and their numbers in the table."""
    numbers = np.flatnonzero(np.asarray(table.sum(axis=0)).ravel() >= min_support)
    return table[:, numbers], numbers


def _largest(scores: Floats, count: int) -> list[int]:
    """Return the places of the largest scores, largest first; equal ones in their order."""
    least = -np.inf if len(scores) <= count else np.partition(scores, -count)[-count]
    places = np.flatnonzero(scores >= least)
    chosen: list[int] = places[np.argsort(-scores[places], kind="stable")][:count].tolist()
    return chosen


def _having(table: Any, parent: Found, attributes: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the rows of a parent that have the one attribute more."""
    (added,) = set(attributes) - set(parent.attributes)
    column = np.asarray(table[parent.rows][:, [added]].sum(axis=1)).ravel()
    return parent.rows[column > 0]


def boost(
    table: Any,
    codes: NDArray[np.int64],
    *,
    k: int,
    min_support: int,
    max_length: int,
    penalty: float,
    learning_rate: float = 0.3,
    width: int = 5,
) -> list[tuple[int, ...]]:
    """Return at most k sets of attributes that together predict a class, the most useful first.

    This is gradient boosting of the logistic loss. Each round takes the set with the largest gain,
    the decrease of the loss by a Newton step for its rows, and makes part of this step. A set that
    comes again is listed once.

    Parameters
    ----------
    table
        A sparse CSR matrix, a row per object and a column per attribute.
    codes
        The class of each object, from 0.
    k
        The most sets.
    min_support, max_length, penalty, width
        As for `grow`.
    learning_rate
        The part of a step that is made.
    """
    n, n_classes = len(codes), int(codes.max(initial=0)) + 1
    if n_classes < 2:
        return []
    table, numbers = frequent(table, min_support)
    # With two classes, the probability of one says everything.
    target = np.eye(n_classes)[codes][:, 1:] if n_classes == 2 else np.eye(n_classes)[codes]
    shares = target.mean(axis=0)
    log_odds = np.log(shares / (1 - shares)) if n_classes == 2 else np.log(shares)
    scores = np.tile(log_odds, (n, 1))
    width_of = target.shape[1]

    def gain(sums: Floats, _: Floats) -> Floats:
        slopes, curves = sums[:, :width_of], sums[:, width_of:]
        return np.asarray((slopes**2 / (curves + 1.0)).sum(axis=1))

    chosen: dict[tuple[int, ...], None] = {}
    for _ in range(_ROUNDS_PER_SET * k):
        odds = np.exp(scores - (0 if n_classes == 2 else scores.max(axis=1, keepdims=True)))
        chance = odds / (1 + odds) if n_classes == 2 else odds / odds.sum(axis=1, keepdims=True)
        slopes, curves = target - chance, chance * (1 - chance)
        found = grow(
            table,
            np.column_stack([slopes, curves]),
            gain,
            penalty=penalty,
            min_support=min_support,
            max_length=max_length,
            width=width,
        )
        if found is None:
            break
        rows = found.rows
        step = slopes[rows].sum(axis=0) / (curves[rows].sum(axis=0) + 1.0)
        scores[rows] += learning_rate * step
        chosen.setdefault(found.attributes)
        if len(chosen) == k:
            break
    return [tuple(numbers[list(each)].tolist()) for each in chosen]
