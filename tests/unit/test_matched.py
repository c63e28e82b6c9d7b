"""The AUC among concepts of the same support, pair by pair."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.evaluation import noise_recovery
from conceptrank.evaluation.matched import matched_auc


@pytest.mark.parametrize("seed", range(200))
def test_pairs_of_the_same_support_are_counted(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(0, 15))
    place, supports = random.integers(0, 5, n), random.integers(1, 5, n)
    truth = random.random(n) < 0.5
    pairs = [
        (place[i] < place[j]) + (place[i] == place[j]) / 2
        for i, j in product(range(n), repeat=2)
        if truth[i] and not truth[j] and supports[i] == supports[j]
    ]
    found = matched_auc(place, truth, supports)
    if pairs:
        assert found == pytest.approx(np.mean(pairs))
    else:
        assert np.isnan(found)


def test_support_alone_has_no_merit_among_concepts_of_the_same_support():
    context = cr.datasets.random.coin_toss(objects=60, attributes=10, density=0.3, seed=1)
    found = noise_recovery(
        context, measures=["support", "separation"], levels=[0.02], draws=4, seed=1
    )
    assert found.of("support", "matched_auc").tolist() == [0.5] * 4
    assert (found.of("support") > 0.5).all()
    assert (found.of("separation", "matched_auc") != 0.5).all()
