"""Weights of objects equal repetition: in measures, rules, searches, summaries and evaluation."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conceptrank as cr
from conceptrank.measures import registry

BASES = ("generic", "luxenburger", "duquenne_guigues")


def drawn(seed: int) -> tuple[cr.Context, cr.Context, NDArray[np.int64]]:
    """Return a random context with weights, its rows repeated without the product, and weights."""
    random = np.random.default_rng(seed)
    n, q = int(random.integers(1, 9)), int(random.integers(1, 7))
    cells = random.random((n, q)) < random.choice([0.3, 0.6, 0.8])
    if n > 2 and seed % 3 == 0:
        cells[-1] = cells[0]
    weights = random.integers(1, [2, 4, 40][seed % 3] + 1, n)
    weights[int(random.integers(n))] += 1
    context = cr.Context(range(n), range(q), cells, weights=weights)
    places = np.repeat(np.arange(n), weights)
    return context, cr.Context(range(len(places)), range(q), cells[places]), weights


def variants(name: str, random: np.random.Generator, context: cr.Context) -> list[dict[str, Any]]:
    """Return parameters for a measure; labels and weights have one value per listed object."""
    measure = registry.get(name)
    own: dict[str, Any] = {}
    n, q = len(context.objects), len(context.attributes)
    for param, default in measure.params.items():
        if default is not Parameter.empty:
            continue
        if param == "labels":
            own[param] = random.integers(0, 2, n)
        elif param == "weights":
            own[param] = random.random(n if measure.side == "extent" else q).round(3)
        else:
            own[param] = 0.2
    found = [own]
    choices = {
        "side": ["extent", "intent"],
        "agg": ["mean", "max", "product", "owa"],
        "target": ["variance"],
        "similarity": ["smc"],
        "bottom": ["inf"],
    }
    for param, values in choices.items():
        if param in measure.params:
            found += [own | {param: value} for value in values if value != measure.params[param]]
    if name in ("target_entropy", "information_gain", "chi_squared"):
        found.append({"labels": random.integers(0, 3, n)})
    return found


def repeated_params(
    params: dict[str, Any], measure: registry.Measure, weights: NDArray[np.int64]
) -> dict[str, Any]:
    """Return the parameters for the repeated context."""
    result = dict(params)
    for param in ("labels", "weights"):
        if param in params and (param == "labels" or measure.side == "extent"):
            result[param] = np.repeat(params[param], weights)
    return result


@pytest.mark.parametrize("part", range(10))
def test_every_measure_of_concepts_and_rules(part: int):
    names = registry.available().get_column("name").to_list()
    of_rules = cr.rules.measures.available().get_column("name").to_list()
    for seed in range(50 * part, 50 * part + 50):
        random = np.random.default_rng(10_000 + seed)
        context, whole, weights = drawn(seed)
        lattice, expected = context.lattice(threads=1), whole.lattice(threads=1)
        assert context.shape == whole.shape
        assert context.crosses == whole.crosses
        assert context.density == whole.density
        for one, other in zip(lattice.intents, expected.intents, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(lattice.supports, expected.supports)
        np.testing.assert_array_equal(lattice.deltas, expected.deltas)
        for one, other in zip(lattice.lower_covers, expected.lower_covers, strict=True):
            np.testing.assert_array_equal(one, other)
        places = np.repeat(np.arange(len(weights)), weights)
        for concept, same in zip(lattice, expected, strict=True):
            assert concept.support == same.support == weights[concept.extent_numbers].sum()
            np.testing.assert_array_equal(
                np.unique(places[same.extent_numbers]), concept.extent_numbers
            )
        # A measure in a few contexts with all its variants, in the others by its defaults.
        for number, name in enumerate(names):
            measure = registry.get(name)
            found = variants(name, random, context)
            for params in found if (number + seed) % 10 == 0 else found[:1]:
                more = repeated_params(params, measure, weights)
                np.testing.assert_allclose(
                    lattice.score(name, **params),
                    expected.score(name, **more),
                    rtol=1e-12,
                    atol=1e-12,
                    err_msg=f"{name} {params} in context {seed}",
                )
        for basis in BASES:
            rules = lattice.rules(basis, min_confidence=0.3)
            same_rules = expected.rules(basis, min_confidence=0.3)
            for one, other in zip(rules.premises, same_rules.premises, strict=True):
                np.testing.assert_array_equal(one, other)
            for one, other in zip(rules.conclusions, same_rules.conclusions, strict=True):
                np.testing.assert_array_equal(one, other)
            for name in of_rules:
                np.testing.assert_allclose(
                    rules.score(name), same_rules.score(name), rtol=1e-12, atol=1e-12, err_msg=name
                )
