"""The search for the best concepts at full size. For `make soak`; skipped otherwise."""

from __future__ import annotations

import os
import time
from random import Random

import numpy as np
import pytest

import conceptrank as cr
from constraint_cases import best_of, meets, some_constraints, some_context
from data_files import data_path
from property.test_best import LABELLED, MEASURES, NUMERIC, check

pytestmark = pytest.mark.skipif(
    not os.environ.get("CONCEPTRANK_SOAK"), reason="set CONCEPTRANK_SOAK=1 (make soak)"
)

TABLES = ["mushroom.dat.gz", "zoo.arff", "cp4im/zoo-1.txt.gz", "cp4im/primary-tumor.txt.gz"]
TABLES += ["cp4im/lymph.txt.gz", "cp4im/tic-tac-toe.txt.gz", "cp4im/vote.txt.gz"]
BY = ["support", "delta_measure", "bond", "stable_leverage", "cohesive_margin", "stability"]


def load(name: str) -> cr.Context:
    return cr.load(data_path(f"bench/{name}"))


@pytest.mark.parametrize("part", range(8))
def test_every_bounded_measure_on_2000_contexts(part: int) -> None:
    random = Random(9000 + part)
    for _ in range(250):
        context = some_context(random, most=8)
        lattice = context.lattice()
        constraints = some_constraints(random, context)
        meant = np.array([meets(constraints, context, c) for c in lattice], dtype=bool)
        classes = [random.random() < 0.4 for _ in context.objects]
        numbers = [random.choice((0.0, 1.0, 2.5, -1.0)) for _ in context.objects]
        cases = [(name, own, {}) for name, own in MEASURES]
        if any(classes):
            cases += [(name, {}, {"labels": classes}) for name in LABELLED]
        if context.objects:
            cases += [(name, own, {"labels": numbers}) for name, own in NUMERIC]
        for name, own, data in cases:
            k, ties = random.choice((1, 2, 5, 20)), random.choice(("first", "all"))
            params = {**own, **data}
            found = best_of(
                context, k, (name, params), ties=ties, constraints=constraints, threads=1
            )
            full = lattice.rank((name, params), where=meant)
            check(found, full, k, all_ties=ties == "all")


@pytest.mark.parametrize("table", TABLES)
def test_real_tables(table: str) -> None:
    context = load(table)
    lattice = context.lattice()
    target = max(context.attributes, key=lambda m: -abs(len(context.extension([m])) - 50))
    labels = np.zeros(context.shape[0], dtype=bool)
    labels[context.object_names.numbers(context.extension([target]))] = True
    cases: list[tuple[str, dict]] = [(name, {}) for name in BY]
    cases += [(name, {"labels": labels}) for name in ("wracc", "f1")]
    for name, params in cases:
        full = lattice.rank((name, params))
        for k in (1, 10, 100, 1000):
            found, expected = best_of(context, k, (name, params)), full.top(min(k, len(full)))
            assert found.complete
            assert [c.intent for _, c, _ in found] == [c.intent for _, c, _ in expected]
            assert found.ranks.tolist() == expected.ranks.tolist()
            own = found.score(found.by)
            assert np.allclose(own, expected.score(expected.by), rtol=1e-12, atol=0)


MOMENTS = ["mushroom.dat.gz", "cp4im/lymph.txt.gz", "cp4im/vote.txt.gz", "zoo.arff"]
MOMENTS += ["cp4im/tic-tac-toe.txt.gz"]


@pytest.mark.parametrize("table", MOMENTS)
@pytest.mark.parametrize("by", ["tile_area", "separation"])
def test_stopped_at_random_moments(table: str, by: str) -> None:
    context, random = load(table), Random(table)
    lattice = context.lattice()
    scores = lattice.score(by)
    best_first = np.sort(scores)[::-1]
    for _ in range(20):
        k, seconds = random.choice((1, 10, 100)), random.uniform(0.0, 1.0)
        began = time.monotonic()
        found = context.best(k, by, max_seconds=seconds)
        taken = time.monotonic() - began
        places = [lattice.find(c.intent_numbers, c.support) for _, c, _ in found]
        assert None not in places
        assert scores[places].tolist() == pytest.approx(found.score(by).tolist(), rel=1e-12)
        # The certain ones are among the k best, and nothing unseen is above the bound.
        own = found.score(by)
        slack = 1 + 1e-9
        assert (own[: found.proven] * slack >= best_first[min(k, len(lattice)) - 1]).all()
        if not found.complete:
            unseen = np.delete(scores, places)
            worst = own.min() if len(own) == k else -np.inf
            assert unseen.max(initial=-np.inf) <= max(found.bound, worst) * slack
            assert taken < seconds + 2
