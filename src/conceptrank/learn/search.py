"""`boost`: sets of attributes that together predict a class; `significance`: a test of a set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from conceptrank.measures._fisher import upper_tail

Floats = NDArray[np.float64]
# Rounds of boosting for each set that may be listed; most rounds improve a set listed before.
_ROUNDS_PER_SET = 4
# How many sets of each length the beam search extends by one attribute.
_WIDTH = 5
# The factor by which each step of boosting is shortened.
_LEARNING_RATE = 0.3


@dataclass(frozen=True)
class Found:
    """A set of attributes, its rows and its gain."""

    attributes: tuple[int, ...]
    rows: NDArray[np.int64]
    gain: float


Test = Callable[[Found], bool]


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
    min_support
        The least weight of the objects of a set; every set has at least one object.
    max_length
        The most attributes of a set.
    penalty
        What an attribute costs.
    weights
        The weights of the objects, above 0; 1 if None.
    alpha
        The chance of any set that is not related to the class; not tested if None.
    """
    n, n_classes = len(codes), int(codes.max(initial=0)) + 1
    if n_classes < 2:
        return []
    weights = np.ones(n) if weights is None else weights
    numbers = np.flatnonzero(np.asarray(table.T @ weights).ravel() >= min_support)
    table = table[:, numbers]
    accept = None if alpha is None else significance(codes, len(numbers), max_length, alpha)
    # With two classes, the probability of one of them determines the other.
    target = np.eye(n_classes)[codes][:, 1:] if n_classes == 2 else np.eye(n_classes)[codes]
    shares = np.average(target, axis=0, weights=weights)
    log_odds = np.log(shares / (1 - shares)) if n_classes == 2 else np.log(shares)
    scores = np.tile(log_odds, (n, 1))
    chosen: dict[tuple[int, ...], None] = {}
    for _ in range(_ROUNDS_PER_SET * k):
        chance = expit(scores) if n_classes == 2 else softmax(scores, axis=1)
        slopes, curves = target - chance, chance * (1 - chance)
        loss = np.hstack([slopes, curves]) * weights[:, None]
        found = _best_set(
            table,
            np.column_stack([np.ones(n), weights, loss]),
            penalty=penalty,
            min_support=min_support,
            max_length=max_length,
            accept=accept,
        )
        if found is None:
            break
        rows, weight = found.rows, weights[found.rows]
        step = (weight @ slopes[rows]) / (weight @ curves[rows] + 1.0)
        scores[rows] += _LEARNING_RATE * step
        chosen.setdefault(found.attributes)
        if len(chosen) == k:
            break
    return [tuple(numbers[list(each)].tolist()) for each in chosen]


def _best_set(
    table: Any,
    values: Floats,
    *,
    penalty: float,
    min_support: float,
    max_length: int,
    accept: Test | None,
) -> Found | None:
    """Return the set with the largest gain that passes the test; None if no gain is above 0.

    This is a beam search: each step extends the best sets so far by one attribute. So the result is
    the best of all single attributes, and a good one of all longer sets. The columns of `values`
    are 1, the weight, and the weighted slopes and curvatures of the loss.
    """
    beam = [Found((), np.arange(table.shape[0]), 0.0)]
    best: Found | None = None
    seen: set[tuple[int, ...]] = set()
    half = (values.shape[1] - 2) // 2
    for length in range(1, max_length + 1):
        children: list[tuple[float, tuple[int, ...], Found]] = []
        for parent in beam:
            # Slices of the whole table would only copy it.
            part = (table, values) if length == 1 else (table[parent.rows], values[parent.rows])
            sums = part[0].T @ part[1]
            counts, sizes, slopes, curves = np.split(sums, (1, 2, 2 + half), axis=1)
            inside = (sizes >= min_support) & (counts > 0) & (counts < len(parent.rows))
            gains = (slopes**2 / (curves + 1.0)).sum(axis=1)
            # Rounded, so that sets of equal gain stay equal in any order of summation.
            gains = np.where(inside.ravel(), np.round(gains - penalty * length, 9), -np.inf)
            for m in _largest(gains):
                attributes = tuple(sorted((*parent.attributes, m)))
                if np.isfinite(gains[m]) and attributes not in seen:
                    seen.add(attributes)
                    children.append((float(gains[m]), attributes, parent))
        children.sort(key=lambda child: (-child[0], child[1]))
        beam = [
            Found(attributes, _having(table, parent, attributes), gain)
            for gain, attributes, parent in children[:_WIDTH]
        ]
        for found in beam:
            if found.gain <= (0.0 if best is None else best.gain):
                break
            if accept is None or accept(found):
                best = found
                break
    return best


def _largest(gains: Floats) -> list[int]:
    """Return the places of the largest gains, largest first; equal ones in their order."""
    least = -np.inf if len(gains) <= _WIDTH else np.partition(gains, -_WIDTH)[-_WIDTH]
    places = np.flatnonzero(gains >= least)
    chosen: list[int] = places[np.argsort(-gains[places], kind="stable")][:_WIDTH].tolist()
    return chosen


def _having(table: Any, parent: Found, attributes: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the rows of a parent that have the one attribute more."""
    (added,) = set(attributes) - set(parent.attributes)
    column = np.asarray(table[parent.rows][:, [added]].sum(axis=1)).ravel()
    return parent.rows[column > 0]


def significance(
    codes: NDArray[np.int64], n_attributes: int, max_length: int, alpha: float
) -> Test:
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
