"""The literal algorithms are right, and what is timed is what is said."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import conceptrank as cr
from conceptrank.evaluation import literal
from conceptrank.evaluation.timing import MEASURES, time_per_concept
from strategies import random_context


@pytest.mark.parametrize("seed", range(12))
def test_literal_scores_equal_the_products(seed):
    context = random_context(9, 6, density=0.15 + 0.06 * seed, seed=seed)
    table = {name: frozenset(context.intension([name])) for name in context.objects}
    every = frozenset(context.attributes)
    lattice = context.lattice()
    found = [
        (
            literal.conceptual_relevance(table, extent, intent),
            literal.stability_intensional(table, extent, intent, every),
            literal.stability_extensional(table, extent, intent),
        )
        for extent, intent in ((frozenset(a), frozenset(b)) for a, b in lattice)
    ]
    for column, measure in zip(np.array(found).T, MEASURES, strict=True):
        np.testing.assert_allclose(column, lattice.score(measure), rtol=0, atol=1e-12)


def test_the_literal_module_is_kept_apart():
    source = Path(literal.__file__).read_text(encoding="utf-8")
    imported = [
        name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None) or node.names[0].name]
    ]
    assert not any(name.startswith(("conceptrank", "numpy")) for name in imported)
    users = [
        path.name
        for path in Path(cr.__file__).parent.rglob("*.py")
        if "import literal" in path.read_text(encoding="utf-8")
    ]
    assert users == ["timing.py"]


def test_times_are_of_the_concepts_between_top_and_bottom():
    context = random_context(40, 7, density=0.5, seed=1)
    times = time_per_concept(context, sample=1000, repeats=2, limit=64)
    assert times.concepts == len(context.lattice())
    assert times.sample.tolist() == list(range(1, times.concepts - 1))
    # Not timed where there are more subsets than the limit.
    lattice = context.lattice()
    for measure, sizes in (
        ("stability_intensional", lattice.supports[times.sample]),
        ("stability_extensional", lattice.intent_sizes[times.sample]),
    ):
        assert (np.isfinite(times.literal[measure]) == (2.0**sizes <= 64)).all()
    frame = times.to_polars()
    assert frame["measure"].to_list() == list(MEASURES)
    assert (frame["ours"] > 0).all()
    assert times.ratio("cr")[:2] == (1.0, 1.0)


def test_concepts_with_too_many_generators_are_not_timed():
    # The object 10 has ten pairs of attributes, of each of which another object lacks one pair.
    crosses = [[m // 2 != g for m in range(20)] for g in range(10)]
    rows = [*crosses, [True] * 20, [False] * 20]
    context = cr.Context(map(str, range(12)), [f"m{m}" for m in range(20)], rows)
    times = time_per_concept(context, sample=10**6, repeats=1, limit=100)
    widest = context.lattice().intent_sizes[times.sample] >= 18
    assert np.isnan(times.literal["cr"][widest]).all()
    assert np.isfinite(times.literal["cr"]).any()


def test_nothing_to_time():
    times = time_per_concept(cr.Context((), (), ()), repeats=1)
    assert len(times.sample) == 0
    assert np.isnan(times.ratio("stability_intensional")[0])
    assert times.to_polars()["literal"].null_count() == 3
