"""`grow`: the best conjunction of attributes, by a beam search; `boost`: several of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrank.measures._fisher import upper_tail

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
    weights: Floats,
    penalty: float = 0.0,
    min_support: float,
    max_length: int,
    width: int,
    accept: Callable[[Found], bool] = lambda _: True,
) -> Found | None:
    """Return the best set of at most `max_length` attributes, or None if none scores above 0.

    Each step extends the `width` best sets so far by one attribute. So the result is the best of
    all single attributes, and a good one of all longer sets.

    Parameters
    ----------
    table
        A sparse CSR matrix, a row per object and a column per attribute.
    values
        Numbers per object. The score of a set depends on their weighted sums over its objects.
    score
        The score of sets, from these sums and the weights of the objects.
    weights
        The weights of the objects; above 0.
    penalty
        What an attribute costs.
    min_support
        The least weight of the objects of a set; every set has at least one object.
    max_length, width
        The most attributes of a set, and the number of sets that are extended.
    accept
        Whether a set may be the result; others are still extended.
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
            weight = weights if length == 1 else weights[parent.rows]
            sums = part.T @ np.column_stack([np.ones(len(held)), weight, held * weight[:, None]])
            counts, sizes, sums = sums[:, 0], sums[:, 1], sums[:, 2:]
            allowed = (sizes >= min_support) & (counts > 0) & (counts < len(parent.rows))
            # Rounded, so that sets of equal score stay equal in any order of summation.
            gains = np.round(score(sums, sizes) - penalty * length, 9)
            scores = np.where(allowed, gains, -np.inf)
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
        for found in beam:
            if found.score <= (0.0 if best is None else best.score):
                break
            if accept(found):
                best = found
                break
    return best


def frequent(table: Any, min_support: float, weights: Floats) -> tuple[Any, NDArray[np.int64]]:
    """Return the columns whose rows have at least this weight, and their numbers in the table."""
    numbers = np.flatnonzero(np.asarray(table.T @ weights).ravel() >= min_support)
    return table[:, numbers], numbers


def significance(codes: NDArray[np.int64], n_attributes: int, max_length: int, alpha: float) -> Any:
    """Return a test of sets: whether their objects have a class significantly often or rarely.

    The test is Fisher's, on both sides of each class. It is corrected for the classes and for all
    sets of at most `max_length` attributes: each length has an equal part of alpha, divided by the
    number of sets of this length (Webb 2008, layered critical values). So the chance of any false
    set is at most alpha.

    Parameters
    ----------
    codes
        The class of each object, from 0.
    n_attributes
        The number of attributes that sets are made of.
    max_length
        The most attributes of a set.
    alpha
        The chance of any false set.
    """
    n = len(codes)
    totals = np.bincount(codes).astype(np.float64)
    tested = totals[1:] if len(totals) == 2 else totals

    def accept(found: Found) -> bool:
        size = np.full(len(tested), float(len(found.rows)))
        inside = np.bincount(codes[found.rows], minlength=len(totals))[-len(tested) :].astype(float)
        often = upper_tail(inside, n, size, tested)
        rarely = upper_tail(size - inside, n, size, n - tested)
        tests = 2 * len(tested) * max_length * comb(n_attributes, len(found.attributes))
        return bool(np.minimum(often, rarely).min() * tests <= alpha)

    return accept


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
    min_support: float,
    max_length: int,
    penalty: float,
    weights: Floats | None = None,
    alpha: float | None = None,
    learning_rate: float = 0.3,
    width: int = 5,
) -> list[tuple[int, ...]]:
    """Return at most k sets of attributes that together predict a class, the most useful first.

    This is gradient boosting of the logistic loss. Each round takes the set with the largest gain,
    the decrease of the loss by a Newton step for its rows, and makes part of this step. A set that
    is found again is listed once.

    Parameters
    ----------
    table
        A sparse CSR matrix, a row per object and a column per attribute.
    codes
        The class of each object, from 0.
    k
        The most sets.
    min_support, max_length, penalty, width, weights
        As for `grow`.
    alpha
        The chance of any set that is not related to the class; not tested if None.
    learning_rate
        The factor by which each step is shortened.
    """
    n, n_classes = len(codes), int(codes.max(initial=0)) + 1
    if n_classes < 2:
        return []
    weights = np.ones(n) if weights is None else weights
    table, numbers = frequent(table, min_support, weights)
    test = {}
    if alpha is not None:
        test["accept"] = significance(codes, len(numbers), max_length, alpha)
    # With two classes, the probability of one of them determines the other.
    target = np.eye(n_classes)[codes][:, 1:] if n_classes == 2 else np.eye(n_classes)[codes]
    shares = np.average(target, axis=0, weights=weights)
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
            weights=weights,
            penalty=penalty,
            min_support=min_support,
            max_length=max_length,
            width=width,
            **test,
        )
        if found is None:
            break
        rows, weight = found.rows, weights[found.rows]
        step = (weight @ slopes[rows]) / (weight @ curves[rows] + 1.0)
        scores[rows] += learning_rate * step
        chosen.setdefault(found.attributes)
        if len(chosen) == k:
            break
    return [tuple(numbers[list(each)].tolist()) for each in chosen]
