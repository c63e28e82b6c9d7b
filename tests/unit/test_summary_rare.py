"""Patterns of few objects in a large table: the short list finds them."""

from __future__ import annotations

import numpy as np

import conceptrank as cr


def test_modules_below_one_percent_of_the_objects_are_listed():
    random = np.random.default_rng(5)
    rows = random.random((4000, 60)) < 0.1
    modules = [range(7), range(20, 28), range(40, 46)]
    for module in modules:
        rows[np.ix_(random.choice(4000, 25, replace=False), module)] = True
    names = [f"x{m}" for m in range(60)]
    context = cr.Context(range(4000), names, rows)
    found = {pattern.concept.intent for pattern in context.summarize()}
    # 25 objects are fewer than 1 % of 4,000, the least support of the candidates that are listed.
    assert found == {tuple(names[m] for m in module) for module in modules}
    assert len(context.summarize(min_support=0.01)) == 0


def test_nothing_is_listed_by_chance():
    for seed in range(5):
        rows = np.random.default_rng(seed).random((1000, 40)) < 0.2
        context = cr.Context(range(1000), [f"x{m}" for m in range(40)], rows)
        assert len(context.summarize(alpha=0.001)) == 0
